"""What may be pressed at the end of a game, besides what hangs under every round."""

from __future__ import annotations

from bot.discord.ids import Ref
from bot.discord.messages.board import Button
from bot.store.records import Game
from bot.words.i18n import Words


def buttons(words: Words, game: Game) -> list[Button]:
    """The whole game's film, and another game, except after a battle: that was fought for another game."""
    film = Button(label=words.say("button.replay"), ref=Ref(verb="replay", game=game.id))
    again = Button(label=words.say("button.rematch"), ref=Ref(verb="rematch", game=game.id))
    return [film, again] if game.parent_id is None else [film]
