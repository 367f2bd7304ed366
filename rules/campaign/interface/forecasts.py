"""Say what a running battle means so far: who holds the sea at night, and what a concession costs (CA-8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET, structs

from rules.campaign.engine.fighting.dice_battle import sea_holder
from rules.campaign.engine.fighting.meeting import FLIGHT_LEGS, after_breaking_off
from rules.campaign.engine.sea.naming import battle_number, captain_names, coded_place_names, place_names
from rules.campaign.engine.sea.state import BattleResult, Galley, Position, SeaBattle, State
from rules.campaign.engine.sea.ways import route_to_refuge
from rules.campaign.interface.game_flow import BATTLE_ROUNDS, battle_ship_id
from rules.core.protocol import BattleOutcome, Report, Request, Seat
from rules.core.reports import BattleForecast
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges


def foresee_battle(state: State, request: Request, report: Report, seat: Seat) -> BattleForecast:
    """Return who would hold the sea if night fell now (CA-8.1), and what conceding means for a seat's galleys.

    The captain knows of every siege of an own port, on which the flight depends.
    """
    position = state.position
    battle = next((battle for battle in position.battles if battle.id == request.params["battle"]), None)
    if battle is None or report.outcome is UNSET:
        return BattleForecast()
    is_over = state.phase == "over"  # the battle is played for its own sake
    concession = None if is_over else _concession_text(position, battle, report.outcome, battle.all_captains[seat])
    night = _night_text(position, battle, report.outcome)
    letters = _letters_text(battle, battle.all_captains[seat])
    return BattleForecast(
        end=tuple(text for text in (night, letters) if text), concession=(concession,) if concession else ()
    )


def _letters_text(battle: SeaBattle, captain: str) -> Text | None:
    """Return which of a captain's galleys have other letters in the battle's own game; None: all keep theirs."""
    names = [name for side in battle.galleys for name in side if name[0] == captain]
    here = [battle_ship_id(battle, name) for name in names]
    if here == names:
        return None
    params: dict[str, Param] = {"here": " ".join(join_id_ranges(here)), "names": " ".join(join_id_ranges(names))}
    return Text("forecast.letters", params)


def own_battle_lines(state: State, captain: str) -> Iterator[Text]:
    """Yield a sentence about each battle of a captain: which galleys are in it or, when it is over, what was lost."""
    position = state.position
    galleys_by_id = {galley.id: galley for galley in position.galleys}
    for battle in position.battles:
        if captain not in battle.all_captains:
            continue
        own = [name for side in battle.galleys for name in side if name[0] == captain]
        params: dict[str, Param] = {"number": battle_number(battle.id)}
        result = state.ended.get(battle.id)
        if result is None:
            place = place_names(position.map, battle.place)
            yield Text("open.battle", {**params, "galleys": " ".join(join_id_ranges(own)), "place": place})
            continue
        is_beaten = result.holds is not None and captain in battle.sides[1 - result.holds]
        lost = [
            name
            for name in own
            if name not in result.left or (is_beaten and _is_left_lame(galleys_by_id[name], result))
        ]
        if lost:
            yield Text("open.battle_lost", {**params, "galleys": " ".join(join_id_ranges(lost)), "n": len(lost)})
        else:
            yield Text("open.battle_over", params)


def _is_left_lame(galley: Galley, result: BattleResult) -> bool:
    """Return whether a galley of the side that does not hold the sea is captured after a battle (CA-8.2, CA-8.7)."""
    port, starboard, masts = result.left[galley.id]
    after = structs.replace(galley, port=port, starboard=starboard, masts=masts)
    return (after_breaking_off(after) if result.broke else after).is_lame


def _night_text(position: Position, battle: SeaBattle, outcome: BattleOutcome) -> Text | None:
    galleys_by_id = {galley.id: galley for galley in position.galleys}
    sides = [[galleys_by_id[name] for name in names] for names in battle.galleys]
    fates = {fate.id: fate for fate in outcome.ships}
    left = {
        name: (fate.parts["port"], fate.parts["starboard"], fate.parts["masts"])
        for names in battle.galleys
        for name in names
        if (fate := fates[battle_ship_id(battle, name)]).end == "afloat"
    }
    holds = sea_holder((sides[0], sides[1]), left)
    if holds is None:
        return None
    (lost, parts), (others_lost, others_parts) = (_count_losses(sides[side], left) for side in (holds, 1 - holds))
    params: dict[str, Param] = {
        "rounds": BATTLE_ROUNDS,
        "captains": captain_names(battle.sides[holds]),
        "lost": lost,
        "all": parts,
        "others_lost": others_lost,
        "others_all": others_parts,
    }
    are_equal = lost * others_parts == others_lost * parts
    return Text("forecast.night.even" if are_equal else "forecast.night", params)


def _count_losses(side: Sequence[Galley], left: Mapping[str, tuple[int, int, int]]) -> tuple[int, int]:
    """Return how many oars and masts a side has lost, and how many it had."""
    parts = sum(galley.parts_left for galley in side)
    return parts - sum(sum(left.get(galley.id, ())) for galley in side), parts


def _concession_text(position: Position, battle: SeaBattle, outcome: BattleOutcome, captain: str) -> Text | None:
    """Return what happens to a captain's galleys afloat after a concession now; None: none is afloat."""
    side = 0 if captain in battle.sides[0] else 1
    fates = {fate.id: fate for fate in outcome.ships}
    galleys_by_id = {galley.id: galley for galley in position.galleys}
    galleys = [
        structs.replace(galleys_by_id[name], **fate.parts)
        for name in battle.galleys[side]
        if name[0] == captain and (fate := fates[battle_ship_id(battle, name)]).end == "afloat"
    ]
    if not galleys:
        return None
    gave_up = {battle.all_captains[seat] for seat in outcome.gave_up}
    allies = [ally for ally in battle.sides[side] if ally != captain and ally not in gave_up]
    if not allies:  # the side breaks off (CA-6.9)
        galleys = [*map(after_breaking_off, galleys)]
    params: dict[str, Param] = {"fates": tuple(_fate_texts(position, battle, galleys))}
    if allies:
        return Text("forecast.concession.ally", {**params, "ally": captain_names(allies)})
    return Text("forecast.concession", {**params, "captains": captain_names(battle.sides[1 - side])})


def _fate_texts(position: Position, battle: SeaBattle, galleys: Sequence[Galley]) -> Iterator[Text]:
    """Yield who is captured (CA-8.2), for how many trophies (CA-8.4, CA-8.5), and who flees, and where to (CA-8.6)."""
    captain, place = galleys[0].captain, battle.place
    side = 0 if captain in battle.sides[0] else 1
    is_double = len(battle.galleys[1 - side]) < len(battle.galleys[side])
    if lame := [battle_ship_id(battle, galley.id) for galley in galleys if galley.is_lame]:
        trophies = len(lame) * (2 if is_double else 1) if position.ports_of(captain) else 0
        params: dict[str, Param] = {"galleys": " ".join(join_id_ranges(lame)), "n": len(lame), "trophies": trophies}
        yield Text("forecast.taken" if trophies else "forecast.taken.free", params)
    if fleeing := [battle_ship_id(battle, galley.id) for galley in galleys if not galley.is_lame]:
        route = route_to_refuge(position, captain, place, position.sieges)
        refuge = (place, *route[:FLIGHT_LEGS])[-1]
        params = {"galleys": " ".join(join_id_ranges(fleeing)), "n": len(fleeing)}
        yield Text("forecast.flees", {**params, "place": coded_place_names(position.map, refuge)})
