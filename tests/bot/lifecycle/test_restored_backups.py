"""A restored backup: what everybody has seen since does not come again, and thread and record say so."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from discord import Permissions
from msgspec import structs
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType
from sqlalchemy import make_url

from bot.discord.delivery.own_messages import MAX_MESSAGES_READ
from bot.lifecycle.steps.runner import DueWork, StepRunner
from bot.record.export import check_export, decode_export, encode_export
from bot.store.engine.shard import HeldShards
from bot.texts.i18n import Catalogue
from rules.core.registry import RULESETS
from rules.core.replay import Record, UndoAction, recorded_battles, verify
from tests import pg
from tests.bot.lifecycle.test_rating_limits import FOUR
from tests.bot.papers import exported
from tests.bot.services.test_import import shelled
from tests.bot.services.test_open_turns import active, at_sea
from tests.bot.test_campaign import gulf, pass_a_turn
from tests.sea import ABEAM, Sea, parts, refs, text_of

FIRE = ("A1 XFFFF", "B1 FFFFX")
SAID = {"en": "An older backup of my database was restored", "hu": "Visszaállították az adatbázisom"}


def two_battles() -> str:
    fleets = {"B1": ("EGU", ["A1", "A2"], ["B1", "B2"]), "B2": ("WGU", ["A3", "A4"], ["B3", "B4"])}
    galleys = [
        f"{ship} {place} 5-5+3/5 r0 n0 {name}"
        for name, (place, *sides) in fleets.items()
        for ship in sides[0] + sides[1]
    ]
    battles = [
        {"id": name, "place": place, "sides": [["A"], ["B"]], "galleys": sides, "began": 2}
        for name, (place, *sides) in fleets.items()
    ]
    return json.dumps({**json.loads(gulf(3, *galleys)), "battles": battles})


def last_step(sea: Sea) -> dict[str, Any]:
    step: dict[str, Any] = sea.rows("steps")["steps"][-1]
    return step


def causes(sea: Sea) -> list[dict[str, Any]]:
    return [json.loads(row["cause"]) for row in sea.rows("steps")["steps"]]


def restores(sea: Sea) -> list[dict[str, Any]]:
    return [cause for cause in causes(sea) if cause.get("shown_until")]


def act_in(record: Record) -> UndoAction:
    (act,) = [step.act for step in record.steps if isinstance(step.act, UndoAction)]
    return act


def announced(sea: Sea, language: str = "en") -> int:
    return sea.told().count(SAID[language])


async def back_up(sea: Sea, file: Path) -> None:
    if is_on_server(sea):
        pg.dump(sea.database_url, file)
        return
    done = await shelled("backup", file, "--force", "--database", sea.database_url)
    assert done.exit_code == 0, done.output


def is_on_server(sea: Sea) -> bool:
    return sea.database_url.startswith("postgresql")


async def restore(sea: Sea, file: Path) -> None:
    """As docs/running.md says."""
    await sea.bot.close()
    if is_on_server(sea):
        pg.put_back(file, sea.database_url)
    else:
        put_back(file, Path(str(make_url(sea.database_url).database)))
    sea.bot = sea.make_bot()
    await sea.env.restart_bot(sea.bot)
    await sea.settle()


def put_back(file: Path, database: Path) -> None:
    for leftover in ("-wal", "-shm"):
        Path(f"{database}{leftover}").unlink(missing_ok=True)
    shutil.copy(file, database)


async def reseal(sea: Sea) -> None:
    """Both captains find their drafts and seal them again."""
    for who in (sea.anna, sea.bela):
        await sea.press(who, sea.panel(who), "seal")


@pytest.mark.proves("F19")
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_other_dice_fall_and_thread_and_record_say_so(sea: Sea, language: str, tmp_path: Path) -> None:
    if language == "hu":
        sea.move_to_server("hu")
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    seen = last_step(sea)
    await restore(sea, backup)
    assert announced(sea, language) == 1
    (act,) = [row for row in sea.rows("acts")["acts"] if row["kind"] == "restored"]
    assert act["user_id"] is None
    (cause,) = restores(sea)
    assert (cause["to"], last_step(sea)["no"], last_step(sea)["revealed"]) == (0, 1, 1)
    await sea.both_seal(*FIRE)
    assert last_step(sea)["no"] == seen["no"] + 1
    assert last_step(sea)["events"] != seen["events"]
    await sea.concede(sea.bela)
    assert announced(sea, language) == 1
    record = (await sea.bot.services.archive.export_finished(1)).record
    rules = RULESETS[record.setup.system]
    assert verify(rules, record) is None
    for forged in (
        UndoAction(to=0),
        UndoAction(to=0, shown_until=cause["shown_until"] + 1),
        UndoAction(to=1, shown_until=cause["shown_until"]),
    ):
        steps = tuple(
            structs.replace(step, act=forged) if step.act == act_in(record) else step for step in record.steps
        )
        assert verify(rules, structs.replace(record, steps=steps)) is not None, forged
    data = await exported(sea, sea.cili)
    assert check_export(data) is None
    assert [entry["kind"] for entry in json.loads(data)["log"]].count("restored") == 1
    said = await sea.command(sea.cili, "verify", game="1")
    assert "Every roll of" in said
    assert "Step 1: an older backup of my database was restored" in said


async def test_a_restart_and_a_crash_between_sending_and_noting_are_no_restore(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal(*FIRE)
    story = [row for row in sea.rows("outbox")["outbox"] if row["kind"] == "step"][-1]
    await sea.restart()
    assert sea.bot.services.step_runner.backup_check.unchecked_games == set()
    sea.change_rows(
        "UPDATE outbox SET message_id = NULL, channel_id = NULL, sent = 0, attempts = 1 WHERE id = ?", story["id"]
    )
    await sea.restart()
    assert (restores(sea), announced(sea)) == ([], 0)
    # It was found, so it was not sent twice.
    assert [row["message_id"] for row in sea.rows("outbox")["outbox"] if row["id"] == story["id"]] == [
        story["message_id"]
    ]


async def test_what_people_and_other_bots_write_is_no_restore(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.anna.send(sea.thread, "Fire!")
    messages = sea.env.backend.messages[sea.thread.id]
    newest = messages[max(messages)]
    copied = next(message for message in messages.values() if message.components)
    # A bot that looks like this one, down to the number by which it knows its messages.
    crier = sea.env.create_user("crier", bot=True)
    messages[newest.id + 1] = replace(copied, id=newest.id + 1, author_id=crier.id, components=remarked(copied))
    await sea.restart()
    assert (restores(sea), announced(sea)) == ([], 0)
    messages[newest.id + 2] = replace(copied, id=newest.id + 2, components=remarked(copied))
    await sea.restart()
    assert (len(restores(sea)), announced(sea)) == (1, 1)


def remarked(message: Any) -> Any:
    components = deepcopy(message.components)
    components[0]["id"] += 1
    return components


@pytest.mark.postgres
async def test_a_restored_backup_is_noticed_once_and_each_time_other_dice_fall(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    seen = [last_step(sea)["events"]]
    for _ in range(2):
        await sea.env.advance_time(60)
        await restore(sea, backup)
        await sea.restart()
        await sea.restart()
        assert len(restores(sea)) == 1
        await sea.both_seal(*FIRE)
        assert last_step(sea)["events"] not in seen
        seen.append(last_step(sea)["events"])
    assert announced(sea) == 2


async def test_orders_that_were_sealed_before_the_backup_are_asked_again(sea: Sea, tmp_path: Path) -> None:
    """The other captain has read them since."""
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await sea.seal(sea.anna, FIRE[0])
    await back_up(sea, backup)
    await sea.seal(sea.bela, FIRE[1])
    assert last_step(sea)["no"] == 1
    await restore(sea, backup)
    await sea.seal(sea.bela, FIRE[1])
    assert last_step(sea)["no"] == 1
    assert await sea.asked(sea.anna)
    await sea.seal(sea.anna, FIRE[0])
    assert last_step(sea)["no"] == 2
    await sea.concede(sea.bela)
    assert check_export(await exported(sea, sea.cili)) is None


@pytest.mark.proves("F19")
async def test_while_the_thread_cannot_be_read_no_dice_fall(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    seen = last_step(sea)["events"]
    sea.env.inject_error("GET", "/channels/*/messages", status=503, times=None)
    await restore(sea, backup)
    await sea.both_seal(*FIRE)
    assert last_step(sea)["no"] == 0
    sea.env.backend.faults.clear()
    await sea.env.advance_time(120)
    await sea.settle()
    assert (len(restores(sea)), announced(sea)) == (1, 1)
    await reseal(sea)
    assert last_step(sea)["no"] == 2
    assert last_step(sea)["events"] != seen


@pytest.mark.proves("F19")
@pytest.mark.refused("message_not_found")
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_without_the_permission_to_read_messages_no_dice_fall_and_the_host_hears_why(
    sea: Sea, language: str, tmp_path: Path
) -> None:
    """Discord then lists no messages, as if all had been deleted."""
    if language == "hu":
        sea.move_to_server("hu")
    sea.languages[sea.anna.id] = language
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    seen = last_step(sea)["events"]
    await let_read(sea, allowed=False)
    await restore(sea, backup)
    await sea.both_seal(*FIRE)
    for _ in range(2):
        await sea.env.advance_time(120)
        assert (last_step(sea)["no"], announced(sea, language)) == (0, 0)
    permission = Catalogue.load(language).say("permission.read_message_history")
    assert [permission in text_of(message) for message in sea.dms(sea.anna)].count(True) == 1
    await let_read(sea, allowed=True)
    await sea.env.advance_time(120)
    assert (len(restores(sea)), announced(sea, language)) == (1, 1)
    await reseal(sea)
    assert last_step(sea)["events"] != seen


async def let_read(sea: Sea, *, allowed: bool) -> None:
    denied = 0 if allowed else Permissions(read_message_history=True).value
    backend = sea.env.backend
    overwrite = Overwrite(target_id=backend.bot_user.id, type=OverwriteType.MEMBER, deny=denied)
    backend.set_overwrite(sea.channel.id, overwrite)
    await sea.env.settle()


async def test_a_game_past_its_deadline_that_waits_for_its_thread_is_looked_at_once_a_minute(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(ABEAM, sea.bela, phase="1h")
    sea.env.inject_error("GET", "/channels/*/messages", status=403, code=50001, times=None)
    await sea.restart()
    await sea.env.advance_time(3600 + 60)
    looks = []
    find_due_work = StepRunner.find_due_work

    async def counted(self: StepRunner, *arguments: Any) -> DueWork:
        looks.append(self.now())
        return await find_due_work(self, *arguments)

    monkeypatch.setattr(StepRunner, "find_due_work", counted)
    await sea.env.advance_time(600)
    assert last_step(sea)["no"] == 0
    assert 10 <= len({look // 60 for look in looks}) <= len(set(looks)) <= 40


@pytest.mark.proves("F19")
async def test_giving_up_waits_for_the_thread_only_if_dice_would_fall(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XFFFF; aim ask", "B1 FFFFX")
    asked = last_step(sea)["no"]
    sea.env.inject_error("GET", "/channels/*/messages", status=403, code=50001, times=None)
    await sea.restart()
    for language in ("hu", "en-US"):
        sea.languages[sea.anna.id] = language
        await sea.command(sea.anna, "concede", game="1")
        said = await sea.click(sea.anna, sea.answers[0], refs(sea.answers[0])["concede"])
        assert Catalogue.load(language[:2]).say("refuse.thread_unread") in said
    assert last_step(sea)["no"] == asked
    for who in (sea.anna, sea.bela):
        await sea.command(who, "draw", game="1")
    assert sea.rows("games")["games"][0]["phase"] == "over"


@pytest.mark.proves("F19")
async def test_what_is_posted_while_the_thread_cannot_be_read_hides_no_restored_backup(
    sea: Sea, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.sqlite"
    ally = sea.member("dora")
    await sea.begin_at(FOUR, sea.bela, ally, sea.cili, captains="2", galleys="1")
    await back_up(sea, backup)
    for who, ship in ((sea.anna, "A1"), (sea.bela, "B1"), (ally, "C1"), (sea.cili, "D1")):
        await sea.seal(who, f"{ship} FFFFF")
    assert last_step(sea)["no"] == 1
    sea.env.inject_error("GET", "/channels/*/messages", status=403, code=50001, times=None)
    await restore(sea, backup)
    await sea.concede(ally)
    assert last_step(sea)["no"] == 1
    assert "dora conceded" in sea.told()
    await sea.restart()
    sea.env.backend.faults.clear()
    await sea.restart()
    assert (len(restores(sea)), announced(sea)) == (1, 1)


async def flood(sea: Sea, place: Any, count: int) -> None:
    await sea.anna.send(place, "Ahoy!")
    messages = sea.env.backend.messages[place.id]
    newest = messages[max(messages)]
    messages |= {newest.id + number: replace(newest, id=newest.id + number) for number in range(1, count)}


@pytest.mark.proves("F19")
@pytest.mark.parametrize("is_read_at_start", [True, False])
async def test_messages_of_people_hide_no_restored_backup(sea: Sea, tmp_path: Path, *, is_read_at_start: bool) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    seen = last_step(sea)["events"]
    await flood(sea, sea.thread, 2 * MAX_MESSAGES_READ)
    if not is_read_at_start:
        sea.env.inject_error("GET", "/channels/*/messages", status=403, code=50001, times=None)
    await restore(sea, backup)
    sea.env.backend.faults.clear()
    if not is_read_at_start:
        await sea.both_seal(*FIRE)
        assert last_step(sea)["no"] == 0
        await sea.env.advance_time(70)
    assert (len(restores(sea)), announced(sea)) == (1, 1)
    if is_read_at_start:
        await sea.both_seal(*FIRE)
    else:
        await reseal(sea)
    assert last_step(sea)["events"] != seen


@pytest.mark.proves("F19")
async def test_talk_in_a_channel_without_threads_hides_no_restored_backup(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    deck = sea.guild.create_voice_channel("deck")
    await sea.command(sea.anna, "new", at=deck)
    await sea.command(sea.bela, "join", game="1", at=deck)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", ABEAM)
    await flood(sea, deck, 30)
    await sea.command(sea.anna, "start", game="1", at=deck)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    seen = last_step(sea)["events"]
    await flood(sea, deck, MAX_MESSAGES_READ)
    await restore(sea, backup)
    assert len(restores(sea)) == 1
    await sea.both_seal(*FIRE)
    assert last_step(sea)["events"] != seen


async def test_buttons_of_a_lobby_that_the_backup_lacks_act_on_no_other_game(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await back_up(sea, backup)
    await sea.command(sea.anna, "new")
    lost = sea.channel.last_message
    await restore(sea, backup)
    await sea.command(sea.bela, "new")
    join = next(key for key in refs(lost) if key.startswith("join"))
    for language in ("hu", "en-US"):
        sea.languages[sea.cili.id] = language
        assert Catalogue.load(language[:2]).say("refuse.stale") in await sea.press(sea.cili, lost, join)
    assert [row["user_id"] for row in sea.rows("players")["players"]] == [sea.bela.id]
    await sea.press(sea.cili, sea.channel.last_message, join)
    assert [row["user_id"] for row in sea.rows("players")["players"]] == [sea.bela.id, sea.cili.id]


@pytest.mark.proves("F20")
async def test_deleted_messages_hide_a_restored_backup_and_start_none(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    for message in sea.thread.history():
        sea.env.backend.messages[sea.thread.id].pop(message.id)
    await sea.restart()
    assert (restores(sea), announced(sea)) == ([], 0)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    sea.env.backend.messages[sea.thread.id].clear()
    await restore(sea, backup)
    assert restores(sea) == []


@pytest.mark.proves("F19")
async def test_a_game_whose_end_was_shown_is_called_off(sea: Sea, tmp_path: Path) -> None:
    """Its seed is public, so everyone can work out the dice that would follow."""
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    await sea.concede(sea.bela)
    assert "replay" in refs(sea.thread.history()[-1])
    await restore(sea, backup)
    (game,) = sea.rows("games")["games"]
    assert (game["phase"], game["rated"]) == ("over", 0)
    assert "the game is called off" in sea.told()
    assert not [row for row in sea.rows("ratings")["ratings"] if row["counted"]]
    assert check_export(await exported(sea, sea.cili)) is None


@pytest.mark.proves("F19")
async def test_a_battle_whose_end_was_shown_is_fought_again_and_nothing_else(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(two_battles(), sea.bela, system="campaign", map="gulf")
    await sea.write(sea.anna, "#1 repair all")
    await sea.write(sea.anna, "#3 A3 RRR; A4 RRR")
    await back_up(sea, backup)
    before = sea.rows("games", "requests", "steps")
    await sea.concede(sea.bela, 2)
    await restore(sea, backup)

    season, lost, other, again = sea.rows("games")["games"]
    assert [game["phase"] for game in (season, lost, other, again)] == ["running", "cancelled", "running", "running"]
    moved = [game["deadline"] - before["games"][number]["deadline"] for number, game in ((0, season), (2, other))]
    assert (moved[0] - moved[1], season["rated"]) == (0, 1)
    assert (again["parent_request"], again["setup"]) == (before["games"][1]["parent_request"], lost["setup"])
    assert again["seed"] not in {lost["seed"], other["seed"]}
    assert [row for row in sea.rows("steps")["steps"] if row["game_id"] == 3] == before["steps"][2:]
    drafts = [
        {(row["game_id"], row["draft"]) for row in rows}
        for rows in (before["requests"], sea.rows("requests")["requests"])
    ]
    assert drafts[0] <= drafts[1]
    above, over = (thread_of(sea, number) for number in (1, 2))
    assert "battle #2 had already ended" in sea.told(above)
    assert "it's fought again from its beginning" in sea.told(over)
    await sea.restart()
    assert (len(restores(sea)), len(sea.rows("games")["games"])) == (1, 4)

    # Who had lost it wins it now, and holds the sea.
    await sea.concede(sea.anna, 4)
    await sea.concede(sea.bela, 3)
    await pass_a_turn(sea)
    assert "Battle 1 (EGU Eastern Gulf, A1 A2 against B1 B2): bela won" in sea.told(above)
    await sea.concede(sea.bela)
    said = await sea.command(sea.cili, "verify", game="1")
    assert ("Every roll of" in said, said.count("went as stated here")) == (True, 2), said
    assert "a battle that had ended was fought again with other dice" in said
    files = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 3, 4)]
    hold_no_forged_battle(decode_export(files[0]))
    for number, file in enumerate(files):
        (tmp_path / f"{number}.json").write_bytes(file)
    other_database = f"sqlite+aiosqlite:///{tmp_path / 'other.sqlite'}"
    done = await shelled("import", tmp_path / "0.json", "--database", other_database)
    assert done.exit_code == 0, done.output
    await shelled("export", 1, "-o", tmp_path / "again.json", "--database", other_database)
    assert (tmp_path / "again.json").read_bytes() == files[0]


def thread_of(sea: Sea, number: int) -> Any:
    return next(thread for thread in sea.channel.threads if thread.name.startswith(f"#{number} "))


def hold_no_forged_battle(export: Any) -> None:
    """A record holds only with the battle, the step and the time that it has."""
    record: Record = export.record
    rules, act = RULESETS[record.setup.system], act_in(record)
    assert verify(rules, record) is None
    for forged in (
        structs.replace(act, shown_until=None),
        structs.replace(act, to=act.to - 1),
        structs.replace(act, battle="battle.B3"),
        structs.replace(act, battle="t3.orders.A"),
        structs.replace(act, battle=""),
    ):
        steps = tuple(structs.replace(step, act=forged) if step.act == act else step for step in record.steps)
        assert verify(rules, structs.replace(record, steps=steps)) is not None, forged
    seeds = {battle.request: battle.seed for battle in recorded_battles(rules, record)}
    other_time = structs.replace(act, shown_until=(act.shown_until or 0) + 1)
    steps = tuple(structs.replace(step, act=other_time) if step.act == act else step for step in record.steps)
    changed = {b.request: b.seed for b in recorded_battles(rules, structs.replace(record, steps=steps))}
    assert {request for request in seeds if seeds[request] != changed[request]} == {"battle.B1"}


@pytest.mark.proves("F19")
async def test_a_season_goes_back_without_its_battles_and_a_battle_waits_until_it_has(sea: Sea, tmp_path: Path) -> None:
    """Otherwise an operator could let a lost battle be fought again, by restoring a backup that knows its end."""
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(two_battles(), sea.bela, system="campaign", map="gulf")
    sea.change_rows("UPDATE games SET locale = 'hu'")
    await sea.concede(sea.bela, 3)
    await back_up(sea, backup)
    await sea.concede(sea.bela, 2)
    await pass_a_turn(sea)
    above, over = (thread_of(sea, number) for number in (1, 2))
    sea.env.inject_error("GET", f"/channels/{above.id}/messages", status=503, times=None)
    await restore(sea, backup)
    await pass_a_turn(sea, 13 * 3600)  # a round of the battle is due
    assert phases(sea) == ["running", "running", "over"]
    assert restores(sea) == []
    sea.env.backend.faults.clear()
    await pass_a_turn(sea, 90)
    assert phases(sea) == ["running", "cancelled", "over", "running"]
    assert [cause.get("battle") for cause in restores(sea)] == [None, "battle.B1"]
    assert sea.told(above).count(SAID["hu"]) == 2
    assert "más kockákkal" in sea.told(over)
    await sea.concede(sea.anna, 4)
    await pass_a_turn(sea)
    for place, winner in (("EGU", "bela"), ("WGU", "anna")):
        assert f"{winner} győzött" in [line for line in sea.told(above).splitlines() if f"csata ({place}" in line][-1]
    await sea.concede(sea.bela)
    said = await sea.command(sea.cili, "verify", game="1")
    assert ("Every roll of" in said, said.count("went as stated here")) == (True, 2), said


def phases(sea: Sea) -> list[str]:
    return [game["phase"] for game in sea.rows("games")["games"]]


@pytest.mark.refused("thread of a message")
async def test_a_lobby_that_had_begun_since_the_backup_goes_on_with_other_dice(sea: Sea, tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", ABEAM)
    await back_up(sea, backup)
    await sea.command(sea.anna, "start")
    await sea.both_seal(*FIRE)
    seen = last_step(sea)["events"]
    await restore(sea, backup)
    await sea.command(sea.anna, "start")
    assert len(restores(sea)) == 1
    await sea.both_seal(*FIRE)
    assert last_step(sea)["events"] != seen
    assert len(sea.channel.threads) == 1


@pytest.mark.proves("F19")
async def test_a_report_that_was_only_edited_since_the_backup_is_noticed(
    sea: Sea, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In games of open turns, all moves of a captain's turn are reported in one message.

    What is due at the start, as after a gap, may be sent before the bot compares games with their threads.
    """
    backup = tmp_path / "backup.sqlite"
    await at_sea(sea)
    for number in range(2):
        if number:
            await sea.restart()
            assert (restores(sea), announced(sea)) == ([], 0)
            await back_up(sea, backup)
        who, _ = await active(sea)
        panel = sea.panel(who)
        ships = [name for name in refs(panel) if name.startswith("press ship.")]
        await sea.press(who, panel, ships[number])
        sails = [
            part for part in parts(sea.panel(who)) if hasattr(part, "options") and "sail" in (part.custom_id or "")
        ]
        target = next(option.value for part in sails for option in part.options).split(">")[-1].split(".")[-1]
        steps = len(causes(sea))
        await sea.write(who, f"{ships[number].rpartition('.')[2]}>{target}")
        assert len(causes(sea)) > steps
        await sea.env.advance_time(120)
        await sea.settle()  # the report shows it
    stories = [row["message_id"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "step"]
    recover_claims = StepRunner.recover_claims

    async def recover_late(self: StepRunner) -> None:
        sea.bot._scheduler._outbox.send()
        await sea.bot._scheduler._outbox.settle()
        await recover_claims(self)

    monkeypatch.setattr(StepRunner, "recover_claims", recover_late)
    await restore(sea, backup)
    assert [row["message_id"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "step"] == stories
    assert (len(restores(sea)), announced(sea)) == (1, 1)
    await sea.restart()
    assert len(restores(sea)) == 1


async def test_of_several_bots_the_one_with_the_shard_compares_at_the_start_and_any_before_a_step(
    sea: Sea, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.sqlite"
    await sea.begin_at(ABEAM, sea.bela)
    await back_up(sea, backup)
    await sea.both_seal(*FIRE)
    sea.env.inject_error("GET", "/channels/*/messages", status=503, times=None)
    await restore(sea, backup)
    sea.env.backend.faults.clear()
    runner = sea.bot.services.step_runner
    other_shard = 1 - (sea.guild.id >> 22) % 2
    share = HeldShards(bot_name="other", shard_count=2, held_tokens={other_shard: 1}, all_tokens={other_shard: 1})
    store = sea.bot.services.store
    store.current_share = lambda: share
    calls = len(sea.env.http_requests)
    await runner.start_comparing()
    await runner.wait_until_idle()
    assert len(sea.env.http_requests) == calls
    assert runner.backup_check.unchecked_games == {1}
    store.current_share = lambda: None
    runner.start_advancing(1)
    await sea.settle()
    assert len(restores(sea)) == 1
    reads = [request for request in sea.env.http_requests if request.method == "GET" and "messages" in request.path]
    await sea.both_seal(*FIRE)
    assert last_step(sea)["no"] == 2
    # Each game is read once.
    assert [r for r in sea.env.http_requests if r.method == "GET" and "messages" in r.path] == reads
