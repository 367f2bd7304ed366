"""The course of a game: who is asked what, and what becomes of the answers (SQ sections 3 and 9).

Every turn begins with a sealed sheet of each captain. Then the squadrons of both sides act in turn, as the sheets say;
only a doctrine that says `ask` stops them, or a squadron without orders where captains order squadron by squadron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from rules.protocol import Act as Unasked
from rules.protocol import AgreeDraw, Event, Request, Result, Seat, Step, makes_step
from rules.squadrons import (
    activation,
    aftermath,
    alternating,
    asking,
    command,
    doctrine,
    moves,
    phases,
    seats,
    setting_up,
    sheets,
    victory,
)
from rules.squadrons.answers import Activation, Answer, Choice, Sheet
from rules.squadrons.commanding import named
from rules.squadrons.events import (
    End,
    EndReason,
    GaveUp,
    InitiativeWon,
    SquadronsFormed,
    TurnBegan,
)
from rules.squadrons.orders import Activate, Board, DoctrineLine, Doctrines, Form, Line, Orders, Side, Speed, Turnsheet
from rules.squadrons.play import Play, Thrown, Undecided
from rules.squadrons.state import Asked, Running, Squadron, State, other

_SIDES: tuple[Side, Side] = ("B", "R")
WITHIN_S: Final = 2 * 3600
"""For what a doctrine that says `ask` asks (SQ 9.3); then what doctrines do by default."""


# --- who is asked -------------------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Request, ...]:
    """Who must answer what now."""
    if state.outcome:
        return ()
    if state.stage in ("roster", "deploy"):
        return setting_up.pending(state)
    if alone := _alone(state):
        return (alone,)
    turn = state.position.turn
    return tuple(
        Request(id=f"t{turn}.orders.{seat}", seat=seat, kind="orders", round=turn) for seat in _ordering(state)
    )


def _alone(state: State) -> Request | None:
    """What one captain is asked while all others wait."""
    if state.running:
        return _asked(state, state.running.asked)
    if state.stage in ("form", "speed"):
        return _turned(state)
    if state.stage == "order" and state.initiative:
        return _live(state, _first_captain(state, state.initiative), "first", offered=" ".join(asking.FIRST))
    if state.stage == "activation" and state.active:
        turn, seat = state.position.turn, _who_acts(state)
        return Request(
            id=f"t{turn}.act.{state.answered}",
            seat=seat,
            kind="act",
            round=turn,
            live=state.answered > 0,
            sealed=False,
            budget=_budget(state, seat),
        )
    return None


def _ordering(state: State) -> tuple[Seat, ...]:
    """Captains who have a ship."""
    whose = set(seats.owners(state).values())
    return tuple(one.seat for one in state.captains if one.seat in whose and one.seat not in state.conceded)


def _asked(state: State, asked: Asked) -> Request:
    kind = asking.KINDS[asked.key]
    return _live(state, asked.seat, kind, ship=asked.ship, by=asked.by, offered=" ".join(asked.offered))


def _turned(state: State) -> Request:
    """Whose squadron is formed, or has its speeds set, now that both sides do so in turn."""
    side = state.active or "B"
    if state.stage == "form" and (squadron := alternating.unformed(state, side)):
        offered = " ".join(alternating.ways(state, squadron))
        seat = seats.seat_of(state, squadron.flagship)
        return _live(state, seat, "form", squadron=named(squadron), ship=squadron.flagship, offered=offered)
    squadron = alternating.unpaced(state, side)[0]
    ships = " ".join(squadron.ships)
    return _live(state, seats.seat_of(state, squadron.flagship), "pace", squadron=named(squadron), ships=ships)


def _live(state: State, seat: Seat, kind: str, **params: str) -> Request:
    turn = state.position.turn
    return Request(
        id=f"t{turn}.{kind}.{state.answered}",
        seat=seat,
        kind=kind,
        round=turn,
        live=True,
        sealed=False,
        budget=f"{_budget(state, seat)}.asked",
        within=WITHIN_S,
        params={**params},
    )


def _budget(state: State, seat: Seat) -> str:
    """All squadrons that a captain orders in a turn share its time, and so do all questions in the middle of it."""
    return f"t{state.position.turn}.{seat}"


def _first_captain(state: State, side: str) -> Seat:
    return (seats.of_side(state, side) or state.captains)[0].seat


def _who_acts(state: State) -> Seat:
    """Of a side's captains the one whose squadron comes next: that of its first ship that can still act.

    Its Command Ship may be lost, or the enemy's by now.
    """
    side = state.active or "B"
    squadron = _next_squadron(state, side)
    able = activation.still(state.position, squadron) if squadron else ()
    return seats.seat_of(state, able[0]) if able else _first_captain(state, side)


# --- what becomes of answers --------------------------------------------------------------------------------------


def resolve(state: State, answers: Mapping[str, Answer]) -> Step:
    """Carry out answers. Raises `ValueError` if they are not to what is asked."""
    asked = {request.id: request for request in pending(state)}
    if not makes_step(asked.values(), answers.keys()):
        raise ValueError(f"asked for {sorted(asked)}, not for {sorted(answers)}")
    given = {asked[name].seat: answer for name, answer in sorted(answers.items())}
    if state.stage in ("roster", "deploy"):
        return _begun(setting_up.resolve(state, given))
    if state.stage == "turn" and not state.running:
        return _turn(state, given)
    ((_, answer),) = given.items()
    return _answered(structs.replace(state, answered=state.answered + 1), answer)


def _answered(state: State, answer: Answer) -> Step:
    """Carry out what one captain was asked alone."""
    match answer:
        case Choice(choice) if state.running:
            return _resumed(state, state.running, choice)
        case Choice(choice) if state.stage == "form" and (squadron := alternating.unformed(state, state.active or "B")):
            state = alternating.formed(state, squadron, choice)
            return _forming(structs.replace(state, active=other(squadron.side)), [])
        case Choice(choice) if state.stage == "speed":
            squadron = alternating.unpaced(state, state.active or "B")[0]
            return _pacing(*_paced(state, squadron, alternating.speeds(squadron.ships, choice), []))
        case Choice(choice) if state.stage == "order":
            itself = choice == asking.FIRST[0]
            return _speeds(_won(state, itself=itself), [_told_first(state, itself=itself)])
        case Activation():
            return _acts(state, answer)
    raise ValueError(f"no answer to this: {answer}")


def set_up(state: State, told: Iterable[Event] = ()) -> Step:
    """A game begins: fleets are built and placed, as far as its options say so; then the first turn."""
    return _begun(setting_up.begin(state, tuple(told)))


def _begun(step: Step) -> Step:
    return begin(step.state, step.events) if step.state.stage == setting_up.OVER else step


def begin(state: State, told: Iterable[Event] = ()) -> Step:
    """A turn begins: the captains are asked for their sheets."""
    position = structs.replace(state.position, phase="A")
    state = structs.replace(
        state,
        position=position,
        stage="turn",
        sheets=(None, None),
        squadrons=(),
        initiative=None,
        first=None,
        active=None,
        doubled=(False, False),
        forms=((), ()),
        paced=(),
        answered=0,
        running=None,
    )
    begun = [*told, TurnBegan(turn=position.turn, position=position)]
    if "form" not in state.turns:
        return Step(state, tuple(begun))
    return _forming(structs.replace(state, stage="form", active=alternating.lower(state)), begun)


def _forming(state: State, told: list[Event]) -> Step:
    """Both sides form their squadrons in turn, the one with the lower Admiral first; then sheets are written (D-4)."""
    while True:
        unformed: dict[str, int] = {side: int(alternating.unformed(state, side) is not None) for side in _SIDES}
        side = phases.next_side(unformed, state.active or "B", None)
        squadron = alternating.unformed(state, side) if side else None
        if squadron is None:
            formed = tuple(
                one
                for each in _SIDES
                for one in command.squadrons(state.position, each, alternating.forms(state, each))
            )
            return Step(structs.replace(state, stage="turn", active=None, squadrons=formed), tuple(told))
        state = structs.replace(state, active=squadron.side)
        if len(alternating.ways(state, squadron)) > 1:
            return Step(state, tuple(told))
        state = structs.replace(alternating.formed(state, squadron, "range"), active=other(squadron.side))


def _turn(state: State, given: Mapping[Seat, Answer]) -> Step:
    """The sheets are in: wind, squadrons, initiative, speeds; then all act."""
    papers = {seat: answer for seat, answer in given.items() if isinstance(answer, Sheet)}
    if winner := _claimed(state, papers):
        return _ended(state, "claimed", winner, [])
    blue_idle, red_idle = (state.idle[at] + 1 if _idle(state, side, papers) else 0 for at, side in enumerate(_SIDES))
    last = tuple(sheets.canonical(papers[seat]) if seat in papers else "" for seat in range(len(state.captains)))
    blue, red = (_joined(state, side, papers) for side in _SIDES)
    stand = tuple(_doctrines(state, side, papers) for side in _SIDES)
    state = structs.replace(
        state,
        before=state.position,
        last=last,
        idle=(blue_idle, red_idle),
        sheets=(blue, red),
        doctrines=(stand[0], stand[1]),
    )
    play = _play(state)
    phases.wind(play)
    wishes = {"B": blue.forms, "R": red.forms}
    if "form" in state.turns:
        wishes = {side: alternating.forms(state, side) for side in _SIDES}
    formed = phases.form(play, wishes)
    play.say(SquadronsFormed(squadrons=formed, rule="SQ-05.8"))
    opener = state.opener if state.position.turn == 1 else None  # his already, by the die of the set-up (SQ-23.7)
    winner = opener or phases.initiative(play)
    state = structs.replace(_kept(state, play), squadrons=formed, initiative=winner)
    told = list(play.events)
    wish = play.of_side(winner, "order")
    if wish == "ask":
        return Step(structs.replace(state, stage="order"), tuple(told))
    return _speeds(_won(state, itself=wish == "first"), [*told, _told_first(state, itself=wish == "first")])


def _idle(state: State, side: Side, papers: Mapping[Seat, Sheet]) -> bool:
    """Whether all that is said for a side was said in its captains' place."""
    return all(sheet.absent for seat, sheet in papers.items() if state.captains[seat].side == side)


def _claimed(state: State, papers: Mapping[Seat, Sheet]) -> Side | None:
    """Who claims the win from a side that let two turns pass and is not back now (9.3)."""
    for at, side in enumerate(_SIDES):
        wanted = any(sheet.claim for seat, sheet in papers.items() if state.captains[seat].side == side)
        if wanted and state.idle[1 - at] >= sheets.IDLE_MOST and _idle(state, other(side), papers):
            return side
    return None


def _joined(state: State, side: Side, papers: Mapping[Seat, Sheet]) -> Turnsheet:
    """One side's orders out of its captains' sheets, squadrons and `all` written out ship by ship."""
    forms: list[Form] = []
    lines: list[Line] = []
    boards: list[Board] = []
    speeds: dict[str, Any] = {}
    sequence: list[str] = []
    double = ""
    for seat, sheet in papers.items():
        if state.captains[seat].side != side:
            continue
        desk = sheets.desk_of(state, seat)
        flags = sheets.flagships(desk, sheet)
        forms += sheets.forms(desk, sheet)
        lines += sheets.lines(desk, sheet)
        boards += sheet.boards
        speeds.update(sheets.speeds(desk, sheet))
        sequence += [flags.get(name, name) for name in sheet.sequence]
        double = flags.get(sheet.double, sheet.double) or double
    orders = Orders(tuple(lines), tuple(boards))
    return Turnsheet(
        forms=tuple(forms), speeds=speeds, sequence=tuple(dict.fromkeys(sequence)), double=double, orders=orders
    )


def _doctrines(state: State, side: Side, papers: Mapping[Seat, Sheet]) -> Doctrines:
    stand = [*state.doctrines[_SIDES.index(side)].lines]
    for seat, sheet in papers.items():
        if state.captains[seat].side == side:
            stand = [*doctrine.merged((*stand, *_own_doctrines(state, seat, sheet)))]
    return Doctrines(doctrine.merged(stand))


def _own_doctrines(state: State, seat: Seat, sheet: Sheet) -> Iterable[DoctrineLine]:
    """What a captain's doctrine means: what one of several says of all holds for his ships alone."""
    if len(seats.of_side(state, state.captains[seat].side)) == 1:
        return sheet.doctrines
    return doctrine.of_ships(sheet.doctrines, seats.ships_of(state, seat))


def _won(state: State, *, itself: bool) -> State:
    winner = state.initiative or "B"
    return structs.replace(state, first=winner if itself else other(winner))


def _told_first(state: State, *, itself: bool) -> Event:
    winner = state.initiative or "B"
    return InitiativeWon(side=winner, first=winner if itself else other(winner), rule="SQ-03.2")


def _speeds(state: State, told: list[Event]) -> Step:
    """Phase D, then E."""
    if "speed" in state.turns:
        return _pacing(structs.replace(state, stage="speed", active=state.first), told)
    play = _play(state)
    phases.speeds(play, {side: sheet.speeds for side, sheet in zip(_SIDES, state.sheets, strict=True) if sheet})
    state = _phase(_kept(state, play), "E")
    return _go(structs.replace(state, stage="activation", active=state.first), [*told, *play.events])


def _pacing(state: State, told: list[Event]) -> Step:
    """Both sides set the speeds of their squadrons in turn, whoever goes first begins (SQ-07.1); then E."""
    while True:
        todo: dict[str, int] = {side: len(alternating.unpaced(state, side)) for side in _SIDES}
        side = phases.next_side(todo, state.active or "B", None)
        if side is None:
            return _go(structs.replace(_phase(state, "E"), stage="activation", active=state.first), told)
        squadron = alternating.unpaced(state, side)[0]
        state = structs.replace(state, active=side)
        if alternating.asked_for(state, squadron):
            return Step(state, tuple(told))
        state, told = _paced(state, squadron, alternating.written(state, squadron), told)


def _paced(
    state: State, squadron: Squadron, wishes: Mapping[str, Speed], told: list[Event]
) -> tuple[State, list[Event]]:
    """A squadron's speeds are set; the other side is next."""
    play = _play(state)
    phases.speeds(play, {squadron.side: wishes}, squadron.ships)
    state = structs.replace(_kept(state, play), paced=(*state.paced, squadron.flagship), active=other(squadron.side))
    return state, [*told, *play.events]


# --- squadrons act in turn ----------------------------------------------------------------------------------------


def _go(state: State, told: list[Event]) -> Step:
    """Squadrons act as the sheets say, until somebody is asked or the turn is over."""
    while True:
        side = _whose_go(state)
        if side is None:
            if state.position.phase == "F":
                return _end_turn(state, told)
            state = structs.replace(_phase(state, "F"), active=state.first)
            continue
        state = structs.replace(state, active=side)
        squadron = _next_squadron(state, side)
        if squadron is None or (state.pace == "squadron" and not _ordered(state, squadron)):
            return Step(state, tuple(told))
        step = _carry_out(state, _order(state, squadron), told)
        if step.state.running or step.state.outcome:
            return step
        state, told = step.state, list(step.events)


def left(state: State, side: str) -> list[Squadron]:
    """Squadrons of a side that may act in this phase and have not."""
    individual = state.position.phase == "F"
    return [
        one
        for one in state.squadrons
        if one.side == side and not one.activated and (one.number == 0) == individual and _present(state, one)
    ]


def able(state: State, side: str) -> list[Squadron]:
    """Those of them of which one may act next.

    A side with several Admirals that has won the initiative and goes first begins with the squadron of the one whose
    rating it used (SQ-03.3).
    """
    found, position = left(state, side), state.position
    admirals = position.admirals(side)
    begins = position.phase == "E" and not any(one.activated for one in state.squadrons)
    if len(admirals) < 2 or not begins or not state.initiative == state.first == side:
        return found
    best = max(one.rating.initiative for one in admirals)
    leaders = {one.id for one in admirals if one.rating.initiative == best}
    return [one for one in found if one.leader in leaders] or found


def _present(state: State, squadron: Squadron) -> bool:
    """Whether any of its ships is there to act."""
    ships = (state.position.ship(name) for name in squadron.ships)
    return any(ship.afloat and ship.side == squadron.side and not ship.done for ship in ships)


def _whose_go(state: State) -> Side | None:
    """Whose go it is: the side whose go it should be, or the other one if it has none left (SQ-03.4)."""
    return phases.next_side({side: len(left(state, side)) for side in _SIDES}, state.active or state.first or "B", None)


def _next_squadron(state: State, side: str) -> Squadron | None:
    """The next squadron by the sheet's sequence; else the one with the lowest number, or id."""
    may = able(state, side)
    sheet = state.sheets[_SIDES.index("B" if side == "B" else "R")]
    for flagship in sheet.sequence if sheet else ():
        for one in may:
            if flagship == one.flagship:
                return one
    return may[0] if may else None


def _ordered(state: State, squadron: Squadron) -> bool:
    """Whether the sheet orders anything for any of its ships."""
    sheet = state.sheets[_SIDES.index(squadron.side)]
    named = {line.ship for line in sheet.orders.lines} if sheet else set()
    return any(name in named for name in squadron.ships)


def _order(state: State, squadron: Squadron) -> Activate:
    """What the sheet says for a squadron; of a double activation for both."""
    sheet = state.sheets[_SIDES.index(squadron.side)] or Turnsheet()
    double = _double(state, squadron, sheet.double)
    named = {*squadron.ships, *(double.ships if double else ())}
    lines = moves.coming_in(state.position, [line for line in sheet.orders.lines if line.ship in named], named)
    boards = tuple(one for one in sheet.orders.boards if any(share.ship in named for share in one.shares))
    return Activate(squadron=squadron.flagship, orders=Orders(lines, boards), double=double.flagship if double else "")


def _double(state: State, squadron: Squadron, flagship: str) -> Squadron | None:
    """The squadron that acts with the Admiral's, if it is his go and both may (SQ-05.11)."""
    if not flagship or state.doubled[_SIDES.index(squadron.side)]:
        return None
    admiral = next((one.id for one in state.position.admirals(squadron.side)), "")
    other_one = next((one for one in left(state, squadron.side) if one.flagship == flagship), None)
    return other_one if other_one and squadron.leader == admiral and other_one != squadron else None


def _acts(state: State, answer: Activation) -> Step:
    """One squadron, ordered when it is due."""
    seat = _who_acts(state)
    desk = sheets.desk_of(state, seat)
    sheet = answer.sheet
    squadron = next(one for one in state.squadrons if one.flagship == answer.squadron)
    stand = list(state.doctrines)
    at = _SIDES.index(squadron.side)
    if not sheet.absent:
        idle = [*state.idle]
        idle[at] = 0
        state = structs.replace(state, idle=(idle[0], idle[1]))
    stand[at] = Doctrines(doctrine.merged((*stand[at].lines, *_own_doctrines(state, seat, sheet))))
    state = structs.replace(state, doctrines=(stand[0], stand[1]))
    flags = sheets.flagships(desk, sheet)
    double = _double(state, squadron, flags.get(sheet.double, sheet.double))
    order = Activate(
        squadron=squadron.flagship,
        orders=Orders(moves.coming_in(state.position, sheets.lines(desk, sheet), squadron.ships), sheet.boards),
        double=double.flagship if double else "",
    )
    step = _carry_out(state, order, [])
    return step if step.state.running or step.state.outcome else _go(step.state, list(step.events))


def _resumed(state: State, running: Running, choice: str) -> Step:
    """An activation goes on in which somebody was asked: from its beginning, with the dice that fell."""
    state = structs.replace(state, position=running.start, running=None)
    running = structs.replace(running, decided=(*running.decided, choice))
    step = _carry_out(state, running.order, [], running)
    return step if step.state.running or step.state.outcome else _go(step.state, list(step.events))


def _carry_out(state: State, order: Activate, told: list[Event], again: Running | None = None) -> Step:
    """Activate a squadron; of one that is carried out again what was told already is not told again."""
    start = state.position
    decided = again.decided if again else ()
    already = again.told if again else 0
    play = Play(start, Thrown(state.dice, again.thrown if again else ()), _both(state), decided)
    squadrons = state.squadrons
    try:
        acted = activation.activate(play, squadrons, order)
    except Undecided as open_:
        asked = Asked(
            seat=seats.seat_of(state, open_.ship),
            ship=open_.ship,
            key=open_.key,  # type: ignore[arg-type] # a key of doctrines that can be asked
            by=open_.by,
            offered=open_.offered,
        )
        fell = play.cup.fell if isinstance(play.cup, Thrown) else ()
        running = Running(
            start=start,
            order=order,
            told=len(play.events),
            thrown=fell,
            decided=decided,
            asked=asked,
        )
        state = structs.replace(_kept(state, play), running=running)
        return Step(state, (*told, *play.events[already:]))
    side = next(one.side for one in squadrons if one.flagship == order.squadron)
    at = _SIDES.index(side)
    doubled = list(state.doubled)
    doubled[at] = doubled[at] or bool(order.double)
    state = structs.replace(
        _kept(state, play),
        squadrons=tuple(structs.replace(one, activated=True) if one.flagship in acted else one for one in squadrons),
        doubled=(doubled[0], doubled[1]),
        active=other(side),
    )
    return Step(state, (*told, *play.events[already:]))


# --- the end of a turn, and of the game ---------------------------------------------------------------------------


def _end_turn(state: State, told: list[Event]) -> Step:
    """Phases G and H; then the next turn, or the end."""
    play = _play(_phase(state, "G"))
    aftermath.run(play)
    play.position = structs.replace(play.position, phase="H")
    over = victory.run(play)
    state = _kept(state, play)
    told = [*told, *play.events]
    end = play.events[-1]
    return _closed(state, end, told) if over is not None and isinstance(end, End) else begin(state, told)


def act(state: State, done: Unasked) -> Step:
    """Carry out what a captain did unasked (SQ-22.8); nothing comes of it when the game is over."""
    if state.outcome:
        return Step(state, ())
    if isinstance(done, AgreeDraw):
        return _ended(state, "agreed", "draw", [])
    if done.seat in state.conceded:
        return Step(state, ())
    side, asked = state.captains[done.seat].side, pending(state)
    state = structs.replace(state, conceded=(*state.conceded, done.seat))
    heirs = tuple(one.seat for one in seats.of_side(state, side))
    told: list[Event] = [GaveUp(seat=done.seat, heirs=heirs, rule="SQ-22.8")]
    if not heirs:
        return _ended(state, "conceded", other(side), told)
    running = state.running
    if running and running.asked.seat == done.seat:
        # whoever has given up is asked no more; what was begun goes on as doctrines do by default
        choice = asking.default(_asked(state, running.asked)).choice
        return _with(told, _resumed(structs.replace(state, answered=state.answered + 1), running, choice))
    if {one.id for one in asked if one.seat == done.seat} & {one.id for one in pending(state)}:
        state = structs.replace(state, answered=state.answered + 1)  # another is asked, and not under the same name
    return Step(state, tuple(told))


def _with(told: Sequence[Event], step: Step) -> Step:
    return Step(step.state, (*told, *step.events))


def _ended(state: State, reason: EndReason, winner: str, told: list[Event]) -> Step:
    blue, red = victory.points(state.position)
    rule = "SQ-24.1" if reason == "claimed" else "SQ-22.8"
    end = End(winner=winner, reason=reason, blue=blue, red=red, drawish=False, rule=rule)  # type: ignore[arg-type]
    return _closed(state, end, [*told, end])


def _closed(state: State, end: End, told: Sequence[Event]) -> Step:
    """The game is over."""
    winners = tuple(one.seat for one in state.captains if one.side == end.winner)
    reason = victory.reason(state.position, end)
    outcome = Result(winners=winners, reason=reason)
    return Step(structs.replace(state, stage="over", running=None, outcome=outcome), tuple(told))


# --- plays --------------------------------------------------------------------------------------------------------


def _both(state: State) -> Doctrines:
    """What holds for each side, its squadrons, and the ships that it controls now."""
    lines = [
        line
        for side, stand in zip(_SIDES, state.doctrines, strict=True)
        for line in stand.lines
        if (ship := state.position.by_id.get(line.who)) is None or ship.side == side
    ]
    return Doctrines(tuple(lines))


def _play(state: State) -> Play:
    return Play(state.position, Thrown(state.dice), _both(state))


def _kept(state: State, play: Play) -> State:
    """Put back into the state what came of a play."""
    dice = play.cup.dice if isinstance(play.cup, Thrown) else state.dice
    return structs.replace(state, position=play.position, dice=dice)


def _phase(state: State, phase: Any) -> State:  # noqa: ANN401 - a letter of the phases
    return structs.replace(state, position=structs.replace(state.position, phase=phase))
