"""What captains bring home, as a game's end tells it."""

from __future__ import annotations

from bot.presenters.keepsakes import MAX_CHARS, KeepsakeFacts, keepsake_lines
from bot.texts.i18n import Catalogue, Localizer
from rules.core.keepsakes import KeepsakeUpdate, name_number
from rules.core.view import Text


def told(seat: int, number: int) -> KeepsakeUpdate:
    what = (Text("kept.gained", {"gained": 2, "xp": 12}), Text("kept.battered"), Text("kept.due", {"count": 1}))
    crew = {"crew": name_number(seat, number), "galley": f"{'AB'[seat]}{number}", "what": what}
    return KeepsakeUpdate(number=number, body="", sentences=(Text("kept.crew", crew),))


def test_long_names_crowd_out_no_other_captains_crews() -> None:
    """Each captain has half of the room, and what has none is counted."""
    names = {name_number(seat, n): "*_" * 12 if seat == 0 else f"Enemy{n}" for seat in (0, 1) for n in range(1, 9)}
    words = Localizer(Catalogue.load("en", "matchbox"), names)
    found = keepsake_lines(
        words, KeepsakeFacts(has_any=True), {seat: [told(seat, n) for n in range(1, 9)] for seat in (1, 0)}
    )
    ours, theirs = [[line for line in found if mark in line] for mark in ("(A", "(B")]
    assert found == [*ours, f"and {8 - len(ours)} more", *theirs, f"and {8 - len(theirs)} more"]
    assert 0 < len(ours) < len(theirs)
    assert len("\n".join(found)) < MAX_CHARS + 20
    alone = keepsake_lines(words, KeepsakeFacts(has_any=True), {1: [told(1, n) for n in range(1, 7)]})
    assert [line.split()[0] for line in alone] == [f"Enemy{n}" for n in range(1, 7)]
