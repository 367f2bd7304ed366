"""What may be pressed at the end of a game, and to end it before its time."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages.board import Button, Shown, lay_out
from bot.discord.messages.choosing import labels
from bot.life.keepsakes import has_some
from bot.life.playing import Playing
from bot.store.records import Game, SeatRow
from bot.telling import chronicle
from bot.telling.wording import called
from bot.words.i18n import Words


def buttons(words: Words, game: Game) -> list[Button]:
    """The whole game's film, its chronicle if it has one, and another game, except after a battle.

    A battle was fought for another game, which tells of it.
    """
    film = Button(label=words.say("button.replay"), ref=Ref(verb="replay", game=game.id))
    again = Button(label=words.say("button.rematch"), ref=Ref(verb="rematch", game=game.id))
    story = Button(label=words.say("button.chronicle"), ref=Ref(verb="chronicle", game=game.id))
    film_and_story = [film, story] if chronicle.has(game) else [film]
    return [*film_and_story, *([again] if game.parent_id is None else [])]


def before_its_time(words: Words, playing: Playing, seat: SeatRow) -> list[Button]:
    """What ends a game that goes on: giving up, which asks first, and offering a draw where somebody can agree."""
    game, words = playing.game, labels(words)
    ask = Button(label=words.say("button.concede"), ref=Ref(verb="ask_concede", game=game.id))
    draw = Button(label=words.say("button.offer_draw"), ref=Ref(verb="draw", game=game.id))
    people = any(one.user_id and not one.conceded and one.team != seat.team for one in playing.seats)
    return [ask, draw] if people else [ask]


def really(words: Words, playing: Playing, stake: int) -> Shown:
    """Whether somebody really gives up, which costs them so many points of rating, with a way back."""
    ref = Ref(verb="concede", game=playing.game.id)
    give_up = Button(label=words.say("button.concede"), ref=ref, style=ButtonStyle.danger)
    costs = words.say("say.concede_costs", points=stake) if stake else words.say("say.concede_rated")
    rated = [costs] if not playing.practice else []
    people = {seat.team for seat in playing.seats if seat.user_id is not None}
    brought = [words.say("say.concede_kept")] if has_some(playing.game) and len(people) > 1 else []
    return asked_again(words, playing, "\n".join([words.say("say.concede_sure"), *rated, *brought]), give_up)


def asked_again(words: Words, playing: Playing, question: str, yes: Button) -> Shown:
    """A question before something is done that others learn of, with what does it and a way back."""
    no = Button(label=words.say("button.play_on"), ref=Ref(verb="play_on", game=playing.game.id))
    return lay_out([f"### {called(words, playing)}\n{question}", [yes, no]])
