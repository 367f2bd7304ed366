"""Laws for the rulebook of a game: functions of a game's name that return what is wrong, a line each.

`tests/test_rulebooks.py` runs them for every game.

usage: python -m tests.rulebooks GAME              prints what is wrong
       python -m tests.rulebooks GAME example.webp draws the worked round, and prints what happens in it
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import render
from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.rulebooks import Book, BookRule, RulebookError, load_rulebook, rulebook_languages
from bot.texts.style import PLAIN_STYLE
from bot.texts.whole import rules_without_words
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Event, Setup, Step
from rules.core.registry import RULESETS
from rules.core.rulebook import RULE_NUMBER
from tests.cases import loader, verdict
from tests.english import stiff_texts

ROOT: Final = Path(__file__).parents[1]
SEEDS: Final = ROOT.parent / "shared" / "seeds"
"""The printed rules, which lie beside the repository where it was made."""
GAME_PAGES: Final = {
    "matchbox": "war-galley",
    "forts": "naval-battle",
    "ramspeed": "biremes",
    "squadrons": "fleet",
    "campaign": "sailing-season",
}
"""The names of each game's pages in the docs, and of their pictures."""
NAMES: Final = {0: "Anna", 1: "Béla", 2: "Cili", 3: "Dóra"}
MAX_TITLE_CHARS: Final = 60
MAX_PARAGRAPH_CHARS: Final = 600
MAX_WHY_CHARS: Final = 400
MAX_SENTENCES: Final = 5
MAX_TURN_LINES: Final = 12
MAX_COMMON_WORDS: Final = 7  # in a row, of a rulebook and the printed rules
CITING_FOLDERS: Final = ("bot", "data", "docs", "render", "rules", "tests/cases")


@cache
def books(system: str) -> tuple[Book, ...]:
    loaded = (load_rulebook(system, language) for language in rulebook_languages(system))
    return tuple(book for book in loaded if book)


@cache
def cases_of(system: str) -> frozenset[str]:
    """Return the numbers of the rules that a game's cases show."""
    shown = {rule for case in loader.cases(system) for rule in case.rules} if system in loader.systems() else set()
    return frozenset(shown)


def every_rule(system: str) -> Iterator[tuple[str, BookRule]]:
    for book in books(system):
        for rule in book.rules.values():
            yield f"{book.language}: {rule.number}", rule


# --- the laws ----------------------------------------------------------------------------------------------------


def both_languages_have_a_book(system: str) -> list[str]:
    return [f"no rulebook.{language}.toml" for language in languages() if language not in rulebook_languages(system)]


def numbers_belong_to_one_family_or_two(system: str) -> list[str]:
    numbers = books(system)[0].facts.numbers
    return [f"{number}: no rule's number" for number in numbers if not RULE_NUMBER.fullmatch(number)]


def rulings_alone_say_why(system: str) -> list[str]:
    problems = []
    for where, rule in every_rule(system):
        is_ruling = rule.facts.source == "ruling"
        if is_ruling and not rule.texts.why:
            problems.append(f"{where}: a ruling without `why`")
        if not is_ruling and (rule.texts.why or rule.texts.other):
            problems.append(f"{where}: `why` or `other`, but its source is {rule.facts.source}")
        if rule.facts.source == "ours" and rule.facts.place:
            problems.append(f"{where}: `place`, but no printed rule says it")
    return problems


def related_rules_exist(system: str) -> list[str]:
    rules = books(system)[0].rules
    return [
        f"{number}: no related rule {other}"
        for number, rule in rules.items()
        for other in rule.facts.related
        if other not in rules or other == number
    ]


def every_tag_is_used_and_every_rule_has_one(system: str) -> list[str]:
    rules = books(system)[0].rules
    used = {tag for rule in rules.values() for tag in rule.facts.tags}
    problems = [f"{number}: no tag" for number, rule in rules.items() if not rule.facts.tags]
    for book in books(system):
        problems += [f"{book.language}: nothing has the tag {tag}" for tag in book.texts.tags.keys() - used]
        titles = book.texts.chapters.keys() - {chapter.key for chapter in book.facts.chapters}
        problems += [f"{book.language}: no chapter {key}" for key in titles]
    return problems


def options_and_values_exist(system: str) -> list[str]:
    values = {spec.key: {*spec.values, *spec.former_values} for spec in RULESETS[system].options}
    problems = []
    for where, rule in every_rule(system):
        named = {"when": rule.facts.when, "changes": rule.texts.changes}
        problems += [
            f"{where}: {field}: no option {key} with the value {value}"
            for field, options in named.items()
            for key, some in options.items()
            for value in some
            if value not in values.get(key, ())
        ]
        for key, some in rule.facts.when.items():
            if not some or values.get(key, set()) <= {*some}:
                problems.append(f"{where}: when: {key} = {list(some)} says nothing")
    return problems


def both_languages_say_the_same(system: str) -> list[str]:
    first, *others = books(system)
    problems = []
    for book in others:
        pairs = {
            "turn": (len(first.texts.turn), len(book.texts.turn)),
            "example.text": (len(first.texts.example.text), len(book.texts.example.text)),
            "chapters": (first.texts.chapters.keys(), book.texts.chapters.keys()),
            "tags": (first.texts.tags.keys(), book.texts.tags.keys()),
        }
        for number, rule in first.rules.items():
            pairs |= {f"{number}: {name}": pair for name, pair in compare(rule, book.rules[number]).items()}
        problems += [f"{book.language}: {name} differs: {a} {b}" for name, (a, b) in pairs.items() if a != b]
    return problems


def compare(rule: BookRule, other: BookRule) -> dict[str, tuple[object, object]]:
    """Return what two languages must have alike: parts, the rules that are named, and figures."""
    a, b = rule.texts, other.texts
    parts = {
        "number of paragraphs": (len(a.paragraphs), len(b.paragraphs)),
        "`other`": (bool(a.other), bool(b.other)),
        "`changes`": tuple({key: sorted(values) for key, values in texts.changes.items()} for texts in (a, b)),
    }
    named = tuple(sorted({*RULE_NUMBER.findall(whole_text(texts))}) for texts in (rule, other))
    return {**parts, "numbers of rules": named, "figures": (figures(rule), figures(other))}


def figures(rule: BookRule) -> list[str]:
    """Return a text's figures above 1, alike in all languages: with a point, and no mark of thousands.

    0 and 1 may be words.
    """
    text = re.sub(r"(?<=\d)(?<!\b0)[\u00a0\u202f ,](?=\d{3}\b)", "", RULE_NUMBER.sub("", whole_text(rule)))
    return sorted({figure.replace(",", ".") for figure in re.findall(r"\d+(?:[.,]\d+)?", text)} - {"0", "1"})


def whole_text(rule: BookRule) -> str:
    """Return all that is said of a rule, a paragraph a line."""
    texts = rule.texts
    changes = [text for values in texts.changes.values() for text in values.values()]
    return "\n".join([texts.title, *texts.paragraphs, texts.why, texts.other, *changes])


def texts_have_their_length(system: str) -> list[str]:
    problems = []
    for book in books(system):
        if not 1 <= len(book.texts.turn) <= MAX_TURN_LINES:
            problems.append(f"{book.language}: turn has {len(book.texts.turn)} lines")
        titles = Counter(rule.texts.title for rule in book.rules.values())
        problems += [f"{book.language}: two rules are called {title}" for title, count in titles.items() if count > 1]
    for where, rule in every_rule(system):
        texts = rule.texts
        limits = [("title", texts.title, MAX_TITLE_CHARS), ("why", texts.why, MAX_WHY_CHARS)]
        limits += [("other", texts.other, MAX_WHY_CHARS)]
        limits += [("text", paragraph, MAX_PARAGRAPH_CHARS) for paragraph in texts.paragraphs]
        limits += [("changes", text, MAX_WHY_CHARS) for some in texts.changes.values() for text in some.values()]
        problems += [
            f"{where}: {name} has {len(text)} characters, at most {most}: {text[:40]}…"
            for name, text, most in limits
            if len(text) > most
        ]
        problems += [f"{where}: an empty {name}" for name, text in limits_of_filled(rule) if not text.strip()]
        problems += [
            f"{where}: a paragraph of {count} sentences: {paragraph[:40]}…"
            for paragraph in texts.paragraphs
            if (count := count_sentences(paragraph)) > MAX_SENTENCES
        ]
    return problems


def limits_of_filled(rule: BookRule) -> list[tuple[str, str]]:
    paragraphs = [("paragraph", paragraph) for paragraph in rule.texts.paragraphs or ("",)]
    return [("title", rule.texts.title), *paragraphs]


def count_sentences(paragraph: str) -> int:
    return len(re.findall(r"[.!?…:]['’”\")*`]*(?=\s+[A-ZÁÉÍÓÖŐÚÜŰ*`„“\"(]|$)", paragraph.replace(": ", ", ")))


def texts_have_no_markup_but_bold_and_code(system: str) -> list[str]:
    problems = []
    for where, rule in every_rule(system):
        for text in whole_text(rule).split("\n"):
            plain = re.sub(r"`[^`]+`", "x", text)
            plain = re.sub(r"\*\*([^*]+)\*\*", r"\1", plain)
            if match := re.search(r"[`|*_~\\<\[\]]|^\s|\s$|  |^[#>+-]", plain):
                problems.append(f"{where}: {match[0]!r} in: {text[:50]}…")
        problems += [f"{where}: several lines in a text" for text in rule.texts.paragraphs if "\n" in text]
    return problems


@cache
def known_numbers() -> frozenset[str]:
    return frozenset(number for system in RULESETS for book in books(system)[:1] for number in book.rules)


def numbers_in_texts_exist(system: str) -> list[str]:
    known, problems = known_numbers(), []
    families = {number[:2] for number in known}
    for book in books(system):
        texts = {"turn": "\n".join(book.texts.turn), "example": "\n".join(book.texts.example.text)}
        texts |= {number: whole_text(rule) for number, rule in book.rules.items()}
        problems += [
            f"{book.language}: {where}: names {number}, which no book has"
            for where, text in texts.items()
            for number in RULE_NUMBER.findall(text)
            if number not in known and number[:2] in families
        ]
    return problems


def tables_are_those_of_the_engine(system: str) -> list[str]:
    used = {rule.facts.table: number for number, rule in books(system)[0].rules.items() if rule.facts.table}
    made = RULESETS[system].rule_tables().keys()
    return [f"{used[key]}: rule_tables() has no {key}" for key in used.keys() - made] + [
        f"rule_tables(): no rule shows the table {key}" for key in made - used.keys()
    ]


def rules_without_a_case_name_their_test(system: str) -> list[str]:
    problems = []
    for number, rule in books(system)[0].rules.items():
        has_case, shown = number in cases_of(system), rule.facts.shown
        if has_case and shown:
            problems.append(f"{number}: `shown`, but it has a case")
        if not has_case and not shown:
            problems.append(f"{number}: neither a case nor `shown`")
        if shown and not test_exists(shown):
            problems.append(f"{number}: there is no {shown}")
    return problems


@cache
def test_exists(name: str) -> bool:
    path, *parts = name.split("[", maxsplit=1)[0].split("::")
    if not (ROOT / path).is_file() or not parts:
        return False
    scope: list[ast.stmt] = ast.parse((ROOT / path).read_text("utf-8")).body
    for part in parts:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        nodes = [node for node in scope if isinstance(node, kinds) and node.name == part]
        if not nodes:
            return False
        scope = nodes[0].body
    return parts[-1].startswith("test_")


test_exists.__test__ = False  # type: ignore[attr-defined]


@cache
def citations() -> dict[str, str]:
    """Return all numbers that code, texts, cases and pages cite, each with a file that does so."""
    paths = (path for folder in CITING_FOLDERS for path in (ROOT / folder).rglob("*"))
    return {
        number: str(path.relative_to(ROOT))
        for path in paths
        if path.suffix in {".py", ".po", ".toml", ".md"} and not path.name.startswith("rulebook.")
        for number in RULE_NUMBER.findall(f"{path.name.partition('_')[0]}\n{path.read_text('utf-8')}")
    }


def every_cited_number_is_in_the_book(system: str) -> list[str]:
    rules = books(system)[0].rules
    families = {number[:2] for number in rules}
    return [
        f"{path} cites {number}, which has no rule"
        for number, path in citations().items()
        if number[:2] in families and number not in rules
    ]


def nothing_is_copied_from_the_printed_rules(system: str) -> list[str]:
    """Return runs of eight words that also stand in a seed; needs `SEEDS`, without which nothing is found."""
    problems = []
    for book in books(system):
        texts = {"turn": "\n".join(book.texts.turn), "example": "\n".join(book.texts.example.text)}
        texts |= {number: whole_text(rule) for number, rule in book.rules.items()}
        for where, text in texts.items():
            for line in text.split("\n"):
                runs = [run for run in word_runs(line) if run in seed_runs()]
                problems += [f"{book.language}: {where}: stands in a seed: {' '.join(runs[0])}"] if runs else []
    return problems


def word_runs(text: str) -> list[tuple[str, ...]]:
    words, length = re.findall(r"[^\W_]+", text.lower()), MAX_COMMON_WORDS + 1
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]


@cache
def seed_runs() -> frozenset[tuple[str, ...]]:
    return frozenset(run for path in sorted(SEEDS.glob("*.txt")) for run in word_runs(path.read_text("utf-8")))


def every_rule_can_be_said(system: str) -> list[str]:
    return [*rules_without_words(system)]


def english_is_plain(system: str) -> list[str]:
    english = [book for book in books(system) if book.language == "en"]
    texts = {number: whole_text(rule) for book in english for number, rule in book.rules.items()}
    return stiff_texts(texts)


def played_example(system: str) -> tuple[Step, tuple[Event, ...]]:
    """Return the worked round's last step, and all that happened in it. Raises `OrderError` if it is refused."""
    rules, example = RULESETS[system], books(system)[0].facts.example
    options = dict(example.options)
    setup = Setup(system=system, teams=rules.seats(options), options=options, position=example.position)
    state, answers, events = rules.start(rules.with_edition(setup), Dice(example.seed)).state, {}, list[Event]()
    for line in example.play:
        state, happened = verdict.play(rules, state, answers, line)
        events += happened
    return Step(state, tuple(events)), tuple(events)


def draw_example(system: str) -> bytes:
    rules = RULESETS[system]
    step, events = played_example(system)
    view = rules.final_view(step.state) if rules.has_chronicle else rules.view(step.state, None)
    caption = Localizer(Catalogue.load("en", system), NAMES, style=PLAIN_STYLE).say_text(view.phase)
    crop = books(system)[0].facts.example.crop
    return render.draw_still(view, events, caption=caption, names=NAMES, crop=crop, width=960, form="webp").data


def the_worked_round_can_be_played(system: str) -> list[str]:
    try:
        _, events = played_example(system)
    except OrderError as error:
        return [f"rulebook.toml: example: {error}"]
    return [] if len(events) > 1 else ["rulebook.toml: example: nothing happens"]


LAWS = (
    the_worked_round_can_be_played,
    both_languages_have_a_book,
    numbers_belong_to_one_family_or_two,
    rulings_alone_say_why,
    related_rules_exist,
    every_tag_is_used_and_every_rule_has_one,
    options_and_values_exist,
    both_languages_say_the_same,
    texts_have_their_length,
    texts_have_no_markup_but_bold_and_code,
    numbers_in_texts_exist,
    tables_are_those_of_the_engine,
    rules_without_a_case_name_their_test,
    every_cited_number_is_in_the_book,
    nothing_is_copied_from_the_printed_rules,
    every_rule_can_be_said,
    english_is_plain,
)


def show_example(system: str, path: str) -> int:
    Path(path).write_bytes(draw_example(system))
    localizer = Localizer(Catalogue.load("en", system), NAMES, style=PLAIN_STYLE)
    for event in played_example(system)[1]:
        print(f"{event.rule} {localizer.event_text(event)}")
    return 0


def main(system: str, picture: str = "") -> int:
    try:
        if picture:
            return show_example(system, picture)
        problems = [(law.__name__, problem) for law in LAWS for problem in law(system)] if books(system) else []
    except RulebookError as error:
        print(error)
        return 1
    if not books(system):
        print(f"{system} has no rulebook")
        return 1
    for law, problem in problems:
        print(f"{law}: {problem}")
    print(f"{system}: {len(books(system)[0].rules)} rules, {len(problems)} problems")
    if not SEEDS.exists():
        print(f"not compared with the printed rules: there is no {SEEDS}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
