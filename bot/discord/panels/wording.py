"""How a game is spoken of: in which language, and by which names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from bot.life.playing import Playing
from bot.store.queries import Transaction
from bot.store.records import Answered, StepRow
from bot.words.i18n import Catalogue, Words, best


def words_of(playing: Playing, language: str | None = None) -> Words:
    """The words in which to speak of a game: its own, in its language or in somebody's."""
    catalogue = Catalogue.load(language or best(playing.game.locale), playing.game.system)
    return Words(catalogue, playing.names(catalogue.say("lobby.computer"), catalogue.say("lobby.vacant")))


async def telling(tx: Transaction, playing: Playing, words: Words, *steps: StepRow) -> Words:
    """The words in which these steps are told: they say who gave orders where the captain had let his time pass."""
    answered = [key for step in steps if isinstance(step.cause, Answered) for key in step.cause.requests]
    given = await tx.answers(playing.game.id, answered)
    late = {answer.seat for answer in given.values() if answer.given_by == "deadline"}
    return without(playing, words, late)


def without(playing: Playing, words: Words, late: Collection[int]) -> Words:
    """The words in which steps are told in which captains of these seats had let their time pass."""
    how = playing.game.setup.missed
    return replace(words, givers={seat: words.say(f"giver.{how}", who=seat) for seat in late})
