"""Rematches: lobbies with the settings of a finished game, its sides swapped and its captains invited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import abandoning
from bot.lifecycle.ratings import newcomers
from bot.lifecycle.ratings.rematching import is_unchanged_rematch, rematch_setup
from bot.lifecycle.ratings.unrating import was_opened_rated
from bot.lifecycle.steps.early import was_opened_early
from bot.lifecycle.steps.exchange import exchange_sides
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_lobby
from bot.services import servers
from bot.services.lobby import NewGame
from bot.store.models.records import Game, Player
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction
from rules.chance import fairness

_REMATCH_FACT_PREFIX: Final = "rematch."
_PREVIOUS_FACT_PREFIX: Final = "rematch_of."


async def find_open_rematch(tx: Transaction, game_id: int) -> Game | None:
    """Return a game's rematch, unless none was opened or it was cancelled."""
    rematch_id = await tx.facts.find(f"{_REMATCH_FACT_PREFIX}{game_id}")
    game = await tx.games.find_for_update(int(rematch_id)) if rematch_id else None
    return None if game is None or game.phase == "cancelled" else game


async def find_previous_game(tx: Transaction, game_id: int) -> int | None:
    """Return the id of the game before a rematch; None if this is no rematch or that game was deleted."""
    fact = await tx.facts.find(f"{_PREVIOUS_FACT_PREFIX}{game_id}")
    if not fact:
        return None
    previous_id = int(fact)
    # Without a lock: everyone who accepts a rematch locks the finished game first.
    return previous_id if await tx.games.find_without_lock(previous_id) else None


async def forget(tx: Transaction, game_id: int) -> None:
    """Delete what is stored about a game's rematches, and that it is one."""
    facts = {**await tx.facts.with_prefix(_REMATCH_FACT_PREFIX), **await tx.facts.with_prefix(_PREVIOUS_FACT_PREFIX)}
    own_keys = (f"{_REMATCH_FACT_PREFIX}{game_id}", f"{_PREVIOUS_FACT_PREFIX}{game_id}")
    await tx.facts.delete([key for key, value in facts.items() if key in own_keys or value == str(game_id)])


async def is_rematch_promised(tx: Transaction, seated_game: SeatedGame, rematch: SeatedGame) -> bool:
    """Return whether a rematch has the game's settings and all its captains, sides swapped, as they have accepted.

    A stranger may take the place of a captain who declined, but then the others have not agreed to play with them.
    """
    new_holders = exchange_sides(seated_game.seats)
    promised = Counter((seat.team, holder.user_id) for seat, holder in zip(seated_game.seats, new_holders, strict=True))
    present = Counter((seat.team, seat.user_id) for seat in rematch.seats)
    is_unchanged = await is_unchanged_rematch(tx, seated_game.game, rematch.game)
    return is_unchanged and present == promised and not any(seat.is_free for seat in rematch.seats)


def refuse_unless_captain_of_finished(seated_game: SeatedGame, user_id: int) -> None:
    """Raise `Refusal` unless a game is over and the user has a seat in it."""
    game = seated_game.game
    if game.phase != "over" or game.parent_id is not None or game.is_match:
        raise Refusal("stale")  # a battle, and the first game of a match, are only a part of something
    if seated_game.seat_of(user_id) is None:
        raise Refusal("not_seated")


async def open_rematch(
    tx: Transaction,
    seated_game: SeatedGame,
    host: Player,
    *,
    roles: Sequence[int] = (),
    manager: bool = False,
    second_seed: str,
    now: int,
) -> int:
    """Open a rematch for one of the captains, with reserved seats for the others; return its id. Raises `Refusal`."""
    refuse_unless_captain_of_finished(seated_game, host.user_id)
    game = seated_game.game
    request = await servers.admit_new_game(
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
    rated = await was_opened_rated(tx, game)
    if rated:
        await abandoning.refuse_barred(tx, host.user_id, now=now)
    thrown_away = await abandoning.times_thrown_away(tx, host.user_id, now=now)
    new_game = NewGameRow.copy_of(
        game,
        setup=await rematch_setup(tx, game),
        seed=fairness.first_game_seed(second_seed),
        second_seed=second_seed,
        created_at=now,
        locale=request.locale,
        host_id=host.user_id,
        rated=rated,
        early=await was_opened_early(tx, game),
        is_match=game.first_game_id is not None,
    )
    game_id = await tx.games.add(new_game)
    await newcomers.note_choice(tx, game_id)  # a rematch is rated as its game was
    for seat, holder in zip(seated_game.seats, exchange_sides(seated_game.seats), strict=True):
        is_host = holder.user_id == host.user_id
        await tx.seats.add(
            game_id=game_id,
            seat=seat.seat,
            team=seat.team,
            user_id=holder.user_id if is_host else None,
            computer=holder.computer,
            kept_for=None if is_host else holder.user_id,
            **abandoning.as_columns(thrown_away if is_host else abandoning.ThrownAway()),
        )
    await tx.players.remember(host)
    was_opened_before = await tx.facts.find(f"{_REMATCH_FACT_PREFIX}{game.id}") is not None
    await tx.facts.store(f"{_REMATCH_FACT_PREFIX}{game.id}", str(game_id))
    await tx.facts.store(f"{_PREVIOUS_FACT_PREFIX}{game_id}", str(game.id))
    await enqueue.update_lobby(tx, game_id, now=now)
    if not was_opened_before:  # captains are notified only of the first rematch that is opened
        invited = [seat.user_id for seat in seated_game.seats if seat.user_id and seat.user_id != host.user_id]
        await enqueue.invite_to_rematch(tx, game_id, invited, of=game.id, now=now)
    return game_id


async def decline_rematch(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> None:
    """Free the seats reserved for a user in a rematch; cancel it if only its host is left."""
    if seated_game.seat_of(user_id) is None:
        raise Refusal("not_seated")
    rematch = await find_open_rematch(tx, seated_game.game.id)
    if rematch is None:
        raise Refusal("lapsed")
    lobby_game = await load_seated_game(tx, rematch.id)
    refuse_unless_lobby(lobby_game.game)
    reserved_seats = [seat for seat in lobby_game.seats if seat.is_free and seat.kept_for == user_id]
    if not reserved_seats:
        raise Refusal("lapsed")
    for seat in reserved_seats:
        await tx.seats.change(rematch.id, seat.seat, kept_for=None)
    users = {user for seat in lobby_game.seats for user in (seat.user_id, seat.kept_for) if user is not None}
    other_users = users - {user_id, rematch.host_id}
    if not other_users:
        await tx.games.change(rematch.id, phase="cancelled", ended_at=now)
    await enqueue.update_lobby(tx, rematch.id, now=now)
    await enqueue.update_invitations(tx, rematch.id, now=now)
    await enqueue.report_declined_rematch(tx, rematch, user_id, of=seated_game.game.id, now=now)
