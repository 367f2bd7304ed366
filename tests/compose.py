"""The steps of `compose.yaml` and the `Dockerfile`, one by one, where no container engine is at hand.

`make compose-steps` carries out what both files say: the image's `COPY` and `RUN`, with the packages by their hashes;
the database with its user, password and encoding, until its health check passes; then both bots, with their settings
and as the image's user, on a Discord of this machine. Their health check is the Dockerfile's. One is killed and
started again, and at the end both get the image's stop signal. Paths of the image lie in a folder, and each bot has a
`/tmp` of its own. What is not tried: the base images, volumes, and the engine itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg

from bot.store.engine.leases import SHARD_PREFIX
from tests import pg
from tests.loopback.endpoint import free_port
from tests.loopback.shards import SHARDS, ShardedGateway
from tests.test_build import ROOT, part

GIVEN: Final = {"DISCORD_TOKEN": "token", "POSTGRES_PASSWORD": "secret18"}  # what its host sets
PLAYER: Final = 1000  # the number of the image's user
ELSEWHERE: Final = ("__init__.py", "crash/__init__.py", "crash/whole.py", "bot/__init__.py", "bot/fake_jobs.py")
"""Modules of `tests` by which a bot uses another Discord."""
MOST_S: Final = 120.0
HELD: Final = f"""
SELECT key, holder FROM leases
WHERE starts_with(key, '{SHARD_PREFIX}') AND holder IS NOT NULL AND until > extract(epoch FROM clock_timestamp())
"""


class Failed(Exception):
    """A step hasn't done what it should."""


class Image(NamedTuple):
    root: Path  # the folder that stands for `/`
    environment: dict[str, str]
    folder: str  # where its command runs
    health: list[str]
    command: list[str]
    stop: signal.Signals


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


# --- the image -------------------------------------------------------------------------------------------------------


def instructions() -> Iterator[tuple[str, str]]:
    text = re.sub(r"(?m)^\s*#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"))
    for line in text.replace("\\\n", " ").splitlines():
        name, _, rest = line.strip().partition(" ")
        if name:
            yield name, re.sub(r"\s+", " ", rest.strip())


def build(root: Path, python: str) -> Image:
    """Carry out the Dockerfile in a folder, with this Python in place of its base image's. Raises `Failed`."""
    base = root / "base"
    shell([python, "-m", "venv", "--without-pip", str(base)], root)
    shell([sys.executable, "-m", "pip", "--python", str(base / "bin" / "python"), "install", "--quiet", "pip"], root)
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**plain, "PATH": f"{base / 'bin'}:{plain['PATH']}"}
    of_stage: dict[str, str] = {}
    health, command, stop, folder = [""], [""], signal.SIGTERM, "/"
    for name, rest in instructions():
        match name:
            case "FROM":
                of_stage, folder = {}, "/"
            case "ENV":
                for word in shlex.split(rest):
                    key, _, value = word.partition("=")
                    of_stage[key] = value.replace("$PATH", environment["PATH"])
            case "WORKDIR":
                folder = rest
                there(root, folder).mkdir(parents=True, exist_ok=True)
            case "COPY" if rest.startswith("--from="):
                source, target = rest.split()[1:]
                if source != target or not there(root, target).exists():
                    raise Failed(f"COPY {rest}")
            case "COPY":
                *sources, target = rest.split()
                copy(sources, there(root, folder) / target)
            case "RUN" if rest.startswith("useradd"):
                games = there(root, rest.split()[-1])  # who runs it is there by number; the folder is made for them
                games.mkdir(exist_ok=True)
                if os.getuid() == 0:
                    os.chown(games, PLAYER, PLAYER)
            case "RUN":
                began = time.monotonic()
                own = {key: placed(root, value) for key, value in of_stage.items()}
                shell(["sh", "-c", placed(root, rest)], there(root, folder), {**environment, **own})
                say(f"RUN {rest[:90]}{'…' if len(rest) > 90 else ''}: {time.monotonic() - began:.0f} s")
            case "HEALTHCHECK":
                health = json.loads(rest[rest.index("CMD") + len("CMD") :])
            case "CMD":
                command = json.loads(rest)
            case "STOPSIGNAL":
                stop = signal.Signals[rest]
            case "ARG" | "USER" | "VOLUME":
                pass
            case _:
                raise Failed(f"{name} is not known here")
    return Image(root, of_stage, folder, health, command, stop)


def there(root: Path, path: str) -> Path:
    return root / path.lstrip("/")


def placed(root: Path, text: str) -> str:
    """Replace the image's paths in a text by those below `root`."""
    return re.sub(r"(?<![\w./])/(?=(opt|src|wheels|games)\b)", f"{root}/", text)


def copy(sources: list[str], target: Path) -> None:
    """Copy as `COPY` does: the contents of a folder, and files into a folder whose name ends so."""
    for source in sources:
        path = ROOT / source
        if path.is_dir():
            shutil.copytree(path, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            into = target / path.name if len(sources) > 1 or target.name != path.name else target
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, into)


def shell(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


def interpreter() -> tuple[str, dict[str, Any]]:
    """Return a Python that the image's user may run, and the user of its processes: ourselves, if need be."""
    ours = str(getattr(sys, "_base_executable", sys.executable))
    if os.getuid() != 0:
        return ours, {}
    as_player: dict[str, Any] = {"user": PLAYER, "group": PLAYER, "extra_groups": []}
    for python in (ours, "/usr/bin/python3"):
        with suppress(OSError):
            known = "import sys, venv; sys.exit(sys.version_info < (3, 11))"
            if subprocess.run([python, "-c", known], cwd="/", check=False, **as_player).returncode == 0:
                return python, as_player
    say(f"no Python here is for the user {PLAYER}: the bots run as root")
    return ours, {}


# --- what compose starts ---------------------------------------------------------------------------------------------


def settings(text: str) -> dict[str, str]:
    """Return the environment in a part of `compose.yaml`, with the values of `GIVEN`."""
    pairs = re.findall(r"^ *([A-Z_]+): (.+)$", text, re.MULTILINE)
    return {
        name: re.sub(r"\$\{(\w+):\?[^}]*\}", lambda match: GIVEN[match[1]], value.strip('"')) for name, value in pairs
    }


@contextmanager
def database(install: Path) -> Iterator[int]:
    """Run the database of `compose.yaml`, and yield its port once its health check passes."""
    service = part("database", 2)
    variables, port = settings(service), free_port()
    (check,) = re.findall(r"test: (\[.*\])", service)
    with tempfile.TemporaryDirectory(prefix="war-galley-pg-", dir="/tmp") as name:
        folder = Path(name)
        programs = pg.placed(install, folder) / "bin"
        as_nobody: dict[str, Any] = (
            {"user": pg.NOBODY, "group": pg.NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        )
        secret = folder / "password"
        secret.write_text(variables["POSTGRES_PASSWORD"])
        secret.chmod(0o644)
        who = ["--username", variables["POSTGRES_USER"], "--pwfile", str(secret), "--auth", "scram-sha-256"]
        options = shlex.split(variables["POSTGRES_INITDB_ARGS"])
        make = [programs / "initdb", "--pgdata", folder / "data", *who, *options]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd=folder, **as_nobody)
        serve = [
            programs / "postgres",
            "-D",
            folder / "data",
            "-p",
            str(port),
            "-c",
            f"unix_socket_directories={folder}",
        ]
        with (folder / "log").open("ab") as log:
            server = subprocess.Popen(serve, stdout=log, stderr=log, cwd=folder, **as_nobody)
        try:
            _, program, *rest = json.loads(check)
            healthy = [programs / program, "--host", "127.0.0.1", "--port", str(port), *rest]
            wait(lambda: not subprocess.run(healthy, stdout=subprocess.DEVNULL, check=False).returncode, "the database")
            with psycopg.connect(**{**address(port), "dbname": "postgres"}, autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{variables["POSTGRES_DB"]}"')
            yield port
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


def address(port: int) -> dict[str, Any]:
    variables = settings(part("database", 2))
    named = {
        "user": variables["POSTGRES_USER"],
        "password": variables["POSTGRES_PASSWORD"],
        "dbname": variables["POSTGRES_DB"],
    }
    return {**named, "host": "127.0.0.1", "port": port}


def wait(happened: Callable[[], object], what: str) -> float:
    began = time.monotonic()
    while not happened():
        if time.monotonic() > began + MOST_S:
            raise Failed(f"{what}: not within {MOST_S:.0f} s")
        time.sleep(0.1)
    return time.monotonic() - began


class Bot:
    """A bot of the image, with a `/tmp` of its own."""

    def __init__(self, image: Image, name: str, port: int, discord: ShardedGateway, as_player: dict[str, Any]) -> None:
        self.name, self._image, self._as_player = name, image, as_player
        own = there(image.root, f"tmp/{name}")
        own.mkdir(parents=True)
        if as_player:
            os.chown(own, PLAYER, PLAYER)
        self.log = own / "log"
        variables = {**image.environment, **settings(part("x-bot"))}
        variables["DATABASE_URL"] = variables["DATABASE_URL"].replace("@database/", f"@127.0.0.1:{port}/")
        environment = {key: placed(image.root, value).replace("/tmp/", f"{own}/") for key, value in variables.items()}
        self._environment = {**environment, "HOME": str(own), "PYTHONPATH": str(image.root / "elsewhere")}
        self._discord = [discord.url, discord.gateway]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        image = self._image
        if image.command != ["war-galley", "run"]:
            raise Failed(f"CMD {image.command}")
        program = there(image.root, "opt/war-galley/bin/python")
        runs = "from tests.crash.whole import main; main()"
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(program, "-c", runs, *self._discord),
                env=self._environment,
                cwd=there(image.root, image.folder),
                stdout=log,
                stderr=log,
                **self._as_player,
            )

    async def healthy(self) -> bool:
        program, *rest = self._image.health
        check = await asyncio.create_subprocess_exec(
            *(there(self._image.root, f"opt/war-galley/bin/{program}"), *rest),
            env=self._environment,
            stderr=subprocess.DEVNULL,
            **self._as_player,
        )
        return await check.wait() == 0

    async def ended(self, by: signal.Signals) -> int:
        assert self._process
        self._process.send_signal(by)
        return await asyncio.wait_for(self._process.wait(), MOST_S)

    async def kill(self) -> None:
        if self._process and self._process.returncode is None:
            await self.ended(signal.SIGKILL)


async def play(image: Image, port: int, as_player: dict[str, Any]) -> None:
    """Start both bots, kill one, start it again, and stop both. Raises `Failed`."""
    names = re.findall(r"^  (\w+): \*bot$", part("services"), re.MULTILINE)
    async with ShardedGateway().open() as discord, AsyncExitStack() as stack:
        assert isinstance(discord, ShardedGateway)
        bots = [Bot(image, name, port, discord, as_player) for name in names]
        for bot in bots:
            stack.push_async_callback(bot.kill)
            await bot.start()
        waited = await until(lambda: len({*held(port).values()}) == len(bots), "a shard for each", bots)
        await until(lambda: discord.connected(*range(SHARDS)), "a connection for each shard", bots)
        say(f"{' and '.join(names)}: a shard each after {waited:.1f} s")
        for bot in bots:
            await until(bot.healthy, f"the health of {bot.name}", bots)
        say("the image's health check passes for both")
        one, *others = bots
        was = set(held(port).values())
        await one.ended(signal.SIGKILL)
        waited = await until(
            lambda: len({*held(port).values()}) == len(others) and len(held(port)) == SHARDS, "it", bots
        )
        say(f"{one.name} killed: its shard has another holder after {waited:.1f} s")
        await one.start()
        waited = await until(
            lambda: len({*held(port).values()}) == len(bots) and {*held(port).values()} != was, "its share", bots
        )
        say(f"{one.name} started again: a shard each after {waited:.1f} s")
        for bot in bots:
            if code := await bot.ended(image.stop):
                raise Failed(f"{bot.name} has ended with {code}\n{bot.log.read_text('utf-8')}")
        say(f"{image.stop.name}: both have ended with 0")


def held(port: int) -> dict[str, str]:
    with suppress(psycopg.Error), psycopg.connect(**address(port)) as connection:  # its tables may not be there yet
        return dict(connection.execute(HELD).fetchall())
    return {}


async def until(happened: Callable[[], Any], what: str, bots: list[Bot]) -> float:
    began = time.monotonic()
    while True:
        result = happened()
        if await result if asyncio.iscoroutine(result) else result:
            return time.monotonic() - began
        if time.monotonic() > began + MOST_S:
            logs = "".join(f"{bot.name}:\n{bot.log.read_text('utf-8')}" for bot in bots)
            raise Failed(f"{what}: not within {MOST_S:.0f} s\n{logs}")
        await asyncio.sleep(0.1)


def main() -> int:
    install = pg.binaries()
    if install is None:
        sys.exit(pg.NO_SERVER)
    python, as_player = interpreter()
    with tempfile.TemporaryDirectory(prefix="war-galley-image-") as name:
        root = Path(name)
        root.chmod(0o755)
        try:
            image = build(root, python)
            for module in ELSEWHERE:
                copied = root / "elsewhere" / "tests" / module
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / "tests" / module, copied)
            with database(install) as port:
                say("the database is well")
                asyncio.run(play(image, port, as_player))
        except Failed as failed:
            say(f"failed: {failed}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
