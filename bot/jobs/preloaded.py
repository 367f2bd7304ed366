"""Import all that jobs need.

The fork server of the workers imports this module once, so that they start quickly and share its memory.
"""

import os

# The matrices are small, so BLAS threads would cost more than they save and take another worker's core.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from bot.jobs import play, showing  # noqa: F401
from render.registry import PAINTERS
from rules.core.registry import RULESETS

for rules in RULESETS.values():
    PAINTERS[rules.view_type]  # imports the game's painter
