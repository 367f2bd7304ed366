"""The same game once more: a lobby with the settings of one that is over, its sides swapped, its captains invited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from bot.doors import options, servers
from bot.doors.lobby import NewGame
from bot.errors import Refusal
from bot.life import enqueue
from bot.life.playing import Playing
from bot.life.unrating import opened_rated
from bot.store.games import Opening
from bot.store.queries import Transaction
from bot.store.records import Game, Player, SeatRow
from rules.registry import RULESETS

_KEPT: Final = "rematch."
"""What is remembered of a game: the number of its rematch."""


async def standing(tx: Transaction, game_id: int) -> Game | None:
    """The rematch of a game, if one was opened and not called off."""
    number = await tx.facts.find(f"{_KEPT}{game_id}")
    game = await tx.games.find(int(number)) if number else None
    return None if game is None or game.phase == "cancelled" else game


async def open_rematch(
    tx: Transaction,
    playing: Playing,
    host: Player,
    *,
    roles: Sequence[int] = (),
    manager: bool = False,
    seed: str,
    now: int,
) -> int:
    """Open it for one of the captains, with a seat kept for each of the others. Its number. Raises `Refusal`."""
    game = playing.game
    if game.phase != "over":
        raise Refusal("stale")
    if playing.seat_of(host.user_id) is None:
        raise Refusal("not_seated")
    wish = await servers.admitted(
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
    # An option that has come since is at its default, as in any other game that is opened today.
    chosen = {**options.defaults(RULESETS[game.system]), **game.setup.options}
    opening = Opening.like(
        game,
        setup=structs.replace(game.setup, options=chosen),
        seed=seed,
        created_at=now,
        locale=wish.locale,
        host_id=host.user_id,
        rated=await opened_rated(tx, game),
    )
    game_id = await tx.games.add(opening)
    for seat, was in zip(playing.seats, swapped(playing.seats), strict=True):
        hosts = was.user_id == host.user_id
        await tx.seats.add(
            game_id=game_id,
            seat=seat.seat,
            team=seat.team,
            user_id=was.user_id if hosts else None,
            computer=was.computer,
            kept_for=None if hosts else was.user_id,
        )
    await tx.players.know(host)
    await tx.facts.keep(f"{_KEPT}{game.id}", str(game_id))
    await enqueue.lobby(tx, game_id, now=now)
    return game_id


def swapped(seats: Sequence[SeatRow]) -> list[SeatRow]:
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
