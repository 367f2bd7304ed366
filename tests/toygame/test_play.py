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

NOSE_TO_NOSE = "size = [9, 6]\nsight = 9\nships = [[[1, 3], [1, 5]], [[4, 3], [8, 1]]]\n"


def set_up(sea: Sea, scenario: str, teams: list[int], **options: str) -> None:
    """Give the game in the lobby a scenario, and teams and options that are not to be had in the command."""
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.scenario', ?)", scenario)
    sea.change_rows(f"UPDATE games SET setup = json_set(setup, '$.teams', json('{teams}')) WHERE phase = 'lobby'")
    sea.change_rows("DELETE FROM seats WHERE seat >= ?", len(teams))
    for seat, team in enumerate(teams):
        sea.change_rows("UPDATE seats SET team = ? WHERE seat = ?", team, seat)
    for key, value in options.items():
        sea.change_rows("UPDATE games SET setup = json_set(setup, ?, ?)", f"$.options.{key}", value)


async def open_duel(sea: Sea, **options: str) -> None:
    await sea.command(sea.anna, "new", system="toygame")
    set_up(sea, NOSE_TO_NOSE, [0, 1], packs="1", rounds="3", **options)
    await sea.command(sea.bela, "join")


async def begin_duel(sea: Sea, **options: str) -> None:
    await open_duel(sea, **options)
    await sea.command(sea.anna, "start")


def described(message: Any) -> str:
    return message.attachments[0].description or ""


def row(sea: Sea, request: str) -> dict[str, Any]:
    (match,) = [row for row in sea.rows("requests")["requests"] if row["id"] == request]
    return match


async def test_a_battle_of_forty_ships(sea: Sea) -> None:
    dani = sea.member("dani")
    pack = (sea.anna, sea.bela, sea.cili)
    await sea.command(sea.anna, "new", system="toygame")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.scenario', ?)", STRAIT)
    for other in (sea.bela, sea.cili, dani):
        await sea.command(other, "join")
    await sea.command(sea.anna, "start")
    assert [seat["team"] for seat in sea.rows("seats")["seats"]] == [0, 0, 0, 1]
    assert [seat["user_id"] for seat in sea.rows("seats")["seats"]] == [who.id for who in (*pack, dani)]

    # Fog: each side sees itself alone, and the thread nobody.
    assert "A1" in described(sea.panel(sea.bela))
    assert "D1" not in described(sea.panel(sea.bela))
    assert "D28" in described(sea.panel(dani))
    assert "A1" not in sea.told()

    # Orders may be given ahead of the wind; their seal is shown, and counts when they are asked.
    assert "isn't your turn for this yet" in text_of(sea.panel(sea.anna))
    await sea.seal(sea.anna, "A2 E2; A1 E3")
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
    await sea.concede(dani)
    record = await assert_holds(sea)
    first = next(step for step in record.steps if "r1.orders.0" in {answer.request for answer in step.answers})
    assert {answer.request: answer.body for answer in first.answers}["r1.orders.0"] == "A2 E2; A1 E3"
    # In the order of the lines: A2 has got where A1 then cannot go.
    sailed = {event["ship"] for event in first.events if event["type"] == "Sailed"}
    assert sailed & {"A1", "A2"} == {"A2"}
    assert record.setup.scenario == STRAIT
    (ended,) = [event for step in record.steps for event in step.events if event["type"] == "Ended"]
    assert ended["seats"] == [0, 1, 2]


async def wind_panel(sea: Sea, who: Any) -> Any:
    return next(message for message in reversed(sea.dms(who)) if "press calm" in refs(message))


async def panel_with(sea: Sea, who: Any, key: str) -> Any:
    """Return the panel, turned to the page on which something may be pressed."""
    panel = sea.panel(who)
    while key not in refs(panel):
        turning = [key for key in refs(panel) if key.startswith("page")]
        await sea.press(who, panel, turning[-1])
        panel = sea.again(who, panel)
    return panel


async def go_back(sea: Sea) -> None:
    """Let Anna propose to play the first round again, and Béla agree."""
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    asked = next(act for act in sea.rows("acts")["acts"] if act["kind"] == "undo_asked")
    await sea.bot.services.repair.agree_to(sea.bela.id, 1, asked["id"])
    await sea.settle()


async def test_what_was_given_ahead_and_cannot_be_is_asked_again(sea: Sea) -> None:
    await begin_duel(sea)
    await sea.seal(sea.anna, "A1 E2; A2 E1")
    before = sea.panel(sea.anna).id
    # As if the wind had sunk a ship: her captain ordered one that is there no more.
    sea.change_rows("UPDATE steps SET state = json_remove(state, '$.ships[1]')")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    request_row = row(sea, "r1.orders.0")
    assert (request_row["status"], request_row["optional"], request_row["draft"]) == ("open", 0, "A1 E2; A2 E1")
    assert sea.rows("answers")["answers"][0]["request_id"] == "r1.wind"
    assert any("can no longer be carried out" in text_of(message) for message in sea.dms(sea.anna))
    assert {row["what"] for row in sea.rows("published")["published"]} >= {"seal", "broken"}
    # Her panel is a new message.
    assert "press go.N1" in refs(sea.panel(sea.anna))
    assert sea.panel(sea.anna).id > before
    await sea.seal(sea.anna, "hold")
    assert row(sea, "r1.orders.0")["status"] == "sealed"


async def until_they_meet(sea: Sea) -> None:
    """Let Anna's ship sail up to Bela's, in a game whose fights are played."""
    await begin_duel(sea, fights="played")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    await sea.seal(sea.anna, "A1 E2")
    await sea.seal(sea.bela, "hold")


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
    await sea.concede(sea.bela, 2)
    parent, child = sea.rows("games")["games"]
    assert child["phase"] == "over"
    (report,) = [row for row in sea.rows("answers")["answers"] if row["given_by"] == "battle"]
    answer = json.loads(report["body"])
    assert answer["digest"] == (await sea.bot.services.archive.export_finished(2)).digest
    assert answer["winners"] == [0]
    assert parent["step_no"] == 3
    fought = json.loads(sea.rows("steps")["steps"][3]["events"])[0]
    assert (fought["type"], fought["sunk"]) == ("Fought", "B1")

    # Its record follows that of the battle.
    await sea.concede(sea.bela)
    papers = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    holds, lines = await asyncio.to_thread(prove_record, papers[0])
    assert (holds, lines[-1]) == (
        True,
        f"The battle r1.fight.A1-B1 has its own record, which I didn't check: {answer['digest']}.",
    )
    holds, lines = await asyncio.to_thread(prove_record, papers[0], battles=papers[1:])
    assert (holds, "went as stated here" in lines[-1]) == (True, True)
    for battle, why in ((papers[0], "isn't of a battle"), (papers[1].replace(b"GaveUp", b"GaveIn"), "is wrong")):
        holds, lines = await asyncio.to_thread(prove_record, papers[0], battles=[battle])
        assert (holds, why in lines[0]) == (False, True), lines


async def test_a_fight_about_which_nobody_asks_any_more_is_called_off(sea: Sea) -> None:
    await until_they_meet(sea)
    panel = await wind_panel(sea, sea.bela)
    await sea.concede(sea.bela, 1)
    assert [game["phase"] for game in sea.rows("games")["games"]] == ["over", "cancelled"]
    assert not [row for row in sea.rows("requests")["requests"] if row["status"] != "closed"]
    # The buttons of its panel are gone.
    assert not refs(sea.again(sea.bela, panel))
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
