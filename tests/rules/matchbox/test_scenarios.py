"""Scenarios in games: what they settle, how they stand from round to round, and how they end (MX-5)."""

from collections import Counter

import msgspec
import pytest
from msgspec import structs

from bot.jobs import drafts, stored
from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder, OrderError
from rules.core.protocol import Concede, Draft, Setup
from rules.interface.retelling import fold_events
from rules.matchbox.engine import counting, notation, placing, scenarios, sea
from rules.matchbox.engine.events import GameDrawn, GameWon, GoalSet, HouseBurnt, ScoreCounted, ShipLeft
from rules.matchbox.engine.scenarios import SCENARIOS
from rules.matchbox.engine.state import State
from rules.matchbox.interface import opening
from rules.matchbox.retelling import apply_event, visible_state
from tests.rules.matchbox.play import GAME, SEED, begin, mates, orders, play

TITLES = tuple(SCENARIOS)


def start(title: str, *, teams: tuple[int, ...] = (0, 1), **options: str):
    game_options = {"scenario": title, "deployment": "ready", **options}
    return GAME.start(GAME.with_edition(Setup(system="matchbox", teams=teams, options=game_options)), Dice(SEED))


def at(title: str, position: str, number: int = 1, **score: int) -> State:
    """Return a state of a scenario in which captain A is in the south; the map's table is put before the galleys."""
    state = start(title).state
    south = state.sides.index("south")
    galleys = notation.parse_position(f"{state.width_mm:g}x{state.height_mm:g} ; {position}").galleys
    seated = tuple(
        structs.replace(galley, seat=south if galley.side == "south" else 1 - south, id=f"{'AB'[i]}{galley.id[1:]}")
        for galley in galleys
        for i in (south if galley.side == "south" else 1 - south,)
    )
    return structs.replace(
        state, galleys=placing.sort_galleys(seated), round=number, score=scenarios.first_score(title) | score
    )


def row(state: State, **orders_by_galley: str):
    """Carry out a round: orders by galley's number within her side, such as s1="FFFXX"; the others hold and fire."""
    south = state.sides.index("south")
    written: dict[str, list[str]] = {"A": [], "B": []}
    for galley in state.galleys:
        key = ("s" if galley.seat == south else "n") + galley.id[1:]
        idle = "X" * galley.masts + "F" * min(galley.port, galley.starboard)
        written[galley.id[0]].append(f"{galley.id} {orders_by_galley.get(key, idle[:5])}")
    return GAME.resolve(state, orders(state, **{letter: "; ".join(lines) for letter, lines in written.items()}))


@pytest.mark.parametrize("title", TITLES)
def test_a_scenario_settles_map_and_fleets_and_says_what_to_do(title):
    step = start(title)
    state, played = step.state, SCENARIOS[title]
    assert state.phase == "orders"
    assert state.allows_boarding
    assert dict(state.score) == scenarios.first_score(title)
    built = {
        side: Counter((galley.vessel or "galley", galley.holes) for galley in state.galleys if galley.side == side)
        for side in ("south", "north")
    }
    assert built == {side: Counter((vessel[0], vessel[1]) for vessel in getattr(played, side)) for side in built}
    (goal,) = (event for event in step.events if isinstance(event, GoalSet))
    assert (goal.variant, goal.rule, goal.rounds) == (title, scenarios.RULE_BY_TITLE[title], played.rounds)
    # Told again from its events the table is the same, with its merchants.
    view = GAME.view(state, None)
    lying = structs.replace(visible_state(view), galleys={}) if False else visible_state(view)
    assert fold_events(lying, step.events, apply_event).galleys == lying.galleys
    assert view.note_lines


def test_boarding_may_be_switched_off_and_nothing_else_is_changed_without_a_scenario():
    assert not start("raid", boarding="off").state.allows_boarding
    plain = begin().state
    assert (plain.scenario, plain.score, plain.builds, plain.left) == (msgspec.UNSET,) * 4
    assert not {"scenario", "score", "builds", "left"} & msgspec.to_builtins(plain).keys()
    assert not GAME.view(plain, None).note_lines
    assert GAME.view(plain, None).score is None


def test_fleets_are_shared_out_among_captains_of_a_side():
    state = start("escort", teams=(0, 1, 0, 1, 0, 1), deployment="sealed").state
    south = [seat for seat, side in enumerate(state.sides) if side == "south"]
    assert [sum(name[0] == "ABCDEF"[seat] for name in state.to_place) for seat in south] == [2, 2, 2]
    assert all(GAME.view(state, seat).galleys[0].vessel is None for seat in south)
    with pytest.raises(IllegalOrder) as refused:
        start("escort", teams=(0, 1) * 4)
    assert (refused.value.fault.code, refused.value.fault.params["most"]) == ("too_many_captains", 3)


def test_own_maps_and_scenarios_exclude_each_other():
    with pytest.raises(IllegalOrder) as refused:
        GAME.start(
            Setup(system="matchbox", teams=(0, 1), options={"scenario": "raid"}, scenario=opening.EXAMPLE_MAP),
            Dice(SEED),
        )
    assert refused.value.fault.code == "scenario_has_map"


def test_choosing_a_scenario_settles_other_options():
    usual = {spec.key: spec.default for spec in GAME.options}
    chosen = GAME.with_dependent_options(usual | {"map": "strait", "galleys": "4", "scenario": "raid"}, "scenario")
    assert chosen == usual | {"scenario": "raid", "boarding": "on"}
    assert GAME.with_dependent_options(chosen | {"boarding": "off"}, "boarding")["boarding"] == "off"
    hidden = {spec.key for spec in GAME.options} - {spec.key for spec in GAME.relevant_options(chosen)}
    assert hidden == {"galleys", "table", "map", "vessels", "points", "crews"}
    assert {spec.key for spec in GAME.relevant_options(usual)} == {spec.key for spec in GAME.options} - {"crews"}


def test_types_are_settled_while_galleys_are_set_down():
    state = start("escort", deployment="sealed").state
    south = state.sides.index("south")
    request = next(request for request in GAME.pending_requests(state) if request.seat == south)
    letter = "AB"[south]
    choices = GAME.draft_choices(state, request, Draft("", f"{letter}4"))
    assert "type" not in {group.key for group in choices.groups}
    assert "3/1m" in str(choices.lines[3].params["type"])
    placed = GAME.parse_answer(state, request, f"{letter}4 3/1m @800,75^0")
    assert [(galley.id, galley.vessel) for galley in placed.galleys if galley.vessel] == [
        (f"{letter}{number}", "merchant") for number in (4, 5, 6)
    ]
    for text in (f"{letter}4 6/2", f"{letter}1 4/4", f"{letter}1 3/1m"):
        with pytest.raises(OrderError) as refused:
            GAME.parse_answer(state, request, text)
        assert refused.value.fault.code == "type_is_chosen"
    plain = begin(deployment="sealed").state
    with pytest.raises(OrderError) as refused:
        GAME.parse_answer(plain, GAME.pending_requests(plain)[0], "A1 3/1m")
    assert refused.value.fault.code == "unknown_type"


AWAY = "N1:north 5-5+3/5 @100,40^90"


@pytest.mark.parametrize(
    ("title", "position", "number", "score", "given", "why", "winner", "after"),
    [
        ("break-out", f"A1:south 6-6+2/6 @600,740^0 ; {AWAY}", 3, {"left": 1}, {"s1": "FFXXF"}, "left", "south", 2),
        ("break-out", f"A1:south 6-6+2/6 @600,300^0 ; {AWAY}", 12, {"left": 1}, {}, "late", "north", 1),
        (
            "escort",
            f"A1:south 5-5+3/5 @800,740^0 ; A2:south 3-3+1/3m @600,300^0 ; {AWAY}",
            3,
            {"left": 1},
            {},
            "",
            "",
            1,
        ),
        ("escort", "A2:south 3-3+1/3m @600,300^0", 3, {"left": 1}, {"s2": "FXFF"}, "unhunted", "south", 1),
        ("raid", f"A1:south 6-6+2/6 @600,530^0 ; {AWAY}", 3, {"houses": 5}, {"s1": "FXXFF"}, "burnt", "south", 6),
        ("raid", f"A1:south 6-6+2/6 @600,300^0 ; {AWAY}", 12, {"houses": 3}, {}, "held", "north", 3),
        ("harbour", AWAY, 3, {"south": 1, "north": 2}, {}, "sunk", "north", 1),
        ("harbour", f"A1:south 5-5+3/5 @300,450^270 ; {AWAY}", 3, {"south": 3}, {"s1": "XXXFF"}, "basin", "south", 4),
        ("harbour", f"A1:south 5-5+3/5 @900,450^0 ; {AWAY}", 16, {"south": 1, "north": 1}, {}, "basin", "draw", 1),
    ],
)
def test_how_scenarios_end(title, position, number, score, given, why, winner, after):
    step = row(at(title, position, number, **score), **given)
    state, key = step.state, SCENARIOS[title].score_keys[0]
    (scored,) = (event for event in step.events if isinstance(event, ScoreCounted))
    assert (scored.south, scored.rounds_left) == (after, SCENARIOS[title].rounds - number)
    assert state.score[key] == after
    result = GAME.result(state)
    if not why:
        assert result is None
        stands = GAME.view(state, None).score
        assert stands is not None
        assert (stands.params["south"], stands.params["rounds_left"]) == (after, scored.rounds_left)
        return
    assert result is not None
    ended = GAME.view(state, None).score
    if why == "basin":
        assert ended is None, "the reason has the points"
    else:
        most = min(after, SCENARIOS[title].winning_score)
        assert (ended.key, ended.params["south"]) == (f"score.{title}.over", most), "no six of four houses"
        assert scored.params["south"] == most
    assert result.reason.key.startswith(f"reason.{why}")
    assert [state.sides[seat] for seat in result.winners] == ([] if winner == "draw" else [winner])
    assert any(isinstance(event, GameDrawn if winner == "draw" else GameWon) for event in step.events)


@pytest.mark.parametrize(
    ("title", "position", "given", "key"),
    [
        ("raid", "A1:south 6-6+2/6 @600,480^0", "FFFXX", "burn"),
        ("raid", "A1:south 6-6+2/6 @600,300^0", "FFXXF", "way.raid"),
        ("escort", "A1:south 3-3+1/3m @600,740^0", "FXFF", "leave"),
        ("escort", "A1:south 3-3+1/3m @480,640^0", "FXFF", "way.escort"),
        ("break-out", "A1:south 6-6+2/6 @600,640^0", "FXXFF", "leave"),
        ("break-out", "A1:south 6-6+2/6 @600,300^0", "FXXFF", "way.break-out"),
        ("harbour", "A1:south 5-5+3/5 @420,450^270", "FXXXF", "basin"),
        ("harbour", "A1:south 5-5+3/5 @800,450^270", "FXXXF", "way.harbour"),
        ("harbour", "A1:south 5-5+3/5 @800,450^90", "FXXXF", ""),
    ],
)
def test_a_reason_says_what_orders_do_for_the_scenario_and_is_true(title, position, given, key):
    state = at(title, f"{position} ; {AWAY}")
    seat = state.sides.index("south")
    request = next(request for request in GAME.pending_requests(state) if request.seat == seat)
    name = next(galley.id for galley in state.galleys if galley.seat == seat)
    reason = GAME.reason_for(GAME.view(state, seat), GAME.parse_answer(state, request, f"{name} {given}"))
    assert reason.key.removeprefix("reason.errand.") == key or not (key or "errand" in reason.key)
    step = row(state, **{f"s{name[1:]}": given})
    after = next((galley for galley in step.state.galleys if galley.id == name), None)
    assert (after is None) == (key == "leave")
    assert (title == "raid" and [event.step for event in step.events if isinstance(event, HouseBurnt)]) == (
        [reason.params["step"]] if key == "burn" else [] if title == "raid" else False
    )
    assert (title == "harbour" and scenarios.is_in_basin(after)) == (key == "basin")
    if key == "way.escort":
        assert reason.params["gap_mm"] == pytest.approx(state.height_mm - scenarios.NEAR_EDGE_MM - after.pose.y_mm)


def test_who_leaves_is_off_the_table_and_not_lost():
    state = at("break-out", f"A1:south 6-6+2/6 @600,740^0 ; A2:south 6-6+2/6 @300,300^0 ; {AWAY}")
    step = row(state, s1="FFXXF")
    (left,) = (event for event in step.events if isinstance(event, ShipLeft))
    after = step.state
    assert [galley.id for galley in after.left] == [left.galley]
    assert left.galley not in {galley.id for galley in (*after.galleys, *after.lost)}
    assert fold_events(visible_state(GAME.view(state, None)), step.events, apply_event) == visible_state(
        GAME.view(after, None)
    )
    assert {fate.id: fate.end for fate in counting.battle_outcome(after).ships}[left.galley] == "afloat"
    piece = next(piece for piece in GAME.view(after, None).pieces if piece.id == left.galley)
    assert (piece.place.key, piece.afloat) == ("place.left", False)
    assert GAME.seat_strengths(after) == GAME.seat_strengths(state)


def test_a_house_burns_once_a_round_for_each_galley():
    step = row(at("raid", f"A1:south 6-6+2/6 @600,530^0 ; {AWAY}"), s1="FFFFF")
    assert sum(isinstance(event, HouseBurnt) for event in step.events) == 1
    assert step.state.score == {"houses": 1}


def test_giving_up_ends_a_scenario_as_it_ends_a_battle():
    state = start("escort").state
    step = GAME.apply_out_of_turn(state, Concede(seat=state.sides.index("south")))
    result = GAME.result(step.state)
    assert result is not None
    assert result.reason.key == "reason.conceded"
    assert result.winners == (state.sides.index("north"),)
    allied = start("break-out", teams=(0, 1, 0, 1)).state
    first = next(seat for seat, side in enumerate(allied.sides) if side == "south")
    ended = GAME.apply_out_of_turn(allied, Concede(seat=first)).state
    assert ended.result is not None
    assert ended.result.reason.key == "reason.kept_in"  # one galley is left, and two must leave


def test_who_gives_up_against_merchants_alone_has_lost():
    where = "A4:south 3-3+1/3m @600,600^0 ; A5:south 3-3+1/3m @800,600^0 ; B1:north 6-6+2/6 @100,100^0"
    state = at("escort", where, number=10, left=1)
    assert GAME.result(state) is None
    ended = GAME.apply_out_of_turn(state, Concede(seat=state.sides.index("north"))).state
    assert ended.result is not None
    assert ended.result.winners == (state.sides.index("south"),)


@pytest.mark.slow
@pytest.mark.parametrize("title", TITLES)
def test_deckhands_play_a_scenario_to_its_end(title):
    step = start(title, captain="deckhand")
    state, events = play(step, mates(), most=40)
    assert GAME.result(state)
    assert [event.rounds_left for event in events if isinstance(event, ScoreCounted)] == [
        SCENARIOS[title].rounds - number for number in range(1, state.round)
    ]


@pytest.mark.parametrize("level", ["deckhand", "mate", "admiral"])
@pytest.mark.parametrize(
    ("title", "position", "event"),
    [
        ("break-out", f"A1:south 6-6+2/6 @600,650^0 ; A2:south 6-6+2/6 @300,100^0 ; {AWAY}", ShipLeft),
        ("escort", f"A1:south 5-5+3/5 @800,100^0 ; A2:south 3-3+1/3m @640,720^0 ; {AWAY}", ShipLeft),
        ("raid", f"A1:south 6-6+2/6 @600,470^0 ; {AWAY}", HouseBurnt),
    ],
)
def test_computer_captains_do_what_a_scenario_wants(title, position, event, level):
    state = structs.replace(at(title, position), captain=level)
    step = GAME.resolve(
        state,
        {
            request.id: GAME.computer_answer(GAME.view(state, request.seat), request, SEED)
            for request in GAME.pending_requests(state)
        },
    )
    assert any(isinstance(each, event) for each in step.events)


@pytest.mark.parametrize("y", [450, 500])
def test_a_hint_of_a_raid_lands_and_is_not_warned_of_a_gentle_landing(y):
    state = at("raid", f"A1:south 5-5+3/5 @600,{y}^0 ; {AWAY}")
    mine, theirs = sorted(GAME.pending_requests(state), key=lambda galley: state.sides[galley.seat] != "south")
    hint = drafts.compute_hint("matchbox", stored.encode(state), mine, "0" * 32).answer
    assert {text.key for text in GAME.draft_warnings(state, mine, Draft(hint))} <= {"warn.aground.house"}
    step = GAME.resolve(
        state, {mine.id: GAME.parse_answer(state, mine, hint), theirs.id: GAME.default_answer(state, theirs)}
    )
    assert any(isinstance(each, HouseBurnt) for each in step.events)


def test_captains_row_into_an_empty_harbour():
    state = at("harbour", "A1:south 5-5+3/5 @700,500^270 ; N1:north 5-5+3/5 @1500,860^180")
    first = state.sides.index("south")
    request = next(request for request in GAME.pending_requests(state) if request.seat == first)
    for level in ("deckhand", "mate", "admiral"):
        view = structs.replace(GAME.view(state, first), captain_level=level)
        (ordered,) = GAME.computer_answer(view, request, SEED).lists
        assert ordered.orders.count("F") >= 3, level
    # A hint says the same.
    (ordered,) = GAME.advise(GAME.view(state, first), request, SEED).lists
    assert ordered.orders.count("F") >= 3


def test_what_is_fought_for_lies_where_the_rules_say():
    """The town's shore, the basin (MX-5.4), and else the water within a match of the north edge (MX-5.1)."""
    port = sea.load_maps()["port"]
    assert scenarios.goal_zone("raid", port) == ((500.0, 560.0), (700.0, 560.0), (740.0, 640.0), (460.0, 640.0))
    assert scenarios.goal_zone("harbour", port) == ((0.0, 260.0), (380.0, 260.0), (380.0, 640.0), (0.0, 640.0))
    assert scenarios.goal_zone("escort", port) == ((0.0, 755.0), (1200.0, 755.0), (1200.0, 800.0), (0.0, 800.0))
