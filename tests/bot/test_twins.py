"""Twin games that differ only in what one captain does in secret: to everybody else they are one and the same."""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from discord import app_commands

from bot.jobs import stored
from bot.jobs.workers import Workers
from bot.lifecycle.people import posting
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from tests.bot.captains import by_typing, in_words, play, wanted
from tests.bot.pages import archive_files, page_answers, page_files
from tests.bot.rows import must_act
from tests.bot.test_keepsakes import given
from tests.laws import options
from tests.laws.length import LONG, times
from tests.samples import sample_answers
from tests.sea import ABEAM, AFAR, Sea, parts, refs
from tests.wire import Tape

Twin = Callable[[Sea, Any], Awaitable[None]]  # acts in secret for the captain under test


async def does_nothing(_sea: Sea, _who: Any) -> None:
    return None


class Case(NamedTuple):
    """A moment at which a captain has a secret, and ways to have it."""

    system: str
    begin: Callable[[Sea], Awaitable[Any]]  # plays until the moment; whose secret it is
    twins: tuple[Twin, ...]
    after: Twin = does_nothing  # acts before the secret is revealed


# --- what is done in secret ----------------------------------------------------------------------------------------


def seals(*drafts: str) -> Twin:
    """Types drafts one after the other, and seals the last."""

    async def twin(sea: Sea, who: Any) -> None:
        for draft in filter(None, drafts):  # an answer of no words is there already
            await sea.write(who, draft)
        await sea.press(who, sea.panel(who), "seal")

    return twin


def seals_sample(index: int) -> Twin:
    """Seals one of the answers that the game itself names as samples."""

    async def twin(sea: Sea, who: Any) -> None:
        pending = await sea.asked(who)
        assert pending is not None
        samples = _samples(pending)
        assert len(samples) > 1
        await seals(samples[index])(sea, who)

    return twin


def both(*twins: Twin) -> Twin:
    async def twin(sea: Sea, who: Any) -> None:
        for each in twins:
            await each(sea, who)

    return twin


async def unseals(sea: Sea, who: Any) -> None:
    await sea.press(who, sea.panel(who), "unseal")


async def fumbles(sea: Sea, who: Any) -> None:
    for _ in range(3):
        panel = sea.panel(who)
        key = next((key for key in refs(panel) if key.startswith("press ") and key != "press end"), None)
        if key and not key.startswith(("press steady", "press safe", "press flagship")):
            await sea.press(who, panel, key)
    if "type" in refs(sea.panel(who)):  # where there is little to choose from, nothing is typed
        await sea.open_form(who, sea.panel(who))
        await sea.env.settle()
    await asks_around(sea, who)


async def asks_around(sea: Sea, who: Any) -> None:
    await sea.write(who, "A1 what was it again")
    for command in ("orders", "status", "table", "log", "export", "verify", "games", "help"):
        await sea.command(who, command, **({} if command in ("games", "help") else {"game": "1"}))


# --- the moments ---------------------------------------------------------------------------------------------------


async def orders(sea: Sea) -> Any:
    await sea.begin_at(AFAR, sea.bela)
    return sea.anna


async def placing(sea: Sea) -> Any:
    await sea.begin(sea.bela, galleys="1", table="coffee", deployment="sealed")
    return sea.anna


async def fleets(sea: Sea, crews: str = "on") -> Any:
    await sea.command(sea.anna, "new", galleys="1", table="coffee")
    for key, value in (("points", "36"), ("vessels", "on"), ("crews", crews)):
        await sea.choose(sea.anna, key, value)
    await sea.command(sea.bela, "join")
    if crews == "kept":
        for who in (sea.anna, sea.bela):
            given(sea, who, 1, "Argo", xp=4)
            given(sea, who, 2, "Argo", build="8h", xp=9, promotions="r")
    await sea.command(sea.anna, "start")
    return sea.anna


async def own_crews(sea: Sea) -> Any:
    return await fleets(sea, "kept")


async def decisions(sea: Sea) -> Any:
    await sea.begin_at(ABEAM, sea.bela)
    await _ordered(sea, "A1 XLFFF; aim ask", "B1 XRFFF; aim ask")
    both_pending = [await sea.asked(who) for who in (sea.anna, sea.bela)]
    assert all(pending and pending.row.body.kind == "aim" for pending in both_pending)
    return sea.anna


async def grapples(sea: Sea) -> Any:
    await sea.begin_at(IN_A_ROW, sea.bela, boarding="on")
    await _ordered(sea, "A1 GFFFF; A2 FFFFX; target ask", "B1 GFFFF; B2 FFFFX; target ask")
    both_pending = [await sea.asked(who) for who in (sea.anna, sea.bela)]
    assert all(pending and pending.row.body.kind == "grapple" for pending in both_pending)
    return sea.anna


async def _ordered(sea: Sea, *sheets: str) -> None:
    for who, sheet in zip((sea.anna, sea.bela), sheets, strict=True):
        await seals(sheet)(sea, who)


async def flagships(sea: Sea) -> Any:
    await sea.begin(sea.bela, system="forts")
    return sea.anna


async def berths(sea: Sea) -> Any:
    await sea.begin(sea.bela, system="forts")
    for who in (sea.anna, sea.bela):
        await seals("GA")(sea, who)
    return sea.anna


async def waiting(sea: Sea) -> Any:
    """Begin a game; return the captain whose turn it is not, who may store a plan."""
    await sea.begin(sea.bela, system="forts")
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    pending = await sea.asked(sea.anna)
    assert pending is not None
    return sea.anna if pending.row.optional else sea.bela


async def acting(sea: Sea) -> Any:
    return sea.bela if await waiting(sea) is sea.anna else sea.anna


def under(setup: Setup) -> Callable[[Sea], Awaitable[Any]]:
    """Begin a game of this setup, and play until the first captain has a request that others may not know of."""

    async def begin(sea: Sea) -> Any:
        began = sea.bot.services.now()
        others = [sea.bela, *(sea.member(f"p{number}") for number in range(2, len(setup.teams)))]
        await sea.command(sea.anna, "new", system=setup.system)
        rules = RULESETS[setup.system]
        usual = {spec.key: spec.default for spec in rules.options}
        for key, value in setup.options.items():
            alone, without = {**usual, key: value}, {**setup.options, key: usual[key]}
            # There must be as many seats for people to join as the game will have.
            if rules.seats(alone) != rules.seats(usual) or rules.seats(without) != setup.teams:
                await sea.bot.services.lobbies.choose_option(sea.anna.id, 1, key, value)
        for other in others:
            await sea.command(other, "join")
        changed = "UPDATE games SET setup = json_set(setup, '$.options', json(?))"
        sea.change_rows(changed, json.dumps(setup.options))
        sea.change_rows("UPDATE games SET setup = json_set(setup, '$.missed', ?)", setup.missed)
        await waits(sea, until=began + PLANNING_S)
        await sea.command(sea.anna, "start")
        return await _secretive(sea, [sea.anna, *others])

    return begin


async def _secretive(sea: Sea, people: list[Any]) -> Any:
    """Return the first captain with a secret request; until then all answer with the first of the game's samples."""
    began = sea.bot.services.now() // PLANNING_S * PLANNING_S
    for number in range(1, OPEN_MOST):
        all_pending = [(who, pending) for who in people if (pending := await sea.asked(who))]
        secret = [who for who, pending in all_pending if pending.row.body.sealed and len(_samples(pending)) > 1]
        if secret and len(all_pending) > 1:  # a request to one captain alone is carried out at once
            return secret[0]
        _, pending = all_pending[0]
        await waits(sea, until=began + 2 * number * PLANNING_S)
        typed = await sea.bot.services.orders.type_text(pending, _samples(pending)[0])
        if typed.answer is None:  # else it has acted at once, as it was typed
            await sea.bot.services.orders.seal_draft(typed, typed.row.version)
        await sea.settle()
    raise AssertionError("nothing secret is asked")


def _samples(pending: Any) -> list[str]:
    """Answers that the game itself names as samples, as text."""
    rules = RULESETS[pending.seated_game.game.system]
    state = stored.read_state(rules, pending.state)
    return list(
        dict.fromkeys(
            rules.format_answer(pending.row.body, answer) for answer in sample_answers(rules, state, pending.row.body)
        )
    )


async def squadrons_one_by_one(sea: Sea) -> Any:
    """Begin a fleet game in which a captain orders one squadron, carried out at once."""
    await sea.begin(sea.bela, system="squadrons", order="squadron", sides="first")
    for who in (sea.anna, sea.bela):
        await seals("pass")(sea, who)
    return sea.anna if await sea.asked(sea.anna) else sea.bela


async def turn_ends(sea: Sea, _who: Any) -> None:
    """End the turn with all other squadrons lying still: its orders may be read now."""
    while first := [who for who in (sea.anna, sea.bela) if await must_act(sea, who)]:
        await seals("pass")(sea, first[0])


async def enemy_acts(sea: Sea, who: Any) -> None:
    """Let the enemy of `who`, whose turn it is, go on in the thread and draft once more."""
    enemy = sea.bela if who is sea.anna else sea.anna
    panel = sea.panel(enemy)
    await sea.press(enemy, panel, next(key for key in refs(panel) if key.startswith("press ship.")))
    panel = sea.panel(enemy)
    sail = next(key for key in refs(panel) if key.startswith("pick ") and "sail" in key)
    options = [part for part in parts(panel) if hasattr(part, "options")]
    token = options[0].options[0].value
    await sea.pick(enemy, panel, sail.removeprefix("pick "), token)
    assert len(sea.rows("steps")["steps"]) > 3


async def season(sea: Sea) -> Any:
    await sea.begin(sea.bela, system="campaign", map="gulf")
    return sea.anna


async def a_turn_comes(sea: Sea, _who: Any) -> None:
    """Let the hour of the turn come; nobody sees the other's fleet."""
    deadline = sea.rows("games")["games"][0]["deadline"]
    await waits(sea, until=deadline + PLANNING_S)
    assert len(sea.rows("steps")["steps"]) == 2


SAMPLE = (("ramspeed", 0), ("squadrons", 1))
"""Games of other options than the cases have: ships and captains built, placed and ordered in every other way."""
OPEN_MOST = 40  # answers until something secret is asked
OTHER_ORDERS = "A1 FLFRF; aim ask; casualties fighting; target weakest"
IN_A_ROW = (
    "900x600 ; B2:north 4-4+4/4 @355,300^0 ; A1:south 4-4+4/4 @400,300^0 ;"
    " B1:north 4-4+4/4 @445,300^0 ; A2:south 4-4+4/4 @490,300^0"
)  # two galleys with an enemy on either side, near enough to board
CASES = {
    "orders": Case("matchbox", orders, (seals("A1 FFFFF"), both(fumbles, seals("A1 LRLRL", OTHER_ORDERS)))),
    "orders unsealed": Case(
        "matchbox",
        orders,
        (
            both(seals("A1 FFFFF"), unseals, seals("A1 FFFFF")),
            both(seals("A1 LRLRL"), unseals, fumbles, seals("A1 FRFRF", OTHER_ORDERS)),
        ),
    ),
    "places": Case("matchbox", placing, (seals_sample(0), both(fumbles, seals_sample(-1)))),
    "fleets": Case("matchbox", fleets, (seals("5 5 5"), both(fumbles, seals("8h 4{rm}", "4t 4t 4f")))),
    "own crews": Case("matchbox", own_crews, (seals("5 5 5"), both(fumbles, seals("c1 5", "c2{b} c1")))),
    "decisions": Case("matchbox", decisions, (seals("steady"), both(fumbles, seals("safe")))),
    "grapples": Case("matchbox", grapples, (seals("B1"), both(asks_around, seals("B2")))),
    "flagships": Case("forts", flagships, (seals("BB"), both(fumbles, seals("FR", "GA")))),
    "berths": Case("forts", berths, (seals_sample(0), both(fumbles, seals_sample(-1)))),
    "plans": Case(
        "forts", waiting, (seals("any: end"), both(fumbles, seals("calm: end", "calm: BR*GA; end"))), enemy_acts
    ),
    "orders of a season": Case(
        "campaign", season, (seals("A1: evade"), both(fumbles, seals("A1 A2: attack; dice; spare B"))), a_turn_comes
    ),
    "acts drafted": Case("forts", acting, (does_nothing, fumbles)),
    "acts with doctrines": Case(
        "squadrons",
        squadrons_one_by_one,
        (both(seals("all: F"), turn_ends), both(seals("all: F\ndoctrine all: fire=off retract=ask"), turn_ends)),
    ),
}
SECRETS = (seals_sample(0), both(fumbles, seals_sample(-1)))
WITH_OPTIONS = {
    f"{system} {number}": Case(system, under(setup), SECRETS)
    for system in RULESETS
    for number, setup in enumerate(options.setups(system))
    if LONG or (system, number) in SAMPLE
}
"""Every value of every option, and every pair of values, with `LAWS=long`; `tests/laws/test_sealed_lines.py` holds each
value in every run, without the bot."""


def test_every_game_has_twins() -> None:
    assert {case.system for case in (*CASES.values(), *WITH_OPTIONS.values())} == RULESETS.keys()


@pytest.mark.parametrize("name", [*CASES, *WITH_OPTIONS])
async def test_a_captains_secrets_are_told_to_nobody_in_any_way(
    name: str, new_database: Callable[[], str], workers: Workers, settings: dict[str, Any], tmp_path: Path
) -> None:
    case = CASES.get(name) or WITH_OPTIONS[name]
    tapes = []
    pages = []
    archives = []
    for number, twin in enumerate(case.twins):
        folder = tmp_path / str(number)
        with_pages = {"public_url": "https://pages.example", "pages_dir": str(folder)}
        sea = Sea(new_database(), workers, itertools.count(1), **settings, **with_pages)
        sea.pages_everywhere = True
        async with sea.open():
            who = await case.begin(sea)
            tape = Tape(sea, who)
            before = sea.rows("requests", "answers")
            await twin(sea, who)
            changed = sea.rows("requests", "answers") != before
            assert changed == (twin is not does_nothing)
            await pry(sea, who)
            heard = tape.heard()
            page, archive = await page_files(sea), [*await archive_files(sea), *await page_answers(sea)]
            tape.to_all_alone()
            await case.after(sea, who)
            pages.append((page, await page_files(sea)))
            archives.append((archive, [*await archive_files(sea), *await page_answers(sea)]))
            # How often a message is edited while somebody acts is a matter of moments; how it then stands is not.
            last = {text.split(" {")[0]: text for text in tape.heard().get("all", [])}
            tapes.append({**heard, "all in the end": sorted(last.values())})
    assert all(files for page in pages for files in page)
    for page in pages[1:]:
        for files, other_files in zip(pages[0], page, strict=True):
            assert other_files == files, "pages differ"
    assert all(len(files) > 1 for archive in archives for files in archive)  # games and profiles
    assert all(archive == archives[0] for archive in archives), "archives or answers of the site differ"
    first, *others = tapes
    assert len(first) == 4  # all, the enemy, a spectator, and all in the end
    assert sum(map(len, first.values())) > 20
    for other in others:
        assert other.keys() == first.keys()
        for reader, texts in first.items():
            for one, two in itertools.zip_longest(texts, other[reader]):
                assert one == two, f"{reader} hears\n{one}\nor\n{two}"


async def pry(sea: Sea, secretive: Any) -> None:
    """Let the others ask for all that there is to ask for, and try what they may not."""
    enemy = sea.bela if secretive is sea.anna else sea.anna
    await sea.command(enemy, "table", game="1", picture="table", crop="fleet")
    for who in (enemy, sea.cili):
        for command in ("status", "log", "export", *(("table", "orders", "verify") if who is enemy else ())):
            await sea.command(who, command, game="1")
        await sea.command(who, "games")
        await who.autocomplete(sea.channel, "galley orders", "game", "")
    for message in sea.thread.history()[-2:]:
        for key in sorted({"why", "view", "log", "orders", "film"} & set(refs(message))):
            await sea.press(enemy, message, key)
    for text in ("A1 FFF", "#1 BB*GA", "calm: end"):
        await sea.write(enemy, text)
    await sea.command(enemy, "draw", game="1")


# --- seasons with battles between others ---------------------------------------------------------------------------

DAY = 86_400
SEASON_OF_FOUR = {
    "map": "ring",
    "captains": "ABCD",
    "turn": 3,
    "talents": dict.fromkeys("ABCD", 30),
    "galleys": [
        f"{name} {place} 5-5+3/5 r0 n0"
        for place, names in {"PAR": "A1 A2", "S2": "B1 B2 B3", "S3": "C1 C2 C3", "IOS": "B4", "CEO": "D1 D2"}.items()
        for name in names.split()
    ],
}  # Béla's and Dani's fleets are about to meet where nobody else sees them
MEETING = {"B": "B1 B2: N2 attack", "C": "C1 C2: N2"}  # orders that cause a battle
TURNS = times(2, 5)  # in the long run until after the battle
IN_SECRET = (
    {"B": "B3: T2; build IOS 5; pay C 3; spare A D; dice", "C": "C3: W3; build MEL 6; pay B 7; spare D"},
    {"B": "B3: hold; build IOS 4; pay C 1; repair all", "C": "C3: evade; build MEL 4; spare none; pay B 2"},
    {"B": "B3: S2 evade; spare none; play", "C": "C3: S3; build MEL 5; pay B 9"},
    {"B": "build IOS 6", "C": "spare A B"},
    {"B": "pay C 5", "C": "repair all"},
)  # secret orders of the two, turn by turn


@pytest.mark.timeout(600)
async def test_a_battle_between_others_tells_of_them_no_more_than_all_may_know(
    new_database: Callable[[], str], workers: Workers, settings: dict[str, Any]
) -> None:
    """Nor do fleets out of sight, gifts, treaties, yards and orders that were thought better of shift any number."""
    quiet, busy = [
        await _beside_a_battle(Sea(new_database(), workers, itertools.count(1), **settings), secretive=secretive)
        for secretive in (False, True)
    ]
    assert quiet.keys() == busy.keys()
    assert {"all in war-room", "all in #2 War Galley · Battle 1 · Strait of Thera", "user anna in "} < quiet.keys()
    assert sum(map(len, quiet.values())) > 40
    for reader, texts in quiet.items():
        for text, two in itertools.zip_longest(texts, busy[reader]):
            assert text == two, f"{reader} hears\n{text}\nor\n{two}"


async def _beside_a_battle(sea: Sea, *, secretive: bool) -> dict[str, list[str]]:
    """Return the messages of Anna, who sails elsewhere, and of a stranger while two others fight."""
    async with sea.open():
        fighting = {"B": sea.bela, "C": sea.member("dani")}
        await sea.begin_at(json.dumps(SEASON_OF_FOUR), *fighting.values(), system="campaign")
        tape = Tape(sea, *fighting.values())
        for number in range(TURNS):
            began = sea.rows("games")["games"][0]["deadline"] - DAY
            for captain, who in fighting.items():
                if secretive and (number == 0 or LONG):
                    await fumbles(sea, who)
                openly = MEETING[captain] if number == 0 else ""
                await _sail(sea, who, f"{openly}; {IN_SECRET[number][captain] if secretive else ''}")
            await waits(sea, until=began + DAY // 4)
            await _sail(sea, sea.anna, "A1: S1; repair all")
            if number or LONG:
                await _ask_about_battles(sea)
            for half in (1, 2):
                await _fight(sea, fighting.values(), fumbling=secretive)
                await waits(sea, until=began + half * DAY // 2 + PLANNING_S)
        assert [game["system"] for game in sea.rows("games")["games"]] == ["campaign", "matchbox"]
        return tape.heard(by_place=True)


async def _sail(sea: Sea, who: Any, text: str) -> None:
    pending = await sea.asked(who, 1)
    assert pending is not None
    await _seal(sea, pending, text)


async def _fight(sea: Sea, captains: Iterable[Any], *, fumbling: bool) -> None:
    """Play a round of the battle, if there is one: all order anything, some after other thoughts."""
    for who in captains:
        pending = await sea.asked(who, 2)
        if pending is None:
            return
        # What a first mate thinks out takes a third of the test's time; it's needed only where battles come to an end.
        orders = in_words(pending, wanted(pending)) if LONG else _samples(pending)[0]
        if fumbling:
            pending = await sea.bot.services.orders.type_text(pending, _samples(pending)[-1])
            await sea.settle()
        await _seal(sea, pending, orders)


async def _seal(sea: Sea, pending: Any, text: str) -> None:
    typed = await sea.bot.services.orders.type_text(pending, text)
    await sea.bot.services.orders.seal_draft(typed, typed.row.version)
    await sea.settle()


async def _ask_about_battles(sea: Sea) -> None:
    """Let those who are in no battle ask for all that there is to ask for."""
    for who in (sea.anna, sea.cili):
        for game in sea.rows("games")["games"]:
            for command in ("status", "table", "log", "orders", "export", "verify"):
                await sea.command(who, command, game=str(game["id"]))
        await sea.command(who, "games")
        await who.autocomplete(sea.channel, "galley orders", "game", "")


# --- steps of which nobody may know ------------------------------------------------------------------------------


@pytest.mark.timeout(300)  # two whole games with all that can be asked for: on a busy machine more than a test may take
async def test_hidden_steps_leave_no_trace(
    new_database: Callable[[], str], workers: Workers, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a captain has stored plans, and how many, shows in no message, stamp, number, file or answer."""
    monkeypatch.setattr(posting, "MAX_AT_ONCE", 100)  # a manager asks for everything within minutes
    without, others = [
        await _beside_plans(Sea(new_database(), workers, itertools.count(1), **settings), plans) for plans in (0, 2)
    ]
    assert not without["at once"], "somebody else hears of it at once"
    assert sum(map(len, without["asked"].values())) > 100
    for moment, heard in without.items():
        assert others[moment].keys() == heard.keys(), moment
        for reader, texts in heard.items():
            for expected, found in itertools.zip_longest(texts, others[moment][reader]):
                assert found == expected, f"{moment}, {reader} hears\n{found}\nin place of\n{expected}"


async def _beside_plans(sea: Sea, plans: int) -> dict[str, dict[str, list[str]]]:
    """Return all but one captain's messages in a game in which everything possible is proposed, while that one stores
    plans."""
    async with sea.open():
        secretive = await waiting(sea)
        enemy, manager = sea.bela if secretive is sea.anna else sea.anna, sea.manager()
        await enemy_acts(sea, secretive)
        pending = await sea.asked(enemy)
        assert pending is not None
        round_no = pending.row.body.round
        await sea.command(enemy, "draw", game="1")
        await sea.command(enemy, "extend", game="1", by="30d")
        await sea.command(enemy, "extend", game="1", pause=True)
        await sea.command(manager, "host undo", game="1", to_round=round_no)
        tape = Tape(sea, secretive)
        steps = len(sea.rows("steps")["steps"])
        began = sea.bot.services.now()
        for number in range(plans):
            await seals(PLANS[number])(sea, secretive)
        assert len(sea.rows("steps")["steps"]) == steps + plans
        await waits(sea, until=began + PLANNING_S)
        heard = {"at once": tape.heard()}
        tape = Tape(sea, secretive)
        await ask_for_everything(sea, enemy, sea.cili, manager)
        await sea.command(manager, "host pause", game="1")
        began = sea.bot.services.now()
        if plans:
            await seals(PLANS[plans])(sea, secretive)  # waits, sealed, until the game goes on
        await waits(sea, until=began + PLANNING_S)
        for command in ("status", "export", "host undo", "host repost"):
            await sea.command(manager, command, game="1")
        await sea.command(manager, "host resume", game="1")
        assert len(sea.rows("steps")["steps"]) == steps + plans + bool(plans)
        for command in ("host resolve", "host undo"):
            await sea.command(manager, command, game="1", **({"to_round": round_no} if "undo" in command else {}))
        for who in (enemy, secretive):
            offers = [message for message in sea.thread.history() if any("agree_act" in key for key in refs(message))]
            await sea.press(who, offers[-1], next(key for key in refs(offers[-1]) if "agree_act" in key))
        assert "UndoAction" in sea.rows("steps")["steps"][-1]["cause"]
        for command in ("status", "log", "export", "verify", "film", "concede"):
            await sea.command(enemy, command, game="1")
        seat = next(row["seat"] for row in sea.rows("seats")["seats"] if row["user_id"] == enemy.id)
        await sea.command(manager, "host replace", game="1", whose=f"#{seat + 1}", substitute=sea.cili)
        await sea.command(manager, "host kick", game="1", whose=f"#{seat + 1}")
        await sea.command(manager, "host log", game="1")
        return {**heard, "asked": tape.heard()}


async def waits(sea: Sea, *, until: int) -> None:
    """Let time pass until a moment, so that what follows has the same time in both twins."""
    await sea.env.advance_time(until - sea.bot.services.now())


PLANNING_S = 60
PLANS = ("any: end", "calm: end", "wind: end")
LAST = ("galley concede", "galley-host resolve", "galley-host replace", "galley-host kick")
"""Commands after which a game is another, or somebody else's: used at the end."""
STRANGERS = {f"galley {name}" for name in ("status", "table", "history log", "orders", "history export", "verify")}
"""Commands that a stranger tries, too."""
REQUIRED = {"text": "#1 any: end", "whose": "#1"}
"""Values of required options: a text that only the secretive captain may use, and a seat."""


async def ask_for_everything(sea: Sea, enemy: Any, stranger: Any, manager: Any) -> None:
    """Use every command that is about a game, every suggestion and every button, whatever comes of it."""
    groups = [group for group in sea.bot.tree.get_commands() if isinstance(group, app_commands.Group)]
    about_games = [
        command
        for group in groups
        for command in group.walk_commands()
        if isinstance(command, app_commands.Command) and command.get_parameter("game")
    ]
    assert len(about_games) > 20
    for command in sorted(about_games, key=lambda command: command.qualified_name):
        name = command.qualified_name
        if name in LAST:
            continue
        values = {option.name: REQUIRED[option.name] for option in command.parameters if option.required}
        # Only a manager asks for what only managers may do: the game goes on with the same captains.
        for who in (
            [manager] if name.startswith("galley-host ") else [enemy, stranger] if name in STRANGERS else [enemy]
        ):
            for option in command.parameters:
                if option.autocomplete and who is not stranger:
                    filled = {key: value for key, value in {**values, "game": "1"}.items() if key != option.name}
                    await who.autocomplete(sea.channel, command.qualified_name, option.name, "", **filled)
            await sea.command(who, name, game="1", **values)
        if name == "galley-host pause":
            await sea.command(manager, "host resume", game="1")
    for command in ("games", "me", "profile", "ladder"):
        await sea.command(enemy, command)
    buttons = {key: message for message in sea.thread.history() for key in refs(message)}
    for key, message in sorted(buttons.items(), key=lambda pressed: pressed[0]):
        if key.split(" ")[0] not in ("agree_act", "draw", "agree"):
            await sea.press(enemy, message, key)
