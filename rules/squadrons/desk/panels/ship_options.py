"""What may be pressed for the ship in hand: attacks with their odds, steps, what else she can do, and her place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Final

from msgspec import structs

from rules.panels import next_of, select
from rules.protocol import Group, Option
from rules.squadrons.desk.drafts import sheets, squadron_orders
from rules.squadrons.desk.drafts.answers import Pace
from rules.squadrons.desk.drafts.sheets import OrderDraft
from rules.squadrons.desk.preview import attack_plans, track_preview
from rules.squadrons.desk.preview.attack_plans import FLANKS
from rules.squadrons.desk.preview.hand import Hand
from rules.squadrons.table.notation import order_words
from rules.squadrons.table.notation.orders import (
    Anastrophe,
    Board,
    Cut,
    Fire,
    Grapple,
    Jettison,
    Line,
    Move,
    Ram,
    Sail,
    Share,
    Shot,
    Step,
    Transfer,
)
from rules.squadrons.table.odds import Odds
from rules.squadrons.table.phases.activation import activation, steps
from rules.squadrons.table.phases.combat import anastrophe, boarding, grappling, missiles
from rules.squadrons.table.phases.command import command, turn_start
from rules.squadrons.table.phases.movement import moves
from rules.view import Param, Text

_ATTACKS_MOST: Final = 16
_SHOTS_MOST: Final = 8
_WAY_MOST: Final = 3
"""Parts of a way that are told in a list's line."""
_STEPS: Final = ("P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit")
"""Moves that are offered one at a time; `F` is offered by several."""


def option(after: OrderDraft, token: str, label: Text, *, chosen: bool = False) -> Option:
    """One thing to press, by the draft after it."""
    return Option(token, label, *sheets.write(after), chosen=chosen)


def groups(hand: Hand) -> Iterator[Group]:
    """All that she may do."""
    yield select("attack", chain(_attacks(hand), _near_by(hand)))
    on = tuple(_moves(hand))
    yield select("step", chain(on, _others(hand)))
    if not on and not hand.adding:
        yield select("another", _moves(hand, afresh=True))


def line_buttons(hand: Hand) -> Iterator[Option]:
    """Change her line, or its place; go on to the next ship."""
    if hand.line.steps and not hand.adding:
        either = structs.replace(hand.line, alternative=())
        yield option(hand.ordered(either), "line.or", Text("line.or"))
    if hand.line.steps or hand.draft.entry(hand.name):
        yield option(hand.shorter(), "line.back", Text("line.back"))
    if sooner := squadron_orders.ship_earlier(hand.context, hand.draft, hand.name):
        yield option(sooner, "line.up", Text("line.up"))
    busy = {line.ship for line in hand.lines}
    if idle := next_of({name: name not in busy for name in hand.context.ids()}, hand.name):
        yield option(structs.replace(hand.draft, focus=idle), "line.next", Text("line.next", {"ship": idle}))


# --- steps -------------------------------------------------------------------------------------------------------


def _moves(hand: Hand, *, afresh: bool = False) -> Iterator[Option]:
    """What she may row next, each with where it takes her; `afresh`: in place of the course that she has."""
    line = Line(hand.name) if afresh else hand.line
    if afresh and not hand.line.steps:
        return
    group, added = ("another", hand.instead) if afresh else ("step", hand.added)
    offered = {step.step: step for step in track_preview.next_steps(hand.walk(line)) if not step.rule}
    if ahead := offered.get("F"):
        yield option(added(Move("F")), f"{group}.F1", Text("step.F", {"to": ahead.to or ""}))
        for n in range(2, hand.left(line) + 1):
            yield option(added(*(Move("F"),) * n), f"{group}.F{n}", Text("step.Fn", {"n": n}))
    for code in _STEPS:
        if step := offered.get(code):
            yield option(added(Move(code)), f"{group}.{code}", Text(f"step.{code}", {"to": step.to or ""}))


def _others(hand: Hand) -> Iterator[Option]:
    """Sails, towers, and a leader who goes over to another ship."""
    walk = hand.walk()
    leader = hand.sea.aboard(hand.name)
    found: dict[str, Step] = {"sail.up": Sail(up=True), "sail.down": Sail(up=False), "jettison": Jettison()}
    if leader:
        found |= {f"xfer.{to}": Transfer(leader.id, to) for to in command.havens(hand.sea, leader)}
    for token, step in found.items():
        if not steps.barred(walk.position, walk.run, step):
            yield option(hand.added(step), f"step.{token}", Text("step.other", {"what": order_words.steps((step,))}))


# --- attacks -----------------------------------------------------------------------------------------------------


def _attack(kind: str, to: str, odds: Odds, **more: Param) -> Text:
    """An attack on a ship, with what it needs and its chance."""
    return Text(f"attack.{kind}", {"to": to, "need": odds.bare, "chance": odds.chance, **more})


def _attacks(hand: Hand) -> Iterator[Option]:
    """All that she can do to enemies from where she lies, the likeliest first; for `else`, from where that ends."""
    if hand.adding:
        yield from _else_attacks(hand)
        return
    fixed = bool(hand.context.fixed)
    speeds = turn_start.legal_speeds(hand.sea, hand.ship)
    found = [
        plan
        for speed in ((hand.ship.speed,) if fixed else speeds)
        for plan in attack_plans.attacks(hand.sea, hand.name, speed)
    ]
    for plan in sorted(found, key=lambda one: -one.odds.chance)[:_ATTACKS_MOST]:
        after = hand.ordered(plan.line)
        if not fixed:
            after = sheets.with_pace(after, Pace(hand.name, plan.speed))
        way = order_words.steps(plan.steps[:-1])
        way = way if len(way) <= _WAY_MOST else (*way[:_WAY_MOST], Text("order.more"))
        if plan.speed == "M" and not fixed:
            way = (*way, Text("order.hard"))
        label = _attack(plan.attack, plan.target, plan.odds)
        if way:
            label = Text(f"{label.key}.way", {**label.params, "way": way})
        token = f"do.{plan.attack}.{plan.target}.{plan.speed}"
        yield option(after, token, label, chosen=plan.steps == hand.line.steps)
    yield from _anastrophes(hand)
    yield from _with_pots(hand)


def _else_attacks(hand: Hand) -> Iterator[Option]:
    """What she may try instead from where her line ends, if what it tries cannot be done; enemies may lie elsewhere."""
    walk = hand.walk()
    for enemy in attack_plans.enemies(walk.position, walk.position.ship(hand.name))[:_SHOTS_MOST]:
        for step in (Ram(enemy.id), Grapple(enemy.id)):
            if not steps.barred(walk.position, walk.run, step):
                ((key, _, odds),) = track_preview.attacks_by(walk, step)
                yield option(hand.added(step), f"do.{key}.{enemy.id}", _attack(key, enemy.id, odds))


def _anastrophes(hand: Hand) -> Iterator[Option]:
    """To rake a ship, turn behind her and ram her: the whole of an activation at full speed (SQ-15)."""
    ship = hand.ship
    if not ship.kind.asterisk or (hand.context.fixed and ship.speed != "M") or turn_start.max_barred(hand.sea, ship):
        return
    position, _ = attack_plans.set_speed(hand.sea, ship, "M")
    run = activation.begin(position, Line(hand.name, (Anastrophe("", "p"),)))
    near = attack_plans.enemies(position, ship)[:_SHOTS_MOST]
    for order in (Anastrophe(one.id, side, through) for one, side, through in product(near, FLANKS, (False, True))):
        if anastrophe.barred(position, run, order):
            continue
        after = hand.ordered(Line(hand.name, (order,)))
        after = after if hand.context.fixed else sheets.with_pace(after, Pace(hand.name, "M"))
        label = _attack("ana", order.target, anastrophe.odds(position, run, order), side=order.side)
        token = f"do.ana.{order.target}.{order.side}{'x' * order.through}"
        yield option(after, token, label, chosen=hand.line.steps == (order,))


def _with_pots(hand: Hand) -> Iterator[Option]:
    """The ram that she is ordered, with firepots on the beak's pole."""
    if not (hand.sea.options.pots and hand.ship.pots):
        return
    for ram in (step for step in hand.line.steps if isinstance(step, Ram)):
        changed = tuple(structs.replace(ram, pots=not ram.pots) if step == ram else step for step in hand.line.steps)
        after = hand.ordered(structs.replace(hand.line, steps=changed))
        yield option(after, f"do.pots.{ram.target}", Text("attack.pots", {"to": ram.target}), chosen=ram.pots)


def _near_by(hand: Hand) -> Iterator[Option]:
    """Cutting loose, boarding, shots."""
    ship = hand.ship
    for other in hand.sea.grappled_to(hand.name):
        if hand.sea.ship(other).side != ship.side and not hand.adding:
            odds = grappling.cut_odds(hand.sea, hand.name, other, single=True)
            rest = (step for step in hand.line.steps if not isinstance(step, Cut))
            after = hand.ordered(structs.replace(hand.line, steps=(Cut((other,)), *rest)))
            yield option(after, f"do.cut.{other}", _attack("cut", other, odds), chosen=Cut((other,)) in hand.line.steps)
            yield from _board(hand, other)
    for target in (step.target for step in hand.line.steps if isinstance(step, Grapple)):
        yield from _board(hand, target)
    yield from _shots(hand)


def _board(hand: Hand, target: str) -> Iterator[Option]:
    """Boarding, together with other ships that are ordered to board the same enemy."""
    before = next((board for board in hand.draft.sheet.boards if board.target == target), Board(target, ()))
    joined = any(share.ship == hand.name for share in before.shares)
    others = tuple(share for share in before.shares if share.ship != hand.name)
    shares = (*others, Share(hand.name))
    men = {share.ship: share.m or hand.sea.ship(share.ship).m for share in shares}
    chance = boarding.odds(hand.sea, men, target)
    if not (hand.ship.m and chance.need):
        return
    wanted = others if joined else shares
    after = sheets.with_board(hand.draft, Board(target, wanted)) if wanted else sheets.without_board(hand.draft, target)
    label = _attack("board", target, chance)
    if others:
        label = _attack("board.with", target, chance, ships=order_words.ranged([share.ship for share in others]))
    yield option(after, f"do.board.{target}", label, chosen=joined)


def _shots(hand: Hand) -> Iterator[Option]:
    """Shots from where her line ends: at one, or at a second as well, her men divided."""
    walk = hand.walk()
    ship = walk.position.ship(hand.name)
    if not ship.afloat:
        return
    fired = next((step for step in hand.branch if isinstance(step, Fire)), None)
    kept = tuple(step for step in hand.branch if not isinstance(step, Fire))
    for enemy in attack_plans.enemies(walk.position, ship)[:_SHOTS_MOST]:
        if missiles.shot_barred(walk.position, ship, enemy.id):
            continue
        odds = missiles.odds(walk.position, hand.name, enemy.id, ship.m)
        shot = Fire((Shot(enemy.id),))
        label = _attack("fire", enemy.id, odds)
        yield option(_shooting(hand, kept, shot), f"do.fire.{enemy.id}", label, chosen=shot in hand.branch)
        if fired and len(fired.shots) == 1 and fired.shots[0].target != enemy.id and ship.m > 1:
            half = moves.half(ship.m)
            both = Fire((Shot(fired.shots[0].target, half), Shot(enemy.id, ship.m - half)), fired.flame)
            label = Text("attack.fire.too", {"to": enemy.id, "m": ship.m - half})
            yield option(_shooting(hand, kept, both), f"do.fire2.{enemy.id}", label)
        if hand.sea.options.flame and ship.flame and enemy in walk.position.adjacent(ship):
            flaming = Fire((Shot(enemy.id),), flame=True)
            label = _attack("flame", enemy.id, odds)
            yield option(_shooting(hand, kept, flaming), f"do.flame.{enemy.id}", label, chosen=flaming in hand.branch)


def _shooting(hand: Hand, kept: tuple[Step, ...], shot: Fire) -> OrderDraft:
    """The draft with a shot at the end of her line, or of its `else`."""
    return hand.branching((*kept, shot))
