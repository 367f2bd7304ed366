"""What happened in games, step by step."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, Integer, Select, bindparam, case, func, or_, select, true, update

from bot.store.engine.built import insert_row, match_values, select_rows
from bot.store.models.records import LATE_GIVERS, GivenBy, RequestRow, StepCause, StepRow
from bot.store.models.tables import answers, requests, steps
from bot.store.queries.base import QueryGroup, step_from_row, to_column
from rules.core.replay import UndoAction


class RequestHistory(Struct, frozen=True):
    """What a captain must know to answer a question."""

    state: str
    """The game after its last step, as text."""
    events_by_step: tuple[str, ...]
    """Events of the steps that led to the question, since its seat was last waited for: the text of each step's.

    Where the game went back in between, only of those after it.
    """
    late_answers: dict[int, GivenBy]
    """Seats whose captains let their time pass meanwhile, and what answered for each."""


_SELECT_CAUSES: Final = (
    select(steps.c.no, steps.c.cause).where(steps.c.game_id == bindparam("game")).order_by(steps.c.no)
)


def _leading_query() -> Select[Any]:
    """The query of `StepQueries.leading_to`: a row for each step and each captain who was late."""
    game, at = bindparam("game", type_=BigInteger), bindparam("at", type_=Integer)
    last_step = bindparam("last", type_=Integer)
    last = select(func.max(requests.c.step_no)).where(
        requests.c.game_id == game,
        requests.c.seat == bindparam("asked", type_=Integer),
        requests.c.step_no < at,
        requests.c.optional.is_(False),  # a captain may never have looked at what nobody waited for
    )
    since = func.coalesce(last.scalar_subquery(), -1)
    late = select(answers.c.seat, answers.c.given_by).join(
        requests, (requests.c.game_id == answers.c.game_id) & (requests.c.id == answers.c.request_id)
    )
    late = late.where(answers.c.game_id == game, answers.c.given_by.in_(sorted(LATE_GIVERS)))
    missed = late.where(requests.c.step_no >= since, requests.c.step_no < at).distinct().subquery()
    leads = steps.c.no <= at
    state = case((steps.c.no == last_step, steps.c.state), else_="").label("state")  # they are long
    query = select(steps.c.no, steps.c.cause, steps.c.events, state, leads.label("leads"), *missed.c)
    query = query.select_from(steps.outerjoin(missed, true()))
    return query.where(steps.c.game_id == game, steps.c.no > since, or_(leads, steps.c.no == last_step)).order_by(
        steps.c.no
    )


_SELECT_LEADING: Final = _leading_query()


class StepQueries(QueryGroup):
    """Queries and changes of steps."""

    async def add(self, step: StepRow) -> None:
        """Store what happened."""
        columns = {**msgspec.structs.asdict(step), "cause": to_column(step.cause)}
        await self._connection.execute(insert_row(steps), columns)

    async def find(self, game_id: int, no: int) -> StepRow | None:
        """The step of a game with this number; None if there is none."""
        row = (
            await self._connection.execute(select_rows(steps, "game_id", "no"), match_values(game_id=game_id, no=no))
        ).first()
        return step_from_row(row) if row else None

    async def causes_of_game(self, game_id: int) -> list[tuple[int, StepCause]]:
        """Numbers of all steps of a game, in order, with what was put into each."""
        rows = await self._connection.execute(_SELECT_CAUSES, {"game": game_id})
        return [(row.no, msgspec.json.decode(row.cause, type=StepCause)) for row in rows]

    async def revealing_steps(self, game_id: int) -> frozenset[int]:
        """Numbers of the steps in which dice fell, or others' orders were opened or carried out."""
        query = select(steps.c.no).where(steps.c.game_id == game_id, steps.c.revealed.is_(True))
        return frozenset((await self._connection.execute(query)).scalars())

    async def change_cause(self, game_id: int, no: int, cause: StepCause) -> None:
        """Say otherwise what was put into a step, when its requests have got other ids."""
        query = update(steps).where(steps.c.game_id == game_id, steps.c.no == no)
        await self._connection.execute(query.values(cause=to_column(cause)))

    async def history_of_request(self, row: RequestRow, *, last_step: int) -> RequestHistory:
        """What led to a question, and the state after the game's last step."""
        asked = {"game": row.game_id, "asked": row.seat, "at": row.step_no, "last": last_step}
        rows = (await self._connection.execute(_SELECT_LEADING, asked)).all()
        found: list[str] = []
        for step in {step.no: step for step in rows if step.leads}.values():
            undone = isinstance(msgspec.json.decode(step.cause, type=StepCause), UndoAction)
            found = [] if undone else [*found, step.events]
        return RequestHistory(
            state=next(step.state for step in rows if step.no == last_step),
            events_by_step=tuple(found),
            late_answers={step.seat: step.given_by for step in rows if step.seat is not None},
        )

    async def of_game(self, game_id: int) -> list[StepRow]:
        """All steps of a game, in order."""
        query = select_rows(steps, "game_id", order=("no",))
        return [step_from_row(row) for row in await self._connection.execute(query, match_values(game_id=game_id))]
