"""Start of a game: a scenario, fleets by points, or a given position (SQ-23)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast, get_args

from msgspec import structs

from rules.chance.dice import Dice
from rules.core import sides as sides_of
from rules.core.protocol import CAPTAINS_OPTION, LEVEL_OPTION, Event, OptionSpec, Setup
from rules.geometry.hexes import Hex
from rules.squadrons.engine.events import SidesDrawn, WindRose
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea import fleets, grid, position_text
from rules.squadrons.engine.sea.fleets import MAX_DEPTH_HEXES
from rules.squadrons.engine.sea.state import Captain, Level, Position, RuleOptions, State, Wind
from rules.squadrons.engine.tables import FLEETS, SCENARIOS, TABLES

Coast = Literal["none", "isles", "strait"]
COASTS: Final[tuple[Coast, ...]] = get_args(Coast)
_STRAIT_DIVISOR: Final = 8  # each shore of a strait reaches over this part of the map's width
_ISLES_DIVISOR: Final = 4  # the middle of an isle is this part of the map's width from the edge


def land_hexes(position: Position, coast: Coast) -> tuple[Hex, ...]:
    """Return the land of a coast, sorted: the same for both sides, and never next to a ship."""
    hexes_near_ships = {there for here in position.ships_by_hex for there in (here, *grid.neighbours(here))}
    half = list(_half_of_land(position, coast))
    candidates = {*half, *(opposite_hex(position, here) for here in half)} - hexes_near_ships
    return tuple(sorted(here for here in candidates if _is_free_for_land(position, here)))


def _half_of_land(position: Position, coast: Coast) -> Iterator[Hex]:
    middle_row = (position.height + 1) // 2
    if coast == "isles":
        isle_centre = grid.hex_at(max(2, position.width // _ISLES_DIVISOR), middle_row)
        yield from (isle_centre, *grid.neighbours(isle_centre))
    if coast == "strait":
        for column in range(1, position.width // _STRAIT_DIVISOR + 1):
            # the shore is farthest out in the middle
            rows_from_middle = position.width // _STRAIT_DIVISOR - column + 1
            rows = range(middle_row - rows_from_middle, middle_row + rows_from_middle + 1)
            yield from (grid.hex_at(column, row) for row in rows)


def opposite_hex(position: Position, here: Hex) -> Hex:
    column, row = grid.column_and_row(here)
    return grid.hex_at(position.width + 1 - column, position.height + 1 - row)


def _is_free_for_land(position: Position, here: Hex) -> bool:
    """Return whether a hex is on the map and outside the zones in which both fleets are deployed."""
    _, row = grid.column_and_row(here)
    is_outside_zones = position.height - row > MAX_DEPTH_HEXES and row - 1 > MAX_DEPTH_HEXES
    return position.is_on_map(here) and is_outside_zones


_TURN_BY_TURN_OPTIONS: Final[dict[str, tuple[Literal["form", "speed"], ...]]] = {
    "none": (),
    "form": ("form",),
    "speed": ("speed",),
    "both": ("form", "speed"),
}
"""Choices that both sides make squadron by squadron (altSquadronChoice, strictSpeedAlternation)."""
_BRIDGE_OPTIONS: Final = {"none": (0, 0), "first": (1, 0), "second": (0, 1), "both": (1, 1)}
"""Bonus of boarding bridges to grapples, for Blue and Red (opt.devices; the rules leave the number open)."""
_DEFAULT_BATTLE: Final = "rams"
OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec("battle", (*SCENARIOS, *FLEETS), _DEFAULT_BATTLE),
    OptionSpec("fleet", ("stock", "points", "crews"), "stock"),
    OptionSpec("deploy", ("set", "placed"), "set"),
    OptionSpec("order", ("turn", "squadron"), "turn"),
    OptionSpec("strict", tuple(_TURN_BY_TURN_OPTIONS), "none"),
    OptionSpec("sides", ("dice", "first", "second"), "dice"),
    OptionSpec("extras", ("none", "flame", "pots", "both"), "none"),
    OptionSpec("wind", ("own", "off", "steady", "changing"), "own"),
    OptionSpec("reaction", ("off", "on"), "off"),
    OptionSpec("land", ("own", *COASTS), "own"),
    OptionSpec("bridges", tuple(_BRIDGE_OPTIONS), "none"),
    OptionSpec("limit", ("own", "none", "6", "8", "10", "12", "16", "20"), "own"),
    OptionSpec(LEVEL_OPTION, get_args(Level), "mate"),
    OptionSpec(CAPTAINS_OPTION, ("1", "2", "3"), "1"),
)
FIRST_GAME_OPTIONS: Final = {"battle": "first", "sides": "first"}
"""Options of a first game: the battle that explains the rules turn by turn, as Blue."""
_SETUP_RULE: Final = "SQ-23.1"
_TURN_LIMIT: Final = 12  # SQ-03.9


def initial_state(setup: Setup, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Return the first state of a game, with the events of its sides and wind (none for a given position).

    Raises `OrderError` for a setup that is not allowed.
    """
    options = OptionSpec.chosen_values(OPTIONS, setup.options, _SETUP_RULE)
    if setup.position:
        position = position_text.parse_position(setup.position)
        wind_changes = position.options.wind and options["wind"] == "changing"
        position = structs.replace(position, options=structs.replace(position.options, wind_changes=wind_changes))
        return _make_state(setup, options, position, dice, swapped=False), ()
    swapped, die, dice = sides_of.draw_sides(setup, options["sides"], dice, rule=_SETUP_RULE)
    battle = options["battle"]
    position = fleets.scenario_position(battle) if battle in SCENARIOS else fleets.stock_position(battle)
    position = structs.replace(position, limit=_turn_limit(position, options["limit"]))
    position = _with_land(position, options["land"])
    position, wind_events, dice = _with_wind(position, options["wind"], dice)
    position = structs.replace(position, options=_rule_options(position, options))
    position = fleets.with_equipment(position)
    state = _make_state(setup, options, position, dice, swapped=swapped)
    if battle in SCENARIOS:
        state = structs.replace(state, teaches=SCENARIOS[battle].teaches)
    if battle in FLEETS:
        state = structs.replace(
            state,
            points=int(battle),
            building=options["fleet"] != "stock",
            crews=options["fleet"] == "crews",
            placed=options["deploy"] == "placed",
        )
    sides = {side: tuple(captain.seat for captain in state.captains if captain.side == side) for side in ("B", "R")}
    sides_drawn = SidesDrawn(blue=sides["B"], red=sides["R"], die=die, rule="SQ-23.4")
    return state, (sides_drawn, *wind_events)


def lots_of(setup: Setup, start_events: Sequence[Event]) -> dict[str, int]:
    drawn = next((event for event in start_events if isinstance(event, SidesDrawn)), None)
    return {sides_of.SIDES_LOT: sides_of.lot_of_first_side(setup, drawn.blue)} if drawn else {}


def effective_options(
    options: Mapping[str, str],
    /,
    *,
    has_own_scenario: bool,  # noqa: ARG001 -- an own battle has the options that its host chose
) -> dict[str, str]:
    """Return the options with the wind and the land of the battle in place of `own`.

    `own` remains for land that a scenario states.
    """
    scenario = SCENARIOS.get(options["battle"])
    land, wind = options["land"], options["wind"]
    if land == "own" and not (scenario and scenario.land):
        land = "none"
    if wind == "own":
        stated = scenario.wind if scenario else None
        wind = "off" if stated is None else "changing" if stated.changes else "steady"
    return {**options, "land": land, "wind": wind}


def is_uneven(options: Mapping[str, str]) -> bool:
    scenario = SCENARIOS.get(options.get("battle", _DEFAULT_BATTLE))
    return scenario is not None and scenario.uneven


def _turn_limit(position: Position, choice: str) -> int:  # SQ-03.9
    if choice == "none":
        return 0
    return position.limit or _TURN_LIMIT if choice == "own" else int(choice)


def _with_land(position: Position, choice: str) -> Position:
    """Return the position with the land of a choice; `own` keeps that of the scenario."""
    if choice != "own":
        position = structs.replace(position, land=land_hexes(position, cast("Coast", choice)))
    return structs.replace(position, options=structs.replace(position.options, land=bool(position.land)))


def _with_wind(position: Position, choice: str, dice: Dice) -> tuple[Position, tuple[Event, ...], Dice]:  # SQ-08.0
    """Return the position with the wind of the first turn, and its event.

    The scenario's wind blows if it states one; else a die draws its direction. `own`: only if the scenario states one.
    """
    if choice == "off" or (choice == "own" and position.wind is None):
        ships = tuple(structs.replace(ship, sails=False) for ship in position.ships)
        options = structs.replace(position.options, wind=False, wind_changes=False)
        return structs.replace(position, wind=None, ships=ships, options=options), (), dice
    changes = position.options.wind_changes if choice == "own" else choice == "changing"
    wind, die = position.wind, None
    if wind is None:
        die, dice = dice.throw_die(6)
        wind = Wind(TABLES.wind.start, die - 1)
    options = structs.replace(position.options, wind=True, wind_changes=changes)
    events = (WindRose(die=die, wind=wind, rule="SQ-08.0"),)
    return structs.replace(position, wind=wind, options=options), events, dice


def _rule_options(position: Position, options: Mapping[str, str]) -> RuleOptions:
    return structs.replace(
        position.options,
        flame=options["extras"] in ("flame", "both"),
        pots=options["extras"] in ("pots", "both"),
        reaction_ram=options["reaction"] == "on",
        devices=_BRIDGE_OPTIONS[options["bridges"]],
    )


def state_at(text: str) -> State:
    """Return a game at a position, with the default options and known dice. Raises `OrderError`."""
    setup = Setup(system="squadrons", teams=(0, 1))
    options = OptionSpec.chosen_values(OPTIONS, {}, _SETUP_RULE)
    return _make_state(setup, options, position_text.parse_position(text), Dice(seed="00"), swapped=False)


def _make_state(setup: Setup, options: Mapping[str, str], position: Position, dice: Dice, *, swapped: bool) -> State:
    teams = setup.teams
    max_captains = min(max(1, sum(leader.side == side for leader in position.leaders)) for side in SIDES)
    sides_of.check_teams(teams, max_captains, _SETUP_RULE)
    # team 0 is Blue and team 1 Red, or the other way round if `swapped`
    captains = [Captain(seat=seat, side="R" if (team == 1) != swapped else "B") for seat, team in enumerate(teams)]
    return State(
        position=position,
        captains=command.with_leaders(position, captains),
        pace=cast("Any", options["order"]),
        turns=_TURN_BY_TURN_OPTIONS[options["strict"]],
        missed=setup.missed,
        captain=cast("Level", options[LEVEL_OPTION]),
        last=("",) * len(teams),
        dice=dice,
    )
