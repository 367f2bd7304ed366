"""A typed order with a slip is read, or refused in the captain's own words with the nearest order that can be read."""

import random
import re
from collections.abc import Iterator

import pytest
from msgspec import structs

from bot.jobs.drafts import TypedText, read_typed
from rules.chance.dice import Dice
from rules.core.errors import Fault, OrderError
from rules.core.protocol import EMPTY_DRAFT, Request
from rules.core.registry import RULESETS
from tests.laws.length import times
from tests.laws.play import SYSTEMS, Tape, Turn, tape, tapes, words

SLIPS = times(6, 60)
"""Requests of a game for which a slip is typed."""
MIN_SUGGESTED_PART = 0.5
"""Of refused lines that have a readable neighbour: a single wrong letter, such as `k`, may be like nothing."""
MAX_TYPED_CHARS = 70
WITH_COLON = re.compile(r"(^|; |\n)((?:[A-Z]{1,2}\d{1,3} ?)+|all): ")
LETTERS = "bcdgkmqwy"
LIBRARY_ENGLISH = re.compile(r"Expected `|, got `|msgspec|Traceback|at `\$|byte \d|Invalid |malformed", re.IGNORECASE)


def typed_requests(game: Tape, number: int) -> Iterator[tuple[Turn, Request, str]]:
    """Yield requests with their answers, of which only the first line is kept if they are long."""
    rng = random.Random(number)
    moments = [
        (turn, request)
        for turn in game.turns
        for request in turn.requests
        if request.id in turn.answers and not request.battle and not request.optional
    ]
    for turn, request in rng.sample(moments, min(SLIPS, len(moments))):
        text = game.rules.format_answer(request, turn.answers[request.id])
        yield turn, request, text if len(text) <= MAX_TYPED_CHARS else re.split("[;\n]", text)[0][:MAX_TYPED_CHARS]


def with_slip(text: str, rng: random.Random) -> str:
    """Return a text with one letter or digit replaced by a letter."""
    places = [place for place, char in enumerate(text) if char.isalnum()]
    if not places:
        return text + rng.choice(LETTERS)
    place = rng.choice(places)
    return text[:place] + rng.choice(LETTERS) + text[place + 1 :]


def causes(fault: Fault) -> list[Fault]:
    return [cause for each in fault.faults for cause in causes(each)] or [fault]


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_refusal_quotes_what_was_typed_and_suggests_an_order_that_can_be_read(system, number):
    game, rng = tape(system, number), random.Random(f"{system} {number}")
    refused, suggested = 0, 0
    for turn, request, text in typed_requests(game, number):
        slip = with_slip(text, rng)
        try:
            read_typed(game.rules, turn.before, request, EMPTY_DRAFT, TypedText(slip, {}))
        except OrderError as error:
            fault = error.fault
        else:
            continue
        for cause in causes(fault):
            if cause.kind != "illegal":
                assert cause.piece.rstrip("…") in " ".join(slip.split()), (slip, cause)
            refused += 1
            suggested += bool(cause.suggestion)
            for language in words(system) if cause.suggestion else ():
                typed = language.catalogue.localise_orders(cause.suggestion)
                read = read_typed(game.rules, turn.before, request, EMPTY_DRAFT, TypedText(typed, {}))
                assert read.text, (slip, typed)
        for language in words(system):
            sentence = language.fault_text(fault)
            assert not LIBRARY_ENGLISH.search(sentence), sentence
            for cause in causes(fault):
                orders = language.catalogue.localise_orders(cause.suggestion)
                assert not orders or language.say("did_you_mean", orders=orders) in sentence
    assert suggested >= MIN_SUGGESTED_PART * refused, (suggested, refused)


@pytest.mark.parametrize("system", [system for system in SYSTEMS if RULESETS[system].accepts_scenario])
@pytest.mark.parametrize("text", ["sides = [", "turn_limit = 'x'", "nonsense", "[[sides]]\nname = 3", "\x00"])
def test_a_scenario_that_cannot_be_read_is_refused_with_its_place_and_without_english_of_a_library(system, text):
    rules = RULESETS[system]
    setup = structs.replace(tape(system, 0).setup, options={}, teams=rules.seats({}), scenario=text)
    with pytest.raises(OrderError) as refused:
        rules.check_setup(setup)
        rules.start(setup, Dice(seed="00" * 32))
    for language in words(system):
        sentence = str(language.fault_text(refused.value.fault))
        assert not LIBRARY_ENGLISH.search(sentence), sentence
        assert str(refused.value.fault.params.get("at", "")) in sentence


@pytest.mark.parametrize(("system", "number"), tapes())
def test_orders_without_colons_with_full_stops_in_capitals_and_with_dashes_of_phones_are_read(system, number):
    game = tape(system, number)
    rules = game.rules
    for turn, request, text in typed_requests(game, number):
        if not text:
            continue
        expected = read_typed(rules, turn.before, request, EMPTY_DRAFT, TypedText(text, {})).text
        for typed in (
            ".\n".join(text.split("\n")) + ".",
            text.upper(),
            text.lower(),
            text.replace("-", "–").replace("'", "’").replace('"', "”"),
            WITH_COLON.sub(r"\1\2 ", text),
        ):
            read = read_typed(rules, turn.before, request, EMPTY_DRAFT, TypedText(typed, {})).text
            assert read == expected, typed


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("text", ["fly north", "what is this?", "go home", "menj haza", "attack them now", "mi ez?"])
def test_what_is_no_order_is_quoted_whole_and_suggests_nothing(system, text):
    game = tape(system, 0)
    for turn in game.turns[:3]:
        for request in turn.requests:
            if request.battle or request.optional:
                continue
            with pytest.raises(OrderError) as refused:
                read_typed(game.rules, turn.before, request, EMPTY_DRAFT, TypedText(text, {}))
            for cause in causes(refused.value.fault):
                assert not cause.suggestion
                assert len(cause.piece) > 1
