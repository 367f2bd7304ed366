"""Leaders and their squadrons: ships in range, lines astern, transfers of leaders, and each ship's captain (SQ-05)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from msgspec import structs

from rules.core.errors import IllegalOrder
from rules.core.protocol import Seat
from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SquadronForm
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Captain, Leader, Position, Ship, Squadron, State, id_sort_key
from rules.squadrons.engine.tables import TABLES


def captains_of_side(state: State, side: str) -> tuple[Captain, ...]:
    return tuple(captain for captain in state.captains if captain.side == side and captain.seat not in state.conceded)


def owner_by_ship(state: State) -> Mapping[str, Seat]:
    owners: dict[str, Seat] = {}
    for side in ("B", "R"):
        captains = captains_of_side(state, side) or tuple(captain for captain in state.captains if captain.side == side)
        if captains:
            owners.update(_owner_by_ship(state, side, captains))
    return owners


def _owner_by_ship(state: State, side: str, captains: Sequence[Captain]) -> Mapping[str, Seat]:
    """Return who orders each ship of a side: the captain of her squadron's leader, else the first captain."""
    first = captains[0].seat
    owners = dict.fromkeys((ship.id for ship in state.position.ships_of(side)), first)
    if len(captains) == 1:
        return owners
    seat_by_leader = {leader: captain.seat for captain in captains for leader in captain.leaders}
    # squadrons keep their captains for the whole turn
    formed = tuple(squadron for squadron in state.squadrons if squadron.side == side)
    for squadron in formed or form_squadrons(state.position, side, ()):
        seat = seat_by_leader.get(squadron.leader, first)
        owners.update({name: seat for name in squadron.ships if name in owners})
    return owners


def ships_of(state: State, seat: Seat) -> tuple[str, ...]:
    owners = owner_by_ship(state)
    return tuple(ship.id for ship in state.position.ships if owners.get(ship.id) == seat)


def seat_of(state: State, ship: str) -> Seat:
    """Return the captain of a ship; for a lost ship, the first captain of her side."""
    owners = owner_by_ship(state)
    if ship in owners:
        return owners[ship]
    side = state.position.ship_by_id(ship).side
    return next(captain.seat for captain in state.captains if captain.side == side)


def with_leaders(position: Position, captains: Iterable[Captain]) -> tuple[Captain, ...]:
    """Return the captains with one leader each.

    The first captain of a side gets none assigned, as it has all others.
    """
    assigned: list[Captain] = []
    for captain in captains:
        number_on_side = sum(other.side == captain.side for other in assigned)
        names = [leader.id for leader in position.leaders if leader.side == captain.side]
        own_leaders = tuple(names[number_on_side : number_on_side + 1]) if number_on_side else ()
        assigned.append(structs.replace(captain, leaders=own_leaders))
    return tuple(assigned)


def distances_by_ship(position: Position, ship: Ship, side: str, max_hexes: int | None = None) -> dict[str, int]:
    """Return the distances from a ship to a side's ships by paths free of enemies (SQ-05.2)."""
    seen = set(ship.hexes)
    frontier = list(seen)
    distances: dict[str, int] = {}  # by ship
    steps = 0
    while frontier and (max_hexes is None or steps < max_hexes):
        steps += 1
        next_frontier: list[Hex] = []
        for here in frontier:
            for there in grid.neighbours(here):
                if there in seen:
                    continue
                seen.add(there)
                other = position.ships_by_hex.get(there)
                if other is None:
                    if position.is_on_map(there):
                        next_frontier.append(there)
                elif other.side == side:
                    distances.setdefault(other.id, steps)
                    next_frontier.append(there)
        frontier = next_frontier
    return distances


# --- squadrons ---------------------------------------------------------------------------------------------------


def form_squadrons(position: Position, side: str, forms: Sequence[SquadronForm] = ()) -> tuple[Squadron, ...]:
    """Return the squadrons of a side: those of leaders by their ids, then single ships (SQ-05.8, SQ-05.6, SQ-05.7).

    `forms` are the captains' requests. A form without a leader names ships that should be in no squadron. Raises
    `IllegalOrder` for an impossible request.
    """
    return _SquadronFormer(position, side, forms).form_all()


class _PossibleLeader(NamedTuple):
    """A leader that a ship may join. The least is her default: the nearest, and of these an Admiral before others."""

    distance: int  # hexes
    is_commander: bool  # no Admiral
    id_key: tuple[str, int]  # sorts by id
    id: str


class _SquadronFormer:
    def __init__(self, position: Position, side: str, forms: Sequence[SquadronForm]) -> None:
        self.position = position
        self.side = side
        self.leaders = tuple(
            leader for leader in position.leaders if leader.side == side and position.ship_by_id(leader.ship).is_afloat
        )
        self.forms = {form.leader: form for form in forms if form.leader}
        self.alone = [name for form in forms if not form.leader for name in form.ships]  # ships for no squadron
        leader_ids = {leader.id for leader in self.leaders}
        if unknown := [name for name in self.forms if name not in leader_ids]:
            raise IllegalOrder("no_leader", "SQ-05.1", piece=unknown[0])

    @cached_property
    def own_ships(self) -> dict[str, Ship]:
        return {ship.id: ship for ship in self.position.ships_of(self.side)}

    def form_all(self) -> tuple[Squadron, ...]:
        lines = {leader.id: self._astern_line(leader) for leader in self.leaders if self._is_astern(leader)}
        ships_in_lines = [name for line in lines.values() for name in line]
        if repeated := [name for name in ships_in_lines if ships_in_lines.count(name) > 1]:
            raise IllegalOrder("in_two_squadrons", "SQ-05.3", piece=repeated[0])
        members = self._ships_in_range(set(ships_in_lines))
        squadrons = []
        for number, leader in enumerate(self.leaders, 1):
            ships = lines.get(leader.id) or members[leader.id]
            form = "astern" if leader.id in lines else "range"
            squadrons.append(_make_squadron(self.side, number, ships, leader, form))
        commanded = {name for squadron in squadrons for name in squadron.ships}
        single_ships = [name for name in self.own_ships if name not in commanded]
        return (*squadrons, *(_make_squadron(self.side, 0, (name,)) for name in single_ships))

    def _is_astern(self, leader: Leader) -> bool:
        return leader.id in self.forms and self.forms[leader.id].form == "astern"

    def _astern_line(self, leader: Leader) -> tuple[str, ...]:
        line = self.forms[leader.id].ships
        if barred := why_astern_barred(self.position, self.side, leader, line):
            raise IllegalOrder(barred.code, barred.rule, piece=barred.expected or leader.id, leader=leader.id)
        for other in self.leaders:
            if other.ship in line and other.id != leader.id:
                raise IllegalOrder("in_two_squadrons", "SQ-05.3", piece=other.ship)
        return line

    def _ships_in_range(self, ships_in_lines: set[str]) -> dict[str, tuple[str, ...]]:  # SQ-05.5
        """Return the ships of each leader that is not in line astern: those that ask for it, or have it nearest."""
        leaders_in_range = [leader for leader in self.leaders if not self._is_astern(leader)]
        members: dict[str, list[str]] = {leader.id: [leader.ship] for leader in leaders_in_range}
        possible_leaders: dict[str, list[_PossibleLeader]] = {}  # by ship
        for leader in leaders_in_range:
            for name, distance in self._distances_to(leader).items():
                entry = _PossibleLeader(distance, not leader.is_admiral, id_sort_key(leader.id), leader.id)
                possible_leaders.setdefault(name, []).append(entry)
        flagships = {leader.ship for leader in self.leaders}
        requests = self._leaders_asked_for(leaders_in_range, possible_leaders, ships_in_lines)
        for name in self.own_ships:
            if name in flagships or name in ships_in_lines or name not in possible_leaders:
                continue
            default_leader = min(possible_leaders[name]).id
            if name in self.alone:
                raise IllegalOrder("must_join", "SQ-05.4", piece=name, leader=default_leader)
            members[requests.get(name) or default_leader].append(name)
        return {leader: tuple(sorted(names, key=id_sort_key)) for leader, names in members.items()}

    def _distances_to(self, leader: Leader) -> dict[str, int]:
        """Return the distances of the ships that a leader can command.

        In a fleet beyond its edge, all ships count (SQ-23.5).
        """
        position = self.position
        ship = position.ship_by_id(leader.ship)
        if not position.is_outside(ship):
            return distances_by_ship(position, ship, self.side, leader.rating.range)
        outside = (other for other in self.own_ships.values() if position.is_outside(other) and other.id != ship.id)
        return {other.id: grid.hex_distance(ship.hexes, other.hexes) for other in outside}

    def _leaders_asked_for(
        self,
        leaders: list[Leader],
        possible_leaders: dict[str, list[_PossibleLeader]],
        ships_in_lines: set[str],
    ) -> dict[str, str]:
        """Return the leader that each ship asks for by the forms. Raises `IllegalOrder` if she may not join it."""
        requests: dict[str, str] = {}
        for leader in leaders:
            form = self.forms.get(leader.id)
            for name in form.ships if form else ():
                if name == leader.ship:
                    continue
                if leader.id not in {possible.id for possible in possible_leaders.get(name, ())}:
                    raise IllegalOrder("not_in_range", "SQ-05.1", piece=name, leader=leader.id)
                if name in requests or name in ships_in_lines:
                    raise IllegalOrder("in_two_squadrons", "SQ-05.5", piece=name)
                requests[name] = leader.id
        return requests


def _make_squadron(
    side: str, number: int, ships: tuple[str, ...], leader: Leader | None = None, form: str = "range"
) -> Squadron:
    return Squadron(
        side="B" if side == "B" else "R",
        number=number,
        ships=ships,
        leader=leader.id if leader else "",
        form="astern" if form == "astern" else "range",
        flagship=leader.ship if leader else ships[0],
    )


def why_astern_barred(position: Position, side: str, leader: Leader, line: tuple[str, ...]) -> BarReason | None:
    if len(set(line)) < len(line) or leader.ship not in line[:2]:
        return BarReason("SQ-05.3", "leader_not_ahead", leader.ship)
    for name in line:
        ship = position.ships_by_id.get(name)
        if ship is None or not ship.is_afloat or ship.side != side:
            return BarReason("SQ-05.3", "not_his_ship", name)
    for name, after in pairwise(line):
        if not is_behind(position.ship_by_id(name), position.ship_by_id(after)):
            return BarReason("SQ-05.3", "breaks_the_line", after)
    return None


def is_behind(ship: Ship, after: Ship) -> bool:  # SQ-05.3
    if after.bow == ship.adjacent_hexes.stern:
        return after.place.hex_ahead in ship.hexes
    return after.bow in ship.adjacent_hexes.stern_flanks


def with_squadron_numbers(position: Position, formed: Iterable[Squadron]) -> Position:
    numbers = {name: squadron.number for squadron in formed for name in squadron.ships}
    ships = tuple(
        ship if ship.squadron == numbers.get(ship.id, 0) else structs.replace(ship, squadron=numbers.get(ship.id, 0))
        for ship in position.ships
    )
    return structs.replace(position, ships=ships)


# --- transfers ---------------------------------------------------------------------------------------------------


def transfer_targets(position: Position, leader: Leader) -> tuple[str, ...]:  # SQ-05.15
    ship = position.ships_by_id.get(leader.ship)
    if ship is None or not ship.is_afloat:
        return ()
    distances = {
        name: distance
        for name, distance in distances_by_ship(position, ship, leader.side).items()
        if name != ship.id and not position.linked_to(name) and position.leader_aboard(name) is None
    }
    nearest = min(distances.values(), default=0)
    return tuple(sorted((name for name, distance in distances.items() if distance == nearest), key=id_sort_key))


def why_transfer_barred(position: Position, ship: str, name: str, to: str) -> BarReason | None:
    leader = position.find_leader(name)
    if leader is None or leader.ship != ship:
        return BarReason("SQ-05.15", "leader_not_aboard", name)
    if leader.tried:
        return BarReason("SQ-05.15", "transfer_tried", name)
    nearest = transfer_targets(position, leader)
    return None if to in nearest else BarReason("SQ-05.15", "not_nearest", ", ".join(nearest))


def try_transfer(play: TurnInProgress, name: str, to: str) -> bool:
    """Roll for a leader's transfer and return whether it succeeds (SQ-05.16). A rehearsal assumes that it fails."""
    leader = play.position.find_leader(name)
    if leader is None:
        raise KeyError(name)
    if play.is_rehearsing:
        play.put_leader(structs.replace(leader, tried=True))
        return False
    die = play.throw_die("transfer")
    ok = die >= TABLES.need.transfer
    play.add_event(events.LeaderTransferred(leader=name, of=leader.ship, to=to, die=die, ok=ok, rule="SQ-05.16"))
    if ok:
        reduced = leader.reduced or "temp"
        play.put_leader(structs.replace(leader, tried=True, ship=to, reduced=reduced))
        play.change_ship(to, speed="C")
    else:
        play.put_leader(structs.replace(leader, tried=True))
    return ok


def initiative_bonus(position: Position, side: str) -> int:  # SQ-03.2
    return max((leader.rating.initiative for leader in position.admirals(side)), default=0)
