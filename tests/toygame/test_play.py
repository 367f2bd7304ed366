"""The toy game through the real bot: three captains against one, forty ships, fog, wind, answers given ahead."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from bot.cli.shell import prove_record
from bot.record.export import encode_export
from rules.chance.fairness import SHOWN_HASH_DIGITS
from rules.core.registry import RULESETS
from rules.core.replay import verify
from tests.bot.captains import by_typing, play
from tests.bot.records import assert_holds
from tests.sea import Sea, refs, text_of
from tests.toygame.invariants import STRAIT


async def begin(sea: Sea, scenario: str, options: dict[str, str], *others: Any) -> None:
    """Anna opens a game with a scenario of her own; the others join."""
    await sea.command(sea.anna, "new", system="toygame")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.scenario', ?)", scenario)
    for key, value in options.items():
        sea.change_rows("UPDATE games SET setup = json_set(setup, ?, ?)", f"$.options.{key}", value)
    for other in others:
        await sea.command(other, "join")
    await sea.command(sea.anna, "start")


async def concede(sea: Sea, who: Any) -> None:
    await sea.command(who, "concede")
    await sea.press(who, sea.answers[0], "concede")


def described(message: Any) -> str:
    """What a panel's picture says to those who cannot see it."""
    return message.attachments[0].description or ""


def row(sea: Sea, request: str) -> dict[str, Any]:
    (found,) = [one for one in sea.rows("requests")["requests"] if one["id"] == request]
    return found


async def test_a_battle_of_forty_ships(sea: Sea) -> None:
    dani = sea.member("dani")
    pack = (sea.anna, sea.bela, sea.cili)
    await begin(sea, STRAIT, {}, sea.bela, sea.cili, dani)
    assert [seat["team"] for seat in sea.rows("seats")["seats"]] == [0, 0, 0, 1]
    assert [seat["user_id"] for seat in sea.rows("seats")["seats"]] == [who.id for who in (*pack, dani)]

    # Fog: each side sees itself alone, and the thread nobody.
    assert "A1" in described(sea.panel(sea.bela))
    assert "D1" not in described(sea.panel(sea.bela))
    assert "D28" in described(sea.panel(dani))
    assert "A1" not in sea.told()

    # Orders may be given ahead of the wind; their seal is shown, and counts when they are asked.
    assert "isn't your turn for this yet" in text_of(sea.panel(sea.anna))
    await sea.write(sea.anna, "A2 E2; A1 E3")
    await sea.press(sea.anna, sea.reply(sea.anna), "seal")
    (sealed,) = sea.rows("answers")["answers"]
    assert sealed["body"] == "A2 E2; A1 E3"
    assert f"Sealed by anna: `{sealed['commitment'][:SHOWN_HASH_DIGITS]}`" in sea.told()
    assert "A2" not in sea.told()

    # An unsealed question is answered by one press, and then the others are asked.
    assert {"press calm", "press breeze"} <= set(refs(await wind_panel(sea, dani)))
    await sea.press(dani, await wind_panel(sea, dani), "press breeze")
    assert "a breeze blows" in sea.told()
    assert row(sea, "r1.orders.0")["status"] == "sealed"
    assert row(sea, "r1.orders.0")["deadline"]

    # Looking at a ship is no order; what is ordered of her then follows below the rest.
    await sea.write(dani, "D28 W1; D1 W2")
    await sea.press(dani, await panel_with(sea, dani, "press look.D5"), "press look.D5")
    assert row(sea, "r1.orders.3")["draft"] == "D28 W1; D1 W2"
    assert row(sea, "r1.orders.3")["focus"] == "D5"
    await sea.press(dani, await panel_with(sea, dani, "press go.N1"), "press go.N1")
    assert row(sea, "r1.orders.3")["draft"] == "D28 W1; D1 W2; D5 N1"

    await play(sea, (*pack, dani), by_typing, rounds=1)
    await concede(sea, dani)
    record = await assert_holds(sea)
    first = next(step for step in record.steps if "r1.orders.0" in {one.request for one in step.answers})
    assert {one.request: one.body for one in first.answers}["r1.orders.0"] == "A2 E2; A1 E3"
    # In the order of the lines: A2 has got where A1 then cannot go.
    sailed = {event["ship"] for event in first.events if event["type"] == "Sailed"}
    assert sailed & {"A1", "A2"} == {"A2"}
    assert record.setup.scenario == STRAIT
    (ended,) = [event for step in record.steps for event in step.events if event["type"] == "Ended"]
    assert ended["seats"] == [0, 1, 2]


async def wind_panel(sea: Sea, who: Any) -> Any:
    return next(message for message in reversed(sea.dms(who)) if "press calm" in refs(message))


async def panel_with(sea: Sea, who: Any, key: str) -> Any:
    """The panel, turned to the page on which something may be pressed."""
    panel = sea.panel(who)
    while key not in refs(panel):
        turning = [found for found in refs(panel) if found.startswith("page")]
        await sea.press(who, panel, turning[-1])
        panel = sea.again(who, panel)
    return panel


DUEL = {"packs": "1", "rounds": "3"}
NOSE_TO_NOSE = "size = [9, 6]\nsight = 9\nships = [[[1, 3], [1, 5]], [[4, 3], [8, 1]]]\n"


def alone(sea: Sea) -> None:
    """Let the game in the lobby be one of two captains: its options are not to be had in the command."""
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.teams', json('[0,1]')) WHERE phase = 'lobby'")
    sea.change_rows("DELETE FROM seats WHERE seat > 1")
    sea.change_rows("UPDATE seats SET team = seat")


async def test_what_was_given_ahead_and_cannot_be_is_asked_again(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    alone(sea)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.scenario', ?)", NOSE_TO_NOSE)
    for key, value in DUEL.items():
        sea.change_rows("UPDATE games SET setup = json_set(setup, ?, ?)", f"$.options.{key}", value)
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    await sea.write(sea.anna, "A1 E2; A2 E1")
    await sea.press(sea.anna, sea.reply(sea.anna), "seal")
    before = sea.panel(sea.anna).id
    # As if the wind had sunk a ship: her captain ordered one that is there no more.
    sea.change_rows("UPDATE steps SET state = json_remove(state, '$.ships[1]')")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    asked = row(sea, "r1.orders.0")
    assert (asked["status"], asked["optional"], asked["draft"]) == ("open", 0, "A1 E2; A2 E1")
    assert sea.rows("answers")["answers"][0]["request_id"] == "r1.wind"
    assert any("can no longer be carried out" in text_of(message) for message in sea.dms(sea.anna))
    assert {one["what"] for one in sea.rows("published")["published"]} >= {"seal", "broken"}
    # Her panel is a new message.
    assert "press go.N1" in refs(sea.panel(sea.anna))
    assert sea.panel(sea.anna).id > before
    await sea.write(sea.anna, "hold")
    await sea.press(sea.anna, sea.reply(sea.anna), "seal")
    assert row(sea, "r1.orders.0")["status"] == "sealed"


async def until_they_meet(sea: Sea) -> None:
    """Anna's ship sails up to Bela's, in a game whose fights are played."""
    await sea.command(sea.anna, "new", system="toygame")
    alone(sea)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.scenario', ?)", NOSE_TO_NOSE)
    for key, value in {**DUEL, "fights": "played"}.items():
        sea.change_rows("UPDATE games SET setup = json_set(setup, ?, ?)", f"$.options.{key}", value)
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    await sea.write(sea.anna, "A1 E2")
    await sea.press(sea.anna, sea.reply(sea.anna), "seal")
    await sea.write(sea.bela, "hold")
    await sea.press(sea.bela, sea.reply(sea.bela), "seal")


async def test_a_fight_is_a_game_of_its_own_whose_end_is_the_answer(sea: Sea) -> None:
    await until_they_meet(sea)

    # A game of its own was opened for the two, and the first one waits for it, whatever the time.
    parent, child = sea.rows("games")["games"]
    assert (child["parent_id"], child["parent_request"], child["phase"]) == (1, "r1.fight.A1-B1", "running")
    assert (child["rated"], parent["deadline"]) == (0, None)
    assert [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2] == [
        sea.anna.id,
        sea.bela.id,
    ]
    assert "played as a separate game, #2" in "".join(text_of(m) for t in sea.channel.threads[:1] for m in t.history())
    await sea.restart(after_s=7 * 86_400)
    assert sea.rows("games")["games"][0]["phase"] == "running"

    # How it ends is the answer, by the fingerprint of its record; then the first one goes on.
    await sea.command(sea.bela, "concede", game="2")
    await sea.press(sea.bela, sea.answers[0], "concede")
    await sea.settle()
    parent, child = sea.rows("games")["games"]
    assert child["phase"] == "over"
    (report,) = [one for one in sea.rows("answers")["answers"] if one["given_by"] == "battle"]
    told = json.loads(report["body"])
    assert told["digest"] == (await sea.bot.services.archive.export_finished(2)).digest
    assert told["winners"] == [0]
    assert parent["step_no"] == 3
    fought = json.loads(sea.rows("steps")["steps"][3]["events"])[0]
    assert (fought["type"], fought["sunk"]) == ("Fought", "B1")

    # Its record follows that of the battle.
    await concede(sea, sea.bela)
    papers = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    holds, lines = await asyncio.to_thread(prove_record, papers[0])
    assert (holds, lines[-1]) == (
        True,
        f"The battle r1.fight.A1-B1 has its own record, which I didn't check: {told['digest']}.",
    )
    holds, lines = await asyncio.to_thread(prove_record, papers[0], battles=papers[1:])
    assert (holds, "went as stated here" in lines[-1]) == (True, True)
    for battle, why in ((papers[0], "isn't of a battle"), (papers[1].replace(b"GaveUp", b"GaveIn"), "is wrong")):
        holds, lines = await asyncio.to_thread(prove_record, papers[0], battles=[battle])
        assert (holds, why in lines[0]) == (False, True), lines


async def test_a_fight_about_which_nobody_asks_any_more_is_called_off(sea: Sea) -> None:
    await until_they_meet(sea)
    asked = await wind_panel(sea, sea.bela)
    await sea.command(sea.bela, "concede", game="1")
    await sea.press(sea.bela, sea.answers[0], "concede")
    assert [game["phase"] for game in sea.rows("games")["games"]] == ["over", "cancelled"]
    assert not [one for one in sea.rows("requests")["requests"] if one["status"] != "closed"]
    # The buttons of its panel are gone.
    assert not refs(sea.again(sea.bela, asked))
    record = (await sea.bot.services.archive.export_finished(1)).record
    assert verify(RULESETS["toygame"], record) is None


async def test_it_proposes_a_first_game_by_a_value_alone(sea: Sea) -> None:
    await sea.command(sea.anna, "help")
    (games,) = (ref for ref in refs(sea.answers[0]).values() if ref.verb == "about")
    listed = sea.answers[0]
    chosen = await sea.anna.select(listed, ["toygame"], custom_id=games.pack())
    await sea.env.settle()
    sea.said(chosen, pressed=listed.id)
    page = sea.answers[0]
    await sea.press(sea.anna, page, "play toygame")
    assert "type" in refs(sea.answers[0])
    assert [seat["computer"] for seat in sea.rows("seats")["seats"]] == [0, 1, 1]
    assert '"packs":"2"' in sea.rows("games")["games"][0]["setup"]
