"""A turn while it is worked out: the position as it changes, the dice, and what happened so far.

`rules.ramspeed.engine.phases.turn` makes one for each step, and hands out values again; nothing else keeps one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from rules.chance.cup import DiceSource
from rules.core.protocol import Event
from rules.ramspeed.engine import events
from rules.ramspeed.engine.events.fighting import CrewAboard, SinkingCause
from rules.ramspeed.engine.orders import Doctrine, Doctrines
from rules.ramspeed.engine.state import Link, Position, Ship, id_sort_key, sorted_links, with_ship


class TurnInProgress:
    """What one step of a turn works on."""

    def __init__(self, position: Position, cup: DiceSource, doctrines: Mapping[str, Doctrines]) -> None:
        self.position = position
        self.cup = cup
        self.doctrines = doctrines
        """By player."""
        self.events: list[Event] = []
        self.attacked = False
        """A legal ram, swipe, grapple or shot was carried out, or a round of melee fought (RS-20.2)."""
        self.captured: list[str] = []
        """Ships taken in this player-turn (RS-21.5)."""

    def ship_now(self, name: str) -> Ship:
        """A ship as she is now."""
        return self.position.ship_by_id(name)

    def set_ship(self, ship: Ship) -> Ship:
        """Take a ship as changed."""
        self.position = with_ship(self.position, ship)
        return ship

    def change_ship(self, name: str, **fields: Any) -> Ship:  # noqa: ANN401 - any field's value
        """Change some fields of a ship."""
        return self.set_ship(structs.replace(self.ship_now(name), **fields))

    def add_event(self, event: Event) -> None:
        """Something happened."""
        self.events.append(event)

    def set_moved_ship(self, ship: Ship, rule: str) -> None:
        """Take a ship as moved, and tell it."""
        self.set_ship(ship)
        self.add_event(events.ShipMoved(ship=ship.id, x=ship.x, y=ship.y, heading=ship.heading, rule=rule))

    def throw_die(self, what: str) -> int:
        """Throw one die."""
        face, self.cup = self.cup.throw_die(what)
        return face

    def throw_two_dice(self, what: str) -> tuple[int, int]:
        """Throw two dice."""
        return self.throw_die(what), self.throw_die(what)

    def doctrine_of(self, ship: Ship) -> Doctrine:
        """What a ship does unasked, by the word of her present owner (part 8.3)."""
        return self.doctrines.get(ship.owner, Doctrines()).doctrine_of(ship.id)

    # --- links ---------------------------------------------------------------------------------------------------

    def links_of(self, name: str) -> tuple[Link, ...]:
        """The links of a ship, by the other ship's id."""
        return tuple(
            sorted(
                (one for one in self.position.links if one.includes(name)),
                key=lambda one: id_sort_key(one.other_ship(name)),
            )
        )

    def add_link(self, link: Link) -> None:
        """Add a link, and tell it."""
        links = sorted_links((*self.position.links, link))
        self.position = structs.replace(self.position, links=links)
        made = next(one for one in links if one.includes(link.a) and one.includes(link.b))
        self.add_event(
            events.ShipsLinked(
                a=made.a, b=made.b, kind=made.kind, rule="RS-10.6" if made.kind == "grapple" else "RS-08.9"
            )
        )

    def remove_links(self, gone: tuple[Link, ...]) -> None:
        """Take links away."""
        left = tuple(one for one in self.position.links if one not in gone)
        self.position = structs.replace(self.position, links=left)

    def mark_checked(self, link: Link) -> None:
        """Its one check for fire is made or spent (RS-15.7)."""
        links = tuple(structs.replace(one, checked=True) if one == link else one for one in self.position.links)
        self.position = structs.replace(self.position, links=links)


def sink_ship(
    play: TurnInProgress, name: str, cause: SinkingCause, rule: str, saved: tuple[CrewAboard, ...] = ()
) -> None:
    """A ship goes down with her crew; her links go, and what stuck to her ram goes down, too (RS-08.8, RS-12.7).

    `saved`: ships to which her crew has gone over before.
    """
    ahead = [(name, cause, rule)]
    while ahead:
        name, cause, rule = ahead.pop()
        ship = play.ship_now(name)
        if not ship.is_afloat:
            continue
        bare = Ship(id=ship.id, code=ship.code, owner=ship.owner, side0=ship.side0, nation=ship.nation, status="sunk")
        play.set_ship(structs.replace(bare, x=ship.x, y=ship.y, heading=ship.heading))
        play.add_event(events.ShipSunk(ship=name, cause=cause, saved=saved, rule=rule))
        saved = ()
        gone = play.links_of(name)
        play.remove_links(gone)
        ahead += [
            (link.b, "separation", "RS-12.7") for link in reversed(gone) if link.kind == "stuck" and link.a == name
        ]


def separate_cluster(play: TurnInProgress, names: tuple[str, ...], rule: str) -> None:
    """All links of a cluster dissolve; victims that were stuck fast go down (RS-11.9, RS-11.10, RS-12.7, RS-12.8)."""
    gone = tuple(link for link in play.position.links if link.a in names)
    play.remove_links(gone)
    for victim in sorted({link.b for link in gone if link.kind == "stuck"}, key=id_sort_key):
        sink_ship(play, victim, "separation", "RS-12.7")
    play.add_event(
        events.ShipsSeparated(ships=tuple(name for name in names if play.ship_now(name).is_afloat), rule=rule)
    )
