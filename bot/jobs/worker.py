"""A process that does one job after another, each within limits; it is replaced when it hangs or dies."""

from __future__ import annotations

import asyncio
import os
import pickle
import resource
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver, get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar

from msgspec import Struct

from bot import OWN_PACKAGES, games
from bot.errors import JobFailed, JobLimitExceeded

P = ParamSpec("P")
T = TypeVar("T")

START_TIMEOUT_S: Final = 60.0
"""Seconds until a process must have started: normally one; ten on a machine with ten times the load."""
POLL_INTERVAL_S: Final = 0.05
"""Seconds between two looks at a job that is close to its limit."""
STALL_FACTOR: Final = 4
"""For how many times its limit a job may use no processor: then it counts as hanging."""
KILL_TIMEOUT_S: Final = 5.0
"""Seconds until a killed process must be gone; only one that waits for a broken disk takes longer."""


class ProcessLimits(Struct, frozen=True, kw_only=True):
    """Limits that the kernel enforces on a process."""

    memory_bytes: int
    """Bytes of address space; a process that has loaded the rules takes some of it without using it."""
    cpu_s: int | None = None
    """Seconds of processor time in its lifetime; None: no limit."""
    nice: int = 0
    """How much it yields to other processes, as `os.nice` counts."""


class JobDeadline:
    """How long a job is still waited for."""

    def __init__(self, used_most_s: float, lasts_most_s: float) -> None:
        """It may use so many seconds of processor time. So long it may use none; or last, if that is no longer."""
        self._used_most_s, self._lasts_most_s = used_most_s, lasts_most_s
        self._moved_s = self._moved_at_s = 0.0
        """What it had used, and how long it had lasted, when it last went on."""

    def time_left_s(self, lasted_s: float, used_s: float | None) -> float:
        """Return the seconds until it must be looked at again, when it has lasted and used so many; 0: it's given up.

        Where what it uses can't be read, all that passes counts as used.
        """
        used_s = lasted_s if used_s is None else used_s
        if used_s > self._moved_s + POLL_INTERVAL_S and self._lasts_most_s > self._used_most_s:
            self._moved_s, self._moved_at_s = used_s, lasted_s  # it goes on, however slowly
        still_s = lasted_s - self._moved_at_s
        return max(0.0, min(self._lasts_most_s - still_s, self._used_most_s - used_s))


class Worker:
    """One process, started when it is first needed. Jobs are pure functions of values that can be pickled.

    The methods block. Only one thread at a time may do jobs; any thread may stop the process.
    """

    def __init__(self, bounds: ProcessLimits) -> None:
        self._process_limits = bounds
        self._process: Any = None
        self._pipe: Connection | None = None
        self._kill: Callable[[], None] = _do_nothing
        """Kills the process, if there is one."""
        self._used_s: Callable[[], float | None] = _unknown_usage
        """Its processor time so far, where that can be read."""
        self._is_stopped = False
        self.replaced = 0
        """How often its process died, or was killed because it exceeded its limits."""
        self._lock = threading.Lock()
        """Held while the process starts or ends, so that none starts after `stop`."""

    def run(self, job: Callable[[], T], most_s: float) -> T:
        """Return what a job returns, within `most_s` seconds. If the process dies, replace it and try once more.

        They are seconds of processor time, so that no job is given up because others have the processor; one that
        stands still may last `STALL_FACTOR` times as long. Raises `JobLimitExceeded`, `JobFailed`, or an error of our
        own that the job raises.
        """
        try:
            return self._run_job(job, most_s, STALL_FACTOR * most_s)
        except _ProcessDied:
            pass
        try:
            return self._run_job(job, most_s, STALL_FACTOR * most_s)
        except _ProcessDied:
            raise JobFailed("its process died, twice") from None

    def run_once(self, job: Callable[[], T], most_s: float) -> T:
        """As `do`, for a stranger's job: if the process dies, the job is to blame. The process ends with the job.

        Here they are seconds that pass, also while others have the processor. Raises `JobLimitExceeded`, or an error of
        our own that the job raises.
        """
        try:
            return self._run_job(job, most_s, most_s)
        except _ProcessDied:
            raise JobLimitExceeded from None
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process at once, and start no other."""
        self._is_stopped = True
        with self._lock:
            self._end_process()

    def _run_job(self, job: Callable[[], T], used_most_s: float, lasts_most_s: float) -> T:
        task = pickle.dumps(job)
        with self._lock:
            pipe = self._pipe or self._start()
            kill, used_s = self._kill, self._used_s
        expired, over = threading.Event(), threading.Event()
        before_s = used_s()

        def watch() -> None:
            began = time.monotonic()  # asked in this thread: in the caller's, the sandbox may show its own time
            patience = JobDeadline(used_most_s, lasts_most_s)
            while (left_s := patience.time_left_s(time.monotonic() - began, _difference(before_s, used_s()))) > 0:
                if over.wait(max(left_s, POLL_INTERVAL_S)):
                    return
            expired.set()
            kill()

        # Not a timer of the event loop: it must also run while the loop is blocked, or shows a virtual time.
        threading.Thread(target=watch, name="watch a job", daemon=True).start()
        try:
            pipe.send_bytes(task)
            done, result = pickle.loads(pipe.recv_bytes())  # noqa: S301 - written by our own process
        except (EOFError, OSError):
            self._replace()
            if expired.is_set():
                raise JobLimitExceeded from None
            raise _ProcessDied from None
        finally:
            over.set()
        if done:
            return result  # type: ignore[no-any-return]
        if isinstance(result, JobLimitExceeded):
            self._replace()  # its memory is fragmented
        raise result

    def _start(self) -> Connection:
        """Start a process.

        Raises `_ProcessDied` if there is none after `START_TIMEOUT_S`; the next job tries it again.
        """
        if self._is_stopped:
            raise _ProcessDied
        context = _process_context()
        ours: Connection
        ours, theirs = context.Pipe()
        given = (theirs, self._process_limits, games.loaded_packages())
        process = context.Process(target=_serve_jobs, args=given, name="worker", daemon=True)
        try:
            _start_process(process)
        except (EOFError, OSError):
            ours.close()
            raise _ProcessDied from None
        finally:
            theirs.close()
        self._pipe, self._process = ours, process
        self._kill, self._used_s = _kill_function(process), partial(_processor_time_s, process.pid)
        try:
            if ours.poll(START_TIMEOUT_S):
                ours.recv_bytes()
                return ours
        except (EOFError, OSError):
            pass
        self._end_process()
        raise _ProcessDied

    def _replace(self) -> None:
        """Let the next job start another process."""
        with self._lock:
            self._end_process()
        self.replaced += 1

    def _end_process(self) -> None:
        if self._process is not None and self._pipe is not None:
            self._kill()
            self._process.join(KILL_TIMEOUT_S)
            self._pipe.close()
        self._process = self._pipe = None
        self._kill, self._used_s = _do_nothing, _unknown_usage


def _do_nothing() -> None:
    """Do nothing."""


def _unknown_usage() -> None:
    """Say nothing."""


def _difference(before_s: float | None, now_s: float | None) -> float | None:
    return None if before_s is None or now_s is None else now_s - before_s


def _processor_time_s(pid: int) -> float | None:
    """Seconds of processor time that a process of ours has used; None where that can't be read, or it has ended."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's number of a process's clock
    except OSError:
        return None


def _kill_function(process: Any) -> Callable[[], None]:  # noqa: ANN401 - the processes of `multiprocessing` have no common type
    """Return what kills a process, also when the server that forked it has gone, and it is believed to have ended."""
    if sys.platform != "linux":
        return process.kill  # type: ignore[no-any-return,unused-ignore]
    try:
        itself = os.pidfd_open(process.pid)
    except OSError:
        return process.kill  # type: ignore[no-any-return]  # it has ended already, or files are short

    def kill() -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(itself, signal.SIGKILL)

    weakref.finalize(kill, os.close, itself)
    return kill


def _start_process(process: Any) -> None:  # noqa: ANN401 - as above
    """Start a process. Raises `OSError` or `EOFError` if its server can't, or has not after `START_TIMEOUT_S`."""
    failed: list[Exception] = []

    def start() -> None:
        try:
            process.start()
        except (EOFError, OSError) as error:
            failed.append(error)

    starting = threading.Thread(target=start, name="start a worker", daemon=True)
    starting.start()
    starting.join(START_TIMEOUT_S)
    if starting.is_alive():
        # A server that was stopped answers nobody. Once it is killed, the next start has another.
        if server := forkserver._forkserver._forkserver_pid:  # type: ignore[attr-defined]  # noqa: SLF001
            os.kill(server, signal.SIGKILL)
        starting.join(KILL_TIMEOUT_S)
        raise EOFError
    if failed:
        raise failed[0]


def _process_context() -> Any:  # noqa: ANN401 - the contexts of `multiprocessing` have no common type
    """Return how processes start: forked from a server that has loaded what every job needs.

    Not forked from the bot: that would copy locks that the event loop's threads hold at that moment.
    """
    # A folder called `data` where the bot is run would be taken for our package: the server looks there first.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    context = get_context("forkserver")
    context.set_forkserver_preload(["bot.jobs.preloaded"])
    return context


class _ProcessDied(Exception):
    """The process died during the job."""


async def run_in_own_process(
    bounds: ProcessLimits, most_s: float, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return the result of a stranger's job, done in its own process.

    Raises `JobLimitExceeded` when it exceeds its limits.
    """
    worker = Worker(bounds)
    try:
        return await asyncio.to_thread(worker.run_once, partial(job, *args, **kwargs), most_s)
    finally:
        worker.stop()


# --- in the process ------------------------------------------------------------------------------------------------


def _serve_jobs(pipe: Connection, bounds: ProcessLimits, packages: tuple[str, ...]) -> None:
    _set_up_process(bounds)
    games.load_packages(packages)
    pipe.send_bytes(b"ready")
    while True:
        try:
            task = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_run_pickled(task))


def _set_up_process(bounds: ProcessLimits) -> None:
    """Set up the process before its first job."""
    # Ctrl-C in a terminal reaches workers too; the bot still needs them to finish the step in hand.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # If the bot is killed, its workers must end, too.
    threading.Thread(target=_end_with_the_bot, name="end with the bot", daemon=True).start()
    os.nice(bounds.nice)
    resource.setrlimit(resource.RLIMIT_AS, (bounds.memory_bytes, bounds.memory_bytes))
    if bounds.cpu_s is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (bounds.cpu_s, bounds.cpu_s))


def _run_pickled(task: bytes) -> bytes:
    """Do a pickled job; returns whether it succeeded, and its result or error, pickled.

    An error of our own is passed on; any other becomes `JobFailed`.
    """
    try:
        return pickle.dumps((True, pickle.loads(task)()))  # noqa: S301 - written by the bot itself
    except MemoryError:
        return pickle.dumps((False, JobLimitExceeded()))
    except Exception as error:  # noqa: BLE001 - every error is passed on to the caller
        if type(error).__module__.partition(".")[0] in OWN_PACKAGES:
            return pickle.dumps((False, error))
        where = "".join(traceback.format_tb(error.__traceback__)[1:])
        return pickle.dumps((False, JobFailed(f"{type(error).__qualname__}, at\n{where}")))


def _end_with_the_bot() -> None:
    if bot := parent_process():
        bot.join()
        os._exit(1)
