"""Initiative, squadrons, speeds and Double Activation: what the notation of cases cannot say (SQ-03, SQ-05, SQ-07)."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.protocol import Setup
from rules.squadrons import GAME
from rules.squadrons.engine.events import SpeedSet
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.doctrine_text import parse_doctrine
from rules.squadrons.engine.notation.orders import (
    DoctrineLine,
    Doctrines,
    SquadronActivation,
    SquadronForm,
    SquadronOrders,
)
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.phases.command import command, turn_start
from rules.squadrons.engine.sea import fleets
from tests.rules.squadrons import sea

ADMIRALS = ("lead BL1 Steady@B1", "lead RL1 Grand@R1")


def squadrons(lies, side="B", *forms):
    return [
        (squadron.number, squadron.leader, squadron.ships) for squadron in command.form_squadrons(lies, side, forms)
    ]


def test_c01_a_tie_is_rolled_again():
    play = sea.play(sea.lies("B1 5@1012N C", "R1 5@2012N C", *ADMIRALS), 3, 4, 1, 6)
    assert turn_start.run_phase_c(play) == "R"
    assert [(event.side, event.die, event.total) for event in play.events] == [
        ("B", 3, 5),
        ("R", 4, 5),
        ("B", 1, 3),
        ("R", 6, 7),
    ]


def test_c02_the_admirals_initiative_is_added():
    play = sea.play(sea.lies("B1 5@1012N C", "R1 5@2012N C", *ADMIRALS), 4, 4)
    assert turn_start.run_phase_c(play) == "B"


def order_of_play(left, first):
    """Return the sides in the order in which they act, one letter an activation."""
    left, last, done = dict(left), None, ""
    while (side := turn_order.next_side(left, first, last)) is not None:
        left[side] -= 1
        done += side
        last = side
    return done


def test_c03_c04_sides_alternate_and_go_on_alone():
    assert order_of_play({"B": 2, "R": 1}, "B") == "BRB"
    assert order_of_play({"B": 1, "R": 4}, "B") == "BRRRR"
    assert order_of_play({"B": 0, "R": 2}, "B") == "RR"
    assert order_of_play({"B": 2, "R": 2}, "R") == "RBRB"
    # Individual Squadrons are counted in phase F alone, in which the first player begins again.
    assert order_of_play({}, "B") == ""


def test_c05_range_is_counted_from_any_hex_to_any_hex():
    lies = sea.lies("B1 5@1012N C", "B2 5@1016N C", "B3 5@1017N C".replace("1017", "1219"), "lead BL1 SqC@B1")
    assert command.distances_by_ship(lies, lies.ship_by_id("B1"), "B")["B2"] == 3
    assert squadrons(lies) == [(1, "BL1", ("B1", "B2")), (0, "", ("B3",))]


def test_c06_enemies_close_the_way():
    around = ["R1 5@1014N C", "R2 5@1114N C", "R3 5@0914N C", "R4 5@1214N C", "R5 5@0814N C"]
    lies = sea.lies("B1 5@1012N C", "B2 5@1016N C", *around, "lead BL1 SqC@B1")
    assert command.distances_by_ship(lies, lies.ship_by_id("B1"), "B")["B2"] > 3
    assert squadrons(lies) == [(1, "BL1", ("B1",)), (0, "", ("B2",))]


def test_own_ships_do_not_close_the_way():
    lies = sea.lies("B1 5@1012N C", "B2 5@1014N C", "B3 5@1016N C", "lead BL1 SqC@B1")
    assert squadrons(lies) == [(1, "BL1", ("B1", "B2", "B3"))]


def test_c07_who_is_in_range_must_belong():
    lies = sea.lies("B1 5@1012N C", "B2 5@1016N C", "lead BL1 SqC@B1")
    with pytest.raises(IllegalOrder, match=r"SQ-05\.4"):
        command.form_squadrons(lies, "B", (SquadronForm(leader="", ships=("B2",)),))


def test_c08_c09_line_astern():
    lies = fleets.scenario_position("column")
    line = SquadronForm(leader="BL1", form="astern", ships=("B1", "B2", "B3", "B4", "B5"))
    assert squadrons(lies, "B", line) == [(1, "BL1", line.ships)]
    third = structs.replace(lies, leaders=(structs.replace(lies.leaders[0], ship="B3"), *lies.leaders[1:]))
    with pytest.raises(IllegalOrder, match=r"SQ-05\.3"):
        command.form_squadrons(third, "B", (line,))
    broken = structs.replace(line, ships=("B1", "B2", "B4", "B3", "B5"))
    with pytest.raises(IllegalOrder, match=r"SQ-05\.3"):
        command.form_squadrons(lies, "B", (broken,))
    for ships in (("B2", "B2"), ("B2", "R1"), ("B2", "B9"), ("B1",)):
        with pytest.raises(IllegalOrder, match=r"SQ-05\.3"):
            command.form_squadrons(lies, "B", (structs.replace(line, ships=ships),))


def test_c10_an_echelon_is_a_line():
    lies = sea.lies("B1 5@1510N C", "B2 5@1612N C", "B3 5@1412N C")
    assert command.is_behind(lies.ship_by_id("B1"), lies.ship_by_id("B2"))
    assert command.is_behind(lies.ship_by_id("B1"), lies.ship_by_id("B3"))
    # In the Stern hex she must point at the one before her.
    for facing, follows in (("N", True), ("NE", False), ("NW", False)):
        lies = sea.lies("B1 5@1510N C", f"B4 5@1512{facing} C")
        assert command.is_behind(lies.ship_by_id("B1"), lies.ship_by_id("B4")) == follows


def test_who_is_in_range_of_several_is_with_the_nearest_or_chooses():
    lies = sea.lies(
        "B1 5@1012N C", "B2 5@1312N C", "B3 5@1612N C", "B4 5@1112N C", "lead BL1 SqC@B1", "lead BL2 Bold@B3"
    )
    assert squadrons(lies) == [(1, "BL1", ("B1", "B4")), (2, "BL2", ("B2", "B3"))]  # B2 is as near to both: the Admiral
    assert squadrons(lies, "B", SquadronForm(leader="BL1", ships=("B2",))) == [
        (1, "BL1", ("B1", "B2", "B4")),
        (2, "BL2", ("B3",)),
    ]
    with pytest.raises(IllegalOrder, match=r"SQ-05\.1"):
        command.form_squadrons(lies, "B", (SquadronForm(leader="BL2", ships=("B1", "B4")),))
    with pytest.raises(IllegalOrder, match=r"SQ-05\.5"):
        command.form_squadrons(
            lies, "B", (SquadronForm(leader="BL1", ships=("B2",)), SquadronForm(leader="BL2", ships=("B2",)))
        )
    with pytest.raises(IllegalOrder, match=r"SQ-05\.1"):
        command.form_squadrons(lies, "B", (SquadronForm(leader="BL7"),))


def test_squadrons_are_formed_by_wishes_as_far_as_they_can_be():
    lies = sea.lies("B1 5@1012N C", "B2 5@1312N C", "R1 5@2012N C", "lead BL1 SqC@B1", phase="A")
    play = sea.play(lies)
    formed = turn_start.run_phase_b(
        play, {"B": [SquadronForm(leader="BL9"), SquadronForm(leader="BL1", ships=("B2",))]}
    )
    assert [(squadron.side, squadron.number, squadron.ships) for squadron in formed] == [
        ("B", 1, ("B1", "B2")),
        ("R", 0, ("R1",)),
    ]
    assert [(ship.id, ship.squadron) for ship in play.position.ships] == [("B1", 1), ("B2", 1), ("R1", 0)]


@pytest.mark.parametrize(
    ("records", "rule"),
    [
        (["B1 5@1012N C"], None),
        (["B1 5@1012N C F1"], "SQ-07.2"),  # M-10
        (["B1 5@1012N C HS"], "SQ-07.2"),
        (["B1 5@1012N C REC"], "SQ-07.2"),
        (["B1 5@1012N C CRp"], "SQ-07.2"),
        (["B1 5@1012N C RAM:R1"], "SQ-07.2"),
        (["B1 5@1012N C", "R1 5@1112N C", "grap B1 R1"], "SQ-07.2"),
        (["B1 5@1012N C", "lead BL1 SqC@B1 temp"], "SQ-05.17"),
        (["B1 5@1012N C", "lead BL1 SqC@B1 perm"], None),
    ],
)
def test_who_may_row_at_max(records, rule):
    lies = sea.lies(*records)
    barred = turn_start.why_max_barred(lies, lies.ship_by_id("B1"))
    assert (barred and barred.rule) == rule
    play = sea.play(lies)
    turn_start.run_phase_d(play, {"B": {"B1": "M"}})
    assert play.ship_now("B1").speed == ("C" if rule else "M")


def test_speeds_that_nobody_orders_follow_doctrine():
    lies = sea.lies("B1 5@1012N M", "B2 5@1212N C", "R1 5@2012N M", "R2 5@2212N C F2")
    doctrines = Doctrines(
        (DoctrineLine(who="R", values={"speed": "max"}), DoctrineLine(who="B2", values={"speed": "keep"}))
    )
    play = sea.play(lies, doctrines=doctrines)
    turn_start.run_phase_d(play, {})
    assert [ship.speed for ship in play.position.ships] == ["C", "C", "M", "C"]
    assert [(event.speed, event.ships) for event in play.events] == [("C", ("B1",))]


TWO = ("B1 5@1012N M", "B2 5@1512N M", "R1 5@3012N C", "lead BL1 Steady@B1", "lead BL2 SqC@B2")


def double(*dice, records=TWO, orders="B1: F\nB2: F2"):
    lies = sea.lies(*records)
    formed = command.form_squadrons(lies, "B")
    play = sea.play(lies, *dice)
    order = SquadronActivation(squadron="B1", orders=order_text.parse_orders(orders), double="B2")
    return activation.activate_squadrons(play, formed, order), play


def test_c13_both_squadrons_act():
    acted, play = double(4, 1, 1)
    assert acted == {"B1", "B2"}
    assert [str(play.ship_now(name).place) for name in ("B1", "B2")] == ["1011N", "1510N"]
    assert all(play.ship_now(name).done for name in ("B1", "B2"))
    assert [event.ok for event in sea.told(play, "double_activated")] == [True]


def test_c14_the_other_squadron_acts_at_once_in_confusion():
    acted, play = double(5, 3)
    assert acted == {"B2"}
    assert (play.ship_now("B1").done, play.ship_now("B2").done) == (False, True)
    assert (play.ship_now("B1").speed, play.ship_now("B2").speed) == ("M", "C")
    assert str(play.ship_now("B2").place) == "1510N"
    assert [event.effect for event in sea.told(play, "confused")] == ["cruise"]


def test_c14_worse_confusion_halves_what_they_may_row():
    _, play = double(6, 5, orders="B2: F5")
    assert [event.mp for event in sea.told(play, "moved")] == [1, 2, 3]  # half of Cruise 5, rounded up
    assert [(event.step, event.rule) for event in sea.told(play, "stopped")] == [("F", "SQ-06.1")]
    acted, play = double(6, 2, 1, orders="B2: F5")
    assert acted == {"B2"}
    assert play.ship_now("B2").speed == "M"


@pytest.mark.parametrize(
    ("records", "squadron", "other"),
    [
        (TWO, "B2", "B1"),  # only the Admiral's own squadron
        (TWO, "B1", "B1"),
        (("B1 5@1012N M", "B2 5@2512N M", "lead BL1 Steady@B1", "lead BL2 SqC@B2"), "B1", "B2"),  # out of range
        (("B1 5@1012N M", "B2 5@1712N M", "lead BL1 Steady@B1"), "B1", "B2"),  # an Individual Squadron (C-15)
    ],
)
def test_c15_what_is_no_double_activation(records, squadron, other):
    lies = sea.lies(*records)
    formed = command.form_squadrons(lies, "B")
    assert activation.double_barred_by(lies, formed, SquadronActivation(squadron=squadron, double=other)).startswith(
        "SQ-05.1"
    )


def test_a_squadron_that_has_acted_is_not_doubled():
    lies = sea.changed(sea.lies(*TWO), "B2", done=True)
    formed = command.form_squadrons(lies, "B")
    assert activation.double_barred_by(lies, formed, SquadronActivation(squadron="B1", double="B2")) == "SQ-05.11"


def test_an_activation_leaves_out_who_is_gone():
    lies = sea.changed(sea.lies(*TWO, "B3 5@1112N C"), "B3", status="sunk")
    formed = (structs.replace(command.form_squadrons(lies, "B")[0], ships=("B1", "B3")),)
    play = sea.play(lies, 1)
    assert activation.activate_squadrons(play, formed, SquadronActivation(squadron="B1", orders=SquadronOrders())) == {
        "B1"
    }
    assert sea.told(play, "squadron_activated")[0].ships == ("B1",)


def test_p03_who_sent_no_speeds_gets_those_of_doctrine_and_both_are_revealed_together():
    """At the deadline one side has said its speeds; the other keeps its doctrine, or Cruise (SQ-24.1)."""
    start = "squadrons 1 A 30x22 - vp=20 limit=9 bonus=0/0 lost=-/- ; B1 5@1014N C ; R1 3@1608S C ; R2 3@1808S C"
    setup = Setup(system="squadrons", teams=(0, 1), position=start, missed="hold")
    state = GAME.start(setup, Dice(seed="00")).state
    blue, red = GAME.pending_requests(state)
    sealed = {blue.id: GAME.parse_answer(state, blue, "pass\nB1 M")}
    for doctrine, speeds in (((), ["B1"]), (("doctrine all: speed=max",), ["B1", "R1", "R2"])):
        lines = tuple(parse_doctrine(text, "R") for text in doctrine)
        late = structs.replace(state, doctrines=(Doctrines(), Doctrines(lines)))
        step = GAME.resolve(late, {**sealed, red.id: GAME.default_answer(late, red)})
        (told,) = [event for event in step.events if isinstance(event, SpeedSet)]
        assert (told.speed, [*told.ships]) == ("M", speeds)
    assert not any(ship.speed == "M" for ship in state.position.ships)  # nothing was seen before
