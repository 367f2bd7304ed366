"""Reaction rams: a galley rams an enemy that crosses her bow (SQ-12)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.hexes import Hex
from rules.squadrons.table import events
from rules.squadrons.table.phases.combat import damage, ramming
from rules.squadrons.table.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.state import Position, id_sort_key
from rules.squadrons.table.tables import ram_need


def can_react(position: Position, name: str, by: str) -> bool:
    """Whether a galley may ram another that lies before her bow, in reaction (SQ-12.1, SQ-12.2)."""
    ship, mover = position.ship(name), position.ship(by)
    return (
        position.options.reaction_ram
        and ship.afloat
        and ship.side != mover.side
        and ramming.why_unfit_to_ram(position, ActivationInProgress(ship=name), ship) is None
        and not mover.aground
        and ramming.is_pointing_at(ship, mover)
        and ram_need(ship.ra, mover.rd) > 0
    )


def offer_reaction_rams(play: TurnInProgress, run: ActivationInProgress, entered: Sequence[Hex]) -> None:
    """The active galley has entered hexes: every enemy whose Bow hex is one of them may ram her (3.4, SQ-12)."""
    bow = (play.ship(run.ship).bow,)
    enemies = [ship for ship in play.position.ships if ship.afloat and ship.place.ahead in entered]
    for ship in sorted(enemies, key=lambda one: (grid.hex_distance(bow, one.hexes), id_sort_key(one.id))):
        if can_react(play.position, ship.id, run.ship) and _wants_to_react(play, ship.id, run.ship):
            _roll_reaction_ram(play, run, ship.id)


def _wants_to_react(play: TurnInProgress, name: str, by: str) -> bool:
    word = play.doctrine(play.ship(name), "rram")
    return (play.ask(name, "rram", by, ("on", "off")) if word == "ask" else word) == "on"


def _roll_reaction_ram(play: TurnInProgress, run: ActivationInProgress, name: str) -> None:
    """Roll, and ram if it succeeds; a ram that fails harms none but its own ship (SQ-12.3)."""
    ship = play.ship(name)
    die = play.die("reaction_ram")
    ok = die <= ship.crew
    play.say(events.ReactionRolled(ship=name, by=run.ship, die=die, crew=ship.crew, ok=ok, rule="SQ-12.1"))
    if not ok:
        return
    play.change(name, ram_tried=True)
    counter = ActivationInProgress(ship=name)
    hit, natural = ramming.roll_ram(play, name, run.ship, ramming.ram_odds(play.position, counter, run.ship))
    if hit:
        ramming.apply_successful_ram(play, counter, run.ship, natural)
        run.end("attack")
        return
    damage.mark_collided(play, name)
    run.minus = 1
    run.used += min(1, run.left)
