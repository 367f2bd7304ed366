"""Giving up and taking it back: nobody looks ahead by it, and nobody else loses anything by it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.record.export import check_export, encode_export
from bot.texts.i18n import Catalogue
from rules.core.replay import UndoAction
from tests.bot.rows import dice, game
from tests.sea import Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
DAY_S = 86_400
HOUR_S = 3_600

MATCHBOX = (
    "1800x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 4-4+4/4 @470,300^0 ; "
    "C1:south 4-4+4/4 @1500,80^0 ; D1:north 4-4+4/4 @1500,520^180"
)
"""Two against two: the galleys of the first two captains lie side by side, the others far away."""
FLEET = (
    "squadrons 1 A 20x16 - vp=9 limit=3 bonus=0/0 lost=-/- ; R1 5@1011N C ; R2 3@1311N C ; "
    "B1 3@1108NE C ; B2 4@0705S C ; lead BL1 Steady@B1 ; lead BL2 Steady@B2 ; lead RL1 Bold@R1 ; lead RL2 Bold@R2"
)
"""Two against two: R1 has B1, the host's, before her beak."""


async def four(sea: Sea, position: str, **options: Any) -> Any:
    """Begin Anna and Cili against Béla and Dora; return Dora."""
    dora = sea.member("dora")
    await sea.begin_at(position, sea.bela, sea.cili, dora, captains="2", **options)
    assert [row["user_id"] for row in sea.rows("seats")["seats"]] == [
        who.id for who in (sea.anna, sea.bela, sea.cili, dora)
    ]
    return dora


def agreeing(sea: Sea) -> tuple[Any, str]:
    return next(
        (message, key)
        for message in reversed(sea.thread.history())
        for key in refs(message)
        if key.startswith("agree_act")
    )


async def holds(sea: Sea) -> None:
    paper = await sea.bot.services.archive.export_finished(1)
    assert check_export(encode_export(paper), paper.digest) is None
    assert any(isinstance(step.act, UndoAction) for step in paper.record.steps)


async def in_matchbox(sea: Sea) -> Any:
    """Play until Anna must say, in the middle of a round, where her volley drops."""
    dora = await four(sea, MATCHBOX, galleys="1")
    for who, text in ((sea.anna, "A1 XFFFF; aim ask"), (sea.bela, "B1 FFFFX"), (sea.cili, "C1 RLXRL")):
        await sea.seal(who, text)
    await sea.seal(dora, "D1 LRXLR")
    return dora


async def in_the_fleet_game(sea: Sea) -> Any:
    """Play until Anna must say, in the middle of a turn, if her ship avoids a ram."""
    dora = await four(sea, FLEET, system="squadrons")
    await sea.seal(sea.anna, "pass\ndoctrine all: avoid=ask fire=off")
    await sea.seal(sea.bela, "R1: M F2 ram B1")
    await sea.seal(sea.cili, "pass")
    await sea.seal(dora, "all: F2")
    return dora


async def in_biremes(sea: Sea) -> Any:
    """Begin a game in which captains act one after the other; it is Anna's turn, or soon will be."""
    dora = sea.member("dora")
    options = {"scenario": "corvus", "sides": "first", "mode": "live", "captains": "2"}
    await sea.begin(sea.bela, sea.cili, dora, system="ramspeed", **options)
    for _ in range(8):
        acting = [(who, pending) for who in (sea.anna, sea.bela, sea.cili, dora) if (pending := await acts(sea, who))]
        ((who, _),) = acting
        if who is sea.anna:
            return dora
        await sea.write(who, "done")
    raise AssertionError("it is never her turn")


async def acts(sea: Sea, who: Any) -> Any:
    pending = await sea.asked(who, 1)
    return pending if pending and not pending.row.optional else None


@pytest.mark.parametrize("begun", [in_matchbox, in_the_fleet_game])
async def test_giving_up_in_mid_round_is_no_free_look_at_the_rest_of_it(sea: Sea, begun: Any) -> None:
    dora = await begun(sea)
    first = await sea.asked(sea.anna, 1)
    assert first, sea.told()
    assert first.row.body.live
    await sea.concede(sea.anna)
    assert game(sea)["phase"] == "running", sea.told()
    seen, before = dice(sea), sea.rows("games", "steps", "requests", "answers")
    # What has been seen is not taken back alone, neither as host nor by a manager.
    assert EN.say("say.undone") not in await sea.command(sea.anna, "host undo", game="1")
    chief = sea.manager("erin")
    assert EN.say("say.undone") not in await sea.command(chief, "host undo", game="1")
    assert sea.rows("games", "steps", "requests", "answers") == before
    # Nor has she a say in anything else by then, but as host she may ask the others to go back.
    assert EN.say("refuse.no_say") in await sea.command(sea.anna, "host extend", game="1", by="1d")
    assert EN.say("say.undo_asked") in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert sea.rows("steps") == {"steps": before["steps"]}
    for who in (sea.bela, sea.cili):
        await sea.press(who, *agreeing(sea))
    assert EN.say("say.undone") in await sea.press(dora, *agreeing(sea))
    assert dice(sea)["seed"] != seen["seed"]
    assert sea.rows("seats")["seats"][0]["conceded"] == 0
    for who in (sea.anna, sea.cili):
        await sea.concede(who)
    await holds(sea)


async def ordering_in_matchbox(sea: Sea) -> Any:
    return await four(sea, MATCHBOX, galleys="1"), {"bela": "B1 FFFFX", "cili": "C1 RLXRL", "dora": "D1 LRXLR"}


async def ordering_in_the_fleet_game(sea: Sea) -> Any:
    dora = await four(sea, FLEET, system="squadrons")
    return dora, {"bela": "R1: M F2 ram B1", "cili": "all: F", "dora": "all: F2"}


async def ordering_in_biremes(sea: Sea) -> Any:
    dora = sea.member("dora")
    options = {"scenario": "corvus", "sides": "first", "captains": "2"}
    await sea.begin(sea.bela, sea.cili, dora, system="ramspeed", **options)
    return dora, {"bela": "all: fwd 2", "cili": "all: fwd 1", "dora": "all: fwd"}


@pytest.mark.parametrize(
    ("begun", "to_round"),
    [
        (ordering_in_matchbox, None),
        (ordering_in_matchbox, 0),
        (ordering_in_the_fleet_game, None),
        (ordering_in_biremes, 0),
    ],
)
async def test_taking_it_back_breaks_no_seal_and_gives_no_time(sea: Sea, begun: Any, to_round: int | None) -> None:
    dora, orders = await begun(sea)
    await sea.write(sea.cili, orders["cili"])
    for who, key in ((sea.bela, "bela"), (dora, "dora")):
        await sea.seal(who, orders[key])
    # What Béla has sealed goes unopened to a substitute.
    erin, chief = sea.member("erin"), sea.manager("chief")
    await sea.command(chief, "host replace", game="1", whose="bela", substitute=erin)
    thrown, began = dice(sea), sea.now().timestamp()
    others = [row for row in sea.rows("requests")["requests"] if row["seat"] != 0]
    mine = next(row for row in sea.rows("requests")["requests"] if row["seat"] == 0)
    seals = sea.rows("answers")
    assert [row["inherited"] for row in others if row["seat"] == 1] == [1]
    for hour in range(4, 24, 6):
        await sea.env.advance_time(began + hour * HOUR_S - sea.now().timestamp())
        await sea.concede(sea.anna)
        options = {} if to_round is None else {"to_round": to_round}
        assert EN.say("say.undone") in await sea.command(sea.anna, "host undo", game="1", **options)
    assert [row for row in sea.rows("requests")["requests"] if row["seat"] != 0] == others
    assert sea.rows("answers") == seals
    again = next(row for row in sea.rows("requests")["requests"] if row["seat"] == 0)
    assert (again["status"], again["deadline"], again["id"]) == ("open", mine["deadline"], mine["id"])
    assert game(sea)["deadline"] == mine["deadline"] < began + DAY_S + 60
    assert dice(sea) == thrown
    assert game(sea)["rated"] == 1
    assert "took back a captain's move" in sea.told()
    # The round goes on as if nothing had been.
    await sea.press(sea.cili, sea.panel(sea.cili), "seal")
    assert await sea.asked(sea.anna)
    assert "type" in refs(sea.panel(sea.anna))
    await sea.env.advance_time(HOUR_S * 3)
    await sea.settle()
    assert not [row for row in sea.rows("requests")["requests"] if row["id"] == mine["id"] and row["status"] == "open"]
    await sea.concede(sea.anna)
    await sea.concede(sea.cili)
    await holds(sea)


async def test_a_captain_who_had_sealed_has_sealed_again(sea: Sea) -> None:
    dora, orders = await ordering_in_matchbox(sea)
    await sea.seal(sea.anna, "A1 XFFFF")
    seals = sea.rows("answers")
    await sea.concede(sea.anna)
    await sea.command(sea.anna, "host undo", game="1")
    assert sea.rows("answers") == seals
    for who, key in ((sea.bela, "bela"), (sea.cili, "cili"), (dora, "dora")):
        await sea.seal(who, orders[key])
    assert (await sea.asked(sea.anna)).row.body.round == 2  # type: ignore[union-attr]


async def test_who_holds_the_seat_by_then_has_the_seal_unopened_and_no_draft(sea: Sea) -> None:
    await ordering_in_matchbox(sea)
    await sea.seal(sea.anna, "A1 XFFFF")
    await sea.concede(sea.anna)
    sea.change_rows("UPDATE captains SET from_step = 1 WHERE seat = 0")  # as if the seat had been handed on since
    await sea.command(sea.anna, "host undo", game="1")
    (row,) = [row for row in sea.rows("requests")["requests"] if row["seat"] == 0]
    assert (row["status"], row["inherited"], row["draft"]) == ("sealed", 1, "")


async def test_nothing_that_was_done_in_secret_is_undone_by_it(sea: Sea) -> None:
    """In open turns a captain gives up who is not acting just now; another changes doctrines meanwhile."""
    dora = await in_biremes(sea)
    people = {who.id: who for who in (sea.anna, sea.bela, sea.cili, dora)}
    names = {seat: people[row["user_id"]] for seat, row in enumerate(sea.rows("seats")["seats"])}
    await sea.write(sea.anna, "done")
    ((acting, pending),) = [(who, request) for who in names.values() if (request := await acts(sea, who))]
    other = next(who for seat, who in names.items() if seat % 2 and who is not acting)
    clock, thrown = pending.row.deadline, dice(sea)
    await sea.concede(sea.anna)
    stored = json.loads(sea.rows("steps")["steps"][-1]["state"])
    await sea.seal(other, "doctrine all: grapple=stand")
    changed = json.loads(sea.rows("steps")["steps"][-1]["state"])
    assert changed["doctrines"] != stored["doctrines"]
    assert EN.say("say.undone") in await sea.command(sea.anna, "host undo", game="1")
    after = json.loads(sea.rows("steps")["steps"][-1]["state"])
    assert after["doctrines"] == changed["doctrines"]
    assert after["conceded"] == []
    assert dice(sea) == thrown
    ((again, pending),) = [(who, request) for who in names.values() if (request := await acts(sea, who))]
    assert (again, pending.row.deadline) == (acting, clock)
    await sea.write(acting, "done")
    for who in (sea.anna, sea.cili):
        await sea.concede(who)
    await holds(sea)


async def test_who_gives_up_in_their_own_turn_has_it_again_with_the_time_that_was_left(sea: Sea) -> None:
    dora = await in_biremes(sea)
    thrown, (first,) = dice(sea), [row for row in sea.rows("requests")["requests"] if row["deadline"]]
    await sea.env.advance_time(5 * HOUR_S)
    await sea.concede(sea.anna)
    assert not await acts(sea, sea.anna)
    assert EN.say("say.undone") in await sea.command(sea.anna, "host undo", game="1")
    pending = await acts(sea, sea.anna)
    assert (pending.row.id, pending.row.deadline) == (first["id"], first["deadline"])
    assert not any([await acts(sea, who) for who in (sea.bela, sea.cili, dora)])
    assert dice(sea) == thrown
    # Once dice have fallen it is too late for that.
    await sea.concede(sea.anna)
    for _ in range(3):
        for who in (sea.bela, sea.cili, dora):
            if await acts(sea, who):
                await sea.write(who, "done")
    assert dice(sea) != thrown
    assert EN.say("say.undone") not in await sea.command(sea.anna, "host undo", game="1")
    assert sea.rows("seats")["seats"][0]["conceded"] == 1


async def test_the_seat_of_who_was_forgotten_meanwhile_is_offered(sea: Sea) -> None:
    await ordering_in_matchbox(sea)
    await sea.seal(sea.bela, "B1 FFFFX")
    await sea.concede(sea.bela)
    await sea.bot.services.privacy.forget_user(sea.bela.id)
    await sea.settle()
    erin, chief = sea.member("erin"), sea.manager("chief")
    assert EN.say("say.undone") in await sea.command(chief, "host undo", game="1")
    (seat,) = [row for row in sea.rows("seats")["seats"] if row["seat"] == 1]
    assert (seat["user_id"], seat["conceded"]) == (None, 0)
    offer = next(message for message in sea.thread.history() if "take_over 1" in refs(message))
    assert EN.say("act.vacant") in text_of(offer)
    await sea.press(erin, offer, "take_over 1")
    (seat,) = [row for row in sea.rows("seats")["seats"] if row["seat"] == 1]
    assert seat["user_id"] == erin.id
    # What was sealed counts, unopened.
    (row,) = [row for row in sea.rows("requests")["requests"] if row["seat"] == 1]
    assert (row["status"], row["inherited"], row["draft"]) == ("sealed", 1, "")
