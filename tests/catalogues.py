"""Laws for the texts of a game, and for those that all games share: functions of a game's name.

Each returns what is wrong; nothing if all is well. `""` stands for the words that all share. `tests/test_catalogues.py`
runs them for every game of the house; a game that lives elsewhere, once it is in `RULESETS` and `PAINTERS`, is tried by
`for law in LAWS: assert not law("its name")`.
"""

import ast
import re
import sys
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter

import msgspec

from bot.loading import without_garbage_collection
from bot.presenters.lobby import name_value
from bot.texts import hungarian
from bot.texts.i18n import Catalogue, FieldSpec, Localizer, languages, languages_of
from bot.texts.labels import MAX_LABEL_CHARS, MAX_NOTE_CHARS, split_label
from bot.texts.style import PLAIN_STYLE
from bot.texts.whole import all_templates, declared_keys, event_types, example_events, fields_of, missing_words
from render.registry import PAINTERS
from rules.core.registry import RULESETS

ROOT = Path(__file__).parents[1]
FORMATS = {"", "name", "giver", "letters", "mm", "gap", "in", "relative", "time", "date", "clock"}
FORMATS |= {"tenths", "degrees", "signed", "change", "plus", "percent"}
"""Specs that are neither terms nor counted nouns."""
PAGES = {".js", ".html"}
PREFIXES = {"because", "event", "headline", "command", "command_name", "param", "param_name", "permission", "sandbox"}
"""Keys whose beginning stands in no f-string: they are found by an event's type, or by a name that Discord gives."""
KEY_PARAMS = {
    "Gauge": ("key", 0, "gauge"),
    **dict.fromkeys(("Group", "button_row", "select_menu", "single_choice"), ("key", 0, "group")),
    "Request": ("kind", None, "request"),
    "ask_each": ("kind", 1, "request"),
}  # values of the rules that are found in the catalogue: the parameter, its position and the prefix
COMPLETED_BY = {"brief_text"}  # functions that say a sentence of their first argument, or one of it with an ending
LENGTHS = {
    r"(command|param)\..+": 100,
    r"(command|param)_name\..+": 32,
    r"panel\.type_(title|label)": 45,
    r"panel\.type_hint": 100,
    r"panel\.select_hint|group\..+": MAX_LABEL_CHARS,
}  # what Discord allows
DOERS = ("galley", "ship", "by", "foe", "who", "to", "n")
"""Fields that name somebody who does something: what follows is no noun. And the number of a counted noun itself."""
NO_KEYS = {
    *("host.pause", "host.resume", "host.extend", "host.replace", "host.kick", "host.resolve", "host.undo", "host.end"),
    *("host.repost", "host.log", "host.settings", "host.start", "host.cancel", "turn.left", "turn.right", "stock.last"),
    *("order.clear", "order.ZZ", "order.rest", "order.again", "order.all", "all.close", "all.ahead", "all.standing"),
    *("all.keep", "all.forget", "unit.up", "unit.back", "fire.hit", "fleet.clear", "line.back", "line.next", "line.or"),
    *("line.up", "scenario.score", "games.id", "game.json", "games.sqlite", "card.webp", "example.toml"),
    *(
        "captain.html",
        "game.html",
        "host.page",
        "ladder.html",
        "missing.html",
        "record.json",
        "step.html",
        "page.css",
        "page.js",
    ),
}
"""Commands, tokens of options, columns and files, which look like keys of texts."""
AVERAGES = {"choice.aim.steady", "choice.aim.safe", "choice.aim.point"}  # sentences of numbers that are no counts
SAME = {
    "button.film",
    "page.film",
    "page.drawn.short",
    "command_name.film",
    "sandbox.app",
    "sandbox.size",
    "game.short",
    "craft.GA",
}
SAME |= {f"place.{name}" for name in ("east.ALX", "east.PAT", "gulf.BEL", "gulf.MEG", "gulf.MTH", "ring.U4")}
"""Messages that read alike in both languages: films, Discord's badge, a unit, names of games, a galleon and places."""


def specs(template: str) -> set[tuple[str, str]]:
    return {(name.split(".")[0], spec or "") for _, name, spec, _ in Formatter().parse(template) if name is not None}


def anchor(system: str) -> str:
    return RULESETS[system].data_package if system else "data.shared"


@cache
def source(language: str, system: str) -> str:
    return (files(anchor(system)) / f"{language}.po").read_text(encoding="utf-8")


def written(system: str) -> tuple[str, ...]:
    """Return the languages in which a game must have all its words: those of the house, or those that an outside game
    has."""
    elsewhere = system and not type(RULESETS[system]).__module__.startswith("rules.")
    return languages_of(system) if elsewhere else languages()


def own_keys(language: str, system: str) -> list[str]:
    return re.findall(r'^msgid "(.+)"$', source(language, system), re.MULTILINE)


@cache
def own(language: str, system: str) -> dict[str, str]:
    keys = set(own_keys(language, system))
    every = all_templates(Catalogue.load(language, system))
    return {key: text for key, text in every.items() if re.sub(r"\[\d+\]$", "", key) in keys}


# --- the code ----------------------------------------------------------------------------------------------------


class Asked(msgspec.Struct, frozen=True):
    where: str
    key: str
    given: frozenset[str] | None  # none if they are not written out


def room_of(made: object) -> Path:
    return Path(str(sys.modules[made.__module__].__file__)).parent


WORDED = (ast.Constant, ast.Call, ast.JoinedStr, ast.arg, ast.keyword, ast.FunctionDef, ast.AsyncFunctionDef)
WORDED += (ast.Module, ast.ClassDef)
"""Nodes of a module that may have to do with texts: a fourth of it."""


class Module(msgspec.Struct, frozen=True):
    """The parts of a module that have to do with texts, so that its tree need not be kept."""

    path: str
    calls: tuple[ast.Call, ...]  # those that may name a text, or the code of a fault
    makers: dict[str, int]  # functions and classes that take the code of a fault: the position of that parameter
    words: frozenset[str]  # every text and name
    begun: frozenset[str]  # the beginnings of keys that it completes
    keys: frozenset[str]  # texts that look like keys, also where they are assigned to a variable


@cache
def read(path: Path) -> Module:
    calls, makers, words, begun = list[ast.Call](), dict[str, int](), set[str](), set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, WORDED):
            continue
        match node:
            case ast.Constant(value=str(word)):
                words.update((word, word.rstrip(".")))
            case ast.Call():
                calls += [node] if names_text(node) else []
                if callee(node) in COMPLETED_BY and (key := literal(node, "key", 0)):
                    begun.add(f"{key}.")
            case ast.JoinedStr(values=[ast.Constant(value=word), *_]):
                begun.add(str(word))
            case ast.arg(arg=word) | ast.keyword(arg=str(word)):
                words.add(word)
            case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word):
                words.add(word)
            case ast.Module() | ast.ClassDef():
                makers |= fault_makers(node)
    keys = frozenset(filter(re.compile(r"[a-z_]+(\.[\w-]+)+").fullmatch, words))
    return Module(str(path), tuple(calls), makers, frozenset(words), frozenset(begun), keys)


@cache
def code(system: str) -> tuple[Module, ...]:
    rooms = {name: [room_of(type(rules)), room_of(PAINTERS[rules.view_type].paint)] for name, rules in RULESETS.items()}
    if system:
        paths = [path for room in rooms[system] for path in room.rglob("*.py")]
    else:
        # A game has a folder in data, also one that is being built and cannot be played yet.
        theirs = [room for some in rooms.values() for room in some]
        names = [path.name for path in (ROOT / "data").iterdir() if path.is_dir() and path.name != "shared"]
        theirs += [ROOT / room / name for room in ("rules", "render") for name in names]
        every = (path for room in ("bot", "render", "rules") for path in (ROOT / room).rglob("*.py"))
        paths = [path for path in every if not any(path.is_relative_to(room) for room in theirs)]
    with without_garbage_collection():  # trees are large, and have no circles
        return tuple(read(path) for path in sorted(paths))


def callee(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def literal(call: ast.Call, keyword: str, position: int | None) -> str | None:
    """Return a parameter's text, if it is written out."""
    named = [each.value for each in call.keywords if each.arg == keyword]
    placed = [] if position is None else call.args[position : position + 1]
    match [*named, *placed]:
        case [ast.Constant(value=str(text))]:
            return text
    return None


def given(call: ast.Call, *more: str) -> frozenset[str] | None:
    keywords = [keyword.arg for keyword in call.keywords]
    return None if None in keywords else frozenset({*filter(None, keywords), *more})


def names_text(call: ast.Call) -> bool:
    """Return if a call has a written-out text: without one it names no sentence."""
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(isinstance(argument, ast.IfExp | ast.Constant) for argument in arguments)


def fault_makers(scope: ast.Module | ast.ClassDef) -> dict[str, int]:
    """Return functions and classes that take the code of a fault, with the position of that parameter."""
    makers = {}
    for function in scope.body:
        if isinstance(function, ast.FunctionDef):
            parameters = [p.arg for p in function.args.args if p.arg not in ("self", "cls")]
            if "code" in parameters:
                name = scope.name if isinstance(scope, ast.ClassDef) and function.name == "__init__" else function.name
                makers[name] = parameters.index("code")
    return makers


@cache
def asked(system: str) -> tuple[Asked, ...]:
    uses = []
    makers = dict(maker for module in (*code(""), *code(system)) for maker in module.makers.items())
    for module in code(system):
        for call in module.calls:
            name, where = callee(call), f"{module.path}:{call.lineno}"
            match name:
                case "say" | "say_text" | "answer_with_sentence" | "count_noun":
                    values = given(call, *(["n"] if name == "count_noun" else []))
                    uses += [Asked(where, key, values) for key in keys_among(call.args)]
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
                uses.append(Asked(where, key, values))
    return tuple(uses)


def keys_among(args: list[ast.expr]) -> list[str]:
    """Return the keys that are written out, also in a conditional expression."""
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
def vocabulary(system: str) -> frozenset[str]:
    tables = {path for name in [system] if name for path in room_of(type(RULESETS[name])).rglob("*.toml")}
    words = [re.findall(r"\w+", path.read_text(encoding="utf-8")) for path in tables]
    return frozenset(paged().union(*words, *(module.words for module in heard(system))))


@cache
def paged() -> frozenset[str]:
    page = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("bot/**/*.*") if path.suffix in PAGES)
    return frozenset({*re.findall(r"[\w.]+", page), *re.findall(r"\w+", page)})


def heard(system: str) -> tuple[Module, ...]:
    """Return the code that may use a sentence of a game; without a game, all code."""
    games = [system] if system else list(RULESETS)
    return (*code(""), *(each for name in games for each in code(name)))


@cache
def patterns(system: str) -> frozenset[str]:
    begun = {f"{prefix}." for prefix in PREFIXES}
    begun |= {f"{spec}." for spec in specs_said(system) if spec not in FORMATS}
    begun = begun.union(*(module.begun for module in heard(system)))
    return frozenset(key for key in begun if re.fullmatch(r"[a-z_]+\.([a-z_]+\.)*", key))


def specs_said(system: str) -> set[str]:
    games = [system] if system else ["", *RULESETS]
    texts = (text for name in games for text in all_templates(Catalogue.load("en", name)).values())
    return {spec for text in texts for _, spec in specs(text)}


# --- the laws ----------------------------------------------------------------------------------------------------


def no_message_stands_twice(system):
    return [
        (language, key)
        for language in written(system)
        for key, times in Counter(own_keys(language, system)).items()
        if times > 1
    ]


def every_language_says_the_same(system):
    """Every language has the same keys with the same fields, and no empty text."""
    english = own(written(system)[0], system)
    texts = {language: own(language, system) for language in written(system)}
    return [
        (language, key)
        for language, said in texts.items()
        for key in said.keys() | english.keys()
        if not said.get(key, "").strip() or fields_of(said[key]) != fields_of(english.get(key, ""))
    ]


def every_message_is_translated(system):
    if "hu" not in written(system):
        return []
    hungarian = own("hu", system)
    same = {key: text for key, text in own("en", system).items() if hungarian.get(key) == text and key not in SAME}
    return [key for key, text in same.items() if re.search(r"[^\W\d_]", re.sub(r"\{[^}]*\}", "", text))]


def every_spec_means_something(system):
    """Each format in a text is one that the game or the shared texts define; in shared texts, that any game defines."""
    faults = []
    for language in languages():
        known = set(FORMATS)
        for name in [system] if system else ["", *RULESETS]:
            catalogue = Catalogue.load(language, name)
            known |= {key[: dot.start()] for key in catalogue.messages for dot in re.finditer(r"\.", key)}
            known |= catalogue.plurals.keys()
        texts = all_templates(Catalogue.load(language, system)).items()
        endings = hungarian.ENDINGS if language == hungarian.LANGUAGE else frozenset[str]()
        for key, text in texts:
            for _, spec in specs(text):
                kind, ended, article = FieldSpec.parse(spec)
                if kind not in known or not endings.issuperset(ended) or (article and not endings):
                    faults.append((language, key, spec))
    return faults


def the_unit_is_written_once(system):
    texts = [(language, own(language, system)) for language in written(system)]
    return [(language, key) for language, said in texts for key, text in said.items() if re.search(r":mm\}\s*mm", text)]


def what_is_counted_has_its_plural(system):
    """No English sentence says "1 oars": what can be counted stands in a sentence by its unit."""
    forms = [forms[-1] for forms in Catalogue.load("en", system).plurals.values()]
    nouns = {word for form in forms for word in re.findall(r"\b[a-z]+s\b", form)}
    bare = re.compile(rf"\{{(?!(?:{'|'.join(DOERS)})\}})\w+\}} ({'|'.join(sorted(nouns))})\b")
    texts = own("en", system).items()
    return [(key, match[0]) for key, text in texts if key not in AVERAGES and (match := bare.search(text))]


def what_happens_to_a_taken_piece_reads_well(system):
    """A taken ship is called "A2 (now Anna's)", after which no other "'s" can stand."""
    texts = own("en", system).items()
    prefixes = ("event.", "because.", "headline.", "clause.")
    return [key for key, text in texts if key.startswith(prefixes) and re.search(r"\{\w+\}['’]s\b", text)]


def messages_fit_where_discord_shows_them(system):
    return [
        (language, key, len(text))
        for pattern, most in LENGTHS.items()
        for language in written(system)
        for key, text in own(language, system).items()
        if re.fullmatch(pattern, key) and len(text) > most
    ]


def a_phone_shows_what_is_pressed_and_chosen(system):
    """Buttons, and options with each value, have at most `MAX_LABEL_CHARS` characters, notes `MAX_NOTE_CHARS`."""
    faults = []
    for language in written(system):
        words = Localizer(Catalogue.load(language, system), {0: "W" * 32}, style=PLAIN_STYLE)
        name = max((str(Catalogue.load(language, each).say("game")) for each in RULESETS), key=len)
        options = [
            (Catalogue.load(language, each), key) for each, rules in RULESETS.items() for key in rules.chart_options
        ]
        charted = max((str(texts.say(f"option.{key}")) for texts, key in options), key=len)
        values = {"game": name, "team": "1", "n": 7, "number": 12, "ship": "BB", "option": charted, "rule": "MB-99.99"}
        for key in (key for key in own(language, system) if key.startswith("button.")):
            said = words.say(key, **values)
            faults += [(language, key, said, len(said))] if len(said) > MAX_LABEL_CHARS else []
        for rules in games(system) if system else []:
            for spec in rules.options:
                title = words.say(f"option.{spec.key}")
                for value in spec.values:
                    label, rest = split_label(f"{title}: {name_value(words, spec.key, value).name}")
                    if len(label) > MAX_LABEL_CHARS or label == title or len(rest) > MAX_NOTE_CHARS:
                        faults.append((language, spec.key, label, len(label)))
    return faults


def every_message_that_the_code_names_is_there(system):
    has = Catalogue.load("en", system).has
    anywhere = [Catalogue.load("en", name).has for name in ("", *RULESETS)]
    wanted = list(asked(system))
    if system:
        wanted += [use for use in asked("") if not Catalogue.load("en").has(use.key)]
        return sorted({f"{use.key} ({use.where})" for use in wanted if not has(use.key)})
    return sorted({f"{use.key} ({use.where})" for use in wanted if not any(there(use.key) for there in anywhere)})


def every_key_that_the_code_writes_is_there(system):
    """A text that looks like a key is one or begins one, also in a variable. `NO_KEYS` lists what only looks so."""
    catalogues = [Catalogue.load("en", name) for name in {system, *([] if system else RULESETS)}]
    known = {key for catalogue in catalogues for key in (*all_templates(catalogue), *catalogue.plurals)}
    beginnings = {key[: dot.start()] for key in known for dot in re.finditer(r"\.", key)}
    roots = {key.split(".")[0] for key in known}
    return sorted(
        f"{key} ({module.path})"
        for module in code(system)
        for key in module.keys - known - beginnings - NO_KEYS
        if key.split(".")[0] in roots
    )


def the_code_gives_every_value_that_a_message_needs(system):
    texts = all_templates(Catalogue.load("en", system))
    return [
        f"{use.key} ({use.where}): {fields_of(texts[use.key]) - use.given}"
        for use in {*asked(system), *asked("")}
        if use.given is not None and use.key in texts and not fields_of(texts[use.key]) <= use.given
    ]


def every_message_is_used(system):
    known = vocabulary(system) | {use.key for name in {system, ""} for use in asked(name)} | specs_said(system)
    known |= {key for rules in games(system) for key in declared_keys(rules)} | {"letters"}
    known |= {f"option.{spec.key}.means" for rules in games(system) for spec in rules.options}
    known |= {f"request.{kind}.key" for rules in games(system) for kind in rules.questions}
    known |= {f"request.{kind}.more" for rules in games(system) for kind in rules.questions}
    known |= {f"{key}.caption" for key in known if key.startswith("phase.")}
    parts = known | {kind.cls.__name__ for rules in games(system) for kind in event_types(rules)}
    unused = []
    for own_key in own_keys("en", system):
        # What is said to who has lost alone, or of another captain's orders, in place of what else is read.
        key = own_key.removesuffix(".yours").removesuffix(".logged")
        dots = [dot.end() for dot in re.finditer(r"\.", key)]
        rests = [key[dot:] for dot in dots if key[:dot] in patterns(system)]
        completed = any(all(part in parts or numbered(part, known) for part in rest.split(".")) for rest in rests)
        brief = key.removesuffix(".brief") in known or key.removesuffix(".note") in known
        if key not in known and not brief and not completed and not any(rest in known for rest in rests):
            unused.append(own_key)
    return unused


def numbered(part: str, known: frozenset[str]) -> bool:
    """Return if a part of a key is a number, or a known word with a number after it, such as a place of a sector."""
    return part.isdigit() or part.rstrip("0123456789") in known


def games(system):
    return [RULESETS[system]] if system else list(RULESETS.values())


def no_sentence_is_kept_for_an_event_that_cannot_happen(system):
    possible = {
        ".".join(filter(None, (f"event.{kind.cls.__name__}", event.variant)))
        for rules in ([RULESETS[system]] if system else [])
        for kind in event_types(rules)
        for event in example_events(kind)
    }
    keys = [key for key in own("en", system) if re.match(r"(event|headline|because)\.(?!quiet|waits)", key)]
    return [key for key in keys if re.sub("^(headline|because)", "event", key) not in possible]


def what_is_asked_has_a_short_name_of_its_own(system):
    """The short name stands where several questions are named at once, so it speaks of no ship or captain."""
    texts = own("en", system).items()
    return [key for key, text in texts if re.fullmatch(r"request\.\w+\.short", key) and fields_of(text)]


def a_game_lacks_no_words(system):
    """Runs the bot's own check at start-up."""
    return missing_words(system) if system else ()


LAWS = (
    no_message_stands_twice,
    every_language_says_the_same,
    every_message_is_translated,
    every_spec_means_something,
    the_unit_is_written_once,
    what_is_counted_has_its_plural,
    what_happens_to_a_taken_piece_reads_well,
    messages_fit_where_discord_shows_them,
    a_phone_shows_what_is_pressed_and_chosen,
    every_message_that_the_code_names_is_there,
    every_key_that_the_code_writes_is_there,
    the_code_gives_every_value_that_a_message_needs,
    every_message_is_used,
    no_sentence_is_kept_for_an_event_that_cannot_happen,
    what_is_asked_has_a_short_name_of_its_own,
    a_game_lacks_no_words,
)
