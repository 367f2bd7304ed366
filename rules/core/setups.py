"""The part of a ruleset that a lobby uses: options, seats, scenarios, and the setups that are allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import UNSET, structs

from rules.core.errors import IllegalOrder, decode_checked
from rules.core.protocol import CAPTAINS_OPTION, Event, OptionSpec, Setup

T = TypeVar("T")


class SetupRules:
    name: str  # name of the game, as in `Setup.system`
    edition: int = 1  # the current edition of the rules. Games of earlier ones are played on by their own.
    options: tuple[OptionSpec, ...] = ()  # what a lobby may choose
    first_game_options: Mapping[str, str] | None = None
    """Options of a beginner's game against the computer, with defaults for missing ones; None: no such game."""
    first_game_teaches: bool = False
    """Whether that game explains the rules turn by turn. Then each newcomer's game against the computer is one."""
    accepts_scenario: bool = False  # whether a host may provide a scenario
    example_scenario: str = ""  # text of the scenario that is used if the host provides none
    chart_options: tuple[str, ...] = ()
    """Options that, with the host's scenario, determine a lobby's chart; empty: no chart."""

    def seats(self, options: Mapping[str, str], /) -> tuple[int, ...]:
        """Return the team of each seat. The option `captains` sets the number of seats for each side, by default 1."""
        return tuple(seat % 2 for seat in range(2 * int(options.get(CAPTAINS_OPTION, "1"))))

    def with_dependent_options(self, options: Mapping[str, str], key: str, /) -> dict[str, str]:  # noqa: ARG002 - see below
        """Return the options with those that follow from a new choice of `key`. By default nothing follows."""
        return dict(options)

    def is_uneven(self, options: Mapping[str, str], /) -> bool:  # noqa: ARG002 - see below
        """Return whether one side has the better chances, so that people play a match. By default sides are even."""
        return False

    def lots_of(self, setup: Setup, start_events: Sequence[Event], /) -> dict[str, int]:  # noqa: ARG002 - see below
        """Return the lots by which a game gave sides to teams, for `Setup.lots`. By default a game draws none."""
        return {}

    def relevant_options(self, options: Mapping[str, str], /) -> tuple[OptionSpec, ...]:  # noqa: ARG002 - see below
        """Return the options that have an effect with these values. By default all of them."""
        return self.options

    def option_values(self, setup: Setup, rule: str, /) -> dict[str, str]:
        """Return the value of every option of a setup by key, with defaults for missing ones.

        Raises `IllegalOrder` with `rule` for an unknown option or value, or for teams that differ from `seats`.
        """
        options = OptionSpec.chosen_values(self.options, setup.options, rule)
        if setup.teams != (teams := self.seats(options)):
            raise IllegalOrder(
                "bad_teams", rule, piece=" ".join(map(str, setup.teams)), most=max(map(teams.count, (0, 1)))
            )
        return options

    def parse_scenario(self, setup: Setup, kind: type[T], /) -> T:
        """Return the setup's scenario, or the game's example, decoded from TOML into `kind`.

        Raises `UnreadableOrder` with the code `bad_toml`.
        """
        text = self.example_scenario if setup.scenario is UNSET else setup.scenario
        return decode_checked(text, kind, "toml", "bad_toml")

    def check_setup(self, setup: Setup, /) -> None:
        """Check whether a new game may begin with this setup. By default every setup that `start` accepts is allowed.

        Raises `OrderError` for a setup that is only accepted in older games, so that these can still be verified.
        """

    def with_edition(self, setup: Setup, /) -> Setup:
        """Return the setup for a new game: the current edition, and its values in place of former ones."""
        former_values = {spec.key: spec.former_values for spec in self.options}
        options = {}
        for key, value in setup.options.items():
            replacements = former_values.get(key, {})
            options[key] = replacements.get(value, value)
        return structs.replace(setup, options=options, edition=self.edition if self.edition > 1 else UNSET)

    def check_edition(self, setup: Setup, /) -> None:
        """Raise `ValueError` for a setup of a later edition than this version of the game knows."""
        if (setup.edition or 1) > self.edition:
            raise ValueError(f"{self.name} has {self.edition} editions, but the game is of edition {setup.edition}")
