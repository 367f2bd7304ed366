"""Change a running game's time: extend deadlines, pause, resume."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import keepsakes, seats
from bot.lifecycle.people.agreement import (
    TIME_REQUEST_AGREED,
    TIME_REQUESTS,
    consulted_teams,
    extend_time_request,
    is_request_open,
    sides_not_agreed,
)
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_running, require_active_seat
from bot.lifecycle.steps.runner import StepRunner
from bot.services.base import GameService, between_steps
from bot.store import Store
from bot.store.models.pace import Pace
from bot.store.models.records import Game, LogEntryRow, SeatRow
from bot.store.models.subjects import TimeRequestSubject
from bot.store.queries.transaction import Transaction
from bot.texts import durations

_DECLINING_ACTS: Final = {
    "extension_asked": "extension_declined",
    "pause_asked": "pause_declined",
    "resume_asked": "resume_declined",
}


class ExtensionOffer(Struct, frozen=True):
    length_s: int  # by which the deadlines move
    extensions_left: int | None
    """Extensions that the captain's side would have left; negative: others must agree; None: no limit applies."""


class Timekeeping(GameService):
    """Changes deadlines and clocks, logged and announced in the thread. Requests of users may raise `Refusal`."""

    def __init__(self, store: Store, step_runner: StepRunner) -> None:
        super().__init__(store, step_runner)

    @between_steps
    async def extend_by_authority(self, user_id: int, game_id: int, seconds: int | None = None) -> None:
        """Extend the deadlines for a referee by `seconds`, or by a phase (None). Raises `Refusal`."""
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game = seated_game.game
            keepsakes.refuse_referees(game)
            _require_deadline(game)
            refuse_paused(game)
            await count_post(tx, game_id, user_id, now=self.now())
            until = await self._extend_deadlines(tx, game, seconds)
            await enqueue.add_log_entry(tx, game, "extended_alone", now=self.now(), user_id=user_id, until=until)
        self._note_change()

    @between_steps
    async def extend_deadline(
        self, user_id: int, game_id: int, seconds: int | None = None, *, seat_no: int | None = None
    ) -> bool:
        """Extend the deadlines by `seconds` or a phase (None). Return whether they were extended now.

        A side has a number of extensions of up to a phase; beyond those the other side must agree. `seat_no`: the seat
        for which a person in charge acts, even if they have lent it. Raises `Refusal`.
        """
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game = seated_game.game
            seat = await _speaking_seat(tx, seated_game, user_id, seat_no)
            clock.refuse_fixed_hours(game)
            await seats.note_presence(tx, seated_game, user_id, now=self.now())
            deadline = _require_deadline(game)
            refuse_paused(game)
            until = _extension_pace(game.pace, seconds).phase_end(deadline)
            extensions_left = await _extensions_left(tx, seated_game, seat, until)
            is_extended = extensions_left is None or extensions_left >= 0
            if is_extended:
                await self._extend_deadlines(tx, game, seconds)
                params = {"until": until} if extensions_left is None else {"until": until, "left": extensions_left}
                kind = "extended_alone" if extensions_left is None else "extended"
                await enqueue.add_log_entry(tx, game, kind, now=self.now(), user_id=user_id, seat=seat.seat, **params)
            else:
                await self._add_request(tx, seated_game, seat, "extension_asked", user_id, by=seconds or 0, until=until)
            await count_post(tx, game_id, user_id, now=self.now())
        self._note_change()
        return is_extended

    @between_steps
    async def suggest_extensions(self, user_id: int, game_id: int, typed: str) -> list[ExtensionOffer]:
        """Return possible extensions for text typed so far. Raises `Refusal` if the captain may not extend."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game, seat = seated_game.game, await _speaking_seat(tx, seated_game, user_id)
            clock.refuse_fixed_hours(game)
            deadline = _require_deadline(game)
            refuse_paused(game)
            return [
                ExtensionOffer(
                    length_s,
                    await _extensions_left(
                        tx, seated_game, seat, _extension_pace(game.pace, length_s).phase_end(deadline)
                    ),
                )
                for length_s in durations.suggest_durations(typed, game.pace.phase_length_s)
            ]

    @between_steps
    async def pause_game(
        self, user_id: int, game_id: int, *, sanctioned: bool = False, seat_no: int | None = None
    ) -> bool:
        """Pause a game's clock, or ask the other side to agree unless `sanctioned`. Return whether it is paused now.

        Orders may still be given in a pause, but nothing is resolved. `seat_no`: see `extend_deadline`. Raises
        `Refusal`.
        """
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game = seated_game.game
            seat = None if sanctioned else await _speaking_seat(tx, seated_game, user_id, seat_no)
            if seat is None:
                keepsakes.refuse_referees(game)
            clock.refuse_fixed_hours(game)
            _require_deadline(game)
            if game.paused_at is not None:
                raise Refusal("already_paused")
            await seats.note_presence(tx, seated_game, user_id, now=self.now())
            if seat is not None and await _has_opponents(tx, seated_game, seat):
                await self._add_request(tx, seated_game, seat, "pause_asked", user_id)
                is_paused = False
            else:
                await clock.stop_clock(tx, game, clock.PAUSED, now=self.now(), user_id=user_id)
                is_paused = True
            await count_post(tx, game_id, user_id, now=self.now())
        self._note_change()
        return is_paused

    async def is_held(self, game_id: int, kind: str) -> bool:
        async with self._store.read() as tx:
            return await clock.stopping_act_kind(tx, game_id) == kind

    async def release_clock(self, game_id: int, kind: clock.Ending) -> None:
        async with self._store.write() as tx:
            await clock.resume_clock(tx, (await load_seated_game(tx, game_id)).game, kind, now=self.now())
        self._step_runner.start_advancing(game_id)

    @between_steps
    async def resume_game(
        self,
        user_id: int,
        game_id: int,
        *,
        sanctioned: bool = False,
        seat_no: int | None = None,
        counts_as_post: bool = True,
    ) -> bool:
        """Resume a paused game with the time that was left, or ask to. Return whether it runs now. Raises `Refusal`.

        The side that asked for a pause may end it at once. The other side needs its consent, or must wait a phase
        after asking. A referee's pause is ended by all sides together. `seat_no`: see `extend_deadline`.
        """
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game = seated_game.game
            seat = None if sanctioned else await _speaking_seat(tx, seated_game, user_id, seat_no)
            clock.refuse_fixed_hours(game)
            _require_deadline(game)
            await clock.refuse_unresumable(tx, game, sanctioned=seat is None)
            if seat is None and await _teams_paused_for(tx, seated_game):
                keepsakes.refuse_referees(game)
            if await clock.stopping_act_kind(tx, game_id) == clock.DESERTED and seat is not None:
                is_running = True
                await seats.note_presence(tx, seated_game, user_id, now=self.now())  # this resumes the game
            elif seat is not None and await self._needs_consent_to_resume(tx, seated_game, seat):
                is_running = False
                await seats.note_presence(tx, seated_game, user_id, now=self.now())
                await self._add_request(tx, seated_game, seat, "resume_asked", user_id, paused=game.paused_at or 0)
            else:
                is_running = True
                await clock.resume_clock(tx, game, "resumed", now=self.now(), user_id=user_id)
            if counts_as_post:
                await count_post(tx, game_id, user_id, now=self.now())
        self._step_runner.start_advancing(game_id)
        return is_running

    async def _needs_consent_to_resume(self, tx: Transaction, seated_game: SeatedGame, seat: SeatRow) -> bool:
        """Return whether a side must ask before resuming: a referee paused the game, or another side wanted the pause.

        The other side is overruled once it has had a phase to answer, or if nobody may speak for it any more.
        """
        game = seated_game.game
        pause_entry = await clock.stopping_act(tx, game)
        captains = await captains_of(tx, seated_game)
        if pause_entry is None or pause_entry.kind != clock.PAUSED or not captains.has_opponents(seat.team):
            return False
        log_entries = await tx.audit_log.of_game(game.id)
        pausing_teams = await _teams_paused_for(tx, seated_game)
        if not pausing_teams:
            return True
        if seat.team in pausing_teams:
            return False
        own_request_times = [
            entry.at
            for entry in log_entries
            if entry.kind == "resume_asked"
            and entry.params["paused"] == game.paused_at
            and entry.seat is not None
            and seated_game.seats[entry.seat].team == seat.team
        ]
        pausing_seats = [other for other in _opposing_people(seated_game, seat) if other.team in pausing_teams]
        now = self.now()
        has_waited = any(
            now >= game.pace.add_counted_s(at, game.pace.phase_length_s) + clock.gap_seconds(log_entries, at)
            for at in own_request_times
        )
        return any(captains.may_speak(other) for other in pausing_seats) and not has_waited

    async def resume_after_undo(self, user_id: int, game_id: int) -> None:
        async with self._store.write() as tx:
            if await clock.stopping_act_kind(tx, game_id) != clock.STUCK:
                return
            game, now = (await load_seated_game(tx, game_id)).game, self.now()
            await clock.resume_clock(tx, game, "resumed", now=now, user_id=user_id, anew=True)
        self._step_runner.start_advancing(game_id)

    @between_steps
    async def agree_to(self, user_id: int, game_id: int, act_id: int) -> None:
        """Agree to a time request. It takes effect when the last side that must agree does so."""
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game, seat = seated_game.game, await _speaking_seat(tx, seated_game, user_id)
            time_request = await _require_open_request(tx, seated_game, seat, act_id)
            await seats.note_presence(tx, seated_game, user_id, now=now)
            log_entries = await tx.audit_log.of_game(game_id)
            requesting_team = _requesting_team(seated_game, time_request)
            consenting_teams = await _consenting_teams(tx, seated_game, time_request.kind, requesting_team)
            undecided_teams = sides_not_agreed(time_request, consenting_teams, seated_game, log_entries)
            if undecided_teams - {seat.team}:  # others must still agree
                if seat.team in undecided_teams:
                    await enqueue.add_log_entry(
                        tx, game, TIME_REQUEST_AGREED, now=now, user_id=user_id, seat=seat.seat, agreed=time_request.id
                    )
            elif time_request.kind == "pause_asked":
                await clock.stop_clock(tx, game, clock.PAUSED, now=now, user_id=user_id, asked=time_request.id)
            elif time_request.kind == "resume_asked":
                await clock.refuse_unresumable(tx, game)
                await clock.resume_clock(tx, game, "resumed", now=now, user_id=user_id, asked=time_request.id)
            else:
                until = await self._extend_deadlines(tx, game, int(time_request.params["by"]) or None)
                params = {"until": until, "asked": time_request.id}
                await enqueue.add_log_entry(
                    tx, game, "extension_agreed", now=now, user_id=user_id, seat=seat.seat, **params
                )
        self._step_runner.start_advancing(game_id)

    @between_steps
    async def decline_request(self, user_id: int, game_id: int, act_id: int) -> None:
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game, seat = seated_game.game, await _speaking_seat(tx, seated_game, user_id)
            time_request = await _require_open_request(tx, seated_game, seat, act_id)
            await seats.note_presence(tx, seated_game, user_id, now=now)
            kind = _DECLINING_ACTS[time_request.kind]
            await enqueue.add_log_entry(tx, game, kind, now=now, user_id=user_id, seat=seat.seat, asked=time_request.id)
            await enqueue.close_lapsed_requests(tx, game, now=now)
        self._note_change()

    async def _add_request(
        self, tx: Transaction, seated_game: SeatedGame, seat: SeatRow, kind: str, user_id: int, **params: int
    ) -> None:
        """Store and announce a time request, which lapses when the present deadline changes.

        Raises `Refusal` if there is nobody who could agree.
        """
        now, game = self.now(), seated_game.game
        captains = await captains_of(tx, seated_game)
        consenting_teams = await _consenting_teams(tx, seated_game, kind, seat.team)
        if not consenting_teams or consenting_teams & captains.sides_without_voice(seated_game.seats):
            raise keepsakes.voiceless_refusal(game)
        log_entries = await tx.audit_log.of_game(game.id)
        if any(
            entry.kind == kind and entry.seat == seat.seat and is_request_open(entry, game, log_entries)
            for entry in log_entries
        ):
            raise Refusal("already_asked")
        params["deadline"] = _require_deadline(game)
        act_id = await tx.audit_log.add_for_game(game, kind, now=now, user_id=user_id, seat=seat.seat, params=params)
        await tx.messages.request(game.id, TimeRequestSubject(act_id), now=now)

    async def _extend_deadlines(self, tx: Transaction, game: Game, seconds: int | None) -> int:
        """Extend all deadlines by `seconds` or a phase (None), and open pause requests. Return the new deadline."""
        extension = _extension_pace(game.pace, seconds)
        log_entries = await tx.audit_log.of_game(game.id)
        deadlines = {
            row.id: extension.phase_end(deadline) for row, deadline in await clock.requests_with_deadlines(tx, game.id)
        }
        until = await clock.set_deadlines(tx, game, deadlines, now=self.now())
        for entry in log_entries:
            if entry.kind == "pause_asked" and is_request_open(entry, game, log_entries):
                await extend_time_request(tx, entry, until)
        return until


def refuse_paused(game: Game) -> None:
    if game.paused_at is not None:
        raise Refusal("paused")


def _require_deadline(game: Game) -> int:
    refuse_unless_running(game)
    if game.phase == "resolving":
        raise Refusal("busy")
    if game.deadline is None:
        raise Refusal("no_deadline")
    return game.deadline


def _extension_pace(pace: Pace, seconds: int | None) -> Pace:
    """Return a pace of which one phase, begun at the old deadline, ends at the deadline extended by `seconds`.

    None as `seconds`: the game's pace, which extends by a phase.
    """
    return pace if seconds is None else Pace(seconds=seconds, weekdays=pace.weekdays, zone=pace.zone)


def _require_captain(seated_game: SeatedGame, user_id: int) -> SeatRow:
    seat = require_active_seat(seated_game, user_id)
    if seat.conceded:
        raise Refusal("not_seated")
    return seat


async def _require_open_request(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, act_id: int) -> LogEntryRow:
    time_request = await tx.audit_log.find(act_id)
    if (
        time_request is None
        or time_request.game_id != seated_game.game.id
        or time_request.kind not in TIME_REQUESTS
        or time_request.seat is None
    ):
        raise Refusal("stale")
    if not is_request_open(time_request, seated_game.game, await tx.audit_log.of_game(seated_game.game.id)):
        raise Refusal("stale")
    if seated_game.seats[time_request.seat].team == seat.team:
        raise Refusal("other_side")
    return time_request


def _requesting_team(seated_game: SeatedGame, request: LogEntryRow) -> int:
    assert request.seat is not None  # noqa: S101 - `_require_open_request` has looked
    return seated_game.seats[request.seat].team


async def _teams_paused_for(tx: Transaction, seated_game: SeatedGame) -> set[int]:
    """Return the sides for which a game was paused; none if a referee paused it."""
    pause_entry = await clock.stopping_act(tx, seated_game.game)
    if pause_entry is None:
        return set()
    request_id = pause_entry.params.get("asked")
    log_entries = await tx.audit_log.of_game(seated_game.game.id)
    request = next((entry for entry in log_entries if entry.id == request_id), None)
    if request is not None and request.seat is not None:
        return {_requesting_team(seated_game, request)}
    return (await captains_of(tx, seated_game)).teams_of(pause_entry.user_id or 0)


async def _consenting_teams(tx: Transaction, seated_game: SeatedGame, kind: str, team: int) -> set[int]:
    """Return the sides that must agree to a time request of `team`."""
    pausing_teams = await _teams_paused_for(tx, seated_game) if kind == "resume_asked" else ()
    return consulted_teams(await captains_of(tx, seated_game), team, pausing_teams)


async def _speaking_seat(tx: Transaction, seated_game: SeatedGame, user_id: int, seat_no: int | None = None) -> SeatRow:
    """Return the seat for whose side the user speaks about time. Raises `Refusal` if they may not.

    Without human opponents nobody else's consent matters.
    """
    seat = _require_captain(seated_game, user_id) if seat_no is None else seated_game.seats[seat_no]
    captains = await captains_of(tx, seated_game)
    captains.refuse_voiceless(user_id, seat)
    if captains.has_lost(user_id, seat):
        raise Refusal("seat_lost")
    return seat


async def _has_opponents(tx: Transaction, seated_game: SeatedGame, seat: SeatRow) -> bool:
    return (await captains_of(tx, seated_game)).has_opponents(seat.team)


def _opposing_people(seated_game: SeatedGame, seat: SeatRow) -> list[SeatRow]:
    return [other for other in seated_game.seats if other.team != seat.team and other.user_id and not other.conceded]


async def _extensions_left(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, until: int) -> int | None:
    """Return how many extensions the captain's side has left after one until `until` (Unix seconds).

    Negative if another side must agree; None if there have only been computers there.
    """
    game = seated_game.game
    if not await _has_opponents(tx, seated_game, seat):
        return None
    if until > game.pace.phase_end(_require_deadline(game)):
        return -1  # longer than a phase
    return game.extensions - await _extensions_used(tx, seated_game, seat.team) - 1


async def _extensions_used(tx: Transaction, seated_game: SeatedGame, team: int) -> int:
    """Return how many extensions a side has used. Those that the other side agreed to do not count."""
    seat_numbers = [entry.seat for entry in await tx.audit_log.of_game(seated_game.game.id) if entry.kind == "extended"]
    return sum(seated_game.seats[seat_no].team == team for seat_no in seat_numbers if seat_no is not None)
