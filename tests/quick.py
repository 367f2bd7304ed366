"""Run the checks and the tests that the last changes can break. Print the first failure last.

usage: python -m tests.quick   (`make quick`)

pytest-testmon keeps in `.testmondata` the functions that each test runs, and `dmypy` keeps the types in memory, so that
the first run takes minutes and later ones seconds. Neither notices changed texts and documents: the tests of those run
whole when a file that is not Python has changed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
TEXTS_SEEN = ROOT / ".quick"
"""Holds the hash of all files that are not Python, as of the last run that succeeded."""
MAX_LINES = 60
PYTEST = ("pytest", "-n", "0", "-x", "-p", "no:cacheprovider", "-m", "not slow")
READ_TEXTS = ("tests/test_catalogues.py", "tests/test_docs.py")
READ_SOURCES = ("tests/test_house.py", "tests/test_english.py")
TRACED = (
    *("tests/cases", "tests/rules", "tests/bot/texts", "tests/bot/discord/test_commands.py"),
    "tests/bot/test_duels.py::test_a_duel_of_one_who_presses_against_one_who_types",
)


def hash_texts() -> str:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    paths = (ROOT / name for name in sorted(listed.stdout.decode().split("\0")) if name and not name.endswith(".py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths if path.is_file())).hexdigest()


def run(command: tuple[str, ...]) -> tuple[bool, str]:
    """Return whether a command succeeded, and what it printed. Without tests to run, pytest exits with 5."""
    done = subprocess.run(
        [BIN / command[0], *command[1:]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode in ((0, 5) if command[0] == "pytest" else (0,)), done.stdout


def main() -> int:
    seen = hash_texts()
    changed = not TEXTS_SEEN.exists() or TEXTS_SEEN.read_text() != seen
    commands = [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("dmypy", "run"),
        ("lint-imports",),
        (*PYTEST, *READ_SOURCES, *(READ_TEXTS if changed else ())),
        (*PYTEST, "--testmon-forceselect", *TRACED, *READ_TEXTS),
    ]
    with ThreadPoolExecutor(len(commands)) as pool:
        failures = [
            (command, printed)
            for command, (succeeded, printed) in zip(commands, pool.map(run, commands), strict=True)
            if not succeeded
        ]
    for command, printed in reversed(failures):
        print(f"$ {' '.join(command)}", *printed.splitlines()[-MAX_LINES:], "", sep="\n")
    if not failures:
        TEXTS_SEEN.write_text(seen)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
