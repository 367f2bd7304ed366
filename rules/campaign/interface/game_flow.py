"""The course of a campaign: open requests, battles that are played, and the effects of answers (CA-2, CA-6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, structs

from rules.campaign.engine.events import SeasonEnded
from rules.campaign.engine.fighting.dice_battle import sea_holder
from rules.campaign.engine.orders import TurnOrders
from rules.campaign.engine.sea.naming import battle_number, battle_request_id, captain_names, place_names
from rules.campaign.engine.sea.state import BattleResult, Ending, Galley, Position, SeaBattle, State
from rules.campaign.engine.turn import carry_out as carry_out_turn
from rules.campaign.engine.turn import ending_by_laurels
from rules.campaign.interface.standings import laurels_texts
from rules.core import endings
from rules.core.protocol import NO_SEAT, BattleOutcome, DrawReason, Report, Request, Seat, Setup, ShipFate, Step
from rules.core.protocol import BattleSpec as Child
from rules.core.sides import letter_of, seat_of
from rules.core.view import Text
from rules.interface.typed import join_id_ranges

BATTLE_SYSTEM: Final = "matchbox"
BATTLE_ROUNDS: Final = 6  # CA-6.4: rounds until night falls
MAX_BATTLE_TURNS: Final = 3  # CA-6.8: turns after which a battle must be over at the latest
TABLE_SIZES: Final = ((3, "900x600", 900, 600), (6, "1200x800", 1200, 800))
"""CA-6.5: galleys on the larger side up to which a table serves, its name, width and height in mm."""
LINE_GAP_MM: Final = 150  # between the middles of galleys in a line
_GALLEY_LINE: Final = re.compile(r"([A-Z]\d+):(south|north) (\d+)-(\d+)\+(\d+)/(\d+)")  # see `_line_position`
EDGE_GAP_MM: Final = 90  # between the table's edge and the middles of a line


def battle_request(position: Position, battle: SeaBattle, *, waits: bool) -> Request:
    """Return the request that the battle's end answers. `waits`: the campaign waits for it (CA-6.8).

    No captain can answer, delay or pause it (CA-14.6). The bot's clock decides when its rounds end (CA-6.3).
    """
    return Request(
        id=battle_request_id(battle.id),
        seat=NO_SEAT,
        kind="battle",
        round=battle.began,
        optional=not waits,
        battle=Child(
            setup=battle_setup(position, battle),
            seats=tuple(map(seat_of, battle.all_captains)),
            name=_battle_name(position, battle),
            note=_battle_note(battle),
            parts=BATTLE_ROUNDS // MAX_BATTLE_TURNS,
        ),
        params={"battle": battle.id, "place": battle.place},
    )


def _battle_name(position: Position, battle: SeaBattle) -> Text:
    return Text("battle.name", {"number": battle_number(battle.id), "place": place_names(position.map, battle.place)})


def _battle_note(battle: SeaBattle) -> Text:
    """Return when night falls and who then holds the sea (CA-6.4, CA-8.1), and whose galleys have other letters."""
    letters = _letters_note(battle)
    if letters is None:
        return Text("battle.night", {"rounds": BATTLE_ROUNDS})
    return Text("battle.night.letters", {"rounds": BATTLE_ROUNDS, "letters": (letters,)})


def _letters_note(battle: SeaBattle) -> Text | None:
    """Return which galleys have other letters in the battle's own game; None: all keep theirs."""
    lines = [
        Text("battle.letters.line", {"here": " ".join(join_id_ranges(here)), "names": " ".join(join_id_ranges(names))})
        for captain in battle.all_captains
        if (names := [name for side in battle.galleys for name in side if name[0] == captain])
        and (here := [battle_ship_id(battle, name) for name in names]) != names
    ]
    return Text("battle.letters", {"galleys": tuple(lines)}) if lines else None


def battle_setup(position: Position, battle: SeaBattle) -> Setup:
    """Return the battle's own game, with galleys in place and night after six rounds (CA-6.4, CA-6.5).

    The first mate plays for a captain who misses a round, as in every game (CA-6.7).
    """
    larger_side = max(map(len, battle.galleys))
    table, width, height = next((name, wide, high) for limit, name, wide, high in TABLE_SIZES if larger_side <= limit)
    galleys_by_id = {galley.id: galley for galley in position.galleys}
    lines = [table]
    for side, names in enumerate(battle.galleys):
        for number, name in enumerate(names):
            x = width / 2 + (number - (len(names) - 1) / 2) * LINE_GAP_MM
            y, heading = (EDGE_GAP_MM, 0) if side == 0 else (height - EDGE_GAP_MM, 180)
            lines.append(_line_position(battle, galleys_by_id[name], side, f"@{x:g},{y}^{heading}"))
    return Setup(
        system=BATTLE_SYSTEM,
        teams=tuple(int(captain in battle.sides[1]) for captain in battle.all_captains),
        position=" ; ".join(lines),
        rounds=BATTLE_ROUNDS,
        parent=battle.id,
    )


def _line_position(battle: SeaBattle, galley: Galley, side: int, place: str) -> str:
    parts = f"{galley.port}-{galley.starboard}+{galley.masts}/{galley.holes}"
    return f"{battle_ship_id(battle, galley.id)}:{('south', 'north')[side]} {parts} {place}"


def battle_ship_id(battle: SeaBattle, name: str) -> str:
    return letter_of(battle.all_captains.index(name[0])) + name[1:]


def battle_result(position: Position, battle: SeaBattle, report: Report) -> BattleResult:
    """Return what the end of a battle's own game means for the campaign (CA-6.9, CA-8.1).

    A report without an outcome, as of a game that was called off, leaves every galley undamaged.
    """
    galleys_by_id = {galley.id: galley for galley in position.galleys}
    sides = tuple([galleys_by_id[name] for name in names] for names in battle.galleys)
    outcome = _undamaged_outcome(battle, galleys_by_id) if report.outcome is UNSET else report.outcome
    fates = {fate.id: fate for fate in outcome.ships}
    parts_left = {}
    for galley in (*sides[0], *sides[1]):
        fate = fates[battle_ship_id(battle, galley.id)]
        if fate.end != "sunk":
            parts_left[galley.id] = (fate.parts["port"], fate.parts["starboard"], fate.parts["masts"])
    gave_up = {battle.all_captains[seat] for seat in outcome.gave_up}
    side_broke_off = [{*captains} <= gave_up for captains in battle.sides]
    if side_broke_off[0] != side_broke_off[1]:
        return BattleResult(holds=0 if side_broke_off[1] else 1, left=parts_left, rounds=outcome.rounds, broke=True)
    # galleys of a captain who gave up have left the table, and do not count for the side
    on_table = {name: crew for name, crew in parts_left.items() if fates[battle_ship_id(battle, name)].end == "afloat"}
    return BattleResult(holds=sea_holder((sides[0], sides[1]), on_table), left=parts_left, rounds=outcome.rounds)


def judge_battle(request: Request, report: Report) -> tuple[Text, ...]:
    """Return who holds the sea after an undecided battle, and why (CA-8.1), from its setup and its report alone."""
    if request.battle is None or report.outcome is UNSET:
        return ()
    sides: dict[str, dict[str, Galley]] = {"south": {}, "north": {}}  # galleys by their ids in the battle's game
    for battle_id, side, *parts in _GALLEY_LINE.findall(request.battle.setup.position):
        port, starboard, masts, holes = map(int, parts)
        captain = letter_of(request.battle.seats[seat_of(battle_id)])
        sides[side][battle_id] = Galley(
            captain=captain,
            number=int(battle_id[1:]),
            place=str(request.params["place"]),
            port=port,
            starboard=starboard,
            masts=masts,
            holes=holes,
        )
    fates = {fate.id: fate for fate in report.outcome.ships}
    lines = tuple([*galleys.values()] for galleys in sides.values())
    left = {
        galley.id: (fate.parts["port"], fate.parts["starboard"], fate.parts["masts"])
        for galleys in sides.values()
        for battle_id, galley in galleys.items()
        if (fate := fates[battle_id]).end == "afloat"
    }
    holds = sea_holder((lines[0], lines[1]), left)
    if holds is None:
        return (Text("verdict.nobody"),)
    captains = captain_names(tuple(dict.fromkeys(galley.captain for galley in lines[holds])))
    losses = {
        name: [_parts_lost(side, left), sum(galley.parts_left for galley in side)]
        for name, side in (("holders", lines[holds]), ("others", lines[1 - holds]))
    }
    (own_lost, own_all), (others_lost, others_all) = losses.values()
    params = {"lost": own_lost, "all": own_all, "others_lost": others_lost, "others_all": others_all}
    key = "verdict.even" if own_lost * others_all == others_lost * own_all else "verdict.smaller"
    return Text("verdict.holds", {"captains": captains}), Text(key, {"captains": captains, **params})


def _parts_lost(side: Sequence[Galley], left: Mapping[str, tuple[int, int, int]]) -> int:
    return sum(galley.parts_left - sum(left.get(galley.id, ())) for galley in side)


def _undamaged_outcome(battle: SeaBattle, galleys_by_id: dict[str, Galley]) -> BattleOutcome:
    names = (*battle.galleys[0], *battle.galleys[1])
    ships = tuple(
        ShipFate(
            id=battle_ship_id(battle, name),
            seat=battle.all_captains.index(name[0]),
            end="afloat",
            parts={
                "port": galleys_by_id[name].port,
                "starboard": galleys_by_id[name].starboard,
                "masts": galleys_by_id[name].masts,
            },
        )
        for name in names
    )
    return BattleOutcome(ships=ships, rounds=0)


def pending_requests(state: State) -> tuple[Request, ...]:
    """Return the open requests: sealed orders, and battles that are being played.

    Every captain is asked for orders, even one who has nothing to order, since requests must not reveal what a captain
    has (CA-2.1).
    """
    position = state.position
    if state.phase == "over":
        return ()
    is_after_last_turn = state.phase == "battles"
    battle_requests = tuple(
        battle_request(position, battle, waits=is_after_last_turn or position.turn >= battle.began + MAX_BATTLE_TURNS)
        for battle in position.battles
        if battle.id not in state.ended
    )
    if is_after_last_turn:
        return battle_requests
    orders = tuple(
        Request(
            id=f"t{position.turn}.orders.{captain}",
            seat=seat_of(captain),
            kind="orders",
            round=position.turn,
            params={"limit": position.turns},
        )
        for captain in position.captains
    )
    return (*orders, *battle_requests)


def carry_out(state: State, answers: Sequence[tuple[Request, Any]]) -> Step:
    ended = dict(state.ended)
    orders: dict[str, TurnOrders] = {}
    for request, answer in answers:
        match answer:
            case TurnOrders():
                orders[letter_of(request.seat)] = answer
            case Report():
                battle = next(
                    candidate for candidate in state.position.battles if candidate.id == request.params["battle"]
                )
                ended[battle.id] = battle_result(state.position, battle, answer)
    state = structs.replace(state, ended=ended)
    has_no_orders = state.phase == "orders" and not orders
    awaits_battles = state.phase == "battles" and any(not request.optional for request in pending_requests(state))
    if has_no_orders or awaits_battles:  # ended battles wait for the turn in which they are entered
        return Step(state, ())
    return _carry_out_turn(state, orders, ended)


def _carry_out_turn(state: State, orders: dict[str, TurnOrders], ended: dict[str, BattleResult]) -> Step:
    result = carry_out_turn(state.position, orders, ended, state.dice)
    state = structs.replace(state, position=result.position, dice=result.dice, ended={})
    if result.ending:
        return _end_game(state, _without_conceded(state, result.ending)).preceded_by(result.events)
    phase = "battles" if result.position.turn > result.position.turns else "orders"
    return Step(structs.replace(state, phase=phase), result.events)


def _without_conceded(state: State, ending: Ending) -> Ending:
    """Return the ending without captains who gave up; if no winner is left, the best of the others win (CA-13.4)."""
    position = state.position
    remaining_teams = {team for seat, team in enumerate(position.teams) if seat not in state.conceded}
    winners = tuple(captain for captain in ending.winners if position.team_of(captain) in remaining_teams)
    return structs.replace(ending, winners=winners) if winners else ending_by_laurels(position, remaining_teams)


def _end_game(state: State, ending: Ending) -> Step:
    season_ended = SeasonEnded(winners=ending.winners, why=ending.why, laurels=ending.laurels, rule="CA-13.1")
    winners = tuple(map(seat_of, ending.winners))
    reason = Text(
        f"reason.{ending.why}", {"seats": captain_names(ending.winners), "laurels": laurels_texts(state.position)}
    )
    return endings.end_game(state, (season_ended,), winners, reason, phase="over")


def concede(state: State, seat: Seat) -> Step:
    """Let the computer go on for a captain who gives up, as nobody is ever out of the game (CA-14.5)."""
    state = structs.replace(state, conceded=(*state.conceded, seat))
    conceded_event = endings.CaptainConceded(seat=seat, rule="CA-14.5")
    teams = state.position.teams
    remaining_teams = {teams[other] for other in range(len(teams)) if other not in state.conceded}
    if len(remaining_teams) > 1:
        return Step(state, (conceded_event,))
    winners = tuple(other for other in range(len(teams)) if teams[other] in remaining_teams)
    ended = SeasonEnded(
        winners=tuple(map(letter_of, winners)),
        why="conceded",
        laurels=_laurels_by_captain(state.position),
        rule="CA-14.5",
    )
    reason = Text("reason.conceded", {"laurels": laurels_texts(state.position)})
    return endings.end_game(state, (conceded_event, ended), winners, reason, phase="over")


def _laurels_by_captain(position: Position) -> dict[str, int]:
    return {captain: position.laurels_of(captain) for captain in position.captains}


def agree_draw(state: State, reason: DrawReason = "agreed") -> Step:
    season_ended = SeasonEnded(winners=(), why=reason, laurels=_laurels_by_captain(state.position))
    return endings.end_game(state, (season_ended,), (), Text(f"reason.{reason}"), phase="over")
