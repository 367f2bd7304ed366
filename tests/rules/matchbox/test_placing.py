"""Setting galleys down: MB-2."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft, Setup
from rules.core.sides import seat_of
from rules.geometry.boxes import unit_vector
from rules.matchbox.engine import hull, placing
from rules.matchbox.engine.events import FirstPlacerDrawn, GalleyPlaced, SidesDrawn
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.interface import deployments
from tests.laws.length import times
from tests.rules.matchbox.play import GAME, SEED, begin


def south_first(**options):
    """Begin a game in which seat 0 is south and places now."""
    for number in range(50):
        step = begin(seed=f"{number:064x}", **options)
        if step.state.sides[0] == "south" and GAME.pending_requests(step.state)[0].seat == 0:
            return step.state
    raise AssertionError


def place(state, text):
    (request,) = GAME.pending_requests(state)
    return GAME.resolve(state, {request.id: GAME.parse_answer(state, request, text)}).state


def refused(state, text, draft=""):
    request = GAME.pending_requests(state)[0]
    with pytest.raises(OrderError) as error:
        GAME.type_text(state, request, Draft(draft), text)
    with pytest.raises(OrderError) as again:
        GAME.parse_answer(state, request, text)
    assert again.value.fault.code == error.value.fault.code
    return error.value.fault


def test_sides_and_the_first_to_place_are_drawn_by_lot():  # MB-2.1
    steps = [begin(seed=f"{number:064x}") for number in range(24)]
    assert {step.events[0].south for step in steps} == {(0,), (1,)}
    assert {step.events[1].seat for step in steps} == {0, 1}
    for step in steps:
        sides, first = step.events
        assert isinstance(sides, SidesDrawn)
        assert isinstance(first, FirstPlacerDrawn)
        assert GAME.pending_requests(step.state)[0].seat == first.seat
        assert [step.state.sides[seat] for seat in (*sides.south, *sides.north)] == ["south", "north"]


@pytest.mark.parametrize(
    ("language", "seen", "heading"),
    [("en", "facing the enemy", "heading north (0°)"), ("hu", "szemben az ellenséggel", "irány észak (0°)")],
)
def test_a_panel_names_a_heading_as_its_captain_sees_it_and_a_story_as_all_do(language, seen, heading):
    words = Localizer(Catalogue.load(language, "matchbox"), dict.fromkeys(range(2), "Ben"))
    state = south_first(galleys="1")
    (request,) = GAME.pending_requests(state)
    (line,) = GAME.draft_choices(state, request, EMPTY_DRAFT).lines
    step = GAME.resolve(state, {request.id: GAME.default_answer(state, request)})
    placed = next(event for event in step.events if isinstance(event, GalleyPlaced))
    assert seen in words.say_text(line)
    assert heading in words.event_text(placed)


@pytest.mark.parametrize(("language", "begins"), [("en", "Ben's first mate places "), ("hu", "Ben első tisztje ")])
def test_a_galley_that_the_first_mate_sets_down_is_told_in_a_whole_sentence(language, begins):
    catalogue = Catalogue.load(language, "matchbox")
    mate = Localizer(catalogue, {0: "Ben"}).say("giver.mate", who=0)
    placed = GalleyPlaced(galley="A1", seat=0, holes=6, masts=2, pose=Pose(100.0, 80.0, 0.0))
    assert Localizer(catalogue, {0: "Ben"}, giver_names={0: mate}).event_text(placed).startswith(begins)


def test_teams_take_turns_and_so_do_the_captains_of_a_team():  # MB-2.1
    state = begin(teams=(0, 0, 1, 1), galleys="2").state
    seats = [seat_of(galley) for galley in state.to_place]
    teams = [(0, 0, 1, 1)[seat] for seat in seats]
    assert teams in ([0, 1] * 4, [1, 0] * 4)
    assert seats[0] != seats[2]
    assert sorted(state.to_place) == ["A1", "A2", "B1", "B2", "C1", "C2", "D1", "D2"]


def test_what_is_to_the_left_of_a_captains_edge_is_pressed_on_the_left_and_points_there():
    """As in the picture of their plan, of which the north captain's has south at its top."""
    state = south_first()
    for seat, ways in ((0, ["west", "west", "east", "east"]), (1, ["east", "east", "west", "west"])):
        (request,) = GAME.pending_requests(state)
        assert request.seat == seat
        (moves,) = [group for group in GAME.draft_choices(state, request).groups if group.key == "move"]
        assert [option.token.split(".")[1] for option in moves.options] == ways
        assert [option.is_joined for option in moves.options] == [False, True, True, True], "all on one page"
        said = [
            Catalogue.load("en", "matchbox").say(option.label.key, **option.label.params) for option in moves.options
        ]
        assert [label.startswith("◀") for label in said] == [True, True, False, False]
        assert [label.endswith("▶") for label in said] == [False, False, True, True]
        state = place(state, "") if seat == 0 else state


def test_enemies_may_lie_near():
    state = place(south_first(table="coffee"), "A1 @450,80^0")
    assert place(state, "B1 @450,520^180").galleys[1].seat == 1


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("A1 7/1 @600,80", "illegal", "unknown_type"),
        ("A1 6/3", "illegal", "unknown_type"),
        ("B1 @600,80", "illegal", "not_your_galley"),
        ("A2 @600,80", "illegal", "not_in_turn"),
        ("Q7 @600,80", "unreadable", "unknown_galley"),
        ("over there 🛶", "unreadable", "placement_unreadable"),
        ("A1 600", "unreadable", "placement_unreadable"),
        ("A1 @600,80; losses ask", "unreadable", "standing_early"),
        ("x" * 4000, "unreadable", "text_too_long"),
        ("A1 @600,80; A1 @700,80", "ambiguous", "galley_twice"),
        ("A1 @600,NaN", "unreadable", "placement_unreadable"),
        ("A1 @٦٠٠,80", "unreadable", "placement_unreadable"),
    ],
)
def test_what_cannot_be_read_is_refused(text, kind, code):
    fault = refused(south_first(), text)
    assert (fault.kind, fault.code) == (kind, code)
    assert fault.piece
    assert len(fault.piece) <= 60


def test_a_galley_already_down_stays():  # MB-2.1
    state = place(place(south_first(), "A1 @600,80"), "")
    assert refused(state, "A1 @300,80").code == "already_placed"


def test_pressing_and_typing_meet():
    state = south_first()
    request = GAME.pending_requests(state)[0]
    pressed = ""
    for token in ("type.5/3", "move.west.45", "move.ahead.15", "move.east.15", "move.back.15", "turn.left.30"):
        pressed = press(state, request, pressed, token)
    typed = GAME.type_text(state, request, EMPTY_DRAFT, "A1 5/3").text
    for step in pressed.partition("@")[2:]:
        typed = GAME.type_text(state, request, Draft(typed), f"@{step}").text
    assert pressed == typed
    assert pressed.startswith("A1 5/3 @")
    assert GAME.format_answer(request, GAME.parse_answer(state, request, pressed)) == pressed


def test_typing_keeps_what_it_does_not_mention():
    state = south_first()
    request = GAME.pending_requests(state)[0]
    draft = GAME.type_text(state, request, EMPTY_DRAFT, "A1 4/4 @400,70^10").text
    assert GAME.type_text(state, request, Draft(draft), "410,71").text == "A1 4/4 @410,71^10"
    assert GAME.type_text(state, request, Draft(draft), "^350").text == "A1 4/4 @400,70^350"
    assert GAME.type_text(state, request, Draft(draft), "5/3").text == "A1 5/3 @400,70^10"
    assert GAME.type_text(state, request, Draft(draft), "").text == draft


def test_turning_keeps_the_middle_where_it_is():
    state = south_first()
    request = GAME.pending_requests(state)[0]
    before = GAME.parse_answer(state, request, "").galleys[0].pose
    after = GAME.parse_answer(state, request, press(state, request, "", "turn.right.30")).galleys[0].pose
    assert after.heading_deg == 30
    assert hull.hull_middle(after) == pytest.approx(hull.hull_middle(before), abs=0.002)


def test_buttons_that_leave_the_strip_are_out_of_use():  # MB-2.5
    state = south_first()
    options = options_of(state, GAME.pending_requests(state)[0], "A1 @600,80^0")
    assert options["move.ahead.15"].fault.rule == "MB-2.2"
    assert options["move.ahead.15"].fault.params["reach_mm"] == 95.0
    assert options["move.back.15"].fault is None
    assert options["type.6/2"].is_chosen
    assert not options["type.5/3"].is_chosen


def test_sealed_galleys_of_a_captain_keep_apart_in_one_text():  # MB-2.3
    state = begin(deployment="sealed").state
    request = GAME.pending_requests(state)[state.sides.index("south")]
    a, b = state_ids(state, request.seat)
    assert refused_by(state, request, f"{a} @300,80; {b} @400,80").code == "too_close"
    typed = GAME.type_text(state, request, EMPTY_DRAFT, f"{a} @300,80; {b} 5/3 @425,80").text
    assert typed == f"{a} 6/2 @300,80^0; {b} 5/3 @425,80^0"
    assert GAME.type_text(state, request, EMPTY_DRAFT, f"{a} @300,80; {b} 5 425,80").text == typed
    assert GAME.type_text(state, request, EMPTY_DRAFT, f"{a} @300,80; {b} 5 @425 , 80").text == typed
    assert GAME.type_text(state, request, Draft(typed), f"{a} 4/4").text == f"{a} 4/4 @300,80^0; {b} 5/3 @425,80^0"
    assert GAME.view(state, request.seat, Draft(typed)).current_galley == b


def test_allies_who_place_in_secret_each_have_a_share():  # MB-2.3
    state = begin(teams=(0, 1, 0, 1, 0, 1), deployment="sealed", galleys="2").state
    areas = [placing.placement_area(state, seat) for seat, side in enumerate(state.sides) if side == "south"]
    shares = [(area.west_mm, area.east_mm) for area in areas]
    assert shares == [(0.0, 340.0), (430.0, 770.0), (860.0, 1200.0)]
    seat = state.sides.index("south")
    request = next(request for request in GAME.pending_requests(state) if request.seat == seat)
    galley = state_ids(state, seat)[0]
    fault = refused_by(state, request, f"{galley} @330,80")
    assert (fault.code, fault.rule) == ("outside_share", "MB-2.1")
    assert fault.params == {"galley": galley, "west_mm": 0.0, "east_mm": 340.0}
    assert placing.surely_placeable(state, seat) == 3
    assert GAME.view(state, seat).placement_span == (0.0, 340.0)


@pytest.mark.parametrize(
    ("teams", "options", "most"),
    [
        ((0, 1), {"galleys": "8", "table": "coffee"}, 7),
        ((0, 0, 1, 1), {"galleys": "6"}, 5),
        ((0, 0, 0, 1, 1, 1), {"galleys": "3", "table": "coffee", "deployment": "sealed"}, 2),
    ],
)
def test_a_fleet_too_large_for_the_table_is_refused(teams, options, most):
    with pytest.raises(OrderError) as error:
        begin(teams=teams, **options)
    assert (error.value.fault.code, error.value.fault.params["most"]) == ("fleet_too_large", most)


def test_a_place_must_leave_room_for_those_to_come():  # MB-2.3
    state = south_first(table="coffee", galleys="7")
    fault = refused(state, "A1 @142,80^0")
    assert (fault.code, fault.params["to_come"]) == ("no_room_left", 6)
    for number, x in enumerate((142.5, 17.5), start=1):
        state = place(place(state, f"A{number} @{x},80^0"), "")


@pytest.mark.slow
@settings(deadline=None, max_examples=times(8, 600))
@given(st.data())
def test_there_is_always_a_place_left(data):  # MB-2.3
    refusals = set()
    headings = st.sampled_from([0.0, 37.0, 90.0, 131.5, 180.0, 270.0])
    middles = st.tuples(st.floats(0.02, 0.98), st.sampled_from([35.0, 45.0, 55.0]), headings)
    deployment = data.draw(st.sampled_from(["turns", "sealed"]))
    table, galleys, teams = data.draw(
        st.sampled_from([("coffee", "7", (0, 1)), ("kitchen", "3", (0, 1, 0, 1, 0, 1)), ("coffee", "3", (0, 0, 1, 1))])
    )
    state = begin(table=table, galleys=galleys, teams=teams, deployment=deployment).state
    while state.phase == "placing":
        answers = {}
        for request in GAME.pending_requests(state):
            draft = ""
            place = deployments.deployment_context(state, request.seat)
            for galley in place.galley_ids:
                x, y, heading = data.draw(middles)
                bow = unit_vector(heading)
                prow_x, prow_y = x * state.width_mm + 30 * bow.x, place.area.northing(y) + 30 * bow.y
                text = f"{galley} @{prow_x:.3f},{prow_y:.3f}^{heading}"
                try:
                    draft = GAME.type_text(state, request, Draft(draft), text).text
                except OrderError as error:
                    refusals.add(error.fault.rule)
            answers[request.id] = GAME.parse_answer(state, request, draft)
        state = GAME.resolve(state, answers).state
    assert refusals <= {"MB-2.1", "MB-2.2", "MB-2.3", "MB-2.5"}
    for galley in state.galleys:
        friends = [other for other in state.galleys if other.side == galley.side and other is not galley]
        assert min(hull.hull_gap_mm(galley, friend) for friend in friends) >= 89.998
        assert hull.is_on_table(hull.hull_of(galley), state.sea)


def press(state, request, draft, token):
    option = options_of(state, request, draft)[token]
    assert option.fault is None
    return option.draft


def options_of(state, request, draft):
    return {
        option.token: option
        for group in GAME.draft_choices(state, request, Draft(draft)).groups
        for option in group.options
    }


def state_ids(state, seat):
    return [galley for galley in state.to_place if seat_of(galley) == seat]


def refused_by(state, request, text):
    with pytest.raises(OrderError) as error:
        GAME.type_text(state, request, EMPTY_DRAFT, text)
    return error.value.fault


@pytest.mark.parametrize(
    ("captains", "galleys", "width"), [(1, "1", 900), (1, "2", 900), (1, "3", 1200), (3, "6", 2400)]
)
def test_a_table_is_as_large_as_the_fleets_need_and_all_lie_there(captains, galleys, width):
    state = begin(teams=(0, 1) * captains, deployment="ready", table="fitting", galleys=galleys).state
    assert state.width_mm == width
    assert len(state.galleys) == 2 * captains * int(galleys)
    assert {request.kind for request in GAME.pending_requests(state)} == {"orders"}


def test_fleets_that_no_table_holds_are_refused():
    with pytest.raises(OrderError, match="fleet_too_large"):
        begin(teams=(0, 1) * 4, galleys="8", table="fitting", deployment="ready")


def test_room_is_counted_across_land_thinner_than_what_parts_friends():  # MB-2.3, MX-1.7
    """Five bays, but galleys in two neighbouring ones lie too near each other."""
    moles = [f"mole: {x},0 {x + 5},0 {x + 5},100 {x},100" for x in range(95, 480, 95)]
    land = "900x600\n" + "\n".join([*moles, "mole: 480,0 900,0 900,100 480,100"])
    options = {"deployment": "ready", "table": "coffee", "galleys": "1"}
    state = GAME.start(Setup(system="matchbox", teams=(0, 1), options=options, scenario=land), Dice(SEED)).state
    assert placing.surely_placeable(state, state.sides.index("south")) == 4


def test_a_captain_reads_where_a_galley_lies_from_their_own_edge():
    sea = Sea(900.0, 600.0)
    south, north = (placing.PlacementArea(side, 0.0, 900.0, sea) for side in ("south", "north"))
    assert (
        south.captain_coordinates(Pose(225.0, 75.0, 0.0))
        == north.captain_coordinates(Pose(675.0, 525.0, 180.0))
        == (225.0, 75.0, 0.0)
    )
    assert (
        south.captain_coordinates(Pose(225.0, 75.0, 300.0))
        == north.captain_coordinates(Pose(675.0, 525.0, 120.0))
        == (225.0, 75.0, -60.0)
    )
