"""The beginning of a game: a built-in scenario, a host's scenario, or a position (RS parts 9 and 10.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from msgspec import UNSET, structs

from rules.chance.dice import Dice
from rules.core import sides as sides_of
from rules.core.errors import IllegalOrder
from rules.core.protocol import CAPTAINS_OPTION, OptionSpec, Setup, Step
from rules.ramspeed.engine.events import SidesDrawn
from rules.ramspeed.engine.notation import host_scenarios, scenarios
from rules.ramspeed.engine.notation import position as positions
from rules.ramspeed.engine.notation.scenarios import SCENARIOS
from rules.ramspeed.engine.orders import Doctrines, OrderSheet
from rules.ramspeed.engine.state import Captain, Level, Position, State
from rules.ramspeed.interface import game_flow

OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec("scenario", tuple(SCENARIOS), "skerries"),
    OptionSpec("mode", ("sealed", "live", "asked"), "sealed"),
    OptionSpec("sides", ("dice", "first", "second"), "dice"),
    OptionSpec("captain", get_args(Level), "mate"),
    OptionSpec(CAPTAINS_OPTION, ("1", "2", "3"), "1"),
)
FIRST_GAME_OPTIONS: Final = {"scenario": "skerries", "sides": "first", "captain": "deckhand"}
_SETUP_RULE: Final = "RS-09"  # the rule cited where no other is more precise: part 9


def start_game(setup: Setup, dice: Dice) -> Step:
    """Begin a game. Raises `OrderError` for a setup that the rules do not allow."""
    state, draw_event = _initial_state(setup, dice)
    return game_flow.begin_turn(state, [draw_event] if draw_event else [])


def _initial_state(setup: Setup, dice: Dice) -> tuple[State, SidesDrawn | None]:
    options = OptionSpec.chosen_values(OPTIONS, setup.options, _SETUP_RULE)
    if setup.position:
        position = _seat_players(setup, positions.parse_position(setup.position))
        return _make_state(setup, options, position, dice), None
    if setup.scenario is UNSET:
        scenario = SCENARIOS[options["scenario"]]
    else:
        scenario = host_scenarios.parse_scenario(setup.scenario)
    smallest_fleet = min(len(fleet.ships) for fleet in scenario.sides)
    sides_of.check_teams(setup.teams, smallest_fleet, _SETUP_RULE)
    swapped, die, dice = sides_of.draw_sides(options["sides"], dice)
    names = [fleet.name for fleet in scenario.sides]
    # the side of each seat: teams 0 and 1 have the sides of these names, or the other way round if `swapped`
    sides = [names[1 if team != swapped else 0] for team in setup.teams]
    seats = tuple(Captain(f"p{seat}", side) for seat, side in enumerate(sides))
    position = scenarios.scenario_position(scenario, seats)
    first, second = (sides_of.seats_with(sides, name) for name in names)
    draw_event = SidesDrawn(sides=(names[0], names[1]), first=first, second=second, die=die, rule="RS-22.1")
    return _make_state(setup, options, position, dice), draw_event


def state_at(text: str) -> State:
    """Return a game at a position, with the default options and known dice. Raises `OrderError`."""
    setup = Setup(system="ramspeed", teams=())
    default_options = OptionSpec.chosen_values(OPTIONS, {}, _SETUP_RULE)
    position = _name_players(positions.parse_position(text))
    return _make_state(setup, default_options, position, Dice(seed="00"))


def _make_state(setup: Setup, options: Mapping[str, str], position: Position, dice: Dice) -> State:
    count = len(position.seats)
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
