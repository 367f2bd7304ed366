"""Before the first player-turn: the flagship and the start hexes (NB-02)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, cast

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, Option
from rules.core.view import Text
from rules.forts.engine.boards import Harbour
from rules.forts.engine.state import (
    CLASSES,
    CODES,
    START_ORDER,
    ClassCode,
    FlagshipChoice,
    Placement,
    PlayerColour,
    Ship,
    State,
)
from rules.forts.engine.turn import fort_side_of
from rules.interface.drafts import AnswerNotation, single_value_notation
from rules.interface.panels import button_row, select_menu
from rules.interface.typed import split_pieces

DEFAULT_FLAGSHIP: Final = FlagshipChoice(CODES[0])
_PLACED_SHIP_PATTERN: Final = re.compile(rf"({'|'.join(CODES)})[@>:\s]*([A-Z][1-9][0-9]?)")  # `BB D5`


def harbour_of(state: State, colour: PlayerColour) -> Harbour:
    return state.position.board.harbour_of(fort_side_of(state.position, colour))


def default_placement(berths: Harbour) -> Placement:
    hex_by_code = dict(zip(START_ORDER, berths.start, strict=True))
    return Placement(tuple(hex_by_code[code] for code in CODES))


def placed_fleet(colour: PlayerColour, placement: Placement) -> tuple[Ship, ...]:
    return tuple(Ship(colour=colour, code=code, hex=at) for code, at in zip(CODES, placement.hexes, strict=True))


# --- the flagship ------------------------------------------------------------------------------------------------


def parse_flagship(text: str) -> FlagshipChoice:
    """Return the choice for a ship's code, by default the battleship (NB-02.3). Raises `UnreadableOrder`."""
    code = "".join(text.split()).upper() or CODES[0]
    if code not in CODES:
        raise UnreadableOrder("flagship_unreadable", piece=quote_excerpt(text))
    return FlagshipChoice(code)


FLAGSHIP_NOTATION: Final[AnswerNotation[State, None, FlagshipChoice | None, FlagshipChoice]] = single_value_notation(
    context=lambda *_: None, parse=lambda _, text: parse_flagship(text), format=lambda answer: answer.code
)


def flagship_choices(context: None, draft: FlagshipChoice | None) -> Choices:
    choice = draft or DEFAULT_FLAGSHIP
    ships = (
        FLAGSHIP_NOTATION.make_option(
            context, FlagshipChoice(code), code, Text("choice.flagship", {"ship": code}), chosen=code == choice.code
        )
        for code in CODES
    )
    return Choices(groups=(button_row("flagship", ships),), lines=flagship_lines(choice))


def flagship_lines(choice: FlagshipChoice) -> tuple[Text, ...]:
    """Return the name of the chosen ship, and what she can do."""
    ship_class = CLASSES[choice.code]
    abilities = {"hits": ship_class.margin, "shots": ship_class.shots, "steps": ship_class.wind}
    return Text("line.flagship", {"ship": choice.code}), Text("line.flagship_class", abilities)


# --- the start hexes ---------------------------------------------------------------------------------------------


def format_placement(placement: Placement) -> str:
    """Return a placement as text, such as `BB D5; GA D6; FR C5; BR C7`."""
    return "; ".join(f"{code} {at}" for code, at in zip(CODES, placement.hexes, strict=True))


def parse_into(berths: Harbour, placement: Placement, text: str) -> Placement:
    """Return the placement changed by the text; displaced ships move to free start hexes.

    Raises `OrderError` for unreadable text, or a hex that is no start hex or given twice (NB-02.2).
    """
    new_hexes: dict[ClassCode, str] = {}
    for piece in split_pieces(text.upper(), ";,\n\r"):
        match = _PLACED_SHIP_PATTERN.fullmatch(piece)
        if not match:
            raise UnreadableOrder(
                "berth_unreadable", piece=quote_excerpt(piece), expected=format_placement(default_placement(berths))
            )
        code, label = cast("ClassCode", match[1]), match[2]
        if label not in berths.start:
            raise IllegalOrder("no_start_hex", "NB-02.2", piece=piece, hex=label, legal=", ".join(berths.start))
        if code in new_hexes or label in new_hexes.values():
            raise IllegalOrder("berth_twice", "NB-02.2", piece=piece, ship=code, hex=label)
        new_hexes[code] = label
    hexes_before = dict(zip(CODES, placement.hexes, strict=True))
    unchanged = {
        code: label for code, label in hexes_before.items() if code not in new_hexes and label not in new_hexes.values()
    }
    free_hexes = [label for label in berths.start if label not in (*new_hexes.values(), *unchanged.values())]
    placed = {**unchanged, **new_hexes}
    return Placement(tuple(placed[code] if code in placed else free_hexes.pop(0) for code in CODES))


PLACEMENT_NOTATION: Final[AnswerNotation[State, Harbour, Placement, Placement]] = AnswerNotation(
    context=lambda state, request: harbour_of(state, state.colour_of(request.seat)),
    empty_draft=default_placement,
    parse_into=parse_into,
    write_draft=lambda _, placement: Draft(format_placement(placement)),
    complete_answer=lambda _, placement: placement,
    format_answer=format_placement,
)


def placement_choices(berths: Harbour, placement: Placement) -> Choices:
    hex_by_code = dict(zip(CODES, placement.hexes, strict=True))
    groups = tuple(select_menu(code, _hex_options(berths, placement, code, hex_by_code[code])) for code in CODES)
    return Choices(
        groups=groups, lines=tuple(Text("line.berth", {"ship": code, "hex": hex_by_code[code]}) for code in CODES)
    )


def _hex_options(berths: Harbour, placement: Placement, code: ClassCode, present_hex: str) -> Iterator[Option]:
    for label in berths.start:
        change = {present_hex: label, label: present_hex}
        swapped = Placement(tuple(change.get(at, at) for at in placement.hexes))
        text = Text("choice.berth", {"ship": code, "hex": label})
        yield PLACEMENT_NOTATION.make_option(berths, swapped, f"{code}.{label}", text, chosen=present_hex == label)
