"""The beginning of a game: a built-in scenario, a host's scenario, or a position (RS-22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast, get_args

from msgspec import UNSET, structs

from rules.chance.dice import Dice
from rules.core import sides as sides_of
from rules.core.errors import IllegalOrder
from rules.core.protocol import CAPTAINS_OPTION, Event, OptionSpec, Setup, Step
from rules.ramspeed.engine import free_battle
from rules.ramspeed.engine.events import OpponentsRolled, SidesDrawn
from rules.ramspeed.engine.free_battle import SEA
from rules.ramspeed.engine.notation import host_scenarios, scenarios
from rules.ramspeed.engine.notation import position as positions
from rules.ramspeed.engine.notation.scenarios import SCENARIOS, Scenario
from rules.ramspeed.engine.orders import Doctrines, OrderSheet
from rules.ramspeed.engine.state import Captain, Level, Position, SetUp, Situation, State, SwipeRun
from rules.ramspeed.engine.tables import TABLES, Nation
from rules.ramspeed.interface import game_flow

FREE_BATTLE: Final = "free"  # value of the option `scenario`: captains choose their fleets (RS-22.5)
_SAME_POINTS: Final = "same"  # value of the option `second_points`
_BUDGETS: Final = tuple(map(str, SEA.budgets))
OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec("scenario", (*SCENARIOS, FREE_BATTLE), "skerries"),
    OptionSpec("points", _BUDGETS, "12"),
    OptionSpec("second_points", (_SAME_POINTS, *_BUDGETS), _SAME_POINTS),
    OptionSpec("situation", get_args(Situation), "meeting"),
    OptionSpec("opponents", ("scenario", "rolled"), "scenario"),
    OptionSpec("nations", ("one", "mixed"), "one"),
    OptionSpec("mode", ("sealed", "live", "asked"), "sealed"),
    OptionSpec("sides", ("dice", "first", "second"), "dice"),
    OptionSpec("swipe_run", get_args(SwipeRun), "minimum"),
    OptionSpec("command", ("off", "on"), "off"),
    OptionSpec("captain", get_args(Level), "mate"),
    OptionSpec(CAPTAINS_OPTION, ("1", "2", "3"), "1"),
)
FIRST_GAME_OPTIONS: Final = {"scenario": "skerries", "sides": "first", "captain": "deckhand"}
_MAX_CAPTAINS: Final = 3  # of a side in a free battle
_SETUP_RULE: Final = "RS-22.1"  # the rule cited where no other is more precise
_SIDE_BY_NATION: Final[Mapping[Nation, str]] = {
    "greek": "Greeks",
    "persian": "Persians",
    "athenian": "Athens",
    "spartan": "Sparta",
    "roman": "Rome",
    "carthaginian": "Carthage",
    "pirate": "Pirates",
}
_OPPONENTS_LOT: Final = "opponents"
_NAVAL_POWER_LOT: Final = "naval_power"
_Nations = tuple[Nation, Nation]  # of the first and the second fleet


def with_dependent_options(options: Mapping[str, str], key: str) -> dict[str, str]:
    """Return the options after a choice: the die names the nations of a free battle, and scenarios name their own."""
    if key != "scenario":
        return dict(options)
    return {**options, "opponents": "rolled" if options["scenario"] == FREE_BATTLE else "scenario"}


def start_game(setup: Setup, dice: Dice) -> Step:
    """Begin a game. Raises `OrderError` for a setup that the rules do not allow."""
    options = OptionSpec.chosen_values(OPTIONS, setup.options, _SETUP_RULE)
    if setup.position:
        position = _seat_players(setup, positions.parse_position(setup.position))
        return game_flow.begin_turn(_make_state(setup, options, position, dice))
    nations, roll_event, dice = _roll_opponents(setup, options, dice)
    if setup.scenario is UNSET and options["scenario"] == FREE_BATTLE:
        state, draw_event = _free_battle(setup, options, nations or ("other", "other"), dice)
    else:
        state, draw_event = _scenario_battle(setup, options, nations, dice)
    return game_flow.begin_battle(state, [event for event in (roll_event, draw_event) if event])


def _roll_opponents(
    setup: Setup, options: Mapping[str, str], dice: Dice
) -> tuple[_Nations | None, OpponentsRolled | None, Dice]:
    """Return the nations that a die names, or None where the scenario names them (RS-22.2)."""
    if options["opponents"] != "rolled":
        return None, None, dice
    die, dice = sides_of.draw_lot(setup, _OPPONENTS_LOT, 6, dice, rule="RS-22.2")
    first, second = TABLES.matchups[str(die)]
    power_die = 0
    if first == "other":
        power_die, dice = sides_of.draw_lot(setup, _NAVAL_POWER_LOT, 6, dice, rule="RS-22.2")
        first = TABLES.naval_powers[str(power_die)]
    return (
        (first, second),
        OpponentsRolled(die=die, power_die=power_die, nations=(first, second), rule="RS-22.2"),
        dice,
    )


def lots_of(setup: Setup, start_events: Sequence[Event]) -> dict[str, int]:
    lots: dict[str, int] = {}
    for event in start_events:
        if isinstance(event, SidesDrawn):
            lots[sides_of.SIDES_LOT] = sides_of.lot_of_first_side(setup, event.first)
        elif isinstance(event, OpponentsRolled):
            lots[_OPPONENTS_LOT] = event.die
            if event.power_die:
                lots[_NAVAL_POWER_LOT] = event.power_die
    return lots


def _draw_sides(
    setup: Setup, options: Mapping[str, str], names: tuple[str, str], dice: Dice
) -> tuple[tuple[Captain, ...], SidesDrawn, Dice]:
    """Return the captains with the sides of these names, which the host or a die gave to the teams."""
    swapped, die, dice = sides_of.draw_sides(setup, options["sides"], dice, rule=_SETUP_RULE)
    # the side of each seat: teams 0 and 1 have the sides of these names, or the other way round if `swapped`
    sides = [names[1 if team != swapped else 0] for team in setup.teams]
    first, second = (sides_of.seats_with(sides, name) for name in names)
    # A lot of an earlier game counts like a die.
    rule = "RS-22.2" if options["sides"] == "dice" else _SETUP_RULE
    draw_event = SidesDrawn(sides=names, first=first, second=second, die=die, rule=rule)
    return tuple(Captain(f"p{seat}", side) for seat, side in enumerate(sides)), draw_event, dice


def _scenario_battle(
    setup: Setup, options: Mapping[str, str], nations: _Nations | None, dice: Dice
) -> tuple[State, SidesDrawn]:
    if setup.scenario is UNSET:
        scenario = SCENARIOS[options["scenario"]]
    else:
        scenario = host_scenarios.parse_scenario(setup.scenario)
    if nations:
        scenario = _with_nations(scenario, nations)
    smallest_fleet = min(len(fleet.ships) for fleet in scenario.sides)
    sides_of.check_teams(setup.teams, smallest_fleet, _SETUP_RULE)
    first, second = scenario.sides
    seats, draw_event, dice = _draw_sides(setup, options, (first.name, second.name), dice)
    position = scenarios.scenario_position(scenario, seats)
    state = _make_state(setup, options, position, dice)
    zones = scenarios.scenario_zones(scenario, position)
    if zones:
        placing_players = {zone.player for zone in zones}
        unplaced = tuple(ship.id for ship in position.ships if ship.owner in placing_players)
        state = structs.replace(state, set_up=SetUp(zones=zones, unplaced=unplaced))
    return state, draw_event


def _with_nations(scenario: Scenario, nations: _Nations) -> Scenario:
    """Return the scenario with other nations, under their names; only Romans keep a corvus."""
    first, second = (
        structs.replace(
            fleet,
            name=_SIDE_BY_NATION[nation],
            nation=nation,
            ships=fleet.ships if nation == "roman" else tuple(ship.replace(" corvus", "") for ship in fleet.ships),
        )
        for fleet, nation in zip(scenario.sides, nations, strict=True)
    )
    return structs.replace(scenario, sides=(first, second))


def _free_battle(setup: Setup, options: Mapping[str, str], nations: _Nations, dice: Dice) -> tuple[State, SidesDrawn]:
    """Begin a free battle: captains choose their fleets first (RS-22.5)."""
    sides_of.check_teams(setup.teams, _MAX_CAPTAINS, "RS-22.5")
    names = _SIDE_BY_NATION.get(nations[0], "first"), _SIDE_BY_NATION.get(nations[1], "second")
    seats, draw_event, dice = _draw_sides(setup, options, names, dice)
    width, height = SEA.table
    position = Position(
        width=width, height=height, board="open", land=SEA.land, limit=SEA.turn_limit, seats=seats, ships=()
    )
    points = int(options["points"])
    has_same_points = options["second_points"] == _SAME_POINTS
    points_by_side = dict(
        zip(names, (points, points if has_same_points else int(options["second_points"])), strict=True)
    )
    nation_by_side = dict(zip(names, nations, strict=True))
    situation = cast("Situation", options["situation"])
    first, second = ([seat.player for seat in seats if seat.side == name] for name in names)
    a, b = position.sides
    set_up = SetUp(
        stage="fleets",
        points=(points_by_side[a], points_by_side[b]),
        nations=(nation_by_side[a], nation_by_side[b]),
        zones=free_battle.situation_zones(situation, first, second),
        later=names[0] if situation == "prepared" else "",
    )
    state = _make_state(setup, options, position, dice)
    return structs.replace(state, set_up=set_up), draw_event


def state_at(text: str) -> State:
    """Return a game at a position, with the default options and known dice. Raises `OrderError`."""
    setup = Setup(system="ramspeed", teams=())
    default_options = OptionSpec.chosen_values(OPTIONS, {}, _SETUP_RULE)
    position = _name_players(positions.parse_position(text))
    return _make_state(setup, default_options, position, Dice(seed="00"))


def _make_state(setup: Setup, options: Mapping[str, str], position: Position, dice: Dice) -> State:
    count = len(position.seats)
    swipe_run = cast("SwipeRun", options["swipe_run"])
    position = structs.replace(
        position, swipe_run=swipe_run, mixed=options["nations"] == "mixed", command=options["command"] == "on"
    )
    return State(
        position=position,
        seats=tuple(range(count)),
        mode=cast("Any", options["mode"]),
        missed=setup.missed,
        captain=cast("Level", options["captain"]),
        doctrines=(Doctrines(),) * count,
        standing=(None,) * count,
        last=(OrderSheet(),) * count,
        changes=(0,) * count,
        dice=dice,
    )


def _seat_players(setup: Setup, position: Position) -> Position:
    """Return the position with seats as players, in its own order. Raises `IllegalOrder` if sides and teams differ."""
    sides = [captain.side for captain in position.seats]
    teams = setup.teams
    # each side must belong to one team, and each team to one side
    is_matching = len(sides) == len(teams)
    if is_matching:
        pair_count = len(set(zip(sides, teams, strict=True)))
        is_matching = pair_count == len(set(teams)) == len(set(sides))
    if not is_matching:
        raise IllegalOrder("bad_seats", _SETUP_RULE, piece="position", seats=len(teams), sides=", ".join(sides))
    return _name_players(position)


def _name_players(position: Position) -> Position:
    names = {captain.player: f"p{seat}" for seat, captain in enumerate(position.seats)}
    return structs.replace(
        position,
        seats=tuple(Captain(names[captain.player], captain.side) for captain in position.seats),
        ships=tuple(structs.replace(ship, owner=names[ship.owner]) for ship in position.ships),
    )


def check_setup(setup: Setup) -> None:
    """Refuse a host's scenario with unplayable land or names. Raises `IllegalOrder` with line and rule.

    `start_game` refuses a scenario that cannot be read at all.
    """
    if setup.scenario is not UNSET:
        host_scenarios.check_scenario(setup.scenario)
