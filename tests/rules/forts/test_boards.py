"""The boards that can be chosen are the files beside the rules, and are playable."""

from importlib.resources import files

import pytest

from rules.core.errors import OrderError
from rules.forts.engine import boards
from rules.forts.engine.boards import BOARDS, TWO_FORTS


def test_every_file_is_a_board_that_can_be_chosen():
    folder = files("rules.forts.engine").joinpath("data")
    assert {entry.name for entry in folder.iterdir()} == {f"{name}.toml" for name in BOARDS}
    assert [name for name, board in BOARDS.items() if board.id != name] == []


@pytest.mark.parametrize("label", boards.all_hexes(TWO_FORTS))
def test_a_half_turn_twice_is_none(label):
    assert boards.opposite_hex(TWO_FORTS, boards.opposite_hex(TWO_FORTS, label)) == label


@pytest.mark.parametrize("text", ["", "id = ", "id = 3", "[west]", 'id = "x"\nwest = 3'])
def test_what_is_no_board_is_refused_by_name(text):
    with pytest.raises(OrderError) as refused:
        boards.load_board(text)
    assert refused.value.fault.code == "bad_board"
    assert refused.value.fault.piece
