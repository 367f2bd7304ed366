"""The rules of all games, looked up by a reader of one language, in a game or outside of all."""

from __future__ import annotations

import asyncio
from typing import Final

from msgspec import UNSET, Struct

from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.wording import game_title
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.rule_search import nearest_rules, search_rules
from bot.texts.rule_text import RuleDescription, describe_rule
from bot.texts.rulebooks import Book, BookRule, load_rulebook
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.core.errors import Fault
from rules.core.registry import RULESETS

MAX_SUGGESTIONS: Final = 25
MAX_FAULT_RULES: Final = 3


class RulePage(Struct, frozen=True):
    """A rule as one reader sees it."""

    heading: Markup  # the reader's game, or the name of the game that the rule belongs to
    description: RuleDescription
    related: tuple[BookRule, ...]  # rules that it names, also of other games


_loaded_languages: Final[set[str]] = set()


async def load_books(language: str) -> None:
    """Load all books of a language, unless they are. Their files take too long for the event loop to read."""
    if language not in _loaded_languages:
        await asyncio.to_thread(all_books, language)
        _loaded_languages.add(language)


def all_books(language: str) -> list[Book]:
    books = (load_rulebook(system, language) for system in playable_systems())
    return [book for book in books if book]


def chosen_options(seated_game: SeatedGame) -> dict[str, str]:
    """Return the value that holds for each option of a game or lobby."""
    game = seated_game.game
    rules = RULESETS[game.system]
    defaults = {spec.key: spec.default for spec in rules.options}
    has_own_scenario = game.setup.scenario is not UNSET
    return rules.effective_options({**defaults, **game.setup.options}, has_own_scenario=has_own_scenario)


def suggest_rules(language: str, typed: str, seated_game: SeatedGame | None) -> list[BookRule]:
    """Return rules that a beginning may mean. In a game its own come first, without those of options that are off."""
    own_system = seated_game.game.system if seated_game else ""
    options = chosen_options(seated_game) if seated_game else {}
    matches = search_rules(all_books(language), typed, own_system).rules
    return [rule for rule in matches if rule.system != own_system or rule.facts.applies(options)][:MAX_SUGGESTIONS]


class RuleLookup(Struct, frozen=True):
    rule: BookRule | None  # None: no rule, or several
    nearest: tuple[BookRule, ...] = ()  # those that may be meant
    refusal: Refusal | None = None  # why there is none


def look_up_rule(language: str, typed: str, seated_game: SeatedGame | None) -> RuleLookup:
    """Return the rule that a number, title or words mean, or a refusal with the nearest rules."""
    own_system, books = seated_game.game.system if seated_game else "", all_books(language)
    matches = search_rules(books, typed, own_system)
    if matches.is_certain:
        return RuleLookup(matches.rules[0])
    piece, example = typed.strip() or "–", _example_number(books, own_system)
    if matches.rules:
        return RuleLookup(None, matches.rules[:MAX_SUGGESTIONS], Refusal("which_rule", piece=piece, example=example))
    nearest = nearest_rules(books, typed, own_system)
    return RuleLookup(None, nearest, Refusal("unknown_rule", piece=piece, example=example))


def _example_number(books: list[Book], own_system: str) -> str:
    book = next((book for book in books if book.system == own_system), books[0] if books else None)
    return next(iter(book.rules)) if book else "–"


def find_rule(language: str, number: str) -> tuple[Book, BookRule] | None:
    """Return the rule with this number, in the language if its game has a book in it; None if no game has it."""
    return next(((book, book.rules[number]) for book in all_books(language) if number in book.rules), None)


def read_rule(language: str, number: str, seated_game: SeatedGame | None) -> RulePage:
    """Return a rule for a reader, with what a game's options make of it. Raises `Refusal` if there is none."""
    entry = find_rule(language, number)
    if entry is None:
        raise Refusal("unknown_rule", piece=number, example=_example_number(all_books(language), ""))
    book, rule = entry
    localizer = Localizer(Catalogue.load(language))
    own_game = seated_game if seated_game and seated_game.game.system == book.system else None
    heading = game_title(localizer, own_game) if own_game else Catalogue.load(language, book.system).say_game()
    description = describe_rule(book, rule, chosen_options(own_game) if own_game else None)
    related = [other[1] for other in (find_rule(language, name) for name in description.related) if other]
    return RulePage(heading, description, tuple(related))


async def fault_rules(language: str, fault: Fault) -> tuple[str, ...]:
    """Return the numbers of rules, of those that a refusal names, which stand in a book."""
    await load_books(language)
    numbers = dict.fromkeys([fault.rule, *(cause.rule for cause in fault.faults)])
    return tuple(number for number in numbers if number and find_rule(language, number))[:MAX_FAULT_RULES]
