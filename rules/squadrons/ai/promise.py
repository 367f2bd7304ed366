"""Odds of a captain's orders: the rules simulate the turn many times, against likely orders of the enemy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import structs

from rules.ai.odds import AttackOdds, ExpectedAttack, count_attacks, odds_sentences
from rules.ai.thinking import is_enough
from rules.chance.dice import derive_seed
from rules.core.view import Text
from rules.squadrons.ai import admiral
from rules.squadrons.ai.admiral import SideSearch
from rules.squadrons.ai.simulation import TurnStart, without_questions
from rules.squadrons.engine import events
from rules.squadrons.engine.events import FleetEvent
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    Doctrines,
    FleetSide,
    GrappleOrder,
    OrderStep,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    Speed,
    SquadronOrders,
    TurnSheet,
    VolleyOrder,
)
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet, SheetLine
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.interface.shown import reasons

_TURNS_FACTOR: Final = 3
"""Factor of simulated turns compared with a candidate of an admiral's search; 1 if many ships are afloat."""
_ATTACK_ORDERS: Final = (RamOrder, RakeOrder, GrappleOrder, PassThroughOrder, AnastropheOrder)


def describe_odds(view: FleetView, answer: Answer, seed: str) -> tuple[Text, ...]:
    """Return sentences on the chances of the most promising attack; empty if none is ordered."""
    sheet = answer.sheet if isinstance(answer, ActivationOrder) else answer
    if not isinstance(sheet, OrderSheet) or not any(
        isinstance(step, _ATTACK_ORDERS) for entry in sheet.lines for step in entry.line.steps
    ):
        return ()
    odds = attack_odds(view, answer, seed)
    if not odds:
        return ()
    named = reasons.best_attack(view.position, sheet)
    return odds_sentences(
        odds, shot="fire", named=ExpectedAttack(named.kind, named.ship, named.target) if named else None
    )


def without_vain_attacks(view: FleetView, answer: Answer, seed: str) -> Answer:
    """Return the answer without shots that hardly ever have a target and attacks that are never possible."""
    sheet = answer.sheet if isinstance(answer, ActivationOrder) else answer
    if not isinstance(sheet, OrderSheet) or not any(
        isinstance(step, (VolleyOrder, *_ATTACK_ORDERS)) for entry in sheet.lines for step in entry.line.steps
    ):
        return answer
    odds = attack_odds(view, answer, seed)
    if odds is None:
        return answer
    entries = tuple(entry for original in sheet.lines if (entry := _without_vain_steps(original, odds)).line.steps)
    shortened = structs.replace(sheet, lines=entries)
    return structs.replace(answer, sheet=shortened) if isinstance(answer, ActivationOrder) else shortened


def _without_vain_steps(entry: SheetLine, odds: AttackOdds) -> SheetLine:
    steps: list[OrderStep] = []
    for step in entry.line.steps:
        if isinstance(step, VolleyOrder):
            shots = tuple(
                shot for shot in step.shots if not odds.rarely_hits(ExpectedAttack("fire", entry.target, shot.target))
            )
            steps += [step] if shots == step.shots else [structs.replace(step, shots=shots)] if shots else []
        elif not isinstance(step, _ATTACK_ORDERS) or odds.is_possible(entry.target, step.target, shot="fire"):
            steps.append(step)
    return structs.replace(entry, line=structs.replace(entry.line, steps=tuple(steps)))


def attack_odds(view: FleetView, answer: Answer, seed: str) -> AttackOdds | None:
    """Return the odds of a turn's orders, or of one squadron's; None if there is no time to simulate.

    The seed (hex) is for all dice.
    """
    if is_enough():
        return None
    side: FleetSide = view.side or "B"
    rounds = _TURNS_FACTOR if sum(ship.is_afloat for ship in view.position.ships) <= admiral.CROWDED_SHIPS else 1
    doctrines = Doctrines(without_questions(view.doctrines.lines))
    if isinstance(answer, ActivationOrder):
        first = view.first or side
        begun = TurnStart(position=view.position, squadrons=view.squadrons, speeds_set=True, first=first, active=side)
        search = SideSearch(begun, side, derive_seed(seed, "promise"), doctrines, first=first, rounds=rounds)
        order = structs.replace(answer.sheet, sequence=(answer.squadron,))
    else:
        assert isinstance(answer, OrderSheet)  # noqa: S101 - nothing else orders ships
        begun = admiral.turn_start(view.position, view.squadrons)
        search = SideSearch(begun, side, derive_seed(seed, "promise"), doctrines, rounds=rounds)
        order = answer
    turns = [[*_expected_attacks(happened)] for happened in search.sample_outcomes(sheet_to_turnsheet(view, order))]
    return count_attacks(turns, {entry.target for entry in order.lines}) if turns else None


def sheet_to_turnsheet(view: FleetView, sheet: OrderSheet) -> TurnSheet:
    own: Mapping[str, Speed] = {choice.target: choice.speed for choice in sheet.speed_choices}
    common = own.get("all")
    ships = [ship.id for ship in view.position.ships_of(view.side or "B")]
    speeds = {name: speed for name in ships if (speed := own.get(name, common))}
    lines = tuple(structs.replace(entry.line, ship=entry.target) for entry in sheet.lines)
    return TurnSheet(speeds=speeds, sequence=sheet.sequence, double=sheet.double, orders=SquadronOrders(lines))


def _expected_attacks(happened: Iterable[FleetEvent]) -> Iterator[tuple[ExpectedAttack, bool]]:
    """Yield the attacks among events, and whether each succeeded. Every shot counts as a success."""
    for event in happened:
        match event:
            case events.ShipRammed():
                yield ExpectedAttack("ram", event.by, event.target), event.result == "rammed"
            case events.ShipRaked():
                yield ExpectedAttack("rake", event.by, event.target), event.ok
            case events.ShotFired(reaction=False):
                yield ExpectedAttack("fire", event.by, event.target), True
            case events.ShipGrappled():
                yield ExpectedAttack("grap", event.by, event.target), event.ok
