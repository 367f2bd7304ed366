"""One person keeps nobody else waiting: the event loop only waits (ARCHITECTURE.md, rule 10)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future
from typing import Any

import pytest

from bot.errors import JobOutdated
from bot.jobs import drafts
from bot.jobs.play import StepContext, begin_game
from bot.jobs.values import PictureStyle
from bot.jobs.workers import Workers
from bot.lifecycle.steps.playing import SeatedGame
from bot.record import export
from bot.store.models import pace
from bot.store.models.records import Game
from bot.store.queries.games import NewGameRow
from bot.texts import zones
from rules.core.protocol import Choices, Draft, GameState, Request, Setup
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from tests.bot.papers import a_game, exported
from tests.sea import AFAR, Sea


async def test_a_file_that_somebody_hands_in_is_read_by_a_worker_only(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may send 8 MiB to be held against a game, as often as they like: decoding that takes a second."""
    await a_game(sea)
    data = await exported(sea, sea.cili)
    read = list[bytes]()
    decode = export.decode_export

    def noted(given: bytes) -> export.Export:
        read.append(given)
        return decode(given)

    monkeypatch.setattr(export, "decode_export", noted)  # a worker is a process of its own, and so has its own
    said = await sea.command(sea.cili, "verify", game="1", file=("game.json", data))
    assert "fits its hash" in said
    assert not read


async def test_nothing_is_looked_for_while_somebody_types_more_than_could_be_suggested(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()
    monkeypatch.setattr(pace, "suggest_paces", lambda typed, *_: asked.append(typed) or [])
    for typed in ("on " * 2_000, "20:00"):
        assert await sea.anna.autocomplete(sea.channel, "galley new", "phase", typed) == []
    assert asked == ["20:00"]


def test_a_word_of_a_pace_is_looked_up_and_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    zones.find_zone("budapest")
    folded = list[str]()
    fold = zones._fold_name
    monkeypatch.setattr(zones, "_fold_name", lambda name: folded.append(name) or fold(name))
    pace.suggest_paces("on " * 20, zones.UTC, 25)
    assert len(folded) < 3 * len(zones.zone_names())  # it was once for each zone, word and suggestion


def _suggested(
    monkeypatch: pytest.MonkeyPatch, typed: str, *, most: int = 25, used_s: Callable[[], float] = lambda: 0.0
) -> tuple[list[str], list[str]]:
    """Return the suggestions in a fleet game's first turn, and the drafts for which the rules were asked to go on."""
    rules: Ruleset[Any] = RULESETS["squadrons"]
    done = begin_game(Setup(system="squadrons", teams=(0, 1)), "22" * 32, StepContext(computer_seats=(1,)))
    request = next(request for request in done.pending if request.seat == 0)
    queried, choices = list[str](), rules.draft_choices

    def note_draft(state: GameState, request: Request, draft: Draft) -> Choices:
        queried.append(draft.text)
        return choices(state, request, draft)

    monkeypatch.setattr(rules, "draft_choices", note_draft)
    look = PictureStyle(system="squadrons", language="en", names={})
    suggestions = drafts.suggest_continuations("squadrons", done.state, request, typed, look, most=most, used_s=used_s)
    return [text for _, text in suggestions], queried


def test_of_a_fleet_only_what_fits_the_typed_text_is_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    found, asked = _suggested(monkeypatch, "all: F3")
    assert "all: F3 P" in found
    assert {text for text in asked if not "all: F3".startswith(text)} == set()


def test_no_more_suggestions_are_looked_for_than_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    found, asked = _suggested(monkeypatch, "", most=5)
    assert len(found) == 5
    assert asked == [""]


def test_no_suggestions_are_looked_for_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((0.0, 0.0, 2 * drafts.SUGGESTION_TIME_S))
    _, asked = _suggested(monkeypatch, "all", used_s=lambda: next(times))
    assert asked == ["all"]


class Busy:
    """A worker whose jobs last until they are told to be done."""

    def __init__(self) -> None:
        self.jobs: list[tuple[str, Future[Any]]] = []

    def submit(self, job: Any, most_s: float) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_running_or_notify_cancel()
        self.jobs.append((job(), done))
        return done


async def test_suggestions_are_behind_presses_and_dropped_when_their_captain_has_typed_on() -> None:
    workers, usual, kept = Workers(1, for_presses=1), Busy(), Busy()
    workers._idle, workers._idle_press_workers, workers._all = [usual], [kept], ()  # type: ignore[list-item]

    async def types(letter: str) -> str:
        with workers.requested_by(1):
            return await workers.run_suggestion(str, letter)

    async def presses(what: str) -> str:
        with workers.requested_by(1):
            return await workers.run_rules(str, what)

    typed = [asyncio.create_task(types(letter)) for letter in "abcd"]
    await asyncio.sleep(0)
    pressed = asyncio.create_task(presses("press"))
    await asyncio.sleep(0)
    assert [job for job, _ in usual.jobs] == ["a"]
    assert [job for job, _ in kept.jobs] == ["press"]
    usual.jobs[0][1].set_result("a")
    kept.jobs[0][1].set_result("press")
    assert await pressed == "press"
    for _ in range(20):
        await asyncio.sleep(0)
    assert [job for job, _ in usual.jobs] == ["a", "d"]
    usual.jobs[1][1].set_result("d")
    found = await asyncio.gather(*typed, return_exceptions=True)
    assert [found[0], found[3]] == ["a", "d"]
    assert isinstance(found[1], JobOutdated)
    assert isinstance(found[2], JobOutdated)


async def test_others_write_while_somebody_is_forgotten_who_has_played_much(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await two_over(sea)
    privacy, wrote, done = sea.bot.services.privacy, list[int](), list[int]()
    forget_in = privacy._forget_in

    async def beside(game_id: int, user_id: int, names: Collection[str]) -> list[int]:
        changed_ids = await forget_in(game_id, user_id, names)
        done.append(game_id)
        async with sea.bot.services.store.write() as tx:
            await tx.facts.store("beside", str(game_id))
        wrote.append(game_id)
        return changed_ids

    monkeypatch.setattr(privacy, "_forget_in", beside)
    await privacy.forget_user(sea.bela.id)
    assert wrote == done == [1, 2]
    assert sea.bela.id not in [seat["user_id"] for seat in sea.rows("seats")["seats"]]


async def test_who_was_being_forgotten_when_the_bot_was_killed_is_forgotten_at_its_next_start(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await two_over(sea)
    privacy = sea.bot.services.privacy
    forget_in = privacy._forget_in

    async def killed(game_id: int, user_id: int, names: Collection[str]) -> list[int]:
        if game_id == 2:
            raise asyncio.CancelledError
        return await forget_in(game_id, user_id, names)

    monkeypatch.setattr(privacy, "_forget_in", killed)
    with pytest.raises(asyncio.CancelledError):
        await privacy.forget_user(sea.bela.id)
    held = [seat["game_id"] for seat in sea.rows("seats")["seats"] if seat["user_id"] == sea.bela.id]
    assert held == [2]
    await sea.restart()
    assert sea.bela.id not in [seat["user_id"] for seat in sea.rows("seats")["seats"]]
    assert not [fact for fact in sea.rows("kept_facts")["kept_facts"] if str(sea.bela.id) in fact["key"]]


async def two_over(sea: Sea) -> None:
    for number in (1, 2):
        await sea.begin_at(AFAR, sea.bela)
        await sea.bot.services.concede_game(sea.bela.id, number)
    await sea.settle()


async def test_a_letter_of_a_games_name_reads_no_more_games_than_are_suggested(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    reader, read = sea.bot.services.reader.games, list[int]()
    playings = reader.seated_games

    async def noted(games: Iterable[Game]) -> list[SeatedGame]:
        asked = list(games)
        read.append(len(asked))
        return await playings(asked)

    monkeypatch.setattr(reader, "seated_games", noted)
    async with sea.bot.services.store.write() as tx:
        game = await tx.games.find_for_update(1)
        assert game
        for number in range(300):
            like = NewGameRow.copy_of(game, setup=game.setup, seed=f"{number:064x}", created_at=0, rated=False)
            await tx.seats.add(game_id=await tx.games.add(like), seat=0, team=0, user_id=sea.anna.id, computer=False)
    assert len(await sea.anna.autocomplete(sea.channel, "galley history log", "game", "")) == 25
    assert sum(read) == 25
    assert await sea.anna.autocomplete(sea.channel, "galley history log", "game", "no such name") == []
    assert sum(read) <= 25 + 101
