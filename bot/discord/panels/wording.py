"""How a game is spoken of: in which language, and by which names."""

from __future__ import annotations

from bot.life.playing import Playing
from bot.words.i18n import Catalogue, Words, best


def words_of(playing: Playing, language: str | None = None) -> Words:
    """The words in which to speak of a game: its own, in its language or in somebody's."""
    catalogue = Catalogue.load(language or best(playing.game.locale), playing.game.system)
    return Words(catalogue, playing.names(catalogue.say("lobby.computer"), catalogue.say("lobby.vacant")))
