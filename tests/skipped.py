"""Skipped tests: the last line tells a developer which and why; in CI they are faults."""

from __future__ import annotations

import os
from collections import Counter

import pytest

BESIDE = "is not beside the repository"
"""Ends the reason of a test that needs a file from outside the repository, which no CI has to have."""


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where CI is set every test is run that needs nothing but the repository: a skipped one is a fault of CI's."""
    faults = [reason for reason in _skipped(session.config) if BESIDE not in reason]
    if os.environ.get("CI") and faults and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line what was skipped, and why."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and (skipped := _skipped(config)):
        faulty = os.environ.get("CI") and any(BESIDE not in reason for reason in skipped)
        failed = ", and where CI is set that fails" if faulty else ""
        reasons = "; ".join(f"{count} because of {reason}" for reason, count in skipped.items())
        reporter.write_line(f"skipped: {reasons}{failed}", yellow=True)


def _skipped(config: pytest.Config) -> Counter[str]:
    """Count the skipped tests by reason."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", ()) if reporter else ()
    return Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
