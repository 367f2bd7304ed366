"""A game's page in the browser, photographed at a desk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from tests.e2e import chromium
from tests.e2e.conftest import QUIET, opened, sandbox
from tests.e2e.test_pages import Table

_WIDTH, _HEIGHT = 1100, 900


def photograph() -> bytes | None:
    """Return the page of a game whose first round is over (PNG); None without a browser."""
    if (path := chromium.find()) is None:
        return None
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        with sandbox(Path(folder)) as address, opened(browser, address) as player:
            table = Table(player)
            context = browser.new_context(
                viewport={"width": _WIDTH, "height": _HEIGHT}, locale="en-US", timezone_id="Europe/London"
            )
            reader = context.new_page()
            reader.goto(table.address)
            reader.wait_for_function("() => [...document.images].every(image => image.naturalWidth)")
            shot = reader.screenshot()
            context.close()
        browser.close()
    return shot
