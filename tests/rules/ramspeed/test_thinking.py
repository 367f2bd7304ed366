"""The admiral's search is counted, and no larger for a large fleet than for a small one."""

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.ramspeed import GAME
from rules.ramspeed.ai import admiral


@pytest.mark.parametrize("afloat", [2, 12, 30, 40, 41, 60])
def test_a_large_fleet_is_thought_about_no_longer_than_a_small_one(afloat):
    samples, turns = admiral.trial_budget(afloat)
    both_sheets = 2 * samples
    assert both_sheets < turns
    assert max(turns, both_sheets) * afloat <= admiral.TURN_BUDGET
    if afloat > 40:  # each ship takes longer where there are many
        assert turns * afloat**2 <= admiral.TURN_BUDGET * 40


@pytest.mark.parametrize("turns", [20, 40])
def test_turns_are_carried_out_as_often_as_they_are_counted(monkeypatch, turns):
    counted, afloat = [], []

    def trials(ships):
        afloat.append(ships)
        return 4, turns

    def carried_out(_search, _sheet, samples):
        counted.extend(samples)
        return [0.0 for _ in samples]

    monkeypatch.setattr(admiral, "trial_budget", trials)
    monkeypatch.setattr(admiral._SheetSearch, "_sheet_values", carried_out)
    state = GAME.start(Setup(system="ramspeed", teams=(0, 1), options={"sides": "first"}), Dice("5eed")).state
    player = state.position.players[0]
    admiral.choose_lines(state.position, player, "5eed")
    assert afloat == [sum(ship.is_afloat for ship in state.position.ships)]
    assert turns <= len(counted) < turns + 4
