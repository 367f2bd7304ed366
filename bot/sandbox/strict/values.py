"""API calls, the parts of a server's state that rules look at, and Discord's responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

FILES_KEY: Final = "files[n]"
"""Key of a body with the sizes of uploaded files by name; Discord's documentation names form fields like this."""
ATTACHMENT_PREFIX: Final = "attachment://"
V2_FLAG: Final = 1 << 15
"""The message flag IS_COMPONENTS_V2."""
_DISCORD_HEADERS: Final = {"Via": "1.1 google"}
"""discord.py treats responses without this header as Cloudflare's."""


class DiscordError(Struct, frozen=True, kw_only=True):
    status: int
    """HTTP status; for IDENTIFY and RESUME the close code of the WebSocket."""
    code: int = 0  # JSON error code; 0 if there is none
    message: str = ""  # text of the error in the body
    headers: Mapping[str, str] = {}  # in addition to those of each response
    fields: Mapping[str, Any] = {}  # further fields of the JSON body
    plain_text: bool = False  # whether the body is only `message`, as Cloudflare sends it
    rule: str = ""  # name of the rule; empty if a script ordered the refusal

    def body(self) -> str:
        if self.plain_text:
            return self.message
        return json.dumps({"message": self.message, "code": self.code, **self.fields})

    def all_headers(self) -> dict[str, str]:
        kind = "text/plain" if self.plain_text else "application/json"
        return {"Content-Type": kind, **({} if self.plain_text else _DISCORD_HEADERS), **self.headers}


class AlteredAnswer(Struct, frozen=True, kw_only=True):
    """Differences between an accepted call and what Discord does."""

    message: int | None = None  # id of the message that is returned, if the call creates none
    drops_uploads: bool = False  # whether uploaded files are ignored
    unarchives: bool = False  # whether the thread is reopened first
    invalid_session: bool = False
    """Whether the gateway sends opcode 9, so that the client waits and identifies again."""
    rule: str = ""  # name of the rule


class ServerMessage(Struct, frozen=True, kw_only=True):
    sent_at: float  # Unix seconds
    flags: int = 0  # bits of Discord's message flags
    attachments: Mapping[str, str] = {}  # file names by id, including files that only components show


class ServerChannel(Struct, frozen=True, kw_only=True):
    kind: int  # Discord's number of the type of channel
    guild: int | None = None  # id of the server; None in direct messages
    archived: bool = False  # whether it is an archived thread
    locked: bool = False  # whether it is a locked thread
    recipient: int | None = None  # user id of a direct message channel; None in servers
    has_thread: frozenset[int] = frozenset()  # ids of messages with a thread


class ServerInteraction(Struct, frozen=True, kw_only=True):
    created_at: float  # Unix seconds
    channel: int  # id of the channel
    acknowledged: bool = False  # whether it has had a first response
    message: int | None = None  # id of the original response
    source: int | None = None  # id of the message with the pressed component
    followups: int = 0  # number of follow-up messages
    user_installed_only: bool = False  # whether the bot is not installed on the server
    """Whether the application is installed for the user, but not on the server."""


class RateLimits(Struct, frozen=True, kw_only=True):
    """Rate limits, most as (calls, seconds); None switches a limit off."""

    requests_per_s: int | None = 50  # of the bot, on all routes
    response_s: float | None = 3.0  # time limit of an interaction's first response
    route: tuple[int, float] | None = None
    """Limit of each route and channel. Discord publishes none, but sends it in headers."""
    renames: tuple[int, float] | None = (2, 600.0)  # of one channel
    old_edits: tuple[int, float] | None = (3, 6.0)  # edits, in each channel, of messages older than an hour
    old_edit_retry_s: float | str | None = "remaining"
    """The `retry_after` of error 30046: `remaining` time of the window, other seconds, or None to omit it."""
    dm_opens: tuple[int, float] | None = None  # new direct message channels
    invalid: tuple[int, float] | None = (10_000, 600.0)  # responses of 401, 403 and 429
    identifies: tuple[int, float] | None = (1_000, 86_400.0)  # new gateway sessions
    identify_s: float | None = 5.0  # seconds between two IDENTIFYs of one bucket of shards
    command_creates: tuple[int, float] | None = (200, 86_400.0)  # of one application


class RuleGroup(StrEnum):
    MESSAGES = "messages"
    LIMITS = "rate limits"
    THREADS = "threads and channels"
    DIRECT = "direct messages"
    INTERACTIONS = "interactions"
    COMMANDS = "commands"
    GATEWAY = "gateway"


class ApiCall:
    """A request: method, path without the API's prefix, and JSON body with uploads under `FILES_KEY`."""

    def __init__(self, method: str, path: str, body: Any = None) -> None:  # noqa: ANN401 - any JSON
        self.method = method
        self.path = path
        self.body = body
        self.parts: Sequence[str] = path.strip("/").split("/")  # such as ["channels", "1", "messages"]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The message or form in the body; for an interaction's callback the inner `data`."""
        if not isinstance(self.body, Mapping):
            return {}
        inner = self.body.get("data")
        return inner if self.is_callback and isinstance(inner, Mapping) else self.body

    @cached_property
    def files(self) -> Mapping[str, int]:
        """Sizes (bytes) of the uploaded files by name."""
        return self.body.get(FILES_KEY, {}) if isinstance(self.body, Mapping) else {}

    @property
    def is_callback(self) -> bool:
        return self.method == "POST" and self.parts[0] == "interactions" and self.parts[-1] == "callback"

    @property
    def is_edit(self) -> bool:
        return self.method == "PATCH" and self.parts[0] in {"channels", "webhooks"} and self.parts[-2] == "messages"

    @property
    def is_message(self) -> bool:
        return (
            self.is_callback
            or self.is_edit
            or self.channel_of_new_message is not None
            or self.token_of_followup is not None
        )

    @property
    def channel_of_new_message(self) -> int | None:
        """The channel of a message that it creates outside interactions, else None."""
        match self.method, self.parts:
            case "POST", ["channels", place, "messages"]:
                return int(place)
        return None

    @property
    def token_of_followup(self) -> str | None:
        match self.method, self.parts:
            case "POST", ["webhooks", _, token]:
                return token
        return None

    @cached_property
    def components(self) -> Sequence[Mapping[str, Any]]:
        return [*walk_components(self.data.get("components") or ())]

    @cached_property
    def references(self) -> frozenset[str]:
        return frozenset(
            url.removeprefix(ATTACHMENT_PREFIX)
            for url in media_urls(self.components)
            if url.startswith(ATTACHMENT_PREFIX)
        )


def walk_components(components: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for component in components:
        yield component
        inner = (component.get("accessory"), component.get("component"))
        yield from walk_components([*(component.get("components") or ()), *filter(None, inner)])


def media_urls(components: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for component in components:
        items = [*(component.get("items") or ()), component]
        for item in items:
            for holder in (item.get("media"), item.get("file")):
                if isinstance(holder, Mapping):
                    yield str(holder.get("url") or "")


def invalid_form_body(place: str, kind: str, message: str) -> DiscordError:
    error: dict[str, Any] = {"_errors": [{"code": kind, "message": message}]}
    for part in reversed(place.split(".")):
        error = {part: error}
    return DiscordError(status=400, code=50035, message="Invalid Form Body", fields={"errors": error})


def rate_limited(
    retry_after: float | None,
    *,
    scope: str = "user",
    json_code: int = 0,
    message: str = "You are being rate limited.",
    limit: tuple[int, int] | None = None,
    bucket: str = "",
) -> DiscordError:
    """Return an HTTP 429. `limit` is (allowed, remaining) calls, for the headers."""
    headers = {"X-RateLimit-Scope": scope}
    fields: dict[str, Any] = {"global": scope == "global"}
    if retry_after is not None:
        headers["Retry-After"] = str(int(retry_after) + 1)
        fields["retry_after"] = retry_after
    if scope == "global":
        headers["X-RateLimit-Global"] = "true"
    if limit and retry_after is not None:
        allowed, remaining = limit
        headers |= {
            "X-RateLimit-Limit": str(allowed),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Reset-After": str(retry_after),
            "X-RateLimit-Bucket": bucket,
        }
    return DiscordError(status=429, code=json_code, message=message, headers=headers, fields=fields)
