"""What several events have in common: how names and dice are told."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, structs

from rules.core.protocol import Event, Seat
from rules.core.view import Text

Weight = Literal[0, 1, 2, 3]
OrderText = Annotated[str, Meta(examples=["ram S1", "veer 15R 4; shoot S1 crew", "transfer 5 to A2"])]
"""An alternative, or a step of one, in canonical notation."""
SIDES: Final = ("Athens", "Sparta", "Rome", "Carthage", "Patrol", "Pirates")
"""Sides of the game's own scenarios, whose names stand in the catalogues as `side.<name>`."""


def name_of(player: str) -> Seat | str:
    """The seat or name that a player's name means: in a game among captains the seat, as in `p3`."""
    found = re.fullmatch("p([0-9]{1,2})", player)
    return int(found[1]) if found else player


def side_name(name: str) -> Text | str:
    """A side's name, in the reader's language where the catalogues have it."""
    return Text(f"side.{name}") if name in SIDES else name


def side_name_with_captains(name: str, seats: tuple[Seat, ...]) -> Text | str:
    """A side's name, with its captains: pictures name those alone."""
    side = side_name(name)
    if not seats:
        return side
    captains = tuple(Text("side.captain", {"seat": seat}) for seat in seats)
    return Text("side.held", {"side": (side,) if isinstance(side, Text) else side, "captains": captains})


def dice_params(event: Event, dice: tuple[int, int]) -> dict[str, Any]:
    """What a throw of two dice tells: its fields, and each die by itself."""
    return {**structs.asdict(event), "first": dice[0], "second": dice[1]}
