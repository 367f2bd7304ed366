"""Typed text: its pieces, ids as ranges, and words of several languages that mean words of a notation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final


def join_id_ranges(names: Sequence[str]) -> list[str]:
    """Return ids with runs of three or more consecutive numbers joined, such as `B1–B5`."""
    runs: list[list[str]] = []
    previous = ""
    for name in names:
        if runs and previous[:1] == name[:1] and int(previous[1:]) == int(name[1:]) - 1:
            runs[-1].append(name)
        else:
            runs.append([name])
        previous = name
    joined: list[str] = []
    for run in runs:
        joined += [f"{run[0]}–{run[-1]}"] if len(run) > 2 else run
    return joined


_SENTENCE_ENDS: Final = ".!… \t\r"  # characters that end a sentence, including those that phones insert


def fold_text(text: str) -> str:
    """Return the text in lower case, without accents and with single blanks. Line breaks remain."""
    unaccented = "".join(
        char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char)
    )
    return "\n".join(" ".join(line.split()) for line in unaccented.split("\n"))


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def typed_meanings(words: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the notation's word for each word that may be typed, including the notation's words themselves."""
    return {typed: meant for meant, others in words.items() for typed in (meant, *others)}


def strip_sentence_ends(text: str) -> str:
    """Return the text without full stops at line ends. A text of nothing else is unchanged."""
    stripped = "\n".join(line.rstrip(_SENTENCE_ENDS) for line in text.split("\n"))
    return stripped if stripped.strip() else text


def split_pieces(text: str, breaks: str = ";\n\r") -> list[str]:
    """Return the pieces between these separators, without surrounding blanks and commas and without empty ones."""
    return [piece for part in re.split(f"[{re.escape(breaks)}]+", text) if (piece := part.strip(" \t,"))]
