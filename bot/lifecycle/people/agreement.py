"""Proposals that captains must agree to: who must agree, and how long a proposal stays open.

Going back over revealed steps needs all captains, and a speaker of each side. Resolving early needs those who have not
answered. Where rounds wait for their deadline although all have sealed, as during a battle, sealing is no consent:
then those who have answered, and those who fight in a battle, must agree too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people.captains import Captains, captains_of
from bot.lifecycle.people.keepsakes import voiceless_refusal
from bot.lifecycle.people.seats import end_own_time
from bot.lifecycle.steps.early import resolves_early
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import Game, LogEntryRow, RequestsAnswered, SeatRow
from bot.store.models.subjects import LogEntrySubject
from bot.store.queries.transaction import Transaction

UNDO_ASKED, RESOLVE_ASKED = enqueue.PROPOSAL_ACTS
TIME_REQUESTS: Final = ("extension_asked", "pause_asked", "resume_asked")
TIME_REQUEST_AGREED: Final = "wish_agreed"
_AGREEMENTS: Final = {UNDO_ASKED: "undo_agreed", RESOLVE_ASKED: "resolve_agreed"}
_REFUSALS: Final = {UNDO_ASKED: "undo_declined", RESOLVE_ASKED: "resolve_declined"}


async def required_seats(tx: Transaction, seated_game: SeatedGame, kind: str) -> list[SeatRow]:
    """Return seats whose captains must agree to a proposal of this kind. A seat without a user cannot agree."""
    if kind == UNDO_ASKED:
        captains = await captains_of(tx, seated_game)
        return [seat for seat in seated_game.seats if captains.may_speak(seat) and not seat.is_offered]
    rows = await tx.requests.open_of_game(seated_game.game.id)
    awaited = [row for row in rows if not row.optional]
    seats_not_sealed = {row.seat for row in awaited if row.status == "open"}
    ends_when_sealed = resolves_early(rows, early=seated_game.game.early)
    seats_in_battles = {
        seat for row in rows if row.status == "open" and row.body.battle for seat in row.body.battle.seats
    }
    if ends_when_sealed:
        required_numbers = seats_not_sealed
    else:  # having sealed is no consent
        required_numbers = ({row.seat for row in awaited} | seats_in_battles) - {*seated_game.computer_seats}
    return [seat for seat in seated_game.seats if seat.seat in required_numbers]


async def propose(tx: Transaction, seated_game: SeatedGame, kind: str, user_id: int, *, now: int, **about: int) -> bool:
    """Open a proposal of this `kind`; who proposes has agreed. Return whether all required captains have agreed.

    A host who has conceded may still propose to go back: the others decide. Raises `Refusal` if the same proposal is
    open already, if a required seat or side has nobody who could agree, or if the captain has no say in going back.
    """
    own_seat = seated_game.seat_of(user_id)
    if own_seat and not own_seat.conceded and kind == UNDO_ASKED:
        (await captains_of(tx, seated_game)).refuse_voiceless(user_id, own_seat)
    if not all(seat.user_id for seat in await required_seats(tx, seated_game, kind)):
        raise Refusal("nobody_to_agree")
    if await _has_silent_side(tx, seated_game, kind):
        raise voiceless_refusal(seated_game.game)
    if any(act.kind == kind and act.params == about for act in await open_proposals(tx, seated_game.game)):
        raise Refusal("asked_already")
    seat_no = own_seat.seat if own_seat else None
    await enqueue.add_log_entry(tx, seated_game.game, kind, now=now, user_id=user_id, seat=seat_no, **about)
    proposals = await open_proposals(tx, seated_game.game)
    return await is_agreed(tx, seated_game, proposals[-1])


async def agree(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, act_id: int, *, now: int) -> LogEntryRow:
    """Record a captain's agreement once, and return the proposal's entry.

    Raises `Refusal` if it has lapsed, or if the captain has no say in going back.
    """
    acts = await open_proposals(tx, seated_game.game)
    proposal = _require_proposal(acts, act_id)
    if proposal.kind == UNDO_ASKED:
        (await captains_of(tx, seated_game)).refuse_voiceless(seat.user_id or 0, seat)
    if seat.user_id not in _users_in_favour(acts, proposal):
        await _log_answer(tx, seated_game, seat, _AGREEMENTS[proposal.kind], proposal, now=now)
    return proposal


async def decline(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, act_id: int, *, now: int) -> LogEntryRow:
    proposal = _require_proposal(await open_proposals(tx, seated_game.game), act_id)
    if seat.seat not in {required_seat.seat for required_seat in await required_seats(tx, seated_game, proposal.kind)}:
        raise Refusal("nothing_asked")
    await _log_answer(tx, seated_game, seat, _REFUSALS[proposal.kind], proposal, now=now)
    await tx.messages.renew_keys(seated_game.game.id, [LogEntrySubject(proposal.id).key], now=now)
    return proposal


def _require_proposal(acts: Iterable[LogEntryRow], act_id: int) -> LogEntryRow:
    for act in acts:
        if act.id == act_id and act.kind in enqueue.PROPOSAL_ACTS:
            return act
    raise Refusal("lapsed")


async def _log_answer(
    tx: Transaction, seated_game: SeatedGame, seat: SeatRow, kind: str, proposal: LogEntryRow, *, now: int
) -> None:
    user_id, params = seat.user_id, proposal.params
    await enqueue.add_log_entry(tx, seated_game.game, kind, now=now, user_id=user_id, seat=seat.seat, **params)


async def is_agreed(tx: Transaction, seated_game: SeatedGame, proposal: LogEntryRow) -> bool:
    if await _has_silent_side(tx, seated_game, proposal.kind):
        return False
    in_favour = _users_in_favour(await open_proposals(tx, seated_game.game), proposal)
    return all(seat.user_id in in_favour for seat in await required_seats(tx, seated_game, proposal.kind))


async def _has_silent_side(tx: Transaction, seated_game: SeatedGame, kind: str) -> bool:
    captains = await captains_of(tx, seated_game)
    if kind == UNDO_ASKED:
        return captains.has_silent_side()
    teams = {seat.team for seat in await required_seats(tx, seated_game, kind)}
    return bool(teams & captains.sides_without_voice(seated_game.seats))


def _users_in_favour(acts: Iterable[LogEntryRow], proposal: LogEntryRow) -> set[int | None]:
    kinds = (proposal.kind, _AGREEMENTS[proposal.kind])
    return {act.user_id for act in acts if act.kind in kinds and act.params == proposal.params}


async def advance_if_agreed(tx: Transaction, game: Game, *, now: int) -> bool:
    """End a game's round now if all have agreed to a proposal to do so. Return whether they have."""
    proposal = next((act for act in await open_proposals(tx, game) if act.kind == RESOLVE_ASKED), None)
    if proposal is None or game.paused_at is not None:
        return False
    seated_game = await load_seated_game(tx, game.id)
    if not await is_agreed(tx, seated_game, proposal):
        return False
    if seated_game.game.early and not await required_seats(tx, seated_game, RESOLVE_ASKED):
        return False  # all have sealed: the game advances by itself
    await tx.games.change(game.id, deadline=now)
    await enqueue.add_log_entry(tx, seated_game.game, "resolved_agreed", now=now)
    await end_own_time(tx, seated_game, proposal.user_id or 0, now=now)
    return True


async def open_proposals(tx: Transaction, game: Game, acts: Sequence[LogEntryRow] | None = None) -> list[LogEntryRow]:
    """Return open proposals and agreements: made since the last visible step and not declined.

    Steps that only answer optional requests do not end them. Otherwise a lapsed proposal would reveal a hidden step.
    """
    acts = await tx.audit_log.of_game(game.id) if acts is None else acts
    proposals = [
        act for act in acts if act.kind in {*_AGREEMENTS.keys(), *_AGREEMENTS.values()} and not _was_declined(act, acts)
    ]
    if not proposals:
        return []
    optional_ids = {row.id for row in await tx.requests.asked_since(game.id, 0) if row.optional}
    visible_steps = [
        step_no
        for step_no, cause in await tx.steps.causes_of_game(game.id)
        if step_no <= game.step_no
        and not (isinstance(cause, RequestsAnswered) and optional_ids.issuperset(cause.requests))
    ]
    return [act for act in proposals if act.step_no >= max(visible_steps, default=0)]


def _was_declined(proposal: LogEntryRow, acts: Iterable[LogEntryRow]) -> bool:
    # `proposal` may also be an agreement: it lapses with the proposal to which it belongs.
    refusal = next(_REFUSALS[kind] for kind, agreement in _AGREEMENTS.items() if proposal.kind in (kind, agreement))
    return any(act.kind == refusal and act.params == proposal.params and act.id > proposal.id for act in acts)


# A time request is a captain's request to the other sides, such as for more time.
def consulted_teams(captains: Captains, team: int, beneficiaries: Collection[int] = ()) -> set[int]:
    """Return the sides that must agree to a time request of `team`: all others.

    To end a pause that was made for `beneficiaries`, their consent is enough.
    """
    others = captains.undefeated_sides() - {team}
    return others & set(beneficiaries) or others


def sides_not_agreed(
    request: LogEntryRow, teams: Collection[int], seated_game: SeatedGame, acts: Iterable[LogEntryRow]
) -> set[int]:
    """Return which of `teams` have not agreed yet to a time request."""
    agreeing_seats = [
        act.seat for act in acts if act.kind == TIME_REQUEST_AGREED and act.params["agreed"] == request.id
    ]
    return {*teams} - {seated_game.seats[seat].team for seat in agreeing_seats if seat is not None}


def is_request_open(request: LogEntryRow, game: Game, acts: Iterable[LogEntryRow]) -> bool:
    """Return whether a time request may still be agreed to: its deadline is still to come or its pause goes on."""
    return (
        game.phase in ("running", "resolving")
        and game.paused_at == request.params.get("paused")
        and request.params["deadline"] == game.deadline
        and not is_answered(request, acts)
    )


def is_answered(request: LogEntryRow, acts: Iterable[LogEntryRow]) -> bool:
    return any(act.params.get("asked") == request.id for act in acts)


async def extend_time_request(tx: Transaction, request: LogEntryRow, deadline: int, **params: int) -> None:
    """Keep a time request open under the game's new `deadline` (Unix seconds), with changed `params`."""
    await tx.audit_log.replace_entry(request.id, request.kind, {**request.params, **params, "deadline": deadline})
