"""Promises of hints: deeds are counted over turns, in any game."""

from rules.ai.odds import ExpectedAttack, count_attacks, odds_sentences

RAM, SHOT, ENEMYS = (
    ExpectedAttack("ram", "A1", "S1"),
    ExpectedAttack("shot", "A2", "S1"),
    ExpectedAttack("ram", "S1", "A1"),
)
TURNS = [
    [(RAM, False), (RAM, True), (ENEMYS, True)],  # its result was known later
    [(RAM, False)],
    [(SHOT, True)],
    [],
]


def test_a_deed_counts_once_a_turn_with_the_last_that_is_known_of_it():
    counts = count_attacks(TURNS, {"A1", "A2"})
    assert counts.frequency == {RAM: 0.5, SHOT: 0.25}
    assert counts.harm_frequency == {RAM: 0.25, SHOT: 0.25}


def test_the_attack_from_which_most_is_to_be_hoped_is_told_and_no_shot():
    (text,) = odds_sentences(count_attacks(TURNS, {"A1", "A2"}), shot_kind="shot")
    assert (text.key, text.params) == ("promise.ram", {"ship": "A1", "to": "S1", "done": 0.5, "told": 0.25})
    assert odds_sentences(count_attacks(TURNS, {"A2"}), shot_kind="shot") == ()
    assert odds_sentences(count_attacks([], {"A1"}), shot_kind="shot") == ()


def test_the_attack_that_a_hint_names_is_told_if_it_was_ever_possible():
    other = ExpectedAttack("ram", "A2", "S1")
    counts = count_attacks([[(RAM, True), (other, False)]], {"A1", "A2"})
    (text,) = odds_sentences(counts, shot_kind="shot", named=other)
    assert text.params == {"ship": "A2", "to": "S1", "done": 1.0, "told": 0.0}
    (text,) = odds_sentences(counts, shot_kind="shot", named=ExpectedAttack("ram", "A2", "S2"))
    assert text.params["ship"] == "A1"


def test_an_attack_is_possible_if_its_ship_ever_got_to_attack_its_target_otherwise_than_by_a_shot():
    counts = count_attacks(TURNS, {"A1", "A2"})
    assert counts.is_possible("A1", "S1", shot_kind="shot")
    assert not counts.is_possible("A2", "S1", shot_kind="shot")
    assert not counts.is_possible("A1", "S2", shot_kind="shot")


def test_a_shot_is_vain_that_hardly_ever_finds_anybody():
    often = count_attacks([[(SHOT, True)]] + [[]] * 9, {"A2"})
    assert not often.rarely_hits(SHOT)
    assert count_attacks([[(SHOT, True)]] + [[]] * 10, {"A2"}).rarely_hits(SHOT)
    assert often.rarely_hits(RAM)
