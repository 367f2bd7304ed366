"""Calls, what a server knows of messages, channels and interactions, and what it says to a call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

FILES_KEY: Final = "files[n]"
"""Key of a body under which a server notes uploaded files: bytes by name. Discord's tables call the form fields so."""
ATTACHMENT_PREFIX: Final = "attachment://"
V2_FLAG: Final = 1 << 15
"""The message flag IS_COMPONENTS_V2."""
_DISCORD_HEADERS: Final = {"Via": "1.1 google"}
"""A header of Discord's own answers. Cloudflare's lack it, and discord.py tells them apart by it."""


class DiscordError(Struct, frozen=True, kw_only=True):
    """An error that Discord returns."""

    status: int
    """HTTP status; for IDENTIFY and RESUME the close code of the WebSocket."""
    code: int = 0
    """JSON error code; 0 if there is none."""
    message: str = ""
    headers: Mapping[str, str] = {}
    fields: Mapping[str, Any] = {}
    """Further fields of the JSON body, such as `retry_after`."""
    plain_text: bool = False
    """Whether the body is `message` alone, as Cloudflare sends it."""
    rule: str = ""
    """Name of the rule; empty if a script ordered the refusal."""

    def body(self) -> str:
        """Return the body of the response."""
        if self.plain_text:
            return self.message
        return json.dumps({"message": self.message, "code": self.code, **self.fields})

    def all_headers(self) -> dict[str, str]:
        """Return the headers of the response."""
        kind = "text/plain" if self.plain_text else "application/json"
        return {"Content-Type": kind, **({} if self.plain_text else _DISCORD_HEADERS), **self.headers}


class AlteredAnswer(Struct, frozen=True, kw_only=True):
    """How Discord carries out an accepted call in another way than the call says."""

    message: int | None = None
    """The existing message that is returned; no new one is created."""
    drops_uploads: bool = False
    unarchives: bool = False
    """Whether the thread is active afterwards."""
    invalid_session: bool = False
    """Whether the gateway sends opcode 9; the client waits and identifies again."""
    rule: str = ""


class ServerMessage(Struct, frozen=True, kw_only=True):
    """A message on the server."""

    sent_at: float
    """Unix time."""
    flags: int = 0
    attachments: Mapping[str, str] = {}
    """File name by id; also those that only components show."""


class ServerChannel(Struct, frozen=True, kw_only=True):
    """A channel, thread or direct message."""

    kind: int
    """Discord's channel type."""
    guild: int | None = None
    archived: bool = False
    locked: bool = False
    recipient: int | None = None
    """The other user of a direct message."""
    has_thread: frozenset[int] = frozenset()
    """Messages in it from which threads were started."""


class ServerInteraction(Struct, frozen=True, kw_only=True):
    """An interaction as the server keeps it."""

    created_at: float
    """Unix time."""
    channel: int
    acknowledged: bool = False
    message: int | None = None
    """The message that `@original` names."""
    source: int | None = None
    """The message that was pressed."""
    followups: int = 0
    user_installed_only: bool = False
    """Whether the application is installed for the user, but not on the server."""


class RateLimits(Struct, frozen=True, kw_only=True):
    """Limits that count calls; None switches one off."""

    requests_per_s: int | None = 50
    response_s: float | None = 3.0
    """How soon an interaction's first response comes."""
    route: tuple[int, float] | None = None
    """Requests and seconds of each route and channel. Discord publishes none; its headers say."""
    renames: tuple[int, float] | None = (2, 600.0)
    old_edits: tuple[int, float] | None = (3, 6.0)
    """Edits of messages older than an hour, for each channel."""
    old_edit_retry_s: float | str | None = "remaining"
    """The `retry_after` of error 30046: `remaining` time of the window, other seconds, or None to leave it out."""
    dm_opens: tuple[int, float] | None = None
    """Direct messages that may be opened. Discord publishes no number."""
    invalid: tuple[int, float] | None = (10_000, 600.0)
    identifies: tuple[int, float] | None = (1_000, 86_400.0)
    identify_s: float | None = 5.0
    """Seconds between two IDENTIFYs of one bucket of shards."""
    command_creates: tuple[int, float] | None = (200, 86_400.0)


class RuleGroup(StrEnum):
    """The subject of a rule."""

    MESSAGES = "messages"
    LIMITS = "rate limits"
    THREADS = "threads and channels"
    DIRECT = "direct messages"
    INTERACTIONS = "interactions"
    COMMANDS = "commands"
    GATEWAY = "gateway"


class ApiCall:
    """A request: method, path without the API's prefix, and JSON body with the uploads under `FILES_KEY`."""

    def __init__(self, method: str, path: str, body: Any = None) -> None:  # noqa: ANN401 - any JSON
        self.method = method
        self.path = path
        self.body = body
        self.parts: Sequence[str] = path.strip("/").split("/")

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The message or form in the body: the body, or what is inside an interaction's callback."""
        if not isinstance(self.body, Mapping):
            return {}
        inner = self.body.get("data")
        return inner if self.is_callback and isinstance(inner, Mapping) else self.body

    @cached_property
    def files(self) -> Mapping[str, int]:
        """Names and sizes (bytes) of the uploaded files."""
        return self.body.get(FILES_KEY, {}) if isinstance(self.body, Mapping) else {}

    @property
    def is_callback(self) -> bool:
        """Whether it is the first response to an interaction."""
        return self.method == "POST" and self.parts[0] == "interactions" and self.parts[-1] == "callback"

    @property
    def is_edit(self) -> bool:
        """Whether it edits a message."""
        return self.method == "PATCH" and self.parts[0] in {"channels", "webhooks"} and self.parts[-2] == "messages"

    @property
    def is_message(self) -> bool:
        """Whether it creates or edits a message, or opens a form."""
        return (
            self.is_callback
            or self.is_edit
            or self.channel_of_new_message is not None
            or self.token_of_followup is not None
        )

    @property
    def channel_of_new_message(self) -> int | None:
        """The channel in which it creates a message, if it is no answer to an interaction."""
        match self.method, self.parts:
            case "POST", ["channels", place, "messages"]:
                return int(place)
        return None

    @property
    def token_of_followup(self) -> str | None:
        """The token of the interaction that it follows up."""
        match self.method, self.parts:
            case "POST", ["webhooks", _, token]:
                return token
        return None

    @cached_property
    def components(self) -> Sequence[Mapping[str, Any]]:
        """All components of the message or form, nested ones too."""
        return [*walk_components(self.data.get("components") or ())]

    @cached_property
    def references(self) -> frozenset[str]:
        """Names of the attachments to which its components refer."""
        return frozenset(
            url.removeprefix(ATTACHMENT_PREFIX)
            for url in media_urls(self.components)
            if url.startswith(ATTACHMENT_PREFIX)
        )


def walk_components(components: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield components and what is inside them."""
    for component in components:
        yield component
        inner = (component.get("accessory"), component.get("component"))
        yield from walk_components([*(component.get("components") or ()), *filter(None, inner)])


def media_urls(components: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the addresses of pictures and files."""
    for component in components:
        items = [*(component.get("items") or ()), component]
        for item in items:
            for holder in (item.get("media"), item.get("file")):
                if isinstance(holder, Mapping):
                    yield str(holder.get("url") or "")


def invalid_form_body(place: str, kind: str, message: str) -> DiscordError:
    """Return error 50035 about one field of a body, such as `components`."""
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
    """Return an HTTP 429. `limit` is what the headers say: requests allowed and remaining."""
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
