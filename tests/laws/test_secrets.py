"""Twin games: what a seat sees does not change when only facts that it may not see differ."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct, structs

from bot.jobs import telling
from rules.chance.dice import Dice
from rules.core.protocol import Draft
from rules.interface.drafts import try_read
from tests.laws.length import times
from tests.laws.play import Position, answer, encode, own, positions
from tests.samples import sample_answers

EXAMPLES = settings(max_examples=times(25, 600))
OTHER_SEED = "07e5" * 16


def with_other_dice(value: Any) -> Any:
    """Return the value with all dice in it replaced by another game's."""
    match value:
        case Dice():
            return Dice(seed=OTHER_SEED, blocks_drawn=value.blocks_drawn)
        case Struct():
            changed = {name: with_other_dice(getattr(value, name)) for name in value.__struct_fields__}
            return structs.replace(value, **changed)
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*map(with_other_dice, value))
        case tuple() | list():
            return type(value)(map(with_other_dice, value))
        case dict():
            return {key: with_other_dice(item) for key, item in value.items()}
    return value


def twins(position: Position, seat: int | None) -> Iterator[Any]:
    """Yield states that the seat cannot tell from this one."""
    yield with_other_dice(position.state)
    yield from own(position.rules.name).twins(position.state, seat)


def visible(events: Any, seat: int | None) -> bytes:
    return encode([event for event in events if event.seen_by is None or seat in event.seen_by])


def awaited(rules: Any, state: Any) -> list[Any]:
    """Return what everybody sees of the requests: their seats, kinds and order."""
    return [structs.replace(request, params={}, battle=None) for request in rules.pending_requests(state)]


@EXAMPLES
@given(positions())
def test_twins_look_alike(position: Position):
    rules, state, requests, _ = position
    drafts = {
        request.seat: rules.format_answer(request, sample_answers(rules, state, request)[-1]) for request in requests
    }
    for seat in (None, *position.seats):
        for twin in twins(position, seat):
            for draft in ("", drafts.get(seat, "")):
                assert rules.view(twin, seat, Draft(draft)) == rules.view(state, seat, Draft(draft))
            # Panels say by it what conceding costs.
            assert rules.seat_strengths(twin) == rules.seat_strengths(state)


@EXAMPLES
@given(positions())
def test_twins_ask_the_same_seats_the_same_things_in_the_same_order(position: Position):
    """Everybody sees who a game waits for: the list of requests is public, so it depends on nothing secret."""
    rules, state, _, _ = position
    for seat in (None, *position.seats):
        for twin in twins(position, seat):
            assert awaited(rules, twin) == awaited(rules, state)


@EXAMPLES
@given(positions())
def test_twins_ask_and_offer_alike(position: Position):
    rules, state, _, rng = position
    if not position.asked:
        return
    request = rng.choice(position.asked)
    samples = sample_answers(rules, state, request)
    for twin in twins(position, request.seat):
        assert [one for one in rules.pending_requests(twin) if one.seat == request.seat] == [
            one for one in rules.pending_requests(state) if one.seat == request.seat
        ]
        assert sample_answers(rules, twin, request) == samples
        for text in ("", rules.format_answer(request, samples[0])):
            assert rules.draft_choices(twin, request, Draft(text)) == rules.draft_choices(state, request, Draft(text))
        assert rules.parse_answer(twin, request, text) == samples[0]


@EXAMPLES
@given(positions())
def test_the_log_says_the_same_of_an_answer_whatever_its_reader_may_not_see(position: Position):
    rules, state, _, rng = position
    for request in position.asked:
        question = rules.questions[request.kind]
        if question.is_line_kept_sealed is None:
            continue  # all is public, and so are the earlier answers with which its words compare it
        text = rules.format_answer(request, rng.choice(sample_answers(rules, state, request)))
        lines = telling.answer_lines(rules, state, request, question.public_lines(text))
        for seat in (None, *position.seats):
            for twin in twins(position, seat) if seat != request.seat else ():
                if try_read(rules.parse_answer, twin, request, text) is not None:
                    assert telling.answer_lines(rules, twin, request, question.public_lines(text)) == lines


@EXAMPLES
@given(positions(), st.integers(0, 2**32))
def test_a_seat_sees_no_more_than_it_was_told(position: Position, whim: int):
    """If others answer differently, and the seat hears the same and the same captains are asked, its view is the same.

    What a side shares may differ if an ally answers differently.
    """
    rules, state, requests, rng = position
    seat = rng.choice((None, *position.seats))
    answers = position.answers()
    rng.seed(whim)
    others = {
        request.id: answers[request.id] if request.seat == seat else answer(rules, state, request, rng)
        for request in requests
    }
    one, other = rules.resolve(state, answers), rules.resolve(state, others)
    if visible(one.events, seat) != visible(other.events, seat) or awaited(rules, one.state) != awaited(
        rules, other.state
    ):
        return
    view, seen = rules.view(one.state, seat), rules.view(other.state, seat)
    game = own(rules.name)
    teams = game.teams(state)
    if seat is not None and any(
        answers[request.id] != others[request.id] and teams[request.seat] == teams[seat] for request in position.asked
    ):
        seen = structs.replace(seen, **{field: getattr(view, field) for field in getattr(game, "SHARED", ())})
    assert view == seen
