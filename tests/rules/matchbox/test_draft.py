"""Writing orders: pressing and typing (MB-3)."""

import pytest
from msgspec import structs

from bot.texts.i18n import Catalogue, Localizer
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Concede, Draft
from rules.matchbox.engine.state import FleetOrders, OrderList, StandingOrders
from tests.rules.matchbox.play import FACING, GAME, begin

TWO = (
    "1200x800 ; A1:south 6-6+2/6 @300,100^0 ; A2:south 6-2+1/6 @600,100^0"
    " ; B1:north 5-5+3/5 @300,700^180 ; B2:north 4-4+4/4 @600,700^180"
)
ALLIES = (
    "1200x800 ; A1:south 6-6+2/6 @300,100^0 ; C1:south 6-6+2/6 @600,100^0"
    " ; B1:north 5-5+3/5 @300,700^180 ; D1:north 4-4+4/4 @600,700^180"
)


WORDS = Localizer(Catalogue.load("en", "matchbox"))


def writing(position=TWO, **more):
    """Return a state and seat 0's request for orders."""
    state = begin(position=position, **more).state
    return state, GAME.pending_requests(state)[0]


def as_draft(draft):
    return draft if isinstance(draft, Draft) else Draft(draft)


def amended(text, draft="", **more):
    return GAME.type_text(*writing(**more), as_draft(draft), text).text


def refused(text, draft="", **more):
    with pytest.raises(OrderError) as error:
        amended(text, draft, **more)
    return error.value.fault


def options_of(draft, **more):
    return {
        option.token: option
        for group in GAME.draft_choices(*writing(**more), as_draft(draft)).groups
        for option in group.options
    }


def pressed(draft, *tokens, **more):
    for token in tokens:
        option = options_of(draft, **more)[token]
        assert option.fault is None, option
        draft = Draft(option.draft, option.focus)
    return draft.text


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        ("A1 FFXRX; A2 FFX", "A1 FFXRX; A2 FFX"),
        ("a1 ffxrx\na2 ffx", "A1 FFXRX; A2 FFX"),
        ("A1: F,F X-R x, A2: f f x", "A1 FFXRX; A2 FFX"),
        ("A1FFXRX A2 FFX", "A1 FFXRX; A2 FFX"),
        ("A2 eex; a1 etebj", "A1 FXFLR; A2 FFX"),
        ("A2 AA (4-2) ET", "A2 ZZ(4-2)FX"),
        ("A2 zz(4–4)fx", "A2 ZZ(4-4)FX"),
        ("FFXRX", "A1 FFXRX"),
        ("A2", ""),
        ("aim safe", "aim safe"),
        ("célzás: biztonságos", "aim safe"),
        ("celzas biztonsagos", "aim safe"),
        ("cél leggyengébb; VESZTESÉG = harcos", "target weakest; casualties fighting"),
        ("Átrendezés: kérdezz", "reorganize ask"),
        ("target b2", "target B2"),
        ("aim safe; aim steady", ""),
        ("", ""),
        (" ;; \n ", ""),
    ],
)
def test_typed_text(text, draft):  # MB-3.10
    assert amended(text) == draft
    assert amended(draft) == draft


def test_typing_keeps_what_it_does_not_mention():
    draft = amended("A1 FFXRX; A2 F; aim safe; target weakest")
    assert amended("A2 FFX", draft) == "A1 FFXRX; A2 FFX; target weakest; aim safe"
    assert amended("A1 FFFFF", draft) == "A1 FFFFF; A2 F; target weakest; aim safe"
    assert amended("aim ask", draft) == "A1 FFXRX; A2 F; target weakest; aim ask"
    assert amended("aim steady", draft) == "A1 FFXRX; A2 F; target weakest"


def test_a_typed_list_is_filled_up_with_fire_where_she_has_no_other_choice_and_says_so():  # MB-3.7
    state, request = writing()
    draft = amended("A1 FFXRX; A2 FF")  # two moves and one mast are all that A2 has
    assert draft == "A1 FFXRX; A2 FFX (not FF)"
    assert amended(draft) == amended("aim steady", draft) == draft
    line = GAME.draft_choices(state, request, Draft(draft)).lines[1]
    assert (line.key, line.params["added"]) == ("line.orders.filled", "X")
    assert amended("A2 LRX", draft) == "A1 FFXRX; A2 LRX"
    assert GAME.format_answer(request, GAME.parse_answer(state, request, draft)).startswith("A1 FFXRX; A2 FFX; ")
    # What is pressed is not: the next press may be another order.
    assert pressed(Draft("A1 FFXRX; A2 F", "A2"), "order.F") == "A1 FFXRX; A2 FF"


def test_one_press_gives_her_all_the_fire_that_she_still_needs():  # MB-3.7
    def draft(text):
        return {key: option.draft for key, option in options_of(f"A1 {text}", position=lame).items()}

    lame = "1200x800 ; A1:south 2-2+4/4 @300,100^0 ; B1:north 5-5+3/5 @300,700^180"

    assert draft("FXR")["order.rest"] == "A1 FXRXX"
    assert not {"order.rest"} & {*draft("FX"), *draft("FXRX"), *draft("FXRXX")}, "she may move, or one press is enough"


def test_orders_without_a_name_are_for_the_current_galley():
    assert amended("FFX", "A1 FFXRX; A2") == "A1 FFXRX; A2 FFX"
    assert amended("FFXRX", "A2 FFX; A1") == "A1 FFXRX; A2 FFX"
    assert amended("FFX", Draft("A1 FFXRX", "A2")) == "A1 FFXRX; A2 FFX"


def test_looking_at_a_galley_changes_no_orders():
    state, request = writing()
    before = Draft("A1 FFXRX; A2 FFX; aim safe")
    for galley, slots in (("A1", "FFXRX"), ("A2", "FFX")):
        option = options_of(before)[f"galley.{galley}"]
        assert (option.draft, option.focus) == (before.text, galley)
        assert GAME.view(state, 0, Draft(option.draft, option.focus)).current_galley == galley
        shorter = before.text.replace(f"{galley} {slots}", f"{galley} {slots[:-1]}")
        assert pressed(Draft(option.draft, option.focus), "order.back") == shorter
    assert not GAME.view(state, 0, before).current_galley, "a hint for all is a picture of all"
    assert GAME.view(state, 0, Draft("A1 FFXRX")).current_galley == "A1"
    assert GAME.type_text(state, request, before, "A1").focus == "A1"
    taken = GAME.type_text(state, request, Draft("A1 F", "A1+reach"), before.text)
    assert not GAME.view(state, 0, taken).current_galley, "so is a hint that was taken"
    assert GAME.view(state, 0, taken).reaches, "and what else was looked at stays"


def test_a_short_list_may_be_typed_but_not_sealed():  # MB-3.7
    state, request = writing()
    draft = amended("A1 FFF; A2 FFX")
    missing = GAME.draft_choices(state, request, Draft(draft)).missing_parts
    counts = {"more": 2, "moves": 2, "shots": 0}
    assert [(text.key, text.params) for text in missing] == [("missing.orders", {"galley": "A1", **counts})]
    with pytest.raises(OrderError) as error:
        GAME.parse_answer(state, request, draft)
    assert (error.value.fault.rule, error.value.fault.piece) == ("MB-3.7", "A1 FFF")
    assert GAME.draft_choices(state, request, Draft("A1 FFFFF; A2 FFX")).missing_parts == ()


@pytest.mark.parametrize(
    ("ship", "draft", "said"),
    [
        ("3-3+1/4", "", "A1: 4 orders (her oars allow 3, her masts 1)"),
        ("2-3+0/4", "", "A1: 2 orders (her oars allow no more)"),
        ("5-5+0/5", "", "A1: 5 orders"),
        ("3-3+1/4", "FF", "A1: 2 orders"),
        # She has no matches left to move rowers.
        ("3-3+1/4", "FFF", "A1: 1 more order (X, in case an enemy comes near)"),
        ("2-2+1/4", "FF", "A1: 1 more order (X or ZZ)"),
        ("3-3+1/4", "XFZZ", "A1: 1 more order (F, L or R)"),
        ("3-3+1/6", "XF", "A1: 2 more orders (F, L, R or ZZ)"),
    ],
)
def test_what_is_missing_is_said_with_the_orders_that_are_still_possible(ship, draft, said):
    """Oars or masts may be spent: "A1: 1 order" alone leaves captains to guess which."""
    state, request = writing(f"1200x800 ; A1:south {ship} @300,100^0 ; B1:north 5-5+3/5 @300,700^180")
    (missing,) = GAME.draft_choices(state, request, Draft(f"A1 {draft}")).missing_parts
    assert WORDS.say_text(missing) == said


def test_of_several_galleys_without_any_orders_it_is_said_whose_are_missing():
    rows = "".join(f" ; A{n}:south 5-5+3/5 @{n * 150},100^0" for n in range(1, 6))
    state, request = writing(f"1200x800{rows} ; B1:north 5-5+3/5 @300,700^180")
    choices = GAME.draft_choices(state, request, Draft("A2 FF"))
    assert [WORDS.say_text(text) for text in choices.missing_parts] == ["A2: 3 orders", "orders for A1, A3–A5"]
    assert choices.progress.params == {"ordered": 0, "galleys": 5}


def test_a_galley_without_masts_is_told_that_she_has_none():
    state, request = writing("1200x800 ; A1:south 3-3+0/6 @300,100^0 ; B1:north 5-5+3/5 @300,700^180")
    options = {
        option.token: option
        for group in GAME.draft_choices(state, request, EMPTY_DRAFT).groups
        for option in group.options
    }
    assert WORDS.short_fault_text(options["order.X"].fault) == "She has no masts to fire with."


@pytest.mark.parametrize(
    ("text", "kind", "code", "rule"),
    [
        ("A1 FFFFFF", "illegal", "too_many_orders", "MB-3.3"),
        ("A1 FFG", "illegal", "no_boarding", "MX-3.1"),
        ("A2 FFF", "illegal", "too_many_moves", "MB-3.4"),
        ("A1 XXX", "illegal", "too_much_fire", "MB-3.5"),
        ("A1 ZZFFFQ", "unreadable", "unknown_order", ""),
        ("A1 🔥🔥", "unreadable", "unknown_order", ""),
        ("A1 FZF", "unreadable", "lone_z", ""),
        ("A1 ZZ(4:2)", "unreadable", "bad_wish", ""),
        ("nonsense " * 444, "unreadable", "text_too_long", ""),
        ("A9 FFF", "unreadable", "unknown_galley", ""),
        ("B1 FFF", "illegal", "not_your_galley", "MB-1.5"),
        ("A1 FFF; A1 FFX", "ambiguous", "galley_twice", ""),
        ("aim high", "unreadable", "standing_unknown", ""),
        ("aim", "unreadable", "standing_unknown", ""),
        ("target A2", "illegal", "target_friend", "MB-6.1"),
        ("target C7", "illegal", "unknown_target", "MB-6.1"),
        ("hold", "illegal", "hold_forbidden", "MB-3.7"),
    ],
)
def test_bad_text_is_refused_whole(text, kind, code, rule):
    draft = "A1 FFXRX; A2 FFX"
    fault = refused(text, draft)
    assert (fault.kind, fault.code, fault.rule) == (kind, code, rule)
    assert fault.piece
    assert len(fault.piece) <= 60
    assert refused(f"aim safe; {text}", draft).code == code


def test_other_peoples_galleys_and_lost_ones():
    more = {"position": ALLIES, "teams": (0, 1, 0, 1)}
    assert refused("C1 FFF", **more).code == "not_your_galley"
    assert refused("target C1", **more).code == "target_friend"
    state = GAME.apply_out_of_turn(begin(**more).state, Concede(1)).state
    state = GAME.apply_out_of_turn(state, Concede(2)).state
    request = GAME.pending_requests(state)[0]
    for text in ("B1 FFF", "C1 FFF", "target B1"):
        with pytest.raises(OrderError) as error:
            GAME.type_text(state, request, EMPTY_DRAFT, text)
        assert (error.value.fault.code, error.value.fault.rule) == ("galley_lost", "MB-7.2")


def test_what_was_sealed_before_a_target_was_lost_can_still_be_read():
    more = {"position": ALLIES, "teams": (0, 1, 0, 1)}
    state, request = writing(**more)
    answer = GAME.parse_answer(state, request, "A1 FFFFF; target B1")
    assert (
        GAME.parse_answer(GAME.apply_out_of_turn(state, Concede(1)).state, request, GAME.format_answer(request, answer))
        == answer
    )


def test_a_draft_that_cannot_be_read_counts_as_empty():
    state, request = writing()
    assert GAME.draft_choices(state, request, Draft("?!")) == GAME.draft_choices(state, request, EMPTY_DRAFT)
    assert GAME.type_text(state, request, Draft("A1 FFFFFFF"), "A2 F").text == "A2 F"
    assert GAME.view(state, 0, Draft("A1 FFFFFFF")) == GAME.view(state, 0, EMPTY_DRAFT)


def test_pressing_and_typing_meet():
    draft = pressed("", "order.F", "order.F", "order.X", "galley.A2", "order.ZZ", "wish.4-4", "order.F", "aim.safe")
    assert draft == "A1 FFX; A2 ZZ(4-4)F; aim safe" == amended("A1 FFX; A2 ZZ(4-4)F; aim safe")


def test_taking_back_and_clearing():
    draft = "A1 FFX; A2 ZZ(4-4)ZZ(5-3)"
    assert pressed(draft, "order.back") == "A1 FFX; A2 ZZ(4-4)"
    assert pressed(draft, "order.back", "order.back") == "A1 FFX"
    assert pressed(draft, "order.clear") == "A1 FFX"
    assert options_of("A1 FFX; A2")["order.back"].fault.code == "no_orders_yet"
    assert pressed(draft, "galley.A1", "order.back") == "A1 FF; A2 ZZ(4-4)ZZ(5-3)"


@pytest.mark.parametrize(
    ("draft", "token", "rule"),
    [
        ("A1 FFXRX", "order.F", "MB-3.3"),
        ("A1 FFXR", "order.ZZ", "MB-3.3"),
        ("A2 FF", "order.L", "MB-3.4"),
        ("A2 X", "order.X", "MB-3.5"),
    ],
)
def test_buttons_that_the_rules_forbid_are_out_of_use(draft, token, rule):
    option = options_of(draft)[token]
    assert option.fault.rule == rule
    assert option.draft == draft


def test_wishes_are_offered_only_after_zz():  # MB-7.3
    assert not [token for token in options_of("A2 ZZF") if token.startswith("wish")]
    tokens = [token for token in options_of("A2 ZZ") if token.startswith("wish")]
    assert tokens == ["wish.even", "wish.2-6", "wish.3-5", "wish.4-4", "wish.5-3", "wish.6-2"]
    assert options_of("A2 ZZ(3-5)")["wish.3-5"].is_chosen
    assert pressed("A2 ZZ(3-5)", "wish.even") == "A2 ZZ"


def test_groups():
    groups = {group.key: group for group in GAME.draft_choices(*writing(), Draft("A2 F")).groups}
    assert list(groups) == ["galley", "order", "edit", "course", "standing", "look"]
    assert [option.is_chosen for option in groups["galley"].options] == [False, True]
    assert [option.token for option in groups["standing"].options][-2:] == ["target.B1", "target.B2"]
    assert {option.token for option in groups["standing"].options if option.is_chosen} == {
        "target.nearest",
        "aim.steady",
        "casualties.seaworthy",
        "reorganize.even",
    }
    single = GAME.draft_choices(*writing(position=FACING), EMPTY_DRAFT)
    assert [group.key for group in single.groups] == ["order", "edit", "course", "standing", "look"]


def test_a_select_never_has_more_than_25_options():
    fleet = " ; ".join(f"B{n}:north 6-6+2/6 @{70 * n},700^180" for n in range(1, 33))
    groups = GAME.draft_choices(
        *writing(position=f"2400x800 ; A1:south 6-6+2/6 @600,80^0 ; {fleet}"), EMPTY_DRAFT
    ).groups
    assert max(len(group.options) for group in groups) == 25


def test_lines_show_the_orders():
    lines = GAME.draft_choices(*writing(), Draft("A1 FFX; A2 ZZFX; target B2")).lines
    assert [line.params.get("slots") for line in lines] == ["F F X", "ZZ F X", None]
    assert [line.key for line in lines] == ["line.orders", "line.orders", "line.standing.first"]
    assert GAME.draft_choices(*writing(), Draft("A1 FFXRX")).lines[0].params["slots"] == "F F X R X"
    untouched = GAME.draft_choices(*writing(), EMPTY_DRAFT).lines
    assert {line.key for line in untouched} == {"line.orders.none"}  # nor standing orders as they come by themselves
    assert GAME.draft_choices(*writing(), Draft("aim ask")).lines[-1].key == "line.standing"
    state, open_request = writing()  # those of the round before are told no more
    state = structs.replace(state, standing=tuple(structs.replace(orders, aim="ask") for orders in state.standing))
    assert [line.key for line in GAME.draft_choices(state, open_request, Draft("A1 FFX")).lines] == [
        "line.orders",
        "line.orders.none",
    ]


def test_canonical_orders():
    state, request = writing()
    answer = GAME.parse_answer(state, request, "aim safe; A2 ZZ(4-4)FFX; A1 FFXRX")
    assert answer == FleetOrders(
        (OrderList("A1", "FFXRX"), OrderList("A2", "ZZFFX", ((4, 4),))), structs.replace(StandingOrders(), aim="safe")
    )
    assert GAME.format_answer(request, answer) == (
        "A1 FFXRX; A2 ZZ(4-4)FFX; target nearest; aim safe; casualties seaworthy; reorganize even"
    )
    assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer


def test_standing_orders_stay_until_they_are_changed():
    state, request = writing()
    state = structs.replace(state, standing=(StandingOrders(target="B2", aim="ask"), StandingOrders()))
    answer = GAME.parse_answer(state, request, "A1 FFXRX; A2 FFX; aim safe")
    assert answer.standing == StandingOrders(target="B2", aim="safe")
    assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer


def test_holding():
    state, request = writing(missed="hold")
    answer = GAME.parse_answer(state, request, "hold")
    assert answer.lists == (OrderList("A1", ""), OrderList("A2", ""))
    assert (
        answer
        == GAME.default_answer(state, request)
        == GAME.parse_answer(state, request, GAME.format_answer(request, answer))
    )
    assert GAME.draft_choices(state, request, Draft("hold")).missing_parts == ()
    assert GAME.draft_choices(state, request, Draft("hold")).lines[0].key == "line.hold"
    assert GAME.type_text(state, request, Draft("hold; aim safe"), "A1 FF").text == "A1 FF; aim safe"
    assert GAME.type_text(state, request, Draft("A1 FF; aim safe"), "hold").text == "hold; aim safe"


def test_who_can_neither_row_nor_fire_need_not_be_ordered_anything():
    """With an empty side and no mast only a `ZZ` is left, which is never compulsory (MB-3.7, 7.2)."""
    lame = "1200x800 ; A1:south 0-4+0/6 @600,300^0 ; B1:north 5-5+3/5 @600,480^180"
    state = begin(position=lame, sinks="both_sides").state
    request = GAME.pending_requests(state)[0]
    for text in ("hold", "A1 ZZ", "aim safe"):
        answer = GAME.parse_answer(state, request, text)
        assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer
    assert not GAME.draft_choices(state, request).missing_parts
