"""Define the jobs that draw a step for a game's page: what everybody may see, in pictures without words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from msgspec import Struct

import render
from bot.jobs.showing import PictureSubject, make_commission, visible_part
from bot.jobs.stored import read_events, read_state
from bot.jobs.values import PictureStyle
from bot.pages.values import Outline, PageMark, PageSeat
from render.drawing.canvas import Point, Rect
from render.drawing.style import Colour
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.sides import letter_of
from rules.core.view import Piece, View
from rules.interface.outcomes import ShipHolder, ship_holders

FILM_WIDTH_PX: Final = 960  # a page shows it at about 830 px at most
_OUTLINE_DIGITS: Final = 4  # after the point, of parts of a picture's width and height


class DrawnPageStep(Struct, frozen=True, kw_only=True):
    view: str  # JSON of the view that everybody has
    events: str  # JSON list of the events that everybody may see
    holders: tuple[ShipHolder, ...]  # empty: ships never change sides
    picture: render.Picture
    size: tuple[int, int]  # width and height of the picture, in pixels
    seats: tuple[PageSeat, ...]
    outlines: tuple[Outline, ...]
    marks: tuple[PageMark, ...]
    samples: render.Picture | None  # of the marks; None: there are none
    window: Rect | None  # the part of the map that the picture shows


def draw_page_step(
    system: str,
    state_json: str,
    events_json: Sequence[str],
    style: PictureStyle,
    *,
    round_number: int,
    told_events_json: Sequence[str],
    kept_window: Rect | None,
) -> DrawnPageStep:
    """Return what a page shows of a step of a round to everybody, with a picture without words.

    The picture shows the round's events so far, the text tells `told_events_json`, which are the last of them.
    `kept_window` is the part of the map that the step before shows.
    """
    rules = RULESETS[system]
    view, events = visible_part(rules, state_json, events_json, style)
    state = read_state(rules, state_json)
    if rules.result(state):
        view = rules.final_view(state)  # the game is over, and hides no places any more
    told_events = [event for event in read_events(rules, *told_events_json) if event.seen_by is None]
    commission = make_commission(view, events, style, _page_subject(view))
    seats, letters = page_seats(rules, view), _bar_letters(rules, view)
    commission = replace(commission, caption="", names=letters, told_round=round_number, kept_window=kept_window)
    drawn = render.draw_outlined(commission, style.stills.format)
    return DrawnPageStep(
        view=msgspec.json.encode(view).decode(),
        events=msgspec.json.encode(told_events).decode(),
        holders=ship_holders(view) if rules.ships_change_sides else (),
        picture=drawn.picture,
        size=drawn.size,
        seats=seats,
        marks=tuple(map(PageMark, drawn.marks, drawn.sample_boxes)),
        samples=drawn.samples,
        window=drawn.window,
        outlines=tuple(Outline(name, _rounded(points)) for name, points in drawn.outlines.items()),
    )


def film_page_step(
    system: str,
    state_json: str,
    events_json: Sequence[str],
    style: PictureStyle,
    *,
    round_number: int,
    window: Rect | None,
) -> render.Picture | None:
    """Return a film of a round as everybody may see it, without words; None if it would be a still.

    It shows the same part of the map as the still if nothing happens outside.
    """
    rules = RULESETS[system]
    view, events = visible_part(rules, state_json, events_json, style)
    commission = make_commission(view, events, style, _page_subject(view))
    return render.draw_film(
        view,
        events,
        names=_bar_letters(rules, view),
        crop=commission.crop,
        focus=commission.focus,
        kept_window=window,
        width=min(FILM_WIDTH_PX, style.stills.width_px),
        form="webp",
        min_frames=2,
        told_round=round_number,
    )


def _page_subject(view: View) -> PictureSubject:
    return PictureSubject(crop="whole" if render.has_small_map(view) else "afloat")


def page_seats(rules: Ruleset[Any], view: View) -> tuple[PageSeat, ...]:
    """Return each captain's side, ships and colours; empty if the game gives captains no colours."""
    pieces_by_seat = [
        [piece for piece in view.pieces if piece.seat == seat] for seat in range(len(render.seat_liveries(view)))
    ]
    return tuple(
        PageSeat(
            side=pieces_by_seat[seat][0].side if pieces_by_seat[seat] else "",
            ships=tuple(sorted((piece.id for piece in pieces_by_seat[seat]), key=_by_number)),
            letter=letter_of(seat) if rules.ships_have_captains_letters else _fleet_letter(pieces_by_seat[seat]),
            base=_as_hex(livery.base),
            mark=_as_hex(livery.mark),
            ink=_as_hex(livery.on_base),
        )
        for seat, livery in enumerate(render.seat_liveries(view))
    )


def _fleet_letter(pieces: Sequence[Piece]) -> str:
    """Return the letter with which the ids of a captain's own ships begin, not those of captured ones; empty: none."""
    counts = Counter(piece.id[0] for piece in pieces if piece.id[0].isupper())
    initial = pieces[0].side[:1].upper() if pieces else ""
    if initial in counts:
        return initial
    (letter, count), (_, next_count) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return letter if count > next_count else ""


def _bar_letters(rules: Ruleset[Any], view: View) -> dict[int, str]:
    """Return the letters for a picture's bars of captains, by seat; captains of one fleet share the first's.

    Empty: the picture has the letters of the seats.
    """
    if rules.ships_have_captains_letters:
        return {}
    letters = [seat.letter for seat in page_seats(rules, view)]
    return {seat: letter if letter not in letters[:seat] else "" for seat, letter in enumerate(letters)}


def _by_number(ship: str) -> tuple[str, int, str]:
    """Return a key that sorts A2 before A10."""
    return ship[:1], len(ship), ship


def _as_hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _rounded(points: Sequence[Point]) -> tuple[float, ...]:
    return tuple(round(part, _OUTLINE_DIGITS) for point in points for part in point)
