"""Warnings and notes beside a captain's orders, and orders typed on top of others."""

import json
from typing import Any

import pytest

from bot.texts.i18n import Catalogue, Localizer
from rules.campaign import GAME
from rules.campaign.engine.case import read_position
from rules.campaign.engine.orders import PortOrders, TurnOrders, format_orders
from rules.campaign.engine.sea.state import State
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Request
from rules.core.view import Text


def gulf(*galleys: str, **more: object) -> State:
    ports = {"A": "PIR SAL", "B": "EPI CAL"}
    facts = {"map": "gulf", "captains": "AB", "ports": ports, "galleys": galleys, **more}
    return State(dice=Dice(seed="00"), position=read_position(json.dumps(facts)))


def warned(state: State, request: Request, text: str) -> list[str]:
    return [one.key.removeprefix("warn.") for one in GAME.draft_warnings(state, request, Draft(text))]


AT_ELEUSIS = ("B1 ELE 5-5+3/5 r0 n0", "B2 ELE 5-5+3/5 r0 n0")


@pytest.mark.parametrize(
    ("galleys", "talents", "text", "expected"),
    [
        (["A1 PIR 5-5+3/5 r0 n0"], 1, "build PIR 5", ["too_dear"]),  # the price is 6, and a night brings 4
        (["A1 PIR 5-5+3/5 r0 n0"], 2, "build PIR 5", []),
        (["A1 PIR 5-5+3/5 r0 n0"], 2, "build PIR 5; pay B 1", ["too_dear"]),
        (["A1 PIR 5-5+3/5 r0 n0"], 3, "pay B 999", ["poor"]),
        (["A1 PIR 5-5+3/5 r0 n0"], 3, "pay B 3", []),
        ([f"A{n} PIR 5-5+3/5 r0 n0" for n in range(1, 9)], 90, "build PIR 5", ["no_ninth"]),
        (["A1 PIR 5-5+3/5 r0 n0"], 5, "repair A1", ["whole"]),
        (["A1 PIR 3-5+3/5 r0 n0"], 5, "repair A1", []),
        (["A1 PIR 3-5+3/5 r0 n0"], 5, "A1: ELE; repair A1", ["not_moored"]),
        (["A1 ELE 3-5+3/5 r0 n0"], 5, "repair A1", ["not_moored"]),
        (["A1 ELE 5-5+3/5 r0 n2"], 0, "A1: WGU", ["thirst"]),
        (["A1 ELE 5-5+3/5 r0 n2"], 0, "A1: PIR", []),
        (["A1 ELE 5-5+3/5 r0 n1"], 0, "A1: WGU", []),
        (["A1 SAL 5-5+3/5 r0 n0", *AT_ELEUSIS], 0, "A1: attack", ["boom"]),
        (["A1 SAL 5-5+3/5 r0 n0", *AT_ELEUSIS], 0, "A1: hold", ["boom"]),
        (["A1 SAL 5-5+3/5 r0 n0", *AT_ELEUSIS], 0, "A1: evade", []),
        (["A1 SAL 5-5+3/5 r0 n0", "A2 SAL 5-5+3/5 r0 n0", *AT_ELEUSIS], 0, "A1 A2: attack", []),
        (["A1 SAL 5-5+3/5 r0 n0", "A2 SAL 5-5+3/5 r0 n0", *AT_ELEUSIS], 0, "A1: attack; A2: evade", ["boom"]),
    ],
)
def test_a_captain_is_warned_of_what_cannot_come_off(
    galleys: list[str], talents: int, text: str, expected: list[str]
) -> None:
    state = gulf(*galleys, talents={"A": talents})
    request, other = GAME.pending_requests(state)
    assert warned(state, request, text) == expected
    # And so it comes, if nobody else does anything.
    answers = {one.id: GAME.parse_answer(state, one, said) for one, said in ((request, text), (other, ""))}
    events = {one.__struct_config__.tag for one in GAME.resolve(state, answers).events}
    assert ("NotLaunched" in events) == bool({"too_dear", "no_ninth"} & {*expected})
    assert ("Thirsted" in events) == ("thirst" in expected)
    assert ("Repaired" in events) == ("repair" in text and not {"whole", "not_moored"} & {*expected})


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("pay B 2", "pay B 2", "pay B 2"),  # no answer came, and the captain types it again
        ("pay B 2", "pay B 3; pay B 4", "pay B 3; pay B 4"),
        ("build PIR 5; repair all", "build PIR 4", "build PIR 4; repair all"),
        ("build PIR 5; pay B 2", "A1: ELE", "A1: ELE hold; build PIR 5; pay B 2"),
    ],
)
def test_who_types_again_orders_nothing_twice(before: str, text: str, after: str) -> None:
    state = gulf("A1 PIR 5-5+3/5 r0 n0", talents={"A": 9})
    request = GAME.pending_requests(state)[0]
    assert GAME.type_text(state, request, Draft(before), text).text == after


WHOLE, LAME = "5-5+3/5 r0 n0", "2-5+3/5 r0 n0"


def notes_of(state: State, text: str = "") -> dict[str, Any]:
    """Return the notes in captain A's panel besides the orders: parameters by key."""
    choices = GAME.draft_choices(state, GAME.pending_requests(state)[0], Draft(text))
    return {
        line.key: line.params
        for line in (*choices.lines, *choices.decisions)
        if line.key.startswith(("sure.", "open."))
    }


def after(state: State, ours: str, theirs: str = "") -> State:
    asked = GAME.pending_requests(state)
    answers = {one.id: GAME.parse_answer(state, one, text) for one, text in zip(asked, (ours, theirs), strict=True)}
    found: State = GAME.resolve(state, answers).state
    return found


@pytest.mark.parametrize(
    ("galleys", "text", "expected"),
    [
        ([f"A1 ELE {WHOLE}", f"A2 ELE {WHOLE}"], "A1 A2: MEG", "sure.siege"),
        ([f"A1 WGU {WHOLE}", f"A2 WGU {WHOLE}"], "A1 A2: CEN", "sure.falls"),
        ([f"A1 WGU {WHOLE}", f"A2 WGU {WHOLE}"], "A1 A2: CEN evade", "sure.no_siege"),
        ([f"A1 WGU {LAME}"], "A1: CEN", "sure.lame"),
        ([f"A1 HYD {WHOLE}"], "spare B; A1: CAL", "sure.spared"),
        (["A1 HYD 5-5+3/5 r0 n2", "A2 HYD 5-5+3/5 r0 n2"], "A1 A2: CAL", "sure.falls"),
    ],
)
def test_whether_and_when_a_port_falls(galleys: list[str], text: str, expected: str) -> None:
    state = gulf(*galleys)
    found = notes_of(state, text)
    assert expected in found
    assert not {one for one in found if one.startswith("sure.")} - {expected, "sure.slips"}
    port = text.split()[-1 if "evade" not in text else -2]
    assert (after(state, text).position.ports.get(port) == "A") == (expected == "sure.falls")
    assert (port in after(state, text).position.sieges) == (expected == "sure.siege")


@pytest.mark.parametrize(("attackers", "fought"), [(4, False), (5, True)])
def test_how_many_a_boom_keeps_off(attackers: int, fought: bool) -> None:
    foes = [f"B{n} ELE {WHOLE}" for n in range(1, attackers + 1)]
    state = gulf(f"A1 PIR {WHOLE}", *foes)
    assert notes_of(state, "A1: evade")["sure.boom"]["most"] == 4  # the city's three, and herself
    there = " ".join(f"B{n}" for n in range(1, attackers + 1))
    left = after(state, "A1: evade", f"{there}: PIR attack").position
    assert (not left.galleys_of("A")) == fought


@pytest.mark.parametrize(("state", "key", "gone"), [(WHOLE, "sure.slips", True), (LAME, "sure.caught", False)])
def test_who_slips_away(state: str, key: str, *, gone: bool) -> None:
    at_sea = gulf(f"A1 ELE {state}", f"B1 ELE {WHOLE}", f"B2 ELE {WHOLE}")
    assert key in notes_of(at_sea, "A1: evade")
    left = after(at_sea, "A1: evade", "B1 B2: attack").position.galleys_of("A")
    assert bool(left) == gone


def test_what_is_still_to_decide_goes_once_it_is_decided() -> None:
    damaged = "3-5+3/5 r0 n0"
    state = gulf(
        *(f"A1 PIR {damaged}", "A2 WGU 5-5+3/5 r0 n2", f"B1 SAL {WHOLE}"), talents={"A": 8}, sieges={"SAL": ["B", 1]}
    )
    assert [*notes_of(state)] == ["open.siege", "open.thirst", "open.repair", "open.yard"]
    warned, *others = [GAME.view(state, seat).score for seat in (0, 1, None)]
    assert warned
    assert (warned.key, warned.params["nights"], others) == ("score.siege", 1, [None, None])
    later = notes_of(state, "A2: ELE > SAL attack; repair all; build PIR 5")
    assert not {one for one in later if one.startswith("open.")}


def test_nothing_is_told_of_what_lies_in_the_fog() -> None:
    near = gulf(f"A1 PIR {WHOLE}", f"B1 ELE {WHOLE}")
    far = gulf(f"A1 PIR {WHOLE}", f"B1 HYD {WHOLE}")
    assert notes_of(near)["open.enemies"]["many"] == 1
    assert notes_of(far) == notes_of(gulf(f"A1 PIR {WHOLE}", f"B1 EPI {WHOLE}"))


@pytest.mark.parametrize(
    ("galleys", "text", "expected"),
    [
        ([f"A1 WGU {WHOLE}", f"A2 WGU {WHOLE}"], "A1 A2: CEN", "reason.free_port"),
        ([f"A1 HYD {WHOLE}", f"A2 HYD {WHOLE}"], "A1 A2: CAL", "reason.enemy_port"),
        ([f"A1 ELE {WHOLE}", f"A2 ELE {WHOLE}", f"B1 SAL {WHOLE}"], "A1 A2: SAL attack", "reason.meet"),
        ([f"A1 ELE {WHOLE}", f"B1 SAL {WHOLE}"], "spare B; A1: SAL", "reason.guard"),
        ([f"A1 PIR {LAME}"], "A1: evade; repair all", "reason.mend"),
        ([f"A1 PIR {WHOLE}"], "A1: evade", "reason.wait"),
        ([f"A1 PIR {WHOLE}"], "A1: ELE", "reason.way"),
        ([f"A1 PIR {WHOLE}"], "", "reason.none"),
    ],
)
def test_a_hint_says_what_its_largest_fleet_is_after(galleys: list[str], text: str, expected: str) -> None:
    state = gulf(*galleys)
    asked = GAME.pending_requests(state)[0]
    found = GAME.reason_for(GAME.view(state, 0), GAME.parse_answer(state, asked, text))
    assert found.key == expected


def test_without_orders_a_siege_goes_on_and_the_panel_says_so() -> None:
    state = gulf(f"A1 AEG {WHOLE}", sieges={"AEG": ["A", 1], "SAL": ["B", 1]})
    first, *_ = GAME.draft_choices(state, GAME.pending_requests(state)[0]).lines
    assert first.key == "line.none.siege"
    assert [one.params["code"] for one in first.params["ports"]] == ["AEG"]
    assert after(state, "").position.sieges["AEG"] == ("A", 2)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("enemies", [(), AT_ELEUSIS])
def test_a_hint_leaves_no_galley_alone_before_its_boom(enemies: tuple[str, ...], seed: int) -> None:
    state = gulf("A1 SAL 5-3+3/5 r0 n0", *enemies, ports={"A": "SAL", "B": "EPI"}, sieges={"SAL": ["B", 1]})
    request, _ = GAME.pending_requests(state)
    orders = GAME.advise(GAME.view(state, 0), request, f"{seed:02x}")
    (fleet,) = orders.fleets
    assert fleet.route or fleet.stance == "evade"


def test_a_galley_to_build_may_be_typed_as_the_panel_writes_it() -> None:
    state = gulf("A1 PIR 5-5+3/5 r0 n0")
    request, _ = GAME.pending_requests(state)
    assert GAME.parse_answer(state, request, "build 5 PIR") == GAME.parse_answer(state, request, "build PIR 5")


def hinted(state: State, seed: int = 0) -> TurnOrders:
    request = GAME.pending_requests(state)[0]
    orders: TurnOrders = GAME.advise(GAME.view(state, 0), request, f"{seed:02x}")
    return orders


@pytest.mark.parametrize("turn", [11, 12])
@pytest.mark.parametrize("seed", range(3))
def test_a_hint_keeps_besiegers_whose_port_falls_tonight(turn: int, seed: int) -> None:
    siege = {"ports": {"A": "PIR MEG", "B": "SAL EPI"}, "sieges": {"SAL": ["A", 1]}, "turn": turn, "turns": 12}
    state = gulf("A1 SAL 3-3+0/5 r0 n2", f"A2 EGU {LAME}", f"B1 EGU {WHOLE}", f"B2 EGU {WHOLE}", **siege)
    orders = hinted(state, seed)
    order = orders.order_for("A1")
    assert order
    assert (order.route, order.chase, order.stance) == ((), "", "attack")
    assert after(state, format_orders(orders)).position.ports["SAL"] == "A"


@pytest.mark.parametrize("seed", range(3))
def test_the_last_turns_hint_is_after_laurels_alone(seed: int) -> None:
    """A village that falls tonight is worth rowing to; repairs, new galleys, raids and long sieges are not."""
    fleets = [f"A1 WGU {WHOLE}", "A2 WGU 4-3+1/5 r0 n2", f"A3 PIR {LAME}", f"A4 ELE {WHOLE}", f"A5 ELE {WHOLE}"]
    last = gulf(*fleets, ports={"A": "PIR MEG SAL", "B": "EPI CAL"}, talents={"A": 40}, turn=12, turns=12)
    orders = hinted(last, seed)
    assert orders.port_orders == PortOrders()
    rowing = [fleet for fleet in orders.fleets if fleet.route]
    assert [fleet.galleys for fleet in rowing] == [("A1", "A2"), ("A4", "A5")]
    ports = after(last, format_orders(orders)).position.ports
    assert [ports.get(fleet.route[-1]) for fleet in rowing] == ["A", "A"]
    earlier = hinted(gulf(*fleets, talents={"A": 40}, turn=11, turns=12), seed)
    assert earlier.port_orders.repair_all
    assert earlier.port_orders.build


DRY = "5-5+3/5 r0 n2"


@pytest.mark.parametrize(
    ("galleys", "text", "key"),
    [
        ([f"A1 HYD {DRY}"], "A1: CAL", "sure.thirst.port"),
        ([f"A1 HYD {DRY}", f"A2 HYD {DRY}", f"B1 CAL {WHOLE}"], "A1 A2: CAL", "sure.thirst.port"),
        (["A1 HYD 2-5+3/5 r0 n2"], "A1: evade", "sure.thirst.sea"),
        ([f"A1 CAL {DRY}"], "", "open.thirst"),
        ([f"A1 WGU {DRY}"], "", "open.thirst"),
    ],
)
@pytest.mark.parametrize("language", ["en", "hu"])
def test_the_panel_and_a_hint_say_what_thirst_costs_and_how_it_ends(
    galleys: list[str], text: str, key: str, language: str
) -> None:
    state = gulf(*galleys, ports={"A": "PIR SAL", "B": "EPI CAL TRO"})
    said = Localizer(Catalogue.load(language, "campaign"), {}).say_text(Text(key, notes_of(state, text)[key]))
    assert {"en": "lose an oar on each side every night", "hu": "minden éjjel oldalanként egy evezőt"}[language] in said
    assert after(state, text).position.galleys_of("A")[0].port < state.position.galleys_of("A")[0].port
