"""Sea charts to be drawn: a season on each map, by the rules, with fleets that somebody placed."""

import json
from collections.abc import Callable, Iterable, Iterator

import render
from rules.campaign import GAME
from rules.campaign.engine.case import read_position
from rules.campaign.engine.sea.state import State
from rules.campaign.interface.view import SeasonView
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Event

GULF = {
    "map": "gulf",
    "captains": "AB",
    "turn": 5,
    "ports": {"A": "PIR SAL MEG", "B": "EPI CAL"},
    "sieges": {"AEG": ["B", 4]},
    "talents": {"A": 7},
}
RING = {
    "map": "ring",
    "captains": "ABCD",
    "turn": 11,
    "ports": {"A": "PAR T1 V1 DLS", "B": "IOS V2 T2", "C": "MEL W3 U2", "D": "CEO T4"},
    "trophies": {"A": 3, "C": 1},
    "sieges": {"T2": ["A", 3]},
    "battles": [
        {"id": "B3", "place": "DEL", "sides": [["A"], ["D"]], "galleys": [["A1", "A2"], ["D1", "D2"]], "began": 10}
    ],
}
EAST = {"map": "east", "captains": "ABCDEFGH", "turn": 2}


def lying(place: str, *names: str, state: str = "5-5+3/5 r0 n0") -> Iterator[str]:
    """Return galleys that lie in one place."""
    return (f"{name} {place} {state}" for name in names)


def state_of(facts: dict[str, object], galleys: Iterable[str]) -> State:
    """Return a campaign with these galleys."""
    return State(dice=Dice(seed="00"), position=read_position(json.dumps({**facts, "galleys": [*galleys]})))


def gulf() -> State:
    """Return a state with two captains, who see a part of each other's fleets."""
    seen = lying("AEG", "B1", "B2"), lying("EGU", "B3", state="2-3+1/5 r0 n1"), lying("HYD", "B4")
    return state_of(
        GULF, [*lying("WGU", "A1", "A2", "A3"), *lying("PIR", "A4"), *(piece for some in seen for piece in some)]
    )


def ring() -> State:
    """Return a state with four captains, a battle and a siege."""
    fleets = lying("T2", "A3", "A4"), lying("N2", "B1"), lying("N1", "C1", "C2", "C3"), lying("CEO", "D3")
    fought = lying("DEL", "A1", "A2", "D1", "D2", state="5-5+3/5 r0 n0 B3")
    return state_of(RING, [*fought, *(galley for some in fleets for galley in some)])


def view_of(state: State, seat: int | None = 0, draft: str = "") -> SeasonView:
    view = GAME.view(state, seat, Draft(draft))
    assert isinstance(view, SeasonView)
    return view


def plan() -> SeasonView:
    """The gulf, with orders for two fleets."""
    return view_of(gulf(), draft="A1 A2 A3: EGU > HYD attack; A4: ELE evade")


def a_turn() -> tuple[SeasonView, list[Event]]:
    """Return the first captain's view and events of a turn in which fleets go by dice."""
    before = gulf()
    orders = {"A": "A1 A2 A3: EGU attack; repair all", "B": "B1 B2: attack; B3: hold"}
    requests = GAME.pending_requests(before)
    answers = {request.id: GAME.parse_answer(before, request, orders["AB"[request.seat]]) for request in requests}
    step = GAME.resolve(before, answers)
    return view_of(step.state), [event for event in step.events if event.seen_by is None or 0 in event.seen_by]


def goldens(draw: Callable[..., render.Picture]) -> dict[str, render.Picture]:
    return {
        "season": draw(view_of(ring()), caption="Turn 11"),
        "season-plan": draw(plan(), kind="plan", caption="Turn 5"),
        "season-east": draw(view_of(state_of(EAST, lying("ATH", "A1", "A2"))), caption="Turn 2"),
        "season-known": draw(view_of(ring(), None), caption="11. forduló"),
    }


def stills(draw: Callable[..., render.Picture]) -> dict[str, Callable[[], render.Picture]]:
    view, events = a_turn()
    return {
        "season": lambda: draw(view_of(ring()), caption="11"),
        "season, a turn": lambda: draw(view, events, caption="5"),
        "season, orders": lambda: draw(plan(), kind="plan"),
    }
