"""Entries of the audit log and proposals between captains, in words."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.outbox.enqueue import BATTLE_OPENED, PROPOSAL_ACTS, SEAT_OFFER_ACTS
from bot.lifecycle.people import agreement, keepsakes
from bot.lifecycle.people.agreement import TIME_REQUESTS, is_answered, is_request_open
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.backups import RESTORED
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import times
from bot.presenters.source import GameSource
from bot.presenters.wording import thread_link
from bot.store.models.records import Game, LogEntryRow, OutboxMessage, SeatRow
from bot.store.models.subjects import LogEntrySubject
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


class LogEntryFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    entry: LogEntryRow
    is_open_proposal: bool  # whether captains must still agree to the entry
    required_seats: tuple[SeatRow, ...]  # whose captains must agree to an open proposal
    state: str | None
    """Secret: the stored state to which the game was taken back; None for other entries."""
    battle: Game | None = None  # the battle that the entry announces; None for other entries

    @property
    def offers_seat(self) -> bool:
        """Whether this entry offers a seat, and the seat is still on offer since then."""
        game, entry = self.seated_game.game, self.entry
        if game.phase not in ("running", "resolving") or entry.kind not in SEAT_OFFER_ACTS:
            return False
        return any(
            seat.seat == entry.seat and seat.is_offered and seat.offered_at == entry.at
            for seat in self.seated_game.seats
        )

    @property
    def seat_access(self) -> Literal["open", "private", "closed"]:
        """Return which users may take the offered seat: everybody, users that the host admits, or nobody."""
        game = self.seated_game.game
        if keepsakes.has_keepsakes(game):
            return "closed"
        return "private" if game.private else "open"


class TimeRequestFacts(Struct, frozen=True, kw_only=True):
    """A captain's request to the other side for more time or a pause."""

    seated_game: SeatedGame
    entry: LogEntryRow
    is_open: bool  # whether it can still be answered
    answered: bool  # whether the other side has agreed or declined

    @property
    def other_side_users(self) -> tuple[int, ...]:
        seats = self.seated_game.seats
        team = seats[self.entry.seat or 0].team
        return tuple(seat.user_id for seat in seats if seat.team != team and seat.user_id)


async def _find_entry(source: GameSource, message: OutboxMessage) -> LogEntryRow | None:
    entry_id = message.subject_as(LogEntrySubject).id
    return await source.read_once(("act", entry_id), lambda: source.tx.audit_log.find(entry_id))


async def read_log_entry(source: GameSource, message: OutboxMessage) -> LogEntryFacts | None:
    """Read an entry, or None if it is gone. Raises `Refusal` if a game was taken back to a step that is gone."""
    entry = await _find_entry(source, message)
    if entry is None:
        return None
    tx, seated_game = source.tx, source.seated_game
    is_open = entry.kind in PROPOSAL_ACTS and entry in await agreement.open_proposals(tx, seated_game.game)
    required = await agreement.required_seats(tx, seated_game, entry.kind) if is_open else []
    went_back = entry.kind in ("undone", RESTORED)
    step = await source.find_step(int(entry.params["step"])) if went_back else None
    if went_back and step is None:
        raise Refusal("not_started")
    battle = await tx.games.find_for_update(int(entry.params["number"])) if entry.kind == BATTLE_OPENED else None
    return LogEntryFacts(
        seated_game=seated_game,
        entry=entry,
        is_open_proposal=is_open,
        required_seats=tuple(required),
        state=step.state if step else None,
        battle=battle,
    )


class MutedFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    entry: LogEntryRow | None
    """The entry that stopped the clock because messages cannot be sent; None if none has."""


async def read_muted(source: GameSource, _message: OutboxMessage) -> MutedFacts:
    stop_entry = await clock.stopping_act(source.tx, source.game)
    is_muted = stop_entry is not None and stop_entry.kind == clock.MUTED
    return MutedFacts(seated_game=source.seated_game, entry=stop_entry if is_muted else None)


async def read_time_request(source: GameSource, message: OutboxMessage) -> TimeRequestFacts | None:
    entry = await _find_entry(source, message)
    if entry is None or entry.seat is None:
        return None
    log_entries = await source.audit_log()
    return TimeRequestFacts(
        seated_game=source.seated_game,
        entry=entry,
        is_open=is_request_open(entry, source.game, log_entries),
        answered=is_answered(entry, log_entries),
    )


def describe_log_entry(localizer: Localizer, facts: LogEntryFacts) -> Markup:
    """Return an entry as a sentence; an opened battle is linked by its thread, if it has one."""
    if facts.battle and facts.battle.thread_id:
        return localizer.say("thread.battle", number=facts.battle.id, thread=thread_link(localizer, facts.battle))
    return log_entry_text(localizer, facts.entry)


def log_entry_text(localizer: Localizer, entry: LogEntryRow) -> Markup:
    # Only sentences about a seat need `seat`.
    seat = {"seat": entry.seat} if entry.seat is not None else {}
    params = {"who": describe_author(localizer, entry), **seat, **entry.params}
    if entry.kind == clock.MUTED and entry.user_id:
        return localizer.say("thread.muted_by", **params)
    if entry.kind == clock.PAUSED and "asked" in entry.params:  # the other side agreed to a request
        return localizer.say("thread.pause_agreed", **params)
    if entry.kind == clock.GAP:
        return localizer.say("act.gap", length=times.duration_text(localizer, clock.gap_seconds([entry])))
    if entry.kind == "substituted" and not entry.params["captain"]:  # the seat had no captain
        return localizer.say("thread.took_free_seat", **params)
    if entry.kind in TIME_REQUESTS:
        return localizer.say(f"proposal.{entry.kind}", **params)
    return localizer.say(f"act.{entry.kind}", **params)


def time_request_text(localizer: Localizer, facts: TimeRequestFacts) -> Markup:
    return localizer.say(
        f"proposal.{facts.entry.kind}", who=describe_author(localizer, facts.entry), **facts.entry.params
    )


def describe_author(localizer: Localizer, entry: LogEntryRow) -> Markup:
    """Return who made an entry; only the seat is known for games imported from a file."""
    if entry.user_id and entry.user_id > 0:
        return localizer.mention(entry.user_id)
    if entry.by_seat is not None:
        return localizer.say("admin.seat", number=entry.by_seat + 1, seat=entry.by_seat)
    return localizer.say("admin.manager")


def seat_offer_hint(localizer: Localizer, facts: LogEntryFacts) -> Markup:
    hint = localizer.say(f"offer.{facts.seat_access}")
    if facts.entry.kind != "offered":
        return hint
    return localizer.to_markup(f"{hint} {localizer.say('offer.return')}")
