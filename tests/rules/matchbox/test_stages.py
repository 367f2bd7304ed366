"""Events and requests of each stage of a round, to the last field (MB-4 to MB-7)."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import Fault, OrderError
from rules.matchbox.engine import aim, boarding, laying, notation, orders, round  # noqa: A004 - the game calls it so
from rules.matchbox.engine.events import (
    DroppedMatch,
    HullsCollided,
    HullsScraped,
    MatchesLaid,
    MeleeFought,
    OrdersRevealed,
    PartsLost,
    RoundBegan,
    RoundEnded,
    RowersReseated,
    ShipBackedOff,
    ShipCaptured,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
    VolleyHeld,
)
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import LaidMatch, PendingDecision, StandingOrders

ASK = StandingOrders(target="ask", aim="ask", casualties="ask", reorganize="ask")
AWAY = (20.0, 20.0, 0.0)
"""A match dropped where it hits and touches nothing."""


def run(*ships, seed="00", standing=None, decided=None, drops=None, aims=None, **lists):
    """Run a round on the kitchen table; galleys without orders lie still."""
    position = notation.parse_position(" ; ".join(("1200x800", *ships)))
    by_id = {galley.id: galley for galley in position.galleys}
    return round.run_round(
        position.sea,
        position.galleys,
        [orders.parse_legal(by_id[name], text) for name, text in lists.items()],
        standing or {},
        Dice(seed=seed),
        decided or {},
        number=4,
        drops=drops,
        aims=aims,
    )


def events_of(outcome, *kinds):
    return [event for event in outcome.events if isinstance(event, kinds)]


def test_a_round_begins_with_all_orders_on_the_table():
    ships = ("A1:south 6-5+2/6 @600,300^0", "B1:north 5-5+3/5 @200,500^180")
    galleys = notation.parse_position(" ; ".join(("1200x800", *ships))).galleys
    outcome = run(*ships, A1="ZZ(4-2)FFF")
    assert outcome.events[:4] == (
        RoundBegan(round=4, galleys=galleys),
        OrdersRevealed(galley="A1", seat=0, orders="ZZ(4-2)FFF", rule="MB-4.1"),
        OrdersRevealed(galley="B1", seat=1, orders="", rule="MB-4.1"),
        MatchesLaid(
            step=1,
            lying=tuple(
                LaidMatch(galley="A1", step=step, order=order, tail_x_mm=x, tail_y_mm=tail, head_x_mm=x, head_y_mm=head)
                for step, order, x, tail, head in (
                    (1, "Z", 597.0, 345.0, 300.0),
                    (2, "Z", 603.0, 345.0, 300.0),
                    (3, "F", 600.0, 300.0, 345.0),
                    (4, "F", 600.0, 345.0, 390.0),
                    (5, "F", 600.0, 390.0, 435.0),
                )
            ),
            in_hand=(),
            rule="MB-4.4",
        ),
    )
    assert outcome.events[-1] == RoundEnded(round=4)
    assert (outcome.step, outcome.decisions, outcome.sunk, outcome.laid_matches) == (0, (), (), ())


def test_matches_are_laid_afresh_after_each_movement():
    ships = ("A1:south 6-6+2/6 @600,300^0", "B1:north 5-5+3/5 @600,420^90")
    outcome = run(*ships, A1="FFFFF")
    # She meets B1's hull (y 402.5) in step 3; until then her third match, then her second, crosses it.
    laid = events_of(outcome, MatchesLaid)
    assert [(event.step, event.rule) for event in laid] == [(1, "MB-4.4"), *((n, "MB-4.5") for n in range(1, 6))]
    assert [event.in_hand for event in laid] == [("A1",), ("A1",), ("A1",), ("A1",), ("A1",), ()]
    assert [[match.step for match in event.lying] for event in laid] == [[1, 2], [2], [], [], [], []]
    for event in laid[1:]:
        end = [move for move in events_of(outcome, ShipMoved) if move.step <= event.step][-1].end
        assert all((match.tail_x_mm, match.tail_y_mm) == (end.x_mm, end.y_mm) for match in event.lying[:1])


def test_moves_are_told_with_their_rule():
    outcome = run(
        "A1:south 1-1+0/6 @100,300^0 ; A2:south 1-1+0/6 @400,300^0 ; A3:south 1-1+0/6 @800,790^0 ; "
        "A4:south 1-1+0/6 @1000,300^90 ; B1:north 1-1+0/6 @1125,300^90",
        A1="F",
        A2="R",
        A3="F",
        A4="F",
    )
    common = {"step": 1, "part": 1.0, "at_edge": False}
    assert events_of(outcome, ShipMoved) == [
        ShipMoved(**common, galley="A1", order="F", start=Pose(100, 300, 0), end=Pose(100, 345, 0), rule="MB-5.2"),
        ShipMoved(
            **common, galley="A2", order="R", start=Pose(400, 300, 0), end=Pose(438.971143, 322.5, 60), rule="MB-5.3"
        ),
        ShipMoved(
            **common | {"at_edge": True},
            galley="A3",
            order="F",
            start=Pose(800, 790, 0),
            end=Pose(800, 800, 0),
            rule="MB-5.4",
        ),
        ShipMoved(**common, galley="A4", order="F", start=Pose(1000, 300, 90), end=Pose(1045, 300, 90), rule="MB-5.2"),
    ]


def test_a_ram_is_told_from_the_move_to_the_backing():
    outcome = run("A1:south 1-1+2/6 @600,340^0", "B1:north 5-5+3/5 @630,400^90", A1="FXX")
    moved, collided, rammed, lost, *_, backed = events_of(
        outcome, ShipMoved, HullsCollided, ShipRammed, PartsLost, ShipBackedOff
    )
    # B1's starboard side lies at y = 382.5.
    assert moved == ShipMoved(
        step=1,
        galley="A1",
        order="F",
        start=Pose(600, 340, 0),
        end=Pose(600, 382.5, 0),
        part=pytest.approx(42.5 / 45),
        rule="MB-5.5",
    )
    assert moved.was_stopped
    assert collided == HullsCollided(step=1, a="A1", b="B1", rule="MB-5.6")
    assert rammed == ShipRammed(step=1, by="A1", to="B1", kind="side", edge="starboard", run=1, damage=3, rule="MB-5.8")
    assert lost == PartsLost(
        step=1, galley="B1", by="A1", port=1, starboard=1, masts=1, facing="starboard", rule="MB-7.1"
    )
    assert backed == ShipBackedOff(
        galley="A1", start=Pose(600, 382.5, 0), end=Pose(600, 337.5, 0), distance_mm=45.0, rule="MB-5.13"
    )
    assert outcome.had_loss


def test_a_scrape_is_told_and_harms_nobody():
    # Side by side, 5 mm apart; A1's stern swings out to port as she turns to starboard, into B1's side.
    outcome = run("A1:south 1-1+0/6 @600,300^0", "B1:north 1-1+0/6 @560,290^0", A1="R")
    assert events_of(outcome, HullsCollided, ShipRammed, HullsScraped, PartsLost) == [
        HullsCollided(step=1, a="A1", b="B1", rule="MB-5.6"),
        HullsScraped(step=1, a="A1", b="B1", rule="MB-5.8"),
    ]
    assert not outcome.had_loss


def test_the_side_that_faces_a_blow_from_dead_astern_is_the_one_that_lost_more():
    ships = ("A1:south 1-1+0/6 @600,300^0", "B1:north 5-5+3/5 @600,385^0")
    # Gap 25 mm: a rear ram with a run of one, 2 damage: any of 1-1, 2-0 and 0-2 without a mast, and 1-0+1, 0-1+1.
    for choice, facing in (("2-0+0", "port"), ("0-2+0", "starboard"), ("1-1+0", "port"), ("0-1+1", "starboard")):
        outcome = run(*ships, A1="F", decided={"1.loss.B1.0": choice})
        assert [event.facing for event in events_of(outcome, PartsLost)] == [facing], choice


def test_she_sinks_with_her_order_matches_and_is_told_as_she_was_last():
    outcome = run("A1:south 6-6+2/6 @600,340^0", "B1:north 1-1+3/5 @630,400^90", A1="FXXFF", B1="FXXX")
    sinking = [event for event in outcome.events if isinstance(event, PartsLost | ShipSunk)]
    assert sinking[-1] == ShipSunk(step=1, galley="B1", by="A1", reason="both", rule="MB-7.2")
    assert [galley.id for galley in outcome.sunk] == ["B1"]
    assert outcome.sunk[0].port == outcome.sunk[0].starboard == 0
    assert [galley.id for galley in outcome.galleys] == ["A1"]
    assert {match.galley for event in events_of(outcome, MatchesLaid)[1:] for match in event.lying} <= {"A1"}


def test_each_captain_is_asked_for_their_first_blow_at_once_then_for_the_next():
    # A1 and A2 ram B1 from south and north in the same step, and A3 rams B2.
    ships = (
        "A1:south 1-1+0/6 @600,340^0 ; A2:south 1-1+0/6 @600,460^180 ; A3:south 1-1+0/6 @900,340^0 ; "
        "B1:north 5-5+3/5 @630,400^90 ; B2:north 5-4+0/5 @930,400^90"
    )
    lists = {"A1": "F", "A2": "F", "A3": "F"}
    outcome = run(ships, standing={1: ASK}, **lists)
    first = PendingDecision(
        key="1.loss.B1.0",
        kind="casualties",
        seat=1,
        galley="B1",
        step=1,
        choices=("1-1+1", "0-2+1"),
        about="A1",
        damage=3,
    )
    second = PendingDecision(
        key="1.loss.B2.0",
        kind="casualties",
        seat=1,
        galley="B2",
        step=1,
        choices=("1-2+0", "0-3+0"),
        about="A3",
        damage=3,
    )
    assert outcome.decisions == (first, second)
    assert outcome.step == 1
    assert events_of(outcome, PartsLost) == []
    assert len(events_of(outcome, ShipRammed)) == 3
    assert {galley.id: (galley.port, galley.starboard) for galley in outcome.galleys if galley.seat} == {
        "B1": (5, 5),
        "B2": (5, 4),
    }
    decided = {"1.loss.B1.0": "0-2+1", "1.loss.B2.0": "0-3+0"}
    again = run(ships, standing={1: ASK}, decided=decided, **lists)
    # The second blow comes from the north: B1's port side. She has 5-3+2 now.
    (question,) = again.decisions
    assert (question.key, question.about, question.damage) == ("1.loss.B1.1", "A2", 3)
    assert question.choices == ("1-1+1", "2-0+1")
    assert events_of(again, PartsLost) == []
    done = run(ships, standing={1: ASK}, decided=decided | {"1.loss.B1.1": "2-0+1"}, **lists)
    assert done.decisions == ()
    assert [(e.galley, e.by, e.port, e.starboard, e.masts, e.facing) for e in events_of(done, PartsLost)] == [
        ("B1", "A1", 0, 2, 1, "starboard"),
        ("B1", "A2", 2, 0, 1, "port"),
        ("B2", "A3", 0, 3, 0, "starboard"),
    ]
    assert [(g.port, g.starboard, g.masts) for g in done.galleys if g.seat] == [(3, 3, 1), (5, 1, 0)]


def test_while_a_loss_is_asked_matches_lie_before_galleys_where_they_are_now():
    ships = ("A1:south 1-1+0/6 @600,340^0", "A2:south 5-5+3/5 @100,300^0", "B1:north 5-5+3/5 @630,400^90")
    outcome = run(*ships, standing={1: ASK}, A1="F", A2="FFFFF")
    assert [question.key for question in outcome.decisions] == ["1.loss.B1.0"]
    assert [(match.galley, match.step, match.tail_y_mm) for match in outcome.laid_matches] == [
        ("A2", step, 345 + 45 * number) for number, step in enumerate((2, 3, 4, 5))
    ]


def test_blows_of_later_parts_and_steps_have_keys_of_their_own():
    # A1 rams B1 in step 1 and fires at her in steps 2 and 3; A2 fires at her in step 1 and rams her in step 2.
    ships = ("A1:south 1-1+2/6 @600,340^0", "A2:south 1-1+1/6 @600,460^180", "B1:north 6-6+2/6 @630,400^90")
    hit = (600.0, 250.0, 0.0)
    lists = {"A1": "FXX", "A2": "XF"}
    drops = {"A2@1": [(600.0, 550.0, 180.0), AWAY], "A1@2": [hit, *[AWAY] * 3], "A1@3": [hit, *[AWAY] * 3]}
    decided = {}
    questions = []
    while (outcome := run(*ships, standing={1: ASK}, decided=decided, drops=drops, **lists)).decisions:
        (question,) = outcome.decisions
        questions.append((question.key, question.about, question.damage))
        decided[question.key] = question.choices[0]
    # One hit is an oar of the facing side: nothing to be asked.
    assert [(e.step, e.by) for e in events_of(outcome, PartsLost)] == [
        (1, "A1"),
        (1, "A2"),
        (2, "A2"),
        (2, "A1"),
        (3, "A1"),
    ]
    assert questions == [("1.loss.B1.0", "A1", 3), ("2.loss.B1.0", "A2", 3)]


BROADSIDE = ("A1:south 5-5+3/5 @600,300^0", "B1:north 5-5+3/5 @700,300^0")


def test_a_volley_is_told_drop_by_drop():
    drops = {"A1@1": [(760.0, 290.0, 270.0), (760.0, 270.0, 90.0), (-5.0, 300.0, 0.0)]}
    outcome = run(*BROADSIDE, A1="XFFFF", drops=drops)
    assert events_of(outcome, VolleyDropped) == [
        VolleyDropped(
            step=1,
            by="A1",
            to="B1",
            gap_mm=65.0,
            matches=3,
            broadside=True,
            misfire=False,
            hits=2,
            aim_x_mm=0.0,
            aim_y_mm=0.0,
            drops=(
                DroppedMatch(x_mm=760.0, y_mm=290.0, bearing_deg=270.0, hit="head"),
                DroppedMatch(x_mm=760.0, y_mm=270.0, bearing_deg=90.0, hit="tail"),
                DroppedMatch(x_mm=-5.0, y_mm=300.0, bearing_deg=0.0, on_table=False),
            ),
            rule="MB-6.10",
        )
    ]
    # From the west: her port side, as she heads north.
    assert events_of(outcome, PartsLost) == [
        PartsLost(step=1, galley="B1", by="A1", port=1, starboard=1, masts=0, facing="port", rule="MB-7.1")
    ]


def test_a_gap_is_told_to_a_thousandth():
    # Corner to corner: the middles 204.4 mm apart, less two half diagonals of 34.7311 mm.
    ships = ("A1:south 5-5+3/5 @600,300^59.744", "B1:north 5-5+3/5 @804.4,300^59.744")
    outcome = run(*ships, A1="XFFFF", drops={"A1@1": [AWAY] * 2})
    assert [event.gap_mm for event in events_of(outcome, VolleyDropped)] == [134.938]


def test_a_misfire_says_what_it_touched_and_harms_nobody():
    drops = {"A1@1": [(760.0, 290.0, 270.0), (700.0, 270.0, 0.0), AWAY]}
    outcome = run(*BROADSIDE, A1="XFFFF", drops=drops)
    (volley,) = events_of(outcome, VolleyDropped)
    assert (volley.misfire, volley.hits, volley.rule) == (True, 0, "MB-6.7")
    assert [drop.touches for drop in volley.drops] == ["", "B1", ""]
    assert events_of(outcome, PartsLost) == []


def test_a_galley_that_cannot_fire_is_told_why():
    outcome = run(
        "A1:south 5-5+3/5 @100,100^0 ; A2:south 3-3+1/5 @600,300^0 ; B1:north 5-5+3/5 @700,300^0 ; "
        "B2:north 5-5+3/5 @900,700^0",
        A1="XFFFF",
        A2="FXFF",
        B1="XFFFF",
        standing={0: StandingOrders(), 1: StandingOrders()},
        drops={"B1@1": [(540.0, 290.0, 90.0), (540.0, 310.0, 90.0), (540.0, 330.0, 90.0)], "A2@2": [AWAY]},
    )
    # Three hits must cost A2 her only mast before her own fire in step 2.
    assert events_of(outcome, VolleyHeld) == [
        VolleyHeld(step=1, by="A1", reason="range", rule="MB-6.2"),
        VolleyHeld(step=2, by="A2", reason="masts", rule="MB-6.1"),
    ]
    assert [event.by for event in events_of(outcome, VolleyDropped)] == ["B1"]


def fired(**how):
    """Return the aim of the first volley."""
    outcome = run(*BROADSIDE, A1="XFFFF", **how)
    assert outcome.decisions == ()
    volley = events_of(outcome, VolleyDropped)[0]
    return volley.aim_x_mm, volley.aim_y_mm


def test_a_volley_is_aimed_as_wished_then_as_decided_then_as_standing_orders_say():
    point = {"1.aim.A1": "300.1234,200"}
    assert fired(standing={0: ASK}, decided=point) == (300.123, 200.0)
    assert fired(decided=point) == (300.123, 200.0)
    assert fired(aims={"A1@1": (12.3456, 7.25)}) == (12.346, 7.25)
    assert fired(aims={"A1@1": (12.0, 7.0)}, decided=point) == (12.0, 7.0)
    assert fired(aims={"A1@2": (12.0, 7.0)}, decided=point) == (300.123, 200.0)
    with pytest.raises(OrderError) as refused:
        fired(aims={"A1@1": (12.0, 801.0)})
    assert refused.value.fault.piece == "1.aim.A1"


def test_steady_and_safe_are_the_best_aims_over_the_table_as_it_lies():
    firer, target = galleys = notation.parse_position(" ; ".join(("1200x800", *BROADSIDE))).galleys
    steps = {"A1": ("X", "F", "F", "F", "F"), "B1": ("",) * 5}
    lying = laying.lay_matches(galleys, steps, 2).lying
    best = {
        kind: aim.best_aim(firer, target, galleys, lying, Sea(1200.0, 800.0), count=3, kind=kind)
        for kind in ("steady", "safe")
    }
    assert best["steady"] != best["safe"]
    assert fired() == fired(decided={"1.aim.A1": "steady"}) == best["steady"]
    assert fired(standing={0: StandingOrders(aim="safe")}) == fired(decided={"1.aim.A1": "safe"}) == best["safe"]
    assert fired(standing={0: StandingOrders(aim="safe")}, decided={"1.aim.A1": "steady"}) == best["steady"]


def test_the_captain_is_asked_for_a_target_and_a_point():
    ships = (*BROADSIDE, "B2:north 5-5+3/5 @500,300^0", "B3:north 5-5+3/5 @1000,300^0")
    outcome = run(*ships, A1="FXFFF", B1="FFXFF", standing={0: ASK})
    assert outcome.decisions == (
        PendingDecision(key="2.target.A1", kind="target", seat=0, galley="A1", step=2, choices=("B1", "B2")),
    )
    assert outcome.step == 2
    assert events_of(outcome, MatchesLaid)[-1].lying == outcome.laid_matches
    again = run(*ships, A1="FXFFF", B1="FFXFF", standing={0: ASK}, decided={"2.target.A1": "B2"})
    assert again.decisions == (
        PendingDecision(key="2.aim.A1", kind="aim", seat=0, galley="A1", step=2, choices=(), about="B2"),
    )
    assert again.dice == Dice(seed="00")


def test_one_who_is_asked_does_not_keep_the_others_from_being_asked():
    # A2 has nobody in range, A3 one, A1 and A4 two.
    ships = (
        "A1:south 5-5+3/5 @600,300^0 ; A2:south 5-5+3/5 @100,100^0 ; A3:south 5-5+3/5 @540,300^0 ; "
        "A4:south 5-5+3/5 @650,300^0 ; B1:north 5-5+3/5 @700,300^0 ; B2:north 5-5+3/5 @750,300^0"
    )
    lists = dict.fromkeys(("A1", "A2", "A3", "A4"), "XFFFF")
    outcome = run(ships, standing={0: ASK}, **lists)
    assert [(question.key, question.choices) for question in outcome.decisions] == [
        ("1.target.A1", ("B1", "B2")),
        ("1.target.A4", ("B1", "B2")),
    ]
    decided = {"1.target.A1": "B1", "1.target.A4": "B2"}
    again = run(ships, standing={0: ASK}, decided=decided, **lists)
    assert [(question.key, question.about) for question in again.decisions] == [
        ("1.aim.A1", "B1"),
        ("1.aim.A3", "B1"),
        ("1.aim.A4", "B2"),
    ]


def test_only_those_who_want_to_be_asked_are():
    ships = (*BROADSIDE, "B2:north 5-5+3/5 @500,300^0")
    lists = {"A1": "XFFFF", "B1": "XFFFF"}
    asked = run(*ships, standing={0: StandingOrders(target="ask"), 1: ASK}, decided={"1.target.A1": "B1"}, **lists)
    assert [question.key for question in asked.decisions] == ["1.aim.B1"]
    outcome = run(*ships[:2], standing={0: StandingOrders(target="ask")}, A1="XFFFF")
    assert outcome.decisions == ()


@pytest.mark.parametrize(
    ("drops", "refusal"),
    [
        ({}, Fault(kind="unreadable", code="missing_drops", piece="drops.A1@1", params={"expected": 3})),
        (
            {"A1@1": [AWAY] * 4},
            Fault(
                kind="illegal",
                code="wrong_drop_count",
                rule="MB-6.3",
                piece="drops.A1@1",
                params={"expected": 3, "given": 4},
            ),
        ),
    ],
)
def test_drops_that_do_not_fit_the_volley_are_refused(drops, refusal):
    with pytest.raises(OrderError) as refused:
        run(*BROADSIDE, A1="XFFFF", drops=drops)
    assert refused.value.fault == refusal


@pytest.mark.parametrize(
    ("ships", "lists", "key"),
    [
        (BROADSIDE, {"A1": "XFFFF"}, "1.target.A1"),
        (BROADSIDE, {"A1": "XFFFF"}, "1.aim.A1"),
        (("A1:south 1-1+0/6 @600,340^0", "B1:north 5-5+3/5 @630,400^90"), {"A1": "F"}, "1.loss.B1.0"),
        (("A1:south 5-2+0/6 @600,340^0", "B1:north 5-5+3/5 @100,700^90"), {"A1": "ZZFF"}, "2.split.A1"),
    ],
)
def test_a_decision_that_is_none_is_refused_by_its_question(ships, lists, key):
    with pytest.raises(OrderError) as refused:
        run(*ships, decided={key: "nothing"}, **lists)
    assert (refused.value.fault.piece, refused.value.fault.params["given"]) == (key, "nothing")


def test_reorganizing_is_told():
    outcome = run("A1:south 6-1+2/6 @600,300^0", "B1:north 5-5+3/5 @100,700^0", A1="ZZXXF")
    assert events_of(outcome, RowersReseated) == [
        RowersReseated(step=2, galley="A1", port=4, starboard=3, rule="MB-7.3")
    ]


def test_each_zz_has_its_own_wish():
    outcome = run("A1:south 3-3+2/6 @600,300^0", "B1:north 5-5+3/5 @100,700^0", A1="ZZ(1-5)ZZ(5-1)F")
    assert [(e.step, e.port, e.starboard) for e in events_of(outcome, RowersReseated)] == [(2, 1, 5), (4, 5, 1)]


def test_reorganizing_is_asked_of_all_it_concerns():
    ships = (
        "A1:south 2-2+0/6 @600,300^0 ; A2:south 1-1+0/6 @300,300^0 ; A3:south 2-1+0/6 @900,300^0 ; "
        "B1:north 5-5+3/5 @100,700^90"
    )
    lists = {"A1": "ZZFF", "A2": "ZZF", "A3": "ZZF"}
    outcome = run(ships, standing={0: ASK}, **lists)
    # Two oars can be seated in one way only.
    assert outcome.decisions == tuple(
        PendingDecision(key=f"2.split.{name}", kind="reorganize", seat=0, galley=name, step=2, choices=choices)
        for name, choices in (("A1", ("1-3", "2-2", "3-1")), ("A3", ("1-2", "2-1")))
    )
    assert [(match.galley, match.step) for match in outcome.laid_matches] == [
        ("A1", 3),
        ("A2", 3),
        ("A3", 3),
        ("A1", 4),
    ]
    assert events_of(outcome, RowersReseated) == []
    done = run(ships, standing={0: ASK}, decided={"2.split.A1": "3-1", "2.split.A3": "1-2"}, **lists)
    assert [(e.galley, e.port, e.starboard) for e in events_of(done, RowersReseated)] == [
        ("A1", 3, 1),
        ("A2", 1, 1),
        ("A3", 1, 2),
    ]


BOARDED = ("A1:south 4-4+4/4 @600,300^0", "B1:north 5-5+1/5 @650,300^0", "B2:north 5-5+0/5 @200,700^180")
FOUGHT = {"A1@1": ((90.0, 90.0, 90.0, 270.0), (270.0, 90.0, 90.0))}


def board(prize, decided=None):
    """Let A1 take B1 with three masts left."""
    position = notation.parse_position(" ; ".join(("1200x800", *BOARDED)))
    return round.run_round(
        position.sea,
        position.galleys,
        [orders.parse_legal(position.galleys[0], "GXXXF", boarding=True)],
        {0: StandingOrders(prize=prize) if prize else StandingOrders()},
        Dice(seed="00"),
        decided or {},
        melees=FOUGHT,
        options=["boarding"],
    )


def test_a_captain_who_wants_to_be_asked_says_how_many_go_over_to_a_prize():
    asking = board("ask")
    choices = ("1", "2", "3")
    key = "1.prize.A1"
    assert asking.decisions == (
        PendingDecision(key=key, kind="prize", seat=0, galley="A1", step=1, choices=choices, about="B1"),
    )
    (fight,) = events_of(asking, MeleeFought)
    assert asking.events[-1] == fight
    assert (fight.lost, fight.left) == ((1, 1), (3, 0)), "before the prize crew goes over"
    assert [galley.masts for galley in asking.galleys] == [3, 0, 0]
    going_on = board("ask", {key: "2"})
    assert going_on.events[: len(asking.events)] == asking.events
    (taken,) = events_of(going_on, ShipCaptured)
    assert (taken.galley, taken.by, taken.crew) == ("B1", "A1", 2)
    assert [(galley.side, galley.masts) for galley in going_on.galleys[:2]] == [("south", 1), ("south", 2)]


@pytest.mark.parametrize(("prize", "crew"), [(None, 1), ("one", 1), ("half", 1)])
def test_standing_orders_say_how_many_go_over(prize, crew):
    (taken,) = events_of(board(prize), ShipCaptured)
    assert taken.crew == crew


@pytest.mark.parametrize(("masts", "crew"), [(1, 1), (2, 1), (4, 2)])
def test_half_a_crew_is_rounded_down_but_somebody_goes(masts, crew):
    taker = structs.replace(notation.parse_position(f"1200x800 ; {BOARDED[0]}").galleys[0], masts=masts)
    assert boarding.choose_prize_crew(taker, range(1, masts + 1), half=True) == crew
