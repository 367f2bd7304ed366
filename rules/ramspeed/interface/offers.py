"""What a ship in hand may do when her line's turn comes: moves, attacks with their odds, shots, crew (part 8.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rules.core.errors import Fault, Scalar
from rules.core.protocol import Option, OptionGroup
from rules.core.view import Text
from rules.interface.panels import MAX_OPTIONS, select_menu
from rules.ramspeed.engine import odds
from rules.ramspeed.engine.geometry import moves
from rules.ramspeed.engine.geometry.measure import round_inches
from rules.ramspeed.engine.notation import order_words
from rules.ramspeed.engine.orders import (
    Alternative,
    BackOrder,
    CrewTransferOrder,
    ExitOrder,
    FaceOrder,
    ForwardOrder,
    GrappleOrder,
    IgniteOrder,
    OrderLine,
    OrderStep,
    PivotSide,
    ShootOrder,
    StayOrder,
    SteerOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.phases import missiles, transfer
from rules.ramspeed.engine.state import Position, Ship, with_ship
from rules.ramspeed.interface import aims, order_drafts, preview
from rules.ramspeed.interface.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.interface.view import AttackPreview, PlannedCourse, Pose

PIVOT_SIDES: Final[tuple[PivotSide, ...]] = ("L", "R")
_VEERS_DEG: Final = (25, 20, 15, 10, 5)
_TURNS_DEG: Final = (30, 45, 60, 90, 120, 150, 180)
_TRANSFER_SIZES: Final = (5, 10)
_TWO_STEP_NAMES: Final[dict[tuple[type[OrderStep], ...], str]] = {
    (TurnOrder, ForwardOrder): "turn_fwd",
    (ForwardOrder, TurnOrder): "fwd_turn",
}
"""What manoeuvres of two steps are called; one of a single step is called like the step."""
_FAULT_CODES: Final = {
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


class ShipOffers:
    """The ship in hand and what is seen from her when her line's turn comes."""

    def __init__(self, context: OrderContext, draft: OrderDraft, *, at_once: bool = False) -> None:
        """Look out from where the lines above hers leave things; `at_once`: what she is ordered is carried out now."""
        self.at_once = at_once
        self.context = context
        self.draft = draft
        self.position: Position = preview.plan_lines(context.position, draft.lines, upto=draft.focus).position
        self.ship: Ship = self.position.ship_by_id(draft.focus)
        self.line = draft.line_of(draft.focus)

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What she is ordered so far."""
        return self.line.alternatives if self.line else ()

    @property
    def can_move(self) -> bool:
        """Whether she can move."""
        return self.ship.is_afloat and not self.position.is_immobile(self.ship)

    def with_order(self, alternative: Alternative) -> OrderDraft:
        """The draft with this as her orders, or as one more thing to try."""
        before = self.alternatives if self.draft.is_adding else ()
        return order_drafts.with_alternatives(self.draft, (*before, alternative))

    def is_ordered(self, alternative: Alternative) -> bool:
        """Whether she is ordered so."""
        return alternative in self.alternatives

    def choice_label(self, label: Text, *tries: Alternative) -> Text:
        """What trying this is called: if she tries it and then something else, all that she was ordered."""
        told = self.alternatives[:1] == tries[:1] and len(self.alternatives) > 1 and self.alternatives != tries
        return order_words.chain_sentence(self.alternatives) if told else label


def enemies_of(position: Position, ship: Ship) -> list[Ship]:
    """Enemies of a ship afloat, the nearest first."""
    return nearest_first(ship, position.enemies(ship))


def nearest_first(ship: Ship, others: Iterable[Ship]) -> list[Ship]:
    """Ships by how far their middles lie from hers, the nearest first."""
    return sorted(others, key=lambda one: ((one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, one.id))


def is_out_of_reach(position: Position, one: AttackPreview) -> bool:
    """Whether an enemy stays out of reach of an attack this turn even if she comes as near as she can."""
    enemy = position.ship_by_id(one.target)
    comes = 0.0 if position.is_immobile(enemy) else enemy.forward_allowance + enemy.ram_run_bonus
    return one.fault == "far" and one.measured > one.limit + comes


def attack_or_approach(ship: Ship, kind: str, enemy: str) -> tuple[Alternative, ...]:
    """An attack if it is possible when she acts, else towards the enemy."""
    return Alternative((aims.ATTACK_TYPES[kind](enemy),)), Alternative((SteerOrder(enemy, ship.ship_class.fwd),))


def closing_line(position: Position, ship: Ship) -> OrderLine:
    """At the nearest enemy with a crew: ram her, or board her if she lies still and has a smaller crew; else nearer.

    Where none of it is possible, such as bow to bow: at an enemy within reach, else astern, with a shot if she has one.
    """
    enemies = enemies_of(position, ship)
    nearest = next((one for one in enemies if one.crew), None)
    if nearest is None or position.is_immobile(ship):
        return OrderLine(ship.id, (Alternative(_nearest_shot(position, ship) or (StayOrder(),)),))
    ram, nearer = attack_or_approach(ship, "ram", nearest.id)
    if abs(moves.degrees_towards(ship, nearest)) > TURN_FIRST_DEGREES:
        nearer = Alternative((FaceOrder(nearest.id),))
    boarded = position.is_immobile(nearest) and ship.crew > nearest.crew
    board = (Alternative((GrappleOrder(nearest.id),)),) if boarded else ()
    line = OrderLine(ship.id, (ram, *board, nearer))
    if not all(_is_vain(preview.course_of(position, ship, one)) for one in line.alternatives):
        return line
    others = [
        aims.alternative_of(ship, one)
        for one in aims.legal_attacks(position, ship)
        if one.kind == "ram" or (one.kind == "grapple" and ship.crew > position.ship_by_id(one.target).crew)
    ]
    return OrderLine(
        ship.id, (ram, *others[:1], Alternative((*_nearest_shot(position, ship), BackOrder(ship.reverse_allowance))))
    )


def _is_vain(way: PlannedCourse) -> bool:
    """Whether nothing comes of it but perhaps a turn, after which she lies as close to what is in her way."""
    turned = way.kind == "move" and not way.order.startswith("face") and not _path_length(way.path)
    return turned or preview.is_idle(way)


def _nearest_shot(position: Position, ship: Ship) -> tuple[ShootOrder, ...]:
    """A shot at the nearest crew in reach, if there is one."""
    target = missiles.nearest_target(position, ship)
    return (ShootOrder(target, "crew"),) if target else ()


def ahead_obstacle(sight: ShipOffers) -> Text | None:
    """What keeps her from going ahead at all; None: nothing does, or she cannot move anyhow."""
    ship = sight.ship
    if not sight.can_move or not ship.forward_allowance:
        return None
    stop = moves.first_stop_ahead(sight.position, ship)
    if stop is None or stop.distance_in > 0:
        return None
    if stop.ship:
        return Text("line.barred.ship", {"ship": ship.id, "other": stop.ship})
    return Text("line.barred", {"ship": ship.id})


def option_groups(sight: ShipOffers) -> Iterator[OptionGroup]:
    """All that she may do."""
    found = aims.attack_previews(sight.position, sight.ship)
    yield select_menu("attack", _attack_options(sight, found))
    if sight.can_move:
        yield _move_group(sight)
        yield _turn_group(sight)
    yield _transfer_group(sight)


def make_option(
    after: OrderDraft, token: str, label: Text, *, chosen: bool = False, fault: Fault | None = None
) -> Option:
    """One thing to press, by the draft after it."""
    return Option(token, label, *order_drafts.write_draft(after), is_chosen=chosen, fault=fault)


# --- moves -------------------------------------------------------------------------------------------------------


def _move_group(sight: ShipOffers) -> OptionGroup:
    ship = sight.ship
    half = ship.forward_allowance / 2
    steps: list[tuple[str, tuple[OrderStep, ...]]] = [
        ("fwd", (ForwardOrder(),)),
        ("half", (ForwardOrder(half),)),
        ("fwd1", (ForwardOrder(1.0),)),
    ]
    steps += [(f"veer{degrees}{side}", (VeerOrder(degrees, side),)) for degrees in _VEERS_DEG for side in PIVOT_SIDES]
    steps += [
        (f"half{degrees}{side}", (VeerOrder(degrees, side, half),)) for degrees in (25, 10) for side in PIVOT_SIDES
    ]
    if sight.position.exit:
        steps.append(("exit", (ExitOrder(),)))
    steps += [("back", (BackOrder(ship.reverse_allowance),)), ("stay", (StayOrder(),))]
    steps += [
        (f"steer.{one.id}", (SteerOrder(one.id, ship.forward_allowance),)) for one in enemies_of(sight.position, ship)
    ]
    return select_menu("move", _manoeuvre_options(sight, steps))


def _turn_group(sight: ShipOffers) -> OptionGroup:
    kind = sight.ship.ship_class
    steps: list[tuple[str, tuple[OrderStep, ...]]] = []
    for turn in (TurnOrder(degrees, side) for degrees in (45, 90) for side in PIVOT_SIDES if kind.turn_and_move):
        steps.append((f"turn{turn.degrees}{turn.side}.fwd", (turn, ForwardOrder())))
        steps.append((f"fwd.turn{turn.degrees}{turn.side}", (ForwardOrder(), turn)))
    possible = [degrees for degrees in _TURNS_DEG if degrees <= kind.turn]
    steps += [(f"turn{degrees}{side}", (TurnOrder(degrees, side),)) for degrees in possible for side in PIVOT_SIDES]
    steps += [(f"face.{one.id}", (FaceOrder(one.id),)) for one in enemies_of(sight.position, sight.ship)]
    return select_menu("turn", _manoeuvre_options(sight, steps))


def _manoeuvre_options(sight: ShipOffers, steps: Sequence[tuple[str, tuple[OrderStep, ...]]]) -> list[Option]:
    """Manoeuvres that bring her somewhere, each once, besides what she is ordered already."""
    found: list[Option] = []
    for token, manoeuvre in steps:
        alternative = Alternative(manoeuvre)
        chosen = sight.is_ordered(alternative)
        path = preview.course_of(sight.position, sight.ship, alternative).path
        label = _manoeuvre_label(manoeuvre, path)
        said = any(one.label == label for one in found)
        if chosen or not (said or _goes_nowhere(manoeuvre, path)):
            found.append(make_option(sight.with_order(alternative), f"go.{token}", label, chosen=chosen))
    return found


def _goes_nowhere(steps: Sequence[OrderStep], path: Sequence[Pose]) -> bool:
    """Whether something in the way leaves a ship that is to row where she is, or one that is to turn as she lies."""
    if any(isinstance(step, StayOrder | ExitOrder) for step in steps):
        return False
    turns = all(isinstance(step, TurnOrder | FaceOrder) for step in steps)
    return path[0].heading == path[-1].heading if turns else not _path_length(path)


def _manoeuvre_label(steps: Sequence[OrderStep], path: Sequence[Pose]) -> Text:
    """A manoeuvre, and how far it really brings her."""
    kinds: tuple[type[OrderStep], ...] = tuple(map(type, steps))
    key = str(kinds[0].__struct_config__.tag) if len(kinds) == 1 else _TWO_STEP_NAMES[kinds]
    params: dict[str, Scalar] = {"way": _path_length(path), "heading": path[-1].heading}
    for step in steps:
        match step:
            case TurnOrder() | VeerOrder():
                key = f"{key}.{step.side}"
                params["degrees"] = step.degrees
            case SteerOrder() | FaceOrder():
                params["target"] = step.target
    return Text(f"choice.{key}", params)


def _path_length(path: Sequence[Pose]) -> float:
    return round_inches(math.dist(path[0][:2], path[-1][:2]))


# --- attacks, shots, crew ----------------------------------------------------------------------------------------


def _attack_options(sight: ShipOffers, aims: Sequence[AttackPreview]) -> list[Option]:
    """All that is legal, shots too; then what may become possible this turn; at last a fire of her own."""
    attacks = [one for one in aims if one.kind != "shot"] if sight.can_move else []
    found = [_attack_option(sight, one) for one in attacks if not one.fault]
    found += _shot_options(sight, [one for one in aims if one.kind == "shot" and not one.fault])
    barred = [(_barred_option(sight, one), one) for one in attacks if one.fault]
    found += [known for known, one in barred if known.is_chosen or not is_out_of_reach(sight.position, one)]
    # A last resort, which nobody needs in the first turn; it can be typed.
    if found and sight.position.turn > 1 and sight.can_move and sight.ship.crew and not sight.ship.fireship:
        lit = Alternative((IgniteOrder(), ForwardOrder()))
        burn = make_option(sight.with_order(lit), "do.ignite", Text("choice.ignite"), chosen=sight.is_ordered(lit))
        found = [*found[: MAX_OPTIONS - 1], burn]
    return found


def _barred_option(sight: ShipOffers, one: AttackPreview) -> Option:
    """An attack that is not possible as things stand; when her line's turn comes, it may be."""
    token = f"do.{one.kind}.{one.target}"
    measured: dict[str, Scalar] = {"to": one.target, "have": one.measured, "limit": one.limit}
    if sight.at_once or one.fault == "unfit":
        fault = Fault(
            kind="illegal", code=_FAULT_CODES[one.fault or "unfit"], rule=one.rule, piece=one.target, params=measured
        )
        return make_option(sight.draft, token, Text(f"choice.{one.kind}.barred", {"to": one.target}), fault=fault)
    why = Text(f"later.{one.fault}", measured)
    tries = attack_or_approach(sight.ship, one.kind, one.target)
    after = sight.with_order(tries[0]) if sight.draft.is_adding else order_drafts.with_alternatives(sight.draft, tries)
    label = Text(f"choice.{one.kind}.later", {"to": one.target, "why": (why,)})
    return make_option(after, token, sight.choice_label(label, *tries), chosen=sight.is_ordered(tries[0]))


def _attack_option(sight: ShipOffers, one: AttackPreview) -> Option:
    alternative = aims.alternative_of(sight.ship, one)
    params: dict[str, Scalar] = {"to": one.target, "run": one.run, "zone": one.zone, "modifier": one.modifier}
    label = Text(f"choice.{one.kind}", {**params, **odds.named_chances(one.kind, one.odds)})
    chosen, label = sight.is_ordered(alternative), sight.choice_label(label, alternative)
    return make_option(sight.with_order(alternative), f"do.{one.kind}.{one.target}", label, chosen=chosen)


def _shot_options(sight: ShipOffers, aims: Sequence[AttackPreview]) -> Iterator[Option]:
    """Shots within reach, at a crew if there is one: with her last order, if it leaves room for one, else alone."""
    for one in aims:
        most = min(6, sight.position.ship_by_id(one.target).crew)
        for shot in (ShootOrder(one.target, "crew"), ShootOrder(one.target, "fire"))[not most :]:
            after, chosen = _draft_with_shot(sight, shot)
            label = Text(f"choice.shoot.{shot.kind}", {"to": one.target, "away": one.run, "most": most})
            yield make_option(after, f"shot.{shot.kind}.{one.target}", label, chosen=chosen)


def _draft_with_shot(sight: ShipOffers, shot: ShootOrder) -> tuple[OrderDraft, bool]:
    """The draft with a shot at the end of her last order; and whether it holds it already."""
    *before, last = sight.alternatives or (Alternative((StayOrder(),)),)
    if sight.draft.is_adding or _is_complete(last):
        alone = Alternative((shot,))
        return sight.with_order(alone), sight.is_ordered(alone)
    kept = tuple(step for step in last.steps if not isinstance(step, ShootOrder | StayOrder))
    wanted = Alternative((*kept, shot))
    return order_drafts.with_alternatives(sight.draft, (*before, wanted)), wanted == last


def _is_complete(alternative: Alternative) -> bool:
    """Whether nothing can be added to an alternative: it attacks, ignites or leaves the table."""
    leaves = any(isinstance(step, ExitOrder) for step in alternative.steps)
    return bool(alternative.attack) or alternative.is_igniting or leaves


def _transfer_group(sight: ShipOffers) -> OptionGroup:
    """Crew to and from ships that lie beside her, or will when she has moved as she is ordered."""
    *before, last = sight.alternatives or (Alternative((StayOrder(),)),)
    if _is_complete(last):
        return select_menu("crew", ())
    there = moves.carry_out_manoeuvre(sight.position, sight.ship, last.manoeuvres).ship
    position = with_ship(sight.position, there)
    kept = tuple(step for step in last.steps if not isinstance(step, CrewTransferOrder | ShootOrder | StayOrder))
    options = []
    for other in position.ships:
        for way, most in (("to", there.crew), ("from", other.crew)):
            for crew in dict.fromkeys((*_TRANSFER_SIZES, most)):
                step = CrewTransferOrder(crew, "to" if way == "to" else "from", other.id)
                if other.id == there.id or crew < 1 or transfer.transfer_forbidden_by(position, there, step):
                    continue
                wanted = Alternative((*kept, step))
                label = Text(f"choice.crew.{way}", {"ship": other.id, "crew": crew})
                after = order_drafts.with_alternatives(sight.draft, (*before, wanted))
                options.append(make_option(after, f"crew.{way}.{crew}.{other.id}", label, chosen=wanted == last))
    return select_menu("crew", options)
