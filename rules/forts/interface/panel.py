"""Options of a ship, its moves and shots, for orders and plans alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import Fault
from rules.core.protocol import Draft, Option, OptionGroup
from rules.core.view import Param, Text
from rules.forts.engine import fire, sailing, turn
from rules.forts.engine.fire import FireLine
from rules.forts.engine.state import Action, ClassCode, MoveOrder, Position, Ship, ShootOrder, Target
from rules.interface.panels import MAX_OPTIONS, button_row, select_menu

_SAIL_GROUPS: Final = ("sail", "sail_farther", "sail_far", "sail_farthest")
"""Enough lists for all hexes within five moves over open sea."""
_DONE_FAULT: Final = Fault(kind="illegal", code="ship_done", rule="NB-04.3")

DraftFunction = Callable[[Action], str]  # a function that returns the draft's text after an action


def ship_group(
    ships: Iterable[Ship], current: str, draft_of: Callable[[ClassCode], Draft], done: Collection[str] = ()
) -> OptionGroup:
    """Return buttons for the captain's ships; those in `done` can do nothing more."""
    return button_row(
        "ship",
        (
            Option(
                f"ship.{ship.code}",
                Text("choice.ship", {"ship": ship.code, "hex": ship.hex}),
                *draft_of(ship.code),
                is_chosen=ship.code == current,
                fault=_DONE_FAULT if ship.code in done else None,
            )
            for ship in ships
        ),
    )


def sail_groups(position: Position, ship: Ship, draft_of: DraftFunction, *, seals: bool) -> Iterator[OptionGroup]:
    """Yield menus of the hexes that a ship can reach, those nearest to an enemy first.

    `seals`: a press gives the order. Then the menus say which enemy the ship hits most easily from the hex, and how
    many enemies may shoot at it in the next player-turn.
    """
    enemies = [other for other in position.ships if other.colour != ship.colour]
    hexes_under_fire = [fire.max_fire(position, enemy) for enemy in enemies] if seals else []
    reach = sailing.current_reach(position, ship)
    steps = dict(zip(reach.hexes, reach.steps, strict=True))

    def order_key(label: str) -> tuple[int, int, str, int]:
        to_enemy = min((fire.hex_distance(position.board, label, enemy.hex) for enemy in enemies), default=0)
        return to_enemy, steps[label], label[0], int(label[1:])

    labels_in_order = sorted(reach.hexes, key=order_key)
    for number, key in enumerate(_SAIL_GROUPS):
        labels = labels_in_order[MAX_OPTIONS * number :][:MAX_OPTIONS]
        text_by_label = {
            label: _sail_text(
                label, steps[label], hexes_under_fire, _targets_from(position, ship, label) if seals else ""
            )
            for label in labels
        }
        draft_by_label = {label: draft_of(MoveOrder(ship.code, label)) for label in labels}
        yield select_menu(
            key,
            (
                Option(f"to.{label}", text_by_label[label], draft_by_label[label], seals_answer=seals)
                for label in labels
            ),
        )


def _targets_from(position: Position, ship: Ship, label: str) -> str:
    """Return the easiest target of a ship after a move, with the die that hits, such as `FR 3+`; empty: none."""
    moved = structs.replace(ship, hex=label, moved=True)
    lines = fire.fire_lines(turn.with_ship(position, moved), moved)
    easiest = min((line for line in lines if line.need), key=lambda line: line.need, default=None)
    return f"{easiest.to[1:]} {easiest.need}+" if easiest else ""  # an id ends in the class


def _sail_text(label: str, steps: int, hexes_under_fire: Iterable[Collection[str]], targets: str) -> Text:
    foes = sum(label in under_fire for under_fire in hexes_under_fire)
    if targets:
        key = "choice.sail_fire_danger" if foes else "choice.sail_fire"
    else:
        key = "choice.sail_danger" if foes else "choice.sail"
    params: dict[str, Param] = {"hex": label, "steps": steps, "foes": foes}
    return Text(key, {**params, "targets": targets} if targets else params)


def shot_options(
    ship: Ship, lines: Sequence[FireLine], draft_of: DraftFunction, why_not: Callable[[Action], Fault | None]
) -> Iterator[Option]:
    """Yield a single shot and all shots at each enemy within range; blocked ones have a fault with the obstacle."""
    for line in lines:
        code: ClassCode = line.to[1:]  # type: ignore[assignment] # what an id ends in is a code
        is_blocked = not line.need
        offers_all = ship.shots > 1 and not is_blocked
        for most in (1, 0) if offers_all else (1,):  # the most shots at the target; 0: all that are left
            action = ShootOrder(ship.code, (Target(code, most),))
            key = "choice.shoot_one" if most else "choice.shoot_all"
            if is_blocked:
                key = "choice.shoot_blocked"
            label = Text(key, {"target": code, "hex": line.end, "need": line.need})
            yield Option(f"at.{code}.{most}", label, draft_of(action), fault=why_not(action), seals_answer=True)


def aim_options(ship: Ship, enemies: Iterable[Ship], draft_of: DraftFunction) -> Iterator[Option]:
    for enemy in enemies:
        for most in (1, 0) if ship.ship_class.shots > 1 else (0,):
            label = Text("choice.aim_one" if most else "choice.aim_all", {"target": enemy.code, "hex": enemy.hex})
            yield Option(f"at.{enemy.code}.{most}", label, draft_of(ShootOrder(ship.code, (Target(enemy.code, most),))))
