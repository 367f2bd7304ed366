"""A game as it is told afterwards: which of its steps make a round, without those that were taken back."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from rules.replay import Undone


class Chapter(Struct, frozen=True):
    """What was asked and answered in one round; round 0 is all that comes before the first."""

    round: int
    steps: tuple[int, ...]
    """Numbers of its steps, in order: several where a captain was asked something in its middle."""

    def up_to(self, step_no: int) -> Chapter:
        """Its beginning, to a step and that included."""
        return Chapter(self.round, tuple(number for number in self.steps if number <= step_no))


class Told(Struct, frozen=True, kw_only=True):
    """A chapter as it is stored: what happened, and what it led to."""

    round: int
    events: tuple[str, ...]
    """Of each step, as JSON."""
    state: str
    """Secret: for workers only, which show a seat's view of it."""


def chapters(steps: Iterable[tuple[int, int | Undone | None]]) -> list[Chapter]:
    """Sort steps, each with the round in which its answers were asked for; None for what was done unasked.

    What a captain does unasked belongs to the round before it, or to that in whose middle it comes; so does going back.
    """
    found: list[Chapter] = []
    for number, asked_in in steps:
        if isinstance(asked_in, Undone):
            kept = (chapter.up_to(asked_in.to) for chapter in found)
            found = [chapter for chapter in kept if chapter.steps]
        now = asked_in if isinstance(asked_in, int) else found[-1].round if found else 0
        if found and found[-1].round == now:
            found[-1] = Chapter(now, (*found[-1].steps, number))
        else:
            found.append(Chapter(now, (number,)))
    return found
