"""Names by which a game is spoken of, and what captains bring home."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec import structs

from bot.presenters.glance import ROW_CHARS, count_text_rows
from bot.presenters.keepsakes import MAX_CHARS, KeepsakeFacts, keepsake_lines
from bot.presenters.wording import end_reason_text, game_localizer, game_title, short_game_title
from bot.texts.i18n import Catalogue, Localizer, languages
from rules.core.keepsakes import KeepsakeUpdate, name_number
from rules.core.protocol import Request, Result
from rules.core.view import Text
from tests.laws import panels
from tests.laws.play import SYSTEMS

REQUEST = Request(id="r1.orders.0", seat=0, kind="orders", round=1)


def test_a_computer_captain_has_one_name_in_the_languages_of_all_readers() -> None:
    playing = panels.asked("matchbox", REQUEST).seated_game
    computer = structs.replace(playing.seats[1], user_id=None, computer=True, name=None)
    game = structs.replace(playing.game, name="", locale="en")
    playing = structs.replace(playing, game=game, seats=[playing.seats[0], computer])
    names = Catalogue.load("en").template("computer.names").split(", ")
    (name,) = (name for name in names if name in game_title(game_localizer(playing), playing))
    for language in languages():
        words = game_localizer(playing, language)
        assert name in words.names[1]
        assert name in game_title(words, playing)


@pytest.mark.parametrize("language", languages())
def test_titles_fit_a_row_of_a_phone_whole_and_those_of_battles_say_their_number(language: str) -> None:
    playing = panels.asked("matchbox", REQUEST).seated_game
    season = Catalogue.load(language, "campaign")
    places = [str(season.say(key)) for key in season.messages if re.fullmatch(r"place\.\w+\.[A-Z]+", key)]
    assert len(places) > 50
    battles = [str(season.say("battle.name", number=12, place=place)) for place in places]
    for system, name in [*(("matchbox", battle) for battle in battles), *((system, "W" * 80) for system in SYSTEMS)]:
        for number in (2, 12345):
            game = structs.replace(playing.game, id=number, system=system, name=name)
            words = Localizer(Catalogue.load(language, system))
            title = short_game_title(words, structs.replace(playing, game=game), ROW_CHARS)
            assert count_text_rows(words, title) == 1
            assert title.startswith(f"#{number} ")
            assert "12" in title[len(str(number)) + 2 :] or name not in battles
            assert "…" not in title


def test_who_gave_up_is_named_and_told_so_in_their_own_panel() -> None:
    playing = panels.asked("matchbox", REQUEST).seated_game
    playing = structs.replace(playing, seats=playing.seats[:2])
    words = replace(game_localizer(playing, "en"), names={0: "Anna", 1: "Ben"})
    over = Result(winners=(0,), reason=Text("reason.conceded", {"side": "south"}))
    said = [end_reason_text(words, playing, over, seat) for seat in (None, 0, 1)]
    assert said == ["Ben conceded.", "Ben conceded.", "You conceded."]


def keepsake_update(seat: int, number: int) -> KeepsakeUpdate:
    what = (Text("kept.gained", {"gained": 2, "xp": 12}), Text("kept.battered"), Text("kept.due", {"count": 1}))
    crew = {"crew": name_number(seat, number), "galley": f"{'AB'[seat]}{number}", "what": what}
    return KeepsakeUpdate(number=number, body="", sentences=(Text("kept.crew", crew),))


def test_long_names_crowd_out_no_other_captains_crews() -> None:
    """Each captain has half of the room, and what has none is counted."""
    names = {name_number(seat, n): "*_" * 12 if seat == 0 else f"Enemy{n}" for seat in (0, 1) for n in range(1, 9)}
    words = Localizer(Catalogue.load("en", "matchbox"), names)
    lines = keepsake_lines(
        words, KeepsakeFacts(has_any=True), {seat: [keepsake_update(seat, n) for n in range(1, 9)] for seat in (1, 0)}
    )
    ours, theirs = [[line for line in lines if mark in line] for mark in ("(A", "(B")]
    assert lines == [*ours, f"and {8 - len(ours)} more", *theirs, f"and {8 - len(theirs)} more"]
    assert 0 < len(ours) < len(theirs)
    assert len("\n".join(lines)) < MAX_CHARS + 20
    alone = keepsake_lines(words, KeepsakeFacts(has_any=True), {1: [keepsake_update(1, n) for n in range(1, 7)]})
    assert [line.split()[0] for line in alone] == [f"Enemy{n}" for n in range(1, 7)]
