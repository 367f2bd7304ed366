"""The admiral's search is counted, and no larger for a large fleet than for a small one."""

import random

import numpy as np

from rules.matchbox.ai import admiral, many_rounds
from rules.matchbox.ai.battle import split_groups
from rules.matchbox.interface.opening import OPTIONS
from tests.rules.matchbox.play import GAME, begin
from tests.rules.matchbox.sea_room import fleet

MOST_GALLEYS = max(int(value) for option in OPTIONS if option.key == "galleys" for value in option.values)
"""That one captain has."""
FEW_OARS = "1200x800 ; A1:south 2-2+1/5 @600,300^0 ; B1:north 2-2+1/5 @600,480^180"
FOES = 3
"""Enemies that a group minds."""


def rounds(effort: admiral.SearchEffort, mine: int, foes: int) -> int:
    """Return the most simulated rounds for a group of `mine` galleys and the `foes` that it minds."""
    known = [effort.first_orders + 4 * search for search in range(effort.search_count + 1)]
    replies = sum(party * effort.lists_tried[party > 1] for party in (mine, foes)) * effort.enemy_orders
    second_round = effort.deep_orders**2 * (1 + len(admiral._SECOND_ROUND_LISTS) ** 2)
    return sum(each**2 for each in known) + effort.search_count * replies + second_round + 10 * effort.deep_orders


def test_a_large_fleet_is_thought_about_no_longer_than_two_groups_of_a_small_one():
    most = 2 * rounds(admiral.effort_for(1), 2, FOES)
    for galleys in range(1, MOST_GALLEYS + 1):
        parts = len(split_groups(fleet(random.Random(1), galleys)))
        assert parts * rounds(admiral.effort_for(parts), 2, FOES) <= most


def test_rounds_are_simulated_as_often_as_they_are_counted(monkeypatch):
    simulated, real = [], many_rounds.run_rounds

    def counted(start, *rest):
        simulated.append(start.x.shape[1])
        return real(start, *rest)

    monkeypatch.setattr(many_rounds, "run_rounds", counted)
    state = begin(position=FEW_OARS, captain="admiral").state
    admiral.choose_fleet_orders(GAME.view(state, 0), 0, np.random.default_rng(1))
    assert 0 < sum(simulated) <= rounds(admiral.effort_for(1), 1, 1)
