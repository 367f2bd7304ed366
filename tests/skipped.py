"""Skipped tests: a developer is told which and why, in the last line; in CI they are faults."""

from __future__ import annotations

import os
from collections import Counter

import pytest


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where CI is set every test is run: one that is skipped is a fault of CI's."""
    if os.environ.get("CI") and _skipped(session.config) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line what was skipped, and why."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and (skipped := _skipped(config)):
        failed = ", and where CI is set that fails" if os.environ.get("CI") else ""
        reasons = "; ".join(f"{count} because of {reason}" for reason, count in skipped.items())
        reporter.write_line(f"skipped: {reasons}{failed}", yellow=True)


def _skipped(config: pytest.Config) -> Counter[str]:
    """How many tests were skipped, by reason."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", ()) if reporter else ()
    return Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
