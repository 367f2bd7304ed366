"""A round of War Galley with matchboxes, from the reveal to backing off (MB-4 to MB-7).

Each step is movement, then fire, then reorganizing (MB-5.1). Orders stay valid despite losses (MB-7.4). A round is
always carried out from its beginning, with the choices made so far. It stops where captains must decide.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.protocol import Event, Seat
from rules.matchbox.engine.events import RoundEnded
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.stages import Decisions, Landings, RoundInProgress
from rules.matchbox.engine.state import (
    SLOTS,
    ExtraRule,
    Galley,
    LaidMatch,
    OrderList,
    PendingDecision,
    ScenarioTitle,
    SinkRule,
    StandingOrders,
    TableSide,
)


class RoundOutcome(Struct, frozen=True, kw_only=True):
    galleys: tuple[Galley, ...]  # galleys afloat after the round, or when it waits for a decision
    events: tuple[Event, ...]  # from `RoundBegan` to `RoundEnded` or, with open decisions, to the stage that asks
    dice: Dice  # the dice for later throws
    sunk: tuple[Galley, ...] = ()  # galleys sunk in this round, in their last state and in order
    left_table: tuple[Galley, ...] = ()  # vessels that left the table in this round, in their last state (MX-5.1)
    houses: int = 0  # houses burnt in this round (MX-5.5)
    had_loss: bool = False  # whether any oar or mast was lost (MB-8.2)
    decisions: tuple[PendingDecision, ...] = ()  # decisions that the round waits for; empty: it is over
    step: int = 0  # the order step that asks; 0: the round is over
    laid_matches: tuple[LaidMatch, ...] = ()  # order matches on the table


def run_round(  # noqa: PLR0917 -- the parts of a round
    sea: Sea,
    galleys: Sequence[Galley],
    order_lists: Sequence[OrderList],
    standing: Mapping[Seat, StandingOrders],
    dice: Dice,
    decided: Mapping[str, str],
    *,
    number: int = 1,
    drops: Mapping[str, Landings] | None = None,
    aims: Mapping[str, tuple[float, float]] | None = None,
    melees: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    options: Collection[ExtraRule] = (),
    scenario: ScenarioTitle | None = None,
    sinks: SinkRule = "one_side",
) -> RoundOutcome:
    """Carry out a whole round from its beginning, with the choices made so far.

    `decided` gives choices by `PendingDecision.key` in the notation of `Decision`. `number` is the round's number in
    its events. `drops`, `aims` and `melees` have keys galley@step, such as `A1@3`. Drops replace aim and chance of all
    volleys (MX-6.3), and melees those of boarding. A galley without orders does not move, and a seat without standing
    orders has the defaults. `options` are the extra rules that the position does not show (MX-0.2). `scenario` is the
    one that is played (`scenarios.find_ending`). `sinks` says when a galley sinks (MB-7.2). Raises `OrderError` for
    choices, drops or melees that break the rules.
    """
    decisions = Decisions(standing, decided, drops, aims or {}, melees)
    play = RoundInProgress(sea, galleys, order_lists, decisions, dice, options, scenario, sinks)
    play.reveal_orders(number)
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        for stage in play.step_stages:
            questions = stage()
            if questions:
                return _round_outcome(play, questions)
    for stage in (play.burn_galleys, play.deal_blows):
        questions = stage()
        if questions:
            return _round_outcome(play, questions)
    play.back_off()
    play.remove_leavers()
    play.events.append(RoundEnded(round=number))
    return _round_outcome(play, ())


def find_winner(galleys: Sequence[Galley]) -> TableSide | Literal["draw"] | None:
    """Return the only side with galleys afloat, `draw` if neither has any, None while both have (MB-8.1).

    Vessels that do not fight do not count (MX-2.9).
    """
    fighting = {galley.side for galley in galleys if galley.kind.is_fighting}
    south, north = "south" in fighting, "north" in fighting
    if south and north:
        return None
    if south:
        return "south"
    return "north" if north else "draw"


def _round_outcome(play: RoundInProgress, questions: tuple[PendingDecision, ...]) -> RoundOutcome:
    return RoundOutcome(
        galleys=play.galleys_afloat,
        events=tuple(play.events),
        dice=play.dice,
        sunk=tuple(play.sunk),
        left_table=tuple(play.leavers),
        houses=len(play.house_burners),
        had_loss=play.had_loss,
        decisions=questions,
        step=play.step if questions else 0,
        laid_matches=play.lying,
    )
