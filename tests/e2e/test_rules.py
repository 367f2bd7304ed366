"""On a phone, one press leads from a refusal to its rule, in every game and language; its table is as wide as that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bot.presenters.rules import find_rule
from bot.texts.i18n import Catalogue, languages
from bot.texts.rule_text import describe_rule, monospace_lines
from bot.texts.rulebooks import Book, load_rulebook
from tests.bot.discord.test_rules import ILLEGAL, WITH_BOOK
from tests.e2e.conftest import opened, rest, sandbox
from tests.e2e.test_walk import WALKS, Walk, seal, take

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]
PHONE = 400
OF_FIRST_GAMES = {"matchbox": ("A1 FFFFFF", "MB-3.3")}
"""Forbidden orders in games that one press begins, whose ships lie on the table already."""
_WRAPPED = """block => {
  const style = getComputedStyle(block), lines = block.innerText.trim().split("\\n").length;
  const inner = block.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  return inner > (lines + 0.5) * parseFloat(style.lineHeight) || block.scrollWidth > block.clientWidth;
}"""


def begin(walk: Walk, game: str, language: str) -> None:
    if (play := walk.control("play", game)).count():
        walk.tap(play)
    else:
        catalogue = Catalogue.load(language)
        names = [str(catalogue.say(f"param_name.{name}")) for name in ("system", "computer")]
        walk.command("galley new", **dict(zip(names, (game, "1"), strict=True)))
        walk.tap(walk.control("start"))
    walk.go("dm")
    if game == "forts":  # its first question is which ship is the flagship
        walk.tap(walk.control("hint"))
        take(walk)
        seal(walk)


def change_language(page: Page, language: str) -> None:
    if language != "en":
        page.locator("#language").click()
        expect(page.locator("#write")).to_have_attribute("placeholder", re.compile("Üzenet ide"))
        expect(page.locator("#messages")).to_contain_text("Ahoj!")
        rest(page)


def widest_table(book: Book) -> str:
    """Return the rule whose table has the longest lines of those that stand in columns; empty: none does."""
    tables = {number: describe_rule(book, rule).table for number, rule in book.rules.items()}
    widths = {number: max(map(len, monospace_lines(table) or [""])) for number, table in tables.items() if table}
    return max(widths, key=lambda number: widths[number], default="")


def answer_of(walk: Walk) -> Locator:
    return walk.page.locator("#messages article").last


@pytest.mark.parametrize(
    "language", [pytest.param(language, marks=[] if language == "en" else pytest.mark.long) for language in languages()]
)
def test_one_press_leads_from_a_refusal_to_its_rule(browser: Browser, tmp_path: Path, language: str) -> None:
    with sandbox(tmp_path) as address, opened(browser, address, width=PHONE, height=800) as page:
        walk = Walk(page, WALKS / f"rules-{language}")
        change_language(page, language)
        for game_number, game in enumerate(WITH_BOOK, start=1):
            book = load_rulebook(game, language)
            assert book
            begin(walk, game, language)
            text, number = OF_FIRST_GAMES.get(game, ILLEGAL[game])
            page.locator("#write").fill(f"#{game_number} {text}")
            page.keyboard.press("Enter")
            rest(page)
            expect(answer_of(walk)).to_contain_text(f"({number})")
            presses = walk.presses
            walk.tap(walk.control("rule", number))
            assert walk.presses == presses + 1
            rule = find_rule(language, number)
            assert rule
            expect(answer_of(walk)).to_contain_text(f"{number} · {rule[1].texts.title}")
            walk.look(f"{game}-refused")
            if number := widest_table(book):
                walk.command("galley help", **{str(Catalogue.load(language).say("param_name.rule")): number})
                expect(answer_of(walk)).to_contain_text(number)
                walk.look(f"{game}-table")
                for block in answer_of(walk).locator("pre").all():
                    assert not block.evaluate(_WRAPPED), number
            if (menu := page.locator("#menu")).is_visible():
                walk.tap(menu)
            walk.tap(page.locator(".channel").first)
