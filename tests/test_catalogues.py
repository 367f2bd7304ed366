"""The catalogues say all that the code asks for, alike in every language, and nothing else."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from string import Formatter

import msgspec
import pytest
from msgspec import inspect

from bot.words.i18n import Catalogue, Words, languages
from bot.words.speech import alt, log, story, table_text
from rules.dice import Dice
from rules.protocol import Choices, Setup
from rules.registry import RULESETS

ROOT = Path(__file__).parents[1]
LOCALES = ROOT / "data" / "locales"
FORMATS = {"", "name", "letters", "mm", "relative", "time", "date", "clock", "tenths", "signed", "change", "percent"}
"""Specs that are neither terms nor counted nouns."""
PAGES = {".js", ".html"}
PREFIXES = {"event", "headline", "command", "command_name", "param", "param_name", "permission", "sandbox"}
"""Keys whose beginning stands in no f-string: they are found by an event's type, or by a name that Discord gives."""
KEY_PARAMS = {"Gauge": ("key", 0, "gauge"), "Group": ("key", None, "group"), "Request": ("kind", None, "request")}
"""Values of the rules that are found in the catalogue: the parameter, its position and the prefix."""
LENGTHS = {
    r"(command|param)\..+": 100,
    r"(command|param)_name\..+": 32,
    r"button\..+": 80,
    r"panel\.type_(title|label)": 45,
    r"panel\.type_hint": 100,
    r"panel\.select_hint|group\..+": 150,
}
"""What Discord allows."""

SAME = {"sandbox.app", "sandbox.size"}
"""What both languages write alike: Discord's badge, and a unit."""
GLOSSARY = {
    "captain": "kapit",
    "galley": "gály",
    "hull": "hajótest",
    "mast": "árboc",
    "match(?:es)?": "gyuf",
    "oar": "evez",
    "order": "parancs",
    "ram": "roha[mn]",
    "round": "kör",
    "rower": "evez|átrendez",
    "step": "lép",
}
"""What the game's Hungarian rules call things: a text that says the one in English says the other in Hungarian."""
OTHERWISE = {
    "game.matchbox": "galley",  # the game's own name
    "param_name.captain": "captain",  # the word of its own that an option needs
    "say.undo_agreed": "captain",  # "everybody" will do
    "standing.casualties.seaworthy": "oar",  # "seaworthy"
}
"""Texts that need not."""
STEPS = 8
"""Of a game that is told: its beginning and some of its rounds."""


def fields(template: str) -> set[tuple[str, str]]:
    """Names and specs of a template's fields."""
    return {(name.split(".")[0], spec or "") for _, name, spec, _ in Formatter().parse(template) if name is not None}


def names(template: str) -> set[str]:
    return {name for name, _ in fields(template)}


def templates(language: str) -> dict[str, str]:
    """All texts, plural forms one by one under `key[n]`."""
    catalogue = Catalogue.load(language)
    forms = {f"{key}[{n}]": text for key, texts in catalogue.plurals.items() for n, text in enumerate(texts)}
    return {**catalogue.messages, **forms}


# --- the code ----------------------------------------------------------------------------------------------------


class Asked(msgspec.Struct, frozen=True):
    """A key that the code asks for by name, with the values that it gives."""

    where: str
    key: str
    given: frozenset[str] | None
    """None if they are not written out."""


@cache
def code() -> tuple[tuple[str, ast.Module], ...]:
    paths = sorted(path for room in ("bot", "render", "rules") for path in (ROOT / room).rglob("*.py"))
    return tuple((str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


def callee(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def literal(call: ast.Call, keyword: str, position: int | None) -> str | None:
    """The text given for a parameter, if it is written out."""
    named = [each.value for each in call.keywords if each.arg == keyword]
    placed = [] if position is None else call.args[position : position + 1]
    match [*named, *placed]:
        case [ast.Constant(value=str(text))]:
            return text
    return None


def given(call: ast.Call, *more: str) -> frozenset[str] | None:
    keywords = [keyword.arg for keyword in call.keywords]
    return None if None in keywords else frozenset({*filter(None, keywords), *more})


def fault_makers(modules: tuple[tuple[str, ast.Module], ...]) -> dict[str, int]:
    """Functions and classes that take the code of a fault: the position of that parameter."""
    makers = {}
    for _, module in modules:
        for scope in ast.walk(module):
            for function in getattr(scope, "body", ()) if isinstance(scope, ast.Module | ast.ClassDef) else ():
                if isinstance(function, ast.FunctionDef):
                    parameters = [p.arg for p in function.args.args if p.arg not in ("self", "cls")]
                    if "code" in parameters:
                        name = scope.name if function.name == "__init__" else function.name
                        makers[name] = parameters.index("code")
    return makers


@cache
def asked() -> tuple[Asked, ...]:
    found = []
    makers = fault_makers(code())
    for path, module in code():
        for call in (node for node in ast.walk(module) if isinstance(node, ast.Call)):
            name, where = callee(call), f"{path}:{call.lineno}"
            match name:
                case "say" | "_say" | "text" | "count":
                    values = given(call, *(["n"] if name == "count" else []))
                    found += [Asked(where, key, values) for key in keys_among(call.args)]
                    continue
                case "Text":
                    key, values = literal(call, "key", 0), text_params(call)
                case "Refusal":
                    key, values = literal(call, "", 0), given(call)
                    key = key and f"refuse.{key}"
                case "Fault":
                    key, values = literal(call, "code", None), None
                    key = key and f"fault.{key}"
                case _ if name in KEY_PARAMS:
                    keyword, position, prefix = KEY_PARAMS[name]
                    key, values = literal(call, keyword, position), None
                    key = key and f"{prefix}.{key}"
                case _ if name in makers:
                    key, values = literal(call, "code", makers[name]), given(call, "piece", "rule")
                    key = key and f"fault.{key}"
                    values = values if name.endswith("Order") else None  # others may add values of their own
                case _:
                    continue
            if key:
                found.append(Asked(where, key, values))
    return tuple(found)


def keys_among(args: list[ast.expr]) -> list[str]:
    """Keys that are written out, be it as one of two."""
    nodes = [node for arg in args for node in (arg, *((arg.body, arg.orelse) if isinstance(arg, ast.IfExp) else ()))]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and re.fullmatch(r"[a-z_]+(\.\w+)+", text)]


def text_params(call: ast.Call) -> frozenset[str] | None:
    match [*call.args[1:], *(k.value for k in call.keywords if k.arg == "params")]:
        case []:
            return frozenset()
        case [ast.Dict(keys=keys)] if all(isinstance(key, ast.Constant) for key in keys):
            return frozenset(key.value for key in keys if isinstance(key, ast.Constant))
    return None


@cache
def vocabulary() -> frozenset[str]:
    """Every text and name in the code, and those of the sandbox's page."""
    page = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("bot/**/*.*") if path.suffix in PAGES)
    words = {*re.findall(r"[\w.]+", page), *re.findall(r"\w+", page)}
    for _, module in code():
        for node in ast.walk(module):
            match node:
                case ast.Constant(value=str(word)) | ast.arg(arg=word) | ast.keyword(arg=str(word)):
                    words.add(word)
                case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word):
                    words.add(word)
    return frozenset(words)


@cache
def patterns() -> tuple[str, ...]:
    """The beginnings of keys that the code completes: from its f-strings, and from the specs of the messages."""
    begun = {f"{prefix}." for prefix in PREFIXES}
    for _, module in code():
        for node in ast.walk(module):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                begun.add(str(node.values[0].value))
    begun |= {f"{spec}." for text in templates("en").values() for _, spec in fields(text) if spec not in FORMATS}
    return tuple(sorted(key for key in begun if re.fullmatch(r"[a-z_]+\.([a-z_]+\.)*", key)))


# --- the events --------------------------------------------------------------------------------------------------


def values(kind: inspect.Type) -> tuple:
    """A few values of a type, the interesting ones among them."""
    match kind:
        case inspect.LiteralType(values=some):
            return tuple(some)
        case inspect.StrType():
            return ("A1", "")
        case inspect.BoolType():
            return (False, True)
        case inspect.IntType():
            return (1, 0)
        case inspect.FloatType():
            return (1.0, 0.5)
        case inspect.NoneType():
            return (None,)
        case inspect.UnionType(types=types):
            return tuple(value for one in types for value in values(one))
        case inspect.VarTupleType(item_type=item):
            return ((values(item)[0],), ())
        case inspect.TupleType(item_types=items):
            return (tuple(values(item)[0] for item in items),)
        case inspect.DictType():
            return ({},)
        case inspect.StructType(cls=cls):
            return (cls(**{field.name: values(field.type)[0] for field in kind.fields}),)
    raise NotImplementedError(kind)


def event_types(ruleset) -> Iterator[inspect.StructType]:
    kind = inspect.type_info(ruleset.event_type)
    yield from kind.types if isinstance(kind, inspect.UnionType) else [kind]


def events(kind: inspect.StructType) -> dict[tuple, object]:
    """An event for each variant and each choice of its literal values."""
    varied = [field for field in kind.fields if field.name not in ("rule", "seen_by", "step")]
    literals = [field.name for field in varied if isinstance(field.type, inspect.LiteralType)]
    step = {"step": 1} if any(field.name == "step" for field in kind.fields) else {}
    found = {}
    for chosen in product(*(values(field.type) for field in varied)):
        event = kind.cls(**step, **dict(zip((field.name for field in varied), chosen, strict=True)))
        found.setdefault((event.variant, *(getattr(event, name) for name in literals)), event)
    return found


EVENT_TYPES = [
    pytest.param(kind, id=f"{name}-{kind.cls.__name__}", marks=pytest.mark.game(name))
    for name, ruleset in RULESETS.items()
    for kind in event_types(ruleset)
]


# --- the laws ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", languages())
def test_no_message_stands_twice(language):
    keys = re.findall(r'^msgid "(.+)"$', (LOCALES / f"{language}.po").read_text(encoding="utf-8"), re.MULTILINE)
    assert [key for key, times in Counter(keys).items() if times > 1] == []


@pytest.mark.parametrize("language", languages())
def test_every_language_has_the_same_messages(language):
    assert templates(language).keys() ^ templates("en").keys() == set()


@pytest.mark.parametrize("language", languages())
def test_every_message_says_something_about_the_same_values(language):
    english = templates("en")
    texts = templates(language)
    assert [key for key, text in texts.items() if not text.strip()] == []
    assert {key: text for key, text in texts.items() if names(text) != names(english.get(key, text))} == {}


def test_every_message_is_translated():
    hungarian = templates("hu")
    same = {key: text for key, text in templates("en").items() if hungarian.get(key) == text and key not in SAME}
    assert {key: text for key, text in same.items() if re.search(r"[^\W\d_]", re.sub(r"\{[^}]*\}", "", text))} == {}


@pytest.mark.parametrize("language", languages())
def test_every_spec_means_something(language):
    catalogue = Catalogue.load(language)
    terms = {key[: position.start()] for key in catalogue.messages for position in re.finditer(r"\.", key)}
    known = FORMATS | terms | catalogue.plurals.keys()
    unknown = {key: spec for key, text in templates(language).items() for _, spec in fields(text) if spec not in known}
    assert unknown == {}


@pytest.mark.parametrize("language", languages())
def test_the_unit_is_written_once(language):
    assert [key for key, text in templates(language).items() if re.search(r":mm\}\s*mm", text)] == []


@pytest.mark.parametrize("language", languages())
def test_messages_fit_where_discord_shows_them(language):
    texts = templates(language)
    assert {
        key: len(text)
        for pattern, most in LENGTHS.items()
        for key, text in texts.items()
        if re.fullmatch(pattern, key) and len(text) > most
    } == {}


def test_every_message_that_the_code_names_is_there():
    catalogue = Catalogue.load("en")
    missing = {f"{one.key} ({one.where})" for one in asked() if not catalogue.has(one.key)}
    assert not missing, "\n".join(sorted(missing))


def test_the_code_gives_every_value_that_a_message_needs():
    texts = templates("en")
    lacking = {
        f"{one.key} ({one.where}): {names(texts[one.key]) - one.given}"
        for one in asked()
        if one.given is not None and one.key in texts and not names(texts[one.key]) <= one.given
    }
    assert not lacking, "\n".join(sorted(lacking))


def test_every_message_is_used():
    known = vocabulary() | {one.key for one in asked()} | plurals_in_messages()
    unused = []
    for key in sorted(Catalogue.load("en").messages.keys() | Catalogue.load("en").plurals.keys()):
        begun = [pattern for pattern in patterns() if key.startswith(pattern)]
        rests = [key.removeprefix(pattern) for pattern in begun]
        if key not in known and not any(rest in known or completed(rest, known) for rest in rests):
            unused.append(key)
    assert not unused, "\n".join(unused)


def plurals_in_messages() -> set[str]:
    return {spec for text in templates("en").values() for _, spec in fields(text)}


def completed(rest: str, known: set[str] | frozenset[str]) -> bool:
    """Whether the rest of a key can be put together from words of the code."""
    event_names = {kind.cls.__name__ for ruleset in RULESETS.values() for kind in event_types(ruleset)}
    return all(part in known or part in event_names or part.isdigit() for part in rest.split("."))


@pytest.mark.parametrize("kind", EVENT_TYPES)
@pytest.mark.parametrize("language", languages())
def test_every_event_is_told(kind, language):
    words = Words(Catalogue.load(language), {0: "Anna", 1: "Béla"})
    for event in events(kind).values():
        assert words.event(event)
        assert words.headline(event)


def test_no_sentence_is_kept_for_an_event_that_cannot_happen():
    told = {f"event.{kind.cls.__name__}" for ruleset in RULESETS.values() for kind in event_types(ruleset)}
    possible = {
        ".".join(filter(None, (f"event.{kind.cls.__name__}", event.variant)))
        for ruleset in RULESETS.values()
        for kind in event_types(ruleset)
        for event in events(kind).values()
    }
    assert told
    kept = {key for key in templates("en") if re.match(r"(event|headline)\.(?!quiet)", key)}
    assert {key for key in kept if key.replace("headline.", "event.") not in possible} == set()


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("language", languages())
def test_a_game_is_told_from_its_beginning(name, language):
    rules = RULESETS[name]
    words = Words(Catalogue.load(language), {0: "Anna", 1: "Béla"})
    step = rules.start(Setup(system=name, teams=(0, 1)), Dice(seed="5eed"))
    for _ in range(STEPS):
        assert story(words, step.events, None).headline
        assert log(words, step.events, None) or not step.events
        if result := rules.result(step.state):
            assert words.text(result.reason)
        answers = {}
        for request in rules.pending(step.state):
            assert words.say(f"request.{request.kind}", round=request.round, **request.params)
            answers[request.id] = rules.captain(rules.view(step.state, request.seat), request, "5eed")
            for draft in ("", rules.format(answers[request.id])):
                tell_choices(words, rules.choices(step.state, request, draft))
                view = rules.view(step.state, request.seat, draft)
                assert alt(words, view, step.events)
                assert table_text(words, view)
        assert table_text(words, rules.view(step.state, None))
        step = rules.resolve(step.state, answers) if answers else step


def tell_choices(words: Words, choices: Choices) -> None:
    """Put every choice into words, and why it is forbidden."""
    for text in (*choices.lines, *choices.missing):
        assert words.text(text)
    for group in choices.groups:
        assert words.say(f"group.{group.key}")
        for option in group.options:
            assert words.text(option.label)
            assert option.fault is None or words.fault(option.fault)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [(name, spec.key, value) for name, rules in RULESETS.items() for spec in rules.options for value in spec.values],
)
def test_every_choice_of_a_setup_has_a_name(name, key, value):
    for language in languages():
        catalogue = Catalogue.load(language)
        assert catalogue.say(f"option.{key}")
        assert catalogue.say(f"option.{key}.{value}")
        assert catalogue.say(f"game.{name}")


@pytest.mark.parametrize("term", GLOSSARY)
def test_things_are_called_as_in_the_games_hungarian_rules(term: str) -> None:
    english, hungarian = templates("en"), templates("hu")
    spoken = re.compile(rf"\b{term}s?\b", re.IGNORECASE)
    named = {key for key, text in english.items() if spoken.search(re.sub(r"\{[^}]*\}|\]\([^)]*\)", "", text))}
    assert named
    called = re.compile(GLOSSARY[term], re.IGNORECASE)
    assert {key for key in named if not called.search(hungarian[key])} == {
        key for key, word in OTHERWISE.items() if word == term
    }
