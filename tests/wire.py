"""Messages to Discord: who can read them, and whether they keep Discord's limits and published description."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema_rs import Draft202012Validator

from bot.sandbox import private

if TYPE_CHECKING:
    from tests.sea import Sea

OPENAPI = Path(__file__).parents[2] / "shared" / "discord" / "openapi.json"
COMPONENTS_MOST = 40
TEXT_MOST = 4000
FILES_MOST = 10
FILE_MOST = 10 * 1024 * 1024
CUSTOM_ID_MOST = 100
LABEL_MOST = 80
OPTIONS_MOST = 25
OPTION_TEXT_MOST = 100
_TEXT = 10
_HASH = re.compile(r"\b[0-9a-f]{64}\b|(?<=`)[0-9a-f]{40}(?=[`…])|(?<=`)[0-9a-f]{8}(?=[`…])")
_SNOWFLAKE = re.compile(r'\b\d{16,20}\b|(?<="id": )\d{7,10}\b|(?<="nonce": ")\d{7,10}(?=-)')
"""Discord's, and the marks by which it knows our messages."""
_NONCE = re.compile(r'(?<="nonce": )"\d+"')  # discord.py's own, of as many digits as chance will have it
_SECOND = re.compile(r'("nonce": "\d+-)\d+"')
"""Of our own: time passes here until what its readers alone see is shown, which differs between twins."""

_MOMENT = re.compile(r'(?<="at":)\d+(?=,"link")')  # when a message was sent that a record notes: likewise


def check_limits(env: private.StrictEnv) -> None:
    """Check that every call keeps Discord's limits."""
    for call in env.http_requests:
        body = _message_in(call.json)
        components = list(_components(body.get("components") or []))

        def where(call: Any = call, body: Any = body) -> str:
            return f"{call.method} {call.path}: {json.dumps(body, default=str)[:2000]}"

        assert len(components) <= COMPONENTS_MOST, where()
        assert sum(len(part["content"]) for part in components if part["type"] == _TEXT) <= TEXT_MOST, where()
        assert len(str(body.get("content") or "")) <= TEXT_MOST // 2, where()
        assert len(body.get("attachments") or []) <= FILES_MOST, where()
        ids = [part["custom_id"] for part in components if part.get("custom_id")]
        assert len(ids) == len(set(ids)), where()
        assert all(len(custom_id) <= CUSTOM_ID_MOST for custom_id in ids), where()
        assert all(0 < len(part["label"]) <= LABEL_MOST for part in components if part.get("label")), where()
        for part in components:
            options = part.get("options") or []
            assert len(options) <= OPTIONS_MOST, where()
            assert len({option["value"] for option in options}) == len(options), where()
            assert all(
                0 < len(option["label"]) <= OPTION_TEXT_MOST
                and 0 < len(option["value"]) <= OPTION_TEXT_MOST
                and len(option.get("description") or "") <= OPTION_TEXT_MOST
                for option in options
            ), where()
    sizes = [len(data) for data in private.uploaded_files(env.backend).values()]
    assert max(sizes, default=0) <= FILE_MOST


def check_schemas(env: private.StrictEnv) -> int:
    """Check every body by Discord's own description; return the number of bodies."""
    checked = 0
    for call in env.http_requests:
        validator = _validator(call.method.lower(), call.path) if call.json is not None else None
        if validator:
            if not validator.is_valid(call.json):
                faults = [
                    f"{'/'.join(map(str, fault.instance_path))}: {fault.message[:300]}"
                    for fault in validator.iter_errors(call.json)
                ]
                raise AssertionError(f"{call.method} {call.path}: {faults}")
            checked += 1
    return checked


def _message_in(body: Any) -> dict[str, Any]:
    """Return the message or form in a body: itself, or inside an interaction's answer."""
    if not isinstance(body, dict):
        return {}
    data = body.get("data")
    return data if isinstance(data, dict) else body


def _components(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in components:
        yield part
        yield from _components([*part.get("components", []), *filter(None, [part.get("component")])])


@functools.cache
def _openapi() -> Any:
    described = json.loads(OPENAPI.read_text("utf-8"))
    # Discord takes both, and discord.py sends numbers.
    described["components"]["schemas"]["SnowflakeType"] = {"type": ["string", "integer"]}
    return described


@functools.cache
def _templates() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    # Paths with fewer parameters first: `@original` before `{message_id}`.
    paths = sorted(_openapi()["paths"].items(), key=lambda item: item[0].count("{"))
    return [(re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), methods) for path, methods in paths]


def _validator(method: str, path: str) -> Draft202012Validator | None:
    places = (
        place for place, (pattern, methods) in enumerate(_templates()) if method in methods and pattern.fullmatch(path)
    )
    place = next(places, None)
    assert place is not None, f"Discord has no {method} {path}"
    return _compiled(place, method)


@functools.cache
def _compiled(place: int, method: str) -> Draft202012Validator | None:
    _, methods = _templates()[place]
    content = methods[method].get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    return Draft202012Validator({**schema, "components": _openapi()["components"]}) if schema else None


def readers(sea: Sea) -> Iterator[tuple[int | None, str]]:
    """Yield every call of the bot, as text, and its only reader; None where several read it."""
    backend = sea.env.backend
    direct = {str(channel): user for user, channel in backend.dm_channels.items()}
    tokens = {record.token: record.user_id for record in backend.interactions.values()}
    for call in sea.env.http_requests:
        parts = call.path.strip("/").split("/")
        reader = direct.get(parts[1]) if parts[0] == "channels" else None
        for part in parts:
            if part in tokens:
                reader = tokens[part]
        yield reader, f"{call.method} {call.path} {json.dumps(call.json, default=str, ensure_ascii=False)}"


class Tape:
    """Records all that is sent from now on, except to some players, in order and without differences by chance.

    Hashes, and with them nonces and seeds, are masked; ids of Discord's are numbered as they come.
    """

    def __init__(self, sea: Sea, *but: Any) -> None:
        self._sea = sea
        self._but = {who.id for who in but}
        self._from = len(sea.env.http_requests)
        self._all_from = sys.maxsize
        self._files: dict[int, list[str]] = {}
        store = sea.env.backend.cdn.store_attachment

        def stored(number: int, channel: int, filename: str, data: bytes, description: str | None) -> Any:
            inside = data.decode() if filename.endswith(".json") else hashlib.blake2b(data, digest_size=9).hexdigest()
            text = f"{filename} {inside} {description}"
            self._files.setdefault(len(sea.env.http_requests) - 1, []).append(text)
            return store(number, channel, filename, data, description)

        sea.env.backend.cdn.store_attachment = stored  # type: ignore[method-assign]

    def to_all_alone(self) -> None:
        """Record from now on only public messages: people may see their own actions in either order."""
        self._all_from = len(self._sea.env.http_requests)

    def heard(self, *, by_place: bool = False) -> dict[str, list[str]]:
        """Return each call with its files, as text, by its reader: one user, or all; or by its place.

        The order between two places is a matter of moments.
        """
        tokens = {record.token: f"token of {record.user_id}" for record in self._sea.env.backend.interactions.values()}
        named = self._sea.env.backend.get_user  # by name: ids hold moments, which a busy machine shifts
        found: dict[str, list[str]] = {}
        for index, (reader, text) in enumerate(readers(self._sea)):
            private = reader is not None and index >= self._all_from
            if index < self._from or reader in self._but or private or text.startswith("GET "):
                continue
            content = "\n".join([text, *self._files.get(index, [])])
            for token, name in tokens.items():
                content = content.replace(token, name)
            who = f"user {named(reader).name}" if reader else "all"
            found.setdefault(f"{who} in {self._place(text)}" if by_place else who, []).append(
                _MOMENT.sub("#", _SECOND.sub(r'\1#"', _NONCE.sub("#", _HASH.sub("#", content))))
            )
        return {reader: _numbered(texts) for reader, texts in found.items()}

    def _place(self, text: str) -> str:
        """Return the name of the channel or thread of a call; empty if it has none, such as an answer to a command."""
        parts = text.split(" ")[1].strip("/").split("/")
        known = self._sea.env.backend.channels.get(int(parts[1])) if parts[0] == "channels" else None
        return known.name or "" if known else ""


def _numbered(texts: list[str]) -> list[str]:
    """Return texts with ids of Discord's replaced by numbers, as they come."""
    numbers: dict[str, str] = {}
    return [_SNOWFLAKE.sub(lambda match: numbers.setdefault(match[0], f"id{len(numbers)}"), text) for text in texts]
