"""Messages to single captains: reminders, unusable standing orders, invitations and draw offers."""

from __future__ import annotations

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.outbox import quiet_hours
from bot.lifecycle.people.captains import captains_of
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
    request: PendingRequest


class StandingOrdersFacts(Struct, frozen=True, kw_only=True):
    request: PendingRequest  # which the standing orders do not suit
    text: str  # the captain's standing orders for this kind of game


class DrawOfferFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    offering_seats: tuple[SeatRow, ...]  # whose captains offer the draw
    is_open: bool  # whether the game is still in the step in which the draw was offered
    users_to_agree: tuple[int, ...]  # the other captains who may speak for their sides


class InvitationFacts(Struct, frozen=True, kw_only=True):
    """An invitation to a rematch, or the news that another captain declined it."""

    seated_game: SeatedGame
    subject: InvitationSubject  # who is invited by which game
    is_open: bool  # whether the invited captain can still take the seat
    is_same_game: bool  # whether the rematch has the settings of the original game


async def read_invitation(source: GameSource, message: OutboxMessage) -> InvitationFacts:
    seated_game, user = source.seated_game, message.subject_as(InvitationSubject).user
    is_open = source.game.phase == "lobby" and any(seat.is_free and seat.kept_for == user for seat in seated_game.seats)
    original = await source.tx.games.find_for_update(message.subject_as(InvitationSubject).of)
    is_same = original is None or await is_unchanged_rematch(source.tx, original, source.game)
    return InvitationFacts(
        seated_game=seated_game, subject=message.subject_as(InvitationSubject), is_open=is_open, is_same_game=is_same
    )


def invitation_text(localizer: Localizer, facts: InvitationFacts) -> Markup:
    """Return the text of an invitation and, once it is closed, what became of the rematch."""
    game, subject = facts.seated_game.game, facts.subject
    if subject.declined:
        return localizer.say("rematch.declined", who=localizer.mention(subject.declined))
    params = {"who": localizer.mention(game.host_id), "number": subject.of}
    if facts.is_open:
        return localizer.say("rematch.wanted" if facts.is_same_game else "rematch.changed", **params)
    if game.phase == "running":
        outcome = localizer.say("lobby.started", thread=thread_link(localizer, game))
    else:
        outcome = localizer.say("rematch.off" if game.phase == "cancelled" else "rematch.waits")
    return localizer.to_markup(f"{localizer.say('rematch.was_wanted', **params)}\n{outcome}")


async def read_reminder(source: GameSource, message: OutboxMessage, now: int) -> ReminderFacts | None:
    """Read what a captain must still do; None if there is nothing, or they want no reminder now."""
    game, player = source.game, source.seated_game.players.get(message.user_id or 0)
    try:
        request = await read_pending_request(source, message.user_id or 0, message.subject_as(RequestSubject).request)
    except Refusal:
        return None
    row = request.row
    is_unwanted = player is None or player.reminders == "none" or quiet_hours.is_away(player, now)
    is_unsent = message.message_id is None
    is_too_late = row.deadline is None or row.deadline <= now
    if row.status == "sealed" or is_too_late:
        return None
    if is_unsent and (is_unwanted or game.paused_at is not None):
        return None
    return ReminderFacts(request=request)


async def read_standing_orders(source: GameSource, message: OutboxMessage) -> StandingOrdersFacts | None:
    """Read standing orders that do not suit a captain's question; None if the question is closed."""
    player = source.seated_game.players.get(message.user_id or 0)
    text = player.standing.get(source.game.system) if player else None
    try:
        request = await read_pending_request(source, message.user_id or 0, message.subject_as(RequestSubject).request)
    except Refusal:
        return None
    return StandingOrdersFacts(request=request, text=text or "")


async def read_draw_offer(source: GameSource, message: OutboxMessage) -> DrawOfferFacts | None:
    game, step_no = source.game, message.subject_as(DrawOfferSubject).step
    offering_seats = tuple(seat for seat in source.seated_game.seats if seat.draw_at == step_no)
    is_open = game.phase in ("running", "resolving") and game.step_no == step_no
    if not offering_seats:
        return None
    captains = await captains_of(source.tx, source.seated_game)
    return DrawOfferFacts(
        seated_game=source.seated_game,
        offering_seats=offering_seats,
        is_open=is_open,
        users_to_agree=tuple(
            seat.user_id
            for seat in source.seated_game.seats
            if seat.user_id and seat not in offering_seats and captains.may_speak(seat)
        ),
    )


def reminder_text(localizer: Localizer, facts: ReminderFacts, choices: Choices) -> str:
    request, row = facts.request, facts.request.row
    lines: list[str] = [
        localizer.style.heading(panel.panel_title(localizer, request.seated_game)),
        localizer.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
    ]
    if choices.missing_parts:
        progress = localizer.say_text(choices.progress) if row.draft and choices.progress else ""
        lines.append(localizer.say("remind.begun", progress=progress) if progress else localizer.say("remind.open"))
        lines += panel.missing_lines(localizer, request, choices)
    else:
        lines.append(localizer.say("remind.unsealed" if row.draft else "remind.open"))
    return "\n".join([*lines, times.deadline_text(localizer, request.seated_game.game, row.deadline)])


def draw_offer_text(localizer: Localizer, facts: DrawOfferFacts) -> Markup:
    """Return a line for each captain who offers a draw, and its effect on match and ratings while it is open."""
    lines = [localizer.say("thread.draw_offered", who=seat.seat) for seat in facts.offering_seats]
    if facts.is_open:
        lines += _draw_effects(localizer, facts.seated_game)
    return localizer.to_markup("\n".join(lines))


def _draw_effects(localizer: Localizer, seated_game: SeatedGame) -> list[Markup]:
    if not seated_game.game.belongs_to_match:
        return [localizer.say("say.draw_unrated")] if seated_game.is_rated else []
    ends_match = seated_game.game.first_game_id is not None
    ratings = [localizer.say("say.draw_match_rated")] if ends_match and seated_game.is_rated else []
    return [localizer.say("say.draw_match"), *ratings]
