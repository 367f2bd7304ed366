"""Battles: reports, dice, hints and records cannot be forged, and each counts once."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from bot.cli.shell import prove_record
from bot.errors import Refusal
from bot.jobs.turns import MAX_PICTURES_PER_USER
from bot.jobs.values import HintRef
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.steps.playing import load_seated_game
from bot.presenters.wording import game_localizer
from bot.record.bundle import unpack_records
from bot.record.export import RunningGame, check_export, decode_export, encode_export, with_digest
from bot.services.repair import Caller
from bot.store.models.records import Captaincy, Player
from bot.store.queries.captains import CaptaincyQueries
from bot.texts.i18n import Catalogue
from rules.chance import fairness
from tests.bot.lifecycle.test_restored_backups import back_up, restore
from tests.bot.services.test_captains import until_offered  # noqa: F401
from tests.sea import Sea
from tests.toygame.test_play import begin_duel, go_back, open_duel, set_up, until_they_meet, wind_panel

EN = Catalogue.load("en")


async def meet_again(sea: Sea) -> None:
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    await sea.seal(sea.anna, "A1 E2")
    await sea.seal(sea.bela, "hold")
    await sea.settle()


async def test_a_battle_that_was_taken_back_never_answers_what_is_asked_again(sea: Sea) -> None:
    await until_they_meet(sea)
    await sea.concede(sea.bela, 2)  # Bela loses the battle; the round goes on, and then it is taken back
    await go_back(sea)
    await meet_again(sea)
    assert [g["phase"] for g in sea.rows("games")["games"]][2:] == ["running"]
    before = [one["body"] for one in sea.rows("answers")["answers"] if one["given_by"] == "battle"]
    await sea.restart()
    await sea.settle()
    after = [one["body"] for one in sea.rows("answers")["answers"] if one["given_by"] == "battle"]
    assert after == before  # the new battle goes on; nobody has answered


async def test_a_battle_of_a_rated_game_gives_no_hints(sea: Sea) -> None:
    await until_they_meet(sea)
    assert sea.rows("games")["games"][0]["rated"]
    # A host's own scenario, by which they met, would not count.
    sea.change_rows("UPDATE games SET setup = json_remove(setup, '$.scenario') WHERE id = 1")
    asked = await sea.bot.services.reader.requests.pending_request(sea.bela.id, 2)
    with pytest.raises(Refusal, match="no_hints"):
        await sea.bot.services.orders.compute_hint(asked, HintRef("0" * 8))


async def test_the_dice_of_a_battle_hang_on_the_words_of_its_captains(sea: Sea) -> None:
    await open_duel(sea, fights="played")
    await sea.bot.services.lobbies.add_word(sea.bela.id, 1, "rostrum")
    await sea.bot.services.lobbies.start_game(sea.anna.id, 1, None)
    await sea.settle()
    await meet_again(sea)
    battle = await sea.bot.services.reader.games.seated_game(2)
    # When a battle's seed is drawn, the operator knows the whole position, and no word is in the seed.
    of_chance_alone = {fairness.derive_dice_seed(one, (None, None)) for one in sea.chances}
    assert battle.dice_seed not in of_chance_alone


async def papers_of(sea: Sea) -> tuple[bytes, bytes]:
    await until_they_meet(sea)
    await sea.concede(sea.bela, 2)
    await sea.concede(sea.bela)
    one, two = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    return one, two


async def test_a_battle_that_only_claims_its_fingerprint_is_not_said_to_be_the_one_that_was_played(sea: Sea) -> None:
    parent, battle = await papers_of(sea)
    real = decode_export(battle)
    names = structs.replace(real, captains=("somebody", "else"), published=real.digest)
    forged = encode_export(with_digest(names))
    assert decode_export(forged).digest != real.digest
    holds, lines = await asyncio.to_thread(prove_record, parent, battles=[forged])
    assert not holds or any("withdrawn" in line or "forgotten" in line for line in lines)
    assert not any("went as stated here" in line for line in lines)


@pytest.mark.proves("F14")
async def test_another_battle_that_ended_alike_is_not_said_to_be_the_one_that_was_played(sea: Sea) -> None:
    """Other seed, other answers, another game altogether: it only says what its fingerprint was."""
    parent, battle = await papers_of(sea)
    real = decode_export(battle)
    seed = "ab" * 32
    record = real.record
    first = structs.replace(record, seed=seed, seed_commitment=fairness.hash_seed(seed), words=("made", "up"))
    forged = encode_export(with_digest(structs.replace(real, record=first, published=real.digest, notes=())))
    holds, lines = await asyncio.to_thread(prove_record, parent, battles=[forged])
    assert (holds, "isn't of a battle of this game" in lines[-1]) == (False, True)


async def draw(sea: Sea, game: int) -> None:
    for who in (sea.anna, sea.bela):
        await sea.bot.services.offer_draw(who.id, game)
    await sea.settle()


# A battle counts once; records after going back; captains who have left.
@pytest.mark.proves("F14")
async def test_one_battle_does_not_prove_two_answers(sea: Sea) -> None:
    await until_they_meet(sea)
    await draw(sea, 2)
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    for who in (sea.anna, sea.bela):
        await sea.seal(who, "hold")
    await sea.settle()
    await draw(sea, 3)
    await sea.concede(sea.bela)
    paper, battle = [await sea.bot.services.archive.export_finished(number) for number in (1, 2)]
    digests = [
        msgspec.json.decode(a.body)["digest"] for s in paper.record.steps for a in s.answers if "digest" in a.body
    ]
    assert len(set(digests)) == 2
    game = paper.record.seed_commitment

    def forged(answer: Any) -> Any:
        if answer.request != "r2.fight.A1-B1":
            return answer
        body = answer.body.replace(digests[1], digests[0])
        hashed = fairness.hash_answer(game, answer.request, body, answer.nonce)
        return structs.replace(answer, body=body, commitment=hashed)

    steps = tuple(structs.replace(s, answers=tuple(map(forged, s.answers))) for s in paper.record.steps)
    record = structs.replace(paper.record, steps=steps)
    parent = encode_export(with_digest(structs.replace(paper, record=record, notes=())))
    holds, lines = await asyncio.to_thread(prove_record, parent, battles=[encode_export(battle), encode_export(battle)])
    assert (holds, "can't answer two questions" in lines[-1]) == (False, True)
    holds, lines = await asyncio.to_thread(
        prove_record, encode_export(paper), battles=[encode_export(battle), encode_export(battle)]
    )
    assert (holds, "can't answer two questions" in lines[-1]) == (False, True)


async def test_a_record_of_a_game_that_went_back_behind_its_battle_holds(sea: Sea) -> None:
    await until_they_meet(sea)
    await sea.concede(sea.bela, 2)
    await go_back(sea)
    await meet_again(sea)
    await sea.concede(sea.anna, 3)
    await sea.concede(sea.bela, 1)
    papers = [await sea.bot.services.archive.export_finished(number) for number in (1, 2, 3)]
    assert check_export(encode_export(papers[0]), papers[0].digest) is None
    holds, lines = await asyncio.to_thread(
        prove_record, encode_export(papers[0]), battles=[encode_export(one) for one in papers[1:]]
    )
    assert holds
    assert sum("went as stated here" in line for line in lines) == 2


async def test_going_back_while_a_battle_goes_on_calls_it_off(sea: Sea) -> None:
    await until_they_meet(sea)
    await go_back(sea)
    assert [g["phase"] for g in sea.rows("games")["games"]] == ["running", "cancelled"]
    assert not sea.faults


# Who has lost a seat no longer fights its battle.
async def test_one_who_takes_a_seat_over_fights_its_battle_too(sea: Sea) -> None:
    await until_they_meet(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.bot.services.absence.take_over_seat(Player(user_id=sea.cili.id, name="cili", locale="en"), 1, 0)
    await sea.settle()
    battle = [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]
    assert battle == [sea.cili.id, sea.bela.id]
    told = [act["game_id"] for act in sea.rows("acts")["acts"] if act["kind"] == "substituted"]
    assert told == [1, 2]


async def test_one_replaced_by_the_computer_fights_no_battle_either(sea: Sea) -> None:
    await until_they_meet(sea)
    await sea.bot.services.repair.kick_captain(
        Caller(user_id=sea.cili.id, managed_guild_id=sea.guild.id), 1, 1, computer=True
    )
    await sea.settle()
    seats = [(seat["user_id"], seat["computer"]) for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]
    assert seats == [(sea.anna.id, 0), (None, 1)]
    assert sea.rows("games")["games"][1]["step_no"] == 1  # the computer has called the wind, and waits for Anna
    async with sea.bot.services.store.read() as tx:
        above, battle = [await load_seated_game(tx, number) for number in (1, 2)]
    names, names_above = (game_localizer(each, "en").names for each in (battle, above))
    assert {seat: names_above[seat_above] for seat, (_, seat_above) in battle.seats_above.items()} == names
    assert not sea.faults


async def met_after_lending(sea: Sea, chief: Any = None) -> None:
    """Lend Anna's seat to Cili, whose ship then meets Béla's: the battle is game 2. `chief` judges before."""
    await begin_duel(sea, fights="played")
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    if chief:
        for act in ("pause", "resume"):
            await sea.command(chief, f"host {act}", game="1")
    for who, text in ((sea.cili, "A1 E2"), (sea.bela, "hold")):
        await sea.seal(who, text)
    await sea.settle()
    assert [one["user_id"] for one in sea.rows("seats")["seats"] if one["game_id"] == 2] == [sea.cili.id, sea.bela.id]


def offer(sea: Sea, seat: int) -> None:
    """Return the offer of a seat of the battle that nobody holds any more."""
    sea.change_rows("UPDATE seats SET offered_at = 1, user_id = NULL WHERE game_id = 2 AND seat = ?", seat)


async def test_a_seat_in_a_battle_is_not_open_to_the_other_side_of_its_game(sea: Sea) -> None:
    await met_after_lending(sea)
    offer(sea, 1)
    with pytest.raises(Refusal, match="turncoat"):
        await sea.bot.services.absence.take_over_seat(Player(user_id=sea.anna.id, name="anna", locale="en"), 2)
    # Somebody who played neither there nor here may have it.
    dora = sea.member("dora")
    await sea.bot.services.absence.take_over_seat(Player(user_id=dora.id, name="dora", locale="en"), 2)
    # And plays for that side from now on: the other side of the game above is closed.
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    with pytest.raises(Refusal, match="turncoat"):
        await sea.bot.services.absence.take_over_seat(Player(user_id=dora.id, name="dora", locale="en"), 1)
    await sea.settle()


async def test_who_judged_a_game_takes_no_seat_in_its_battles(sea: Sea) -> None:
    chief = sea.manager("chief")
    await met_after_lending(sea, chief)
    offer(sea, 1)
    with pytest.raises(Refusal, match="referee"):
        await sea.bot.services.absence.take_over_seat(Player(user_id=chief.id, name="chief", locale="en"), 2)


async def two_against_one(sea: Sea, fights: str) -> tuple[Any, Any]:
    """Begin a game that Anna hosts with the first ship; the ship `fights` meets the enemy's: its battle is game 2.

    Return Anna's ally, and their enemy.
    """
    await sea.command(sea.anna, "new", system="toygame")
    anna, ally = ("[1, 3]", "[1, 5]") if fights == "A1" else ("[1, 5]", "[1, 3]")
    ships = f"size = [9, 6]\nsight = 9\nships = [[{anna}], [{ally}], [[4, 3], [8, 1]]]\n"
    set_up(sea, ships, [0, 0, 1], packs="2", rounds="3", fights="played")
    for who in (sea.bela, sea.cili):
        await sea.command(who, "join")
    await sea.command(sea.anna, "start")
    people = {one.id: one for one in (sea.anna, sea.bela, sea.cili)}
    first, other, lone = [people[seat["user_id"]] for seat in sea.rows("seats")["seats"]]
    assert first is sea.anna
    await sea.press(lone, await wind_panel(sea, lone), "press calm")
    for who, ship in ((first, "A1"), (other, "B1"), (lone, "")):
        await sea.seal(who, f"{ship} E2" if ship == fights else "hold")
    await sea.settle()
    assert [one["phase"] for one in sea.rows("games")["games"]] == ["running", "running"]
    return other, lone


async def test_giving_up_is_no_way_to_fight_a_battle_again(sea: Sea) -> None:
    """Anna gives up while her ship fights, which calls the battle off."""
    await two_against_one(sea, "A1")
    await sea.concede(sea.anna, 1)
    assert [one["phase"] for one in sea.rows("games")["games"]] == ["running", "cancelled"]
    step_no = sea.rows("games")["games"][0]["step_no"]
    await sea.command(sea.anna, "host undo", game="1")
    assert sea.rows("games")["games"][0]["step_no"] == step_no
    assert sea.rows("seats")["seats"][0]["conceded"] == 1


@pytest.mark.parametrize("fights", ["A1", "B1"])
async def test_giving_up_is_taken_back_while_an_ally_fights_on(sea: Sea, fights: str) -> None:
    """A captain who gives up doesn't fight: the battle goes on, and its end is asked for once."""
    ally, lone = await two_against_one(sea, fights)
    quitter, fighter = (ally, sea.anna) if fights == "A1" else (sea.anna, ally)
    by = sea.manager("chief") if quitter is ally else quitter  # Anna takes back her own giving up as the host
    await sea.press(lone, await wind_panel(sea, lone), "press calm")
    await sea.write(fighter, "A1 E1")
    before = sea.rows("seats", "requests", "answers")
    battle = sea.rows("games")["games"][1]

    def states() -> list[Any]:
        return [json.loads(step["state"]) for step in sea.rows("steps")["steps"] if step["game_id"] == 1]

    await sea.concede(quitter, 1)
    assert len(states()[-1]["ships"]) == 3  # a ship has left the sea, with her captain
    assert [one["phase"] for one in sea.rows("games")["games"]] == ["running", "running"]
    assert EN.say("say.undone") in await sea.command(by, "host undo", game="1")
    await sea.settle()
    assert sea.rows("seats", "requests", "answers") == before
    assert sea.rows("games")["games"][1:] == [battle]
    # The battle's end is the answer that the game above still waits for.
    await sea.restart()
    await sea.concede(lone, 2)
    assert sea.rows("games")["games"][1]["phase"] == "over"
    parent = states()[-1]
    assert (parent["phase"], parent["round"], parent["conceded"]) == ("wind", 2, [])
    assert parent["dice"] == states()[0]["dice"]
    assert len(parent["ships"]) == 3  # the lone captain has lost one; who gave up none
    for who in (sea.anna, ally):
        await sea.concede(who, 1)
    papers = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    holds, lines = await asyncio.to_thread(prove_record, papers[0], battles=papers[1:])
    assert (holds, "went as stated here" in lines[-1]) == (True, True), lines


async def test_nobody_referees_a_battle_of_their_own_side(sea: Sea) -> None:
    """Anna hosts the game, and so the battle that her ally fights: there, too, she acts for her side alone."""
    ally, lone = await two_against_one(sea, "B1")
    eve = sea.member("eve")
    assert [one["user_id"] for one in sea.rows("seats")["seats"] if one["game_id"] == 2] == [ally.id, lone.id]
    before = sea.rows("games", "seats", "requests", "answers", "steps")
    for command, given in (
        ("replace", {"whose": "#2", "substitute": eve}),
        ("replace", {"whose": "#1", "substitute": eve}),
        ("kick", {"whose": "#2"}),
        ("resolve", {}),
        ("pause", {}),
        ("extend", {"by": "30d"}),
    ):
        await sea.command(sea.anna, f"host {command}", game="2", **given)
        assert sea.rows("games", "seats", "requests", "answers", "steps") == before, command
    # What was seen there goes back only if those agree who fight.
    await sea.press(lone, await wind_panel(sea, lone), "press calm")
    assert sea.rows("games")["games"][1]["step_no"] == 1
    await sea.command(sea.anna, "host undo", game="2", to_round=1)
    assert [one["kind"] for one in sea.rows("acts")["acts"] if one["game_id"] == 2][-1] == "undo_asked"
    assert sea.rows("games")["games"][1]["step_no"] == 1
    asked = sea.rows("acts")["acts"][-1]["id"]
    await sea.bot.services.repair.agree_to(ally.id, 2, asked)
    assert sea.rows("games")["games"][1]["step_no"] == 1
    await sea.bot.services.repair.agree_to(lone.id, 2, asked)
    assert sea.rows("games")["games"][1]["step_no"] == 2


async def test_the_captains_of_all_battles_are_read_once_for_a_proposal(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await two_against_one(sea, "B1")
    read = list[int]()
    of = CaptaincyQueries.of_game

    async def noted(self: CaptaincyQueries, game_id: int) -> list[Captaincy]:
        read.append(game_id)
        return await of(self, game_id)

    monkeypatch.setattr(CaptaincyQueries, "of_game", noted)
    assert not await sea.bot.services.repair.resolve_now(Caller(user_id=sea.anna.id), 2)
    assert sorted(read) == [1, 2]


async def test_who_fights_only_in_a_battle_is_no_referee_of_its_game(sea: Sea) -> None:
    """Eve manages the server, and has taken the lone captain's seat in the battle, but none above."""
    ally, _ = await two_against_one(sea, "B1")
    eve, fay = sea.manager("eve"), sea.member("fay")
    offer(sea, 1)
    await sea.bot.services.absence.take_over_seat(Player(user_id=eve.id, name="eve", locale="en"), 2)
    await sea.settle()
    assert [one["user_id"] for one in sea.rows("seats")["seats"] if one["game_id"] == 2] == [ally.id, eve.id]
    before = sea.rows("games", "seats", "requests", "answers", "steps")
    for command, given in (
        ("kick", {"whose": "#1"}),
        ("replace", {"whose": "#2", "substitute": fay}),
        ("undo", {"to_round": 1}),
    ):
        await sea.command(eve, f"host {command}", game="1", **given)
        assert sea.rows("games", "seats", "requests", "answers", "steps") == before, command
    assert [one["kind"] for one in sea.rows("acts")["acts"]][-1] == "undo_asked"
    # Nor does she put a friend who could agree in the place of the other side's absent captain.
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.command(eve, "host replace", game="1", whose="#1", substitute=fay)
    async with sea.bot.services.store.read() as tx:
        captains = await captains_of(tx, await load_seated_game(tx, 1))
    assert (captains.seated_game.seats[0].user_id, captains.may_speak(captains.seated_game.seats[0])) == (fay.id, False)
    # On her own side she may: a friend speaks for it as soon as a substitute does.
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 2")
    gus = sea.member("gus")
    await sea.command(eve, "host replace", game="1", whose="#3", substitute=gus)
    async with sea.bot.services.store.read() as tx:
        captains = await captains_of(tx, await load_seated_game(tx, 1))
    seat = captains.seated_game.seats[2]
    assert (seat.user_id, captains.is_planted(captains.current_captaincy(seat))) == (gus.id, False)
    assert not captains.may_speak(seat)


async def test_who_judged_a_battle_takes_no_seat_in_its_game(sea: Sea) -> None:
    await two_against_one(sea, "B1")
    chief = sea.manager("chief")
    for act in ("pause", "resume"):
        await sea.command(chief, f"host {act}", game="2")
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    with pytest.raises(Refusal, match="referee"):
        await sea.bot.services.absence.take_over_seat(Player(user_id=chief.id, name="chief", locale="en"), 1)


async def test_who_was_put_in_an_absent_captains_seat_speaks_for_that_side_in_no_battle_either(sea: Sea) -> None:
    eve = sea.member("eve")
    await begin_duel(sea, fights="played")
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=eve)
    await sea.press(eve, await wind_panel(sea, eve), "press calm")
    for who, text in ((sea.anna, "A1 E2"), (eve, "hold")):
        await sea.seal(who, text)
    await sea.settle()
    assert [one["user_id"] for one in sea.rows("seats")["seats"] if one["game_id"] == 2] == [sea.anna.id, eve.id]
    # Neither do they agree on a draw of the battle, nor to throw its dice again, nor on more time.
    for who, refused in ((eve, "no_say"), (sea.anna, "no_voice")):
        with pytest.raises(Refusal, match=refused):
            await sea.bot.services.offer_draw(who.id, 2)
    await sea.press(eve, await wind_panel(sea, eve), "press calm")
    said = await sea.command(sea.anna, "host undo", game="2", to_round=1)
    assert EN.say("refuse.no_voice") in said
    assert EN.say("refuse.no_say") in await sea.command(eve, "extend", game="2", pause=True)
    assert sea.rows("games")["games"][1]["step_no"] == 1


async def test_records_of_a_game_and_its_battles_are_written_by_workers_and_count_like_pictures(sea: Sea) -> None:
    await papers_of(sea)
    jobs: list[str] = []
    sea._workers._idle[0].begun = lambda job: jobs.append(job.func.__name__)  # type: ignore[attr-defined]
    await sea.command(sea.cili, "history export", game="1")
    assert [name for name in jobs if "record" in name] == ["write_record", "write_record", "pack_records"]
    alone, packed = [await file.read() for file in sea.answers[0].attachments][:2]
    written = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    assert [alone, *unpack_records(packed)] == [written[0], *written]

    jobs.clear()
    assert "is right" in await sea.command(sea.cili, "verify", game="1")
    assert jobs == ["write_record", "write_record"]

    with contextlib.ExitStack() as stack:
        for _ in range(MAX_PICTURES_PER_USER):
            stack.enter_context(sea.bot.services.asked_by(sea.cili.id))
            sea.bot.services.admit()
        jobs.clear()
        for command in ("history export", "verify"):
            assert await sea.command(sea.cili, command, game="1") == EN.say("refuse.pictures_waiting")
        assert not jobs


async def test_a_running_games_record_is_written_by_a_worker_and_names_no_secret(sea: Sea) -> None:
    await until_they_meet(sea)
    jobs: list[str] = []
    sea._workers._idle[0].begun = lambda job: jobs.append(job.func.__name__)  # type: ignore[attr-defined]
    await sea.command(sea.anna, "history export", game="1")
    assert jobs == ["write_record"]
    (file,) = sea.answers[0].attachments
    record = decode_export(await file.read())
    assert isinstance(record, RunningGame)
    assert sea.rows("games")["games"][0]["seed"] not in str(record)


async def test_after_a_restored_backup_a_battle_is_fought_again_with_other_dice(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await until_they_meet(sea)
    await back_up(sea, backup)
    await sea.concede(sea.bela, 2)
    await restore(sea, backup)
    games = sea.rows("games")["games"]
    assert [game["phase"] for game in games[1:]] == ["cancelled", "running"]
    assert games[1]["seed"] != games[2]["seed"]
    await back_up(sea, backup)
    await sea.env.advance_time(86_400 + 60)  # a round of the battle
    await sea.settle()
    await restore(sea, backup)
    await sea.concede(sea.bela, 3)
    await sea.concede(sea.bela)
    parent, battle = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 3)]
    holds, lines = await asyncio.to_thread(prove_record, parent, battles=[battle])
    assert (holds, "went as stated here" in lines[-2]) == (True, True), lines
    assert "older backup of my database was restored, and other dice fell" in lines[-1]
