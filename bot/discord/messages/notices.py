"""What the thread and captains are told about a game's time: what the other side is asked for, reminders."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.errors import Refusal
from bot.store.records import Message
from bot.telling import panel
from bot.telling.acts import Wish, wish_text
from bot.telling.notices import (
    DrawOffer,
    Invitation,
    Reminder,
    Standing,
    draw_text,
    invitation_text,
    reminder_text,
)
from bot.telling.reader import Reader
from bot.words.i18n import Words


def proposal(facts: Wish, message: Message, words: Words) -> Shown:
    """What somebody asks the other side for; with a button to agree, as long as that is possible."""
    mentions = " ".join(f"<@{user_id}>" for user_id in facts.others)
    blocks: list[Block] = [f"{wish_text(words, facts)}\n{mentions}".strip()]
    if facts.open:
        game_id, act_id = facts.playing.game.id, facts.act.id
        ref = Ref(verb="agree", game=game_id, token=str(act_id))
        no = Ref(verb="decline", game=game_id, token=str(act_id))
        agree = Button(label=words.say("button.agree"), ref=ref, style=ButtonStyle.success)
        blocks.append([agree, Button(label=words.say("button.decline"), ref=no)])
    elif not facts.answered:
        blocks.append(f"-# {words.say('agreement.lapsed')}")
    return lay_out(blocks, mark=message.mark, pings=facts.others)


def invitation(facts: Invitation, message: Message, words: Words) -> Shown:
    """That somebody wants a rematch, with buttons to say yes or no; or what has come of it."""
    text = f"-# {panel.title(words, facts.playing)}\n{invitation_text(words, facts)}"
    over = facts.about.of
    yes = Button(label=words.say("button.join"), ref=Ref(verb="rematch", game=over), style=ButtonStyle.success)
    no = Button(label=words.say("button.decline"), ref=Ref(verb="decline_rematch", game=over))
    return lay_out([text, [yes, no] if facts.open else []], mark=message.mark)


async def reminder(reader: Reader, facts: Reminder, message: Message, words: Words) -> Shown:
    """What a captain still has to do, and until when."""
    text = reminder_text(words, facts, await reader.choices(facts.asked))
    orders = Ref(verb="orders", game=facts.asked.playing.game.id)
    return lay_out([text, [Button(label=words.say("button.my_orders"), ref=orders)]], mark=message.mark)


async def useless_standing(reader: Reader, facts: Standing, message: Message, words: Words) -> Shown | None:
    """Return why a captain's default standing orders were left out; None if nothing speaks against them now."""
    try:
        refused = await reader.unfit(facts)
    except Refusal:
        return None
    if refused is None:
        return None
    why = words.say("me.useless_standing", text=facts.text, why=words.fault(refused.fault))
    return lay_out([f"### {panel.title(words, facts.asked.playing)}\n{why}"], mark=message.mark)


def draw_offer(facts: DrawOffer, message: Message, words: Words) -> Shown:
    """Who offers a draw; with buttons as long as the others may agree."""
    text = draw_text(words, facts)
    if not facts.open:
        return lay_out([text], mark=message.mark)
    mentions, game_id = " ".join(f"<@{user_id}>" for user_id in facts.others), facts.playing.game.id
    agree = Button(label=words.say("button.agree"), ref=Ref(verb="draw", game=game_id))
    decline = Button(label=words.say("button.decline"), ref=Ref(verb="decline_draw", game=game_id))
    return lay_out([f"{text}\n{mentions}".strip(), [agree, decline]], mark=message.mark, pings=facts.others)
