"""A process that does one job after another, each within its bounds; one that hangs or dies is replaced."""

from __future__ import annotations

import asyncio
import os
import pickle
import resource
import signal
import threading
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar

from msgspec import Struct

from bot import OURS, games

P = ParamSpec("P")
T = TypeVar("T")

START_MOST_S: Final = 60.0
"""Seconds until a process must have begun: it takes one, on a machine that does ten things besides ten."""
END_MOST_S: Final = 5.0
"""Seconds until a process that was killed is gone; only one that waits for a broken disk takes longer."""


class Failed(RuntimeError):
    """A job met a fault of ours: of which kind, and where; not with what values, for jobs hold secrets."""


class TooMuch(Exception):
    """A job took more time or memory than it may."""


class Bounds(Struct, frozen=True, kw_only=True):
    """What the kernel lets a process take."""

    memory: int
    """Bytes of addresses, of which a process that has loaded the rules takes some without using them."""
    cpu_s: int | None = None
    """Seconds of processor time in its whole life."""
    nice: int = 0
    """By how much it gives way to other processes."""


class Worker:
    """One process, started when it is first needed. Jobs are pure functions of values that pickle.

    Its methods block, and but one thread at a time does jobs; any may stop it.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._process: Any = None
        self._pipe: Connection | None = None
        self._stopped = False
        self.replaced = 0
        """How often its process died, or was killed because it left its bounds."""
        self._changing = threading.Lock()
        """Held while the process is started or ended, so that none is started behind the back of `stop`."""

    @property
    def pid(self) -> int | None:
        """The number of its process, if there is one."""
        return self._process.pid if self._process else None

    def do(self, job: Callable[[], T], most_s: float) -> T:
        """Do a job, for so many seconds at most. If the process dies, it is replaced and the job tried once more.

        Raises `TooMuch`, `Failed`, or what the job says by an error of our own.
        """
        try:
            return self._once(job, most_s)
        except _Died:
            pass
        try:
            return self._once(job, most_s)
        except _Died:
            raise Failed("its process died, twice") from None

    def do_once(self, job: Callable[[], T], most_s: float) -> T:
        """The same for a job that is not ours, whose death is its own doing; the process ends with it."""
        try:
            return self._once(job, most_s)
        except _Died:
            raise TooMuch from None
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process, whatever it is at, and start no other."""
        self._stopped = True
        with self._changing:
            self._end()

    def _once(self, job: Callable[[], T], most_s: float) -> T:
        task = pickle.dumps(job)
        with self._changing:
            pipe = self._pipe or self._start()
            process = self._process
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            process.kill()

        # Not a timer of the event loop: it must run also where that is held, or its time is not the world's.
        timer = threading.Timer(most_s, expire)
        timer.daemon = True
        timer.start()
        try:
            pipe.send_bytes(task)
            done, result = pickle.loads(pipe.recv_bytes())  # noqa: S301 - written by our own process
        except (EOFError, OSError):
            self._replace()
            if expired.is_set():
                raise TooMuch from None
            raise _Died from None
        finally:
            timer.cancel()
        if done:
            return result  # type: ignore[no-any-return]
        if isinstance(result, TooMuch):
            self._replace()  # its memory is in pieces
        raise result

    def _start(self) -> Connection:
        if self._stopped:
            raise _Died
        # Spawned, not forked: a fork would copy the event loop's threads in the middle of whatever they hold.
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        told = (theirs, self._bounds, games.loaded())
        self._process = context.Process(target=_serve, args=told, name="worker", daemon=True)
        self._process.start()
        theirs.close()
        try:
            if self._pipe.poll(START_MOST_S):
                self._pipe.recv_bytes()
                return self._pipe
        except (EOFError, OSError):
            pass
        self._end()
        raise _Died

    def _replace(self) -> None:
        """Let the next job start another process."""
        with self._changing:
            self._end()
        self.replaced += 1

    def _end(self) -> None:
        if self._process is not None and self._pipe is not None:
            self._process.kill()
            self._process.join(END_MOST_S)
            self._pipe.close()
        self._process = self._pipe = None


class _Died(Exception):
    """The process is gone, and the job with it."""


async def alone(bounds: Bounds, most_s: float, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a job that a stranger has given us in a process of its own. Raises `TooMuch` when it leaves its bounds."""
    worker = Worker(bounds)
    try:
        return await asyncio.to_thread(worker.do_once, partial(job, *args, **kwargs), most_s)
    finally:
        worker.stop()


# --- in the process ------------------------------------------------------------------------------------------------


def _serve(pipe: Connection, bounds: Bounds, packages: tuple[str, ...]) -> None:
    _begin(bounds)
    games.load(packages)
    pipe.send_bytes(b"ready")
    while True:
        try:
            task = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_carry_out(task))


def _begin(bounds: Bounds) -> None:
    """Make a process ready, before its first job loads what it needs."""
    # Ctrl-C in a terminal reaches workers too; the bot still needs them to finish the step in hand.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Our matrices are small: threads would cost more than they bring, and fight for the other worker's core.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    # A bot that is killed takes nobody along; without it a worker would go on with its job.
    threading.Thread(target=_end_with_the_bot, name="end with the bot", daemon=True).start()
    os.nice(bounds.nice)
    resource.setrlimit(resource.RLIMIT_AS, (bounds.memory, bounds.memory))
    if bounds.cpu_s is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (bounds.cpu_s, bounds.cpu_s))


def _carry_out(task: bytes) -> bytes:
    """Do a job and write down what came of it.

    What it raises to say something passes as it is; a fault becomes a `Failed`.
    """
    try:
        return pickle.dumps((True, pickle.loads(task)()))  # noqa: S301 - written by the bot itself
    except MemoryError:
        return pickle.dumps((False, TooMuch()))
    except Exception as error:  # noqa: BLE001 - whatever it is, whoever handed the job in is told
        if type(error).__module__.partition(".")[0] in OURS:
            return pickle.dumps((False, error))
        where = "".join(traceback.format_tb(error.__traceback__)[1:])
        return pickle.dumps((False, Failed(f"{type(error).__qualname__}, at\n{where}")))


def _end_with_the_bot() -> None:
    if bot := parent_process():
        bot.join()
        os._exit(1)
