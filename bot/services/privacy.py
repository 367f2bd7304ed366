"""Export what is stored about a person, and delete it on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final

from bot.errors import Refusal
from bot.lifecycle.people import forgotten, hosts
from bot.lifecycle.people.calling_off import call_off_lobby
from bot.lifecycle.people.pseudonyms import pseudonym, secret_while_played
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
_JSON_COLUMNS: Final = ("params", "standing", "facts", "pace")
_USER_COLUMNS: Final = {"was", *(name for held in PERSONAL_COLUMNS.values() for name in held.user_columns.split())}
"""Columns that hold user ids; ids of others are left out of an export."""


class PrivacyService:
    def __init__(
        self,
        store: Store,
        archive: ArchiveService,
        now: Callable[[], int],
        changed: Callable[[], None] = lambda: None,
        on_forgotten: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Create the service. It calls `on_forgotten` with the id of each game in which it has forgotten a user."""
        self._store = store
        self._archive = archive
        self._clock = now
        self._on_change = changed
        self._on_forgotten = on_forgotten

    async def export_data(self, user_id: int) -> bytes:
        """Return all that is stored about a user as indented JSON. Raises `Refusal` if there is nothing."""
        async with self._store.read() as tx:
            tables = await tx.personal_data.rows_of(user_id)
        if not tables:
            raise Refusal("nothing_stored")
        for rows in tables.values():
            for row in rows:
                row.update({name: json.loads(row[name]) for name in _JSON_COLUMNS if isinstance(row.get(name), str)})
                for values in (row, row.get("params", {})):
                    names_of_others = [
                        name for name in _USER_COLUMNS if values.get(name) not in (None, NOBODY_ID, user_id)
                    ]
                    values.update(dict.fromkeys(names_of_others))  # leaves out the ids of other users
        return _encode_data(tables)

    async def refuse_unless_free(self, user_id: int) -> None:
        async with self._store.read() as tx:
            await _refuse_playing(tx, user_id)

    async def forget_user(self, user_id: int) -> None:
        """Forget a user; games and records keep "a captain" instead. Raises `Refusal` while they play.

        Games are changed one by one, which lets others write meanwhile. The next start finishes what is left.
        """
        now = self._clock()
        key = f"{_FORGETTING_PREFIX}{user_id}"
        async with self._store.write(of_many=True) as tx:
            await _refuse_playing(tx, user_id)
            await forgotten.remember_sides(tx, user_id, now=now, since=now - PAIR_WINDOW_S, until=now + PAIR_WINDOW_S)
            names_to_forget = json.loads(await tx.facts.find(key) or "[]")  # of an attempt that was interrupted
            names = {*names_to_forget, *await tx.personal_data.names_of(user_id)}
            await tx.facts.store(key, json.dumps(sorted(names)))
        await self._finish_forgetting(user_id, names)

    async def resume_forgetting(self) -> None:
        """Continue forgetting users after a restart, except those who play again."""
        async with self._store.read() as tx:
            begun = await tx.facts.with_prefix(_FORGETTING_PREFIX)
        for key, names in begun.items():
            with suppress(Refusal):
                await self._finish_forgetting(int(key.removeprefix(_FORGETTING_PREFIX)), set(json.loads(names)))

    async def _finish_forgetting(self, user_id: int, names: Collection[str]) -> None:
        """Forget a user in each game, then everywhere. Raises `Refusal` if they have begun to play again."""
        async with self._store.read() as tx:
            game_ids = await tx.personal_data.games_mentioning(user_id)
        for game_id in game_ids:
            for changed_id in await self._forget_in(game_id, user_id, names):
                self._on_forgotten(changed_id)
        playing_again: Refusal | None = None
        async with self._store.write(of_many=True) as tx:
            await tx.facts.delete([f"{_FORGETTING_PREFIX}{user_id}"])
            await tx.players.change(user_id, page_mark=None)  # no address leads on to who has come back
            try:
                await _refuse_playing(tx, user_id)
                await forgotten.remember_tallies(tx, user_id, now=self._clock())
                await tx.personal_data.forget(user_id)
            except Refusal as refusal:  # the user has come back meanwhile
                playing_again = refusal
        self._on_change()
        if playing_again:
            raise playing_again

    async def _forget_in(self, game_id: int, user_id: int, names: Collection[str]) -> list[int]:
        """Forget a user in one game, unless they still play in it.

        Return the games whose messages are written again: this one, and its battles, which have its captains in their
        titles.
        """
        async with self._store.read() as tx:
            published_digest = await self._published_digest(tx, game_id)
        now = self._clock()
        async with self._store.write(of_many=True) as tx:
            seated_game = await load_seated_game(tx, game_id)
            game, seat = seated_game.game, seated_game.seat_of(user_id)
            if game.is_in_progress and seat and not seat.conceded:
                return [game_id]
            await _leave_game(tx, seated_game, user_id, now=now)
            secret = await secret_while_played(tx, game)
            number = pseudonym(secret, user_id) if secret is not None else None
            stand_in = str(Catalogue.load(language_for_locale(game.locale)).say("captain.forgotten"))
            await tx.personal_data.forget_in(game_id, user_id, names, stand_in, pseudonym=number)
            # Keep the digest that the thread has published if the record's digest changes.
            if (
                published_digest
                and game.digest is None
                and await self._archive.current_digest(tx, game_id) != published_digest
            ):
                await tx.games.change(game_id, digest=published_digest)
            changed_ids = [game_id, *(battle.id for battle in await tx.games.battles_of(game_id))]
            await tx.messages.renew_shown(changed_ids, now=now)
            return changed_ids

    async def _published_digest(self, tx: Transaction, game_id: int) -> str | None:
        """Return the published digest of a finished game if it is not stored yet, else None."""
        game = await tx.games.find_for_update(game_id)
        if game is None or game.phase != "over" or game.digest is not None:
            return None
        return await self._archive.current_digest(tx, game_id)


async def _refuse_playing(tx: Transaction, user_id: int) -> None:
    games = [game for game in await tx.games.of_user(user_id) if game.is_in_progress]
    seats = [seat for game in games for seat in await tx.seats.of_game(game.id)]
    game_numbers = [f"#{seat.game_id}" for seat in seats if seat.user_id == user_id and not seat.conceded]
    if game_numbers:
        raise Refusal("still_playing", games=", ".join(game_numbers))


async def _leave_game(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> None:
    """Take a user out of a lobby, or make another captain the host of a game in progress."""
    game = seated_game.game
    if game.is_lobby:
        if game.host_id == user_id:
            await call_off_lobby(tx, seated_game, by=user_id, now=now)
        elif seat := seated_game.seat_of(user_id):
            await lobby.stand_up(tx, seated_game, seat, by=user_id, now=now)
    elif game.is_in_progress and game.host_id == user_id:
        possible_hosts = [
            seat.user_id for seat in seated_game.seats if seat.user_id not in (None, user_id) and not seat.conceded
        ]
        if possible_hosts:
            await hosts.make_host(tx, game.id, possible_hosts[0])


def _encode_data(tables: dict[str, list[dict[str, Any]]]) -> bytes:
    """Return the file, without the oldest rows of tables if it would exceed the size limit of Discord."""
    left_out: dict[str, int] = {}
    while True:
        content = {"about": _EXPLANATION, **({"left out": left_out} if left_out else {}), **tables}
        data = json.dumps(content, indent=2, ensure_ascii=False).encode()
        if len(data) <= MAX_FILE_BYTES:
            return data
        longest = max(tables, key=lambda name: len(tables[name]))
        half = len(tables[longest]) // 2
        left_out[longest] = left_out.get(longest, 0) + half
        tables = {**tables, longest: tables[longest][half:]}
