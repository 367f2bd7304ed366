"""Whole games come out as they did; `python -m tests.playthroughs.regenerate` if they are meant to change."""

import pytest

from tests.playthroughs.telling import golden, read, scripts, tell

KILOBYTES = 100
SCRIPTS = [pytest.param(name, marks=pytest.mark.game(read(name).setup.system)) for name in scripts()]


@pytest.mark.parametrize("name", SCRIPTS)
def test_playthrough(name):
    text = tell(read(name))
    before = golden(name).read_text(encoding="utf-8").splitlines()
    assert text.splitlines() == before, "if this is meant, run make playthroughs"


@pytest.mark.parametrize("name", SCRIPTS)
def test_playthroughs_are_whole_and_short_enough_to_be_read(name):
    text = golden(name).read_text(encoding="utf-8")
    assert len(text.encode()) <= KILOBYTES * 1000
    assert text.splitlines()[-1].startswith("result ")
    assert "is refused" not in text


def test_the_playthroughs_between_them_show_all_that_a_game_may_be():
    texts = [golden(name).read_text(encoding="utf-8") for name in scripts()]
    assert len(texts) >= 5
    assert {path.stem for path in golden("x").parent.glob("*.txt")} == set(scripts())
    for sight in (
        " live: target",
        " live: aim",
        " live: casualties",
        " live: reorganize",
        "deployment: sealed",
        "teams=[0, 0, 0, 1, 1, 1]",
        "act seat=",
        "GameWon",
        "GameDrawn",
        " by the deadline",
        " open: place",
    ):
        assert any(sight in text for text in texts), sight
