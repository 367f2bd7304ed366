"""The start of a game: table and fleets, lots, or a given position (MB-1, MB-2, MX-6.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Final, cast, get_args

from msgspec import UNSET, UnsetType, structs

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.protocol import CAPTAINS_OPTION, Event, OptionSpec, Setup, Step
from rules.core.sides import SIDES_LOT, check_teams, draw_lot, letter_of, seat_of, seats_with
from rules.matchbox.engine import notation, placing
from rules.matchbox.engine.events import FirstPlacerDrawn, GoalSet, SidesDrawn
from rules.matchbox.engine.kept import record_from_keepsakes
from rules.matchbox.engine.points import BUDGETS, VesselBuild, default_fleet
from rules.matchbox.engine.scenarios import RULE_BY_TITLE, SCENARIOS, UNEVEN, first_score
from rules.matchbox.engine.sea import MAP_NAMES, TABLE_BY_NAME, Sea, load_maps
from rules.matchbox.engine.state import (
    CaptainRecord,
    Galley,
    Level,
    ScenarioTitle,
    SinkRule,
    StandingOrders,
    State,
    TableSide,
    options_shown,
)
from rules.matchbox.interface import game_flow

OPEN_WATER: Final = "none"
EXAMPLE_MAP: Final = """\
# First the table: 900x600, 1200x800, 1600x900 or 2400x1000 (mm). Then one piece of land a line: its kind and corners,
# each as east,north in mm from the south-west corner. Two pieces must be 90 mm apart, or touch.
1200x800
island: 500,360 600,330 690,380 640,450 540,450
mole: 150,380 320,400 318,420 148,400
reef: 880,360 980,370 960,440 870,430
"""
SCENARIO_OPTION: Final = "scenario"
_FIRST_PLACER_LOT: Final = "first_placer"
KEPT_CREWS: Final = "kept"  # value of the option `crews`: each captain's own crews from game to game
SCENARIO_FIXED_OPTIONS: Final = ("galleys", "table", "map", "vessels", "points", "crews")
"""Options that a scenario determines (MX-5.1)."""
OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec("galleys", ("1", "2", "3", "4", "5", "6", "7", "8"), "2"),
    OptionSpec("points", ("off", *BUDGETS), "off"),
    OptionSpec("vessels", ("off", "on"), "off"),
    OptionSpec("crews", ("off", "on", KEPT_CREWS), "off"),
    OptionSpec("table", ("fitting", *TABLE_BY_NAME), "fitting"),
    OptionSpec("map", (OPEN_WATER, *MAP_NAMES), OPEN_WATER),
    OptionSpec("boarding", ("off", "on"), "off"),
    OptionSpec(SCENARIO_OPTION, (OPEN_WATER, *SCENARIOS), OPEN_WATER),
    OptionSpec("deployment", ("sealed", "turns", "ready"), "sealed"),
    OptionSpec("sinks", get_args(SinkRule), "one_side"),
    OptionSpec("captain", get_args(Level), "mate"),
    OptionSpec(CAPTAINS_OPTION, ("1", "2", "3", "4"), "1"),
)
MAX_CAPTAINS: Final = 4  # captains of a side (MB-1.5)
FIRST_GAME_OPTIONS: Final = {"galleys": "1", "table": "coffee", "deployment": "ready", "captain": "deckhand"}
"""A first duel: a short way to the enemy, no deployment, and a computer captain that attacks directly."""
FITTING_TABLES: Final = (("coffee", 2), ("kitchen", 4), ("dining", 8))
"""Tables, and the largest number of galleys on each side for which they are chosen."""


def start_game(setup: Setup, dice: Dice) -> Step:
    """Begin a game. Raises `IllegalOrder` for a setup that the rules or the table do not allow."""
    options = OptionSpec.chosen_values(OPTIONS, setup.options, "MB-1.1")
    check_teams(setup.teams, MAX_CAPTAINS, "MB-1.5")
    if setup.position:
        step = _start_from_position(setup, dice, cast("SinkRule", options["sinks"]))
        state = _with_extras(structs.replace(step.state, captain=options["captain"]), {**options, "points": "off"})
        return Step(state, step.events)
    if options[SCENARIO_OPTION] != OPEN_WATER:
        return _start_scenario(setup, dice, options)
    if options["crews"] != "off" and options["points"] == "off":
        raise IllegalOrder("crews_need_points", "MX-4.4", piece="crews")
    # With points, the number of galleys that the default fleet has must fit.
    has_points = options["points"] != "off"
    galleys_each = len(default_fleet(int(options["points"]))) if has_points else int(options["galleys"])
    sealed = options["deployment"] != "turns"
    captains = max(setup.teams.count(0), setup.teams.count(1))
    if setup.scenario is UNSET:
        table, sea = _chosen_table(options["table"], options["map"], galleys_each * captains)
    else:
        sea = notation.parse_map(setup.scenario)
        table = _table_of_map(sea)
    most = placing.max_galleys(sea.width_mm, captains, sealed=sealed)
    if galleys_each > most:
        raise IllegalOrder(
            "fleet_too_large", "MB-2.3", piece=str(galleys_each), table=table, captains=captains, most=most
        )
    sides, first_side, dice = _draw_lots(setup, dice)
    to_place = placing.turn_order(sides, (galleys_each,) * len(sides), first_side)
    state = _with_extras(_state_to_place(setup, options, sea, to_place), options)
    records = _captain_records(setup, options)
    state = structs.replace(state, sides=sides, dice=dice, galleys_each=galleys_each, kept=records)
    room = min(placing.surely_placeable(state, seat) for seat in range(len(sides))) if sea.shore else galleys_each
    if galleys_each > room:
        raise IllegalOrder("no_room_on_map", "MX-1.7", piece=str(galleys_each), most=room)
    is_ready = options["deployment"] == "ready"  # the rules place all galleys
    if state.vessels or state.points:
        first = UNSET if sealed else first_side
        state = structs.replace(state, phase="choosing", to_place=(), first=first, ready=is_ready or UNSET)
        return Step(state, (_sides_event(setup, sides),))
    return _begin_placing(state, (_sides_event(setup, sides),), ready=is_ready)


def _start_scenario(setup: Setup, dice: Dice, options: Mapping[str, str]) -> Step:
    """Begin a scenario with its map and fleets, which are shared among a side's captains (MX-5.1)."""
    if setup.scenario is not UNSET:
        raise IllegalOrder("scenario_has_map", "MX-5.1", piece=options[SCENARIO_OPTION])
    title = cast("ScenarioTitle", options[SCENARIO_OPTION])
    scenario = SCENARIOS[title]
    sides, first_side, dice = _draw_lots(setup, dice)
    builds: dict[str, str] = {}
    counts = [0] * len(sides)
    fleets: dict[TableSide, tuple[VesselBuild, ...]] = {"south": scenario.south, "north": scenario.north}
    for side, fleet in fleets.items():
        seats = seats_with(sides, side)
        if len(seats) > len(fleet):
            most = min(map(len, fleets.values()))
            raise IllegalOrder("too_many_captains", "MX-5.1", piece=title, most=most)
        for seat, build in zip(cycle(seats), fleet):
            counts[seat] += 1
            builds[f"{letter_of(seat)}{counts[seat]}"] = build.text
    state = _state_to_place(setup, options, load_maps()[scenario.map], placing.turn_order(sides, counts, first_side))
    state = structs.replace(state, sides=sides, dice=dice, galleys_each=max(counts))
    state = structs.replace(state, scenario=title, score=first_score(title), builds=builds)
    # Boarding is on by default in scenarios. Choices for options that a scenario determines are ignored.
    boarding = {"boarding": setup.options.get("boarding", "on")}
    state = _with_extras(state, {**options, "vessels": "off", "crews": "off", "points": "off", **boarding})
    south, north = seats_with(sides, "south"), seats_with(sides, "north")
    goal = GoalSet(
        scenario=title,
        south=south,
        north=north,
        enough=scenario.winning_score,
        rounds=scenario.rounds,
        rule=RULE_BY_TITLE[title],
    )
    return _begin_placing(state, (_sides_event(setup, sides), goal), ready=options["deployment"] == "ready")


def chart_state(setup: Setup) -> State:
    """Return the table with its map and a scenario's goal, before any galley is placed."""
    options = OptionSpec.chosen_values(OPTIONS, setup.options, "MB-1.1")
    title = cast("ScenarioTitle", options[SCENARIO_OPTION]) if options[SCENARIO_OPTION] != OPEN_WATER else None
    name = SCENARIOS[title].map if title else options["map"]
    sea = _chosen_table("fitting", name, 1)[1] if setup.scenario is UNSET else notation.parse_map(setup.scenario)
    state = _state_to_place(setup, options, sea, ())
    return structs.replace(state, scenario=title, score=first_score(title)) if title else state


def with_dependent_options(options: Mapping[str, str], key: str) -> dict[str, str]:
    """Return the options after a choice: no crews without points, boarding in a scenario."""
    if key == "points" and options["points"] == "off":
        return {**options, "crews": "off"}
    if key != SCENARIO_OPTION or options[SCENARIO_OPTION] == OPEN_WATER:
        return dict(options)
    default_options = {spec.key: spec.default for spec in OPTIONS if spec.key in SCENARIO_FIXED_OPTIONS}
    return {**options, **default_options, "boarding": "on"}


def is_uneven(options: Mapping[str, str]) -> bool:
    return options.get(SCENARIO_OPTION, OPEN_WATER) in UNEVEN


def effective_options(options: Mapping[str, str], /, *, has_own_scenario: bool) -> dict[str, str]:
    """Return the options with the map and the vessels that the scenario brings, or with a map if the host made one.

    The port of the raid and an own map are no values of the option, so another map with land stands for them.
    """
    scenario = SCENARIOS.get(cast("ScenarioTitle", options[SCENARIO_OPTION]))
    if scenario:
        has_vessels = any(build.vessel != "galley" for build in (*scenario.south, *scenario.north))
        map_name = scenario.map if scenario.map in MAP_NAMES else MAP_NAMES[0]
        return {**options, "map": map_name, "vessels": "on" if has_vessels else "off"}
    return {**options, "map": MAP_NAMES[0]} if has_own_scenario else {**options}


def relevant_options(options: Mapping[str, str]) -> tuple[OptionSpec, ...]:
    """Return the options that have an effect. With points, the number of galleys has none, and without points, crews.

    With points, special vessels come first in place of the number, so that the menus after it stay where they are.
    """
    has_points = options.get("points", "off") != "off"
    is_scenario = options.get(SCENARIO_OPTION, OPEN_WATER) != OPEN_WATER
    idle_keys: tuple[str, ...] = ("galleys",) if has_points else ("crews",)
    if is_scenario:
        idle_keys = SCENARIO_FIXED_OPTIONS
    first_key = "vessels" if "galleys" in idle_keys else "galleys"
    ordered = sorted(OPTIONS, key=lambda spec: spec.key != first_key)
    return tuple(spec for spec in ordered if spec.key not in idle_keys)


def uses_keepsakes(options: Mapping[str, str]) -> bool:
    """Return whether captains bring their kept crews, which gain experience (MX-4.3)."""
    return (
        options.get("crews") == KEPT_CREWS
        and options.get(SCENARIO_OPTION, OPEN_WATER) == OPEN_WATER
        and options.get("points") != "off"
    )


def _draw_lots(setup: Setup, dice: Dice) -> tuple[tuple[TableSide, ...], TableSide, Dice]:
    """Return each seat's side, the side that places the first galley, and the remaining dice (MB-2.1)."""
    lot, dice = draw_lot(setup, SIDES_LOT, 2, dice, rule="MB-2.1")
    sides: tuple[TableSide, ...] = tuple("south" if team == lot - 1 else "north" for team in setup.teams)
    lot, dice = draw_lot(setup, _FIRST_PLACER_LOT, 2, dice, rule="MB-2.1")
    first_side = next(side for side, team in zip(sides, setup.teams, strict=True) if team == lot - 1)
    return sides, first_side, dice


def lots_of(setup: Setup, start_events: Sequence[Event]) -> dict[str, int]:
    """Return the lots of a game: the southern side's team, and the team that placed the first galley, from 1."""
    lots: dict[str, int] = {}
    for event in start_events:
        if isinstance(event, SidesDrawn):
            lots[SIDES_LOT] = setup.teams[event.south[0]] + 1
        elif isinstance(event, FirstPlacerDrawn):
            lots[_FIRST_PLACER_LOT] = setup.teams[event.seat] + 1
    return lots


def _state_to_place(setup: Setup, options: Mapping[str, str], sea: Sea, galleys: tuple[str, ...]) -> State:
    """Return a game with these galleys to place. Sides and dice are placeholders."""
    return State(
        width_mm=sea.width_mm,
        height_mm=sea.height_mm,
        land=sea.land or UNSET,
        sides=(),
        galleys_each=0,
        deployment="turns" if options["deployment"] == "turns" else "sealed",
        missed=setup.missed,
        captain=cast("Level", options["captain"]),
        dice=Dice(seed="00"),
        phase="placing",
        to_place=galleys,
        standing=tuple(StandingOrders() for _ in setup.teams),
    )


def _begin_placing(state: State, events: tuple[Event, ...], *, ready: bool) -> Step:
    first = FirstPlacerDrawn(seat=seat_of(state.to_place[0]), rule="MB-2.1")
    if state.deployment == "turns":
        events = (*events, first)
    return game_flow.set_down_galleys(state).preceded_by(events) if ready else Step(state, events)


def _captain_records(setup: Setup, options: Mapping[str, str]) -> tuple[CaptainRecord, ...] | UnsetType:
    """Return what each captain brings from earlier games (MX-4.3). Raises `OrderError`."""
    if options["crews"] != KEPT_CREWS:
        return UNSET
    if setup.keepsakes is UNSET:
        return (CaptainRecord(),) * len(setup.teams)
    if len(setup.keepsakes) != len(setup.teams):
        raise IllegalOrder("bad_keepsake", "MX-4.3", piece=str(len(setup.keepsakes)), expected=str(len(setup.teams)))
    return tuple(map(record_from_keepsakes, setup.keepsakes))


def _with_extras(state: State, options: Mapping[str, str]) -> State:
    """Return the state with the extra rules of its options or its position (MX-0.1, 0.2)."""
    shown_options = options_shown(state.sea, state.galleys)
    for option in ("vessels", "crews"):
        if options[option] != "off" or option in shown_options:
            state = structs.replace(state, **{option: True})
    if options["points"] != "off":
        state = structs.replace(state, points=int(options["points"]))
    if options["sinks"] == "both_sides":
        state = structs.replace(state, sinks="both_sides")
    if options["boarding"] == "off":
        return state
    standing = tuple(structs.replace(orders, prize="one") for orders in state.standing)
    return structs.replace(state, boarding=True, standing=standing)


def _chosen_table(table: str, map_name: str, galleys: int) -> tuple[str, Sea]:
    """Return the table for this number of galleys on each side. A map needs its own table (MX-1.6)."""
    if map_name == OPEN_WATER:
        name = table if table in TABLE_BY_NAME else fitting_table(galleys)
        return name, TABLE_BY_NAME[name]
    sea = load_maps()[map_name]
    table_of_map = _table_of_map(sea)
    if table not in {"fitting", table_of_map}:
        raise IllegalOrder("map_needs_table", "MX-1.6", piece=table, map=map_name, table=table_of_map)
    return table_of_map, sea


def _table_of_map(sea: Sea) -> str:
    return next(name for name, table in TABLE_BY_NAME.items() if table.size_mm == sea.size_mm)


def fitting_table(galleys: int) -> str:
    return next((table for table, most in FITTING_TABLES if galleys <= most), "banquet")


def _sides_event(setup: Setup, sides: tuple[TableSide, ...]) -> SidesDrawn:
    south, north = seats_with(sides, "south"), seats_with(sides, "north")
    return SidesDrawn(south=south, north=north, exchanged=UNSET if setup.lots is UNSET else True, rule="MB-2.1")


def _start_from_position(setup: Setup, dice: Dice, sinks: SinkRule) -> Step:
    position = notation.parse_position(setup.position, sinks=sinks)
    for galley in position.galleys:
        if not re.fullmatch("[A-H][1-9][0-9]?", galley.id):
            raise IllegalOrder("bad_galley_id", "MB-1.5", piece=galley.id, expected="A1")
    _check_position(position)
    galleys = placing.sort_galleys(structs.replace(placed, seat=seat_of(placed.id)) for placed in position.galleys)
    state = _state_from_position(position, galleys, _sides_of_seats(setup.teams, galleys))
    rounds = 0 if setup.rounds is UNSET else setup.rounds
    return Step(structs.replace(state, missed=setup.missed, dice=dice, rounds=rounds), ())


def state_at(text: str) -> State:
    """Return the state of a position for display, with a captain for each letter and side."""
    position = notation.parse_position(text, sinks="both_sides")
    _check_position(position)
    sides = {galley.seat: galley.side for galley in position.galleys}
    return _state_from_position(position, position.galleys, tuple(sides[seat] for seat in sorted(sides)))


def _state_from_position(
    position: notation.Position, galleys: tuple[Galley, ...], sides: tuple[TableSide, ...]
) -> State:
    return State(
        width_mm=position.sea.width_mm,
        height_mm=position.sea.height_mm,
        land=position.sea.land or UNSET,
        sides=sides,
        galleys_each=max(Counter(galley.seat for galley in galleys).values(), default=0),
        deployment="turns",
        missed="hold",
        dice=Dice(seed="00"),
        phase="orders",
        round=1,
        galleys=galleys,
        standing=tuple(StandingOrders() for _ in sides),
    )


def _check_position(position: notation.Position) -> None:
    notation.check_land(position.sea)
    notation.check_hulls(position)


def _sides_of_seats(teams: tuple[int, ...], galleys: tuple[Galley, ...]) -> tuple[TableSide, ...]:
    """Return each seat's side in the position. Raises `IllegalOrder` if teams do not match the sides."""
    side_by_team: dict[int, TableSide] = {}
    for galley in galleys:
        if galley.seat >= len(teams):
            raise IllegalOrder("no_such_seat", "MB-1.5", piece=galley.id, galley=galley.id, seats=len(teams))
        if side_by_team.setdefault(teams[galley.seat], galley.side) != galley.side:
            raise IllegalOrder("allies_apart", "MB-1.5", piece=galley.id, galley=galley.id)
    for seat in range(len(teams)):
        if not any(galley.seat == seat for galley in galleys):
            raise IllegalOrder("seat_without_galley", "MB-1.5", piece=letter_of(seat), letter=letter_of(seat))
    if side_by_team[0] == side_by_team[1]:
        raise IllegalOrder("enemies_together", "MB-1.5", piece=side_by_team[0])
    return tuple(side_by_team[team] for team in teams)
