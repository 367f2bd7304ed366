"""Warnings about orders that have no effect, shown while they are written.

The captain's galleys carry out the draft. All others do not move or fire. The rules simulate the round up to the first
blow, or to the first shot that may sink a galley, because what follows depends on more than the captain can know. No
dice are used, and nothing that the seat may not see.
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
from rules.matchbox.engine.events import HullsCollided, ReefStruck, ShipGrounded, ShipMoved
from rules.matchbox.engine.stages import Decisions, RoundInProgress
from rules.matchbox.engine.state import SLOTS, FleetOrders, Galley, OrderList
from rules.matchbox.interface.order_drafts import OrderDraft, all_lists
from rules.matchbox.interface.standing_orders import OrderContext

_MAX_LISTS_TRIED: Final = 120  # alternative lists of a galley that are tried, at two to five milliseconds each
_MAX_NEAREST: Final = 200
"""The most similar lists are tried first, then those with the fewest moves, which are rarely blocked."""
_MAX_PASSES: Final = 3  # passes over all galleys, because one that makes room lets another go
_GRAVE_WARNINGS: Final = frozenset(
    {"warn.aground", "warn.beached", "warn.land", "warn.reef", "warn.friend", "warn.edge"}
)

_HARMLESS_WARNINGS: Final = frozenset({"warn.aground.house", "warn.edge.turn"})
"""Running aground at a house is the galley's task, and a turn at the edge has its effect."""


class _ForeseenFaults:
    """The mishaps of a simulated round."""

    def __init__(self) -> None:
        # Steps by galley id in which the galley …
        self.edge: defaultdict[str, list[int]] = defaultdict(list)  # is pushed back by the table's edge
        self.edge_turn: defaultdict[str, list[int]] = defaultdict(list)  # turns in full, but the edge pushes it in
        self.fire: defaultdict[str, list[int]] = defaultdict(list)  # fires with no enemy in range
        self.sight: defaultdict[str, list[int]] = defaultdict(list)  # fires while islands hide all enemies in range
        self.reef: defaultdict[str, list[int]] = defaultdict(list)  # is damaged by a reef
        self.land: defaultdict[str, list[int]] = defaultdict(list)  # is stopped by land
        self.aground: dict[str, tuple[int, int]] = {}  # the step and the damage
        self.landed: dict[str, int] = {}  # the step in which the galley burns a house
        self.masts: defaultdict[str, list[int]] = defaultdict(list)  # would fire or grapple, but has no mast left
        self.grapple: defaultdict[str, list[int]] = defaultdict(list)  # grapples with no enemy in reach
        self.met: list[tuple[int, str, str]] = []  # step and ids of two galleys of one side that come into contact


class _OrderFault(NamedTuple):
    """A fault of orders, with the galleys concerned and the first step in which it appears."""

    galleys: frozenset[str]  # ids of the galleys concerned
    step: int  # the first order step in which it appears
    is_grave: bool  # whether it concerns land, an edge or a friend, not only a wasted shot


def draft_warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Return warnings in the order of galleys, at most one of each kind for each galley."""
    if not any(ordered.orders for ordered in draft.lists):
        return ()
    own_ids = {galley.id for galley in context.own_galleys}
    return tuple(_warning_texts(context, own_ids, draft, _foresee_round(context, own_ids, draft)))


def advice_without_warnings(context: OrderContext, answer: FleetOrders) -> FleetOrders:
    """Return orders in which each galley with warnings has the most similar list with fewer or milder ones.

    The result also avoids contacts between galleys of one side if enemies do not move, are absent, or row straight on.
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
    """Return orders in which endangered galleys move as little as possible, if that is better, and their faults."""
    endangered_ids = {name for fault in faults if fault.is_grave for name in fault.galleys}
    lists_with_fewest_moves = {
        galley.id: min(all_lists(galley), key=_count_moves)
        for galley in context.own_galleys
        if galley.id in endangered_ids
    }
    changed = structs.replace(
        answer, lists=tuple(lists_with_fewest_moves.get(order_list.galley, order_list) for order_list in answer.lists)
    )
    new_faults = _find_faults(context, changed)
    return (changed, new_faults) if _fault_score(new_faults) < _fault_score(faults) else (answer, faults)


def _improve_list(
    context: OrderContext, galley: Galley, answer: FleetOrders, faults: list[_OrderFault]
) -> tuple[FleetOrders, list[_OrderFault]]:
    """Return orders with a better list for one galley, and the remaining faults.

    Lists that share their beginning with another up to a grave fault are skipped, because they have that fault, too.
    """
    bad_beginnings: set[str] = set()
    tried_count = 0
    for other in _alternative_lists(galley, answer):
        if tried_count >= _MAX_LISTS_TRIED or is_enough() or not any(galley.id in fault.galleys for fault in faults):
            break
        if any(other.orders[:step] in bad_beginnings for step in range(1, SLOTS + 1)):
            continue
        tried_count += 1
        changed = structs.replace(
            answer, lists=tuple(other if ordered.galley == galley.id else ordered for ordered in answer.lists)
        )
        new_faults = _find_faults(context, changed, _fault_score(faults))
        bad_beginnings |= {
            other.orders[: fault.step] for fault in new_faults if fault.is_grave and galley.id in fault.galleys
        }
        if _fault_score(new_faults) < _fault_score(faults):
            answer, faults = changed, new_faults
    return answer, faults


def _fault_score(faults: Sequence[_OrderFault]) -> tuple[int, int]:
    """Return the numbers of grave and of all faults. Smaller is better."""
    return sum(fault.is_grave for fault in faults), len(faults)


def _find_faults(context: OrderContext, answer: FleetOrders, most: tuple[int, int] | None = None) -> list[_OrderFault]:
    """Return the faults of orders. Contacts are only searched if the other faults score below `most`; None: always."""
    faults = []
    draft = OrderDraft(answer.lists, answer.standing, "")
    own_ids = {galley.id for galley in context.own_galleys}
    simulated_faults = _foresee_round(context, own_ids, draft)
    for text in _warning_texts(context, own_ids, draft, simulated_faults):
        if text.key in _HARMLESS_WARNINGS:
            continue
        galley_ids = frozenset(str(text.params[who]) for who in ("galley", "friend") if who in text.params)
        steps = text.params.get("steps")
        first_step = steps[0] if isinstance(steps, tuple) else text.params["step"]  # steps are in order
        faults.append(_OrderFault(galley_ids, int(str(first_step)), text.key in _GRAVE_WARNINGS))
    if most is None or _fault_score(faults) < most:
        faults += [_OrderFault(pair, step, is_grave=True) for pair, step in _find_meetings(context, answer).items()]
    return faults


def _find_meetings(context: OrderContext, answer: FleetOrders) -> dict[frozenset[str], int]:
    """Return pairs of one side, at least one of them the captain's, that come into contact, with the first step.

    The round is simulated beyond the first blow, without fire, for several assumptions about enemies.
    """
    state = context.state
    own_ids = {galley.id for galley in context.own_galleys}
    side = context.own_galleys[0].side
    friends = tuple(galley for galley in state.galleys if galley.side == side)
    friend_ids = {galley.id for galley in friends}
    rowing = tuple(OrderList(galley.id, "F" * SLOTS) for galley in state.galleys if galley.side != side)
    first_steps: dict[frozenset[str], int] = {}
    # Enemies stay where they are, are absent, or row straight on.
    for galleys, enemy_lists in ((state.galleys, ()), (friends, ()), (state.galleys, rowing)):
        order_lists = (*answer.lists, *enemy_lists)
        play = RoundInProgress(
            state.sea, galleys, order_lists, Decisions(), Dice("00"), state.extra_rules, sinks=state.sink_rule
        )
        for step in range(1, SLOTS + 1):
            play.begin_step(step)
            play.move_all()
            if play.deal_blows():
                break
        for event in play.events:
            if isinstance(event, HullsCollided):
                pair = frozenset({event.a, event.b})
                if pair & own_ids and pair <= friend_ids:
                    first_steps[pair] = min(event.step, first_steps.get(pair, SLOTS))
    return first_steps


def _alternative_lists(galley: Galley, answer: FleetOrders) -> list[OrderList]:
    current_orders = orders.split_orders(
        next(ordered.orders for ordered in answer.lists if ordered.galley == galley.id)
    )

    def similarity_key(other: OrderList) -> int:
        return -sum(a == b for a, b in zip(current_orders, orders.split_orders(other.orders), strict=False))

    by_similarity = sorted(all_lists(galley), key=similarity_key)
    return [*by_similarity[:_MAX_NEAREST], *sorted(by_similarity[_MAX_NEAREST:], key=_count_moves)]


def _count_moves(order_list: OrderList) -> int:
    return sum(map(order_list.orders.count, "FLR"))


def _foresee_round(context: OrderContext, own_ids: set[str], draft: OrderDraft) -> _ForeseenFaults:
    """Return the faults of a round that is simulated as far as its course is certain."""
    faults, state = _ForeseenFaults(), context.state
    target = "nearest" if draft.standing_orders.target == "ask" else draft.standing_orders.target
    standing = {context.seat: structs.replace(draft.standing_orders, target=target, reorganize="even")}
    play = RoundInProgress(
        state.sea, state.galleys, draft.lists, Decisions(standing), Dice("00"), state.extra_rules, sinks=state.sink_rule
    )
    matches_at: defaultdict[str, int] = defaultdict(int)  # matches dropped at each galley so far, by id
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        event_count = len(play.events)
        play.move_all()
        for event in play.events[event_count:]:
            _note_event(event, play, own_ids, faults)
        if play.blows:
            _deal_first_blows(play, own_ids, faults)
            _note_landing(context, play, faults)
            return faults
        _note_landing(context, play, faults)
        play.choose_targets()
        shooting = {shot.by.id for shot in play.shots}
        for galley in play.galleys_doing("X"):
            if galley.id in own_ids and galley.id not in shooting:
                steps_by_galley = faults.sight if galley.id in play.without_sight else faults.fire
                steps_by_galley[galley.id].append(step)
        for shot in play.shots:
            matches_at[shot.target.id] += volley.volley_size(shot.by, shot.gap_mm)
        # After a volley that may sink a galley, nothing is certain any more.
        if any(hits >= min(play.galleys[foe].port, play.galleys[foe].starboard) for foe, hits in matches_at.items()):
            return faults
        if _note_grapples(play, own_ids, faults):
            return faults
        play.reseat_rowers()
    return faults


def _note_event(event: Event, play: RoundInProgress, own_ids: set[str], faults: _ForeseenFaults) -> None:
    if isinstance(event, ShipMoved) and event.at_edge and event.galley in own_ids:
        steps_by_galley = faults.edge if event.order == "F" else faults.edge_turn
        steps_by_galley[event.galley].append(play.step)
    if isinstance(event, ShipMoved | ShipGrounded | ReefStruck) and event.galley in own_ids:
        _note_grounding(event, faults)
    if isinstance(event, HullsCollided):
        are_friends = play.galleys[event.a].side == play.galleys[event.b].side
        if are_friends and {event.a, event.b} & own_ids:
            faults.met.append((play.step, event.a, event.b))


def _note_grapples(play: RoundInProgress, own_ids: set[str], faults: _ForeseenFaults) -> bool:
    """Note galleys that reach nobody. Return whether any grapples, which has an unpredictable result."""
    boarders = {galley.id: galley for galley in play.galleys_doing("G") if galley.id in own_ids}
    reaching = {
        name for name, galley in boarders.items() if boarding.enemies_in_reach(galley, play.galleys_afloat, play.sea)
    }
    for name in boarders.keys() - reaching:
        faults.grapple[name].append(play.step)
    return bool(reaching)


def _note_grounding(event: ShipMoved | ShipGrounded | ReefStruck, faults: _ForeseenFaults) -> None:
    match event:
        case ShipGrounded():
            faults.land[event.galley] = [step for step in faults.land[event.galley] if step != event.step]
            faults.aground.setdefault(event.galley, (event.step, event.damage))
        case ReefStruck():
            faults.reef[event.galley].append(event.step)
        case ShipMoved(ashore=True):
            faults.land[event.galley].append(event.step)


def _note_landing(context: OrderContext, play: RoundInProgress, faults: _ForeseenFaults) -> None:
    """Note galleys that run on to the town's shore, as the raid requires (MX-5.5)."""
    if context.state.scenario == "raid":
        play.burn_houses()
        for name in play.house_burners:
            faults.landed.setdefault(name, play.step)


def _deal_first_blows(play: RoundInProgress, own_ids: set[str], faults: _ForeseenFaults) -> None:
    # Note shots and grapples ordered for later steps of galleys that lose their last mast.
    if play.deal_blows():
        return  # the captain must choose the losses
    for galley in play.galleys_afloat:
        later = [step for step in range(play.step + 1, SLOTS + 1) if play.steps[galley.id][step - 1] in {"X", "G"}]
        if galley.id in own_ids and not galley.masts and later:
            faults.masts[galley.id] = later


def _avoidable_idle_steps(context: OrderContext, draft: OrderDraft, name: str, steps: Sequence[int]) -> tuple[int, ...]:
    """Return the steps without a target that have a better use.

    A list may not be shorter (MB-3.7). If the oars allow no more moves, firing at nobody is unavoidable.
    """
    galley = find_by_id(context.own_galleys, name)
    letters = draft.list_of(galley).orders
    if not steps or orders.list_fault(galley, letters.replace("X", "F", 1)) is None:
        return tuple(steps)
    last_shot_is_idle = letters.endswith("X") and len(letters) in steps  # the step could be anywhere in the list
    if last_shot_is_idle:
        return ()
    return tuple(step for step in steps if step <= len(letters.rstrip("X")))


def _warning_texts(
    context: OrderContext, own_ids: set[str], draft: OrderDraft, faults: _ForeseenFaults
) -> Iterator[Text]:
    for galley in (own_galley.id for own_galley in context.own_galleys):
        if steps := faults.edge.get(galley):
            yield Text("warn.edge", {"galley": galley, "steps": tuple(steps)})
        if steps := faults.edge_turn.get(galley):
            yield Text("warn.edge.turn", {"galley": galley, "steps": tuple(steps)})
        yield from _land_warning_texts(galley, faults)
        for step, a, b in faults.met:
            # A contact is reported once, at the first of the captain's own galleys.
            if galley == a or (galley == b and a not in own_ids):
                yield Text("warn.friend", {"galley": galley, "friend": b if galley == a else a, "step": step})
        if idle := _avoidable_idle_steps(context, draft, galley, faults.fire.get(galley, [])):
            yield Text("warn.fire", {"galley": galley, "steps": idle, "reach_mm": volley.RANGE_MM})
        if steps := faults.grapple.get(galley):
            yield Text("warn.grapple", {"galley": galley, "steps": tuple(steps), "reach_mm": boarding.GRAPPLE_REACH_MM})
        if steps := faults.masts.get(galley):
            yield Text("warn.masts", {"galley": galley, "steps": tuple(steps)})


def _land_warning_texts(galley: str, faults: _ForeseenFaults) -> Iterator[Text]:
    if galley in faults.aground:
        step, damage = faults.aground[galley]
        burns_house = faults.landed.get(galley) == step
        if damage or not burns_house:
            key = "warn.aground.house" if burns_house else "warn.aground"
            yield Text(key if damage else "warn.beached", {"galley": galley, "step": step, "damage": damage})
    landing_step = faults.landed.get(galley, SLOTS + 1)
    if barred := tuple(step for step in faults.land.get(galley, ()) if step < landing_step):
        yield Text("warn.land", {"galley": galley, "steps": barred})
    if steps := faults.reef.get(galley):
        yield Text("warn.reef", {"galley": galley, "steps": tuple(steps)})
    if steps := faults.sight.get(galley):
        yield Text("warn.hidden", {"galley": galley, "steps": tuple(steps)})
