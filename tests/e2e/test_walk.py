"""From the first three minutes to the end of each game, played by somebody new on a phone: `make walk` prints figures.

A tap is whatever a thumb does: a press, a choice, opening the menu. Figures are left in `build/walk/<game>/`, and by
`make walk` pictures of each step, to be looked at. It walks at a desk and in each other language, too, but only through
the first rounds, and leaves them in `<game>-1280/`, `<game>-hu/` and `<game>-1280-hu/`.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bot.texts.i18n import languages
from tests import games
from tests.e2e.conftest import EVERYWHERE, PATIENCE_MS, opened, rest, sandbox
from tests.e2e.phone import SCREEN, Measured, lines_of, measured

pytestmark = [pytest.mark.timeout(0 if EVERYWHERE else 600), pytest.mark.slow]

WALKS = Path("build/walk")
PHONE, DESK = 400, 1280  # how wide pages are
ENGLISH = "en"
ROUNDS = 3 if EVERYWHERE else 2  # told with a picture; a round's cost is the mean of all but the first
PRESSES_TO_FIRST_ORDER, TAPS_TO_FIRST_PICTURE = 3, 8  # at most, from where the bot invites somebody to play
PRESSES_A_ROUND = 4  # at most, by hints alone
SEASON = (
    "campaign"  # it lasts for weeks, at fixed hours: `test_season_walk` walks through three of its turns, in English
)
WALKED = [
    pytest.param(game, width, language, marks=[] if EVERYWHERE or game == "squadrons" else pytest.mark.long)
    for game, width, language in product(games.tested, (PHONE, DESK), languages())
    if (EVERYWHERE or (width, language) == (PHONE, ENGLISH)) and (game, width, language) != (SEASON, PHONE, ENGLISH)
]  # in short runs the game with the largest panels; `test_browser` plays some of the others
QUESTIONS_MOST = 8
"""Answered until the bot reports something; a turn of open moves asks again where a die decides what comes next."""
QUESTIONS_TO_END = 150 if EVERYWHERE else 2
"""Answered until a game is over, by hints alone, no matter who wins: in `make walk` twice what any game took.
Elsewhere a game that takes longer is given up then."""


class Walk:
    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.taps = 0
        self.presses = 0  # taps on what the bot has sent
        self.direct: set[str] = set()  # messages that the bot has ever sent them directly
        self.seconds: list[float] = []  # how long each press took until all that came of it was shown
        self.panels: dict[str, list[Measured]] = {}  # how large panels were, by where in a round
        self._own = ""  # their direct messages
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def tap(self, what: Locator) -> None:
        pressed = what.get_attribute("data-control") is not None
        self.presses += pressed
        began = time.perf_counter()
        what.click()
        self.taps += 1
        rest(self.page)
        self.seconds += [time.perf_counter() - began] if pressed else []
        self._own = self._own or next(player["dm"] for player in self._screen("")["players"])
        screen = self._screen(self._own)
        bot = screen["bot"]
        self.direct |= {
            message["id"]
            for message in screen["messages"]
            if message["author"]["id"] == bot and not message["ephemeral"]
        }

    def look(self, name: str) -> None:
        if not EVERYWHERE:
            return
        number = len([*self._folder.glob("*.png")]) + 1
        self.page.screenshot(path=self._folder / f"{number:02d}-{name}.png")

    def measure(self, when: str) -> None:
        panel = self.page.locator('#messages article:has([data-control^="wg/type/"])').last
        if panel.count():
            size = measured(panel)
            self.panels.setdefault(when, []).append(size)
            width = self.page.viewport_size["width"] if self.page.viewport_size else 0
            assert width != PHONE or size.buttons_end <= SCREEN, f"{when}: {size}"

    def go(self, kind: str) -> None:
        """Open the direct messages or the first game's thread; its battles have later ones."""
        if (menu := self.page.locator("#menu")).is_visible():  # only where there is no room beside
            self.tap(menu)
        self.tap(self.page.locator(f".channel.{kind}").first)

    def control(self, verb: str, token: str = "") -> Locator:
        which = f'[data-control^="wg/{verb}/"]' + (f'[data-control$="/{token}"]' if token else "")
        return self.page.locator(f"#messages .button{which}:not([disabled])").last

    def told(self) -> Locator:
        return self.page.locator("#messages article:has(.picture)")

    def command(self, name: str, **options: str) -> None:
        self.page.locator("#write").fill(f"/{name}")
        self.page.keyboard.press("Enter")
        self.page.locator("form.command .primary").wait_for()
        for option, value in options.items():
            field = self.page.locator("form.command .field", has_text=option).locator("select, input").first
            if not field.count():  # rarer ones are one tap away
                self.tap(self.page.locator("form.command .linklike"))
            if field.evaluate("node => node.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
            self.taps += 1
        self.tap(self.page.locator("form.command .primary"))

    def pictures(self) -> int:
        return sum(bool(message["attachments"]) for message in self._thread())

    def over(self) -> bool:
        return any("wg/rematch/" in json.dumps(message) for message in self._thread())

    def _thread(self) -> list[Any]:
        """Return the messages of the first game's thread; its battles have later ones."""
        threads = [channel["id"] for channel in self._screen("")["channels"] if channel["kind"] == "thread"]
        messages: list[Any] = self._screen(min(threads, key=int))["messages"] if threads else []
        return messages

    def _screen(self, channel: str) -> Any:
        (player, *_) = self.page.evaluate("location.hash.slice(1)").split("/")
        return self.page.evaluate(
            "([player, channel]) => fetch(`/screen?player=${player}&channel=${channel}`).then(reply => reply.json())",
            [player, channel],
        )


@pytest.fixture
def walk(browser: Browser, tmp_path: Path, game: str, width: int, language: str) -> Iterator[tuple[Walk, Page]]:
    """Open a sandbox with Anna, and Ben, who only looks on."""
    locale = "en-US" if language == ENGLISH else language
    with (
        sandbox(tmp_path) as address,
        opened(browser, address, width=width, height=800, locale=locale) as anna,
        opened(browser, address, width=width, height=800, locale=locale) as ben,
    ):
        yield Walk(anna, folder(game, width, language)), ben
        expect(anna.locator(".toast")).to_have_count(0)


def folder(game: str, width: int, language: str = ENGLISH) -> Path:
    where = [] if width == PHONE else [str(width)]
    return WALKS / "-".join([game, *where, *([] if language == ENGLISH else [language])])


def begin(walk: Walk, game: str) -> dict[str, float]:
    """Go from the first page to the first order; return the number of taps and presses."""
    walk.look("greeting")
    invited, pressed = walk.taps, walk.presses  # by the greeting's picture and button
    if (play := walk.control("play", game)).count():
        walk.tap(play)
    else:
        walk.command("galley new", game=game, computer="1")
        walk.look("lobby")
        walk.tap(walk.control("start"))
        walk.go("dm")
    walk.look("panel")
    walk.measure("first")
    walk.tap(walk.control("hint"))
    take(walk)
    walk.look("order")
    walk.measure("ordered")
    figures = {"taps to the first order": walk.taps - invited, "presses to the first order": walk.presses - pressed}
    return {**figures, "invited": invited, "pressed": pressed}


def answer(walk: Walk, *, looking: bool = True) -> None:
    """Answer what is asked: ask for a hint, take it, and seal it where it is not carried out at once."""
    if not walk.control("hint").count():
        walk.go("dm")
    for _ in range(PATIENCE_MS // 100):  # a panel may say that a game is over before its thread does
        if walk.over():
            return
        if walk.control("hint").count():
            break
        walk.page.wait_for_timeout(100)
    walk.measure("next")
    walk.tap(walk.control("hint"))
    if looking:
        walk.look("hint")
    take(walk)
    if looking:
        walk.look("taken")
        walk.measure("taken")
    seal(walk, looking=looking)


def take(walk: Walk) -> None:
    if (offered := walk.control("take")).count():
        walk.tap(offered)


def seal(walk: Walk, *, looking: bool = True) -> None:
    if (ready := walk.control("seal")).count():
        walk.tap(ready)
        if looking:
            walk.look("sealed")


def play_until(walk: Walk, pictures: int) -> int:
    """Answer until that many messages have a picture; return the number of questions."""
    for answered in range(QUESTIONS_MOST):
        if walk.pictures() >= pictures or walk.over():
            return answered
        answer(walk)
    raise AssertionError(f"{walk.pictures()} of {pictures} pictures after {QUESTIONS_MOST} questions")


def play_out(walk: Walk) -> bool:
    """Answer until somebody has won; return if nobody had to give up for it."""
    for answered in range(QUESTIONS_TO_END):
        if walk.over():
            return True
        answer(walk, looking=answered % 10 == 0)
    if not EVERYWHERE and not walk.over():
        walk.command("galley concede")
        walk.look("sure")
        walk.tap(walk.control("concede"))
        return False
    assert walk.over(), f"nobody has won after {QUESTIONS_TO_END} questions"
    return True


@pytest.mark.parametrize(("game", "width", "language"), WALKED)
def test_a_newcomer_walks_from_the_lobby_to_the_end(
    walk: tuple[Walk, Page], game: str, width: int, language: str
) -> None:
    anna, ben = walk
    figures = begin(anna, game)
    before = anna.pictures()
    seal(anna)
    play_until(anna, before + 1)
    anna.go("thread")
    anna.look("round")
    figures["taps to the first round's picture"] = anna.taps - figures.pop("invited")
    figures["presses to the first round's picture"] = anna.presses - figures.pop("pressed")
    assert figures["presses to the first order"] <= PRESSES_TO_FIRST_ORDER
    assert figures["taps to the first round's picture"] <= TAPS_TO_FIRST_PICTURE
    picture = anna.page.locator("#messages .picture img").last
    expect(picture).to_be_in_viewport()
    assert picture.evaluate("image => image.naturalWidth") >= 300
    if width == PHONE:  # a tap shows it so large that names in it can be read
        picture.click()
        large = anna.page.locator("#picture[open] img")
        assert large.evaluate("image => image.width") > 2 * picture.evaluate("image => image.width")
        large.click()

    # Ben looks on; what happens appears by itself.
    ben.locator(".player", has_text="Ben").click()
    if width == PHONE:
        ben.locator("#menu").click()
    ben.locator(".channel.thread").last.click()
    pictures = ben.locator("#messages .picture")
    expect(pictures).to_have_count(before + 1)
    anna.go("dm")
    taps, presses, messages = anna.taps, anna.presses, len(anna.direct)
    play_until(anna, before + ROUNDS)
    expect(pictures).to_have_count(anna.pictures())
    rounds = anna.pictures() - before - 1
    figures["presses a round"] = (anna.presses - presses) / rounds
    assert figures["presses a round"] <= PRESSES_A_ROUND
    figures["taps a round"] = (anna.taps - taps) / rounds
    figures["messages a round to a captain"] = (len(anna.direct) - messages) / rounds

    goes_to_end = (width, language) == (PHONE, ENGLISH)
    if goes_to_end and play_out(anna):
        figures["rounds told until somebody had won"] = anna.pictures() - before
    anna.go("thread")
    anna.look("end" if goes_to_end else "rounds")
    if goes_to_end:
        expect(anna.control("rematch")).to_be_visible()
    told = anna.told().all()[before:]
    # The last message of a game also has what was done in all rounds.
    lines = [lines_of(message) for message in (told[:-1] if goes_to_end else told)]
    figures |= {"lines a round": mean(lines), "lines a round at most": max(lines)}
    for step in ("body", "#messages"):
        wide, room = anna.page.locator(step).evaluate("node => [node.scrollWidth, node.clientWidth]")
        assert wide <= room, step
    rows = anna.page.locator("#messages small code").evaluate_all("all => all.map(one => one.getClientRects().length)")
    assert set(rows) <= {1}, "a seal's hash is one row of a phone"
    figures["seconds a press"] = mean(anna.seconds)
    tell(folder(game, width, language), figures | heights(anna))


def heights(walk: Walk) -> dict[str, float]:
    """Return sizes of panels: of the first, and of each later kind the mean and the largest."""
    figures: dict[str, float] = {}
    for when, panels in walk.panels.items():
        for name, values in zip(Measured._fields, zip(*panels, strict=True), strict=True):
            figures[f"panel, {when}: {name}"] = mean(values)
            figures |= {f"panel, {when}: {name} at most": max(values)} if len(values) > 1 else {}
    return figures


def tell(folder: Path, figures: dict[str, float]) -> None:
    (folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    for figure, value in figures.items():
        print(f"{folder.name:<16}{figure:<44}{value:>8.1f}")  # noqa: T201 - `make walk` shows it
