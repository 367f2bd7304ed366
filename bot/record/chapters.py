"""Group a game's steps into chapters, one for each round, without steps that were undone."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from rules.core.replay import UndoAction


class Chapter(Struct, frozen=True):
    """The steps of one round. Round 0 contains everything before the first round."""

    round: int  # from 1; 0: before the first round
    steps: tuple[int, ...]  # numbers, in order

    def up_to(self, step_no: int) -> Chapter:
        return Chapter(self.round, tuple(number for number in self.steps if number <= step_no))


class ChapterContent(Struct, frozen=True, kw_only=True):
    round: int  # from 1; 0: before the first round
    events: tuple[str, ...]  # of each step, as JSON
    state: str  # after the last step, as JSON; secret: only jobs may decode it, to derive a seat's view


def group_chapters(steps: Iterable[tuple[int, int | UndoAction | None]]) -> list[Chapter]:
    """Group steps into chapters. Each step comes with its requests' round, an undo, or None for other actions.

    Actions out of turn and undos belong to the current chapter. So do answers to requests of earlier rounds, as of a
    battle that outlasts the round in which it began.
    """
    chapters: list[Chapter] = []
    for number, round_or_undo in steps:
        if isinstance(round_or_undo, UndoAction):
            shortened = (chapter.up_to(round_or_undo.to) for chapter in chapters)
            chapters = [chapter for chapter in shortened if chapter.steps]
        current_round = chapters[-1].round if chapters else 0
        round_no = max(round_or_undo, current_round) if isinstance(round_or_undo, int) else current_round
        if chapters and chapters[-1].round == round_no:
            chapters[-1] = Chapter(round_no, (*chapters[-1].steps, number))
        else:
            chapters.append(Chapter(round_no, (number,)))
    return chapters
