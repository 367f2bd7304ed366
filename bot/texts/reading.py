"""Read sentences of orders back into the notation of answers, so that what a captain reads can be typed.

A panel, a hint or a log shows orders as sentences of a catalogue. `data/<game>/notation.toml` gives, by the sentence's
key, the notation of the same order. A sentence is matched against the templates of every language; its values are put
into the notation. A field of a notation is one of these:

- `{x}`: the value, which is one word in the sentence, or a number without its unit;
- `{x*}`: the value, of any words;
- `{x@order}`: the notation of a sentence whose key is `order` or begins with `order.`; a list of them is joined by
  blanks, or by what follows in the field after `|`; `{x@order|1}` is a single sentence,
  `{x@order+choice}` one of either prefix.

A notation that begins with `>>` is put after all others.

`<y>` in the beginning of the keys is the notation of the field `y` before it. An empty notation is that of a sentence
that orders nothing: its line is left out. `replacements` are patterns that are replaced in a line's notation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from types import MappingProxyType
from typing import Final, NamedTuple

from bot.texts import hungarian
from bot.texts.i18n import Catalogue, FieldSpec, Localizer, languages
from bot.texts.style import PLAIN_STYLE
from rules.core.protocol import Option
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.typed import fold_text, strip_sentence_ends

_LINE_PREFIX: Final = "line"
"""Keys of whole lines that order something begin with this and a full stop."""
_NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})
_MAX_LINE_CHARS: Final = 300  # longer lines are no sentences of orders
_MARKUP: Final = re.compile(r"\*\*|[`\\]")
_SEPARATOR: Final = re.compile(r", (?:and |es )?| (?:and|es) ")  # between the items of a list, in any language
_WORD: Final = r"[\w.,|<>/+–-]+?"
_NUMBER: Final = re.compile(r"([+-]?\d+(?:[.,]\d+)?)(?: ?[^\d\s,;:]+){0,2}")  # with its unit
_NUMBER_FORMATS: Final = ("mm", "gap", "in", "degrees", "tenths", "percent")
_EXPLANATION_MARK: Final = "↳"  # begins lines that explain the order before them
_LAST_MARK: Final = ">>"
_FIELD: Final = re.compile(r"\{[^}]*\}")
_SINGLE: Final = "1"
_CODE_FIELDS: Final = ("code", "name")  # of a sentence that gives a thing's code and its name
_MAX_READINGS: Final = 4  # of a part of a sentence
_MAX_LIST_READINGS: Final = 32  # of a list
_LETTERS: Final = re.compile(r"(?:[A-Z]{1,2}(?:\([0-9-]+\))? ?)+")  # orders such as `F ZZ(4-2) X` or `FZZX`


class _Field(NamedTuple):
    name: str
    is_free: bool  # whether it takes any words
    prefix: str  # of the keys of sentences that it takes; empty: none
    joiner: str  # between the notations of several sentences


@dataclass(frozen=True)
class _Template:
    """One language's sentence with its notation."""

    key: str
    pattern: re.Pattern[str]
    specs: dict[str, FieldSpec]  # by field of the sentence
    parts: tuple[tuple[str, _Field | None], ...]  # of the notation: a literal, and the field after it
    literal_length: int  # characters of the sentence that are no fields


def plain_text(text: str) -> str:
    """Return a text folded, without markup and without full stops at its end."""
    return strip_sentence_ends(fold_text(_MARKUP.sub("", text)).strip())


def find_label(system: str, options: Sequence[Option], typed: str) -> Option | None:
    """Return the option whose label was typed, in any language, or None."""
    localizers = [Localizer(Catalogue.load(language, system), style=PLAIN_STYLE) for language in languages()]
    words = plain_text(typed)
    for option in options:
        labels = (say(option.label) for localizer in localizers for say in (localizer.say_text, localizer.say_logged))
        if any(plain_text(label) == words for label in labels):
            return option
    return None


class CodedNames:
    """Names of things that a game's answers name by codes, such as places on a map, in all languages."""

    def __init__(self, system: str, texts: Mapping[str, Text]) -> None:
        localizers = [Localizer(Catalogue.load(language, system), style=PLAIN_STYLE) for language in languages()]
        named = {
            (code.casefold(), plain_text(each.say_text(text))) for each in localizers for code, text in texts.items()
        }
        self._named = named
        self._codes = {name: code for code, name in named}
        longest_first = sorted(named, key=lambda pair: -len(pair[1]))
        self._pattern = re.compile("|".join(rf"\b(?:{code} )?({re.escape(name)})\b" for code, name in longest_first))

    def is_name_of(self, code: str, name: str) -> bool:
        return (code, name) in self._named

    def put_codes(self, text: str) -> str:
        """Return a text, folded, in which each name is replaced by its code; a name after its code is left out.

        A text without names is unchanged.
        """
        folded = fold_text(text)
        coded = (
            self._pattern.sub(lambda match: self._codes[match[match.lastindex or 0]], folded) if self._codes else text
        )
        return text if coded == folded else coded


_NO_CODES: Final = CodedNames("", {})


class SentenceReader:
    """Reads the sentences of one game's orders, in all languages."""

    def __init__(
        self, notations: Mapping[str, str], replacements: Mapping[str, str], catalogues: Sequence[Catalogue]
    ) -> None:
        self._readers = [_LanguageReader(notations, catalogue) for catalogue in catalogues]
        # Sentences that order nothing may have any key.
        self._notations = notations
        self._prefixes = dict.fromkeys([_LINE_PREFIX, *(key for key, notation in notations.items() if not notation)])
        self._replacements = [(re.compile(pattern), text) for pattern, text in replacements.items()]

    @classmethod
    @cache
    def load(cls, system: str) -> SentenceReader | None:
        """Return the reader of a game's sentences; None if the game has no `notation.toml`."""
        path = files(RULESETS[system].data_package) / "notation.toml"
        if not path.is_file():
            return None
        notations = tomllib.loads(path.read_text(encoding="utf-8"))
        replacements = notations.pop("replacements", {})
        return cls(notations, replacements, [Catalogue.load(language, system) for language in languages()])

    def notation_words(self) -> list[str]:
        """Return the words of the notation that stand for themselves, such as `ram`."""
        texts = [_FIELD.sub(" ", notation.removeprefix(_LAST_MARK)) for notation in self._notations.values()]
        return list(dict.fromkeys(word for text in texts for word in text.split() if word.isalpha()))

    def orders_only(self, lines: Sequence[Text]) -> tuple[Text, ...]:
        """Return the sentences that order something, or all if none does; empty if one cannot be read."""
        if any(line.key not in self._notations for line in lines):
            return ()
        return tuple(line for line in lines if self._notations[line.key]) or tuple(lines)

    def read_lines(
        self, text: str, names: Mapping[int, str] = _NO_NAMES, coded_names: CodedNames = _NO_CODES
    ) -> str | None:
        """Return a text with its sentences in notation, line by line; None if no line is a sentence of orders.

        `names` are captains' names by seat.
        """
        for reader in self._readers:
            reader.names = names
            reader.coded_names = coded_names
        typed_lines = [line for line in text.split("\n") if not line.lstrip().startswith(_EXPLANATION_MARK)]
        lines = [self._read_line(line) for line in typed_lines]
        if all(line is None for line in lines):
            return None
        texts = [typed if line is None else line for line, typed in zip(lines, typed_lines, strict=True)]
        texts.sort(key=lambda notation: notation.startswith(_LAST_MARK))
        return "\n".join(notation.removeprefix(_LAST_MARK) for notation in texts if notation)

    def _read_line(self, line: str) -> str | None:
        words = plain_text(line)
        if not words or len(words) > _MAX_LINE_CHARS:
            return None
        texts = (text for reader in self._readers for prefix in self._prefixes for text in reader.read(words, prefix))
        text = next(texts, None)
        for reader in self._readers:
            reader.forget()
        for pattern, replacement in self._replacements if text else ():
            text = pattern.sub(replacement, text or "")
        return text


class _LanguageReader:
    def __init__(self, notations: Mapping[str, str], catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._templates = sorted(
            (_make_template(key, catalogue, notation) for key, notation in notations.items() if catalogue.has(key)),
            key=lambda template: -template.literal_length,
        )
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}  # readings of the present line's parts
        self._being_read: set[tuple[str, str]] = set()
        self._known_lists: dict[tuple[str, str, str], tuple[str, ...]] = {}  # readings of its lists
        self._letters = _letters_of(catalogue)
        self.names: Mapping[int, str] = _NO_NAMES
        self.coded_names = _NO_CODES

    def read(self, words: str, prefix: str) -> tuple[str, ...]:
        """Return the possible notations of a folded sentence whose key begins with `prefix`, at most a few."""
        question = (words, prefix)
        if question not in self._known:
            self._known[question] = ()  # while it is being read: no sentence contains itself
            self._being_read.add(question)
            self._known[question] = _first_readings(self._read(words, prefix))
            self._being_read.discard(question)
        return self._known[question]

    def _read(self, words: str, prefix: str) -> Iterator[str]:
        prefixes = prefix.split("+")
        for template in self._templates:
            is_of_prefix = any(template.key == each or template.key.startswith(f"{each}.") for each in prefixes)
            match = template.pattern.fullmatch(words) if is_of_prefix else None
            is_coded = template.specs.keys() == {*_CODE_FIELDS}
            if match and (not is_coded or self.coded_names.is_name_of(*match.group(*_CODE_FIELDS))):
                yield from self._fill(template, match, 0, {}, "")

    def forget(self) -> None:
        self._known.clear()
        self._known_lists.clear()

    def _fill(
        self, template: _Template, match: re.Match[str], number: int, filled: Mapping[str, str], text: str
    ) -> Iterator[str]:
        """Yield the notation from part `number` on, after `text`, with the values of the fields `filled` so far."""
        if number == len(template.parts):
            yield text.strip()
            return
        literal, field = template.parts[number]
        if field is None:
            yield from self._fill(template, match, number + 1, filled, text + literal)
            return
        for name, value in filled.items():
            field = field._replace(prefix=field.prefix.replace(f"<{name}>", value))
        for value in self._values(template.specs[field.name], field, match[field.name]):
            yield from self._fill(template, match, number + 1, {**filled, field.name: value}, text + literal + value)

    def _values(self, spec: FieldSpec, field: _Field, words: str) -> Iterator[str]:
        for bare_words in self._without_endings(spec, words):
            if field.prefix:
                yield from self._read_list(bare_words, field.prefix, field.joiner)
            elif spec.format_name == "letters":
                letters = bare_words.upper()
                is_known = all(letter in self._letters for letter in letters if letter.isalpha())
                if _LETTERS.fullmatch(letters) and is_known:
                    yield "".join(self._letters.get(letter, letter) for letter in letters)
            elif spec.format_name == "name":
                yield from (chr(65 + seat) for seat, name in self.names.items() if plain_text(name) == bare_words)
            elif spec.format_name and (values := self._named_values(spec.format_name, bare_words)):
                yield from values
            elif spec.format_name and (number := _NUMBER.fullmatch(bare_words)):
                yield number[1].replace(",", ".")
            elif not spec.format_name:
                yield bare_words

    def _read_list(self, words: str, prefix: str, joiner: str) -> tuple[str, ...]:
        """Return the possible notations of one sentence, or of a list of them, at most a few.

        Each end of a list is read once. If it were read for each way to cut the list before it, the work would double
        with each item.
        """
        question = (words, prefix, joiner)
        if (words, prefix) in self._being_read:  # what is found now lacks the sentence itself
            return _first_readings(self._read_cuts(words, prefix, joiner), _MAX_LIST_READINGS)
        if question not in self._known_lists:
            self._known_lists[question] = _first_readings(self._read_cuts(words, prefix, joiner), _MAX_LIST_READINGS)
        return self._known_lists[question]

    def _read_cuts(self, words: str, prefix: str, joiner: str) -> Iterator[str]:
        yield from self.read(words, prefix)
        for separator in _SEPARATOR.finditer(words) if joiner != _SINGLE else ():
            for first in self.read(words[: separator.start()], prefix):
                rest_words = words[separator.end() :]
                yield from (first + joiner + rest for rest in self._read_list(rest_words, prefix, joiner))

    def _named_values(self, format_name: str, words: str) -> list[str]:
        """Return the values that a format such as `standing.aim` writes as these words."""
        start = f"{format_name}."
        keys = [key for key in self._catalogue.messages if key.startswith(start)]
        return [key.removeprefix(start) for key in keys if plain_text(self._catalogue.template(key)) == words]

    def _without_endings(self, spec: FieldSpec, words: str) -> Iterator[str]:
        """Yield the words without their Hungarian article and endings."""
        if spec.article:
            words = re.sub(r"^az? ", "", words)
        if not spec.endings:
            yield words
            return
        for end in range(len(words), 0, -1):
            ended = words[:end].rstrip("-")
            for ending in spec.endings:
                ended = hungarian.add_ending(ended.upper() if _is_id(ended) else ended, ending)
            if fold_text(ended) == words:
                yield words[:end].rstrip("-")
                return


def _first_readings(readings: Iterator[str], most: int = _MAX_READINGS) -> tuple[str, ...]:
    """Return the first different readings. No more are looked for."""
    different: dict[str, None] = {}
    for reading in readings:
        different[reading] = None
        if len(different) == most:
            break
    return tuple(different)


def _is_id(word: str) -> bool:
    return bool(re.fullmatch(r"[a-z]{1,3}\d{0,2}", word))


def _letters_of(catalogue: Catalogue) -> dict[str, str]:
    """Return the English letter of each order's letter in this language."""
    english = Catalogue.load("en", catalogue.system)
    if not catalogue.has("letters") or not english.has("letters"):
        return {}
    return dict(zip(catalogue.template("letters"), english.template("letters"), strict=False))


def _make_template(key: str, catalogue: Catalogue, notation: str) -> _Template:
    sentence = catalogue.template(key)
    parts: list[tuple[str, _Field | None]] = []
    for literal, name, _, _ in Formatter().parse(notation):
        field = None
        if name is not None:
            bare_name, _, rest = name.partition("@")
            prefix, _, joiner = rest.partition("|")
            field = _Field(bare_name.rstrip("*"), bare_name.endswith("*"), prefix, joiner or " ")
        parts.append((literal, field))
    used = {field.name: field for _, field in parts if field}
    specs: dict[str, FieldSpec] = {}
    pattern = ""
    pattern_names: set[str] = set()
    literal_length = 0
    for literal, name, spec, _ in Formatter().parse(_MARKUP.sub("", sentence).rstrip(" .")):
        folded = fold_text(f"x{literal}x")[1:-1]
        literal_length += len(folded)
        pattern += re.escape(folded)
        if name is None:
            continue
        specs[name] = FieldSpec.parse(spec or "")
        field = used.get(name)
        is_word = field is None or not (field.is_free or field.prefix or specs[name].format_name)
        format_name = specs[name].format_name
        words = _WORD if is_word and field is not None else ".+?"
        if format_name in _NUMBER_FORMATS or format_name in catalogue.plurals:
            words = _NUMBER.pattern.replace("([", "(?:[", 1)
        pattern += f"(?P<{name}>{words})" if name not in pattern_names else words
        pattern_names.add(name)
    return _Template(key, re.compile(pattern), specs, tuple(parts), literal_length)
