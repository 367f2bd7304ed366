"""Actions, plans and positions: read as they are written, and strict about all else."""

import random
from importlib.resources import files

import pytest

from bot.texts.i18n import Catalogue, Localizer
from rules.core.errors import OrderError
from rules.forts.engine import actions, boards, notation
from rules.forts.engine.boards import BOARDS, TWO_FORTS, all_hexes
from rules.forts.engine.state import CODES, EndOrder, MoveOrder, PlanBlock, ShootOrder, StoredPlan, Target
from rules.forts.interface import plans
from tests.rules.forts.sea_room import position

CONTEXT = plans.PlanContext(position(random.Random(0)), "white", StoredPlan())


def some_actions(rng):
    def one():
        code = rng.choice(CODES)
        if rng.random() < 0.5:
            return MoveOrder(code, rng.choice(list(all_hexes(TWO_FORTS))))
        return ShootOrder(code, tuple(Target(rng.choice(CODES), rng.randrange(10)) for _ in range(rng.randrange(1, 5))))

    return (*(one() for _ in range(rng.randrange(1, 6))), *([EndOrder()] if rng.random() < 0.3 else []))


@pytest.mark.parametrize("seed", range(200))
def test_plans_are_read_as_they_are_written(seed):
    rng = random.Random(seed)
    blocks = tuple(
        PlanBlock(rng.choice(("any", "wind", "calm")), some_actions(rng)) for _ in range(rng.randrange(1, 4))
    )
    plan = StoredPlan(blocks, auto=rng.random() < 0.5)
    assert plans.PLAN_NOTATION.parse_answer(CONTEXT, plans.format_plan(plan)) == plan
    text = plans.format_plan(StoredPlan(blocks))
    assert actions.parse_plan(text, TWO_FORTS) == blocks
    assert actions.parse_plan(text.lower().replace(";", " ;; \t"), TWO_FORTS) == blocks


@pytest.mark.parametrize("seed", range(200))
def test_positions_are_read_as_they_are_written(seed):
    where = position(random.Random(seed))
    assert notation.parse_position(notation.format_position(where)) == where


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("any: BB*GAx1; BB>G4; BB*FR|GA; BR>F6; BR*BB", "any: BB*GAx1; BB>G4; BB*FR|GA; BR>F6; BR*BB"),
        ("szél: bb > g4; vége\nszélcsend: br*bb", "wind: BB>G4; end\ncalm: BR*BB"),
        ("azonnal\nbb>g4", "auto\nany: BB>G4"),
        ("nincs", "none"),
        ("\n\nwind:\nbb*fr x2", "any: BB*FRx2"),
    ],
)
def test_plans_in_the_words_of_captains(text, meant):
    assert plans.format_plan(plans.PLAN_NOTATION.parse_answer(CONTEXT, text)) == meant


@pytest.mark.parametrize(
    "text",
    [
        "BB",
        "BB>",
        "BB>A12",
        "BB>V1",
        "BB>D05",
        "BB*",
        "BB*FRx0",
        "BB*FRx10",
        "BB*FR||GA",
        "BB*FR|",
        "XX>D5",
        "end; end",
    ],
)
def test_what_is_no_action_is_refused(text):
    with pytest.raises(OrderError) as refused:
        actions.parse_actions(text, TWO_FORTS)
    assert refused.value.fault.kind == "unreadable"


@pytest.mark.parametrize(
    "text", ["", "auto", "any:", "BB", "any: BB>G4; BB", "none; BB>G4", "wind: calm: BB>G4", "any: BB>G4\nauto"]
)
def test_what_is_no_plan_is_refused(text):
    with pytest.raises(OrderError) as refused:
        plans.PLAN_NOTATION.parse_answer(CONTEXT, text)
    assert refused.value.fault.kind == "unreadable"


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        (
            "en",
            "The galleon shoots once at the galleon",
            "The battleship shoots 2 times at the frigate and at the brig with all her shots",
        ),
        ("hu", "A galleon lövései: egy a galleonra", "A sorhajó lövései: 2 a fregattra és mind a briggre"),
    ],
)
def test_shots_are_told_in_words(language, one, several):
    """A captain who missed a turn reads what was done for them."""
    words = Localizer(Catalogue.load(language, "forts"))
    assert words.say_text(actions.action_text(ShootOrder("GA", (Target("GA", 1),)))) == one
    assert words.say_text(actions.action_text(ShootOrder("BB", (Target("FR", 2), Target("BR"))))) == several


@pytest.mark.parametrize(("language", "roll"), [("en", "hits on a roll of 2 or more"), ("hu", "2-től talál")])
@pytest.mark.parametrize("key", ["fire.open", "fire.plunging"])
def test_what_a_shot_needs_is_told_as_a_roll(language, roll, key):
    """ "2 or more hits" reads as two hits."""
    said = Localizer(Catalogue.load(language, "forts")).say(key, by="wGA", to="rGA", blockers="G4", need=2)
    assert roll in said


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
