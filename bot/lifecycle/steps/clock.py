"""A game's clock: it is stopped, goes on with the time that was left, and its deadlines move."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from msgspec import UNSET

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.store.models.records import Game, LogEntryRow, RequestRow
from bot.store.queries.transaction import Transaction

PAUSED: Final = "paused"
"""The act with which a game's clock is stopped because somebody wished for it."""
STUCK: Final = "stuck"
"""The act with which a game's clock is stopped that can't go on."""
DESERTED: Final = "deserted"
"""The act with which a game's clock is stopped whose only captain isn't there."""
MUTED: Final = "muted"
"""The act with which a game's clock is stopped whose thread takes no messages."""
GAP: Final = "gap"
"""The act with which all clocks were moved by a gap (`bot.lifecycle.process.gaps`), from `since` to `until`."""
_STOPPING_ACTS: Final = (PAUSED, "homeless", "exiled", "left_out", STUCK, DESERTED, MUTED)
"""Acts with which a game's clock is stopped."""
Ending = Literal["resumed", "returned", "ran_on", "unmuted", "mended", "taken_up", "readmitted"]
"""The kind of an act with which a stopped clock runs again."""
_ENDS: Final = get_args(Ending)


def is_stop(kind: str) -> bool:
    """Whether an act of this kind stops a clock."""
    return kind in _STOPPING_ACTS


def gap_seconds(acts: Iterable[LogEntryRow], since: int = 0) -> int:
    """Return how many seconds after `since` (Unix) were gaps (`bot.lifecycle.process.gaps`). Pauses do not count."""
    gaps = [(max(int(act.params["since"]), since), int(act.params["until"])) for act in acts if act.kind == GAP]
    return sum(max(0, until - begun) for begun, until in gaps)


def paused_seconds(acts: Iterable[LogEntryRow], since: int, until: int) -> int:
    """Return how many seconds from `since` to `until` (Unix) lay in pauses that are over."""
    over = ((began, ended) for began, ended in pauses(acts) if ended is not None)
    return sum(max(0, min(ended, until) - max(began, since)) for began, ended in over)


def pauses(acts: Iterable[LogEntryRow], kinds: Collection[str] = _STOPPING_ACTS) -> Iterator[tuple[int, int | None]]:
    """Yield when each pause began and when it ended (Unix), or None while it lasts. Acts of `kinds` begin pauses."""
    began = None
    for act in acts:
        if act.kind in kinds:
            began = act.at if began is None else began
        elif began is not None and act.kind in _ENDS:
            yield began, act.at
            began = None
    if began is not None:
        yield began, None


async def stopping_act_kind(tx: Transaction, game_id: int) -> str:
    """The act because of which a game stands still; empty if it does not."""
    game = await tx.games.find_for_update(game_id)
    stop_act = await stopping_act(tx, game) if game else None
    return stop_act.kind if stop_act else ""


async def stopping_act(tx: Transaction, game: Game) -> LogEntryRow | None:
    """Return the act with which a game's clock was stopped; None if it runs."""
    acts = [act for act in await tx.audit_log.of_game(game.id) if is_stop(act.kind)]
    return acts[-1] if acts and game.paused_at is not None else None


async def refuse_unresumable(tx: Transaction, game: Game, *, sanctioned: bool = False) -> None:
    """Raise `Refusal` if nobody's wish lets a game go on: there is no place to tell it, or a fault of ours stops it.

    A channel may be deleted while the game is paused already. Where the thread takes no messages it goes on only if a
    manager has `sanctioned` it.
    """
    if await enqueue.is_channel_deleted(tx, game):
        raise Refusal("homeless")
    why = await stopping_act_kind(tx, game.id)
    if why in ("exiled", STUCK) or (why == MUTED and not sanctioned):
        raise Refusal(why)


async def stop_clock(
    tx: Transaction,
    game: Game,
    kind: str,
    *,
    now: int,
    user_id: int | None = None,
    seat: int | None = None,
    **params: int,
) -> None:
    """Stop a game's clock; an act of this kind says why."""
    await tx.games.change(game.id, paused_at=now)
    rows = await tx.requests.open_of_game(game.id)
    await reminders.cancel_reminders(tx, rows, now=now)
    await enqueue.add_log_entry(tx, game, kind, now=now, user_id=user_id, seat=seat, **params)
    await _update_deadlines(tx, game, rows, now=now)
    for battle in await _dependent_battles(tx, game):
        if battle.paused_at is None:
            await stop_clock(tx, battle, kind, now=now, user_id=user_id)


async def _dependent_battles(tx: Transaction, game: Game) -> list[Game]:
    """Battles that go on whose hours hang on those of this game: they stand still with it."""
    going_on = ("running", "resolving")
    return [one for one in await tx.games.battles_of(game.id) if one.pace.since is not None and one.phase in going_on]


def refuse_fixed_hours(game: Game) -> None:
    """Raise `Refusal` if a game is a battle whose rounds end at hours on which another game counts."""
    if game.pace.since is not None:
        raise Refusal("fixed_hours", number=game.parent_id or 0)


def refuse_without_deadline(game: Game, to_round: int, *, now: int) -> None:
    """Raise `Refusal` if a battle's rounds from this one on can't be played again before its last hour."""
    now, rounds = game.paused_at or now, game.setup.rounds
    last = to_round if rounds is UNSET else max(rounds, to_round)
    if not game.pace.has_time_for(now, to_round, last):
        raise Refusal("no_time_to_go_back", number=game.parent_id or 0)


async def resume_clock(
    tx: Transaction,
    game: Game,
    kind: Ending,
    *,
    now: int,
    user_id: int | None = None,
    seat: int | None = None,
    anew: bool = False,
) -> None:
    """Let a stopped clock go on with the time that was left, or `anew` with a whole phase; an act says why.

    Raises `Refusal` if it runs.
    """
    if game.paused_at is None:
        raise Refusal("not_paused")
    waited = now - game.paused_at
    await tx.games.change(game.id, paused_at=None, pace=game.pace.postponed(waited))
    deadlines = {
        row.id: game.pace.phase_end(now)
        if anew
        else game.pace.resumed_deadline(deadline, paused_at=game.paused_at, now=now)
        for row, deadline in await requests_with_deadlines(tx, game.id)
    }
    asked_at = {row.id: row.asked_at + waited for row in await tx.requests.open_of_game(game.id)}
    until = await set_deadlines(tx, game, deadlines, now=now, asked_at=asked_at)
    await enqueue.add_log_entry(tx, game, kind, now=now, user_id=user_id, seat=seat, until=until)
    for battle in await _dependent_battles(tx, game):
        if battle.paused_at is not None and await requests_with_deadlines(tx, battle.id):
            await resume_clock(tx, battle, kind, now=now, user_id=user_id)
        elif battle.paused_at is not None:  # its round is just being resolved
            await tx.games.change(battle.id, paused_at=None, pace=battle.pace.postponed(now - battle.paused_at))


async def set_deadlines(
    tx: Transaction,
    game: Game,
    deadlines: Mapping[str, int],
    *,
    now: int,
    asked_at: Mapping[str, int] | None = None,
    until: int | None = None,
) -> int:
    """Set new deadlines of requests, by their ids. Returns the game's in Unix seconds: `until`, or the first of them.

    A pause counts neither before a deadline nor after the asking: after one, `asked_at` is new as well.
    """
    until = min(deadlines.values()) if until is None else until
    await tx.games.change(game.id, deadline=until)
    rows = []
    for row in await tx.requests.open_of_game(game.id):
        if row.id in deadlines:
            # The draft has not changed: its version stays, and so do the buttons that carry it.
            columns = {"deadline": deadlines[row.id], "asked_at": (asked_at or {}).get(row.id, row.asked_at)}
            moved = await tx.requests.change(row, version=row.version, **columns)
            rows += [moved] if moved else []
    await reminders.schedule_reminders(tx, rows, now=now)
    await _update_deadlines(tx, game, rows, now=now)
    return until


async def requests_with_deadlines(tx: Transaction, game_id: int) -> list[tuple[RequestRow, int]]:
    """What is asked with a deadline, and when that is."""
    return [(row, row.deadline) for row in await tx.requests.open_of_game(game_id) if row.deadline is not None]


async def _update_deadlines(tx: Transaction, game: Game, rows: Sequence[RequestRow], *, now: int) -> None:
    """Make everything again that shows a deadline."""
    for row in rows:
        if await tx.messages.find(game.id, enqueue.panel_subject(row).key):
            await enqueue.update_panel(tx, row, at=now)
    await enqueue.update_seals(tx, rows, now=now)
    await enqueue.close_lapsed_requests(tx, game, now=now)
