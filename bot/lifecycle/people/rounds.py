"""Count the rounds of a game in which captains gave orders in person."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from bot.store.models.records import OWN_GIVERS, SET_ASIDE_MARK, RequestsAnswered
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat

MIN_ROUNDS: Final = 3
"""Rounds with orders after which a game counts for ratings, and a captain who took over a seat speaks for its side."""


class AnsweredRound(Struct, frozen=True, kw_only=True):
    step_no: int  # number of the step that opened the answer
    seat: Seat
    round: int
    is_in_person: bool  # whether a captain wrote the answer
    is_inherited: bool  # whether a former captain of the seat sealed it


async def answered_rounds(tx: Transaction, game_id: int) -> list[AnsweredRound]:
    """Return the opened answers of a game's rounds, without undone ones."""
    rows = {row.id: row for row in await tx.requests.asked_since(game_id, 0)}
    answers = await tx.answers.of_game(game_id)
    return [
        AnsweredRound(
            step_no=step_no,
            seat=rows[request_id].seat,
            round=rows[request_id].body.round,
            is_in_person=answers[request_id].given_by in OWN_GIVERS,
            is_inherited=rows[request_id].inherited,
        )
        for step_no, cause in await tx.steps.causes_of_game(game_id)
        if isinstance(cause, RequestsAnswered)
        for request_id in cause.requests
        if SET_ASIDE_MARK not in request_id and request_id in answers and rows[request_id].body.round
    ]
