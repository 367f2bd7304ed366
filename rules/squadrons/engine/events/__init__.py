"""Events of the fleet game (SQ 10.6, and some that cases do not show). Texts and pictures are made from them.

Ships are named by id, places as `1512N`, sides by letter. `rule` and `seen_by` come from `Event`. Cases show the rule
only for `stopped` and `skipped`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rules.core.protocol import Event
from rules.squadrons.engine.events.base import RULES_WITH_REASON, EndReason, FleetEvent, TwoDice, Weight, reason_key
from rules.squadrons.engine.events.fighting import (
    BoardingShip,
    CutTried,
    FightEvent,
    FireFought,
    IgnitionRolled,
    ManpowerLost,
    PointsRewarded,
    ReactionRolled,
    RetractRolled,
    ShipBoarded,
    ShipGrappled,
    ShipRaked,
    ShipRammed,
    ShipSunk,
    ShotFired,
    SinkRolled,
    TowersJettisoned,
    UnfoulTried,
)
from rules.squadrons.engine.events.movement import (
    AttackAvoided,
    AvoidanceTried,
    CrewRecovered,
    FatigueRolled,
    LeaderRestored,
    MastLost,
    MovementEvent,
    OrderSkipped,
    RefloatRolled,
    SailsChanged,
    ShipEndPlace,
    ShipExited,
    ShipGrounded,
    ShipMoved,
    SquadronRowed,
    StepStopped,
)
from rules.squadrons.engine.events.phases import (
    CaptainConceded,
    CommandEvent,
    ControlRolled,
    DoubleActivated,
    FleetDeployed,
    FleetsRevealed,
    GameEnded,
    InitiativeRolled,
    InitiativeWon,
    LeaderLost,
    LeaderTransferred,
    OrdersConfused,
    PhaseEvent,
    ScoreCounted,
    SetUpRolled,
    SidesDrawn,
    SpeedSet,
    SquadronActivated,
    SquadronsFormed,
    TurnBegan,
    WindChanged,
    WithdrawalRolled,
)

__all__ = [
    "RULES_WITH_REASON",
    "AttackAvoided",
    "AvoidanceTried",
    "BoardingShip",
    "CaptainConceded",
    "ControlRolled",
    "CrewRecovered",
    "CutTried",
    "DoubleActivated",
    "EndReason",
    "FatigueRolled",
    "FireFought",
    "FleetDeployed",
    "FleetEvent",
    "FleetsRevealed",
    "GameEnded",
    "GameEvent",
    "IgnitionRolled",
    "InitiativeRolled",
    "InitiativeWon",
    "LeaderLost",
    "LeaderRestored",
    "LeaderTransferred",
    "ManpowerLost",
    "MastLost",
    "OrderSkipped",
    "OrdersConfused",
    "PointsRewarded",
    "ReactionRolled",
    "RefloatRolled",
    "RetractRolled",
    "SailsChanged",
    "ScoreCounted",
    "SetUpRolled",
    "ShipBoarded",
    "ShipEndPlace",
    "ShipExited",
    "ShipGrappled",
    "ShipGrounded",
    "ShipMoved",
    "ShipRaked",
    "ShipRammed",
    "ShipSunk",
    "ShotFired",
    "SidesDrawn",
    "SinkRolled",
    "SpeedSet",
    "SquadronActivated",
    "SquadronRowed",
    "SquadronsFormed",
    "StepStopped",
    "TowersJettisoned",
    "TurnBegan",
    "TwoDice",
    "UnfoulTried",
    "Weight",
    "WindChanged",
    "WithdrawalRolled",
    "event_to_json",
    "reason_key",
]

GameEvent = MovementEvent | CommandEvent | FightEvent | PhaseEvent

_EVENTS_WITH_RULE: Final = ("stopped", "skipped")
_COMMON_FIELDS: Final = ("rule", "seen_by", "taken")
_HIDDEN_FIELDS: Final = {(RetractRolled, "target")}


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as cases show it: its type and exactly the fields of 10.6."""
    fields: dict[str, Any] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in msgspec.to_builtins(event).items()
    }
    shows_rule = fields["type"] in _EVENTS_WITH_RULE
    rule = fields["rule"]
    for key in (*_COMMON_FIELDS, *(key for kind, key in _HIDDEN_FIELDS if isinstance(event, kind))):
        del fields[key]
    return {**fields, "rule": rule} if shows_rule else fields
