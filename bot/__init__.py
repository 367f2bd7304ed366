"""War-galley on Discord: commands, panels, the store, the outbox and the clock."""

from typing import Final

OWN_PACKAGES: Final = ("bot", "render", "rules")
"""Packages of this project. Errors and log lines of other packages are treated differently."""
