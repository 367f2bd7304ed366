"""Lessons: no hint or act of a pupil waits for what a game leaves to choice."""

import pytest

from bot.jobs import practice
from bot.jobs.values import PictureStyle, StillSettings
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft

LOOK = PictureStyle(
    system="forts", language="en", names={0: "Anna", 1: "the enemy"}, stills=StillSettings(width_px=320)
)


def test_what_needs_no_dice_is_carried_out_while_planning_and_what_needs_them_waits():
    paper = practice.draw_lesson_panel("forts", 0, EMPTY_DRAFT, "to.G7", LOOK)
    assert paper.draft == Draft("BB>G7", "")
    assert not paper.panel.choices.missing_parts
    tokens = {option.token for group in paper.panel.choices.groups for option in group.options}
    assert {"at.FR.1", "at.FR.0", "undo"} <= tokens
    assert not {token for token in tokens if token.startswith("to.")}  # she has moved
    assert not {"end", "look.reach"} & tokens  # for later
    paper = practice.draw_lesson_panel("forts", 0, paper.draft, "at.FR.1", LOOK)
    again = practice.draw_lesson_panel("forts", 0, paper.draft, "at.FR.0", LOOK)
    assert again.draft.text == "BB>G7\nBB*FRx1\nBB*FR"
    back = practice.draw_lesson_panel("forts", 0, Draft("BB>G7"), "undo", LOOK)
    assert {"to.G7"} <= {option.token for group in back.panel.choices.groups for option in group.options}


def test_a_list_of_acts_has_an_end_and_nothing_impossible_is_tried():
    acts = "\n".join(["BB*FRx1"] * practice.MAX_ACTS)
    full = practice.draw_lesson_panel("forts", 0, Draft(f"BB>G7\n{acts}"[: -len("\nBB*FRx1")]), None, LOOK)
    assert not full.panel.choices.groups
    done = practice.try_orders("forts", 0, f"BB>G7\n{acts}", LOOK, "01")  # three shots, and no more
    assert "3 shots" in done.reason
    for nonsense in ("", "GA>E5", "BB>Z99", "nonsense"):
        with pytest.raises(OrderError):
            practice.try_orders("forts", 0, nonsense, LOOK, "01")
        if nonsense:
            with pytest.raises(OrderError):
                practice.draw_lesson_panel("forts", 0, Draft(nonsense), None, LOOK)
