"""Questions in the middle of a turn may be pressed, typed in both languages, or left to a doctrine."""

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.ramspeed.game import RamSpeed

GAME = RamSpeed()
BESIDE = (
    "30x30 open turn=1/2 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @10,8^0 20 ; "
    "S1 T bob spartan @10.3,12^180 20"
)
LASHED = (
    "30x30 open turn=1/2 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; A1 T ann athenian @10,8^0 20 ; "
    "S1 T bob spartan @10.7,8^0 1 ; S2 T bob spartan @24,24^0 20 ; A1-S1"
)
CASES = {
    "swipe": (BESIDE, "A1: swipe S1", {"turn": "fordul", "draw": "behúz", "grapple": "csáklya"}, "draw"),
    "grapple": (BESIDE, "A1: grapple S1", {"turn": "fordul", "stand": "kitart"}, "turn"),
    "slip": (BESIDE, "A1: grapple S1", {"fwd": "előre", "hold": "marad", "turn30L": "fordul 30 balra"}, "fwd"),
    "prize": (LASHED, "done", {"7": "7", "sink": "süllyeszt", "leave": "hagy"}, "5"),
}


def state_and_request(key):
    """Return a game that asks this, and the request."""
    position, line, *_ = CASES[key]
    for number in range(60):
        setup = Setup(system="ramspeed", teams=(0, 1), options={"mode": "asked"}, position=position, missed="hold")
        state = GAME.start(setup, Dice(seed=f"{number:02x}")).state
        for _ in range(4):
            waits = next((request for request in GAME.pending_requests(state) if not request.optional), None)
            if waits is None:
                break
            if waits.params.get("key") == key:
                return state, waits
            default = GAME.default_answer(state, waits)
            if waits.kind == "act" and (waits.seat == 0 or key == "prize"):
                default = GAME.parse_answer(state, waits, line)
            if waits.params.get("key") == "grapple":
                default = GAME.parse_answer(state, waits, "stand")
            state = GAME.resolve(state, {waits.id: default}).state
    raise AssertionError(f"nobody is asked about {key}")


@pytest.mark.parametrize("key", CASES)
def test_a_choice_is_pressed_typed_or_left_to_the_doctrine(key):
    state, request = state_and_request(key)
    *_, words, doctrine = CASES[key]
    choices = GAME.draft_choices(state, request)
    assert choices.missing_parts
    assert all(option.seals_answer for group in choices.groups for option in group.options)
    assert GAME.format_answer(request, GAME.default_answer(state, request)) == doctrine
    for english, hungarian in words.items():
        for typed in (english, hungarian):
            draft = GAME.type_text(state, request, Draft(), typed)
            assert draft.text == english
            assert not GAME.draft_choices(state, request, draft).missing_parts
            assert GAME.resolve(state, {request.id: GAME.parse_answer(state, request, draft.text)}).events
    with pytest.raises(OrderError):
        GAME.type_text(state, request, Draft(), "sing")
