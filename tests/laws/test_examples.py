"""Whatever is shown as an example, in forms, replies and refusals, is read when it is typed, in each language."""

import re
from collections.abc import Iterator

import pytest

from bot.jobs.drafts import TypedText, read_typed
from bot.texts.i18n import Localizer
from bot.texts.style import ZERO_WIDTH_SPACE
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Request
from rules.core.ruleset import Ruleset
from tests.laws.play import Tape, Turn, tape, tapes, words

PIECES = re.compile(r"`([^`]+)`")
SHOWS_EXAMPLE = "`{expected}`"
UNREADABLE = ("{word}", "{ship}: {word}", "{ship} {word}")
WORDS = (
    *("zz9", "ram", "grapple", "fwd 99999", "turn", "transfer", "shoot", "fire", "board", "xfer", "sail", "doctrine"),
    *("back", "veer", "steer", "face", "swipe", "rake", "x", "ana", "cut", "place", "@1", "aim"),
)


def questions(game: Tape) -> Iterator[tuple[Turn, Request]]:
    for turn in game.turns:
        for request in turn.requests:
            if not request.battle:
                yield turn, request


def is_read(rules: Ruleset, turn: Turn, request: Request, text: str, language: Localizer) -> bool:
    typed = TypedText(text.replace(ZERO_WIDTH_SPACE, ""), language.names)  # which an @ has in Discord
    try:
        read_typed(rules, turn.before, request, EMPTY_DRAFT, typed)
    except OrderError:
        return False
    return True


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_example_of_a_question_can_be_typed(system: str, number: int) -> None:
    game = tape(system, number)
    for turn, request in questions(game):
        values = game.rules.example_values(turn.before, request)
        for language in words(system):
            pieces = PIECES.findall(language.say(f"example.{request.kind}", **values))
            assert pieces
            for piece in pieces:
                assert is_read(game.rules, turn, request, piece, language), (request, piece)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_the_example_in_a_refusal_can_be_typed(system: str, number: int) -> None:
    game = tape(system, number)
    for at, (turn, request) in enumerate(questions(game)):
        ships = re.findall(r"\b[A-Z]\d\b", str(game.rules.example_values(turn.before, request)))
        word = WORDS[at % len(WORDS)]
        for template in UNREADABLE:
            text = template.format(ship=ships[0] if ships else "A1", word=word)
            try:
                game.rules.type_text(turn.before, request, EMPTY_DRAFT, text)
            except OrderError as refusal:
                fault = refusal.fault
            else:
                continue
            for language in words(system):
                assert language.fault_text(fault).count("`") % 2 == 0
                assert "``" not in language.fault_text(fault)
                if SHOWS_EXAMPLE in language.catalogue.template(f"fault.{fault.code}"):
                    example = str(fault.params["expected"])
                    assert is_read(game.rules, turn, request, example, language), (text, fault)
