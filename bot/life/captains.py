"""Who plays in a game: everyone who is or was its captain, even if they have lent their seat.

Everything done beside the rules asks here. A player is no referee, not even as the game's host or a manager of its
server: they act for their side. Who speaks for a side is said here once, for draws, going back, pauses, more time,
going on early and ratings: captains who joined by themselves, got the seat from its captain or from a referee. Those
who were put there by another side, or by a host who doesn't play for theirs, don't. All of it holds in a battle for the
captains of the game that it is played for, whether or not they fight there.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from bot.errors import Refusal
from bot.life.playing import Playing, playing_of
from bot.store.queries import Transaction
from bot.store.records import Captaincy, SeatRow
from rules.protocol import Seat

_REFEREED: Final = frozenset(
    {"computer", "extended_alone", "kicked", "paused", "replaced", "resolved", "taken_back", "undone", "unsealed"}
)
"""Acts with which somebody who does not play decides over those who do."""


def disguised(seed: str, user_id: int) -> int:
    """Return the number that stands for a forgotten person in a running game: they can't come back on another side.

    It is negative, unlike numbers of Discord. Without the game's secret seed (hex) nobody can tell whose it is.
    """
    return -int.from_bytes(hmac.digest(bytes.fromhex(seed), str(user_id).encode(), "sha256")[:7], "big")


class Captains(Struct, frozen=True):
    """Those who hold or held the seats of a game that has begun."""

    playing: Playing
    held: list[Captaincy]
    above: Captains | None = None
    """Of a battle: those of the game that it is played for. Who is a captain there is no referee here."""
    seats_above: tuple[Seat, ...] = ()
    """Of a battle: the seat there of each seat here."""

    def plays(self, user_id: int) -> bool:
        """Whether somebody is or was a captain of the game, or of the one that it is played for."""
        return bool(self.seats_held(user_id)) or (self.above is not None and self.above.plays(user_id))

    def known_as(self, user_id: int) -> set[int]:
        """Return the numbers of somebody in the game's history: their own, and the one they have once forgotten."""
        return {user_id, disguised(self.playing.game.seed, user_id)}

    def seats_held(self, user_id: int) -> set[Seat]:
        """The seats of the game that somebody holds or held."""
        known = self.known_as(user_id)
        return {one.seat for one in self.held if one.user_id in known}

    def teams(self, user_id: int) -> set[int]:
        """The sides whose captain somebody is or was, in a battle also those of their side above."""
        seats = self.playing.seats
        return {seats[seat].team for seat in self.seats_held(user_id)} | {seat.team for seat in self._allied(user_id)}

    def _allied(self, user_id: int) -> list[SeatRow]:
        """The seats of a battle that belong to somebody's side of the game above."""
        if self.above is None:
            return []
        sides, above = self.above.teams(user_id), self.above.playing.seats
        return [
            seat for seat, own in zip(self.playing.seats, self.seats_above, strict=False) if above[own].team in sides
        ]

    def seat_for(self, user_id: int) -> SeatRow | None:
        """Return the seat for which somebody acts: the one they hold or last held, or one of their side above.

        None: they act for no side of it.
        """
        known = self.known_as(user_id)
        held = [one for one in self.held if one.user_id in known]
        last = max(held, key=lambda one: (one.to_step is None, one.id), default=None)
        return self.playing.seats[last.seat] if last else next(iter(self._allied(user_id)), None)

    def now(self, seat: SeatRow) -> Captaincy | None:
        """Return how a seat's present holder got it; None: it has been the computer's from the start."""
        return next((one for one in self.held if one.seat == seat.seat and one.to_step is None), None)

    def planted(self, one: Captaincy | None) -> bool:
        """Return whether another side put somebody in their seat, or a host who doesn't play for theirs."""
        if one is None or one.put_by is None:
            return False
        known, team = self.known_as(one.put_by), self.playing.seats[one.seat].team
        before = [other for other in self.held if other.user_id in known and other.id < one.id]
        ally = any(self.playing.seats[other.seat].team == team and not self.planted(other) for other in before)
        ally = ally or any(seat.team == team for seat in self._speaking_above(one.put_by))
        return not ally and (self.plays(one.put_by) or self.playing.game.host_id in known)

    def _speaking_above(self, user_id: int) -> list[SeatRow]:
        """The seats of a battle on the side above that somebody joined by themselves."""
        above = self.above
        if above is None:
            return []
        known = above.known_as(user_id)
        own = {
            above.playing.seats[one.seat].team for one in above.held if one.user_id in known and not above.planted(one)
        }
        seats = zip(self.playing.seats, self.seats_above, strict=False)
        return [seat for seat, there in seats if above.playing.seats[there].team in own]

    def may_speak(self, seat: SeatRow) -> bool:
        """Return whether a seat's holder may agree to something for their side."""
        return seat.user_id is not None and not seat.conceded and not self.planted(self.now(seat))

    def opposed(self, team: int) -> bool:
        """Whether people play, or have played, on any other side."""
        return any(self.playing.seats[one.seat].team != team for one in self.held if one.user_id is not None)

    def unheard(self, seats: Iterable[SeatRow]) -> set[int]:
        """Return the sides of people for which none of these seats' holders may speak."""
        sides = {self.playing.seats[one.seat].team for one in self.held if one.user_id is not None}
        return sides - {seat.team for seat in seats if self.may_speak(seat)}

    def silent(self) -> bool:
        """Return whether a side of people has nobody left who could agree to something."""
        return bool(self.unheard(seat for seat in self.playing.seats if not seat.offered))


async def captains_of(tx: Transaction, playing: Playing) -> Captains:
    """Who holds and held the seats of a game."""
    game, held = playing.game, await tx.captains.of(playing.game.id)
    if game.parent_id is None:
        return Captains(playing, held)
    row = await tx.requests.find(game.parent_id, game.parent_request or "")
    above = await captains_of(tx, await playing_of(tx, game.parent_id))
    return Captains(playing, held, above, row.body.battle.seats if row and row.body.battle else ())


async def refuse_biased(tx: Transaction, captains: Captains, user_id: int, seat: SeatRow) -> None:
    """Raise `Refusal` if somebody may not take a seat: they know the other side's secrets, or were the referee.

    A battle has the sides, and the referees, of the game that it is played for.
    """
    if captains.above and captains.seats_above:
        own = captains.seats_above[seat.seat]
        await refuse_biased(tx, captains.above, user_id, captains.above.playing.seats[own])
    if await _teams_with_battles(tx, captains, user_id) - {seat.team}:
        raise Refusal("turncoat")
    acts, known = await tx.acts.of(captains.playing.game.id), captains.known_as(user_id)
    judged = any(act.user_id in known and act.kind in _REFEREED and act.step_no >= 0 for act in acts)
    if judged and not captains.plays(user_id):
        raise Refusal("referee")


async def _teams_with_battles(tx: Transaction, captains: Captains, user_id: int) -> set[int]:
    """The sides of a game whose captain somebody is or was, be it only in a battle of it."""
    teams, seats = captains.teams(user_id), captains.playing.seats
    for battle in await tx.games.battles_of(captains.playing.game.id):
        below = await captains_of(tx, await playing_of(tx, battle.id))
        sides = await _teams_with_battles(tx, below, user_id)
        own = zip(below.playing.seats, below.seats_above, strict=False)
        teams |= {seats[there].team for seat, there in own if seat.team in sides}
    return teams


def refuse_ousting(captains: Captains, seat: SeatRow, by: int) -> None:
    """Raise `Refusal` if a player would take a seat from another captain who isn't absent.

    They could get rid of a captain who is winning. A captain is absent while the seat is offered.
    """
    present = seat.user_id is not None and not seat.offered
    if captains.plays(by) and seat.user_id != by and present:
        raise Refusal("not_absent", name=captains.playing.name(seat.user_id, ""))
