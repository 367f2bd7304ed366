"""Request the messages that a change makes necessary, in the transaction of the change.

The outbox makes the content when it sends a message, from what is stored then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import structs

from bot.lifecycle.outbox import quiet_hours
from bot.store.models.records import Game, OutboxMessage, RequestRow
from bot.store.models.subjects import (
    ClockSubject,
    ClosedDmsSubject,
    DeletedChannelSubject,
    DeletionSubject,
    DrawOfferSubject,
    HostNoteSubject,
    InvitationSubject,
    LobbySubject,
    LogEntrySubject,
    MissingPermissionSubject,
    PanelSubject,
    RemovalSubject,
    SealsSubject,
    StartSubject,
    StepSubject,
    TimeRequestSubject,
)
from bot.store.queries.transaction import Transaction

SEAT_OFFER_ACTS: Final = ("offered", "left", "kicked", "gave_back", "vacant", "barred")
PASSING_KINDS: Final = ("panel", "counted", "void", "standing")  # direct messages that later ones make obsolete
BATTLE_OPENED: Final = "battle_opened"
DELETION_KINDS: Final = ("lobby", "deleted")  # messages that are still sent for a deleted game
PROPOSAL_ACTS: Final = ("undo_asked", "resolve_asked")


async def update_lobby(
    tx: Transaction,
    game_id: int,
    *,
    now: int,
    changed: tuple[str, str] | None = None,
    dropped: Mapping[str, str] | None = None,
) -> OutboxMessage:
    """Update the lobby's message and return it.

    `changed`: an option the host has just changed, and its previous value; shown until the next change. `dropped`:
    options that were reset because of it, with their previous values. A change also updates rematch invitations.
    """
    messages = await tx.messages.of_kinds(game_id, (LobbySubject().kind, "invite"))
    message = next((other for other in messages if other.kind == LobbySubject().kind), None)
    if changed:
        await tx.messages.renew_all([other for other in messages if other is not message], now=now)
    subject = message.subject_as(LobbySubject) if message else LobbySubject()
    if changed:
        subject = structs.replace(subject, option=changed[0], before=changed[1], dropped=dict(dropped or {}))
    return await tx.messages.request(game_id, subject, now=now)


async def invite_to_rematch(tx: Transaction, game_id: int, users: Iterable[int], *, of: int, now: int) -> None:
    """Invite captains of the finished game `of` to its rematch, except those who are away or want no reminders."""
    players = await tx.players.find_all([*users])
    for user_id, player in players.items():
        if player.reminders == "none" or quiet_hours.is_away(player, now):
            continue
        await tx.messages.request(game_id, InvitationSubject(user=user_id, of=of), user_id=user_id, now=now)


async def report_declined_rematch(tx: Transaction, game: Game, user: int, *, of: int, now: int) -> None:
    host = game.host_id
    await tx.messages.request(game.id, InvitationSubject(user=host, of=of, declined=user), user_id=host, now=now)


async def update_invitations(tx: Transaction, game_id: int, *, now: int) -> None:
    await tx.messages.renew_all(await tx.messages.of_kinds(game_id, ("invite",)), now=now)


async def announce_start(tx: Transaction, game_id: int, *, now: int) -> None:
    await tx.messages.request(game_id, StartSubject(), now=now)


async def update_seals(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> list[int]:
    """Update what the thread shows about these requests. Return when each edit is due (Unix seconds)."""
    return [*await _update_seal_lists(tx, rows, now=now), *await _update_turn(tx, rows, now=now)]


async def _update_turn(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> list[int]:
    """Update the last step's message, which says who acts next, if one of these requests was asked by that step."""
    edit_times: list[int] = []
    acting_steps = {(row.game_id, row.step_no) for row in rows if row.body.clock and not row.optional}
    for game_id in {game_id for game_id, _ in acting_steps}:
        last_step_message = await tx.messages.last_of_kind(game_id, "step")
        if last_step_message and (game_id, last_step_message.subject_as(StepSubject).last) in acting_steps:
            edit_times += await tx.messages.renew_keys(game_id, [last_step_message.key], now=now)
    return edit_times


async def _update_seal_lists(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> list[int]:
    edit_times: list[int] = []
    listed_rows = [row for row in rows if is_in_seal_list(row)]
    for game_id in {row.game_id for row in listed_rows}:
        keys = {seals_subject(row).key for row in listed_rows if row.game_id == game_id}
        edit_times += await tx.messages.renew_keys(game_id, keys, now=now)
    return edit_times


async def update_panel(tx: Transaction, row: RequestRow, *, at: int) -> None:
    """Update a captain's panel at `at`; computers have none."""
    user_id = next(seat.user_id for seat in await tx.seats.of_game(row.game_id) if seat.seat == row.seat)
    if user_id is not None:
        await tx.messages.request(row.game_id, panel_subject(row), user_id=user_id, now=at)


async def link_battle_thread(tx: Transaction, battle: Game, *, now: int) -> None:
    if battle.parent_id is None:
        return
    acts = [act for act in await tx.audit_log.of_game(battle.parent_id) if act.kind == BATTLE_OPENED]
    keys = [LogEntrySubject(act.id).key for act in acts if act.params["number"] == battle.id]
    await tx.messages.renew_keys(battle.parent_id, keys, now=now)


async def redraw_panels(tx: Transaction, rows: Iterable[RequestRow], *, now: int) -> None:
    panels: dict[int, set[str]] = defaultdict(set)
    for row in rows:
        panels[row.game_id].add(panel_subject(row).key)
    for game_id, keys in panels.items():
        await tx.messages.renew_keys(game_id, keys, now=now)


async def update_panel_after_press(tx: Transaction, row: RequestRow, user_id: int, *, at: int) -> OutboxMessage:
    return await tx.messages.request(row.game_id, panel_subject(row), user_id=user_id, now=at)


async def repost_panel(tx: Transaction, row: RequestRow, user_id: int, *, at: int, now: int) -> OutboxMessage:
    if message := await tx.messages.find(row.game_id, panel_subject(row).key):
        await tx.removals.take_away([message], now=now)
    await tx.removals.make_due(row.game_id, [user_id], now=now)
    return await update_panel_after_press(tx, row, user_id, at=at)


async def release_panel(tx: Transaction, row: RequestRow, *, now: int) -> None:
    """Update a panel a last time and free its key for the captain's next panel."""
    if message := await tx.messages.find(row.game_id, panel_subject(row).key):
        await tx.messages.retire([message])
        await tx.messages.renew_all([message], now=now)


async def close_panels(tx: Transaction, rows: Sequence[RequestRow], *, answered: Collection[str], now: int) -> None:
    """Remove the buttons of panels and lists of closed requests.

    The line about who acts next stays for `answered` requests, because it was true when it was posted.
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
) -> int:
    """Add an entry to the game's audit log, announce it in the thread with the text `act.<kind>`, and return its id."""
    entry_id = await tx.audit_log.add_for_game(game, kind, now=now, user_id=user_id, seat=seat, params=params)
    await tx.messages.request(game.id, LogEntrySubject(entry_id), now=now)
    return entry_id


async def tell_host(tx: Transaction, game: Game, entry_id: int, *, now: int) -> None:
    """Tell a game's host of an entry of its audit log by direct message."""
    if game.host_id > 0:
        await tx.messages.request(game.id, HostNoteSubject(entry_id), user_id=game.host_id, now=now)


async def update_captains(tx: Transaction, game_id: int, *, now: int) -> None:
    await tx.messages.renew_keys(game_id, [StartSubject().key], now=now)


async def update_seat_offers(tx: Transaction, game_id: int, seat: int, *, now: int) -> None:
    offers = {
        LogEntrySubject(act.id).key
        for act in await tx.audit_log.of_game(game_id)
        if act.kind in SEAT_OFFER_ACTS and act.seat == seat
    }
    await tx.messages.renew_keys(game_id, offers, now=now)


async def retire_seal_messages(
    tx: Transaction, game_id: int, rows: Sequence[RequestRow], *, kept_clocks: Collection[str] = (), now: int
) -> None:
    """Update what the thread shows about these requests, and free the keys of messages about ended clocks.

    A captain's clock has ended unless it is one of `kept_clocks`.
    """
    await update_seals(tx, rows, now=now)
    ended_clocks = {row.body.clock for row in rows if row.body.clock} - {*kept_clocks}
    messages = await tx.messages.of_kinds(game_id, ("seals", "step"))
    about_ended = [message for message in messages if message.subject_as(ClockSubject).clock in ended_clocks]
    await tx.messages.retire(about_ended)


async def current_messages(tx: Transaction, game: Game, rows: Sequence[RequestRow]) -> list[OutboxMessage]:
    """Return the last step, the open panels and lists, and all messages with usable buttons."""
    messages = await tx.messages.of_game(game.id)
    panels = {panel_subject(row).key for row in rows}
    seal_lists = {seals_subject(row).key for row in rows if not row.optional}
    last_step_key = [message.key for message in messages if message.kind == "step"][-1:]
    offers = {
        LogEntrySubject(act.id).key
        for act in await tx.audit_log.of_game(game.id)
        if act.kind in (*SEAT_OFFER_ACTS, *PROPOSAL_ACTS)
    }
    draw_offers = {DrawOfferSubject(game.step_no).key}
    current_keys = {*panels, *seal_lists, *last_step_key, *offers, *draw_offers}
    return [message for message in messages if message.key in current_keys]


async def repost_in_new_thread(tx: Transaction, game_id: int, *, now: int) -> None:
    messages = await tx.messages.of_game(game_id)
    last_by_kind = {message.kind: message for message in messages if message.kind in ("begin", "step", "seals")}
    if "seals" in last_by_kind and "step" in last_by_kind and last_by_kind["seals"].id < last_by_kind["step"].id:
        del last_by_kind["seals"]
    await repost_messages(tx, list(last_by_kind.values()), now=now)


async def repost_messages(tx: Transaction, messages: Sequence[OutboxMessage], *, now: int) -> None:
    """Post messages again. Public copies stay where they are; direct messages are deleted first."""
    await tx.removals.take_away(messages, now=now)
    await tx.messages.repost(messages)
    await tx.messages.renew_all(messages, now=now)


async def close_lapsed_requests(tx: Transaction, game: Game, *, now: int) -> None:
    """Update messages of requests for more time that ended with the deadline for which they were made."""
    lapsed_ids = {act.id for act in await tx.audit_log.of_game(game.id) if act.params.get("deadline") == game.deadline}
    await tx.messages.renew_keys(game.id, {TimeRequestSubject(act_id).key for act_id in lapsed_ids}, now=now)


async def report_missing_permission(
    tx: Transaction, game: Game, permission: str, *, now: int, repeat: bool = False
) -> None:
    """Tell the host that a permission is missing; once, unless `repeat`."""
    subject = MissingPermissionSubject(permission)
    earlier_report = await tx.messages.find(game.id, subject.key)
    if earlier_report and repeat:
        await repost_messages(tx, [earlier_report], now=now)
    elif game.host_id and earlier_report is None:
        await tx.messages.request(game.id, subject, user_id=game.host_id, now=now)


async def report_quarantine(tx: Transaction, game: Game, *, now: int) -> None:
    subject = MissingPermissionSubject("quarantine")
    if await tx.messages.find(game.id, subject.key) is None:
        await tx.messages.request(game.id, subject, now=now)


async def report_deleted_channel(tx: Transaction, game: Game, *, now: int) -> bool:
    # Tells host and captains once that the channel is gone. Returns whether anybody was told now.
    user_ids = {game.host_id, *(seat.user_id for seat in await tx.seats.of_game(game.id) if seat.user_id)} - {0}
    if await is_channel_deleted(tx, game):
        return False
    for user_id in sorted(user_ids):
        await tx.messages.request(game.id, DeletedChannelSubject(game.channel_id, user_id), user_id=user_id, now=now)
    return bool(user_ids)


async def is_channel_deleted(tx: Transaction, game: Game) -> bool:
    reports = await tx.messages.of_kinds(game.id, ("homeless",))
    return any(report.subject_as(DeletedChannelSubject).channel == game.channel_id for report in reports)


async def report_removal_from_server(tx: Transaction, game: Game, *, now: int) -> None:
    user_ids = {game.host_id, *(seat.user_id for seat in await tx.seats.of_game(game.id) if seat.user_id)}
    for user_id in sorted(user_ids - {0}):
        await tx.messages.request(game.id, RemovalSubject(user_id, now), user_id=user_id, now=now)


async def report_deletion(tx: Transaction, game: Game, *, now: int) -> None:
    """Report a game's deletion in its lobby and thread, delete its direct messages and send nothing else about it."""
    messages = await tx.messages.of_game(game.id)
    await tx.messages.cancel([message for message in messages if message.wanted > message.sent])
    await tx.removals.take_away([message for message in messages if message.user_id is not None], now=now)
    await tx.removals.remove_all(game.id, now=now)
    await tx.messages.renew_keys(game.id, [LobbySubject().key], now=now)
    if game.thread_id is not None:
        await tx.messages.request(game.id, DeletionSubject(), now=now)


async def explain_closed_dms(tx: Transaction, game_id: int, user_id: int, *, now: int) -> None:
    if await tx.messages.find(game_id, ClosedDmsSubject(user_id).key) is None:
        await tx.messages.request(game_id, ClosedDmsSubject(user_id), now=now)


def is_in_seal_list(row: RequestRow) -> bool:
    """Return whether the thread shows the captain's progress: the game waits for the answer, or it may come early."""
    return not row.optional or row.body.ahead


def seals_subject(row: RequestRow) -> SealsSubject:
    return SealsSubject(row.step_no, clock=row.body.clock)


def panel_subject(row: RequestRow) -> PanelSubject:
    """Return the panel of a request. Requests of one seat on one clock share a panel.

    Optional requests of one kind and round share one, too: a second panel would reveal that the first was answered.
    """
    body = row.body
    if body.ahead:
        return PanelSubject(row.id, f"ahead.{row.id}")
    if row.optional:
        return PanelSubject(row.id, f"{row.seat}.{body.round}.{body.kind}")
    return PanelSubject(row.id, f"{row.seat}.{body.clock}" if body.clock else "")
