"""The settings of `/galley me`, changed on a phone by pressing, in one private message."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import opened, rest, sandbox
from tests.e2e.test_browser import press


def pick(page: Page, named: str, value: str) -> None:
    settings = page.locator(".message.ephemeral").last
    press(page, settings.locator(".select", has_text=named))
    press(page, page.locator("[role=option]:visible", has_text=value).first)


@pytest.mark.parametrize(
    ("language", "reminders", "near_end", "form", "zone"),
    [
        ("en", "Reminders", "near the end only", "Time zone", "Time zone: Europe/Budapest"),
        ("hu", "Emlékeztetők", "csak a vége felé", "Időzóna", "Időzóna: Europe/Budapest"),
    ],
)
def test_settings_are_changed_by_pressing_on_a_phone(
    browser: Browser, tmp_path: Path, language: str, reminders: str, near_end: str, form: str, zone: str
) -> None:
    with sandbox(tmp_path) as address, opened(browser, address, width=400, height=800) as page:
        if language == "hu":
            page.locator("#guide > summary").click()
            page.locator("#language").click()
            expect(page.locator("#write")).to_have_attribute("placeholder", re.compile("Üzenet ide"))
            rest(page)
        page.locator("#write").fill("/galley me")
        page.keyboard.press("Enter")
        press(page, page.locator("form.command .primary"))
        settings = page.locator(".message.ephemeral").last
        pick(page, reminders, near_end)
        expect(settings).to_contain_text(near_end)
        press(page, settings.locator(".button", has_text=form))
        page.locator("#form[open] input, #form[open] textarea").first.fill("budapest")
        press(page, page.locator("#form .primary"))
        expect(page.locator("#form[open]")).to_have_count(0)
        expect(settings).to_contain_text(zone)
        expect(page.locator(".message.ephemeral")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
