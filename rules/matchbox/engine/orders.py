"""Order lists: reading, writing and legality (MB-3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import structs

from rules.core.errors import Fault, IllegalOrder, Scalar, UnreadableOrder, quote_excerpt
from rules.interface.typed import fold_text
from rules.matchbox.engine.state import SLOTS, Galley, OrderList

ORDER_LETTERS: Final = "FLRXZ"
_LETTER_MEANINGS: Final = dict(zip("FLRXZEBJTA", ORDER_LETTERS * 2, strict=True))
"""English and Hungarian letters, which do not overlap (MB-3.10)."""
_GRAPPLE_LETTERS: Final = {"G": "G", "C": "G"}  # english and Hungarian letters for grappling (MX-3.1)
_WORD_MEANINGS: Final = dict(
    zip(
        ["forward", "left", "right", "fire", "grapple", "elore", "balra", "jobbra", "tuz", "csaklya"],
        "FLRXG" * 2,
        strict=True,
    )
)
_IGNORED_PATTERN: Final = re.compile(r"[\s,\-‐‑‒–—−]*")  # spaces, commas and dashes between orders
_WORD_PATTERN: Final = re.compile(r"[^\s,;()\-‐‑‒–—−]+")
_ORDER_PATTERN: Final = re.compile("ZZ|.")
_WISH_PATTERN: Final = re.compile(r"\(\s*([0-9]{1,2})\s*[-‐‑‒–—−]\s*([0-9]{1,2})\s*\)")  # such as `(4-2)`


def parse_legal(galley: Galley, text: str, *, boarding: bool | None = None) -> OrderList:
    """Return a galley's order list, complete and legal (MB-3.3 to 3.7, 3.10).

    `boarding` says whether `G` may be ordered (MX-3.1). If None, `G` is unreadable. Raises `UnreadableOrder`, or
    `IllegalOrder` that names the rule and what would be legal.
    """
    orders, wishes = parse_orders(text, grapples=boarding is not None)
    if "G" in orders and not boarding:
        raise IllegalOrder("no_boarding", "MX-3.1", piece=f"{galley.id} {orders}", galley=galley.id, orders=orders)
    fault = _find_excess(galley, orders) or short_fault(galley, orders)
    if fault:
        raise IllegalOrder(fault.code, fault.rule, piece=fault.piece, **fault.params)
    return OrderList(galley.id, orders, wishes)


def list_without_wishes(galley: str, letters: str) -> OrderList:
    return OrderList(galley, letters, ((0, 0),) * letters.count("ZZ"))


def parse_orders(text: str, *, grapples: bool = False) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the orders in a text, and the wish of each `ZZ`, legal or not (MB-3.10). Raises `UnreadableOrder`."""
    orders: list[str] = []
    wishes: list[tuple[int, int]] = []  # oars to port and to starboard after each `ZZ`; (0, 0): no wish
    position = _skip_ignored(text, 0)
    while position < len(text):
        word_order, length = _order_word(text, position)
        if word_order and (grapples or word_order != "G"):
            orders.append(word_order)
            position = _skip_ignored(text, position + length)
            continue
        letter = _order_letter(text[position], grapples=grapples)
        if letter is None:
            raise _unreadable(text, position, grapples=grapples)
        letter_position = position
        position = _skip_ignored(text, position + 1)
        if letter == "Z":
            has_second_z = position < len(text) and _LETTER_MEANINGS.get(text[position].upper()) == "Z"
            if not has_second_z:
                _, unknown_letters = _unknown_word(text, letter_position, grapples=grapples)
                if unknown_letters:  # a word such as "attack" that contains other letters
                    raise _unreadable(text, letter_position, grapples=grapples)
                raise UnreadableOrder("lone_z", piece=text[letter_position : position + 1].strip(), expected="ZZ")
            position = _skip_ignored(text, position + 1)
            wanted_oars = (0, 0)
            if text[position : position + 1] == "(":
                match = _WISH_PATTERN.match(text, position)
                if not match:
                    raise UnreadableOrder("bad_wish", piece=text[position : position + 12], expected="ZZ(4-2)")
                wanted_oars = (int(match[1]), int(match[2]))
                position = _skip_ignored(text, match.end())
            wishes.append(wanted_oars)
            letter = "ZZ"
        orders.append(letter)
    return "".join(orders), tuple(wishes)


def format_list(order_list: OrderList) -> str:
    """Return a list in canonical notation, such as `ZZ(4-2)XF`."""
    return "".join(split_wishes(order_list))


def split_wishes(order_list: OrderList) -> list[str]:
    """Return the single orders of a list, each `ZZ` with its wish, such as `ZZ(4-2)`."""
    wishes = iter(order_list.wishes)
    parts = []
    for order in split_orders(order_list.orders):
        port, starboard = next(wishes, (0, 0)) if order == "ZZ" else (0, 0)
        parts.append(f"{order}({port}-{starboard})" if port or starboard else order)
    return parts


def split_orders(orders: str) -> tuple[str, ...]:
    """Return the single orders of a list: `F`, `L`, `R`, `X`, `G` and `ZZ`."""
    return tuple(_ORDER_PATTERN.findall(orders))


def step_orders(order_list: OrderList) -> tuple[str, ...]:
    """Return the action in each of the five order steps: `F`, `L`, `R`, `X`, `G`, `Z1`, `Z2` or `""` (MB-3.9)."""
    return _step_orders(order_list.orders)


@lru_cache(maxsize=1024)
def _step_orders(orders: str) -> tuple[str, ...]:
    actions: list[str] = []
    for order in split_orders(orders):
        actions += ("Z1", "Z2") if order == "ZZ" else (order,)
    return tuple(actions + [""] * (SLOTS - len(actions)))


def list_fault(galley: Galley, orders: str) -> Fault | None:
    """Return why these orders, finished or not, exceed what the galley may do (MB-3.3 to 3.6), or None."""
    for end in range(1, len(orders) + 1):
        fault = _find_excess(galley, orders[:end])
        if fault:
            return fault
    return None


def extend_fault(galley: Galley, orders: str, wishes: Sequence[tuple[int, int]], letter: str) -> Fault | None:  # noqa: ARG001 -- wishes do not affect it
    """Return why `letter` (`F`, `L`, `R`, `X`, `G` or `ZZ`) may not be appended to a list, or None."""
    fault = _find_excess(galley, orders + letter)
    if fault and letter == "ZZ" and len(orders) == SLOTS - 1 and fault.code == "too_many_orders":
        return structs.replace(fault, code="one_order_left")
    return fault


def short_fault(galley: Galley, orders: str) -> Fault | None:
    """Return why the list may not end here, because `F` or `X` could be added (MB-3.7), or None."""
    addable = [letter for letter in "FX" if _find_excess(galley, orders + letter) is None]
    if not addable:
        return None
    return _order_fault("too_few_orders", "MB-3.7", galley, orders, could_add=" / ".join(addable))


def addable_orders(galley: Galley, orders: str) -> str:
    """Return the orders that may be appended to a list, such as `FLRXZZ`."""
    return "".join(letter for letter in ("F", "L", "R", "X", "ZZ") if not _find_excess(galley, orders + letter))


def missing_orders(galley: Galley, orders: str) -> str:
    """Return `F` and `X` as often as they must still be added (MB-3.7)."""
    so_far = orders
    for letter in ("F", "X"):
        while _find_excess(galley, so_far + letter) is None:
            so_far += letter
    return so_far[len(orders) :]


def _find_excess(galley: Galley, orders: str) -> Fault | None:
    """Return the first of MB-3.3, 3.4, MX-2.3, MB-3.5 and 3.6 that these orders break, or None."""
    moves = sum(map(orders.count, "FLR"))
    oars = min(galley.port, galley.starboard)
    matches_needed = moves + orders.count("Z")  # a `ZZ` takes two
    if len(orders) > SLOTS:
        return _order_fault("too_many_orders", "MB-3.3", galley, orders, most=SLOTS)
    if moves > min(oars, galley.kind.max_moves):
        return _too_many_moves(galley, orders, oars)
    fires = orders.count("X") + orders.count("G")
    if fires and not galley.masts:
        return _order_fault("no_masts", "MB-3.5", galley, orders, most=0)
    if fires > galley.masts:
        code = "too_much_fire_or_grappling" if "G" in orders else "too_much_fire"
        return _order_fault(code, "MB-3.5", galley, orders, most=galley.masts)
    if matches_needed > galley.holes:
        return _order_fault("too_few_matches", "MB-3.6", galley, orders, most=galley.holes, used=matches_needed)
    return None


def _too_many_moves(galley: Galley, orders: str, oars: int) -> Fault:
    if sum(map(orders.count, "FLR")) > oars:
        return _order_fault("too_many_moves", "MB-3.4", galley, orders, most=oars)
    return _order_fault("too_many_moves_of_kind", "MX-2.3", galley, orders, most=galley.kind.max_moves)


def _order_fault(code: str, rule: str, galley: Galley, orders: str, **params: Scalar) -> Fault:
    all_params = {"galley": galley.id, "orders": orders, **params}
    return Fault(kind="illegal", code=code, rule=rule, piece=f"{galley.id} {orders}".strip(), params=all_params)


def _order_word(text: str, at: int) -> tuple[str, int]:
    """Return the order named by a whole word that begins here, and the word's length; empty: none."""
    is_inside_word = at > 0 and text[at - 1].isalpha()
    word = None if is_inside_word else _WORD_PATTERN.match(text, at)
    if not word:
        return "", 0
    return _WORD_MEANINGS.get(fold_text(word[0]), ""), len(word[0])


def _order_letter(char: str, *, grapples: bool) -> str | None:
    return _LETTER_MEANINGS.get(char.upper()) or (grapples and _GRAPPLE_LETTERS.get(char.upper())) or None


def _unknown_word(text: str, at: int, *, grapples: bool) -> tuple[str, str]:
    """Return the word around a character, and those of its letters that are no orders."""
    word = next((match[0] for match in _WORD_PATTERN.finditer(text) if match.start() <= at < match.end()), text[at])
    return word, "".join(char for char in word if _order_letter(char, grapples=grapples) is None)


def _unreadable(text: str, at: int, *, grapples: bool) -> UnreadableOrder:
    word, bad_letters = _unknown_word(text, at, grapples=grapples)
    following_words = [match for match in _WORD_PATTERN.finditer(text) if match.start() > at]
    are_words = word.isalpha() and any(
        _unknown_word(text, match.start(), grapples=grapples)[1] for match in following_words
    )
    if are_words:  # a sentence such as "fly north": a single letter of it says little
        piece = quote_excerpt(text[text.rindex(word, 0, at + len(word)) :])
    else:
        piece = word[:20] if len(bad_letters) > 1 else bad_letters
    return UnreadableOrder("unknown_order", piece=piece, expected="F L R X G ZZ" if grapples else "F L R X ZZ")


def _skip_ignored(text: str, at: int) -> int:
    match = _IGNORED_PATTERN.match(text, at)
    return match.end() if match else at
