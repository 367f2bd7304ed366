"""Who reads what the bot sends to Discord."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from tests.sea import Sea

_HASH = re.compile(r"\b[0-9a-f]{64}\b|(?<=`)[0-9a-f]{8}(?=`)")
_SNOWFLAKE = re.compile(r"\b\d{16,20}\b")
_NONCE = re.compile(r'(?<="nonce": )"\d+"')
"""discord.py's own, of as many digits as chance will have it."""
_SECOND = re.compile(r'("nonce": "\d+-)\d+"')
"""Of our own: time passes here until what its readers alone see is shown, which differs between twins."""

_MOMENT = re.compile(r'(?<="at":)\d+(?=,"link")')
"""When a message was sent that a record notes: likewise."""


def readers(sea: Sea) -> Iterator[tuple[int | None, str]]:
    """Every call of the bot, as text, and who alone gets it; None where others read it too."""
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
    """All that is sent to anybody but one player from now on, in order, without what differs by chance alone.

    Hashes, and with them nonces and seeds, are masked; ids of Discord's are numbered as they come.
    """

    def __init__(self, sea: Sea, but: Any) -> None:
        self._sea = sea
        self._but = but.id
        self._from = len(sea.env.http_requests)
        self._all_from = sys.maxsize
        self._files: dict[int, list[str]] = {}
        store = sea.env.backend.cdn.store_attachment

        def stored(number: int, channel: int, filename: str, data: bytes, description: str | None) -> Any:
            inside = data.decode() if filename.endswith(".json") else hashlib.blake2b(data, digest_size=9).hexdigest()
            told = f"{filename} {inside} {description}"
            self._files.setdefault(len(sea.env.http_requests) - 1, []).append(told)
            return store(number, channel, filename, data, description)

        sea.env.backend.cdn.store_attachment = stored  # type: ignore[method-assign]

    def to_all_alone(self) -> None:
        """From now on only what all may read counts: what one is shown of his own doing may come in either order."""
        self._all_from = len(self._sea.env.http_requests)

    def heard(self) -> dict[str, list[str]]:
        """Each call with its files, as text, by who can read it: one user, or all."""
        tokens = {record.token: f"token of {record.user_id}" for record in self._sea.env.backend.interactions.values()}
        found: dict[str, list[str]] = {}
        for index, (reader, text) in enumerate(readers(self._sea)):
            private = reader is not None and index >= self._all_from
            if index < self._from or reader == self._but or private or text.startswith("GET "):
                continue
            whole = "\n".join([text, *self._files.get(index, [])])
            for token, name in tokens.items():
                whole = whole.replace(token, name)
            found.setdefault(f"user {reader}" if reader else "all", []).append(
                _MOMENT.sub("#", _SECOND.sub(r'\1#"', _NONCE.sub("#", _HASH.sub("#", whole))))
            )
        return {reader: _numbered(texts) for reader, texts in found.items()}


def _numbered(texts: list[str]) -> list[str]:
    """Texts with ids of Discord's replaced by numbers, as they come."""
    numbers: dict[str, str] = {}
    return [_SNOWFLAKE.sub(lambda match: numbers.setdefault(match[0], f"id{len(numbers)}"), text) for text in texts]
