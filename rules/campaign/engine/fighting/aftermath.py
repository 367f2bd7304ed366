"""The aftermath of a battle: prizes, experience, trophies and flight (CA part 8)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

from rules.campaign.engine.events import BattleEnded, BattleSurvived, PrizeTaken
from rules.campaign.engine.fighting.dice_battle import SideIndex
from rules.campaign.engine.sea.state import MAX_GALLEYS, MAX_RANK, BattleResult, Galley, SeaBattle
from rules.campaign.engine.sea.ways import route_to_refuge
from rules.campaign.engine.work import TurnInProgress
from rules.core.sides import seat_of

RANSOM_PER_GALLEY = 2  # CA-8.4: talents for each galley


def enter_battle_result(work: TurnInProgress, battle: SeaBattle, fought: BattleResult) -> None:
    """Apply the result of a battle (CA-6.8). Its galleys are free from now on, and hold.

    The side that holds the sea stays in the place of the battle (CA-8.8).
    """
    position = work.position
    work.change(battles=tuple(other for other in position.battles if other.id != battle.id))
    before = [[work.galleys[name] for name in side] for side in battle.galleys]
    counts = [len(side) for side in before]
    walkover = _was_walkover(before)
    sunk = [_apply_losses(work, side, fought) for side in before]
    holds: SideIndex | None = fought.holds
    captured, fled = _dispose_of_losers(work, battle, holds, broke=fought.broke) if holds is not None else ([], [])
    for side in (0, 1):
        prey = sunk[1 - side] + (captured if holds == side else [])
        _award_trophies(work, battle.sides[side], prey, double=counts[side] < counts[1 - side], ransom=holds == side)
    prizes: list[PrizeTaken] = []
    if holds is not None:
        winners = [name for name in battle.galleys[holds] if name in work.galleys]
        if not walkover:
            for name in winners:
                work.update_galley(name, rank=min(MAX_RANK, work.galleys[name].rank + 1))
        prizes = _man_prizes(work, battle.sides[holds], winners, captured)
    work.add_event(
        BattleEnded(
            id=battle.id,
            place=battle.place,
            holds=None if holds is None else battle.sides[holds],
            sunk=tuple(galley.id for side in sunk for galley in side),
            taken=tuple(galley.id for galley in captured),
            fled=tuple(fled),
            rounds=fought.rounds,
            rule="CA-8.1",
        )
    )
    for prize in prizes:
        work.add_event(prize)
    _report_survivors(work, (*battle.galleys[0], *battle.galleys[1]))


def _dispose_of_losers(
    work: TurnInProgress, battle: SeaBattle, holds: SideIndex, *, broke: bool
) -> tuple[list[Galley], list[tuple[str, str]]]:
    """Return the losers' galleys that are captured, and those that flee with their places (CA-8.2, CA-8.6)."""
    losers = [name for name in battle.galleys[1 - holds] if name in work.galleys]
    if broke:
        _apply_breaking_off(work, losers)
    captured = [work.galleys[name] for name in losers if work.galleys[name].is_lame]
    fled = [(name, _flee(work, name)) for name in losers if not work.galleys[name].is_lame]
    return captured, fled


def _report_survivors(work: TurnInProgress, names: Sequence[str]) -> None:
    for name in names:
        if survivor := work.galleys.get(name):
            work.add_event(
                BattleSurvived(
                    galley=name,
                    port=survivor.port,
                    starboard=survivor.starboard,
                    masts=survivor.masts,
                    rank=survivor.rank,
                    seen_by=(seat_of(survivor.captain),),
                    rule="CA-8.3",
                )
            )


def _was_walkover(sides: Sequence[Sequence[Galley]]) -> bool:
    """Return whether one side's weight was at least twice the other's when the battle began (CA-8.3)."""
    weights = [sum(galley.battle_weight for galley in side) for side in sides]
    return max(weights) >= 2 * min(weights)


def _apply_losses(work: TurnInProgress, side: Sequence[Galley], fought: BattleResult) -> list[Galley]:
    """Set the oars and masts that are left, remove sunk galleys and return them, in the line's order."""
    sunk = []
    for galley in side:
        if galley.id in fought.left:
            port, starboard, masts = fought.left[galley.id]
            work.update_galley(galley.id, port=port, starboard=starboard, masts=masts, battle="")
        else:
            sunk.append(work.remove_galley(galley.id))
    return sunk


def _apply_breaking_off(work: TurnInProgress, names: Sequence[str]) -> None:
    """Take an oar from each side of each galley of a side that broke off, but never the last (CA-8.7)."""
    for name in names:
        galley = work.galleys[name]
        work.update_galley(name, port=max(1, galley.port - 1), starboard=max(1, galley.starboard - 1))


def _flee(work: TurnInProgress, name: str) -> str:
    """Move a galley two legs towards its captain's refuge; return its place (CA-8.6)."""
    galley = work.galleys[name]
    way = route_to_refuge(work.position, galley.captain, galley.place, work.besieged_before)
    return work.update_galley(name, place=way[:2][-1] if way else galley.place).place


def _award_trophies(
    work: TurnInProgress, captains: Sequence[str], prey: Sequence[Galley], *, double: bool, ransom: bool
) -> None:
    """Award trophies for galleys sunk or captured, and ransom to the holders of the sea (CA-8.4, CA-8.5).

    Two captains share alternately, beginning with the leading one.
    """
    position = work.position
    trophies = dict(position.trophies)
    famous = sum(bool(position.ports_of(galley.captain)) for galley in prey)
    for captain in islice(cycle(captains), famous):
        trophies[captain] += 2 if double else 1
    work.change(trophies=trophies)
    for captain in islice(cycle(captains), len(prey) if ransom else 0):
        work.add_talents(captain, RANSOM_PER_GALLEY)


def _man_prizes(
    work: TurnInProgress, captains: Sequence[str], winners: Sequence[str], taken: Sequence[Galley]
) -> list[PrizeTaken]:
    """Give captured galleys to the winner with most galleys left in the battle, up to eight (CA-8.2)."""
    prizes = []
    victor = max(captains, key=lambda captain: sum(work.galleys[name].captain == captain for name in winners))
    for galley in taken:
        lost, prize = work.remove_galley(galley.id), ""
        if len(work.galleys_of(victor)) < MAX_GALLEYS:
            manned = Galley(
                captain=victor,
                number=0,
                place=lost.place,
                port=lost.port,
                starboard=lost.starboard,
                masts=lost.masts,
                holes=lost.holes,
            )
            prize = work.renumbered(manned).id
        prizes.append(PrizeTaken(was=galley.id, galley=prize, seen_by=(seat_of(victor),), rule="CA-8.2"))
    return prizes
