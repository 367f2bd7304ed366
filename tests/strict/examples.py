"""For each rule a call that it refuses, or answers in another way, and one near it that it lets pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from bot.sandbox.strict import FILES_KEY
from bot.sandbox.strict.rules.messages import MAX_FILE_BYTES
from tests.strict.known import (
    ANNA,
    BELA,
    DIRECT,
    FORUM,
    GUILD,
    MESSAGE,
    NEWS,
    NOON,
    OLD,
    OTHER,
    ROOM,
    THREAD,
    V2,
    KnownState,
)


class Example(NamedTuple):
    """Two calls, and the server's knowledge at each."""

    call: tuple[str, str, Any]
    near: tuple[str, str, Any]
    status: int = 0  # what the refusal has; 0 for rules that answer
    code: int = 0
    known: Callable[[KnownState], None] = lambda _: None  # changes what is known at both calls
    refused: Callable[[KnownState], None] = lambda _: None  # changes what is known at the first call alone


def texts(**more: Any) -> dict[str, Any]:
    return {"flags": V2, "components": [{"type": 10, "content": "Hello"}], **more}


def picture(**more: Any) -> dict[str, Any]:
    gallery = {"type": 12, "items": [{"media": {"url": "attachment://picture0.png"}}]}
    return {"flags": V2, "components": [{"type": 17, "components": [gallery]}], **more}


def buttons(*custom_ids: str) -> dict[str, Any]:
    row = {
        "type": 1,
        "components": [{"type": 2, "style": 1, "label": "A", "custom_id": custom_id} for custom_id in custom_ids],
    }
    return {"flags": V2, "components": [row]}


def select(*options: Mapping[str, Any]) -> dict[str, Any]:
    chooser = {"type": 3, "custom_id": "a", "options": [{"label": "A", **option} for option in options]}
    return {"flags": V2, "components": [{"type": 1, "components": [chooser]}]}


def command(**more: Any) -> dict[str, Any]:
    return {"name": "galley", "description": "A game", "type": 1, **more}


def options(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"option{number}", "description": "One", "type": 3, **more} for number in range(count)]


def rates(**changed: Any) -> Callable[[KnownState], None]:
    def change(state: KnownState) -> None:
        state.rates = msgspec.structs.replace(state.rates, **changed)

    return change


def counted(key: Any, times: int) -> Callable[[KnownState], None]:
    return lambda state: state.count_call(key, times)


def both(*changes: Callable[[KnownState], None]) -> Callable[[KnownState], None]:
    def change(state: KnownState) -> None:
        for part in changes:
            part(state)

    return change


def channel(number: int, **changed: Any) -> Callable[[KnownState], None]:
    def change(state: KnownState) -> None:
        state.channels[number] = msgspec.structs.replace(state.channels[number], **changed)

    return change


def interaction(token: str, **changed: Any) -> Callable[[KnownState], None]:
    def change(state: KnownState) -> None:
        state.interactions[token] = msgspec.structs.replace(state.interactions[token], **changed)

    return change


def having(**changed: Any) -> Callable[[KnownState], None]:
    def change(state: KnownState) -> None:
        for name, value in changed.items():
            setattr(state, name, value)

    return change


def identify(**changed: Any) -> tuple[str, str, Any]:
    return "IDENTIFY", "/gateway", {"token": "token", "intents": 513, "shard": [0, 1], "v": 10, **changed}


def resume(**changed: Any) -> tuple[str, str, Any]:
    return "RESUME", "/gateway", {"token": "token", "session_id": "s", "seq": 4, **changed}


UPLOAD = {FILES_KEY: {"picture0.png": 1_000}}


def send(body: Any, place: int = ROOM) -> tuple[str, str, Any]:
    return "POST", f"/channels/{place}/messages", body


SEND = send(texts())
WRITE = send(texts(), DIRECT)
EDIT = ("PATCH", f"/channels/{ROOM}/messages/{MESSAGE}", texts())
EDIT_OLD = ("PATCH", f"/channels/{ROOM}/messages/{OLD}", texts())
RENAME = ("PATCH", f"/channels/{THREAD}", {"name": "Another"})
START_THREAD = ("POST", f"/channels/{ROOM}/threads", {"name": "Salamis", "type": 11})
FROM_MESSAGE = ("POST", f"/channels/{ROOM}/messages/{MESSAGE}/threads", {"name": "Salamis"})
IN_THREAD = send(texts(), THREAD)
MEET = ("POST", "/users/@me/channels", {"recipient_id": BELA})
MEET_AGAIN = ("POST", "/users/@me/channels", {"recipient_id": ANNA})
FOLLOW_UP = ("POST", "/webhooks/900/deferred", texts())
ORIGINAL = ("PATCH", "/webhooks/900/deferred/messages/@original", texts())
PRESS = ("PRESS", f"/channels/{THREAD}/messages/{MESSAGE}", {"user": ANNA})


def callback(kind: int, data: dict[str, Any] | None = None, token: str = "pressed") -> tuple[str, str, Any]:
    return "POST", f"/interactions/5/{token}/callback", {"type": kind, "data": data or {}}


def edit(data: dict[str, Any], number: int = MESSAGE) -> tuple[str, str, Any]:
    return "PATCH", f"/channels/{ROOM}/messages/{number}", data


def commands(*all_of_them: dict[str, Any], guild: int | None = None) -> tuple[str, str, Any]:
    return "PUT", f"/applications/900{f'/guilds/{guild}' if guild else ''}/commands", [*all_of_them]


KEPT = [{"id": "70", "filename": "picture0.png"}]

EXAMPLES: dict[str, Example] = {
    # messages
    "kept attachment": Example(edit(picture(attachments=[{"id": "70"}])), edit(picture(attachments=KEPT)), 400, 50035),
    "new attachment": Example(send(picture()), send(picture(**UPLOAD)), 400, 50035),
    "size of a file": Example(
        send(picture(**{FILES_KEY: {"picture0.png": MAX_FILE_BYTES + 1}})),
        send(picture(**{FILES_KEY: {"picture0.png": MAX_FILE_BYTES}})),
        413,
        40005,
    ),
    "number of files": Example(
        send(texts(**{FILES_KEY: {f"{number}.png": 1 for number in range(11)}})),
        send(texts(**{FILES_KEY: {f"{number}.png": 1 for number in range(10)}})),
        400,
        50035,
    ),
    "upload in an update": Example(
        (*callback(7)[:2], {"type": 7, "data": picture(), **UPLOAD}), callback(7, picture(attachments=KEPT)), 400, 50035
    ),
    "dropped upload": Example((*callback(7)[:2], {"type": 7, "data": texts(), **UPLOAD}), callback(7, texts())),
    "components flag removed": Example(edit(texts(flags=0)), edit(texts(flags=V2)), 400, 50035),
    "components flag missing": Example(
        edit({"components": [{"type": 10, "content": "Hello"}]}, OTHER),
        edit({"components": [{"type": 10, "content": "Hello"}]}),
        400,
        50035,
    ),
    "legacy fields": Example(edit({"content": "Hello"}), edit({"content": "Hello"}, OTHER), 400, 50035),
    "flag of a deferral": Example(callback(5, {"flags": V2}), callback(5, {"flags": 64}), 400, 50035),
    "component ids": Example(edit(buttons("a", "a")), edit(buttons("a", "b")), 400, 50035),
    "select values": Example(
        edit(select({"value": "a"}, {"value": "a"})), edit(select({"value": "a"}, {"value": "b"})), 400, 50035
    ),
    "reply to a deleted message": Example(
        send(texts(message_reference={"message_id": "1"})),
        send(texts(message_reference={"message_id": "1", "fail_if_not_exists": False})),
        400,
        50035,
    ),
    "long nonce": Example(send(texts(nonce="n" * 26)), send(texts(nonce="n" * 25)), 400, 50035),
    "repeated nonce": Example(
        send(texts(nonce="1-1", enforce_nonce=True)),
        send(texts(nonce="1-2", enforce_nonce=True)),
        known=having(nonces={(ROOM, "1-1"): MESSAGE}),
    ),
    # rate limits
    "Cloudflare block": Example(SEND, SEND, 403, 40333, refused=having(cloudflare=40333)),
    "Cloudflare 1020": Example(SEND, SEND, 403, refused=having(cloudflare=1020)),
    "Cloudflare 1015": Example(SEND, SEND, 429, known=counted("invalid", 9_999), refused=counted("invalid", 1)),
    "global limit": Example(SEND, FOLLOW_UP, 429, known=counted("requests", 50)),
    "route limit": Example(
        SEND, IN_THREAD, 429, known=both(rates(route=(5, 5.0)), counted(f"POST/channels/{ROOM}/messages", 5))
    ),
    "renames": Example(
        RENAME, ("PATCH", f"/channels/{THREAD}", {"archived": True}), 429, known=counted(("renames", str(THREAD)), 2)
    ),
    "edits of old messages": Example(EDIT_OLD, EDIT, 429, 30046, known=counted(("old edits", str(ROOM)), 3)),
    # threads and channels
    "archived thread": Example(
        RENAME,
        ("PATCH", f"/channels/{THREAD}", {"name": "Another", "archived": False}),
        400,
        50083,
        known=channel(THREAD, archived=True),
    ),
    "message to an archived thread": Example(IN_THREAD, SEND, known=channel(THREAD, archived=True)),
    "locked thread": Example(IN_THREAD, SEND, 400, 160005, known=channel(THREAD, locked=True)),
    "press in an archived thread": Example(
        ("PRESS", PRESS[1], {"user": BELA}), PRESS, 403, 50013, known=channel(THREAD, archived=True)
    ),
    "press un-archives": Example(PRESS, PRESS, refused=channel(THREAD, archived=True)),
    "thread of a message": Example(
        ("POST", f"/channels/{ROOM}/messages/{OLD}/threads", {"name": "Salamis"}), FROM_MESSAGE, 400, 160004
    ),
    "thread type in an announcement channel": Example(
        ("POST", f"/channels/{NEWS}/threads", {"name": "Salamis", "type": 11}),
        ("POST", f"/channels/{NEWS}/threads", {"name": "Salamis", "type": 10}),
        400,
        50024,
    ),
    "active threads": Example(START_THREAD, SEND, 400, 160006, known=having(max_threads={GUILD: 3})),
    "active announcement threads": Example(
        ("POST", f"/channels/{NEWS}/threads", {"name": "Salamis", "type": 10}),
        START_THREAD,
        400,
        160007,
        known=having(max_announcement_threads={GUILD: 1}),
    ),
    "blocked title": Example(
        FROM_MESSAGE, ("POST", FROM_MESSAGE[1], {"name": "#1"}), 400, 200001, known=having(blocked_words={"salamis"})
    ),
    "forbidden name": Example(
        START_THREAD,
        ("POST", START_THREAD[1], {"name": "#1", "type": 11}),
        400,
        20031,
        known=having(forbidden_words={"salamis"}),
    ),
    "uploads limited": Example(send(picture(**UPLOAD)), SEND, 400, 400001, known=having(uploads_limited={GUILD})),
    "message to a forum": Example(
        send(texts(), FORUM), ("POST", f"/channels/{FORUM}/threads", {"name": "A post", "message": texts()}), 400, 40058
    ),
    # direct messages
    "closed direct messages": Example(WRITE, MEET_AGAIN, 403, 50007, known=having(closed_dms={ANNA})),
    "no common server": Example(WRITE, SEND, 403, 50278, known=having(strangers={ANNA})),
    "quarantine": Example(MEET, MEET_AGAIN, 403, 20026, known=having(quarantined=True)),
    "opened too fast": Example(
        MEET, MEET_AGAIN, 403, 40003, known=both(rates(dm_opens=(10, 600.0)), counted("dm opens", 10))
    ),
    # interactions
    "late response": Example(callback(6), callback(6), 404, 10062, refused=interaction("pressed", created_at=NOON - 3)),
    "second response": Example(callback(6, token="deferred"), callback(6), 400, 40060),
    "expired token": Example(ORIGINAL, ORIGINAL, 401, 50027, refused=interaction("deferred", created_at=NOON - 900)),
    "follow-up before a response": Example(("POST", "/webhooks/900/pressed", texts()), FOLLOW_UP, 404, 10015),
    "follow-ups used up": Example(
        FOLLOW_UP, ORIGINAL, 400, 40094, known=interaction("deferred", user_installed_only=True, followups=5)
    ),
    "limited service": Example(callback(6), SEND, 429, 40062, known=having(service_limited_s=3.0)),
    # commands
    "options of a command": Example(
        commands(command(options=options(26))), commands(command(options=options(25))), 400, 50035
    ),
    "size of a command": Example(
        commands(command(options=options(25, choices=[{"name": "n" * 100, "value": "v" * 100}] * 2))),
        commands(command(options=options(20, choices=[{"name": "n" * 90, "value": "v" * 90}] * 2))),
        400,
        50035,
    ),
    "contexts of a command": Example(
        commands(command(contexts=[0, 2], integration_types=[0])),
        commands(command(contexts=[0, 1], integration_types=[0])),
        400,
        50035,
    ),
    "names of commands": Example(commands(command(), command()), commands(command(), command(type=2)), 400, 50035),
    "required options": Example(
        commands(command(options=[*options(1), {"name": "other", "type": 3, "required": True}])),
        commands(command(options=[{"name": "other", "type": 3, "required": True}, *options(1)])),
        400,
        50035,
    ),
    "number of commands": Example(
        commands(*(command(name=f"galley{number}") for number in range(101))),
        commands(*(command(name=f"galley{number}") for number in range(100))),
        400,
        30032,
    ),
    "creations a day": Example(
        commands(command(name="new")),
        commands(command()),
        400,
        30034,
        known=both(having(commands=frozenset({("galley", 1)})), counted("creates", 200)),
    ),
    # gateway
    "token": Example(identify(token="reset"), identify(), 4004),
    "identifies a day": Example(
        identify(), resume(), 4004, known=both(counted("identifies", 1_000), having(sessions={"s": 4}))
    ),
    "identifies at once": Example(identify(), identify(), refused=counted("identifies at once", 1)),
    "shard": Example(identify(shard=[2, 2]), identify(shard=[1, 2]), 4010),
    "sharding required": Example(identify(), identify(shard=[0, 2]), 4011, known=having(guilds=2_501)),
    "API version": Example(identify(v=3), identify(v=10), 4012),
    "unknown intents": Example(identify(intents=1 << 30), identify(intents=1 << 25), 4013),
    "disallowed intents": Example(
        identify(intents=1 << 1), identify(intents=1 << 0), 4014, known=having(approved_intents=0)
    ),
    "resumed session": Example(resume(session_id="ended"), resume(), known=having(sessions={"s": 4})),
    "resumed sequence": Example(resume(seq=5), resume(), 4007, known=having(sessions={"s": 4})),
}
