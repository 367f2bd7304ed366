"""What a ship in hand may do when her line's turn comes: moves, attacks with their odds, shots, crew (part 8.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rules.errors import Fault, Scalar
from rules.panels import MOST_OPTIONS, select
from rules.protocol import Group, Option
from rules.ramspeed.desk import aims, order_drafts, preview
from rules.ramspeed.desk.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.desk.view import Aim, Pose, Way
from rules.ramspeed.table import odds
from rules.ramspeed.table.geometry import moves
from rules.ramspeed.table.geometry.measure import rounded
from rules.ramspeed.table.notation import order_words
from rules.ramspeed.table.orders import (
    Alternative,
    Back,
    Exit,
    Face,
    Fwd,
    Grapple,
    Ignite,
    Line,
    Shoot,
    Side,
    Stay,
    Steer,
    Step,
    Transfer,
    Turn,
    Veer,
)
from rules.ramspeed.table.phases import missiles, transfer
from rules.ramspeed.table.state import Position, Ship, with_ship
from rules.view import Text

SIDES: Final[tuple[Side, ...]] = ("L", "R")
_VEERS: Final = (25, 20, 15, 10, 5)
_TURNS: Final = (30, 45, 60, 90, 120, 150, 180)
_CREWS: Final = (5, 10)
_TWO_STEPS: Final[dict[tuple[type[Step], ...], str]] = {(Turn, Fwd): "turn_fwd", (Fwd, Turn): "fwd_turn"}
"""What manoeuvres of two steps are called; one of a single step is called like the step."""
_FAULTS: Final = {
    "far": "aim_far",
    "near": "aim_near",
    "angle": "aim_angle",
    "blocked": "aim_blocked",
    "missed": "aim_missed",
    "unfit": "aim_unfit",
}
"""Codes of the faults of an attack that is not possible."""
TURN_FIRST_DEGREES: Final = 60
"""A ship that has the enemy farther off her bow turns first, as no veer brings the enemy into reach."""


class Sight:
    """The ship in hand and what is seen from her when her line's turn comes."""

    def __init__(self, context: OrderContext, draft: OrderDraft, *, at_once: bool = False) -> None:
        """Look out from where the lines above hers leave things; `at_once`: what she is ordered is carried out now."""
        self.at_once = at_once
        self.context = context
        self.draft = draft
        self.position: Position = preview.planned(context.position, draft.lines, upto=draft.focus).position
        self.ship: Ship = self.position.ship(draft.focus)
        self.line = draft.line(draft.focus)

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What she is ordered so far."""
        return self.line.alternatives if self.line else ()

    @property
    def free(self) -> bool:
        """Whether she can move."""
        return self.ship.afloat and not self.position.immobile(self.ship)

    def ordered(self, alternative: Alternative) -> OrderDraft:
        """The draft with this as her orders, or as one more thing to try."""
        before = self.alternatives if self.draft.adding else ()
        return order_drafts.changed(self.draft, (*before, alternative))

    def chosen(self, alternative: Alternative) -> bool:
        """Whether she is ordered so."""
        return alternative in self.alternatives

    def named(self, label: Text, *tries: Alternative) -> Text:
        """What trying this is called: if she tries it and then something else, all that she was ordered."""
        told = self.alternatives[:1] == tries[:1] and len(self.alternatives) > 1 and self.alternatives != tries
        return order_words.chain(self.alternatives) if told else label


def enemies_of(position: Position, ship: Ship) -> list[Ship]:
    """Enemies of a ship afloat, the nearest first."""
    return nearest_first(ship, position.enemies(ship))


def nearest_first(ship: Ship, others: Iterable[Ship]) -> list[Ship]:
    """Ships by how far their middles lie from hers, the nearest first."""
    return sorted(others, key=lambda one: ((one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, one.id))


def hopeless(position: Position, one: Aim) -> bool:
    """Whether an enemy stays out of reach of an attack this turn even if she comes as near as she can."""
    enemy = position.ship(one.to)
    comes = 0.0 if position.immobile(enemy) else enemy.fwd + enemy.ram_bonus
    return one.fault == "far" and one.have > one.limit + comes


def attack_or_nearer(ship: Ship, kind: str, enemy: str) -> tuple[Alternative, ...]:
    """An attack if it is possible when she acts, else towards the enemy."""
    return Alternative((aims.ATTACKS[kind](enemy),)), Alternative((Steer(enemy, ship.kind.fwd),))


def closing(position: Position, ship: Ship) -> Line:
    """At the nearest enemy with a crew: ram her, or board her if she lies still and has a smaller crew; else nearer.

    Where none of it is possible, such as bow to bow: at an enemy within reach, else astern, with a shot if she has one.
    """
    enemies = enemies_of(position, ship)
    nearest = next((one for one in enemies if one.crew), None)
    if nearest is None or position.immobile(ship):
        return Line(ship.id, (Alternative(_shot(position, ship) or (Stay(),)),))
    ram, nearer = attack_or_nearer(ship, "ram", nearest.id)
    if abs(moves.towards(ship, nearest)) > TURN_FIRST_DEGREES:
        nearer = Alternative((Face(nearest.id),))
    boarded = position.immobile(nearest) and ship.crew > nearest.crew
    board = (Alternative((Grapple(nearest.id),)),) if boarded else ()
    line = Line(ship.id, (ram, *board, nearer))
    if not all(_in_vain(preview.way_of(position, ship, one)) for one in line.alternatives):
        return line
    others = [
        aims.attack_of(ship, one)
        for one in aims.legal(position, ship)
        if one.kind == "ram" or (one.kind == "grapple" and ship.crew > position.ship(one.to).crew)
    ]
    return Line(ship.id, (ram, *others[:1], Alternative((*_shot(position, ship), Back(ship.back)))))


def _in_vain(way: Way) -> bool:
    """Whether nothing comes of it but perhaps a turn, after which she lies as close to what is in her way."""
    turned = way.kind == "move" and not way.order.startswith("face") and not _length(way.path)
    return turned or preview.idle(way)


def _shot(position: Position, ship: Ship) -> tuple[Shoot, ...]:
    """A shot at the nearest crew in reach, if there is one."""
    target = missiles.nearest(position, ship)
    return (Shoot(target, "crew"),) if target else ()


def ahead_barred(sight: Sight) -> Text | None:
    """What keeps her from going ahead at all; None: nothing does, or she cannot move anyhow."""
    ship = sight.ship
    if not sight.free or not ship.fwd:
        return None
    stop = moves.ahead_stop(sight.position, ship)
    if stop is None or stop.inches > 0:
        return None
    if stop.ship:
        return Text("line.barred.ship", {"ship": ship.id, "other": stop.ship})
    return Text("line.barred", {"ship": ship.id})


def groups(sight: Sight) -> Iterator[Group]:
    """All that she may do."""
    found = aims.aims(sight.position, sight.ship)
    yield select("attack", _attacks(sight, found))
    if sight.free:
        yield _moves(sight)
        yield _turns(sight)
    yield _transfers(sight)


def option(after: OrderDraft, token: str, label: Text, *, chosen: bool = False, fault: Fault | None = None) -> Option:
    """One thing to press, by the draft after it."""
    return Option(token, label, *order_drafts.write(after), chosen=chosen, fault=fault)


# --- moves -------------------------------------------------------------------------------------------------------


def _moves(sight: Sight) -> Group:
    ship = sight.ship
    half = ship.fwd / 2
    steps: list[tuple[str, tuple[Step, ...]]] = [("fwd", (Fwd(),)), ("half", (Fwd(half),)), ("fwd1", (Fwd(1.0),))]
    steps += [(f"veer{degrees}{side}", (Veer(degrees, side),)) for degrees in _VEERS for side in SIDES]
    steps += [(f"half{degrees}{side}", (Veer(degrees, side, half),)) for degrees in (25, 10) for side in SIDES]
    if sight.position.exit:
        steps.append(("exit", (Exit(),)))
    steps += [("back", (Back(ship.back),)), ("stay", (Stay(),))]
    steps += [(f"steer.{one.id}", (Steer(one.id, ship.fwd),)) for one in enemies_of(sight.position, ship)]
    return select("move", _steps(sight, steps))


def _turns(sight: Sight) -> Group:
    kind = sight.ship.kind
    steps: list[tuple[str, tuple[Step, ...]]] = []
    for turn in (Turn(degrees, side) for degrees in (45, 90) for side in SIDES if kind.turn_and_move):
        steps.append((f"turn{turn.degrees}{turn.side}.fwd", (turn, Fwd())))
        steps.append((f"fwd.turn{turn.degrees}{turn.side}", (Fwd(), turn)))
    possible = [degrees for degrees in _TURNS if degrees <= kind.turn]
    steps += [(f"turn{degrees}{side}", (Turn(degrees, side),)) for degrees in possible for side in SIDES]
    steps += [(f"face.{one.id}", (Face(one.id),)) for one in enemies_of(sight.position, sight.ship)]
    return select("turn", _steps(sight, steps))


def _steps(sight: Sight, steps: Sequence[tuple[str, tuple[Step, ...]]]) -> list[Option]:
    """Manoeuvres that bring her somewhere, each once, besides what she is ordered already."""
    found: list[Option] = []
    for token, manoeuvre in steps:
        alternative = Alternative(manoeuvre)
        chosen = sight.chosen(alternative)
        path = preview.way_of(sight.position, sight.ship, alternative).path
        label = _named(manoeuvre, path)
        said = any(one.label == label for one in found)
        if chosen or not (said or _nowhere(manoeuvre, path)):
            found.append(option(sight.ordered(alternative), f"go.{token}", label, chosen=chosen))
    return found


def _nowhere(steps: Sequence[Step], path: Sequence[Pose]) -> bool:
    """Whether something in the way leaves a ship that is to row where she is, or one that is to turn as she lies."""
    if any(isinstance(step, Stay | Exit) for step in steps):
        return False
    turns = all(isinstance(step, Turn | Face) for step in steps)
    return path[0].heading == path[-1].heading if turns else not _length(path)


def _named(steps: Sequence[Step], path: Sequence[Pose]) -> Text:
    """A manoeuvre, and how far it really brings her."""
    kinds = tuple(map(type, steps))
    key = kinds[0].__name__.lower() if len(kinds) == 1 else _TWO_STEPS[kinds]
    params: dict[str, Scalar] = {"way": _length(path), "heading": path[-1].heading}
    for step in steps:
        match step:
            case Turn() | Veer():
                key = f"{key}.{step.side}"
                params["degrees"] = step.degrees
            case Steer() | Face():
                params["target"] = step.target
    return Text(f"choice.{key}", params)


def _length(path: Sequence[Pose]) -> float:
    return rounded(math.dist(path[0][:2], path[-1][:2]))


# --- attacks, shots, crew ----------------------------------------------------------------------------------------


def _attacks(sight: Sight, aims: Sequence[Aim]) -> list[Option]:
    """All that is legal, shots too; then what may become possible this turn; at last a fire of her own."""
    attacks = [one for one in aims if one.kind != "shot"] if sight.free else []
    found = [_attack(sight, one) for one in attacks if not one.fault]
    found += _shots(sight, [one for one in aims if one.kind == "shot" and not one.fault])
    barred = [(_barred(sight, one), one) for one in attacks if one.fault]
    found += [known for known, one in barred if known.chosen or not hopeless(sight.position, one)]
    # A last resort, which nobody needs in the first turn; it can be typed.
    if found and sight.position.turn > 1 and sight.free and sight.ship.crew and not sight.ship.fireship:
        lit = Alternative((Ignite(), Fwd()))
        burn = option(sight.ordered(lit), "do.ignite", Text("choice.ignite"), chosen=sight.chosen(lit))
        found = [*found[: MOST_OPTIONS - 1], burn]
    return found


def _barred(sight: Sight, one: Aim) -> Option:
    """An attack that is not possible as things stand; when her line's turn comes, it may be."""
    token = f"do.{one.kind}.{one.to}"
    measured: dict[str, Scalar] = {"to": one.to, "have": one.have, "limit": one.limit}
    if sight.at_once or one.fault == "unfit":
        fault = Fault(kind="illegal", code=_FAULTS[one.fault or "unfit"], rule=one.rule, piece=one.to, params=measured)
        return option(sight.draft, token, Text(f"choice.{one.kind}.barred", {"to": one.to}), fault=fault)
    why = Text(f"later.{one.fault}", measured)
    tries = attack_or_nearer(sight.ship, one.kind, one.to)
    after = sight.ordered(tries[0]) if sight.draft.adding else order_drafts.changed(sight.draft, tries)
    label = Text(f"choice.{one.kind}.later", {"to": one.to, "why": (why,)})
    return option(after, token, sight.named(label, *tries), chosen=sight.chosen(tries[0]))


def _attack(sight: Sight, one: Aim) -> Option:
    alternative = aims.attack_of(sight.ship, one)
    params: dict[str, Scalar] = {"to": one.to, "run": one.run, "zone": one.zone, "modifier": one.modifier}
    label = Text(f"choice.{one.kind}", {**params, **odds.hopes(one.kind, one.odds)})
    chosen, label = sight.chosen(alternative), sight.named(label, alternative)
    return option(sight.ordered(alternative), f"do.{one.kind}.{one.to}", label, chosen=chosen)


def _shots(sight: Sight, aims: Sequence[Aim]) -> Iterator[Option]:
    """Shots within reach, at a crew if there is one: with her last order, if it leaves room for one, else alone."""
    for one in aims:
        most = min(6, sight.position.ship(one.to).crew)
        for shot in (Shoot(one.to, "crew"), Shoot(one.to, "fire"))[not most :]:
            after, chosen = _with_shot(sight, shot)
            label = Text(f"choice.shoot.{shot.kind}", {"to": one.to, "away": one.run, "most": most})
            yield option(after, f"shot.{shot.kind}.{one.to}", label, chosen=chosen)


def _with_shot(sight: Sight, shot: Shoot) -> tuple[OrderDraft, bool]:
    """The draft with a shot at the end of her last order; and whether it holds it already."""
    *before, last = sight.alternatives or (Alternative((Stay(),)),)
    if sight.draft.adding or _settled(last):
        alone = Alternative((shot,))
        return sight.ordered(alone), sight.chosen(alone)
    kept = tuple(step for step in last.steps if not isinstance(step, Shoot | Stay))
    wanted = Alternative((*kept, shot))
    return order_drafts.changed(sight.draft, (*before, wanted)), wanted == last


def _settled(alternative: Alternative) -> bool:
    """Whether nothing can be added to an alternative: it attacks, ignites or leaves the table."""
    leaves = any(isinstance(step, Exit) for step in alternative.steps)
    return bool(alternative.attack) or alternative.ignites or leaves


def _transfers(sight: Sight) -> Group:
    """Crew to and from ships that lie beside her, or will when she has moved as she is ordered."""
    *before, last = sight.alternatives or (Alternative((Stay(),)),)
    if _settled(last):
        return select("crew", ())
    there = moves.manoeuvred(sight.position, sight.ship, last.manoeuvres).ship
    position = with_ship(sight.position, there)
    kept = tuple(step for step in last.steps if not isinstance(step, Transfer | Shoot | Stay))
    options = []
    for other in position.ships:
        for way, most in (("to", there.crew), ("from", other.crew)):
            for crew in dict.fromkeys((*_CREWS, most)):
                step = Transfer(crew, "to" if way == "to" else "from", other.id)
                if other.id == there.id or crew < 1 or transfer.forbidden(position, there, step):
                    continue
                wanted = Alternative((*kept, step))
                label = Text(f"choice.crew.{way}", {"ship": other.id, "crew": crew})
                after = order_drafts.changed(sight.draft, (*before, wanted))
                options.append(option(after, f"crew.{way}.{crew}.{other.id}", label, chosen=wanted == last))
    return select("crew", options)
