"""`war-galley pages` as a process of its own, and as a child of the bot."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from bot.cli.pages import MAX_OPEN_FILES, keep_serving

PATIENCE_S = 60
FEW_FILES = 64


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def fetch(port: int) -> str:
    """Return the site's first page, as soon as it is served."""
    for _ in range(PATIENCE_S * 10):
        try:
            with urlopen(f"http://127.0.0.1:{port}/") as page:
                return str(page.read().decode())
        except (URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError("no page is served")


def use_up_files(process: subprocess.Popen[str], port: int) -> None:
    """Send malformed requests, and open more connections than the process may have."""
    with socket.create_connection(("127.0.0.1", port)) as reader:
        reader.sendall(b"GET / HTTP/nine\r\n\r\n")
        assert reader.recv(12) == b"HTTP/1.0 400"
    with socket.create_connection(("127.0.0.1", port)) as reader:
        reader.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone")
        assert reader.recv(12) == b"HTTP/1.1 405"
    readers = [socket.create_connection(("127.0.0.1", port)) for _ in range(FEW_FILES)]
    for _ in range(PATIENCE_S * 10):
        if len([*Path(f"/proc/{process.pid}/fd").iterdir()]) >= FEW_FILES:
            break
        time.sleep(0.1)
    for reader in readers:
        reader.close()


def environments_of_children() -> list[bytes]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [Path(f"/proc/{child}/environ").read_bytes() for child in children.split()]


def test_the_site_is_served_until_it_is_stopped(tmp_path: Path) -> None:
    port = free_port()
    settings = {"PUBLIC_URL": "https://galley.example", "PAGES_DIR": str(tmp_path / "pages")}
    few = ["/bin/sh", "-c", f'ulimit -S -n {FEW_FILES} && exec "$@"', "sh"]
    command = [*few, sys.executable, "-m", "bot", "pages", "--port", str(port)]
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    environment, pipe = {**os.environ, **settings}, subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert "Rulebooks" in fetch(port)
            assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (min(hard, MAX_OPEN_FILES), hard)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) > os.getpriority(os.PRIO_PROCESS, 0)
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (FEW_FILES, hard))
            use_up_files(process, port)
            assert "Rulebooks" in fetch(port)
        finally:
            process.send_signal(signal.SIGTERM)
        said, logged = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert logged.count("socket.accept() out of system resource") == 1
    assert "Bad status line" not in logged
    assert "RequestPayloadError" not in logged
    assert said == f"Pages are served on 127.0.0.1, port {port}\n"


async def test_the_bots_child_knows_no_secrets_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCORD_TOKEN", "a-secret-token")
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://bot:hidden@localhost/games")
    monkeypatch.setenv("PUBLIC_URL", "https://galley.example")
    monkeypatch.setenv("PAGES_PORT", str(port))
    serving = asyncio.create_task(keep_serving())
    assert "Rulebooks" in await asyncio.to_thread(fetch, port)
    environments = await asyncio.to_thread(environments_of_children)
    served = [environment for environment in environments if f"PAGES_PORT={port}".encode() in environment]
    assert len(served) == 1
    assert b"a-secret-token" not in served[0]
    assert b"hidden" not in served[0]
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    with pytest.raises(URLError):
        await asyncio.to_thread(urlopen, f"http://127.0.0.1:{port}/")
