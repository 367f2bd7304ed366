"""On the picture of a plan, labels and flags cover no ship that the text beside it names, nor the selected one."""

import numpy as np
import pytest

from bot.jobs.showing import names_in
from render.commission import Commission
from render.drawing.canvas import Canvas, Point, Sprite
from render.forts import painter as forts_painter
from render.marks import labels, sighting
from render.matchbox import names
from render.ramspeed import scene
from render.registry import PAINTERS
from render.squadrons import ids
from tests.laws.places import current_ship, points_of
from tests.laws.play import tape, tapes
from tests.laws.test_sight import NEAR_PX, distance_from_middle, drafts_with_texts, is_hull, painted_moments

WIDTH = 400
MAX_COVERED_PART = 0.1
"""Of a ship's pixels, oars included: where many ships lie side by side, a corner may lie on an oar."""
LAYING_MODULES = (forts_painter, ids, names, scene, sighting)


def mask_on(canvas: Canvas, sprite: Sprite, at: Point) -> np.ndarray:
    """Return which pixels of a picture a sprite covers."""
    mask = np.zeros((canvas.image.height, canvas.image.width), dtype=bool)
    opaque = np.asarray(sprite.image.getchannel("A")) > 128
    left, top = round(at[0] - sprite.anchor[0]), round(at[1] - sprite.anchor[1])
    rows, columns = np.nonzero(opaque)
    rows, columns = rows + top, columns + left
    inside = (rows >= 0) & (columns >= 0) & (rows < mask.shape[0]) & (columns < mask.shape[1])
    mask[rows[inside], columns[inside]] = True
    return mask


@pytest.mark.parametrize(("system", "number"), tapes())
def test_labels_and_flags_cover_no_ship_that_the_text_names(system, number, monkeypatch):
    hulls: list[tuple[Canvas, Sprite, Point]] = []
    laid: list[tuple[Canvas, str, Sprite, Point]] = []
    place_sprite, lay_labels = Canvas.place_sprite, labels.lay_labels

    def note_sprite(self: Canvas, sprite: Sprite, point: Point) -> None:
        if is_hull(sprite):
            hulls.append((self, sprite, point))
        place_sprite(self, sprite, point)

    def note_labels(canvas: Canvas, placed: labels.PlacedLabels) -> None:
        laid.extend((canvas, label.key, Sprite(label.image, (0, 0)), (box[0], box[1])) for label, box in placed)
        lay_labels(canvas, placed)

    monkeypatch.setattr(Canvas, "place_sprite", note_sprite)
    for module in LAYING_MODULES:
        monkeypatch.setattr(module, "lay_labels", note_labels)
    game = tape(system, number)
    for turn, request in painted_moments(game, number):
        for draft, texts in drafts_with_texts(game, turn, request):
            view = game.rules.view(turn.before, request.seat, draft)
            painter, named = PAINTERS[type(view)], frozenset(names_in(texts))
            hulls.clear(), laid.clear()
            painter.paint(Commission(view=view, kind="plan", crop="action", width=WIDTH, named=named))
            for name in named | {current_ship(view)}:
                points = points_of(view, name)
                if points is None:
                    continue
                outline = list(points)
                for canvas, hull, at in reversed(hulls):
                    if distance_from_middle(outline, at, canvas) >= NEAR_PX:
                        continue
                    ship = mask_on(canvas, hull, at)
                    covered = np.zeros_like(ship)
                    for other, key, sprite, corner in laid:
                        if other is canvas and key.split(".")[0] != name:
                            covered |= mask_on(canvas, sprite, corner)
                    assert (covered & ship).sum() <= MAX_COVERED_PART * ship.sum(), (request.id, draft, name)
                    break
