"""What is stored about a person: handed out, and deleted on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import forgotten
from bot.lifecycle.people.captains import pseudonym
from bot.lifecycle.ratings.limits import PAIR_WINDOW_S
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.record.export import MAX_FILE_BYTES
from bot.services import lobby
from bot.services.archive import ArchiveService
from bot.store import Store
from bot.store.models.personal import NOBODY_ID, PERSONAL_COLUMNS
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, language_for_locale

_EXPLANATION: Final = (
    "All that war-galley has stored of you, by table and column. Times are seconds since 1970, UTC."
    " What you are asked just now, and what you have sealed for it, is in the file of /galley history export."
)
_FORGETTING_PREFIX: Final = "forgetting."
"""What is kept of people who are being forgotten, by their numbers: what they were called."""
_JSON_COLUMNS: Final = ("params", "standing", "facts", "pace")
"""Columns that hold JSON, given as such."""
_USER_COLUMNS: Final = {"was", *(name for held in PERSONAL_COLUMNS.values() for name in held.user_columns.split())}
"""Where numbers of persons stand: those of others are theirs."""


class PrivacyService:
    """Gives people what is stored of them, and forgets them."""

    def __init__(
        self, store: Store, archive: ArchiveService, now: Callable[[], int], changed: Callable[[], None] = lambda: None
    ) -> None:
        """`now` tells the seconds of Unix time; `changed` is called when messages are wanted."""
        self._store = store
        self._archive = archive
        self._clock = now
        self._on_change = changed

    async def export_data(self, user_id: int) -> bytes:
        """All that is stored of a person, as JSON to be read. Raises `Refusal` if that is nothing."""
        async with self._store.read() as tx:
            found = await tx.personal_data.rows_of(user_id)
        if not found:
            raise Refusal("nothing_stored")
        for rows in found.values():
            for row in rows:
                row.update({name: json.loads(row[name]) for name in _JSON_COLUMNS if isinstance(row.get(name), str)})
                for part in (row, row.get("params", {})):
                    part.update({key: None for key in _USER_COLUMNS if part.get(key) not in (None, NOBODY_ID, user_id)})
        return _encode_data(found)

    async def refuse_unless_free(self, user_id: int) -> None:
        """Raise `Refusal` while somebody plays: a game can't go on without its captain."""
        async with self._store.read() as tx:
            await _refuse_playing(tx, user_id)

    async def forget_user(self, user_id: int) -> None:
        """Forget a person; games and records keep "a captain" instead. Raises `Refusal` while they play.

        Game by game, so that others can write meanwhile. What is left when the bot ends is done at its next start.
        """
        now, key = self._clock(), f"{_FORGETTING_PREFIX}{user_id}"
        async with self._store.write(of_many=True) as tx:
            await _refuse_playing(tx, user_id)
            week = {"since": now - PAIR_WINDOW_S, "until": now + PAIR_WINDOW_S}
            await forgotten.remember_sides(tx, user_id, now=now, **week)
            before = json.loads(await tx.facts.find(key) or "[]")
            names = {*before, *await tx.personal_data.names_of(user_id)}
            await tx.facts.store(key, json.dumps(sorted(names)))
        await self._finish_forgetting(user_id, names)

    async def resume_forgetting(self) -> None:
        """Go on with those who were being forgotten when the bot ended; who plays again by now stays."""
        async with self._store.read() as tx:
            begun = await tx.facts.with_prefix(_FORGETTING_PREFIX)
        for key, names in begun.items():
            with suppress(Refusal):
                await self._finish_forgetting(int(key.removeprefix(_FORGETTING_PREFIX)), set(json.loads(names)))

    async def _finish_forgetting(self, user_id: int, names: Collection[str]) -> None:
        async with self._store.read() as tx:
            about = await tx.personal_data.games_mentioning(user_id)
        for game_id in about:
            await self._forget_in(game_id, user_id, names)
        plays: Refusal | None = None
        async with self._store.write(of_many=True) as tx:
            await tx.facts.delete([f"{_FORGETTING_PREFIX}{user_id}"])
            try:
                await _refuse_playing(tx, user_id)
                await tx.personal_data.forget(user_id)
            except Refusal as refused:  # they have come back meanwhile
                plays = refused
        self._on_change()
        if plays:
            raise plays

    async def _forget_in(self, game_id: int, user_id: int, names: Collection[str]) -> None:
        async with self._store.read() as tx:
            told = await self._digest_told(tx, game_id)
        now = self._clock()
        async with self._store.write(of_many=True) as tx:
            playing = await load_seated_game(tx, game_id)
            game, seat = playing.game, playing.seat_of(user_id)
            if game.is_in_progress and seat and not seat.conceded:
                return
            await _leave_game(tx, playing, user_id, now=now)
            number = pseudonym(game.seed, user_id) if game.is_in_progress else None
            stand_in = str(Catalogue.load(language_for_locale(game.locale)).say("captain.forgotten"))
            await tx.personal_data.forget_in(game_id, user_id, names, stand_in, disguise=number)
            # What its thread has told is kept, if what is written of it from now on has another.
            if told and game.digest is None and await self._archive.current_digest(tx, game_id) != told:
                await tx.games.change(game_id, digest=told)
            await tx.messages.renew_shown([game_id], now=now)

    async def _digest_told(self, tx: Transaction, game_id: int) -> str | None:
        """The digest of a finished game that its thread has told, unless it is kept; None of any other game."""
        game = await tx.games.find_for_update(game_id)
        if game is None or game.phase != "over" or game.digest is not None:
            return None
        return await self._archive.current_digest(tx, game_id)


async def _refuse_playing(tx: Transaction, user_id: int) -> None:
    found = [game for game in await tx.games.of_user(user_id) if game.is_in_progress]
    seats = [seat for game in found for seat in await tx.seats.of_game(game.id)]
    if plays := [f"#{seat.game_id}" for seat in seats if seat.user_id == user_id and not seat.conceded]:
        raise Refusal("still_playing", games=", ".join(plays))


async def _leave_game(tx: Transaction, playing: SeatedGame, user_id: int, *, now: int) -> None:
    """Leave a lobby, or cancel it as its host; give a running game that they only host another host."""
    game = playing.game
    if game.is_lobby:
        if game.host_id == user_id:
            await tx.games.change(game.id, phase="cancelled", ended_at=now)
            await enqueue.update_lobby(tx, game.id, now=now)
        elif seat := playing.seat_of(user_id):
            await lobby.stand_up(tx, playing, seat, now=now)
    elif game.is_in_progress and game.host_id == user_id:
        others = [seat.user_id for seat in playing.seats if seat.user_id not in (None, user_id) and not seat.conceded]
        if others:
            await tx.games.change(game.id, host_id=others[0])


def _encode_data(found: dict[str, list[dict[str, Any]]]) -> bytes:
    """The file, without the oldest rows of what would not fit into a message of Discord's."""
    left_out: dict[str, int] = {}
    while True:
        told = {"about": _EXPLANATION, **({"left out": left_out} if left_out else {}), **found}
        data = json.dumps(told, indent=2, ensure_ascii=False).encode()
        if len(data) <= MAX_FILE_BYTES:
            return data
        longest = max(found, key=lambda name: len(found[name]))
        half = len(found[longest]) // 2
        left_out[longest] = left_out.get(longest, 0) + half
        found = {**found, longest: found[longest][half:]}
