"""Battles that are played: the game of War Galley that opens for one, and what its end means here (CA part 6).

Captains have other seats there than here: `seats_of` is the map between them.
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from rules.campaign.table.fighting.dice_battle import holder
from rules.campaign.table.sea.naming import named, request_of
from rules.campaign.table.sea.state import Battle, Fought, Galley, Position
from rules.protocol import NOBODY, Fate, Outcome, Report, Request, Setup
from rules.protocol import Battle as Child
from rules.sides import letter_of, seat_of
from rules.view import Text

SYSTEM: Final = "matchbox"
ROUNDS: Final = 6
"""CA-6.4: after so many night falls."""
DUE: Final = 3
"""CA-6.8: a battle is entered at the latest so many turns after it met."""
TABLES: Final = ((3, "900x600", 900, 600), (6, "1200x800", 1200, 800))
"""CA-6.5: for so many galleys on the larger side, the table with its width and height in mm."""
APART_MM: Final = 150
EDGE_MM: Final = 90


def ask(position: Position, battle: Battle, *, waits: bool) -> Request:
    """The request that the battle's end answers; `waits`: the game waits for it (CA-6.8).

    No captain can answer, hold up or pause it (CA-14.6). When its rounds end, the bot's clock says (CA-6.3).
    """
    seats = tuple(map(seat_of, battle.captains))
    return Request(
        id=request_of(battle.id),
        seat=NOBODY,
        kind="battle",
        round=battle.began,
        optional=not waits,
        battle=Child(setup=setup_of(position, battle), seats=seats, name=_name(position, battle), parts=ROUNDS // DUE),
        params={"battle": battle.id, "place": battle.place},
    )


def _name(position: Position, battle: Battle) -> Text:
    return Text("battle.name", {"id": battle.id, "place": named(position.map, battle.place)})


def setup_of(position: Position, battle: Battle) -> Setup:
    """The battle's own game: no placing, and night after six rounds (CA-6.4, CA-6.5).

    The first mate plays for a captain who misses a round, as everywhere (CA-6.7).
    """
    most = max(map(len, battle.galleys))
    table, width, height = next((name, wide, high) for fits, name, wide, high in TABLES if most <= fits)
    fleet = {galley.id: galley for galley in position.galleys}
    written = [table]
    for side, names in enumerate(battle.galleys):
        for number, name in enumerate(names):
            x = width / 2 + (number - (len(names) - 1) / 2) * APART_MM
            y, heading = (EDGE_MM, 0) if side == 0 else (height - EDGE_MM, 180)
            written.append(_line(battle, fleet[name], side, f"@{x:g},{y}^{heading}"))
    return Setup(
        system=SYSTEM,
        teams=tuple(int(captain in battle.sides[1]) for captain in battle.captains),
        position=" ; ".join(written),
        rounds=ROUNDS,
        parent=battle.id,
    )


def _line(battle: Battle, galley: Galley, side: int, where: str) -> str:
    crew = f"{galley.port}-{galley.starboard}+{galley.masts}/{galley.holes}"
    return f"{_there(battle, galley.id)}:{('south', 'north')[side]} {crew} {where}"


def _there(battle: Battle, name: str) -> str:
    """What a galley is called in the battle's own game."""
    return letter_of(battle.captains.index(name[0])) + name[1:]


def fought(position: Position, battle: Battle, report: Report) -> Fought:
    """What the end of a battle's own game means here (CA-6.9, CA-8.1).

    A report without an outcome, as of a game that was called off, leaves every galley as she was.
    """
    fleet = {galley.id: galley for galley in position.galleys}
    sides = tuple([fleet[name] for name in names] for names in battle.galleys)
    outcome = _untouched(battle, fleet) if report.outcome is UNSET else report.outcome
    fates = {fate.id: fate for fate in outcome.ships}
    left = {}
    for galley in (*sides[0], *sides[1]):
        fate = fates[_there(battle, galley.id)]
        if fate.end != "sunk":
            left[galley.id] = (fate.parts["port"], fate.parts["starboard"], fate.parts["masts"])
    gave_up = {battle.captains[seat] for seat in outcome.gave_up}
    broke = [{*captains} <= gave_up for captains in battle.sides]
    if broke[0] != broke[1]:
        return Fought(holds=0 if broke[1] else 1, left=left, rounds=outcome.rounds, broke=True)
    # Galleys of one of two captains who gave up have left the table, and count for nobody there.
    there = {name: crew for name, crew in left.items() if fates[_there(battle, name)].end == "afloat"}
    return Fought(holds=holder((sides[0], sides[1]), there), left=left, rounds=outcome.rounds)


def _untouched(battle: Battle, fleet: dict[str, Galley]) -> Outcome:
    names = (*battle.galleys[0], *battle.galleys[1])
    ships = tuple(
        Fate(
            id=_there(battle, name),
            seat=battle.captains.index(name[0]),
            end="afloat",
            parts={"port": fleet[name].port, "starboard": fleet[name].starboard, "masts": fleet[name].masts},
        )
        for name in names
    )
    return Outcome(ships=ships, rounds=0)
