"""Every refusal cites a rule that speaks of it: the sentence and the rule have a word in common."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from bot.texts.i18n import Catalogue
from bot.texts.rulebooks import Book, load_rulebook
from rules.core.registry import RULESETS
from rules.core.rulebook import RULE_NUMBER

RULES = Path(__file__).parents[2] / "rules"
WORD_CHARS = 5  # by which inflected words are compared
COMMON = re.findall(
    r"\S+",
    """about above after again all already and another any are before but can can't each either every few for from game
    had has have her here how isn't its least less may more most must name need not nothing one only order other out
    she ship than that the their them then there they this turn two what when where which who with word would write
    yet you your""",
)
READ = {  # compared by eye: the rule speaks of the refusal in other words
    ("named_twice", "CA-3.2"): "a galley gets one order at most",
    ("already_placed", "MB-2.1"): "every captain places all galleys once",
    ("fleet_too_large", "MB-2.3"): "two matches between galleys: how many have room",
    ("too_close", "MB-2.3"): "two matches from every own hull",
    ("too_few_orders", "MB-3.7"): "neither an F nor an X could be added",
    ("bad_keepsake", "MX-4.3"): "what is kept of earlier games",
    ("land_too_small", "MX-1.3"): "the area is at least 400 mm²",
    ("no_boarding", "MX-3.1"): "boarding begins with a grapple",
    ("ship_gone", "NB-07.2"): "a ship that sank can be given no orders",
    ("line_twice", "RS-21.4"): "two lines for one ship",
    ("not_your_ship", "RS-21.4"): "a line for a ship that is not yours",
    ("not_to_place", "RS-22.6"): "each captain places their own ships",
    ("place_outside", "RS-22.6"): "the whole hull lies in the zone",
    ("place_ship", "RS-22.6"): "overlaps no other ship",
    ("scenario_text", "RS-22.1"): "a line of a scenario that can't be read",
    ("scenario_twice", "RS-22.1"): "a scenario names both fleets",
    ("bad_seats", "RS-22.1"): "a scenario names both fleets",
    ("bad_position", "SQ-24.2"): "the notation of positions is that of orders",
    ("acted_already", "RS-03.4"): "a ship acts at most once a turn",
    ("no_vessels", "MX-0.2"): "special vessels only if the game has that option",
    ("not_his_ship", "SQ-05.3"): "a line astern is of the leader's galleys",
    ("in_two_squadrons", "SQ-05.5"): "a galley belongs to one of several leaders",
    ("several_lines", "SQ-24.2"): "one line for each galley",
}


READ_REASONS = {  # likewise, of orders that are not carried out
    "barred.RS-06.3": "a turn stops where her hull would overlap something",
    "barred.RS-08.3": "the water of the run must be free",
    "barred.RS-08.5": "how far a ram may run",
    "barred.RS-17.1": "at most 0.5 inch apart; of the same captain, or without a crew",
    "barred.RS-17.2": "neither of the two ships is linked",
    "barred.SQ-06.4": "every hex that she swings into must be free",
    "barred.SQ-06.7": "never into a hex with another ship",
    "barred.SQ-16.1": "the two share a flank hexside",
    "barred.SQ-17.1": "who may board",
    "barred.SQ-19.4": "a galley shoots once",
    "barred.SQ-19.16": "no shots at ships of her own side",
}


def citations() -> Iterator[tuple[str, str]]:
    """Yield the code of each refusal in the rules' code, with the number that it cites."""
    for file in sorted(RULES.rglob("*.py")):
        module = import_module(".".join(file.relative_to(RULES.parent).with_suffix("").parts))
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            values = [_value(module, argument) for argument in call.args[:2]]
            if len(values) == 2 and RULE_NUMBER.fullmatch(values[1]) and values[0].isidentifier():
                yield values[0], values[1]
            if len(values) == 2 and RULE_NUMBER.fullmatch(values[0]) and values[1].isidentifier():  # `BarReason`
                yield values[1], values[0]


def _value(module: object, argument: ast.expr) -> str:
    if isinstance(argument, ast.Constant):
        return str(argument.value)
    return str(getattr(module, argument.id, "")) if isinstance(argument, ast.Name) else ""


def barred() -> Iterator[tuple[str, str, str]]:
    """Yield each game whose orders may fail, with the key of the reason and the rule that it cites."""
    for system in RULESETS:
        for rule in book(system).rules:
            if Catalogue.load("en", system).has(key := f"barred.{rule}") and key not in READ_REASONS:
                yield system, key, rule


def book(system: str) -> Book:
    loaded = load_rulebook(system, "en")
    assert loaded
    return loaded


def content(text: str) -> set[str]:
    plain = re.sub(r"\{[^}]*\}|`[^`]*`", " ", text.lower())
    words = (word.rstrip("s") for word in re.findall(r"[a-z']{3,}", plain))
    return {word[:WORD_CHARS] for word in words if not {word, f"{word}s"} & {*COMMON}}


def rule_words(system: str, number: str) -> set[str]:
    texts = book(system).rules[number].texts
    changes = [text for values in texts.changes.values() for text in values.values()]
    return content(" ".join([texts.title, *texts.paragraphs, *changes]))


def system_of(number: str) -> str:
    return next(system for system in RULESETS if number in book(system).rules)


def test_each_refusal_cites_a_rule_that_speaks_of_it() -> None:
    pairs = sorted({*citations()})
    assert len(pairs) > 100
    strange = []
    for code, number in pairs:
        system = system_of(number)
        catalogue = Catalogue.load("en", system)
        if (code, number) in READ or not catalogue.has(f"fault.{code}"):
            continue
        if not content(catalogue.template(f"fault.{code}")) & rule_words(system, number):
            strange.append((code, number))
    assert not strange
    assert {*READ} <= {*pairs}


@pytest.mark.parametrize(("system", "key", "rule"), [*barred()])
def test_each_reason_of_an_order_not_done_is_in_its_rule(system: str, key: str, rule: str) -> None:
    assert content(Catalogue.load("en", system).template(key)) & rule_words(system, rule)
