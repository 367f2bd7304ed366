"""The shell never prints a traceback for something a person typed or passed in: a line says what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.main import app
from bot.cli.shell import fault_line, run_case
from bot.cli.usage import MAX_DATABASE_INTEGER
from rules.core.errors import OrderError
from rules.core.registry import RULESETS
from tests.bot.cli.test_render_command import POSITION

SHELL = (sys.executable, "-m", "bot")
RECORD = Path(__file__).parents[3] / "docs" / "example.json"
GARBLED = b"\xff\xfe\x00 no text"
TOO_LARGE = str(MAX_DATABASE_INTEGER + 1)
BARRED = "/sys/x"
"""A path at which nobody may write, in Linux."""
NONE = "/none/x"
DATABASE = "sqlite+aiosqlite:///there.sqlite"

REFUSED: dict[str, tuple[tuple[str, str], ...]] = {
    "adjudicate": (("garbled", "case: "), ("folder", "folder: "), (f"--many {NONE}", f"{NONE}: ")),
    "render": (
        ("POSITION -o /none/x.png", "/none/x.png: "),
        ("POSITION -o folder.png", "folder.png: "),
        ("garbled -o x.png", "garbled: this is not text"),
        (f"{'é' * 190} -o x.png", ""),
        ("\udcff -o x.png", ""),
    ),
    "verify": (("garbled", "file: "), ("RECORD --battle folder", "folder: "), ("RECORD --battle garbled", "file: ")),
    "export": ((f"1 -o {NONE} --database DATABASE", ""), (f"{TOO_LARGE} -o x --database DATABASE", "")),
    "import": (("garbled --database DATABASE", "garbled: "), (f"RECORD --guild {TOO_LARGE} --database DATABASE", "")),
    "forget": (("5 --database sqlite+aiosqlite:///loop", "sqlite"), ("-1 --database DATABASE", ""), ("anna", "")),
    "status": (("--database nonsense", ""), ("--database sqlite+aiosqlite:///folder", "sqlite")),
    "delete": (
        ("--yes --database DATABASE", ""),
        ("--game 1 --server 1 --yes --database DATABASE", ""),
        ("--game 99 --yes --database DATABASE", "there is no game #99"),
    ),
    "deny": (("--database DATABASE", ""), ("--user anna --database DATABASE", "")),
    "allow": (("--user 1 --server 1 --database DATABASE", ""), (f"--server {TOO_LARGE} --database DATABASE", "")),
    "announce": (
        ("--database DATABASE", ""),
        (f"{'x' * 3000} --database DATABASE", "an announcement has 1 to"),
        ("Ahoy --translation xx=Ahoy --database DATABASE", "--translation: write LANGUAGE=TEXT"),
        ("Ahoy --translation hu= --database DATABASE", "--translation: write LANGUAGE=TEXT"),
    ),
    "check": ((NONE, f"{NONE}: "), ("folder", "folder: "), ("garbled", "garbled: ")),
    "backup": ((f"{BARRED} --database DATABASE", f"{DATABASE}: "), ("--force folder --database DATABASE", "")),
    "move": (
        ("--to nonsense --database DATABASE", "DATABASE_URL is of no use: "),
        ("--to DATABASE --database DATABASE", "there.sqlite: another war-galley"),
        ("--to DATABASE --database sqlite+aiosqlite:///new.sqlite", "the database to move to isn't empty: "),
    ),
    "new-game": (("mygame --folder garbled", "garbled"), (f"mygame --folder {BARRED}", BARRED), ("../x", "'../x'")),
    "words": (("chess", ""),),
    "demo": ((f"--out {BARRED}", f"{BARRED}: "), ("--out x --system chess", "")),
    "pages": (("--port 99999", ""), ("", "PUBLIC_URL is not set")),
    "sandbox": (("--port 0 --data garbled", "garbled: "), ("--port 99999", "")),
    "run": (),
}
"""By command: what is passed in, and how the line begins, if it is not the shell's own."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("database") / "there.sqlite"
    done = CliRunner().invoke(app, ["import", str(RECORD), "--database", f"sqlite+aiosqlite:///{file}"])
    assert not done.exception, done.output
    return file


@pytest.fixture
def here(tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of wrong files."""
    shutil.copy(database, tmp_path)
    (tmp_path / "garbled").write_bytes(GARBLED)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    for name in ("GAMES", "DISCORD_TOKEN", "DATABASE_URL", "PUBLIC_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def output_of(command: str, arguments: str, stdin: bytes = b"") -> str:
    stand_for = {"POSITION": POSITION, "RECORD": str(RECORD), "DATABASE": DATABASE}
    result = CliRunner().invoke(app, [command, *(stand_for.get(part, part) for part in arguments.split())], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.output


def test_every_command_is_tried() -> None:
    named = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert named == REFUSED.keys()


@pytest.mark.parametrize(
    ("command", "given", "begins"),
    [(command, given, begins) for command, tried in REFUSED.items() for given, begins in tried],
    ids=lambda value: ascii(value)[:50],
)
@pytest.mark.usefixtures("here")
def test_what_cannot_be_used_is_named_in_one_line(command: str, given: str, begins: str) -> None:
    output = output_of(command, given)
    if begins:
        line = output.removeprefix("war-galley: ")
        assert line.startswith(begins), output
        assert output.count("\n") == 1, output


@pytest.mark.usefixtures("here")
def test_a_name_of_several_lines_is_named_in_one() -> None:
    done = CliRunner().invoke(app, ["render", POSITION, "-o", "x\ny.txt"])
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert done.output.startswith("war-galley: x y.txt: ")


def test_the_name_of_a_file_that_is_no_text_is_printed_all_the_same(here: Path) -> None:
    shell = {**os.environ, "PYTHONIOENCODING": "utf-8:strict", "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [*SHELL, "backup", b"x\xff", "--database", DATABASE]
    done = subprocess.run(command, cwd=here, env=shell, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"x\\udcff: ")


@pytest.mark.usefixtures("here")
def test_a_case_in_standard_input_that_is_no_text_is_refused_and_the_others_are_judged() -> None:
    assert output_of("adjudicate", "-", GARBLED).startswith("case: ")
    done = CliRunner().invoke(app, ["adjudicate", "--many"], input=GARBLED + b'\n{"ruleset": "chess"}\n')
    assert [line.split(":")[1].strip(' "') for line in done.output.splitlines()] == ["case", "ruleset"]


@pytest.mark.parametrize("command", ["words matchbox", "run"])
def test_settings_that_are_no_text_are_named(here: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXIT_DELAY_S", "0")
    (here / ".env").write_bytes(GARBLED)
    assert output_of(*command.split(), *([""] if command == "run" else [])) == (
        "war-galley: .env: this is not text in UTF-8 (byte 0)\n"
    )


def test_nobody_reads_on(here: Path) -> None:
    """`war-galley … | head -1` ends without a word."""
    cases = here / "cases"
    cases.write_text('{"ruleset": "chess"}\n' * 20_000)
    with subprocess.Popen(
        [*SHELL, "adjudicate", "--many", str(cases)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    ) as shell:
        assert shell.stdout
        assert shell.stderr
        assert shell.stdout.readline().startswith(b'{"error"')
        shell.stdout.close()
        assert shell.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux that has no room")
def test_no_room_for_what_is_printed() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*SHELL, "adjudicate", "-"],
            input=b'{"ruleset": "chess"}',
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
            check=False,
        )
    assert done.stderr.count(b"\n") == 1


def test_ctrl_c_ends_a_command_without_a_word() -> None:
    with subprocess.Popen(
        [*SHELL, "adjudicate", "--many"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        start_new_session=True,
        # A job that a shell has in the background ignores it, and so would what it starts.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread is forked here
    ) as shell:
        assert shell.stdin
        assert shell.stdout
        assert shell.stderr
        # More than it reads ahead: it has begun, and waits for more.
        shell.stdin.write(b'{"ruleset": "chess"}\n' * 500)
        shell.stdin.flush()
        shell.stdout.readline()
        os.killpg(shell.pid, signal.SIGINT)
        shell.stdin.close()
        shell.stdout.read()
        assert shell.stderr.read() == b""
        assert shell.wait() == 130


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("", "case: "),
        ("{", "case: "),
        (DEEP, "case: "),
        *((json.dumps({"ruleset": name, "position": "?"}).replace('"?"', DEEP), "case: ") for name in RULESETS),
        ("[]", "ruleset: "),
        ("{}", "ruleset: "),
        ('{"ruleset": 7}', "ruleset: "),
        ('{"ruleset": "chess"}', "ruleset: "),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_no_case_is_refused_in_one_line(text, begins):
    with pytest.raises(OrderError) as refused:
        run_case(text)
    line = fault_line(refused.value)
    assert line.startswith(begins)
    assert len(line.splitlines()) == 1
