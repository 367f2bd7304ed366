"""Retellings of events make the view that the rules made: pictures of a round end as the round did."""

from dataclasses import replace
from importlib import import_module
from itertools import groupby, pairwise
from types import ModuleType
from typing import Any

import pytest
from msgspec import structs

from rules.core.protocol import Event, Seat
from rules.interface.retelling import fold_events
from rules.matchbox import retelling as matchbox
from rules.matchbox.engine.hull import round_pose
from rules.squadrons import retelling as squadrons
from tests import games
from tests.laws import play
from tests.laws.play import Turn

RETOLD = [system_tape for system_tape in play.tapes() if not games.home(system_tape[0])]
"""Games of the house: what others are drawn from is their own affair."""
__test__ = bool(RETOLD)
BEGINNINGS = ("RoundBegan", "TurnBegan")
"""Events that say how everything lies as a round begins."""


def retelling(system: str) -> ModuleType:
    return import_module(f"rules.{system}.retelling")


def visible_to(events: tuple[Event, ...], seat: Seat | None) -> tuple[Event, ...]:
    """Return the events that a seat may know."""
    return tuple(event for event in events if event.seen_by is None or seat in event.seen_by)


def as_far_as_told(system: str, seen: Any) -> Any:
    """Return a view without what no event reports."""
    match system, seen:
        case "matchbox", matchbox.VisibleState():
            # In mid-round the rules push galleys back onto the table by less than a position can say.
            poses = {
                galley.id: structs.replace(galley, pose=round_pose(galley.pose)) for galley in seen.galleys.values()
            }
            return replace(seen, galleys=poses)
        case "squadrons", squadrons.VisibleState():
            return seen.after_activation
    return seen


def as_turns_begin(system: str, seen: Any) -> Any:
    """Return a view without what is reset by each turn."""
    seen = as_far_as_told(system, seen)
    match system:
        case "forts":
            ships = {name: structs.replace(ship, shots=0, moved=False) for name, ship in seen.ships.items()}
            return replace(seen, ships=ships)
        case "squadrons":
            ships = tuple(structs.replace(ship, done=False) for ship in seen.position.ships)
            return squadrons.VisibleState(position=structs.replace(seen.position, ships=ships, turn=0))
    return seen


def relaid(turn: Turn) -> bool:
    """Return if a captain is asked about losses: order matches lie otherwise then, and no event says so."""
    return any(question.kind == "casualties" for question in getattr(turn.step.state, "questions", ()))


@pytest.mark.parametrize(("system", "number"), RETOLD)
def test_what_events_make_of_a_view_is_the_next_view(system: str, number: int):
    game, own = play.tape(system, number), retelling(system)
    for turn in game.turns:
        for seat in (None, *range(len(game.setup.teams))):
            views = [game.rules.view(state, seat) for state in (turn.before, turn.step.state)]
            if system == "squadrons" and any(view.overlay.start_hexes for view in views):
                continue  # The viewer places ships: they lie where the draft says, and no event says so.
            if system == "ramspeed" and any(view.proposed_placement for view in views):
                continue
            before, after = map(own.visible_state, views)
            came = fold_events(before, visible_to(turn.step.events, seat), own.apply_event)
            if relaid(turn):
                came, after = replace(came, laid_matches=()), replace(after, laid_matches=())
            assert as_far_as_told(system, came) == as_far_as_told(system, after)


@pytest.mark.parametrize(("system", "number"), RETOLD)
def test_a_round_begins_as_the_one_before_has_ended(system: str, number: int):
    """A round begins by saying where everything is, which would hide what the round before failed to tell."""
    game, own = play.tape(system, number), retelling(system)
    for turn in game.turns:
        now = own.visible_state(game.rules.view(turn.before, None))
        for event in visible_to(turn.step.events, None):
            begun = own.apply_event(now, event)
            if event.__struct_config__.tag in BEGINNINGS and pieces(now):
                assert as_turns_begin(system, begun) == as_turns_begin(system, now)
            now = begun


def pieces(seen: Any) -> Any:
    """Return the pieces on the table; nothing before fleets are placed."""
    return getattr(seen, "galleys", None) or getattr(getattr(seen, "position", seen), "ships", None)


@pytest.mark.parametrize(("system", "number"), RETOLD)
def test_the_moments_of_a_round_are_a_chain(system: str, number: int):
    """Each begins as the one before has ended."""
    game, own = play.tape(system, number), retelling(system)
    links = 0
    for _, turns in groupby(game.turns, key=lambda turn: game.rules.view(turn.before, None).round):
        steps = [turn.step for turn in turns]
        events = tuple(event for step in steps for event in visible_to(step.events, None))
        moments = own.split_moments(game.rules.view(steps[-1].state, None), events)
        assert all(moment.after == then.before for moment, then in pairwise(moments))
        links += len(moments)
    assert links
