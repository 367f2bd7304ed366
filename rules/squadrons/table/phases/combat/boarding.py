"""Boarding: which ships may board which, with how much, and how it is carried out (SQ-17)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.squadrons.table import events
from rules.squadrons.table.notation.orders import Board
from rules.squadrons.table.odds import Barred, Odds, compared, parts
from rules.squadrons.table.phases.combat import damage, sinking
from rules.squadrons.table.phases.play import Play
from rules.squadrons.table.sea.state import Position, order_of
from rules.squadrons.table.tables import board_need

COSTLY = 9
"""The least adjusted total with which a capture costs each attacker a Depletion (SQ-17.10)."""
CHEAP = 5
"""The highest adjusted total with which a repulse costs the defender one, too (SQ-17.10)."""
GOOD = 8
"""The highest need with which captains board unasked (9.4)."""

Shares = dict[str, int]
"""Manpower by galley, in the order in which they were named."""


class Segment:
    """The Boarding Segment of an activation: which galleys have boarded, and with how much (SQ-17.1 to SQ-17.4)."""

    def __init__(self, position: Position, squadron: Iterable[str]) -> None:
        ships = sorted((position.ship(name) for name in squadron), key=lambda ship: order_of(ship.id))
        self.full = {ship.id: ship.m for ship in ships if ship.afloat}
        """The Manpower of each galley at the start, by id."""
        self.assigned = dict.fromkeys(self.full, 0)
        self.boarded: set[str] = set()
        self.side = ships[0].side if ships else None

    def rest(self, position: Position, name: str) -> int:
        """The Manpower that a galley has not assigned yet, cut to what she has now."""
        return min(self.full[name] - self.assigned[name], position.ship(name).m)

    def barred(self, position: Position, order: Board) -> Barred | None:  # noqa: PLR0911 - a table of checks
        """Why an order may not be carried out now; None: it may (10.3)."""
        target, boarded = position.by_id.get(order.target), order.target in self.boarded
        if target is None or not target.afloat or (target.side == self.side and not boarded):
            return Barred("SQ-17.1", "no_enemy", order.target)
        grappled = position.grappled_to(order.target)
        for share in order.shares:
            if share.ship not in self.full:
                return Barred("SQ-17.1", "not_of_this_squadron", share.ship)
            if not position.ship(share.ship).m:
                return Barred("SQ-17.1", "nobody_to_board", share.ship)
            if share.ship not in grappled:
                return Barred("SQ-17.1", "not_grappled", share.ship)
        if boarded:
            return Barred("SQ-17.4", "boarded_already", order.target)
        for share in order.shares:
            used = self.assigned[share.ship]
            if not 1 <= (1 if share.m is None and not used else share.m or 0) <= self.full[share.ship] - used:
                return Barred("SQ-17.3", "too_little_manpower", share.ship)
        if not odds(position, self.shares(position, order), order.target).need:
            return Barred("SQ-17.5", "boarding_hopeless")
        return None

    def shares(self, position: Position, order: Board) -> Shares:
        """The Manpower of each galley of a legal order (10.3; SQ-17.2)."""
        wanted = {share.ship: self.full[share.ship] if share.m is None else share.m for share in order.shares}
        return {name: min(m, position.ship(name).m) for name, m in wanted.items()}

    def unasked(self, position: Position, word: str) -> tuple[str, Shares] | None:
        """The next boarding by doctrine: the target, and the Manpower of each galley; None: there is none (10.3)."""
        for target in position.ships:
            if not target.afloat or target.side == self.side or target.id in self.boarded:
                continue
            grappled = position.grappled_to(target.id)
            shares = {name: rest for name in self.full if name in grappled and (rest := self.rest(position, name)) > 0}
            need = odds(position, shares, target.id).need if shares else 0
            if need and (word == "always" or need <= GOOD):
                return target.id, shares
        return None


def odds(position: Position, shares: Shares, name: str) -> Odds:
    """The odds of a boarding, as things stand (SQ-17.5, SQ-17.6)."""
    target = position.ship(name)
    towers = any(position.ship(one).towers for one in shares)
    return Odds(board_need(sum(shares.values()), target.m), 2, parts(("height", compared(towers, target.towers))))


def segment(play: Play, squadron: Sequence[str], boards: Sequence[Board]) -> None:
    """Carry out the Boarding Segment: what is ordered, then the doctrine of the side (10.3)."""
    now = Segment(play.position, squadron)
    for order in boards:
        if wrong := now.barred(play.position, order):
            play.say(events.Skipped(target=order.target, rule=wrong.rule))
        else:
            board(play, now, order.target, now.shares(play.position, order))
    word = play.of_side(now.side, "board") if now.side else "never"
    while word != "never" and (found := now.unasked(play.position, word)):
        board(play, now, *found)


def board(play: Play, now: Segment, name: str, shares: Shares) -> None:
    """Carry out a legal boarding (SQ-17.5, SQ-17.6, SQ-17.7, SQ-17.8, SQ-17.9, SQ-17.10)."""
    now.boarded.add(name)
    for one, m in shares.items():
        now.assigned[one] += m
    chances = odds(play.position, shares, name)
    dice = play.two("board")
    adjusted = chances.adjusted(sum(dice))
    captured = chances.succeeds(adjusted)
    play.say(
        events.Boarded(
            target=name,
            by=tuple(events.Boarder(ship=one, m=m) for one, m in shares.items()),
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
        capture(play, name)
    else:
        play.change(name, repulsed=True)
    for one in shares if adjusted >= COSTLY or not captured else ():
        damage.deplete(play, one)
    if not captured and adjusted <= CHEAP:
        damage.deplete(play, name)


def capture(play: Play, name: str) -> None:
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
