"""Fleets that captains place, or that come in over their edge (SQ-23.4, 23.5)."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.sea import fleets, grid
from rules.squadrons.engine.sea.fleets import FORMATIONS
from rules.squadrons.engine.tables import FLEETS
from rules.squadrons.interface.drafts import deployments
from rules.squadrons.interface.drafts.deployments import DeploymentContext

SQUADRONS = RULESETS["squadrons"]


def begun(*, battle="60", seed="11", **options):
    setup = Setup(system="squadrons", teams=(0, 1), options={"battle": battle, "deploy": "placed", **options})
    return SQUADRONS.start(setup, Dice(seed=seed)).state


def answered(state, text=""):
    (request,) = SQUADRONS.pending_requests(state)
    return SQUADRONS.resolve(state, {request.id: SQUADRONS.parse_answer(state, request, text)})


@pytest.mark.parametrize("points", FLEETS)
@pytest.mark.parametrize("name", FORMATIONS)
def test_all_that_is_proposed_is_allowed_and_the_same_from_both_edges(points, name):
    lies = fleets.stock_position(points)
    seen = {}
    for side in "BR":
        places = fleets.formation_places(lies, side, name)
        assert fleets.why_deployment_barred(lies, side, places) is None
        spots = [grid.column_and_row(place.bow) for place in places.values()]
        own = [(x, lies.height - y) if side == "B" else (lies.width + 1 - x, y - 1) for x, y in spots]
        seen[side] = sorted(own)
    if name != "line":  # it stands in the middle of the map, as it did before captains placed their fleets
        assert seen["B"] == seen["R"]


def test_thirty_of_any_size_find_room_in_every_formation():
    for points, code in (("150", "T"), ("400", "T"), ("400", "5")):
        lies = fleets.tournament_position(points, dict.fromkeys("BR", [code] * 30), dict.fromkeys("BR", ("Bold",)))
        for name in FORMATIONS:
            assert fleets.why_deployment_barred(lies, "B", fleets.formation_places(lies, "B", name)) is None, (
                points,
                code,
                name,
            )


def test_the_loser_of_the_die_places_first_and_the_winner_sees_where():
    state = begun()
    loser = "R" if state.opener == "B" else "B"
    (request,) = SQUADRONS.pending_requests(state)
    assert (request.kind, state.captains[request.seat].side) == ("place", loser)
    assert all(ship.status == "waiting" for ship in state.position.ships)
    with pytest.raises(OrderError) as refused:
        SQUADRONS.parse_answer(state, request, "enter")
    assert refused.value.fault.rule == "SQ-23.4"
    step = answered(state, "columns")
    (other,) = SQUADRONS.pending_requests(step.state)
    seen = SQUADRONS.view(step.state, other.seat).position
    assert {ship.id: ship.place for ship in seen.ships_of(loser)} == fleets.formation_places(seen, loser, "columns")
    assert answered(step.state).state.stage == "turn"


def test_as_proposed_is_one_press_and_single_ships_are_exceptions():
    state = begun()
    (request,) = SQUADRONS.pending_requests(state)
    side = state.captains[request.seat].side
    context = deployments.deployment_context(state, side)
    assert SQUADRONS.draft_choices(state, request).missing_parts == ()
    name = next(iter(deployments.propose_deployment(context).places))

    def pressed(draft, token):
        every = [option for group in SQUADRONS.draft_choices(state, request, draft).groups for option in group.options]
        option = next(option for option in every if option.token == token)
        return option if option.fault else Draft(option.draft, option.focus)

    draft = pressed(Draft(), "formation.lines")
    forward, back = ("N", "S") if side == "B" else ("S", "N")
    assert pressed(pressed(draft, f"shift.{forward}"), f"shift.{forward}").fault.rule == "SQ-23.4"
    draft = pressed(draft, f"shift.{back}")
    before = deployments.DEPLOYMENT_NOTATION.read_draft(context, draft).places
    draft = pressed(pressed(pressed(draft, f"unit.{name}"), f"shift.{back}"), "turn.port")
    after = deployments.DEPLOYMENT_NOTATION.read_draft(context, draft).places
    assert {ship for ship in after if after[ship] != before[ship]} == {name}
    assert after[name].facing == (before[name].facing - 1) % 6
    leader = deployments.leaders_of(context)[0].id
    draft = pressed(draft, f"aboard.{leader}")
    placed = SQUADRONS.resolve(state, {request.id: SQUADRONS.parse_answer(state, request, draft.text)}).state.position
    assert placed.find_leader(leader).ship == name
    assert {ship.id: ship.place for ship in placed.ships_of(side)} == after


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("B1 0713 NE", "too_far_in"),
        ("B1 0023 N", "off_the_sea"),
        ("B1 {second} N", "hex_taken"),
        ("B9 0720 N", "not_of_fleet"),
        ("B1 somewhere", "place_unreadable"),
        ("BL9 B1", "not_of_fleet"),
        ("enter; B1 0720 N", "not_over_the_edge"),
        ("enter; B1 {column}22 N", "hex_taken"),
    ],
)
def test_where_no_ship_may_lie(text, code):
    context = DeploymentContext(fleets.stock_position("60"), "B", may_enter=True)
    second = str(deployments.propose_deployment(context).places["B2"])[:4]
    column = str(fleets.entry_places(context.position, "B")["B2"])[:2]
    with pytest.raises(OrderError) as refused:
        deployments.DEPLOYMENT_NOTATION.parse_answer(context, text.format(second=second, column=column))
    fault = refused.value.fault
    assert fault.code == code
    assert code != "hex_taken" or fault.params["ships"] == "B1, B2"


def test_places_are_typed_in_both_languages():
    context = DeploymentContext(fleets.stock_position("60"), "B")
    for text in ("columns; B1 0720 NE; BL1 B4", "Oszlopok, b1 0720 ÉK\nbl1: b4"):
        placed = deployments.DEPLOYMENT_NOTATION.parse_answer(context, text)
        assert dict(placed.places)["B1"] == "0720NE"
        assert dict(placed.leaders) == {"BL1": "B4"}
        assert deployments.DEPLOYMENT_NOTATION.parse_answer(context, deployments.format_deployment(placed)) == placed


def entered(**options):
    """Return a game in which the winner of the die comes in on turn 1, and the winner's side."""
    state = answered(answered(begun(**options)).state, "enter").state
    return state, state.opener


def test_who_comes_in_waits_beyond_their_edge_and_each_ship_is_led():
    state, side = entered(battle="100")
    late = state.position.ships_of(side)
    assert all(state.position.is_outside(ship) for ship in late)
    requests = SQUADRONS.pending_requests(state)
    answers = {request.id: SQUADRONS.parse_answer(state, request, "pass") for request in requests}
    step = SQUADRONS.resolve(state, answers)
    formed = next(event for event in step.events if event.__struct_config__.tag == "squadrons_formed").squadrons
    assert all(squadron.leader for squadron in formed if squadron.side == side)
    # A squadron without orders comes in all the same, complete, at one point per hex.
    after = step.state.position
    rows = {grid.column_and_row(here)[1] for ship in after.ships_of(side) for here in ship.hexes}
    assert rows == ({after.height, after.height - 1} if side == "B" else {1, 2})
    moves = [event.mp for event in step.events if event.__struct_config__.tag == "moved" and event.ship[0] == side]
    assert sorted(set(moves)) == [1, 2]


def test_a_captain_lists_squadrons_and_comes_in_as_ordered():
    state, side = entered(battle="100")
    leaders = deployments.leaders_of(DeploymentContext(state.position, side))
    far = max(
        (ship for ship in state.position.ships_of(side) if state.position.leader_aboard(ship.id) is None),
        key=lambda ship: grid.hex_distance(ship.hexes, state.position.ship_by_id(leaders[1].ship).hexes),
    )
    texts = {side: f"all: F4\nSQ2 range {far.id}\n{far.id}: TA"}
    requests = SQUADRONS.pending_requests(state)
    answers = {
        request.id: SQUADRONS.parse_answer(state, request, texts.get(state.captains[request.seat].side, "pass"))
        for request in requests
    }
    step = SQUADRONS.resolve(state, answers)
    formed = next(event for event in step.events if event.__struct_config__.tag == "squadrons_formed").squadrons
    assert far.id in next(squadron for squadron in formed if squadron.leader == leaders[1].id).ships
    deep = {ship.id: ship.bow for ship in step.state.position.ships_of(side)}
    was = {ship.id: ship for ship in state.position.ships}
    steps = {name: 2 if name == far.id else 4 for name in deep}
    for name, bow in deep.items():
        want = was[name].bow
        for _ in range(steps[name]):
            want = grid.next_hex(want, was[name].facing)
        assert bow == want, name


@pytest.mark.parametrize("orders", ["B", "TA", "ts", "F TA"])
def test_nobody_turns_or_backs_beyond_the_edge(orders):
    state, side = entered()
    ship = state.position.ships_of(side)[0]
    played = structs.replace(state.position, phase="E")
    lines = [
        line
        for line in rehearsal.rehearse_lines(played, order_text.parse_orders(f"{ship.id}: {orders}"))
        if line.barred
    ]
    assert [line.barred.rule for line in lines] == ["SQ-23.5"]


@pytest.mark.parametrize("order", ["m0 F", "ram {enemy} F", "grap {enemy} F2", "xfer {side}L1 {side}1 F", "m1 F2", "F"])
def test_a_fleet_that_comes_in_cannot_stay_beyond_the_edge(order: str) -> None:
    options = {"battle": "60", "sides": "first", "deploy": "placed"}
    state = SQUADRONS.start(
        Setup(system="squadrons", teams=SQUADRONS.seats(options), options=options), Dice(seed="01")
    ).state
    (first,) = SQUADRONS.pending_requests(state)
    state = SQUADRONS.resolve(state, {first.id: SQUADRONS.default_answer(state, first)}).state
    (second,) = SQUADRONS.pending_requests(state)
    state = SQUADRONS.resolve(state, {second.id: SQUADRONS.parse_answer(state, second, "enter")}).state
    side = state.captains[second.seat].side
    text = f"all: {order.format(enemy='R1' if side == 'B' else 'B1', side=side)}"
    answers = {
        request.id: SQUADRONS.parse_answer(state, request, text if request.seat == second.seat else "pass")
        for request in SQUADRONS.pending_requests(state)
    }
    position = SQUADRONS.resolve(state, answers).state.position
    assert position.turn == 2
    assert all(position.is_on_map(here) for ship in position.ships_of(side) for here in (ship.bow, ship.stern))
