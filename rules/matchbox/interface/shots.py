"""Forecasts of a draft while enemies stay where they are: shots with their chances, and contacts with enemies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from rules.chance.dice import Dice
from rules.core.errors import Scalar
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges
from rules.matchbox.engine import volley
from rules.matchbox.engine.events import FireShipStruck, HullsScraped, ShipRammed, ShipSunk
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.stages import Decisions, PendingVolley, RoundInProgress
from rules.matchbox.engine.state import SLOTS, OrderList, StandingOrders
from rules.matchbox.interface.order_drafts import OrderDraft
from rules.matchbox.interface.standing_orders import OrderContext
from rules.matchbox.interface.view import PlannedShot
from rules.matchbox.interface.warnings import draft_warnings

_VOLLEYS_TRIED: Final = 100  # with fixed dice, so that the same orders always have the same chance
_MAX_RANGES: Final = 6  # different shots whose chances are computed, about 10 ms each


def forecast_lines(context: OrderContext, draft: OrderDraft) -> Iterator[Text]:
    """Yield what a captain's orders do if other galleys neither move nor fire, in order of time.

    Each `X` has its chance, or the reason why she does not fire, unless one of `draft_warnings` says so. Each contact
    with an enemy has a line, too.
    """
    steps_by_shot: dict[tuple[str, str, int], list[int]] = {}
    values_by_shot: dict[tuple[str, str, int], dict[str, Scalar]] = {}
    lines: list[tuple[int, Text]] = []  # with the step in which each begins
    idle_steps: dict[tuple[str, str], list[int]] = {}  # steps without a shot, by galley and reason
    for play in _simulate_steps(context, draft.lists):
        lines += [(play.step, line) for line in _contact_lines(context, play)]
        for shot in play.shots:
            key = (shot.by.id, shot.target.id, round(shot.gap_mm))
            if key not in values_by_shot:
                is_counted = len(values_by_shot) < _MAX_RANGES
                values_by_shot[key] = shot_values(play, shot) if is_counted else _range_values(shot)
            steps_by_shot.setdefault(key, []).append(play.step)
        for galley, reason in _idle_galleys(context, play):
            idle_steps.setdefault((galley, reason), []).append(play.step)
    for key, steps in steps_by_shot.items():
        galley, foe, _ = key
        values = values_by_shot[key]
        when: dict[str, Param] = {"step": steps[0]} if len(steps) == 1 else {"steps": tuple(steps)}
        has_chance = "chance" in values
        if len(steps) > 1:
            line = "line.shots" if has_chance else "line.shots.uncounted"
        else:
            line = "line.shot" if has_chance else "line.shot.uncounted"
        lines.append((steps[0], Text(line, {"galley": galley, "foe": foe, **when, **values})))
    lines += _idle_lines(context, draft, idle_steps)
    yield from (line for _, line in sorted(lines, key=lambda entry: entry[0]))


def planned_shots(context: OrderContext, lists: Sequence[OrderList]) -> tuple[PlannedShot, ...]:
    """Return the volleys of a captain's orders if other galleys neither move nor fire."""
    if not any("X" in ordered.orders for ordered in lists):
        return ()
    shots: dict[tuple[str, str, Pose], PlannedShot] = {}
    for play in _simulate_steps(context, lists):
        for shot in play.shots:
            key = (shot.by.id, shot.target.id, shot.by.pose)
            steps = (*shots[key].steps, play.step) if key in shots else (play.step,)
            shots[key] = PlannedShot(
                by=shot.by.id,
                to=shot.target.id,
                start=shot.by.pose,
                end=shot.target.pose,
                steps=steps,
                matches=volley.volley_size(shot.by, shot.gap_mm),
                gap_mm=shot.gap_mm,
            )
    return tuple(shots.values())


def _simulate_steps(context: OrderContext, lists: Sequence[OrderList]) -> Iterator[RoundInProgress]:
    """Yield the round at each step, when targets and aims are chosen. Rams do damage; matches do not fall."""
    state = context.state
    play = RoundInProgress(
        *(state.sea, state.galleys, lists, _decisions(context), Dice("00")), sinks=state.sinks or "one_side"
    )
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        play.move_all()
        play.deal_blows()
        play.lay_remaining()
        play.choose_targets()
        play.choose_aims()
        yield play


def _range_values(shot: PendingVolley) -> dict[str, Scalar]:
    return {"matches": volley.volley_size(shot.by, shot.gap_mm), "gap_mm": shot.gap_mm}


def shot_values(play: RoundInProgress, shot: PendingVolley) -> dict[str, Scalar]:
    """Return the matches of a volley, its range, and the chance that it hits at least once, by fixed dice."""
    dice, hits = Dice("00"), 0
    count = volley.volley_size(shot.by, shot.gap_mm)
    for _ in range(_VOLLEYS_TRIED):
        landed, dice = volley.drop_matches(dice, shot.aim, count)
        drops = volley.judge_drops(shot.by, shot.target, play.galleys_afloat, play.lying, sea=play.sea, landed=landed)
        hits += any(drop.hit for drop in drops) and not any(drop.touches for drop in drops)
    return {**_range_values(shot), "chance": hits / _VOLLEYS_TRIED}


def _decisions(context: OrderContext) -> Decisions:
    standing = context.standing_orders
    target = "nearest" if standing.target == "ask" else standing.target
    aim = "steady" if standing.aim == "ask" else standing.aim
    casualties = "seaworthy" if standing.casualties == "ask" else standing.casualties
    orders_of_all = StandingOrders(target=target, aim=aim, casualties=casualties)
    return Decisions(dict.fromkeys(range(len(context.state.sides)), orders_of_all))


def _contact_lines(context: OrderContext, play: RoundInProgress) -> Iterator[Text]:
    """Yield a line for each contact of this step between a galley of the captain and an enemy."""
    own_ids = {galley.id for galley in context.own_galleys}
    foe_ids = {galley.id for galley in context.enemies}
    events = [event for event in play.events if getattr(event, "step", 0) == play.step]
    rams = [event for event in events if isinstance(event, ShipRammed)]
    for event in events:
        match event:
            case ShipRammed(kind="frontal", by=galley, to=foe) if galley in own_ids and foe in foe_ids:
                values: dict[str, Scalar] = {"galley": galley, "foe": foe, "step": play.step}
                yield Text("line.bows", {**values, **ram_values(event, rams)})
            case ShipRammed(kind="side" | "rear", by=galley, to=foe) if galley in own_ids and foe in foe_ids:
                values = {"galley": galley, "foe": foe, "step": play.step, "damage": event.damage}
                yield Text(f"line.ram.{event.kind}", values)
            case ShipRammed(kind="side" | "rear", by=foe, to=galley) if galley in own_ids and foe in foe_ids:
                values = {"galley": galley, "foe": foe, "step": play.step, "damage": event.damage}
                yield Text("line.rammed", values)
            case FireShipStruck(by=by, galley=struck) if by in own_ids and struck in foe_ids:
                yield Text("line.fire_ship", {"galley": by, "foe": struck, "step": play.step})
            case FireShipStruck(by=by, galley=struck) if by in foe_ids and struck in own_ids:
                yield Text("line.fire_ship.own", {"galley": struck, "foe": by, "step": play.step})
            case HullsScraped(a=a, b=b) if {a, b} & own_ids and {a, b} & foe_ids:
                galley, foe = (a, b) if a in own_ids else (b, a)
                yield Text("line.scrape", {"galley": galley, "foe": foe, "step": play.step})
            case ShipSunk(galley=galley) if galley in own_ids | foe_ids:
                yield Text("line.sinks", {"galley": galley, "step": play.step, "why": event.params["why"]})


def _idle_galleys(context: OrderContext, play: RoundInProgress) -> Iterator[tuple[str, str]]:
    """Yield the captain's galleys that have an `X` in this step and do not fire, each with the reason."""
    shooting = {shot.by.id for shot in play.shots}
    for name in (galley.id for galley in context.own_galleys):
        if play.current_orders.get(name) != "X" or name in shooting:
            continue
        galley = play.galleys.get(name)
        if galley is None:
            yield name, "sunk"
        elif not galley.masts:
            yield name, "masts"
        elif volley.enemies_in_range(galley, play.sunk):
            yield name, "foe_sunk"
        else:
            yield name, "sight" if name in play.without_sight else "range"


_WARNINGS_OF_FIRE: Final = frozenset({"warn.fire", "warn.hidden", "warn.masts"})


def _idle_lines(
    context: OrderContext, draft: OrderDraft, idle_steps: Mapping[tuple[str, str], Sequence[int]]
) -> Iterator[tuple[int, Text]]:
    """Yield the first step and the reason of galleys that do not fire, one line for all with equal reason and steps."""
    if not idle_steps:
        return
    warned = {
        (warning.params["galley"], step)
        for warning in draft_warnings(context, draft)
        if warning.key in _WARNINGS_OF_FIRE
        for step in cast("tuple[int, ...]", warning.params["steps"])
    }
    galleys_by_line: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for (galley, reason), steps in idle_steps.items():
        if unexplained := tuple(step for step in steps if (galley, step) not in warned):
            galleys_by_line.setdefault((reason, unexplained), []).append(galley)
    for (reason, steps), galleys in galleys_by_line.items():
        values: dict[str, Param] = {"galleys": ", ".join(join_id_ranges(galleys)), "steps": steps}
        yield steps[0], Text(f"line.idle.{reason}", {**values, "reach_mm": volley.RANGE_MM})


def ram_values(ram: ShipRammed, rams: Sequence[ShipRammed]) -> dict[str, Scalar]:
    """Return the damage that both galleys of a head-on ram take."""
    own_damage = next(other.damage for other in rams if (other.by, other.to) == (ram.to, ram.by))
    return {"damage": ram.damage, "own_damage": own_damage}
