"""Questions to captains in the middle of a turn, if their doctrine is `ask` (SQ 3.3, D-5, D-10, D-13)."""

from __future__ import annotations

from typing import Final

from rules.core.protocol import Request
from rules.core.view import Text
from rules.interface.choosing import choice_question
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE

KIND_BY_KEY: Final = {"avoid": "avoid", "fire": "fire", "rram": "reaction", "retract": "retract", "order": "first"}
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
MAX_FORMS: Final = 100
"""Upper limit of buttons, more than there are ways to form a squadron."""
FIRST_CHOICES: Final = ("first", "second")  # D-5


def offered_choices(request: Request) -> tuple[str, ...]:
    return tuple(str(request.params["offered"]).split(" "))


def _parse_word(request: Request, word: str) -> str:
    for value in offered_choices(request):
        if word == value.lower() or word in _WORD_MEANINGS.get(value, ()):
            return value
    matches = [value for value in offered_choices(request) if word and value.lower().startswith(word.replace(" ", "."))]
    return matches[0] if request.kind == "form" and len(matches) == 1 else word


def choice_label(request: Request, value: str) -> Text:
    if request.kind == "retract":
        return Text("ask.retract.stay") if value == "stay" else Text("ask.retract", {"to": value})
    if request.kind != "form":
        return Text(f"ask.{request.kind}.{value}")
    way, *rest = value.split(".")  # `range`, `astern.B1.4`, `take.B5`
    return Text(f"ask.form.{way}", dict(zip(("ship", "ships"), rest, strict=False)))


def default_choice(request: Request) -> str:
    """Return the choice if nobody answers: the default of doctrines, by which ships defend themselves (section 3)."""
    values = offered_choices(request)
    return "off" if "off" in values and request.kind == "reaction" else values[0]


DECISION_QUESTION: Final = choice_question(
    lambda request: {value: choice_label(request, value) for value in offered_choices(request)},
    rule=UNREADABLE_RULE,
    default=default_choice,
    meant=_parse_word,
    most=MAX_FORMS,
)  # D-4, D-5, D-10, D-13
