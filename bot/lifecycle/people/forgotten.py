"""Remember forgotten users for a limited time: **Forget me** must make no new opponent for ratings, and lift no limit.

A mark is kept, an HMAC of the user's id with a secret of this bot, with the seats they held in recent rated games. What
counts against limits is kept with a number made in the same way. The secret is deleted with the last of these.
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
    until: int  # when the record expires (Unix seconds)
    sides: dict[int, dict[Seat, int]]  # team by game id and seat


class ForgottenUsers(Struct, frozen=True):
    secret: str  # hex; "" if nothing is remembered
    by_mark: Mapping[str, ForgottenUser]  # by an HMAC of the user id

    def records_of(self, user_id: int) -> list[ForgottenUser]:
        record = self.by_mark.get(_user_mark(self.secret, user_id))
        return [] if record is None else [record]

    def records_in_seat(self, game_id: int, seat: Seat) -> list[ForgottenUser]:
        return [record for record in self.by_mark.values() if seat in record.sides.get(game_id, {})]


async def remember_sides(tx: Transaction, user_id: int, *, since: int, until: int, now: int) -> None:
    """Store the seats of a user to be forgotten in rated games that are running or ended after `since`.

    The record expires at `until`. All times are Unix seconds.
    """
    await erase_expired(tx, now=now)
    known_users = await load_forgotten(tx, now=now)
    sides = await tx.captaincies.sides_of(user_id, since=since)
    if not sides:
        return
    secret = known_users.secret or secrets.token_hex(32)
    for earlier in ForgottenUsers(secret, known_users.by_mark).records_of(user_id):
        sides = {**earlier.sides, **sides}
    await tx.facts.store(_SECRET_KEY, secret)
    record = msgspec.json.encode(ForgottenUser(until, sides)).decode()
    await tx.facts.store(f"{_MARK_PREFIX}{_user_mark(secret, user_id)}", record)


async def remember_tallies(tx: Transaction, user_id: int, *, now: int) -> None:
    """Keep what counts against a user's limits until it expires, with a number instead of the user's id."""
    await erase_expired(tx, now=now)
    if await tx.tallies.has_any(user_id):
        secret = await tx.facts.find(_SECRET_KEY) or secrets.token_hex(32)
        await tx.facts.store(_SECRET_KEY, secret)
        await tx.tallies.replace_user(user_id, _user_number(secret, user_id))


async def known_user_ids(tx: Transaction, user_id: int) -> set[int]:
    """Return the user's id and the number with which their tallies are kept if they have been forgotten."""
    secret = await tx.facts.find(_SECRET_KEY)
    return {user_id, _user_number(secret, user_id)} if secret else {user_id}


async def load_forgotten(tx: Transaction, *, now: int) -> ForgottenUsers:
    secret, records = await _load_all(tx)
    return ForgottenUsers(
        secret, {key.removeprefix(_MARK_PREFIX): record for key, record in records.items() if record.until > now}
    )


async def erase_expired(tx: Transaction, *, now: int) -> None:
    await tx.tallies.delete_expired(now=now)
    secret, records = await _load_all(tx)
    expired_keys = [key for key, record in records.items() if record.until <= now]
    if secret and len(expired_keys) == len(records) and not await tx.tallies.has_forgotten():
        expired_keys.append(_SECRET_KEY)  # nothing is left that needs it
    await tx.facts.delete(expired_keys)


async def _load_all(tx: Transaction) -> tuple[str, dict[str, ForgottenUser]]:
    facts = await tx.facts.with_prefix("forgotten.")
    secret = facts.pop(_SECRET_KEY, "")
    return secret, {key: msgspec.json.decode(value, type=ForgottenUser) for key, value in facts.items()}


def _user_mark(secret: str, user_id: int) -> str:
    return hmac.digest(bytes.fromhex(secret), str(user_id).encode(), "sha256")[:16].hex()


def _user_number(secret: str, user_id: int) -> int:
    """Return a number that is negative, unlike Discord's ids."""
    return -1 - int.from_bytes(bytes.fromhex(_user_mark(secret, user_id))[:7], "big")
