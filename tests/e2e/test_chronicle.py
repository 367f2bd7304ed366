"""The chronicle of a season as a browser shows it: one file, readable on a phone and at a desk, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bot.presenters.chronicle import ChronicleContent
from tests.e2e import chronicled

SHOWN = (("en", 400), ("en", 1280), ("hu", 400))  # language and width of the page


@pytest.fixture(scope="module")
def made() -> ChronicleContent:
    with ThreadPoolExecutor(1) as other:  # Playwright's own event loop runs in this thread
        return other.submit(chronicled.account).result()


@pytest.fixture
def page(browser: Browser, width: int) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": width, "height": 900})
    yield page
    page.close()


@pytest.mark.parametrize(("language", "width"), SHOWN)
def test_it_is_one_file_that_reads_well(
    made: ChronicleContent, page: Page, tmp_path: Path, language: str, width: int
) -> None:
    with ThreadPoolExecutor(1) as other:
        text = other.submit(chronicled.page, made, language).result()
    assert len(text) < 5_000_000
    path = tmp_path / "chronicle.html"
    path.write_text(text, "utf-8")
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(path.as_uri())
    assert [url for url in loaded if not url.startswith("data:")] == [path.as_uri()]
    # Nothing is cut off, and no letter is too small to be read.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        "[...document.querySelectorAll('main *')].filter(one => one.childElementCount === 0 && one.textContent.trim()"
        " && !one.closest('svg') && parseFloat(getComputedStyle(one).fontSize) < 13).map(one => one.textContent)"
    )
    assert small == []
    # The pictures are inside: charts of the beginning and the end, and a battle's.
    images = page.locator("img")
    assert images.count() == 3
    assert all(images.nth(n).evaluate("image => image.decode().then(() => image.naturalWidth)") for n in range(3))
    assert all(images.nth(n).get_attribute("alt") for n in range(3))
    # What people wrote is text.
    assert page.locator("main script, h1 i").count() == 0
    assert "The <i>great</i> war" in page.locator("h1").inner_text()
    assert page.title() != "x"
    standings = page.locator("tbody tr").all_inner_texts()
    assert len(standings) == len(chronicled.NAMES)
    assert any("<script>" in row for row in standings)
    turns = page.locator(".rounds article").count()
    assert 0 < turns <= chronicled.TURNS
    assert page.locator(".rounds li").count() >= turns
    assert page.locator(".series .line").count() == len(chronicled.NAMES)
