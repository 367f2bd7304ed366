"""What is stored about a person: handed out, and deleted on request."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from bot.doors import lobby
from bot.doors.archive import Archive
from bot.errors import Refusal
from bot.life import enqueue, forgotten
from bot.life.captains import disguised
from bot.life.playing import Playing, playing_of
from bot.life.rating_limits import PAIR_WINDOW_S
from bot.record.export import FILE_MOST
from bot.store import Store
from bot.store.personal import HELD, NOBODY
from bot.store.queries import Transaction
from bot.words.i18n import Catalogue, best

_ABOUT: Final = (
    "All that war-galley has stored of you, by table and column. Times are seconds since 1970, UTC."
    " What you are asked just now, and what you have sealed for it, is in the file of /galley export."
)
_JSON: Final = ("params", "standing", "facts", "pace")
"""Columns that hold JSON, given as such."""
_PERSONS: Final = {"was", *(name for held in HELD.values() for name in held.users.split())}
"""Where numbers of persons stand: those of others are theirs."""


class Privacy:
    """Gives people what is stored of them, and forgets them."""

    def __init__(
        self, store: Store, archive: Archive, now: Callable[[], int], changed: Callable[[], None] = lambda: None
    ) -> None:
        """`now` tells the seconds of Unix time; `changed` is called when messages are wanted."""
        self._store = store
        self._archive = archive
        self._now = now
        self._changed = changed

    async def data(self, user_id: int) -> bytes:
        """All that is stored of a person, as JSON to be read. Raises `Refusal` if that is nothing."""
        async with self._store.read() as tx:
            found = await tx.personal.stored_of(user_id)
        if not found:
            raise Refusal("nothing_stored")
        for rows in found.values():
            for row in rows:
                row.update({name: json.loads(row[name]) for name in _JSON if isinstance(row.get(name), str)})
                for part in (row, row.get("params", {})):
                    part.update({key: None for key in _PERSONS if part.get(key) not in (None, NOBODY, user_id)})
        return _file(found)

    async def refuse_unless_free(self, user_id: int) -> None:
        """Raise `Refusal` while somebody plays: a game can't go on without its captain."""
        async with self._store.read() as tx:
            await _refuse_playing(tx, user_id)

    async def forget(self, user_id: int) -> None:
        """Forget a person; games and records keep "a captain" instead. Raises `Refusal` while they play."""
        now = self._now()
        async with self._store.write(of_many=True) as tx:
            await _refuse_playing(tx, user_id)
            week = {"since": now - PAIR_WINDOW_S, "until": now + PAIR_WINDOW_S}
            await forgotten.remember(tx, user_id, now=now, **week)
            about = await tx.personal.games_telling_of(user_id)
            called, digests = {}, {}
            for game_id in about:
                playing = await playing_of(tx, game_id)
                game = playing.game
                called[game_id] = str(Catalogue.load(best(game.locale)).say("captain.forgotten"))
                await _leave(tx, playing, user_id, now=now)
                if game.goes_on:
                    await tx.personal.disguise(game_id, user_id, disguised(game.seed, user_id))
                if game.phase == "over" and game.digest is None:
                    digests[game_id] = await self._archive.digest_now(tx, game_id)
            await tx.personal.forget(user_id, await tx.personal.names_of(user_id), called)
            for game_id, digest in digests.items():
                # What its thread has told is kept, if what is written of it from now on has another.
                if await self._archive.digest_now(tx, game_id) != digest:
                    await tx.games.change(game_id, digest=digest)
            await tx.messages.show_anew(about, now=now)
        self._changed()


async def _refuse_playing(tx: Transaction, user_id: int) -> None:
    found = [game for game in await tx.games.of_user(user_id) if game.goes_on]
    seats = [seat for game in found for seat in await tx.seats.of(game.id)]
    if plays := [f"#{seat.game_id}" for seat in seats if seat.user_id == user_id and not seat.conceded]:
        raise Refusal("still_playing", games=", ".join(plays))


async def _leave(tx: Transaction, playing: Playing, user_id: int, *, now: int) -> None:
    """Leave a lobby, or cancel it as its host; give a running game that they only host another host."""
    game = playing.game
    if game.gathers:
        if game.host_id == user_id:
            await tx.games.change(game.id, phase="cancelled", ended_at=now)
            await enqueue.lobby(tx, game.id, now=now)
        elif seat := playing.seat_of(user_id):
            await lobby.stand_up(tx, playing, seat, now=now)
    elif game.goes_on and game.host_id == user_id:
        others = [seat.user_id for seat in playing.seats if seat.user_id not in (None, user_id) and not seat.conceded]
        if others:
            await tx.games.change(game.id, host_id=others[0])


def _file(found: dict[str, list[dict[str, Any]]]) -> bytes:
    """The file, without the oldest rows of what would not fit into a message of Discord's."""
    left_out: dict[str, int] = {}
    while True:
        told = {"about": _ABOUT, **({"left out": left_out} if left_out else {}), **found}
        data = json.dumps(told, indent=2, ensure_ascii=False).encode()
        if len(data) <= FILE_MOST:
            return data
        longest = max(found, key=lambda name: len(found[name]))
        half = len(found[longest]) // 2
        left_out[longest] = left_out.get(longest, 0) + half
        found = {**found, longest: found[longest][half:]}
