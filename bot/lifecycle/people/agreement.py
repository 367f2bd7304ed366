"""What captains must agree to before it is done: who proposes it, whose voices it needs, and how long it may be had.

Going back over what was revealed needs all captains, and of each side at least one who may speak for it; going on
before the deadline, where one of them wants it, needs those who have not answered yet. Where rounds wait for their
deadline even if all have sealed, as they do while a battle goes on, nobody agrees to that by sealing: it needs those
who have answered, too, and those who fight in a battle, who may have nothing left that they could be asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people.captains import Captains, captains_of
from bot.lifecycle.people.keepsakes import voiceless_refusal
from bot.lifecycle.steps.early import resolves_early
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import Game, LogEntryRow, RequestsAnswered, SeatRow
from bot.store.models.subjects import LogEntrySubject
from bot.store.queries.transaction import Transaction

UNDO_ASKED, RESOLVE_ASKED = enqueue.PROPOSAL_ACTS
"""Acts that propose to go back to the beginning of a round, `round`, and to go on now, as if the time were up."""
TIME_REQUESTS: Final = ("extension_asked", "pause_asked", "resume_asked")
"""Acts with which a captain asks the other sides for time, or for the end of a pause that was made for one of them."""
TIME_REQUEST_AGREED: Final = "wish_agreed"
"""The act with which a side agrees to that where others have not yet."""
_AGREEMENTS: Final = {UNDO_ASKED: "undo_agreed", RESOLVE_ASKED: "resolve_agreed"}
"""The acts with which somebody agrees to them."""
_REFUSALS: Final = {UNDO_ASKED: "undo_declined", RESOLVE_ASKED: "resolve_declined"}
"""The acts with which somebody whose voice they need says no: with it they lapse."""


async def required_seats(tx: Transaction, playing: SeatedGame, proposed: str) -> list[SeatRow]:
    """Seats whose captains must agree; for one without a user nobody could."""
    if proposed == UNDO_ASKED:
        return [seat for seat in playing.seats if seat.user_id and not (seat.conceded or seat.is_offered)]
    rows = await tx.requests.open_of_game(playing.game.id)
    waited = [row for row in rows if not row.optional]
    missing = {row.seat for row in waited if row.status == "open"}
    early = resolves_early(rows, early=playing.game.early)
    fight = {seat for row in rows if row.status == "open" and row.body.battle for seat in row.body.battle.seats}
    asked = missing if early else ({row.seat for row in waited} | fight) - {*playing.computer_seats}
    return [seat for seat in playing.seats if seat.seat in asked]


async def propose(tx: Transaction, playing: SeatedGame, proposed: str, user_id: int, *, now: int, **about: int) -> bool:
    """Ask all whose voices it needs; who asks as a captain has agreed. Whether that is all of them.

    Raises `Refusal` if they were asked already, or if one of them could not agree.
    """
    if not all(seat.user_id for seat in await required_seats(tx, playing, proposed)):
        raise Refusal("nobody_to_agree")
    if await _has_silent_side(tx, playing, proposed):
        raise voiceless_refusal(playing.game)
    if any(act.kind == proposed and act.params == about for act in await open_proposals(tx, playing.game)):
        raise Refusal("asked_already")
    mine = playing.seat_of(user_id)
    number = mine.seat if mine else None
    await enqueue.add_log_entry(tx, playing.game, proposed, now=now, user_id=user_id, seat=number, **about)
    (*_, proposal) = await open_proposals(tx, playing.game)
    return await is_agreed(tx, playing, proposal)


async def agree(tx: Transaction, playing: SeatedGame, seat: SeatRow, act_id: int, *, now: int) -> LogEntryRow:
    """A captain agrees to what an act has proposed; twice is once. The act. Raises `Refusal` if it has lapsed."""
    said = await open_proposals(tx, playing.game)
    proposal = next((act for act in said if act.id == act_id and act.kind in enqueue.PROPOSAL_ACTS), None)
    if proposal is None:
        raise Refusal("lapsed")
    if seat.user_id not in _users_in_favour(said, proposal):
        kind, about = _AGREEMENTS[proposal.kind], proposal.params
        await enqueue.add_log_entry(tx, playing.game, kind, now=now, user_id=seat.user_id, seat=seat.seat, **about)
    return proposal


async def decline(tx: Transaction, playing: SeatedGame, seat: SeatRow, act_id: int, *, now: int) -> LogEntryRow:
    """A captain says no to what an act has proposed, and it lapses. The act.

    Raises `Refusal` if it has lapsed already, or if their voice is not needed.
    """
    said = await open_proposals(tx, playing.game)
    proposal = next((act for act in said if act.id == act_id and act.kind in enqueue.PROPOSAL_ACTS), None)
    if proposal is None:
        raise Refusal("lapsed")
    if seat.seat not in {voice.seat for voice in await required_seats(tx, playing, proposal.kind)}:
        raise Refusal("nothing_asked")
    kind, about = _REFUSALS[proposal.kind], proposal.params
    await enqueue.add_log_entry(tx, playing.game, kind, now=now, user_id=seat.user_id, seat=seat.seat, **about)
    await tx.messages.renew_keys(playing.game.id, [LogEntrySubject(proposal.id).key], now=now)
    return proposal


async def is_agreed(tx: Transaction, playing: SeatedGame, proposal: LogEntryRow) -> bool:
    """Whether all whose voices it needs have agreed to what an act has proposed."""
    if await _has_silent_side(tx, playing, proposal.kind):
        return False
    given = _users_in_favour(await open_proposals(tx, playing.game), proposal)
    return all(seat.user_id in given for seat in await required_seats(tx, playing, proposal.kind))


async def _has_silent_side(tx: Transaction, playing: SeatedGame, proposed: str) -> bool:
    """Whether some side that must agree to it has nobody who may speak for it."""
    captains = await captains_of(tx, playing)
    if proposed == UNDO_ASKED:
        return captains.has_silent_side()
    asked = {seat.team for seat in await required_seats(tx, playing, proposed)}
    return bool(asked & captains.sides_without_voice(playing.seats))


def _users_in_favour(said: Iterable[LogEntryRow], proposal: LogEntryRow) -> set[int | None]:
    """Users who want what an act has proposed, be it that they have proposed the same themselves."""
    kinds = (proposal.kind, _AGREEMENTS[proposal.kind])
    return {act.user_id for act in said if act.kind in kinds and act.params == proposal.params}


async def advance_if_agreed(tx: Transaction, game: Game, *, now: int) -> bool:
    """Let a game go on before its deadline if that was proposed and all who are missing agree; whether it does.

    To be asked when somebody has agreed, or is missing no more.
    """
    proposal = next((act for act in await open_proposals(tx, game) if act.kind == RESOLVE_ASKED), None)
    if proposal is None or game.paused_at is not None:
        return False
    playing = await load_seated_game(tx, game.id)
    if not await is_agreed(tx, playing, proposal):
        return False
    if playing.game.early and not await required_seats(tx, playing, RESOLVE_ASKED):
        return False  # all have sealed: it goes on by itself
    await tx.games.change(game.id, deadline=now)
    await enqueue.add_log_entry(tx, playing.game, "resolved_agreed", now=now)
    return True


async def open_proposals(tx: Transaction, game: Game, acts: Sequence[LogEntryRow] | None = None) -> list[LogEntryRow]:
    """All that was proposed and agreed to and still counts: nobody has seen anything happen since.

    What nobody waited for does not end it, for others would learn from it that something was done in secret.
    """
    acts = await tx.audit_log.of_game(game.id) if acts is None else acts
    said = [
        act for act in acts if act.kind in {*_AGREEMENTS.keys(), *_AGREEMENTS.values()} and not _was_declined(act, acts)
    ]
    if not said:
        return []
    unawaited = {row.id for row in await tx.requests.asked_since(game.id, 0) if row.optional}
    seen = [
        number
        for number, cause in await tx.steps.causes_of_game(game.id)
        if number <= game.step_no and not (isinstance(cause, RequestsAnswered) and unawaited.issuperset(cause.requests))
    ]
    return [act for act in said if act.step_no >= max(seen, default=0)]


def _was_declined(said: LogEntryRow, acts: Iterable[LogEntryRow]) -> bool:
    """Whether somebody has said no since to what was proposed, or agreed to."""
    no = next(_REFUSALS[kind] for kind, yes in _AGREEMENTS.items() if said.kind in (kind, yes))
    return any(act.kind == no and act.params == said.params and act.id > said.id for act in acts)


def consulted_teams(captains: Captains, team: int, wished: Collection[int] = ()) -> set[int]:
    """Return the sides of which each must agree to what one of them wishes for.

    All others; for the end of a pause that was made for some, who `wished` for it, those.
    """
    others = captains.undefeated_sides() - {team}
    return others & set(wished) or others


def sides_not_agreed(
    wish: LogEntryRow, asked: Collection[int], playing: SeatedGame, acts: Iterable[LogEntryRow]
) -> set[int]:
    """Return those of the sides that are asked which have not agreed to a wish."""
    said = [act.seat for act in acts if act.kind == TIME_REQUEST_AGREED and act.params["agreed"] == wish.id]
    return {*asked} - {playing.seats[seat].team for seat in said if seat is not None}


def is_request_open(wish: LogEntryRow, game: Game, acts: Iterable[LogEntryRow]) -> bool:
    """Whether what somebody asked the other side for may still be agreed to.

    The same deadline is still to come, or the same pause goes on.
    """
    return (
        game.phase in ("running", "resolving")
        and game.paused_at == wish.params.get("paused")
        and wish.params["deadline"] == game.deadline
        and not is_answered(wish, acts)
    )


def is_answered(wish: LogEntryRow, acts: Iterable[LogEntryRow]) -> bool:
    """Return whether the other side has agreed or declined what somebody asked it for."""
    return any(act.params.get("asked") == wish.id for act in acts)


async def extend_time_request(tx: Transaction, wish: LogEntryRow, deadline: int, **params: int) -> None:
    """Keep a request open under the new `deadline` (Unix) of its game, and change `params` of it."""
    await tx.audit_log.replace_entry(wish.id, wish.kind, {**wish.params, **params, "deadline": deadline})
