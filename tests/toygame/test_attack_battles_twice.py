"""Attack: one battle counted twice, records after going back, and captains who have left."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from msgspec import structs

from bot.ops.shell import prove_record
from bot.record.export import check, stamped, write
from rules import fairness
from tests.bot.doors.test_captains import until_offered  # noqa: F401
from tests.sea import Sea
from tests.toygame.test_attack_battles import give_up, meet_again
from tests.toygame.test_play import concede, until_they_meet, wind_panel


async def draw(sea: Sea, game: int) -> None:
    for who in (sea.anna, sea.bela):
        await sea.bot.table.offer_draw(who.id, game)
    await sea.settle()


async def test_one_battle_does_not_prove_two_answers(sea: Sea) -> None:
    await until_they_meet(sea)
    await draw(sea, 2)
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    for who in (sea.anna, sea.bela):
        await sea.write(who, "hold")
        await sea.press(who, sea.reply(who), "seal")
    await sea.settle()
    await draw(sea, 3)
    await concede(sea, sea.bela)
    paper, battle = [await sea.bot.table.archive.finished(number) for number in (1, 2)]
    digests = [
        msgspec.json.decode(a.body)["digest"] for s in paper.record.steps for a in s.answers if "digest" in a.body
    ]
    assert len(set(digests)) == 2
    game = paper.record.seed_commitment

    def forged(answer: Any) -> Any:
        if answer.request != "r2.fight.A1-B1":
            return answer
        body = answer.body.replace(digests[1], digests[0])
        hashed = fairness.seal_hash(2, game, answer.request, body, answer.nonce)
        return structs.replace(answer, body=body, commitment=hashed)

    steps = tuple(structs.replace(s, answers=tuple(map(forged, s.answers))) for s in paper.record.steps)
    record = structs.replace(paper.record, steps=steps)
    parent = write(stamped(structs.replace(paper, record=record, notes=())))
    holds, lines = await asyncio.to_thread(prove_record, parent, battles=[write(battle), write(battle)])
    assert (holds, "cannot answer two questions" in lines[-1]) == (False, True)
    holds, lines = await asyncio.to_thread(prove_record, write(paper), battles=[write(battle), write(battle)])
    assert (holds, "cannot answer two questions" in lines[-1]) == (False, True)


async def test_a_record_of_a_game_that_went_back_behind_its_battle_holds(sea: Sea) -> None:
    await until_they_meet(sea)
    await give_up(sea, sea.bela, 2)
    await sea.command(sea.anna, "admin undo", game="1", to_round=1)
    asked = next(act for act in sea.rows("acts")["acts"] if act["kind"] == "undo_asked")
    await sea.bot.table.repair.agree(sea.bela.id, 1, asked["id"])
    await sea.settle()
    await meet_again(sea)
    await give_up(sea, sea.anna, 3)
    await give_up(sea, sea.bela, 1)
    papers = [await sea.bot.table.archive.finished(number) for number in (1, 2, 3)]
    assert check(write(papers[0]), papers[0].digest) is None
    holds, lines = await asyncio.to_thread(prove_record, write(papers[0]), battles=[write(one) for one in papers[1:]])
    assert holds
    assert sum("was played as it says" in line for line in lines) == 2


async def test_going_back_while_a_battle_goes_on_calls_it_off(sea: Sea) -> None:
    await until_they_meet(sea)
    await sea.command(sea.anna, "admin undo", game="1", to_round=1)
    asked = next(act for act in sea.rows("acts")["acts"] if act["kind"] == "undo_asked")
    await sea.bot.table.repair.agree(sea.bela.id, 1, asked["id"])
    await sea.settle()
    assert [g["phase"] for g in sea.rows("games")["games"]] == ["running", "cancelled"]
    assert not sea.faults
