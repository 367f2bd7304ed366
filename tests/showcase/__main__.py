"""Make the pictures of README and docs again: `python -m tests.showcase`, as `make showcase` does.

Films and stills are drawn from games that computer captains play with given dice, so they are the same each time; the
chart of a season from a position.
Panels are what a browser shows of the sandbox on a phone, and a game's page what it shows at a desk; without a browser
the old ones stay.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path

from PIL import Image

import render
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.rulebooks import rulebook_languages
from bot.texts.style import PLAIN_STYLE
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Draft, Event, Setup, Step
from rules.core.registry import RULESETS
from rules.core.view import Text
from tests.pictures import campaign_positions, positions
from tests.rulebooks import GAME_PAGES as PAGES
from tests.rulebooks import draw_example
from tests.showcase import page as game_page
from tests.showcase.phone import photographs

FOLDER = Path("docs/pictures")
MOST_BYTES = 1_572_864  # of a film: a page that opens at once
WIDTH = 960
NAMES = {0: "Anna", 1: "Béla", 2: "Cili", 3: "Dóra"}

Round = tuple[Step, tuple[Event, ...]]


def played(system: str, seed: str, **options: str) -> Iterator[Round]:
    """Let computer captains play a game to its end; gives each round with the step that ended it."""
    rules = RULESETS[system]
    step = rules.start(rules.with_edition(Setup(system=system, teams=(0, 1), options=options)), Dice(seed))
    events: tuple[Event, ...] = ()
    while pending := rules.pending_requests(step.state):
        requests = [request for request in pending if not request.optional]
        now = requests[0].round
        answers = {
            request.id: rules.computer_answer(
                rules.view(step.state, request.seat), request, derive_seed(seed, request.id)
            )
            for request in requests
        }
        step = rules.resolve(step.state, answers)
        events += step.events
        following = [request.round for request in rules.pending_requests(step.state) if not request.optional]
        if not following or following[0] != now:
            yield step, events
            events = ()


def best(rounds: list[Round]) -> int:
    """Return the index of the round whose events weigh most together, of equals the first."""
    return max(range(len(rounds)), key=lambda no: sum(event.weight for event in rounds[no][1]))


def words(system: str) -> Localizer:
    return Localizer(Catalogue.load("en", system), NAMES, style=PLAIN_STYLE)


def still(system: str, played_round: Round, crop: str = "whole") -> bytes:
    """Draw a round as its thread shows it."""
    step, events = played_round
    view = RULESETS[system].view(step.state, None)
    caption = words(system).say_text(view.phase)
    return render.draw_still(view, events, caption=caption, names=NAMES, crop=crop, width=WIDTH, form="webp").data


MATCHBOXES = {"galleys": "3", "table": "coffee", "deployment": "turns", "captain": "mate"}  # three a side
FLEETS = {"battle": "150", "sides": "first"}


def rounds_of(system: str, seed: str, options: dict[str, str]) -> list[Round]:
    return [*played(system, seed * 16, **options)]


def best_of(system: str, seed: str, crop: str = "whole", **options: str) -> Callable[[], bytes]:
    """Return what draws the round of a game in which there is most to look at."""

    def draw() -> bytes:
        rounds = rounds_of(system, seed, options)
        return still(system, rounds[best(rounds)], crop)

    return draw


def film() -> bytes:
    rounds = rounds_of("matchbox", "ca11", MATCHBOXES)
    step, events = rounds[best(rounds)]
    number = next(event.round for event in events if type(event).__name__ == "RoundBegan")  # type: ignore[attr-defined]
    caption = words("matchbox").say_text(Text("round", {"round": number}))
    picture = render.draw_film(RULESETS["matchbox"].view(step.state, None), events, caption=caption, names=NAMES)
    assert picture is not None
    return picture.data


def boarding() -> bytes:
    """Draw a round in which crews fight."""
    view, events = positions.boarded()
    return render.draw_still(view, events, kind="round", names=NAMES, crop="action", width=WIDTH, form="webp").data


def vessels() -> bytes:
    """Draw a round of every kind of vessel, after a fire ship has done her work."""
    view, events = positions.vessels()
    return render.draw_still(view, events, kind="table", names=NAMES, crop="action", width=WIDTH, form="webp").data


def scenarios() -> bytes:
    """Draw the round of a raid in which the first house burns."""
    rounds = played("matchbox", "4a1d" * 16, scenario="raid", captain="deckhand", deployment="ready")
    burnt = ((step, events) for step, events in rounds if any(type(event).__name__ == "Landed" for event in events))
    return still("matchbox", next(burnt))


def fleet_plan() -> bytes:
    """Draw the orders of a fleet before the turn of its picture."""
    rules, rounds = RULESETS["squadrons"], rounds_of("squadrons", "f1ee", FLEETS)
    before = rounds[best(rounds) - 1][0].state
    request = next(request for request in rules.pending_requests(before) if request.seat == 0)
    orders = rules.format_answer(request, rules.computer_answer(rules.view(before, 0), request, "f1ee"))
    view = rules.view(before, 0, Draft(orders))
    caption = words("squadrons").say_text(view.phase)
    return render.draw_still(
        view, kind="plan", caption=caption, names=NAMES, crop="action", width=WIDTH, form="webp"
    ).data


def season() -> bytes:
    """Draw a captain's view of the Ring of Isles, with a battle and a siege."""
    view = campaign_positions.view_of(campaign_positions.ring())
    return render.draw_still(
        view, caption=words("campaign").say_text(view.phase), names=NAMES, width=WIDTH, form="webp"
    ).data


DRAWN: dict[str, Callable[[], bytes]] = {
    "film": film,
    "war-galley": best_of("matchbox", "ca11", **MATCHBOXES),
    "islands": best_of("matchbox", "15e5", galleys="2", map="archipelago", captain="mate"),
    "boarding": boarding,
    "vessels": vessels,
    "scenarios": scenarios,
    "naval-battle": best_of("forts", "5ea5"),
    "biremes": best_of("ramspeed", "0a25", "action", scenario="corvus", sides="first"),
    "fleet": best_of("squadrons", "f1ee", "action", **FLEETS),
    "fleet-plan": fleet_plan,
    "sailing-season": season,
    **{f"{page}-round": partial(draw_example, game) for game, page in PAGES.items() if rulebook_languages(game)},
}  # the pictures that are drawn without a browser
CARDS = {
    "matchbox": (0.02, 0.1, 1.0),
    "forts": (0.1, 0.13, 0.82),
    "ramspeed": (0.1, 0.42, 0.8),
    "squadrons": (0.1, 0.1, 0.85),
    "campaign": (0.09, 0.29, 0.92),
}  # the part of each game's picture that invites to a first game: its left edge, top and right edge, of 1
CARD = (560, 350)
PANELS = {f"{page}-panel": game for game, page in PAGES.items()}  # the panels, and whose they are
GAME_PAGE = "page"
PHOTOGRAPHED = (*PANELS, GAME_PAGE)


def card(system: str, picture: bytes) -> bytes:
    """Draw the picture that invites to a first game (WebP), from the game's picture."""
    left, top, right = CARDS[system]
    with Image.open(BytesIO(picture)) as image:
        width, height = image.size
        bottom = top * height + (right - left) * width * CARD[1] / CARD[0]
        part = image.convert("RGB").crop((int(left * width), int(top * height), int(right * width), int(bottom)))
    out = BytesIO()
    part.resize(CARD, Image.Resampling.LANCZOS).save(out, "WEBP", quality=72, method=6)
    return out.getvalue()


def made(wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    for name, draw in DRAWN.items():
        if name in wanted:
            yield name, draw()
    panels = {game: name for name, game in PANELS.items() if name in wanted}
    for game, shot in photographs(tuple(panels)) if panels else ():
        yield panels[game], as_webp(shot)
    if GAME_PAGE in wanted and (page_shot := game_page.photograph()):
        yield GAME_PAGE, as_webp(page_shot)


def as_webp(png: bytes) -> bytes:
    out = BytesIO()
    with Image.open(BytesIO(png)) as image:
        image.convert("RGB").save(out, "WEBP", quality=80, method=6)
    return out.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of README and docs again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which; all of them by default: {', '.join(DRAWN)} …")
    names = (*DRAWN, *PHOTOGRAPHED)
    wanted = set(parser.parse_args().names) or {*names}
    if unknown := wanted.difference(names):
        parser.error(f"there is no picture {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    for name, data in made(wanted):
        path = FOLDER / f"{name}.webp"
        path.write_bytes(data)
        wanted.discard(name)
        for system in (game for game, page in PAGES.items() if page == name):
            Path(f"data/{system}/card.webp").write_bytes(card(system, data))
        sys.stdout.write(f"{path}: {len(data) // 1000} kB\n")
    for name in sorted(wanted):
        sys.stdout.write(f"{FOLDER / name}.webp: there is no browser; it stays as it was\n")


if __name__ == "__main__":
    main()
