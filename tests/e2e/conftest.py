"""A sandbox in its own process, and a real browser to look at it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e import chromium
from tests.forked import start

QUIET = (
    "--no-sandbox",  # as root, Chromium does not start otherwise
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
EVERYWHERE = os.environ.get("WALK") == "everywhere"  # whether it is `make walk`, and not one test of many
PATIENCE_MS = 600_000 if EVERYWHERE else 60_000
"""A machine that is busy with other tests may need long to start a process."""

expect.set_options(timeout=PATIENCE_MS)


@contextlib.contextmanager
def sandbox(data: Path, *more: str) -> Iterator[str]:
    """Run the sandbox in a folder; gives the page's address. Ends it as Ctrl-C does, and it must end well."""
    out, theirs = os.pipe()
    process = start("tests.e2e.foretold:main", str(data), *more, out=theirs, err=theirs, session=True)
    os.close(theirs)
    with os.fdopen(out, encoding="utf-8") as said:
        try:
            line = said.readline()
            match = re.search(r"http://127\.0\.0\.1:\d+/", line)
            assert match, line + said.read()
            yield match[0]
        finally:
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
            rest = said.read()
            assert process.join(60) == 0, rest
            assert "Traceback" not in rest, rest


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a browser for one module: Playwright keeps an event loop running, and other tests need their own."""
    if (path := chromium.find()) is None:
        pytest.skip(chromium.ADVICE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@contextlib.contextmanager
def opened(
    browser: Browser, address: str, *, width: int = 1280, height: int = 800, locale: str = "en-US"
) -> Iterator[Page]:
    """Open the page; whatever its scripts complain of fails the test."""
    context = browser.new_context(viewport={"width": width, "height": height}, locale=locale)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.goto(address)
    page.wait_for_selector("#messages > *")
    yield page
    context.close()
    assert not complaints


def rest(page: Page) -> None:
    """Wait until presses have been answered and drawn: as long as the page says that it isn't at rest."""
    page.wait_for_function("() => !document.querySelector('body.working, .busy')", timeout=0)
