"""Forecasts of a draft while enemies stay where they are: shots with their chances, and head-on rams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.chance.dice import Dice
from rules.core.errors import Scalar
from rules.core.view import Param, Text
from rules.matchbox.engine import volley
from rules.matchbox.engine.events import ShipRammed
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.stages import Decisions, PendingVolley, RoundInProgress
from rules.matchbox.engine.state import SLOTS, OrderList, StandingOrders
from rules.matchbox.interface.standing_orders import OrderContext
from rules.matchbox.interface.view import PlannedShot

_VOLLEYS_TRIED: Final = 100  # with fixed dice, so that the same orders always have the same chance
_MAX_RANGES: Final = 6  # different shots whose chances are computed, about 10 ms each


def forecast_lines(context: OrderContext, lists: Sequence[OrderList]) -> Iterator[Text]:
    """Yield what a captain's orders do up to the first blow, if other galleys neither move nor fire."""
    state = context.state
    steps_by_shot: dict[tuple[str, str, int], list[int]] = {}
    values_by_shot: dict[tuple[str, str, int], dict[str, Scalar]] = {}
    rams: list[Text] = []
    play = RoundInProgress(
        *(state.sea, state.galleys, lists, _decisions(context), Dice("00")), sinks=state.sinks or "one_side"
    )
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        play.move_all()
        rams += _head_on_rams(context, play)
        if play.blows:
            break
        play.lay_remaining()
        play.choose_targets()
        play.choose_aims()
        for shot in play.shots:
            key = (shot.by.id, shot.target.id, round(shot.gap_mm))
            if key not in values_by_shot and len(values_by_shot) < _MAX_RANGES:
                values_by_shot[key] = shot_values(play, shot)
            steps_by_shot.setdefault(key, []).append(step)
    for key, values in values_by_shot.items():
        galley, foe, _ = key
        steps = steps_by_shot[key]
        when: dict[str, Param] = {"step": steps[0]} if len(steps) == 1 else {"steps": tuple(steps)}
        yield Text("line.shots" if len(steps) > 1 else "line.shot", {"galley": galley, "foe": foe, **when, **values})
    yield from rams


def planned_shots(context: OrderContext, lists: Sequence[OrderList]) -> tuple[PlannedShot, ...]:
    """Return the volleys of a captain's orders up to the first blow, if other galleys neither move nor fire."""
    if not any("X" in ordered.orders for ordered in lists):
        return ()
    state = context.state
    shots: dict[tuple[str, str, Pose], PlannedShot] = {}
    play = RoundInProgress(
        *(state.sea, state.galleys, lists, _decisions(context), Dice("00")), sinks=state.sinks or "one_side"
    )
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        play.move_all()
        if play.blows:
            break
        play.lay_remaining()
        play.choose_targets()
        for shot in play.shots:
            key = (shot.by.id, shot.target.id, shot.by.pose)
            steps = (*shots[key].steps, step) if key in shots else (step,)
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


def shot_values(play: RoundInProgress, shot: PendingVolley) -> dict[str, Scalar]:
    """Return the matches of a volley, its range, and the chance that it hits at least once, by fixed dice."""
    dice, hits = Dice("00"), 0
    count = volley.volley_size(shot.by, shot.gap_mm)
    for _ in range(_VOLLEYS_TRIED):
        landed, dice = volley.drop_matches(dice, shot.aim, count)
        drops = volley.judge_drops(shot.by, shot.target, play.galleys_afloat, play.lying, sea=play.sea, landed=landed)
        hits += any(drop.hit for drop in drops) and not any(drop.touches for drop in drops)
    return {"matches": count, "gap_mm": shot.gap_mm, "chance": hits / _VOLLEYS_TRIED}


def _decisions(context: OrderContext) -> Decisions:
    standing = context.standing_orders
    target = "nearest" if standing.target == "ask" else standing.target
    aim = "steady" if standing.aim == "ask" else standing.aim
    return Decisions(dict.fromkeys(range(len(context.state.sides)), StandingOrders(target=target, aim=aim)))


def _head_on_rams(context: OrderContext, play: RoundInProgress) -> Iterator[Text]:
    own_ids = {galley.id for galley in context.own_galleys}
    foe_ids = {galley.id for galley in context.enemies}
    rams = [event for event in play.events if isinstance(event, ShipRammed) and event.kind == "frontal"]
    for ram in rams:
        if ram.by in own_ids and ram.to in foe_ids:
            values: dict[str, Scalar] = {"galley": ram.by, "foe": ram.to, "step": ram.step}
            yield Text("line.bows", {**values, **ram_values(ram, rams)})


def ram_values(ram: ShipRammed, rams: Sequence[ShipRammed]) -> dict[str, Scalar]:
    """Return the damage that both galleys of a head-on ram take."""
    own_damage = next(other.damage for other in rams if (other.by, other.to) == (ram.to, ram.by))
    return {"damage": ram.damage, "own_damage": own_damage}
