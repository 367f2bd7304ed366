"""Decide which users play in a game and which may speak for a side.

Everybody who holds or held a seat is a player of the game and of all games linked to it: its battles, the game of
which it is a battle, and the first game of a match for its second. A player acts for their own side and is never a
referee, not even as the game's host or a manager of the server.

Giving up, draws, going back, pauses, extra time, early resolution and ratings need captains who may speak for their
side: those who began the game, or got the seat from one who speaks for the side. A substitute, or a captain that a
referee seated, may speak after ordering in `MIN_ROUNDS` rounds: otherwise a second account could take an absent
enemy's seat and give up. A planted captain may not speak: another side put them into the seat, or a host who does not
play on their side, and they had not spoken for the side before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from math import inf
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field, structs

from bot.errors import Refusal
from bot.lifecycle.people.pseudonyms import pseudonym, secret_of_family
from bot.lifecycle.people.rounds import MIN_ROUNDS, answered_rounds
from bot.lifecycle.steps.exchange import seats_after_exchange
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import Captaincy, Game, SeatRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat

_NEUTRAL_ACTS: Final = frozenset({"reposted", "undo_asked"})


class _Verdicts(Struct, frozen=True):
    planted: set[int] = field(default_factory=set)  # ids of captaincies
    with_voice: set[int] = field(default_factory=set)  # ids of captaincies
    planted_teams: dict[int, set[int]] = field(default_factory=dict)  # by user id
    unplanted_teams: dict[int, set[int]] = field(default_factory=dict)  # by user id
    spoken_teams: dict[int, set[int]] = field(default_factory=dict)  # by user id


class Tenure(Struct, frozen=True, kw_only=True):
    """A captaincy in a game, or in the first game of its match."""

    captaincy: Captaincy
    seat: Seat  # in the game itself; in the first game of its match the captain may have held another
    is_planted: bool  # see `Captains.is_planted`
    has_voice: bool  # see `Captains.has_voice`
    is_original: bool  # whether the captain began the game or the match


class Captains(Struct, frozen=True, dict=True):
    """All present and former captains of a game that has begun, and of the games linked to it."""

    seated_game: SeatedGame
    captaincies: list[Captaincy]  # by seat, oldest first
    linked_games: tuple[LinkedGame, ...] = ()  # its battles, the game whose battle it is, the first of its match
    rounds_ordered: Mapping[int, int] = MappingProxyType({})
    """Rounds in which a captain who took over a seat gave orders in person, by the captaincy's id."""
    secret: str = ""  # what the numbers of forgotten users are made of (see `pseudonyms`)

    def is_captain(self, user_id: int) -> bool:
        return bool(self.seats_of_user(user_id)) or any(link.captains.is_captain(user_id) for link in self.linked_games)

    def known_user_ids(self, user_id: int) -> set[int]:
        """Return the user's id and the number that would stand for them here if they had been forgotten."""
        return {user_id, pseudonym(self.secret, user_id)}

    def seats_of_user(self, user_id: int) -> set[Seat]:
        return set().union(*(self._seats_by_user.get(known_id, ()) for known_id in self.known_user_ids(user_id)))

    @cached_property
    def _seats_by_user(self) -> dict[int | None, set[Seat]]:
        seats: dict[int | None, set[Seat]] = {}
        for captaincy in self.captaincies:
            seats.setdefault(captaincy.user_id, set()).add(captaincy.seat)
        return seats

    def teams_of(self, user_id: int) -> set[int]:
        """Return the sides of this game for which the user plays or played, here or in a linked game."""
        allied_seats = [
            seat for link in self.linked_games for seat in self._linked_seats(link, link.captains.teams_of(user_id))
        ]
        own_seats = [self.seated_game.seats[seat] for seat in self.seats_of_user(user_id)]
        return {seat.team for seat in [*own_seats, *allied_seats]}

    def _linked_seats(self, link: LinkedGame, teams: Collection[int]) -> list[SeatRow]:
        """Return the seats of this game whose counterparts in the linked game belong to `teams` there."""
        linked_seats = link.captains.seated_game.seats
        seats = self.seated_game.seats
        return [seats[own_seat] for other_seat, own_seat in link.seat_pairs if linked_seats[other_seat].team in teams]

    def seat_for(self, user_id: int) -> SeatRow | None:
        """Return the user's seat, held now or last; else one of the sides they act for; else None."""
        user_ids = self.known_user_ids(user_id)
        captaincies = [captaincy for captaincy in self.captaincies if captaincy.user_id in user_ids]
        last_captaincy = max(captaincies, key=lambda captaincy: (captaincy.to_step is None, captaincy.id), default=None)
        if last_captaincy:
            return self.seated_game.seats[last_captaincy.seat]
        allied_seats = (self._linked_seats(link, link.captains.teams_of(user_id)) for link in self.linked_games)
        return next(chain.from_iterable(allied_seats), None)

    def current_captaincy(self, seat: SeatRow) -> Captaincy | None:
        return next(
            (captaincy for captaincy in self.captaincies if captaincy.seat == seat.seat and captaincy.to_step is None),
            None,
        )

    def is_planted(self, captaincy: Captaincy | None) -> bool:
        """Return whether another side, or a host who does not play on that side, put the captain into the seat."""
        return captaincy is not None and captaincy.id in self._verdicts.planted

    def has_voice(self, captaincy: Captaincy | None) -> bool:
        """Return whether the captain speaks for the side during this captaincy."""
        return captaincy is None or captaincy.id in self._verdicts.with_voice

    def unplanted_teams(self, user_id: int) -> set[int]:
        """Return the sides that the user has played for without being planted, here or in a linked game."""
        return self._own_teams(user_id, self._verdicts.unplanted_teams) | self._linked_unplanted_teams(user_id)

    def teams_spoken_for(self, user_id: int) -> set[int]:
        """Return the sides that the user speaks for, or did when they held a seat.

        In a battle, who speaks for a side of the parent game speaks for it too, and in the second game of a match who
        speaks for it in the first.
        """
        return self._own_teams(user_id, self._verdicts.spoken_teams) | self._inherited_spoken_teams(user_id)

    @cached_property
    def first_game(self) -> LinkedGame | None:
        """The first game of the match whose second game this is; None: it is no such game."""
        first_game_id = self.seated_game.game.first_game_id
        return next((link for link in self.linked_games if link.captains.seated_game.game.id == first_game_id), None)

    @cached_property
    def tenures(self) -> tuple[Tenure, ...]:
        """All captaincies of the game and of the first game of its match, oldest first."""
        first = self.first_game
        seat_pairs = dict(first.seat_pairs) if first else {}
        tenures = [
            structs.replace(tenure, seat=seat_pairs[tenure.seat])
            for tenure in (first.captains.tenures if first else ())
        ]
        tenures += [
            Tenure(
                captaincy=structs.replace(captaincy, acted=captaincy.acted or self._has_fought(captaincy)),
                seat=captaincy.seat,
                is_planted=self.is_planted(captaincy),
                has_voice=self.has_voice(captaincy),
                is_original=first is None and captaincy.from_step == 0 and captaincy.put_by is None,
            )
            for captaincy in self.captaincies
        ]
        return tuple(sorted(tenures, key=lambda tenure: tenure.captaincy.id))

    @cached_property
    def battle_tenures(self) -> tuple[Tenure, ...]:
        """All captaincies of the game's battles, each with the seat of this game for which it fought, oldest first."""
        tenures = []
        for link in self.linked_games:
            if link.captains.seated_game.game.parent_id == self.seated_game.game.id:
                seat_pairs = dict(link.seat_pairs)
                tenures += [
                    structs.replace(tenure, seat=seat_pairs[tenure.seat])
                    for tenure in link.captains.tenures
                    if tenure.seat in seat_pairs
                ]
        return tuple(sorted(tenures, key=lambda tenure: tenure.captaincy.id))

    def _has_fought(self, captaincy: Captaincy) -> bool:
        """Return whether the captain gave orders in a battle of this game."""
        return captaincy.user_id is not None and any(
            tenure.captaincy.user_id == captaincy.user_id and tenure.captaincy.acted for tenure in self.battle_tenures
        )

    @property
    def began_with_people(self) -> bool:
        """Whether a person held each seat when the game, or its match, began."""
        if self.first_game is not None:
            return self.first_game.captains.began_with_people
        seats_with_people = {
            captaincy.seat
            for captaincy in self.captaincies
            if captaincy.user_id is not None and captaincy.from_step == 0
        }
        return seats_with_people == {seat.seat for seat in self.seated_game.seats}

    @property
    def sides_with_people(self) -> set[int]:
        """The sides for which anybody plays or played, also in the first game of the match."""
        return {
            self.seated_game.seats[tenure.seat].team for tenure in self.tenures if tenure.captaincy.user_id is not None
        }

    @cached_property
    def _verdicts(self) -> _Verdicts:
        """Return which captaincies are planted, and which have a voice.

        A captaincy depends on earlier ones only, so they are judged once each, by age. If each asked for those before
        it, every seat taken and given back would double the calls.
        """
        verdicts = _Verdicts()
        seats_with_captaincy: set[Seat] = set()
        for captaincy in sorted(self.captaincies, key=lambda captaincy: captaincy.id):
            team = self.seated_game.seats[captaincy.seat].team
            is_first = captaincy.seat not in seats_with_captaincy
            seats_with_captaincy.add(captaincy.seat)
            if self._was_planted(captaincy, team, verdicts):
                verdicts.planted.add(captaincy.id)
                if captaincy.user_id is not None:
                    verdicts.planted_teams.setdefault(captaincy.user_id, set()).add(team)
                continue
            has_voice = self._got_voice(captaincy, team, verdicts, is_first=is_first)
            if has_voice:
                verdicts.with_voice.add(captaincy.id)
            if captaincy.user_id is not None:
                verdicts.unplanted_teams.setdefault(captaincy.user_id, set()).add(team)
                if has_voice:
                    verdicts.spoken_teams.setdefault(captaincy.user_id, set()).add(team)
        return verdicts

    def _was_planted(self, captaincy: Captaincy, team: int, earlier: _Verdicts) -> bool:
        put_by = captaincy.put_by
        if put_by is None:  # a planted captain who gives the seat back and takes it up again stays planted
            users = () if captaincy.user_id is None else (captaincy.user_id,)
            return any(
                team in self._own_teams(user_id, earlier.planted_teams)
                and team not in self._own_teams(user_id, earlier.unplanted_teams)
                for user_id in users
            )
        if team in self._own_teams(put_by, earlier.unplanted_teams) or team in self._linked_unplanted_teams(put_by):
            return False
        if captaincy.user_id is not None and (
            team in self._own_teams(captaincy.user_id, earlier.spoken_teams)
            or team in self._inherited_spoken_teams(captaincy.user_id)
        ):
            return False  # a captain of this side who is put back
        return self.is_captain(put_by) or self.seated_game.game.host_id in self.known_user_ids(put_by)

    def _got_voice(self, captaincy: Captaincy, team: int, earlier: _Verdicts, *, is_first: bool) -> bool:
        continues_a_game = self.seated_game.game.parent_id is not None or self.first_game is not None
        if captaincy.put_by is None and is_first and not continues_a_game:
            return True
        users = [user_id for user_id in (captaincy.user_id, captaincy.put_by) if user_id is not None]
        rounds_ordered = self.rounds_ordered.get(captaincy.id, 0) + self._rounds_ordered_in_first_game(captaincy)
        return rounds_ordered >= MIN_ROUNDS or any(
            team in self._own_teams(user_id, earlier.spoken_teams) or team in self._inherited_spoken_teams(user_id)
            for user_id in users
        )

    def _rounds_ordered_in_first_game(self, captaincy: Captaincy) -> int:
        """Return the rounds in which a captain ordered in a match's first game who has held the seat since then."""
        if self.first_game is None or captaincy.from_step > 0:
            return 0
        captains = self.first_game.captains
        last_captaincies = [
            captains.current_captaincy(captains.seated_game.seats[first_seat])
            for first_seat, seat in self.first_game.seat_pairs
            if seat == captaincy.seat
        ]
        return sum(
            captains.rounds_ordered.get(last.id, 0)
            for last in last_captaincies
            if last is not None and last.user_id == captaincy.user_id
        )

    def _own_teams(self, user_id: int, teams_by_user: Mapping[int, set[int]]) -> set[int]:
        return set().union(*(teams_by_user.get(known_id, ()) for known_id in self.known_user_ids(user_id)))

    def _linked_unplanted_teams(self, user_id: int) -> set[int]:
        return {
            seat.team
            for link in self.linked_games
            for seat in self._linked_seats(link, link.captains.unplanted_teams(user_id))
        }

    def _inherited_spoken_teams(self, user_id: int) -> set[int]:
        game = self.seated_game.game
        return {
            seat.team
            for link in self.linked_games
            if link.captains.seated_game.game.id in (game.parent_id, game.first_game_id)
            for seat in self._linked_seats(link, link.captains.teams_spoken_for(user_id))
        }

    def may_speak(self, seat: SeatRow) -> bool:
        return seat.user_id is not None and not seat.conceded and self.has_voice(self.current_captaincy(seat))

    def speaks_for(self, user_id: int, seat: SeatRow) -> bool:
        """Return whether the user speaks for the seat's side, as its holder or as a former captain of it."""
        if seat.user_id == user_id:
            return self.may_speak(seat)
        return seat.team in self.teams_spoken_for(user_id)

    def has_lost(self, user_id: int, seat: SeatRow) -> bool:
        """Return whether the user held a seat that a person holds now, and has not lent it to them."""
        user_ids = self.known_user_ids(user_id)
        captaincies = [captaincy for captaincy in self.captaincies if captaincy.seat == seat.seat]
        if seat.user_id in (None, user_id) or user_ids.isdisjoint(captaincy.user_id for captaincy in captaincies):
            return False
        lender_id = None  # who put the present captain there, and before that the lender, and so on
        for captaincy in reversed(captaincies):
            if lender_id is None or captaincy.user_id == lender_id:
                lender_id = captaincy.put_by
                if lender_id is None or lender_id in user_ids:
                    break
        return lender_id is None

    def has_held(self, user_id: int, seat: SeatRow) -> bool:
        """Return whether the user holds or held a seat, or its counterpart in the first game of the match."""
        if seat.seat in self.seats_of_user(user_id):
            return True
        first = self.first_game
        return first is not None and any(
            (first_seat, seat.seat) in first.seat_pairs for first_seat in first.captains.seats_of_user(user_id)
        )

    def may_reclaim(self, user_id: int, seat: SeatRow) -> bool:
        """Return whether the user held a seat that another side gave to the computer, or to somebody without orders.

        Otherwise a host could keep an enemy out who was absent for a moment.
        """
        captaincy = self.current_captaincy(seat)
        return (
            captaincy is not None
            and self.is_planted(captaincy)
            and not captaincy.acted
            and self.has_held(user_id, seat)
        )

    def may_give_up(self, seat: SeatRow) -> bool:
        """Return whether the seat's captain gives up for its side; otherwise they only give the seat back."""
        return self.may_speak(seat) or not self.has_opponents(seat.team)

    def refuse_voiceless(self, user_id: int, seat: SeatRow) -> None:
        """Raise `Refusal` unless the user may decide for the seat's side, or has no human opponents."""
        if self.speaks_for(user_id, seat) or not self.has_opponents(seat.team):
            return
        captaincy = self.current_captaincy(seat)
        if seat.user_id != user_id or seat.conceded or captaincy is None or self.is_planted(captaincy):
            raise Refusal("no_say")
        raise Refusal("no_say_yet", rounds=MIN_ROUNDS)

    def has_opponents(self, team: int) -> bool:
        return bool(self.undefeated_sides() - {team})

    def sides_without_voice(self, seats: Iterable[SeatRow]) -> set[int]:
        return self.undefeated_sides() - {seat.team for seat in seats if self.may_speak(seat)}

    def undefeated_sides(self) -> set[int]:
        """Return the sides with people, except sides that conceded.

        In a battle conceding changes nothing, because the battle concerns others in the parent game.
        """
        if self.seated_game.game.parent_id is not None:
            return self.sides_with_people
        return self.sides_with_people & {seat.team for seat in self.seated_game.seats if not seat.conceded}

    def has_silent_side(self) -> bool:
        return bool(self.silent_sides())

    def silent_sides(self) -> set[int]:
        return self.sides_without_voice(seat for seat in self.seated_game.seats if not seat.is_offered)

    def sides_ousted_since(self, step_no: int) -> set[int]:
        """Return sides from which a referee, after this step, took a captain who was present and spoke for them."""
        return {
            self.seated_game.seats[captaincy.seat].team
            for captaincy in self.captaincies
            if captaincy.user_id is not None and captaincy.to_step is not None and captaincy.to_step > step_no
            if not captaincy.left and self.has_voice(captaincy)
        }

    async def has_refereed(self, tx: Transaction, user_id: int) -> bool:
        acts = await tx.audit_log.of_game(self.seated_game.game.id)
        user_ids = self.known_user_ids(user_id)
        act_kinds = {act.kind for act in acts if act.user_id in user_ids and act.step_no >= 0}
        if act_kinds - _NEUTRAL_ACTS:
            return True
        return any([await link.captains.has_refereed(tx, user_id) for link in self.linked_games])


class LinkedGame(Struct, frozen=True):
    captains: Captains  # of the linked game
    seat_pairs: tuple[tuple[Seat, Seat], ...]  # (seat in the linked game, its captain's seat in this game)


class _LinkedGameRow(Struct, frozen=True):
    seated_game: SeatedGame
    captaincies: list[Captaincy]  # present and former ones, by seat, oldest first
    rounds_ordered: Mapping[int, int]  # see `Captains`
    secret: str  # see `Captains`
    parent_id: int | None  # the game whose battle this is; None: no battle
    parent_seat_pairs: tuple[tuple[Seat, Seat], ...]  # (seat in this game, its captain's seat in the parent game)
    battles: tuple[int, ...]  # ids of this game's battles
    first_game_id: int | None  # the first game of the match whose second game this is; else None


async def captains_of(tx: Transaction, seated_game: SeatedGame) -> Captains:
    rows: dict[int, _LinkedGameRow] = tx.captaincies.cache
    if seated_game.game.id not in rows:
        rows |= await _linked_games(tx, seated_game)
    return _linked_captains(rows, seated_game, None)


async def _linked_games(tx: Transaction, seated_game: SeatedGame) -> dict[int, _LinkedGameRow]:
    """Read a game and all games that are linked to it, directly or not, by id.

    Links lead to the parent, to battles, and from the second game of a match to the first, which is over.
    """
    rows: dict[int, _LinkedGameRow] = {}
    secret = await secret_of_family(tx, seated_game.game)
    games_to_read = [seated_game]
    while games_to_read:
        current = games_to_read.pop()
        game = current.game
        battles = tuple(battle.id for battle in await tx.games.battles_of(game.id))
        seat_pairs = await _parent_seat_pairs(tx, game) if game.parent_id is not None else ()
        captaincies = await tx.captaincies.of_game(game.id)
        successors = _successors(captaincies)
        if game.first_game_id is not None:
            successors += await _substitutes_since_first_game(tx, game.first_game_id, captaincies)
        rounds_ordered = await _rounds_ordered(tx, game.id, successors)
        rows[game.id] = _LinkedGameRow(
            current, captaincies, rounds_ordered, secret, game.parent_id, seat_pairs, battles, game.first_game_id
        )
        neighbour_ids = [
            *battles,
            *(game_id for game_id in (game.parent_id, game.first_game_id) if game_id is not None),
        ]
        games_to_read += [await load_seated_game(tx, game_id) for game_id in neighbour_ids if game_id not in rows]
    return rows


def _successors(captaincies: Sequence[Captaincy]) -> list[Captaincy]:
    """Return the captaincies of users who took over a seat of a running game."""
    return [
        captaincy
        for former, captaincy in pairwise(captaincies)
        if former.seat == captaincy.seat and captaincy.user_id is not None
    ]


async def _substitutes_since_first_game(
    tx: Transaction, first_game_id: int, captaincies: Sequence[Captaincy]
) -> list[Captaincy]:
    """Return captaincies with which a match's second game begins, of users who took over a seat in the first."""
    users = {captaincy.user_id for captaincy in _successors(await tx.captaincies.of_game(first_game_id))}
    return [captaincy for captaincy in captaincies if captaincy.from_step == 0 and captaincy.user_id in users]


async def _rounds_ordered(tx: Transaction, game_id: int, successors: Sequence[Captaincy]) -> dict[int, int]:
    """Return in how many rounds captains who took over a seat gave orders in person, by captaincy id."""
    if not successors:
        return {}
    rounds = await answered_rounds(tx, game_id)
    return {
        captaincy.id: len(
            {
                answered.round
                for answered in rounds
                if answered.seat == captaincy.seat
                and answered.is_in_person
                and not answered.is_inherited
                and captaincy.from_step < answered.step_no <= (inf if captaincy.to_step is None else captaincy.to_step)
            }
        )
        for captaincy in successors
    }


def _linked_captains(rows: Mapping[int, _LinkedGameRow], seated_game: SeatedGame, came_from: int | None) -> Captains:
    # Builds the tree of linked games; `came_from` is the id of the game from which it was reached.
    row = rows[seated_game.game.id]
    links: list[LinkedGame] = []
    if row.parent_id is not None and row.parent_id != came_from:
        parent_captains = _linked_captains(rows, rows[row.parent_id].seated_game, seated_game.game.id)
        reversed_pairs = tuple((parent_seat, own_seat) for own_seat, parent_seat in row.parent_seat_pairs)
        links.append(LinkedGame(parent_captains, reversed_pairs))
    for battle_id in row.battles:
        if battle_id != came_from:
            battle = rows[battle_id]
            links.append(
                LinkedGame(_linked_captains(rows, battle.seated_game, seated_game.game.id), battle.parent_seat_pairs)
            )
    if row.first_game_id is not None:
        first = _linked_captains(rows, rows[row.first_game_id].seated_game, seated_game.game.id)
        links.append(LinkedGame(first, seats_after_exchange(first.seated_game.seats)))
    return Captains(seated_game, row.captaincies, tuple(links), row.rounds_ordered, row.secret)


async def _parent_seat_pairs(tx: Transaction, battle: Game) -> tuple[tuple[Seat, Seat], ...]:
    row = await tx.requests.find(battle.parent_id or 0, battle.parent_request or "")
    return tuple(enumerate(row.body.battle.seats)) if row and row.body.battle else ()


async def refuse_biased(tx: Transaction, captains: Captains, user_id: int, seat: SeatRow) -> None:
    """Raise `Refusal` if the user may not take a seat because they know another side's secrets or were a referee.

    Players of the parent game may fight in a battle only for their own side; in others' battles both sides are
    enemies.
    """
    is_captain = captains.is_captain(user_id)
    teams = captains.teams_of(user_id)
    if (is_captain or teams) and teams != {seat.team}:
        raise Refusal("turncoat")
    if not is_captain and await captains.has_refereed(tx, user_id):
        raise Refusal("referee")


def refuse_ousting(captains: Captains, seat: SeatRow, caller_id: int) -> None:
    """Raise `Refusal` if a player would give away a seat that is neither their own nor offered.

    They could remove a captain who is winning, or plant a friend next to an enemy. A player of the parent game who has
    no side in a battle may give away none of its seats: through a friend they could lose it on purpose.
    """
    if not captains.is_captain(caller_id) or seat.user_id == caller_id:
        return
    if captains.seat_for(caller_id) is None:
        raise Refusal("beside_battle")
    if seat.is_offered:
        return
    if seat.user_id is None:
        raise Refusal("not_offered")
    raise Refusal("not_absent", name=captains.seated_game.name_of(seat.user_id, ""))
