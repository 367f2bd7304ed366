"""Stop and resume a game's clock, and move its deadlines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.store.models.records import Game, LogEntryRow, RequestRow
from bot.store.queries.transaction import Transaction

PAUSED: Final = "paused"
STUCK: Final = "stuck"
DESERTED: Final = "deserted"
MUTED: Final = "muted"
GAP: Final = "gap"  # all clocks were moved by a gap (`bot.lifecycle.process.gaps`), from `since` to `until`
_STOPPING_ACTS: Final = (PAUSED, "homeless", "exiled", "left_out", STUCK, DESERTED, MUTED)
Ending = Literal["resumed", "returned", "ran_on", "unmuted", "mended", "taken_up", "readmitted", "pause_over"]
ENDINGS: Final = get_args(Ending)


def gap_seconds(acts: Iterable[LogEntryRow], since: int = 0) -> int:
    """Return for how long after `since` nobody could act, because the bot or Discord was down, by the game's log."""
    gaps = [(max(int(act.params["since"]), since), int(act.params["until"])) for act in acts if act.kind == GAP]
    return sum(max(0, ended - began) for began, ended in gaps)


def paused_seconds(acts: Iterable[LogEntryRow], since: int, until: int) -> int:
    finished_pauses = ((began, ended) for began, ended in pauses(acts) if ended is not None)
    return sum(max(0, min(ended, until) - max(began, since)) for began, ended in finished_pauses)


def pauses(acts: Iterable[LogEntryRow], kinds: Collection[str] = _STOPPING_ACTS) -> Iterator[tuple[int, int | None]]:
    """Yield begin and end (Unix seconds; None: not ended) of each pause. Acts of `kinds` begin pauses."""
    began = None
    for act in acts:
        if act.kind in kinds:
            began = act.at if began is None else began
        elif began is not None and act.kind in ENDINGS:
            yield began, act.at
            began = None
    if began is not None:
        yield began, None


async def stopping_act_kind(tx: Transaction, game_id: int) -> str:
    """Return why the game's clock stands still: the kind of the log entry that stopped it; "" if the clock runs."""
    game = await tx.games.find_for_update(game_id)
    stop_act = await stopping_act(tx, game) if game else None
    return stop_act.kind if stop_act else ""


async def stopping_act(tx: Transaction, game: Game) -> LogEntryRow | None:
    acts = [act for act in await tx.audit_log.of_game(game.id) if act.kind in _STOPPING_ACTS]
    return acts[-1] if acts and game.paused_at is not None else None


async def refuse_unresumable(tx: Transaction, game: Game, *, sanctioned: bool = False) -> None:
    """Raise `Refusal` if the game cannot be resumed by request: its channel is gone, or a fault of the bot stopped it.

    The channel may have been deleted after the game was paused. If the thread takes no messages, the game resumes only
    if a manager has `sanctioned` it.
    """
    if await enqueue.is_channel_deleted(tx, game):
        raise Refusal("homeless")
    stop_kind = await stopping_act_kind(tx, game.id)
    if stop_kind in ("exiled", STUCK) or (stop_kind == MUTED and not sanctioned):
        raise Refusal(stop_kind)


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
    """Stop a game's clock and those of battles at its fixed hours. A log entry of this kind gives the reason."""
    await tx.games.change(game.id, paused_at=now, idle_since=now)
    rows = await tx.requests.open_of_game(game.id)
    await reminders.cancel_reminders(tx, rows, now=now)
    await enqueue.add_log_entry(tx, game, kind, now=now, user_id=user_id, seat=seat, **params)
    await _update_deadlines(tx, game, rows, now=now)
    for battle in await _dependent_battles(tx, game):
        if battle.paused_at is None:
            await stop_clock(tx, battle, kind, now=now, user_id=user_id)


async def _dependent_battles(tx: Transaction, game: Game) -> list[Game]:
    # Battles with fixed hours (`since`) stop and resume with their parent game.
    playing_phases = ("running", "resolving")
    return [
        battle
        for battle in await tx.games.battles_of(game.id)
        if battle.pace.since is not None and battle.phase in playing_phases
    ]


async def hold_clock(tx: Transaction, game: Game, kind: str, *, now: int) -> bool:
    """Stop the clock for a reason that nobody requested, logged under `kind`. Return whether it was running."""
    was_running = game.phase == "running" and game.deadline is not None and game.paused_at is None
    if was_running:
        await stop_clock(tx, game, kind, now=now)
    return was_running


async def stop_stuck_game(tx: Transaction, game_id: int, *, now: int) -> Game | None:
    """Stop the clock of a game that cannot advance, and announce it once. Return the game if that is news.

    A battle's parent game announces it, too, since it will soon wait for the battle.
    """
    game = await tx.games.find_for_update(game_id)
    if game is None or game.phase not in ("running", "resolving") or await stopping_act_kind(tx, game_id):
        return None
    version = game.version + 1
    await tx.games.change(game_id, phase="running", version=version, claimed_at=None)
    game = structs.replace(game, phase="running", version=version, claimed_at=None)
    if not await hold_clock(tx, game, STUCK, now=now):
        await enqueue.add_log_entry(tx, game, STUCK, now=now)
    if game.parent_id is not None and (parent := await tx.games.find_for_update(game.parent_id)):
        await enqueue.add_log_entry(tx, parent, "battle_stuck", now=now, number=game_id)
    return game


def refuse_fixed_hours(game: Game) -> None:
    """Raise `Refusal` if the game is a battle with fixed hours, on which its parent game relies."""
    if game.pace.since is not None:
        raise Refusal("fixed_hours", number=game.parent_id or 0)


def refuse_without_deadline(game: Game, to_round: int, *, now: int) -> None:
    """Raise `Refusal` if a battle cannot replay its rounds from `to_round` before its last hour."""
    now = game.paused_at or now
    rounds = game.setup.rounds
    last_round = to_round if rounds is UNSET else max(rounds, to_round)
    if not game.pace.has_time_for(now, to_round, last_round):
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
    asked: int | None = None,
) -> None:
    """Resume a stopped clock with the time that was left, or with a whole phase if `anew`.

    `asked`: the log entry of the request that this fulfils.

    Raises `Refusal` if the clock runs.
    """
    if game.paused_at is None:
        raise Refusal("not_paused")
    paused_s = now - game.paused_at
    idle_since = None if game.parent_id is not None else now
    await tx.games.change(game.id, paused_at=None, idle_since=idle_since, pace=game.pace.postponed(paused_s))
    deadlines: dict[str, int] = {}
    for row, deadline in await requests_with_deadlines(tx, game.id):
        if anew:
            deadlines[row.id] = game.pace.phase_end(now)
        else:
            deadlines[row.id] = game.pace.resumed_deadline(deadline, paused_at=game.paused_at, now=now)
    asked_at = {row.id: row.asked_at + paused_s for row in await tx.requests.open_of_game(game.id)}
    until = await set_deadlines(tx, game, deadlines, now=now, asked_at=asked_at)
    fulfilled = {} if asked is None else {"asked": asked}
    await enqueue.add_log_entry(tx, game, kind, now=now, user_id=user_id, seat=seat, until=until, **fulfilled)
    for battle in await _dependent_battles(tx, game):
        if battle.paused_at is not None and await requests_with_deadlines(tx, battle.id):
            await resume_clock(tx, battle, kind, now=now, user_id=user_id)
        elif battle.paused_at is not None:  # its round is being resolved
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
    """Set deadlines of requests by id. Return the game's deadline (Unix seconds): `until`, or the first of them.

    After a pause `asked_at` is set too, because pauses do not count as time to answer.
    """
    until = min(deadlines.values()) if until is None else until
    await tx.games.change(game.id, deadline=until)
    changed_rows: list[RequestRow] = []
    for row in await tx.requests.open_of_game(game.id):
        if row.id in deadlines:
            # The draft has not changed: its version stays, and with it the buttons that carry the version.
            columns = {"deadline": deadlines[row.id], "asked_at": (asked_at or {}).get(row.id, row.asked_at)}
            moved = await tx.requests.change(row, version=row.version, **columns)
            if moved:
                changed_rows.append(moved)
    await reminders.schedule_reminders(tx, changed_rows, now=now)
    await _update_deadlines(tx, game, changed_rows, now=now)
    return until


async def requests_with_deadlines(tx: Transaction, game_id: int) -> list[tuple[RequestRow, int]]:
    return [(row, row.deadline) for row in await tx.requests.open_of_game(game_id) if row.deadline is not None]


async def _update_deadlines(tx: Transaction, game: Game, rows: Sequence[RequestRow], *, now: int) -> None:
    for row in rows:
        if await tx.messages.find(game.id, enqueue.panel_subject(row).key):
            await enqueue.update_panel(tx, row, at=now)
    await enqueue.update_seals(tx, rows, now=now)
    await enqueue.close_lapsed_requests(tx, game, now=now)
