"""Panels in a player-turn: ships that can do something, and forms for several."""

import pytest

from bot.jobs import drafts, stored
from bot.jobs.values import SubmittedForm
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft
from rules.core.view import Text
from rules.forts import GAME

RED = "rBB@R5 0 ; rGA@R6 0 ; rFR@S5 0 ; rBR@S7 0"
SHIPS = "wBB@H5 0 s3{m} ; wGA@H6 0 s2{m} ; wFR@H7 0 s1{m} ; wBR@H8 0 s1{m}"
FAR = f"open_water 3 white {{wind}} - 0 white=west BB/BB ; {SHIPS} ; {RED}"
NEAR = f"open_water 3 white wind - 0 white=west BB/BB ; {SHIPS} ; rBB@J5 0 ; rGA@J6 0 ; rFR@S5 0 ; rBR@S7 0"


def state_and_request(text):
    state = GAME.state_at(text)
    return state, next(request for request in GAME.pending_requests(state) if request.kind == "act")


def ships(text, draft=EMPTY_DRAFT):
    """Return for each ship's button if it can be pressed; and the chosen ship."""
    (group,) = [group for group in GAME.draft_choices(*state_and_request(text), draft).groups if group.key == "ship"]
    able = {o.token.removeprefix("ship."): o.fault is None for o in group.options}
    return able, [o.token.removeprefix("ship.") for o in group.options if o.is_chosen]


def forms(text):
    return {form.token: form for form in GAME.draft_choices(*state_and_request(text), EMPTY_DRAFT).forms}


def sent(text, token, *chosen):
    state, request = state_and_request(text)
    return drafts.fill_form("forts", stored.encode(state), request, EMPTY_DRAFT, SubmittedForm(token, chosen))


def test_ships_that_can_do_nothing_more_cannot_be_chosen():
    every = dict.fromkeys(("BB", "GA", "FR", "BR"), True)
    assert ships(FAR.format(wind="wind", m="")) == (every, ["BB"])
    calm = GAME.draft_choices(
        *state_and_request(FAR.format(wind="calm", m=""))
    )  # she alone sails: nobody else is there to be chosen
    assert [group.key for group in calm.groups if group.style == "select"] == ["sail"]
    assert "ship" not in [group.key for group in calm.groups]
    assert calm.lines[-1] == Text("line.only", {"ship": "BR"})
    choices = GAME.draft_choices(*state_and_request(FAR.format(wind="wind", m=" m")))
    assert "ship" not in [group.key for group in choices.groups]  # nothing is left but to end the turn
    assert [text.key for text in choices.missing_parts] == ["missing.end"]
    assert ships(NEAR.format(m=" m"))[0]["BB"]  # she has moved, and may still shoot
    assert ships(FAR.format(wind="wind", m=""), Draft(focus="FR"))[1] == ["FR"]


def test_the_ship_that_has_just_sailed_is_asked_first_if_she_can_shoot():
    state, request = state_and_request(NEAR.format(m=""))
    state = GAME.resolve(state, {request.id: GAME.parse_answer(state, request, "GA>I6")}).state
    (request, *_) = GAME.pending_requests(state)
    assert GAME.view(state, request.seat).current_ship == "wGA"
    (ship,) = [group for group in GAME.draft_choices(state, request).groups if group.key == "ship"]
    assert [option.token for option in ship.options if option.is_chosen] == ["ship.GA"]


def test_all_ships_are_ordered_in_one_form_with_a_list_for_each():
    text = FAR.format(wind="wind", m="")
    form = forms(text)["turn"]
    assert [entry.token for field in form.fields for entry in field.entries if entry.is_chosen] == [
        *["stay"] * 4,
        "end",
    ]
    # Of more hexes than a list holds, those nearest to an enemy.
    assert [len(field.entries) for field in form.fields] == [25, 25, 25, 25, 2]
    battleship, frigate = form.fields[0].entries[-1], form.fields[2].entries[-2]
    worked = sent(text, "turn", battleship.token, "stay", frigate.token, "stay", "end")
    assert worked.answer == f"{battleship.text}; {frigate.text}; end"  # carried out at once, as if it were typed
    first, second = ({entry.token for entry in field.entries} - {"stay"} for field in form.fields[:2])
    common = min(first & second)
    with pytest.raises(OrderError) as error:
        sent(text, "turn", common, common, "stay", "stay", "on")
    assert error.value.fault.rule.startswith("NB-04")
    with pytest.raises(OrderError, match="nothing_chosen"):
        sent(text, "turn", "stay", "stay", "stay", "stay", "on")
    assert forms(FAR.format(wind="calm", m="")) == {}


def test_a_ships_list_has_her_shots_and_hexes_from_which_she_can_shoot():
    text = NEAR.format(m="")
    battleship = forms(text)["turn"].fields[0]
    written = {entry.token: entry.text for entry in battleship.entries}
    assert written["at.BB.1"] == "BB*BBx1"
    assert written["at.GA.0"] == "BB*GA"
    assert written["to.I5"] == "BB>I5; BB*BB"
    chosen = [field.entries[1].token for field in forms(text)["turn"].fields[:-1]]
    worked = sent(text, "turn", *chosen, "end")
    assert worked.answer
    assert worked.answer.endswith("; end")
