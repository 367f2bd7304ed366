"""Read the rounds and the end of a game."""

from __future__ import annotations

from typing import NamedTuple

from bot.errors import Refusal
from bot.jobs import closing, showing, telling, turning
from bot.jobs.closing import ClosingSummary
from bot.jobs.showing import PublicStatus
from bot.jobs.turning import EndAnalysis
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import chronicle, log, panel, story, why
from bot.presenters.chronicle import ChronicleContent
from bot.presenters.ending import EndFacts
from bot.presenters.log import RoundLog
from bot.presenters.panel import ClosedPanelFacts
from bot.presenters.readers.context import SubjectReader
from bot.presenters.why import Explanation, RoundReasons, ShipHolders
from bot.presenters.wording import game_localizer
from bot.record.chapters import Chapter, ChapterContent
from bot.store.models.records import OutboxMessage
from bot.texts.i18n import Localizer
from rules.core.registry import RULESETS
from rules.core.view import Text


class LogInWords(NamedTuple):
    log: RoundLog
    orders: tuple[tuple[Text, ...], ...]  # the sentences of each revealed answer; none: it is shown in its notation


class RoundReader(SubjectReader):
    async def chapters(self, game_id: int) -> list[Chapter]:
        async with self._context.open_game(game_id) as source:
            return await source.chapters()

    async def read_chapter(self, game_id: int, chapter: Chapter) -> ChapterContent:
        async with self._context.open_game(game_id) as source:
            return await source.read_chapter(chapter)

    async def round_log(self, game_id: int, user_id: int, step_no: int) -> RoundLog:
        async with self._context.open_game(game_id) as source:
            return await log.read_round_log(source, user_id, step_no)

    async def round_log_in_words(self, game_id: int, user_id: int, step_no: int) -> LogInWords:
        async with self._context.open_game(game_id) as source:
            facts = await log.read_round_log(source, user_id, step_no)
            sealed_texts = await log.read_sealed_texts(source, facts)
        system = facts.seated_game.game.system
        return LogInWords(facts, await self._context.workers.run_rules(telling.describe_answers, system, sealed_texts))

    async def round_log_after(self, game_id: int, user_id: int, public_step_count: int) -> RoundLog:
        """Read the log of the round that ended with the `public_step_count`th step that everybody knows of.

        Raises `Refusal` if there is no such step.
        """
        async with self._context.open_game(game_id) as source:
            steps = await source.public_steps()
            if not 1 <= public_step_count <= len(steps):
                raise Refusal("stale")
            return await log.read_round_log(source, user_id, steps[public_step_count - 1])

    async def reasons(self, game_id: int, user_id: int, round_no: int | None = None) -> RoundReasons:
        """Read what explains a round; None: the last one."""
        async with self._context.open_game(game_id) as source:
            return await why.read_reasons(source, user_id, round_no)

    async def explain(self, localizer: Localizer, reasons: RoundReasons, ship: str = "") -> Explanation:
        system, seat = reasons.log.seated_game.game.system, reasons.log.reader_seat
        states = (reasons.state_before, reasons.state)
        before, after = await self._context.workers.run_rules(showing.visible_holders, system, states, seat)
        return why.explain_round(localizer, reasons, ShipHolders(before, after), ship)

    async def public_status(self, facts: story.StepFacts) -> PublicStatus:
        """Return what a story needs besides its events: the holder of each ship, and the score."""
        system, rules = facts.seated_game.game.system, RULESETS[facts.seated_game.game.system]
        if not (rules.ships_change_sides or rules.has_score):
            return PublicStatus()
        return await self._context.workers.run_rules(showing.public_status, system, facts.round_content.state)

    async def read_ended(self, game_id: int, user_id: int) -> tuple[SeatedGame, ClosedPanelFacts, ClosingSummary]:
        async with self._context.open_game(game_id) as source:
            facts = await panel.read_ended(source, user_id)
        return facts.seated_game, facts, await self.closing_summary(facts)

    async def read_closed_panel(self, message: OutboxMessage) -> tuple[SeatedGame, ClosedPanelFacts, ClosingSummary]:
        async with self._context.open_game(message.game_id) as source:
            facts = await panel.read_closed_panel(source, message)
        return facts.seated_game, facts, await self.closing_summary(facts)

    async def closing_summary(self, facts: ClosedPanelFacts) -> ClosingSummary:
        if not facts.needs_job:
            return ClosingSummary()
        return await self._context.workers.run_rules(
            closing.summarise_closing,
            *facts.job_arguments,
            taught=facts.keepsakes.is_taught,
            parent=facts.parent.battle if facts.parent else None,
        )

    async def counted_draft_summary(self, facts: panel.CountedDraftFacts) -> ClosingSummary:
        return await self._context.workers.run_rules(closing.summarise_closing, *facts.job_arguments)

    async def analyse_end(self, end: EndFacts) -> EndAnalysis:
        game = end.seated_game.game
        return await self._context.workers.run_step(
            game.host_id,
            turning.analyse_end,
            game.system,
            game.setup.teams,
            end.steps,
            taught=end.keepsakes.is_taught,
            parent=end.parent.battle if end.parent else None,
        )

    async def read_chronicle(self, game_id: int) -> ChronicleContent:
        """Return a finished game's chronicle. Raises `Refusal` while it is played, or if its kind has none."""
        async with self._context.open_game(game_id) as source:
            facts = await chronicle.read_chronicle_facts(source)
        return await chronicle.compose_chronicle(self._context.workers, facts, await self.analyse_end(facts.end))

    async def chronicle_page(self, content: ChronicleContent, language: str) -> bytes:
        localizer = game_localizer(content.facts.seated_game, language)
        return await chronicle.render_page(
            self._context.workers, content, language, self._context.picture_style(localizer)
        )
