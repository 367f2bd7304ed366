"""Options for the selected ship: attacks with their odds, steps, other actions, and her place in the sequence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Final

from msgspec import structs

from rules.core.protocol import Option, OptionGroup
from rules.core.view import Param, Text
from rules.interface.panels import next_marked, select_menu
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import (
    FLANKS,
    AnastropheOrder,
    BoardingOrder,
    BoardingParty,
    CutOrder,
    GrappleOrder,
    JettisonOrder,
    LeaderTransferOrder,
    MoveOrder,
    OrderLine,
    OrderStep,
    RamOrder,
    SailOrder,
    VolleyOrder,
    VolleyTarget,
)
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.activation import activation, steps
from rules.squadrons.engine.phases.combat import anastrophe, boarding, grappling, missiles
from rules.squadrons.engine.phases.command import command, turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.interface.drafts import sheets, squadron_orders
from rules.squadrons.interface.drafts.answers import SpeedChoice
from rules.squadrons.interface.drafts.sheets import OrderDraft
from rules.squadrons.interface.preview import attack_plans, boarding_preview, track_preview
from rules.squadrons.interface.preview.track_preview import ShipInFocus

_MAX_ATTACKS: Final = 16
_MAX_SHOTS: Final = 8
_MAX_COURSE_PARTS: Final = 3  # shown of the course to an attack
_SINGLE_STEPS: Final = ("P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit")


def make_option(after: OrderDraft, token: str, label: Text, *, chosen: bool = False) -> Option:
    return Option(token, label, *sheets.write_draft(after), is_chosen=chosen)


def option_groups(focus: ShipInFocus) -> Iterator[OptionGroup]:
    attacks = chain(_attack_options(focus), _close_options(focus))
    yield select_menu("attack", [option for option in attacks if option.is_chosen or _can_succeed(option)])
    continuations = tuple(_move_options(focus))
    yield select_menu("step", chain(continuations, _other_options(focus)))
    if not continuations and not focus.is_adding_else:
        yield select_menu("another", _move_options(focus, afresh=True))


def line_options(focus: ShipInFocus) -> Iterator[Option]:
    if focus.line.steps and not focus.is_adding_else:
        line_with_else = structs.replace(focus.line, alternative=())
        yield make_option(focus.with_line(line_with_else), "line.or", Text("line.or"))
    if focus.line.steps or focus.draft.line_of(focus.name):
        yield make_option(focus.without_last_step(), "line.back", Text("line.back"))
    if earlier := squadron_orders.move_ship_earlier(focus.context, focus.draft, focus.name):
        yield make_option(earlier, "line.up", Text("line.up"))
    ordered_ships = {line.ship for line in focus.lines}
    is_without_line = {name: name not in ordered_ships for name in focus.context.own_ship_ids()}
    if next_ship := next_marked(is_without_line, focus.name):
        draft_after = structs.replace(focus.draft, focus=next_ship)
        yield make_option(draft_after, "line.next", Text("line.next", {"ship": next_ship}))


# --- steps -------------------------------------------------------------------------------------------------------


def _move_options(focus: ShipInFocus, *, afresh: bool = False) -> Iterator[Option]:
    """Yield possible moves with the places that they reach; with `afresh`, in place of her present course."""
    line = OrderLine(focus.name) if afresh else focus.line
    if afresh and not focus.line.steps:
        return
    group, make_draft = ("another", focus.with_only) if afresh else ("step", focus.with_steps)
    next_steps = track_preview.possible_next_steps(focus.walk_line(line))
    legal_steps = {step.step: step for step in next_steps if not step.rule}
    if ahead := legal_steps.get("F"):
        yield make_option(make_draft(MoveOrder("F")), f"{group}.F1", Text("step.F", {"to": ahead.to or ""}))
        for n in range(2, focus.points_left(line) + 1):
            yield make_option(make_draft(*(MoveOrder("F"),) * n), f"{group}.F{n}", Text("step.Fn", {"n": n}))
    for code in _SINGLE_STEPS:
        if step := legal_steps.get(code):
            label = Text(f"step.{code}", {"to": step.to or ""})
            yield make_option(make_draft(MoveOrder(code)), f"{group}.{code}", label)


def _other_options(focus: ShipInFocus) -> Iterator[Option]:
    walk = focus.walk_line()
    leader = focus.position_before.leader_aboard(focus.name)
    orders: dict[str, OrderStep] = {
        "sail.up": SailOrder(up=True),
        "sail.down": SailOrder(up=False),
        "jettison": JettisonOrder(),
    }
    if leader:
        orders |= {
            f"xfer.{to}": LeaderTransferOrder(leader.id, to)
            for to in command.transfer_targets(focus.position_before, leader)
        }
    for token, step in orders.items():
        if not steps.why_barred(walk.position, walk.run, step):
            label = Text("step.other", {"what": order_words.step_texts((step,))})
            yield make_option(focus.with_steps(step), f"step.{token}", label)


def _can_succeed(option: Option) -> bool:
    """Return whether an attack's chance is more than zero; true for an option without a chance."""
    return option.label.params.get("chance") != 0


# --- attacks -----------------------------------------------------------------------------------------------------


def _attack_label(kind: str, to: str, odds: RollOdds, **more: Param) -> Text:
    return Text(f"attack.{kind}", {"to": to, "need": odds.natural_need, "chance": odds.chance, **more})


def _attack_options(focus: ShipInFocus) -> Iterator[Option]:
    """Yield her attacks, the likeliest first. For an `else` branch, from the end of her main branch."""
    if focus.is_adding_else:
        yield from _else_attack_options(focus)
        return
    is_speed_fixed = bool(focus.context.fixed_squadrons)
    plans = attack_plans.plans_at_speeds(focus.position_before, focus.ship_before, fixed=is_speed_fixed)
    for plan in sorted(plans, key=lambda candidate: -candidate.odds.chance)[:_MAX_ATTACKS]:
        draft_after = focus.with_line(plan.to_line)
        if not is_speed_fixed:
            draft_after = sheets.with_speed(draft_after, SpeedChoice(focus.name, plan.speed))
        label = _attack_label(plan.attack, plan.target, plan.odds)
        max_parts = _MAX_COURSE_PARTS
        if plan.attack == "grap" and (chances := _boarding_chances(focus, plan.target, plan.odds)):
            label = Text("attack.grap.board", {**label.params, **chances})
            max_parts = 1
        course = order_words.step_texts(plan.steps[:-1])  # the moves before the attack
        if len(course) > max_parts:
            course = (*course[:max_parts], Text("order.more"))
        if plan.speed == "M" and not is_speed_fixed:
            course = (*course, Text("order.hard"))
        if course:
            label = Text(f"{label.key}.way", {**label.params, "way": course})
        token = f"do.{plan.attack}.{plan.target}.{plan.speed}"
        yield make_option(draft_after, token, label, chosen=plan.steps == focus.line.steps)
    yield from _anastrophe_options(focus)
    yield from _pots_options(focus)


def _boarding_chances(focus: ShipInFocus, target: str, grapple: RollOdds) -> dict[str, Param]:
    """Return the throw for the boarding after a grapple, and the chance of both; empty if nobody would board."""
    sheet, position = focus.draft.sheet, focus.position_before
    odds = boarding_preview.odds_after_grapple(focus.context, position, sheet, focus.name, target)
    if odds is None:
        return {}
    return {"board": odds.natural_need, "then": odds.chance, "both": grapple.chance * odds.chance}


def _else_attack_options(focus: ShipInFocus) -> Iterator[Option]:
    """Yield attacks for an `else` branch from the end of her line. Enemies may have moved by then."""
    walk = focus.walk_line()
    for enemy in attack_plans.enemies_by_distance(walk.position, walk.position.ship_by_id(focus.name))[:_MAX_SHOTS]:
        for step in (RamOrder(enemy.id), GrappleOrder(enemy.id)):
            if not steps.why_barred(walk.position, walk.run, step):
                ((key, _, odds),) = track_preview.attacks_of_step(walk, step)
                yield make_option(focus.with_steps(step), f"do.{key}.{enemy.id}", _attack_label(key, enemy.id, odds))


def _anastrophe_options(focus: ShipInFocus) -> Iterator[Option]:  # SQ-15
    ship = focus.ship_before
    is_at_cruise = focus.context.fixed_squadrons and ship.speed != "M"
    if not ship.ship_class.asterisk or is_at_cruise or turn_start.why_max_barred(focus.position_before, ship):
        return
    position, _ = attack_plans.set_speed(focus.position_before, ship, "M")
    run = activation.begin_run(position, OrderLine(focus.name, (AnastropheOrder("", "p"),)))
    targets = attack_plans.enemies_by_distance(position, ship)[:_MAX_SHOTS]
    for enemy, side, through in product(targets, FLANKS, (False, True)):
        order = AnastropheOrder(enemy.id, side, through)
        if anastrophe.why_barred(position, run, order):
            continue
        draft_after = focus.with_line(OrderLine(focus.name, (order,)))
        if not focus.context.fixed_squadrons:
            draft_after = sheets.with_speed(draft_after, SpeedChoice(focus.name, "M"))
        label = _attack_label("ana", order.target, anastrophe.ram_odds(position, run, order), side=order.side)
        token = f"do.ana.{order.target}.{order.side}{'x' * order.through}"
        yield make_option(draft_after, token, label, chosen=focus.line.steps == (order,))


def _pots_options(focus: ShipInFocus) -> Iterator[Option]:
    if not (focus.position_before.options.pots and focus.ship_before.pots):
        return
    for ram in (step for step in focus.line.steps if isinstance(step, RamOrder)):
        steps_after = tuple(
            structs.replace(ram, pots=not ram.pots) if step == ram else step for step in focus.line.steps
        )
        draft_after = focus.with_line(structs.replace(focus.line, steps=steps_after))
        yield make_option(
            draft_after, f"do.pots.{ram.target}", Text("attack.pots", {"to": ram.target}), chosen=ram.pots
        )


def _close_options(focus: ShipInFocus) -> Iterator[Option]:
    ship = focus.ship_before
    for other in focus.position_before.grappled_to(focus.name):
        if focus.position_before.ship_by_id(other).side != ship.side and not focus.is_adding_else:
            odds = grappling.cut_odds(focus.position_before, focus.name, other, single=True)
            cut = CutOrder((other,))
            other_steps = [step for step in focus.line.steps if not isinstance(step, CutOrder)]
            draft_after = focus.with_line(structs.replace(focus.line, steps=(cut, *other_steps)))
            label = _attack_label("cut", other, odds)
            yield make_option(draft_after, f"do.cut.{other}", label, chosen=cut in focus.line.steps)
            yield from _boarding_options(focus, other)
    for target in (step.target for step in focus.line.steps if isinstance(step, GrappleOrder)):
        yield from _boarding_options(focus, target)
    yield from _shot_options(focus)


def _boarding_options(focus: ShipInFocus, target: str) -> Iterator[Option]:
    """Yield an option to board a target with the selected ship, with others that the draft orders to board it."""
    boards = focus.draft.sheet.boards
    board = next((board for board in boards if board.target == target), BoardingOrder(target, ()))
    is_joined = any(share.ship == focus.name for share in board.shares)
    others = tuple(share for share in board.shares if share.ship != focus.name)
    shares = (*others, BoardingParty(focus.name))
    manpower_by_ship = {
        share.ship: share.m or focus.position_before.ship_by_id(share.ship).manpower for share in shares
    }
    chance = boarding.boarding_odds(focus.position_before, manpower_by_ship, target)
    if not (focus.ship_before.manpower and chance.min_total):
        return
    new_shares = others if is_joined else shares
    if new_shares:
        draft_after = sheets.with_board(focus.draft, BoardingOrder(target, new_shares))
    else:
        draft_after = sheets.without_board(focus.draft, target)
    label = _attack_label("board", target, chance)
    if others:
        other_ships = order_words.ship_ranges([share.ship for share in others])
        label = _attack_label("board.with", target, chance, ships=other_ships)
    yield make_option(draft_after, f"do.board.{target}", label, chosen=is_joined)


def _shot_options(focus: ShipInFocus) -> Iterator[Option]:
    walk = focus.walk_line()
    ship = walk.position.ship_by_id(focus.name)
    if not ship.is_afloat:
        return
    volley = next((step for step in focus.current_branch if isinstance(step, VolleyOrder)), None)
    other_steps = tuple(step for step in focus.current_branch if not isinstance(step, VolleyOrder))
    for enemy in attack_plans.enemies_by_distance(walk.position, ship)[:_MAX_SHOTS]:
        if missiles.why_shot_barred(walk.position, ship, enemy.id):
            continue
        odds = missiles.shot_odds(walk.position, focus.name, enemy.id, ship.manpower)
        shot = VolleyOrder((VolleyTarget(enemy.id),))
        label = _attack_label("fire", enemy.id, odds)
        draft_after = _with_shot(focus, other_steps, shot)
        yield make_option(draft_after, f"do.fire.{enemy.id}", label, chosen=shot in focus.current_branch)
        has_other_target = volley and len(volley.shots) == 1 and volley.shots[0].target != enemy.id
        if volley and has_other_target and ship.manpower > 1:  # half of her manpower may shoot at each
            first_manpower = moves.half_rounded_up(ship.manpower)
            second_manpower = ship.manpower - first_manpower
            first_shot = VolleyTarget(volley.shots[0].target, first_manpower)
            second_shot = VolleyTarget(enemy.id, second_manpower)
            split_volley = VolleyOrder((first_shot, second_shot), volley.flame)
            label = Text("attack.fire.too", {"to": enemy.id, "m": second_manpower})
            yield make_option(_with_shot(focus, other_steps, split_volley), f"do.fire2.{enemy.id}", label)
        if focus.position_before.options.flame and ship.flame and enemy in walk.position.ships_beside(ship):
            flaming = VolleyOrder((VolleyTarget(enemy.id),), flame=True)
            label = _attack_label("flame", enemy.id, odds)
            draft_after = _with_shot(focus, other_steps, flaming)
            yield make_option(draft_after, f"do.flame.{enemy.id}", label, chosen=flaming in focus.current_branch)


def _with_shot(focus: ShipInFocus, other_steps: tuple[OrderStep, ...], shot: VolleyOrder) -> OrderDraft:
    return focus.with_branch((*other_steps, shot))
