"""Options for the ship in focus when its line is carried out: moves, attacks with odds, shots, crew."""

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
from rules.ramspeed.engine.geometry.hulls import round_inches
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
from rules.ramspeed.engine.phases import fire, transfer
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
_FAULT_CODES: Final = {
    "far": "aim_far",
    "near": "aim_near",
    "angle": "aim_angle",
    "blocked": "aim_blocked",
    "missed": "aim_missed",
    "unfit": "aim_unfit",
}
TURN_FIRST_DEGREES: Final = 60
"""Degrees off the bow beyond which a ship turns first, as no veer brings the enemy into reach."""


class ShipInFocus:
    """The ship in focus, at the position that the lines before its own lead to."""

    def __init__(self, context: OrderContext, draft: OrderDraft, *, at_once: bool = False) -> None:
        """Plan the lines before the ship's own. `at_once`: its order is carried out as soon as it is chosen."""
        self.at_once = at_once
        self.context = context
        self.draft = draft
        self.position: Position = preview.plan_lines(context.position, draft.lines, upto=draft.focus).position
        self.ship: Ship = self.position.ship_by_id(draft.focus)
        self.line = draft.line_of(draft.focus)

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        return self.line.alternatives if self.line else ()

    @property
    def can_move(self) -> bool:
        return self.ship.is_afloat and not self.position.is_immobile(self.ship)

    def with_order(self, alternative: Alternative) -> OrderDraft:
        """Return the draft with an alternative, which replaces the ship's line or, while adding, extends it."""
        alternatives_kept = self.alternatives if self.draft.is_adding else ()
        return order_drafts.with_alternatives(self.draft, (*alternatives_kept, alternative))

    def is_ordered(self, alternative: Alternative) -> bool:
        return alternative in self.alternatives

    def choice_label(self, label: Text, *tries: Alternative) -> Text:
        """Return the label of an order; if it begins a chain of alternatives, describe the whole chain."""
        is_chain = self.alternatives[:1] == tries[:1] and len(self.alternatives) > 1 and self.alternatives != tries
        return order_words.chain_sentence(self.alternatives) if is_chain else label


def enemies_of(position: Position, ship: Ship) -> list[Ship]:
    return nearest_first(ship, position.enemies(ship))


def nearest_first(ship: Ship, others: Iterable[Ship]) -> list[Ship]:
    return sorted(others, key=lambda other: ((other.x - ship.x) ** 2 + (other.y - ship.y) ** 2, other.id))


def is_out_of_reach(position: Position, attack: AttackPreview) -> bool:
    """Return whether an enemy stays out of reach this turn even if it comes as near as it can."""
    enemy = position.ship_by_id(attack.target)
    enemy_inches = 0.0 if position.is_immobile(enemy) else enemy.forward_allowance + enemy.ram_run_bonus
    return attack.fault == "far" and attack.measured > attack.limit + enemy_inches


def attack_or_approach(ship: Ship, kind: str, enemy: str) -> tuple[Alternative, ...]:
    return Alternative((aims.ATTACK_TYPES[kind](enemy),)), Alternative((SteerOrder(enemy, ship.ship_class.fwd),))


def closing_line(position: Position, ship: Ship) -> OrderLine:
    """Return orders against the nearest enemy with crew: ram it, board it if it is immobile and weaker, or come nearer.

    If none of it is possible now, such as bow to bow, attack another enemy within reach, else go astern, with a shot if
    there is a target.
    """
    enemies = enemies_of(position, ship)
    nearest = next((enemy for enemy in enemies if enemy.crew), None)
    if nearest is None or position.is_immobile(ship):
        return OrderLine(ship.id, (Alternative(_nearest_shot(position, ship) or (StayOrder(),)),))
    ram, nearer = attack_or_approach(ship, "ram", nearest.id)
    if abs(moves.degrees_towards(ship, nearest)) > TURN_FIRST_DEGREES:
        nearer = Alternative((FaceOrder(nearest.id),))
    can_board = position.is_immobile(nearest) and ship.crew > nearest.crew
    boarding = (Alternative((GrappleOrder(nearest.id),)),) if can_board else ()
    line = OrderLine(ship.id, (ram, *boarding, nearer))
    if not all(_is_vain(preview.course_of(position, ship, alternative)) for alternative in line.alternatives):
        return line
    other_attacks = [
        aims.alternative_of(ship, attack)
        for attack in aims.legal_attacks(position, ship)
        if attack.kind == "ram" or (attack.kind == "grapple" and ship.crew > position.ship_by_id(attack.target).crew)
    ]
    astern = Alternative((*_nearest_shot(position, ship), BackOrder(ship.reverse_allowance)))
    return OrderLine(ship.id, (ram, *other_attacks[:1], astern))


def _is_vain(course: PlannedCourse) -> bool:
    """Return whether an alternative does nothing but perhaps turn a ship that is still blocked."""
    only_turns = course.kind == "move" and not course.order.startswith("face") and not _path_length(course.path)
    return only_turns or preview.is_idle(course)


def _nearest_shot(position: Position, ship: Ship) -> tuple[ShootOrder, ...]:
    target = fire.nearest_target(position, ship)
    return (ShootOrder(target, "crew"),) if target else ()


def ahead_obstacle(focus: ShipInFocus) -> Text | None:
    """Return a sentence about what blocks the ship straight ahead, or None if nothing does or it cannot move anyway."""
    ship = focus.ship
    if not focus.can_move or not ship.forward_allowance:
        return None
    stop = moves.first_stop_ahead(focus.position, ship)
    if stop is None or stop.distance_in > 0:
        return None
    if stop.ship:
        return Text("line.barred.ship", {"ship": ship.id, "other": stop.ship})
    return Text("line.barred", {"ship": ship.id})


def option_groups(focus: ShipInFocus) -> Iterator[OptionGroup]:
    previews = aims.attack_previews(focus.position, focus.ship)
    yield select_menu("attack", _attack_options(focus, previews))
    if focus.can_move:
        yield _move_group(focus)
        yield _turn_group(focus)
    yield _transfer_group(focus)


def make_option(
    after: OrderDraft, token: str, label: Text, *, chosen: bool = False, fault: Fault | None = None
) -> Option:
    return Option(token, label, *order_drafts.write_draft(after), is_chosen=chosen, fault=fault)


# --- moves -------------------------------------------------------------------------------------------------------


def _move_group(focus: ShipInFocus) -> OptionGroup:
    ship = focus.ship
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
    if focus.position.exit:
        steps.append(("exit", (ExitOrder(),)))
    steps += [("back", (BackOrder(ship.reverse_allowance),)), ("stay", (StayOrder(),))]
    steps += [
        (f"steer.{enemy.id}", (SteerOrder(enemy.id, ship.forward_allowance),))
        for enemy in enemies_of(focus.position, ship)
    ]
    return select_menu("move", _manoeuvre_options(focus, steps))


def _turn_group(focus: ShipInFocus) -> OptionGroup:
    ship_class = focus.ship.ship_class
    steps: list[tuple[str, tuple[OrderStep, ...]]] = []
    if ship_class.turn_and_move:
        for turn in [TurnOrder(degrees, side) for degrees in (45, 90) for side in PIVOT_SIDES]:
            steps.append((f"turn{turn.degrees}{turn.side}.fwd", (turn, ForwardOrder())))
            steps.append((f"fwd.turn{turn.degrees}{turn.side}", (ForwardOrder(), turn)))
    possible = [degrees for degrees in _TURNS_DEG if degrees <= ship_class.turn]
    steps += [(f"turn{degrees}{side}", (TurnOrder(degrees, side),)) for degrees in possible for side in PIVOT_SIDES]
    steps += [(f"face.{enemy.id}", (FaceOrder(enemy.id),)) for enemy in enemies_of(focus.position, focus.ship)]
    return select_menu("turn", _manoeuvre_options(focus, steps))


def _manoeuvre_options(focus: ShipInFocus, steps: Sequence[tuple[str, tuple[OrderStep, ...]]]) -> list[Option]:
    options: list[Option] = []
    for token, manoeuvre in steps:
        alternative = Alternative(manoeuvre)
        is_chosen = focus.is_ordered(alternative)
        path = preview.course_of(focus.position, focus.ship, alternative).path
        label = _manoeuvre_label(manoeuvre, path)
        is_duplicate = any(option.label == label for option in options)
        if is_chosen or not (is_duplicate or _goes_nowhere(manoeuvre, path)):
            options.append(make_option(focus.with_order(alternative), f"go.{token}", label, chosen=is_chosen))
    return options


def _goes_nowhere(steps: Sequence[OrderStep], path: Sequence[Pose]) -> bool:
    """Return whether an obstacle keeps a ship from moving at all, or from turning if it only turns."""
    if any(isinstance(step, StayOrder | ExitOrder) for step in steps):
        return False
    turns = all(isinstance(step, TurnOrder | FaceOrder) for step in steps)
    return path[0].heading == path[-1].heading if turns else not _path_length(path)


def _manoeuvre_label(steps: Sequence[OrderStep], path: Sequence[Pose]) -> Text:
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


def _attack_options(focus: ShipInFocus, previews: Sequence[AttackPreview]) -> list[Option]:
    """Return legal attacks and shots, then attacks that may become possible this turn, then igniting the ship."""
    attacks = [attack for attack in previews if attack.kind != "shot"] if focus.can_move else []
    legal_shots = [shot for shot in previews if shot.kind == "shot" and not shot.fault]
    options = [_attack_option(focus, attack) for attack in attacks if not attack.fault]
    options += _shot_options(focus, legal_shots)
    for attack in attacks:
        if attack.fault:
            option = _barred_option(focus, attack)
            if option.is_chosen or not is_out_of_reach(focus.position, attack):
                options.append(option)
    can_ignite = focus.can_move and focus.ship.crew and not focus.ship.fireship
    # igniting is a last resort that nobody needs in the first turn; it can still be typed
    if options and focus.position.turn > 1 and can_ignite:
        ignite = Alternative((IgniteOrder(), ForwardOrder()))
        label = Text("choice.ignite")
        ignite_option = make_option(focus.with_order(ignite), "do.ignite", label, chosen=focus.is_ordered(ignite))
        options = [*options[: MAX_OPTIONS - 1], ignite_option]
    return options


def _barred_option(focus: ShipInFocus, attack: AttackPreview) -> Option:
    """Return an option for an attack that is illegal now: with a fault, or an order to try it when the ship acts."""
    token = f"do.{attack.kind}.{attack.target}"
    measured: dict[str, Scalar] = {"to": attack.target, "have": attack.measured, "limit": attack.limit}
    if focus.at_once or attack.fault == "unfit":
        fault_code = _FAULT_CODES[attack.fault or "unfit"]
        if attack.fault == "angle":
            fault_code += ".ram" if attack.kind == "ram" else ".alongside"
        fault = Fault(
            kind="illegal",
            code=fault_code,
            rule=attack.rule,
            piece=attack.target,
            params=measured,
        )
        return make_option(focus.draft, token, Text(f"choice.{attack.kind}.barred", {"to": attack.target}), fault=fault)
    why = Text(f"later.{attack.fault}", measured)
    attempt, approach = attack_or_approach(focus.ship, attack.kind, attack.target)
    if focus.draft.is_adding:
        draft_after = focus.with_order(attempt)
    else:
        draft_after = order_drafts.with_alternatives(focus.draft, (attempt, approach))
    label = Text(f"choice.{attack.kind}.later", {"to": attack.target, "why": (why,)})
    label = focus.choice_label(label, attempt, approach)
    return make_option(draft_after, token, label, chosen=focus.is_ordered(attempt))


def _attack_option(focus: ShipInFocus, attack: AttackPreview) -> Option:
    alternative = aims.alternative_of(focus.ship, attack)
    params: dict[str, Scalar] = {
        "to": attack.target,
        "run": attack.run,
        "zone": attack.zone,
        "modifier": attack.modifier,
    }
    label = Text(f"choice.{attack.kind}", {**params, **odds.named_chances(attack.kind, attack.odds)})
    label = focus.choice_label(label, alternative)
    is_chosen = focus.is_ordered(alternative)
    return make_option(focus.with_order(alternative), f"do.{attack.kind}.{attack.target}", label, chosen=is_chosen)


def _shot_options(focus: ShipInFocus, legal_shots: Sequence[AttackPreview]) -> Iterator[Option]:
    """Yield shots within reach; each is added to the last order if there is room, else it is an order of its own."""
    for legal_shot in legal_shots:
        target = legal_shot.target
        max_losses = min(6, focus.position.ship_by_id(target).crew)  # a shot kills as many men as the die shows
        shots = [ShootOrder(target, "fire")]
        if max_losses:
            shots.insert(0, ShootOrder(target, "crew"))
        for shot in shots:
            draft_after, is_chosen = _draft_with_shot(focus, shot)
            label = Text(f"choice.shoot.{shot.kind}", {"to": target, "away": legal_shot.run, "most": max_losses})
            yield make_option(draft_after, f"shot.{shot.kind}.{target}", label, chosen=is_chosen)


def _draft_with_shot(focus: ShipInFocus, shot: ShootOrder) -> tuple[OrderDraft, bool]:
    """Return the draft with a shot, and whether it has the shot already."""
    alternatives = focus.alternatives or (Alternative((StayOrder(),)),)
    last = alternatives[-1]
    if focus.draft.is_adding or _is_complete(last):
        shot_alone = Alternative((shot,))
        return focus.with_order(shot_alone), focus.is_ordered(shot_alone)
    other_steps = tuple(step for step in last.steps if not isinstance(step, ShootOrder | StayOrder))
    last_with_shot = Alternative((*other_steps, shot))
    draft_after = order_drafts.with_alternatives(focus.draft, (*alternatives[:-1], last_with_shot))
    return draft_after, last_with_shot == last


def _is_complete(alternative: Alternative) -> bool:
    """Return whether nothing can be added to an alternative, as it attacks, ignites or leaves the table."""
    leaves = any(isinstance(step, ExitOrder) for step in alternative.steps)
    return bool(alternative.attack) or alternative.is_igniting or leaves


def _transfer_group(focus: ShipInFocus) -> OptionGroup:
    alternatives = focus.alternatives or (Alternative((StayOrder(),)),)
    last = alternatives[-1]
    if _is_complete(last):
        return select_menu("crew", ())
    moved_ship = moves.carry_out_manoeuvre(focus.position, focus.ship, last.manoeuvres).ship
    position = with_ship(focus.position, moved_ship)
    other_steps = tuple(step for step in last.steps if not isinstance(step, CrewTransferOrder | ShootOrder | StayOrder))
    options = []
    for step in _legal_transfers(position, moved_ship):
        last_with_transfer = Alternative((*other_steps, step))
        label = Text(f"choice.crew.{step.way}", {"ship": step.partner, "crew": step.crew})
        draft_after = order_drafts.with_alternatives(focus.draft, (*alternatives[:-1], last_with_transfer))
        token = f"crew.{step.way}.{step.crew}.{step.partner}"
        options.append(make_option(draft_after, token, label, chosen=last_with_transfer == last))
    return select_menu("crew", options)


def _legal_transfers(position: Position, ship: Ship) -> Iterator[CrewTransferOrder]:
    """Yield transfers of some usual sizes, and of the whole crew, between a ship and each other ship."""
    for other in position.ships:
        if other.id == ship.id:
            continue
        steps = [CrewTransferOrder(crew, "to", other.id) for crew in dict.fromkeys((*_TRANSFER_SIZES, ship.crew))]
        steps += [CrewTransferOrder(crew, "from", other.id) for crew in dict.fromkeys((*_TRANSFER_SIZES, other.crew))]
        for step in steps:
            if step.crew > 0 and not transfer.transfer_forbidden_by(position, ship, step):
                yield step
