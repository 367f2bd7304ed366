"""The read side: each method gives values from one transaction or one job, and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct

import render
from bot.errors import Refusal
from bot.life import ratings
from bot.life.enqueue import panel_of
from bot.life.playing import Playing, playing_of, seated
from bot.record.chapters import Chapter, Told
from bot.store import Store
from bot.store.records import Census, Game, Message, Player, RatingRow, RequestRow, Score
from bot.store.subjects import Step
from bot.telling import acts, chronicle, gallery, lessons, lobby, log, notices, panel, story
from bot.telling import inbox as games
from bot.telling.asked import Asked, asked_of, asking, only_game
from bot.telling.charts import Charts
from bot.telling.chronicle import Account
from bot.telling.ending import End
from bot.telling.gallery import Cut, Film, Filming, Progress
from bot.telling.inbox import Waiting
from bot.telling.lessons import Page
from bot.telling.lobby import Lobby
from bot.telling.log import Log
from bot.telling.notices import Standing
from bot.telling.panel import Left
from bot.telling.source import Digest, Source
from bot.telling.wording import words_of
from bot.words.i18n import Words
from bot.work import closing, drafts, showing, turning
from bot.work.closing import Closing
from bot.work.showing import Drawn, Known, Look, Offer, Seen, Shot, Stills
from bot.work.trials import Trials
from bot.work.turning import Turned
from bot.work.workers import Wanted, Workers
from rules.errors import OrderError, Scalar
from rules.protocol import EMPTY, Choices, Draft, Form, Setup
from rules.registry import RULESETS
from rules.view import Text


class Fact(Struct, frozen=True, kw_only=True):
    """What a message of the outbox shows: facts of its kind, none if there is nothing to show, or why it cannot be."""

    facts: object = None
    failed: Exception | None = None


class Batch(Struct, frozen=True, kw_only=True):
    """What messages of one game show, read together."""

    playing: Playing
    facts: Mapping[int, Fact]
    """By the row of each."""


class Status(Struct, frozen=True, kw_only=True):
    """How a game stands, in few words."""

    playing: Playing
    waiting: tuple[RequestRow, ...]
    """What is open, and must be answered."""
    battles: tuple[Playing, ...] = ()
    """Its battles that go on."""
    above: Playing | None = None
    """The game of which it is a battle."""


class Reader:
    """Reads games of one bot."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        trials: Trials,
        now: Callable[[], int],
        *,
        digest: Digest,
        stills: Stills | None = None,
    ) -> None:
        """`digest` gives the fingerprint of a finished game's record."""
        self._store = store
        self._workers = workers
        self._trials = trials
        self._now = now
        self._digest = digest
        self._stills = stills or Stills()
        self._charts = Charts(workers)
        self._filming = Filming(workers, self.told)
        self._kinds: dict[str, Callable[[Source, Message], Awaitable[object]]] = {
            "lobby": lambda source, message: lobby.lobby(source, message, now()),
            "begin": lambda source, _: story.begun(source),
            "step": story.step,
            "seals": story.seals,
            "panel": panel.panel,
            "draw": notices.draw_offer,
            "invite": notices.invitation,
            "dms": _playing,
            "lacking": acts.muted,
            "muted": acts.muted,
            "homeless": _playing,
            "exiled": _playing,
            "deleted": _playing,
            "announcement": _playing,
            "act": acts.act,
            "counted": panel.counted,
            "void": panel.void,
            "proposal": acts.wish,
            "remind": lambda source, message: notices.reminder(source, message, now()),
            "standing": notices.standing,
        }
        """How the facts of each kind of message are read."""

    @asynccontextmanager
    async def _source(self, game_id: int) -> AsyncIterator[Source]:
        """A game to be read from, in a transaction of its own. Raises `Refusal`."""
        async with self._store.read() as tx:
            yield await Source.of(tx, game_id, self._digest)

    def look(self, words: Words, caption: Text | None = None, *, beside: int | None = None) -> Look:
        """Return how a game is drawn for a reader of these words, which are that game's; from that seat's side."""
        said = words.catalogue
        return Look(
            system=said.system,
            language=said.language,
            names=dict(words.names),
            caption=caption,
            stills=self._stills,
            beside=beside,
        )

    # --- games and people --------------------------------------------------------------------------------------

    async def playing(self, game_id: int) -> Playing:
        """A game and who sits at it. Raises `Refusal`."""
        async with self._store.read() as tx:
            return await playing_of(tx, game_id)

    async def giving_up(self, game_id: int, user_id: int) -> tuple[Playing, int]:
        """A game that somebody may give up, and the points of rating that this would cost them. Raises `Refusal`."""
        async with self._store.read() as tx:
            playing = await playing_of(tx, game_id)
            seat = seated(playing, user_id)
            return playing, await ratings.at_stake(tx, playing, seat, now=self._now())

    async def playings(self, games: Iterable[Game]) -> list[Playing]:
        """The same of several games, in their order."""
        async with self._store.read() as tx:
            return [await playing_of(tx, game.id) for game in games]

    async def player(self, user_id: int) -> Player | None:
        """Return a player's preferences; None if they have never played nor set any."""
        async with self._store.read() as tx:
            return (await tx.players.find([user_id])).get(user_id)

    async def game_of_place(self, place_id: int) -> Game | None:
        """The game whose thread this is."""
        async with self._store.read() as tx:
            return await tx.games.of_thread(place_id)

    async def game_of_message(self, mark: int, message_id: int) -> int | None:
        """The number of the game of a row of the outbox, by its mark, that is shown in this message."""
        async with self._store.read() as tx:
            return await tx.messages.game_of(mark, message_id)

    async def games_of(self, user_id: int, *, ended: bool = False, most: int | None = None) -> list[Game]:
        """Games of a player, newest first, no more than `most`; open ones only unless `ended`."""
        phases = ("lobby", "running", "resolving", *(("over",) if ended else ()))
        async with self._store.read() as tx:
            return await tx.games.of_user(user_id, phases=phases, most=most)

    async def lobbies(self, channel_id: int) -> list[Game]:
        """Games of a channel that have not begun and are no battles, newest first."""
        async with self._store.read() as tx:
            return await tx.games.lobbies(channel_id)

    async def inbox(self, user_id: int) -> list[Waiting]:
        """Return somebody's games that are not over, most urgent first."""
        async with self._store.read() as tx:
            return await games.inbox(tx, user_id)

    async def status(self, game_id: int) -> Status:
        """Who is awaited in a game. Raises `Refusal` if it has not begun."""
        async with self._source(game_id) as source:
            if source.game.step_no < 0:
                raise Refusal("not_started")
            waiting = [row for row in await source.requests() if row.status == "open" and not row.optional]
            battles = [
                one for one in await source.tx.games.battles_of(game_id) if one.phase in ("running", "resolving")
            ]
            return Status(
                playing=source.playing,
                waiting=tuple(waiting),
                battles=tuple([await playing_of(source.tx, one.id) for one in reversed(battles)]),
                above=(await story.begun(source)).above,
            )

    async def ladder(self, guild_id: int) -> list[Score]:
        """Ratings of all who have played on a server, of all games."""
        async with self._store.read() as tx:
            return await tx.ratings.scores(guild_id=guild_id)

    async def career(self, user_id: int) -> tuple[dict[str, Score], list[RatingRow], dict[int, str]]:
        """Return somebody's ratings by game, their finished games, and of what kind of game which were battles."""
        async with self._store.read() as tx:
            scores = {one.system: one for one in await tx.ratings.scores(user_id=user_id)}
            return scores, await tx.ratings.of_user(user_id), await tx.ratings.battles_of_user(user_id)

    # --- messages of the outbox --------------------------------------------------------------------------------

    async def batch(self, messages: Sequence[Message]) -> Batch:
        """What messages of one game show. Raises `Refusal` if there is no such game."""
        async with self._source(messages[0].game_id) as source:
            facts = {message.id: await self._fact(source, message) for message in messages}
            return Batch(playing=source.playing, facts=facts)

    async def _fact(self, source: Source, message: Message) -> Fact:
        try:
            return Fact(facts=await self._kinds[message.kind](source, message))
        except Exception as error:  # noqa: BLE001 - what one message cannot show keeps no other waiting
            return Fact(failed=error)

    async def message(self, game_id: int, key: str) -> Message | None:
        """A message of the outbox."""
        async with self._store.read() as tx:
            return await tx.messages.find(game_id, key)

    async def panel_message(self, asked: Asked) -> Message | None:
        """The message in which a captain was asked something, whatever it is about by now."""
        async with self._store.read() as tx:
            if (known := asked.message) and (found := await tx.messages.in_row(known.id)):
                return found
            return await tx.messages.find(asked.row.game_id, panel_of(asked.row).key)

    async def going(self, user_id: int) -> set[int]:
        """Direct messages of ours to somebody that are to be deleted, by Discord's ids."""
        async with self._store.read() as tx:
            return await tx.removals.of_user(user_id)

    async def lobby(self, game_id: int) -> tuple[Playing, Message | None, Lobby | None]:
        """A game, the message of its lobby, and what that shows. Raises `Refusal`."""
        async with self._source(game_id) as source:
            message = await source.tx.messages.find(game_id, "lobby")
            facts = await lobby.lobby(source, message, self._now()) if message else None
            return source.playing, message, facts

    async def unplayable(self, facts: Lobby) -> OrderError | Refusal | None:
        """Why a game cannot begin as its host has chosen; None: it can."""
        return await self._trials.why_not(facts.playing.game.setup) if facts.open and facts.chosen else None

    async def chart(self, setup: Setup, words: Words, wanted: Wanted = lambda: True) -> Drawn:
        """What a game that is charted will be played on. Raises `Outdated` as `plan`."""
        return await self._charts.of(setup, self.look(words), wanted)

    async def ended(self, game_id: int, user_id: int) -> tuple[Playing, Left, Closing]:
        """What has happened last, as one captain may see it. Raises `Refusal`."""
        async with self._source(game_id) as source:
            left = await panel.ended(source, user_id)
        return left.playing, left, await self.closing(left)

    async def left(self, message: Message) -> tuple[Playing, Left, Closing]:
        """What is left of a panel whose question is closed. Raises `Refusal`."""
        async with self._source(message.game_id) as source:
            left = await panel.left(source, message)
        return left.playing, left, await self.closing(left)

    async def closing(self, left: Left) -> Closing:
        """How a game has ended, and what was answered for a captain who was late."""
        if not left.worth_asking:
            return Closing()
        return await self._workers.run(closing.closing, *left.work, taught=left.kept.taught)

    async def counted(self, facts: panel.Counted) -> Closing:
        """What counted of a plan that was not sealed."""
        return await self._workers.run(closing.closing, *facts.work)

    async def known(self, told: story.StepTold) -> Known:
        """What a story must say of how a game stands, as events don't: who holds which ship, and the points."""
        system, rules = told.playing.game.system, RULESETS[told.playing.game.system]
        if not (rules.ships_change_sides or rules.scores):
            return Known()
        return await self._workers.run(showing.known, system, told.chapter.state)

    async def turned(self, end: End) -> Turned:
        """Why a game is over, and where it turned."""
        game = end.playing.game
        return await self._workers.step(
            game.host_id, turning.turned, game.system, game.setup.teams, end.steps, taught=end.kept.taught
        )

    # --- what captains are asked -------------------------------------------------------------------------------

    async def asked(
        self, user_id: int, game_id: int | None = None, request_id: str | None = None, *, with_panel: bool = False
    ) -> Asked:
        """Return what a captain is asked: in one game, or in the only one that asks them. Raises `Refusal`."""
        async with self._store.read() as tx:
            if game_id is None:
                game_id = await only_game(tx, user_id)
            source = await Source.of(tx, game_id, self._digest)
            return await asked_of(source, user_id, request_id, with_panel=with_panel)

    async def asking(self, user_id: int) -> list[int]:
        """The games that ask somebody something."""
        async with self._store.read() as tx:
            return await asking(tx, user_id)

    def is_overloaded(self) -> bool:
        """Whether there is so much to be drawn that no message should wait for its picture."""
        return self._workers.overloaded

    async def offer(self, asked: Asked) -> Offer:
        """Return what a captain may do with their draft."""
        if asked.worked and asked.worked.offer:
            return asked.worked.offer
        game, row = asked.playing.game, asked.row
        return await self._workers.run(showing.offer, game.system, asked.state, row.body, row.drafted)

    async def plan(self, asked: Asked, words: Words, wanted: Wanted = lambda: True) -> Drawn:
        """A captain's draft on the table. Raises `Outdated` if it isn't `wanted` any more when there is time for it."""
        game, row = asked.playing.game, asked.row
        shown = (game.system, asked.state, row.body, row.drafted, self.look(words))
        return await self._workers.illustrate(wanted, showing.plan, *shown)

    async def choices(self, asked: Asked) -> Choices:
        """What a captain's draft may become, and what it lacks."""
        game, row = asked.playing.game, asked.row
        return await self._workers.run(drafts.choices, game.system, asked.state, row.body, row.drafted)

    async def form(self, asked: Asked, token: str) -> Form | None:
        """A form of lists that is offered now; None if it is not."""
        return next((form for form in (await self.choices(asked)).forms if form.token == token), None)

    async def example(self, asked: Asked) -> Mapping[str, Scalar]:
        """Values for the sentence that says how to write an answer."""
        return await self._workers.run(drafts.example, asked.playing.game.system, asked.state, asked.row.body)

    async def unfit(self, standing: Standing) -> OrderError | None:
        """Why standing orders are of no use for a question; None: they are. Raises `Refusal`."""
        asked = standing.asked
        try:
            await self._workers.run(
                drafts.with_standing, asked.playing.game.system, asked.state, asked.row.body, standing.text
            )
        except OrderError as refused:
            return refused
        return None

    # --- what happened -----------------------------------------------------------------------------------------

    async def chapters(self, game_id: int) -> list[Chapter]:
        """The rounds of a game so far. Raises `Refusal` if it has not begun."""
        async with self._source(game_id) as source:
            return await source.chapters()

    async def told(self, game_id: int, chapter: Chapter) -> Told:
        """All that happened in a chapter."""
        async with self._source(game_id) as source:
            return await source.told(chapter)

    async def last_told(self, game_id: int, mark: int) -> int:
        """The last step of which a message tells, by its mark. Raises `Refusal` if it tells of none."""
        async with self._store.read() as tx:
            message = next((found for found in await tx.messages.of(game_id) if found.mark == mark), None)
        if message is None or message.kind != "step":
            raise Refusal("not_started")
        return message.about(Step).last

    async def log(self, game_id: int, user_id: int, step_no: int) -> Log:
        """A round until a step, as a reader may know it. Raises `Refusal`."""
        async with self._source(game_id) as source:
            return await log.log(source, user_id, step_no)

    async def chronicle(self, game_id: int) -> Account:
        """A finished game's chronicle. Raises `Refusal` while it goes on, or if it is of a kind that has none."""
        async with self._source(game_id) as source:
            facts = await chronicle.facts(source)
        return await chronicle.account(self._workers, facts, await self.turned(facts.end))

    async def page(self, account: Account, language: str) -> bytes:
        """It as one HTML file with its pictures inside. Raises `Refusal` if somebody asks for too many pictures."""
        words = words_of(account.facts.playing, language)
        return await chronicle.page(self._workers, account, language, self.look(words))

    # --- pictures ----------------------------------------------------------------------------------------------

    async def draw(
        self, system: str, state: str, happened: Sequence[str], look: Look, wanted: Wanted = lambda: True
    ) -> Drawn:
        """A state as everybody sees it, with what has just happened. Raises `Outdated` as `plan`."""
        return await self._workers.illustrate(wanted, showing.draw, system, state, happened, look, Shot())

    async def end(self, told: Told, words: Words, seat: int | None, wanted: Wanted = lambda: True) -> Drawn:
        """The last round of a game as one captain sees it, from their side. Raises `Outdated` as `plan`."""
        look, shot = self.look(words, beside=seat), Shot(seat=seat)
        return await self._workers.illustrate(wanted, showing.draw, look.system, told.state, told.events, look, shot)

    async def view(self, game_id: int, user_id: int, subject: render.Kind | None, crop: Cut | None) -> gallery.View:
        """What somebody wants to see of a game, and may. Raises `Refusal`."""
        async with self._source(game_id) as source:
            return await gallery.view(source, user_id, subject, crop)

    async def table(self, facts: gallery.View, words: Words) -> Seen:
        """It in a picture and in words. Raises `Refusal` if there is nothing of the kind to be seen."""
        return await gallery.table(self._workers, facts, self.look(words, beside=facts.seat))

    async def round(
        self, game_id: int, user_id: int, *, round_no: int | None = None, step_no: int | None = None
    ) -> gallery.Round:
        """A certain round, or that of a step, or the last, for somebody who asks. Raises `Refusal`."""
        async with self._source(game_id) as source:
            return await gallery.last_round(source, user_id, round_no=round_no, step_no=step_no)

    async def film(self, facts: gallery.Round, words: Words, form: render.Format) -> Film:
        """The film of a round. Raises `Refusal` if nothing of it can be seen."""
        look = gallery.of_round(self.look(words, beside=facts.seat), facts.told.round)
        return await gallery.film(self._workers, facts, look, form)

    async def whole(self, game_id: int, user_id: int) -> gallery.Whole:
        """A whole game so far, to be filmed for somebody who asks. Raises `Refusal` if it has not begun."""
        async with self._source(game_id) as source:
            return await gallery.whole(source, user_id)

    async def replay(
        self, user_id: int, facts: gallery.Whole, words: Words, form: render.Format, progress: Progress
    ) -> Film:
        """The film of a whole game: a transaction and a job a round. Raises `Refusal`."""
        return await self._filming.replay(user_id, facts, self.look(words, beside=facts.seat), form, progress)

    async def lesson(self, page: Page, draft: Draft = EMPTY, pressed: str | None = None) -> lessons.LessonPanel:
        """A lesson, with a pupil's draft. Raises `Refusal` or `OrderError`."""
        return await lessons.lesson(self._workers, page, draft, pressed, self.look(page.words()))

    async def outcome(self, page: Page, draft: Draft) -> lessons.Tried:
        """What came of a pupil's orders. Raises `Refusal` or `OrderError`."""
        return await lessons.outcome(self._workers, page, draft, self.look(page.words()))


async def census(store: Store, now: int) -> Census:
    """How many games there are, and what waits."""
    async with store.read() as tx:
        return await tx.messages.census(now=now)


async def _playing(source: Source, message: Message) -> Playing:  # noqa: ARG001 - as all readers
    """Read the game alone."""
    return source.playing
