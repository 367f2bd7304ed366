"""Create packages of new games: a skeleton to start from, and the catalogue keys that a game still lacks."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bot.texts.i18n import DEFAULT_LANGUAGE
from bot.texts.whole import declared_keys, event_types, example_events
from rules.core.registry import RULESETS

NAME_PLACEHOLDER: Final = "NAME"
_PO_HEADER: Final = f"""msgid ""
msgstr ""
"Language: {DEFAULT_LANGUAGE}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


def write_skeleton(name: str, folder: Path) -> Path:
    """Write the package of a playable new game into a folder and return its path.

    Raises `ValueError` for an invalid or used name, and `FileExistsError` if the folder exists.
    """
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", name) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is no name of a game: small letters, digits and underscores, at most 40")
    if name in RULESETS:
        raise ValueError(f"there is a game called {name} already")
    if find_spec(name) is not None:
        raise ValueError(f"there is a package called {name} already, and the game would take its place")
    package = folder / name
    package.mkdir(parents=True)
    for source, path in _skeleton_files(files("bot.cli") / "skeleton", package):
        path.parent.mkdir(exist_ok=True)
        path.write_text(source.read_text(encoding="utf-8").replace(NAME_PLACEHOLDER, name), encoding="utf-8")
    return package


def _skeleton_files(folder: Traversable, into: Path) -> Iterator[tuple[Traversable, Path]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _skeleton_files(entry, into / entry.name)
        elif entry.name.endswith(".txt"):
            yield entry, into / entry.name.removesuffix(".txt")


def needed_keys(system: str) -> list[str]:
    """Return the catalogue keys that a game's declarations and the variants of its events need."""
    rules = RULESETS[system]
    event_keys = [
        ".".join(filter(None, ("event", type(event).__name__, event.variant)))
        for kind in event_types(rules)
        for event in example_events(kind)
    ]
    return list(dict.fromkeys((*declared_keys(rules), *event_keys)))


def write_words(system: str) -> tuple[Path, list[str]]:
    """Add an entry without a text to a game's English catalogue for each missing key. Returns file and keys.

    Raises `KeyError` if there is no such game.
    """
    path = Path(str(files(RULESETS[system].data_package) / f"{DEFAULT_LANGUAGE}.po"))
    old_text = path.read_text(encoding="utf-8") if path.exists() else _PO_HEADER
    known_keys = set(re.findall(r'^msgid "(.+)"$', old_text, re.MULTILINE))
    missing_keys = [key for key in needed_keys(system) if key not in known_keys]
    path.write_text(old_text + "".join(f'\nmsgid "{key}"\nmsgstr ""\n' for key in missing_keys), encoding="utf-8")
    return path, missing_keys
