"""Every game's first panels and first report, as a phone shows them: `python -m tests.e2e.gallery [--before CHECKOUT]`.

Leaves pictures and a page in `build/gallery/`, in all languages. With an older checkout of the project, whose packages
must fit this one's environment, the page shows its pictures on the left and the present ones on the right.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Error, Locator, Page, sync_playwright

from bot.texts.i18n import languages
from tests.e2e import chromium
from tests.e2e.conftest import QUIET, opened, rest, sandbox
from tests.e2e.test_walk import PHONE, Walk, seal, take
from tests.games import tested

GALLERY: Final = Path("build") / "gallery"
HEIGHT: Final = 1600  # pixels of a page on which no panel has to be scrolled
TURNS: Final = 2
PANEL: Final = '#messages article:has([data-control^="wg/type/"])'
PATIENCE_MS: Final = 180_000
STYLE: Final = """body{background:#111;color:#ddd;font-family:sans-serif}
section{display:grid;grid-template-columns:repeat(2,400px);gap:8px;margin-bottom:24px}h2{grid-column:1/-1}"""


def shots_of(page: Page, walk: Walk, game: str) -> Iterator[tuple[str, Locator]]:
    """Play some turns by hints alone, and yield a name and an element for each picture to take."""
    messages = page.locator("#messages article")
    yield "0-greeting", messages.last
    if (play := walk.control("play", game)).count():
        walk.tap(play)
    else:
        walk.command("galley new", game=game, computer="1")
        yield "0-lobby", messages.last
        walk.tap(walk.control("start"))
        walk.go("dm")
    panel = page.locator(PANEL).last
    for turn in range(1, TURNS + 1):
        walk.control("hint").wait_for(timeout=PATIENCE_MS)
        yield f"{turn}-panel", panel
        for verb in ("legend", "why_last"):
            if (button := walk.control(verb)).count():
                walk.tap(button)
                yield f"{turn}-{verb}", messages.last
                walk.tap(messages.last.locator(".linklike").last)
        if (more := walk.control("page")).count():
            walk.tap(more)
            yield f"{turn}-more", panel
        walk.tap(walk.control("hint"))
        yield f"{turn}-hint", panel
        take(walk)
        if walk.control("seal").count():
            yield f"{turn}-ordered", panel
        seal(walk)
        if not walk.control("hint").count():
            walk.go("dm")
    walk.go("thread")
    for number, report in enumerate(walk.told().all()):
        yield f"{TURNS + 1}-report-{number}", report


def draw(folder: Path, game: str, language: str, browser: Browser) -> None:
    """Save a picture of each message that a newcomer meets in the first turns of a game."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        sandbox(Path(data)) as address,
        opened(browser, address, width=PHONE, height=HEIGHT) as page,
    ):
        walk = Walk(page, Path(data) / "walk")
        page.evaluate("language => { localStorage.language = language; }", language)
        page.reload()
        page.wait_for_selector("#messages > *")
        for name, element in shots_of(page, walk, game):
            rest(page)
            for picture in element.locator(".picture img").all():
                picture.evaluate("image => image.decode().catch(() => null)")
            element.screenshot(path=folder / f"{game}-{language}-{name}.png")


def draw_all(folder: Path, games: list[str]) -> list[str]:
    """Draw games in all languages. Return those that could not be played so far, with the reason."""
    failures: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=QUIET)
        for game in games:
            for language in languages():
                print(game, language, flush=True)  # noqa: T201 - shows how far it is
                try:
                    draw(folder, game, language, browser)
                except (AssertionError, Error) as error:  # the rest of the gallery is still of use
                    failures.append(f"{game} {language}: {error}")
        browser.close()
    return failures


def draw_before(checkout: Path, folder: Path, games: list[str]) -> list[str]:
    """Draw with the code of another checkout, by this file."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    command = [sys.executable, str(Path(__file__).resolve()), "--into", str(folder.resolve()), *games]
    is_complete = subprocess.run(command, cwd=checkout, env=environment, check=False).returncode == 0
    return [] if is_complete else [f"{checkout}: see above"]


def write_page(gallery: Path) -> None:
    """Write a page with the pictures of the same name side by side."""
    names = sorted({path.name for path in gallery.glob("*/*.png")})
    folders = [folder for folder in ("before", "after") if (gallery / folder).is_dir()]
    sections = [
        f"<section><h2>{Path(name).stem}</h2>"
        + "".join(
            f'<img src="{folder}/{name}" alt="{folder}">' if (gallery / folder / name).exists() else "<i>none</i>"
            for folder in folders
        )
        + "</section>"
        for name in names
    ]
    head = f"<!doctype html><meta charset=utf-8><title>Panels and reports</title><style>{STYLE}</style>"
    (gallery / "index.html").write_text(head + "".join(sections), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.gallery", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="all if none is named")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an older checkout to compare with")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    games = chosen.games or [*tested]
    failures = draw_before(chosen.before, GALLERY / "before", games) if chosen.before else []
    failures += draw_all(chosen.into or GALLERY / "after", games)
    if not chosen.into:
        write_page(GALLERY)
    print("\n".join(failures))  # noqa: T201 - says what is missing
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
