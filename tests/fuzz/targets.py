"""The doors that take what strangers write. A target is one try; it raises whatever should not have happened.

Nothing but a refusal may come out, and each refusal can be said in every language.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, cast
from unicodedata import category

import discord

from bot.cli.shell import fault_line, run_case
from bot.discord.ids import CustomId, parse_custom_id
from bot.discord.limits import MAX_CUSTOM_ID_CHARS
from bot.discord.messages import quoting
from bot.discord.messages.lessons import parse_draft
from bot.errors import Refusal
from bot.presenters import rules as rule_presenter
from bot.presenters.wording import refusal_text
from bot.record.bundle import pack_records
from bot.record.bundle import unpack_records as unzipped
from bot.record.export import (
    ExportedSeal,
    FinishedGame,
    RunningGame,
    VisibleStep,
    check_export,
    decode_export,
    encode_export,
    read_header,
    with_digest,
)
from bot.services import preferences
from bot.services.archive import ArchiveService
from bot.store import Store
from bot.store.models import pace
from bot.texts import durations, zones
from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.names import usable_name
from bot.texts.style import ZERO_WIDTH_SPACE
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.keepsakes import Keepsake
from rules.core.protocol import Choices, Draft, Setup
from rules.core.registry import RULESETS
from tests.cases.loader import cases
from tests.fuzz import mutate
from tests.samples import sample_answers

EXAMPLE: Final = Path(__file__).parents[2] / "docs" / "example.json"
WORDS: Final = tuple(Localizer(Catalogue.load(language), {0: "anna", 1: "bela"}) for language in languages())
NOW: Final = 1_767_232_800
SETUPS: Final = (
    Setup(system="matchbox", teams=(0, 1), options={"galleys": "2", "deployment": "sealed"}),
    Setup(system="matchbox", teams=(0, 1), options={"galleys": "1"}),
    Setup(
        system="matchbox", teams=(0, 1), position="900x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 4-4+4/4 @470,300^0"
    ),
    Setup(
        system="matchbox",
        teams=(0, 1),
        options={"points": "36", "vessels": "on", "crews": "kept", "boarding": "on", "deployment": "sealed"},
        scenario=RULESETS["matchbox"].example_scenario,
        keepsakes=((Keepsake(number=3, body='{"build":"8h","xp":9,"promotions":"r"}', name="Argo"),), ()),
    ),
    Setup(system="matchbox", teams=(0, 0, 1, 1), options={"scenario": "raid", "deployment": "ready"}),
    Setup(system="forts", teams=(0, 1)),
    Setup(system="ramspeed", teams=(0, 1)),
    Setup(system="ramspeed", teams=(0, 1), options={"scenario": "corvus", "mode": "asked"}),
    Setup(
        system="squadrons",
        teams=(0, 1),
        options={"battle": "100", "fleet": "crews", "deploy": "placed", "land": "isles"},
    ),
    Setup(system="squadrons", teams=(0, 1), options={"battle": "100", "strict": "both", "order": "squadron"}),
    Setup(system="campaign", teams=(0, 1), options={"map": "gulf"}),
)
MOMENTS: Final = 12  # how many moments of each game are asked about


def say(error: OrderError | Refusal) -> None:
    """Say a refusal in all languages."""
    for words in WORDS:
        refusal_text(words, error)


# --- cases ---------------------------------------------------------------------------------------------------------


@cache
def _cases() -> tuple[dict[str, Any], ...]:
    """Return all cases that `adjudicate` accepts as they are."""
    found = []
    for system in RULESETS:
        for case in cases(system):
            facts = {key: given for key, given in case.facts.items() if key not in ("title", "expect")}
            position = facts.get("position")
            if isinstance(position, list):
                facts["position"] = " ; ".join(position)
            if position:
                found.append({**facts, "ruleset": system})
        examples = Path("tests/cases") / system / "examples.jsonl"
        if examples.exists():
            found += [json.loads(line) for line in examples.read_text(encoding="utf-8").splitlines()[::2]]
    return tuple(found)


def adjudicate(rng: Random) -> None:
    try:
        run_case(mutate.broken(rng, rng.choice(_cases())))
    except OrderError as refused:
        fault_line(refused)
        say(refused)


# --- exports -------------------------------------------------------------------------------------------------------


@cache
def _papers() -> tuple[Any, ...]:
    """Return a finished game, and what the captain of its first seat may know of it before its last round."""
    finished = decode_export(EXAMPLE.read_bytes())
    assert isinstance(finished, FinishedGame)
    record = finished.record
    *past, present = record.steps
    own, *others = present.answers
    running = RunningGame(
        name=finished.name,
        locale=finished.locale,
        opened=finished.opened,
        captains=finished.captains,
        setup=record.setup,
        seed_commitment=record.seed_commitment,
        seat=0,
        steps=tuple(VisibleStep(answers=step.answers, events=step.events, at=step.at) for step in past),
        seals=tuple(ExportedSeal(request=one.request, seat=1, commitment=one.commitment) for one in others),
        own=(own,),
        drafts={},
        scheme=record.scheme,
        words=record.words,
        chain=finished.chain[:-1],
        notes=(),
    )
    return tuple(json.loads(encode_export(paper)) for paper in (finished, with_digest(running)))


def exports(rng: Random) -> None:
    """Check a game's changed file; most changed files have a digest that fits."""
    given = rng.choice(_papers())
    if rng.random() < 0.2 and "record" in given:
        given = _answered_twice(rng, given)
        data = json.dumps(given).encode()
    else:
        data = mutate.broken(rng, given).encode("utf-8", "surrogatepass")
    try:
        paper = decode_export(data)
        if rng.random() < 0.8:
            paper = with_digest(paper)
            data = encode_export(paper)
        read_header(data)
        flaw = check_export(data)
        for words in WORDS:
            if flaw:
                words.say(f"flaw.{flaw.what}", step=flaw.step, piece=flaw.piece)
        assert decode_export(encode_export(paper)) == paper
        if isinstance(paper, FinishedGame) and flaw is None:
            asyncio.run(_taken_in(paper))
    except OrderError as refused:
        say(refused)


def bundles(rng: Random) -> None:
    """Unzip a bundle of files, some of it changed."""
    data = bytearray(pack_records([(number, rng.randbytes(rng.randint(0, 99))) for number in range(rng.randint(0, 4))]))
    for _ in range(rng.randint(0, 3)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    try:
        unzipped(bytes(data[: rng.randint(1, len(data))] if rng.random() < 0.1 else data))
    except OrderError as refused:
        say(refused)


def _answered_twice(rng: Random, given: Any) -> Any:
    """Return a finished game with answers where they do not belong: twice, in other steps, among the unused."""
    given = copy.deepcopy(given)
    lists = [given["record"]["unused"], *(step["answers"] for step in given["record"]["steps"])]
    answers = [answer for answers_of_step in lists for answer in answers_of_step]
    into = given["record"]["unused"] if rng.random() < 0.7 else rng.choice(lists)
    for _ in range(rng.randint(1, 2)):
        into.insert(rng.randint(0, len(into)), rng.choice(answers))
    return given


async def _taken_in(paper: FinishedGame) -> None:
    """Import a record that holds, and check that its export is the same."""
    store = await Store.open("sqlite+aiosqlite:///:memory:")
    try:
        archive = ArchiveService(store)
        number, new = await archive.import_game(paper, guild_id=1, channel_id=1)
        assert new
        assert encode_export(await archive.export_finished(number)) == encode_export(paper)
    finally:
        await store.close()


# --- orders --------------------------------------------------------------------------------------------------------


@cache
def _moments() -> tuple[tuple[Any, Any, Any], ...]:
    """Return games, states and requests of many kinds, out of games that are played at random, always the same."""
    found = []
    for number, setup in enumerate(SETUPS):
        rules, rng = RULESETS[setup.system], Random(number)
        state = rules.start(setup, Dice(seed="0" * 64)).state
        for _ in range(MOMENTS):
            pending = rules.pending_requests(state)
            found += [(rules, state, request) for request in pending]
            waited = [request for request in pending if not request.optional]
            if not waited:
                break
            state = rules.resolve(
                state, {request.id: rng.choice(list(sample_answers(rules, state, request))) for request in waited}
            ).state
    return tuple(found)


def orders(rng: Random) -> None:
    """Read typed and drafted orders, show them, and write them as they were read."""
    rules, state, request = rng.choice(_moments())
    sample = rules.format_answer(request, rng.choice(list(sample_answers(rules, state, request))))
    typed = sample if rng.random() < 0.1 else mutate.text(rng, sample)
    draft = "" if rng.random() < 0.5 else mutate.text(rng, sample, most=2)
    with _refusing(rules.name):
        answer = rules.parse_answer(state, request, typed)
        assert rules.parse_answer(state, request, rules.format_answer(request, answer)) == answer
        assert rules.format_answer(
            request, rules.parse_answer(state, request, rules.format_answer(request, answer))
        ) == rules.format_answer(request, answer)
    texts = [draft, typed]
    with _refusing(rules.name):
        texts.append(rules.type_text(state, request, Draft(draft), typed).text)
    for text in texts:
        _say_choices(rules.name, rules.draft_choices(state, request, Draft(text)))
        rules.view(state, request.seat, Draft(text))


def _say_choices(system: str, choices: Choices) -> None:
    names = dict.fromkeys(range(26), "Anna")
    for words in (Localizer(Catalogue.load(language, system), names) for language in languages()):
        for option in (option for group in choices.groups for option in group.options):
            words.say_text(option.label)
            if option.fault:
                words.fault_text(option.fault)
        for text in (*choices.lines, *choices.missing_parts, *filter(None, [choices.progress])):
            words.say_text(text)


class _refusing(suppress):  # noqa: N801 - used as a function
    """Take a refusal as an answer, if it can be said: by a game, or by all."""

    def __init__(self, system: str = "") -> None:
        super().__init__(OrderError, Refusal)
        self._system = system

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if isinstance(error, OrderError | Refusal):
            error.system = error.system or self._system
            say(error)
        return bool(super().__exit__(kind, error, trace))


# --- custom ids ----------------------------------------------------------------------------------------------------

IDS: Final = (
    "wg/join/1/0//1",
    "wg/press/12/3/r1.orders.0/order.F",
    "wg/pick/1/2/r1.orders.0/galley",
    "wg/press/12/3.1/r1.orders.0/order.F",
    "wg/page/12/3.12/r1.orders.0/11",
    "wg/lesson_press/0/1.1/matchbox/order.F",
    "wg/rule/12/1.1//MB-5.8",
    "wg/take/7/0/r2.orders.1/0123456789abcdef0123456789abcdef",
)


def forged_id(rng: Random) -> str:
    return mutate.text(rng, rng.choice(IDS), most=3)[:MAX_CUSTOM_ID_CHARS]


def ids(rng: Random) -> None:
    """Check that a custom id is none of ours, or is written as it was read."""
    ref = parse_custom_id(forged_id(rng))
    if ref is not None:
        assert ref.token_as_number is None or 0 <= ref.token_as_number < 10**9
        assert max(ref.game, ref.version) < 10**9
        parse_draft([ref.token])
        with suppress(ValueError):
            assert parse_custom_id(ref.pack()) == ref
    token = mutate.text(rng, rng.choice(("1", "²", "12")))
    number = CustomId(verb="join", game=1, token=token).token_as_number
    assert number is None or (token.isascii() and token.isdecimal())


# --- options of commands -------------------------------------------------------------------------------------------

TYPED: Final = (
    "24h", "2d 12h", "90 min", "3 nap", "20:00", "20:00 weekdays Europe/Budapest", "48h weekdays", "22:00-07:00",
    "22-7", "2026-12-24 – 2027-01-02", "2026.1.5", "tomorrow", "holnap", "none", "Europe/Budapest", "new york", "UTC",
)  # fmt: skip


def options(rng: Random) -> None:
    """Read paces, lengths of time, quiet hours, absences and zones as they are typed into commands."""
    typed = rng.choice(TYPED)
    typed = typed if rng.random() < 0.1 else mutate.text(rng, typed, most=3)
    zone = rng.choice(zones.zone_names())
    with _refusing():
        found = pace.parse_pace(typed, zone)
        assert pace.parse_pace(pace.format_pace(found), zone) == found
        assert found.phase_end(NOW) > NOW
    with _refusing():
        length = durations.parse_duration(typed)
        assert durations.parse_duration(durations.format_duration(length)) == length
    with _refusing():
        preferences.means_none(typed)
        begin, end = preferences.parse_quiet_hours(typed)
        assert 0 <= begin < 1440
        assert 0 <= end < 1440
    with _refusing():
        since, until = preferences.parse_absence(typed, NOW, zone)
        assert NOW <= since < until
    with _refusing():
        zone = zones.find_zone(typed)
        assert zones.find_zone(zone) == zone
        assert abs(datetime.fromtimestamp(NOW, zones.time_zone(zone)).utcoffset() or timedelta()) < timedelta(days=1)
    for one in pace.suggest_paces(typed, zone, 25):
        pace.format_pace(one)
    zones.suggest_zones(typed, 25)
    durations.suggest_durations(typed, 86_400)


# --- rules ----------------------------------------------------------------------------------------------------------


def rulebook(rng: Random) -> None:
    """Look rules up by typed numbers, titles and words, and read those that are found or near."""
    language = rng.choice(languages())
    books = rule_presenter.all_books(language)
    rule = rng.choice(list(rng.choice(books).rules.values()))
    typed = rng.choice((rule.number, rule.number.lower(), rule.number[3:], rule.texts.title, rule.texts.paragraphs[0]))
    typed = mutate.text(rng, typed, most=3)
    lookup = rule_presenter.look_up_rule(language, typed, None)
    assert (lookup.rule is None) == (lookup.refusal is not None)
    if lookup.refusal:
        say(lookup.refusal)
    for found in (*filter(None, [lookup.rule]), *lookup.nearest, *rule_presenter.suggest_rules(language, typed, None)):
        assert rule_presenter.read_rule(language, found.number, None).description.number == found.number
    with _refusing():
        rule_presenter.read_rule(language, typed, None)


# --- names ---------------------------------------------------------------------------------------------------------

NAMES: Final = (
    "anna",
    "Kovács Béla",
    "*Eve* @everyone `x`",
    "<@123> ||s||",
    "[a](http://b.c)",
    "\u200b",
    "👩‍🚀",
    "{0}",
)


def names(rng: Random) -> None:
    """Check that a name shows something, and is said letter by letter."""
    name = usable_name(mutate.text(rng, rng.choice(NAMES)), mutate.text(rng, rng.choice(NAMES)))
    assert name.strip()
    assert len(name) <= 80
    assert not any(category(char) in ("Cc", "Cs") for char in name)
    for words in WORDS:
        said = Localizer(words.catalogue, {0: name, 1: "bela"}).say(
            "thread.reveal_line", who=0, text=name, hash="0", nonce="0"
        )
        assert "@" not in said.replace("@\u200b", "").replace("@\u2060", ""), said
        assert "\n" not in said


# --- what is typed, and stands in a message -------------------------------------------------------------------------


def quotes(rng: Random) -> None:
    """Check that a text in a message of ours is read as it was typed, or not at all."""
    typed = mutate.text(rng, rng.choice(("A1 FFXRX; A2 `FF`", "```\nA1\n```", "#12 A1 FF\ncélzás: kérdezz")), most=4)
    message = _Saying([discord.TextDisplay({"type": 10, "id": 1, "content": quoting.quote_text(typed)})])
    if ZERO_WIDTH_SPACE not in typed:
        assert quoting.quoted_text(cast("discord.Message", message)) == typed


class _Saying(NamedTuple):
    components: list[Any]


# --- scenarios of hosts --------------------------------------------------------------------------------------------


def scenarios(rng: Random) -> None:
    """Read a host's own scenario, as a file or as text."""
    system = rng.choice([name for name, rules in RULESETS.items() if rules.accepts_scenario])
    given = rng.choice(_scenarios(system))
    lines = given.splitlines()
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        lines[at] = mutate.text(rng, lines[at], most=2)
    with _refusing(system):
        RULESETS[system].start(Setup(system=system, teams=(0, 1), scenario="\n".join(lines)), Dice(seed="0" * 64))


@cache
def _scenarios(system: str) -> tuple[str, ...]:
    """Return the game's scenarios, or else the one that hosts can start from."""
    brought = sorted(Path("rules", system, "engine", "data", "scenarios").glob("*.toml"))
    return tuple(path.read_text("utf-8") for path in brought) or (RULESETS[system].example_scenario,)


TARGETS: Final[dict[str, Callable[[Random], None]]] = {
    "adjudicate": adjudicate,
    "exports": exports,
    "bundles": bundles,
    "orders": orders,
    "ids": ids,
    "options": options,
    "names": names,
    "quotes": quotes,
    "scenarios": scenarios,
    "rulebook": rulebook,
}
