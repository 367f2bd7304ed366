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


_PHONE_PUNCTUATION: Final = str.maketrans(
    {
        "\u200b": "",
        "–": "-",
        "—": "-",
        "−": "-",
        "‑": "-",
        "‐": "-",
        "“": '"',
        "”": '"',
        "„": '"',
        "‘": "'",
        "’": "'",
        "→": ">",
    }
)
_ID_RANGE: Final = re.compile(r"\b([a-z])([0-9]{1,3}) ?- ?([a-z])([0-9]{1,3})\b", re.IGNORECASE)
_SHIPS_OF_LINE: Final = re.compile(r"((?:[a-z][0-9]{1,3}(?: ?- ?[a-z][0-9]{1,3})?[ ,]*)+):", re.IGNORECASE)
_MAX_RANGE: Final = 60


def straighten_punctuation(text: str) -> str:
    """Return the text with plain dashes and quotes for those of phones, and without invisible blanks."""
    return text.translate(_PHONE_PUNCTUATION)


def expand_id_ranges(text: str) -> str:
    """Return the text with ranges of ids such as `A1-A3` written as `A1 A2 A3`."""
    return _ID_RANGE.sub(lambda match: " ".join(_ids_of_range(match)) or match[0], text)


def split_ships_line(line: str) -> list[str]:
    """Return a line for several ships, such as `b1-b3 b5: f2`, as one line for each; any other line alone."""
    match = _SHIPS_OF_LINE.match(line)
    names = expand_id_ranges(match[1]).replace(",", " ").split() if match else []
    return [f"{name}: {line[match.end() :].lstrip()}" for name in names] if match and len(names) > 1 else [line]


def add_colons(text: str, names: Iterable[str]) -> str:
    """Return the text with a colon after the names of ships that begin a line or a part of one, where it has none."""
    name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    if not name:
        return text
    ships = rf"(?:{name})(?:(?: ?- ?|[ ,]+)(?:{name}))*"
    rest = rf"(?!(?:{ships}|[ ,-])*:)\S.*"
    without_colon = re.compile(rf"^((?:doctrine )?(?:{ships}|all|any))(?![\w:])[ ,]+({rest})$", re.IGNORECASE)
    pieces = re.split(r"([;\n]\s*)", text)
    return "".join(without_colon.sub(r"\1: \2", piece.strip(" \t")) if piece.strip() else piece for piece in pieces)


def _ids_of_range(match: re.Match[str]) -> list[str]:
    """Return the ids of a range; none if it is no range of at most `_MAX_RANGE` ids."""
    letter, first, last_letter, last = match[1], int(match[2]), match[3], int(match[4])
    if letter.lower() != last_letter.lower() or not first < last < first + _MAX_RANGE:
        return []
    return [f"{letter}{number}" for number in range(first, last + 1)]


def own_words(text: str, piece: str) -> str:
    """Return a piece of a text as it was typed, if it is there but for case, accents and blanks; else the piece."""
    words = piece.rstrip("…").split()
    if not words:
        return piece
    folded = [(fold_text(char) or char, number) for number, char in enumerate(text)]
    folded_text = "".join(char if char.strip() else " " for char, _ in folded)
    numbers = [number for char, number in folded for _ in char]
    pattern = r"\s*".join(re.escape(char) for char in fold_text("".join(words)))
    match = re.search(pattern, folded_text)
    if not match:
        return piece
    return text[numbers[match.start()] : numbers[match.end() - 1] + 1] + ("…" if piece.endswith("…") else "")


def split_pieces(text: str, breaks: str = ";\n\r") -> list[str]:
    """Return the pieces between these separators, without surrounding blanks and commas and without empty ones."""
    return [piece for part in re.split(f"[{re.escape(breaks)}]+", text) if (piece := part.strip(" \t,"))]
