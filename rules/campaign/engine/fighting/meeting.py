"""Meetings of enemies: who fights, who gets away, how a battle is settled, and its aftermath (CA-5, CA-6, CA-8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from msgspec import structs

from rules.campaign.engine import events
from rules.campaign.engine.fighting import dice_battle
from rules.campaign.engine.fighting.dice_battle import SideIndex
from rules.campaign.engine.sea.state import MAX_GALLEYS, MAX_IN_BATTLE, MAX_RANK, BattleResult, Galley, SeaBattle
from rules.campaign.engine.sea.ways import route_to_refuge
from rules.campaign.engine.work import TurnInProgress
from rules.core.sides import seat_of

RANSOM_PER_GALLEY = 2  # CA-8.4: talents for each galley
FLIGHT_LEGS = 2  # CA-8.6: legs that a fleeing galley rows


def enter_battle_result(
    work: TurnInProgress, battle: SeaBattle, result: BattleResult, mode: events.BattleMode = "play"
) -> None:
    """Apply the result of a battle (CA-6.8). Its galleys are free from now on, and hold.

    The side that holds the sea stays in the place of the battle (CA-8.8).
    """
    position = work.position
    work.change(battles=tuple(other for other in position.battles if other.id != battle.id))
    sides_before = [[work.galleys[name] for name in side] for side in battle.galleys]
    counts = [len(side) for side in sides_before]
    was_walkover = _was_walkover(sides_before)
    sunk = [_apply_losses(work, side, result) for side in sides_before]
    holds: SideIndex | None = result.holds  # the side that holds the sea
    captured: list[Galley] = []
    fled: list[tuple[str, str]] = []
    if holds is not None:
        captured, fled = _dispose_of_losers(work, battle, holds, broke=result.broke)
    trophies: dict[str, int] = {}  # by captain
    doubled = ""  # letters of captains
    for side in (0, 1):
        prey = sunk[1 - side] + (captured if holds == side else [])  # enemy galleys sunk or captured
        was_smaller = counts[side] < counts[1 - side]
        won = _award_trophies(work, battle.sides[side], prey, double=was_smaller, ransom=holds == side)
        trophies |= won
        doubled += "".join(won) if was_smaller else ""
    prizes: list[events.PrizeTaken] = []
    if holds is not None:
        winning_galleys = [name for name in battle.galleys[holds] if name in work.galleys]
        if not was_walkover:
            for name in winning_galleys:
                work.update_galley(name, rank=min(MAX_RANK, work.galleys[name].rank + 1))
        prizes = _man_prizes(work, battle.sides[holds], winning_galleys, captured)
    work.add_event(
        events.BattleEnded(
            id=battle.id,
            place=battle.place,
            holds=None if holds is None else battle.sides[holds],
            sunk=tuple(galley.id for side in sunk for galley in side),
            taken=tuple(galley.id for galley in captured),
            fled=tuple(fled),
            rounds=result.rounds,
            attackers=battle.sides[0],
            defenders=battle.sides[1],
            galleys=battle.galleys,
            mode=mode,
            trophies=trophies,
            doubled=doubled,
            rule="CA-8.1",
        )
    )
    for prize in prizes:
        work.add_event(prize)
    _report_survivors(work, [*sides_before[0], *sides_before[1]])


def _dispose_of_losers(
    work: TurnInProgress, battle: SeaBattle, holds: SideIndex, *, broke: bool
) -> tuple[list[Galley], list[tuple[str, str]]]:
    """Move the losers' galleys that can flee. Return the captured galleys, and the fled ones with their new places.

    Lame galleys are captured (CA-8.2); the others flee (CA-8.6). `broke`: the losers broke the battle off.
    """
    losers = [name for name in battle.galleys[1 - holds] if name in work.galleys]
    if broke:
        _apply_breaking_off(work, losers)
    captured = [work.galleys[name] for name in losers if work.galleys[name].is_lame]
    fled = [(name, _flee(work, name)) for name in losers if not work.galleys[name].is_lame]
    return captured, fled


def _report_survivors(work: TurnInProgress, before: Sequence[Galley]) -> None:
    """Report galleys that are left of those that began the battle, which are given as they were then."""
    for galley in before:
        if survivor := work.galleys.get(galley.id):
            lost = (
                galley.port - survivor.port,
                galley.starboard - survivor.starboard,
                galley.masts - survivor.masts,
            )
            work.add_event(
                events.BattleSurvived(
                    galley=galley.id,
                    port=survivor.port,
                    starboard=survivor.starboard,
                    masts=survivor.masts,
                    rank=survivor.rank,
                    lost=lost,
                    seen_by=(seat_of(survivor.captain),),
                    rule="CA-8.3",
                )
            )


def _was_walkover(sides: Sequence[Sequence[Galley]]) -> bool:
    """Return whether one side's weight was at least twice the other's when the battle began (CA-8.3)."""
    weights = [sum(galley.battle_weight for galley in side) for side in sides]
    return max(weights) >= 2 * min(weights)


def _apply_losses(work: TurnInProgress, side: Sequence[Galley], result: BattleResult) -> list[Galley]:
    """Set the oars and masts that are left, remove sunk galleys and return them, in the line's order."""
    sunk = []
    for galley in side:
        if galley.id in result.left:
            port, starboard, masts = result.left[galley.id]
            work.update_galley(galley.id, port=port, starboard=starboard, masts=masts, battle="")
        else:
            sunk.append(work.remove_galley(galley.id))
    return sunk


def _apply_breaking_off(work: TurnInProgress, names: Sequence[str]) -> None:
    """Take an oar from each side of each galley of a side that broke off, but never the last (CA-8.7)."""
    for name in names:
        galley = after_breaking_off(work.galleys[name])
        work.update_galley(name, port=galley.port, starboard=galley.starboard)


def after_breaking_off(galley: Galley) -> Galley:
    return structs.replace(galley, port=max(1, galley.port - 1), starboard=max(1, galley.starboard - 1))


def _flee(work: TurnInProgress, name: str) -> str:
    """Move a galley two legs towards its captain's refuge; return its place (CA-8.6)."""
    galley = work.galleys[name]
    route = route_to_refuge(work.position, galley.captain, galley.place, work.besieged_before)
    last_legs = route[:FLIGHT_LEGS]
    return work.update_galley(name, place=last_legs[-1] if last_legs else galley.place).place


def _award_trophies(
    work: TurnInProgress, captains: Sequence[str], prey: Sequence[Galley], *, double: bool, ransom: bool
) -> dict[str, int]:
    """Award trophies for galleys sunk or captured, and ransom to the holders of the sea (CA-8.4, CA-8.5).

    Two captains share alternately, beginning with the leading one. Returns the trophies by captain.
    """
    position = work.position
    won = Counter[str]()
    # galleys of captains without ports bring no trophies
    trophy_count = sum(bool(position.ports_of(galley.captain)) for galley in prey)
    for captain in islice(cycle(captains), trophy_count):
        won[captain] += 2 if double else 1
    work.change(trophies={captain: count + won[captain] for captain, count in position.trophies.items()})
    for captain in islice(cycle(captains), len(prey) if ransom else 0):
        work.add_talents(captain, RANSOM_PER_GALLEY)
    return dict(won)


def _man_prizes(
    work: TurnInProgress, captains: Sequence[str], winning_galleys: Sequence[str], taken: Sequence[Galley]
) -> list[events.PrizeTaken]:
    """Give captured galleys to the winner with most galleys left in the battle, up to eight (CA-8.2)."""
    prizes = []
    victor = max(captains, key=lambda captain: sum(work.galleys[name].captain == captain for name in winning_galleys))
    for galley in taken:
        lost = work.remove_galley(galley.id)
        prize = ""  # the new id; empty: burnt
        if len(work.galleys_of(victor)) < MAX_GALLEYS:
            manned = Galley(
                captain=victor,
                number=0,  # `renumbered` gives her the next free number
                place=lost.place,
                port=lost.port,
                starboard=lost.starboard,
                masts=lost.masts,
                holes=lost.holes,
            )
            prize = work.renumbered(manned).id
        prizes.append(events.PrizeTaken(was=galley.id, galley=prize, seen_by=(seat_of(victor),), rule="CA-8.2"))
    return prizes


MAX_PLAYED_BATTLES = 2  # CA-6.2c: battles that a captain may play at the same time


@dataclass(frozen=True)
class Meeting:
    galley_ids: tuple[str, ...]  # all galleys that meet
    place_of_battle: Callable[[str], str]
    """A function that returns the place of battle for the leading attacker's first galley."""
    destinations: dict[str, str]
    """The destination of each galley on the way, as prey must row the other way (CA-5.2); empty in a place."""


@dataclass
class _Forces:
    sides: list[list[str]]  # captains of the attackers and the defenders, the leading ones first
    attackers: list[str]  # ids of all the attackers' galleys that do not evade

    def battle_place(self, meeting: Meeting) -> str:
        return meeting.place_of_battle(next(name for name in self.attackers if _captain_of(name) == self.sides[0][0]))


def carry_out_meeting(work: TurnInProgress, meeting: Meeting) -> None:
    """Let galleys evade until a battle begins or nobody attacks any more (CA-5.4 to CA-5.7)."""
    present = list(meeting.galley_ids)
    while forces := _find_forces(work, present, meeting):
        away = _evading_galleys(work, present, forces, meeting)
        present = [name for name in present if name not in away]
        foe = forces.sides[1][0]
        if _galleys_of(foe, present):
            _begin_battle(work, present, forces, meeting)
            return
        _explain_escape(work, forces, sorted(name for name in away if _captain_of(name) == foe), meeting)


def _explain_escape(work: TurnInProgress, forces: _Forces, away: Sequence[str], meeting: Meeting) -> None:
    """Tell the attackers that all their foe's galleys have avoided them: behind the boom, or by slipping away."""
    place, foe = forces.battle_place(meeting), forces.sides[1][0]
    moored_count = sum(not _has_slipped(work, name) for name in away)
    why: events.FailureReason = "boom" if moored_count else "slipped"
    count = moored_count + work.position.sea_map.places[place].worth if moored_count else len(away)
    for captain in forces.sides[0]:
        note_failed_attack(work, _strikers(work, captain, forces.attackers), foe, place, why, count=count)


def _strikers(work: TurnInProgress, captain: str, names: Sequence[str]) -> list[str]:
    return [name for name in _galleys_of(captain, names) if work.turns_by_galley[name].stance == "attack"]


def note_failed_attack(
    work: TurnInProgress,
    strikers: Sequence[str],
    foe: str,
    place: str,
    why: events.FailureReason,
    *,
    count: int = 0,
) -> None:
    """Tell a captain, once a turn for each place and foe, why the attack of some galleys has led to no battle."""
    captain = _captain_of(strikers[0])
    if (captain, foe, place) in work.explained_attacks:
        return
    work.explained_attacks.add((captain, foe, place))
    rule = {"boom": "CA-5.6", "slipped": "CA-5.5", "fought": "CA-5.1", "engaged": "CA-6.6", "other": "CA-5.4"}[why]
    work.add_event(
        events.AttackFailed(
            galleys=tuple(strikers),
            foe=foe,
            place=place,
            why=why,
            count=count,
            seen_by=(seat_of(captain),),
            rule=rule,
        )
    )


def explain_failed_attacks(work: TurnInProgress, place: str) -> None:
    """Tell each captain who attacks in a place at a watch's end why galleys there were not met (CA-5.1, CA-5.4)."""
    here = [galley.id for galley in work.in_order(work.galleys.values()) if galley.place == place]
    for captain in work.position.captains:
        own = _galleys_of(captain, here)
        strikers = [name for name in _strikers(work, captain, own) if not work.turns_by_galley[name].is_done_meeting]
        if not strikers or any(work.turns_by_galley[name].has_fought for name in own):
            continue
        for foe in work.position.captains:
            prey = _galleys_of(foe, here)
            if prey and foe != captain and not work.position.is_spared(captain, foe):
                slipped = [name for name in prey if _has_slipped(work, name)]
                why = _failure_reason(work, prey) if not slipped else "slipped"
                note_failed_attack(work, strikers, foe, place, why, count=len(slipped))


def _has_slipped(work: TurnInProgress, name: str) -> bool:
    """Return whether a galley has slipped away in this watch (CA-5.5)."""
    galley_turn = work.turns_by_galley[name]
    return galley_turn.stance == "evade" and galley_turn.is_done_meeting and not galley_turn.has_fought


def _failure_reason(work: TurnInProgress, prey: Sequence[str]) -> events.FailureReason:
    if all(work.galleys[name].battle for name in prey):
        return "engaged"
    if all(work.galleys[name].battle or work.turns_by_galley[name].has_fought for name in prey):
        return "fought"
    return "other"


def _captain_of(name: str) -> str:
    return name[0]


def _galleys_of(captain: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if _captain_of(name) == captain]


def _total_weight(work: TurnInProgress, names: Sequence[str]) -> int:
    return sum(work.galleys[name].battle_weight for name in names)


def _does_attack(
    work: TurnInProgress, by: str, other: str, present: Sequence[str], destinations: dict[str, str]
) -> bool:
    """Return whether a captain attacks another here; on the way, only galleys that row the other way (CA-5.2)."""
    if by == other or work.position.is_spared(by, other):
        return False
    strikers = [name for name in _galleys_of(by, present) if work.turns_by_galley[name].stance == "attack"]
    prey = _galleys_of(other, present)
    if not destinations:
        return bool(strikers and prey)
    return any(destinations[striker] != destinations[target] for striker in strikers for target in prey)


def _find_forces(work: TurnInProgress, present: Sequence[str], meeting: Meeting) -> _Forces | None:
    """Return the leading attacker, the foe and at most one ally of each, or None for no battle (CA-5.4, CA-5.7)."""
    # in order of precedence, so that `max` returns the first of equals
    captains = [captain for captain in work.position.precedence if _galleys_of(captain, present)]
    attacked = {  # the captains that each captain attacks
        by: [to for to in captains if _does_attack(work, by, to, present, meeting.destinations)] for by in captains
    }
    attacking = [by for by in captains if attacked[by]]
    if not attacking:
        return None
    ready_galleys = [name for name in present if work.turns_by_galley[name].stance != "evade"]
    leader = max(attacking, key=lambda captain: _total_weight(work, _galleys_of(captain, ready_galleys)))
    foe = max(attacked[leader], key=lambda captain: _total_weight(work, _galleys_of(captain, present)))
    attackers, defenders = [leader], [foe]
    for captain in captains:
        if captain in (leader, foe):
            continue
        ready = _galleys_of(captain, ready_galleys)
        strikes = any(work.turns_by_galley[name].stance == "attack" for name in ready)
        if len(attackers) == 1 and strikes and _joins_against(work, captain, leader, foe):
            attackers.append(captain)
        elif len(defenders) == 1 and ready and _joins_against(work, captain, foe, leader):
            defenders.append(captain)
    return _Forces([attackers, defenders], [name for name in ready_galleys if _captain_of(name) in attackers])


def _joins_against(work: TurnInProgress, captain: str, friend: str, enemy: str) -> bool:
    """Return whether a captain joins a friend against an enemy: both spare each other, but not the enemy (CA-5.7)."""
    spared = work.position.is_spared
    return spared(captain, friend) and spared(friend, captain) and not spared(captain, enemy)


# --- getting away ------------------------------------------------------------------------------------------------


def _evading_galleys(work: TurnInProgress, present: Sequence[str], forces: _Forces, meeting: Meeting) -> set[str]:
    """Return the defenders' galleys that do not fight: behind the boom (CA-5.6), or slipped away (CA-5.5).

    Galleys that slip away are moved.
    """
    away: set[str] = set()
    for captain in forces.sides[1]:
        evading = [name for name in _galleys_of(captain, present) if work.turns_by_galley[name].stance == "evade"]
        moored = [] if meeting.destinations else [name for name in evading if _is_behind_boom(work, name)]
        if moored and _does_boom_hold(work, moored, forces):
            away |= {*moored}
        others = [name for name in evading if name not in moored]
        if others and _can_slip(work, others, forces.attackers):
            _slip_away(work, captain, others, forces.battle_place(meeting))
            away |= {*others}
    return away


def _is_behind_boom(work: TurnInProgress, name: str) -> bool:
    """Return whether a galley has been in its captain's own port since the watch began (CA-5.6)."""
    place = work.galleys[name].place
    return work.turns_by_galley[name].start == place and work.position.ports.get(place) == _captain_of(name)


def _does_boom_hold(work: TurnInProgress, moored: Sequence[str], forces: _Forces) -> bool:
    """Return whether these galleys and the port's worth together equal at least the attackers (CA-5.6)."""
    port, captain = work.galleys[moored[0]].place, _captain_of(moored[0])
    if len(forces.attackers) > len(moored) + work.position.sea_map.places[port].worth:
        return False
    if port + captain not in work.announced_booms:
        work.announced_booms.add(port + captain)
        work.add_event(events.BoomHeld(port=port, captain=captain, seen_by=work.seats_seeing(port), rule="CA-5.6"))
    return True


def _can_slip(work: TurnInProgress, evading: Sequence[str], attackers: Sequence[str]) -> bool:
    """Return whether evading galleys get away: none lame, and fewer, or as many and all of higher rank (CA-5.5)."""
    if any(work.galleys[name].is_lame for name in evading):
        return False
    ranks = [work.galleys[name].rank for name in attackers]
    are_better = all(work.galleys[name].rank > max(ranks) for name in evading)
    return len(evading) < len(attackers) or (len(evading) == len(attackers) and are_better)


def _slip_away(work: TurnInProgress, captain: str, evading: Sequence[str], place: str) -> None:
    """Move galleys back to where they began the watch, or one leg to their refuge if they did not row (CA-5.5)."""
    seers = work.other_seats_seeing(place, captain)
    for name in evading:
        galley_turn, galley = work.turns_by_galley[name], work.galleys[name]
        end = galley_turn.start
        if galley_turn.destination == galley_turn.start:
            route = route_to_refuge(work.position, captain, galley.place, work.besieged_before)
            end = route[0] if route else galley.place
        work.update_galley(name, place=end)
        galley_turn.destination = end
        galley_turn.is_stopped = galley_turn.is_done_meeting = True
    went = work.galleys[evading[0]].place
    slipped = events.GalleysSlippedAway(
        captain=captain, galleys=tuple(evading), to=went, seen_by=(seat_of(captain),), rule="CA-5.5"
    )
    work.add_event(slipped)
    if seers:
        work.add_event(
            events.SlipSeen(captain=captain, place=place, galleys=len(evading), seen_by=seers, rule="CA-5.5")
        )


# --- fighting ----------------------------------------------------------------------------------------------------


def _begin_battle(work: TurnInProgress, present: Sequence[str], forces: _Forces, meeting: Meeting) -> None:
    """Begin a battle, and settle it at once if dice decide it (CA-5.8, CA-5.9, CA-6.2)."""
    defenders = [name for name in present if _captain_of(name) in forces.sides[1]]
    lines = _fighting_line(work, forces.attackers), _fighting_line(work, defenders)  # galleys that fight
    place = forces.battle_place(meeting)
    position = work.position
    battle = SeaBattle(
        id=f"B{position.next_battle}",
        place=place,
        sides=(_fighting_captains(forces.sides[0], lines[0]), _fighting_captains(forces.sides[1], lines[1])),
        galleys=(tuple(galley.id for galley in lines[0]), tuple(galley.id for galley in lines[1])),
        began=position.turn,
    )
    for name in (*forces.attackers, *defenders):
        work.turns_by_galley[name].is_stopped = work.turns_by_galley[name].is_done_meeting = True
    mode = _battle_mode(work, battle, lines)
    for line in lines:
        for galley in line:
            work.update_galley(galley.id, place=place, battle=battle.id)
            work.turns_by_galley[galley.id].has_fought = True
            work.turns_by_galley[galley.id].has_rowed |= bool(meeting.destinations)
            work.turns_by_galley[galley.id].destination = place
    work.change(next_battle=position.next_battle + 1, battles=(*position.battles, battle))
    work.add_event(
        events.BattleMet(
            id=battle.id,
            place=place,
            attackers=battle.sides[0],
            defenders=battle.sides[1],
            galleys=battle.galleys,
            mode=mode,
            rule="CA-5.1",
        )
    )
    if not meeting.destinations:
        for captain in battle.sides[1]:
            _explain_boom(work, _galleys_of(captain, defenders), len(forces.attackers))
    if mode != "play":
        outcome = dice_battle.fight_by_dice(lines, work.dice_stream)
        work.add_event(
            events.DiceThrown(
                id=battle.id,
                fortune=outcome.fortune,
                luckier=outcome.luckier,
                galleys=(*battle.galleys[0], *battle.galleys[1]),
                rule="CA-7.1",
            )
        )
        for number, dice_round in enumerate(outcome.rounds, start=2):  # the first is the approach
            work.add_event(
                events.DiceRoundThrown(
                    id=battle.id, round=number, throws=dice_round.throws, sunk=dice_round.sunk, rule="CA-7.4"
                )
            )
        enter_battle_result(work, battle, outcome.result, mode)


def _explain_boom(work: TurnInProgress, defenders: Sequence[str], attackers: int) -> None:
    """Tell a captain whose galleys must fight in their own port why the boom does not protect them (CA-5.6)."""
    moored = [name for name in defenders if _is_behind_boom(work, name)]
    if not moored:
        return
    port = work.galleys[moored[0]].place
    most = len(moored) + work.position.sea_map.places[port].worth
    ready = [name for name in moored if work.turns_by_galley[name].stance != "evade"]
    if ready and attackers > most:
        return  # it would have broken
    work.add_event(
        events.BoomFailed(
            port=port,
            galleys=tuple(ready or moored),
            why="open" if ready else "broken",
            attackers=attackers,
            most=most,
            seen_by=(seat_of(_captain_of(moored[0])),),
            rule="CA-5.6",
        )
    )


def _fighting_line(work: TurnInProgress, names: Collection[str]) -> list[Galley]:
    """Return the galleys that fight: the six with most parts, by letter and number (CA-5.9)."""
    galleys = work.in_order(work.galleys[name] for name in names)
    return work.in_order(sorted(galleys, key=lambda galley: -galley.parts_left)[:MAX_IN_BATTLE])


def _fighting_captains(side: Sequence[str], line: Sequence[Galley]) -> tuple[str, ...]:
    """Return the captains of a side whose galleys fight; an ally without any is not in the battle (CA-5.9)."""
    fighting = {galley.captain for galley in line}
    return tuple(captain for captain in side if captain in fighting)


def _battle_mode(work: TurnInProgress, battle: SeaBattle, lines: Sequence[Sequence[Galley]]) -> events.BattleMode:
    # dice settle one-sided battles, those of a captain with two battles, and those of captains who agree (CA-6.2)
    weights = sorted(sum(galley.battle_weight for galley in line) for line in lines)
    if min(map(len, lines)) == 1 or weights[1] >= 2 * weights[0]:
        return "dice"
    if any(work.position.count_battles(captain) >= MAX_PLAYED_BATTLES for captain in battle.all_captains):
        return "busy"
    return "agreed" if {*battle.all_captains} <= {*work.position.agree} else "play"
