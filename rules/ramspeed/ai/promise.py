"""What comes of a captain's orders: the rules carry them out many times, against what others are likely to order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.ai.odds import AttackOdds, ExpectedAttack, count_attacks, odds_sentences
from rules.ai.search import DiceSamples, SampleDice
from rules.ai.thinking import is_enough
from rules.chance.cup import DiceSource
from rules.chance.dice import derive_seed
from rules.core.protocol import Event
from rules.core.view import Text
from rules.ramspeed.ai import admiral, deckhand, mate
from rules.ramspeed.engine.events import HooksThrown, OarsSwiped, ShipGrappled, ShipRammed, ShotFired, SwipeResolved
from rules.ramspeed.engine.odds import NAMED_CHANCES
from rules.ramspeed.engine.orders import (
    Alternative,
    GrappleOrder,
    OrderLine,
    OrderSheet,
    RamOrder,
    ShootOrder,
    StayOrder,
    SwipeOrder,
)
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.state import Position
from rules.ramspeed.interface import reasons
from rules.ramspeed.interface.answers import Answer, LiveOrder, SheetOrders
from rules.ramspeed.interface.view import SeaView

_ENEMY_MODELS: Final = (mate.choose_lines, deckhand.choose_lines, mate.choose_lines)
"""Who orders in the others' place."""


def describe_odds(view: SeaView, answer: Answer, seed: str) -> tuple[Text, ...]:
    """How likely the attack from which most is to be hoped comes off, everything considered; empty: none is ordered."""
    lines = _answer_lines(answer)
    if is_enough() or not any(one.attack for line in lines for one in line.alternatives):
        return ()
    best = reasons.best_attack(view.position, lines)
    named = ExpectedAttack(best.kind, best.ship, best.target) if best else None
    return odds_sentences(attack_odds(view, lines, seed), shot="shot", named=named)


def without_vain_attacks(view: SeaView, answer: Answer, seed: str) -> Answer:
    """The answer without shots for which there is hardly ever anybody in range, and attacks that are never possible."""
    lines = _answer_lines(answer)
    steps = [step for line in lines for one in line.alternatives for step in one.steps]
    if is_enough() or not any(isinstance(step, ShootOrder | RamOrder | SwipeOrder | GrappleOrder) for step in steps):
        return answer
    found = attack_odds(view, lines, seed)
    kept = tuple(
        structs.replace(line, alternatives=tuple(_possible_alternatives(line.ship, line.alternatives, found)))
        for line in lines
    )
    return SheetOrders(OrderSheet(kept)) if isinstance(answer, SheetOrders) else LiveOrder(kept[0])


def attack_odds(view: SeaView, lines: tuple[OrderLine, ...], seed: str) -> AttackOdds:
    """What comes of a captain's lines; the seed (hex) is for all dice."""
    assert view.seat is not None  # noqa: S101 - somebody is asked
    me = view.position.players[view.seats.index(view.seat)]
    acted = view.acted if view.active is not None else None
    return _compute_attack_odds(_TurnStart(view.position, me, _possible_orders_of_play(view, me), acted), lines, seed)


class _TurnStart(NamedTuple):
    """A turn from here on."""

    position: Position
    player: str
    orders: tuple[tuple[str, ...], ...]
    """In which players may act."""
    acted: tuple[str, ...] | None
    """Ships that have acted in a player-turn that goes on; None: none has begun."""


@lru_cache(maxsize=4)
def _compute_attack_odds(start: _TurnStart, lines: tuple[OrderLine, ...], seed: str) -> AttackOdds:
    position, me, orders, acted = start
    afloat = sum(ship.is_afloat for ship in position.ships)
    crowded = afloat > admiral.CROWDED_SHIPS
    samples = admiral.trial_budget(afloat)[0] * (1 if crowded else 2)
    luck = DiceSamples(samples, len(orders), derive_seed(seed, "promise"))
    others = [player for player in position.players if player != me]
    ordered = [
        {
            player: OrderSheet(tuple(mind(position, player, (), derive_seed(seed, f"{player} {number}"))))
            for player in others
        }
        for number, mind in enumerate(_ENEMY_MODELS[:1] if crowded else _ENEMY_MODELS)
    ]

    def turn_of(sample: int) -> Iterator[tuple[ExpectedAttack, bool]]:
        sheets = {**ordered[sample % len(ordered)], me: OrderSheet(lines)}
        begun = TurnProgress(position=position, players_left=orders[sample % len(orders)], acted_ships=acted or ())
        return _expected_attacks(_turn_events(begun, sheets, SampleDice(luck, sample), opens=acted is None))

    return count_attacks(map(turn_of, range(samples)), {line.ship for line in lines})


def _answer_lines(answer: Answer) -> tuple[OrderLine, ...]:
    match answer:
        case SheetOrders(sheet):
            return sheet.lines
        case LiveOrder(line):
            return (line,)
    return ()


def _possible_alternatives(ship: str, alternatives: Iterable[Alternative], found: AttackOdds) -> Iterator[Alternative]:
    """Alternatives that may come to something, without vain shots; she stays if none is left: she must do something."""
    likely = [one for one in alternatives if not one.attack or found.is_possible(ship, one.attack.target, shot="shot")]
    for one in likely or [Alternative((StayOrder(),))]:
        steps = tuple(
            step
            for step in one.steps
            if not (isinstance(step, ShootOrder) and found.rarely_hits(ExpectedAttack("shot", ship, step.target)))
        )
        yield Alternative(steps or (StayOrder(),))


def _possible_orders_of_play(view: SeaView, me: str) -> tuple[tuple[str, ...], ...]:
    """In which order players may act: as is known, or their own side first, or the enemies."""
    position = view.position
    if view.active is not None:
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        return (tuple(sequence[sequence.index(me) :]),)
    return admiral.possible_orders_of_play(position, me)


def _turn_events(
    progress: TurnProgress, sheets: Mapping[str, OrderSheet], cup: DiceSource, *, opens: bool
) -> Iterator[Event]:
    """All that happens in the player-turns of a turn; `opens`: none of them has begun."""
    while progress.players_left:
        done = turn.open_player(progress, cup, {}) if opens else turn.TurnStepResult(progress, (), cup)
        for line in sheets.get(progress.players_left[0], OrderSheet()).lines:
            done = turn.activate_line(done.progress, line, done.cup, {})
            yield from done.events
        done = turn.close_player(done.progress, done.cup, {})
        yield from done.events
        progress, cup, opens = done.progress, done.cup, True


def _expected_attacks(events: Iterable[Event]) -> Iterator[tuple[ExpectedAttack, bool]]:
    """What own ships did, and whether it did harm; an attack comes again as soon as its result is known."""
    last: ExpectedAttack | None = None
    for event in events:
        match event:
            case ShipRammed():
                yield ExpectedAttack("ram", event.by, event.to), event.result in NAMED_CHANCES["ram"]["hope"]
            case OarsSwiped():
                last = ExpectedAttack("swipe", event.by, event.to)
                yield last, False
            case SwipeResolved() if last and last.target == event.ship:
                yield last, event.result == "bank"
            case ShipGrappled():
                yield ExpectedAttack("grapple", event.by, event.to), event.automatic
            case HooksThrown():
                yield ExpectedAttack("grapple", event.by, event.to), event.success
            case ShotFired():
                yield ExpectedAttack("shot", event.by, event.to), True
