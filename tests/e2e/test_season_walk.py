"""Three turns of a season and a battle, walked on a phone by two captains; `make walk` leaves figures and pictures.

As in `test_walk`, but nobody's seal ends a day, so days are let pass. The fleets meet in the first turn and fight in a
thread of their own; a later turn tells what came of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import EVERYWHERE, opened, sandbox
from tests.e2e.phone import lines_of
from tests.e2e.test_walk import PHONE, PRESSES_TO_FIRST_ORDER, SEASON, Walk, folder, heights, tell

pytestmark = [pytest.mark.timeout(0 if EVERYWHERE else 600), pytest.mark.slow if EVERYWHERE else pytest.mark.long]

TURNS = 3
GALLEYS = 5  # of each captain, all in the battle
SMALLEST, MEETING = "The Saronic Gulf", "EGU"  # the map for two, and a sea on it that both reach in a turn
BATTLE, ABOVE = "Battle 1", "Sailing Season"  # in names of threads


@pytest.fixture
def walk(browser: Browser, tmp_path: Path) -> Iterator[Walk]:
    with sandbox(tmp_path) as address, opened(browser, address, width=PHONE, height=800) as page:
        yield Walk(page, folder(SEASON, PHONE))
        expect(page.locator(".toast")).to_have_count(0)


def be(walk: Walk, name: str) -> None:
    walk.tap(walk.page.locator(".player", has_text=name))


def choose(walk: Walk, text: str) -> None:
    lists = walk.page.locator("#messages .select", has=walk.page.locator("li", has_text=text)).last
    walk.tap(lists.locator(".head"))
    walk.tap(lists.locator("li", has_text=text).first)


def go_to(walk: Walk, named: str) -> None:
    walk.tap(walk.page.locator("#menu"))
    walk.tap(walk.page.locator(".channel.thread", has_text=named))


def let_a_day_pass(walk: Walk) -> None:
    walk.page.locator("#day").click()
    walk.page.locator("#hour").click()
    walk.tap(walk.page.locator("#clock"))


def begin(walk: Walk) -> dict[str, float]:
    """Open a season for two, and order the fleet to where Ben's goes, too; return the number of taps and presses."""
    walk.command("galley new", game=SEASON)
    expect(walk.page.locator("#messages article").last).to_contain_text(SMALLEST)  # as first games begin
    walk.look("lobby")
    be(walk, "Ben")
    walk.tap(walk.control("join"))
    walk.tap(walk.page.locator("#form[open] .primary"))
    be(walk, "Anna")
    walk.tap(walk.control("start"))
    walk.go("dm")
    walk.look("panel")
    walk.measure("first")
    taps, presses = walk.taps, walk.presses
    choose(walk, MEETING)
    walk.tap(walk.control("press", "stance.attack"))
    walk.look("order")
    walk.measure("ordered")
    return {"taps to the first order": walk.taps - taps, "presses to the first order": walk.presses - presses}


def fight(walk: Walk) -> None:
    for name, captain in (("Anna", "A"), ("Ben", "B")):
        be(walk, name)
        walk.measure("next")
        walk.tap(walk.control("type"))
        form = walk.page.locator("#form[open]")
        form.locator("textarea").fill("\n".join(f"{captain}{number} FFFFX" for number in range(1, GALLEYS + 1)))
        walk.tap(form.locator(".primary"))
        walk.look("battle")
        walk.measure("taken")
        walk.tap(walk.control("seal"))


def test_two_captains_walk_through_three_turns_and_a_battle(walk: Walk) -> None:
    figures = begin(walk)
    assert figures["presses to the first order"] <= PRESSES_TO_FIRST_ORDER
    walk.tap(walk.control("seal"))
    walk.look("sealed")
    be(walk, "Ben")
    choose(walk, MEETING)
    walk.tap(walk.control("press", "stance.attack"))
    walk.tap(walk.control("seal"))
    let_a_day_pass(walk)

    # The morning tells of the battle, and leads to its thread, which leads back.
    be(walk, "Anna")
    walk.look("morning")
    go_to(walk, ABOVE)
    walk.look("season")
    messages = walk.page.locator("#messages")
    walk.tap(messages.locator(".mention", has_text=BATTLE).last)
    expect(walk.page.locator("#title")).to_contain_text(BATTLE)
    walk.look("thread")
    walk.tap(messages.locator(".mention", has_text=ABOVE).first)
    expect(walk.page.locator("#title")).to_contain_text(ABOVE)

    walk.go("dm")
    fight(walk)
    go_to(walk, BATTLE)
    walk.look("fought")
    expect(walk.told()).to_have_count(2)
    walk.command("galley concede")
    walk.look("sure")
    walk.tap(walk.control("concede"))
    walk.look("given-up")

    # Nobody orders anything: the turns go on, and the next one enters what came of the battle.
    be(walk, "Anna")
    for _ in range(TURNS - 1):
        let_a_day_pass(walk)
    go_to(walk, ABOVE)
    walk.look("result")
    expect(messages).to_contain_text(f"Turn {TURNS}")
    expect(messages).to_contain_text("Battle 1 (EGU Eastern Gulf): Anna won")
    walk.go("dm")
    walk.look("report")
    walk.measure("next")
    go_to(walk, ABOVE)
    lines = [lines_of(message) for message in walk.told().all()]
    for step in ("body", "#messages"):
        wide, room = walk.page.locator(step).evaluate("node => [node.scrollWidth, node.clientWidth]")
        assert wide <= room, step
    figures |= {"lines a round at most": max(lines), "seconds a press": sum(walk.seconds) / len(walk.seconds)}
    tell(folder(SEASON, PHONE), figures | heights(walk))
