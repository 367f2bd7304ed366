"""Messages about a game's time and agreements: requests to the other side, invitations, reminders, draw offers."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, LayoutBlock, RenderedMessage, lay_out_message
from bot.errors import Refusal
from bot.presenters import panel
from bot.presenters.acts import TimeRequestFacts, time_request_text
from bot.presenters.notices import (
    DrawOfferFacts,
    InvitationFacts,
    ReminderFacts,
    StandingOrdersFacts,
    draw_offer_text,
    invitation_text,
    reminder_text,
)
from bot.presenters.reader import Reader
from bot.store.models.records import OutboxMessage
from bot.texts.i18n import Localizer


def lay_out_time_request(facts: TimeRequestFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    mentions = " ".join(f"<@{user_id}>" for user_id in facts.other_side_users)
    blocks: list[LayoutBlock] = [f"{time_request_text(localizer, facts)}\n{mentions}".strip()]
    if facts.is_open:
        game_id, token = facts.seated_game.game.id, str(facts.entry.id)
        agree_id = CustomId(verb="agree", game=game_id, token=token)
        decline_id = CustomId(verb="decline", game=game_id, token=token)
        agree = Button(label=localizer.say("button.agree"), custom_id=agree_id, style=ButtonStyle.success)
        decline = Button(label=localizer.say("button.decline"), custom_id=decline_id)
        blocks.append([agree, decline])
    elif not facts.answered:
        blocks.append(f"-# {localizer.say('agreement.lapsed')}")
    return lay_out_message(blocks, mark=message.mark, pings=facts.other_side_users)


def lay_out_invitation(facts: InvitationFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    text = f"-# {panel.panel_title(localizer, facts.seated_game)}\n{invitation_text(localizer, facts)}"
    finished_game_id = facts.subject.of  # the game of which this is a rematch
    join_id = CustomId(verb="rematch", game=finished_game_id)
    decline_id = CustomId(verb="decline_rematch", game=finished_game_id)
    join = Button(label=localizer.say("button.join"), custom_id=join_id, style=ButtonStyle.success)
    decline = Button(label=localizer.say("button.decline"), custom_id=decline_id)
    return lay_out_message([text, [join, decline] if facts.is_open else []], mark=message.mark)


async def lay_out_reminder(
    reader: Reader, facts: ReminderFacts, message: OutboxMessage, localizer: Localizer
) -> RenderedMessage:
    text = reminder_text(localizer, facts, await reader.requests.draft_choices(facts.request))
    orders = CustomId(verb="orders", game=facts.request.seated_game.game.id)
    return lay_out_message(
        [text, [Button(label=localizer.say("button.my_orders"), custom_id=orders)]], mark=message.mark
    )


async def lay_out_useless_standing_orders(
    reader: Reader, facts: StandingOrdersFacts, message: OutboxMessage, localizer: Localizer
) -> RenderedMessage | None:
    """Return why a captain's default standing orders were not used; None if they are usable now."""
    try:
        refusal = await reader.requests.why_unfit(facts)
    except Refusal:
        return None
    if refusal is None:
        return None
    why = localizer.say("me.useless_standing", text=facts.text, why=localizer.fault_text(refusal.fault))
    return lay_out_message([f"### {panel.panel_title(localizer, facts.request.seated_game)}\n{why}"], mark=message.mark)


def lay_out_draw_offer(facts: DrawOfferFacts, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    text = draw_offer_text(localizer, facts)
    if not facts.is_open:
        return lay_out_message([text], mark=message.mark)
    mentions = " ".join(f"<@{user_id}>" for user_id in facts.users_to_agree)
    game_id = facts.seated_game.game.id
    agree = Button(label=localizer.say("button.agree"), custom_id=CustomId(verb="draw", game=game_id))
    decline = Button(label=localizer.say("button.decline"), custom_id=CustomId(verb="decline_draw", game=game_id))
    return lay_out_message(
        [f"{text}\n{mentions}".strip(), [agree, decline]], mark=message.mark, pings=facts.users_to_agree
    )
