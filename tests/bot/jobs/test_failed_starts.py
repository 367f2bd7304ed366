"""A process that could not be started keeps nobody waiting, and is started when it is next needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver, get_context
from pathlib import Path
from typing import Any

import pytest

import data
from bot.errors import JobLimitExceeded
from bot.jobs import worker
from bot.jobs.worker import ProcessLimits, Worker
from tests.bot.fake_jobs import hang, twice

BOUNDS = ProcessLimits(memory_bytes=2**31)
SERVER = forkserver._forkserver  # type: ignore[attr-defined]


@pytest.fixture(scope="module", autouse=True)
def _bare() -> Iterator[None]:
    """Let the server load nothing before it forks: it's killed again and again, and no job here needs rules."""

    def bare() -> Any:
        context = get_context("forkserver")
        context.set_forkserver_preload([])
        return context

    with pytest.MonkeyPatch.context() as patched:
        SERVER._stop()
        patched.setattr(worker, "_process_context", bare)
        yield
        SERVER._stop()


@pytest.fixture(autouse=True)
def _server() -> Iterator[None]:
    first = Worker(BOUNDS)
    first.run(partial(twice, 1), 60)
    yield
    first.stop()


def done_within(seconds: float, act: Any) -> Any:
    """Return the act's result or error; None if it has neither within that time."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(act())
        except Exception as error:  # noqa: BLE001 - whatever it is
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return results[0] if results else None


def ended(pid: int) -> bool:
    with suppress(OSError):
        while Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
            time.sleep(0.02)
    return True


@pytest.mark.parametrize("lack", [OSError(24, "Too many open files"), EOFError("unexpected EOF")])
def test_a_worker_that_could_not_start_starts_when_needed(monkeypatch: pytest.MonkeyPatch, lack: Exception) -> None:
    """Files or processes were short, or the kernel killed the server while it forked."""

    def fail(*_: object) -> None:
        raise lack

    worker = Worker(BOUNDS)
    with monkeypatch.context() as patched:
        patched.setattr(forkserver, "connect_to_new_process", fail)
        done_within(10, lambda: worker.run(partial(twice, 4), 60))
    assert done_within(20, lambda: worker.run(partial(twice, 4), 5)) == 8


def test_a_folder_where_it_is_run_is_not_taken_for_a_package_of_ours(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    program = tmp_path / "elsewhere" / "program.py"
    program.parent.mkdir()
    program.write_text(
        "from functools import partial\n"
        "from bot.jobs.worker import ProcessLimits, Worker\n"
        "if __name__ == '__main__':\n"
        f"    worker = Worker(ProcessLimits(memory_bytes={BOUNDS.memory_bytes}))\n"
        "    print(worker.run(partial(eval, \"__import__('data').__file__\"), 60))\n"
        "    worker.stop()\n"
    )
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == data.__file__, done.stderr


def test_a_server_that_stands_still_keeps_no_job_longer_than_a_start_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "START_TIMEOUT_S", 1.0)
    one, server = Worker(BOUNDS), SERVER._forkserver_pid
    os.kill(server, signal.SIGSTOP)
    try:
        assert done_within(8, lambda: one.run(partial(twice, 4), 1)) is not None
    finally:
        with suppress(ProcessLookupError):
            os.kill(server, signal.SIGCONT)
        one.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="processes have files on Linux alone")
def test_a_process_for_which_no_file_is_left_is_still_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(_: int) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", short)
    worker = Worker(BOUNDS)
    pid = worker.run(os.getpid, 60)
    with pytest.raises(JobLimitExceeded):
        worker.run(hang, 0.5)
    assert done_within(20, lambda: ended(pid))
    worker.stop()


def test_a_process_whose_server_has_gone_is_still_killed() -> None:
    """`multiprocessing` believes that it has ended, as nobody tells how it does."""
    worker = Worker(BOUNDS)
    pid = worker.run(os.getpid, 60)
    os.kill(SERVER._forkserver_pid, signal.SIGKILL)
    other = Worker(BOUNDS)
    assert done_within(60, lambda: other.run(partial(twice, 4), 60)) == 8
    with pytest.raises(JobLimitExceeded):
        worker.run(hang, 0.5)
    assert done_within(20, lambda: ended(pid))
    worker.stop()
    other.stop()
