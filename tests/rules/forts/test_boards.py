"""The boards that can be chosen are the files in the data folder, and are playable."""

import pytest

from data import file
from rules.errors import OrderError
from rules.forts import boards
from rules.forts.boards import BOARDS, TWO_FORTS


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_is_what_its_file_says(name):
    text = file("forts", f"{name}.toml").read_text(encoding="utf-8")
    assert boards.load(text) == BOARDS[name]


def test_every_file_is_a_board_that_can_be_chosen():
    names = {entry.name.removesuffix(".toml") for entry in file("forts").iterdir() if entry.name.endswith(".toml")}
    assert names == set(BOARDS)


@pytest.mark.parametrize("label", boards.all_hexes(TWO_FORTS))
def test_a_half_turn_twice_is_none(label):
    assert boards.half_turn(TWO_FORTS, boards.half_turn(TWO_FORTS, label)) == label


@pytest.mark.parametrize("text", ["", "id = ", "id = 3", "[west]", 'id = "x"\nwest = 3'])
def test_what_is_no_board_is_refused_by_name(text):
    with pytest.raises(OrderError) as refused:
        boards.load(text)
    assert refused.value.fault.code == "bad_board"
    assert refused.value.fault.piece
