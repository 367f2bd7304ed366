"""Connect wargames with Discord: commands, panels, storage, delivery of messages and deadlines."""

from typing import Final

OWN_PACKAGES: Final = ("bot", "render", "rules")
