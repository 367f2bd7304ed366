"""Going back: what nobody has seen is taken back at once, what was revealed only if all captains agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Refusal
from bot.record.export import check_export
from bot.texts.i18n import Catalogue
from rules.core.registry import RULESETS
from rules.core.replay import UndoAction, verify
from tests.bot.papers import exported
from tests.bot.rows import dice, game
from tests.bot.services.test_import import rows, shelled, url
from tests.bot.services.test_open_turns import active, at_sea
from tests.sea import ABEAM, Sea, refs, text_of

EN = Catalogue.load("en")
FIRE = ("A1 XFFFF", "B1 FFFFX")
DAY_S = 86_400


async def round_of_fire(sea: Sea) -> None:
    await sea.both_seal(*FIRE)


def proposal(sea: Sea) -> Any:
    return next(message for message in reversed(sea.thread.history()) if "proposes going back" in text_of(message))


def agreeing(sea: Sea) -> str:
    proposals = [row["id"] for row in sea.rows("acts")["acts"] if row["kind"] == "undo_asked"]
    return f"agree_act {proposals[-1]}"


async def go_back(sea: Sea, to_round: int = 1) -> None:
    await sea.command(sea.anna, "host undo", game="1", to_round=to_round)
    await sea.press(sea.bela, proposal(sea), agreeing(sea))


async def holds(sea: Sea) -> Any:
    record = (await sea.bot.services.archive.export_finished(1)).record
    assert verify(RULESETS[record.setup.system], record) is None
    return record


@pytest.mark.begun
async def test_where_nothing_has_happened_everybodys_seals_drafts_and_deadlines_stay(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.seal(sea.bela, "B1 RFLFR")
    before = sea.rows("games", "requests", "answers", "acts")
    for who in (sea.anna, sea.manager()):
        assert EN.say("refuse.nothing_to_undo") in await sea.command(who, "host undo", game="1")
    assert sea.rows("games", "requests", "answers", "acts") == before
    assert "unseal" in refs(sea.panel(sea.bela))
    assert "Sealed by bela" in sea.told()


@pytest.mark.proves("F8")
async def test_a_round_is_undone_when_all_captains_agree_and_other_dice_fall(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    thrown = dice(sea)
    await round_of_fire(sea)
    first = next(row for row in sea.rows("steps")["steps"] if row["no"] == 1)
    assert dice(sea)["blocks_drawn"]
    assert EN.say("say.undo_asked") in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    message = proposal(sea)
    assert f"<@{sea.bela.id}>" in text_of(message)
    assert game(sea)["step_no"] == 1
    assert EN.say("refuse.not_seated") in await sea.press(sea.cili, message, agreeing(sea))
    # Who has proposed it has agreed; once more changes nothing.
    assert EN.say("say.undo_agreed") in await sea.press(sea.anna, message, agreeing(sea))
    assert EN.say("refuse.asked_already") in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert game(sea)["step_no"] == 1
    assert EN.say("say.undone") in await sea.press(sea.bela, message, agreeing(sea))
    assert game(sea)["step_no"] == 2
    assert not refs(sea.again(sea.anna, message))
    assert "with other dice" in sea.told()
    (said,) = [message for message in sea.thread.history() if "with other dice" in text_of(message)]
    assert len(said.attachments) == 1
    assert dice(sea)["blocks_drawn"] == 0
    assert dice(sea)["seed"] != thrown["seed"]

    # The captains find their drafts, in new panels; the old ones are closed.
    assert "X F F F F" in text_of(sea.panel(sea.anna))
    pending = await sea.asked(sea.anna)
    assert pending.row.id == "r1.orders.0"
    assert pending.row.deadline - sea.now().timestamp() > DAY_S - 60
    for who in (sea.anna, sea.bela):
        await sea.press(who, sea.panel(who), "seal")
    again = sea.rows("steps")["steps"][-1]
    assert again["no"] == 3
    assert again["events"] != first["events"]
    await sea.concede(sea.bela)
    record = await holds(sea)
    assert [step.act for step in record.steps if isinstance(step.act, UndoAction)] == [UndoAction(to=0)]
    assert [answer.request for step in record.steps for answer in step.answers] == ["r1.orders.0", "r1.orders.1"] * 2


@pytest.mark.begun
async def test_each_captain_proposes_going_back_from_more_and_the_thread_tells_it_in_order(sea: Sea) -> None:
    assert "ask_undo" not in refs(await sea.turned(sea.bela, sea.panel(sea.bela), "ask_undo"))
    await round_of_fire(sea)
    assert "ask_undo" not in refs(sea.panel(sea.bela))
    await sea.press(sea.bela, await sea.turned(sea.bela, sea.panel(sea.bela), "ask_undo"), "ask_undo")
    assert "Round 1" in text_of(sea.answers[0])
    (sure,) = sea.answers
    await sea.press(sea.bela, sure, "propose_undo 1")
    assert EN.say("say.undo_asked") in text_of(sea.again(sea.bela, sure))
    assert EN.say("say.undone") in await sea.press(sea.anna, proposal(sea), agreeing(sea))
    texts = [text_of(message) for message in sea.thread.history()]
    back = next(at for at, text in enumerate(texts) if "has gone back to the beginning" in text)
    waiting = [at for at, text in enumerate(texts) if "waiting for orders from" in text]
    assert waiting == [back + 1]


async def test_a_game_that_went_back_goes_on_paper_and_into_another_database(sea: Sea, tmp_path: Path) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    for _ in range(2):
        await round_of_fire(sea)
        await go_back(sea)
    await round_of_fire(sea)
    assert "fits its hash" in await sea.command(sea.cili, "verify", game="1")
    await sea.concede(sea.bela)
    data = await exported(sea, sea.cili)
    assert check_export(data) is None
    file, other = tmp_path / "game.json", tmp_path / "other.sqlite"
    file.write_bytes(data)
    done = await shelled("import", file, "--database", url(other))
    assert (done.exit_code, "#1" in done.output) == (0, True), done.output
    for table in ("steps", "requests", "answers"):
        common = [row["state"] if table == "steps" else (row.get("id"), row["seat"]) for row in rows(other, table)]
        ours = [row["state"] if table == "steps" else (row.get("id"), row["seat"]) for row in sea.rows(table)[table]]
        assert [row for row in ours if row in common] == common
    sea.database_url = url(other)
    await sea.restart()
    assert await exported(sea, sea.bela) == data
    assert await sea.command(sea.cili, "film", game="1", round=1) == "" or sea.answers[0].attachments


async def test_chapters_films_and_logs_tell_what_stands(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await round_of_fire(sea)
    story = [message for message in sea.thread.history() if "film" in refs(message)][-1]
    await go_back(sea)
    rounds = await sea.bot.services.reader.rounds.chapters(1)
    assert [(chapter.round, chapter.steps) for chapter in rounds] == [(0, (0, 2))]
    await sea.both_seal("A1 FFFFX", "B1 FFXFF")
    rounds = await sea.bot.services.reader.rounds.chapters(1)
    assert [(chapter.round, chapter.steps) for chapter in rounds] == [(0, (0, 2)), (1, (3,))]
    # The message of what was taken back still tells it.
    await sea.press(sea.cili, story, "log")
    texts = "\n".join(text_of(answer) for answer in sea.answers)
    assert "XFFFF" in texts
    assert "A1** F F F F X" not in texts
    assert "A1 XFFFF;" in await sea.sealed_texts(sea.cili)
    await sea.press(sea.cili, story, "film")
    assert sea.answers[0].attachments
    newest = [message for message in sea.thread.history() if "log" in refs(message)][-1]
    await sea.press(sea.cili, newest, "log")
    texts = "\n".join(text_of(answer) for answer in sea.answers)
    assert "A1** F F F F X" in texts
    assert "A1 FFFFX;" in await sea.sealed_texts(sea.cili)
    assert "XFFFF" not in texts


async def test_a_round_can_be_undone_from_its_middle_and_again(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    for _ in range(2):
        await sea.both_seal("A1 XFFFF; aim ask", "B1 FFFFX")
        assert (await sea.asked(sea.anna)).row.id == "r1.1.aim.A1"
        await sea.command(sea.bela, "orders", game="1")
        await sea.command(sea.anna, "host undo", game="1", to_round=1)
        await sea.restart()
        await sea.press(sea.bela, proposal(sea), agreeing(sea))
        await sea.restart()
        assert (await sea.asked(sea.anna)).row.id == "r1.orders.0"
    await sea.both_seal("A1 FFFFX; aim steady", "B1 FFXFF")
    assert [cause["to"] for cause in causes(sea) if cause["type"] == "UndoAction"] == [0, 2]
    assert game(sea)["step_no"] == 5
    await sea.concede(sea.bela)
    await holds(sea)


def causes(sea: Sea) -> list[dict[str, Any]]:
    return [json.loads(row["cause"]) for row in sea.rows("steps")["steps"]]


@pytest.mark.begun
async def test_further_back_over_what_was_undone_before(sea: Sea) -> None:
    orders = ("A1 FRFRF", "B1 FRFRF")
    await sea.both_seal(*orders)
    await sea.both_seal(*orders)
    await go_back(sea, 2)
    await sea.both_seal(*orders)
    await go_back(sea)
    assert [cause["to"] for cause in causes(sea) if cause["type"] == "UndoAction"] == [1, 0]
    await sea.both_seal(*orders)
    assert (await sea.asked(sea.bela)).row.body.round == 2
    await sea.concede(sea.bela)
    await holds(sea)


@pytest.mark.begun
async def test_a_proposal_lapses_when_the_game_goes_on(sea: Sea) -> None:
    await round_of_fire(sea)
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    message = proposal(sea)
    (stale,) = [int(ref.token) for ref in refs(message).values() if ref.verb == "agree_act"]
    await round_of_fire(sea)
    assert not refs(sea.again(sea.anna, message))
    before = sea.rows("games", "steps", "requests")
    with pytest.raises(Refusal, match="lapsed"):
        await sea.bot.services.repair.agree_to(sea.bela.id, 1, stale)
    assert sea.rows("games", "steps", "requests") == before


async def test_alone_against_the_computer_nobody_else_need_agree(sea: Sea) -> None:
    await sea.begin_at(ABEAM)
    await sea.seal(sea.anna, "A1 XFFFF")
    (first,) = [row["body"] for row in sea.rows("answers")["answers"] if row["request_id"] == "r1.orders.1"]
    assert EN.say("say.undone") in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    rows = {row["request_id"]: row for row in sea.rows("answers")["answers"]}
    assert rows["r1.orders.1"]["given_by"] == "computer"
    assert rows["r1.orders.1~2"]["body"] == first
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert game(sea)["step_no"] == 3


@pytest.mark.begun
async def test_there_is_no_way_back_to_what_has_not_been(sea: Sea) -> None:
    await round_of_fire(sea)
    before = sea.rows()
    for later in (2, 9999):
        said = await sea.command(sea.anna, "host undo", game="1", to_round=later)
        assert EN.say("refuse.round_not_played", round=later, last=1) in said
    assert sea.rows() == before


@pytest.mark.proves("F9")
async def test_giving_up_by_mistake_is_taken_back_while_nothing_was_revealed(sea: Sea) -> None:
    await sea.command(sea.anna, "new", captains=2, galleys="1", computer=2)
    await sea.command(sea.bela, "join")
    south, north = "south 4-4+2/6", "north 4-4+2/6"
    position = f"A1:{south} @200,80^0 ; B1:{north} @200,520^180 ; C1:{south} @600,80^0 ; D1:{north} @600,520^180"
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", f"900x600 ; {position}")
    sea.change_rows("UPDATE seats SET team = seat % 2")
    await sea.command(sea.anna, "start")
    thrown = dice(sea)
    await sea.write(sea.bela, "B1 FFRFX")
    await sea.concede(sea.anna)
    assert game(sea)["phase"] == "running"
    assert "isn't your turn" in await sea.write(sea.anna, "A1 FFFFF")
    assert await sea.asked(sea.bela)
    assert EN.say("say.undone") in await sea.command(sea.anna, "host undo", game="1")
    assert sea.rows("seats")["seats"][0]["conceded"] == 0
    assert dice(sea) == thrown
    assert await sea.asked(sea.anna)
    assert "F F R F X" in text_of(sea.panel(sea.bela))
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.seal(sea.anna, "A1 FFFFX")
    assert game(sea)["step_no"] == 3


async def test_open_turns_are_undone_too(sea: Sea) -> None:
    await at_sea(sea)
    who, first = await active(sea)
    other = sea.bela if who is sea.anna else sea.anna
    started = first.row.body.round
    await sea.write(other, "any: end")  # a plan stored for the other captain's own turn
    await sea.press(who, sea.panel(who), "press end")
    told = [text_of(message) for message in sea.thread.history() if "log" in refs(message)]
    await go_back(sea, started)
    who, again = await active(sea)
    assert again.row.id == first.row.id
    assert again.row.deadline - sea.now().timestamp() > DAY_S - 60
    # A new message tells what happens now; the old one stays as it was, except for who would have acted next.
    await sea.press(who, sea.panel(who), "press end")
    stories = [text_of(message) for message in sea.thread.history() if "log" in refs(message)]
    assert stories[: len(told)] == [*told[:-1], told[-1].partition("\nNext to act")[0]] != told
    assert len(stories) > len(told)
    await sea.concede(sea.bela)
    await holds(sea)


async def test_a_proposal_outlives_what_is_done_in_secret(sea: Sea) -> None:
    await at_sea(sea)
    who, first = await active(sea)
    other = sea.bela if who is sea.anna else sea.anna
    started = first.row.body.round
    await sea.press(who, sea.panel(who), "press end")
    await sea.command(sea.anna, "host undo", game="1", to_round=started)
    message, before = proposal(sea), game(sea)["step_no"]
    await sea.seal(who, "any: end")
    assert game(sea)["step_no"] == before + 1
    assert agreeing(sea) in refs(sea.again(sea.anna, message))
    await sea.press(sea.bela, message, agreeing(sea))
    again, pending = await active(sea)
    assert (again, pending.row.id) == (who, first.row.id)
    assert other is not again


@pytest.mark.parametrize("cause", ["deadline", "manager"])
async def test_what_a_deadline_or_a_manager_has_shown_is_not_taken_back_alone(sea: Sea, cause: str) -> None:
    await sea.begin_at(ABEAM, sea.bela, missed="hold")
    await sea.seal(sea.anna, FIRE[0])
    if cause == "deadline":
        await sea.env.advance_time(DAY_S + 1)
        await sea.settle()
    else:
        await sea.command(sea.manager(), "host resolve", game="1")
    thrown = dice(sea)
    assert (game(sea)["step_no"], bool(thrown["blocks_drawn"])) == (1, True)
    assert EN.say("refuse.nothing_to_undo") in await sea.command(sea.anna, "host undo", game="1")
    assert EN.say("say.undo_asked") in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert game(sea)["step_no"] == 1
    await sea.press(sea.bela, proposal(sea), agreeing(sea))
    assert dice(sea)["seed"] != thrown["seed"]
