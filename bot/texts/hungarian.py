"""Hungarian endings and articles for names, numbers and nouns that are known only at run time.

Endings are named by their form with a back vowel, as in grammars: `add_ending("B1", "t")` is "B1-et",
`add_ending("Anna", "val")` "Annával", `add_ending("5", "s")` "5-ös". Numbers and single letters are inflected as they
are read aloud. Spelling follows AkH., 12th edition: a hyphen comes after digits, marks, abbreviations and silent
letters.

No library does this for names (searched on PyPI in November 2026), and dictionaries do not contain players' names.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

LANGUAGE: Final = "hu"

_FORMS: Final = {
    "ba": ("ba", "be", "be"),
    "ban": ("ban", "ben", "ben"),
    "ból": ("ból", "ből", "ből"),
    "ra": ("ra", "re", "re"),
    "ról": ("ról", "ről", "ről"),
    "hoz": ("hoz", "hez", "höz"),
    "nál": ("nál", "nél", "nél"),
    "tól": ("tól", "től", "től"),
    "nak": ("nak", "nek", "nek"),
    "szor": ("szor", "szer", "ször"),
    "ig": ("ig", "ig", "ig"),
    "ért": ("ért", "ért", "ért"),
    "ként": ("ként", "ként", "ként"),
    "é": ("é", "é", "é"),
}
"""The forms of an ending after back vowels, after e, é or i, and after ö or ü, as `_vowel_harmony` counts them."""
_LINKING_FORMS: Final = {"t": ("ot", "et", "öt"), "on": ("on", "en", "ön"), "s": ("os", "es", "ös")}
_AFTER_VOWEL: Final = {"t": "t", "on": "n", "s": "s"}  # their forms if the word ends with a vowel
ENDINGS: Final = frozenset({*_FORMS, *_LINKING_FORMS, "val", "a"})
"""All endings. `a` is the possessive of the third person: "orra", "fala", "hajója"."""

_BACK: Final = "aáoóuú"
_ROUNDED: Final = "öőüű"
_FRONT: Final = "eöőüű"
_NEUTRAL: Final = "iíé"
_NEUTRAL_SYLLABLES: Final = 3
"""A back vowel has no effect if this many syllables with i or é follow: quadrirémiszt, quadrirémisszel."""
_VOWELS: Final = _BACK + _FRONT + _NEUTRAL
_LENGTHENED: Final = {"a": "á", "e": "é", "A": "Á", "E": "É"}  # last letters before an ending
_DOUBLE_LETTERS: Final = ("dzs", "cs", "dz", "gy", "ly", "ny", "sz", "ty", "zs")
# Foreign spellings of a last sound, and how Hungarian spells it.
_SOUNDS: Final = {"th": "t", "cz": "c", "ts": "cs", "ch": "cs", "ck": "k", "sh": "s", "ph": "f", "x": "sz", "qu": "k"}

_DIGITS: Final = ("nulla", "egy", "kettő", "három", "négy", "öt", "hat", "hét", "nyolc", "kilenc")
_TENS: Final = ("", "tíz", "húsz", "harminc", "negyven", "ötven", "hatvan", "hetven", "nyolcvan", "kilencven")
_LETTERS: Final = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        [
            *("á", "bé", "cé", "dé", "é", "ef", "gé", "há", "í", "jé", "ká", "el", "em"),
            *("en", "ó", "pé", "kú", "er", "es", "té", "ú", "vé", "duplavé", "iksz", "ipszilon", "zé"),
        ],
        strict=True,
    )
)
_UNITS: Final = {"mm": "milliméter", "cm": "centiméter", "%": "százalék", "°": "fok", "in": "hüvelyk", "″": "hüvelyk"}
_LINKED_WITH_A: Final = frozenset({"három", "nyolc", "húsz", "harminc", "hatvan", "nyolcvan", "száz"})
"""Numbers whose accusative and adjective have an *a*: "3-at", "3-as"."""
_WITH_LINK: Final = frozenset({"orr", "egy", "négy", "hét", *_TENS, "ezer"} | _LINKED_WITH_A)
"""Words with a linking vowel before the accusative, although their last sound does not need one."""
_SOUNDS_WITHOUT_LINK: Final = frozenset({"j", "l", "ly", "n", "ny", "r", "s", "sz", "z", "zs"})
"""Last sounds after which the accusative is a mere *t*, if they follow a vowel."""

_NUMBER: Final = re.compile(r"\d+$")
_TRAILING_MARKS: Final = re.compile(r"[\W_]+$")
_SILENT_E: Final = re.compile(r"^[^aeiou]*[aeiou]+[^aeiouy\W]e$", re.IGNORECASE)
"""Names with a silent last letter, such as Mike or Kate."""
_FOREIGN_ENDINGS: Final = re.compile(r"(?:[aeo]y|[aeo]w|ee|oe|ie|ue|eau|ou)$", re.IGNORECASE)
_FOREIGN_ENDING_SOUNDS: Final = {"ay": "é", "ey": "i", "oy": "oj", "ee": "i", "ie": "i", "oe": "o", "eau": "o"}
_SILENT_E_IS_BACK: Final = {"i": True, "o": True, "u": True, "a": False, "e": False}
"""Whether an English vowel before a silent *e* counts as a back vowel: Mike [majk], Kate [kejt]."""


class _SpokenEnding(NamedTuple):
    word: str  # the last word as it is read aloud, such as "öt" for 5
    takes_hyphen: bool  # whether endings follow a hyphen and leave the text unchanged


def add_ending(text: str, ending: str) -> str:
    """Return a text with one of `ENDINGS`, which is inserted before a final part in brackets.

    Raises `KeyError` for an unknown ending.
    """
    inflected_part, in_brackets = text, ""
    if text.endswith(")") and " (" in text:
        inflected_part, _, bracket_content = text.partition(" (")
        in_brackets = f" ({bracket_content}"
    spoken = _spoken_ending(inflected_part)
    stem, suffix = _attach_ending(inflected_part, spoken, ending)
    if not spoken.takes_hyphen and _would_triple(stem, suffix):
        last_word = inflected_part.rpartition(" ")[2]
        if last_word[:1].islower():  # a common noun loses one of three: orr, orra
            return f"{stem}{suffix[1:]}{in_brackets}"
        return f"{stem}-{suffix}{in_brackets}"
    hyphen = "-" if spoken.takes_hyphen else ""
    return f"{stem}{hyphen}{suffix}{in_brackets}"


def definite_article(text: str) -> str:
    """Return the Hungarian article before a text: "az" before a vowel as it is read aloud, else "a"."""
    word = re.search(r"[^\W_]+", text)
    if not word:
        return "a"
    first_word = word[0].casefold()
    if first_word[0].isdigit():
        number = re.match(r"\d+", first_word)
        return "az" if number and _number_begins_with_vowel(number[0]) else "a"
    is_letter = len(first_word) == 1 or first_word[1].isdigit()
    sound = _LETTERS.get(first_word[0], first_word[0]) if is_letter else first_word[0]
    return "az" if sound[0] in _VOWELS else "a"


def _attach_ending(text: str, spoken: _SpokenEnding, ending: str) -> tuple[str, str]:
    """Return the text in the form that it has before an ending, such as "Anná", and the ending that suits it."""
    harmony = _vowel_harmony(spoken.word)  # index of the form in `_FORMS`
    has_back_vowels = harmony == 0
    after_vowel = spoken.word[-1:] in _VOWELS or _is_vowel_y(spoken.word)
    stem = text
    if not spoken.takes_hyphen and ending != "ként" and text[-1:] in _LENGTHENED:
        stem = text[:-1] + _LENGTHENED[text[-1]]
    if ending == "val":
        suffix = "al" if has_back_vowels else "el"
        if after_vowel:
            return stem, f"v{suffix}"
        return _attach_val(stem, spoken, suffix)
    if ending == "a":
        vowel = "a" if has_back_vowels else "e"
        return stem, f"j{vowel}" if after_vowel else vowel
    if ending in _LINKING_FORMS:
        return stem, _linking_ending(spoken.word, ending, harmony, after_vowel=after_vowel)
    return stem, _FORMS[ending][harmony]


def _linking_ending(word: str, ending: str, harmony: int, *, after_vowel: bool) -> str:
    if word == "kettő" and ending == "s":
        return "es"
    if after_vowel or (ending == "t" and _takes_bare_t(word)):
        return _AFTER_VOWEL[ending]
    if ending in ("t", "s") and word in _LINKED_WITH_A:
        return f"a{ending}"
    return _LINKING_FORMS[ending][harmony]


def _attach_val(stem: str, spoken: _SpokenEnding, suffix: str) -> tuple[str, str]:
    """Attach "-val, -vel" to a consonant, which is doubled: "orr" becomes "orral", "Balázs" "Balázzsal"."""
    sound, spelling = _last_sound(spoken.word)
    if spoken.takes_hyphen or sound != spelling:
        return stem, sound + suffix
    if len(sound) > 1 and not _has_long_consonant(spoken.word):
        return stem[: -len(sound)] + sound[0] + stem[-len(sound) :], suffix
    return stem, sound + suffix


def _would_triple(stem: str, suffix: str) -> bool:
    """Return whether three equal consonants would meet; names get a hyphen there: Bernadett-tel, Kiss-sel."""
    last_letter = stem[-1:].casefold()
    return (
        last_letter not in _VOWELS
        and stem[-2:].casefold() == last_letter * 2
        and suffix[:1] == last_letter
        and len(suffix) > 1
    )


def _spoken_ending(text: str) -> _SpokenEnding:
    stripped = text.rstrip()
    for unit, word in _UNITS.items():
        char_before = stripped[: -len(unit)][-1:]
        is_whole_word = not unit.isalpha() or not char_before.isalpha()
        if stripped.endswith(unit) and is_whole_word:
            return _SpokenEnding(word, takes_hyphen=True)
    if digits := _NUMBER.search(_TRAILING_MARKS.sub("", stripped)):
        return _SpokenEnding(_spoken_number(digits[0]), takes_hyphen=True)
    words = re.findall(r"[^\W\d_]+", stripped)
    if not words:
        return _SpokenEnding("e", takes_hyphen=True)  # only marks: they get front endings
    spoken = _spoken_word(words[-1])
    return spoken if stripped.endswith(words[-1]) else spoken._replace(takes_hyphen=True)


def _spoken_word(word: str) -> _SpokenEnding:
    """Return how a word ends when read aloud, and whether a hyphen comes before an ending."""
    folded = word.casefold()
    if len(folded) == 1 or not re.search(f"[{_VOWELS}y]", folded):  # a letter, or an abbreviation of consonants
        return _SpokenEnding(_LETTERS.get(folded[-1], "e"), takes_hyphen=True)
    if word.isupper():  # an abbreviation that is read as a word
        return _SpokenEnding(folded, takes_hyphen=True)
    if word[0].isupper() and _SILENT_E.match(word):
        is_back = _SILENT_E_IS_BACK[re.findall("[aeiou]", folded)[0]]
        vowel = "o" if is_back else "e"  # any back or front vowel: only its kind decides about the ending
        last_spoken_consonant = folded[-2]
        return _SpokenEnding(vowel + last_spoken_consonant, takes_hyphen=True)
    if foreign_ending := _FOREIGN_ENDINGS.search(folded):
        sound = _FOREIGN_ENDING_SOUNDS.get(foreign_ending[0], "u")
        return _SpokenEnding(folded[: foreign_ending.start()] + sound, takes_hyphen=True)
    return _SpokenEnding(folded, takes_hyphen=False)


def _spoken_number(digits: str) -> str:
    """Return the last part of a number as it is read aloud: "öt" for 25, "száz" for 200."""
    stripped = digits.rstrip("0")
    zeros = len(digits) - len(stripped)
    if not stripped:
        return _DIGITS[0]
    if zeros == 0:
        return _DIGITS[int(digits[-1])]
    if zeros == 1:
        return _TENS[int(stripped[-1])]
    if zeros == 2:
        return "száz"
    if zeros < 6:
        return "ezer"
    return "millió" if zeros // 3 % 2 == 0 else "milliárd"  # billió and billiárd end like them


def _number_begins_with_vowel(digits: str) -> bool:
    """Return whether a number begins with öt…, egy… or ezer."""
    number = digits.lstrip("0")
    return number[:1] == "5" or (number[:1] == "1" and len(number) % 3 == 1)


def _vowel_harmony(word: str) -> int:
    """Return the form of endings: 0 after back vowels, 1 after front ones, 2 after rounded front ones."""
    vowels = [char for char in word if char in _VOWELS]
    for syllables_after, vowel in enumerate(reversed(vowels)):
        if vowel in _BACK and syllables_after < _NEUTRAL_SYLLABLES:
            return 0
        if vowel in _FRONT:
            break
    return 2 if vowels and vowels[-1] in _ROUNDED else 1


def _last_sound(word: str) -> tuple[str, str]:
    """Return the last sound of a word, as Hungarian writes it, and its letters in this word."""
    for spelling, sound in _SOUNDS.items():
        if word.endswith(spelling):
            return sound, spelling
    for letters in _DOUBLE_LETTERS:
        if word.endswith(letters):
            return letters, letters
    return word[-1:], word[-1:]


def _has_long_consonant(word: str) -> bool:
    """Return whether a word ends with a long consonant that is written with two letters, such as ggy."""
    return len(word) > 2 and word[-2] == word[-3] and word[-2:] in _DOUBLE_LETTERS


def _is_vowel_y(word: str) -> bool:
    """Return whether a word ends with a y that is read as i: Harry, Betty, Tony; not György, Mihály."""
    if not word.endswith("y") or word[-2:-1] in ("", *_VOWELS):
        return False
    has_accent = re.search("[áéíóöőúüű]", word)
    is_hungarian = word.endswith(("gy", "ely", "oly")) or (word[-2:] in ("ly", "ny") and has_accent)
    has_double_consonant = word[-3:-2] == word[-2]
    return not is_hungarian or has_double_consonant


def _takes_bare_t(word: str) -> bool:
    # Whether the accusative is a mere *t*: after a vowel and one of `_SOUNDS_WITHOUT_LINK`.
    if word in _WITH_LINK:
        return False
    sound, spelling = _last_sound(word)
    before_sound = word[: -len(spelling)]
    if before_sound.endswith(sound[0]):  # a long consonant, such as ll
        before_sound = before_sound[:-1]
    return sound in _SOUNDS_WITHOUT_LINK and before_sound[-1:] in _VOWELS
