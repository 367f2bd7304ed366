"""Whole campaigns, some captains the computer's and some at random: what holds of every turn, and who may know what."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec
import pytest
from msgspec import structs

from rules.campaign import GAME
from rules.campaign.engine.fighting.dice_battle import fight_by_dice
from rules.campaign.engine.orders import PortOrders, format_orders, parse_orders
from rules.campaign.engine.sea.state import STANCES, Position, State, building_ports
from rules.campaign.engine.sea.ways import shortest_routes
from rules.campaign.engine.work import DiceStream
from rules.campaign.interface import game_flow
from rules.campaign.retelling import apply_event, visible_state
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import BattleOutcome, Draft, Report, Request, ShipFate, Step
from rules.core.registry import RULESETS
from rules.core.sides import letter_of
from rules.interface.retelling import fold_events
from tests.laws import invariants_campaign as laws
from tests.laws.length import times
from tests.samples import sample_answers

SEASONS = times(4, 2000)


def at_random(position: Position, captain: str, rng: random.Random) -> str:
    """Orders of any temper that are legal."""
    pieces = []
    for galley in position.galleys_of(captain):
        if galley.battle or rng.random() < 0.2:
            continue
        routes = [
            way for way in shortest_routes(position.map, len(position.captains), galley.place).values() if len(way) < 3
        ]
        route = rng.choice(routes)[: 1 if galley.is_lame else 2]
        prey = rng.choice([one for one in position.captains if position.team_of(one) != position.team_of(captain)])
        heading = f"chase {prey}" if rng.random() < 0.2 else " > ".join(route)
        pieces.append(f"{galley.id}: {heading} {rng.choice(STANCES)}")
    pieces += [
        f"build {port} {rng.choice((4, 5, 6))}" for port in building_ports(position, captain) if rng.random() < 0.3
    ]
    pieces += [f"pay {one} {rng.randint(1, 9)}" for one in position.captains if one != captain and rng.random() < 0.1]
    if rng.random() < 0.5:
        pieces.append("repair all")
    if rng.random() < 0.2 and not any("chase" in piece for piece in pieces):
        spared = [one for one in position.captains if one != captain and rng.random() < 0.5]
        pieces.append(f"spare {' '.join(spared) or 'none'}")
    elif position.spares.get(captain):
        pieces.append("spare none")
    if rng.random() < 0.05:
        pieces.append(rng.choice(("dice", "play")))
    return "; ".join(pieces)


def ended(state: State, request: Request) -> Report:
    """How a battle ends that is played: as it would by dice, so that campaigns are quick."""
    position = state.position
    battle = next(one for one in position.battles if one.id == request.params["battle"])
    fleet = {galley.id: galley for galley in position.galleys}
    sides = tuple([fleet[name] for name in names] for names in battle.galleys)
    seed = derive_seed(state.dice.seed, request.id)
    left = fight_by_dice((sides[0], sides[1]), DiceStream(Dice(seed=seed))).result.left
    ships = tuple(
        ShipFate(
            id=letter_of(battle.all_captains.index(name[0])) + name[1:],
            seat=battle.all_captains.index(name[0]),
            end="afloat" if name in left else "sunk",
            parts=dict(zip(("port", "starboard", "masts"), left.get(name, (0, 0, 0)), strict=True)),
        )
        for name in (*battle.galleys[0], *battle.galleys[1])
    )
    return Report(digest="", winners=(), ending="", outcome=BattleOutcome(ships=ships, rounds=6))


def season(number: int) -> Iterator[tuple[State, dict[str, Any], Step]]:
    """A campaign, turn by turn: the state before, the answers, and the step; the same number gives the same one."""
    rng = random.Random(number)
    setup = laws.SETUPS[number % len(laws.SETUPS)]
    wild = {seat for seat in range(len(setup.teams)) if rng.random() < 0.4}
    state = GAME.start(setup, Dice(seed=f"{number:08x}")).state
    while GAME.result(state) is None:
        answers: dict[str, Any] = {}
        for request in GAME.pending_requests(state):
            if request.battle:
                if not request.optional or rng.random() < 0.3:
                    answers[request.id] = ended(state, request)
            elif request.seat in wild:
                answers[request.id] = GAME.parse_answer(
                    state, request, at_random(state.position, letter_of(request.seat), rng)
                )
            else:
                seed = derive_seed(state.dice.seed, request.id)
                answers[request.id] = GAME.computer_answer(GAME.view(state, request.seat), request, seed)
                if number % 2:  # as people would, who play their battles
                    answers[request.id] = msgspec.structs.replace(answers[request.id], dice=False)
        step = GAME.resolve(state, answers)
        yield state, answers, step
        state = step.state


def visible(step: Step, seat: int | None) -> list[Any]:
    return [event for event in step.events if event.seen_by is None or seat in event.seen_by]


@pytest.mark.parametrize("number", range(SEASONS))
def test_a_season_keeps_the_rules(number: int) -> None:
    steps = 0
    last = None
    for state, answers, step in season(number):
        laws.check(state, step.events, step.state)
        for request in GAME.pending_requests(state):
            if request.id in answers and not request.battle:
                # What is answered can be written, and read again.
                assert (
                    GAME.parse_answer(state, request, GAME.format_answer(request, answers[request.id]))
                    == answers[request.id]
                )
        steps, last = steps + 1, step.state
    assert last is not None
    assert steps <= laws.most_steps(last)
    assert GAME.result(last).winners
    assert msgspec.json.decode(msgspec.json.encode(last), type=State) == last


@pytest.mark.parametrize("number", range(times(2, 200)))
def test_twins_see_and_are_offered_the_same(number: int) -> None:
    rng = random.Random(number)
    looked = 0
    for state, _, _ in season(number):
        for seat in (None, *range(len(state.position.captains))):
            if rng.random() > 0.25:
                continue
            for twin in laws.twins(state, seat):
                looked += twin != state
                assert GAME.view(twin, seat) == GAME.view(state, seat)
                asked = [one for one in GAME.pending_requests(state) if one.seat == seat]
                assert [one for one in GAME.pending_requests(twin) if one.seat == seat] == asked
                for request in asked[:1]:
                    assert GAME.draft_choices(twin, request) == GAME.draft_choices(state, request)
                    assert sample_answers(GAME, twin, request) == sample_answers(GAME, state, request)
    assert looked


@pytest.mark.parametrize("number", range(2, times(5, 200)))
def test_a_seat_sees_no_more_than_it_was_told(number: int) -> None:
    """If another orders something else, and a seat still hears the same, it must see the same."""
    rng = random.Random(number)
    same = 0
    for state, answers, step in season(number):
        asked = [one for one in GAME.pending_requests(state) if one.kind == "orders" and one.id in answers]
        if len(asked) < 2:
            continue
        request = rng.choice(asked)
        before = answers[request.id]
        changed = msgspec.structs.replace(before, fleets=before.fleets[:-1], port_orders=PortOrders())
        other = GAME.resolve(state, {**answers, request.id: changed})
        for seat in (None, *range(len(state.position.captains))):
            if seat != request.seat and visible(step, seat) == visible(other, seat):
                same += step.state != other.state
                assert GAME.view(step.state, seat) == GAME.view(other.state, seat)
    assert same


@pytest.mark.parametrize("number", range(times(2, 50)))
def test_events_make_of_a_view_the_next_view(number: int) -> None:
    for state, _, step in season(number):
        for seat in (None, 0, 1):
            now = visible_state(GAME.view(state, seat))
            assert fold_events(now, visible(step, seat), apply_event) == visible_state(GAME.view(step.state, seat))


def test_the_computer_for_who_is_late_spends_talents_on_repairs_alone() -> None:
    """CA-14.1."""
    for state, _, _ in season(1):
        for request in GAME.pending_requests(state):
            if request.kind == "orders":
                late = GAME.default_answer(state, request)
                assert (late.port_orders.build, late.gifts, late.spared, late.dice) == ((), (), None, None)


def test_a_draft_is_amended_by_what_is_typed() -> None:
    state = GAME.start(laws.SETUPS[0], Dice(seed="00")).state
    (request, *_) = GAME.pending_requests(state)
    home = state.position.home_city("A")
    sea = state.position.sea_map.sea_before(home)
    draft = GAME.type_text(state, request, Draft(), f"A1 A2: {sea} attack; repair all")
    draft = GAME.type_text(state, request, draft, "A2: kitér; kímél B")
    assert draft.text == f"A1: {sea} attack; A2: evade; repair all; spare B"
    position = state.position
    assert format_orders(parse_orders(position, "A", draft.text)) == draft.text


@pytest.mark.slow
def test_a_battle_opens_as_the_rules_lay_it_out() -> None:
    """CA-6.5, CA-6.8: in line abreast, the attackers to the south; optional until three turns later."""
    for state, _, _ in chain.from_iterable(map(season, range(1, 9))):
        for request in GAME.pending_requests(state):
            if request.battle:
                assert request.optional == (state.position.turn < request.round + game_flow.MAX_BATTLE_TURNS)
                assert request.battle.setup.rounds == 6
                keepsakes = RULESETS[game_flow.BATTLE_SYSTEM].keepsakes
                assert keepsakes is None or not keepsakes.are_brought(request.battle.setup.options)
                return
    raise AssertionError("no battle")


def test_who_is_asked_does_not_tell_what_somebody_has_left() -> None:
    """A captain without ports is asked, whether a fleet of theirs is hidden at sea, or nothing is left (CA-2.1)."""
    for setup in laws.SETUPS:
        state = GAME.start(setup, Dice(seed="00")).state
        for captain in state.position.captains:
            taken = {port: "" if owner == captain else owner for port, owner in state.position.ports.items()}
            hidden = structs.replace(state.position, ports=taken)
            bare = structs.replace(
                hidden,
                galleys=tuple(galley for galley in hidden.galleys if galley.captain != captain),
                talents={**hidden.talents, captain: 0},
            )
            asked = [GAME.pending_requests(structs.replace(state, position=position)) for position in (hidden, bare)]
            assert asked[0] == asked[1]
            assert [letter_of(request.seat) for request in asked[0]] == [*state.position.captains]
