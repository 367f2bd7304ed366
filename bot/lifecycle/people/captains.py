"""Who plays in a game: everyone who is or was its captain, even if they have lent their seat.

Everything done beside the rules asks here. A player is no referee, not even as the game's host or a manager of its
server: they act for their side. Who speaks for a side is said here once, for draws, going back, pauses, more time,
going on early and ratings: captains who joined by themselves, got the seat from its captain or from a referee. Those
who were put there by another side, or by a host who doesn't play for theirs, don't. A game and its battles have the
same captains in this: who plays in one of them is a player of all, and acts for the same side.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from math import inf
from typing import Final

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import Captaincy, Game, SeatRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat

_NEUTRAL_ACTS: Final = frozenset({"reposted", "undo_asked"})
"""Acts of somebody who does not play after which they are still no referee: whatever else they do decides something."""


def pseudonym(seed: str, user_id: int) -> int:
    """Return the number that stands for a forgotten person in a running game: they can't come back on another side.

    It is negative, unlike numbers of Discord. Without the game's secret seed (hex) nobody can tell whose it is.
    """
    return -int.from_bytes(hmac.digest(bytes.fromhex(seed), str(user_id).encode(), "sha256")[:7], "big")


class Captains(Struct, frozen=True):
    """Those who hold or held the seats of a game that has begun, with those of its battles or of the game above."""

    seated_game: SeatedGame
    captaincies: list[Captaincy]
    linked_games: tuple[LinkedGame, ...] = ()
    """The game that this one is a battle of, then its own battles, and whatever lies beyond them."""

    def is_captain(self, user_id: int) -> bool:
        """Whether somebody is or was a captain of the game, of one that it is played for, or of a battle."""
        return bool(self.seats_of_user(user_id)) or any(one.captains.is_captain(user_id) for one in self.linked_games)

    def known_user_ids(self, user_id: int) -> set[int]:
        """Return the numbers of somebody in the game's history: their own, and the one they have once forgotten."""
        return {user_id, pseudonym(self.seated_game.game.seed, user_id)}

    def seats_of_user(self, user_id: int) -> set[Seat]:
        """The seats of the game that somebody holds or held."""
        known = self.known_user_ids(user_id)
        return {one.seat for one in self.captaincies if one.user_id in known}

    def teams_of(self, user_id: int) -> set[int]:
        """The sides whose captain somebody is or was, be it in another game of these."""
        allied = [seat for one in self.linked_games for seat in self._linked_seats(one, one.captains.teams_of(user_id))]
        return {
            seat.team for seat in [*(self.seated_game.seats[seat] for seat in self.seats_of_user(user_id)), *allied]
        }

    def _linked_seats(self, beside: LinkedGame, teams: Collection[int]) -> list[SeatRow]:
        """The seats here that belong to these sides there."""
        there, here = beside.captains.seated_game.seats, self.seated_game.seats
        return [here[own] for theirs, own in beside.seat_pairs if there[theirs].team in teams]

    def seat_for(self, user_id: int) -> SeatRow | None:
        """Return the seat for which somebody acts: the one they hold or last held, or one of their side.

        None: they act for no side of it.
        """
        known = self.known_user_ids(user_id)
        held = [one for one in self.captaincies if one.user_id in known]
        if last := max(held, key=lambda one: (one.to_step is None, one.id), default=None):
            return self.seated_game.seats[last.seat]
        allied = (self._linked_seats(one, one.captains.teams_of(user_id)) for one in self.linked_games)
        return next(chain.from_iterable(allied), None)

    def current_captaincy(self, seat: SeatRow) -> Captaincy | None:
        """Return how a seat's present holder got it; None: it has been the computer's from the start."""
        return next((one for one in self.captaincies if one.seat == seat.seat and one.to_step is None), None)

    def is_planted(self, one: Captaincy | None) -> bool:
        """Return whether another side put somebody in their seat, or a host who doesn't play for theirs."""
        if one is None or one.put_by is None:
            return False
        ally = self.seated_game.seats[one.seat].team in self.unplanted_teams(one.put_by, before=one.id)
        return not ally and (
            self.is_captain(one.put_by) or self.seated_game.game.host_id in self.known_user_ids(one.put_by)
        )

    def unplanted_teams(self, user_id: int, *, before: float = inf) -> set[int]:
        """The sides on which somebody has played without being planted there; here `before` some captaincy began."""
        known = self.known_user_ids(user_id)
        held = [one for one in self.captaincies if one.user_id in known and one.id < before]
        own = {self.seated_game.seats[one.seat].team for one in held if not self.is_planted(one)}
        return own | {
            seat.team
            for one in self.linked_games
            for seat in self._linked_seats(one, one.captains.unplanted_teams(user_id))
        }

    def may_speak(self, seat: SeatRow) -> bool:
        """Return whether a seat's holder may agree to something for their side."""
        return seat.user_id is not None and not seat.conceded and not self.is_planted(self.current_captaincy(seat))

    def speaks_for(self, user_id: int, seat: SeatRow) -> bool:
        """Return whether somebody who acts for a seat speaks for its side: as its holder, or as one in charge.

        Who is in charge of a game that they play acts for their side even without a seat: see `seat_for`.
        """
        if seat.user_id == user_id:
            return self.may_speak(seat)
        return seat.team in self.unplanted_teams(user_id)

    def has_opponents(self, team: int) -> bool:
        """Whether people play, or have played, on any other side that has not given up."""
        return bool(self.undefeated_sides() - {team})

    def sides_without_voice(self, seats: Iterable[SeatRow]) -> set[int]:
        """Return the sides of people for which none of these seats' holders may speak."""
        return self.undefeated_sides() - {seat.team for seat in seats if self.may_speak(seat)}

    def undefeated_sides(self) -> set[int]:
        """Return the sides of people, without those that have given up, not by a planted captain: they have lost.

        Not so in a battle: what is done there concerns others in the game above.
        """
        sides = {self.seated_game.seats[one.seat].team for one in self.captaincies if one.user_id is not None}
        if self.seated_game.game.parent_id is not None:
            return sides
        return sides & {seat.team for seat in self.seated_game.seats if not self._has_conceded(seat)}

    def _has_conceded(self, seat: SeatRow) -> bool:
        """Whether a seat's captain has given up, and was not planted to do that."""
        return seat.conceded and not self.is_planted(self.current_captaincy(seat))

    def has_silent_side(self) -> bool:
        """Return whether a side of people has nobody left who could agree to something."""
        return bool(self.sides_without_voice(seat for seat in self.seated_game.seats if not seat.is_offered))

    async def has_refereed(self, tx: Transaction, user_id: int) -> bool:
        """Whether somebody has decided over the captains of these games as a referee."""
        acts, known = await tx.audit_log.of_game(self.seated_game.game.id), self.known_user_ids(user_id)
        done = {act.kind for act in acts if act.user_id in known and act.step_no >= 0}
        if done - _NEUTRAL_ACTS:
            return True
        return any([await one.captains.has_refereed(tx, user_id) for one in self.linked_games])


class LinkedGame(Struct, frozen=True):
    """A game seen from another one: the two are a battle and what it is played for."""

    captains: Captains
    seat_pairs: tuple[tuple[Seat, Seat], ...]
    """Which seat there has the same captain as which seat of the other game."""


class _LinkedGameRow(Struct, frozen=True):
    """One of the games that have the same captains: a battle, or one for which battles are fought."""

    seated_game: SeatedGame
    captaincies: list[Captaincy]
    parent_id: int | None
    """The game that it is a battle of."""
    parent_seat_pairs: tuple[tuple[Seat, Seat], ...]
    """Its seats, each with the seat above whose captain fights there."""
    battles: tuple[int, ...]


async def captains_of(tx: Transaction, playing: SeatedGame) -> Captains:
    """Who holds and held the seats of a game, and of those that it is a battle of or that are its battles.

    They are read once in a transaction, for all of these games, until another captain gets one of their seats.
    """
    known: dict[int, _LinkedGameRow] = tx.captaincies.cache
    if playing.game.id not in known:
        known |= await _linked_games(tx, playing)
    return _linked_captains(known, playing, None)


async def _linked_games(tx: Transaction, playing: SeatedGame) -> dict[int, _LinkedGameRow]:
    """A game and all others that have the same captains, by number."""
    found: dict[int, _LinkedGameRow] = {}
    waiting = [playing]
    while waiting:
        game = (one := waiting.pop()).game
        battles = tuple(battle.id for battle in await tx.games.battles_of(game.id))
        seats_above = await _seats_above(tx, game) if game.parent_id is not None else ()
        found[game.id] = _LinkedGameRow(
            one, await tx.captaincies.of_game(game.id), game.parent_id, seats_above, battles
        )
        beside = [*battles, *([] if game.parent_id is None else [game.parent_id])]
        waiting += [await load_seated_game(tx, number) for number in beside if number not in found]
    return found


def _linked_captains(known: Mapping[int, _LinkedGameRow], playing: SeatedGame, came_from: int | None) -> Captains:
    """The same, without what lies behind the game from which one has come here."""
    here, beside = known[playing.game.id], list[LinkedGame]()
    if here.parent_id is not None and here.parent_id != came_from:
        above = _linked_captains(known, known[here.parent_id].seated_game, playing.game.id)
        beside.append(LinkedGame(above, tuple((seat_above, own) for own, seat_above in here.parent_seat_pairs)))
    for number in here.battles:
        if number != came_from:
            battle = known[number]
            beside.append(
                LinkedGame(_linked_captains(known, battle.seated_game, playing.game.id), battle.parent_seat_pairs)
            )
    return Captains(playing, here.captaincies, tuple(beside))


async def _seats_above(tx: Transaction, battle: Game) -> tuple[tuple[Seat, Seat], ...]:
    """A battle's seats, each with the seat whose captain fights there."""
    row = await tx.requests.find(battle.parent_id or 0, battle.parent_request or "")
    return tuple(enumerate(row.body.battle.seats)) if row and row.body.battle else ()


async def refuse_biased(tx: Transaction, captains: Captains, user_id: int, seat: SeatRow) -> None:
    """Raise `Refusal` if somebody may not take a seat: they know the other side's secrets, or were the referee.

    Who plays in a game fights in its battles for their own side alone: in others they are the enemy of both.
    """
    plays = captains.is_captain(user_id)
    if (plays or captains.teams_of(user_id)) and captains.teams_of(user_id) != {seat.team}:
        raise Refusal("turncoat")
    if not plays and await captains.has_refereed(tx, user_id):
        raise Refusal("referee")


def refuse_ousting(captains: Captains, seat: SeatRow, by: int) -> None:
    """Raise `Refusal` if a player would give away a seat that isn't their own and that nobody offers.

    They could get rid of a captain who is winning, or put a friend beside an enemy. A seat is offered while its captain
    is absent; the computer's never is. Who plays beside a battle, for none of its sides, gives away none of its seats:
    through a friend they could lose it for either side, and profit.
    """
    if not captains.is_captain(by) or seat.user_id == by:
        return
    if captains.seat_for(by) is None:
        raise Refusal("beside_battle")
    if seat.is_offered:
        return
    if seat.user_id is None:
        raise Refusal("not_offered")
    raise Refusal("not_absent", name=captains.seated_game.name_of(seat.user_id, ""))
