"""Open, report and call off battles: games whose result answers a request of another game, the parent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import Game, SeatRow, StepCause
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.style import PLAIN_STYLE
from rules.core.protocol import Request
from rules.core.replay import battle_seed, seed_after_restores

_OPEN_PHASES: Final = ("lobby", "running", "resolving")


async def open_battle(
    tx: Transaction, parent: Game, request: Request, *, causes: Iterable[StepCause], number: int, now: int
) -> None:
    """Open a battle with the same captains, whose result answers `request`. It begins by itself.

    A battle is not rated, like a single round: its effect is rated with the parent game. Its seed follows from the
    parent's dice seed, `causes` of its steps, and `number` (`undo.count_dice_moves`). Nobody could predict it before
    all words were in.
    """
    seated_game = await load_seated_game(tx, parent.id)
    battle = request.battle
    parent_seats = seated_game.seats
    assert battle is not None  # noqa: S101 - the caller has looked
    seed = battle_seed(seed_after_restores(seated_game.dice_seed, causes), request.id, number)
    battle_columns: dict[str, Any] = {"parent_id": parent.id, "parent_request": request.id}
    if battle.name:
        catalogue = Catalogue.load(language_for_locale(parent.locale), parent.system)
        battle_columns["name"] = str(Localizer(catalogue, style=PLAIN_STYLE).say_text(battle.name))
    if battle.parts:
        # No time passes while the parent game is paused: the battle's hours move with it.
        since = _phase_end(parent, parent.paused_at or now, parent.pace.phase_length_s // battle.parts)
        # The parent relies on the battle's hours, which is why they cannot be extended.
        battle_columns |= {"pace": parent.pace.for_battle(battle.parts, since), "extensions": 0, "early": True}
    battle_row = NewGameRow.copy_of(
        parent, setup=battle.setup, seed=seed, created_at=now, rated=False, **battle_columns
    )
    game_id = await tx.games.add(battle_row)
    for seat, (team, parent_seat) in enumerate(zip(battle.setup.teams, battle.seats, strict=True)):
        user_id = parent_seats[parent_seat].user_id
        conceded = parent_seats[parent_seat].conceded
        computer = user_id is None
        await tx.seats.add(game_id=game_id, seat=seat, team=team, user_id=user_id, computer=computer, conceded=conceded)
    await enqueue.add_log_entry(tx, parent, enqueue.BATTLE_OPENED, now=now, number=game_id)


def _phase_end(parent: Game, now: int, round_s: int) -> int:
    """Return when the last phase of the parent ended: its deadline, or `now` if it ended early or much too late."""
    deadline = parent.deadline
    if deadline is None:
        return now
    has_just_passed = now - round_s // 4 <= deadline <= now  # at most a quarter of a battle's round ago
    return deadline if has_just_passed else now


async def begin_battle(tx: Transaction, game: Game, *, now: int) -> None:
    """Seat the captains of a battle that begins, and announce it."""
    put_by_in_parent = {
        captaincy.user_id: captaincy.put_by
        for captaincy in await tx.captaincies.of_game(game.parent_id or 0)
        if captaincy.to_step is None
    }
    for seat in await tx.seats.of_game(game.id):
        if seat.user_id is not None:
            put_by = put_by_in_parent.get(seat.user_id)
            await tx.captaincies.begin(game.id, seat.seat, user_id=seat.user_id, from_step=0, put_by=put_by)
    await enqueue.announce_start(tx, game.id, now=now)
    # A battle with fixed hours (`since`) begins stopped if its parent's clock is stopped.
    parent = await tx.games.find_for_update(game.parent_id or 0)
    stop_act = await clock.stopping_act(tx, parent) if parent and game.pace.since is not None else None
    if parent and parent.paused_at is not None and stop_act:
        await clock.stop_clock(tx, game, stop_act.kind, now=parent.paused_at, user_id=stop_act.user_id)


async def battle_seats_of(
    tx: Transaction, game_id: int, seat: SeatRow, *, given_up: bool = False
) -> list[tuple[SeatedGame, SeatRow]]:
    """Return the captain's seats in running battles of a game, and in battles of those.

    `given_up`: the seats that the captain has conceded instead of those still held.
    """
    battle_seats: list[tuple[SeatedGame, SeatRow]] = []
    for game in await tx.games.battles_of(game_id):
        row = await tx.requests.find(game_id, game.parent_request or "")
        if game.phase not in _OPEN_PHASES or row is None or row.body.battle is None:
            continue
        seated_game = await load_seated_game(tx, game.id)
        for parent_seat, battle_seat in zip(row.body.battle.seats, seated_game.seats, strict=True):
            if parent_seat == seat.seat and battle_seat.user_id == seat.user_id and battle_seat.conceded is given_up:
                battle_seats += [
                    (seated_game, battle_seat),
                    *await battle_seats_of(tx, game.id, battle_seat, given_up=given_up),
                ]
    return battle_seats


async def has_same_captain_above(tx: Transaction, game: Game, seat: SeatRow) -> bool:
    """Return whether the captain of a battle's seat also holds the seat of the parent game for which it fights."""
    if game.parent_id is None or seat.user_id is None:
        return False
    row = await tx.requests.find(game.parent_id, game.parent_request or "")
    if row is None or row.body.battle is None:
        return False
    parent_seats = await tx.seats.of_game(row.game_id)
    return parent_seats[row.body.battle.seats[seat.seat]].user_id == seat.user_id


async def seats_conceded_above(tx: Transaction, game: Game) -> set[int]:
    """Return the seats of a battle whose captains have conceded the parent game."""
    row = await tx.requests.find(game.parent_id or 0, game.parent_request or "")
    if row is None or row.body.battle is None:
        return set()
    parent_seats = await tx.seats.of_game(row.game_id)
    battle_seats = await tx.seats.of_game(game.id)
    pairs = zip(battle_seats, row.body.battle.seats, strict=True)
    return {
        seat.seat
        for seat, parent_seat in pairs
        if parent_seats[parent_seat].conceded and parent_seats[parent_seat].user_id == seat.user_id
    }


async def call_off_battles(tx: Transaction, parent_id: int, request_ids: Collection[str], *, now: int) -> None:
    if not request_ids:
        return
    for game in await tx.games.battles_of(parent_id):
        if game.parent_request in request_ids and game.phase in _OPEN_PHASES:
            rows = await tx.requests.open_of_game(game.id)
            await tx.requests.close(rows)
            await enqueue.close_panels(tx, rows, answered=(), now=now)
            await tx.games.change(
                game.id, phase="cancelled", version=game.version + 1, claimed_at=None, deadline=None, ended_at=now
            )


async def detach_battles(tx: Transaction, parent_id: int, names: Mapping[str, str], *, now: int) -> None:
    """Call off battles of these requests and rename them, so that they cannot answer a request that is asked again."""
    await call_off_battles(tx, parent_id, names, now=now)
    await rename_battle_requests(tx, parent_id, names)


async def rename_battle_requests(tx: Transaction, parent_id: int, names: Mapping[str, str]) -> None:
    """Point battles at renamed requests; `names` maps old request ids to new ones."""
    for game in await tx.games.battles_of(parent_id):
        if name := names.get(game.parent_request or ""):
            await tx.games.change(game.id, parent_request=name)
