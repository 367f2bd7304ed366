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

from rules.dice import Dice
from rules.finding import by_id
from rules.matchbox.desk.order_context import OrderContext
from rules.matchbox.desk.order_drafts import OrderDraft
from rules.matchbox.desk.samples import all_lists
from rules.matchbox.table import boarding, orders, volley
from rules.matchbox.table.events import Collided, Moved
from rules.matchbox.table.incidents import RanAground, StruckReef
from rules.matchbox.table.stages import Decisions, Play
from rules.matchbox.table.state import SLOTS, FleetOrders, Galley, OrderList
from rules.protocol import Event
from rules.thinking import is_enough
from rules.view import Text

_TRIED_MOST: Final = 120
"""Lists of a galley that are tried in place of hers, at two to five milliseconds each."""
_NEAREST: Final = 200
"""Those first that are nearest to hers; then those that move least, which by land and among friends all can be done."""
_PASSES: Final = 3
"""How often each galley's turn comes: who made room lets another go."""
_GRAVE: Final = frozenset({"warn.aground", "warn.beached", "warn.land", "warn.reef", "warn.friend", "warn.edge"})
"""What is worse than an order that does nothing."""


class _Foreseen:
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


class _Fault(NamedTuple):
    """Something that is wrong with orders."""

    galleys: frozenset[str]
    """Those that it concerns."""
    step: int
    """In which it shows first."""
    grave: bool


def warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """What has no effect, in the order of galleys; at most one line of each kind for each."""
    if not any(ordered.orders for ordered in draft.lists):
        return ()
    mine = {galley.id for galley in context.mine}
    return tuple(_said(context, mine, draft, _foreseen(context, mine, draft)))


def advice_without_warnings(context: OrderContext, answer: FleetOrders) -> FleetOrders:
    """For each galley of which something is warned the nearest list with fewer, or less grave, warnings, if any has.

    Nor does it send galleys of one side into each other, whether enemies lie still, are gone or row straight on.
    """
    faults = _faults(context, answer)
    for _ in range(_PASSES):
        warned = {name for fault in faults for name in fault.galleys}
        before = faults
        for galley in context.mine:
            if galley.id in warned and not is_enough():
                answer, faults = _mended(context, galley, answer, faults)
        if any(fault.grave for fault in faults):
            answer, faults = _stilled(context, answer, faults)
        if not faults or faults == before:
            break
    return answer


def _stilled(context: OrderContext, answer: FleetOrders, faults: list[_Fault]) -> tuple[FleetOrders, list[_Fault]]:
    """The same with all galleys lying as still as they can of which something grave is warned, if that is better."""
    names = {name for fault in faults if fault.grave for name in fault.galleys}
    still = {one.id: min(all_lists(one), key=_moves) for one in context.mine if one.id in names}
    changed = structs.replace(answer, lists=tuple(still.get(one.galley, one) for one in answer.lists))
    found = _faults(context, changed)
    return (changed, found) if _badness(found) < _badness(faults) else (answer, faults)


def _mended(
    context: OrderContext, galley: Galley, answer: FleetOrders, faults: list[_Fault]
) -> tuple[FleetOrders, list[_Fault]]:
    """The same with a list of one galley in which less is wrong, and what still is.

    Lists that begin as another does up to what is grave in it come off as badly, so that they aren't tried.
    """
    dead: set[str] = set()
    tried = 0
    for other in _instead(galley, answer):
        if tried >= _TRIED_MOST or is_enough() or not any(galley.id in fault.galleys for fault in faults):
            break
        if any(other.orders[:step] in dead for step in range(1, SLOTS + 1)):
            continue
        tried += 1
        changed = structs.replace(answer, lists=tuple(other if o.galley == galley.id else o for o in answer.lists))
        found = _faults(context, changed, _badness(faults))
        dead |= {other.orders[: fault.step] for fault in found if fault.grave and galley.id in fault.galleys}
        if _badness(found) < _badness(faults):
            answer, faults = changed, found
    return answer, faults


def _badness(faults: Sequence[_Fault]) -> tuple[int, int]:
    """How bad it all is: the less the better."""
    return sum(fault.grave for fault in faults), len(faults)


def _faults(context: OrderContext, answer: FleetOrders, most: tuple[int, int] | None = None) -> list[_Fault]:
    """What is wrong with orders; meetings are not looked for where it is as bad as `most` without them."""
    found = []
    draft = OrderDraft(answer.lists, answer.standing, "")
    mine = {galley.id for galley in context.mine}
    foreseen = _foreseen(context, mine, draft)
    for text in _said(context, mine, draft, foreseen):
        if text.key == "warn.aground.house":
            continue  # that is what she came for
        names = frozenset(str(text.params[who]) for who in ("galley", "friend") if who in text.params)
        steps = text.params.get("steps")
        first = steps[0] if isinstance(steps, tuple) else text.params["step"]  # steps are in order
        found.append(_Fault(names, int(str(first)), text.key in _GRAVE))
    if most is None or _badness(found) < most:
        found += [_Fault(pair, step, grave=True) for pair, step in _meetings(context, answer).items()]
    return found


def _meetings(context: OrderContext, answer: FleetOrders) -> dict[frozenset[str], int]:
    """Pairs of one side, one of them the captain's, that come into contact, be the enemies where they may: when first.

    The round is followed to its end, beyond the first blow, without any fire.
    """
    state, mine = context.state, {galley.id for galley in context.mine}
    side = context.mine[0].side
    friends = tuple(galley for galley in state.galleys if galley.side == side)
    own = {galley.id for galley in friends}
    rowing = tuple(OrderList(galley.id, "F" * SLOTS) for galley in state.galleys if galley.side != side)
    found: dict[frozenset[str], int] = {}
    for galleys, theirs in ((state.galleys, ()), (friends, ()), (state.galleys, rowing)):
        decisions = Decisions({}, {}, None, {})
        play = Play(state.sea, galleys, (*answer.lists, *theirs), decisions, Dice("00"), state.options)
        for step in range(1, SLOTS + 1):
            play.begin(step)
            play.move()
            if play.suffer():
                break
        for event in play.events:
            if isinstance(event, Collided) and (pair := frozenset({event.a, event.b})) & mine and pair <= own:
                found[pair] = min(event.step, found.get(pair, SLOTS))
    return found


def _instead(galley: Galley, answer: FleetOrders) -> list[OrderList]:
    """Her other legal lists, those first that leave most as it was, then those that move least."""
    given = orders.split(next(ordered.orders for ordered in answer.lists if ordered.galley == galley.id))

    def changed(other: OrderList) -> int:
        return -sum(a == b for a, b in zip(given, orders.split(other.orders), strict=False))

    every = sorted(all_lists(galley), key=changed)
    return [*every[:_NEAREST], *sorted(every[_NEAREST:], key=_moves)]


def _moves(drawn: OrderList) -> int:
    return sum(map(drawn.orders.count, "FLR"))


def _foreseen(context: OrderContext, mine: set[str], draft: OrderDraft) -> _Foreseen:
    found, state = _Foreseen(), context.state
    target = "nearest" if draft.standing.target == "ask" else draft.standing.target
    standing = {context.seat: structs.replace(draft.standing, target=target, reorganize="even")}
    play = Play(state.sea, state.galleys, draft.lists, Decisions(standing, {}, None, {}), Dice("00"), state.options)
    fired_at: defaultdict[str, int] = defaultdict(int)
    for step in range(1, SLOTS + 1):
        play.begin(step)
        told = len(play.events)
        play.move()
        for event in play.events[told:]:
            _note(event, play, mine, found)
        if play.blows:
            _lose(play, mine, found)
            _burn(context, play, found)
            return found
        _burn(context, play, found)
        play.target()
        shooting = {shot.by.id for shot in play.shots}
        for galley in play.doing("X"):
            if galley.id in mine and galley.id not in shooting:
                (found.sight if galley.id in play.hidden else found.fire)[galley.id].append(step)
        for shot in play.shots:
            fired_at[shot.at.id] += volley.count(shot.by, shot.gap_mm)
        if any(hits >= min(play.galleys[foe].port, play.galleys[foe].starboard) for foe, hits in fired_at.items()):
            return found
        if _grapple(play, mine, found):
            return found
        play.reorganize()
    return found


def _note(event: Event, play: Play, mine: set[str], found: _Foreseen) -> None:
    """Note what comes of a move."""
    # Who turns at the edge has turned.
    if isinstance(event, Moved) and event.at_edge and event.order == "F" and event.galley in mine:
        found.edge[event.galley].append(play.step)
    if isinstance(event, Moved | RanAground | StruckReef) and event.galley in mine:
        _ashore(event, found)
    if isinstance(event, Collided) and play.galleys[event.a].side == play.galleys[event.b].side:
        found.met += [(play.step, event.a, event.b)] if {event.a, event.b} & mine else []


def _grapple(play: Play, mine: set[str], found: _Foreseen) -> bool:
    """Note who grapples nobody; whether anybody else does: what comes of that is not to be foreseen."""
    boarders = {galley.id: galley for galley in play.doing("G") if galley.id in mine}
    reaching = {name for name, galley in boarders.items() if boarding.in_reach(galley, play.afloat, play.sea)}
    for name in boarders.keys() - reaching:
        found.grapple[name].append(play.step)
    return bool(reaching)


def _ashore(event: Moved | RanAground | StruckReef, found: _Foreseen) -> None:
    """Note what land and reefs do to her."""
    match event:
        case RanAground():
            found.land[event.galley] = [step for step in found.land[event.galley] if step != event.step]
            found.aground.setdefault(event.galley, (event.step, event.damage))
        case StruckReef():
            found.reef[event.galley].append(event.step)
        case Moved(ashore=True):
            found.land[event.galley].append(event.step)


def _burn(context: OrderContext, play: Play, found: _Foreseen) -> None:
    """Note who runs on to the town's shore, as she should (MX-5.5)."""
    if context.state.scenario == "raid":
        play.land()
        for name in play.landed:
            found.landed.setdefault(name, play.step)


def _lose(play: Play, mine: set[str], found: _Foreseen) -> None:
    """Deal the first blows: who has no mast left by them fires no more."""
    if play.suffer():
        return  # the captain wants to be asked what to lose
    for galley in play.afloat:
        later = [step for step in range(play.step + 1, SLOTS + 1) if play.steps[galley.id][step - 1] in {"X", "G"}]
        if galley.id in mine and not galley.masts and later:
            found.masts[galley.id] = later


def _idle(context: OrderContext, draft: OrderDraft, name: str, steps: Sequence[int]) -> tuple[int, ...]:
    """Of the steps in which she fires at nobody those that may be better used.

    A list may not be shorter (MB-3.7): if her oars allow no more moves, she must fire, and after them it is as well.
    """
    galley, letters = by_id(context.mine, name), draft.list_of(by_id(context.mine, name)).orders
    if not steps or orders.list_fault(galley, letters.replace("X", "F", 1)) is None:
        return tuple(steps)
    in_vain = letters.endswith("X") and len(letters) in steps  # wherever in her list
    return () if in_vain else tuple(step for step in steps if step <= len(letters.rstrip("X")))


def _said(context: OrderContext, mine: set[str], draft: OrderDraft, found: _Foreseen) -> Iterator[Text]:
    for galley in (one.id for one in context.mine):
        if steps := found.edge.get(galley):
            yield Text("warn.edge", {"galley": galley, "steps": tuple(steps)})
        yield from _said_of_land(galley, found)
        for step, a, b in found.met:
            if galley == a or (galley == b and a not in mine):
                yield Text("warn.friend", {"galley": galley, "friend": b if galley == a else a, "step": step})
        if idle := _idle(context, draft, galley, found.fire.get(galley, [])):
            yield Text("warn.fire", {"galley": galley, "steps": idle, "reach_mm": volley.RANGE_MM})
        if steps := found.grapple.get(galley):
            yield Text("warn.grapple", {"galley": galley, "steps": tuple(steps), "reach_mm": boarding.REACH_MM})
        if steps := found.masts.get(galley):
            yield Text("warn.masts", {"galley": galley, "steps": tuple(steps)})


def _said_of_land(galley: str, found: _Foreseen) -> Iterator[Text]:
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
