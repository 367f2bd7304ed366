"""Checks that a game's catalogues are complete, so that players never meet a missing sentence.

The keys in a game's code are checked by its tests. The keys that follow from its declarations are checked here, at
start-up, so that only a game with missing sentences is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from string import Formatter
from typing import Any, Final, cast

from babel.messages.pofile import PoFileError
from msgspec import inspect

from bot.texts.i18n import COMMAND_MARK, Catalogue, Localizer, MissingMessage, languages
from bot.texts.rule_text import describe_rule
from bot.texts.rulebooks import load_rulebook, rulebook_languages
from render.registry import PAINTERS
from rules.core.protocol import Event
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset

REQUIRED_KEYS: Final = ("game", "about", "guide", "round", "after_round", "say.concede_sure")
"""Sentences that every game has: its name, a description, the first steps, headings of a round and of the position
after it, and the consequence of conceding.
"""
_LESSON_KEYS: Final = ("title", "text", "goal", "reached")
_COMMON_FIELDS: Final = ("rule", "seen_by", "step")  # of all events; they change no sentence
_EXAMPLE_VALUES: Final[dict[type[inspect.Type], tuple[Any, ...]]] = {
    inspect.StrType: ("A1", ""),
    inspect.BoolType: (False, True),
    inspect.IntType: (1, 0),
    inspect.FloatType: (1.0, 0.5),
    inspect.NoneType: (None,),
    inspect.DictType: ({},),
}


def playable_systems() -> tuple[str, ...]:
    return tuple(name for name in RULESETS if not missing_words(name))


@cache
def missing_words(system: str) -> tuple[str, ...]:
    """Return what a game's catalogues lack, a line each. Raises `KeyError` if there is no such game."""
    try:
        return tuple(dict.fromkeys(_find_missing(RULESETS[system])))
    except (OSError, ImportError, PoFileError, ValueError) as error:
        return (f"{type(error).__name__}: {error}",)


def count_borrowed(system: str) -> dict[str, int]:
    """Return how many of a game's sentences come from another language, by language; none of them is 0."""
    counts = {language: len(Catalogue.load(language, system).borrowed_keys) for language in languages()}
    return {language: count for language, count in counts.items() if count}


def _find_missing(rules: Ruleset[Any]) -> Iterator[str]:
    """Yield what is missing or contradictory in the catalogues of a game."""
    catalogues = [Catalogue.load(language, rules.name) for language in languages()]
    templates_by_catalogue = [all_templates(catalogue) for catalogue in catalogues]
    all_keys = dict.fromkeys((*sorted(set().union(*templates_by_catalogue)), *declared_keys(rules)))
    for catalogue, templates in zip(catalogues, templates_by_catalogue, strict=True):
        missing = [f"no {key}" for key in all_keys if not templates.get(key, "").strip()]
        different = (
            f"{key} speaks of {sorted(fields_of(text))}, and not of {sorted(fields_of(other_templates[key]))}"
            for key, text in templates.items()
            for other_templates in templates_by_catalogue
            if key in other_templates and fields_of(text) != fields_of(other_templates[key])
        )
        # Only the first kind of problem is reported: the others may follow from it.
        problems: Iterable[str] = missing or [*different]
        if not problems and not _is_own_game(rules):
            problems = events_without_words(catalogue, rules)
        yield from (f"{catalogue.language}: {problem}" for problem in problems)
    if not _is_own_game(rules):
        yield from rules_without_words(rules.name)


def rules_without_words(system: str) -> Iterator[str]:
    """Yield what cannot be said of the rules in a game's rulebook. Raises `RulebookError` if it is malformed."""
    books = (load_rulebook(system, language) for language in rulebook_languages(system))
    for book in filter(None, books):
        for rule in book.rules.values():
            try:
                describe_rule(book, rule)
            except (LookupError, ValueError) as why:
                yield f"{book.language}: {rule.number} cannot be told: {why}"


def all_templates(catalogue: Catalogue) -> dict[str, str]:
    """Return all sentences by key; the forms of a counted noun have keys such as `unit.oar[0]`."""
    forms = {f"{key}[{n}]": text for key, texts in catalogue.plurals.items() for n, text in enumerate(texts)}
    return {**catalogue.messages, **forms}


def fields_of(template: str) -> set[str]:
    """Return the names of the values that a template uses. Raises `ValueError` if it is malformed."""
    try:
        names = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    except ValueError as error:
        raise ValueError(f"{template!r}: {error}") from None
    return {name.split(".")[0] for name in names if not name.startswith(COMMAND_MARK)}


def declared_keys(rules: Ruleset[Any]) -> list[str]:
    """Return the keys that follow from a game's options, lessons, pictures and questions."""
    options = [f"option.{spec.key}" for spec in rules.options]
    values = [f"option.{spec.key}.{value}" for spec in rules.options for value in spec.values]
    lessons = [f"lesson.{lesson.key}.{part}" for lesson in rules.lessons for part in _LESSON_KEYS]
    picture_kinds = PAINTERS[rules.view_type].kinds
    picture_keys = [f"{key}.{kind}" for kind in picture_kinds for key in ("kind", "refuse.nothing_of")]
    question_keys = [f"{key}.{kind}" for kind in rules.questions for key in ("request", "example")]
    question_keys += [f"request.{kind}.short" for kind in rules.questions]
    return [*REQUIRED_KEYS, *options, *values, *lessons, *picture_keys, *question_keys]


def _is_own_game(rules: Ruleset[Any]) -> bool:
    """Return whether a game is part of this package, whose tests check all its events."""
    return rules.data_package.partition(".")[0] == "data"


def events_without_words(catalogue: Catalogue, rules: Ruleset[Any]) -> Iterator[str]:
    localizer = Localizer(catalogue, {0: "A", 1: "B"})
    for struct in event_types(rules):
        try:
            for event in example_events(struct):
                localizer.headline_text(event)
                localizer.event_text(event)
        except (MissingMessage, NotImplementedError, ValueError) as why:
            yield f"{struct.cls.__name__} cannot be told: {why}"


def event_types(rules: Ruleset[Any]) -> Iterator[inspect.StructType]:
    event_type = inspect.type_info(rules.event_type)
    for struct in event_type.types if isinstance(event_type, inspect.UnionType) else [event_type]:
        assert isinstance(struct, inspect.StructType)  # noqa: S101 - events are structs
        yield struct


def example_events(struct: inspect.StructType) -> list[Event]:
    """Return made-up events of a type: one for each variant and each combination of fields with few values."""
    varied_fields = [field for field in struct.fields if field.name not in _COMMON_FIELDS]
    fields_with_few_values = [
        field.name for field in varied_fields if isinstance(field.type, inspect.LiteralType | inspect.Metadata)
    ]
    step_param = {"step": 1} if any(field.name == "step" for field in struct.fields) else {}
    examples: dict[tuple[object, ...], Event] = {}
    names = [field.name for field in varied_fields]
    for values in product(*(example_values(field.type) for field in varied_fields)):
        event = cast("Event", struct.cls(**step_param, **dict(zip(names, values, strict=True))))
        examples.setdefault((event.variant, *(getattr(event, name) for name in fields_with_few_values)), event)
    return list(examples.values())


def example_values(kind: inspect.Type) -> tuple[Any, ...]:  # noqa: PLR0911 - a table of types
    """Return a few values of a type, including special ones.

    For a field that is no free text, such as a scenario's side, a game lists values with `Annotated[str,
    Meta(examples=[...])]`. Raises `NotImplementedError` for types that no event has.
    """
    match kind:
        case inspect.Metadata(extra_json_schema={"examples": examples}):
            return tuple(examples)
        case inspect.Metadata(type=bounded):
            return example_values(bounded)
        case inspect.LiteralType(values=values):
            return tuple(values)
        case inspect.UnionType(types=types):
            return tuple(value for member in types for value in example_values(member))
        case inspect.VarTupleType(item_type=item):
            return (example_values(item)[:1], ())
        case inspect.TupleType(item_types=items):
            return (tuple(example_values(item)[0] for item in items),)
        case inspect.NamedTupleType(cls=cls, fields=fields):
            return (cls(*(example_values(field.type)[0] for field in fields)),)
        case inspect.StructType(cls=cls):
            return (cls(**{field.name: example_values(field.type)[0] for field in kind.fields}),)
    if type(kind) not in _EXAMPLE_VALUES:
        raise NotImplementedError(kind)
    return _EXAMPLE_VALUES[type(kind)]
