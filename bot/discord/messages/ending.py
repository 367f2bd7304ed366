"""What may be pressed at the end of a game, besides what hangs under every round."""

from __future__ import annotations

from bot.discord.ids import Ref
from bot.discord.messages.board import Button
from bot.words.i18n import Words


def buttons(words: Words, game_id: int) -> list[Button]:
    """The whole game's film, and another game."""
    return [
        Button(label=words.say("button.replay"), ref=Ref(verb="replay", game=game_id)),
        Button(label=words.say("button.rematch"), ref=Ref(verb="rematch", game=game_id)),
    ]
