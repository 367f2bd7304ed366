"""Helpers of several events, for names and dice."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, structs

from rules.core.protocol import Event, Seat
from rules.core.view import Text

Weight = Literal[0, 1, 2, 3]
OrderText = Annotated[str, Meta(examples=["ram S1", "veer 15R 4; shoot S1 crew", "transfer 5 to A2"])]
"""An alternative, or one of its steps, in canonical notation."""
SIDES: Final = ("Athens", "Sparta", "Rome", "Carthage", "Patrol", "Pirates")
"""Sides of the built-in scenarios, whose names are in the catalogues as `side.<name>`."""


def name_of(player: str) -> Seat | str:
    """Return the seat that a player's name such as `p3` stands for, or the name itself in other games."""
    match = re.fullmatch("p([0-9]{1,2})", player)
    return int(match[1]) if match else player


def side_name(name: str) -> Text | str:
    return Text(f"side.{name}") if name in SIDES else name


def side_name_with_captains(name: str, seats: tuple[Seat, ...]) -> Text | str:
    side = side_name(name)
    if not seats:
        return side
    captains = tuple(Text("side.captain", {"seat": seat}) for seat in seats)
    return Text("side.held", {"side": (side,) if isinstance(side, Text) else side, "captains": captains})


def dice_params(event: Event, dice: tuple[int, int]) -> dict[str, Any]:
    return {**structs.asdict(event), "first": dice[0], "second": dice[1]}
