"""Panels: only what can be pressed now, in few rows; forms for several ships; doctrines of one or all."""

import re

import pytest
from msgspec import structs

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.ramspeed.engine.tables import CONSTANTS
from rules.ramspeed.game import RamSpeed
from rules.ramspeed.interface.aims import attack_previews
from rules.ramspeed.interface.opening import state_at

GAME = RamSpeed()
SEA = "30x24 open turn=1/9 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; {ships}"
TWO = "A1 T ann athenian @4,9^90 20 ; A2 B ann athenian @4,15^90 10 ; S1 T bob spartan @26,15^270 20"
NEARER = TWO.replace("@26,15", "@18,15")
"""She may come into reach this turn."""

BOWS = "A1 T ann athenian @15,12^90 20 ; S1 T bob spartan @17.55,12^270 20"
HELD = "A1 T ann athenian @15,12^90 20 ; S1 T bob spartan @17.5,12^0 20 ; A1-S1"


def asked(ships=TWO, kind="orders", **options):
    setup = Setup(system="ramspeed", teams=(0, 1), options=options, position=SEA.format(ships=ships))
    state = GAME.start(setup, Dice(seed="00")).state
    return state, next(
        request for request in GAME.pending_requests(state) if request.seat == 0 and request.kind == kind
    )


def offered(text="", focus="", ships=TWO):
    return GAME.draft_choices(*asked(ships), Draft(text, focus))


def tokens(choices):
    return {option.token for group in choices.groups for option in group.options}


def option(choices, token):
    return next(option for group in choices.groups for option in group.options if option.token == token)


@pytest.mark.parametrize("focus", ["", "A1"])
def test_a_panel_shows_nothing_that_cannot_be_pressed_and_few_rows(focus):
    for text in ("", "A1: fwd 2", "A1: ram S1\nA2: fwd"):
        choices = offered(text, focus)
        assert not [option.token for group in choices.groups for option in group.options if option.fault]
        buttons = [group for group in choices.groups if group.style == "buttons"]
        assert len(buttons) <= 1
        assert len(choices.groups) <= 5
    assert {"all.close", "ship.A1"} <= tokens(offered())
    assert "all.close" not in tokens(offered("", "A1"))
    assert {"line.next", "ships.all"} <= tokens(offered("", "A1"))
    assert not {"line.or", "line.up"} & tokens(offered("A1: fwd 2", "A1"))


def test_a_crew_is_shot_at_only_where_there_is_one():
    near = "A1 T ann athenian @20,9^90 20 ; S1 T bob spartan @23,9^0 {crew}"
    assert {"shot.crew.S1", "shot.fire.S1"} <= tokens(offered("", "A1", near.format(crew=1)))
    for crew, most in ((1, 1), (9, 6)):  # nobody is hit who isn't there
        groups = offered("", "A1", near.format(crew=crew)).groups
        shot = next(option for group in groups for option in group.options if option.token == "shot.crew.S1")
        assert shot.label.params["most"] == most
    empty = tokens(offered("", "A1", near.format(crew=0)))
    assert "shot.fire.S1" in empty
    assert "shot.crew.S1" not in empty


def test_a_line_is_moved_made_longer_and_taken_back():
    choices = offered("A1: ram S1\nA2: fwd", "A2")
    assert option(choices, "line.up").draft == "A2: fwd\nA1: ram S1"
    choices = offered("A1: ram S1\nA2: fwd", "A1")
    assert option(choices, "line.back").draft == "A2: fwd"
    adding = option(choices, "line.or")
    then = offered(adding.draft, adding.focus)
    assert option(then, "go.back").draft == "A1: ram S1 or back 2\nA2: fwd"


def test_what_is_too_far_away_now_can_be_ordered_with_a_way_nearer():
    choice = option(offered("", "A1", NEARER), "do.ram.S1")
    assert choice.draft == "A1: ram S1 or steer S1 6"
    assert choice.label.params["why"][0].key == "later.far"
    # What was typed with another way out is called what was typed.
    typed = option(offered("A1: ram S1 or fwd 6", "A1", NEARER), "do.ram.S1")
    assert typed.is_chosen
    assert typed.label.key == "order.else"
    # An enemy who stays out of reach however near she comes is only rowed towards.
    assert not {"do.ram.S1", "do.swipe.S1", "do.grapple.S1"} & tokens(offered("", "A1"))
    assert option(offered("A1: ram S1 or steer S1 6", "A1"), "do.ram.S1").is_chosen
    assert "go.steer.S1" in tokens(offered("", "A1"))
    (form, *_) = offered().forms
    assert "steer.S1" in {entry.token for entry in form.fields[0].entries}


def fill(choices, state, request, draft, token, **chosen):
    """Return the draft after a form; `chosen` lines replace those that its lists show."""
    form = next(form for form in choices.forms if form.token == token)
    texts = []
    for field in form.fields:
        name = str(field.label.params.get("ship", field.label.key.removeprefix("field.")))
        wanted = chosen.get(name)
        entries = [entry for entry in field.entries if (entry.token == wanted if wanted else entry.is_chosen)]
        texts.append(entries[0].text)
    return GAME.type_text(state, request, draft, form.prefix + form.separator.join(filter(None, texts)))


def test_several_ships_are_ordered_in_one_form():
    state, request = asked(NEARER)
    choices = GAME.draft_choices(state, request)
    after = fill(choices, state, request, Draft(), "orders.1", A1="ram.S1", A2="turn45L")
    assert after.text == "A1: ram S1 or steer S1 6\nA2: turn 45L"
    unchanged = fill(GAME.draft_choices(state, request, after), state, request, after, "orders.1", A2="stay")
    assert unchanged.text == "A1: ram S1 or steer S1 6\nA2: stay"


def test_a_ships_own_doctrine_and_that_of_all_are_chosen_in_forms():
    state, request = asked()
    draft = Draft("A1: fwd", "A1")
    choices = GAME.draft_choices(state, request, draft)
    assert [form.token for form in choices.forms if form.is_offered] == ["standing.A1"]
    after = fill(choices, state, request, draft, "standing.A1", swipe="turn", prize="sink")
    assert after.text == "A1: fwd\ndoctrine A1: swipe=turn prize=sink"
    same = fill(choices, state, request, draft, "standing.A1")
    assert same.text == "A1: fwd"
    fleet = GAME.draft_choices(state, request, Draft(after.text))
    every = fill(fleet, state, request, Draft(after.text), "standing", swipe="grapple")
    assert every.text == "A1: fwd\ndoctrine all: swipe=grapple\ndoctrine A1: prize=sink"
    assert fill(fleet, state, request, Draft(after.text), "standing").text == after.text
    answer = GAME.parse_answer(state, request, every.text)
    assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer


def test_doctrines_are_chosen_too_where_sheets_are_not_asked_for():
    state, request = asked(kind="doctrine", mode="live")
    choices = GAME.draft_choices(state, request, Draft("", "A2"))
    assert [form.token for form in choices.forms if form.is_offered] == ["standing.A2"]
    after = fill(choices, state, request, Draft("", "A2"), "standing.A2", idle="shoot")
    assert after == Draft("doctrine A2: idle=shoot", "A2")


def test_who_can_do_nothing_seals_at_once():
    locked = "A1 T ann athenian @10,10^0 20 ; S1 T bob spartan @10.7,10^0 20 ; A1-S1"
    state, request = asked(locked)
    choices = GAME.draft_choices(state, request)
    assert not choices.missing_parts
    assert choices.lines[0].key == "line.nothing"
    assert tokens(choices) == {"all.stay"}
    assert GAME.format_answer(request, GAME.parse_answer(state, request, "")) == "stay"


def test_what_is_in_the_way_is_shown():
    between = "A1 T ann athenian @10,5^0 20 ; A2 B ann athenian @10,8.2^90 10 ; S1 T bob spartan @10,11^90 20"
    state, _ = asked(between)
    ship = state.position.ship_by_id("A1")
    attacks = {attack.kind: attack for attack in attack_previews(state.position, ship)}
    assert attacks["ram"].fault == "blocked"
    x, y = attacks["ram"].blocker
    assert abs(x - 10) < 1.1
    assert abs(y - 8.2) < 0.3


@pytest.mark.parametrize(
    ("ships", "line"),
    [
        ("A1 T ann athenian @15,12^90 20 ; S1 T bob spartan @26,15^270 20", "ram S1 or steer S1 6"),
        ("A1 T ann athenian @15,12^90 20 ; S1 T bob spartan @4,15^270 20", "ram S1 or face S1"),
        ("A1 T ann athenian @15,12^90 20 ; S1 Q bob spartan @20,12^90 15 dead", "ram S1 or grapple S1 or steer S1 6"),
        ("A1 T ann athenian @15,12^90 10 ; S1 Q bob spartan @20,12^90 15 dead", "ram S1 or steer S1 6"),
        (
            "A1 T ann athenian @15,12^90 9 ; S1 T bob spartan @20,12^90 0 ; S2 T bob spartan @26,12^0 9",
            "ram S2 or steer S2 6",
        ),
        ("A1 T ann athenian @15,12^90 20 dead ; S1 T bob spartan @20,12^90 20", "stay"),
        (BOWS, "ram S1 or shoot S1 crew; back 2"),
        (HELD, "stay"),
    ],
)
def test_a_fleet_sent_at_the_enemy_turns_boards_and_stays_where_that_is_all_it_can_do(ships, line):
    ships += " ; A2 T ann athenian @15,2^90 20"
    draft = option(offered(ships=ships), "all.close").draft
    assert draft.split("\n")[0] == f"A1: {line}"


def test_a_colon_may_be_left_out_and_what_is_missing_is_named_with_a_ship_of_their_own():
    state, request = asked()

    def typed(text, focus=""):
        return GAME.type_text(state, request, Draft("", focus), text).text

    assert typed("A1 ram S1 or forward 5") == typed("a1: ram S1 or fwd 5") == "A1: ram S1 or fwd 5"
    assert typed("A2 fwd 2", "A1") == "A2: fwd 2"
    assert typed("all fwd 2") == "A1: fwd 2\nA2: fwd 2"
    with pytest.raises(OrderError) as refused:
        typed("A1 forward 5 ram S1")
    assert refused.value.fault.params["expected"] == "fwd 5; ram S1"
    with pytest.raises(OrderError) as refused:
        typed("ram S1")
    assert refused.value.fault.code == "bad_line"


def test_the_only_ship_left_is_sent_at_the_enemy_and_her_lists_leave_out_what_leads_nowhere():
    choices = offered(ships=BOWS)
    assert option(choices, "all.close").draft == "A1: ram S1 or shoot S1 crew; back 2"
    assert option(choices, "all.close").label.key == "choice.all.close.one"
    moves = next(group for group in choices.groups if group.key == "move").options
    ways = [option.label.params["way"] for option in moves if option.token != "go.stay"]
    assert ways
    assert 0 not in ways
    said = [(option.label.key, sorted(option.label.params.items())) for option in moves]
    assert not [line for line in said if said.count(line) > 1]
    assert [line.params for line in choices.lines if line.key == "line.barred.ship"] == [{"ship": "A1", "other": "S1"}]
    assert not [line for line in offered("", "A1").lines if line.key.startswith("line.barred")]
    # What she is ordered stays in the list that has it.
    assert option(offered("A1: fwd", ships=BOWS), "go.fwd").is_chosen


@pytest.mark.parametrize(
    ("ships", "text", "warned"),
    [
        (BOWS, "A1: ram S1 or steer S1 6", True),
        (HELD, "A1: ram S1 or steer S1 6", True),
        (BOWS, "A1: ram S1 or back 2", False),
        (BOWS, "A1: stay", False),
        (TWO, "A1: ram S1 or steer S1 6", False),
    ],
)
def test_it_is_warned_of_a_line_that_comes_to_nothing_as_things_stand(ships, text, warned):
    state, request = asked(ships)
    warnings = GAME.draft_warnings(state, request, Draft(text))
    assert [(line.key, line.params["ship"]) for line in warnings] == [("warning.barred", "A1")] * warned


@pytest.mark.parametrize(
    ("text", "code", "rule"),
    [
        ("A1: grapple S1 or", "empty_step", "RS-21.4"),
        ("S1: fwd 3", "not_your_ship", "RS-21.4"),
        ("A1: turn 300", "bad_step", "RS-21.4"),
        ("A1: fwd 99", "too_far_ahead", "RS-21.4"),
    ],
)
@pytest.mark.parametrize("language", ["en", "hu"])
def test_a_refusal_is_a_whole_sentence_and_its_rule_knows_it(text, code, rule, language):
    with pytest.raises(OrderError) as refused:
        GAME.type_text(*asked(), Draft(), text)
    fault = refused.value.fault
    assert (fault.code, fault.rule) == (code, rule)
    said = Localizer(Catalogue.load(language, "ramspeed")).fault_text(fault)
    assert "``" not in said.replace(" ", "")
    if code == "bad_step":
        assert "`A1: turn 45L`" in said


def test_a_lost_ship_is_not_among_those_that_a_refusal_lists():
    with pytest.raises(OrderError) as refused:
        GAME.type_text(*asked(f"{TWO} ; S2 T bob spartan sunk"), Draft(), "A1: ram S9")
    assert refused.value.fault.params["known"] == "A1, A2, S1"


@pytest.mark.parametrize(("language", "why"), [("en", "the target is too far away"), ("hu", "túl messze van a cél")])
def test_a_warning_says_why_no_order_of_a_line_is_possible_and_by_which_rules(language, why):
    (warning,) = GAME.draft_warnings(*asked(), Draft("A1: ram S1 or grapple S1"))
    said = Localizer(Catalogue.load(language, "ramspeed")).say_text(warning)
    assert f"{why} (RS-08.5)" in said
    assert f"{why} (RS-10.1)" in said


@pytest.mark.parametrize(
    ("ships", "order", "english", "hungarian"),
    [
        (("A1 T ann athenian @10,12^90 20", "S1 T bob spartan @16,12^90 20"), "ram S1", "13° or more", "legalább 13°"),
        (
            ("A1 T ann athenian @10,12^90 20", "S1 T bob spartan @14,12^0 20"),
            "grapple S1",
            "57° or less",
            "legfeljebb 57°",
        ),
    ],
)
def test_a_bad_angle_is_said_with_its_limit(ships, order, english, hungarian):
    (warning,) = GAME.draft_warnings(*asked(" ; ".join(ships)), Draft(f"A1: {order}"))
    for language, limit in (("en", english), ("hu", hungarian)):
        said = Localizer(Catalogue.load(language, "ramspeed")).say_text(warning)
        assert limit in said
        assert "RS-07.4" in said
        numbers = {int(number) for number in re.findall(r"(\d+)°", said)}
        bow_on, oblique = CONSTANTS.bow_on_max, CONSTANTS.oblique_max
        assert numbers in ({bow_on, bow_on + 1}, {oblique, oblique + 1})


@pytest.mark.parametrize("language", ["en", "hu"])
def test_a_captain_reads_which_ship_is_dead_in_the_water(language):
    state, request = asked()
    position = state.position
    dead = structs.replace(position.ships[0], dead=True)
    state = structs.replace(state, position=structs.replace(position, ships=(dead, *position.ships[1:])))
    for focus, is_due in (("", True), ("A1", True), ("A2", False)):
        lines = [line for line in GAME.draft_choices(state, request, Draft("", focus)).lines if line.key == "line.dead"]
        assert [line.params["ship"] for line in lines] == (["A1"] if is_due else [])
        assert all("A1" in Localizer(Catalogue.load(language, "ramspeed")).say_text(line) for line in lines)


@pytest.mark.parametrize(
    ("nations", "key", "more"),
    [
        (("other", "other"), "outcome.melee", None),
        (("athenian", "spartan"), "outcome.melee.worse", 1),
        (("roman", "carthaginian"), "outcome.melee.better", 1),
        (("spartan", "spartan"), "outcome.melee", None),
    ],
)
def test_a_grapple_says_who_would_fight_whom(nations: tuple[str, str], key: str, more: int | None) -> None:
    own, enemy = nations
    state = state_at(
        f"40x40 open turn=3/20 phase=fire quiet=0 seats=ann@A,bob@P ; A1 T ann {own} @20,10^0 17"
        f" ; P1 T bob {enemy} @20,14^180 20"
    )
    (request, *_) = GAME.pending_requests(state)
    lines = GAME.draft_choices(state, request, Draft("A1: grapple P1", "A1")).lines
    (text,) = [line for line in lines if line.key.startswith("outcome.melee")]
    assert text.key == key
    assert text.params == {"own": 17, "theirs": 20} | ({"more": more} if more else {})


def test_a_ship_in_a_fight_says_so_before_anything_is_chosen() -> None:
    state = state_at(
        "40x40 open turn=3/20 phase=fire quiet=0 seats=ann@A,bob@P ; A1 T ann other @20,10^0 20"
        " ; A2 T ann other @30,10^0 20 ; P1 T bob other @20.8,10^0 20 ; A1-P1"
    )
    (request, *_) = GAME.pending_requests(state)
    lines = GAME.draft_choices(state, request, Draft()).lines
    assert [line.params for line in lines if line.key == "line.locked"] == [{"ship": "A1"}]
