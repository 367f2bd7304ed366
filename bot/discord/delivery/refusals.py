"""A table of Discord's error codes, and how the bot responds to each kind of refusal."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final

import aiohttp
import discord
from msgspec import Struct

REQUEST_ERRORS: Final = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, TimeoutError, OSError)

ALREADY_ACKNOWLEDGED_CODE: Final = 40060


class RefusalKind(StrEnum):
    """Kinds of refusal, by how the bot responds.

    `AWAY`: Discord is unavailable. All messages wait until it is back.
    `LIMITED`: A rate limit applies. The message waits.
    `QUARANTINED`: Discord takes the bot for spam. For an hour, threads offer panels instead. The host gets a notice.
    `OPENING`: Direct messages are opened too fast. No others are opened for a while.
    `CLOSED`: A user accepts no direct messages from the bot. The thread offers their panel.
    `GONE`: A user has left the server or Discord. Their seat is offered.
    `REMOVED`: The bot is no longer on the game's server. The game waits until it is back.
    `LOST_PLACE`: A thread or channel no longer exists. The game moves to another or waits for one.
    `LOST_MESSAGE`: A message was deleted or belongs to another bot. It is sent again.
    `FORBIDDEN`: A permission is missing. Public messages wait, and the host gets a notice which permission.
    `LOCKED`: A thread is locked. This is treated like a missing permission.
    `ASLEEP`: A thread is archived. It is reopened.
    `THREADS_FULL`: The server has too many active threads. Finished games give way, or the channel is used.
    `THREAD_THERE`: The message already has a thread, which is used.
    `NO_CHAT`: The channel holds only posts, such as a forum. This is treated like a deleted channel.
    `FILTERED`: A filter or moderator objected. The message is sent without names and links, and the host gets a notice.
    `OLD_EDITS`: Old messages were edited too often. Important messages are sent again, other edits wait.
    `TOO_LARGE`: The pictures are too large. They are sent smaller, then left out.
    `NO_UPLOADS`: The server accepts no files now. Messages are sent without pictures, and the host gets a notice.
    `TOO_LATE`: An interaction can no longer be answered. Its action is done, and the outbox shows the result.
    `COMMANDS`: The daily limit of new commands is reached. The existing ones stay.
    `UNKNOWN`: Nobody foresaw this. It is logged with its code, and the message is retried with growing pauses.
    """

    AWAY = "away"
    LIMITED = "limited"
    QUARANTINED = "quarantined"
    OPENING = "opening"
    CLOSED = "closed"
    GONE = "gone"
    REMOVED = "removed"
    LOST_PLACE = "lost_place"
    LOST_MESSAGE = "lost_message"
    FORBIDDEN = "forbidden"
    LOCKED = "locked"
    ASLEEP = "asleep"
    THREADS_FULL = "threads_full"
    THREAD_THERE = "thread_there"
    NO_CHAT = "no_chat"
    FILTERED = "filtered"
    OLD_EDITS = "old_edits"
    TOO_LARGE = "too_large"
    NO_UPLOADS = "no_uploads"
    TOO_LATE = "too_late"
    COMMANDS = "commands"
    UNKNOWN = "unknown"


KIND_BY_CODE: Final = {
    10003: RefusalKind.LOST_PLACE,
    10004: RefusalKind.REMOVED,
    10007: RefusalKind.GONE,
    10008: RefusalKind.LOST_MESSAGE,
    10013: RefusalKind.GONE,
    10015: RefusalKind.TOO_LATE,
    10062: RefusalKind.TOO_LATE,
    20009: RefusalKind.FILTERED,
    20016: RefusalKind.LIMITED,
    20022: RefusalKind.OLD_EDITS,
    20026: RefusalKind.QUARANTINED,
    20028: RefusalKind.LIMITED,
    20029: RefusalKind.LIMITED,
    20031: RefusalKind.FILTERED,
    30032: RefusalKind.COMMANDS,
    30034: RefusalKind.COMMANDS,
    30046: RefusalKind.OLD_EDITS,
    40001: RefusalKind.AWAY,
    40002: RefusalKind.AWAY,
    40003: RefusalKind.OPENING,
    40004: RefusalKind.AWAY,
    40005: RefusalKind.TOO_LARGE,
    40006: RefusalKind.AWAY,
    40041: RefusalKind.COMMANDS,
    40058: RefusalKind.NO_CHAT,
    40060: RefusalKind.TOO_LATE,
    40062: RefusalKind.AWAY,
    40067: RefusalKind.NO_CHAT,
    40094: RefusalKind.TOO_LATE,
    40333: RefusalKind.AWAY,
    50001: RefusalKind.FORBIDDEN,
    50005: RefusalKind.LOST_MESSAGE,
    50007: RefusalKind.CLOSED,
    50008: RefusalKind.NO_CHAT,
    50009: RefusalKind.FORBIDDEN,
    50013: RefusalKind.FORBIDDEN,
    50014: RefusalKind.AWAY,
    50024: RefusalKind.NO_CHAT,
    50027: RefusalKind.TOO_LATE,
    50033: RefusalKind.CLOSED,
    50045: RefusalKind.TOO_LARGE,
    50046: RefusalKind.TOO_LARGE,
    50083: RefusalKind.ASLEEP,
    50110: RefusalKind.TOO_LARGE,
    50178: RefusalKind.AWAY,
    50278: RefusalKind.CLOSED,
    110000: RefusalKind.AWAY,
    110001: RefusalKind.AWAY,
    130000: RefusalKind.AWAY,
    160002: RefusalKind.FORBIDDEN,
    160004: RefusalKind.THREAD_THERE,
    160005: RefusalKind.LOCKED,
    160006: RefusalKind.THREADS_FULL,
    160007: RefusalKind.THREADS_FULL,
    200000: RefusalKind.FILTERED,
    200001: RefusalKind.FILTERED,
    240000: RefusalKind.FILTERED,
    400001: RefusalKind.NO_UPLOADS,
}
"""Maps Discord's codes to kinds; all other codes are `UNKNOWN`.

The codes are from its documentation of 6 August 2026, plus the undocumented 20026.
"""

PICTURE_REFUSALS: Final = {RefusalKind.TOO_LARGE: "thread.no_picture", RefusalKind.NO_UPLOADS: "thread.no_uploads"}
"""Maps refusals after which a message is sent without pictures to the key of the note that explains it."""

_KIND_BY_STATUS: Final = {401: RefusalKind.AWAY, 413: RefusalKind.TOO_LARGE, 429: RefusalKind.AWAY}
"""Maps HTTP statuses to kinds where the code is unknown. The host may repair a token that is refused (401)."""


class DiscordRefusal(Struct, frozen=True, kw_only=True):
    kind: RefusalKind  # how the bot responds to it
    code: int = 0  # Discord's error code; 0 if it gave none
    status: int = 0  # HTTP status; 0 if there was no response
    text: str = ""  # what Discord says, for the log
    pause_s: int = 0  # seconds that Discord asks to wait; 0 if it names none

    def __str__(self) -> str:
        return " ".join(filter(None, [str(self.status or ""), str(self.code or ""), self.text]))[:180]


ParseRefusal = Callable[[BaseException], DiscordRefusal]
"""Classifies a refusal and counts it, as `RefusalLog.parse_refusal` does."""


def parse_refusal(error: BaseException) -> DiscordRefusal:
    match error:
        case discord.RateLimited():
            return DiscordRefusal(
                kind=RefusalKind.LIMITED, status=429, text="rate limited", pause_s=int(error.retry_after) + 1
            )
        case discord.HTTPException():
            return DiscordRefusal(
                kind=_refusal_kind(error), code=error.code, status=error.status, text=_error_text(error)
            )
    return DiscordRefusal(kind=RefusalKind.AWAY, text=repr(error))


def _refusal_kind(error: discord.HTTPException) -> RefusalKind:
    if error.status >= 500 or _is_from_cloudflare(error):
        return RefusalKind.AWAY
    meaning = KIND_BY_CODE.get(error.code, RefusalKind.UNKNOWN)
    return _KIND_BY_STATUS.get(error.status, meaning) if meaning is RefusalKind.UNKNOWN else meaning


def _is_from_cloudflare(error: discord.HTTPException) -> bool:
    """Return whether Cloudflare answered in front of Discord: an HTML page or plain text without a code."""
    return error.code == 0 and error.status != 413 and error.text.lstrip().startswith(("<", "error code:"))


def _error_text(error: discord.HTTPException) -> str:
    return "an answer of Cloudflare's" if _is_from_cloudflare(error) else error.text
