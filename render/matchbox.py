"""The painter of War Galley with matchboxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from PIL import Image

from render import ground, labels, legend
from render import matchbox_marks as marks
from render import matchbox_sticks as sticks
from render.canvas import Box, Canvas, Point, text_size
from render.commission import Commission
from render.matchbox_hull import LIVERIES, corners, is_small, middle, oars_reach
from render.matchbox_story import Act, acts, laid
from render.style import CHALK, EMBER, NAME_SIZE, Colour
from rules.matchbox.events import BackedOff, Lost, Moved, Rammed, Sank, VolleyDropped
from rules.matchbox.state import MATCH_MM, Galley, LaidMatch, Pose
from rules.matchbox.view import TableView

_AROUND_MM = 48.0
_LEAST_MM = 380.0
"""No crop shows less of the table than this across."""
_TALLEST, _FLATTEST = 0.8, 0.5
"""Heights of a crop's window as parts of its width."""


@dataclass(frozen=True)
class _Name:
    """A label to be placed: what it says, in which colours, and beside what."""

    words: str
    colour: Colour
    beside: Point
    reach_mm: float = 33.0
    loss: str = ""


def paint(asked: Commission[TableView]) -> Image.Image:
    """Draw any kind of picture of a table."""
    told = acts(asked.events, asked.view.galleys)
    if asked.kind == "round" and told:
        return _sheet(asked, told)
    window = _window(asked, told)
    canvas = _canvas(asked, window, asked.width)
    names: list[_Name] = []
    if asked.kind == "plan":
        names += _plan(canvas, asked.view)
    ships = _standing(asked, told)
    traced = asked.kind in ("table", "round")
    if traced:
        _traces(canvas, told)
    for ship in asked.view.lost:
        if ship.id not in ships:
            marks.wreck(canvas, ship)
    afloat = {ship.id: ship for ship in asked.view.galleys}
    lying: Iterable[LaidMatch] = asked.view.lying
    if asked.kind == "volley" and told:
        lying = _lying(told) or lying
    if asked.kind == "plan":
        planned = tuple(match for plan in asked.view.plans for match in plan.matches)
        marks.orders(canvas, planned, afloat)
        lying = (*lying, *planned)
    marks.orders(canvas, lying, afloat)
    marks.hulls(canvas, ships.values())
    if asked.kind == "volley":
        for act in told:
            for shot in act.of(VolleyDropped):
                marks.volley(canvas, shot, act.moved.get(shot.to), faint=False)
    losses = _losses(told) if traced else {}
    names += [_of(ship, losses.get(ship.id, 0)) for ship in ships.values()]
    _write(canvas, names, ships.values(), lying)
    return _framed(asked, canvas.image, canvas)


def _canvas(asked: Commission[TableView], window: Box, width: int) -> Canvas:
    high = round(width * (window[3] - window[1]) / (window[2] - window[0]))
    table = (asked.view.width_mm, asked.view.height_mm)
    return Canvas(ground.table((width, high), window, table), window, asked.width)


def _framed(asked: Commission[TableView], image: Image.Image, canvas: Canvas) -> Image.Image:
    long = MATCH_MM * canvas.scale
    match = sticks.match(long, sticks.thickness(canvas), 0, "order", LIVERIES["north"].head)
    north, south = (_rail(asked, side) for side in ("north", "south"))
    return legend.frame(image, top=north, bottom=south, caption=asked.caption, scale=legend.Scale(match, long))


def _rail(asked: Commission[TableView], side: str) -> legend.Rail:
    seats = [seat for seat, of in enumerate(asked.view.sides) if of == side]
    names = [f"{chr(65 + seat)}  {asked.names[seat]}" if seat in asked.names else chr(65 + seat) for seat in seats]
    return legend.Rail(LIVERIES[side], tuple(names))


# --- kinds -------------------------------------------------------------------------------------------------------


def _plan(canvas: Canvas, view: TableView) -> list[_Name]:
    """The viewer's own plans: ranges about the galley in hand, ghosts, and matches as they would lie."""
    ships = {ship.id: ship for ship in view.galleys}
    names: list[_Name] = []
    plans = {plan.galley: plan for plan in view.plans}
    if view.zone is not None and view.seat is not None:
        side = view.sides[view.seat]
        marks.zone(canvas, (0.0, view.width_mm), view.zone, LIVERIES[side].base)
        for ship in view.galleys:
            if ship.side == side and ship.id != view.current:
                marks.apart(canvas, ship.pose)
    elif view.current in ships:
        plan = plans.get(view.current)
        pose = plan.ghosts[-1] if plan is not None and plan.ghosts else ships[view.current].pose
        names += [_Name(str(count), CHALK, point, 4.0) for count, point in marks.ranges(canvas, pose)]
    for plan in view.plans:
        ship = ships[plan.galley]
        seen = {ship.pose}
        for step, pose in enumerate(plan.ghosts, 1):
            if pose not in seen:
                seen.add(pose)
                marks.ghost(canvas, ship, pose, 0.85 if plan.galley == view.current else 0.5)
                names.append(_Name(str(step), LIVERIES[ship.side].letter, middle(pose), 21.0))
    return names


def _standing(asked: Commission[TableView], told: Sequence[Act]) -> dict[str, Galley]:
    """Galleys as they are to be drawn: a volley's as they stood when it was dropped."""
    if asked.kind == "volley":
        fired = [act for act in told if act.of(VolleyDropped)]
        if fired:
            return fired[-1].moved
    return {ship.id: ship for ship in asked.view.galleys}


def _lying(told: Sequence[Act]) -> tuple[LaidMatch, ...]:
    fired = [act for act in told if act.of(VolleyDropped)]
    found = laid(fired[-1]) if fired else None
    return found.lying if found else ()


def _traces(canvas: Canvas, told: Sequence[Act]) -> None:
    """What the round left: tracks, where rams struck, matches dropped."""
    for name, (ship, poses) in _ways(told).items():
        marks.track(canvas, poses, LIVERIES[ship.side].letter, 0.5)
        if len(poses) > 1 and name in told[0].before:
            marks.ghost(canvas, ship, poses[0], 0.22)
    for act in told:
        for shot in act.of(VolleyDropped):
            marks.volley(canvas, shot, act.moved.get(shot.to), faint=True)
        for ram in act.of(Rammed):
            _burst(canvas, act, ram, 0.8)


def _burst(canvas: Canvas, act: Act, ram: Rammed, opacity: float = 1.0) -> None:
    by, to = act.moved.get(ram.by), act.moved.get(ram.to)
    if by is not None and to is not None:
        marks.burst(canvas, marks.struck_at(by.pose, to.pose), opacity)


def _ways(told: Sequence[Act]) -> dict[str, tuple[Galley, list[Pose]]]:
    """Poses that each galley went through."""
    ways: dict[str, tuple[Galley, list[Pose]]] = {}
    for act in told:
        moves: list[Moved | BackedOff] = [*act.of(Moved), *act.of(BackedOff)]
        for moved in moves:
            ship = act.before.get(moved.galley)
            if ship is not None:
                ways.setdefault(moved.galley, (ship, [moved.start]))[1].append(moved.end)
    return ways


def _losses(told: Iterable[Act]) -> dict[str, int]:
    """Oars and masts that each galley lost."""
    losses: dict[str, int] = {}
    for act in told:
        for lost in act.of(Lost):
            losses[lost.galley] = losses.get(lost.galley, 0) + lost.port + lost.starboard + lost.masts
    return losses


def _sheet(asked: Commission[TableView], told: Sequence[Act]) -> Image.Image:
    """A frame a step, two abreast, and the table as it is now."""
    shown = [
        act for act in told if act.step and any(isinstance(event, Moved | VolleyDropped | Lost) for event in act.events)
    ][:7]
    window = _window(asked, told)
    gap = round(8 * asked.width / 1600)
    wide = (asked.width - gap) // 2
    frames: list[Image.Image] = []
    canvas = _canvas(asked, window, wide)
    for act in shown:
        canvas = _canvas(asked, window, wide)
        _frame(canvas, act)
        frames.append(canvas.image)
    last = _canvas(asked, window, wide)
    ships = {ship.id: ship for ship in asked.view.galleys}
    for ship in asked.view.lost:
        marks.wreck(last, ship)
    marks.hulls(last, ships.values())
    _write(last, [_of(ship, 0) for ship in ships.values()], ships.values(), ())
    frames.append(last.image)
    high = frames[0].height
    rows = ceil(len(frames) / 2)
    sheet = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), (12, 8, 5))
    for i, frame in enumerate(frames):
        across = i % 2 * (wide + gap)
        if i == len(frames) - 1 and i % 2 == 0:
            across = (asked.width - wide) // 2
        sheet.paste(frame, (across, i // 2 * (high + gap)))
    return _framed(asked, sheet, canvas)


def _stirs(act: Act) -> bool:
    return any(isinstance(event, Moved | VolleyDropped | Lost) for event in act.events)


def _frame(canvas: Canvas, act: Act) -> None:
    """One step: from where to where, what struck, what was dropped, what it cost."""
    for moved in act.of(Moved):
        ship = act.before.get(moved.galley)
        if ship is not None:
            marks.ghost(canvas, ship, moved.start, 0.4)
            marks.track(canvas, (moved.start, moved.end), LIVERIES[ship.side].letter, 0.9)
    for ram in act.of(Rammed):
        _burst(canvas, act, ram)
    lying = laid(act)
    matches = lying.lying if lying else ()
    marks.orders(canvas, matches, act.before)
    sunk = {event.galley for event in act.of(Sank)}
    ships = {name: act.after.get(name, ship) if name in act.after else ship for name, ship in act.moved.items()}
    marks.hulls(canvas, ships.values())
    for name in sunk & ships.keys():
        marks.wreck(canvas, ships[name])
    for shot in act.of(VolleyDropped):
        marks.volley(canvas, shot, act.moved.get(shot.to), faint=False)
    losses = _losses([act])
    size = round(NAME_SIZE * 1.25 * canvas.unit)
    canvas.text((10 * canvas.unit, 8 * canvas.unit), str(act.step), size, CHALK)
    _write(canvas, [_of(ship, losses.get(ship.id, 0)) for ship in ships.values()], ships.values(), matches)


# --- windows -----------------------------------------------------------------------------------------------------


def _window(asked: Commission[TableView], told: Sequence[Act]) -> Box:
    """West, south, east and north of what is shown, in mm."""
    view, rim = asked.view, ground.RIM_MM
    whole = (-rim, -rim, view.width_mm + rim, view.height_mm + rim)
    points = list(_seen(asked, told)) if asked.crop == "action" else []
    if not points:
        return whole
    west, east = min(x for x, _ in points) - _AROUND_MM, max(x for x, _ in points) + _AROUND_MM
    south, north = min(y for _, y in points) - _AROUND_MM, max(y for _, y in points) + _AROUND_MM
    wide = max(east - west, _LEAST_MM, (north - south) / _TALLEST)
    high = max(north - south, wide * _FLATTEST)
    if wide >= whole[2] - whole[0]:
        return whole
    high = min(high, whole[3] - whole[1])
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return tuple(round(edge, 1) for edge in (left, low, left + wide, low + high))  # type: ignore[return-value]


def _seen(asked: Commission[TableView], told: Sequence[Act]) -> Iterable[Point]:
    """Points that must be within the window, in mm."""
    view, focus = asked.view, set(asked.focus)
    involved = focus or {
        name for act in told for event in act.events for name in _concerned(event) if asked.kind != "plan"
    }
    if asked.kind == "plan" and not focus:
        involved = {ship.id for ship in view.galleys if ship.seat == view.seat}
    ships = [ship for ship in view.galleys if not involved or ship.id in involved]
    for ship in ships:
        yield from corners(ship.pose)
    if asked.kind == "plan":
        for plan in view.plans:
            if plan.galley in involved:
                for pose in plan.ghosts:
                    yield from corners(pose)
    for act in told:
        for ship in act.moved.values():
            if not involved or ship.id in involved:
                yield from corners(ship.pose)
        for shot in act.of(VolleyDropped):
            if not focus or {shot.by, shot.to} & focus:
                yield from ((drop.x_mm, drop.y_mm) for drop in shot.drops if drop.on_table)


def _concerned(event: object) -> tuple[str, ...]:
    match event:
        case VolleyDropped() | Rammed():
            return event.by, event.to
        case Moved() | Lost() | Sank():
            return (event.galley,)
        case _:
            return ()


# --- names -------------------------------------------------------------------------------------------------------


def _of(ship: Galley, lost: int) -> _Name:
    return _Name(ship.id, LIVERIES[ship.side].letter, middle(ship.pose), loss=f" −{lost}" if lost else "")


def _write(canvas: Canvas, names: Sequence[_Name], ships: Iterable[Galley], lying: Iterable[LaidMatch]) -> None:
    """Place all names and write them."""
    size = round(NAME_SIZE * canvas.unit)
    wanted: list[labels.Label] = []
    west, south, east, north = canvas.window_mm
    names = [name for name in names if west < name.beside[0] < east and south < name.beside[1] < north]
    for name in names:
        wide, high = text_size(name.words + name.loss, size)
        wanted.append(labels.Label(name.words, canvas.at(name.beside), wide, high, name.reach_mm * canvas.scale))
    boxes = labels.place(wanted, list(_obstacles(canvas, ships, lying)), canvas.image.size)
    for name, box in zip(names, boxes, strict=True):
        if box is None:
            continue
        canvas.text((box[0], box[1]), name.words, size, name.colour)
        if name.loss:
            wide, _ = text_size(name.words, size)
            canvas.text((box[0] + wide, box[1]), name.loss.strip(), size, EMBER)


def _obstacles(canvas: Canvas, ships: Iterable[Galley], lying: Iterable[LaidMatch]) -> Iterable[labels.Obstacle]:
    for ship in ships:
        yield labels.Obstacle(tuple(canvas.at(p) for p in corners(ship.pose)), 100)
        yield labels.Obstacle(tuple(canvas.at(p) for p in oars_reach(ship.pose)), 25)
        if is_small(canvas.scale, canvas.unit):
            yield labels.Obstacle(tuple(marks.arrow(canvas, ship.pose, 4.0 * canvas.unit)), 60)
    for match in lying:
        ends = ((match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm))
        yield labels.Obstacle(tuple(canvas.at(p) for p in ends), 4)
