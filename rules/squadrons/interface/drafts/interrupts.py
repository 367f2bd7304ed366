"""What captains are asked in the middle of a turn, where their doctrine says `ask` (SQ 3.3, D-5, D-10, D-13)."""

from __future__ import annotations

from typing import Final

from rules.core.protocol import Request
from rules.core.view import Text
from rules.interface.choosing import choice_question
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE

KIND_BY_KEY: Final = {"avoid": "avoid", "fire": "fire", "rram": "reaction", "retract": "retract", "order": "first"}
"""The kind of question for each key of a doctrine."""
_WORD_MEANINGS: Final = {
    "return": ("yes", "igen", "i", "y", "fire", "lo", "loj"),
    "threat": ("yes", "igen", "i", "y", "fire", "lo", "loj"),
    "on": ("yes", "igen", "i", "y", "ram", "roham"),
    "off": ("no", "nem", "n", "hold"),
    "no": ("nem", "n", "stay", "marad", "off"),
    "fwd": ("forward", "ahead", "elore", "f", "e"),
    "back": ("astern", "hatra", "b", "h"),
    "first": ("elso", "elsokent", "1"),
    "second": ("masodik", "masodikkent", "2"),
    "stay": ("marad", "no", "nem"),
}
"""What else may be typed for a choice."""
MAX_FORMS: Final = 100
"""Buttons: more ways to form a squadron than there are."""
FIRST_CHOICES: Final = ("first", "second")
"""Who goes first: the winner, or the other (D-5)."""


def offered_choices(request: Request) -> tuple[str, ...]:
    """The choices that a request offers, the default of most kinds first."""
    return tuple(str(request.params["offered"]).split(" "))


def _parse_word(request: Request, word: str) -> str:
    for value in offered_choices(request):
        if word == value.lower() or word in _WORD_MEANINGS.get(value, ()):
            return value
    begun = [value for value in offered_choices(request) if word and value.lower().startswith(word.replace(" ", "."))]
    return begun[0] if request.kind == "form" and len(begun) == 1 else word


def choice_label(request: Request, value: str) -> Text:
    """Name a choice; of a retraction it is a place."""
    if request.kind == "retract":
        return Text("ask.retract.stay") if value == "stay" else Text("ask.retract", {"to": value})
    if request.kind != "form":
        return Text(f"ask.{request.kind}.{value}")
    way, *rest = value.split(".")  # `range`, `astern.B1.4`, `take.B5`
    return Text(f"ask.form.{way}", dict(zip(("ship", "ships"), rest, strict=False)))


def default_choice(request: Request) -> str:
    """What happens if nobody answers: she defends herself as doctrines do by default (section 3)."""
    values = offered_choices(request)
    return "off" if "off" in values and request.kind == "reaction" else values[0]


DECISION_QUESTION: Final = choice_question(
    lambda request: {value: choice_label(request, value) for value in offered_choices(request)},
    rule=UNREADABLE_RULE,
    default=default_choice,
    meant=_parse_word,
    most=MAX_FORMS,
)
"""What is decided in the middle of a turn, and how a squadron is formed (D-4, D-5, D-10, D-13)."""
