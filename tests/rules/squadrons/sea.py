"""Positions and plays for tests of the fleet game."""

from msgspec import structs

from rules.chance.dice import ListedDice
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import position_text

HEAD = "squadrons {turn} {phase} 44x28 - vp=55 limit=12 bonus=0/0 lost=-/-"
CALM = Doctrines(
    tuple(
        DoctrineLine(who=side, values={"avoid": "off", "fire": "off", "board": "never", "transfer": "never"})
        for side in "BR"
    )
)
"""Nobody does anything unasked."""


def lies(*records, phase="E", turn=3, **fields):
    """Return a position of these records; `fields` are what the notation cannot write."""
    sea = position_text.parse_position(" ; ".join([HEAD.format(turn=turn, phase=phase), *records]))
    return structs.replace(sea, **fields)


def play(sea, *dice, doctrines=CALM, decided=()):
    return TurnInProgress(sea, ListedDice(tuple(dice)), doctrines, decided)


def changed(sea, name, **fields):
    ships = tuple(structs.replace(ship, **fields) if ship.id == name else ship for ship in sea.ships)
    return structs.replace(sea, ships=ships)


def told(done, *kinds):
    return [event for event in done.events if event.__struct_config__.tag in kinds]
