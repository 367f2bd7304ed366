"""Users and servers that the host has denied, as this process knows them."""

from __future__ import annotations

from bot.errors import Refusal
from bot.store import Store
from bot.store.queries.denials import DeniedIds


class DenialCache:
    """Caches denied ids, which spares each press a statement."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._denied = DeniedIds()

    async def reload(self) -> None:
        async with self._store.read() as tx:
            self._denied = await tx.denials.all_denied()

    def has_user(self, user_id: int) -> bool:
        return user_id in self._denied.users

    def has_server(self, guild_id: int | None) -> bool:
        return guild_id in self._denied.servers

    def is_denied(self, user_id: int, guild_id: int | None) -> bool:
        return self.has_user(user_id) or self.has_server(guild_id)

    def refuse_denied(self, user_id: int, guild_id: int | None = None) -> None:
        if self.has_user(user_id):
            raise Refusal("denied_user")
        if self.has_server(guild_id):
            raise Refusal("denied_server")
