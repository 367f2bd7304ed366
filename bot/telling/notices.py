"""What single captains are told about a game: reminders, standing orders of no use, a plan, a draw that is offered."""

from __future__ import annotations

from msgspec import Struct

from bot.errors import Refusal
from bot.life import quiet_hours
from bot.life.playing import SeatedGame
from bot.life.rematching import is_unchanged_rematch
from bot.store.records import OutboxMessage, SeatRow
from bot.store.subjects import DrawOfferSubject, InvitationSubject, RequestSubject
from bot.telling import panel, times
from bot.telling.asked import PendingRequest, read_pending_request
from bot.telling.source import GameSource
from bot.telling.wording import thread_link
from bot.words.i18n import Localizer
from bot.words.style import Markup
from rules.protocol import Choices


class ReminderFacts(Struct, frozen=True, kw_only=True):
    """What a captain still has to do."""

    asked: PendingRequest


class StandingOrdersFacts(Struct, frozen=True, kw_only=True):
    """A captain's default standing orders, and the question for which they may be of no use."""

    asked: PendingRequest
    text: str


class DrawOfferFacts(Struct, frozen=True, kw_only=True):
    """Who has offered a draw."""

    playing: SeatedGame
    offering: tuple[SeatRow, ...]
    open: bool
    """Whether it may still be agreed to."""

    @property
    def others(self) -> tuple[int, ...]:
        """Users who must agree."""
        named = {seat.seat for seat in self.offering}
        others = [seat for seat in self.playing.seats if seat.seat not in named and not seat.conceded]
        return tuple(seat.user_id for seat in others if seat.user_id)


class InvitationFacts(Struct, frozen=True, kw_only=True):
    """That somebody wants a rematch, or that another captain wants none."""

    playing: SeatedGame
    """The rematch."""
    about: InvitationSubject
    open: bool
    """Whether its reader may still say yes or no."""
    same: bool
    """Whether it is still played as the game was whose rematch it is."""


async def read_invitation(source: GameSource, message: OutboxMessage) -> InvitationFacts:
    """Read whether somebody is still asked for a rematch."""
    playing, user = source.playing, message.about(InvitationSubject).user
    still = source.game.phase == "lobby" and any(seat.free and seat.kept_for == user for seat in playing.seats)
    over = await source.tx.games.find(message.about(InvitationSubject).of)
    same = over is None or await is_unchanged_rematch(source.tx, over, source.game)
    return InvitationFacts(playing=playing, about=message.about(InvitationSubject), open=still, same=same)


def invitation_text(words: Localizer, facts: InvitationFacts) -> Markup:
    """What somebody wants, or wants not, and what has come of it."""
    game, about = facts.playing.game, facts.about
    if about.declined:
        return words.say("rematch.declined", who=words.person(about.declined))
    named = {"who": words.person(game.host_id), "number": about.of}
    if facts.open:
        return words.say("rematch.wanted", **named) if facts.same else words.say("rematch.changed", **named)
    if game.phase == "running":
        came = words.say("lobby.started", thread=thread_link(words, game))
    else:
        came = words.say("rematch.off" if game.phase == "cancelled" else "rematch.waits")
    return words.said(f"{words.say('rematch.was_wanted', **named)}\n{came}")


async def read_reminder(source: GameSource, message: OutboxMessage, now: int) -> ReminderFacts | None:
    """Read what a captain still has to do; None if there is nothing, or they want no reminder now."""
    game, player = source.game, source.playing.players.get(message.user_id or 0)
    try:
        asked = await read_pending_request(source, message.user_id or 0, message.about(RequestSubject).request)
    except Refusal:
        return None
    row = asked.row
    unwanted = player is None or player.reminders == "none" or quiet_hours.is_away(player, now)
    late = row.deadline is None or row.deadline <= now
    if row.status == "sealed" or late or (message.message_id is None and (unwanted or game.paused_at is not None)):
        return None
    return ReminderFacts(asked=asked)


async def read_standing_orders(source: GameSource, message: OutboxMessage) -> StandingOrdersFacts | None:
    """Read a captain's default standing orders; None if the question they were left out of is closed."""
    player = source.playing.players.get(message.user_id or 0)
    text = player.standing.get(source.game.system) if player else None
    try:
        asked = await read_pending_request(source, message.user_id or 0, message.about(RequestSubject).request)
    except Refusal:
        return None
    return StandingOrdersFacts(asked=asked, text=text or "")


async def read_draw_offer(source: GameSource, message: OutboxMessage) -> DrawOfferFacts | None:
    """Who offers a draw; None if nobody does any more."""
    game, no = source.game, message.about(DrawOfferSubject).step
    offering = tuple(seat for seat in source.playing.seats if seat.draw_at == no)
    still = game.phase in ("running", "resolving") and game.step_no == no
    return DrawOfferFacts(playing=source.playing, offering=offering, open=still) if offering else None


def reminder_text(words: Localizer, facts: ReminderFacts, choices: Choices) -> str:
    """What is missing, and until when."""
    asked, row = facts.asked, facts.asked.row
    lines: list[str] = [
        words.style.heading(panel.panel_title(words, asked.playing)),
        words.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
    ]
    if choices.missing:
        progress = words.text(choices.progress) if row.draft and choices.progress else ""
        lines.append(words.say("remind.begun", progress=progress) if progress else words.say("remind.open"))
        lines += panel.lacking_lines(words, asked, choices)
    else:
        lines.append(words.say("remind.unsealed" if row.draft else "remind.open"))
    return "\n".join([*lines, times.deadline_text(words, asked.playing.game, row.deadline)])


def draw_offer_text(words: Localizer, facts: DrawOfferFacts) -> Markup:
    """Who offers a draw, a line each, and what it costs."""
    lines = [words.say("thread.draw_offered", who=seat.seat) for seat in facts.offering]
    unrated = [words.say("say.draw_unrated")] if facts.open and facts.playing.rated else []
    return words.said("\n".join([*lines, *unrated]))
