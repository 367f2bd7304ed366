"""Run jobs one after another in a process with limits, and replace the process if it hangs or dies."""

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
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from msgspec import Struct

from bot import OWN_PACKAGES, games
from bot.errors import JobFailed, JobLimitExceeded

P = ParamSpec("P")
T = TypeVar("T")

START_TIMEOUT_S: Final = 60.0
POLL_INTERVAL_S: Final = 0.05
STALL_FACTOR: Final = 4  # a job hangs if it uses no processor for this many times its limit
KILL_TIMEOUT_S: Final = 5.0


class ProcessLimits(Struct, frozen=True, kw_only=True):
    memory_bytes: int  # address space of the process
    cpu_s: int | None = None  # processor time; None: no limit
    nice: int = 0  # niceness: a process with a greater one gives way to others


class JobDeadline:
    def __init__(self, max_processor_s: float, max_stalled_s: float) -> None:
        """Limit processor time to `max_processor_s`, and the time without progress to `max_stalled_s`.

        If `max_stalled_s` is not the greater one, it limits the total time instead.
        """
        self._max_processor_s = max_processor_s
        self._max_stalled_s = max_stalled_s
        self._progress_used_s = 0.0  # processor time of the job when it last made progress
        self._progress_at_s = 0.0  # age of the job then

    def time_left_s(self, elapsed_s: float, used_s: float | None) -> float:
        """Return the seconds until the next check, or 0 if the job has exceeded its limits.

        If `used_s` is None, because processor time can't be read, the elapsed time counts instead.
        """
        used_s = elapsed_s if used_s is None else used_s
        if used_s > self._progress_used_s + POLL_INTERVAL_S and self._max_stalled_s > self._max_processor_s:
            self._progress_used_s = used_s
            self._progress_at_s = elapsed_s
        without_progress_s = elapsed_s - self._progress_at_s
        return max(0.0, min(self._max_stalled_s - without_progress_s, self._max_processor_s - used_s))


class _RunningProcess(NamedTuple):
    process: Any  # a process of `multiprocessing`
    pipe: Connection  # our end: jobs go out, results come in
    kill: Callable[[], None]  # ends the process at once
    used_s: Callable[[], float | None]  # returns the processor time, or None if it can't be read


class Worker:
    """A process that runs jobs, started when first needed. Jobs are pure functions of picklable values.

    The methods block. Only one thread at a time may run jobs. Any thread may stop the process.
    """

    def __init__(self, limits: ProcessLimits) -> None:
        self._process_limits = limits
        self._running: _RunningProcess | None = None
        self._is_stopped = False
        self.replaced_count = 0
        self._lock = threading.Lock()  # held while the process starts or ends, so that none starts after `stop`

    def run(self, job: Callable[[], T], most_s: float) -> T:
        """Return the result of a job. If the process dies, start another and try once more.

        `most_s` limits processor time, so a busy machine does not fail a job; a job that makes no progress may last
        `STALL_FACTOR` times as long. Raises `JobLimitExceeded`, `JobFailed`, or an error of this project that the job
        raises.
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
        """Like `run`, for untrusted jobs. If the process dies, the job is blamed. The process ends with the job.

        `most_s` limits elapsed time. Raises `JobLimitExceeded`, or an error of this project that the job raises.
        """
        try:
            return self._run_job(job, most_s, most_s)
        except _ProcessDied:
            raise JobLimitExceeded from None
        finally:
            self.stop()

    def stop(self) -> None:
        self._is_stopped = True
        with self._lock:
            self._end_process()

    def _run_job(self, job: Callable[[], T], max_processor_s: float, max_stalled_s: float) -> T:
        """Send a job to the process and return its result. A thread kills the process if it exceeds a limit."""
        pickled_job = pickle.dumps(job)
        with self._lock:
            running = self._running or self._start()
        expired = threading.Event()
        finished = threading.Event()
        used_before_s = running.used_s()

        def watch() -> None:
            began = time.monotonic()  # read in this thread, because the sandbox may fake the time in the caller's
            deadline = JobDeadline(max_processor_s, max_stalled_s)
            while True:
                used_s = _difference(used_before_s, running.used_s())
                left_s = deadline.time_left_s(time.monotonic() - began, used_s)
                if left_s <= 0:
                    break
                if finished.wait(max(left_s, POLL_INTERVAL_S)):
                    return
            expired.set()
            running.kill()

        # A thread instead of a timer of the event loop, which may be blocked or use virtual time.
        threading.Thread(target=watch, name="watch a job", daemon=True).start()
        try:
            running.pipe.send_bytes(pickled_job)
            has_succeeded, result = pickle.loads(running.pipe.recv_bytes())  # noqa: S301 - written by our own process
        except (EOFError, OSError):
            self._replace()
            if expired.is_set():
                raise JobLimitExceeded from None
            raise _ProcessDied from None
        finally:
            finished.set()
        if has_succeeded:
            return result  # type: ignore[no-any-return]
        if isinstance(result, JobLimitExceeded):
            self._replace()  # its memory is fragmented
        raise result

    def _start(self) -> _RunningProcess:
        """Start a process and wait until it is ready for jobs. Raises `_ProcessDied`."""
        if self._is_stopped:
            raise _ProcessDied
        context = _process_context()
        own_end: Connection
        own_end, worker_end = context.Pipe()
        args = (worker_end, self._process_limits, games.loaded_packages())
        process = context.Process(target=_serve_jobs, args=args, name="worker", daemon=True)
        try:
            _start_process(process)
        except (EOFError, OSError):
            own_end.close()
            raise _ProcessDied from None
        finally:
            worker_end.close()
        self._running = _RunningProcess(
            process, own_end, _kill_function(process), partial(_processor_time_s, process.pid)
        )
        try:
            if own_end.poll(START_TIMEOUT_S):
                own_end.recv_bytes()
                return self._running
        except (EOFError, OSError):
            pass
        self._end_process()
        raise _ProcessDied

    def _replace(self) -> None:
        with self._lock:
            self._end_process()
        self.replaced_count += 1

    def _end_process(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.process.join(KILL_TIMEOUT_S)
            self._running.pipe.close()
        self._running = None


def _difference(before_s: float | None, now_s: float | None) -> float | None:
    return None if before_s is None or now_s is None else now_s - before_s


def _processor_time_s(pid: int) -> float | None:
    """Return the processor time of a child process, or None if it can't be read or the process has ended."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's number of a process's clock
    except OSError:
        return None


def _kill_function(process: Any) -> Callable[[], None]:  # noqa: ANN401 - the processes of `multiprocessing` have no common type
    """Return a function that kills a process, even if its fork server is gone and it is believed to have ended."""
    if sys.platform != "linux":
        return process.kill  # type: ignore[no-any-return,unused-ignore]
    try:
        process_fd = os.pidfd_open(process.pid)
    except OSError:
        return process.kill  # type: ignore[no-any-return]  # the process has ended, or no file descriptor is left

    def kill() -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(process_fd, signal.SIGKILL)

    weakref.finalize(kill, os.close, process_fd)
    return kill


def _start_process(process: Any) -> None:  # noqa: ANN401 - as above
    """Start a process, but at most for `START_TIMEOUT_S`. Raises `EOFError` or `OSError` if it cannot be started."""
    errors: list[Exception] = []

    def start() -> None:
        try:
            process.start()
        except (EOFError, OSError) as error:
            errors.append(error)

    starter = threading.Thread(target=start, name="start a worker", daemon=True)
    starter.start()
    starter.join(START_TIMEOUT_S)
    if starter.is_alive():
        # The fork server was stopped (SIGSTOP). Once it is killed, the next start has another.
        if server := forkserver._forkserver._forkserver_pid:  # type: ignore[attr-defined]  # noqa: SLF001
            os.kill(server, signal.SIGKILL)
        starter.join(KILL_TIMEOUT_S)
        raise EOFError
    if errors:
        raise errors[0]


def _process_context() -> Any:  # noqa: ANN401 - the contexts of `multiprocessing` have no common type
    """Return the context in which processes fork from a server that has imported what jobs need.

    Forking from the bot would copy locks that threads hold at that moment.
    """
    # The server would import a folder `data` in the working directory instead of the package.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    context = get_context("forkserver")
    context.set_forkserver_preload(["bot.jobs.preloaded"])
    return context


class _ProcessDied(Exception):
    """The process died during the job."""


async def run_in_own_process(
    limits: ProcessLimits, most_s: float, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return the result of an untrusted job that runs in its own process.

    Raises `JobLimitExceeded` if it exceeds its limits.
    """
    worker = Worker(limits)
    try:
        return await asyncio.to_thread(worker.run_once, partial(job, *args, **kwargs), most_s)
    finally:
        worker.stop()


# --- in the process ------------------------------------------------------------------------------------------------


def _serve_jobs(pipe: Connection, limits: ProcessLimits, packages: tuple[str, ...]) -> None:
    _set_up_process(limits)
    games.load_packages(packages)
    pipe.send_bytes(b"ready")
    while True:
        try:
            pickled_job = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_run_pickled(pickled_job))


def _set_up_process(limits: ProcessLimits) -> None:
    # Ctrl-C in a terminal reaches workers too, but the bot needs them to finish a running step.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Workers must end even if the bot is killed.
    threading.Thread(target=_end_with_the_bot, name="end with the bot", daemon=True).start()
    os.nice(limits.nice)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    if limits.cpu_s is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s))


def _run_pickled(pickled_job: bytes) -> bytes:
    """Run a job. Return, pickled, whether it succeeded, and its result or error.

    An error of this project is passed on; any other becomes `JobFailed`.
    """
    try:
        return pickle.dumps((True, pickle.loads(pickled_job)()))  # noqa: S301 - written by the bot itself
    except MemoryError:
        return pickle.dumps((False, JobLimitExceeded()))
    except Exception as error:  # noqa: BLE001 - every error is passed on to the caller
        if type(error).__module__.partition(".")[0] in OWN_PACKAGES:
            return pickle.dumps((False, error))
        traceback_text = "".join(traceback.format_tb(error.__traceback__)[1:])
        return pickle.dumps((False, JobFailed(f"{type(error).__qualname__}, at\n{traceback_text}")))


def _end_with_the_bot() -> None:
    if bot := parent_process():
        bot.join()
        os._exit(1)
