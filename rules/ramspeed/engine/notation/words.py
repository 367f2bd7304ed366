"""Words that captains may type in any supported language, and their notation (RS-21)."""

from __future__ import annotations

import re
from typing import Final

from rules.interface.typed import fold_text

_WORDS: Final = {  # words of captains, without accents, by the word of the notation
    "stay": ("marad", "maradj", "maradjon"),
    "exit": ("kilep", "kimegy", "tavozik"),
    "ignite": ("gyujt", "felgyujt"),
    "launch": ("vizre", "vizreszall"),
    "fwd": ("forward", "ahead", "elore"),
    "back": ("astern", "reverse", "hatra"),
    "turn": ("fordul", "fordulj"),
    "veer": ("kanyar", "kanyarodik", "kanyarodj"),
    "ram": ("roham", "rohan", "rohamoz", "dof"),
    "swipe": ("evezotores", "tor", "sopor", "sodor"),
    "grapple": ("csaklya", "csaklyaz", "csaklyazas", "board"),
    "shoot": ("lo", "lojj", "loj"),
    "transfer": ("atad", "atvesz"),
    "steer": ("tart", "iranyul"),
    "face": ("szembe", "szembefordul"),
    "or": ("vagy",),
    "past": ("tul", "tovabb"),
    "side": ("oldal",),
    "crew": ("legenyseg", "legenysegre", "emberek", "emberekre"),
    "fire": ("tuz", "tuzzel"),
    "all": ("mind", "mindenki", "mindegyik"),
    "doctrine": ("elv", "elvek", "doktrina"),
    "standing": ("allando",),
    "repeat": ("ismet", "ismetel", "ujra"),
    "clear": ("torol", "torold"),
    "done": ("kesz", "vege", "end"),
    "none": ("nincs", "semmi"),
    "slip": ("kiter", "kicsuszik"),
    "prize": ("zsakmany",),
    "idle": ("tetlen",),
    "draw": ("behuz", "behuzza"),
    "stand": ("kitart", "allja"),
    "sink": ("sullyeszt", "elsullyeszt"),
    "leave": ("hagy", "hagyd"),
    "ask": ("kerdezz", "kerdez"),
}
_MEANING_BY_WORD: Final = {word: meant for meant, words in _WORDS.items() for word in words}
_TO_STARBOARD_PATTERN: Final = re.compile(r"(\d) ?°? ?(?:jobbra|jobb|right|starboard|j|r)\b")  # `15 right`
_TO_PORT_PATTERN: Final = re.compile(r"(\d) ?°? ?(?:balra|bal|left|port|b|l)\b")
_STARBOARD_SIDE_PATTERN: Final = re.compile(r"\bside (?:jobb|j|right|starboard)\b")  # `side right`
_PORT_SIDE_PATTERN: Final = re.compile(r"\bside (?:bal|b|left|port)\b")
_GIVEN_TO_PATTERN: Final = re.compile(r"\b(transfer \d+) ([a-z]{1,2}\d{1,2})-?n[ae]k\b")  # `transfer 5 a2-nek`
_TAKEN_FROM_PATTERN: Final = re.compile(r"\b(transfer \d+) ([a-z]{1,2}\d{1,2})-?t[ou]l\b")  # `transfer 5 a2-tol`


def to_notation_words(text: str) -> str:
    """Return text in lower case without accents, with its words translated to the notation; line breaks stay."""
    text = re.sub(r"[a-z]+", lambda word: _MEANING_BY_WORD.get(word[0], word[0]), fold_text(text))
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)  # decimal comma
    text = re.sub(r"(?<=\d) ?(?:\"|''|″|”|in\b|inch(?:es)?\b|huvelyk\b)", "", text)  # inches
    text = _TO_PORT_PATTERN.sub(r"\1l", _TO_STARBOARD_PATTERN.sub(r"\1r", text))
    text = _PORT_SIDE_PATTERN.sub("side p", _STARBOARD_SIDE_PATTERN.sub("side s", text))
    text = _TAKEN_FROM_PATTERN.sub(r"\1 from \2", _GIVEN_TO_PATTERN.sub(r"\1 to \2", text))
    return text.replace("slip=stay", "slip=hold")
