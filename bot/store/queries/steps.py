"""Query and store the steps of games."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, Integer, Select, String, bindparam, case, exists, func, or_, select, true, update

from bot.store.engine.built import insert_row, match_values, select_rows
from bot.store.models.records import LATE_GIVERS, GivenBy, RequestRow, StepCause, StepRow
from bot.store.models.tables import answers, ratings, requests, steps
from bot.store.queries.base import QueryGroup, step_from_row, to_column
from rules.core.replay import UndoAction


class RequestHistory(Struct, frozen=True):
    state: str  # JSON, after the last step of the game
    events_by_step: tuple[str, ...]
    """The events (JSON) of each step since the seat's previous request that the game waited for.

    If the game went back, only steps after that are included.
    """
    late_answers: dict[int, GivenBy]  # seats that missed a deadline in these steps, with the source of their answers
    is_first_game: bool  # whether the captain has finished no game of this kind


_SELECT_CAUSES: Final = (
    select(steps.c.no, steps.c.cause).where(steps.c.game_id == bindparam("game")).order_by(steps.c.no)
)


def _history_query() -> Select[Any]:
    """Build the query of `history_of_request`, with a row for each combination of step and late seat."""
    game = bindparam("game", type_=BigInteger)
    asked_at_step = bindparam("at", type_=Integer)
    last_step = bindparam("last", type_=Integer)
    previous_request = select(func.max(requests.c.step_no)).where(
        requests.c.game_id == game,
        requests.c.seat == bindparam("asked", type_=Integer),
        requests.c.step_no < asked_at_step,
        requests.c.optional.is_(False),  # a captain may never have seen an optional request
    )
    since = func.coalesce(previous_request.scalar_subquery(), -1)
    late_answers = select(answers.c.seat, answers.c.given_by).join(
        requests, (requests.c.game_id == answers.c.game_id) & (requests.c.id == answers.c.request_id)
    )
    late_answers = late_answers.where(answers.c.game_id == game, answers.c.given_by.in_(sorted(LATE_GIVERS)))
    is_between = (requests.c.step_no >= since, requests.c.step_no < asked_at_step)
    late_seats = late_answers.where(*is_between).distinct().subquery()
    is_before_request = steps.c.no <= asked_at_step
    # The states of other steps are not loaded, because they are long.
    state = case((steps.c.no == last_step, steps.c.state), else_="").label("state")
    has_finished = exists().where(
        ratings.c.user_id == bindparam("user", type_=BigInteger), ratings.c.system == bindparam("system", type_=String)
    )
    query = select(
        steps.c.no,
        steps.c.cause,
        steps.c.events,
        state,
        is_before_request.label("is_before_request"),
        has_finished.label("has_finished"),
        *late_seats.c,
    )
    query = query.select_from(steps.outerjoin(late_seats, true()))
    return query.where(
        steps.c.game_id == game, steps.c.no > since, or_(is_before_request, steps.c.no == last_step)
    ).order_by(steps.c.no)


_SELECT_HISTORY: Final = _history_query()


class StepQueries(QueryGroup):
    async def add(self, step: StepRow) -> None:
        columns = {**msgspec.structs.asdict(step), "cause": to_column(step.cause)}
        await self._connection.execute(insert_row(steps), columns)

    async def find(self, game_id: int, no: int) -> StepRow | None:
        row = (
            await self._connection.execute(select_rows(steps, "game_id", "no"), match_values(game_id=game_id, no=no))
        ).first()
        return step_from_row(row) if row else None

    async def causes_of_game(self, game_id: int) -> list[tuple[int, StepCause]]:
        rows = await self._connection.execute(_SELECT_CAUSES, {"game": game_id})
        return [(row.no, msgspec.json.decode(row.cause, type=StepCause)) for row in rows]

    async def revealing_steps(self, game_id: int) -> frozenset[int]:
        """Return the numbers of steps in which dice were rolled or others' orders opened or carried out."""
        query = select(steps.c.no).where(steps.c.game_id == game_id, steps.c.revealed.is_(True))
        return frozenset((await self._connection.execute(query)).scalars())

    async def change_cause(self, game_id: int, no: int, cause: StepCause) -> None:
        query = update(steps).where(steps.c.game_id == game_id, steps.c.no == no)
        await self._connection.execute(query.values(cause=to_column(cause)))

    async def history_of_request(self, row: RequestRow, *, last_step: int, user_id: int, system: str) -> RequestHistory:
        """Return the events that led to a user's request in a game of `system`, and the state after its last step."""
        params: dict[str, int | str] = {"user": user_id, "system": system, "game": row.game_id, "asked": row.seat}
        params |= {"at": row.step_no, "last": last_step}
        rows = (await self._connection.execute(_SELECT_HISTORY, params)).all()
        events: list[str] = []  # of each step
        for step in {step.no: step for step in rows if step.is_before_request}.values():
            is_undo = isinstance(msgspec.json.decode(step.cause, type=StepCause), UndoAction)
            events = [] if is_undo else [*events, step.events]
        return RequestHistory(
            state=next(step.state for step in rows if step.no == last_step),
            events_by_step=tuple(events),
            late_answers={step.seat: step.given_by for step in rows if step.seat is not None},
            is_first_game=not rows[0].has_finished,
        )

    async def of_game(self, game_id: int) -> list[StepRow]:
        query = select_rows(steps, "game_id", order=("no",))
        return [step_from_row(row) for row in await self._connection.execute(query, match_values(game_id=game_id))]
