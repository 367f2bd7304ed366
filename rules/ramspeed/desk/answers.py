"""What captains answer: a sheet with what is to hold besides, one ship's line, a choice in the middle of a turn."""

from __future__ import annotations

from msgspec import Struct

from rules.choosing import Choice
from rules.ramspeed.table.orders import DoctrineLine, Line, Sheet


class Orders(Struct, frozen=True, tag=True):
    """A sheet for the turn, and changes of what stands (part 8.1)."""

    sheet: Sheet = Sheet()
    doctrines: tuple[DoctrineLine, ...] = ()
    """What is to hold from now on, over what held before."""
    standing: Sheet | None = None
    """What stands in for a missing sheet from now on; None: as before."""


class Standing(Struct, frozen=True, tag=True):
    """Changes of what stands, alone."""

    doctrines: tuple[DoctrineLine, ...] = ()
    standing: Sheet | None = None


class Act(Struct, frozen=True, tag=True):
    """One ship's line, carried out at once."""

    line: Line


class Done(Struct, frozen=True, tag=True):
    """The player-turn is over: ships that have not acted stay, or shoot as their doctrine says."""

    late: bool = False
    """Nobody has said so: the time was up."""


Answer = Orders | Standing | Act | Done | Choice
