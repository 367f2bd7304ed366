"""The course of a game: who is asked what, and what becomes of the answers (RS part 2, 8.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import structs

from rules.choosing import Choice
from rules.cup import Cup, Thrown
from rules.happenings import over
from rules.protocol import DrawReason, Event, Request, Seat, Step, ask_each
from rules.ramspeed.desk import interrupts
from rules.ramspeed.desk.answers import Act, Answer, Done, Orders, Standing
from rules.ramspeed.desk.interrupts import Undecided
from rules.ramspeed.table.events import DoctrineChanged, End, GaveUp, TurnBegan, TurnEnded
from rules.ramspeed.table.events import Sequence as Sequenced
from rules.ramspeed.table.events.base import SIDES
from rules.ramspeed.table.events.phases import Inherited
from rules.ramspeed.table.notation import doctrine
from rules.ramspeed.table.orders import Line, Sheet
from rules.ramspeed.table.phases import ending, turn
from rules.ramspeed.table.phases.turn import Outcome, Plans, Progress
from rules.ramspeed.table.state import Live, Position, State
from rules.tuples import replaced
from rules.view import Text


def pending(state: State) -> tuple[Request, ...]:
    """Who must answer what now, and who may."""
    if state.outcome:
        return ()
    number = state.position.turn
    if state.live is None:
        return ask_each(_ordering(state), "orders", number, letter="t")
    return (*_optional(state), _asked(state, state.live))


def _ordering(state: State) -> tuple[Seat, ...]:
    """Seats that have a ship with a crew; others can order nothing that would be carried out."""
    position = state.position
    return tuple(
        seat
        for seat, player in sorted(zip(state.seats, position.players, strict=True))
        if any(ship.crew for ship in position.owned(player))
    )


def _asked(state: State, live: Live) -> Request:
    number, asked = state.position.turn, live.asked
    if asked:
        return Request(
            id=f"t{number}.{asked.key}.{live.answered}",
            seat=asked.seat,
            kind=interrupts.KINDS[asked.key],
            round=number,
            live=True,
            sealed=False,
            params={"ship": asked.ship, "by": asked.by, "key": asked.key},
            budget=f"t{number}.{asked.seat}",
        )
    player = live.order[0]
    return Request(
        id=f"t{number}.act.{live.answered}",
        seat=state.seat(player),
        kind="act",
        round=number,
        live=live.answered > 0,
        sealed=False,
        clock=f"t{number}.{player}",
        budget=f"t{number}.{player}" if state.mode == "asked" else "",
    )


def _optional(state: State) -> tuple[Request, ...]:
    """What each captain may change at any time: doctrines, and the sheet for a missing one.

    It has another id each turn, because it is read with the ships that the captain has then; a draft for ships that
    have changed hands is dropped. Records name these ids.
    """
    number = state.position.turn
    return tuple(
        Request(
            id=f"t{number}.doctrine.{seat}.{state.changes[at]}", seat=seat, kind="doctrine", round=number, optional=True
        )
        for at, seat in enumerate(state.seats)
        if seat not in state.conceded
    )


def carry_out(state: State, given: Iterable[tuple[Request, Answer]]) -> Step:
    """Change what stands, then carry out sheets, or what one captain has done or chosen."""
    told: list[Event] = []
    main: list[tuple[Seat, Answer]] = []
    for request, answer in given:
        if isinstance(answer, Standing):
            at = state.seats.index(request.seat)
            changes = replaced(state.changes, at, state.changes[at] + 1)
            state = structs.replace(_standing(state, request.seat, answer), changes=changes)
            told.append(DoctrineChanged(seat=request.seat, seen_by=(request.seat,)))
        else:
            main.append((request.seat, answer))
    if not main:
        return Step(state, tuple(told))
    return _live(state, state.live, main[0][1], told) if state.live else _sealed(state, main, told)


def begin(state: State, told: Iterable[Event] = ()) -> Step:
    """A turn begins: FIRE, and where captains act one after the other the order of play."""
    events = list(told)
    while True:
        position = state.position
        events.append(TurnBegan(turn=position.turn, ships=position.ships, links=position.links))
        done = turn.burn(Progress(position=position), Thrown(state.dice))
        events += done.events
        state = structs.replace(_kept(state, done), changes=(0,) * len(state.seats), live=None)
        if state.mode != "sealed":
            done = turn.roll_initiative(done.progress, done.cup)
            events += done.events
            return _next(_went_on(state, done), events)
        if _ordering(state):
            return Step(state, tuple(events))
        # Fire has taken the last crews: the turn is played to its end, which ends the game.
        step = _whole_turn(state, {}, events)
        if step.state.outcome:
            return step
        state, events = step.state, list(step.events)


# --- sheets in secret --------------------------------------------------------------------------------------------


def _sealed(state: State, answers: Iterable[tuple[Seat, Answer]], told: Sequence[Event]) -> Step:
    sheets: dict[str, Sheet] = {}
    last = [Sheet()] * len(state.seats)
    for seat, answer in answers:
        if isinstance(answer, Orders):
            state = _standing(state, seat, Standing(answer.doctrines, answer.standing))
            sheets[state.player(seat)] = last[state.seats.index(seat)] = answer.sheet
    return _next_turn(_whole_turn(structs.replace(state, last=tuple(last)), sheets, told))


def _next_turn(step: Step) -> Step:
    """The next turn begins after this one, unless the game is over."""
    return step if step.state.outcome else begin(step.state, step.events)


def _whole_turn(state: State, sheets: Mapping[str, Sheet], told: Sequence[Event]) -> Step:
    state = structs.replace(state, before=state.position)
    done = turn.run(state.position, sheets, interrupts.plans(state, None), Thrown(state.dice))
    return _closed(_kept(state, done), (*told, *done.events))


def _standing(state: State, seat: Seat, answer: Standing) -> State:
    """The state with a captain's changes of what stands."""
    at = state.seats.index(seat)
    doctrines = doctrine.merged((*state.doctrines[at].lines, *answer.doctrines))
    state = structs.replace(state, doctrines=replaced(state.doctrines, at, doctrines))
    if answer.standing is None:
        return state
    stands = answer.standing if answer.standing.lines else None  # an empty one: nothing stands in for a missing sheet
    return structs.replace(state, standing=replaced(state.standing, at, stands))


# --- ship by ship ------------------------------------------------------------------------------------------------


def _live(state: State, live: Live, answer: Answer, told: Sequence[Event]) -> Step:
    before = state.before if live.answered else state.position
    state = structs.replace(state, before=before, live=structs.replace(live, answered=live.answered + 1))
    match answer:
        case Act(line):
            return _go_on(state, line, {}, told)
        case Done():
            return _end_player(state, (*told, TurnEnded(seat=state.seat(live.order[0]), rule="RS-03.3")))
        case Choice(choice) if live.asked:
            decided = {**live.decided, f"{live.asked.ship}.{live.asked.key}": choice}
            settled = structs.replace(_of(state), asked=None, line=None, decided={})
            return _go_on(structs.replace(state, live=settled), live.line, decided, told)
    raise ValueError(f"no answer of a player-turn: {answer}")


def _go_on(state: State, line: Line | None, decided: Mapping[str, str], told: Sequence[Event]) -> Step:
    """A ship acts, or the turn ends without a line; a captain who has to decide something about it is asked first."""

    def step(progress: Progress, cup: Cup, plans: Plans) -> Outcome:
        return turn.activate(progress, line, cup, plans) if line else turn.close(progress, cup, plans)

    try:
        after, events = _step(state, step, decided)
    except Undecided as open_:
        asked = interrupts.question(state, open_, line.ship if line else "")
        live = structs.replace(_of(state), asked=asked, line=line, decided=dict(decided))
        return Step(structs.replace(state, live=live), tuple(told))
    told = (*told, *events)
    if line is None:
        return _next_turn(_closed(after, told))
    live = _of(after)
    idle = [ship for ship in after.position.owned(live.order[0]) if ship.id not in (*live.named, *live.captured)]
    return Step(after, told) if any(ship.crew for ship in idle) else _end_player(after, told)


def _end_player(state: State, told: Sequence[Event]) -> Step:
    state, events = _step(state, turn.close_player)
    return _next(state, (*told, *events))


def _next(state: State, told: Sequence[Event]) -> Step:
    """The next player-turn begins in which there is something to be ordered; after the last the turn ends."""
    if not _of(state).order:
        return _go_on(state, None, {}, told)
    state, events = _step(state, turn.open_player)
    told = (*told, *events)
    crewed = any(ship.crew for ship in state.position.owned(_of(state).order[0]))
    return Step(state, told) if crewed else _end_player(state, told)


def _of(state: State) -> Live:
    if state.live is None:
        raise ValueError("nobody acts one after the other in this game")
    return state.live


def _step(
    state: State, step: Callable[[Progress, Cup, Plans], Outcome], decided: Mapping[str, str] | None = None
) -> tuple[State, tuple[Event, ...]]:
    """The state after a step of the turn that is played ship by ship, and what happened. Raises `Undecided`."""
    live = _of(state)
    progress = Progress(
        position=state.position,
        order=live.order,
        named=live.named,
        captured=live.captured,
        spent=live.spent,
        attacked=live.attacked,
    )
    done = step(progress, Thrown(state.dice), interrupts.plans(state, decided))
    return _went_on(state, done), done.events


def _went_on(state: State, done: Outcome) -> State:
    """The state after a step of a turn that is played ship by ship."""
    after, live = done.progress, state.live or Live(order=())
    live = structs.replace(live, order=after.order, named=after.named, captured=after.captured, attacked=after.attacked)
    return structs.replace(_kept(state, done), live=live)


def _kept(state: State, done: Outcome) -> State:
    """The state after a step of the turn."""
    dice = done.cup.dice if isinstance(done.cup, Thrown) else state.dice
    sequence = next((event.players for event in done.events if isinstance(event, Sequenced)), state.sequence)
    return structs.replace(state, position=done.position, dice=dice, sequence=sequence)


# --- the end -----------------------------------------------------------------------------------------------------


def draw(state: State, reason: DrawReason = "agreed") -> Step:
    """All captains have agreed on a draw, or the game can't go on."""
    return _closed(state, [ending.undecided(state.position, reason)])


def concede(state: State, seat: Seat) -> Step:
    """A captain gives up: allies take over the ships, or the side has lost (RS-20.4)."""
    side = state.position.side(state.player(seat))
    state = structs.replace(state, conceded=(*state.conceded, seat))
    heirs = tuple(
        one for one in state.seats if state.position.side(state.player(one)) == side and one not in state.conceded
    )
    given = _given(state, seat, heirs)
    told: list[Event] = [GaveUp(seat=seat, heirs=heirs, given=given, rule="RS-20.4")]
    if not heirs:
        return _closed(state, [*told, ending.concede(state.position, side)])
    return _inherited(state, seat, {one.ship: one.owner for one in given}, told)


def _given(state: State, seat: Seat, heirs: tuple[Seat, ...]) -> tuple[Inherited, ...]:
    """Which of a captain's ships goes to which ally: they take turns."""
    if not heirs:
        return ()
    ships = state.position.owned(state.player(seat))
    return tuple(Inherited(ship.id, state.player(heirs[at % len(heirs)])) for at, ship in enumerate(ships))


def _inherited(state: State, seat: Seat, given: Mapping[str, str], told: Sequence[Event]) -> Step:
    """Allies take over a captain's ships, and act with them from their next player-turn.

    If that captain's player-turn has begun, or is over, it is in the next turn: no ship acts twice in one.
    """
    player = state.player(seat)
    ships = tuple(structs.replace(ship, owner=given.get(ship.id, ship.owner)) for ship in state.position.ships)
    state = structs.replace(state, position=structs.replace(state.position, ships=ships))
    live = state.live
    if live is None:
        return Step(state, tuple(told)) if _ordering(state) else begin(state, told)
    active = live.order[:1] == (player,)
    asked_them = live.asked is not None and live.asked.seat == seat
    order = tuple(one for one in live.order if one != player)
    captured = (*live.captured, *given) if order[:1] and not active else ()
    spent = live.spent if player in live.order[1:] else (*live.spent, *given)
    after = structs.replace(live, order=order, captured=captured, spent=spent, answered=live.answered + 1)
    if active or asked_them:
        after = structs.replace(after, asked=None, line=None, decided={})
    state = structs.replace(state, live=after)
    if active:
        return _next(state, told)
    if asked_them:  # what was begun is carried out; only the heirs can be asked
        return _go_on(state, live.line, live.decided, told)
    return Step(state, tuple(told))


def _closed(state: State, told: Sequence[Event]) -> Step:
    """See whether the game has ended with what happened last."""
    last = told[-1]
    if not isinstance(last, End):
        return Step(state, tuple(told))
    position = ending.over(state.position)
    return over(state, told, _winners(state, last), _reason(position, last), position=position, live=None)


def _winners(state: State, end: End) -> tuple[Seat, ...]:
    seats = zip(state.seats, state.position.seats, strict=True)
    return tuple(sorted(seat for seat, captain in seats if captain.side == end.winner))


def _reason(position: Position, end: End) -> Text:
    first, second = end.score
    if end.winner == ending.DRAW:
        return Text(f"reason.{end.reason}.drawn", {"first": first, "second": second})
    won = end.winner == position.sides[0]
    points = {"points": first if won else second, "against": second if won else first}
    return Text(f"reason.{end.reason}", {"side": side_key(position, end.winner), **points})


def side_key(position: Position, side: str) -> str:
    """The catalogue's key of a side: its name, if it is one of the game's own scenarios."""
    return side if side in SIDES else ("first", "second")[position.sides.index(side)]
