"""Messages in the thread about actions and proposals outside the rules."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.messages.board import Button, LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.pictures import PictureCache, picture_block, with_pending_picture
from bot.lifecycle.outbox.enqueue import PROPOSAL_ACTS
from bot.presenters.acts import LogEntryFacts, describe_log_entry, log_entry_text, seat_offer_hint
from bot.presenters.reader import Reader
from bot.store.models.records import OutboxMessage
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


async def lay_out_log_entry(
    reader: Reader, pictures: PictureCache, facts: LogEntryFacts, message: OutboxMessage, localizer: Localizer
) -> RenderedMessage:
    """Return the message of a log entry, with a button if a seat is offered or captains must still agree."""
    entry, seated_game = facts.entry, facts.seated_game
    blocks: list[LayoutBlock] = [describe_log_entry(localizer, facts)]
    pings: tuple[int, ...] = ()
    if facts.state is not None:  # the game was taken back to this state
        style = reader.picture_style(localizer)
        draw = partial(reader.pictures.draw_state, seated_game.game.system, facts.state, (), style)
        picture = await pictures.get_or_draw(message, (facts.state, style), draw)
        rendered = lay_out_message([*blocks, picture_block(localizer, picture)], mark=message.mark)
        return with_pending_picture(rendered, picture)
    if facts.is_open_proposal or facts.offers_seat:
        # Notify the absent captain, or those who must agree.
        offered_seats = [seat for seat in seated_game.seats if seat.seat == entry.seat]
        concerned_seats = facts.required_seats if facts.is_open_proposal else offered_seats
        pings = tuple(seat.user_id for seat in concerned_seats if seat.user_id and seat.user_id != entry.user_id)
        mentions = " ".join(f"<@{user_id}>" for user_id in pings)
        hint = localizer.say(f"offer.{entry.kind}") if facts.is_open_proposal else seat_offer_hint(localizer, facts)
        if entry.kind in ("left", "barred"):
            pings = ()  # users who have left cannot be notified
            blocks = [f"{blocks[0]} {hint}", _log_entry_buttons(localizer, facts)]
        elif pings and not facts.is_open_proposal:  # the mention replaces the captain's name
            with_mention = structs.replace(entry, params={**entry.params, "captain": Markup(mentions)})
            blocks = [f"{log_entry_text(localizer, with_mention)} {hint}", _log_entry_buttons(localizer, facts)]
        else:
            # On a line of their own, because beside the proposer they would look like proposers.
            blocks = [f"{blocks[0]} {hint}\n{mentions}".strip(), _log_entry_buttons(localizer, facts)]
    return lay_out_message(blocks, mark=message.mark, pings=pings)


def _log_entry_buttons(localizer: Localizer, facts: LogEntryFacts) -> list[Button]:
    game, entry = facts.seated_game.game, facts.entry
    if entry.kind in PROPOSAL_ACTS:
        return [
            Button(
                label=localizer.say("button.agree"),
                custom_id=CustomId(verb="agree_act", game=game.id, token=str(entry.id)),
            ),
            Button(
                label=localizer.say("button.decline"),
                custom_id=CustomId(verb="decline_act", game=game.id, token=str(entry.id)),
            ),
        ]
    if facts.seat_access != "open":
        return []
    take_over_id = CustomId(verb="take_over", game=game.id, token=str(entry.seat))
    return [Button(label=localizer.say("button.take_over"), custom_id=take_over_id)]
