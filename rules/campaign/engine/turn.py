"""A turn: orders and finished battles lead to the next position (CA part 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import structs

from rules.campaign.engine.ending import find_ending
from rules.campaign.engine.events import FleetMustered, GiftPaid, TurnBegan, TurnEnded
from rules.campaign.engine.fighting import aftermath, rowing
from rules.campaign.engine.money.night import carry_out_night
from rules.campaign.engine.orders import TurnOrders
from rules.campaign.engine.sea.state import BattleResult, Ending, Position
from rules.campaign.engine.work import TurnInProgress
from rules.chance.dice import Dice
from rules.core.protocol import Event
from rules.core.sides import seat_of


class TurnResult(NamedTuple):
    position: Position
    events: tuple[Event, ...]
    dice: Dice
    ending: Ending | None
    """None: the campaign goes on."""


def carry_out(
    position: Position, orders: Mapping[str, TurnOrders], ended: Mapping[str, BattleResult], dice: Dice
) -> TurnResult:
    """Carry out a turn with captains' orders and the battles that have ended (CA-2.2).

    After the last turn, only battles are applied (CA-13.4).
    """
    work = TurnInProgress.begin(position, dice)
    sailed = position.turn <= position.turns
    if sailed:
        work.add_event(TurnBegan(turn=position.turn, rule="CA-2.2"))
    for battle in position.battles:
        if battle.id in ended:
            aftermath.enter_battle_result(work, battle, ended[battle.id])
    if sailed:
        _give_orders(work, orders)
        _pay_gifts(work, orders)
        rowing.carry_out_watch(work, 1)
        work.note_sightings("first")
        rowing.carry_out_watch(work, 2)
        work.note_sightings("second")
        carry_out_night(work, {captain: turn_orders.port_orders for captain, turn_orders in orders.items()})
    work.note_sightings("dawn")
    after = work.to_position()
    _note_standing(work, after)
    over = find_ending(after)
    return TurnResult(structs.replace(after, turn=after.turn + 1), tuple(work.events), work.dice_stream.dice, over)


def _note_standing(work: TurnInProgress, after: Position) -> None:
    for captain in after.captains:
        work.add_event(FleetMustered(galleys=after.galleys_of(captain), seen_by=(seat_of(captain),), rule="CA-2.2"))
    laurels = {captain: after.laurels_of(captain) for captain in after.captains}
    turn = min(after.turn, after.turns)
    work.add_event(TurnEnded(turn=turn, trophies=after.trophies, laurels=laurels, rule="CA-12.3"))


def _give_orders(work: TurnInProgress, orders: Mapping[str, TurnOrders]) -> None:
    """Give galleys their orders, and apply spare lists and agreements on dice (CA-3.7, CA-6.2)."""
    spares = dict(work.position.spares)
    settled = {captain: turn_orders.dice for captain, turn_orders in orders.items() if turn_orders.dice is not None}
    agree = [captain for captain in work.position.captains if settled.get(captain, captain in work.position.agree)]
    for captain, turn_orders in orders.items():
        if turn_orders.spared is not None:
            spares[captain] = turn_orders.spared
        for fleet in turn_orders.fleets:
            alone = any(work.galleys[name].is_lame for name in fleet.galleys)
            for name in fleet.galleys:
                doing = work.turns_by_galley[name]
                doing.stance, doing.route, doing.chase, doing.is_slowed = fleet.stance, fleet.route, fleet.chase, alone
    spares = {captain: spares[captain] for captain in sorted(spares) if spares[captain]}
    work.change(spares=spares, agree="".join(agree))


def _pay_gifts(work: TurnInProgress, orders: Mapping[str, TurnOrders]) -> None:
    """Pay gifts from available talents, payers in precedence (CA-10.6)."""
    for captain in work.position.precedence:
        for to, promised in orders[captain].gifts if captain in orders else ():
            talents = min(promised, work.position.talents[captain])
            if talents:
                work.add_talents(captain, -talents)
                work.add_talents(to, talents)
                seers = tuple(sorted((seat_of(captain), seat_of(to))))
                work.add_event(GiftPaid(by=captain, to=to, talents=talents, seen_by=seers, rule="CA-10.6"))
