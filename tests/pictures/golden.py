"""The golden pictures: what is drawn for them, and how two pictures are compared."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

import render
from render.drawing.encode import MAX_STILL_BYTES
from tests.pictures import campaign_positions, forts_positions, positions, ramspeed_positions, squadrons_positions

FOLDER = Path(__file__).parent / "golden"
Draw = Callable[..., render.Picture]


def matchbox(draw: Draw) -> dict[str, render.Picture]:
    view, events = positions.a_round()
    big = positions.fleet(7, size=(2400.0, 1000.0), each=4, seats=4)
    fleet = positions.view_of(big, width_mm=2400.0, height_mm=1000.0, sides=("south", "north") * 2)
    return {
        "table": draw(view, events, caption="3. forduló után"),
        "action": draw(view, events, caption="Round 3", crop="action"),
        "volley": draw(view, events, kind="volley", crop="action"),
        "round": draw(view, events, kind="round", crop="action"),
        "plan": draw(positions.a_plan(), kind="plan", caption="A1: FFRXF", crop="action"),
        "plan-north": draw(positions.a_northern_plan(), kind="plan", caption="B1: FFLX", crop="action"),
        "plan-reach": draw(positions.threatened(positions.a_plan()), kind="plan", caption="A1: FFRXF", crop="action"),
        "placing": draw(positions.a_placement(), kind="plan"),
        "aim": draw(positions.asked("aim"), kind="plan"),
        "fleet": draw(fleet, caption="Round 7"),
        "boarding": draw(*positions.boarded(), kind="round", crop="action"),
        "vessels": draw(*positions.vessels(), kind="table", crop="action"),
        "islands": draw(positions.on_a_map("archipelago"), caption="Round 4"),
    }


GOLDEN: dict[str, Callable[[Draw], dict[str, render.Picture]]] = {
    "matchbox": matchbox,
    "forts": forts_positions.goldens,
    "ramspeed": ramspeed_positions.goldens,
    "squadrons": squadrons_positions.goldens,
    "campaign": campaign_positions.goldens,
}


def drawn(system: str, form: render.StillFormat = "png") -> dict[str, render.Picture]:
    return GOLDEN[system](partial(render.draw_still, names=positions.NAMES, width=800, form=form))


def pixels(data: bytes) -> np.ndarray:
    """A picture brought down to 120 pixels across: what the eye sees, not how it was encoded."""
    image = Image.open(BytesIO(data)).convert("RGB")
    small = image.resize((120, round(120 * image.height / image.width)), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float32)


def unlike(picture: bytes, other: bytes) -> tuple[float, float]:
    """Return the mean difference of two pictures and of their most different hundredth, in levels of 0 to 255."""
    a, b = pixels(picture), pixels(other)
    if a.shape != b.shape:
        return 255.0, 255.0
    gap = np.abs(a - b).mean(axis=2)
    return float(gap.mean()), float(np.sort(gap.ravel())[-gap.size // 100 :].mean())


def opened(picture: render.Picture) -> Image.Image:
    """The image of a still, which must have its size and weigh no more than it may."""
    image = Image.open(BytesIO(picture.data))
    assert (image.width, image.height) == (picture.width, picture.height)
    assert len(picture.data) <= MAX_STILL_BYTES
    return image
