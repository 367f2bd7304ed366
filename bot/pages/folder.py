"""The folder that the bot and the site share. Each game with a page has a folder in it, named by the page's key.

`head.json` is replaced whenever it changes. All other files are named by a hash of their content and never change.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from bot.pages.values import GameHead, PageStep

KEY_PATTERN: Final = r"[A-Za-z0-9_-]{22}"
"""A key of 128 random bits, which stands in addresses."""
FILE_PATTERN: Final = r"[0-9a-f]{32}\.(?:json|png|webp|gif)"
HEAD_FILE: Final = "head.json"
_HASH_DIGITS: Final = 32


def new_key() -> str:
    return secrets.token_urlsafe(16)


def page_address(public_url: str, key: str) -> str:
    return f"{public_url}/g/{key}"


class PageFolder:
    """Reads and writes files; its methods block. Writers raise `OSError`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write_file(self, key: str, data: bytes, suffix: str) -> str:
        """Store a file that never changes, and return its name."""
        name = f"{sha256(data).hexdigest()[:_HASH_DIGITS]}.{suffix}"
        if not (path := self._game_folder(key) / name).is_file():
            _replace(path, data)
        return name

    def write_step(self, key: str, step: PageStep) -> str:
        return self.write_file(key, msgspec.json.encode(step), "json")

    def write_head(self, key: str, head: GameHead) -> None:
        """Replace a game's head if it has changed."""
        data, path = msgspec.json.encode(head), self._game_folder(key) / HEAD_FILE
        if not path.is_file() or path.read_bytes() != data:
            _replace(path, data)

    def read_head(self, key: str) -> GameHead | None:
        """Return a game's head; None if it has no page, or one that another version of the bot wrote."""
        try:
            return msgspec.json.decode((self._game_folder(key) / HEAD_FILE).read_bytes(), type=GameHead)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def read_step(self, key: str, name: str) -> PageStep | None:
        path = self.file_path(key, name)
        try:
            return msgspec.json.decode(path.read_bytes(), type=PageStep) if path else None
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def file_path(self, key: str, name: str) -> Path | None:
        """Return where a file that never changes is kept; None if its name is none or its game has no page."""
        if not re.fullmatch(KEY_PATTERN, key) or not re.fullmatch(FILE_PATTERN, name):
            return None
        folder = self._game_folder(key)
        path = folder / name
        return path if path.is_file() and (folder / HEAD_FILE).is_file() else None

    def remove(self, key: str) -> None:
        """Remove a game's page. Its head goes first, so that nothing of it is served from then on."""
        folder = self._game_folder(key)
        (folder / HEAD_FILE).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)

    def stored_keys(self) -> list[str]:
        if not self.root.is_dir():
            return []
        return sorted(entry.name for entry in self.root.iterdir() if re.fullmatch(KEY_PATTERN, entry.name))

    def _game_folder(self, key: str) -> Path:
        if not re.fullmatch(KEY_PATTERN, key):
            raise ValueError("no key of a page")
        return self.root / key


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that readers find either the old or the new content, also after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
