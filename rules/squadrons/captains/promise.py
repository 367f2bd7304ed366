"""What comes of a captain's orders: the rules carry the turn out many times, against what enemies are likely to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import structs

from rules.dice import subseed
from rules.promise import Deed, Promise, counted, foretold
from rules.squadrons.captains import admiral
from rules.squadrons.captains.admiral import SideSearch
from rules.squadrons.captains.simulation import TurnStart, quiet
from rules.squadrons.desk.drafts.answers import Activation, Answer, Entry, Sheet
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.desk.shown import reasons
from rules.squadrons.table import events
from rules.squadrons.table.events import FleetEvent
from rules.squadrons.table.notation.orders import (
    Anastrophe,
    Doctrines,
    Fire,
    Grapple,
    Orders,
    Rake,
    Ram,
    Side,
    Speed,
    Step,
    Through,
    Turnsheet,
)
from rules.thinking import is_enough
from rules.view import Text

_ROUNDS: Final = 3
"""How many times as many turns are played out as for each of an admiral's candidates; in a crowd as many."""
_ATTACKS: Final = (Ram, Rake, Grapple, Through, Anastrophe)


def foretell(view: FleetView, answer: Answer, seed: str) -> tuple[Text, ...]:
    """How likely the attack from which most is to be hoped comes off, everything considered; empty: none is ordered."""
    sheet = answer.sheet if isinstance(answer, Activation) else answer
    if not isinstance(sheet, Sheet) or not any(
        isinstance(step, _ATTACKS) for one in sheet.entries for step in one.line.steps
    ):
        return ()
    found = promised(view, answer, seed)
    if not found:
        return ()
    named = reasons.best_attack(view.position, sheet)
    return foretold(found, shot="fire", named=Deed(named.kind, named.ship, named.target) if named else None)


def without_vain_deeds(view: FleetView, answer: Answer, seed: str) -> Answer:
    """The answer without shots for which there is hardly ever anybody in range, and attacks that are never possible."""
    sheet = answer.sheet if isinstance(answer, Activation) else answer
    if not isinstance(sheet, Sheet) or not any(
        isinstance(step, (Fire, *_ATTACKS)) for entry in sheet.entries for step in entry.line.steps
    ):
        return answer
    found = promised(view, answer, seed)
    if found is None:
        return answer
    entries = tuple(entry for each in sheet.entries if (entry := _kept(each, found)).line.steps)
    kept = structs.replace(sheet, entries=entries)
    return structs.replace(answer, sheet=kept) if isinstance(answer, Activation) else kept


def _kept(entry: Entry, found: Promise) -> Entry:
    """A ship's orders without vain shots and attacks."""
    steps: list[Step] = []
    for step in entry.line.steps:
        if isinstance(step, Fire):
            shots = tuple(one for one in step.shots if not found.is_vain(Deed("fire", entry.target, one.target)))
            steps += [step] if shots == step.shots else [structs.replace(step, shots=shots)] if shots else []
        elif not isinstance(step, _ATTACKS) or found.is_possible(entry.target, step.target, shot="fire"):
            steps.append(step)
    return structs.replace(entry, line=structs.replace(entry.line, steps=tuple(steps)))


def promised(view: FleetView, answer: Answer, seed: str) -> Promise | None:
    """What comes of a turn's orders, or of one squadron's; None: there is no time to find out.

    The seed (hex) is for all dice.
    """
    if is_enough():
        return None
    side: Side = view.side or "B"
    rounds = _ROUNDS if sum(ship.afloat for ship in view.position.ships) <= admiral.CROWD else 1
    doctrines = Doctrines(quiet(view.doctrines.lines))
    if isinstance(answer, Activation):
        first = view.first or side
        begun = TurnStart(position=view.position, squadrons=view.squadrons, speeds_set=True, first=first, active=side)
        search = SideSearch(begun, side, subseed(seed, "promise"), doctrines, first=first, rounds=rounds)
        order = structs.replace(answer.sheet, sequence=(answer.squadron,))
    else:
        assert isinstance(answer, Sheet)  # noqa: S101 - nothing else orders ships
        begun = admiral.begun(view.position, view.squadrons)
        search = SideSearch(begun, side, subseed(seed, "promise"), doctrines, rounds=rounds)
        order = answer
    turns = [[*_deeds(happened)] for happened in search.foretold(turnsheet(view, order))]
    return counted(turns, {entry.target for entry in order.entries}) if turns else None


def turnsheet(view: FleetView, sheet: Sheet) -> Turnsheet:
    """A sheet whose lines name ships, as the rules carry it out."""
    own: Mapping[str, Speed] = {pace.target: pace.speed for pace in sheet.paces}
    common = own.get("all")
    ships = [ship.id for ship in view.position.of(view.side or "B")]
    speeds = {name: speed for name in ships if (speed := own.get(name, common))}
    lines = tuple(structs.replace(entry.line, ship=entry.target) for entry in sheet.entries)
    return Turnsheet(speeds=speeds, sequence=sheet.sequence, double=sheet.double, orders=Orders(lines))


def _deeds(happened: Iterable[FleetEvent]) -> Iterator[tuple[Deed, bool]]:
    """What ships did to each other, and whether it did harm."""
    for event in happened:
        match event:
            case events.Rammed():
                yield Deed("ram", event.by, event.target), event.result == "rammed"
            case events.Raked():
                yield Deed("rake", event.by, event.target), event.ok
            case events.Fired(reaction=False):
                yield Deed("fire", event.by, event.target), True
            case events.Grappled():
                yield Deed("grap", event.by, event.target), event.ok
