"""The chances of a captain's orders, from many turns against likely orders of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.ai.odds import AttackOdds, ExpectedAttack, count_attacks, odds_sentences
from rules.ai.search import DiceSamples, SampleDice
from rules.ai.thinking import is_enough
from rules.chance.dice import DiceSource, derive_seed
from rules.core.protocol import Event
from rules.core.view import Text
from rules.ramspeed.ai import admiral, mate
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

_ENEMY_MODELS: Final = (mate.choose_lines, mate.deckhand_lines, mate.choose_lines)


def describe_odds(view: SeaView, answer: Answer, seed: str) -> tuple[Text, ...]:
    lines = _answer_lines(answer)
    if is_enough() or not any(alternative.attack for line in lines for alternative in line.alternatives):
        return ()
    best = reasons.best_attack(view.position, lines)
    named = ExpectedAttack(best.kind, best.ship, best.target) if best else None
    return odds_sentences(attack_odds(view, lines, seed), shot="shot", named=named)


def without_vain_attacks(view: SeaView, answer: Answer, seed: str) -> Answer:
    """Return the answer without shots that hardly ever find a target, and attacks that are never possible."""
    lines = _answer_lines(answer)
    steps = [step for line in lines for alternative in line.alternatives for step in alternative.steps]
    if is_enough() or not any(isinstance(step, ShootOrder | RamOrder | SwipeOrder | GrappleOrder) for step in steps):
        return answer
    chances = attack_odds(view, lines, seed)
    useful_lines = tuple(
        structs.replace(line, alternatives=tuple(_possible_alternatives(line.ship, line.alternatives, chances)))
        for line in lines
    )
    return SheetOrders(OrderSheet(useful_lines)) if isinstance(answer, SheetOrders) else LiveOrder(useful_lines[0])


def attack_odds(view: SeaView, lines: tuple[OrderLine, ...], seed: str) -> AttackOdds:
    """Return the results of a captain's lines over many turns; the seed (hex) decides all dice."""
    assert view.seat is not None  # noqa: S101 - somebody is asked
    me = view.position.players[view.seats.index(view.seat)]
    acted = view.acted if view.active is not None else None
    return _compute_attack_odds(_TurnStart(view.position, me, _possible_orders_of_play(view, me), acted), lines, seed)


class _TurnStart(NamedTuple):
    position: Position
    player: str
    orders: tuple[tuple[str, ...], ...]
    acted: tuple[str, ...] | None  # ships that have acted in the current player-turn; None if none has begun


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


def _possible_alternatives(
    ship: str, alternatives: Iterable[Alternative], chances: AttackOdds
) -> Iterator[Alternative]:
    likely = [
        alternative
        for alternative in alternatives
        if not alternative.attack or chances.is_possible(ship, alternative.attack.target, shot="shot")
    ]
    for alternative in likely or [Alternative((StayOrder(),))]:
        steps = tuple(
            step
            for step in alternative.steps
            if not (isinstance(step, ShootOrder) and chances.rarely_hits(ExpectedAttack("shot", ship, step.target)))
        )
        yield Alternative(steps or (StayOrder(),))


def _possible_orders_of_play(view: SeaView, me: str) -> tuple[tuple[str, ...], ...]:
    position = view.position
    if view.active is not None:
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        return (tuple(sequence[sequence.index(me) :]),)
    return admiral.possible_orders_of_play(position, me)


def _turn_events(
    progress: TurnProgress, sheets: Mapping[str, OrderSheet], cup: DiceSource, *, opens: bool
) -> Iterator[Event]:
    while progress.players_left:
        result = turn.open_player(progress, cup, {}) if opens else turn.TurnStepResult(progress, (), cup)
        for line in sheets.get(progress.players_left[0], OrderSheet()).lines:
            result = turn.activate_line(result.progress, line, result.cup, {})
            yield from result.events
        result = turn.close_player(result.progress, result.cup, {})
        yield from result.events
        progress, cup, opens = result.progress, result.cup, True


def _expected_attacks(events: Iterable[Event]) -> Iterator[tuple[ExpectedAttack, bool]]:
    """Yield each attack with whether it did harm; an attack is repeated once its result is known."""
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
