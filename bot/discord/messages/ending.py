"""Buttons at the end of a game, and buttons and confirmations to end it early."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, RenderedMessage, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.lifecycle.people.keepsakes import has_keepsakes
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import chronicle
from bot.presenters.readers.games import ConcessionTerms
from bot.presenters.verdicts import verdict_lines
from bot.presenters.wording import game_title
from bot.store.models.records import Game, SeatRow
from bot.texts.i18n import Localizer


def end_buttons(localizer: Localizer, game: Game) -> list[Button]:
    """Return buttons for a finished game's film, its chronicle if it has one, and a rematch.

    A battle and the first game of a match have no rematch, because they belong to another game.
    """
    buttons = [Button(label=localizer.say("button.replay"), custom_id=CustomId(verb="replay", game=game.id))]
    if chronicle.has_chronicle(game):
        chronicle_id = CustomId(verb="chronicle", game=game.id)
        buttons.append(Button(label=localizer.say("button.chronicle"), custom_id=chronicle_id))
    if game.parent_id is None and not game.is_match:
        buttons.append(Button(label=localizer.say("button.rematch"), custom_id=CustomId(verb="rematch", game=game.id)))
    return buttons


def early_end_buttons(localizer: Localizer, seated_game: SeatedGame, seat: SeatRow) -> list[Button]:
    """Return buttons to concede, with confirmation, and to offer a draw if another side has a human captain."""
    game, localizer = seated_game.game, label_localizer(localizer)
    concede = Button(label=localizer.say("button.concede"), custom_id=CustomId(verb="ask_concede", game=game.id))
    draw = Button(label=localizer.say("button.offer_draw"), custom_id=CustomId(verb="draw", game=game.id))
    has_human_opponent = any(
        other.user_id and not other.conceded and other.team != seat.team for other in seated_game.seats
    )
    return [concede, draw] if has_human_opponent else [concede]


def confirm_concession(localizer: Localizer, terms: ConcessionTerms) -> RenderedMessage:
    """Return a confirmation of a concession, or of giving back a seat for whose side the captain may not speak."""
    seated_game = terms.seated_game
    verb, label, sentence = "concede", "button.concede", "say.concede_sure"
    if terms.gives_seat_back:
        verb, label, sentence = "give_back", "button.give_back", "say.give_back_sure"
    button = Button(
        label=localizer.say(label), custom_id=CustomId(verb=verb, game=seated_game.game.id), style=ButtonStyle.danger
    )
    sentences = [localizer.say(sentence), *verdict_lines(localizer, terms.parent, terms.forecast.concession)]
    if seated_game.game.belongs_to_match:
        sentences.append(localizer.say("say.concede_match_points"))
    if not seated_game.is_practice and seated_game.game.belongs_to_match:
        sentences.append(localizer.say("say.concede_match"))
    elif not seated_game.is_practice:
        points = terms.points_lost
        sentences.append(
            localizer.say("say.concede_costs", points=points) if points else localizer.say("say.concede_rated")
        )
    human_teams = {seat.team for seat in seated_game.seats if seat.user_id is not None}
    if has_keepsakes(seated_game.game) and len(human_teams) > 1:
        sentences.append(localizer.say("say.concede_kept"))
    return confirmation(localizer, seated_game, "\n".join(sentences), button)


def confirmation(localizer: Localizer, seated_game: SeatedGame, question: str, yes: Button) -> RenderedMessage:
    back = Button(label=localizer.say("button.play_on"), custom_id=CustomId(verb="play_on", game=seated_game.game.id))
    return lay_out_message([f"### {game_title(localizer, seated_game)}\n{question}", [yes, back]])
