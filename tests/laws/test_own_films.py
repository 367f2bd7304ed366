"""A captain's film of a round shows the voyages of the captain's own fleets, and nobody else's."""

from dataclasses import replace

import msgspec
import pytest

from bot.jobs import showing
from bot.jobs.values import PictureStyle, StillSettings
from render.campaign.film import film_frames
from render.commission import Commission
from rules.core.registry import RULESETS
from tests.laws.play import tape, tapes

CHRONICLED = [each for each in tapes() if RULESETS[each[0]].has_chronicle]


def own_turns(system, number):
    """Yield a seat, its views before and after a turn, and the events that it saw, where one of its galleys moved."""
    game = tape(system, number)
    for turn in game.turns:
        for seat in range(len(game.setup.teams)):
            before, after = (game.rules.view(state, seat) for state in (turn.before, turn.step.state))
            places = {galley.id: galley.place for galley in before.galleys}
            if any(places.get(galley.id, galley.place) != galley.place for galley in after.galleys):
                yield turn, seat, before, after


@pytest.mark.parametrize(("system", "number"), CHRONICLED[:2])
def test_a_captain_sees_own_fleets_sail(system, number):
    turn, seat, before, after = next(own_turns(system, number))
    events = [event for event in turn.step.events if event.seen_by is None or seat in event.seen_by]
    commission = Commission(view=after, events=events, kind="round", width=400)
    frames = film_frames(replace(commission, before=before))
    assert len(frames) > len(film_frames(commission)) + 1
    pictures = {frame.image.tobytes() for frame in frames}
    assert len(pictures) > 2
    style = PictureStyle(
        system=system,
        language="en",
        names=dict.fromkeys(range(8), "Anna"),
        viewpoint_seat=seat,
        stills=StillSettings(width_px=400),
    )
    state_before, state = (msgspec.json.encode(value).decode() for value in (turn.before, turn.step.state))
    stored = (msgspec.json.encode(list(turn.step.events)).decode(),)
    film = showing.film_round(system, state, stored, style, "webp", state_before=state_before)
    assert film is not None


@pytest.mark.parametrize(("system", "number"), CHRONICLED[:2])
def test_a_captains_film_of_a_turn_is_made_of_the_captains_own_views(system, number):
    for _, seat, before, after in own_turns(system, number):
        assert {galley.captain for view in (before, after) for galley in view.galleys} <= {"ABCDEFGH"[seat]}
