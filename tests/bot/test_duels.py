"""Whole duels through Discord: by buttons, by typing, and against the computer."""

from __future__ import annotations

import re
from typing import Any

from bot.sandbox import private
from rules.chance import fairness
from tests.bot.captains import by_buttons, by_typing, play
from tests.bot.records import assert_holds
from tests.sea import Sea, refs, text_of

_SEALS = re.compile(r"🔒 Sealed by ([^:]+): ((?: ?`[0-9a-f]{8}…`)+)")


async def assert_told_and_sealed(sea: Sea) -> None:
    """Check that the thread told every step with a described picture, and that seals match the stored answers."""
    rows, thread = sea.rows(), sea.told()
    stories = [message for message in sea.thread.history() if message.attachments]
    assert len(stories) == len(rows["steps"])
    for message in stories:
        (picture,) = message.attachments
        assert private.uploaded_files(sea.env.backend)[picture.url].startswith(b"\x89PNG")
        assert picture.description
        assert {"log", "view"} <= set(refs(message))
    sealed = {answer["commitment"]: answer for answer in rows["answers"] if answer["given_by"] == "captain"}
    names = {seat["seat"]: name for seat in rows["seats"] for name in _names(rows, seat["user_id"])}
    published = {
        seal
        for who, hashes in _SEALS.findall(thread)
        for seal in zip(who.split(" and "), re.findall(r"\w{8}", hashes), strict=True)
    }
    assert {(names[answer["seat"]], seal[:8]) for seal, answer in sealed.items()} == {
        (who, seal) for who, seal in published if who in names.values()
    }
    for answer in rows["answers"]:
        opened = (answer["request_id"], answer["body"], answer["nonce"])
        assert answer["commitment"] == fairness.hash_answer(fairness.hash_seed(rows["games"][0]["seed"]), *opened)
    (game,) = rows["games"]
    assert game["phase"] == "over"
    record = await assert_holds(sea)
    (ending,) = (event for event in record.steps[-1].events if event["type"] in ("GameWon", "GameDrawn"))
    if ending["type"] == "GameWon":
        winners = [names[seat] for seat in ending["seats"]]
        assert all(winner in text_of(stories[-1]) for winner in winners)
    assert not any(row["status"] != "closed" for row in rows["requests"])


def _names(rows: dict[str, list[dict[str, object]]], user_id: object) -> list[object]:
    return [player["name"] for player in rows["players"] if player["user_id"] == user_id]


async def test_a_duel_of_one_who_presses_against_one_who_types(sea: Sea) -> None:
    async def answer(sea: Sea, who: Any, pending: Any) -> None:
        await (by_buttons if who is sea.anna else by_typing)(sea, who, pending)

    await sea.begin(sea.bela, galleys="1", table="coffee")
    await play(sea, (sea.anna, sea.bela), answer)
    await assert_told_and_sealed(sea)
    assert {verb for who in (sea.anna, sea.bela) for message in sea.dms(who) for verb in refs(message)} == {
        "why_last",
        "replay",
        "rematch",
    }


async def test_a_duel_against_the_computer(sea: Sea) -> None:
    await sea.begin(galleys="1", table="coffee")
    await play(sea, (sea.anna,), by_typing)
    assert re.search(r"Sealed by anna and \w+ \w+ \w+: `", sea.told()), "the computer, too"
    await assert_told_and_sealed(sea)


async def test_fleets_for_points_are_chosen_in_secret_shown_together_and_sail(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1", table="kitchen", deployment="ready")
    for key, value in (("points", "36"), ("vessels", "on")):
        await sea.choose(sea.anna, key, value)
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    assert "you have 36 points for at most 8 vessels" in text_of(sea.panel(sea.anna))
    form = await sea.click_only(sea.anna, sea.panel(sea.anna), refs(sea.panel(sea.anna))["type"])
    assert form.modal["components"][0]["label"] == "Fleet", "no orders"
    assert "This fleet costs 37 points; you have only 36." in await sea.write(sea.anna, "5 6 4t")
    await sea.pick(sea.anna, sea.panel(sea.anna), "build", "build.8h")
    assert "You would lose **18 points**" in text_of(sea.panel(sea.anna))
    await sea.pick(sea.anna, sea.panel(sea.anna), "build", "build.4t")
    assert "You would lose" not in text_of(sea.panel(sea.anna))
    assert "heavy galley 8/4 and towered galley 4/4" in text_of(sea.panel(sea.anna))
    assert "**3 of 36 points left**" in text_of(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert "heavy galley" not in sea.told()
    await sea.write(sea.bela, "3x5s 5 4f")
    assert "more vessels" not in text_of(sea.panel(sea.bela))
    await sea.seal(sea.bela, "5 6 5s 4f")
    thread = sea.told()
    assert "anna brings heavy galley 8/4 and towered galley 4/4." in thread
    assert "bela brings 5/3, 6/2, scout 5/2, and fire ship 4/0." in thread
    for who, other in ((sea.anna, "bela"), (sea.bela, "anna")):
        assert re.findall(r"(\w+) brings", text_of(sea.panel(who)))[0] == other, "one's own fleet is no news"
    await sea.seal(sea.anna, "A1 FFFFX; A2 FFFXX")
    await sea.seal(sea.bela, "B1 FFFFF; B2 FFFFF; B3 FFFFF; B4 FFFF")
    steps = sea.rows("steps")["steps"]
    assert len(steps) == 3, "it begins, fleets are shown and set down, and the first round is over"
    assert text_of(sea.panel(sea.anna)).count("A2")


async def test_a_galley_floats_with_one_side_empty_if_the_host_says_so(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.choose(sea.anna, "sinks", "both_sides")
    assert "Sinking: both sides" in text_of(sea.channel.last_message)
    await sea.command(sea.bela, "join")
    position = "1200x800 ; A1:south 2-2+0/6 @600,340^0 ; B1:north 5-2+0/6 @600,401^90"
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", position)
    await sea.command(sea.anna, "start")
    await sea.seal(sea.anna, "A1 FL")
    await sea.seal(sea.bela, "B1 FF")
    assert "goes down" not in sea.told()
    assert "Ready: press **Seal**" in text_of(sea.panel(sea.bela)), (
        "she can neither row nor fire, and need not move rowers"
    )
    assert "allow only 0 moves and turns. (MB-3.4)" in await sea.write(sea.bela, "B1 F")
    await sea.seal(sea.bela, "B1 ZZ")
    await sea.seal(sea.anna, "A1 LL")
    assert "B1 evens out her rowers, 2 | 2" in sea.told()
    await sea.seal(sea.bela, "B1 FF")
    await sea.seal(sea.anna, "A1 FF")
    assert "B1 (bela): `FF`" in sea.told()
