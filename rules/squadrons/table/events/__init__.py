"""What can happen in the fleet game (SQ 10.6, and what no case shows). Chat tells it and pictures draw it from these.

Ships are named by id, places as `1512N`, sides by letter. `rule` and `seen_by` come from the house; cases show the rule
of `stopped` and `skipped` alone.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rules.protocol import Event
from rules.squadrons.table.events.base import BARRED, Dice2, EndReason, FleetEvent, Weight, barred
from rules.squadrons.table.events.command import (
    CommandEvent,
    Confused,
    DoubleActivated,
    Is,
    LeaderLost,
    SquadronActivated,
    SquadronsFormed,
    Transferred,
)
from rules.squadrons.table.events.fighting import (
    Boarded,
    Boarder,
    CutLoose,
    Depleted,
    FightEvent,
    Fired,
    Firefight,
    Grappled,
    Ignited,
    Jettisoned,
    Raked,
    Rammed,
    ReactionRolled,
    Retracted,
    Rewarded,
    SinkRolled,
    Sunk,
    Unfouled,
)
from rules.squadrons.table.events.movement import (
    Avoided,
    Berth,
    Exited,
    Fatigued,
    Grounded,
    GroundRolled,
    MastDown,
    Missed,
    Moved,
    MovementEvent,
    Recovered,
    Restored,
    Rowed,
    Sailed,
    Skipped,
    Stopped,
)
from rules.squadrons.table.events.phases import (
    Deployed,
    End,
    FirstRolled,
    GaveUp,
    InitiativeRolled,
    InitiativeWon,
    PhaseEvent,
    Revealed,
    Scored,
    SidesDrawn,
    SpeedSet,
    TurnBegan,
    WindChanged,
    Withdrawal,
)

__all__ = [
    "BARRED",
    "Avoided",
    "BattleEvent",
    "Berth",
    "Boarded",
    "Boarder",
    "Confused",
    "CutLoose",
    "Depleted",
    "Deployed",
    "Dice2",
    "DoubleActivated",
    "End",
    "EndReason",
    "Exited",
    "Fatigued",
    "Fired",
    "Firefight",
    "FirstRolled",
    "FleetEvent",
    "GaveUp",
    "Grappled",
    "GroundRolled",
    "Grounded",
    "Ignited",
    "InitiativeRolled",
    "InitiativeWon",
    "Is",
    "Jettisoned",
    "LeaderLost",
    "MastDown",
    "Missed",
    "Moved",
    "Raked",
    "Rammed",
    "ReactionRolled",
    "Recovered",
    "Restored",
    "Retracted",
    "Revealed",
    "Rewarded",
    "Rowed",
    "Sailed",
    "Scored",
    "SidesDrawn",
    "SinkRolled",
    "Skipped",
    "SpeedSet",
    "SquadronActivated",
    "SquadronsFormed",
    "Stopped",
    "Sunk",
    "Transferred",
    "TurnBegan",
    "Unfouled",
    "Weight",
    "WindChanged",
    "Withdrawal",
    "barred",
    "tell",
]

BattleEvent = MovementEvent | CommandEvent | FightEvent | PhaseEvent
"""All of them."""

_RULED: Final = ("stopped", "skipped")
_HOUSE: Final = ("rule", "seen_by", "taken")
_UNSHOWN: Final = {(Retracted, "target")}


def tell(event: Event) -> dict[str, Any]:
    """An event as cases show it: its type and exactly the fields of 10.6."""
    told: dict[str, Any] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in msgspec.to_builtins(event).items()
    }
    ruled = told["type"] in _RULED
    rule = told["rule"]
    for key in (*_HOUSE, *(key for kind, key in _UNSHOWN if isinstance(event, kind))):
        del told[key]
    return {**told, "rule": rule} if ruled else told
