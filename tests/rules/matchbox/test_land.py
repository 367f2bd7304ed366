"""Games on maps: what lies on the table, what captains are told and warned of, and how the computer's captains cope."""

import random
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from bot.texts.i18n import Catalogue, languages
from rules.chance.dice import Dice, derive_seed
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.geometry.boxes import box_corners
from rules.matchbox.ai import many_rounds
from rules.matchbox.ai.many_rounds import NEAREST
from rules.matchbox.engine import backing, hull, laying, placing, points
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import (
    MatchesLaid,
    PartsLost,
    ReefStruck,
    ShipGrounded,
    ShipMoved,
    ShipPoledOff,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
    VolleyHeld,
)
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import MAP_NAMES, Sea, load_maps
from rules.matchbox.engine.shore import MIN_SHORE_GAP_MM
from rules.matchbox.engine.state import SLOTS, Galley, OrderList, State
from rules.matchbox.interface.opening import EXAMPLE_MAP, OPTIONS
from tests.laws.length import times
from tests.rules.matchbox.play import GAME, SEED, begin, orders
from tests.rules.matchbox.sea_room import galleys_on, order_list

ISLAND = "1200x800 ; island:500,400 700,400 700,500 500,500"
FOE = "B1:north 5-5+3/5 @1100,700^180"
BETWEEN = (
    "1200x800 ; island:640,260 660,260 660,360 640,360 ; A1:south 6-6+2/6 @600,340^0 ; B1:north 5-5+3/5 @700,340^0"
)


def started(**options: str) -> State:
    setup = Setup(system="matchbox", teams=(0, 1), options={"deployment": "ready", "galleys": "1", **options})
    return GAME.start(setup, Dice(SEED)).state


@pytest.mark.parametrize("name", MAP_NAMES)
def test_a_map_brings_its_table_and_its_land(name):
    state = started(map=name)
    assert state.sea == load_maps()[name]
    assert state.phase == "orders"
    assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state


def test_there_is_a_choice_of_every_map_for_even_games():
    offered = next(spec for spec in OPTIONS if spec.key == "map")
    assert offered.values == ("none", *MAP_NAMES)
    assert {*load_maps()} - {*MAP_NAMES} == {"port"}


@pytest.mark.parametrize("name", MAP_NAMES)
def test_both_strips_of_a_map_are_open_water(name):
    sea = load_maps()[name]
    for low, high in ((0.0, placing.STRIP_DEPTH_MM), (sea.height_mm - placing.STRIP_DEPTH_MM, sea.height_mm)):
        strip = (0.0, low - placing.MIN_LAND_GAP_MM, sea.width_mm, high + placing.MIN_LAND_GAP_MM)
        assert sea.shore is None or not sea.shore.parts_within(strip)


def way_is_open(galley: Galley, sea: Sea) -> bool:
    """Return if land stops nothing of her straight way to the enemy's strip."""
    far = (sea.height_mm - 2 * placing.STRIP_DEPTH_MM) * (1 if galley.side == "south" else -1)
    return (
        sea.shore is None
        or sea.shore.fraction_to_land(box_corners(hull.hull_of(galley)), (0.0, far), MIN_SHORE_GAP_MM) is None
    )


@pytest.mark.parametrize("name", MAP_NAMES)
@pytest.mark.parametrize("captain", ["mate", "admiral"])
def test_galleys_are_proposed_where_the_way_to_the_enemy_is_open(name, captain):
    for galleys in ("2", "3"):
        state = started(map=name, galleys=galleys, captain=captain, deployment="sealed")
        for request in GAME.pending_requests(state):
            view = GAME.view(state, request.seat)
            for placed in (GAME.default_answer(state, request), GAME.computer_answer(view, request, SEED)):
                assert all(way_is_open(galley, state.sea) for galley in placed.galleys), placed


def test_where_the_way_is_open_for_nobody_galleys_are_spread_as_on_open_water():
    across = "1200x800 ; mole:0,280 700,280 700,320 0,320 ; mole:500,480 1200,480 1200,520 500,520"
    (request, _) = GAME.pending_requests(state := own_map(across, galleys="2", deployment="sealed"))
    assert [galley.pose.x_mm for galley in GAME.default_answer(state, request).galleys] == [300.0, 900.0]


def own_map(text: str, **options: str) -> State:
    options = {"deployment": "ready", "galleys": "1", **options}
    return GAME.start(Setup(system="matchbox", teams=(0, 1), options=options, scenario=text), Dice(SEED)).state


def test_a_host_may_bring_a_map():
    state = own_map(EXAMPLE_MAP, galleys="4")
    for language in languages():
        assert own_map(Catalogue.load(language, "matchbox").say("scenario.example"), galleys="4").sea == state.sea
    assert state.sea.size_mm == (1200.0, 800.0)
    assert [piece.kind for piece in state.sea.land] == ["island", "mole", "reef"]
    assert own_map("900x600; map:skerry").sea == load_maps()["skerry"]


@pytest.mark.parametrize(
    ("text", "rule", "told"),
    [
        ("# nothing but a remark\n;", "", {"expected": "1200x800"}),
        ("1000x600", "MX-1.6", {"sizes": "900x600, 1200x800, 1600x900, 2400x1000"}),
        ("900x600; A1:south 6-6+2/6 @400,80^0", "MX-1.6", {}),
        # Two bays of 100 mm between coasts that reach to the south edge: one galley each, or none.
        ("900x600; island:0,0 380,0 380,120 0,120; island:500,0 900,0 900,120 500,120", "MX-1.7", {"most": 1}),
    ],
)
def test_a_map_that_breaks_a_rule_is_refused_with_its_number(text, rule, told):
    with pytest.raises(OrderError) as refused:
        own_map(text, galleys="2")
    fault = refused.value.fault
    assert fault.rule == rule
    assert told.items() <= fault.params.items()


def test_words_say_what_lies_on_the_table_and_who_is_hidden():
    view = GAME.view(begin(position=BETWEEN).state, None)
    assert view.ground_text is not None
    [kind] = view.ground_text.params["land"]
    [place] = kind.params["places"]
    assert (kind.key, dict(place.params)) == ("ground.island", {"west": 640, "east": 660, "south": 260, "north": 360})
    assert [piece.nearest_enemy.key for piece in view.pieces if piece.nearest_enemy] == ["near.hidden"] * 2
    low = GAME.view(begin(position=BETWEEN.replace("island", "mole")).state, None)
    assert [piece.nearest_enemy.key for piece in low.pieces if piece.nearest_enemy] == ["near.enemy"] * 2


@pytest.mark.parametrize(
    ("position", "draft", "expected"),
    [
        (f"{ISLAND} ; A1:south 6-6+2/6 @600,300^0 ; {FOE}", "A1 FFFFF", [("warn.aground", {"step": 3, "damage": 2})]),
        (f"{ISLAND} ; A1:south 6-6+2/6 @600,370^0 ; {FOE}", "A1 FRRRR", [("warn.beached", {"step": 1, "damage": 0})]),
        (f"{ISLAND} ; A1:south 6-6+2/6 @480,440^0 ; {FOE}", "A1 R", [("warn.land", {"steps": (1,)})]),
        (
            f"{ISLAND.replace('island', 'reef')} ; A1:south 6-6+2/6 @600,330^0 ; {FOE}",
            "A1 FFFFF",
            [("warn.reef", {"steps": (2,)})],
        ),
        (f"{ISLAND.replace('island', 'reef')} ; A1:south 6-6+2/6 @600,390^0 ; {FOE}", "A1 FLFRF", []),
        (BETWEEN, "A1 X", [("warn.hidden", {"steps": (1,)})]),
        (BETWEEN.replace("island", "mole"), "A1 X", []),
    ],
)
def test_captains_are_warned_of_land(position, draft, expected):
    state = begin(position=position).state
    said = GAME.draft_warnings(state, GAME.pending_requests(state)[0], Draft(draft))
    ours = [text for text in said if text.key not in {"warn.fire", "warn.edge"}]
    assert [(text.key, {k: v for k, v in text.params.items() if k != "galley"}) for text in ours[:1]] == expected


def test_a_hint_is_free_of_warnings_beside_land_though_hardly_any_list_is():
    """Her bow is at the island: of 1,033 lists six carry out all that they order."""
    island = "1200x800 ; island:500,560 700,560 740,640 460,640"
    state = begin(position=f"{island} ; A1:south 4-5+3/5 @600,685.05^180 ; B1:north 6-6+2/6 @716.913,187.5^60").state
    request, _ = GAME.pending_requests(state)
    advice = GAME.advice_without_warnings(state, request, GAME.parse_answer(state, request, "A1 FFFRX"))
    assert GAME.draft_warnings(state, request, Draft(GAME.format_answer(request, advice))) == ()


def test_a_hint_lets_two_galleys_lie_still_if_neither_can_make_room_alone():
    """Whatever the one does, she meets the other, who means to turn into her."""
    port = (
        "1200x800 ; island:500,560 700,560 740,640 460,640 ; mole:200,470 330,500 325,520 195,490 ; "
        "A1:south 5-5+2/6 @846.546,117.295^120 ; B1:north 5-5+3/5 @324.785,592.985^326.264 ; "
        "B2:north 3-3+3/5 @372.407,626.813^120 ; B3:north 4-4+3/5 @281.395,635.136^200.224"
    )
    state = begin(position=port).state
    _, request = GAME.pending_requests(state)
    advice = GAME.advice_without_warnings(
        state, request, GAME.parse_answer(state, request, "B1 FRRFF; B2 FFRXX; B3 LLLLX")
    )
    said = GAME.draft_warnings(state, request, Draft(GAME.format_answer(request, advice)))
    assert {text.key for text in said} <= {"warn.fire"}


def test_the_story_says_what_land_did():
    state = begin(position=f"{ISLAND} ; A1:south 1-1+2/6 @480,440^0 ; A2:south 6-6+2/6 @200,100^0 ; {FOE}").state
    events = GAME.resolve(state, orders(state, A="A1 RXX; A2 FFFXX", B="B1 FFFFX")).events
    assert [event.variant for event in events if isinstance(event, ShipMoved) and event.galley == "A1"] == ["ashore"]
    assert [(event.variant, event.galley) for event in events if isinstance(event, ShipPoledOff)] == [("port", "A1")]


def test_what_a_reef_costs_comes_from_nobody_else():
    reef = f"{ISLAND.replace('island', 'reef')} ; A1:south 2-2+0/6 @600,360^0 ; A2:south 6-6+2/6 @200,100^0 ; {FOE}"
    state = begin(position=reef).state
    events = GAME.resolve(state, orders(state, A="A1 FF; A2 FFFFX", B="B1 FFFFX")).events
    [lost] = [event for event in events if isinstance(event, PartsLost)]
    assert (lost.variant, lost.by) == ("reef", "A1")
    assert ShipSunk(step=2, galley="A1", by="A1").variant == "wrecked"
    assert ShipSunk(step=2, galley="A1", by="B1").variant == ""


def beside_land(
    rng: random.Random, sea: Sea, count: int, builds: Sequence[str] = ("6", "5", "4")
) -> tuple[Galley, ...]:
    """Return vessels within two matches of land, in turn of either side."""
    vessels: list[Galley] = []
    while len(vessels) < count:
        where = hull.round_pose(Pose(rng.uniform(0, sea.width_mm), rng.uniform(0, sea.height_mm), rng.uniform(0, 360)))
        seat = len(vessels) % 2
        built = points.parse_build(rng.choice(builds))
        vessel = placing.new_galley(
            f"{'AB'[seat]}{len(vessels) // 2 + 1}", seat, ("south", "north")[seat], built, where
        )
        clear = all(hull.hull_gap_mm(vessel, other) > 20 for other in vessels)
        if (
            clear
            and hull.is_on_table(hull.hull_of(vessel), sea)
            and 0.2 < backing.land_gap(hull.hull_of(vessel), sea.terrain.land) < 90
        ):
            vessels.append(vessel)
    return placing.sort_galleys(vessels)


def same(galley: Galley, other: Galley | None, *, anywhere: bool) -> bool:
    """Return if two galleys are equally strong and, if that matters, in the same place."""
    left = [each and (each.port, each.starboard, each.masts) for each in (galley, other)]
    if other is None or left[0] != left[1]:
        return False
    off = galley.pose.x_mm - other.pose.x_mm, galley.pose.y_mm - other.pose.y_mm
    return anywhere or max(map(abs, off)) <= 0.003


@pytest.mark.parametrize(
    ("builds", "count"), [(("6", "5", "4"), 48), (("8h", "5s", "4t", "3m"), 24)], ids=["galleys", "vessels"]
)
@pytest.mark.slow
def test_the_simulator_resolves_rounds_beside_land_as_the_rules_do(builds, count):
    """But for poling, which it leaves out, and for what turning corners graze."""
    rng, seen = random.Random(11), {ShipGrounded: 0, ReefStruck: 0, VolleyHeld: 0}
    differing = 0
    count = times(count, 640)
    for number in range(count):
        sea = load_maps()[MAP_NAMES[number % len(MAP_NAMES)]]
        galleys = beside_land(rng, sea, 4, builds)
        drawn = [order_list(rng, galley) for galley in galleys]
        drawn = [
            OrderList(order_list.galley, order_list.orders, ((0, 0),) * len(order_list.wishes)) for order_list in drawn
        ]
        off = {f"{galley.id}@{step}": (0.0, 0.0) for galley in galleys for step in range(1, SLOTS + 1)}
        resolved = rounds.run_round(sea, galleys, drawn, {}, Dice("00"), {}, aims=off)
        lying = {
            laying.match_ends(match)
            for event in resolved.events
            if isinstance(event, MatchesLaid)
            for match in event.lying
        }
        assert not any(sea.terrain.land.touches_segment(*ends) for ends in lying)  # MX-1.17
        if any(isinstance(event, VolleyDropped) and event.hits for event in resolved.events):
            continue
        doing = np.array([many_rounds.order_numbers(order_list.orders) for order_list in drawn]).T[:, :, None]
        nobody = np.zeros((4, 1), bool)
        north = tuple(galley.side == "north" for galley in galleys)
        waters = many_rounds.RoundSetup(sea, north, nobody + NEAREST, nobody, galleys=galleys)
        none = np.zeros((SLOTS, 4, 1), np.int64)
        found = many_rounds.run_rounds(many_rounds.fleet_table(galleys), doing, waters, forced_hits=none, traced=True)
        after = {galley.id: galley for galley in galleys_on(found.fleets, galleys, 0)}
        poled = {event.galley for event in resolved.events if isinstance(event, ShipPoledOff)}
        fired = {(event.step, event.by, event.to) for event in resolved.events if isinstance(event, VolleyDropped)}
        simulated = {
            (step, galleys[k].id, galleys[int(trace.target[k, 0])].id)
            for step, trace in enumerate(found.steps, 1)
            for k in range(4)
            if trace.matches[k, 0]
        }
        differing += fired != simulated or not all(
            same(galley, after.get(galley.id), anywhere=galley.id in poled) for galley in resolved.galleys
        )
        for event in resolved.events:
            if type(event) in seen and getattr(event, "reason", "sight") == "sight":
                seen[type(event)] += 1
    assert differing <= 0.01 * count
    assert min(seen.values()) > 0


@pytest.mark.parametrize(("level", "costs"), [("mate", (ShipGrounded, ReefStruck)), ("deckhand", (ShipGrounded,))])
@pytest.mark.slow
def test_computer_captains_do_not_run_aground(level, costs):
    """From beside land, with enemies who lie still; a deckhand doesn't mind reefs."""
    rng = random.Random(3)
    for number in range(6):
        sea = load_maps()[MAP_NAMES[number]]
        galleys = beside_land(rng, sea, 4)
        state = started(map=MAP_NAMES[number], captain=level, galleys="2")
        state = msgspec.structs.replace(state, galleys=galleys, galleys_each=2)
        request = GAME.pending_requests(state)[0]
        answer = GAME.computer_answer(GAME.view(state, 0), request, derive_seed(SEED, str(number)))
        resolved = rounds.run_round(sea, galleys, answer.lists, {}, Dice("00"), {})
        struck = [event for event in resolved.events if isinstance(event, costs) and getattr(event, "damage", 1)]
        assert not struck, (number, answer.lists)


@pytest.mark.slow
def test_an_enemy_behind_an_island_is_reached_round_it():
    """Straight ahead lies a coast; captains who only saw the enemy would run on to it again and again."""
    wall = "1200x800 ; island:200,380 1000,380 1000,430 200,430"
    state = begin(position=f"{wall} ; A1:south 6-6+2/6 @560,300^0 ; B1:north 6-6+2/6 @560,500^180", missed="hold").state
    for number in range(9):
        first, second = GAME.pending_requests(state)
        answer = GAME.computer_answer(GAME.view(state, 0), first, derive_seed(SEED, str(number)))
        step = GAME.resolve(state, {first.id: answer, second.id: GAME.parse_answer(state, second, "hold")})
        state = step.state
        assert not [event for event in step.events if isinstance(event, ShipGrounded) and event.damage]
        if any(isinstance(event, VolleyDropped | ShipRammed | ShipSunk) for event in step.events):
            break
    else:
        pytest.fail("nine rounds, and not there yet")


def test_a_hint_does_not_fire_at_who_is_hidden():
    state = begin(position=BETWEEN.replace("640,260 660,260 660,360 640,360", "640,100 660,100 660,600 640,600")).state
    request = GAME.pending_requests(state)[0]
    hint = GAME.advise(GAME.view(state, 0), request, SEED)
    resolved = rounds.run_round(state.sea, state.galleys, hint.lists, {}, Dice("00"), {})
    assert not [event for event in resolved.events if isinstance(event, VolleyHeld) and event.reason == "sight"]
