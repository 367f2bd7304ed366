"""Biremes … Oh My! through the real bot: scenarios, sheets, doctrines, questions in a turn, told and verified."""

from __future__ import annotations

from typing import Any

import pytest

from bot.texts.i18n import Catalogue
from rules.ramspeed import GAME
from tests.bot.records import assert_holds
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs, text_of

EN, HU = Catalogue.load("en", "ramspeed"), Catalogue.load("hu", "ramspeed")
EXAMPLE = GAME.example_scenario
FLEETS = (
    "40x30 open turn=1/1 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @10,10^0 20 ; "
    "A2 B ann athenian @20,10^0 10 ; A3 B ann athenian @20.6,10^0 4 ; S1 T bob spartan @10,22^180 20 ; "
    "S2 T bob spartan @26,20^180 20"
)
EVERY_ORDER = [
    (
        "A1: veer 15R; ram S1 or swipe S1 past 2 or grapple S1\nA2: ignite; ram S1\nA3: transfer 2 from A2",
        "A1: kanyar 15j; rohan S1 vagy tör S1 túl 2 vagy csáklya S1\nA2: gyújt; rohan S1\nA3: átvesz 2 A2-től",
    ),
    (
        "A1: turn 90L or fwd 4 or back 1\nA2: transfer 6 to A3\nA3: turn 45L; fwd 2\ndoctrine A1: slip=back",
        "A1: fordul 90b vagy előre 4 vagy hátra 1\nA2: átad 6 A3-nak\nA3: fordul 45B; előre 2\nelv A1: kitér=hátra",
    ),
    (
        "A1: veer 15R 4; shoot S1 crew or face S2\nA2: steer S2 4.5; shoot S1 fire\nA3: stay\nstanding A1: fwd",
        "A1: kanyar 15J 4; lő S1 legénység vagy szembe S2\nA2: tart S2 4,5; lő S1 tűz\nA3: marad\nállandó A1: előre",
    ),
]
REFUSED = [
    ("A1: fwd 9", "RS-21.4"),
    ("A1: ram A2", "RS-21.4"),
    ("S1: fwd", "RS-21.4"),
    ("A1: turn 45L; fwd 2", "RS-21.4"),
    ("A1: sing", "Orders look like `A1: fwd 1`."),
    ("doctrine A1: swipe=fly", "RS-21.4"),
]


async def hand_in(sea: Sea, **fields: Any) -> str:
    lobby = sea.channel.last_message
    with sea.speaking(sea.anna):
        form = await sea.anna.click(lobby, custom_id=refs(lobby)["scenario"].pack())
        field = form.modal["components"][1]["component"]
        assert field["value"] == EXAMPLE.rstrip("\n") or field["value"] == EXAMPLE
        result = await sea.anna.submit_modal(form, fields)
    await sea.env.settle()
    return sea.said(result)


async def test_a_host_hands_in_a_scenario_and_is_told_line_and_rule_of_a_bad_one(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="ramspeed")
    bad = EXAMPLE.replace("W2 T 5 12 90", "W2 T 5 8.3 90")
    line = next(number for number, row in enumerate(bad.split("\n"), 1) if "W2" in row)
    said = await hand_in(sea, file=("mine.toml", bad.encode()))
    assert EN.say("fault.scenario_overlap", line=line, piece="W1", ship="W1", other="W2") in said
    assert "RS-01.7" in said
    sea.languages[sea.anna.id] = "hu"
    said = await hand_in(sea, text=EXAMPLE.replace("turn_limit = 15", "turn_limit = 1000"))
    assert HU.say("fault.scenario_line", line=4, piece="turn_limit", expected="1 … 100") in said
    assert "RS-22.1" in said
    with sea.speaking(sea.anna):  # a refused scenario can be corrected
        refused = sea.answers[-1]
        form = await sea.anna.click(refused, custom_id=refs(refused)["scenario_again"].pack())
    assert "turn_limit = 1000" in form.modal["components"][1]["component"]["value"]
    sea.languages[sea.anna.id] = "en-US"
    assert await hand_in(sea, file=("mine.toml", EXAMPLE.encode())) == EN.say("say.scenario_set")
    await sea.choose(sea.anna, "sides", "first")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    assert "W3" in str(await sea.command(sea.anna, "table"))
    await sea.seal(sea.bela, "all: fwd 2")
    await sea.seal(sea.anna, "W1: fwd 2")
    assert (await sea.asked(sea.anna)).row.body.round == 2  # type: ignore[union-attr]
    assert not sea.faults


async def test_every_order_is_typed_in_both_languages_and_what_cannot_be_is_told_by_line_and_rule(sea: Sea) -> None:
    await sea.begin_at(FLEETS, sea.bela, system="ramspeed")
    for english, hungarian in EVERY_ORDER:
        await sea.write(sea.anna, english)
        first = (await sea.asked(sea.anna)).row.draft  # type: ignore[union-attr]
        await sea.write(sea.anna, hungarian)
        assert (await sea.asked(sea.anna)).row.draft == first, hungarian  # type: ignore[union-attr]
    draft_before = first
    written, commanded = REFUSED[::2], REFUSED[1::2]
    for wrong, rule in (*written, *commanded):  # later messages are answered in the command's language, too
        if (wrong, rule) in commanded:
            sea.languages[sea.anna.id] = "hu"
            said = await sea.command(sea.anna, "orders", text=f"A2: stay | {wrong}")
            assert "2. sor" in said.replace("\\", ""), said
        else:
            said = await sea.write(sea.anna, f"A2: stay\n{wrong}")
            assert "line 2" in said.casefold(), said
        assert rule in said, wrong
        assert (await sea.asked(sea.anna)).row.draft == draft_before  # type: ignore[union-attr]


async def test_a_ships_doctrine_is_pressed_and_holds_and_a_stale_press_changes_nothing(sea: Sea) -> None:
    await sea.begin_at(FLEETS, sea.bela, system="ramspeed")
    await sea.pick(sea.anna, sea.panel(sea.anna), "ship", "ship.A1")
    panel = await sea.turned(sea.anna, sea.panel(sea.anna), "form standing.A1")
    form = await sea.click_only(sea.anna, panel, refs(panel)["form standing.A1"])
    with sea.speaking(sea.anna):
        chosen = {"0": ["turn"], "1": ["stand"], "2": ["fwd"], "3": ["sink"], "4": ["shoot"]}
        await sea.anna.user.submit_modal(form, chosen)
    await sea.env.settle()
    draft = "doctrine A1: swipe=turn grapple=stand prize=sink idle=shoot"
    assert (await sea.asked(sea.anna)).row.draft == draft  # type: ignore[union-attr]
    panel_text = text_of(sea.panel(sea.anna))
    assert str(EN.say("doctrine.grapple.stand")) in panel_text
    assert "swipe=turn" not in panel_text
    await sea.pick(sea.anna, sea.panel(sea.anna), "move", "go.fwd")
    stale = await sea.turned(sea.anna, sea.panel(sea.anna), "press line.back")
    await sea.write(sea.anna, "A1: back 1")
    before = [row["draft"] for row in sea.rows("requests")["requests"]]
    assert await Forger(sea, sea.anna).press(refs(stale)["press line.back"].pack())
    assert [row["draft"] for row in sea.rows("requests")["requests"]] == before
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.seal(sea.bela, "all: stay")
    assert sea.rows("games")["games"][0]["phase"] == "over"
    await assert_holds(sea)
    ladder = await sea.command(sea.anna, "ladder", system="ramspeed")
    assert "anna" in ladder.lower()
    assert not sea.faults


BESIDE = (
    "30x30 open turn=1/1 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @10,8^0 20 ; "
    "S1 T bob spartan @10.3,14^180 20"
)


@pytest.mark.parametrize("how", ["pressed", "typed", "late"])
async def test_captains_who_are_asked_choose_how_to_defend_a_ship(sea: Sea, how: str) -> None:
    await sea.begin_at(BESIDE, sea.bela, system="ramspeed", mode="asked", missed="hold")
    for _ in range(2):
        pending = await sea.asked(sea.anna, 1)
        who, line = (sea.bela, "S1: stay") if pending is None or pending.row.optional else (sea.anna, "A1: swipe S1")
        await sea.write(who, line)
        if who is sea.anna:
            break
    pending = await sea.asked(sea.bela, 1)
    assert pending
    assert pending.row.body.kind == "defence"
    if how == "pressed":
        await sea.press(sea.bela, sea.panel(sea.bela), "press turn")
    elif how == "typed":
        await sea.write(sea.bela, "fordul")
    else:
        await sea.env.advance_time(2 * 86_400)
    expected = "turn" if how != "late" else "draw"
    swipes = [row for row in sea.rows("steps")["steps"] if '"swipe"' in row["events"]]
    assert f'"defence":"{expected}"' in swipes[-1]["events"]
    assert not sea.faults


LASHED = (
    "30x30 open turn=1/2 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @10,8^0 20 ; "
    "S1 T bob spartan @10.7,8^0 1 ; S2 T bob spartan @24,24^0 20 ; A1-S1"
)


async def test_who_has_won_a_ship_says_what_becomes_of_her(sea: Sea) -> None:
    await sea.begin_at(LASHED, sea.bela, system="ramspeed", mode="asked", missed="hold")
    for _ in range(2):
        pending = await sea.asked(sea.anna, 1)
        who = sea.bela if pending is None or pending.row.optional else sea.anna
        await sea.write(who, "done")
    pending = await sea.asked(sea.anna, 1)
    assert pending
    assert pending.row.body.kind == "prize"
    assert {"press 5", "press sink", "press leave"} <= refs(sea.panel(sea.anna)).keys()
    await sea.write(sea.anna, "süllyeszt")
    assert EN.say("event.ShipSunk.prize", ship="S1").rstrip(".") in sea.told()
    assert not sea.faults


SHORT = (
    "30x24 open turn=1/1 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @8,5^0 20 ; "
    "A2 B ann athenian @20,4^0 10 ; S1 T bob spartan @8,12^90 20 ; S2 T bob spartan @24,20^180 20"
)  # the last turn of a game: A1 has S1 before her beak


async def test_a_game_is_played_in_both_languages_to_its_end_and_can_be_verified(sea: Sea) -> None:
    await sea.begin_at(SHORT, sea.bela, system="ramspeed")
    said = await sea.write(sea.anna, "A1: fwd 9\nA2: fwd")
    assert "RS-21.4" in said
    assert "Line 1" in said
    assert "RS-21.4" in await sea.write(sea.anna, "A1: fwd 2\nS1: fwd 2")
    assert (await sea.asked(sea.anna, 1)).row.draft == ""

    # Typed and pressed lines meet in one sheet; their places can be changed.
    await sea.write(sea.anna, "A2: turn 45L; fwd 2")
    await sea.pick(sea.anna, sea.panel(sea.anna), "ship", "ship.A1")
    await sea.pick(sea.anna, sea.panel(sea.anna), "attack", "do.ram.S1")
    await sea.press(sea.anna, sea.panel(sea.anna), "press line.or")
    await sea.pick(sea.anna, sea.panel(sea.anna), "move", "go.fwd")
    stale = sea.panel(sea.anna)
    await sea.press(sea.anna, sea.panel(sea.anna), "press line.up")
    draft = (await sea.asked(sea.anna, 1)).row.draft
    assert draft == "A1: ram S1 or fwd\nA2: turn 45L; fwd 2"
    assert stale is not None
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")

    # Nobody else has seen any of it; the other captain writes in another language.
    assert "ram S1" not in sea.told()
    await sea.seal(sea.bela, "S2: előre 2\nS1: marad\nelv mind: evezőtörés=fordul")
    await sea.settle()
    thread = sea.told()
    assert "A1 rams S1" in thread or "S1 goes down" in thread
    rows = sea.rows("games")["games"]
    assert rows[0]["phase"] == "over"
    await assert_holds(sea)
    assert not sea.faults


async def test_captains_act_ship_by_ship_where_the_host_wants_it_so(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="ramspeed")
    await sea.choose(sea.anna, "mode", "live")
    await sea.choose(sea.anna, "sides", "first")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    for _ in range(2):
        pending = await sea.asked(sea.anna, 1)
        who = sea.bela if pending.row.optional else sea.anna
        ship = "A1" if who is sea.anna else "S1"
        assert await sea.write(who, f"{ship}: fwd 2")
        assert "RS-03.4" in await sea.write(who, f"{ship}: fwd 2")
        await sea.press(who, sea.panel(who), "press done")
    assert (await sea.asked(sea.anna, 1)).row.body.round == 2
