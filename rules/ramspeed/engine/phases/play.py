"""The mutable state of a turn's step: the position, the dice and the events so far.

`rules.ramspeed.engine.phases.turn` creates a `TurnInProgress` for each step and returns immutable values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from rules.chance.dice import DiceSource, DiceThrower
from rules.core.protocol import Event
from rules.ramspeed.engine import events
from rules.ramspeed.engine.events import CrewAboard, SinkingCause
from rules.ramspeed.engine.orders import Doctrine, Doctrines
from rules.ramspeed.engine.state import Link, Position, Ship, id_sort_key, sorted_links, with_ship


class TurnInProgress(DiceThrower):
    def __init__(self, position: Position, dice_source: DiceSource, doctrines: Mapping[str, Doctrines]) -> None:
        self.position = position
        self.dice_source = dice_source
        self.doctrines = doctrines
        self.events: list[Event] = []
        self.attacked = False  # whether a legal attack or shot was carried out, or a round of melee fought (RS-20.2)
        self.captured: list[str] = []  # ships captured in this player-turn (RS-21.5)

    def ship_now(self, name: str) -> Ship:
        return self.position.ship_by_id(name)

    def set_ship(self, ship: Ship) -> Ship:
        self.position = with_ship(self.position, ship)
        return ship

    def change_ship(self, name: str, **fields: Any) -> Ship:  # noqa: ANN401 - any field's value
        return self.set_ship(structs.replace(self.ship_now(name), **fields))

    def add_event(self, event: Event) -> None:
        self.events.append(event)

    def set_moved_ship(self, ship: Ship, rule: str) -> None:
        self.set_ship(ship)
        self.add_event(events.ShipMoved(ship=ship.id, x=ship.x, y=ship.y, heading=ship.heading, rule=rule))

    def doctrine_of(self, ship: Ship) -> Doctrine:
        """Return the doctrine that the present owner has set for a ship."""
        return self.doctrines.get(ship.owner, Doctrines()).doctrine_of(ship.id)

    # --- links ---------------------------------------------------------------------------------------------------

    def links_of(self, name: str) -> tuple[Link, ...]:
        """Return the links of a ship, sorted by the other ship's id."""
        links = [item for item in self.position.links if item.includes(name)]
        return tuple(sorted(links, key=lambda item: id_sort_key(item.other_ship(name))))

    def add_link(self, link: Link) -> None:
        links = sorted_links((*self.position.links, link))
        self.position = structs.replace(self.position, links=links)
        # `sorted_links` puts the lower id of a grapple first
        new_link = next(item for item in links if item.includes(link.a) and item.includes(link.b))
        rule = "RS-10.6" if new_link.kind == "grapple" else "RS-08.9"
        self.add_event(events.ShipsLinked(a=new_link.a, b=new_link.b, kind=new_link.kind, rule=rule))

    def remove_links(self, gone: tuple[Link, ...]) -> None:
        remaining = tuple(item for item in self.position.links if item not in gone)
        self.position = structs.replace(self.position, links=remaining)

    def mark_checked(self, link: Link) -> None:
        """Mark that a link's only check for spreading fire has been made (RS-15.7)."""
        links = tuple(structs.replace(item, checked=True) if item == link else item for item in self.position.links)
        self.position = structs.replace(self.position, links=links)


def sink_ship(
    play: TurnInProgress, name: str, cause: SinkingCause, rule: str, saved: tuple[CrewAboard, ...] = ()
) -> None:
    """Sink a ship with its crew and links. Victims stuck to its ram sink, too (RS-08.8, RS-12.7).

    `saved`: ships that have already taken over the crew.
    """
    ships_to_sink = [(name, cause, rule)]  # grows while ships sink that hold others up
    while ships_to_sink:
        name, cause, rule = ships_to_sink.pop()
        ship = play.ship_now(name)
        if not ship.is_afloat:
            continue
        wreck = Ship(id=ship.id, code=ship.code, owner=ship.owner, side0=ship.side0, nation=ship.nation, status="sunk")
        play.set_ship(structs.replace(wreck, x=ship.x, y=ship.y, heading=ship.heading))
        play.add_event(events.ShipSunk(ship=name, cause=cause, saved=saved, rule=rule))
        saved = ()  # nobody takes over the crews of further ships
        links = play.links_of(name)
        play.remove_links(links)
        ships_to_sink += [
            (link.b, "separation", "RS-12.7") for link in reversed(links) if link.kind == "stuck" and link.a == name
        ]


def separate_cluster(play: TurnInProgress, names: tuple[str, ...], rule: str) -> None:
    """Dissolve a cluster's links and sink victims that were stuck (RS-11.9, RS-11.10, RS-12.7, RS-12.8)."""
    links = tuple(link for link in play.position.links if link.a in names)
    play.remove_links(links)
    for victim in sorted({link.b for link in links if link.kind == "stuck"}, key=id_sort_key):
        sink_ship(play, victim, "separation", "RS-12.7")
    ships_afloat = tuple(name for name in names if play.ship_now(name).is_afloat)
    play.add_event(events.ShipsSeparated(ships=ships_afloat, rule=rule))
