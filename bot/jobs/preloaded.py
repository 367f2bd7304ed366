"""Import all that jobs need.

The fork server of the workers imports this module once, so that they start quickly and share its memory.
"""

import gc
import os

# The matrices are small, so BLAS threads would cost more than they save and take another worker's core.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from bot.allocator import return_freed_memory
from bot.jobs import page_steps, play, showing  # noqa: F401
from render.registry import PAINTERS
from rules.core.registry import RULESETS

return_freed_memory()
for rules in RULESETS.values():
    PAINTERS[rules.view_type]  # imports the game's painter

# Workers share these objects, because the garbage collector does not write to them then.
gc.collect()
gc.freeze()
