"""Forms of orders: what they show, and what is typed by sending them (MB-3)."""

import pytest

from bot.jobs import drafts, stored
from bot.jobs.values import SubmittedForm
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft
from tests.rules.matchbox.play import GAME, begin
from tests.rules.matchbox.test_courses import after_a_round, asked


def forms(draft=EMPTY_DRAFT, state=None):
    return {form.token: form for form in GAME.draft_choices(*asked(state), draft).forms}


def chosen_tokens(form):
    return [next((entry.token for entry in field.entries if entry.is_chosen), None) for field in form.fields]


def sent(token, *chosen, draft=EMPTY_DRAFT, state=None):
    state, request = asked(state)
    return drafts.fill_form("matchbox", stored.encode(state), request, draft, SubmittedForm(token, chosen)).draft


def test_a_form_shows_what_is_ordered_and_straight_ahead_for_the_rest():
    offered = forms(Draft("A2 LX", "A1"))
    assert chosen_tokens(offered["orders.A1"]) == ["F", "F", "F", "F", "F"]
    assert chosen_tokens(offered["orders.A2"]) == ["L", "X", "F", "F", "F"]
    assert chosen_tokens(offered["orders.A3"]) == ["F", "F", "none", "none", "none"]
    assert [entry.token for entry in offered["orders.A3"].fields[0].entries] == ["F", "L", "R", "ZZ", "none"]  # no mast
    assert [form.token for form in offered.values() if form.is_offered] == ["orders.A1", "courses.1"]
    assert chosen_tokens(offered["courses.1"]) == ["ahead", "keep", "ahead"]


def test_what_is_sent_takes_the_place_of_a_galleys_list_and_leads_on_to_the_next():
    assert sent("orders.A1", "F", "F", "X", "R", "X") == Draft("A1 FFXRX", "A2")
    assert sent("orders.A1", *["none"] * 5, draft=Draft("A1 FFXRX; A3 FF")) == Draft("A3 FF", "A2")
    assert sent("orders.A3", "L", "none", "F", "none", "none", draft=Draft("A1 FFFFF; A2 FFFFX")).focus == "A3"
    assert sent("orders.A1", "ZZ", "none", "F", "F", "F").text == "A1 ZZFFF"
    again = Draft("A1 ZZ(2-4)FFF")
    assert chosen_tokens(forms(again)["orders.A1"]) == ["ZZ", "F", "F", "F", "none"]
    assert sent("orders.A1", "ZZ", "F", "F", "X", "none", draft=again).text == "A1 ZZ(2-4)FFX"


def test_a_form_orders_five_galleys_at_once():
    assert sent("courses.1", "hard_port", "ahead", "keep").text == "A1 LLFFF; A2 FFFFX"
    with pytest.raises(OrderError, match="nothing_chosen"):
        sent("courses.1", "keep", "keep", "keep", draft=Draft("A1 FFFFF", "A2"))
    state = after_a_round()
    assert sent("courses.1", "again", "keep", "ahead", state=state).text.startswith("A1 FFXRX; A3 ")


@pytest.mark.parametrize(
    ("token", "chosen", "code"),
    [
        ("orders.A1", ("F", "F", "F", "F", "ZZ"), "too_many_orders"),
        ("orders.A2", ("X", "X", "X", "X", "Q"), "no_such_option"),
        ("orders.A1", ("F", "F"), "no_such_option"),
        ("orders.B1", ("F",) * 5, "no_such_option"),
        ("courses.2", ("ahead",) * 5, "no_such_option"),
        ("courses.1", ("again", "ahead", "ahead"), "no_such_option"),
        ("", (), "no_such_option"),
    ],
)
def test_what_cannot_be_is_refused(token, chosen, code):
    with pytest.raises(OrderError) as error:
        sent(token, *chosen)
    assert error.value.fault.code == code


def test_a_form_holds_five_galleys_and_no_more():
    fleet = " ; ".join(f"A{n}:south 5-5+3/5 @{100 * n},100^0" for n in range(1, 17))
    state = begin(position=f"2400x1000 ; {fleet} ; B1:north 5-5+3/5 @300,900^180").state
    all_forms = [
        form
        for form in GAME.draft_choices(state, GAME.pending_requests(state)[0], EMPTY_DRAFT).forms
        if form.is_offered
    ]
    assert [len(form.fields) for form in all_forms] == [5, 5, 5, 5, 1]
    assert "courses.1" not in {
        form.token for form in GAME.draft_choices(*asked(begin(position=f"{ALONE}").state), EMPTY_DRAFT).forms
    }


ALONE = "900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @450,520^180"
