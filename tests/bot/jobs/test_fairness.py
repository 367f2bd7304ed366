"""Nobody starves: one person's pictures and files, and a worker that hangs, hold up neither others nor the games."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from bot.cli.main import app
from bot.jobs import play, showing
from bot.jobs.worker import ProcessLimits
from bot.jobs.workers import JobLimits, Workers
from bot.lifecycle.steps.runner import CLAIM_TIMEOUT_S
from bot.record import checking
from bot.record.export import MAX_FILE_BYTES, FinishedGame, encode_export, with_digest
from rules.core.replay import MAX_STEPS, Record, RecordedStep, UndoAction
from tests.bot import fake_jobs
from tests.bot.papers import a_game, exported
from tests.laws.play import SYSTEMS, tape
from tests.laws.test_replay import record
from tests.sea import AFAR, Sea, refs, text_of

SOON = JobLimits(rules_s=0.3, picture_s=0.3, film_s=0.3)


@pytest.fixture
async def own_sea(tmp_path: Path) -> AsyncIterator[Sea]:
    workers = Workers(1)
    world = Sea(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}", workers, itertools.count(1))
    try:
        async with world.open():
            yield world
    finally:
        workers.close()


def endless(system: str = SYSTEMS[0]) -> bytes:
    """Make a file that keeps its checker busy: a game that goes back as often as one can."""
    honest = record(tape(system, 0))
    back = [RecordedStep(act=UndoAction(to=0), events=())] * (MAX_STEPS - 1)
    return paper(msgspec.structs.replace(honest, steps=(honest.steps[0], *back)))


def paper(made_up: Record) -> bytes:
    names = tuple(f"captain {seat}" for seat in range(len(made_up.setup.teams)))
    data = encode_export(
        with_digest(
            FinishedGame(
                name="x", locale="en", opened=1, ended=2, captains=names, log=(), chain=(), notes=(), record=made_up
            )
        )
    )
    assert len(data) < MAX_FILE_BYTES
    return data


@pytest.mark.processes
async def test_a_third_picture_is_refused(sea: Sea, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal("A1 FFFRX", "B1 FFFLX")
    story = next(message for message in reversed(sea.thread.history()) if "Round 1\n" in text_of(message))
    film = refs(story)["film"]
    refused = []
    with monkeypatch.context() as busy, sea.at_once():
        busy.setattr(showing, "film_round", partial(fake_jobs.wait_for, str(tmp_path / "seen")))
        films = [await sea.click_only(sea.cili, story, film)]
        films.append(await sea.cili.slash(sea.channel, "galley film", game="1"))
        people = sea.bot.workers.queue._users
        while sea.cili.id not in people or len(people[sea.cili.id].picture_requests) < 2:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        for number, kind in enumerate(("press", "table", "film", "verify", "replay", "orders")):
            sea.languages[sea.cili.id] = "hu" if number % 2 else "en-US"
            with sea.speaking(sea.cili):
                if kind == "press":
                    refused.append(await sea.click_only(sea.cili, story, film))
                else:
                    refused.append(await sea.cili.slash(sea.channel, sea.full_name(kind), game="1"))
            while not sea.said(refused[-1]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        (tmp_path / "seen").touch()
    await sea.env.settle()
    for number, result in enumerate(refused):
        waiting = "Még készül két képed vagy filmed" if number % 2 else "still making two pictures"
        assert waiting in sea.said(result), number
    assert all("Nothing has moved" in sea.said(result) for result in films)
    sea.languages.clear()
    assert "A1" in await sea.command(sea.cili, "table", game="1"), "he may ask again"


@pytest.mark.begun
async def test_a_press_counts_although_its_panel_must_wait(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFRX")
    with sea.at_once():
        for _ in range(2):
            await sea.anna.slash(sea.channel, "galley table", game="1")
        sealing = await sea.click_only(sea.anna, sea.panel(sea.anna), refs(sea.panel(sea.anna))["seal"])
    await sea.env.settle()
    said = sea.said(sealing)
    assert "Noted" in said or "Sealed" in said, "he is told that it counts, whether or not the panel had to wait"
    await sea.settle()
    assert await sea.asked(sea.anna) is None
    assert "unseal" in refs(sea.panel(sea.anna)), "the outbox has shown it"


@pytest.mark.long
async def test_a_job_that_hangs_is_told_and_loses_nothing(own_sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    sea = own_sea
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FFFRX")
    await sea.seal(sea.bela, "B1 FFFLX")
    with monkeypatch.context() as ill:
        ill.setattr(sea.bot.workers, "_limits", msgspec.structs.replace(SOON, rules_s=60.0))
        ill.setattr(showing, "describe_table", fake_jobs.hang)
        assert "error number" in await sea.command(sea.cili, "table", game="1")
    assert "A1" in await sea.command(sea.cili, "table", game="1")
    with monkeypatch.context() as ill:
        # The round hangs: what was sealed is kept, and carried out when its claim is old.
        ill.setattr(play, "carry_out_answers", fake_jobs.hang)
        ill.setattr(sea.bot.workers, "_limits", msgspec.structs.replace(SOON, rules_s=3.0, picture_s=60.0))
        await sea.press(sea.anna, sea.panel(sea.anna), "seal")
        await sea.settle()
        assert len(sea.rows("steps")["steps"]) == 1
        assert sea.rows("games")["games"][0]["phase"] == "resolving"
    with monkeypatch.context() as ill:
        # The round's picture hangs: its message comes without it, and the picture is made again.
        ill.setattr(sea.bot.workers, "_limits", msgspec.structs.replace(SOON, rules_s=60.0))
        ill.setattr(showing, "draw_state", fake_jobs.hang)
        await sea.env.advance_time(301)
        await sea.settle()
        assert len(sea.rows("steps")["steps"]) == 2
        assert sea.told().count("Round 1\n") == 1
        assert "The picture is on its way." in sea.told()
    await sea.env.advance_time(600)
    await sea.settle()
    assert sea.told().count("Round 1\n") == 1
    assert "The picture is on its way." not in sea.told()
    assert {record.getMessage() for record in sea.faults} == {
        "error",
        "game could not be resolved",
        "message could not be made",
        "picture of a message could not be made",
    }
    assert sea.bot.workers.replaced_count >= 3
    sea.faults.clear()


@pytest.mark.begun
async def test_a_claim_of_the_future_is_taken_over_too(sea: Sea) -> None:
    """The clock was a day ahead when a step was begun, the bot died in it, and the clock was put right."""
    for who, text in ((sea.anna, "A1 FFFRX"), (sea.bela, "B1 FFFLX")):
        await sea.write(who, text)
    ahead = int(sea.now().timestamp()) + 86_400
    claimed = "UPDATE games SET phase = 'resolving', claimed_at = ?, version = version + 1"
    sea.change_rows(claimed, ahead)
    rounds = sea.bot.services.step_runner
    await rounds.run_due_work()
    assert rounds.next_wake_time((await rounds.find_due_work()).agenda) == rounds.now() + CLAIM_TIMEOUT_S
    assert sea.rows("games")["games"][0]["phase"] == "resolving"
    await sea.env.advance_time(CLAIM_TIMEOUT_S)
    await rounds.run_due_work()
    assert sea.rows("games")["games"][0]["phase"] == "running"
    sea.change_rows(claimed, ahead)
    await sea.restart()
    assert sea.rows("games")["games"][0]["phase"] == "running"


@pytest.mark.processes
async def test_files_are_checked_once_and_given_up(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await a_game(sea)
    game = await exported(sea, sea.cili)
    sea.languages[sea.bela.id] = "hu"
    with monkeypatch.context() as busy:
        busy.setattr(checking, "CHECK_TIMEOUT_S", 2.0)
        busy.setattr(checking, "BRIEF_CHECK_TIMEOUT_S", 1.0)
        busy.setattr(checking, "check_file", fake_jobs.hang)
        with sea.at_once():
            asked = [await sea.cili.slash(sea.channel, "galley verify", file=("game.json", game)) for _ in range(2)]
            with sea.speaking(sea.bela):
                other = await sea.bela.slash(sea.channel, "galley verify", file=("game.json", game))
        await sea.env.settle()
        said = sorted(sea.said(result) for result in asked)
        assert "your last file" in said[0]
        assert "more time or memory" in said[1]
        assert "több időt" in sea.said(other)
    # Everybody may ask for another at once, and what was made to keep us busy for minutes is done in a moment.
    assert "fits its hash" in await sea.command(sea.cili, "verify", game="1")
    assert f"entry {MAX_STEPS}" in await sea.command(sea.cili, "verify", file=("game.json", endless()))


def test_the_shell_has_the_same_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, other = tmp_path / "game.json", tmp_path / "other.sqlite"

    def refused(data: bytes, said: str) -> None:
        file.write_bytes(data)
        for arguments in (["verify", str(file)], ["import", str(file), "--database", f"sqlite+aiosqlite:///{other}"]):
            done = CliRunner().invoke(app, arguments)
            assert (done.exit_code, done.output.count("\n"), said in done.output) == (2, 1, True), done.exception
            assert not other.exists()

    refused(b" " * (MAX_FILE_BYTES + 1), "larger than 8 MiB")
    with monkeypatch.context() as small:
        # Eight megabytes of nothing: read, they are hundreds.
        data = endless().replace(b'"events":[]', b'"events":[' + b"{}," * 2_200_000 + b"{}]", 1)
        small.setattr(checking, "CHECK_LIMITS", ProcessLimits(memory_bytes=300 * 2**20, cpu_s=30))
        refused(data, "more time or memory")
        small.setattr(checking, "check_file", fake_jobs.go_round)
        small.setattr(checking, "CHECK_LIMITS", ProcessLimits(memory_bytes=2**30, cpu_s=1))
        refused(endless(), "more time or memory")
