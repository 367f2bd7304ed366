"""What comes of a captain's orders: the rules carry them out many times, against what others are likely to order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.cup import Cup
from rules.dice import subseed
from rules.promise import Deed, Promise, counted, foretold
from rules.protocol import Event
from rules.ramspeed.captains import admiral, deckhand, mate
from rules.ramspeed.desk import reasons
from rules.ramspeed.desk.answers import Act, Answer, Orders
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table.events import Grappled, Hooks, Oars, Rammed, Shot, Swiped
from rules.ramspeed.table.odds import HOPES
from rules.ramspeed.table.orders import Alternative, Grapple, Line, Ram, Sheet, Shoot, Stay, Swipe
from rules.ramspeed.table.phases import turn
from rules.ramspeed.table.phases.turn import Progress
from rules.ramspeed.table.state import Position
from rules.search import DiceSamples, SampleCup
from rules.thinking import is_enough
from rules.view import Text

_MINDS: Final = (mate.lines, deckhand.lines, mate.lines)
"""Who orders in the others' place."""


def foretell(view: SeaView, answer: Answer, seed: str) -> tuple[Text, ...]:
    """How likely the attack from which most is to be hoped comes off, everything considered; empty: none is ordered."""
    lines = _lines(answer)
    if is_enough() or not any(one.attack for line in lines for one in line.alternatives):
        return ()
    best = reasons.best_attack(view.position, lines)
    named = Deed(best.kind, best.ship, best.to) if best else None
    return foretold(promised(view, lines, seed), shot="shot", named=named)


def without_vain_deeds(view: SeaView, answer: Answer, seed: str) -> Answer:
    """The answer without shots for which there is hardly ever anybody in range, and attacks that are never possible."""
    lines = _lines(answer)
    steps = [step for line in lines for one in line.alternatives for step in one.steps]
    if is_enough() or not any(isinstance(step, Shoot | Ram | Swipe | Grapple) for step in steps):
        return answer
    found = promised(view, lines, seed)
    kept = tuple(
        structs.replace(line, alternatives=tuple(_kept(line.ship, line.alternatives, found))) for line in lines
    )
    return Orders(Sheet(kept)) if isinstance(answer, Orders) else Act(kept[0])


def promised(view: SeaView, lines: tuple[Line, ...], seed: str) -> Promise:
    """What comes of a captain's lines; the seed (hex) is for all dice."""
    assert view.seat is not None  # noqa: S101 - somebody is asked
    me = view.position.players[view.seats.index(view.seat)]
    acted = view.acted if view.active is not None else None
    return _promised(_Start(view.position, me, _orders(view, me), acted), lines, seed)


class _Start(NamedTuple):
    """A turn from here on."""

    position: Position
    me: str
    orders: tuple[tuple[str, ...], ...]
    """In which players may act."""
    acted: tuple[str, ...] | None
    """Ships that have acted in a player-turn that goes on; None: none has begun."""


@lru_cache(maxsize=4)
def _promised(start: _Start, lines: tuple[Line, ...], seed: str) -> Promise:
    position, me, orders, acted = start
    afloat = sum(ship.afloat for ship in position.ships)
    crowded = afloat > admiral.CROWD
    samples = admiral.trials(afloat)[0] * (1 if crowded else 2)
    luck = DiceSamples(samples, len(orders), subseed(seed, "promise"))
    others = [player for player in position.players if player != me]
    ordered = [
        {player: Sheet(tuple(mind(position, player, (), subseed(seed, f"{player} {number}")))) for player in others}
        for number, mind in enumerate(_MINDS[:1] if crowded else _MINDS)
    ]

    def turn_of(sample: int) -> Iterator[tuple[Deed, bool]]:
        sheets = {**ordered[sample % len(ordered)], me: Sheet(lines)}
        begun = Progress(position=position, order=orders[sample % len(orders)], named=acted or ())
        return _deeds(_events(begun, sheets, SampleCup(luck, sample), opens=acted is None))

    return counted(map(turn_of, range(samples)), {line.ship for line in lines})


def _lines(answer: Answer) -> tuple[Line, ...]:
    match answer:
        case Orders(sheet):
            return sheet.lines
        case Act(line):
            return (line,)
    return ()


def _kept(ship: str, alternatives: Iterable[Alternative], found: Promise) -> Iterator[Alternative]:
    """Alternatives that may come to something, without vain shots; she stays if none is left: she must do something."""
    likely = [one for one in alternatives if not one.attack or found.is_possible(ship, one.attack.target, shot="shot")]
    for one in likely or [Alternative((Stay(),))]:
        steps = tuple(
            step
            for step in one.steps
            if not (isinstance(step, Shoot) and found.is_vain(Deed("shot", ship, step.target)))
        )
        yield Alternative(steps or (Stay(),))


def _orders(view: SeaView, me: str) -> tuple[tuple[str, ...], ...]:
    """In which order players may act: as is known, or their own side first, or the enemies."""
    position = view.position
    if view.active is not None:
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        return (tuple(sequence[sequence.index(me) :]),)
    return admiral.either_first(position, me)


def _events(progress: Progress, sheets: Mapping[str, Sheet], cup: Cup, *, opens: bool) -> Iterator[Event]:
    """All that happens in the player-turns of a turn; `opens`: none of them has begun."""
    while progress.order:
        done = turn.open_player(progress, cup, {}) if opens else turn.Outcome(progress, (), cup)
        for line in sheets.get(progress.order[0], Sheet()).lines:
            done = turn.activate(done.progress, line, done.cup, {})
            yield from done.events
        done = turn.close_player(done.progress, done.cup, {})
        yield from done.events
        progress, cup, opens = done.progress, done.cup, True


def _deeds(events: Iterable[Event]) -> Iterator[tuple[Deed, bool]]:
    """What own ships did, and whether it did harm; an attack comes again as soon as its result is known."""
    last: Deed | None = None
    for event in events:
        match event:
            case Rammed():
                yield Deed("ram", event.by, event.to), event.result in HOPES["ram"]["hope"]
            case Swiped():
                last = Deed("swipe", event.by, event.to)
                yield last, False
            case Oars() if last and last.to == event.ship:
                yield last, event.result == "bank"
            case Grappled():
                yield Deed("grapple", event.by, event.to), event.automatic
            case Hooks():
                yield Deed("grapple", event.by, event.to), event.success
            case Shot():
                yield Deed("shot", event.by, event.to), True
