"""A squadron whose Command Ship is lost before its go is ordered by its own side."""

from msgspec import structs

from rules.chance.dice import Dice
from rules.core.protocol import Concede, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.notation.doctrine_text import parse_doctrine
from rules.squadrons.engine.notation.orders import Doctrines
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import State
from rules.squadrons.interface.flow import game_flow

GAME = RULESETS["squadrons"]


def acting(captains: int) -> State:
    """Return a game ordered squadron by squadron, at the first activation of a turn, Blue to act."""
    options = {"battle": "150", "sides": "first", "order": "squadron", "captains": str(captains)}
    setup = Setup(system="squadrons", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(seed="00")).state
    answers = {request.id: GAME.parse_answer(state, request, "pass") for request in GAME.pending_requests(state)}
    state = GAME.resolve(state, answers).state
    return structs.replace(state, active="B", first="B")


def changed(state: State, name: str, **fields: object) -> State:
    ships = tuple(structs.replace(s, **fields) if s.id == name else s for s in state.position.ships)
    return structs.replace(state, position=structs.replace(state.position, ships=ships))


def one_left(state: State, number: int) -> State:
    """Return the state with Blue's squadron of this number as the only one that has not acted."""
    squadrons = tuple(
        structs.replace(squadron, activated=squadron.side == "B" and squadron.number != number)
        for squadron in state.squadrons
    )
    return structs.replace(state, squadrons=squadrons)


def test_who_captures_a_flagship_does_not_order_her_squadron_nor_her_by_her_old_doctrine() -> None:
    state = acting(1)
    squadron = next(
        squadron for squadron in state.squadrons if squadron.side == "B" and squadron.number and len(squadron.ships) > 1
    )
    state = changed(one_left(state, squadron.number), squadron.flagship, held="CAP", done=True, squadron=0)
    leaders = tuple(leader for leader in state.position.leaders if leader.ship != squadron.flagship)
    state = structs.replace(state, position=structs.replace(state.position, leaders=leaders))
    (request,) = GAME.pending_requests(state)
    assert state.captains[request.seat].side == "B", f"the enemy orders {squadron.ships}"
    lines = (parse_doctrine(f"{squadron.flagship}: avoid=any", "B"),)
    state = structs.replace(state, doctrines=(Doctrines(lines), Doctrines()))
    assert not game_flow._merged_doctrines(state).lines
    assert game_flow._merged_doctrines(changed(state, squadron.flagship, held="")).lines == lines


def test_one_who_is_asked_can_answer_when_the_flagship_has_sunk() -> None:
    state = acting(2)
    second = next(captain for captain in state.captains if captain.side == "B" and captain.leaders)
    squadron = next(
        squadron for squadron in state.squadrons if squadron.side == "B" and squadron.leader in second.leaders
    )
    assert len(squadron.ships) > 1
    state = changed(one_left(state, squadron.number), squadron.flagship, status="sunk")
    leaders = tuple(leader for leader in state.position.leaders if leader.ship != squadron.flagship)
    state = structs.replace(state, position=structs.replace(state.position, leaders=leaders))
    (request,) = GAME.pending_requests(state)
    GAME.draft_choices(state, request)  # IndexError: nothing of this squadron belongs to that seat
    GAME.default_answer(state, request)


def test_one_who_has_given_up_is_asked_no_more() -> None:
    state = acting(2)
    (request,) = GAME.pending_requests(state)
    after = GAME.apply_out_of_turn(state, Concede(seat=request.seat)).state
    (now,) = GAME.pending_requests(after)
    assert now.seat != request.seat
    assert now.id != request.id, "another captain is asked under the id of an old question"


def test_what_a_captain_says_of_all_holds_for_their_ships_alone() -> None:
    options = {"battle": "150", "sides": "first", "captains": "2"}
    state = GAME.start(Setup(system="squadrons", teams=GAME.seats(options), options=options), Dice(seed="00")).state
    second = next(captain.seat for captain in state.captains if captain.side == "B" and captain.leaders)
    own = command.ships_of(state, second)
    others = {ship.id for ship in state.position.ships_of("B")} - {*own}
    assert own
    assert others
    said = "pass\ndoctrine all: avoid=ask fire=off"
    requests = GAME.pending_requests(state)
    answers = {
        request.id: GAME.parse_answer(state, request, said if request.seat == second else "pass")
        for request in requests
    }
    lines = Doctrines(GAME.resolve(state, answers).state.doctrines[0].lines)
    assert {lines.find_value("avoid", name, "B") for name in own} == {"ask"}
    assert {lines.find_value("avoid", name, "B") for name in others} == {None}
