"""The sea chart shows what a captain knows, and nothing else, in colours that all can tell apart."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import hypot

import pytest
from msgspec import structs
from PIL import Image, ImageChops

import render
from render.campaign import PAINTER
from render.campaign.colours import CAPTAIN_COLOURS
from render.campaign.layout import PENNANT_SIZE, MapLayout, lay_out, mark_sizes, pennant_slots
from render.commission import Commission
from render.drawing.style import FULL_WIDTH, Colour
from rules.campaign import GAME
from rules.campaign.engine.case import read_position
from rules.campaign.engine.events import BattleEnded, PortFell, TurnBegan
from rules.campaign.engine.sea.maps import sea_map
from rules.campaign.engine.sea.state import State
from rules.campaign.interface.view import SeasonView
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Event
from tests.laws.play import tape
from tests.pictures.test_colours import SIGHT, difference

GULF = (
    '{"map": "gulf", "captains": "AB", "turn": 5, "ports": {"A": "PIR MEG", "B": "EPI"}, "sieges": {"AEG": ["B", 4]},'
    ' "galleys": ["A1 WGU 5-5+3/5 r0 n0", "B1 AEG 5-5+3/5 r0 n0", "B2 HYD 5-5+3/5 r0 n0"]}'
)


def drawn(state: State, seat: int | None = 0, draft: str = "") -> Image.Image:
    view = GAME.view(state, seat, Draft(draft))
    return PAINTER.paint(Commission(view=view, caption="Turn 5", width=320))


@pytest.fixture(scope="module")
def state() -> State:
    return State(dice=Dice(seed="00"), position=read_position(GULF))


def without(state: State, name: str) -> State:
    galleys = tuple(galley for galley in state.position.galleys if galley.id != name)
    return structs.replace(state, position=structs.replace(state.position, galleys=galleys))


def alike(image: Image.Image, other: Image.Image) -> bool:
    return image.size == other.size and ImageChops.difference(image, other).getbbox() is None


def test_it_shows_what_is_seen_and_nothing_else(state: State) -> None:
    assert not alike(drawn(state), drawn(without(state, "B1")))  # seen beside one's own galley
    assert alike(drawn(state), drawn(without(state, "B2")))  # in the fog
    assert alike(drawn(state, None), drawn(without(state, "B1"), None))  # spectators see no fleets


def test_planned_routes_are_on_it(state: State) -> None:
    assert not alike(drawn(state), drawn(state, draft="A1: EGU attack"))


def test_sieges_are_on_it_where_they_are_seen(state: State) -> None:
    lifted = structs.replace(state, position=structs.replace(state.position, sieges={}))
    assert not alike(drawn(state), drawn(lifted))
    assert alike(drawn(state, None), drawn(lifted, None))


def boxes(laid: MapLayout) -> dict[str, list[tuple[float, float, float, float]]]:
    """Return the rectangles of each place's marks, in px at full width."""
    west, _, east, _ = laid.window
    unit, marks = FULL_WIDTH / (east - west), mark_sizes(len(laid.places))
    return {
        code: [(place.x * unit + a, b - place.y * unit, place.x * unit + c, d - place.y * unit) for a, b, c, d in some]
        for code, place in laid.places.items()
        for some in [marks.mark_rects(place)]
    }


def overlap(box: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the depth in px to which two boxes overlap; below 0, the gap between them."""
    return min(min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1]))


@pytest.mark.parametrize("above_buttons", [True, False])
@pytest.mark.parametrize(("name", "captains"), [("gulf", 2), ("ring", 3), ("ring", 4), ("ring", 8), ("east", 8)])
def test_no_place_hides_another_or_its_name_and_fleets_hide_no_name_of_their_place(
    name: str, captains: int, above_buttons: bool
) -> None:
    laid = lay_out(name, captains, above_buttons=above_buttons)
    placed = boxes(laid)
    for one, other in combinations(placed, 2):
        assert max(overlap(a, b) for a in placed[one] for b in placed[other]) < 1, (one, other)
    for code, place in sea_map(name, captains).places.items():
        moved = hypot(laid.places[code].x - place.x, laid.places[code].y - place.y)
        assert moved < 0.04 * laid.larger_side, "it still lies where the map says"
    for code, (right, down, _) in pennant_slots(name, captains, laid.window, above_buttons=above_buttons).items():
        x, y = placed[code][0][0], placed[code][0][1]
        mark = mark_sizes(len(laid.places)).mark_rects(laid.places[code])[0]
        spot = x - mark[0] + right, y - mark[1] + down
        wide, high = (side * mark_sizes(len(laid.places)).pennant_scale for side in PENNANT_SIZE)
        flag = (spot[0], spot[1] - high / 2, spot[0] + wide, spot[1] + high / 2)
        assert overlap(flag, placed[code][-1]) <= 0, code


@pytest.mark.parametrize("sight", SIGHT)
def test_eight_captains_are_told_apart(sight: str) -> None:
    apart = {
        (a, b): difference(CAPTAIN_COLOURS[a], CAPTAIN_COLOURS[b], sight) for a, b in combinations(CAPTAIN_COLOURS, 2)
    }
    assert min(apart.values()) > 9, min(apart, key=lambda pair: apart[pair])


def test_once_it_is_over_a_turn_is_a_film_of_all_fleets_on_their_ways(state: State) -> None:
    orders = {"A": "A1: EGU > HYD attack", "B": ""}
    requests = GAME.pending_requests(state)
    step = GAME.resolve(
        state, {request.id: GAME.parse_answer(state, request, orders["AB"[request.seat]]) for request in requests}
    )
    before, after = GAME.final_view(state), GAME.final_view(step.state)
    assert isinstance(before, SeasonView)
    assert isinstance(after, SeasonView)
    public = [event for event in step.events if event.seen_by is None]
    film = PAINTER.film_frames(Commission(view=after, before=before, events=public, width=320))
    assert len(film) > 3
    assert not alike(film[0].image, film[1].image)
    # Fleets met: the end of the turn is marked with it.
    assert not alike(film[-1].image, PAINTER.paint(Commission(view=after, before=before, width=320)))
    # Nobody rows: there is nothing but the end of the turn.
    assert len(PAINTER.film_frames(Commission(view=before, before=before, width=320))) == 1


def test_a_turn_is_a_film_of_its_watches_and_its_night(state: State) -> None:
    orders = {request.id: GAME.parse_answer(state, request, "") for request in GAME.pending_requests(state)}
    step = GAME.resolve(state, orders)
    events = [event for event in step.events if event.seen_by is None or 0 in event.seen_by]
    view = GAME.view(step.state, 0)
    assert isinstance(view, SeasonView)
    assert len(PAINTER.film_frames(Commission(view=view, events=events, width=320))) == 3
    assert PAINTER.film_frames(Commission(view=view, width=320)) == []


def public_turns(number: int) -> Iterator[tuple[SeasonView, list[Event]]]:
    """Yield what everybody has of each turn of a game."""
    for turn in tape("campaign", number).turns:
        view = GAME.view(turn.step.state, None)
        assert isinstance(view, SeasonView)
        yield view, [event for event in turn.step.events if event.seen_by is None]


def test_a_picture_marks_the_battles_that_ended_and_the_ports_that_fell() -> None:
    seen: Counter[str] = Counter()
    for view, events in public_turns(1):
        marks = render.draw_outlined(Commission(view=view, events=events, width=320)).marks
        for mark, kind in (("fought", BattleEnded), ("fell", PortFell)):
            has_happened = any(isinstance(event, kind) for event in events)
            assert (mark in marks) == has_happened
            seen[mark] += has_happened
    assert seen["fought"]
    assert seen["fell"]


def test_swords_have_the_winners_colour_and_a_ring_that_of_the_captain_who_had_the_port(state: State) -> None:
    view = GAME.view(state, None)
    assert isinstance(view, SeasonView)

    def count_pixels(colour: Colour, event: Event) -> int:
        image = PAINTER.paint(Commission(view=view, events=[event], width=640))
        return next((count for count, shade in image.getcolors(1 << 24) or () if shade == colour), 0)

    for captain in "AB":
        ended = BattleEnded(id="B1", place="WGU", holds=(captain,), sunk=(), taken=(), fled=(), rounds=3)
        fell = PortFell(port="MEG", by="A", was=captain)
        for event, other in ((ended, structs.replace(ended, holds=None)), (fell, structs.replace(fell, was=""))):
            colour = CAPTAIN_COLOURS[captain]
            assert count_pixels(colour, event) > count_pixels(colour, other) + 30


def test_a_film_of_a_turn_shows_its_battles_one_after_the_other_and_the_number_of_the_turn() -> None:
    films = []
    for view, events in public_turns(1):
        began = next((event.turn for event in events if isinstance(event, TurnBegan)), 0)
        frames = PAINTER.film_frames(Commission(view=view, events=events, kind="round", width=320))
        endings = sum(isinstance(event, BattleEnded) for event in events)
        assert len(frames) >= endings
        if frames and began:
            still = PAINTER.paint(Commission(view=view, events=events, width=320, told_round=began))
            assert alike(frames[-1].image, still)
        films.append(render.draw_film(view, events, width=320, min_frames=2))
        assert (films[-1] is None) == (len(frames) < 2)
    assert None in films
    assert any(films)
