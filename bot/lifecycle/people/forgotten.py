"""Where people who have been forgotten since have played of late: that makes nobody a new opponent.

Of somebody who is forgotten a mark stays for a time, made from their number with a secret of this bot, with the seats
that they held in rated games of late. It goes when they are of no more use, and the secret goes with the last of them.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat

_SECRET_KEY: Final = "forgotten.secret"  # noqa: S105 - the name under which it is kept
_MARK_PREFIX: Final = "forgotten.of."


class ForgottenUser(Struct, frozen=True):
    """What is kept of somebody who was forgotten."""

    until: int
    """When it is of no more use, Unix time, s."""
    sides: dict[int, dict[Seat, int]]
    """The sides for which they played, by game and by the seat that they held."""


class ForgottenUsers(Struct, frozen=True):
    """All that is kept of people who were forgotten."""

    secret: str
    """Hex; empty where nothing is kept."""
    by_mark: Mapping[str, ForgottenUser]
    """By mark."""

    def records_of(self, user_id: int) -> list[ForgottenUser]:
        """What is kept of somebody who has come back since."""
        found = self.by_mark.get(_user_mark(self.secret, user_id))
        return [] if found is None else [found]

    def records_in_seat(self, game_id: int, seat: Seat) -> list[ForgottenUser]:
        """What is kept of those who held a seat of a game and were forgotten while it went on."""
        return [one for one in self.by_mark.values() if seat in one.sides.get(game_id, {})]


async def remember_sides(tx: Transaction, user_id: int, *, since: int, until: int, now: int) -> None:
    """Keep `until` then where somebody who is being forgotten held seats in rated games that ended `since` or go on."""
    await erase_expired(tx, now=now)
    marks, sides = await load_forgotten(tx, now=now), await tx.captaincies.sides_of(user_id, since=since)
    if not sides:
        return
    secret = marks.secret or secrets.token_hex(32)
    for before in ForgottenUsers(secret, marks.by_mark).records_of(user_id):
        sides = {**before.sides, **sides}
    await tx.facts.store(_SECRET_KEY, secret)
    kept = msgspec.json.encode(ForgottenUser(until, sides)).decode()
    await tx.facts.store(f"{_MARK_PREFIX}{_user_mark(secret, user_id)}", kept)


async def load_forgotten(tx: Transaction, *, now: int) -> ForgottenUsers:
    """Return all that is kept and still of use."""
    secret, found = await _load_all(tx)
    return ForgottenUsers(
        secret, {key.removeprefix(_MARK_PREFIX): one for key, one in found.items() if one.until > now}
    )


async def erase_expired(tx: Transaction, *, now: int) -> None:
    """Erase what is of no more use, and with the last of it the secret."""
    secret, found = await _load_all(tx)
    old = [key for key, one in found.items() if one.until <= now]
    await tx.facts.delete([*old, _SECRET_KEY] if secret and len(old) == len(found) else old)


async def _load_all(tx: Transaction) -> tuple[str, dict[str, ForgottenUser]]:
    facts = await tx.facts.with_prefix("forgotten.")
    secret = facts.pop(_SECRET_KEY, "")
    return secret, {key: msgspec.json.decode(value, type=ForgottenUser) for key, value in facts.items()}


def _user_mark(secret: str, user_id: int) -> str:
    return hmac.digest(bytes.fromhex(secret), str(user_id).encode(), "sha256")[:16].hex()
