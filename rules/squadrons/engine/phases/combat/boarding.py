"""Boarding: legality, manpower, and resolution (SQ-17)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import BoardingOrder
from rules.squadrons.engine.odds import BarReason, RollOdds, compare, non_zero
from rules.squadrons.engine.phases.combat import sinking
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Position, id_sort_key
from rules.squadrons.engine.tables import board_need

COSTLY_CAPTURE_TOTAL = 9  # lowest adjusted total at which a capture costs each attacker a Depletion (SQ-17.10)
COSTLY_REPULSE_TOTAL = 5  # highest adjusted total at which a repulse also costs the defender a Depletion (SQ-17.10)
MAX_GOOD_NEED = 8  # highest need at which captains board by doctrine `good` (SQ-24.3)

ManpowerByShip = dict[str, int]


class BoardingSegment:
    """The Boarding Segment of an activation: which galleys boarded, with what manpower (SQ-17.1 to SQ-17.4)."""

    def __init__(self, position: Position, squadron: Iterable[str]) -> None:
        ships = sorted((position.ship_by_id(name) for name in squadron), key=lambda ship: id_sort_key(ship.id))
        self.full = {ship.id: ship.manpower for ship in ships if ship.is_afloat}  # manpower at the start
        self.assigned = dict.fromkeys(self.full, 0)  # manpower that has boarded, by ship
        self.boarded: set[str] = set()  # ids of the targets
        # a prize that has broken up no longer says whose she was
        self.side = next((ship.side for ship in ships if ship.is_afloat), None)

    def unassigned_manpower(self, position: Position, name: str) -> int:
        return min(self.full[name] - self.assigned[name], position.ship_by_id(name).manpower)

    def why_barred(self, position: Position, order: BoardingOrder) -> BarReason | None:  # noqa: PLR0911 - a table of checks
        # An own ship is a target too once it is boarded, because it may be boarded only once.
        target = position.ships_by_id.get(order.target)
        is_boarded = order.target in self.boarded
        if target is None or not target.is_afloat or (target.side == self.side and not is_boarded):
            return BarReason("SQ-17.1", "no_enemy", order.target)
        grappled = position.grappled_to(order.target)
        for share in order.shares:
            if share.ship not in self.full:
                return BarReason("SQ-17.1", "not_of_this_squadron", share.ship)
            if not position.ship_by_id(share.ship).manpower:
                return BarReason("SQ-17.1", "nobody_to_board", share.ship)
            if share.ship not in grappled:
                return BarReason("SQ-17.1", "not_grappled", share.ship)
        if is_boarded:
            return BarReason("SQ-17.4", "boarded_already", order.target)
        for share in order.shares:
            used = self.assigned[share.ship]
            manpower_left = self.full[share.ship] - used
            wants_all = share.m is None  # only allowed while none of her manpower has boarded
            min_manpower = 1 if share.m is None else share.m
            if (wants_all and used) or not 1 <= min_manpower <= manpower_left:
                return BarReason("SQ-17.3", "too_little_manpower", share.ship)
        if not boarding_odds(position, self.shares_of(position, order), order.target).min_total:
            return BarReason("SQ-17.5", "boarding_hopeless")
        return None

    def shares_of(self, position: Position, order: BoardingOrder) -> ManpowerByShip:  # SQ-17.2
        ordered = {share.ship: self.full[share.ship] if share.m is None else share.m for share in order.shares}
        return {name: min(m, position.ship_by_id(name).manpower) for name, m in ordered.items()}

    def next_by_doctrine(self, position: Position, doctrine: str) -> tuple[str, ManpowerByShip] | None:
        """Return the next boarding that the doctrine wants: the target, and the manpower of each galley.

        `always` boards whenever it is possible, any other doctrine only with good odds. None: no boarding.
        """
        for target in position.ships:
            if not target.is_afloat or target.side == self.side or target.id in self.boarded:
                continue
            grappled = position.grappled_to(target.id)
            boarders = [name for name in self.full if name in grappled]
            manpower = {name: self.unassigned_manpower(position, name) for name in boarders}
            shares = {name: m for name, m in manpower.items() if m > 0}
            need = boarding_odds(position, shares, target.id).min_total if shares else 0
            if need and (doctrine == "always" or need <= MAX_GOOD_NEED):
                return target.id, shares
        return None


def boarding_odds(position: Position, shares: ManpowerByShip, name: str) -> RollOdds:  # SQ-17.5, SQ-17.6
    target = position.ship_by_id(name)
    have_towers = any(position.ship_by_id(ship).has_towers for ship in shares)
    need = board_need(sum(shares.values()), target.manpower)
    return RollOdds(need, 2, non_zero(("height", compare(have_towers, target.has_towers))))


def carry_out_boardings(play: TurnInProgress, squadron: Sequence[str], boards: Sequence[BoardingOrder]) -> None:
    """Carry out the Boarding Segment: first the orders, then the side's doctrine."""
    segment = BoardingSegment(play.position, squadron)
    for order in boards:
        if barred := segment.why_barred(play.position, order):
            play.add_event(events.OrderSkipped(target=order.target, rule=barred.rule))
        else:
            carry_out_boarding(play, segment, order.target, segment.shares_of(play.position, order))
    doctrine = play.side_doctrine(segment.side, "board") if segment.side else "never"
    while doctrine != "never" and (next_boarding := segment.next_by_doctrine(play.position, doctrine)):
        carry_out_boarding(play, segment, *next_boarding)


def carry_out_boarding(play: TurnInProgress, segment: BoardingSegment, name: str, shares: ManpowerByShip) -> None:
    # SQ-17.5, SQ-17.6, SQ-17.8, SQ-17.9, SQ-17.10. `shares`: the manpower with which each galley boards
    segment.boarded.add(name)
    for ship, m in shares.items():
        segment.assigned[ship] += m
    chances = boarding_odds(play.position, shares, name)
    dice = play.throw_two_dice("board")
    adjusted = chances.adjust(sum(dice))
    captured = chances.is_success(adjusted)
    play.add_event(
        events.ShipBoarded(
            target=name,
            by=tuple(events.BoardingShip(ship=ship, m=m) for ship, m in shares.items()),
            m=sum(shares.values()),
            need=chances.min_total,
            drm=chances.total_modifier,
            modifiers=chances.modifiers,
            dice=dice,
            adjusted=adjusted,
            result="captured" if captured else "repulsed",
            rule="SQ-17.7",
        )
    )
    if captured:
        capture_ship(play, name)
    else:
        play.change_ship(name, repulsed=True)
    if not captured or adjusted >= COSTLY_CAPTURE_TOTAL:
        for ship in shares:
            sinking.remove_manpower(play, ship)
    if not captured and adjusted <= COSTLY_REPULSE_TOTAL:
        sinking.remove_manpower(play, name)


def capture_ship(play: TurnInProgress, name: str) -> None:
    """Change the side of a captured ship; her leader is lost (SQ-05.18, SQ-17.8, SQ-17.9, SQ-21.3)."""
    ship_before = play.ship_now(name)
    leader = play.position.leader_aboard(name)
    held = "CAP" if ship_before.side == ship_before.builder else "REC"
    play.change_ship(name, held=held, squadron=0, repulsed=False, done=True)
    if leader is not None:
        sinking.lose_leader(play, leader, ship_before)
