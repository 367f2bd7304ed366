"""Read the requests to captains and the answers that they may give."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from bot.jobs import drafts, play, showing
from bot.jobs.values import DescribedPicture, Hint, PanelOptions
from bot.presenters.asked import PendingRequest, games_asking, only_game, read_pending_request
from bot.presenters.notices import StandingOrdersFacts
from bot.presenters.readers.context import SubjectReader
from bot.presenters.source import GameSource
from bot.texts.i18n import Localizer
from bot.urgency import IsWanted
from rules.core.errors import OrderError, Scalar
from rules.core.protocol import Choices, Form


class RequestReader(SubjectReader):
    async def pending_request(
        self, user_id: int, game_id: int | None = None, request_id: str | None = None, *, with_panel: bool = False
    ) -> PendingRequest:
        """Return a captain's open request in a game, or in the only game that has one. Raises `Refusal`."""
        async with self._context.store.read() as tx:
            if game_id is None:
                game_id = await only_game(tx, user_id)
            source = await GameSource.open(tx, game_id, self._context.digest)
            return await read_pending_request(source, user_id, request_id, with_panel=with_panel)

    async def games_asking(self, user_id: int) -> list[int]:
        async with self._context.store.read() as tx:
            return await games_asking(tx, user_id)

    async def panel_options(self, request: PendingRequest) -> PanelOptions:
        options = request.draft_result.panel_options if request.draft_result else None
        game, row = request.seated_game.game, request.row
        if options is None:
            options = await self._context.workers.run_rules(
                showing.panel_options, game.system, request.state, row.body, row.as_draft
            )
        if request.parent is None:
            return options
        forecast = await self._context.workers.run_rules(
            play.foresee_battle, request.parent.battle, request.parent.state, game.system, request.state, row.seat
        )
        return structs.replace(options, forecast=forecast)

    async def draw_plan(
        self,
        request: PendingRequest,
        localizer: Localizer,
        wanted: IsWanted = lambda: True,
        *,
        hint: Hint | None = None,
    ) -> DescribedPicture:
        """Return the picture of a draft; `hint`: the hint whose orders are the draft, and whose reason is shown."""
        game, row = request.seated_game.game, request.row
        style = self._context.picture_style(localizer)
        hint_texts = (hint.reason, *hint.odds) if hint else ()
        plan = showing.PlanSubject(row.body, row.as_draft, hint_texts)
        return await self._context.workers.run_illustration(
            wanted, showing.draw_plan, game.system, request.state, plan, style
        )

    async def draw_plan_legend(self, request: PendingRequest, localizer: Localizer) -> tuple[DescribedPicture, ...]:
        """Return the legend of the picture of a draft, in one or more pictures."""
        plan = showing.PlanSubject(request.row.body, request.row.as_draft)
        game, style = request.seated_game.game, self._context.picture_style(localizer)
        return await self._context.workers.run_picture(
            showing.draw_plan_legend, game.system, request.state, plan, style
        )

    async def draft_choices(self, request: PendingRequest) -> Choices:
        game, row = request.seated_game.game, request.row
        return await self._context.workers.run_rules(
            drafts.draft_choices, game.system, request.state, row.body, row.as_draft
        )

    async def find_form(self, request: PendingRequest, token: str) -> Form | None:
        return next((form for form in (await self.draft_choices(request)).forms if form.token == token), None)

    async def answer_example(self, request: PendingRequest) -> Mapping[str, Scalar]:
        return await self._context.workers.run_rules(
            drafts.answer_example, request.seated_game.game.system, request.state, request.row.body
        )

    async def why_unfit(self, standing: StandingOrdersFacts) -> OrderError | None:
        """Return why standing orders cannot answer a question; None if they can. Raises `Refusal`."""
        request = standing.request
        try:
            await self._context.workers.run_rules(
                drafts.draft_from_standing_orders,
                request.seated_game.game.system,
                request.state,
                request.row.body,
                standing.text,
            )
        except OrderError as error:
            return error
        return None
