"""Ids on ships or beside them, leaders' pennants, signs of damage."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final

from PIL import Image

from render.commission import Commission
from render.drawing.canvas import Point, Rect, Sprite
from render.drawing.marking import marking
from render.marks.labels import Label, Obstacle, box_obstacle, draw_leads, lay_labels, place_labels
from render.seas.hexmap import HexCanvas
from render.squadrons import plates
from render.squadrons.marks import ship_pixel
from render.squadrons.scene import hull_obstacles
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import FleetView

_MIN_FILM_LETTER_PX: Final = 26
_MAX_PENNANT_LETTER_PX: Final = 40
_TIGHT_SIGN_SCALE: Final = 0.7  # of signs of damage where ids hardly fit
_MAX_OVERLAP_PX: Final = 2.0  # of two plates


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
    obstacles += _draw_pennants(canvas, position, feet, sizes, plate_boxes)
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
) -> list[Obstacle]:
    """Draw leaders' flags on the side where they cover least of the plates. Returns obstacles.

    `feet` maps ships to the flags' feet, `sizes` to the height of their letters, all in pixels.
    """
    obstacles = []
    for name, (x, y) in feet.items():
        pennant = plates.leader_pennant(position, position.ships_by_id[name])
        if pennant is not None:
            image = plates.draw_pennant(pennant, sizes[name])
            top = y - image.height
            half = image.width / 2
            # By whether the flag flies to the left.
            boxes = {False: (x, top, x + half, y - 4), True: (x - half, top, x, y - 4)}
            left = min(boxes, key=lambda side: sum(_shared_area(boxes[side], other) for other in plate_boxes))
            flag = plates.draw_pennant(pennant, sizes[name], left=left)
            with marking(canvas, "admiral" if pennant.is_admiral else "leader"):
                canvas.place_sprite(Sprite(flag, (half, image.height)), (x, y))
            obstacles.append(box_obstacle(boxes[left], 3000))
    return obstacles


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
