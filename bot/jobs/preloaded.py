"""Everything a job needs. A server loads it once and forks the workers, which start at once and share its memory."""

import os

# Our matrices are small: threads would cost more than they save, and take the other worker's core.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from bot.jobs import play, showing  # noqa: F401
from render.registry import PAINTERS
from rules.core.registry import RULESETS

for rules in RULESETS.values():
    PAINTERS[rules.view_type]
