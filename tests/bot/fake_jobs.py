"""Jobs for workers: quick ones, and some that hang, die or grow. A module of its own, which a process loads at once."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from bot.jobs import play, showing
from bot.jobs.workers import Workers
from rules.core.errors import IllegalOrder


def pids(workers: Workers) -> list[int]:
    return [each.worker._running.process.pid for each in workers._all if each.worker._running]


def twice(number: int) -> int:
    return 2 * number


def stop(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang(*_: object, **__: object) -> None:
    # Not even what ends a process kindly ends this.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def stand_still() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def own_pid() -> int:
    return os.getpid()


def modules() -> set[str]:
    return set(sys.modules)


def stumble(order: str) -> None:
    {"nothing": 1}[order]


def stumble_over(*_: object, **__: object) -> None:
    raise RuntimeError("stumbled")


def refuse(piece: str) -> None:
    raise IllegalOrder("too_many_moves", "MB-3.4", piece=piece, most=3)


def go_round(*_: object, **__: object) -> None:
    while True:
        pass


def rest(seconds: float) -> str:
    """Stand for a job that is given no processor: neither uses it."""
    time.sleep(seconds)
    return "rested"


def grow(*_: object) -> None:
    bytearray(2**33)


def wait_for(file: str, *_: object, **__: object) -> None:
    while not Path(file).exists():
        time.sleep(0.01)


def held(job: str, begun: str, go_on: str, *args: Any, **named: Any) -> Any:
    """A job of `showing` that tells one named pipe that it is begun, and waits for a word from another."""
    with Path(begun).open("wb", buffering=0) as signal, Path(go_on).open("rb", buffering=0) as heard:
        signal.write(b".")
        heard.read(1)
    return getattr(showing, job)(*args, **named)


def first_held(folder: str, *args: Any, **named: Any) -> Any:
    """A game's step; that which is begun first waits until there is a file `go_on` in a folder."""
    try:
        (Path(folder) / "begun").touch(exist_ok=False)
    except FileExistsError:
        pass
    else:
        wait_for(str(Path(folder) / "go_on"))
    return play.carry_out_answers(*args, **named)
