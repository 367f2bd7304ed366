"""Lines that outlast their turn stay sealed: doctrines and stored plans, in any answer, under every option of every
game."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest

from rules.core.errors import OrderError
from rules.core.protocol import Request
from tests.laws import options
from tests.laws.length import times
from tests.laws.options import Moment
from tests.laws.play import encode
from tests.laws.test_secrets import visible

STEPS = times(7, 25)
EACH = times(1, 2)
SAMPLES = times(6, 2)
"""Of sample answers, one in so many is tried."""
TWINS_MOST = times(2, 40)
"""Of each kind of question in a game."""
LINES_MOST = times(2, 8)
"""Of the lines that stay sealed in some answer, so many are put into each other one."""


def sealed_lines(moments: list[Moment]) -> list[str]:
    """Return the lines of samples that stay sealed in some kind of answer of a game."""
    lines: dict[str, None] = {}
    for moment in moments:
        for request in moment.asked:
            sealed = moment.rules.questions[request.kind].is_line_kept_sealed
            if sealed:
                texts = [moment.rules.format_answer(request, answer) for answer in moment.samples[request.id]]
                lines |= {line: None for text in texts for line in text.split("\n") if sealed(line)}
    return list(lines)


def twins(moment: Moment, request: Request, lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of answers in canonical notation, of which one has one more line that stays sealed in some other
    answer."""
    rules, state = moment.rules, moment.state
    for plain in [rules.format_answer(request, answer) for answer in moment.samples[request.id][::SAMPLES]]:
        for line in lines:
            try:
                first, other = (rules.parse_answer(state, request, text) for text in (plain, f"{plain}\n{line}"))
            except OrderError:
                continue
            if first != other:
                yield rules.format_answer(request, first), rules.format_answer(request, other)


@pytest.mark.parametrize(("system", "number"), options.games())
def test_nobody_can_tell_whether_an_answer_has_lines_that_hold_on(system: str, number: int) -> None:
    """An answer reads, looks and asks the same to others with such a line and without."""
    setup, rng = options.setups(system)[number], random.Random(number)
    moments = list(options.walk(setup, rng, steps=STEPS, each=EACH))
    lines = sealed_lines(moments)
    lines = rng.sample(lines, min(LINES_MOST, len(lines)))
    tried: Counter[str] = Counter()
    for moment, request in ((each, request) for each in moments for request in each.asked):
        for texts in islice(twins(moment, request, lines), TWINS_MOST - tried[request.kind]):
            tried[request.kind] += 1
            if not request.optional:
                first, other = map(moment.rules.questions[request.kind].public_lines, texts)
                assert first == other, f"it can be read in {request.id}"
            same_to_others(moment, request, texts)


def same_to_others(moment: Moment, request: Request, texts: tuple[str, str]) -> None:
    """Check that others see and are asked the same, unless they were told something else."""
    rules, state = moment.rules, moment.state
    together = [one for one in moment.asked if one.id != request.id and not (one.optional or request.optional)]
    others = {request.id: moment.samples[request.id][0] for request in together}
    first, other = (
        rules.resolve(state, {**others, request.id: rules.parse_answer(state, request, text)}) for text in texts
    )
    for seat in (None, *range(len(moment.setup.teams))):
        if seat == request.seat or visible(first.events, seat) != visible(other.events, seat):
            continue
        requests_by_end = [
            [each for each in rules.pending_requests(step.state) if each.seat == seat] for step in (first, other)
        ]
        assert requests_by_end[0] == requests_by_end[1]
        if seat is None or moment.setup.teams[seat] != moment.setup.teams[request.seat]:
            assert encode(rules.view(first.state, seat)) == encode(rules.view(other.state, seat))


@pytest.mark.parametrize("system", [name for name, number in options.games() if number == 0])
def test_some_lines_stay_sealed_wherever_answers_hold_on(system: str) -> None:
    """The law above has something to hold: each game with such lines offers them in some setup."""
    sealing = [kind for kind, question in options.RULESETS[system].questions.items() if question.is_line_kept_sealed]
    sealed = [
        sealed_lines(list(options.walk(setup, random.Random(0), steps=4, each=1)))
        for setup in options.setups(system)[:3]
    ]
    assert any(sealed) == bool(sealing)
