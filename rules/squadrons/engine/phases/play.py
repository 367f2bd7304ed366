"""State of an activation or a phase in progress: the changing position, the dice, and the events so far.

A `TurnInProgress` lasts for one step of the game. Nothing keeps it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from msgspec import Struct, structs

from rules.chance.dice import Dice, DiceSource, DiceThrower
from rules.core.finding import with_updated
from rules.squadrons.engine import events
from rules.squadrons.engine.events import BoardingShip, FleetEvent
from rules.squadrons.engine.notation.orders import AVOIDING_CREW, DOCTRINE_VALUES, Doctrines, MoveCode
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Leader, Position, Ship, id_sort_key, sort_pairs


class RecordedDice(Struct, frozen=True):
    """The dice of a game, which write down what they throw (SQ-24.5).

    If an activation is replayed, they first repeat the faces that it rolled before.
    """

    dice: Dice  # source of new dice
    dice_to_repeat: tuple[int, ...] = ()  # faces rolled before the replay and not repeated yet
    dice_thrown: tuple[int, ...] = ()  # faces so far, repeated and new

    def throw_die(self, what: str) -> tuple[int, DiceSource]:  # noqa: ARG002 - a game's dice are the same for all purposes
        if self.dice_to_repeat:
            return self.dice_to_repeat[0], RecordedDice(
                self.dice, self.dice_to_repeat[1:], (*self.dice_thrown, self.dice_to_repeat[0])
            )
        face, after = self.dice.throw_die(6)
        return face, RecordedDice(after, (), (*self.dice_thrown, face))


class DecisionNeeded(Exception):
    def __init__(self, ship: str, key: str, by: str, offered: tuple[str, ...]) -> None:
        super().__init__(f"{ship}.{key}")
        self.ship = ship  # id of the ship whose captain must answer
        self.key = key  # key of the doctrine that says `ask`
        self.by = by  # id of the enemy that causes the question
        self.offered = offered  # legal answers


MovementEnd = Literal["", "attack", "fire", "xfer"]
"""`attack`: A ram, a grapple or an anastrophe. `fire`: A split volley. `xfer`: A leader's transfer after moving."""
_MOVEMENT_ENDS: Final[tuple[MovementEnd, ...]] = ("attack", "fire", "xfer")


@dataclass(slots=True)
class ActivationInProgress:
    ship: str  # id of the galley that is activated
    began_max: bool = False  # she had speed Max when it began
    announced: int = 0  # movement points announced; `used` counts those used so far
    used: int = 0  # movement points so far
    has_moved: bool = False
    turns: int = 0  # Bow/flank entries (SQ-13.5)
    has_swung: bool = False  # a turn on the spot (`ts`, `tp`, `ws`, `wp`) was made
    has_backed: bool = False  # she has backed water
    last_move: MoveCode | Literal["X", "ana", ""] = ""  # `X`: pass-through; `ana`: anastrophe; empty: none yet
    place_before_move: HexPose | None = None  # place before the last move; None: not moved yet
    has_raked_here: bool = False  # she has raked from her present hex (SQ-14.1)
    ships_offered_avoidance: set[str] = field(default_factory=set)  # ids of enemies (SQ-10.2)
    ended_by: MovementEnd = ""  # why her movement is over; empty: she may move on
    is_gone: bool = False  # she left the map or was wrecked
    ram_tried: bool = False  # in this activation, or in reaction before
    rake_tried: bool = False
    grapple_tried: bool = False
    cut_tried: bool = False  # cutting grapples (SQ-18.1)
    has_fired: bool = False
    has_collided: bool = False  # her ram failed
    just_rammed: str = ""  # id of the ship rammed by her last step; empty: none (SQ-16.2)
    strength_loss: int = 0  # 1 after surviving a reaction ram (SQ-12.3)
    under_control: bool = True  # false after a failed roll: she keeps away from enemies (SQ-05.9)
    has_automatic_fatigue: bool = False  # an anastrophe tires her without a roll (SQ-09.5)

    @property
    def points_left(self) -> int:
        return self.announced - self.used

    @property
    def is_movement_over(self) -> bool:  # SQ-13.14
        return self.ended_by == "attack"

    def end_movement(self, by: MovementEnd) -> None:
        """Record why her movement ended. Of several causes the first in `_MOVEMENT_ENDS` counts."""
        if not self.ended_by or _MOVEMENT_ENDS.index(by) < _MOVEMENT_ENDS.index(self.ended_by):
            self.ended_by = by


class TurnInProgress(DiceThrower):
    def __init__(
        self,
        position: Position,
        dice_source: DiceSource,
        doctrines: Doctrines,
        decided: Iterable[str] = (),
        *,
        rehearsing: bool = False,
    ) -> None:
        self.position = position
        self.dice_source = dice_source
        self.doctrines = doctrines
        self.events: list[FleetEvent] = []
        self.is_rehearsing = rehearsing
        self.squadron: tuple[str, ...] = ()  # ships that are activated
        self.slowed: tuple[str, ...] = ()  # ships of the squadron that had Half Speed when its activation began
        self.runs: dict[str, ActivationInProgress] = {}  # by galley of the squadron
        self.fired_back: set[str] = set()  # ids of ships that have shot in reaction (SQ-19.5)
        self.chosen: dict[str, str] = {}  # captains' answers by ship, until they are carried out
        self._choices = list(decided)  # captains' answers to the questions to come, in order

    # --- ships ---------------------------------------------------------------------------------------------------

    def ship_now(self, name: str) -> Ship:
        return self.position.ships_by_id[name]

    def change_ship(self, name: str, **fields: Any) -> Ship:  # noqa: ANN401 - any field's value
        """Change fields of a ship. She loses Max at once if something forbids it (SQ-07.3)."""
        ship = structs.replace(self.position.ships_by_id[name], **fields)
        if ship.speed == "M" and (ship.rammed or ship.is_crippled or ship.is_slowed or ship.held or ship.aground):
            ship = structs.replace(ship, speed="C")
        return self.set_ship(ship)

    def set_ship(self, ship: Ship) -> Ship:
        self.position = self.position.with_ship(ship)
        return ship

    def add_grapple(self, a: str, b: str) -> None:  # SQ-07.3, SQ-16.7
        pair = (a, b) if id_sort_key(a) < id_sort_key(b) else (b, a)
        self.position = structs.replace(self.position, grapples=sort_pairs((*self.position.grapples, pair)))
        self.change_ship(a, speed="C")
        self.change_ship(b, speed="C")

    def add_foul(self, rammer: str, victim: str) -> None:  # SQ-13.12
        if victim not in self.position.fouled_with(rammer):
            self.position = structs.replace(self.position, fouls=sort_pairs((*self.position.fouls, (rammer, victim))))
        self.change_ship(rammer, speed="C")
        self.change_ship(victim, speed="C")

    def release(self, a: str, b: str, kind: Literal["grapple", "foul"]) -> None:
        pair_orders = ((a, b), (b, a))
        if kind == "grapple":
            remaining = tuple(pair for pair in self.position.grapples if pair not in pair_orders)
            self.position = structs.replace(self.position, grapples=remaining)
        else:
            remaining = tuple(pair for pair in self.position.fouls if pair not in pair_orders)
            self.position = structs.replace(self.position, fouls=remaining)

    def release_all(self, name: str) -> None:
        self.position = structs.replace(
            self.position,
            grapples=tuple(pair for pair in self.position.grapples if name not in pair),
            fouls=tuple(pair for pair in self.position.fouls if name not in pair),
        )

    def put_leader(self, leader: Leader) -> None:
        self.position = structs.replace(self.position, leaders=with_updated(self.position.leaders, leader))

    def drop_leader(self, name: str) -> None:
        leaders = tuple(leader for leader in self.position.leaders if leader.id != name)
        self.position = structs.replace(self.position, leaders=leaders)

    # --- dice and events -----------------------------------------------------------------------------------------

    def add_event(self, event: FleetEvent) -> None:
        if taken := [ship.id for ship in self.position.ships if ship.side != ship.builder]:
            named_ids = _named_ids(event)
            event = structs.replace(event, taken=tuple(name for name in taken if name in named_ids))
        self.events.append(event)

    def add_move_event(self, run: ActivationInProgress, step: str) -> None:
        place = str(self.ship_now(run.ship).place)
        self.add_event(events.ShipMoved(ship=run.ship, step=step, to=place, mp=run.used, rule="SQ-06.3"))

    # --- doctrines -----------------------------------------------------------------------------------------------

    def doctrine_of(self, ship: Ship, key: str) -> str:
        """Return a ship's doctrine for a key (SQ-24.3): her own, her squadron's, her side's, or the default."""
        squadron_ids = (f"{ship.side}Q{ship.squadron}",) if ship.squadron and ship.side == ship.builder else ()
        value = self.doctrines.find_value(key, ship.id, *squadron_ids, ship.side)
        if value is not None:
            return value
        return "off" if key == "avoid" and ship.crew_quality < AVOIDING_CREW else DOCTRINE_VALUES[key][0]

    def side_doctrine(self, side: str, key: str) -> str:
        return self.doctrines.find_value(key, side) or DOCTRINE_VALUES[key][0]

    def ask_captain(self, ship: str, key: str, by: str, offered: tuple[str, ...]) -> str:
        """Return the captain's answer. Raises `DecisionNeeded` if they have not answered yet (SQ-24.3)."""
        if not self._choices:
            raise DecisionNeeded(ship, key, by, offered)
        return self._choices.pop(0)


def _named_ids(event: FleetEvent) -> set[str]:
    values = [getattr(event, name) for name in event.__struct_fields__]
    items = [item for value in values if isinstance(value, tuple) for item in value]
    return {value for value in (*values, *items) if isinstance(value, str)} | {
        item.ship for item in items if isinstance(item, BoardingShip)
    }
