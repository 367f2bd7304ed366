"""Sorts a game's steps into chapters, one per round, without those that were taken back."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from rules.core.replay import UndoAction


class Chapter(Struct, frozen=True):
    """The steps of one round; round 0 is everything before the first."""

    round: int
    steps: tuple[int, ...]
    """Numbers of its steps, in order; several if a captain was asked something in the middle."""

    def up_to(self, step_no: int) -> Chapter:
        """Return the chapter up to and including a step."""
        return Chapter(self.round, tuple(number for number in self.steps if number <= step_no))


class ChapterContent(Struct, frozen=True, kw_only=True):
    """A chapter as it is stored: its events and the state after it."""

    round: int
    events: tuple[str, ...]
    """The events of each step, as JSON."""
    state: str
    """Secret: only workers may read it, to show a seat's view."""


def group_chapters(steps: Iterable[tuple[int, int | UndoAction | None]]) -> list[Chapter]:
    """Return the chapters of some steps, each given with the round of its questions; None for what was done unasked.

    What a captain does unasked belongs to the round before it, or to that in whose middle it happens. So does going
    back.
    """
    found: list[Chapter] = []
    for number, asked_in in steps:
        if isinstance(asked_in, UndoAction):
            kept = (chapter.up_to(asked_in.to) for chapter in found)
            found = [chapter for chapter in kept if chapter.steps]
        now = asked_in if isinstance(asked_in, int) else found[-1].round if found else 0
        if found and found[-1].round == now:
            found[-1] = Chapter(now, (*found[-1].steps, number))
        else:
            found.append(Chapter(now, (number,)))
    return found
