"""What in a captain's orders has no effect as things stand, said while they are written.

The captain's galleys carry out what is written so far; all others lie still and don't fire. The rules themselves follow
this up to the first blow, or to the first shot that may sink a galley: what comes after depends on more than the
captain can know. No dice are rolled, and only what the seat sees is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from rules.ai.thinking import is_enough
from rules.chance.dice import Dice
from rules.core.finding import find_by_id
from rules.core.protocol import Event
from rules.core.view import Text
from rules.matchbox.engine import boarding, orders, volley
from rules.matchbox.engine.events import HullsCollided, ShipMoved
from rules.matchbox.engine.incidents import ReefStruck, ShipGrounded
from rules.matchbox.engine.stages import Decisions, RoundInProgress
from rules.matchbox.engine.state import SLOTS, FleetOrders, Galley, OrderList
from rules.matchbox.interface.order_context import OrderContext
from rules.matchbox.interface.order_drafts import OrderDraft
from rules.matchbox.interface.samples import all_lists

_MAX_LISTS_TRIED: Final = 120
"""Lists of a galley that are tried in place of hers, at two to five milliseconds each."""
_MAX_NEAREST: Final = 200
"""Those first that are nearest to hers; then those that move least, which by land and among friends all can be done."""
_MAX_PASSES: Final = 3
"""How often each galley's turn comes: who made room lets another go."""
_GRAVE_WARNINGS: Final = frozenset(
    {"warn.aground", "warn.beached", "warn.land", "warn.reef", "warn.friend", "warn.edge"}
)
"""What is worse than an order that does nothing."""


class _ForeseenFaults:
    """Steps with an order that has no effect, by galley."""

    def __init__(self) -> None:
        self.edge: defaultdict[str, list[int]] = defaultdict(list)
        self.fire: defaultdict[str, list[int]] = defaultdict(list)
        self.sight: defaultdict[str, list[int]] = defaultdict(list)
        self.reef: defaultdict[str, list[int]] = defaultdict(list)
        self.land: defaultdict[str, list[int]] = defaultdict(list)
        self.aground: dict[str, tuple[int, int]] = {}
        """The step, and what it costs."""
        self.landed: dict[str, int] = {}
        """The step in which she burns a house."""
        self.masts: defaultdict[str, list[int]] = defaultdict(list)
        self.grapple: defaultdict[str, list[int]] = defaultdict(list)
        self.met: list[tuple[int, str, str]] = []
        """Step, and two galleys of one side that come into contact."""


class _OrderFault(NamedTuple):
    """Something that is wrong with orders."""

    galleys: frozenset[str]
    """Those that it concerns."""
    step: int
    """In which it shows first."""
    is_grave: bool


def draft_warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """What has no effect, in the order of galleys; at most one line of each kind for each."""
    if not any(ordered.orders for ordered in draft.lists):
        return ()
    mine = {galley.id for galley in context.own_galleys}
    return tuple(_warning_texts(context, mine, draft, _foresee_round(context, mine, draft)))


def advice_without_warnings(context: OrderContext, answer: FleetOrders) -> FleetOrders:
    """For each galley of which something is warned the nearest list with fewer, or less grave, warnings, if any has.

    Nor does it send galleys of one side into each other, whether enemies lie still, are gone or row straight on.
    """
    faults = _find_faults(context, answer)
    for _ in range(_MAX_PASSES):
        warned = {name for fault in faults for name in fault.galleys}
        before = faults
        for galley in context.own_galleys:
            if galley.id in warned and not is_enough():
                answer, faults = _improve_list(context, galley, answer, faults)
        if any(fault.is_grave for fault in faults):
            answer, faults = _hold_endangered(context, answer, faults)
        if not faults or faults == before:
            break
    return answer


def _hold_endangered(
    context: OrderContext, answer: FleetOrders, faults: list[_OrderFault]
) -> tuple[FleetOrders, list[_OrderFault]]:
    """The same with all galleys lying as still as they can of which something grave is warned, if that is better."""
    names = {name for fault in faults if fault.is_grave for name in fault.galleys}
    still = {one.id: min(all_lists(one), key=_count_moves) for one in context.own_galleys if one.id in names}
    changed = structs.replace(answer, lists=tuple(still.get(one.galley, one) for one in answer.lists))
    found = _find_faults(context, changed)
    return (changed, found) if _fault_score(found) < _fault_score(faults) else (answer, faults)


def _improve_list(
    context: OrderContext, galley: Galley, answer: FleetOrders, faults: list[_OrderFault]
) -> tuple[FleetOrders, list[_OrderFault]]:
    """The same with a list of one galley in which less is wrong, and what still is.

    Lists that begin as another does up to what is grave in it come off as badly, so that they aren't tried.
    """
    dead: set[str] = set()
    tried = 0
    for other in _alternative_lists(galley, answer):
        if tried >= _MAX_LISTS_TRIED or is_enough() or not any(galley.id in fault.galleys for fault in faults):
            break
        if any(other.orders[:step] in dead for step in range(1, SLOTS + 1)):
            continue
        tried += 1
        changed = structs.replace(answer, lists=tuple(other if o.galley == galley.id else o for o in answer.lists))
        found = _find_faults(context, changed, _fault_score(faults))
        dead |= {other.orders[: fault.step] for fault in found if fault.is_grave and galley.id in fault.galleys}
        if _fault_score(found) < _fault_score(faults):
            answer, faults = changed, found
    return answer, faults


def _fault_score(faults: Sequence[_OrderFault]) -> tuple[int, int]:
    """How bad it all is: the less the better."""
    return sum(fault.is_grave for fault in faults), len(faults)


def _find_faults(context: OrderContext, answer: FleetOrders, most: tuple[int, int] | None = None) -> list[_OrderFault]:
    """What is wrong with orders; meetings are not looked for where it is as bad as `most` without them."""
    found = []
    draft = OrderDraft(answer.lists, answer.standing, "")
    mine = {galley.id for galley in context.own_galleys}
    foreseen = _foresee_round(context, mine, draft)
    for text in _warning_texts(context, mine, draft, foreseen):
        if text.key == "warn.aground.house":
            continue  # that is what she came for
        names = frozenset(str(text.params[who]) for who in ("galley", "friend") if who in text.params)
        steps = text.params.get("steps")
        first = steps[0] if isinstance(steps, tuple) else text.params["step"]  # steps are in order
        found.append(_OrderFault(names, int(str(first)), text.key in _GRAVE_WARNINGS))
    if most is None or _fault_score(found) < most:
        found += [_OrderFault(pair, step, is_grave=True) for pair, step in _find_meetings(context, answer).items()]
    return found


def _find_meetings(context: OrderContext, answer: FleetOrders) -> dict[frozenset[str], int]:
    """Pairs of one side, one of them the captain's, that come into contact, be the enemies where they may: when first.

    The round is followed to its end, beyond the first blow, without any fire.
    """
    state, mine = context.state, {galley.id for galley in context.own_galleys}
    side = context.own_galleys[0].side
    friends = tuple(galley for galley in state.galleys if galley.side == side)
    own = {galley.id for galley in friends}
    rowing = tuple(OrderList(galley.id, "F" * SLOTS) for galley in state.galleys if galley.side != side)
    found: dict[frozenset[str], int] = {}
    for galleys, theirs in ((state.galleys, ()), (friends, ()), (state.galleys, rowing)):
        decisions = Decisions({}, {}, None, {})
        play = RoundInProgress(state.sea, galleys, (*answer.lists, *theirs), decisions, Dice("00"), state.extra_rules)
        for step in range(1, SLOTS + 1):
            play.begin_step(step)
            play.move_all()
            if play.deal_blows():
                break
        for event in play.events:
            if isinstance(event, HullsCollided) and (pair := frozenset({event.a, event.b})) & mine and pair <= own:
                found[pair] = min(event.step, found.get(pair, SLOTS))
    return found


def _alternative_lists(galley: Galley, answer: FleetOrders) -> list[OrderList]:
    """Her other legal lists, those first that leave most as it was, then those that move least."""
    given = orders.split_orders(next(ordered.orders for ordered in answer.lists if ordered.galley == galley.id))

    def changed(other: OrderList) -> int:
        return -sum(a == b for a, b in zip(given, orders.split_orders(other.orders), strict=False))

    every = sorted(all_lists(galley), key=changed)
    return [*every[:_MAX_NEAREST], *sorted(every[_MAX_NEAREST:], key=_count_moves)]


def _count_moves(drawn: OrderList) -> int:
    return sum(map(drawn.orders.count, "FLR"))


def _foresee_round(context: OrderContext, mine: set[str], draft: OrderDraft) -> _ForeseenFaults:
    found, state = _ForeseenFaults(), context.state
    target = "nearest" if draft.standing_orders.target == "ask" else draft.standing_orders.target
    standing = {context.seat: structs.replace(draft.standing_orders, target=target, reorganize="even")}
    play = RoundInProgress(
        state.sea, state.galleys, draft.lists, Decisions(standing, {}, None, {}), Dice("00"), state.extra_rules
    )
    fired_at: defaultdict[str, int] = defaultdict(int)
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        told = len(play.events)
        play.move_all()
        for event in play.events[told:]:
            _note_event(event, play, mine, found)
        if play.blows:
            _deal_first_blows(play, mine, found)
            _note_landing(context, play, found)
            return found
        _note_landing(context, play, found)
        play.choose_targets()
        shooting = {shot.by.id for shot in play.shots}
        for galley in play.galleys_doing("X"):
            if galley.id in mine and galley.id not in shooting:
                (found.sight if galley.id in play.hidden else found.fire)[galley.id].append(step)
        for shot in play.shots:
            fired_at[shot.target.id] += volley.volley_size(shot.by, shot.gap_mm)
        if any(hits >= min(play.galleys[foe].port, play.galleys[foe].starboard) for foe, hits in fired_at.items()):
            return found
        if _note_grapples(play, mine, found):
            return found
        play.reseat_rowers()
    return found


def _note_event(event: Event, play: RoundInProgress, mine: set[str], found: _ForeseenFaults) -> None:
    """Note what comes of a move."""
    # Who turns at the edge has turned.
    if isinstance(event, ShipMoved) and event.at_edge and event.order == "F" and event.galley in mine:
        found.edge[event.galley].append(play.step)
    if isinstance(event, ShipMoved | ShipGrounded | ReefStruck) and event.galley in mine:
        _note_grounding(event, found)
    if isinstance(event, HullsCollided) and play.galleys[event.a].side == play.galleys[event.b].side:
        found.met += [(play.step, event.a, event.b)] if {event.a, event.b} & mine else []


def _note_grapples(play: RoundInProgress, mine: set[str], found: _ForeseenFaults) -> bool:
    """Note who grapples nobody; whether anybody else does: what comes of that is not to be foreseen."""
    boarders = {galley.id: galley for galley in play.galleys_doing("G") if galley.id in mine}
    reaching = {
        name for name, galley in boarders.items() if boarding.enemies_in_reach(galley, play.galleys_afloat, play.sea)
    }
    for name in boarders.keys() - reaching:
        found.grapple[name].append(play.step)
    return bool(reaching)


def _note_grounding(event: ShipMoved | ShipGrounded | ReefStruck, found: _ForeseenFaults) -> None:
    """Note what land and reefs do to her."""
    match event:
        case ShipGrounded():
            found.land[event.galley] = [step for step in found.land[event.galley] if step != event.step]
            found.aground.setdefault(event.galley, (event.step, event.damage))
        case ReefStruck():
            found.reef[event.galley].append(event.step)
        case ShipMoved(ashore=True):
            found.land[event.galley].append(event.step)


def _note_landing(context: OrderContext, play: RoundInProgress, found: _ForeseenFaults) -> None:
    """Note who runs on to the town's shore, as she should (MX-5.5)."""
    if context.state.scenario == "raid":
        play.burn_houses()
        for name in play.landed:
            found.landed.setdefault(name, play.step)


def _deal_first_blows(play: RoundInProgress, mine: set[str], found: _ForeseenFaults) -> None:
    """Deal the first blows: who has no mast left by them fires no more."""
    if play.deal_blows():
        return  # the captain wants to be asked what to lose
    for galley in play.galleys_afloat:
        later = [step for step in range(play.step + 1, SLOTS + 1) if play.steps[galley.id][step - 1] in {"X", "G"}]
        if galley.id in mine and not galley.masts and later:
            found.masts[galley.id] = later


def _avoidable_idle_steps(context: OrderContext, draft: OrderDraft, name: str, steps: Sequence[int]) -> tuple[int, ...]:
    """Of the steps in which she fires at nobody those that may be better used.

    A list may not be shorter (MB-3.7): if her oars allow no more moves, she must fire, and after them it is as well.
    """
    galley, letters = find_by_id(context.own_galleys, name), draft.list_of(find_by_id(context.own_galleys, name)).orders
    if not steps or orders.list_fault(galley, letters.replace("X", "F", 1)) is None:
        return tuple(steps)
    in_vain = letters.endswith("X") and len(letters) in steps  # wherever in her list
    return () if in_vain else tuple(step for step in steps if step <= len(letters.rstrip("X")))


def _warning_texts(context: OrderContext, mine: set[str], draft: OrderDraft, found: _ForeseenFaults) -> Iterator[Text]:
    for galley in (one.id for one in context.own_galleys):
        if steps := found.edge.get(galley):
            yield Text("warn.edge", {"galley": galley, "steps": tuple(steps)})
        yield from _land_warning_texts(galley, found)
        for step, a, b in found.met:
            if galley == a or (galley == b and a not in mine):
                yield Text("warn.friend", {"galley": galley, "friend": b if galley == a else a, "step": step})
        if idle := _avoidable_idle_steps(context, draft, galley, found.fire.get(galley, [])):
            yield Text("warn.fire", {"galley": galley, "steps": idle, "reach_mm": volley.RANGE_MM})
        if steps := found.grapple.get(galley):
            yield Text("warn.grapple", {"galley": galley, "steps": tuple(steps), "reach_mm": boarding.GRAPPLE_REACH_MM})
        if steps := found.masts.get(galley):
            yield Text("warn.masts", {"galley": galley, "steps": tuple(steps)})


def _land_warning_texts(galley: str, found: _ForeseenFaults) -> Iterator[Text]:
    if galley in found.aground:
        step, damage = found.aground[galley]
        house = found.landed.get(galley) == step
        if damage or not house:
            key = "warn.beached" if not damage else "warn.aground.house" if house else "warn.aground"
            yield Text(key, {"galley": galley, "step": step, "damage": damage})
    before = found.landed.get(galley, SLOTS + 1)
    if barred := tuple(step for step in found.land.get(galley, ()) if step < before):
        yield Text("warn.land", {"galley": galley, "steps": barred})
    if steps := found.reef.get(galley):
        yield Text("warn.reef", {"galley": galley, "steps": tuple(steps)})
    if steps := found.sight.get(galley):
        yield Text("warn.hidden", {"galley": galley, "steps": tuple(steps)})
