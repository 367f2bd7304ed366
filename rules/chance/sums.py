"""Sums of dice and modifiers, as texts."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.view import Text


def sum_text(dice: Sequence[int], modifier: int = 0, causes: Sequence[Text] = ()) -> Text:
    """Return dice, modifiers and total, such as "4 + 5, +1 towers = 10", or only the die if it is the only number.

    `causes` name the parts of the modifier, each with its amount. Without them the modifier has no name: "4 + 5 + 1 =
    10".
    """
    first, *others = dice
    terms = Text("sum.die", {"die": first})
    for die in others:
        terms = Text("sum.more_dice", {"so_far": (terms,), "die": die})
    for cause in causes:
        terms = Text("sum.because", {"so_far": (terms,), "modifier": (cause,)})
    if modifier and not causes:
        terms = Text("sum.modified", {"so_far": (terms,), "amount": modifier})
    if not (others or causes or modifier):
        return terms
    return Text("sum.total", {"so_far": (terms,), "total": sum(dice) + modifier})
