"""Catalogues of sentences in each language, and how values are put into them.

A sentence is a `str.format` text. The part after the colon of a field says what its value is:

| field          | value                                                                                            |
|----------------|--------------------------------------------------------------------------------------------------|
| `{x}`          | text, escaped;          or a number, as the language writes it                                   |
| `{x:name}`     | a name, or the number of a seat or a keepsake (`keepsakes.name_number`): its name is put |
| `{x:giver}`    | a seat number; becomes the name of the captain who gave its orders, or of their stand-in          |
| `{x:mm}`       | a length in millimetres, with its unit                                                           |
| `{x:gap}`      | a length like `mm`; for 0 the sentence that the ships touch                                      |
| `{x:in}`       | a length in inches, to a hundredth, with its unit                                                |
| `{x:degrees}`  | a heading; stories round it, as they do `mm`                                                     |
| `{x:tenths}`   | a number with one digit after the point                                                          |
| `{x:signed}`   | a number with its sign and one digit after the point                                             |
| `{x:change}`   | a whole number with its sign                                                                     |
| `{x:plus}`     | a whole number added to a sum: " + 1", " − 1"; nothing for 0                                     |
| `{x:percent}`  | a part of 1, in per cent                                                                         |
| `{x:relative}` | a Unix second, which chat shows as "in 3 hours"                                                  |
| `{x:time}`     | a Unix second, which chat shows as date and time in the reader's zone                            |
| `{x:date}`     | a Unix second, which chat shows as a date                                                        |
| `{x:clock}`    | a Unix second, which chat shows as a time of day                                                 |
| `{x:edge}`     | a str: the sentence `edge.<x>`; for True and False `edge.yes` and `edge.no`                      |
| `{x:list.step}`| a tuple: the noun `list.step` for as many, such as "steps 2 and 4"; each as `list.step.each`     |
| `{x:unit.oar}` | an int: the counted noun `unit.oar`, such as "2 oars"; if that is no plural, the sentence `…<x>` |
| `{/galley me}` | no value: the slash command of this English name, as the style shows commands                    |

In Hungarian a field may also name the ending that follows and the article before it (see `bot/texts/hungarian.py`):

| field              | becomes                                      |
|--------------------|----------------------------------------------|
| `{x:-t}`           | "B1-et", "Annát": an ending after the value  |
| `{x:name-val}`     | an ending after a value of another format    |
| `{x:edge-a-ba}`    | "bal oldalába": several endings              |
| `{x:a+}`, `{x:A+}` | "az A1", "A B1": the article before the value |

A tuple or list is joined as the language joins lists. Within backticks, text keeps all but its own backticks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from gettext import c2py
from importlib.resources import files
from io import BytesIO
from string import Formatter
from typing import IO, Final, NamedTuple

from babel import Locale, negotiate_locale
from babel.lists import format_list
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit

from bot.texts import hungarian
from bot.texts.style import DISCORD_STYLE, Markup, MarkupStyle, slot, to_one_line
from data import file
from rules.core.errors import Fault
from rules.core.keepsakes import FIRST_NAME_NUMBER
from rules.core.protocol import Event
from rules.core.registry import RULESETS
from rules.core.view import Text

DEFAULT_LANGUAGE: Final = "en"
MAX_QUOTE_CHARS: Final = 60

COMMAND_MARK: Final = "/"
_TIME_FORMATS: Final = ("relative", "time", "date", "clock")
_DECIMALS: Final = {  # by format: the pattern of Babel, and digits after the point
    "": ("0.###", 3),
    "degrees": ("0.###", 3),
    "tenths": ("0.0", 1),
    "signed": ("+0.0;-0.0", 1),
    "change": ("+0;-0", 0),
    "plus": (" + 0; − 0", 0),
}
_MM_FORMAT: Final = ("length-millimeter", "0.#", 1)  # unit and pattern of Babel, digits after the point
_LENGTHS: Final = {"mm": _MM_FORMAT, "gap": _MM_FORMAT, "in": ("length-inch", "0.##", 2)}
_ROUNDED_FORMATS: Final = ("mm", "gap", "degrees")
# The text after a field's colon, such as "a+name-val".
_SPEC_PATTERN: Final = re.compile(r"(?:(?P<article>[aA])\+)?(?P<format_name>[^-+]*)(?P<endings>(?:-\w+)*)")


class MissingMessage(LookupError): ...


@cache
def languages() -> tuple[str, ...]:
    names = (entry.name for entry in file("shared").iterdir())
    return tuple(sorted(name.removesuffix(".po") for name in names if name.endswith(".po")))


@cache
def languages_of(system: str) -> tuple[str, ...]:
    """Return the codes of the languages that a game has a catalogue for.

    The first one lends sentences to the others; it is English if possible. Raises `OSError` or `ImportError` if the
    game has no catalogue.
    """
    package = RULESETS[system].data_package
    own_languages = [language for language in languages() if (files(package) / f"{language}.po").is_file()]
    if not own_languages:
        raise FileNotFoundError(f"no words in {package}")
    return tuple(sorted(own_languages, key=lambda language: language != DEFAULT_LANGUAGE))


@cache
def language_for_locale(locale: str) -> str:
    return negotiate_locale([locale.replace("_", "-")], languages(), sep="-") or DEFAULT_LANGUAGE


class Catalogue:
    """All sentences of one language: the shared ones, and one game's own, which override them."""

    def __init__(
        self,
        language: str,
        po: IO[bytes],
        system: str = "",
        *,
        base: Catalogue | None = None,
        lender: Catalogue | None = None,
    ) -> None:
        """Read a gettext catalogue on top of `base`; sentences that it lacks are borrowed from `lender`.

        Raises `PoFileError` if it is malformed.
        """
        entries = read_po(po, locale=language, abort_invalid=True)
        self.language: Final = language
        self.system: Final = system  # the game's key; empty for the shared catalogue
        self.locale: Final = Locale.parse(language)
        self.messages: Final[dict[str, str]] = dict(base.messages) if base else {}  # sentences by key
        self.plurals: Final[dict[str, tuple[str, ...]]] = dict(base.plurals) if base else {}  # forms of counted nouns
        self.own_keys: Final[set[str]] = set()  # of this file alone
        for entry in entries:
            if not isinstance(entry.id, str):
                self.plurals[entry.id[0]] = tuple(entry.string or ())
                self.own_keys.add(entry.id[0])
            elif entry.id and (entry.string or lender is None):
                self.messages[entry.id] = str(entry.string)
                self.own_keys.add(entry.id)
        self._plural_form = c2py(entries.plural_expr)
        self._lender = lender
        self.borrowed_keys: Final = frozenset(lender.own_keys - self.own_keys if lender else ())
        """Keys of the sentences and counted nouns that the lender's language provides."""
        if lender:
            self.messages.update({key: text for key, text in lender.messages.items() if key in self.borrowed_keys})
            self.plurals.update({key: texts for key, texts in lender.plurals.items() if key in self.borrowed_keys})

    @classmethod
    @cache
    def load(cls, language: str, system: str = "") -> Catalogue:
        """Return the bundled catalogue of a language; with `system`, that game's sentences on top of the shared ones.

        Raises `LookupError` for an unknown language or game, and `OSError` or `PoFileError` if the game's file cannot
        be read.
        """
        if language not in languages():
            raise LookupError(f"no catalogue of {language!r}")
        if not system:
            with file("shared", f"{language}.po").open("rb") as po:
                return cls(language, po)
        first_language, *other_languages = languages_of(system)
        lender = cls.load(first_language, system) if language != first_language else None
        if language not in {first_language, *other_languages}:
            return cls(language, BytesIO(), system, base=cls.load(language), lender=lender)
        with (files(RULESETS[system].data_package) / f"{language}.po").open("rb") as po:
            return cls(language, po, system, base=cls.load(language), lender=lender)

    def language_of(self, key: str) -> str:
        """Return the code of the language of a sentence, which is the lender's if the sentence is borrowed."""
        return self._lender.language if self._lender and key in self.borrowed_keys else self.language

    def has(self, key: str) -> bool:
        return key in self.messages or key in self.plurals

    def template(self, key: str, count: int | None = None) -> str:
        """Return a sentence before its values are filled in, or a counted noun in its form for `count`."""
        if self._lender and count is not None and key in self.borrowed_keys:
            return self._lender.template(key, count)
        try:
            return self.messages[key] if count is None else self.plurals[key][self._plural_form(count)]
        except KeyError:
            raise MissingMessage(f"{self.language}: no message {key!r}") from None

    def localise_orders(self, orders: str) -> str:
        """Return orders that are written with English letters in this language's letters; ids of ships stay.

        The sentence `letters` lists a language's letters, such as those of starboard and ramming, in a fixed order.
        """
        english = Catalogue.load(DEFAULT_LANGUAGE, self.system)
        if not self.has("letters") or len(english.template("letters")) != len(self.template("letters")):
            return _WORD_PATTERN.sub(self._localise_word, orders)  # a game whose orders are codes and words
        letters = dict(zip(english.template("letters"), self.template("letters"), strict=True))
        return _LETTER_PATTERN.sub(lambda match: letters.get(match[0], match[0]), orders)

    def _localise_word(self, word: re.Match[str]) -> str:
        # Where the English text is not the word itself, it describes a value, and cannot be typed.
        key, english = f"typed.{word[0]}", Catalogue.load(DEFAULT_LANGUAGE, self.system)
        return self.template(key) if self.has(key) and english.template(key) == word[0] else word[0]

    def say(self, key: str, /, **params: object) -> Markup:
        return Localizer(self).say(key, **params)

    def say_game(self) -> Markup:
        """Return the game's name as titles and lists have it: the short one, if there is one."""
        return self.say("game.short" if self.has("game.short") else "game")


@dataclass(frozen=True)
class Localizer:
    """Fills sentences of a catalogue for one reader."""

    catalogue: Catalogue
    names: Mapping[int, str] = field(default_factory=dict)  # by seat, or by the number of a keepsake
    giver_names: Mapping[int, str] = field(default_factory=dict)
    """Names of stand-ins, by the seat for which each gave orders."""
    user_names: Mapping[int, str] = field(default_factory=dict)  # by Discord id
    namesake_numbers: Mapping[int, int] = field(default_factory=dict)
    """Numbers that tell captains with like names apart, by Discord id."""
    style: MarkupStyle = DISCORD_STYLE  # markup of what is returned
    rounds_numbers: bool = False
    """Whether millimetres and degrees are rounded, as in stories; the log has all digits."""

    def say(self, key: str, /, **params: object) -> Markup:
        """Return a sentence with its values filled in.

        Every str among the values is escaped, except `Markup`; a value named `piece` is also shortened.
        Raises `MissingMessage` if the key is unknown, or a value is missing or does not suit its field.
        """
        if isinstance(piece := params.get("piece"), str) and not isinstance(piece, Markup):
            params["piece"] = shorten_quote(piece)
        return self._fill_template(key, self.catalogue.template(key), params)

    def count_noun(self, key: str, n: int) -> Markup:
        return self._fill_template(key, self.catalogue.template(key, n), {"n": n})

    def mention(self, user_id: int) -> Markup:
        mention = self.style.mention(user_id, self.user_names.get(user_id, "–"))
        number = self.namesake_numbers.get(user_id)
        return mention if number is None else self.to_markup(f"{mention} ({number})")

    def as_markup(self, text: Markup) -> Markup:
        """Return another localizer's text: unchanged if it is markup of this style, else escaped."""
        return text if isinstance(text, self.style.markup_type) else self.to_markup(self.style.escape_text(text))

    def to_markup(self, text: str) -> Markup:
        """Mark text that is assembled from this localizer's sentences as markup, to include it in another sentence."""
        return self.style.markup_type(text)

    def say_text(self, text: Text) -> Markup:
        return self.say(text.key, **text.params)

    def say_logged(self, text: Text) -> Markup:
        """Return an order in words for any reader: `<key>.logged` if the sentence speaks to the captain."""
        logged_key = f"{text.key}.logged"
        return self.say(logged_key if self.catalogue.has(logged_key) else text.key, **text.params)

    def ship_name(self, ship: str) -> str:
        """Return the name of a ship as a heading: `vessel.<id>` if the game has it, else her id."""
        key = f"vessel.{ship}"
        if not self.catalogue.has(key):
            return ship
        name = self.say(key)
        return name[:1].upper() + name[1:]

    def button_text(self, text: Text) -> Markup:
        """Return a text for a button, which has little room: `<key>.brief` if the game has it."""
        brief_key = f"{text.key}.brief"
        return self.say(brief_key if self.catalogue.has(brief_key) else text.key, **text.params)

    def fault_text(self, fault: Fault) -> Markup:
        """Return why an answer is refused, with each further reason on its own line.

        The rule's number is added, except to answers that cannot be read.
        """
        sentence = self.say(f"fault.{fault.code}", **{**fault.params, "piece": fault.piece, "rule": fault.rule})
        shows_rule = fault.rule and fault.kind != "unreadable"
        first_line = self._with_suggestion(fault, f"{sentence} ({fault.rule})" if shows_rule else sentence)
        reason_lines = [self.style.list_item(self.short_fault_text(cause)) for cause in fault.faults]
        return self.to_markup("\n".join([first_line, *reason_lines]))

    def short_fault_text(self, fault: Fault) -> Markup:
        """Return briefly why an option is unavailable, without the rule's number: `why.<code>` or `fault.<code>`."""
        brief_key = f"why.{fault.code}"
        key = brief_key if self.catalogue.has(brief_key) else f"fault.{fault.code}"
        return self._with_suggestion(fault, self.say(key, **{**fault.params, "piece": fault.piece, "rule": fault.rule}))

    def _with_suggestion(self, fault: Fault, sentence: str) -> Markup:
        if not fault.suggestion:
            return self.to_markup(sentence)
        orders = self.catalogue.localise_orders(fault.suggestion)
        return self.to_markup(f"{sentence} {self.say('did_you_mean', orders=orders)}")

    def event_text(self, event: Event, params: Mapping[str, object] | None = None) -> Markup:
        return self.say(_event_key("event", event), **(event.params if params is None else params))

    def explanation_text(self, event: Event) -> Markup:
        """Return an event with what led to it: `because.<type>` if the game has it, else the event's sentence."""
        key = _event_key("because", event)
        return self.say(key, **event.params) if self.catalogue.has(key) else self.event_text(event)

    def headline_text(self, event: Event, params: Mapping[str, object] | None = None) -> Markup:
        """Return an event as a headline: `headline.<type>` if the game has it, else the event's sentence."""
        key = _event_key("headline", event)
        params = event.params if params is None else params
        return self.say(key, **params) if self.catalogue.has(key) else self.event_text(event, params)

    def clause_text(self, event: Event, params: Mapping[str, object] | None = None) -> Markup:
        """Return an event as part of a ship's line: `clause.<type>` if the game has it, else the event's sentence."""
        key = _event_key("clause", event)
        params = event.params if params is None else params
        return self.say(key, **params) if self.catalogue.has(key) else self.event_text(event, params)

    def _fill_template(self, key: str, template: str, params: Mapping[str, object]) -> Markup:
        filler = _TemplateFiller(self, key)
        slots = filler.fill_template(template, params)
        return self.style.fill_sentence(slots, filler.values)


def _event_key(prefix: str, event: Event) -> str:
    return ".".join(filter(None, (prefix, type(event).__name__, event.variant)))


def shorten_quote(text: str) -> str:
    line = to_one_line(text)
    return line if len(line) <= MAX_QUOTE_CHARS else line[: MAX_QUOTE_CHARS - 1].rstrip() + "…"


_WORD_PATTERN: Final = re.compile(r"(?<![A-Za-z])[a-z]+(?![A-Za-z0-9])")
_LETTER_PATTERN: Final = re.compile(r"[A-Z](?!\d)")  # no beginning of a ship's id such as A1


@lru_cache(maxsize=4096)
def _format_decimal(value: float, pattern: str, locale: Locale) -> str:
    return format_decimal(value, pattern, locale)


class FieldSpec(NamedTuple):
    format_name: str  # such as `mm`; "" for plain text or a number
    endings: tuple[str, ...]  # Hungarian endings, in order
    article: str
    """`a` or `A` for an article before the value; empty for none."""

    @classmethod
    def parse(cls, text: str) -> FieldSpec:
        """Parse the text after a field's colon; a text of another shape is the name of a format."""
        match = _SPEC_PATTERN.fullmatch(text)
        if not match:
            return cls(text, (), "")
        return cls(match["format_name"], tuple(match["endings"].split("-")[1:]), match["article"] or "")


class _TemplatePart(NamedTuple):
    literal: str  # text before the field
    field: str | None  # name of the field; None at the end of the template
    spec: FieldSpec  # format and Hungarian endings of the field
    is_in_code: bool  # whether the field stands between backticks


@lru_cache(maxsize=4096)
def _split_template(template: str) -> tuple[_TemplatePart, ...]:
    parts: list[_TemplatePart] = []
    is_in_code = False
    for literal, name, spec, _ in Formatter().parse(template):
        if literal.count("`") % 2 == 1:
            is_in_code = not is_in_code
        parts.append(_TemplatePart(literal, name, FieldSpec.parse(spec or ""), is_in_code))
    return tuple(parts)


class _TemplateFiller:
    def __init__(self, localizer: Localizer, key: str) -> None:
        self._localizer = localizer
        self._key = key
        self._fields_in_code = False  # whether the present field stands between backticks
        self.values: list[str] = []  # the values of the fields filled so far, by number of their slots

    def fill_template(self, template: str, params: Mapping[str, object]) -> str:
        """Return the template with slots in place of its fields, and add their values to `values`."""
        texts: list[str] = []
        for part in _split_template(template):
            self._fields_in_code = part.is_in_code
            texts.append(part.literal)
            if part.field is not None:
                self.values.append(self._resolve_field(part.field, part.spec, params))
                texts.append(slot(len(self.values) - 1))
        return "".join(texts)

    def _resolve_field(self, name: str, spec: FieldSpec, params: Mapping[str, object]) -> str:
        if name.startswith(COMMAND_MARK):
            return self._localizer.style.command_text(name.removeprefix(COMMAND_MARK))
        value = params[name] if name in params else self._attribute_of(name, params)
        return self._inflect(value, spec)

    def _attribute_of(self, name: str, params: Mapping[str, object]) -> object:
        """Return an attribute of a value, such as `pose.x_mm`."""
        try:
            return Formatter().get_field(name, (), params)[0]
        except (LookupError, AttributeError):
            raise self._missing_value(name) from None

    def _inflect(self, value: object, spec: FieldSpec) -> str:
        """Format a value and add its Hungarian endings and article, if the field asks for any."""
        if not spec.endings and not spec.article:
            return self._format_value(value, spec.format_name)
        is_hungarian = self._localizer.catalogue.language_of(self._key) == hungarian.LANGUAGE
        if not is_hungarian or not hungarian.ENDINGS.issuperset(spec.endings):
            raise self._missing_value(f"{value!r} with endings")
        if isinstance(value, tuple | list):
            items = [self._inflect(self._as_markup(item), spec) for item in value]
            return format_list(items, locale=self._localizer.catalogue.locale)
        word = self._format_value(value, spec.format_name)
        for ending in spec.endings:
            word = hungarian.add_ending(word, ending)
        if not spec.article:
            return word
        article = hungarian.definite_article(word)
        if spec.article.isupper():
            article = article.capitalize()
        return f"{article} {word}"

    def _format_value(self, value: object, format_name: str) -> str:
        match value:
            case Markup():  # markup of another style is plain text in this one
                return value if isinstance(value, self._localizer.style.markup_type) else self._format_text(value)
            case tuple() | list():
                return self._format_list(value, format_name)
            case bool() if format_name:
                return self._localizer.say(f"{format_name}.{'yes' if value else 'no'}")
            case str() if format_name in ("", "name", "giver", "letters"):
                text = self._localizer.catalogue.localise_orders(value) if format_name == "letters" else value
                return self._format_text(text)
            case str():
                return self._localizer.say(f"{format_name}.{value}")
            case int() | float() if not isinstance(value, bool):
                return self._format_number(value, format_name)
        raise self._missing_value(f"{value!r} as {format_name!r}")

    def _format_list(self, items: Sequence[object], format_name: str) -> str:
        catalogue = self._localizer.catalogue
        if not format_name.startswith("list."):
            texts = [self._format_value(self._as_markup(item), format_name) for item in items]
            return format_list(texts, locale=catalogue.locale)
        # The templates contain no marks, and the items need no escaping.
        item_texts = [catalogue.template(f"{format_name}.each").format(n=item) for item in items]
        joined = format_list(item_texts, locale=catalogue.locale)
        return catalogue.template(format_name, len(items)).format(n=joined)

    def _as_markup(self, item: object) -> object:
        return self._localizer.say_text(item) if isinstance(item, Text) else item

    def _format_text(self, text: str) -> str:
        return self._localizer.style.escape_text(text, code=self._fields_in_code)

    def _format_number(self, value: float, format_name: str) -> str:
        localizer = self._localizer
        locale = localizer.catalogue.locale
        if localizer.rounds_numbers and format_name in _ROUNDED_FORMATS:
            value = round(value)
        if format_name in _LENGTHS:
            return self._format_length(value, format_name)
        if format_name in _DECIMALS:
            pattern, digits = _DECIMALS[format_name]
            rounded = round(value, digits) or 0  # no minus sign before zero
            return "" if format_name == "plus" and not rounded else _format_decimal(rounded, pattern, locale)
        if format_name == "percent":
            return format_percent(value, "0%", locale)
        if format_name in _TIME_FORMATS:
            return localizer.style.format_time(value, format_name, locale)
        if isinstance(value, int):
            return self._format_count(value, format_name)
        raise self._missing_value(f"{value!r} as {format_name!r}")

    def _format_count(self, value: int, format_name: str) -> str:
        """Return the name that a number stands for, a counted noun, or the sentence `<format_name>.<value>`."""
        localizer = self._localizer
        if format_name in ("name", "giver") and (value in localizer.names or value >= FIRST_NAME_NUMBER):
            stand_in = localizer.giver_names.get(value) if format_name == "giver" else None
            if stand_in:
                return self._format_value(stand_in, "")
            # A keepsake that nobody has named yet is shown by its number.
            return self._format_text(localizer.names.get(value, f"#{value % FIRST_NAME_NUMBER}"))
        if format_name in localizer.catalogue.plurals:
            return localizer.count_noun(format_name, value)
        return localizer.say(f"{format_name}.{value}")

    def _format_length(self, value: float, format_name: str) -> str:
        unit, pattern, digits = _LENGTHS[format_name]
        rounded = round(value, digits) or 0  # no minus sign before zero
        if format_name == "gap" and not rounded:
            return self._localizer.say("gap.touching")
        length = format_unit(rounded, unit, "short", pattern, locale=self._localizer.catalogue.locale)
        return length.replace(" ", "\u00a0")

    def _missing_value(self, what: str) -> MissingMessage:
        return MissingMessage(f"{self._localizer.catalogue.language}: message {self._key!r} lacks {what}")
