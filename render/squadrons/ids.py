"""Ids on ships or beside them, leaders' pennants, signs of damage."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from render.commission import Commission
from render.drawing.canvas import Point, Rect, Sprite
from render.marks.labels import Label, Obstacle, box_obstacle, draw_leads, lay_labels, place_labels
from render.seas.hexmap import HexCanvas
from render.squadrons import marks, plates
from render.squadrons.marks import ship_pixel
from render.squadrons.scene import hull_obstacles
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import FleetView

_MIN_FILM_LETTER_PX: Final = 26
_MAX_PENNANT_LETTER_PX: Final = 40
_TIGHT_SIGN_SCALE: Final = 0.7  # of signs of damage where ids hardly fit
_MAX_OVERLAP_PX: Final = 2.0  # of two plates
_FLAG_SCALES: Final = (1.0, 0.8, 0.6)  # of flags, the largest first


def write_ids(
    canvas: HexCanvas,
    position: Position,
    commission: Commission[FleetView],
    extra_labels: Sequence[Label] = (),
    *,
    others: Iterable[Obstacle] = (),
    concerned: Container[str] | None = None,
) -> None:
    """Draw ids on ships, or beside them where hexes are small, and other labels where there is room.

    Ships not in `concerned` get only small ids. None: all ships get whole plates.
    """
    on_ships, unplaced, size = place_plates(canvas, position, commission, concerned)
    lay_labels(canvas, on_ships)
    obstacles = [*hull_obstacles(canvas, position), *others, *(box_obstacle(box, 3000) for _, box in on_ships)]
    # Pennants of ships with whole plates have larger letters than those of other ships.
    pennant_size = min(size, round(_MAX_PENNANT_LETTER_PX * canvas.px))
    small_plate_size = plates.plate_letter_px(canvas.edge_px, canvas.px, crop=False)
    small_pennant_size = pennant_size if concerned is None else min(pennant_size, round(1.5 * small_plate_size))
    # Where each ship's pennant stands: in the ship's middle, or near the upper edge of its plate.
    feet = {ship.id: ship_pixel(canvas, ship) for ship in position.ships if _is_visible(canvas, ship)}
    feet |= {label.key: ((box[0] + box[2]) / 2, box[1] + 0.1 * (box[3] - box[1])) for label, box in on_ships}
    plate_boxes = [box for _, box in on_ships]
    sizes = {name: pennant_size if concerned is None or name in concerned else small_pennant_size for name in feet}
    obstacles += _draw_pennants(canvas, position, feet, sizes, plate_boxes, hulls=_number_hulls(canvas, position))
    placed = place_labels(canvas, [*extra_labels, *unplaced], obstacles)
    draw_leads(canvas, placed)
    lay_labels(canvas, placed)


def place_plates(
    canvas: HexCanvas, position: Position, commission: Commission[FleetView], concerned: Container[str] | None = None
) -> tuple[list[tuple[Label, Rect]], list[Label], int]:
    """Return plates with their boxes on ships, labels still to be placed, and the size of letters in pixels."""
    size = plates.plate_letter_px(canvas.edge_px, canvas.px, crop=commission.crop == "action")
    small_size = min(size, plates.plate_letter_px(canvas.edge_px, canvas.px, crop=False))
    # Where hexes are too small for the letters, signs are smaller to leave room for ids.
    letters_fit = size <= plates.FITTING_LETTER_PART * canvas.edge_px + 1
    sign_size = size if letters_fit else max(small_size, round(_TIGHT_SIGN_SCALE * size))
    on_ships: list[tuple[Label, Rect]] = []
    unplaced: list[Label] = []
    visible = [ship for ship in position.ships if _is_visible(canvas, ship)]
    # Plates of the ships that matter find their places first.
    for ship in sorted(visible, key=lambda ship: concerned is not None and ship.id not in concerned):
        is_whole = concerned is None or ship.id in concerned
        plate = plates.ship_plate(ship, own=_is_own_ship(commission, position, ship))
        image = plates.draw_plate(plate, size if is_whole else small_size)
        states = plates.ship_states(ship) if is_whole else ()
        middle = ship_pixel(canvas, ship)
        mark = "acted" if plate.has_acted else "plate" if plate.full_men else "name"
        box = _plate_rect(canvas, ship, image, [other for _, other in on_ships])
        if box is not None:
            on_ships.append((Label(ship.id, image, middle, 0.0, mark=mark), box))
        elif is_whole:  # the plate goes beside the ship, joined to its signs of damage
            joined = plates.join_plates(image, plates.draw_states(states, sign_size)) if states else image
            unplaced.append(Label(ship.id, joined, middle, 0.55 * canvas.edge_px, mark=mark))
        if states and box is not None:
            unplaced.append(
                Label(
                    f"{ship.id}.states",
                    plates.draw_states(states, sign_size),
                    middle,
                    0.75 * canvas.edge_px,
                    mark="states",
                )
            )
    return on_ships, unplaced, size


def _is_visible(canvas: HexCanvas, ship: Ship) -> bool:
    return ship.is_afloat and canvas.is_in_window(ship.bow)


def write_film_ids(canvas: HexCanvas, position: Position, moving: tuple[str, Point] | None = None) -> None:
    """Draw ids on ships, always at the same place so that they don't jump between frames.

    `moving` is a ship's id and its point in px, if a ship is between two hexes.
    """
    size = round(max(plates.FITTING_LETTER_PART * canvas.edge_px, _MIN_FILM_LETTER_PX * canvas.px))
    spots: dict[str, Point] = {}
    for ship in position.ships:
        if _is_visible(canvas, ship):
            at = ship_pixel(canvas, ship)
            if moving is not None and moving[0] == ship.id:
                at = moving[1]
            image = plates.draw_plate(plates.ship_plate(ship), size)
            canvas.place_sprite(Sprite(image, (image.width / 2, image.height / 2)), at)
            spots[ship.id] = (at[0], at[1] - 0.4 * image.height)
    _draw_pennants(canvas, position, spots, dict.fromkeys(spots, size))


def _plate_rect(canvas: HexCanvas, ship: Ship, image: Image.Image, boxes: Sequence[Rect]) -> Rect | None:
    """Return a free box for a plate amidships, at the stern or at the bow; None if other plates cover all three."""
    ends = [canvas.hex_pixel(here) for here in (ship.stern, ship.bow)] if ship.size > 1 else []
    for x, y in (ship_pixel(canvas, ship), *ends):
        box = (x - image.width / 2, y - image.height / 2, x + image.width / 2, y + image.height / 2)
        if all(min(_overlap(box, other)) <= _MAX_OVERLAP_PX for other in boxes) and _is_within(canvas, box):
            return box
    return None


def _overlap(first: Rect, second: Rect) -> tuple[float, float]:
    """Return how far two boxes overlap, right and down; negative: the gap between them."""
    across = min(first[2], second[2]) - max(first[0], second[0])
    return across, min(first[3], second[3]) - max(first[1], second[1])


def _is_within(canvas: HexCanvas, box: Rect) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= canvas.image.width and box[3] <= canvas.image.height


def _draw_pennants(
    canvas: HexCanvas,
    position: Position,
    feet: dict[str, Point],
    sizes: dict[str, int],
    plate_boxes: Sequence[Rect] = (),
    *,
    hulls: NDArray[np.uint8] | None = None,
) -> list[Obstacle]:
    """Draw leaders' flags on the side where they cover least of plates and `hulls`. Returns obstacles.

    `feet` maps ships to the flags' feet, `sizes` to the height of their letters, all in pixels. With `hulls`, a flag
    that would cover other ships is smaller.
    """
    obstacles = []
    for number, ship in enumerate(position.ships, 1):
        pennant = plates.leader_pennant(position, ship) if ship.id in feet else None
        if pennant is None:
            continue
        x, y = feet[ship.id]
        choices = [
            (round(sizes[ship.id] * scale), is_left)
            for scale in ((1.0,) if hulls is None else _FLAG_SCALES)
            for is_left in (False, True)
        ]
        size, is_left = min(
            choices,
            key=lambda choice: _cover_px(
                _flag_rect(pennant, (x, y), choice[0], is_left=choice[1]), plate_boxes, hulls, own_number=number
            ),
        )
        flag = plates.draw_pennant(pennant, size, left=is_left)
        box = (x - flag.width / 2, y - flag.height, x + flag.width / 2, y)
        mark = "admiral" if pennant.is_admiral else "leader"
        lay_labels(canvas, [(Label(f"{ship.id}.flag", flag, (x, y), 0.0, mark=mark), box)])
        obstacles.append(box_obstacle(_flag_rect(pennant, (x, y), size, is_left=is_left), 3000))
    return obstacles


def _flag_rect(pennant: plates.LeaderPennant, foot: Point, size: int, *, is_left: bool) -> Rect:
    """Return the box of a flag's cloth."""
    image = plates.draw_pennant(pennant, size, left=is_left)
    (x, y), half = foot, image.width / 2
    return (x - half if is_left else x, y - image.height, x if is_left else x + half, y - 0.4 * image.height)


def _cover_px(box: Rect, plate_boxes: Sequence[Rect], hulls: NDArray[np.uint8] | None, *, own_number: int) -> float:
    """Return how many pixels of plates and of other ships a box covers."""
    covered = sum(_shared_area(box, other) for other in plate_boxes)
    if hulls is not None:
        left, top, right, bottom = (max(0, round(edge)) for edge in box)
        part = hulls[top:bottom, left:right]
        covered += float(np.count_nonzero((part != 0) & (part != own_number)))
    return covered


def _number_hulls(canvas: HexCanvas, position: Position) -> NDArray[np.uint8]:
    """Return for each pixel the number of the ship there, from 1 in the order of `position.ships`; 0: none."""
    image = Image.new("L", canvas.image.size)
    draw = ImageDraw.Draw(image)
    for number, ship in enumerate(position.ships, 1):
        if ship.is_afloat:
            draw.polygon(marks.ship_obstacle(canvas, ship.place, ship.size).shape, fill=number)
    return np.asarray(image)


def _shared_area(first: Rect, second: Rect) -> float:
    across, down = _overlap(first, second)
    return max(0.0, across) * max(0.0, down)


def _is_own_ship(commission: Commission[FleetView], position: Position, ship: Ship) -> bool:
    """Return whether the viewer has allies and this ship follows one of the viewer's own leaders.

    Ships whose leader belongs to no captain count as the first captain's.
    """
    view = commission.view
    allies = [captain for captain in view.captains if captain.side == view.side]
    own_captain = next((captain for captain in allies if captain.seat == view.seat), None)
    if len(allies) < 2 or own_captain is None or ship.side != view.side:
        return False
    leaders = [leader for leader in position.leaders if leader.side == ship.side]
    squadron_leaders = (leader.id for leader in leaders if position.ships_by_id[leader.ship].squadron == ship.squadron)
    leader = next(squadron_leaders, "")
    other_leaders = {name for captain in allies if captain is not own_captain for name in captain.leaders}
    return leader in own_captain.leaders or (leader not in other_leaders and own_captain is allies[0])
