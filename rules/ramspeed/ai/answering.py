"""Answers of computer captains and hints at each level, and the odds of their attacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.ai.odds import AttackOdds, ExpectedAttack, count_attacks, odds_sentences
from rules.ai.search import DiceSamples, SampleDice
from rules.ai.thinking import is_enough
from rules.chance.dice import DiceSource, derive_seed
from rules.core.protocol import Event, Request
from rules.core.view import Text
from rules.interface.question import Choice
from rules.ramspeed.ai import admiral, mate
from rules.ramspeed.engine.events import HooksThrown, OarsSwiped, ShipGrappled, ShipRammed, ShotFired, SwipeResolved
from rules.ramspeed.engine.odds import NAMED_CHANCES
from rules.ramspeed.engine.orders import (
    Alternative,
    GrappleOrder,
    OrderLine,
    OrderSheet,
    OrderStep,
    RamOrder,
    ShootOrder,
    StayOrder,
    SwipeOrder,
)
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.state import Position
from rules.ramspeed.interface import fleet_drafts, preview, reasons
from rules.ramspeed.interface.interrupts import CHOICES_BY_KEY
from rules.ramspeed.interface.order_drafts import Answer, EndPlayerTurn, LiveOrder, SheetOrders, StandingChange
from rules.ramspeed.interface.placement_drafts import Placement
from rules.ramspeed.interface.view import SeaView

_ENEMY_MODELS: Final = (mate.choose_lines, mate.deckhand_lines, mate.choose_lines)  # the mate counts twice


def describe_odds(view: SeaView, answer: Answer, seed: str) -> tuple[Text, ...]:
    lines = _answer_lines(answer)
    if is_enough() or not any(alternative.attack for line in lines for alternative in line.alternatives):
        return ()
    best = reasons.best_attack(view.position, lines)
    named = ExpectedAttack(best.kind, best.ship, best.target) if best else None
    return odds_sentences(attack_odds(view, lines, seed), shot_kind="shot", named=named)


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
    start = _TurnStart(view.position, me, _possible_orders_of_play(view, me), acted)
    return _compute_attack_odds(start, lines, seed)


class _TurnStart(NamedTuple):
    position: Position
    player: str  # the captain whose attacks are counted
    orders: tuple[tuple[str, ...], ...]  # possible orders of play, each a sequence of players
    acted: tuple[str, ...] | None  # ships that have acted in the current player-turn; None if none has begun


@lru_cache(maxsize=4)
def _compute_attack_odds(start: _TurnStart, lines: tuple[OrderLine, ...], seed: str) -> AttackOdds:
    """Simulate the turn with several dice, orders of play and enemies, and count how a captain's attacks end."""
    position, captain, orders_of_play, acted = start
    ship_count = sum(ship.is_afloat for ship in position.ships)
    is_crowded = ship_count > admiral.CROWDED_SHIPS
    search_samples, _ = admiral.trial_budget(ship_count)
    sample_count = search_samples if is_crowded else 2 * search_samples
    luck = DiceSamples(sample_count, len(orders_of_play), derive_seed(seed, "promise"))
    other_players = [player for player in position.players if player != captain]
    enemy_models = _ENEMY_MODELS[:1] if is_crowded else _ENEMY_MODELS
    sheets_by_model = [
        {
            player: OrderSheet(tuple(choose_lines(position, player, (), derive_seed(seed, f"{player} {number}"))))
            for player in other_players
        }
        for number, choose_lines in enumerate(enemy_models)
    ]

    def attacks_of_sample(sample: int) -> Iterator[tuple[ExpectedAttack, bool]]:
        sheets = {**sheets_by_model[sample % len(sheets_by_model)], captain: OrderSheet(lines)}
        order_of_play = orders_of_play[sample % len(orders_of_play)]
        progress = TurnProgress(position=position, players_left=order_of_play, acted_ships=acted or ())
        return _expected_attacks(_turn_events(progress, sheets, SampleDice(luck, sample), opens=acted is None))

    return count_attacks(map(attacks_of_sample, range(sample_count)), {line.ship for line in lines})


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
    """Yield the alternatives that may be possible, without vain shots; `stay` if nothing is left."""

    def is_vain_shot(step: OrderStep) -> bool:
        return isinstance(step, ShootOrder) and chances.rarely_hits(ExpectedAttack("shot", ship, step.target))

    possible = [
        alternative
        for alternative in alternatives
        if not alternative.attack or chances.is_possible(ship, alternative.attack.target, shot_kind="shot")
    ]
    for alternative in possible or [Alternative((StayOrder(),))]:
        # an alternative that consisted of a vain shot alone becomes `stay`
        steps = tuple(step for step in alternative.steps if not is_vain_shot(step))
        yield Alternative(steps or (StayOrder(),))


def _possible_orders_of_play(view: SeaView, me: str) -> tuple[tuple[str, ...], ...]:
    position = view.position
    if view.active is not None:
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        return (tuple(sequence[sequence.index(me) :]),)
    return admiral.possible_orders_of_play(position, me)


def _turn_events(
    progress: TurnProgress, sheets: Mapping[str, OrderSheet], dice_source: DiceSource, *, opens: bool
) -> Iterator[Event]:
    while progress.players_left:
        result = (
            turn.open_player(progress, dice_source, {}) if opens else turn.TurnStepResult(progress, (), dice_source)
        )
        for line in sheets.get(progress.players_left[0], OrderSheet()).lines:
            result = turn.activate_line(result.progress, line, result.dice_source, {})
            yield from result.events
        result = turn.close_player(result.progress, result.dice_source, {})
        yield from result.events
        progress, dice_source, opens = result.progress, result.dice_source, True


def _expected_attacks(events: Iterable[Event]) -> Iterator[tuple[ExpectedAttack, bool]]:
    """Yield each attack with whether it did harm; a swipe or grapple is repeated once its result is known."""
    last_swipe: ExpectedAttack | None = None
    for event in events:
        match event:
            case ShipRammed():
                yield ExpectedAttack("ram", event.by, event.to), event.result in NAMED_CHANCES["ram"]["hope"]
            case OarsSwiped():
                last_swipe = ExpectedAttack("swipe", event.by, event.to)
                yield last_swipe, False
            case SwipeResolved() if last_swipe and last_swipe.target == event.ship:
                yield last_swipe, event.result == "bank"
            case ShipGrappled():
                yield ExpectedAttack("grapple", event.by, event.to), event.automatic
            case HooksThrown():
                yield ExpectedAttack("grapple", event.by, event.to), event.success
            case ShotFired():
                yield ExpectedAttack("shot", event.by, event.to), True


def computer_answer(view: SeaView, request: Request, seed: str) -> Answer:
    """Return the answer to a request. The seed (hex) decides random choices and the admiral's dice."""
    match request.kind:
        case "fleet":
            return fleet_drafts.stock_answer(fleet_drafts.limits_of_request(request))
        case "place":
            return view.proposed_placement or Placement(())
        case "orders":
            return SheetOrders(OrderSheet(_choose_lines(view, request, seed)))
        case "act":
            line = next(iter(_choose_lines(view, request, seed)), None)
            return LiveOrder(line) if line else EndPlayerTurn()
        case "doctrine":
            return StandingChange()
    return Choice(CHOICES_BY_KEY[str(request.params["key"])][0])


def advise(view: SeaView, request: Request, seed: str) -> Answer:
    """Return the admiral's answer, at any level of the empty seats, without shots and ways that have no effect.

    These are shots that hardly ever find a target, attacks that are never possible, and ways that are blocked now; such
    a ship stays. An admiral who would only wait plays like a mate instead, unless waiting wins.
    """
    answer = _remove_vain_orders(view, computer_answer(structs.replace(view, captain="admiral"), request, seed), seed)
    if isinstance(answer, SheetOrders) and _is_waiting(view, answer) and not _would_win_by_waiting(view):
        return _remove_vain_orders(view, computer_answer(structs.replace(view, captain="mate"), request, seed), seed)
    return answer


def _remove_vain_orders(view: SeaView, answer: Answer, seed: str) -> Answer:
    return _drop_barred_ways(view, without_vain_attacks(view, answer, seed))


def _is_waiting(view: SeaView, answer: SheetOrders) -> bool:
    planned = preview.plan_lines(view.position, answer.sheet.lines).lines
    return all(preview.is_idle(course) and not course.target for plan in planned for course in plan.courses)


def _would_win_by_waiting(view: SeaView) -> bool:
    """Return whether the captain's side has fewer men, but wins on points if nobody attacks any more (RS-20.2)."""
    position, seat = view.position, view.seat
    if seat is None:
        return False
    side = position.side_of_player(position.players[view.seats.index(seat)])
    other_sides = [other for other in position.sides if other != side]
    points = dict(zip(position.sides, turn.side_scores(position), strict=True))
    men = dict.fromkeys(position.sides, 0)
    for ship in position.ships:
        if ship.is_afloat:
            men[position.side_of_ship(ship)] += ship.crew
    return all(points[side] > points[other] and men[side] < men[other] for other in other_sides)


def _drop_barred_ways(view: SeaView, answer: Answer) -> Answer:
    """Return the answer with `stay` for each ship that could neither move nor attack."""
    if not isinstance(answer, SheetOrders):
        return answer
    planned = preview.plan_lines(view.position, answer.sheet.lines).lines
    stay_only = (Alternative((StayOrder(),)),)
    lines = [
        structs.replace(line, alternatives=stay_only) if all(map(preview.is_idle, plan.courses)) else line
        for line, plan in zip(answer.sheet.lines, planned, strict=True)
    ]
    return SheetOrders(structs.replace(answer.sheet, lines=tuple(lines)))


def _choose_lines(view: SeaView, request: Request, seed: str) -> tuple[OrderLine, ...]:
    position = view.position
    player = position.players[view.seats.index(request.seat)]
    if view.captain == "deckhand":
        return tuple(mate.deckhand_lines(position, player, view.acted, seed))
    if view.captain == "mate":
        return tuple(mate.choose_lines(position, player, view.acted, seed))
    order: tuple[str, ...] = ()  # of play: this player and those after; empty while it is unknown
    if request.kind == "act":
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        order = tuple(sequence[sequence.index(player) :])
    return admiral.choose_lines(position, player, seed, order=order, acted=view.acted)
