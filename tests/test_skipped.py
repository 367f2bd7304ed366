"""The last line names a skipped test, which fails where CI is set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

def test_that_is_run():
    pass

@pytest.mark.parametrize("number", range(2))
def test_that_is_skipped(number):
    pytest.skip({reason!r})
"""


@pytest.mark.parametrize("ci", ["", "true"])
@pytest.mark.parametrize("processes", ["0", "1"])
@pytest.mark.parametrize(
    ("reason", "may_be"), [("the tide is out", False), ("the tide table is not beside the repository", True)]
)
def test_what_is_skipped_stands_in_the_last_line_and_fails_in_ci(
    tmp_path: Path, ci: str, processes: str, reason: str, may_be: bool
) -> None:
    tests = tmp_path / "test_tide.py"
    tests.write_text(TESTS.format(reason=reason), encoding="utf-8")
    options = ("-q", "-c", os.devnull, "-n", processes, "-p", "xdist", "-p", "tests.skipped")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tests)],
        env=os.environ | {"CI": ci, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert "1 passed, 2 skipped" in run.stdout, run.stdout + run.stderr
    assert run.returncode == (bool(ci) and not may_be)
    assert run.stdout.splitlines()[-1].startswith(f"skipped: 2 because of {reason}")
