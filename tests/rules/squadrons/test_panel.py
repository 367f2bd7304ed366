"""A whole message by pressing alone: targets, courses, speeds, squadrons, order, `else`, boarding; and in words."""

import re
from dataclasses import replace

import pytest

from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft, Setup
from rules.squadrons import GAME
from rules.squadrons.interface.drafts import sheets
from tests.laws.length import times
from tests.laws.play import tape

SEA = "squadrons 1 A 30x22 - vp=30 limit=9 bonus=0/0 lost=-/- ; {ships}"
TWO = (
    "B1 5@1012N C ; B2 3v@1014N C ; B3 5@1016N C ; B4 4@1512N C ; B5 4@1712N C ; R1 5m@1008S C ; R2 3@1608S C ; "
    "lead BL1 Steady@B1 ; lead BL2 SqC@B4 ; lead RL1 Steady@R1"
)
"""Two squadrons within reach of each other, the first in line astern."""


def state_and_request(ships=TWO, **options):
    setup = Setup(system="squadrons", teams=(0, 1), options=options, position=SEA.format(ships=ships))
    state = GAME.start(setup, Dice(seed="00")).state
    return state, next(request for request in GAME.pending_requests(state) if request.seat == 0)


def offered(game, draft):
    return {option.token: option for group in GAME.draft_choices(*game, draft).groups for option in group.options}


def pressed(game, *tokens, draft=EMPTY_DRAFT):
    """Return the draft after pressing one thing after another; each must be offered."""
    for token in tokens:
        option = offered(game, draft)[token]
        assert option.fault is None
        draft = Draft(option.draft, option.focus)
    return draft


def filled(game, draft, token, *chosen):
    """Return the draft after a form in which these lines were chosen, in the other lists what they show."""
    form = next(form for form in GAME.draft_choices(*game, draft).forms if form.token == token and form.is_offered)
    lists = [next((entry for entry in field.entries if entry.token in chosen), None) for field in form.fields]
    texts = [
        (entry_of_list or next(entry for entry in field.entries if entry.is_chosen)).text
        for entry_of_list, field in zip(lists, form.fields, strict=True)
    ]
    return GAME.type_text(*game, draft, form.prefix + form.separator.join(filter(None, texts)))


def panel_lines(game, draft, language="en"):
    words = replace(Localizer(Catalogue.load(language, "squadrons")), style=PLAIN_STYLE)
    lines = (*GAME.draft_choices(*game, draft).lines, *GAME.draft_warnings(*game, draft))
    return [words.say_text(line) for line in lines]


@pytest.mark.slow
def test_all_of_a_message_can_be_pressed():
    game = state_and_request()
    draft = pressed(game, "unit.SQ1", "form.astern.B1.3", "course.F2", "more.S", "speed.M", "unit.SQ2", "course.F1")
    assert draft.text == "SQ1 M\nSQ1: line F2 S\nSQ2: F\nSQ1 astern B1 B2 B3"
    draft = pressed(game, "unit.up", "unit.double", draft=draft)
    assert draft.text.endswith("sequence SQ2 SQ1\ndouble SQ2")
    draft = pressed(game, "unit.B5", "step.F1", "step.P", "line.or", "step.F1", draft=draft)
    assert "B5: F2 P | else F" in draft.text
    assert sheets.SHEET_NOTATION.parse_answer(sheets.order_context(game[0], 0), draft.text)
    # a second press undoes the first
    draft = pressed(game, "unit.SQ2", "unit.double", "unit.back", "unit.SQ1", "unit.up", "form.range", draft=draft)
    assert draft.text == "SQ1 M\nB5: F2 P | else F\nSQ1: line F2 S"


def test_the_others_are_ordered_around_those_that_have_orders():
    game = state_and_request()
    assert "unit.rest" not in offered(game, EMPTY_DRAFT)
    draft = pressed(game, "unit.B5", "step.P", "unit.rest", "course.F2", "speed.M")
    assert draft.text == "B1 M\nB4 M\nB2 M\nB3 M\nB5: P\nrest: F2"
    assert "The others: ahead 2" in panel_lines(game, draft)


def test_in_words_nothing_is_a_code():
    game = state_and_request()
    typed = (
        "SQ1 M\nall: F1\nSQ1: line F2 P F2\nB3: S2 F1 ram R1 pots | else B2\nB4: ts ws Bp TA exit\n"
        "B5: fire R1 x1, R2 x1 grap R2\n"
        "B2: ana R1 X p\nB1: X R1:s rake R1 cut R1 xfer BL1 B2 jettison sail up\nboard R2 with B5 x1 + B4\n"
        "SQ1 astern B1 B2 B3\nsequence SQ2\ndouble SQ2\ndoctrine all: avoid=any protect=B1\ndoctrine B1: fire=off"
    )
    draft = GAME.type_text(*game, Draft(), typed)
    for language, squadron in (("en", "Squadron 1"), ("hu", "1. raj")):
        lines = panel_lines(game, draft, language)
        assert any(squadron in line for line in lines)
        left = re.sub(r"\b[BR]L?\d+|\b\d{4}[NS][EW]?", "", "\n".join(lines))
        assert not re.findall(r"\b[A-Z]?[FPSB]\d|\b[FPSBX]\b|\b(?:ts|ws|Bp|TA|grap|ana|xfer|m\d)\b|=", left), left
        assert not re.search(r"\b(?:SQ|HR)\d", "".join(lines)), "the number of a rule has a hyphen"


def test_words_are_short_squadron_by_squadron_and_exceptions_after():
    game = state_and_request()
    draft = GAME.type_text(*game, Draft(), "B5: F1\nB2: F1 P\nSQ2: F2\nSQ1: F3\nB3: F1 P")
    assert panel_lines(game, draft)[:4] == [
        "Squadron 1: ahead 3",
        "B2 and B3: ahead 1 and to port",
        "Squadron 2: ahead 2",
        "B5: ahead 1",
    ]


def test_ships_that_do_the_same_are_named_in_their_order_and_all_of_them_as_all():
    game = state_and_request()
    draft = GAME.type_text(*game, Draft(), "B3 M\nB1 M\nB2 M\nB4 M\nB5 M\nB3: F1\nB1: F1\nB2: F1")
    assert panel_lines(game, draft)[:2] == ["All: at full speed", "B1–B3: ahead 1"]


def test_an_attack_is_told_with_the_dice_that_it_needs():
    game = state_and_request("B1 5@1014N C ; R1 3@1110NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1")
    draft = pressed(game, "unit.B1", "do.ram.R1.C")
    line = next(line for line in panel_lines(game, draft) if "ahead" in line)
    assert re.fullmatch(r"B1: ram R1 \(\d+\+ on two dice\); first ahead 2", line)


def test_a_ship_whose_course_is_full_is_offered_another():
    game = state_and_request()
    full = pressed(game, "unit.B5", "step.F4")
    assert not [token for token in offered(game, full) if token.startswith("step.F")]
    (group,) = (group for group in GAME.draft_choices(*game, full).groups if group.key == "another")
    assert {"another.F1", "another.F4", "another.P"} <= {option.token for option in group.options}
    assert pressed(game, "another.F2", draft=full).text == full.text.replace("F4", "F2")
    assert not [token for token in offered(game, pressed(game, "unit.B5")) if token.startswith("another")]


@pytest.mark.parametrize("language", ["en", "hu"])
def test_courses_to_both_sides_are_named_alike(language):
    words = Localizer(Catalogue.load(language, "squadrons"))
    to_port, to_starboard = (words.say(f"course.{side}", n=3).split() for side in ("port", "starboard"))
    assert (
        len([pair_of_port for pair_of_port, other in zip(to_port, to_starboard, strict=True) if pair_of_port != other])
        == 1
    )


def test_a_rehearsal_goes_by_the_sequence_and_names_the_own_ship_in_the_way():
    # B4 of the second squadron lies before B1 of the first: who acts first matters
    game = state_and_request(
        "B1 5@1012N C ; B4 5@1010N C ; R1 5@0503S C ; lead BL1 Steady@B1 ; lead BL2 SqC@B4 ; lead RL1 Steady@R1"
    )
    draft = GAME.type_text(*game, Draft(), "all: F2")
    (warning,) = GAME.draft_warnings(*game, draft)
    assert (warning.key, warning.params["ship"], warning.params["by"]) == ("warn.blocked", "B1", "B4")
    assert "your own B4 is in her way" in panel_lines(game, draft)[-1]
    draft = pressed(game, "unit.SQ2", "unit.up", draft=draft)
    assert not GAME.draft_warnings(*game, draft)


def test_of_advice_that_own_ships_block_no_more_is_left_than_what_can_be_done():
    game = state_and_request(
        "B1 5@1012N C ; B4 5@1010N C ; R1 5@0503S C ; lead BL1 Steady@B1 ; lead BL2 SqC@B4 ; lead RL1 Steady@R1"
    )
    answer = GAME.parse_answer(*game, "B1: P F2 S F3\nB4: F2")
    assert not GAME.draft_warnings(
        *game, Draft(GAME.format_answer(game[1], GAME.advice_without_warnings(*game, answer)))
    )
    answer = GAME.parse_answer(*game, "B1: F2\nB4: F2")
    assert GAME.draft_warnings(*game, Draft(GAME.format_answer(game[1], answer)))
    advice = GAME.advice_without_warnings(*game, answer)
    assert GAME.format_answer(game[1], advice) == "B4: F2"
    assert not GAME.draft_warnings(*game, Draft("B4: F2"))


def test_ships_of_a_squadron_act_in_the_order_that_is_pressed():
    game = state_and_request()
    draft = GAME.type_text(*game, Draft(), "SQ1: F1")
    assert "line.up" not in offered(game, Draft(draft.text, "B1"))
    draft = pressed(game, "unit.B2", "line.up", draft=draft)
    assert draft.text == "B2: F\nB1: F\nSQ1: F"
    (first, *_) = GAME.draft_warnings(*game, draft)
    assert (first.params["ship"], first.params["by"]) == ("B2", "B1")


def test_else_may_hold_what_the_ship_could_do_if_her_attack_finds_nobody():
    game = state_and_request("B1 5@1014N C ; R1 3@1110NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1")
    draft = pressed(game, "unit.B1", "do.ram.R1.C", "line.or")
    assert "step.P" in offered(game, draft)
    (question,) = GAME.draft_choices(*game, draft).decisions
    assert (question.key, question.params) == ("ask.else", {"ship": "B1"})
    draft = pressed(game, "step.P", draft=draft)
    assert not GAME.draft_choices(*game, draft).decisions
    assert draft.text == "B1 C\nB1: F2 ram R1 | else P"
    assert pressed(game, "line.back", draft=draft).text == "B1 C\nB1: F2 ram R1"


def test_ships_board_together_and_each_may_be_taken_off():
    held = SEA.format(
        ships="B1 5m@1012N C ; B2 5@0812N C ; R1 3@0912N C ; grap B1 R1 ; grap B2 R1 ; "
        "lead BL1 Steady@B1 ; lead RL1 Steady@R1"
    )
    setup = Setup(system="squadrons", teams=(0, 1), position=held)
    state = GAME.start(setup, Dice(seed="00")).state
    game = state, next(request for request in GAME.pending_requests(state) if request.seat == 0)
    draft = pressed(game, "unit.B1", "do.board.R1", "unit.B2", "do.board.R1")
    assert draft.text == "board R1 with B1 + B2"
    english, hungarian = (
        replace(Localizer(Catalogue.load(language, "squadrons")), style=PLAIN_STYLE) for language in ("en", "hu")
    )
    assert any(re.fullmatch(r"B1 and B2: board R1 \(\d+\+, \d+%\)", line) for line in panel_lines(game, draft))
    assert any(line.startswith("B1 és B2: átszállás R1-re (") for line in panel_lines(game, draft, "hu"))
    label = offered(game, draft)["unit.B2"].label
    assert english.say_text(label) == "B2, quinquereme: board R1"
    assert hungarian.say_text(label) == "B2, quinquerémisz: átszállás R1-re"
    assert pressed(game, "unit.B1", "do.board.R1", draft=draft).text == "board R1 with B2"
    assert pressed(game, "unit.B2", "do.board.R1", draft=pressed(game, "unit.B2", "do.board.R1")).text == ""


def test_all_doctrines_are_in_forms_of_all_a_squadron_or_a_ship():
    game = state_and_request()
    draft = filled(game, Draft("", "all"), "doctrine", "avoid.1", "retract.1")
    assert draft.text == "doctrine all: avoid=any retract=stay"
    draft = filled(game, Draft(f"{draft.text}\nall: F1", "all"), "habits", "unfoul.1", "speed.1")
    assert "unfoul=always speed=max" in draft.text
    draft = filled(game, Draft(draft.text, "SQ1"), "doctrine.SQ1", "avoid.2")
    draft = filled(game, Draft(draft.text, "B4"), "doctrine.B4", "fire.3")
    assert draft.text.endswith("doctrine SQ1: avoid=off\ndoctrine B4: fire=off")
    assert "Squadron 1, by doctrine: Dodging: never" in panel_lines(game, draft)
    # the form shows the draft, and an empty choice changes nothing
    form = next(form for form in GAME.draft_choices(*game, draft).forms if form.token == "doctrine.B4")
    assert not any(entry.text for field in form.fields for entry in field.entries if entry.is_chosen)


def test_one_who_acts_squadron_by_squadron_presses_the_same_and_both_at_once():
    state, _ = state_and_request(order="squadron")
    state = GAME.resolve(
        state, {request.id: GAME.parse_answer(state, request, "pass") for request in GAME.pending_requests(state)}
    ).state
    while (request := GAME.pending_requests(state)[0]).seat != 0:
        state = GAME.resolve(state, {request.id: GAME.parse_answer(state, request, "pass")}).state
    game = state, request
    draft = pressed(game, "act.SQ1", "unit.double.SQ2", "unit.SQ2", "course.F1")
    assert draft.text == "act SQ1\nSQ2: F\ndouble SQ2"
    assert [track.ship for track in GAME.view(state, 0, draft).overlay.tracks] == ["B4", "B5"]
    answer = GAME.parse_answer(state, request, draft.text)
    assert answer.sheet.double == "SQ2"
    assert GAME.format_answer(request, answer)


def test_the_button_says_which_ships_it_sends_and_those_without_orders_are_named():
    game = state_and_request()
    words = replace(Localizer(Catalogue.load("en", "squadrons")), style=PLAIN_STYLE)
    labels = [
        words.say_text(offered(game, pressed(game, f"unit.{who}"))["all.charge"].label) for who in ("all", "SQ1", "B1")
    ]
    assert labels == ["At the enemy", "Squadron 1 at the enemy", "B1 at the enemy"]
    draft = pressed(game, "unit.B1", "all.charge")
    assert "No orders yet: B2–B5 (they stay)" in panel_lines(game, draft)
    assert not any("yet" in line for line in panel_lines(game, pressed(game, "all.stay")))


def test_the_list_says_which_ship_is_rammed():
    game = state_and_request(TWO.replace("B5 4@1712N C", "B5 4@1712N C RAM:R1"))
    words = replace(Localizer(Catalogue.load("en", "squadrons")), style=PLAIN_STYLE)
    assert words.say_text(offered(game, EMPTY_DRAFT)["unit.B5"].label) == "B5, quadrireme: holed, sinks on a 6"


def test_attacks_and_their_chances_stand_before_courses_and_last_where_there_is_little_room():
    game = state_and_request("B1 5@1012N C ; B2 5@1412N C ; R1 3@1009NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1")
    draft = pressed(game, "all.charge")
    assert panel_lines(game, draft)[:2] == [
        "B1: grapple R1 (3+ on one die, then board 7+: together 39%); first ahead 2",
        "All: at cruising speed",
    ]
    attack, words = (
        GAME.draft_choices(*game, draft).lines[0],
        Localizer(Catalogue.load("en", "squadrons"), style=PLAIN_STYLE),
    )
    assert words.say(f"{attack.key}.brief", **attack.params) == "B1: ahead 2, grapple R1 (3+, board 7+: 39%)"


@pytest.mark.parametrize(
    ("order", "english", "hungarian"),
    [
        ("grap B9", "there is no ship B9", "nincs B9 nevű hajó"),
        ("ram B2", "B2 is on your side", "B2 a te oldaladon van"),
    ],
)
def test_a_warning_says_that_the_named_ship_is_no_enemy_and_by_which_rule(order, english, hungarian):
    draft = Draft(f"B1: {order}")
    rule = r"SQ-\d\d\.\d+"
    assert re.search(f"B1 would stop short: {english} .*{rule}", panel_lines(state_and_request(), draft)[-1])
    assert re.search(f"B1 megállna: {hungarian} .*{rule}", panel_lines(state_and_request(), draft, "hu")[-1])


@pytest.mark.parametrize(
    ("doctrine", "orders"),
    [("", True), ("doctrine all: board=never", False), ("doctrine all: board=never\nboard R1 with B1", True)],
)
def test_a_grapple_is_offered_with_the_boarding_that_follows_it_and_the_chance_of_both(doctrine, orders):
    game = state_and_request("B1 5@1012N C ; B2 5@1412N C ; R1 3@1009NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1")
    draft = GAME.type_text(*game, Draft("", "B1"), doctrine) if doctrine else Draft("", "B1")
    option = offered(game, Draft(draft.text, "B1"))["do.grap.R1.C"]
    then = r", then board (\d+)\+ \((\d+)%\): together (\d+)%"
    words = Localizer(Catalogue.load("en", "squadrons"), style=PLAIN_STYLE)
    match = re.match(rf"Grapple R1: 3\+ \(67%\)(?:{then})?; ahead 2", words.say_text(option.label))
    line = next(line for line in panel_lines(game, Draft(option.draft, "B1")) if "grapple" in line)
    assert bool(match[1]) == orders
    assert (f"then board {match[1]}+: together {match[3]}%" in line) == orders
    if orders:
        assert round(0.67 * int(match[2])) == pytest.approx(int(match[3]), abs=1)
    hungarian = next(line for line in panel_lines(game, Draft(option.draft, "B1"), "hu") if "csáklyázása" in line)
    assert ("aztán átszállás" in hungarian) == orders


@pytest.mark.parametrize("language", ["en", "hu"])
def test_full_speed_without_a_course_is_not_ready_and_the_panel_says_what_is_missing(language):
    game = state_and_request()
    words = Localizer(Catalogue.load(language, "squadrons"), style=PLAIN_STYLE)
    draft = pressed(game, "unit.all", "speed.M")
    (missing,) = GAME.draft_choices(*game, draft).missing_parts
    assert ("At full speed alone, every ship stays", "minden hajó helyben marad")[language == "hu"] in words.say_text(
        missing
    )
    with pytest.raises(OrderError) as refused:
        GAME.parse_answer(*game, draft.text)
    assert refused.value.fault.code == "no_orders_given"
    for token in ("course.F2", "all.stay"):
        assert not GAME.draft_choices(*game, pressed(game, token, draft=draft)).missing_parts
    staying = pressed(game, "all.stay", "speed.M")
    assert staying.text == "pass\nall M"
    assert GAME.parse_answer(*game, staying.text).speed_choices
    # where each squadron is ordered when it acts, speeds are all that is asked before
    state, request = state_and_request(order="squadron")
    assert GAME.parse_answer(state, request, "all M").speed_choices


@pytest.mark.parametrize("language", ["en", "hu"])
def test_no_report_says_that_ships_row_of_which_only_the_speed_is_known(language):
    words = Localizer(Catalogue.load(language, "squadrons"), style=PLAIN_STYLE)
    for speed in ("max", "cruise"):
        assert not re.search("row|evez", words.say(f"event.SpeedSet.{speed}", ships="B1"))


@pytest.mark.parametrize("number", range(times(4, 30)))
def test_no_attack_is_offered_that_cannot_succeed(number):
    game = tape("squadrons", number)
    for turn in game.turns[number % 2 :: 2]:
        for request in turn.requests:
            for group in GAME.draft_choices(turn.before, request).groups:
                for unit in (option for option in group.options if group.key == "unit"):
                    panel = GAME.draft_choices(turn.before, request, Draft(unit.draft, unit.focus))
                    attacks = [option for attack in panel.groups if attack.key == "attack" for option in attack.options]
                    assert all(option.label.params.get("chance") != 0 for option in attacks)


@pytest.mark.parametrize("language", ["en", "hu"])
def test_the_captain_reads_what_earns_points_in_this_game(language):
    state, request = state_and_request()
    text = Localizer(Catalogue.load(language, "squadrons")).say("request.orders.more", **request.params)
    points = re.findall(r"\d+(?:–\d+)?", text.split("\n")[1])
    hulls = {ship.ram_defence for ship in state.position.ships if ship.side == "R"}
    assert points == [f"{min(hulls)}–{max(hulls)}", f"{min(hulls) + 1}–{max(hulls) + 1}", "25"]
    assert re.findall(r"\d+", text.split("\n")[0]) == ["30", "9", "9"], "the score that wins, and an example of a throw"


@pytest.mark.parametrize("typed", ["1. raj: F2\n2. raj teljes", "Squadron 1: F2\nsquadron 2 M", "SQ1: F2\nSQ2 M"])
def test_a_squadron_may_be_typed_by_the_name_that_the_panel_shows(typed):
    assert GAME.type_text(*state_and_request(), EMPTY_DRAFT, typed).text == "SQ2 M\nSQ1: F2"


def test_chances_of_attacks_are_said_to_hold_only_if_the_target_stays():
    game = state_and_request("B1 5@1014N C ; R1 3@1110NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1")
    assert not GAME.draft_choices(*game, pressed(game, "unit.all", "course.F2")).forecasts
    (forecast,) = GAME.draft_choices(*game, pressed(game, "unit.B1", "do.ram.R1.C")).forecasts
    for language, start in (("en", "These chances need R1 to stay"), ("hu", "Az esélyek akkor állnak, ha R1")):
        words = Localizer(Catalogue.load(language, "squadrons"), style=PLAIN_STYLE)
        assert words.say_text(forecast).startswith(start)
