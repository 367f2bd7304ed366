"""Buttons at the end of a game, and buttons and confirmations to end it early."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, RenderedMessage, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.lifecycle.people.keepsakes import has_keepsakes
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import chronicle
from bot.presenters.wording import game_title
from bot.store.models.records import Game, SeatRow
from bot.texts.i18n import Localizer


def end_buttons(words: Localizer, game: Game) -> list[Button]:
    """Return buttons for a finished game's film, its chronicle if it has one, and a rematch.

    A battle has no rematch, because it belongs to another game.
    """
    film = Button(label=words.say("button.replay"), custom_id=CustomId(verb="replay", game=game.id))
    rematch = Button(label=words.say("button.rematch"), custom_id=CustomId(verb="rematch", game=game.id))
    story = Button(label=words.say("button.chronicle"), custom_id=CustomId(verb="chronicle", game=game.id))
    film_and_story = [film, story] if chronicle.has_chronicle(game) else [film]
    return [*film_and_story, *([rematch] if game.parent_id is None else [])]


def early_end_buttons(words: Localizer, playing: SeatedGame, seat: SeatRow) -> list[Button]:
    """Return buttons to concede, with confirmation, and to offer a draw if another side has a human captain."""
    game, words = playing.game, label_localizer(words)
    ask = Button(label=words.say("button.concede"), custom_id=CustomId(verb="ask_concede", game=game.id))
    draw = Button(label=words.say("button.offer_draw"), custom_id=CustomId(verb="draw", game=game.id))
    people = any(other.user_id and not other.conceded and other.team != seat.team for other in playing.seats)
    return [ask, draw] if people else [ask]


def confirm_concession(words: Localizer, playing: SeatedGame, stake: int) -> RenderedMessage:
    """Return a confirmation of a concession that costs `stake` rating points (0: do not name an amount)."""
    ref = CustomId(verb="concede", game=playing.game.id)
    give_up = Button(label=words.say("button.concede"), custom_id=ref, style=ButtonStyle.danger)
    costs = words.say("say.concede_costs", points=stake) if stake else words.say("say.concede_rated")
    rated = [costs] if not playing.is_practice else []
    people = {seat.team for seat in playing.seats if seat.user_id is not None}
    brought = [words.say("say.concede_kept")] if has_keepsakes(playing.game) and len(people) > 1 else []
    return confirmation(words, playing, "\n".join([words.say("say.concede_sure"), *rated, *brought]), give_up)


def confirmation(words: Localizer, playing: SeatedGame, question: str, yes: Button) -> RenderedMessage:
    back = Button(label=words.say("button.play_on"), custom_id=CustomId(verb="play_on", game=playing.game.id))
    return lay_out_message([f"### {game_title(words, playing)}\n{question}", [yes, back]])
