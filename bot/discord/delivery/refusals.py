"""A table of Discord's error codes, and how the bot responds to each kind of refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


HANDLED_KINDS: Final = {
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
"""Maps Discord's codes to kinds. The codes are from its documentation of 6 August 2026, plus the undocumented 20026."""

# fmt: off
UNHANDLED_CODES: Final[Mapping[str, tuple[int, ...]]] = {
    "malformed requests, which only a fault of the bot's makes": (
        0, 30015, 50006, 50035, 50041, 50109,
    ),
    "invites, roles, emojis, stickers, events, stages, sounds, shops, other applications": (
        10001, 10002, 10005, 10006, 10009, 10010, 10011, 10012, 10014, 10016, 10020, 10021, 10026, 10027, 10028,
        10029, 10030, 10031, 10032, 10033, 10036, 10038, 10049, 10050, 10057, 10059, 10060, 10061, 10063, 10065,
        10066, 10067, 10068, 10069, 10070, 10071, 10087, 10097, 10124, 10129,
    ),
    "what only users, owners or subscribers may do": (
        20001, 20002, 20012, 20015, 20018, 20024, 20035, 340015,
    ),
    "limits on channels, webhooks, pins, bans, tags and events, none of which the bot makes": (
        30001, 30002, 30003, 30004, 30005, 30007, 30008, 30010, 30011, 30013, 30016, 30018, 30019, 30030, 30031,
        30033, 30035, 30037, 30038, 30039, 30040, 30042, 30045, 30047, 30048, 30052, 30056, 30058, 30060, 30061,
    ),
    "bans, purchases, voice, tags of forums, followed announcements": (
        40007, 40009, 40012, 40018, 40019, 40032, 40033, 40043, 40061, 40066, 40074,
    ),
    "routes that the bot never calls: logins, purges, pins, gifts, boosts, stickers, voice messages": (
        50002, 50003, 50004, 50010, 50011, 50012, 50015, 50016, 50017, 50019, 50020, 50021, 50025, 50026, 50028,
        50034, 50036, 50039, 50054, 50055, 50057, 50067, 50068, 50070, 50073, 50074, 50080, 50081, 50084, 50085,
        50086, 50091, 50095, 50097, 50101, 50123, 50124, 50131, 50132, 50138, 50144, 50145, 50146, 50151, 50159,
        50160, 50161, 50162, 50163, 50167, 50173, 50192, 50600,
    ),
    "two-factor logins, user tags, reactions, stages, forwarding, stickers, scheduled events": (
        60003, 80004, 90001, 90002, 150006, 160014, 170001, 170002, 170003, 170004, 170005, 170006, 170007, 180000,
        180002,
    ),
    "webhooks in forums, onboarding, bans, polls, logins of other services": (
        220001, 220002, 220003, 220004, 350000, 350001, 500000, 520000, 520001, 520002, 520003, 520004, 520006,
        530000, 530001, 530002, 530003, 530004, 530006, 530007,
    ),
}
# fmt: on
"""Documented codes that no request of the bot causes, by subject. If one comes, its kind is `UNKNOWN`."""

KIND_BY_CODE: Final = {
    **{code: RefusalKind.UNKNOWN for codes in UNHANDLED_CODES.values() for code in codes},
    **HANDLED_KINDS,
}

PICTURE_REFUSALS: Final = {RefusalKind.TOO_LARGE: "thread.no_picture", RefusalKind.NO_UPLOADS: "thread.no_uploads"}
"""Maps refusals after which a message is sent without pictures to the key of the note that explains it."""

_KIND_BY_STATUS: Final = {401: RefusalKind.AWAY, 413: RefusalKind.TOO_LARGE, 429: RefusalKind.AWAY}
"""Maps HTTP statuses to kinds where the code is unknown. The host may repair a token that is refused (401)."""


class DiscordRefusal(Struct, frozen=True, kw_only=True):
    kind: RefusalKind  # how the bot responds to it
    code: int = 0
    """Discord's error code; 0 if it gave none."""
    status: int = 0
    """HTTP status; 0 if there was no response."""
    text: str = ""  # what Discord says, for the log
    pause_s: int = 0
    """Seconds that Discord asks to wait; 0 if it names none."""

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
