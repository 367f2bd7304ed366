"""The commands as the bot describes them to Discord: within its limits, and named in every language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest

from bot.texts.i18n import COMMAND_MARK, Catalogue, languages
from bot.texts.whole import all_templates
from rules.core.registry import RULESETS
from tests.english import PAGES, ROOT, modules
from tests.sea import Sea

TYPED, OF_A_PERSON, OF_A_MESSAGE = 1, 2, 3
"""Discord's numbers for kinds of commands."""
CHILDREN_MOST = 25
CHARACTERS_MOST = 8000
"""Of all names, descriptions and values of one command, each in the language in which it is longest."""
GALLEY_CHILDREN_MOST, GALLEY_CHARACTERS_MOST = 19, 5500
"""Of `/galley`: what is left is room for the next languages, options and commands."""
NAME = re.compile(r"[-_'\w]{1,32}")
"""Discord's pattern for names of commands and options; besides, they must be in lower case."""
DESCRIPTION_MOST = 100
GROUPS = (1, 2)
"""Option types that are subcommands and groups of them."""
MENTION = re.compile(r"(?<![\w./{@])/(galley(?:-\w+)?)\b(?!\.\w)((?: [a-z]+)*)")
"""A command as pages and modules write it; no path such as `/galley.svg`."""
OTHERS = [language for language in languages() if language != "en"]

Spec = dict[str, Any]


@pytest.fixture
async def commands(sea: Sea) -> list[Spec]:
    return [spec for spec in told(sea) if spec["type"] == TYPED]


def told(sea: Sea) -> list[Spec]:
    (call,) = (call for call in sea.env.http_requests if call.method == "PUT" and call.path.endswith("/commands"))
    return call.json


def children(spec: Spec) -> list[Spec]:
    return spec.get("options") or []


def walk(specs: list[Spec], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Spec]]:
    for spec in specs:
        here = (*path, spec["name"])
        yield here, spec
        yield from walk(children(spec), here)


def said(spec: Spec, key: str, language: str) -> str:
    return (spec.get(f"{key}_localizations") or {}).get(language, spec[key])


def length(spec: Spec) -> int:
    texts = [
        [spec.get(key) or "", *(spec.get(f"{key}_localizations") or {}).values()] for key in ("name", "description")
    ]
    own = sum(max(map(len, text)) for text in texts) + len(str(spec.get("value", "")))
    return own + sum(map(length, [*children(spec), *(spec.get("choices") or [])]))


async def test_every_name_is_one_that_discord_takes(commands: list[Spec]) -> None:
    for path, spec in walk(commands):
        for language in languages():
            name = said(spec, "name", language)
            assert NAME.fullmatch(name), path
            assert name == name.lower(), path
            assert 1 <= len(said(spec, "description", language)) <= DESCRIPTION_MOST, path
        for choice in spec.get("choices") or []:
            assert all(1 <= len(said(choice, "name", language)) <= 100 for language in languages()), path
            assert 1 <= len(str(choice["value"])) <= 100, path


async def test_nothing_is_named_twice_in_one_place(commands: list[Spec]) -> None:
    for path, spec in [((), {"options": commands}), *walk(commands)]:
        for language in languages():
            names = Counter(said(child, "name", language) for child in children(spec))
            assert not [name for name, times in names.items() if times > 1], (path, language)
            counts = Counter(said(choice, "name", language) for choice in spec.get("choices") or [])
            assert not [name for name, times in counts.items() if times > 1], (path, language)


async def test_no_command_is_greater_than_discord_takes(commands: list[Spec]) -> None:
    for path, spec in walk(commands):
        assert len(children(spec)) <= CHILDREN_MOST, path
        assert len(spec.get("choices") or []) <= CHILDREN_MOST, path
        required = [bool(child.get("required")) for child in children(spec)]
        assert required == sorted(required, reverse=True), path
    for spec in commands:
        assert length(spec) <= CHARACTERS_MOST, spec["name"]
    (galley,) = (spec for spec in commands if spec["name"] == "galley")
    assert len(children(galley)) <= GALLEY_CHILDREN_MOST
    assert length(galley) <= GALLEY_CHARACTERS_MOST


async def test_commands_are_for_servers_and_the_bots_direct_messages(sea: Sea) -> None:
    specs = told(sea)
    assert {spec["type"] for spec in specs} == {TYPED, OF_A_PERSON, OF_A_MESSAGE}
    for spec in specs:
        assert spec["integration_types"] == [0], spec["name"]  # a server's, not a user's own
        assert sorted(spec["contexts"]) == [0, 1], spec["name"]
        assert spec["default_member_permissions"] is None, "a game's host is often no manager"


@pytest.mark.parametrize("language", OTHERS)
async def test_commands_and_options_have_names_of_their_own(commands: list[Spec], language: str) -> None:
    """English names are what the code calls them; the others come from the catalogues."""
    texts = Catalogue.load(language).messages
    english = Catalogue.load("en").messages
    wanted = {(english[key], text) for key, text in texts.items() if key.startswith("param_name.")}
    for path, spec in walk(commands):
        if spec.get("type", 1) in GROUPS:
            key = ".".join(("command_name", *("host" if name == "galley-host" else name for name in path)))
            key = key.replace(".galley.", ".")
            assert said(spec, "name", language) == texts[key], path
            assert Catalogue.load("en").messages[key] == path[-1]
        else:
            assert (path[-1], said(spec, "name", language)) in wanted, path


def commands_in(template: str) -> set[str]:
    names = (name for _, name, _, _ in Formatter().parse(template) if name and name.startswith(COMMAND_MARK))
    return {name.removeprefix(COMMAND_MARK) for name in names}


@pytest.mark.parametrize("language", languages())
async def test_texts_mention_the_same_commands_in_every_language(commands: list[Spec], language: str) -> None:
    typed = {" ".join(path) for path, spec in walk(commands) if _is_typed(spec)}
    mentioned = 0
    for system in ("", *RULESETS):
        english = all_templates(Catalogue.load("en", system))
        for key, text in all_templates(Catalogue.load(language, system)).items():
            named = commands_in(text)
            assert named <= typed, key
            assert named == commands_in(english.get(key, english.get(re.sub(r"\[\d+\]$", "[0]", key), ""))), key
            mentioned += len(named)
    assert mentioned > 10


async def test_pages_and_modules_name_commands_that_exist(commands: list[Spec]) -> None:
    """A sentence may go on after the name of a command, but not after that of a group."""
    lost, mentioned = [], 0
    for path in [*PAGES, *modules("bot"), *modules("rules"), *modules("render"), *sorted((ROOT / "bot").rglob("*.js"))]:
        for root, rest in MENTION.findall(path.read_text("utf-8")):
            mentioned += 1
            if not _names_a_command(commands, [root, *rest.split()]):
                lost.append(f"{path.relative_to(ROOT)}: /{root}{rest}")
    assert lost == []
    assert mentioned > 50


async def test_the_ten_commands_of_the_readme_stand_in_galley(commands: list[Spec]) -> None:
    (galley,) = (spec for spec in commands if spec["name"] == "galley")
    _, _, after = (ROOT / "README.md").read_text("utf-8").partition("\n## Ten commands\n")
    table, _, _ = after.partition("[All commands]")
    named = set(re.findall(r"\| `([a-z]+)` \|", table))
    assert len(named) == 10
    assert named <= {child["name"] for child in children(galley) if not children(child) or _is_typed(child)}


def _names_a_command(specs: list[Spec], words: list[str]) -> bool:
    """Return whether words begin with the name of a command, or are a group's, whose commands are in a list."""
    inner = [spec for spec in specs if spec.get("type", TYPED) in GROUPS]
    if not inner or not words:
        return True
    return any(spec["name"] == words[0] and _names_a_command(children(spec), words[1:]) for spec in inner)


@pytest.mark.parametrize("language", languages())
async def test_the_guide_of_the_sandbox_names_commands_as_its_reader_does(commands: list[Spec], language: str) -> None:
    """All other texts leave it to their style."""
    named = {said(root, "name", known): root for root in commands for known in languages()}
    roots = dict(sorted(named.items(), reverse=True))  # the longer of two that begin alike comes first
    mentioned = 0
    for key, text in Catalogue.load(language).messages.items():
        for mention in re.finditer(rf"(?<!{{)/({'|'.join(roots)})((?: [-\w]+)*)", text):
            assert key.startswith("sandbox."), key
            root, rest = roots[mention[1]], mention[2].split()
            assert said(root, "name", language) == mention[1], f"{key}: {mention[0]}"
            assert rest, f"{key}: {mention[0]}"
            _follow(root, rest, language, key)
            mentioned += 1
    assert mentioned > 2


def _is_typed(spec: Spec) -> bool:
    return spec.get("type", TYPED) == TYPED and not any(child["type"] in GROUPS for child in children(spec))


def _follow(spec: Spec, names: list[str], language: str, key: str) -> None:
    """Go from a group to the command that is meant; a sentence may go on after its name."""
    inner = [child for child in children(spec) if child["type"] in GROUPS]
    if inner:
        named = {said(child, "name", language): child for child in inner}
        assert names, f"{key}: {spec['name']} is not whole"
        assert names[0] in named, f"{key}: {names[0]} is none of {sorted(named)}"
        _follow(named[names[0]], names[1:], language, key)
