"""Find gaps, times in which no captain could act, and move deadlines by them.

A deadline is a span of time in which the captain could have answered. While captains can act, each process stores a
beat for each of its shards every minute (`Pulse` says whether they can). Two beats that are more than two minutes
apart have a gap between them: the bot was stopped, Discord was away, the machine slept, or the clock was set. Before a
process's first beat of a shard, and after it saw that captains could not act, any time since the last beat is a gap:
a bot that crashes again and again takes no time from anybody. The next beat is stored in the same transaction that
moves all clocks by the gap. A fresh beat therefore means that no gap is left to be counted, and a deadline counts as
missed only while the beat of its game's shard is fresh (`GapCorrector.is_fresh`).

Discord sends direct messages, and presses in them, to shard 0. Captains of all shards need shard 0, too: a beat of
another shard is at most `MAX_INTERVAL_S` later than the last one of shard 0.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from bot.lifecycle.people.agreement import TIME_REQUESTS, extend_time_request, is_request_open
from bot.lifecycle.process.pulse import MAX_BEAT_INTERVAL_S, MAX_INTERVAL_S, AliveSpan, Pulse, is_fresh
from bot.lifecycle.steps import clock
from bot.store import NotWritten, Store
from bot.store.models.records import Game, LogEntryRow
from bot.store.models.subjects import LogEntrySubject, TimeRequestSubject
from bot.store.queries.transaction import Transaction

log = logging.getLogger(__name__)

MIN_ANNOUNCED_GAP_S: Final = 300  # gaps of at least this many seconds are announced in the game's thread
_MIN_STORE_INTERVAL_S: Final = 30
_MAX_IGNORED_S: Final = 5  # no bot stops, starts and connects faster


class Gap(NamedTuple):
    """Time in which no captain could act."""

    began: int  # Unix seconds
    ended: int  # Unix seconds; before `began` if the clock was set back

    @property
    def length_s(self) -> int:
        return self.ended - self.began

    def part_for(self, game: Game, asked_at: int) -> Gap | None:
        """Return the part of this gap that delays a request made at `asked_at` in a game; None if there is none.

        Time in a pause is left out: resuming the game adds it.
        """
        if self.length_s < 0:
            # The clock was set back. A request made just before `ended` already has the new time.
            uses_new_clock = self.ended - MAX_BEAT_INTERVAL_S <= asked_at <= self.ended
            return None if uses_new_clock or game.paused_at is not None else self
        ended = self.ended if game.paused_at is None else min(self.ended, game.paused_at)
        began = max(self.began, asked_at)
        return Gap(began, ended) if began < ended else None


def gap_between(beat: int, alive: AliveSpan, *, was_interrupted: bool = False) -> Gap | None:
    """Return the gap between a shard's last beat and `alive`; None if there is none.

    It is negative if the clock was set back. `was_interrupted`: captains could not act all the time since the beat.
    """
    was_set_back = alive.until < beat
    gap = Gap(beat, alive.until if was_set_back else alive.since)
    max_ignored_s = _MAX_IGNORED_S if was_interrupted and not was_set_back else MAX_BEAT_INTERVAL_S
    return gap if abs(gap.length_s) > max_ignored_s and (was_set_back or alive.since > beat) else None


def _latest_next_beat(beat: int, direct_beat: int, alive: AliveSpan) -> int | None:
    """Return the latest next beat of a shard whose last one is `beat`, if that is before the end of `alive`, else None.

    `direct_beat` is the last beat of shard 0, which has the direct messages.
    """
    if alive.until < beat:
        return None  # the clock was set back
    by_old_clock = direct_beat > alive.until + MAX_BEAT_INTERVAL_S  # shard 0 has not noticed a clock set back
    limit = beat if by_old_clock else max(beat, direct_beat + MAX_INTERVAL_S)
    return limit if alive.until > limit else None


class GapCorrector:
    def __init__(self, store: Store, pulse: Pulse) -> None:
        self._store = store
        self.pulse: Final = pulse
        self._last_beats: dict[int, int] = {}  # time of the last stored beat by shard (Unix seconds)
        self._uninterrupted: set[int] = set()  # shards whose captains could act since this process's first beat
        self._limited: set[int] = set()  # shards that lag only because shard 0, with the direct messages, is behind
        self._lock = asyncio.Lock()
        self._is_waiting = False  # whether a shard cannot store its beat now, so that deadlines wait

    async def check(self, now: int) -> None:
        async with self._lock:
            await self.pulse.refresh()
            await self._store_beats(now)

    async def store_last_beats(self, now: int) -> None:
        async with self._lock:
            with suppress(NotWritten):  # the gap will begin a little earlier
                await self._store_beats(now)

    async def _store_beats(self, now: int) -> None:
        alive_spans = {shard: span for shard in self._own_shards() if (span := self.pulse.alive_span(shard))}
        self._uninterrupted &= alive_spans.keys()
        for shard, span in alive_spans.items():
            since_last_s = span.until - self._last_beats.get(shard, -_MIN_STORE_INTERVAL_S)
            was_just_stored = 0 <= since_last_s < _MIN_STORE_INTERVAL_S
            # A transaction that locks all games (`of_many`) is needed only after a gap.
            if not was_just_stored and not await self._store_beat(shard, span, now, of_many=False):
                await self._store_beat(shard, span, now, of_many=True)
        self._log_waiting(waits=len(alive_spans) < len(self._own_shards()) or bool(self._limited & alive_spans.keys()))

    async def check_if_late(self, now: int) -> None:
        if not all(is_fresh(self._last_beats.get(shard), now) for shard in self._own_shards()):
            await self.check(now)

    def is_fresh(self, shard: int, beat: int | None, now: int) -> bool:
        """Return whether captains of a shard could act until now, so that deadlines count."""
        is_counted = shard in self._uninterrupted or shard not in self._own_shards()
        return is_counted and is_fresh(beat, now)

    def _own_shards(self) -> Sequence[int]:
        share = self._store.current_share()
        return (0,) if share is None else sorted(share.held_tokens)

    def _log_waiting(self, *, waits: bool) -> None:
        if waits and not self._is_waiting and self._last_beats:
            log.warning("deadlines wait until captains can act")
        self._is_waiting = waits

    async def _store_beat(self, shard: int, alive: AliveSpan, now: int, *, of_many: bool) -> bool:
        """Store a shard's next beat; after a gap, move the clocks of its games, which needs a transaction `of_many`.

        Return False if it must be repeated with `of_many`.
        """
        moved_count = 0
        async with self._store.write(of_many=of_many) as tx:
            if shard not in await tx.beats.all_beats():
                if not of_many:
                    return False  # other bots may do so, too
                await tx.beats.create_missing(alive.until)
            beats = await tx.beats.all_beats()
            beat = beats[shard]
            self._limited.discard(shard)
            # The beat of another shard must not run far ahead of shard 0, which has the direct messages.
            limit = _latest_next_beat(beat, beats[0], alive) if shard else None
            if limit is not None:
                if not is_fresh(limit, alive.until):
                    self._limited.add(shard)
                alive = AliveSpan(min(alive.since, limit), limit)
            gap = gap_between(beat, alive, was_interrupted=shard not in self._uninterrupted)
            if gap and not of_many:
                return False
            if gap or alive.until > beat:
                if not await tx.beats.store_beat(shard, before=beat, at=alive.until):
                    return True  # another bot was faster
                beat = alive.until
            if gap:
                moved_count = await _move_all(tx, shard, gap, now)
        self._last_beats[shard] = beat
        if limit is None:
            self._uninterrupted.add(shard)
        if gap:
            log.warning(
                "deadlines moved: captains could not act",
                extra={"for_s": gap.length_s, "since": gap.began, "shard": shard, "games": moved_count},
            )
        return True


async def _move_all(tx: Transaction, shard: int, gap: Gap, now: int) -> int:
    """Move all clocks of a shard's games by a gap. Return the number of games."""
    if gap.length_s < 0:
        await tx.beats.set_back(shard, now=gap.ended, by=-gap.length_s)
    await tx.beats.move_terms(shard, began=gap.began, ended=gap.ended)
    open_games = [game for game in await tx.games.games_in_progress() if tx.beats.shard_of(game.guild_id) == shard]
    for game in open_games:
        await _move_clocks(tx, game, gap, now)
    return len(open_games)


async def _move_clocks(tx: Transaction, game: Game, whole_gap: Gap, now: int) -> None:
    """Move a game's clocks by a gap, in which no captain could act, and announce the gap if it was long."""
    acts = await tx.audit_log.of_game(game.id)
    # Time that a pause has added already is not added again.
    gap = Gap(whole_gap.began + clock.paused_seconds(acts, *whole_gap), whole_gap.ended)
    gap_of_game = gap.part_for(game, 0)
    if gap_of_game:
        await tx.games.change(game.id, pace=game.pace.postponed(gap_of_game.length_s))
    rows = await clock.requests_with_deadlines(tx, game.id)
    gap_of_request = {row.id: gap.part_for(game, row.asked_at) for row, _ in rows}
    deadlines = {row.id: _due_after(game, deadline, gap_of_request[row.id]) for row, deadline in rows}
    has_moved = any(deadlines[row.id] != deadline for row, deadline in rows)
    if has_moved and game.deadline is not None:
        # The game's deadline follows its requests' first, unless it was set apart from them.
        is_first = game.deadline == min(deadline for _, deadline in rows)
        until = min(deadlines.values()) if is_first else _due_after(game, game.deadline, gap_of_game)
        asked_at = {
            row.id: row.asked_at + part.length_s
            for row, deadline in rows
            if (part := gap_of_request[row.id]) and deadlines[row.id] != deadline
        }
        await clock.set_deadlines(tx, game, deadlines, now=now, asked_at=asked_at, until=until)
        time_requests = [act for act in acts if act.kind in TIME_REQUESTS and is_request_open(act, game, acts)]
        await _keep_open(tx, game, time_requests, gap_of_game, until=until, now=now)
    entry_id = await tx.audit_log.add_for_game(
        game, clock.GAP, now=now, params={"since": gap.began, "until": gap.ended}
    )
    if has_moved and gap.length_s >= MIN_ANNOUNCED_GAP_S:
        await tx.messages.request(game.id, LogEntrySubject(entry_id), now=now)


async def _keep_open(
    tx: Transaction, game: Game, time_requests: Sequence[LogEntryRow], gap: Gap | None, *, until: int, now: int
) -> None:
    """Keep captains' requests for time open under the game's new deadline `until`, moved by a gap themselves."""
    for time_request in time_requests:
        changed_params: dict[str, int] = {}
        if "until" in time_request.params:
            changed_params["until"] = _due_after(game, int(time_request.params["until"]), gap)
        await extend_time_request(tx, time_request, until, **changed_params)
    await tx.messages.renew_keys(
        game.id, {TimeRequestSubject(time_request.id).key for time_request in time_requests}, now=now
    )


def _due_after(game: Game, moment: int, part: Gap | None) -> int:
    return game.pace.moved_by_gap(moment, *part) if part else moment
