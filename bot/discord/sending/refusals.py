"""What it means when Discord does not do what it was asked: one table of its answers, and how to read them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import aiohttp
import discord
from msgspec import Struct

FAILURES: Final = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, TimeoutError, OSError)
"""All that a request to Discord may raise."""

ACKNOWLEDGED: Final = 40060
"""Discord's number for an interaction that has been acknowledged already."""


class Meaning(StrEnum):
    """How a refusal is met."""

    AWAY = "away"
    """Discord takes nothing just now: all waits until it does, however long."""
    LIMITED = "limited"
    """This was asked too often: it waits, however long."""
    OPENING = "opening"
    """Direct messages are opened too fast: no others are opened for a while."""
    CLOSED = "closed"
    """Somebody takes no direct messages of ours: the thread offers their panel."""
    GONE = "gone"
    """Somebody has left the server, or Discord: their seat is offered."""
    LOST_PLACE = "lost_place"
    """A thread or channel is no more: the game goes on in another, or waits for one."""
    LOST_MESSAGE = "lost_message"
    """A message was deleted: it is sent again."""
    FORBIDDEN = "forbidden"
    """A permission is missing: messages for all wait, however long, and the host learns which it is."""
    LOCKED = "locked"
    """A thread is locked: as a missing permission."""
    ASLEEP = "asleep"
    """A thread is archived: it is woken."""
    THREADS_FULL = "threads_full"
    """The server has as many active threads as it may: games that are over make room, or the channel is used."""
    THREAD_THERE = "thread_there"
    """A message has its thread already: that is the one."""
    NO_CHAT = "no_chat"
    """A forum takes posts only, so no game can run there: as a deleted channel."""
    FILTERED = "filtered"
    """A filter or an automatic moderator objected: sent again without names and links, and the host learns of it."""
    OLD_EDITS = "old_edits"
    """Old messages were edited too often: what matters is sent again, all else is edited later."""
    TOO_LARGE = "too_large"
    """With smaller pictures, then with none."""
    TOO_LATE = "too_late"
    """A press cannot be answered (any more): what was pressed is done, and the outbox shows what came of it."""
    COMMANDS = "commands"
    """No more commands may be created today: those that are there stay."""
    UNKNOWN = "unknown"
    """Nothing that we foresaw: logged with its code, kept, and tried again, ever more slowly."""


CODES: Final = {
    10003: Meaning.LOST_PLACE,
    10007: Meaning.GONE,
    10008: Meaning.LOST_MESSAGE,
    10013: Meaning.GONE,
    10015: Meaning.TOO_LATE,
    10062: Meaning.TOO_LATE,
    20009: Meaning.FILTERED,
    20016: Meaning.LIMITED,
    20028: Meaning.LIMITED,
    30032: Meaning.COMMANDS,
    30034: Meaning.COMMANDS,
    30046: Meaning.OLD_EDITS,
    40003: Meaning.OPENING,
    40005: Meaning.TOO_LARGE,
    40058: Meaning.NO_CHAT,
    40060: Meaning.TOO_LATE,
    40062: Meaning.AWAY,
    40067: Meaning.NO_CHAT,
    50001: Meaning.FORBIDDEN,
    50007: Meaning.CLOSED,
    50013: Meaning.FORBIDDEN,
    50027: Meaning.TOO_LATE,
    50045: Meaning.TOO_LARGE,
    50083: Meaning.ASLEEP,
    50278: Meaning.CLOSED,
    130000: Meaning.AWAY,
    160004: Meaning.THREAD_THERE,
    160005: Meaning.LOCKED,
    160006: Meaning.THREADS_FULL,
    200000: Meaning.FILTERED,
    240000: Meaning.FILTERED,
}
"""Discord's own numbers, of its documentation of August 2026, and what each means to us."""

_STATUSES: Final = {401: Meaning.AWAY, 413: Meaning.TOO_LARGE, 429: Meaning.AWAY}
"""Of HTTP, where Discord gives no number that we know. A token that is not accepted may be put right by its host."""


class Refused(Struct, frozen=True, kw_only=True):
    """An answer of Discord's, as we understand it."""

    meaning: Meaning
    code: int = 0
    """Discord's number; 0 where it gave none."""
    status: int = 0
    """Of HTTP; 0 if there was no answer at all."""
    text: str = ""
    pause_s: int = 0
    """How long Discord says not to ask again."""

    def __str__(self) -> str:
        return " ".join(filter(None, [str(self.status or ""), str(self.code or ""), self.text]))[:180]


def read(error: BaseException) -> Refused:
    """Understand one of `FAILURES`."""
    match error:
        case discord.RateLimited():
            return Refused(meaning=Meaning.LIMITED, status=429, text="rate limited", pause_s=int(error.retry_after) + 1)
        case discord.HTTPException():
            return Refused(meaning=_meaning(error), code=error.code, status=error.status, text=_text(error))
    return Refused(meaning=Meaning.AWAY, text=repr(error))


def _meaning(error: discord.HTTPException) -> Meaning:
    if error.status >= 500 or _by_cloudflare(error):
        return Meaning.AWAY
    return CODES.get(error.code) or _STATUSES.get(error.status, Meaning.UNKNOWN)


def _by_cloudflare(error: discord.HTTPException) -> bool:
    """Whether it was not Discord that answered, but who stands before it: a page for people, without a number."""
    return error.code == 0 and error.status != 413 and error.text.lstrip().startswith(("<", "error code:"))


def _text(error: discord.HTTPException) -> str:
    return "an answer of Cloudflare's" if _by_cloudflare(error) else error.text
