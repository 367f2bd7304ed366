"""Battles that dice settle at once (CA-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from rules.campaign.engine.events import DiceThrow
from rules.campaign.engine.sea.state import BattleResult, Galley
from rules.campaign.engine.work import DiceStream
from rules.core.blows import BlowSide, PartCounts, choose_split, legal_splits

MAX_ROUNDS = 6
_MIN_MASTS = 3  # CA-7.4: masts that make a blow harder
FOUL_DAMAGE = 3  # CA-7.3: of a blow to a galley of the own side

SideIndex = Literal[0, 1]


class DiceBattleResult(NamedTuple):
    result: BattleResult  # how the battle ended
    fortune: tuple[int, int]  # the dice of attackers and defenders (CA-7.1)
    rounds: tuple[DiceRound, ...]  # those after the approach (CA-7.2)

    @property
    def luckier(self) -> Literal["attackers", "defenders", "equal"]:
        """Return the side that gets 1 more on each throw (CA-7.1)."""
        attackers, defenders = self.fortune
        if attackers == defenders:
            return "equal"
        return "attackers" if attackers > defenders else "defenders"


class DiceRound(NamedTuple):
    throws: tuple[DiceThrow, ...]
    sunk: tuple[str, ...]  # ids of the galleys that sank at its end


class _Blow(NamedTuple):
    galley: str  # id of the struck galley
    damage: int  # parts that it loses
    facing: BlowSide  # the side that takes most of the damage


def fight_by_dice(sides: tuple[Sequence[Galley], Sequence[Galley]], dice_stream: DiceStream) -> DiceBattleResult:
    """Settle a battle by dice, attackers first, galleys of a side by letter and number (CA-7).

    Fortune is rolled first (CA-7.1). The first round is the approach (CA-7.2), and night follows the last (CA-7.6).
    """
    parts_left: dict[str, PartCounts] = {galley.id: _galley_parts(galley) for side in sides for galley in side}
    ids = [[galley.id for galley in side] for side in sides]
    fortune_dice = dice_stream.throw_die(6), dice_stream.throw_die(6)
    fortune = [int(fortune_dice[side] > fortune_dice[1 - side]) for side in (0, 1)]  # 1 for the luckier side
    rounds: list[DiceRound] = []
    while len(rounds) < MAX_ROUNDS - 1 and all(any(name in parts_left for name in side) for side in ids):
        afloat = [[name for name in side if name in parts_left] for side in ids]
        throws: list[DiceThrow] = []
        for blow in _round_blows(parts_left, afloat, fortune, dice_stream, throws):
            _deal_blow(parts_left, blow)
        sunk = tuple(name for side in afloat for name in side if name not in parts_left)
        rounds.append(DiceRound(tuple(throws), sunk))
    result = BattleResult(holds=sea_holder(sides, parts_left), left=parts_left, rounds=1 + len(rounds))
    return DiceBattleResult(result, fortune_dice, tuple(rounds))


def sea_holder(sides: tuple[Sequence[Galley], Sequence[Galley]], left: Mapping[str, PartCounts]) -> SideIndex | None:
    """Return the side that holds the sea: the only one afloat, or the one that lost the smaller share (CA-8.1).

    If the shares are equal, the defenders hold it. None: nobody is afloat.
    """
    afloat = [any(galley.id in left for galley in side) for side in sides]
    if not any(afloat):
        return None
    if not all(afloat):
        return 0 if afloat[0] else 1
    shares_left = []
    for side in sides:
        parts_before = sum(galley.parts_left for galley in side)
        parts_after = sum(sum(left.get(galley.id, ())) for galley in side)
        shares_left.append(Fraction(parts_after, parts_before))
    return 0 if shares_left[0] > shares_left[1] else 1


def _galley_parts(galley: Galley) -> PartCounts:
    return galley.port, galley.starboard, galley.masts


def _round_blows(
    parts_left: Mapping[str, PartCounts],
    afloat: Sequence[Sequence[str]],
    fortune: Sequence[int],
    dice_stream: DiceStream,
    throws: list[DiceThrow],
) -> list[_Blow]:
    """Return all blows of a round, in rolling order (CA-7.3 to CA-7.5), and add the throws to `throws`."""
    blows = []
    for side in (0, 1):
        for galley in afloat[side]:
            die = dice_stream.throw_die(6)
            bonus, is_halved = 0, False
            if die == 1:  # the blow falls on the own side (maybe on the galley itself), unless the galley is alone
                targets = afloat[side]
                damage = FOUL_DAMAGE if len(targets) > 1 else 0
            else:
                targets = afloat[1 - side]
                _, _, masts = parts_left[galley]
                bonus = fortune[side] + (masts >= _MIN_MASTS)
                damage = min(throw_damage(die + bonus), sum(parts_left[galley]) // 2)
                is_halved = damage < throw_damage(die + bonus)
            target = ""
            if damage:
                target = targets[dice_stream.throw_die(len(targets)) - 1]
                blows.append(_Blow(target, damage, "port" if dice_stream.throw_die(2) == 1 else "starboard"))
            throws.append(DiceThrow(galley, die, bonus, target, damage, is_halved))
    return blows


def throw_damage(throw: int) -> int:
    """Return the damage of a die with its additions (CA-7.4)."""
    if throw < 4:
        return 0
    if throw < 6:
        return 4
    return 5 if throw == 6 else 6


def _deal_blow(parts_left: dict[str, PartCounts], blow: _Blow) -> None:
    """Take the parts of a blow from a galley by MB-7.1, as a seaworthy captain chooses (CA-7.5)."""
    if blow.galley not in parts_left:
        return
    parts = parts_left[blow.galley]
    options = legal_splits(parts, blow.damage, blow.facing)
    losses = choose_split(options, parts, "seaworthy") if options else parts
    port, starboard, masts = (before - loss for before, loss in zip(parts, losses, strict=True))
    if min(port, starboard) > 0:
        parts_left[blow.galley] = (port, starboard, masts)
    else:
        del parts_left[blow.galley]
