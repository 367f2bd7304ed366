"""Time stills against Pillow saving the same pixels as 24-bit PNG: `python -m tests.pictures.bench`."""

import sys
import time
from collections.abc import Callable
from functools import partial
from io import BytesIO

from PIL import Image

import render
from tests.pictures import (
    campaign_positions,
    forts_positions,
    golden,
    positions,
    ramspeed_positions,
    squadrons_positions,
)

STILL = 0.2
"""The most of that time that a still may take, warm."""


def best(work: Callable[[], object], rounds: int = 5) -> float:
    """Return the least processor time in seconds, after one run to warm up."""
    work()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def matchbox(draw: golden.Draw) -> dict[str, Callable[[], render.Picture]]:
    view, events = positions.a_round()
    return {
        "table": lambda: draw(view, caption="3"),
        "after a round": lambda: draw(view, events, caption="3"),
        "cropped": lambda: draw(view, events, crop="action"),
        "volley": lambda: draw(view, events, kind="volley", crop="action"),
        "round": lambda: draw(view, events, kind="round", crop="action"),
        "plan": lambda: draw(positions.a_plan(), kind="plan", crop="action"),
        "aim": lambda: draw(positions.asked("aim"), kind="plan"),
    }


STILLS: dict[str, Callable[[golden.Draw], dict[str, Callable[[], render.Picture]]]] = {
    "matchbox": matchbox,
    "forts": forts_positions.stills,
    "ramspeed": ramspeed_positions.stills,
    "squadrons": squadrons_positions.stills,
    "campaign": campaign_positions.stills,
}
"""Stills to time, by game."""


def stills(form: render.StillFormat = "png") -> dict[str, Callable[[], render.Picture]]:
    draw = partial(render.draw_still, names=positions.NAMES, form=form)
    return {name: work for game in STILLS.values() for name, work in game(draw).items()}


def as_png(name: str) -> Callable[[], object]:
    """Return a function that saves a still's pixels with Pillow as painted: WebP keeps them, except with a palette."""
    pixels = Image.open(BytesIO(stills("webp")[name]().data)).convert("RGB")
    return lambda: pixels.save(BytesIO(), "PNG")


def main() -> None:
    view, events = positions.a_round()
    names = positions.NAMES
    slow = []
    for name, work in stills().items():
        picture = work()
        part = best(work) / best(as_png(name))
        sys.stdout.write(f"still, {name}: {part:.2f} of a PNG, {len(picture.data) // 1000} kB\n")
        if part > STILL:
            slow.append(name)
    for form in ("webp", "gif"):
        taken = best(lambda form=form: render.draw_film(view, events, names=names, form=form), 2)
        film = render.draw_film(view, events, names=names, form=form)
        sys.stdout.write(f"film, {form}: {taken:.2f} s, {len(film.data) // 1000} kB\n")
    if slow:
        sys.exit(f"slower than {STILL} of a PNG: {', '.join(slow)}")


if __name__ == "__main__":
    main()
