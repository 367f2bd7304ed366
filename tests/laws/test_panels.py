"""Every panel of every position fits into messages that Discord takes, and all that it offers can be pressed."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord.ids import CustomId, parse_custom_id
from bot.discord.messages import board, choosing
from bot.discord.messages.board import Button, MenuOption, SelectMenu
from bot.discord.messages.choosing import CustomIdFactory
from bot.jobs import drafts, stored
from bot.jobs.values import SubmittedForm
from bot.texts import speech
from bot.texts.i18n import Localizer
from bot.texts.labels import MAX_LABEL_CHARS
from bot.texts.story import tell_story as story_of
from bot.texts.style import PLAIN_STYLE, shorten
from rules.chance.dice import Dice
from rules.core.errors import Fault
from rules.core.protocol import EMPTY_DRAFT, Choices, Draft, Option, OptionGroup, Request, Setup
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import Text
from tests.laws import panels
from tests.laws.length import LONG, times
from tests.laws.play import Position, positions, tape, tapes, words

EXAMPLES = settings(max_examples=times(12, 2000))
MONSTERS = settings(max_examples=times(8, 2000))
EVERY = times(11, 1)
"""Of a game's positions, one in so many is laid out."""
PRESSES = 8
NOTHING = CustomIdFactory(
    for_option=lambda _: CustomId(verb="press", game=0), for_select=lambda _: CustomId(verb="pick", game=0)
)
LONGEST_TOKEN = 40
LONGEST_REQUEST = 24
PANELS_MOST = 4
"""Pages of the panels of today's games."""


def offered(choices: Choices) -> set[str]:
    """Return the tokens that may be pressed; disabled buttons and lines with a fault are only shown."""
    return {option.token for group in choices.groups for option in group.options if not option.fault}


def faulty(choices: Choices) -> set[str]:
    return {option.token for group in choices.groups for option in group.options if option.fault}


@pytest.mark.parametrize(("system", "number"), tapes())
def test_every_panel_of_every_position_is_taken_by_discord(system, number):
    game = tape(system, number)
    for turn in game.turns[number % EVERY :: EVERY]:
        for request in (request for request in turn.requests if not request.battle):
            assert len(request.id) <= LONGEST_REQUEST
            choices = game.rules.draft_choices(turn.before, request)
            for speech_of in words(system):
                pages = panels.laid_out(speech_of, panels.asked(system, request), choices)
                assert len(pages) <= PANELS_MOST
                panels.glanced(speech_of, panels.asked(system, request), choices)
                assert offered(choices) <= panels.whole(pages) <= offered(choices) | faulty(choices)
                assert_short(speech_of, choices)
                panels.held_forms(speech_of, panels.asked(system, request), choices)
            assert_forms_are_taken(game.rules, turn.before, request, choices)


@pytest.mark.game("matchbox")
def test_a_galleys_panel_has_at_most_four_rows_and_keeps_each_button_where_it_is_whatever_is_ordered():
    state = RULESETS["matchbox"].state_at("900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @450,520^180")
    request = next(request for request in RULESETS["matchbox"].pending_requests(state) if request.seat == 0)
    places = set()
    for text, back in (("", False), ("A1 FF", True), ("A1 FFFFF", True)):
        choices = RULESETS["matchbox"].draft_choices(state, request, Draft(text))
        for speech_of in words("matchbox"):
            page, _ = panels.laid_out(speech_of, panels.asked("matchbox", request, Draft(text)), choices)
            rows = [part for box in page.view.to_components() for part in box["components"] if part["type"] == 1]
            assert len(rows) <= 4
            assert ("order.back" in panels.taken(page).tokens) is back
            of_rows = [[parse_custom_id(part["custom_id"]) for part in row["components"]] for row in rows]
            places.add(tuple((at, ref.verb, ref.token) for at, row in enumerate(of_rows) for ref in row if ref))
    assert len(places) == 1


@pytest.mark.game("campaign")
def test_labels_of_routes_are_whole_on_a_phone():
    for number in range(3):
        game = tape("campaign", number)
        request = next(each for each in game.turns[0].requests if not each.battle)
        groups = game.rules.draft_choices(game.turns[0].before, request).groups
        labels = [option.label for group in groups if group.key == "row" for option in group.options]
        assert labels
        for language in words("campaign"):
            assert all(len(language.button_text(label)) <= MAX_LABEL_CHARS for label in labels)


@pytest.mark.game("squadrons")
@pytest.mark.parametrize("points", ["60", "400"])
def test_lists_of_large_fleets_and_their_names_fit_a_phone(points):
    rules = RULESETS["squadrons"]
    for fleet, units in (("stock", ["", "SQ1", "B1"]), ("crews", ["", "+", "-"])):
        options = {"battle": points, "sides": "first", "fleet": fleet}
        state = rules.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice("00")).state
        request = rules.pending_requests(state)[0]
        for draft in (Draft("", focus) for focus in units):
            choices = rules.draft_choices(state, request, draft)
            for speech_of in words("squadrons"):
                panels.laid_out(speech_of, panels.asked("squadrons", request, draft), choices)


@pytest.mark.parametrize("most", [MAX_LABEL_CHARS, MAX_LABEL_CHARS + 1])
def test_what_a_phone_would_cut_is_cut_and_reported(most):
    """These laws see what is too long by what is reported of it."""
    ref, long = CustomId(verb="press", game=0), "x" * most
    picked = (MenuOption(label="x", value="x"),)
    for block in ([Button(label=long, custom_id=ref)], SelectMenu(hint=long, custom_id=ref, options=picked)):
        with panels.too_long() as complaints:
            panels.taken(board.lay_out_message([block]))
        assert len(complaints) == most - MAX_LABEL_CHARS
    with panels.too_long() as complaints:
        assert board.select_option(long, "x").label == shorten(long, MAX_LABEL_CHARS)
    assert len(complaints) == most - MAX_LABEL_CHARS


def assert_forms_are_taken(rules: Ruleset[Any], state: Any, request: Request, choices: Choices) -> None:
    """Check that the rules accept the draft of a form that is sent as it is shown."""
    body = stored.encode(state)
    for form in choices.forms:
        entries = [entry for field in form.fields for entry in field.entries if entry.is_chosen]
        if len(entries) == len(form.fields) and (form.prefix or any(entry.text for entry in entries)):
            filled = SubmittedForm(form.token, tuple(entry.token for entry in entries))
            worked = drafts.fill_form(rules.name, body, request, EMPTY_DRAFT, filled)
            assert rules.type_text(state, request, EMPTY_DRAFT, worked.draft.text).text == worked.draft.text


def assert_short(speech_of: Localizer, choices: Choices) -> None:
    """Check that groups of buttons are buttons: no label is too long for a phone."""
    for group in choices.groups:
        blocks = choosing.option_blocks(speech_of, [group], NOTHING)
        assert group.style == "select" or not any(isinstance(block, SelectMenu) for block in blocks), group.key


@EXAMPLES
@given(positions(), st.integers(0, 2**32))
def test_panels_stay_within_limits_as_drafts_grow(position: Position, whim: int):
    if not position.asked:
        return
    rules, state, _, _ = position
    rng = random.Random(whim)
    request, draft = rng.choice(position.asked), EMPTY_DRAFT
    for _ in range(PRESSES):
        choices = rules.draft_choices(state, request, draft)
        for speech_of in words(rules.name):
            for sealed in (False, True):
                pages = panels.laid_out(speech_of, panels.asked(rules.name, request, draft, sealed=sealed), choices)
                tokens = panels.whole(pages)
                assert sealed or offered(choices) <= tokens
        draft = rng.choice([Draft(o.draft, o.focus) for group in choices.groups for o in group.options if not o.fault])
        assert "```" not in draft.text  # a lesson shows it between these


@EXAMPLES
@given(positions(), st.integers(0, 2**32))
def test_every_option_of_a_page_can_be_pressed_and_leads_to_a_draft_that_the_rules_accept(
    position: Position, whim: int
):
    if not position.asked:
        return
    rules, state, _, _ = position
    rng = random.Random(whim)
    request, body = rng.choice(position.asked), stored.encode(state)
    (first, *_) = words(rules.name)
    choices = rules.draft_choices(state, request)
    offered_tokens = panels.whole(panels.laid_out(first, panels.asked(rules.name, request), choices)) - faulty(choices)
    for token in sorted(offered_tokens) if LONG else rng.sample(sorted(offered_tokens), min(6, len(offered_tokens))):
        worked = drafts.press_option(rules.name, body, request, EMPTY_DRAFT, token)
        if text := worked.draft.text:
            assert rules.type_text(state, request, EMPTY_DRAFT, text).text == text
        if worked.answer is not None:
            rules.parse_answer(state, request, worked.answer)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_every_picture_is_described_in_as_many_characters_as_discord_takes_with_what_is_ones_own_first(system, number):
    game = tape(system, number)
    for turn in game.turns[number % EVERY :: EVERY]:
        state, events = turn.step.state, turn.step.events
        for seat in (None, *range(len(game.setup.teams))):
            view = game.rules.view(state, seat)
            for speech_of in words(system):
                alt = speech.alt_text(speech_of, view, events)
                assert 0 < len(alt) <= speech.MAX_ALT_CHARS
                near = set(speech._nearest_lines(replace(speech_of, style=PLAIN_STYLE), view))
                lines = [line for line in alt.split("\n") if line not in near]
                own = [piece.id for piece in view.pieces if piece.afloat and piece.seat == seat]
                groups = [replace(speech_of, style=PLAIN_STYLE).say_text(group) for group in view.group_lines]
                if groups and groups[0] in lines:
                    # Pieces that have no room one by one are listed by group; the game names the captain's own first.
                    assert [line for line in lines if line in groups] == groups
                else:
                    own_lines = [
                        line for line in lines if line.startswith(tuple(f"{piece.id}" for piece in view.pieces))
                    ]
                    assert [line.startswith(name) for line, name in zip(own_lines, own, strict=False)] == [True] * len(
                        own
                    )
                for page in speech.table_pages(speech_of, view):
                    assert len(page) <= speech.MAX_MESSAGE_CHARS


@pytest.mark.parametrize(("system", "number"), tapes())
def test_every_story_and_every_page_of_the_log_fits(system, number):
    game = tape(system, number)
    for turn in game.turns[number % EVERY :: EVERY]:
        for speech_of in words(system):
            for seat in (None, *range(len(game.setup.teams))):
                for most in (speech.MAX_MESSAGE_CHARS, 1200):
                    story = story_of(speech_of, turn.step.events, seat, most)
                    assert len("\n".join(story.lines)) + len(story.headline) <= most
                for page in speech.log_pages(speech_of, turn.step.events, seat):
                    assert len(page) <= speech.MAX_MESSAGE_CHARS


LONG_NAME = "Quinquereme of the second squadron of the left wing " * 3


def _label(draw: st.DrawFn, number: int) -> Text:
    """Draw a label that every game has, of any length."""
    return _said(draw(st.sampled_from((f"{number}", f"A{number}", f"{LONG_NAME}{number}"))))


def _said(name: str) -> Text:
    return Text("panel.missing", {"what": name})


@st.composite
def monsters(draw: st.DrawFn) -> Choices:
    """Draw choices of a fleet: up to 40 ships in a group, up to 12 groups of either style, long labels, 16 faults."""
    fault = Fault(kind="illegal", code="too_many_moves", rule="SQ-10.3", params={"most": 3, "moves": 4})
    fault = draw(st.sampled_from((fault, Fault(kind="unreadable", code="no_such_option", piece="x" * 60))))
    faults = draw(st.integers(0, 16))
    groups = []
    number = 0
    for _ in range(draw(st.integers(1, 12))):
        options = []
        for _ in range(draw(st.sampled_from((0, 1, 5, 6, 25, 26, 40)))):
            number += 1
            token = f"{number}".ljust(LONGEST_TOKEN, "x")
            bad = fault if number % 7 == 0 and number // 7 <= faults else None
            chosen = draw(st.integers(0, 9)) == 0
            options.append(Option(token=token, label=_label(draw, number), draft="", fault=bad, is_chosen=chosen))
        key = draw(st.sampled_from(("galley", "order", "wish", "move", "turn")))
        style = draw(st.sampled_from(("buttons", "select")))
        groups.append(OptionGroup(key=key, style=style, options=tuple(options)))
    lines = tuple(_label(draw, line) for line in range(draw(st.sampled_from((0, 1, 40, 90)))))
    missing = tuple(_label(draw, line) for line in range(draw(st.sampled_from((0, 1, 40)))))
    return Choices(groups=tuple(groups), lines=lines, missing_parts=missing)


@pytest.mark.game("matchbox")  # the choices borrow this game's words
@MONSTERS
@given(monsters(), st.booleans())
def test_a_fleet_of_forty_is_ordered_in_pages_on_which_nothing_is_lost(choices: Choices, sealed: bool):
    request = Request(id="r".ljust(LONGEST_REQUEST, "9"), seat=0, kind="orders", round=1)
    for speech_of in words("matchbox"):
        what = panels.asked("matchbox", request, Draft("x"), sealed=sealed)
        pages = panels.laid_out(speech_of, what, choices, cut=True)
        tokens = panels.whole(pages)
        assert sealed or offered(choices) <= tokens
        text = "\n".join(str(page.view.to_components()) for page in pages)
        assert all(str(speech_of.say_text(line))[:60] in text for line in choices.lines)


@pytest.mark.game("matchbox")
def test_forty_ships_stand_in_two_selects_of_one_page():
    options = tuple(Option(token=f"ship.{n}", label=_said(f"A{n}"), draft="") for n in range(40))
    choices = Choices(groups=(OptionGroup(key="galley", style="select", options=options),), lines=())
    request = Request(id="r1.orders.0", seat=0, kind="orders", round=1)
    (first, *_) = words("matchbox")
    page, _ = panels.laid_out(first, panels.asked("matchbox", request), choices)
    assert panels.taken(page).tokens == {option.token for option in options}


@pytest.mark.game("campaign")
def test_the_first_panel_of_a_season_offers_stances_and_the_legend():
    game = tape("campaign", 0)
    request = next(each for each in game.turns[0].requests if not each.battle)
    choices = game.rules.draft_choices(game.turns[0].before, request)
    for speech_of in words("campaign"):
        page, *_ = panels.laid_out(speech_of, panels.asked("campaign", request), choices)
        refs = [
            ref
            for part in panels._parts(page.view.to_components())
            if (ref := parse_custom_id(part.get("custom_id", "")))
        ]
        assert {"stance.attack", "stance.hold", "stance.evade"} <= {ref.token for ref in refs}
        assert "legend" in {ref.verb for ref in refs}
