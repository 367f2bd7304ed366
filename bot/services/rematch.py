"""The same game once more: a lobby with the settings of one that is over, its sides swapped, its captains invited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.ratings.rematching import is_unchanged_rematch, rematch_setup
from bot.lifecycle.ratings.unrating import was_opened_rated
from bot.lifecycle.steps.early import was_opened_early
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_lobby
from bot.services import servers
from bot.services.lobby import NewGame
from bot.store.models.records import Game, Player, SeatRow
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction

_REMATCH_FACT_PREFIX: Final = "rematch."
"""What is remembered of a game: the number of its rematch."""
_PREVIOUS_FACT_PREFIX: Final = "rematch_of."
"""What is remembered of a rematch: the number of the game before."""


async def find_open_rematch(tx: Transaction, game_id: int) -> Game | None:
    """The rematch of a game, if one was opened and not called off."""
    number = await tx.facts.find(f"{_REMATCH_FACT_PREFIX}{game_id}")
    game = await tx.games.find_for_update(int(number)) if number else None
    return None if game is None or game.phase == "cancelled" else game


async def find_previous_game(tx: Transaction, game_id: int) -> int | None:
    """The number of the game whose rematch this one is; None if it was not opened as one, or that game is deleted."""
    number = await tx.facts.find(f"{_PREVIOUS_FACT_PREFIX}{game_id}")
    return int(number) if number and await tx.games.find_for_update(int(number)) else None


async def forget(tx: Transaction, game_id: int) -> None:
    """Remember nothing more of a game that is deleted; its rematch goes on as any other game."""
    known = {**await tx.facts.with_prefix(_REMATCH_FACT_PREFIX), **await tx.facts.with_prefix(_PREVIOUS_FACT_PREFIX)}
    named = (f"{_REMATCH_FACT_PREFIX}{game_id}", f"{_PREVIOUS_FACT_PREFIX}{game_id}")
    await tx.facts.delete([key for key, value in known.items() if key in named or value == str(game_id)])


async def is_rematch_promised(tx: Transaction, playing: SeatedGame, again: SeatedGame) -> bool:
    """Whether a game's rematch is what its captains have accepted: the same settings, and all of them, sides swapped.

    A stranger may join in the place of one who declined; but nobody else has agreed to play with them.
    """
    sides = zip(playing.seats, swap_sides(playing.seats), strict=True)
    promised = Counter((seat.team, was.user_id) for seat, was in sides)
    there = Counter((seat.team, seat.user_id) for seat in again.seats)
    same = await is_unchanged_rematch(tx, playing.game, again.game)
    return same and there == promised and not any(one.is_free for one in again.seats)


async def open_rematch(
    tx: Transaction,
    playing: SeatedGame,
    host: Player,
    *,
    roles: Sequence[int] = (),
    manager: bool = False,
    seed: str,
    now: int,
) -> int:
    """Open it for one of the captains, with a seat kept for each of the others. Its number. Raises `Refusal`."""
    game = playing.game
    if game.phase != "over" or game.parent_id is not None:
        raise Refusal("stale")  # what a battle was fought for is over with it
    if playing.seat_of(host.user_id) is None:
        raise Refusal("not_seated")
    wish = await servers.admit_new_game(
        tx,
        NewGame(
            system=game.system,
            guild_id=game.guild_id,
            channel_id=game.channel_id,
            locale=game.locale,
            pace=game.pace,
            roles=tuple(roles),
            manager=manager,
        ),
    )
    opening = NewGameRow.copy_of(
        game,
        setup=rematch_setup(game),
        seed=seed,
        created_at=now,
        locale=wish.locale,
        host_id=host.user_id,
        rated=await was_opened_rated(tx, game),
        early=await was_opened_early(tx, game),
    )
    game_id = await tx.games.add(opening)
    for seat, was in zip(playing.seats, swap_sides(playing.seats), strict=True):
        hosts = was.user_id == host.user_id
        await tx.seats.add(
            game_id=game_id,
            seat=seat.seat,
            team=seat.team,
            user_id=was.user_id if hosts else None,
            computer=was.computer,
            kept_for=None if hosts else was.user_id,
        )
    await tx.players.remember(host)
    asked_before = await tx.facts.find(f"{_REMATCH_FACT_PREFIX}{game.id}") is not None
    await tx.facts.store(f"{_REMATCH_FACT_PREFIX}{game.id}", str(game_id))
    await tx.facts.store(f"{_PREVIOUS_FACT_PREFIX}{game_id}", str(game.id))
    await enqueue.update_lobby(tx, game_id, now=now)
    if not asked_before:  # who called a rematch off and asks again rings nobody once more: the lobby is there
        others = [seat.user_id for seat in playing.seats if seat.user_id not in (None, host.user_id)]
        await enqueue.invite_to_rematch(tx, game_id, filter(None, others), of=game.id, now=now)
    return game_id


async def decline_rematch(tx: Transaction, playing: SeatedGame, user_id: int, *, now: int) -> None:
    """Say no to the rematch of a game; it is called off if nobody else is there or awaited. Raises `Refusal`."""
    if playing.seat_of(user_id) is None:
        raise Refusal("not_seated")
    there = await find_open_rematch(tx, playing.game.id)
    if there is None:
        raise Refusal("lapsed")
    again = await load_seated_game(tx, there.id)
    refuse_unless_lobby(again.game)
    mine = [seat for seat in again.seats if seat.is_free and seat.kept_for == user_id]
    if not mine:
        raise Refusal("lapsed")
    for seat in mine:
        await tx.seats.change(there.id, seat.seat, kept_for=None)
    left = {one for seat in again.seats for one in (seat.user_id, seat.kept_for)} - {None, user_id, there.host_id}
    if not left:
        await tx.games.change(there.id, phase="cancelled", ended_at=now)
    await enqueue.update_lobby(tx, there.id, now=now)
    await enqueue.update_invitations(tx, there.id, now=now)
    await enqueue.report_declined_rematch(tx, there, user_id, of=playing.game.id, now=now)


def swap_sides(seats: Sequence[SeatRow]) -> list[SeatRow]:
    """Who has each seat when the sides change: its like on the other side; where those are not equal, nobody moves."""
    teams: dict[int, list[SeatRow]] = {}
    for seat in seats:
        teams.setdefault(seat.team, []).append(seat)
    sides = [teams[team] for team in sorted(teams)]
    if len({len(side) for side in sides}) > 1:
        return list(seats)
    turned = {
        seat.seat: other
        for side, others in zip(sides, [*sides[1:], *sides[:1]], strict=True)
        for seat, other in zip(side, others, strict=True)
    }
    return [turned[seat.seat] for seat in seats]
