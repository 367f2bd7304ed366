"""Words that captains may type in any language of the game, replaced by those of the notation (SQ-24.2)."""

from __future__ import annotations

import re
from typing import Final

from rules.interface.typed import fold_text

_WORDS: Final = {  # words of captains, without accents, by the word of the notation
    "ram": ("roham", "rohan", "rohamoz", "dof"),
    "rake": ("letor", "tordel", "evezotores", "shear"),
    "grap": ("grapple", "csaklya", "csaklyaz", "hook"),
    "fire": ("shoot", "lo", "loj", "lojj"),
    "flame": ("langgal", "tuzes"),
    "pots": ("firepots", "tuzedeny", "tuzedennyel"),
    "cut": ("vag", "levag", "elvag"),
    "board": ("megszall", "atszall"),
    "with": ("vele", "ezzel", "ezekkel"),
    "ana": ("anastrophe", "anasztrofe", "megkerul"),
    "x": ("attor", "through"),
    "exit": ("kilep", "elhagy", "tavozik"),
    "pass": ("stay", "hold", "marad", "maradj", "tart"),
    "jettison": ("kidob", "dobja"),
    "xfer": ("transfer", "atkel"),
    "sail": ("vitorla",),
    "up": ("fel",),
    "down": ("le",),
    "ta": ("megfordul", "mf", "about"),
    "else": ("kulonben", "vagy", "or"),
    "line": ("sorban", "nyomban", "follow"),
    "all": ("mind", "mindenki", "mindegyik"),
    "rest": ("tobbi", "tobbiek", "others"),
    "speed": ("sebesseg",),
    "form": ("alakzat",),
    "astern": ("oszlop", "column"),
    "range": ("kor", "korben", "loose"),
    "sequence": ("sorrend",),
    "double": ("kettos", "dupla"),
    "doctrine": ("elv", "elvek", "doktrina"),
    "auto": ("automatikus",),
    "repeat": ("ismet", "ismetel", "ujra"),
    "claim": ("kovetel", "kovetelem", "igenyel"),
    "absent": ("tavol",),
    "clear": ("torol", "torold"),
    "avoid": ("kiter",),
    "protect": ("ved", "vedi"),
    "ask": ("kerdez", "kerdezz"),
    "f": ("e", "ahead", "forward", "forwards", "fwd", "elore"),
    "p": ("bal", "balra", "port", "left"),
    "s": ("j", "jobb", "jobbra", "starboard", "right"),
    "b": ("h", "hatra", "back", "backward", "backwards"),
    "bp": ("hb",),
    "bs": ("hj",),
    "tp": ("tb",),
    "ts": ("tj",),
    "wp": ("ob",),
    "ws": ("oj",),
    "turn": ("fordul", "fordulj"),
    "c": ("u", "cruise", "utazo"),
    "m": ("max", "teljes"),
}
_MEANING_BY_WORD: Final = {word: meant for meant, words in _WORDS.items() for word in words}
_DOCTRINE_WORDS: Final = frozenset({"doctrine", "all", "avoid", "protect", "ask"})
"""Words that are translated in a line of doctrine; its other words stay unchanged."""
_REPEATABLE_MOVES: Final = frozenset({"f", "p", "s", "b", "tp", "ts", "wp", "ws"})
"""Moves that a number repeats. After other letters a number belongs to a ship or is manpower."""
_SQUADRON_PATTERN: Final = re.compile(r"\b(?:(?:sq|hr|raj|squadron) ?([0-9])|([0-9])\. ?raj\b)")
"""A squadron as panels and captains write it: `squadron 2`, `2. raj`, `SQ2`."""
_SPACED_MOVE_PATTERN: Final = re.compile(r"(?<![a-z0-9])([fpsb]|[tw][ps]) ([1-9])(?![a-z0-9])")  # `f 2`
_TURN_PATTERN: Final = re.compile(r"(?<![a-z0-9])turn (?:to )?(?=(?:[ps][1-9]?|ta)(?![a-z0-9]))")
"""The word `turn` before a move: `turn left` is `P`."""
_BARE_ELSE_PATTERN: Final = re.compile(r"(?:(?<![|\s])|(?<=:)) +else\b")  # ` else` without its `|`
_WORD_PATTERN: Final = re.compile(r"(?<![a-z0-9])([a-z]+)([0-9]*)(?![a-z0-9])")  # `f2`: a word, perhaps a number


def to_notation_words(text: str) -> str:
    """Return the folded text with its words replaced by those of the notation. Line breaks are kept."""
    return "\n".join(_to_notation_line(line) for line in fold_text(text).split("\n"))


def _to_notation_line(line: str) -> str:
    if "=" in line:  # a doctrine: its values have their own vocabulary
        return _WORD_PATTERN.sub(_replace_doctrine_word, _SQUADRON_PATTERN.sub(r"sq\1\2", line))
    line = _SQUADRON_PATTERN.sub(r"sq\1\2", line)
    line = _WORD_PATTERN.sub(_replace_word, line)
    line = _TURN_PATTERN.sub("", line)
    line = _SPACED_MOVE_PATTERN.sub(r"\1\2", line)
    return _BARE_ELSE_PATTERN.sub(" | else", line)


def _replace_doctrine_word(match: re.Match[str]) -> str:
    meaning = _MEANING_BY_WORD.get(match[1], match[1])
    return meaning if meaning in _DOCTRINE_WORDS and not match[2] else match[0]


def _replace_word(match: re.Match[str]) -> str:
    word, number = match[1], match[2]
    meaning = _MEANING_BY_WORD.get(word, word)
    if number and meaning not in _REPEATABLE_MOVES:
        return match[0]
    return meaning + number
