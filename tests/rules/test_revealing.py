"""Revelations of a step, whatever caused it: dice that fell, and what was carried out without an answer."""

from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.protocol import Event, Request, Step
from rules.core.revealing import is_revealing

ASKED = (Request(id="r1.orders.0", seat=0, kind="orders", round=1),)
_, THROWN = Dice(seed="5eed").draw_block()


class State(Struct, frozen=True):
    dice: Dice = Dice(seed="5eed")


class Shown(Event, frozen=True):
    """An event that nobody could know before."""


class Followed(Event, frozen=True):
    """An event that follows from giving up alone."""

    may_reveal = False


def revealed(step: Step, answered_ids: tuple[str, ...] = ()) -> bool:
    return is_revealing(State(), step, pending_before=ASKED, pending=ASKED, answered_ids=answered_ids)


def test_dice_that_fell_are_revealed_also_by_giving_up_and_in_secret() -> None:
    assert revealed(Step(State(dice=THROWN), ()))
    assert not revealed(Step(State(), ()))


def test_what_giving_up_sets_going_is_revealed_unless_it_follows_from_that_alone() -> None:
    assert revealed(Step(State(), (Shown(),)))
    assert not revealed(Step(State(), (Followed(),)))


def test_answers_that_were_waited_for_reveal_themselves() -> None:
    assert revealed(Step(State(), ()), answered_ids=("r1.orders.0",))
