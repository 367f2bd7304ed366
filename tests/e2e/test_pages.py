"""Pages of games in a real browser: live, replayed by keys, without scripts, in both languages, on a phone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Literal

import pytest
from aiohttp import web
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect

from bot.pages.folder import PageFolder
from bot.pages.site import create_site
from bot.sandbox.session import PAGES_FOLDER
from tests.e2e.conftest import opened, sandbox
from tests.e2e.test_browser import answer, begin_alone, play_to_round, press

SIZES = pytest.mark.parametrize(("width", "height"), [(1280, 800), (400, 800)])
PHONE_FIRST = pytest.mark.parametrize(
    ("width", "height"), [pytest.param(1280, 800, marks=pytest.mark.long), (400, 800)]
)  # in short runs on a phone alone


Motion = Literal["no-preference", "reduce"]
ZONE = "Asia/Tokyo"  # where readers of a game live
SHIPS_IN_SIGHT = """() => {
    const frame = document.querySelector("#frame").getBoundingClientRect();
    const isInside = ({ left, right, top, bottom }) =>
        left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
    const boxes = [...document.querySelectorAll("[data-ship]")].map((ship) => ship.getBoundingClientRect());
    return boxes.filter(isInside).length;
}"""
NO_GAME = "A" * 22
"""A key that no game has."""


class Table:
    """A game in the sandbox, and the address of its page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        begin_alone(page)
        play_to_round(page, 2)
        press(page, page.locator(".channel.thread").last)
        link = page.locator('#messages a[href*="/g/"]').last
        expect(link).to_be_visible()
        self.address = link.get_attribute("href") or ""

    def play_round(self) -> None:
        press(self.page, self.page.locator(".channel.dm"))
        play_to_round(self.page, 2)
        answer(self.page)

    def concede(self) -> None:
        self.page.locator("#write").fill("/galley concede")
        self.page.keyboard.press("Enter")
        press(self.page, self.page.locator("form.command .primary"))
        press(self.page, self.page.locator("#messages .button.danger").last)


@pytest.fixture
def table(browser: Browser, tmp_path: Path) -> Iterator[Table]:
    with sandbox(tmp_path) as address, opened(browser, address) as page:
        yield Table(page)


@pytest.fixture
def rulebook(tmp_path: Path) -> Iterator[str]:
    """Serve a site without games; return the address of a rulebook."""
    runner = web.AppRunner(create_site(PageFolder(tmp_path), ""))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()

    async def serve() -> str:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}/rules/matchbox"

    yield asyncio.run_coroutine_threadsafe(serve(), loop).result()
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@contextmanager
def reading(
    browser: Browser,
    table: Table,
    width: int,
    height: int,
    *,
    motion: Motion = "no-preference",
    expected_error: str = "",
) -> Iterator[Page]:
    """Open a game's page as a reader who has no account; what its script complains of fails the test."""
    size: ViewportSize = {"width": width, "height": height}
    context = browser.new_context(viewport=size, locale="en-US", reduced_motion=motion, timezone_id=ZONE)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(table.address)
    expect(page.locator("#controls")).to_be_visible()
    yield page
    context.close()
    assert all(expected_error and expected_error in complaint for complaint in complaints), complaints


@SIZES
def test_a_page_is_replayed_by_keys_and_goes_on_by_itself(
    browser: Browser, table: Table, width: int, height: int
) -> None:
    motion: Motion = "reduce" if width > 400 else "no-preference"
    with reading(browser, table, width, height, motion=motion) as reader:
        expect(reader.locator(".round")).to_have_text("Round 1")
        assert reader.locator("#picture").evaluate("image => image.naturalWidth") >= 1000
        assert reader.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        reader.keyboard.press("ArrowLeft")
        expect(reader.locator(".round")).to_contain_text("Preparations")
        reader.keyboard.press("Home")
        expect(reader.locator("#before")).to_have_attribute("aria-disabled", "true")
        expect(reader).to_have_url(re.compile(r"#r0\.1$"))
        reader.keyboard.press("End")
        expect(reader.locator(".round")).to_have_text("Round 1")
        reader.locator("#slider").evaluate("it => { it.value = 0; it.dispatchEvent(new Event('input')); }")
        expect(reader.locator("#before")).to_have_attribute("aria-disabled", "true")
        reader.locator("#after").click()
        expect(reader.locator("#before")).not_to_have_attribute("aria-disabled", "true")
        reader.keyboard.press("End")
        expect(reader.locator(".round")).to_have_text("Round 1")
        table.play_round()
        expect(reader.locator(".round")).to_have_text("Round 2")
        expect(reader.locator("#news")).to_have_text("Round 2 is here.")
        picture = reader.locator("#picture")
        expect(picture).to_have_attribute("data-film", re.compile("webp$"))
        shows_film = picture.evaluate("image => image.getAttribute('src') === image.dataset.film")
        assert shows_film == (motion == "no-preference")
        frame = reader.locator(".frame")
        frame.focus()
        reader.keyboard.press("+")
        expect(frame).to_contain_class("zoomed")
        reader.keyboard.press("0")
        expect(frame).not_to_contain_class("zoomed")
        reader.locator("#zoom-in").click()
        expect(frame).to_contain_class("zoomed")
        before = reader.locator("#sheet").evaluate("sheet => sheet.style.transform")
        frame.hover()
        reader.mouse.down()
        reader.mouse.move(60, 300, steps=3)
        reader.mouse.up()
        assert reader.locator("#sheet").evaluate("sheet => sheet.style.transform") != before
        frame.hover()
        reader.keyboard.down("Control")
        reader.mouse.wheel(0, 2000)
        reader.keyboard.up("Control")
        expect(frame).not_to_contain_class("zoomed")
        due = reader.locator("time[datetime]")
        there = (
            f"time => new Date(time.dateTime).toLocaleTimeString('en', {{ timeStyle: 'short', timeZone: '{ZONE}' }})"
        )
        expect(due).to_contain_text(due.evaluate(there))
        reader.evaluate("() => { location.hash = '#r0.1'; }")  # as a link to a step does
        expect(reader.locator(".round")).to_contain_text("Preparations")


@PHONE_FIRST
def test_a_reader_points_at_ships_and_keeps_the_focus_while_the_game_is_replayed(
    browser: Browser, table: Table, width: int, height: int
) -> None:
    with reading(browser, table, width, height) as reader:
        pointed = reader.locator("#pointed")
        expect(pointed).to_contain_text("Point at a ship, or tap it")
        for _ in range(4):
            reader.locator("#zoom-in").click()
        reader.wait_for_function(SHIPS_IN_SIGHT)  # once the picture has grown: nothing was pointed at
        reader.locator("#frame").focus()
        reader.keyboard.press("0")
        reader.locator("#pieces polygon").first.hover()
        expect(pointed).to_contain_text(re.compile(r"^[AB]\d, "))
        reader.locator("#frame").focus()
        reader.keyboard.press("Tab")
        reader.keyboard.press("ArrowDown")
        ship = reader.locator("#pieces polygon:focus")
        expect(ship).to_have_count(1)
        expect(pointed).to_have_text(ship.get_attribute("aria-label") or "")
        reader.keyboard.press("ArrowLeft")
        expect(reader.locator(".round")).to_contain_text("Preparations")
        expect(ship).to_have_count(1)
        reader.locator("#before").focus()
        for _ in range(3):
            reader.keyboard.press("Enter")
        expect(reader.locator("#before")).to_have_attribute("aria-disabled", "true")
        expect(reader.locator("#before")).to_be_focused()
        reader.keyboard.press("Enter")
        expect(reader.locator("#before")).to_be_focused()
        reader.locator("#play").click()
        expect(reader.locator("#play")).to_have_text("Stop")
        reader.keyboard.press("Escape")
        expect(reader.locator("#play")).not_to_have_text("Stop")
        reader.keyboard.press("End")
        expect(reader.locator("#play")).to_have_text("Play all")
        expect(reader.locator(".round")).to_have_text("Round 1")


def test_a_page_that_is_open_when_the_game_ends_shows_the_result(browser: Browser, table: Table) -> None:
    with reading(browser, table, 400, 800, expected_error="503") as reader:
        reader.route("**/live", lambda route: route.fulfill(status=503))  # there are too many readers: it has to ask
        reader.reload()
        expect(reader.locator("#controls")).to_be_visible()
        reader.keyboard.press("Home")
        expect(reader.locator(".round")).to_contain_text("Preparations")
        table.concede()
        expect(reader.locator(".result")).to_be_visible()
        expect(reader.locator(".closing")).to_be_visible()


@PHONE_FIRST
def test_a_page_without_scripts_has_picture_text_and_links(
    browser: Browser, table: Table, width: int, height: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height}, java_script_enabled=False, locale="hu")
    reader = context.new_page()
    reader.goto(table.address)
    expect(reader.locator(".round")).to_have_text("1. kör")
    expect(reader.locator("#controls")).to_be_hidden()
    reader.locator("#before").click()
    expect(reader.locator(".round")).to_contain_text("Előkészületek")
    reader.locator("#after").click()
    expect(reader.locator(".round")).to_have_text("1. kör")
    assert reader.locator("#picture").get_attribute("alt")
    reader.locator("header nav a").click()
    expect(reader.locator(".round")).to_have_text("Round 1")
    reader.get_by_text("Rulebook: War Galley with matchboxes").click()
    expect(reader.locator("#turn-in-short")).to_be_visible()
    context.close()


def test_a_page_that_is_turned_off_while_it_is_open_says_so(browser: Browser, table: Table) -> None:
    with reading(browser, table, 400, 800, expected_error="404") as reader:
        expect(reader.locator(".round")).to_have_text("Round 1")
        reader.locator("summary").first.click()
        number = reader.locator('details a[href*="/rules/"]').first
        assert "#MB-" in (number.get_attribute("href") or "")
        reader.evaluate("() => scrollTo(0, 321)")
        number.evaluate("link => link.click()")  # without scrolling to it
        expect(reader.locator(".rule:target")).to_be_visible()
        reader.go_back()
        expect(number).to_be_visible()
        reader.wait_for_function("() => scrollY === 321")
        table.page.locator("#write").fill("/galley-host settings pages:False")
        table.page.keyboard.press("Enter")
        press(table.page, table.page.locator("form.command .primary"))
        expect(reader.locator("#news")).to_have_text("This page has been turned off.")
        expect(reader.locator("#picture")).to_have_count(0)
        answer_of_site = reader.goto(table.address)
        assert answer_of_site
        assert answer_of_site.status == 404


def archive_of(table: Table) -> str:
    """Return the address of the server's archive, as its managers see it."""
    press(table.page, table.page.locator(".channel:not(.thread):not(.dm)").first)
    table.page.locator("#write").fill("/galley-host settings")
    table.page.keyboard.press("Enter")
    press(table.page, table.page.locator("form.command .primary"))
    link = table.page.locator('#messages a[href*="/s/"]').last
    expect(link).to_be_visible()
    return link.get_attribute("href") or ""


@PHONE_FIRST
def test_an_archive_leads_by_clicks_to_games_captains_and_filters(
    browser: Browser, table: Table, width: int, height: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US")
    reader = context.new_page()
    archive = archive_of(table)
    reader.goto(archive)
    expect(reader.locator("h1")).to_contain_text("Games of")
    expect(reader.locator(".games li")).to_have_count(1)
    assert reader.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    filters = reader.locator(".filters summary")
    if not reader.locator(".filters a").first.is_visible():
        filters.click()
    reader.locator(".filters").get_by_text("finished", exact=True).click()
    expect(reader.locator(".games li")).to_have_count(0)
    expect(reader.get_by_text("No game is like this.")).to_be_visible()
    reader.locator("header nav a").click()
    expect(reader.get_by_text("Nincs ilyen játszma.")).to_be_visible()
    assert "state=over" in reader.url
    reader.get_by_text("Ranglista").click()
    expect(reader.get_by_text("Itt még senki sem fejezett be értékszámos játszmát.")).to_be_visible()
    reader.get_by_text("Játszmák", exact=True).click()
    reader.locator(".games p a").first.click()
    expect(reader.locator("h2").first).to_contain_text("kapitány")
    assert "/captain/" in reader.url
    reader.locator(".games .title").click()
    expect(reader.locator("#controls")).to_be_visible()
    expect(reader.locator(".round")).to_have_text("1. kör")
    context.close()


@pytest.mark.parametrize(
    ("width", "language", "scheme"),
    [
        (400, "en", "light"),
        pytest.param(1280, "en", "dark", marks=pytest.mark.long),
        pytest.param(400, "hu", "dark", marks=pytest.mark.long),
        pytest.param(1280, "hu", "light", marks=pytest.mark.long),
    ],
)
def test_no_page_breaks_a_rule_of_accessibility(
    browser: Browser, table: Table, tmp_path: Path, width: int, language: str, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, locale=language)
    page = context.new_page()
    archive = archive_of(table)
    for address in (table.address, f"{table.address}/r0.1"):
        look_for_barriers(page, address)
    press(table.page, table.page.locator(".channel.thread").last)
    table.concede()
    expect(page.locator(".result")).to_be_visible()
    page.goto(archive)
    captain = page.locator(".games p a").first.evaluate("link => link.href")
    site, _, key = table.address.partition("/g/")
    archives = (archive, f"{archive}?state=over", f"{archive}/ladder", captain)
    others = (f"{site}/rules/matchbox", f"{site}/", f"{site}/g/{NO_GAME}", f"{table.address}/files")
    for address in (table.address, f"{table.address}/r0.1", *archives, *others):
        look_for_barriers(page, address)
    PageFolder(tmp_path / PAGES_FOLDER).remove_content(key)
    look_for_barriers(page, table.address)
    expect(page.locator("[data-waiting]")).to_be_visible()
    expect(page.locator("#picture")).to_be_visible()  # drawn again
    context.close()


def look_for_barriers(page: Page, address: str) -> None:
    """Open an address and all folds there; axe must find nothing at level AA."""
    page.goto(address)
    if page.locator("#controls").count():
        expect(page.locator("#controls")).to_be_visible()
    for summary in page.locator("summary").all():
        if summary.locator("xpath=..").get_attribute("open") is None:
            summary.click()
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).response
    broken = [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]]
    assert not broken, (address, broken)


def test_a_rulebook_is_searched_and_a_link_still_finds_its_rule(browser: Browser, rulebook: str) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 800}, locale="hu")
    page = context.new_page()
    page.goto(f"{rulebook}#MB-5.8")
    rule = page.locator("[id='MB-5.8']")
    expect(rule).to_be_in_viewport()
    field = page.get_by_label("Keresés a szabályokban")
    field.fill("ARBOC tuz")  # without accents, in any order
    expect(page.locator("#found")).to_have_text(re.compile(r"^Találatok: [1-9]\d?$"))
    hits = page.locator(".rule:visible")
    assert hits.count() == int((page.locator("#found").text_content() or "").split()[-1])
    assert hits.count() < page.locator(".rule").count()
    expect(rule).to_be_hidden()
    page.evaluate("() => { location.hash = '#MB-5.7'; }")
    expect(page.locator("[id='MB-5.7']")).to_be_in_viewport()
    expect(field).to_have_value("")
    field.fill("nincsilyen")
    expect(page.locator("#found")).to_have_text("Találatok: 0")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    context.close()
