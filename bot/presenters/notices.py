"""What single captains are told about a game: reminders, standing orders of no use, a plan, a draw that is offered."""

from __future__ import annotations

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.outbox import quiet_hours
from bot.lifecycle.ratings.rematching import is_unchanged_rematch
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import panel, times
from bot.presenters.asked import PendingRequest, read_pending_request
from bot.presenters.source import GameSource
from bot.presenters.wording import thread_link
from bot.store.models.records import OutboxMessage, SeatRow
from bot.store.models.subjects import DrawOfferSubject, InvitationSubject, RequestSubject
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.protocol import Choices


class ReminderFacts(Struct, frozen=True, kw_only=True):
    """What a captain still has to do."""

    request: PendingRequest


class StandingOrdersFacts(Struct, frozen=True, kw_only=True):
    """A captain's default standing orders, and the question for which they may be of no use."""

    request: PendingRequest
    text: str


class DrawOfferFacts(Struct, frozen=True, kw_only=True):
    """Who has offered a draw."""

    seated_game: SeatedGame
    offering_seats: tuple[SeatRow, ...]
    is_open: bool
    """Whether it may still be agreed to."""

    @property
    def users_to_agree(self) -> tuple[int, ...]:
        """Users who must agree."""
        named = {seat.seat for seat in self.offering_seats}
        others = [seat for seat in self.seated_game.seats if seat.seat not in named and not seat.conceded]
        return tuple(seat.user_id for seat in others if seat.user_id)


class InvitationFacts(Struct, frozen=True, kw_only=True):
    """That somebody wants a rematch, or that another captain wants none."""

    seated_game: SeatedGame
    """The rematch."""
    subject: InvitationSubject
    is_open: bool
    """Whether its reader may still say yes or no."""
    is_same_game: bool
    """Whether it is still played as the game was whose rematch it is."""


async def read_invitation(source: GameSource, message: OutboxMessage) -> InvitationFacts:
    """Read whether somebody is still asked for a rematch."""
    playing, user = source.seated_game, message.subject_as(InvitationSubject).user
    still = source.game.phase == "lobby" and any(seat.is_free and seat.kept_for == user for seat in playing.seats)
    over = await source.tx.games.find_for_update(message.subject_as(InvitationSubject).of)
    same = over is None or await is_unchanged_rematch(source.tx, over, source.game)
    return InvitationFacts(
        seated_game=playing, subject=message.subject_as(InvitationSubject), is_open=still, is_same_game=same
    )


def invitation_text(words: Localizer, facts: InvitationFacts) -> Markup:
    """What somebody wants, or wants not, and what has come of it."""
    game, about = facts.seated_game.game, facts.subject
    if about.declined:
        return words.say("rematch.declined", who=words.mention(about.declined))
    named = {"who": words.mention(game.host_id), "number": about.of}
    if facts.is_open:
        return words.say("rematch.wanted", **named) if facts.is_same_game else words.say("rematch.changed", **named)
    if game.phase == "running":
        came = words.say("lobby.started", thread=thread_link(words, game))
    else:
        came = words.say("rematch.off" if game.phase == "cancelled" else "rematch.waits")
    return words.to_markup(f"{words.say('rematch.was_wanted', **named)}\n{came}")


async def read_reminder(source: GameSource, message: OutboxMessage, now: int) -> ReminderFacts | None:
    """Read what a captain still has to do; None if there is nothing, or they want no reminder now."""
    game, player = source.game, source.seated_game.players.get(message.user_id or 0)
    try:
        asked = await read_pending_request(source, message.user_id or 0, message.subject_as(RequestSubject).request)
    except Refusal:
        return None
    row = asked.row
    unwanted = player is None or player.reminders == "none" or quiet_hours.is_away(player, now)
    late = row.deadline is None or row.deadline <= now
    if row.status == "sealed" or late or (message.message_id is None and (unwanted or game.paused_at is not None)):
        return None
    return ReminderFacts(request=asked)


async def read_standing_orders(source: GameSource, message: OutboxMessage) -> StandingOrdersFacts | None:
    """Read a captain's default standing orders; None if the question they were left out of is closed."""
    player = source.seated_game.players.get(message.user_id or 0)
    text = player.standing.get(source.game.system) if player else None
    try:
        asked = await read_pending_request(source, message.user_id or 0, message.subject_as(RequestSubject).request)
    except Refusal:
        return None
    return StandingOrdersFacts(request=asked, text=text or "")


async def read_draw_offer(source: GameSource, message: OutboxMessage) -> DrawOfferFacts | None:
    """Who offers a draw; None if nobody does any more."""
    game, no = source.game, message.subject_as(DrawOfferSubject).step
    offering = tuple(seat for seat in source.seated_game.seats if seat.draw_at == no)
    still = game.phase in ("running", "resolving") and game.step_no == no
    return DrawOfferFacts(seated_game=source.seated_game, offering_seats=offering, is_open=still) if offering else None


def reminder_text(words: Localizer, facts: ReminderFacts, choices: Choices) -> str:
    """What is missing, and until when."""
    asked, row = facts.request, facts.request.row
    lines: list[str] = [
        words.style.heading(panel.panel_title(words, asked.seated_game)),
        words.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
    ]
    if choices.missing_parts:
        progress = words.say_text(choices.progress) if row.draft and choices.progress else ""
        lines.append(words.say("remind.begun", progress=progress) if progress else words.say("remind.open"))
        lines += panel.lacking_lines(words, asked, choices)
    else:
        lines.append(words.say("remind.unsealed" if row.draft else "remind.open"))
    return "\n".join([*lines, times.deadline_text(words, asked.seated_game.game, row.deadline)])


def draw_offer_text(words: Localizer, facts: DrawOfferFacts) -> Markup:
    """Who offers a draw, a line each, and what it costs."""
    lines = [words.say("thread.draw_offered", who=seat.seat) for seat in facts.offering_seats]
    unrated = [words.say("say.draw_unrated")] if facts.is_open and facts.seated_game.is_rated else []
    return words.to_markup("\n".join([*lines, *unrated]))
