"""Captains' panels, photographed in the sandbox as a phone shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from tests.e2e import chromium
from tests.e2e.conftest import QUIET, sandbox
from tests.e2e.test_walk import PHONE, Walk, begin

HIGH = 1600  # pixels of a phone's page, high enough that a whole panel fits
SHARP = 2  # pixels of the photograph for each of these
PATIENCE_MS = 60_000


def photographs(games: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Return each game's first panel (PNG), after a newcomer has taken a hint; none without a browser."""
    if (path := chromium.find()) is None:
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        for game in games:
            with TemporaryDirectory() as folder:
                yield game, _panel(browser, Path(folder), game)
        browser.close()


def _panel(browser: Browser, folder: Path, game: str) -> bytes:
    with sandbox(folder / "sandbox") as address:
        phone = browser.new_context(
            viewport={"width": PHONE, "height": HIGH}, device_scale_factor=SHARP, locale="en-US", is_mobile=True
        )
        page = phone.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        page.wait_for_selector("#messages > *")
        begin(Walk(page, folder / "walk"), game)
        panel = page.locator("#messages article").last
        page.wait_for_function(
            "() => [...document.querySelectorAll('#messages article:last-of-type img')].every(one => one.naturalWidth)"
        )
        shot = panel.screenshot()
        phone.close()
    return shot
