"""What must be seen on Discord after a change: wishes for the outbox, in the change's own transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from bot.store.queries import Transaction
from bot.store.records import Game, Message, RequestRow

OFFERS: Final = ("offered", "left", "kicked")
"""Acts that offer a seat; each has a button with which it is taken over."""
PASSING: Final = ("panel", "counted", "void", "standing")
"""Kinds of direct messages about a question, which go when the next one is asked."""
PROPOSALS: Final = ("undo_asked", "resolve_asked")
"""Acts that wait for captains to agree; each has a button for it."""


class LobbyNote(NamedTuple):
    """What a lobby's message shows besides how things stand."""

    page: int = 0
    """Of its options, from 0."""
    key: str = ""
    """The option that was changed last; empty: none was."""
    before: str = ""
    """Its value before that."""

    @classmethod
    def read(cls, ref: str) -> LobbyNote:
        """Read it as the message's row holds it."""
        page, _, changed = ref.partition("/")
        key, _, before = changed.partition("=")
        return cls(int(page or 0), key, before)

    def write(self) -> str:
        """Write it as the message's row holds it: nothing if there is nothing to note."""
        return f"{self.page}/{self.key}={self.before}" if any(self) else ""


async def lobby(
    tx: Transaction, game_id: int, *, now: int, changed: tuple[str, str] | None = None, page: int | None = None
) -> None:
    """The lobby shows who sits where; and what its host has just `changed`, an option and its value before that.

    What was changed last, and which `page` of the options is shown, stays until it is another.
    """
    message = await tx.messages.find(game_id, "lobby")
    note = LobbyNote.read(message.ref if message else "")
    if changed:
        note = note._replace(key=changed[0], before=changed[1])
    if page is not None:
        note = note._replace(page=page)
    await tx.messages.want(game_id, "lobby", kind="lobby", ref=note.write(), now=now)


async def beginning(tx: Transaction, game_id: int, *, now: int) -> None:
    """The thread is opened and says who plays."""
    await tx.messages.want(game_id, "begin", kind="begin", now=now)


async def step(tx: Transaction, game_id: int, no: int, *, clock: str = "", now: int) -> None:
    """The thread tells what happened: in a message of its own, or in that of all that is done on one clock."""
    key = f"step:{clock or no}"
    known = await tx.messages.find(game_id, key) if clock else None
    first = told_steps(known)[0] if known else no
    await tx.messages.want(game_id, key, kind="step", ref=f"{first}-{no}", now=now)


def told_steps(message: Message) -> tuple[int, int]:
    """The first and the last step of which a message tells."""
    first, _, last = message.ref.partition("-")
    return int(first), int(last or first)


async def seals(tx: Transaction, game_id: int, step_no: int, *, clock: str = "", now: int) -> None:
    """The thread shows who has sealed what a step asked, or how far who acts on a clock is."""
    await tx.messages.want(game_id, f"seals:{clock or step_no}", kind="seals", ref=f"{step_no}/{clock}", now=now)


async def changed_seals(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    """What the thread shows of these requests, if anything, is brought up to date."""
    await _changed_lists(tx, rows, now=now)
    await _changed_turn(tx, rows, now=now)


async def _changed_turn(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    """The last step that was told says anew who acts next, if it is one of these requests that it asks."""
    for row in rows:
        last = await tx.messages.last(row.game_id, "step") if row.body.clock and not row.optional else None
        if last and told_steps(last)[1] == row.step_no:
            await renewed(tx, last, now=now)


async def _changed_lists(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    for game_id, key in sorted({(row.game_id, seals_key(row)) for row in rows if is_listed(row)}):
        if message := await tx.messages.find(game_id, key):
            await renewed(tx, message, now=now)


def asking(message: Message) -> tuple[int, str]:
    """Of a message that shows seals: the step that asked first, and the clock on which more was asked, if any."""
    step_no, _, clock = message.ref.partition("/")
    return int(step_no), clock


async def panel(tx: Transaction, row: RequestRow, *, at: int, patient: bool = False) -> None:
    """A captain's panel shows his draft; a computer has none. Where `patient`, a press that is about to show it may."""
    users = {seat.seat: seat.user_id for seat in await tx.seats.of(row.game_id)}
    if (user_id := users[row.seat]) is not None:
        await tx.messages.want(
            row.game_id, panel_key(row), kind="panel", ref=row.id, user_id=user_id, now=at, patient=patient
        )


async def shown_anew(tx: Transaction, rows: Iterable[RequestRow], *, now: int) -> None:
    """The panels of these requests that a captain has are made anew: he speaks another language."""
    for row in rows:
        if message := await tx.messages.find(row.game_id, panel_key(row)):
            await renewed(tx, message, now=now)


async def moved_panel(tx: Transaction, before: RequestRow, row: RequestRow, *, now: int) -> None:
    """The panel of what could be answered ahead is that of what is asked now: posted once more, unless it is sealed."""
    if message := await tx.messages.find(before.game_id, panel_key(before)):
        moved = structs.replace(message, key=panel_key(row))
        await tx.messages.change(message.id, key=moved.key)
        await (renewed(tx, moved, now=now) if row.status == "sealed" else again(tx, [moved], now=now))


async def pressed(tx: Transaction, row: RequestRow, user_id: int, *, at: int) -> Message:
    """The panel of whoever has just acted shows his draft, then if nothing else has shown it."""
    return await tx.messages.want(row.game_id, panel_key(row), kind="panel", ref=row.id, user_id=user_id, now=at)


async def panel_below(tx: Transaction, row: RequestRow, user_id: int, *, at: int, now: int) -> Message:
    """The panel of whoever has written is posted below what he wrote, and its old place is cleared."""
    if message := await tx.messages.find(row.game_id, panel_key(row)):
        await tx.removals.take_away(message, now=now)
    await tx.removals.remove_passed(row.game_id, user_id, now=now)
    return await pressed(tx, row, user_id, at=at)


async def passed(tx: Transaction, game_id: int, users: Collection[int], *, but: Collection[str] = (), now: int) -> None:
    """What these captains were told about earlier questions goes: they are asked something else now.

    What they are still asked stays, and the messages of these keys, which tell what is told nowhere `but` there.
    """
    asked = {row.id for row in await tx.requests.of(game_id)}
    for message in await tx.messages.shown_to(game_id, users, PASSING):
        if message.ref not in asked and message.key not in but:
            await tx.removals.take_away(message, now=now)
            await tx.messages.change(message.id, sent=message.wanted)  # nothing is to be shown in its place
    for user_id in users:
        await tx.removals.remove_passed(game_id, user_id, now=now)


async def last_words(tx: Transaction, game_id: int, *, now: int) -> None:
    """In a game that is over each captain keeps his last panel, which says so; all else that he was told goes."""
    users = {seat.user_id for seat in await tx.seats.of(game_id) if seat.user_id is not None}
    last: dict[int | None, Message] = {}
    for message in await tx.messages.shown_to(game_id, users, PASSING):
        if message.kind == "panel":
            last[message.user_id] = message
    await passed(tx, game_id, users, but={message.key for message in last.values()}, now=now)
    for message in last.values():
        await want_patiently(tx, message, now=now)


async def lost_panel(tx: Transaction, row: RequestRow, *, now: int) -> None:
    """A panel is shown to its captain no more; the key is free for that of the next one."""
    if message := await tx.messages.find(row.game_id, panel_key(row)):
        lost = structs.replace(message, key=f"{message.key}~{message.id}")
        await tx.messages.change(message.id, key=lost.key)
        await renewed(tx, lost, now=now)


async def renewed(tx: Transaction, message: Message, *, now: int) -> None:
    """A message is made anew, whatever it shows by now."""
    await tx.messages.want(
        message.game_id, message.key, kind=message.kind, ref=message.ref, user_id=message.user_id, now=now
    )


async def want_patiently(tx: Transaction, message: Message, *, now: int) -> None:
    """The same, if no press is about to show it."""
    await tx.messages.want(
        message.game_id,
        message.key,
        kind=message.kind,
        ref=message.ref,
        user_id=message.user_id,
        now=now,
        patient=True,
    )


async def closed_panels(tx: Transaction, rows: Sequence[RequestRow], *, answered: Collection[str], now: int) -> None:
    """Panels and lists of what is asked no more lose their buttons.

    That somebody acts next stays told where he did: it was so.
    """
    for row in rows:
        if await tx.messages.find(row.game_id, panel_key(row)):
            await panel(tx, row, at=now, patient=True)
    await _changed_lists(tx, rows, now=now)
    await _changed_turn(tx, [row for row in rows if row.id not in answered], now=now)


async def counted(tx: Transaction, row: RequestRow, *, now: int) -> None:
    """A captain is told that his plan counted though he had not sealed it."""
    users = {seat.seat: seat.user_id for seat in await tx.seats.of(row.game_id)}
    if (user_id := users[row.seat]) is not None:
        await tx.messages.want(row.game_id, f"counted:{row.id}", kind="counted", ref=row.id, user_id=user_id, now=now)


async def void(tx: Transaction, row: RequestRow, *, now: int) -> None:
    """A captain is told that what he had answered ahead cannot be carried out."""
    users = {seat.seat: seat.user_id for seat in await tx.seats.of(row.game_id)}
    if (user_id := users[row.seat]) is not None:
        await tx.messages.want(row.game_id, f"void:{row.id}", kind="void", ref=row.id, user_id=user_id, now=now)


async def act(
    tx: Transaction,
    game: Game,
    kind: str,
    *,
    now: int,
    user_id: int | None = None,
    seat: int | None = None,
    **params: str | int,
) -> None:
    """What was done beside the rules enters the audit log, and the thread says so, as `act.<kind>`."""
    number = await tx.acts.add(game, kind, now=now, user_id=user_id, seat=seat, params=params)
    await tx.messages.want(game.id, f"act:{number}", kind="act", ref=str(number), now=now)


async def changed_offers(tx: Transaction, game_id: int, seat: int, *, now: int) -> None:
    """Messages that offered a seat lose their buttons if it is offered no more."""
    for act in await tx.acts.of(game_id):
        if act.kind in OFFERS and act.seat == seat and (message := await tx.messages.find(game_id, f"act:{act.id}")):
            await renewed(tx, message, now=now)


async def put_aside(tx: Transaction, game_id: int, rows: Sequence[RequestRow], *, now: int) -> None:
    """What the thread shows of these requests is brought up to date, and not used for what is asked from now on."""
    await changed_seals(tx, rows, now=now)
    clocks = {row.body.clock for row in rows if row.body.clock}
    for message in await tx.messages.of(game_id):
        if message.key.partition(":")[2] in clocks and message.kind in ("seals", "step"):
            await tx.messages.change(message.id, key=f"{message.key}~{message.id}")


async def last_again(tx: Transaction, game: Game, rows: Sequence[RequestRow], *, now: int) -> None:
    """What was last told, what is asked, and what still may be pressed is posted once more, below all else."""
    messages = await tx.messages.of(game.id)
    panels = {panel_key(row) for row in rows}
    asking_now = {seals_key(row) for row in rows if not row.optional}
    last = [message.key for message in messages if message.kind == "step"][-1:]
    offers = {f"act:{act.id}" for act in await tx.acts.of(game.id) if act.kind in (*OFFERS, *PROPOSALS)}
    offered = {f"draw:{game.step_no}"}
    wanted = {*panels, *asking_now, *last, *offers, *offered}
    await again(tx, [message for message in messages if message.key in wanted], now=now)


async def begun_anew(tx: Transaction, game_id: int, *, now: int) -> None:
    """In another thread: who plays, with the fingerprint of the dice, what was last told, and who is awaited."""
    messages = await tx.messages.of(game_id)
    last = {message.kind: message for message in messages if message.kind in ("begin", "step", "seals")}
    if "seals" in last and "step" in last and last["seals"].id < last["step"].id:
        del last["seals"]  # the last step itself says who acts next
    await again(tx, list(last.values()), now=now)


async def again(tx: Transaction, messages: Sequence[Message], *, now: int) -> None:
    """These messages are posted once more; what all saw before is left as it is, what one saw goes."""
    for message in messages:
        await tx.removals.take_away(message, now=now)
        await tx.messages.change(message.id, message_id=None, attempts=0)
        await renewed(tx, message, now=now)


async def draw_offer(tx: Transaction, game_id: int, step_no: int, *, now: int) -> None:
    """The thread says who offers a draw."""
    await tx.messages.want(game_id, f"draw:{step_no}", kind="draw", ref=str(step_no), now=now)


async def lapsed_offer(tx: Transaction, game_id: int, step_no: int, *, now: int) -> None:
    """An offer of a draw that has lapsed loses its button."""
    if await tx.messages.find(game_id, f"draw:{step_no}"):
        await draw_offer(tx, game_id, step_no, now=now)


async def proposal(tx: Transaction, game_id: int, act_id: int, *, now: int) -> None:
    """The thread says what somebody asks the other side for, with a button to agree."""
    await tx.messages.want(game_id, f"proposal:{act_id}", kind="proposal", ref=str(act_id), now=now)


async def settled_proposals(tx: Transaction, game: Game, *, now: int) -> None:
    """What was asked for under a game's old deadline, and cannot be agreed to any more, loses its button."""
    asked = [str(act.id) for act in await tx.acts.of(game.id) if act.params.get("deadline") == game.deadline]
    for message in await tx.messages.about(game.id, "proposal", asked):
        await renewed(tx, message, now=now)


async def reminder(tx: Transaction, row: RequestRow, which: str, user_id: int, *, at: int) -> None:
    """A captain is reminded of what is missing then."""
    await tx.messages.want(row.game_id, f"remind:{which}:{row.id}", kind="remind", ref=row.id, user_id=user_id, now=at)


async def useless_standing(tx: Transaction, row: RequestRow, user_id: int, *, now: int) -> None:
    """A captain is told why his default standing orders are of no use here."""
    await tx.messages.want(row.game_id, f"standing:{row.id}", kind="standing", ref=row.id, user_id=user_id, now=now)


async def offer_stands(tx: Transaction, game_id: int, step_no: int, later: int) -> None:
    """An offer of a draw outlives a step of which nobody else may know."""
    for seat in await tx.seats.of(game_id):
        if seat.draw_at == step_no:
            await tx.seats.change(game_id, seat.seat, draw_at=later)
    if message := await tx.messages.find(game_id, f"draw:{step_no}"):
        await tx.messages.change(message.id, key=f"draw:{later}", ref=str(later))


async def lacking(tx: Transaction, game: Game, permission: str, *, now: int) -> None:
    """The host is told, once, what permission is missing; whatever it holds up is tried again and again."""
    if game.host_id and await tx.messages.find(game.id, f"lacking:{permission}") is None:
        key = f"lacking:{permission}"
        await tx.messages.want(game.id, key, kind="lacking", ref=permission, user_id=game.host_id, now=now)


async def homeless(tx: Transaction, game: Game, *, now: int) -> bool:
    """The host is told, once, that his game's channel was deleted; whether that is new."""
    key = f"homeless:{game.channel_id}"
    if not game.host_id or await tx.messages.find(game.id, key):
        return False
    await tx.messages.want(game.id, key, kind="homeless", user_id=game.host_id, now=now)
    return True


async def exiled(tx: Transaction, game: Game, *, now: int) -> None:
    """All captains, and the host, are told that the bot was removed from their server."""
    users = {game.host_id, *(seat.user_id for seat in await tx.seats.of(game.id) if seat.user_id)}
    for user_id in sorted(users - {0}):
        await tx.messages.want(game.id, f"exiled:{user_id}:{now}", kind="exiled", user_id=user_id, now=now)


async def closed_dms(tx: Transaction, game_id: int, user_id: int, *, now: int) -> None:
    """The thread says, once, how somebody without direct messages gets at his orders."""
    if await tx.messages.find(game_id, f"dms:{user_id}") is None:
        await tx.messages.want(game_id, f"dms:{user_id}", kind="dms", ref=str(user_id), now=now)


def is_listed(row: RequestRow) -> bool:
    """Whether the thread tells all how far a captain is with this: the game waits for it, or he has sealed it ahead."""
    return not row.optional or row.body.ahead


def seals_key(row: RequestRow) -> str:
    """The key of the message that tells all how far its captain is with what he is asked, unless it is optional."""
    return f"seals:{row.body.clock or row.step_no}"


def panel_key(row: RequestRow) -> str:
    """The key of a captain's panel in the outbox: one for all that is asked of him by one clock.

    There is one a round, too, for what nobody waits for: that he was asked anew tells that he has answered.
    """
    body = row.body
    if body.ahead:
        return f"panel:ahead.{row.id}"
    if row.optional:
        return f"panel:{row.seat}.{body.round}.{body.kind}"
    return f"panel:{row.seat}.{body.clock}" if body.clock else f"panel:{row.id}"
