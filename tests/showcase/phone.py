"""A captain's panel, photographed in the sandbox as a phone shows it."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.e2e.conftest import CHROMIUM, QUIET, sandbox

WIDE, HIGH = 400, 800
"""Pixels of a phone's page."""
SHARP = 2
"""Pixels of the photograph for each of these."""
PATIENCE_MS = 60_000


def photograph(data: Path) -> bytes | None:
    """Begin a duel with the computer in a sandbox in this folder, write orders, and take a picture of them (PNG).

    None where there is no browser.
    """
    if not CHROMIUM.exists():
        return None
    with sandbox(data) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        phone = browser.new_context(
            viewport={"width": WIDE, "height": HIGH}, device_scale_factor=SHARP, locale="en-US", is_mobile=True
        )
        page = phone.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        page.wait_for_selector("#messages > *")
        _play(page)
        shot = page.screenshot()
        browser.close()
    return shot


def _play(page: Page) -> None:
    """From an empty server to the orders of the first round."""
    page.locator("#guide .mention").first.click()
    _press(page, page.locator("form.command .primary"))
    expect(page.locator("form.command")).to_have_count(0)
    _press(page, _newest(page, "^Start"))
    page.locator("#menu").click()
    _press(page, page.locator(".channel.dm"))
    panel = page.locator("#messages article").last
    for _ in range(12):
        if "Round 1" in panel.inner_text() and "orders" in panel.inner_text():
            break
        seal = panel.locator(".button.success:not([disabled])")
        _press(page, seal if seal.count() else panel.locator(".button.secondary:not([disabled])").first)
    for label in ("forward", "forward", "starboard", "forward"):
        _press(page, panel.locator(".button:not([disabled])", has_text=re.compile(label)).first)
    panel.locator("img").last.evaluate("node => node.scrollIntoView({block: 'start'})")
    drawn = "() => [...document.querySelectorAll('#messages article:last-of-type img')].every(one => one.naturalWidth)"
    page.wait_for_function(drawn)


def _newest(page: Page, label: str) -> Locator:
    return page.locator("#messages .button:not([disabled])", has_text=re.compile(label)).last


def _press(page: Page, what: Locator) -> None:
    """Press it, and wait until that has been answered and drawn."""
    what.click()
    expect(page.locator("body.working")).to_have_count(0, timeout=PATIENCE_MS)
    expect(page.locator(".busy")).to_have_count(0, timeout=PATIENCE_MS)
