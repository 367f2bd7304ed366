"""The folder that the bot and the site share. Each game with a page has a folder in it, named by the page's key.

`head.json` is replaced whenever it changes. All other files are named by a hash of their content and never change.
`servers` has a folder for each archive, named by its key, with a `head.json` and a file for each captain's profile.
`requests` has an empty file for each game that readers want to have drawn again. `withdrawn` has one for each address
at which nothing may be shown again, whatever a restored database says. `owner` says whose database may remove from the
folder what it doesn't know.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from bot.pages.values import ArchiveHead, CaptainProfile, GameHead, PageStep, StepEntry

V = TypeVar("V")

KEY_PATTERN: Final = r"[A-Za-z0-9_-]{22}"
"""A key of 128 random bits, which stands in addresses."""
FILE_PATTERN: Final = r"[0-9a-f]{32}\.(?:json|png|webp|gif)"
TOKEN_PATTERN: Final = r"[0-9a-f]{22}"  # noqa: S105 - no secret
"""Stands for a captain in addresses."""
HEAD_FILE: Final = "head.json"
RECORD_FILE: Final = "record.json"
"""The record of a finished game. It has the captains' names, so that it's replaced when one is forgotten."""
MIN_STRAY_AGE_S: Final = 600.0
"""Files that nothing names are kept so long, because they may be about to be named, or still be read."""
_USE_FILE: Final = "used"
"""Its time says when the game's pictures were drawn again for a reader."""
_SERVERS: Final = "servers"
_REQUESTS: Final = "requests"
_WITHDRAWN: Final = "withdrawn"
_OWNER_FILE: Final = "owner"
_FILM_SUFFIX: Final = ".film"
_DRAFT_SUFFIX: Final = ".new"
_HASH_DIGITS: Final = 32


def new_key() -> str:
    return secrets.token_urlsafe(16)


def page_address(public_url: str, key: str) -> str:
    return f"{public_url}/g/{key}"


def archive_address(public_url: str, key: str) -> str:
    return f"{public_url}/s/{key}"


class RedrawRequest(Struct, frozen=True, kw_only=True):
    key: str  # of the game's page
    film: bool  # whether the whole game is to be filmed, too


class PageFolder:
    """Reads and writes files; its methods block. Writers raise `OSError`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write_file(self, key: str, data: bytes, suffix: str) -> str:
        """Store a file that never changes, and return its name. Raises `OSError` also if the page was withdrawn."""
        self._check_key(key)
        name = f"{sha256(data).hexdigest()[:_HASH_DIGITS]}.{suffix}"
        _replace_if_changed(self._game_folder(key) / name, data)  # it may have been damaged
        return name

    def write_step(self, key: str, step: PageStep) -> str:
        return self.write_file(key, msgspec.json.encode(step), "json")

    def write_head(self, key: str, head: GameHead) -> bool:
        """Replace a game's head if it has changed. Return whether it has.

        Raises `OSError` also if the page was withdrawn.
        """
        self._check_key(key)
        return _replace_if_changed(self._game_folder(key) / HEAD_FILE, msgspec.json.encode(head))

    def remove_head(self, key: str) -> None:
        """Serve nothing of a game any more, until its head is written again."""
        (self._game_folder(key) / HEAD_FILE).unlink(missing_ok=True)

    def read_head(self, key: str) -> GameHead | None:
        """Return a game's head; None if it has no page, or one that another version of the bot wrote."""
        if self.is_withdrawn(key):
            return None
        return _read_value(self._game_folder(key) / HEAD_FILE, GameHead)

    def read_step(self, key: str, name: str) -> PageStep | None:
        path = self.file_path(key, name)
        return _read_value(path, PageStep) if path else None

    def file_path(self, key: str, name: str) -> Path | None:
        """Return where a file that never changes is kept; None if its name is none or its game has no page."""
        if not re.fullmatch(KEY_PATTERN, key) or not re.fullmatch(FILE_PATTERN, name):
            return None
        return self._served_path(key, name)

    def _served_path(self, key: str, name: str) -> Path | None:
        folder = self._game_folder(key)
        path = folder / name
        is_link = path.is_symlink() or folder.is_symlink()  # which may lead anywhere
        is_served = path.is_file() and (folder / HEAD_FILE).is_file() and not self.is_withdrawn(key)
        return path if is_served and not is_link else None

    def write_record(self, key: str, data: bytes) -> None:
        self._check_key(key)
        _replace_if_changed(self._game_folder(key) / RECORD_FILE, data)

    def remove_record(self, key: str) -> None:
        (self._game_folder(key) / RECORD_FILE).unlink(missing_ok=True)

    def has_record(self, key: str) -> bool:
        return (self._game_folder(key) / RECORD_FILE).is_file()

    def record_path(self, key: str) -> Path | None:
        """Return where the record of a finished game with a page is kept; None if it has none yet."""
        return self._served_path(key, RECORD_FILE)

    def lacks_files(self, key: str, entry: StepEntry) -> bool:
        """Return whether a file of a step was removed, lost, or never written."""
        names = [entry.data, entry.picture, *filter(None, [entry.film, entry.samples])]
        folder = self._game_folder(key)
        return not all(name and (folder / name).is_file() for name in names)

    def remove(self, key: str) -> None:
        """Withdraw a game's page. Its head goes first, so that nothing of it is served from then on."""
        self.remove_head(key)
        shutil.rmtree(self._game_folder(key), ignore_errors=True)
        self.withdraw(key)  # last, because it needs room on the disk

    def move(self, old_key: str, new_key: str) -> None:
        """Give a game's files another key, at which readers find them from then on."""
        if (folder := self._game_folder(old_key)).is_dir():
            folder.rename(self._game_folder(new_key))

    def is_withdrawn(self, key: str) -> bool:
        """Return whether the address of a page or an archive was taken away for ever."""
        return self._withdrawn_mark(key).exists()

    def withdraw(self, key: str) -> None:
        """Show nothing at an address from now on, for ever."""
        mark = self._withdrawn_mark(key)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()

    def _withdrawn_mark(self, key: str) -> Path:
        if not re.fullmatch(KEY_PATTERN, key):
            raise ValueError("no key of a page or an archive")
        return self.root / _WITHDRAWN / key

    def _check_key(self, key: str) -> None:
        if self.is_withdrawn(key):
            raise OSError("the page has been withdrawn")

    def claim(self, owner: str) -> bool:
        """Return whether a database owns the folder; it does if no other has claimed it before."""
        path = self.root / _OWNER_FILE
        if not path.is_file():
            self.root.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError), path.open("xb") as file:  # another database may be faster
                file.write(owner.encode())
                file.flush()
                os.fsync(file.fileno())
        return path.read_bytes() == owner.encode()

    def stored_keys(self) -> list[str]:
        if not self.root.is_dir():
            return []
        entries = (entry for entry in self.root.iterdir() if not entry.is_symlink())
        return sorted(entry.name for entry in entries if re.fullmatch(KEY_PATTERN, entry.name))

    def has_only_our_files(self, key: str) -> bool:
        """Return whether all in a folder was written by a bot, so that it may be deleted."""
        fixed = (HEAD_FILE, RECORD_FILE, _USE_FILE)
        return all(
            path.name in fixed or path.name.endswith(_DRAFT_SUFFIX) or re.fullmatch(FILE_PATTERN, path.name)
            for path in self._game_folder(key).iterdir()
        )

    # --- room --------------------------------------------------------------------------------------------------

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each game's files by key."""
        return {
            key: sum(path.stat().st_size for path in self._content(key) if path.is_file()) for key in self.stored_keys()
        }

    def content_names(self, key: str) -> list[str]:
        """Return the names of a game's files that never change."""
        return [path.name for path in self._content(key)]

    def content_bytes(self, key: str) -> int:
        """Return the bytes of a game's pictures and films."""
        return sum(path.stat().st_size for path in self._content(key) if path.suffix != ".json" and path.is_file())

    def remove_content(self, key: str) -> int:
        """Remove a game's files except its head and record. Return their bytes."""
        return self._remove_files(self._content(key))

    def remove_files(self, key: str, names: Collection[str]) -> int:
        """Remove some of a game's files. Return their bytes."""
        return self._remove_files(path for path in self._content(key) if path.name in names)

    def remove_unnamed(self, key: str) -> int:
        """Remove a game's files that its head doesn't name, unless they are new. Return their bytes."""
        head = self.read_head(key)
        if head is None:
            return 0
        named = {head.film}
        named |= {name for step in head.steps for name in (step.data, step.picture, step.film, step.samples)}
        newest = time.time() - MIN_STRAY_AGE_S
        return self._remove_files(
            path for path in self._content(key) if path.name not in named and path.stat().st_mtime < newest
        )

    def remove_drafts(self) -> None:
        """Remove files that were begun by processes that have ended."""
        newest = time.time() - MIN_STRAY_AGE_S
        places = [self.root / key for key in self.stored_keys()]
        places += [self.root / _SERVERS / key for key in self.stored_archives()]
        for place in places:
            self._remove_files(path for path in place.glob(f"*{_DRAFT_SUFFIX}") if path.stat().st_mtime < newest)

    def _content(self, key: str) -> list[Path]:
        folder = self._game_folder(key)
        if not folder.is_dir():
            return []
        return [path for path in folder.iterdir() if re.fullmatch(FILE_PATTERN, path.name)]

    def _remove_files(self, paths: Iterable[Path]) -> int:
        removed = 0
        for path in paths:
            try:
                size = path.stat().st_size
                path.unlink()
            except FileNotFoundError:
                continue
            removed += size
        return removed

    # --- what readers ask for ----------------------------------------------------------------------------------

    def request_drawing(self, key: str, *, film: bool = False) -> None:
        """Ask the bot to draw a game again; also to film all of it with `film`."""
        path = self.root / _REQUESTS / f"{key}{_FILM_SUFFIX if film else ''}"
        if self._game_folder(key).is_dir() and not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.touch()

    def requests(self) -> list[RedrawRequest]:
        """Return the requests, oldest first."""
        folder = self.root / _REQUESTS
        paths = [*folder.iterdir()] if folder.is_dir() else []
        names = [path.name for path in sorted(paths, key=lambda path: (_changed_at(path), path.name))]
        requests = [(name.removesuffix(_FILM_SUFFIX), name.endswith(_FILM_SUFFIX)) for name in names]
        return [RedrawRequest(key=key, film=film) for key, film in requests if re.fullmatch(KEY_PATTERN, key)]

    def drop_request(self, request: RedrawRequest) -> None:
        name = f"{request.key}{_FILM_SUFFIX if request.film else ''}"
        (self.root / _REQUESTS / name).unlink(missing_ok=True)

    def note_use(self, key: str, now: int) -> None:
        """Store when a game was drawn again for a reader (Unix seconds)."""
        path = self._game_folder(key) / _USE_FILE
        if path.parent.is_dir():
            path.touch()
            os.utime(path, (now, now))

    def used_at(self, key: str) -> float:
        """Return when a game was last drawn again for a reader (Unix seconds), or 0."""
        path = self._game_folder(key) / _USE_FILE
        return path.stat().st_mtime if path.is_file() else 0.0

    # --- archives ----------------------------------------------------------------------------------------------

    def write_archive(self, key: str, head: ArchiveHead) -> None:
        _replace_if_changed(self._archive_folder(key) / HEAD_FILE, msgspec.json.encode(head))

    def write_profiles(self, key: str, profiles: Mapping[str, CaptainProfile], *, kept: Collection[str]) -> None:
        """Write profiles by token, and remove all that are not `kept`."""
        folder = self._archive_folder(key)
        for token, profile in profiles.items():
            _replace_if_changed(folder / f"{token}.json", msgspec.json.encode(profile))
        for path in folder.glob("*.json"):
            if path.name != HEAD_FILE and path.stem not in kept:
                path.unlink(missing_ok=True)

    def read_archive(self, key: str) -> ArchiveHead | None:
        """Return the archive of a server; None if there is none, or one that another version of the bot wrote."""
        if self.is_withdrawn(key):
            return None
        return _read_value(self._archive_folder(key) / HEAD_FILE, ArchiveHead)

    def read_profile(self, key: str, token: str) -> CaptainProfile | None:
        is_token = re.fullmatch(TOKEN_PATTERN, token) and not self.is_withdrawn(key)
        return _read_value(self._archive_folder(key) / f"{token}.json", CaptainProfile) if is_token else None

    def remove_archive(self, key: str) -> None:
        folder = self._archive_folder(key)
        (folder / HEAD_FILE).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)

    def withdraw_archive(self, key: str) -> None:
        self.remove_archive(key)
        self.withdraw(key)

    def stored_archives(self) -> list[str]:
        folder = self.root / _SERVERS
        if not folder.is_dir():
            return []
        return sorted(entry.name for entry in folder.iterdir() if re.fullmatch(KEY_PATTERN, entry.name))

    def _archive_folder(self, key: str) -> Path:
        if not re.fullmatch(KEY_PATTERN, key):
            raise ValueError("no key of an archive")
        return self.root / _SERVERS / key

    def _game_folder(self, key: str) -> Path:
        if not re.fullmatch(KEY_PATTERN, key):
            raise ValueError("no key of a page")
        return self.root / key


def _changed_at(path: Path) -> float:
    """Return when a file was changed (Unix seconds); 0: it's gone."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _read_value(path: Path, kind: type[V]) -> V | None:
    """Return what a file holds; None if there is none, or one that another version of the bot wrote."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _replace_if_changed(path: Path, data: bytes) -> bool:
    if path.is_file() and path.read_bytes() == data:
        return False
    _replace(path, data)
    return True


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that readers find either the old or the new content, also after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_DRAFT_SUFFIX}")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
