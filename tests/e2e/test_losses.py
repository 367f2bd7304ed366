"""On a phone, two presses lead from the report of a loss to its reason and rule, in every game and language."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bot.jobs import stored
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.style import PLAIN_STYLE
from rules.core.protocol import Event
from rules.core.registry import RULESETS
from rules.interface import outcomes
from tests import games
from tests.e2e.conftest import opened, sandbox
from tests.e2e.test_rules import PHONE, answer_of, begin, change_language
from tests.e2e.test_season_walk import GALLEYS, be, let_a_day_pass
from tests.e2e.test_walk import SEASON, WALKS, Walk, answer

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]
LOSSES = {
    "matchbox": {"PartsLost": "galley", "ShipSunk": "galley"},
    "forts": {"ShotFired": "to", "ShipSunk": "ship"},
    "ramspeed": {"ShipSunk": "ship", "ShipCaptured": "ship", "MeleeFought": "ships"},
    "squadrons": {"ShipSunk": "ship", "ShipBoarded": "target", "ShipRaked": "target", "ManpowerLost": "ship"},
    "campaign": {"CrewThirsted": "galley"},
}
"""Events that take something from ships, and which of their fields holds them, by game."""
PAGES = {"dm": '[data-control^="wg/page/"]', "thread": "none"}
"""Buttons that lead to another page of a report."""
WHY = '[data-control^="wg/why"]'
SHORT = {("matchbox", "en"), ("campaign", "en"), ("squadrons", "hu")}  # games and languages of short runs
PLAYED = [
    pytest.param(game, language, marks=[] if (game, language) in SHORT else pytest.mark.long)
    for game in games.tested
    for language in languages()
]
MAX_ANSWERS = 30  # within which a captain who takes every hint loses something
MAX_PRESSES = 2  # from the report of a loss to its reason
NIGHTS_TO_THIRST = 3  # CA-11.2


def steps_of(data: Path) -> list[tuple[str, str]]:
    """Return the events and the state after each step of the newest game."""
    with closing(sqlite3.connect(data / "games.sqlite")) as database:
        query = "SELECT events, state FROM steps WHERE game_id = (SELECT max(game_id) FROM steps) ORDER BY no"
        return database.execute(query).fetchall()


def newest_loss(data: Path, game: str, steps_seen: int) -> Event | None:
    """Return what the first captain lost after some steps, if anything."""
    rules = RULESETS[game]
    steps = steps_of(data)
    events = stored.read_events(rules, *(events_json for events_json, _ in steps[steps_seen:]))
    (_, state_json) = steps[-1]
    holders = outcomes.ship_holders(rules.view(stored.read_state(rules, state_json), 0))
    own_ships = outcomes.story_ships(holders, 0, (0, 1), events).own_ships
    for event in events:
        ships = getattr(event, LOSSES[game].get(type(event).__name__, ""), ())
        if {*own_ships} & {*([ships] if isinstance(ships, str) else ships)} and took_something(event):
            return event
    return None


def took_something(event: Event) -> bool:
    return bool(getattr(event, "hit", True) and getattr(event, "ok", True)) and "repulsed" not in event.variant


def sail_until_thirst(walk: Walk, language: str) -> None:
    """Begin a season with Ben, who orders nothing, and leave Anna's fleet on the sea next to her port."""
    walk.command("galley new", **{str(Catalogue.load(language).say("param_name.which_game")): SEASON})
    be(walk, "Ben")
    walk.tap(walk.control("join"))
    walk.tap(walk.page.locator("#form[open] .primary"))
    be(walk, "Anna")
    walk.tap(walk.control("start"))
    walk.go("dm")
    walk.tap(walk.control("type"))
    form = walk.page.locator("#form[open]")
    form.locator("textarea").fill("\n".join(f"A{number}: ELE" for number in range(1, GALLEYS + 1)))
    walk.tap(form.locator(".primary"))
    for _ in range(NIGHTS_TO_THIRST):
        walk.tap(walk.control("seal"))  # without orders all galleys stay
        let_a_day_pass(walk)


def lose_something(walk: Walk, data: Path, game: str, language: str) -> Event:
    if game == SEASON:
        sail_until_thirst(walk, language)
    else:
        begin(walk, game, language)
    steps_seen = 0
    for _ in range(MAX_ANSWERS):
        if loss := newest_loss(data, game, steps_seen):
            return loss
        steps_seen = len(steps_of(data))
        answer(walk, looking=False)
    raise AssertionError(f"{game}: nothing lost after {MAX_ANSWERS} answers")


def reason(game: str, language: str, event: Event) -> str:
    """Return the sentence that explains an event, as a page shows it."""
    localizer = Localizer(Catalogue.load(language, game), style=PLAIN_STYLE)
    return re.sub(r"\s+", " ", speech.explained_line(localizer, event))


@pytest.mark.parametrize(("game", "language"), PLAYED)
def test_two_presses_lead_from_the_report_of_a_loss_to_its_reason(
    browser: Browser, tmp_path: Path, game: str, language: str
) -> None:
    with sandbox(tmp_path) as address, opened(browser, address, width=PHONE, height=800) as page:
        walk = Walk(page, WALKS / f"loss-{game}-{language}")
        change_language(page, language)
        loss = lose_something(walk, tmp_path, game, language)
        for channel in ("dm", "thread"):
            walk.go(channel)
            walk.look(f"{channel}-report")
            report = page.locator(f"#messages article:has({PAGES[channel]}, {WHY})").last
            presses = walk.presses
            if not (why := report.locator(WHY)).count():
                walk.tap(report.locator(".button", has_text=str(Catalogue.load(language).say("button.more"))))
            walk.tap(why)
            assert walk.presses <= presses + MAX_PRESSES
            expect(answer_of(walk)).to_contain_text(reason(game, language, loss))
            walk.look(f"{channel}-why")
