"""The processes that compute and draw: who is next, no lost job, and none that holds up the others."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.errors import JobFailed, JobLimitExceeded, JobOutdated, Refusal
from bot.jobs import showing
from bot.jobs.turns import OVERLOAD_LENGTH, mark_background
from bot.jobs.worker import ProcessLimits, run_in_own_process
from bot.jobs.workers import JobLimits, Workers
from bot.urgency import as_awaited
from render.seas import table_top
from rules.core.errors import OrderError
from rules.core.registry import RULESETS
from tests.bot.fake_jobs import (
    go_round,
    grow,
    hang,
    modules,
    own_pid,
    pids,
    refuse,
    rest,
    stand_still,
    stop,
    stumble,
    twice,
    wait_for,
)

SOON = JobLimits(rules_s=0.3, picture_s=60, film_s=60)
"""Jobs of the rules are given up soon: for tests in which all of them hang, as any other may on a busy machine."""
BOUNDS = ProcessLimits(memory_bytes=2**30, cpu_s=30)


@pytest.fixture
def limits() -> JobLimits:
    return JobLimits()


@pytest.fixture
async def own(limits: JobLimits) -> AsyncIterator[Workers]:
    workers = Workers(1, limits=limits)
    await workers.run_picture(twice, 1)  # it is started, and has loaded this module
    yield workers
    workers.close()


async def test_one_process_is_started_beforehand_and_others_when_there_is_more_to_do() -> None:
    workers = Workers(2)
    try:
        workers.warm_up(twice, 1)
        for number in range(5):
            assert await workers.run_rules(twice, number) == 2 * number
        assert len(pids(workers)) == 1
        assert await asyncio.gather(*(workers.run_rules(twice, number) for number in range(40))) == [*range(0, 80, 2)]
        assert len(pids(workers)) == 2
        assert workers.job_count == 0
    finally:
        workers.close()


async def test_a_process_has_loaded_every_game_before_its_first_job() -> None:
    """It is forked from a server that has: else each would take half a second of processor time to start."""
    loaded = await run_in_own_process(BOUNDS, 60, modules)
    assert {"numpy", "render", *(f"rules.{name}.game" for name in RULESETS)} <= loaded


async def test_jobs_that_somebody_waits_for_go_first(own: Workers) -> None:
    done: list[object] = []

    async def paint(number: int) -> None:
        mark_background()
        await own.run_picture(twice, number)
        done.append(number)

    async def look() -> None:
        await own.run_picture(twice, 0)
        done.append("look")

    async def told_anew() -> None:
        mark_background()
        with as_awaited():
            await own.run_picture(twice, 0)
        done.append("told anew")

    async def press() -> None:
        await own.run_rules(twice, 0)
        done.append("press")

    pictures = [asyncio.create_task(paint(number)) for number in range(8)]
    await asyncio.sleep(0)  # one is handed over, seven wait
    impatient = [asyncio.create_task(task) for task in (look(), told_anew(), press())]
    await asyncio.sleep(0)
    pictures[3].cancel()
    await asyncio.gather(*impatient, *pictures, return_exceptions=True)
    assert done == [0, "press", "look", "told anew", 1, 2, 4, 5, 6, 7]
    assert own.job_count == 0
    assert await own.run_rules(twice, 4) == 8


async def test_a_press_has_a_process_while_steps_pictures_and_films_hold_all_others(tmp_path: Path) -> None:
    workers = Workers(2, for_presses=1)
    seen = str(tmp_path / "seen")

    async def unwatched() -> int:
        mark_background()
        return await workers.run_rules(twice, 2)

    try:
        held = [workers.run_step(host, wait_for, seen) for host in (1, 2)]
        held += [workers.run_picture(wait_for, seen), workers.run_film(wait_for, seen)]
        slow = [asyncio.create_task(job) for job in held]
        behind = asyncio.create_task(unwatched())
        await asyncio.sleep(0)
        assert await asyncio.gather(*(workers.run_rules(twice, number) for number in range(3))) == [0, 2, 4]
        assert not any(task.done() for task in (*slow, behind)), "that process does nothing else"
        (tmp_path / "seen").touch()
        await asyncio.gather(*slow, behind)
        assert workers.job_count == 0
    finally:
        workers.close()


async def test_hints_of_many_people_keep_nobodys_press_waiting(tmp_path: Path) -> None:
    workers = Workers(1, for_presses=1)
    order: list[str] = []

    async def hint(user_id: int) -> None:
        with workers.requested_by(user_id):
            await workers.run_hint(wait_for, str(tmp_path / "seen"))
        order.append("hint")

    async def press(job: Callable[..., object], *arguments: object) -> None:
        await workers.run_rules(job, *arguments)
        order.append("press")

    try:
        hints = [asyncio.create_task(hint(user_id)) for user_id in range(6)]
        await asyncio.sleep(0)
        await press(twice, 2)
        presses = [asyncio.create_task(press(wait_for, str(tmp_path / "seen"))) for _ in range(2)]
        await asyncio.sleep(0)
        (tmp_path / "seen").touch()
        await asyncio.gather(*hints, *presses)
        assert order[0] == "press", "it has its own process"
        assert order[1:4].count("press") == 2, "presses overtake the hints that have not begun"
    finally:
        workers.close()


async def test_one_persons_hints_are_thought_of_one_at_a_time_and_their_presses_go_on(tmp_path: Path) -> None:
    workers = Workers(2)
    try:
        with workers.requested_by(1):
            hints = [asyncio.create_task(workers.run_hint(wait_for, str(tmp_path / "seen"))) for _ in range(2)]
            await asyncio.sleep(0)
            assert await workers.run_rules(twice, 2) == 4
        (tmp_path / "seen").touch()
        await asyncio.gather(*hints)
    finally:
        workers.close()


async def test_a_press_uses_an_idle_process_when_its_own_is_busy(tmp_path: Path) -> None:
    workers = Workers(1, for_presses=1)
    try:
        held = asyncio.create_task(workers.run_rules(wait_for, str(tmp_path / "seen")))
        await asyncio.sleep(0)
        assert await workers.run_rules(twice, 2) == 4
        (tmp_path / "seen").touch()
        await held
    finally:
        workers.close()


async def test_presses_go_before_steps_and_a_hosts_steps_one_at_a_time(tmp_path: Path) -> None:
    workers = Workers(2)
    done: list[str] = []

    async def make(what: str, acting: Awaitable[object]) -> None:
        await acting
        done.append(what)

    try:
        seen = [tmp_path / name for name in ("first", "second")]
        held = [
            asyncio.create_task(make(f"held {host}", workers.run_step(host, wait_for, str(file))))
            for host, file in enumerate(seen)
        ]
        await asyncio.sleep(0)
        games = [asyncio.create_task(make(f"anna {number}", workers.run_step(0, twice, 0))) for number in range(3)]
        games += [asyncio.create_task(make("bela", workers.run_step(2, twice, 0)))]
        games += [asyncio.create_task(make("picture", workers.run_picture(twice, 0)))]
        games += [asyncio.create_task(make("press", workers.run_rules(twice, 0)))]
        await asyncio.sleep(0)
        seen[1].touch()  # one process is free, and a step of host 0 goes on in the other
        await asyncio.gather(held[1], *games)
        # Nobody else was left to wait: then the others of host 0 had their turn.
        assert done == ["held 1", "press", "bela", "picture", "anna 0", "anna 1", "anna 2"]
        seen[0].touch()
        await held[0]
    finally:
        workers.close()


async def test_nobodys_step_keeps_their_presses_waiting(tmp_path: Path) -> None:
    workers = Workers(2)
    try:
        with workers.requested_by(1):
            step = asyncio.create_task(workers.run_step(1, wait_for, str(tmp_path / "seen")))
            await asyncio.sleep(0)
            assert await workers.run_rules(twice, 2) == 4
        (tmp_path / "seen").touch()
        await step
    finally:
        workers.close()


async def test_many_waiting_jobs_are_an_overload_until_they_are_done(own: Workers) -> None:
    jobs = [asyncio.create_task(own.run_rules(twice, number)) for number in range(OVERLOAD_LENGTH + 1)]
    await asyncio.sleep(0)
    assert not own.is_overloaded, "one is being done, the others may wait"
    jobs.append(asyncio.create_task(own.run_rules(twice, 0)))
    await asyncio.sleep(0)
    assert own.is_overloaded
    await asyncio.gather(*jobs)
    assert not own.is_overloaded


async def test_only_the_newest_illustration_is_drawn_once_nothing_else_waits(own: Workers) -> None:
    done: list[str] = []

    async def make(what: str, acting: Awaitable[object]) -> None:
        await acting
        done.append(what)

    first = asyncio.create_task(make("first", own.run_rules(twice, 0)))
    await asyncio.sleep(0)
    wanted, calls = [True], list[bool]()

    def still_wanted() -> bool:
        calls.append(wanted[0])
        return wanted[0]

    old = asyncio.create_task(own.run_illustration(still_wanted, stop))
    new = asyncio.create_task(make("illustration", own.run_illustration(lambda: True, twice, 0)))
    film = asyncio.create_task(make("film", own.run_film(twice, 0)))
    await asyncio.sleep(0)
    assert own.job_count == 4
    assert not calls, "who is asked knows that its turn has come"
    assert len(own._started_at) == 2, "an illustration that waits is no sign of a worker that hangs"
    wanted[0] = False
    others = [asyncio.create_task(make("picture", own.run_picture(twice, 0))) for _ in range(30)]
    others += [asyncio.create_task(make("step", own.run_step(number, twice, 0))) for number in range(30)]
    others += [asyncio.create_task(make("press", own.run_rules(twice, 0))) for _ in range(30)]
    with pytest.raises(JobOutdated):
        await old
    await asyncio.gather(first, new, film, *others)
    assert done[-2:] == ["illustration", "film"]
    assert own.replaced_count == 0, "what was out of date was not begun"


async def test_nothing_is_overtaken_for_ever(own: Workers) -> None:
    """However many press, a picture has its turn, and so has one that nobody watches, and at last a film."""
    done: list[str] = []

    async def make(what: str, acting: object) -> None:
        await acting  # type: ignore[misc]
        done.append(what)

    async def unwatched() -> None:
        mark_background()
        await own.run_picture(twice, 0)

    first = asyncio.create_task(make("first", own.run_rules(twice, 0)))
    await asyncio.sleep(0)
    slow = [
        asyncio.create_task(make("film", own.run_film(twice, 0))),
        asyncio.create_task(make("unwatched", unwatched())),
        asyncio.create_task(make("picture", own.run_picture(twice, 0))),
    ]
    presses = [asyncio.create_task(make("press", own.run_rules(twice, 0))) for _ in range(400)]
    await asyncio.gather(first, *slow, *presses)
    places = [done.index(what) for what in ("picture", "unwatched", "film")]
    assert places == sorted(places)
    assert places[0] > 10
    assert places[2] < 250, "presses still came"


async def test_one_persons_films_delay_nobody(own: Workers) -> None:
    """Of 25 films two are taken in; others' pictures, and what the outbox draws, come before the second."""
    done: list[str] = []

    async def outsider() -> None:
        with own.requested_by(666):
            await own.run_film(twice, 0)
        done.append("film")

    async def captain(number: int) -> None:
        with own.requested_by(number):
            await own.run_picture(twice, 0)
        done.append("panel")

    async def outbox() -> None:
        mark_background()
        await own.run_picture(twice, 0)
        done.append("outbox")

    films = [asyncio.create_task(outsider()) for _ in range(25)]
    await asyncio.sleep(0)
    others = [asyncio.create_task(task) for task in (outbox(), captain(1), captain(2), outbox())]
    refused = await asyncio.gather(*films, *others, return_exceptions=True)
    assert [error.key for error in refused if isinstance(error, Refusal)] == ["pictures_waiting"] * 23
    assert done == ["film", "panel", "panel", "outbox", "outbox", "film"]
    await outsider()  # an outsider may ask again


async def test_one_person_has_one_picture_made_at_a_time_and_the_next_after_the_others(own: Workers) -> None:
    done: list[int] = []

    async def look(user: int) -> None:
        with own.requested_by(user):
            await own.run_picture(twice, 0)
            done.append(user)

    await asyncio.gather(*(look(user) for user in (1, 1, 2, 2, 3)))
    assert done == [1, 2, 3, 1, 2]

    async def replay() -> None:
        """A request stays one, of however many pictures it is made."""
        with own.requested_by(1):
            for _ in range(3):
                await own.run_film(twice, 0)
                await asyncio.sleep(0)

    done.clear()
    await asyncio.gather(replay(), look(1))


async def test_films_leave_a_worker_to_others(tmp_path: Path) -> None:
    workers = Workers(2, limits=JobLimits(film_s=20))
    try:
        films = [asyncio.create_task(workers.run_film(wait_for, str(tmp_path / "seen"))) for _ in range(3)]
        await asyncio.sleep(0)
        assert await workers.run_picture(twice, 1) == 2
        (tmp_path / "seen").touch()
        await asyncio.gather(*films)
    finally:
        workers.close()


@pytest.mark.parametrize("limits", [SOON])
async def test_a_job_that_hangs_is_killed_and_others_go_on(own: Workers) -> None:
    before = pids(own)
    hanging = [asyncio.create_task(own.run_rules(job)) for job in (hang, stand_still, go_round)]
    others = [asyncio.create_task(own.run_picture(twice, number)) for number in range(4)]
    await asyncio.sleep(0)
    assert own.job_count == 7
    assert all(isinstance(error, JobLimitExceeded) for error in await asyncio.gather(*hanging, return_exceptions=True))
    assert await asyncio.gather(*others) == [0, 2, 4, 6]
    assert (own.job_count, own.oldest_job_s) == (0, 0)
    assert own.replaced_count == 3
    assert not {pid for pid in before if _alive(pid)}


@pytest.mark.parametrize("limits", [SOON])
async def test_no_job_is_given_up_because_others_have_the_processor(own: Workers) -> None:
    assert await own.run_rules(rest, 2 * SOON.rules_s) == "rested"
    assert own.replaced_count == 0


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_process_that_dies_harms_its_own_job_alone(own: Workers) -> None:
    dying = asyncio.create_task(own.run_rules(stop))
    others = [asyncio.create_task(own.run_picture(twice, number)) for number in range(4)]
    with pytest.raises(JobFailed):  # tried once more, and died again
        await dying
    assert await asyncio.gather(*others) == [0, 2, 4, 6]
    # One that was killed from outside is replaced, and what it was to do is done.
    os.kill(await own.run_picture(own_pid), signal.SIGKILL)
    assert await own.run_picture(twice, 4) == 8
    assert own.replaced_count == 3


@pytest.mark.parametrize("limits", [SOON])
async def test_one_who_no_longer_waits_leaves_no_gap(own: Workers) -> None:
    waiting = asyncio.create_task(own.run_rules(hang))
    await asyncio.sleep(0)
    queued = asyncio.create_task(own.run_picture(twice, 1))
    await asyncio.sleep(0)
    for task in (waiting, queued):
        task.cancel()
    assert await own.run_picture(twice, 4) == 8  # when the process is killed that nobody waits for
    assert own.job_count == 0


async def test_a_fault_tells_its_kind_and_place_and_never_what_the_job_was_about(own: Workers) -> None:
    order = "A1 FLRLF"
    with pytest.raises(JobFailed) as failed:
        await own.run_picture(stumble, order)
    trace = "".join(traceback.format_exception(failed.value))
    assert "KeyError" in trace
    assert "in stumble" in trace
    assert "FLRLF" not in trace
    # What a job says by an error of our own is heard as it was said.
    with pytest.raises(OrderError) as refused:
        await own.run_picture(refuse, order)
    assert refused.value.fault.piece == order
    # What takes too much memory is said so, and its worker is replaced.
    with pytest.raises(JobLimitExceeded):
        await own.run_picture(grow)
    assert await own.run_picture(twice, 4) == 8
    assert own.replaced_count == 1


async def test_what_a_stranger_gives_us_to_do_is_bounded_in_time_and_memory() -> None:
    assert await run_in_own_process(BOUNDS, 60, twice, 4) == 8
    for bounds, most_s, job in (
        (ProcessLimits(memory_bytes=2**30, cpu_s=1), 60, go_round),
        (BOUNDS, 0.3, hang),
        (BOUNDS, 60, grow),
    ):
        with pytest.raises(JobLimitExceeded):
            await run_in_own_process(bounds, most_s, job)


def test_a_process_loads_nothing_that_its_jobs_do_without() -> None:
    """It is started for every file that is checked and every scenario that is tried."""
    program = "import sys, bot.jobs.worker, bot.jobs.showing, bot.jobs.play, bot.record.checking; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "rules.core.registry" in loaded
    assert {"sqlalchemy", "structlog", "discord", "pydantic"}.isdisjoint(loaded)


def test_what_a_first_picture_needs_is_made_before_anybody_waits() -> None:
    table_top.chalk_dust.cache_clear()
    showing.preload_drawing()
    assert table_top.chalk_dust.cache_info().currsize == 1
