"""Make the pictures of README anew: `python -m tests.showcase`, as `make showcase` does.

Films and charts are drawn of games that computer captains play with given dice, so that they come out the same each
time. The panel is what a browser shows of the sandbox on a phone; without Chromium the old one stays.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image

import render
from bot.words.i18n import Catalogue, Words
from bot.words.style import PLAIN
from rules.dice import Dice, subseed
from rules.matchbox.table.events import Lost, Rammed, Sank, VolleyDropped
from rules.protocol import Draft, Event, Setup, Step
from rules.registry import RULESETS
from rules.view import Text
from tests.showcase.phone import photograph

FOLDER = Path("docs")
SHOWN = ("film.webp", "panel.webp", "chart.webp")
"""What README's first screen shows."""
MOST_BYTES = 1_572_864
"""Of a film: a page that opens at once."""
NAMES = {0: "Anna", 1: "Béla"}

Round = tuple[Step, tuple[Event, ...]]


def played(system: str, seed: str, **options: str) -> Iterator[Round]:
    """Let computer captains play a game to its end; gives each round with the step that ended it."""
    rules = RULESETS[system]
    step = rules.start(Setup(system=system, teams=(0, 1), options=options), Dice(seed))
    events: tuple[Event, ...] = ()
    while pending := rules.pending(step.state):
        asked = [request for request in pending if not request.optional]
        now = asked[0].round
        answers = {
            request.id: rules.captain(rules.view(step.state, request.seat), request, subseed(seed, request.id))
            for request in asked
        }
        step = rules.resolve(step.state, answers)
        events += step.events
        following = [request.round for request in rules.pending(step.state) if not request.optional]
        if not following or following[0] != now:
            yield step, events
            events = ()


def best(rounds: Iterator[Round], worth: Callable[[Event], int]) -> Round:
    """The round in which most happened that is worth seeing; of equals the first."""
    return max(rounds, key=lambda found: sum(map(worth, found[1])))


def film() -> render.Picture:
    """A round of a battle of matchboxes, three galleys a side."""
    values: dict[type[Event], int] = {Sank: 6, Rammed: 4, VolleyDropped: 2, Lost: 1}
    step, events = best(
        played("matchbox", "ca11" * 16, galleys="3", table="coffee", captain="mate"),
        lambda event: values.get(type(event), 0),
    )
    rules = RULESETS["matchbox"]
    round_no = next(event.round for event in events if type(event).__name__ == "RoundBegan")  # type: ignore[attr-defined]
    caption = Words(Catalogue.load("en", "matchbox")).text(Text("round", {"round": round_no}))
    picture = render.film(rules.view(step.state, None), events, caption=caption, names=NAMES)
    assert picture is not None
    return picture


def chart() -> render.Picture:
    """The sea after a player-turn with the most gunfire."""
    step, events = best(played("forts", "5ea5" * 16), lambda event: type(event).__name__ in ("ShotFired", "Sailed"))
    rules = RULESETS["forts"]
    view = rules.view(step.state, None)
    words = Words(Catalogue.load("en", "forts"), NAMES, style=PLAIN)
    return render.draw(view, events, caption=words.text(view.phase), names=NAMES, width=960, form="webp")


def fleets() -> Iterator[tuple[str, render.Picture]]:
    """Two fleets of 150 points: the orders of one before they meet, and the turn in which most is rammed and taken."""
    rules, battle = RULESETS["squadrons"], {"battle": "150", "sides": "first"}
    words = Words(Catalogue.load("en", "squadrons"), NAMES, style=PLAIN)
    values = {"Rammed": 4, "Boarded": 4, "Raked": 2, "Grappled": 1}
    told = [*played("squadrons", "f1ee" * 16, **battle)]
    number, (step, events) = max(
        enumerate(told), key=lambda one: sum(values.get(type(event).__name__, 0) for event in one[1][1])
    )
    before = told[number - 1][0].state
    request = next(one for one in rules.pending(before) if one.seat == 0)
    orders = rules.format(request, rules.captain(rules.view(before, 0), request, "f1ee"))
    view = rules.view(before, 0, Draft(orders))
    caption = words.text(view.phase)
    yield (
        "fleet-plan.webp",
        render.draw(view, kind="plan", caption=caption, names=NAMES, crop="action", width=960, form="webp"),
    )
    view = rules.view(step.state, None)
    caption = words.text(view.phase)
    yield (
        "fleet-turn.webp",
        render.draw(view, events, caption=caption, names=NAMES, crop="action", width=960, form="webp"),
    )


def panel() -> bytes | None:
    """A captain's panel on a phone, as the sandbox shows it; None where there is no browser."""
    with tempfile.TemporaryDirectory() as data:
        shot = photograph(Path(data))
    if shot is None:
        return None
    out = BytesIO()
    with Image.open(BytesIO(shot)) as image:
        image.convert("RGB").save(out, "WEBP", quality=88, method=6)
    return out.getvalue()


def main() -> None:
    """Write all of them, and say what was written."""
    made = {"film.webp": film().data, "chart.webp": chart().data, "panel.webp": panel()}
    made |= {name: picture.data for name, picture in fleets()}
    for name, data in made.items():
        path = FOLDER / name
        if data is None:
            sys.stdout.write(f"{path}: there is no browser; it stays as it was\n")
            continue
        path.write_bytes(data)
        sys.stdout.write(f"{path}: {len(data) // 1000} kB\n")


if __name__ == "__main__":
    main()
