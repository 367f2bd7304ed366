"""Games with every option: setups that between them have each value of each option, or each pair of values."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from rules.chance import fairness
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Request, Setup, Step
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from tests.laws.length import LONG
from tests.laws.play import SYSTEMS, asked
from tests.samples import sample_answers

MISSED = "missed"
"""The option that says who answers for a late captain: no option of a game's own, but chosen in the lobby, too."""
TRIES = 200
"""Setups that are tried for values that don't go together, before they count as what no game can have."""
SEED = "5ea1" * 16
Values = frozenset[tuple[str, str]]
"""Values of options, by key."""


class Moment(NamedTuple):
    rules: Ruleset[Any]
    setup: Setup
    state: Any
    asked: tuple[Request, ...]
    samples: Mapping[str, Sequence[Any]]
    """Answers to each request, by its id."""


@cache
def setups(system: str) -> tuple[Setup, ...]:
    """Return setups of a game that between them have each value of each option; in the long run each pair of values.

    Setups that begin no game, such as those with more captains than leaders, are left out.
    """
    rules, rng = RULESETS[system], random.Random(system)
    offered = {MISSED: ("mate", "hold"), **{option.key: option.values for option in rules.options}}
    every = [(key, value) for key, values in offered.items() for value in values]
    wanted = {frozenset(some) for some in combinations(every, 2) if some[0][0] != some[1][0]} if LONG else set()
    wanted |= {frozenset([value]) for value in every}
    all_setups: list[Setup] = []
    while wanted:
        some = min(wanted, key=sorted)
        wanted.discard(some)
        if best := _best(rules, offered, some, wanted, rng):
            all_setups.append(_setup(rules, best))
            wanted = {values for values in wanted if not values <= best.items()}
        else:
            assert len(some) > 1, f"no game of {system} begins with {dict(some)}"
    return tuple(all_setups)


def _best(
    rules: Ruleset[Any], offered: Mapping[str, tuple[str, ...]], some: Values, wanted: set[Values], rng: random.Random
) -> dict[str, str] | None:
    """Return the chosen values with most of what is wanted, of equals those that come first in a list; or None."""

    def worth(chosen: dict[str, str]) -> tuple[int, int]:
        small = -sum(offered[key].index(value) for key, value in chosen.items())
        return sum(values <= chosen.items() for values in wanted), small

    tried = [{**{key: rng.choice(values) for key, values in offered.items()}, **dict(some)} for _ in range(TRIES)]
    return next((values for values in sorted(tried, key=worth, reverse=True) if _begins(rules, values)), None)


def _begins(rules: Ruleset[Any], chosen: Mapping[str, str]) -> bool:
    setup = _setup(rules, chosen)
    try:
        rules.start(setup, Dice(seed=SEED))
        rules.check_setup(setup)
    except OrderError:
        return False
    return True


def _setup(rules: Ruleset[Any], chosen: Mapping[str, str]) -> Setup:
    options = {key: value for key, value in chosen.items() if key != MISSED}
    return Setup(system=rules.name, teams=rules.seats(options), options=options, missed=chosen[MISSED])  # type: ignore[arg-type]


def begun(setup: Setup) -> Step:
    """Return the first step of a game."""
    seed = fairness.derive_dice_seed(SEED, (None,) * len(setup.teams))
    return RULESETS[setup.system].start(setup, Dice(seed=seed))


def walk(setup: Setup, rng: random.Random, *, steps: int, each: int) -> Iterator[Moment]:
    """Yield moments of a game's first steps, with each kind of request at most `each` times.

    The last sample is answered most often: where there is much to order it orders nothing, and so leads to questions.
    """
    rules, state, seen = RULESETS[setup.system], begun(setup).state, Counter[str]()
    for _ in range(steps):
        requests = asked(rules, state)
        if not requests:
            return
        samples = {request.id: sample_answers(rules, state, request) for request in requests}
        kinds = {request.kind for request in requests}
        if any(seen[kind] < each for kind in kinds):
            seen.update(kinds)
            yield Moment(rules, setup, state, requests, samples)
        state = rules.resolve(
            state, {key: rng.choice((rng.choice(some), some[-1])) for key, some in samples.items()}
        ).state


def games() -> list[tuple[str, int]]:
    """Name all setups, for `parametrize`."""
    return [(system, number) for system in SYSTEMS for number in range(len(setups(system)))]
