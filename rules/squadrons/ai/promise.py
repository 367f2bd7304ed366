"""What comes of a captain's orders: the rules carry the turn out many times, against what enemies are likely to do."""

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
"""How many times as many turns are played out as for each of an admiral's candidates; in a crowd as many."""
_ATTACK_ORDERS: Final = (RamOrder, RakeOrder, GrappleOrder, PassThroughOrder, AnastropheOrder)


def describe_odds(view: FleetView, answer: Answer, seed: str) -> tuple[Text, ...]:
    """How likely the attack from which most is to be hoped comes off, everything considered; empty: none is ordered."""
    sheet = answer.sheet if isinstance(answer, ActivationOrder) else answer
    if not isinstance(sheet, OrderSheet) or not any(
        isinstance(step, _ATTACK_ORDERS) for one in sheet.lines for step in one.line.steps
    ):
        return ()
    found = attack_odds(view, answer, seed)
    if not found:
        return ()
    named = reasons.best_attack(view.position, sheet)
    return odds_sentences(
        found, shot="fire", named=ExpectedAttack(named.kind, named.ship, named.target) if named else None
    )


def without_vain_attacks(view: FleetView, answer: Answer, seed: str) -> Answer:
    """The answer without shots for which there is hardly ever anybody in range, and attacks that are never possible."""
    sheet = answer.sheet if isinstance(answer, ActivationOrder) else answer
    if not isinstance(sheet, OrderSheet) or not any(
        isinstance(step, (VolleyOrder, *_ATTACK_ORDERS)) for entry in sheet.lines for step in entry.line.steps
    ):
        return answer
    found = attack_odds(view, answer, seed)
    if found is None:
        return answer
    entries = tuple(entry for each in sheet.lines if (entry := _without_vain_steps(each, found)).line.steps)
    kept = structs.replace(sheet, lines=entries)
    return structs.replace(answer, sheet=kept) if isinstance(answer, ActivationOrder) else kept


def _without_vain_steps(entry: SheetLine, found: AttackOdds) -> SheetLine:
    """A ship's orders without vain shots and attacks."""
    steps: list[OrderStep] = []
    for step in entry.line.steps:
        if isinstance(step, VolleyOrder):
            shots = tuple(
                one for one in step.shots if not found.rarely_hits(ExpectedAttack("fire", entry.target, one.target))
            )
            steps += [step] if shots == step.shots else [structs.replace(step, shots=shots)] if shots else []
        elif not isinstance(step, _ATTACK_ORDERS) or found.is_possible(entry.target, step.target, shot="fire"):
            steps.append(step)
    return structs.replace(entry, line=structs.replace(entry.line, steps=tuple(steps)))


def attack_odds(view: FleetView, answer: Answer, seed: str) -> AttackOdds | None:
    """What comes of a turn's orders, or of one squadron's; None: there is no time to find out.

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
    """A sheet whose lines name ships, as the rules carry it out."""
    own: Mapping[str, Speed] = {pace.target: pace.speed for pace in sheet.speed_choices}
    common = own.get("all")
    ships = [ship.id for ship in view.position.ships_of(view.side or "B")]
    speeds = {name: speed for name in ships if (speed := own.get(name, common))}
    lines = tuple(structs.replace(entry.line, ship=entry.target) for entry in sheet.lines)
    return TurnSheet(speeds=speeds, sequence=sheet.sequence, double=sheet.double, orders=SquadronOrders(lines))


def _expected_attacks(happened: Iterable[FleetEvent]) -> Iterator[tuple[ExpectedAttack, bool]]:
    """What ships did to each other, and whether it did harm."""
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
