"""The words that captains add to the dice, as they are shown."""

from __future__ import annotations

from bot.life.playing import Playing
from bot.words.i18n import Words
from bot.words.style import Said


def listed(words: Words, playing: Playing) -> list[Said]:
    """Every word in the dice, with whose it is; nothing where there is none."""
    return [words.say("dice.word", who=seat.seat, word=seat.word) for seat in playing.seats if seat.word is not None]
