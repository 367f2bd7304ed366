"""War-galley on Discord: commands, panels, the store, the outbox and the clock."""

from typing import Final

OWN_PACKAGES: Final = ("bot", "render", "rules")
"""Our own packages, by which errors and log lines are known to be ours."""
