"""What must be seen on Discord after a change: wishes for the outbox, in the change's own transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import structs

from bot.lifecycle.outbox import quiet_hours
from bot.store.models.records import Game, OutboxMessage, RequestRow
from bot.store.models.subjects import (
    AnnouncementSubject,
    ClockSubject,
    ClosedDmsSubject,
    DeletedChannelSubject,
    DeletionSubject,
    DrawOfferSubject,
    InvitationSubject,
    LobbySubject,
    LogEntrySubject,
    MissingPermissionSubject,
    PanelSubject,
    ReminderSubject,
    RemovalSubject,
    SealsSubject,
    StartSubject,
    StepSubject,
    TimeRequestSubject,
)
from bot.store.queries.transaction import Transaction

SEAT_OFFER_ACTS: Final = ("offered", "left", "kicked", "vacant", "barred")
"""Acts that offer a seat; each has a button with which it is taken over."""
PASSING_KINDS: Final = ("panel", "counted", "void", "standing")
"""Kinds of direct messages about a question, which go when the next one is asked."""
BATTLE_OPENED: Final = "battle_opened"
"""The act with which a game has opened one of its battles."""
DELETION_KINDS: Final = ("lobby", "deleted")
"""Kinds of messages that say that a game is deleted."""
PROPOSAL_ACTS: Final = ("undo_asked", "resolve_asked")
"""Acts that wait for captains to agree; each has a button for it."""


async def update_lobby(
    tx: Transaction,
    game_id: int,
    *,
    now: int,
    changed: tuple[str, str] | None = None,
    dropped: Mapping[str, str] | None = None,
) -> OutboxMessage:
    """Let the lobby show who sits where, and what its host has just `changed`: an option and its value before that.

    With it the options that it `dropped` went back to what is usual, from these values. What was changed last stays
    until something else is. Returns the message.
    Who is asked for a rematch reads that it is another game now.
    """
    there = await tx.messages.of_kinds(game_id, (LobbySubject().kind, "invite"))
    message = next((one for one in there if one.kind == LobbySubject().kind), None)
    if changed:
        await tx.messages.renew_all([one for one in there if one is not message], now=now)
    shown = message.subject_as(LobbySubject) if message else LobbySubject()
    if changed:
        shown = structs.replace(shown, option=changed[0], before=changed[1], dropped=dict(dropped or {}))
    return await tx.messages.request(game_id, shown, now=now)


async def invite_to_rematch(tx: Transaction, game_id: int, users: Iterable[int], *, of: int, now: int) -> None:
    """Ask captains of a game that is over whether they play its rematch, but nobody who is away or wants no reminders.

    They find the lobby where it stands, with a seat kept for them.
    """
    players = await tx.players.find_all([*users])
    for user, player in players.items():
        if player.reminders == "none" or quiet_hours.is_away(player, now):
            continue
        await tx.messages.request(game_id, InvitationSubject(user=user, of=of), user_id=user, now=now)


async def report_declined_rematch(tx: Transaction, game: Game, user: int, *, of: int, now: int) -> None:
    """Tell the host of a rematch that somebody wants none."""
    host = game.host_id
    await tx.messages.request(game.id, InvitationSubject(user=host, of=of, declined=user), user_id=host, now=now)


async def update_invitations(tx: Transaction, game_id: int, *, now: int) -> None:
    """Who was asked for a rematch sees whether that still holds."""
    await tx.messages.renew_all(await tx.messages.of_kinds(game_id, ("invite",)), now=now)


async def announce_start(tx: Transaction, game_id: int, *, now: int) -> None:
    """The thread is opened and says who plays."""
    await tx.messages.request(game_id, StartSubject(), now=now)


async def show_seals(tx: Transaction, game_id: int, step_no: int, *, clock: str = "", now: int) -> None:
    """The thread shows who has sealed what a step asked, or how far who acts on a clock is."""
    await tx.messages.request(game_id, SealsSubject(step_no, clock=clock), now=now)


async def update_seals(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> list[int]:
    """Bring up to date what the thread shows of these requests. Returns when each message is due, in Unix seconds."""
    return [*await _update_seal_lists(tx, rows, now=now), *await _update_turn(tx, rows, now=now)]


async def _update_turn(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> list[int]:
    """The last step that was told says again who acts next, if it is one of these requests that it asks."""
    due: list[int] = []
    acting = {(row.game_id, row.step_no) for row in rows if row.body.clock and not row.optional}
    for game_id in {game_id for game_id, _ in acting}:
        last = await tx.messages.last_of_kind(game_id, "step")
        if last and (game_id, last.subject_as(StepSubject).last) in acting:
            due += await tx.messages.renew_keys(game_id, [last.key], now=now)
    return due


async def _update_seal_lists(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> list[int]:
    due: list[int] = []
    listed = [row for row in rows if is_in_seal_list(row)]
    for game_id in {row.game_id for row in listed}:
        keys = {seals_subject(row).key for row in listed if row.game_id == game_id}
        due += await tx.messages.renew_keys(game_id, keys, now=now)
    return due


async def update_panel(tx: Transaction, row: RequestRow, *, at: int, patient: bool = False) -> None:
    """Let a captain's panel show the draft; a computer has none. If `patient`, an edit that waits is not hastened."""
    if (user_id := await _user_of_seat(tx, row)) is not None:
        await tx.messages.request(row.game_id, panel_subject(row), user_id=user_id, now=at, patient=patient)


async def _user_of_seat(tx: Transaction, row: RequestRow) -> int | None:
    return next(seat.user_id for seat in await tx.seats.of_game(row.game_id) if seat.seat == row.seat)


async def link_battle_thread(tx: Transaction, battle: Game, *, now: int) -> None:
    """What tells of a battle in the game that it is played for leads there from now on."""
    if battle.parent_id is None:
        return
    acts = [one for one in await tx.audit_log.of_game(battle.parent_id) if one.kind == BATTLE_OPENED]
    keys = [LogEntrySubject(one.id).key for one in acts if one.params["number"] == battle.id]
    await tx.messages.renew_keys(battle.parent_id, keys, now=now)


async def redraw_panels(tx: Transaction, rows: Iterable[RequestRow], *, now: int) -> None:
    """Make the panels of these requests again that a captain has: they speak another language."""
    panels: dict[int, set[str]] = defaultdict(set)
    for row in rows:
        panels[row.game_id].add(panel_subject(row).key)
    for game_id, keys in panels.items():
        await tx.messages.renew_keys(game_id, keys, now=now)


async def update_panel_after_press(tx: Transaction, row: RequestRow, user_id: int, *, at: int) -> OutboxMessage:
    """Let the panel of a captain who has just acted show the draft at a time, if nothing else has shown it by then."""
    return await tx.messages.request(row.game_id, panel_subject(row), user_id=user_id, now=at)


async def repost_panel(tx: Transaction, row: RequestRow, user_id: int, *, at: int, now: int) -> OutboxMessage:
    """Post the panel of a captain who has written below what they wrote, and clear its old place."""
    if message := await tx.messages.find(row.game_id, panel_subject(row).key):
        await tx.removals.take_away([message], now=now)
    await tx.removals.make_due(row.game_id, [user_id], now=now)
    return await update_panel_after_press(tx, row, user_id, at=at)


async def release_panel(tx: Transaction, row: RequestRow, *, now: int) -> None:
    """A panel is shown to its captain no more; the key is free for that of the next one."""
    if message := await tx.messages.find(row.game_id, panel_subject(row).key):
        await tx.messages.retire([message])
        await renew_message(tx, message, now=now)


async def renew_message(tx: Transaction, message: OutboxMessage, *, now: int) -> None:
    """Make a message again, whatever it shows by now."""
    await tx.messages.renew_all([message], now=now)


async def close_panels(tx: Transaction, rows: Sequence[RequestRow], *, answered: Collection[str], now: int) -> None:
    """Panels and lists of what is asked no more lose their buttons.

    A step goes on saying who acts next when they have acted: it was so.
    """
    for game_id in {row.game_id for row in rows}:
        panels = {panel_subject(row).key for row in rows if row.game_id == game_id}
        await tx.messages.renew_keys(game_id, panels, now=now, patient=True)
    await _update_seal_lists(tx, rows, now=now)
    await _update_turn(tx, [row for row in rows if row.id not in answered], now=now)


async def add_log_entry(
    tx: Transaction,
    game: Game,
    kind: str,
    *,
    now: int,
    user_id: int | None = None,
    seat: int | None = None,
    **params: str | int,
) -> None:
    """What was done beside the rules enters the audit log, and the thread says so, as `add_log_entry.<kind>`."""
    number = await tx.audit_log.add_for_game(game, kind, now=now, user_id=user_id, seat=seat, params=params)
    await tx.messages.request(game.id, LogEntrySubject(number), now=now)


async def update_captains(tx: Transaction, game_id: int, *, now: int) -> None:
    """The thread, and its first message, name who plays now."""
    await tx.messages.renew_keys(game_id, [StartSubject().key], now=now)


async def update_seat_offers(tx: Transaction, game_id: int, seat: int, *, now: int) -> None:
    """Messages that offered a seat lose their buttons if it is offered no more."""
    offers = {
        LogEntrySubject(act.id).key
        for act in await tx.audit_log.of_game(game_id)
        if act.kind in SEAT_OFFER_ACTS and act.seat == seat
    }
    await tx.messages.renew_keys(game_id, offers, now=now)


async def retire_seal_messages(
    tx: Transaction, game_id: int, rows: Sequence[RequestRow], *, clocks: Collection[str] = (), now: int
) -> None:
    """What the thread shows of these requests is brought up to date, and not used for what is asked from now on.

    What it shows of these `clocks` is used all the same.
    """
    await update_seals(tx, rows, now=now)
    clocks = {row.body.clock for row in rows if row.body.clock} - {*clocks}
    told = await tx.messages.of_kinds(game_id, ("seals", "step"))
    await tx.messages.retire([one for one in told if one.subject_as(ClockSubject).clock in clocks])


async def repost_current(tx: Transaction, game: Game, rows: Sequence[RequestRow], *, now: int) -> None:
    """What was last told, what is asked, and what still may be pressed is posted once more, below all else."""
    messages = await tx.messages.of_game(game.id)
    panels = {panel_subject(row).key for row in rows}
    asking_now = {seals_subject(row).key for row in rows if not row.optional}
    last = [message.key for message in messages if message.kind == "step"][-1:]
    offers = {
        LogEntrySubject(act.id).key
        for act in await tx.audit_log.of_game(game.id)
        if act.kind in (*SEAT_OFFER_ACTS, *PROPOSAL_ACTS)
    }
    offered = {DrawOfferSubject(game.step_no).key}
    wanted = {*panels, *asking_now, *last, *offers, *offered}
    await repost_messages(tx, [message for message in messages if message.key in wanted], now=now)


async def repost_in_new_thread(tx: Transaction, game_id: int, *, now: int) -> None:
    """In another thread: who plays, with the fingerprint of the dice, what was last told, and who is awaited."""
    messages = await tx.messages.of_game(game_id)
    last = {message.kind: message for message in messages if message.kind in ("begin", "step", "seals")}
    if "seals" in last and "step" in last and last["seals"].id < last["step"].id:
        del last["seals"]  # the last step itself says who acts next
    await repost_messages(tx, list(last.values()), now=now)


async def repost_messages(tx: Transaction, messages: Sequence[OutboxMessage], *, now: int) -> None:
    """These messages are posted once more; what all saw before is left as it is, what one saw goes."""
    await tx.removals.take_away(messages, now=now)
    await tx.messages.repost(messages)
    await tx.messages.renew_all(messages, now=now)


async def announce_draw_offer(tx: Transaction, game_id: int, step_no: int, *, now: int) -> None:
    """The thread says who offers a draw."""
    await tx.messages.request(game_id, DrawOfferSubject(step_no), now=now)


async def close_draw_offer(tx: Transaction, game_id: int, step_no: int, *, now: int) -> None:
    """An offer of a draw that has lapsed loses its button."""
    await tx.messages.renew_keys(game_id, [DrawOfferSubject(step_no).key], now=now)


async def announce_time_request(tx: Transaction, game_id: int, act_id: int, *, now: int) -> None:
    """The thread says what somebody asks the other side for, with a button to agree."""
    await tx.messages.request(game_id, TimeRequestSubject(act_id), now=now)


async def close_lapsed_requests(tx: Transaction, game: Game, *, now: int) -> None:
    """What was asked for under a game's old deadline, and cannot be agreed to any more, loses its button."""
    asked = {act.id for act in await tx.audit_log.of_game(game.id) if act.params.get("deadline") == game.deadline}
    await tx.messages.renew_keys(game.id, {TimeRequestSubject(one).key for one in asked}, now=now)


async def schedule_reminder(tx: Transaction, row: RequestRow, which: str, user_id: int, *, at: int) -> None:
    """A captain is reminded of what is missing then."""
    await tx.messages.request(row.game_id, ReminderSubject(row.id, which), user_id=user_id, now=at)


async def report_missing_permission(
    tx: Transaction, game: Game, permission: str, *, now: int, repeat: bool = False
) -> None:
    """Tell the host what permission is missing, once if not `repeat`; what it holds up is tried again and again."""
    subject = MissingPermissionSubject(permission)
    known = await tx.messages.find(game.id, subject.key)
    if known and repeat:
        await repost_messages(tx, [known], now=now)
    elif game.host_id and known is None:
        await tx.messages.request(game.id, subject, user_id=game.host_id, now=now)


async def report_quarantine(tx: Transaction, game: Game, *, now: int) -> None:
    """Let the thread tell its host, once, that the bot may open no new direct messages."""
    subject = MissingPermissionSubject("quarantine")
    if await tx.messages.find(game.id, subject.key) is None:
        await tx.messages.request(game.id, subject, now=now)


async def report_deleted_channel(tx: Transaction, game: Game, *, now: int) -> bool:
    """Tell the host and all captains, once, that the game's channel was deleted. Returns whether that is new."""
    users = {game.host_id, *(seat.user_id for seat in await tx.seats.of_game(game.id) if seat.user_id)} - {0}
    if await is_channel_deleted(tx, game):
        return False
    for user_id in sorted(users):
        await tx.messages.request(game.id, DeletedChannelSubject(game.channel_id, user_id), user_id=user_id, now=now)
    return bool(users)


async def is_channel_deleted(tx: Transaction, game: Game) -> bool:
    """Whether the channel in which a game would be told now was deleted."""
    told = await tx.messages.of_kinds(game.id, ("homeless",))
    return any(one.subject_as(DeletedChannelSubject).channel == game.channel_id for one in told)


async def report_removal_from_server(tx: Transaction, game: Game, *, now: int) -> None:
    """All captains, and the host, are told that the bot was removed from their server."""
    users = {game.host_id, *(seat.user_id for seat in await tx.seats.of_game(game.id) if seat.user_id)}
    for user_id in sorted(users - {0}):
        await tx.messages.request(game.id, RemovalSubject(user_id, now), user_id=user_id, now=now)


async def report_deletion(tx: Transaction, game: Game, *, now: int) -> None:
    """Let a game's lobby and thread say that it is no more; direct messages about it go, and nothing else is sent."""
    messages = await tx.messages.of_game(game.id)
    await tx.messages.cancel([message for message in messages if message.wanted > message.sent])
    await tx.removals.take_away([message for message in messages if message.user_id is not None], now=now)
    await tx.removals.remove_all(game.id, now=now)
    await tx.messages.renew_keys(game.id, [LobbySubject().key], now=now)
    if game.thread_id is not None:
        await tx.messages.request(game.id, DeletionSubject(), now=now)


async def add_announcement(tx: Transaction, game: Game, number: int, text: str, *, at: int) -> None:
    """Let a game's thread show what the host has to say to all, from a time on."""
    await tx.messages.request(game.id, AnnouncementSubject(number, text), now=at)


async def explain_closed_dms(tx: Transaction, game_id: int, user_id: int, *, now: int) -> None:
    """Let the thread say, once, how somebody without direct messages gets at their orders."""
    if await tx.messages.find(game_id, ClosedDmsSubject(user_id).key) is None:
        await tx.messages.request(game_id, ClosedDmsSubject(user_id), now=now)


def is_in_seal_list(row: RequestRow) -> bool:
    """Whether the thread tells all how far a captain is with this: the game waits for it, or it was sealed ahead."""
    return not row.optional or row.body.ahead


def seals_subject(row: RequestRow) -> SealsSubject:
    """The list that tells all how far its captain is with what they are asked, unless it is optional."""
    return SealsSubject(row.step_no, clock=row.body.clock)


def panel_subject(row: RequestRow) -> PanelSubject:
    """The panel on which its captain finds a request: one for all that is asked of a seat by one clock.

    There is one a round, too, for what nobody waits for: a second one would tell that the first was answered.
    """
    body = row.body
    if body.ahead:
        return PanelSubject(row.id, f"ahead.{row.id}")
    if row.optional:
        return PanelSubject(row.id, f"{row.seat}.{body.round}.{body.kind}")
    return PanelSubject(row.id, f"{row.seat}.{body.clock}" if body.clock else "")
