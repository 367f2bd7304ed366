"""Processes that are forked from one which has loaded the bot: each starts at once, and is like any other afterwards.

Most of what a test with a process of its own takes is loading the bot, and the tests start a hundred.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import IO, Any

from bot.loading import without_garbage_collection

_SERVER = "from tests.forked import serve; serve({control})()"
"""Not `-m`: what a bot forks its workers from would load that module, too."""
RUN_MOST_S = 120  # seconds that `run` waits for a process
_MOST = 1 << 16  # bytes that are read at once
_END = b"\n"
_LOADED = (
    *("bot.jobs.preloaded", "bot.cli.main", "bot.cli.running"),
    *("bot.discord.app", "bot.sandbox.session", "aiohttp.web"),
)


class Forked:
    def __init__(self, line: socket.socket) -> None:
        self._said = line.makefile("r")
        line.close()
        self.pid = int(self._said.readline())
        self._code: Future[int] = Future()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def returncode(self) -> int | None:
        return self._code.result() if self._code.done() else None

    def send_signal(self, number: int) -> None:
        if not self._code.done():
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        return await asyncio.wrap_future(self._code)

    def join(self, most_s: float) -> int:
        return self._code.result(most_s)

    def _listen(self) -> None:
        with self._said as said:
            self._code.set_result(int(said.readline()))


def start(
    function: str,
    *arguments: str,
    out: IO[Any] | int | None = None,
    err: IO[Any] | int | None = None,
    environment: Mapping[str, str] | None = None,
    session: bool = False,
) -> Forked:
    """Start a process that calls a function, given as "package.module:function", with `arguments` in `sys.argv[1:]`.

    `out` and `err` are files or their numbers; without `out` nobody hears it, without `err` it complains where we do.
    With `session` it begins a session of its own, so that all its processes can be sent a signal at once.
    """
    ours, theirs = socket.socketpair()
    variables = dict(os.environ if environment is None else environment)
    message = json.dumps([function, arguments, variables, session, str(Path.cwd())]).encode()
    with theirs, Path(os.devnull).open("wb") as nothing:
        files = [_number(file) for file in (theirs, out or nothing, err or sys.__stderr__)]
        socket.send_fds(_server(), [message + _END], files)
    return Forked(ours)


async def run(function: str, *arguments: str) -> tuple[int, str, str]:
    """Let a process call a function, as `start` does; return its exit code, output and errors."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = await asyncio.wait_for(start(function, *arguments, out=out, err=err).wait(), RUN_MOST_S)
        for file in (out, err):
            file.seek(0)
        return code, out.read().decode(), err.read().decode()


def serve(control: int) -> Callable[[], object]:
    """Load the bot, and fork processes for as long as somebody may ask; in each of them, return what it is to call."""
    with without_garbage_collection():
        for name in _LOADED:
            importlib.import_module(name)
    assert threading.active_count() == 1, "a fork copies no other thread, but the locks it holds"
    requests = socket.socket(fileno=control)
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes.fileno())
    lines: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([requests, woken], [], [])
        if woken in ready:
            woken.recv(_MOST)
            _tell_who_ended(lines)
        if requests not in ready:
            continue
        message, files, *_ = socket.recv_fds(requests, _MOST, 3)
        if not message:
            sys.exit()
        while not message.endswith(_END):
            message += requests.recv(_MOST)
        if not (child := os.fork()):
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for left in (requests, woken, wakes, *lines.values()):
                left.close()
            return _begun(message, files)
        lines[child] = socket.socket(fileno=files[0])
        lines[child].sendall(f"{child}\n".encode())
        for other in files[1:]:
            os.close(other)


def _tell_who_ended(lines: dict[int, socket.socket]) -> None:
    """Tell those who started them which processes have ended, and how."""
    while lines:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with lines.pop(child) as line, contextlib.suppress(BrokenPipeError):
            line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _begun(message: bytes, files: Sequence[int]) -> Callable[[], object]:
    """Set up the requested process, and return the function to call."""
    function, arguments, environment, session, folder = json.loads(message)
    for number, file in enumerate(files[1:], start=1):
        os.dup2(file, number)
    for file in files:
        os.close(file)
    if session:
        os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    module, name = function.split(":")
    return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]


@cache
def _server() -> socket.socket:
    """Return the socket of a process that forks others; it ends when this one does."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-c", _SERVER.format(control=theirs.fileno())]
        subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    return ours


def _number(file: IO[Any] | socket.socket | int) -> int:
    return file if isinstance(file, int) else file.fileno()
