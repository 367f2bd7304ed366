"""Reaction rams: a galley rams an enemy that crosses her bow (SQ-12)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.phases.combat import damage, ramming
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, id_sort_key
from rules.squadrons.engine.tables import ram_need


def can_react(position: Position, name: str, by: str) -> bool:  # SQ-12.1, SQ-12.2
    ship, mover = position.ship_by_id(name), position.ship_by_id(by)
    return (
        position.options.reaction_ram
        and ship.is_afloat
        and ship.side != mover.side
        and ramming.why_unfit_to_ram(position, ActivationInProgress(ship=name), ship) is None
        and not mover.aground
        and ramming.is_pointing_at(ship, mover)
        and ram_need(ship.ram_attack, mover.ram_defence) > 0
    )


def offer_reaction_rams(play: TurnInProgress, run: ActivationInProgress, entered: Sequence[Hex]) -> None:
    """Let every enemy whose hex ahead was entered ram the active galley (3.4, SQ-12)."""
    bow = (play.ship_now(run.ship).bow,)
    enemies = [ship for ship in play.position.ships if ship.is_afloat and ship.place.hex_ahead in entered]
    for ship in sorted(enemies, key=lambda enemy: (grid.hex_distance(bow, enemy.hexes), id_sort_key(enemy.id))):
        if can_react(play.position, ship.id, run.ship) and _wants_to_react(play, ship.id, run.ship):
            _roll_reaction_ram(play, run, ship.id)


def _wants_to_react(play: TurnInProgress, name: str, by: str) -> bool:
    word = play.doctrine_of(play.ship_now(name), "rram")
    return (play.ask_captain(name, "rram", by, ("on", "off")) if word == "ask" else word) == "on"


def _roll_reaction_ram(play: TurnInProgress, run: ActivationInProgress, name: str) -> None:
    """Roll for a reaction and ram if it succeeds. A failed ram costs its own ship, and slows the target (SQ-12.3)."""
    ship = play.ship_now(name)
    die = play.throw_die("reaction_ram")
    ok = die <= ship.crew_quality
    play.add_event(
        events.ReactionRolled(ship=name, by=run.ship, die=die, crew=ship.crew_quality, ok=ok, rule="SQ-12.1")
    )
    if not ok:
        return
    play.change_ship(name, ram_tried=True)
    counter = ActivationInProgress(ship=name)
    hit, natural = ramming.roll_ram(play, name, run.ship, ramming.ram_odds(play.position, counter, run.ship))
    if hit:
        ramming.apply_successful_ram(play, counter, run.ship, natural)
        run.end_movement("attack")
        return
    damage.mark_collided(play, name)
    run.strength_loss = 1
    run.used += min(1, run.points_left)
