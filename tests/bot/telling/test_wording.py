"""Names by which a game is spoken of."""

from __future__ import annotations

from msgspec import structs

from bot.telling.wording import called, words_of
from bot.words.i18n import Catalogue, languages
from rules.protocol import Request
from tests.laws import panels

REQUEST = Request(id="r1.orders.0", seat=0, kind="orders", round=1)


def test_a_computer_captain_has_one_name_in_the_languages_of_all_readers() -> None:
    playing = panels.asked("matchbox", REQUEST).playing
    computer = structs.replace(playing.seats[1], user_id=None, computer=True, name=None)
    game = structs.replace(playing.game, name="", locale="en")
    playing = structs.replace(playing, game=game, seats=[playing.seats[0], computer])
    names = Catalogue.load("en").template("computer.names").split(", ")
    (name,) = (one for one in names if one in called(words_of(playing), playing))
    for language in languages():
        words = words_of(playing, language)
        assert name in words.names[1]
        assert name in called(words, playing)
