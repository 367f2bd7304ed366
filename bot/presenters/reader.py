"""The read side: each method returns values from one transaction or one job, and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct

import render
from bot.errors import Refusal
from bot.jobs import closing, drafts, showing, turning
from bot.jobs.closing import ClosingSummary
from bot.jobs.showing import DescribedTable, PictureSubject, PublicStatus
from bot.jobs.trials import SetupTrials
from bot.jobs.turning import EndAnalysis
from bot.jobs.values import DescribedPicture, PanelOptions, PictureStyle, StillSettings
from bot.jobs.workers import Workers
from bot.lifecycle.outbox.enqueue import panel_subject
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, require_active_seat
from bot.presenters import acts, chronicle, gallery, lessons, lobby, log, notices, panel, story
from bot.presenters import inbox as games
from bot.presenters.asked import PendingRequest, games_asking, only_game, read_pending_request
from bot.presenters.charts import ChartCache
from bot.presenters.chronicle import ChronicleContent
from bot.presenters.ending import EndFacts
from bot.presenters.gallery import FilmMaker, ProgressCallback, RenderedFilm, UserCrop
from bot.presenters.inbox import InboxEntry
from bot.presenters.lessons import LessonPage
from bot.presenters.lobby import LobbyFacts
from bot.presenters.log import RoundLog
from bot.presenters.notices import StandingOrdersFacts
from bot.presenters.panel import ClosedPanelFacts
from bot.presenters.source import DigestFunction, GameSource
from bot.presenters.wording import game_localizer
from bot.record.chapters import Chapter, ChapterContent
from bot.store import Store
from bot.store.models.records import BotStatistics, Game, OutboxMessage, Player, RatingRow, RatingSummary, RequestRow
from bot.store.models.subjects import StepSubject
from bot.texts.i18n import Localizer
from bot.urgency import IsWanted
from rules.core.errors import OrderError, Scalar
from rules.core.protocol import EMPTY_DRAFT, Choices, Draft, Form, Setup
from rules.core.registry import RULESETS
from rules.core.view import Text


class MessageFacts(Struct, frozen=True, kw_only=True):
    """Data that an outbox message shows (None: nothing to show), or the error that prevents it."""

    facts: object = None
    error: Exception | None = None


class MessageBatch(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    facts: Mapping[int, MessageFacts]


class GameStatus(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    awaited_requests: tuple[RequestRow, ...]
    battles: tuple[SeatedGame, ...] = ()
    parent: SeatedGame | None = None


class Reader:
    """Reads games of one bot.

    Methods that take the id of a game raise `Refusal` if there is no such game, or if the user may not see or do what
    they ask for. Methods that take `wanted` raise `JobOutdated` if it returns False when a worker is free.
    """

    def __init__(
        self,
        store: Store,
        workers: Workers,
        trials: SetupTrials,
        now: Callable[[], int],
        *,
        digest: DigestFunction,
        stills: StillSettings | None = None,
    ) -> None:
        self._store = store
        self._workers = workers
        self._trials = trials
        self._clock = now
        self._digest = digest
        self._stills = stills or StillSettings()
        self._chart_cache = ChartCache(workers)
        self._film_maker = FilmMaker(workers, self.read_chapter)
        self._readers_by_kind: dict[str, Callable[[GameSource, OutboxMessage], Awaitable[object]]] = {
            "lobby": lambda source, message: lobby.read_lobby(source, message, now()),
            "begin": lambda source, _: story.read_start(source),
            "step": story.read_step,
            "seals": story.read_seals,
            "panel": panel.read_panel,
            "draw": notices.read_draw_offer,
            "invite": notices.read_invitation,
            "dms": _read_seated_game,
            "lacking": acts.read_muted,
            "muted": acts.read_muted,
            "homeless": _read_seated_game,
            "exiled": _read_seated_game,
            "deleted": _read_seated_game,
            "announcement": _read_seated_game,
            "act": acts.read_log_entry,
            "counted": panel.read_counted_draft,
            "void": panel.read_void_answer,
            "proposal": acts.read_time_request,
            "remind": lambda source, message: notices.read_reminder(source, message, now()),
            "standing": notices.read_standing_orders,
        }

    @asynccontextmanager
    async def _open_game(self, game_id: int) -> AsyncIterator[GameSource]:
        """Yield a game in a transaction of its own. Raises `Refusal`."""
        async with self._store.read() as tx:
            yield await GameSource.open(tx, game_id, self._digest)

    def picture_style(
        self, words: Localizer, caption: Text | None = None, *, beside: int | None = None
    ) -> PictureStyle:
        """Return how the game's pictures are drawn for a reader, seen from the side of the seat `beside` if given."""
        catalogue = words.catalogue
        return PictureStyle(
            system=catalogue.system,
            language=catalogue.language,
            names=dict(words.names),
            caption=caption,
            stills=self._stills,
            viewpoint_seat=beside,
        )

    # --- games and people --------------------------------------------------------------------------------------

    async def seated_game(self, game_id: int) -> SeatedGame:
        """Return a game and its seats. Raises `Refusal`."""
        async with self._store.read() as tx:
            return await load_seated_game(tx, game_id)

    async def concession_cost(self, game_id: int, user_id: int) -> tuple[SeatedGame, int]:
        """Return a game and the rating points that the user would lose by conceding it. Raises `Refusal`."""
        async with self._store.read() as tx:
            playing = await load_seated_game(tx, game_id)
            seat = require_active_seat(playing, user_id)
            return playing, await ratings.rating_at_stake(tx, playing, seat, now=self._clock())

    async def seated_games(self, games: Iterable[Game]) -> list[SeatedGame]:
        async with self._store.read() as tx:
            return [await load_seated_game(tx, game.id) for game in games]

    async def find_player(self, user_id: int) -> Player | None:
        """Return a player's preferences; None if they have never played nor set any."""
        async with self._store.read() as tx:
            return (await tx.players.find_all([user_id])).get(user_id)

    async def game_of_thread(self, place_id: int) -> Game | None:
        async with self._store.read() as tx:
            return await tx.games.by_thread(place_id)

    async def game_of_message(self, mark: int, message_id: int) -> int | None:
        """Return the id of the game of an outbox row with this mark and Discord message, or None."""
        async with self._store.read() as tx:
            return await tx.messages.game_of_message(mark, message_id)

    async def games_of_user(self, user_id: int, *, ended: bool = False, most: int | None = None) -> list[Game]:
        """Return at most `most` games of a player, newest first; finished ones only if `ended`."""
        phases = ("lobby", "running", "resolving", *(("over",) if ended else ()))
        async with self._store.read() as tx:
            return await tx.games.of_user(user_id, phases=phases, most=most)

    async def lobbies_in(self, channel_id: int) -> list[Game]:
        async with self._store.read() as tx:
            return await tx.games.lobbies_in(channel_id)

    async def read_inbox(self, user_id: int) -> list[InboxEntry]:
        async with self._store.read() as tx:
            return await games.read_inbox(tx, user_id)

    async def read_status(self, game_id: int) -> GameStatus:
        """Return which requests a game waits for. Raises `Refusal` if it has not begun."""
        async with self._open_game(game_id) as source:
            if source.game.step_no < 0:
                raise Refusal("not_started")
            awaited = [row for row in await source.open_requests() if row.status == "open" and not row.optional]
            battles = [
                battle
                for battle in await source.tx.games.battles_of(game_id)
                if battle.phase in ("running", "resolving")
            ]
            return GameStatus(
                seated_game=source.seated_game,
                awaited_requests=tuple(awaited),
                battles=tuple([await load_seated_game(source.tx, battle.id) for battle in reversed(battles)]),
                parent=(await story.read_start(source)).parent,
            )

    async def server_scores(self, guild_id: int) -> list[RatingSummary]:
        async with self._store.read() as tx:
            return await tx.ratings.scores(guild_id=guild_id)

    async def user_career(self, user_id: int) -> tuple[dict[str, RatingSummary], list[RatingRow], dict[int, str]]:
        """Return a user's ratings by game, their finished games, and the kind of game of each battle by its id."""
        async with self._store.read() as tx:
            scores = {rating.system: rating for rating in await tx.ratings.scores(user_id=user_id)}
            return scores, await tx.ratings.of_user(user_id), await tx.ratings.battles_of_user(user_id)

    # --- messages of the outbox --------------------------------------------------------------------------------

    async def read_batch(self, messages: Sequence[OutboxMessage]) -> MessageBatch:
        async with self._open_game(messages[0].game_id) as source:
            facts = {message.id: await self._read_facts(source, message) for message in messages}
            return MessageBatch(seated_game=source.seated_game, facts=facts)

    async def _read_facts(self, source: GameSource, message: OutboxMessage) -> MessageFacts:
        try:
            return MessageFacts(facts=await self._readers_by_kind[message.kind](source, message))
        except Exception as error:  # noqa: BLE001 - one broken message must not stop the others
            return MessageFacts(error=error)

    async def find_message(self, game_id: int, key: str) -> OutboxMessage | None:
        async with self._store.read() as tx:
            return await tx.messages.find(game_id, key)

    async def panel_message(self, request: PendingRequest) -> OutboxMessage | None:
        """Return the message in which a captain was asked, even if it is about another question by now."""
        async with self._store.read() as tx:
            if (panel := request.panel_message) and (message := await tx.messages.find_by_id(panel.id)):
                return message
            return await tx.messages.find(request.row.game_id, panel_subject(request.row).key)

    async def messages_to_delete(self, user_id: int) -> set[int]:
        async with self._store.read() as tx:
            return await tx.removals.message_ids_of_user(user_id)

    async def read_lobby(self, game_id: int) -> tuple[SeatedGame, OutboxMessage | None, LobbyFacts | None]:
        async with self._open_game(game_id) as source:
            message = await source.tx.messages.find(game_id, "lobby")
            facts = await lobby.read_lobby(source, message, self._clock()) if message else None
            return source.seated_game, message, facts

    async def why_unplayable(self, facts: LobbyFacts) -> OrderError | Refusal | None:
        """Return why a game cannot begin with the host's choices; None if it can."""
        return (
            await self._trials.why_refused(facts.seated_game.game.setup)
            if facts.is_open and facts.has_choices
            else None
        )

    async def draw_chart(self, setup: Setup, words: Localizer, wanted: IsWanted = lambda: True) -> DescribedPicture:
        return await self._chart_cache.get_or_draw(setup, self.picture_style(words), wanted)

    async def read_ended(self, game_id: int, user_id: int) -> tuple[SeatedGame, ClosedPanelFacts, ClosingSummary]:
        async with self._open_game(game_id) as source:
            facts = await panel.read_ended(source, user_id)
        return facts.seated_game, facts, await self.closing_summary(facts)

    async def read_closed_panel(self, message: OutboxMessage) -> tuple[SeatedGame, ClosedPanelFacts, ClosingSummary]:
        async with self._open_game(message.game_id) as source:
            facts = await panel.read_closed_panel(source, message)
        return facts.seated_game, facts, await self.closing_summary(facts)

    async def closing_summary(self, facts: ClosedPanelFacts) -> ClosingSummary:
        if not facts.needs_job:
            return ClosingSummary()
        return await self._workers.run_rules(
            closing.summarise_closing, *facts.job_arguments, taught=facts.keepsakes.is_taught
        )

    async def counted_draft_summary(self, facts: panel.CountedDraftFacts) -> ClosingSummary:
        return await self._workers.run_rules(closing.summarise_closing, *facts.job_arguments)

    async def public_status(self, facts: story.StepFacts) -> PublicStatus:
        """Return what a story needs besides its events: the holder of each ship, and the score."""
        system, rules = facts.seated_game.game.system, RULESETS[facts.seated_game.game.system]
        if not (rules.ships_change_sides or rules.has_score):
            return PublicStatus()
        return await self._workers.run_rules(showing.public_status, system, facts.round_content.state)

    async def analyse_end(self, end: EndFacts) -> EndAnalysis:
        game = end.seated_game.game
        return await self._workers.run_step(
            game.host_id, turning.analyse_end, game.system, game.setup.teams, end.steps, taught=end.keepsakes.is_taught
        )

    # --- what captains are asked -------------------------------------------------------------------------------

    async def pending_request(
        self, user_id: int, game_id: int | None = None, request_id: str | None = None, *, with_panel: bool = False
    ) -> PendingRequest:
        """Return a captain's open request in a game, or in the only game that has one. Raises `Refusal`."""
        async with self._store.read() as tx:
            if game_id is None:
                game_id = await only_game(tx, user_id)
            source = await GameSource.open(tx, game_id, self._digest)
            return await read_pending_request(source, user_id, request_id, with_panel=with_panel)

    async def games_asking(self, user_id: int) -> list[int]:
        async with self._store.read() as tx:
            return await games_asking(tx, user_id)

    def is_overloaded(self) -> bool:
        """Return whether messages should be sent without waiting for their pictures."""
        return self._workers.is_overloaded

    async def panel_options(self, request: PendingRequest) -> PanelOptions:
        if request.draft_result and request.draft_result.panel_options:
            return request.draft_result.panel_options
        game, row = request.seated_game.game, request.row
        return await self._workers.run_rules(showing.panel_options, game.system, request.state, row.body, row.as_draft)

    async def draw_plan(
        self, request: PendingRequest, words: Localizer, wanted: IsWanted = lambda: True
    ) -> DescribedPicture:
        game, row = request.seated_game.game, request.row
        arguments = (game.system, request.state, row.body, row.as_draft, self.picture_style(words))
        return await self._workers.run_illustration(wanted, showing.draw_plan, *arguments)

    async def draft_choices(self, request: PendingRequest) -> Choices:
        game, row = request.seated_game.game, request.row
        return await self._workers.run_rules(drafts.draft_choices, game.system, request.state, row.body, row.as_draft)

    async def find_form(self, request: PendingRequest, token: str) -> Form | None:
        return next((form for form in (await self.draft_choices(request)).forms if form.token == token), None)

    async def answer_example(self, request: PendingRequest) -> Mapping[str, Scalar]:
        return await self._workers.run_rules(
            drafts.answer_example, request.seated_game.game.system, request.state, request.row.body
        )

    async def why_unfit(self, standing: StandingOrdersFacts) -> OrderError | None:
        """Return why standing orders cannot answer a question; None if they can. Raises `Refusal`."""
        request = standing.request
        try:
            await self._workers.run_rules(
                drafts.draft_from_standing_orders,
                request.seated_game.game.system,
                request.state,
                request.row.body,
                standing.text,
            )
        except OrderError as error:
            return error
        return None

    # --- what happened -----------------------------------------------------------------------------------------

    async def chapters(self, game_id: int) -> list[Chapter]:
        async with self._open_game(game_id) as source:
            return await source.chapters()

    async def read_chapter(self, game_id: int, chapter: Chapter) -> ChapterContent:
        async with self._open_game(game_id) as source:
            return await source.read_chapter(chapter)

    async def last_step_of_message(self, game_id: int, mark: int) -> int:
        """Return the last step that a message tells of, by its mark. Raises `Refusal` if it tells of none."""
        async with self._store.read() as tx:
            message = next((row for row in await tx.messages.of_game(game_id) if row.mark == mark), None)
        if message is None or message.kind != "step":
            raise Refusal("not_started")
        return message.subject_as(StepSubject).last

    async def round_log(self, game_id: int, user_id: int, step_no: int) -> RoundLog:
        async with self._open_game(game_id) as source:
            return await log.read_round_log(source, user_id, step_no)

    async def read_chronicle(self, game_id: int) -> ChronicleContent:
        """Return a finished game's chronicle. Raises `Refusal` while it is played, or if its kind has none."""
        async with self._open_game(game_id) as source:
            facts = await chronicle.read_chronicle_facts(source)
        return await chronicle.compose_chronicle(self._workers, facts, await self.analyse_end(facts.end))

    async def chronicle_page(self, content: ChronicleContent, language: str) -> bytes:
        words = game_localizer(content.facts.seated_game, language)
        return await chronicle.render_page(self._workers, content, language, self.picture_style(words))

    # --- pictures ----------------------------------------------------------------------------------------------

    async def draw_state(
        self, system: str, state: str, happened: Sequence[str], look: PictureStyle, wanted: IsWanted = lambda: True
    ) -> DescribedPicture:
        return await self._workers.run_illustration(
            wanted, showing.draw_state, system, state, happened, look, PictureSubject()
        )

    async def draw_final_round(
        self, content: ChapterContent, words: Localizer, seat: int | None, wanted: IsWanted = lambda: True
    ) -> DescribedPicture:
        look, shot = self.picture_style(words, beside=seat), PictureSubject(seat=seat)
        return await self._workers.run_illustration(
            wanted, showing.draw_state, look.system, content.state, content.events, look, shot
        )

    async def picture_facts(
        self, game_id: int, user_id: int, subject: render.PictureKind | None, crop: UserCrop | None
    ) -> gallery.PictureFacts:
        async with self._open_game(game_id) as source:
            return await gallery.read_picture_facts(source, user_id, subject, crop)

    async def draw_table(self, facts: gallery.PictureFacts, words: Localizer) -> DescribedTable:
        return await gallery.draw_table(self._workers, facts, self.picture_style(words, beside=facts.seat))

    async def round_film_facts(
        self, game_id: int, user_id: int, *, round_no: int | None = None, step_no: int | None = None
    ) -> gallery.RoundFilmFacts:
        async with self._open_game(game_id) as source:
            return await gallery.read_round_film(source, user_id, round_no=round_no, step_no=step_no)

    async def film_round(
        self, facts: gallery.RoundFilmFacts, words: Localizer, form: render.FilmFormat
    ) -> RenderedFilm:
        look = gallery.with_round_heading(self.picture_style(words, beside=facts.seat), facts.content.round)
        return await gallery.draw_round_film(self._workers, facts, look, form)

    async def game_film_facts(self, game_id: int, user_id: int) -> gallery.GameFilmFacts:
        async with self._open_game(game_id) as source:
            return await gallery.read_game_film(source, user_id)

    async def film_game(
        self,
        user_id: int,
        facts: gallery.GameFilmFacts,
        words: Localizer,
        form: render.FilmFormat,
        progress: ProgressCallback,
    ) -> RenderedFilm:
        return await self._film_maker.film_game(
            user_id, facts, self.picture_style(words, beside=facts.seat), form, progress
        )

    async def open_lesson(
        self, page: LessonPage, draft: Draft = EMPTY_DRAFT, pressed: str | None = None
    ) -> lessons.LessonPanel:
        return await lessons.open_lesson(
            self._workers, page, draft, pressed, self.picture_style(page.pupil_localizer())
        )

    async def try_lesson(self, page: LessonPage, draft: Draft) -> lessons.LessonResult:
        """Return the result of a pupil's orders. Raises `Refusal` or `OrderError`."""
        return await lessons.try_orders(self._workers, page, draft, self.picture_style(page.pupil_localizer()))


async def read_statistics(store: Store, now: int) -> BotStatistics:
    async with store.read() as tx:
        return await tx.messages.count_statistics(now=now)


async def _read_seated_game(source: GameSource, message: OutboxMessage) -> SeatedGame:  # noqa: ARG001 - as all readers
    return source.seated_game
