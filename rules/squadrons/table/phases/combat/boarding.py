"""Boarding: which ships may board which, with how much, and how it is carried out (SQ-17)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.squadrons.table import events
from rules.squadrons.table.notation.orders import BoardingOrder
from rules.squadrons.table.odds import BarReason, RollOdds, compare, non_zero
from rules.squadrons.table.phases.combat import damage, sinking
from rules.squadrons.table.phases.play import TurnInProgress
from rules.squadrons.table.sea.state import Position, id_sort_key
from rules.squadrons.table.tables import board_need

COSTLY_CAPTURE_TOTAL = 9
"""The least adjusted total with which a capture costs each attacker a Depletion (SQ-17.10)."""
COSTLY_REPULSE_TOTAL = 5
"""The highest adjusted total with which a repulse costs the defender one, too (SQ-17.10)."""
MAX_GOOD_NEED = 8
"""The highest need with which captains board unasked (9.4)."""

ManpowerByShip = dict[str, int]
"""Manpower by galley, in the order in which they were named."""


class BoardingSegment:
    """The Boarding Segment of an activation: which galleys have boarded, and with how much (SQ-17.1 to SQ-17.4)."""

    def __init__(self, position: Position, squadron: Iterable[str]) -> None:
        ships = sorted((position.ship(name) for name in squadron), key=lambda ship: id_sort_key(ship.id))
        self.full = {ship.id: ship.m for ship in ships if ship.afloat}
        """The Manpower of each galley at the start, by id."""
        self.assigned = dict.fromkeys(self.full, 0)
        self.boarded: set[str] = set()
        self.side = ships[0].side if ships else None

    def rest(self, position: Position, name: str) -> int:
        """The Manpower that a galley has not assigned yet, cut to what she has now."""
        return min(self.full[name] - self.assigned[name], position.ship(name).m)

    def barred(self, position: Position, order: BoardingOrder) -> BarReason | None:  # noqa: PLR0911 - a table of checks
        """Why an order may not be carried out now; None: it may (10.3)."""
        target, boarded = position.by_id.get(order.target), order.target in self.boarded
        if target is None or not target.afloat or (target.side == self.side and not boarded):
            return BarReason("SQ-17.1", "no_enemy", order.target)
        grappled = position.grappled_to(order.target)
        for share in order.shares:
            if share.ship not in self.full:
                return BarReason("SQ-17.1", "not_of_this_squadron", share.ship)
            if not position.ship(share.ship).m:
                return BarReason("SQ-17.1", "nobody_to_board", share.ship)
            if share.ship not in grappled:
                return BarReason("SQ-17.1", "not_grappled", share.ship)
        if boarded:
            return BarReason("SQ-17.4", "boarded_already", order.target)
        for share in order.shares:
            used = self.assigned[share.ship]
            if not 1 <= (1 if share.m is None and not used else share.m or 0) <= self.full[share.ship] - used:
                return BarReason("SQ-17.3", "too_little_manpower", share.ship)
        if not boarding_odds(position, self.shares(position, order), order.target).need:
            return BarReason("SQ-17.5", "boarding_hopeless")
        return None

    def shares(self, position: Position, order: BoardingOrder) -> ManpowerByShip:
        """The Manpower of each galley of a legal order (10.3; SQ-17.2)."""
        wanted = {share.ship: self.full[share.ship] if share.m is None else share.m for share in order.shares}
        return {name: min(m, position.ship(name).m) for name, m in wanted.items()}

    def unasked(self, position: Position, word: str) -> tuple[str, ManpowerByShip] | None:
        """The next boarding by doctrine: the target, and the Manpower of each galley; None: there is none (10.3)."""
        for target in position.ships:
            if not target.afloat or target.side == self.side or target.id in self.boarded:
                continue
            grappled = position.grappled_to(target.id)
            shares = {name: rest for name in self.full if name in grappled and (rest := self.rest(position, name)) > 0}
            need = boarding_odds(position, shares, target.id).need if shares else 0
            if need and (word == "always" or need <= MAX_GOOD_NEED):
                return target.id, shares
        return None


def boarding_odds(position: Position, shares: ManpowerByShip, name: str) -> RollOdds:
    """The odds of a boarding, as things stand (SQ-17.5, SQ-17.6)."""
    target = position.ship(name)
    towers = any(position.ship(one).towers for one in shares)
    return RollOdds(board_need(sum(shares.values()), target.m), 2, non_zero(("height", compare(towers, target.towers))))


def carry_out_boardings(play: TurnInProgress, squadron: Sequence[str], boards: Sequence[BoardingOrder]) -> None:
    """Carry out the Boarding Segment: what is ordered, then the doctrine of the side (10.3)."""
    now = BoardingSegment(play.position, squadron)
    for order in boards:
        if wrong := now.barred(play.position, order):
            play.say(events.OrderSkipped(target=order.target, rule=wrong.rule))
        else:
            carry_out_boarding(play, now, order.target, now.shares(play.position, order))
    word = play.of_side(now.side, "board") if now.side else "never"
    while word != "never" and (found := now.unasked(play.position, word)):
        carry_out_boarding(play, now, *found)


def carry_out_boarding(play: TurnInProgress, now: BoardingSegment, name: str, shares: ManpowerByShip) -> None:
    """Carry out a legal boarding (SQ-17.5, SQ-17.6, SQ-17.7, SQ-17.8, SQ-17.9, SQ-17.10)."""
    now.boarded.add(name)
    for one, m in shares.items():
        now.assigned[one] += m
    chances = boarding_odds(play.position, shares, name)
    dice = play.two("board")
    adjusted = chances.adjusted(sum(dice))
    captured = chances.succeeds(adjusted)
    play.say(
        events.ShipBoarded(
            target=name,
            by=tuple(events.BoardingShip(ship=one, m=m) for one, m in shares.items()),
            m=sum(shares.values()),
            need=chances.need,
            drm=chances.drm,
            dice=dice,
            adjusted=adjusted,
            result="captured" if captured else "repulsed",
            rule="SQ-17.7",
        )
    )
    if captured:
        capture_ship(play, name)
    else:
        play.change(name, repulsed=True)
    for one in shares if adjusted >= COSTLY_CAPTURE_TOTAL or not captured else ():
        damage.remove_manpower(play, one)
    if not captured and adjusted <= COSTLY_REPULSE_TOTAL:
        damage.remove_manpower(play, name)


def capture_ship(play: TurnInProgress, name: str) -> None:
    """A ship changes hands; her leader is lost (SQ-05.18, SQ-17.8, SQ-17.9, SQ-21.3)."""
    before = play.ship(name)
    leader = play.position.aboard(name)
    play.change(
        name,
        held="CAP" if before.side == before.builder else "REC",
        squadron=0,
        repulsed=False,
        done=True,
    )
    if leader is not None:
        sinking.lose_leader(play, leader, before)
