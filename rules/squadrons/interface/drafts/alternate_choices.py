"""Formation and speeds chosen by both sides in turn, if options ask for it (SQ-05.8, SQ-07.1).

Otherwise the sealed sheets decide both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec import structs

from rules.core.errors import IllegalOrder, quote_excerpt
from rules.core.finding import with_value_at
from rules.core.protocol import Choices, Request
from rules.core.view import Text
from rules.interface.panels import single_choice
from rules.interface.question import Choice, choice_question
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE
from rules.squadrons.engine.notation.orders import SIDES, FleetSide, Speed, SquadronForm
from rules.squadrons.engine.notation.typed_words import to_notation_words
from rules.squadrons.engine.phases.command import command, turn_start
from rules.squadrons.engine.sea.state import Squadron, State
from rules.squadrons.interface.drafts import sheets, squadron_orders
from rules.squadrons.interface.drafts.answers import OrderSheet
from rules.squadrons.interface.drafts.sheets import OrderDraft

# kind of request by the doctrine that says `ask`
KIND_BY_KEY: Final = {"avoid": "avoid", "fire": "fire", "rram": "reaction", "retract": "retract", "order": "first"}
_WORD_MEANINGS: Final = {  # other words that captains may type, by choice
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
    "range": ("kor", "korben", "loose"),
}
MAX_FORMS: Final = 100  # upper limit of buttons, more than there are ways to form a squadron
FIRST_CHOICES: Final = ("first", "second")  # SQ-03.2


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
    form, *details = value.split(".")  # `range`, `astern.B1.4`, `take.B5`
    return Text(f"ask.form.{form}", dict(zip(("ship", "ships"), details, strict=False)))


def default_choice(request: Request) -> str:
    """Return the choice if nobody answers: the default of doctrines, by which ships defend themselves (SQ-03)."""
    values = offered_choices(request)
    return "off" if "off" in values and request.kind == "reaction" else values[0]


_EXAMPLES: Final = ("return", "threat", "on", "off", "no", "fwd", "back", "first", "second", "stay", "range")
"""Choices that are one word each in every language."""

DECISION_QUESTION: Final = choice_question(
    lambda request: {value: choice_label(request, value) for value in offered_choices(request)},
    rule=UNREADABLE_RULE,
    default=default_choice,
    meant=_parse_word,
    most=MAX_FORMS,
    example_values=lambda request: {"choice": next(value for value in offered_choices(request) if value in _EXAMPLES)},
)  # SQ-05.8, SQ-03.2, SQ-10.2, SQ-13.11


_EXCEPTION_PATTERN: Final = re.compile("([br][1-9][0-9]?) ?:? ?([cm])")  # `b4 m`: the speed of a single ship


# --- squadrons ---------------------------------------------------------------------------------------------------


def chosen_forms(state: State, side: FleetSide) -> tuple[SquadronForm, ...]:
    forms = state.forms[SIDES.index(side)]
    return sheets.forms_of_sheet(sheets.order_context(state, _first_captain(state, side)), OrderSheet(forms=forms))


def next_unformed(state: State, side: FleetSide) -> Squadron | None:
    formed_leaders = {form.leader for form in state.forms[SIDES.index(side)]}
    squadrons = command.form_squadrons(state.position, side)
    return next(
        (squadron for squadron in squadrons if squadron.number and squadron.display_name not in formed_leaders), None
    )


def possible_forms(state: State, squadron: Squadron) -> Mapping[str, SquadronForm]:
    context = sheets.order_context(state, command.seat_of(state, squadron.flagship))
    draft = OrderDraft(sheet=OrderSheet(forms=state.forms[SIDES.index(squadron.side)]))
    return {
        "range": SquadronForm(squadron.display_name),
        **dict(squadron_orders.possible_forms(context, draft, squadron.display_name)),
    }


def with_form(state: State, squadron: Squadron, form_name: str) -> State:
    side_number = SIDES.index(squadron.side)
    form = possible_forms(state, squadron)[form_name]
    forms = (*state.forms[side_number], form)
    return structs.replace(state, forms=with_value_at(state.forms, side_number, forms))


def _first_captain(state: State, side: FleetSide) -> int:
    captains = command.captains_of_side(state, side)
    if not captains:  # all have conceded
        captains = tuple(captain for captain in state.captains if captain.side == side)
    return captains[0].seat


# --- speeds ------------------------------------------------------------------------------------------------------


def squadrons_without_speed(state: State, side: FleetSide) -> tuple[Squadron, ...]:
    squadrons = [
        squadron for squadron in state.squadrons if squadron.side == side and squadron.flagship not in state.paced
    ]
    return tuple(sorted(squadrons, key=lambda squadron: not squadron.number))


def sheet_speeds(state: State, squadron: Squadron) -> Mapping[str, Speed]:
    sheet = state.sheets[SIDES.index(squadron.side)]
    return {name: sheet.speeds[name] for name in squadron.ships if name in sheet.speeds} if sheet else {}


def needs_speed_question(state: State, squadron: Squadron) -> bool:
    """Return whether the captain must choose speeds: the sheet sets none, and a ship may row at Max."""
    position = state.position
    ships = [position.ship_by_id(name) for name in squadron.ships]
    may_row_at_max = any(turn_start.why_max_barred(position, ship) is None for ship in ships)
    return may_row_at_max and not sheet_speeds(state, squadron)


class SpeedContext(NamedTuple):
    ships: tuple[str, ...]  # of the squadron
    doctrine_speed: Speed  # by the side's doctrine (SQ-07.1)


def speed_context(state: State, request: Request) -> SpeedContext:
    side = state.captains[request.seat].side
    doctrine = state.doctrines[SIDES.index(side)].find_value("speed", side)
    return SpeedContext(tuple(str(request.params["ships"]).split(" ")), "M" if doctrine == "max" else "C")


def parse_speeds(context: SpeedContext, text: str) -> Choice:
    """Parse `M`, or `C; B4 M`: a common speed, then exceptions. Raises `IllegalOrder`."""
    ships = context.ships
    common_speed = "C"
    speed_by_ship: dict[str, str] = {}
    for number, piece in enumerate(re.split("[;,\n]", to_notation_words(text))):
        match = _EXCEPTION_PATTERN.fullmatch(piece.strip())
        if match and match[1].upper() in ships:
            speed_by_ship[match[1].upper()] = match[2].upper()
        elif piece.strip() in ("c", "m") and not number:
            common_speed = piece.strip().upper()
        else:
            raise IllegalOrder("bad_speed", UNREADABLE_RULE, piece=quote_excerpt(piece.strip()), ship=ships[0])
    exceptions = [name for name in ships if speed_by_ship.get(name, common_speed) != common_speed]
    return Choice("; ".join((common_speed, *(f"{name} {speed_by_ship[name]}" for name in exceptions))))


def speeds_of_choice(ships: tuple[str, ...], choice: str) -> Mapping[str, Speed]:
    """Return the speed of each ship by a choice such as `C; B4 M`."""
    common_speed, *pieces = choice.split("; ")
    exceptions = dict(piece.split(" ") for piece in pieces)
    return {name: "M" if exceptions.get(name, common_speed) == "M" else "C" for name in ships}


def speed_choices(context: SpeedContext, choice: Choice | None) -> Choices:
    line = Text("line.ships", {"ships": ", ".join(context.ships)})
    labels = {"C": Text("speed.cruise"), "M": Text("speed.max")}
    return single_choice("pace", labels, choice.choice if choice else "", line=line)
