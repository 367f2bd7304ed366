"""Operations of the bot's host from the shell.

The shell never writes about games while a bot runs: it leaves a row in `host_requests`, which a bot carries out. If no
bot runs, the shell does. A request is marked as done in the transaction that ends it, and each part of it may be
repeated. A bot that is killed in the middle therefore continues after its next start, or another bot does.

A running game is deleted in two stages. First it is called off, which the outbox announces in its thread. Once that is
shown, or after `MAX_ANNOUNCE_WAIT_S`, its rows are deleted.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime
from typing import Final, NamedTuple

from bot import logs
from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import giving_up, hosts
from bot.lifecycle.people.abandoning import note_lobby_loss
from bot.lifecycle.ratings import newcomers, unrating
from bot.lifecycle.steps import early
from bot.lifecycle.steps.playing import load_seated_game
from bot.presenters.wording import refusal_text
from bot.services import rematch
from bot.services.absence import offer_seats
from bot.services.privacy import PrivacyService
from bot.store import NotWritten, Store
from bot.store.models.records import Game
from bot.store.models.subjects import AnnouncementSubject
from bot.store.queries.host_requests import HostRequest
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE

log = logging.getLogger(__name__)

MAX_ANNOUNCE_WAIT_S: Final = 600
CLEARING_CLAIM_S: Final = 900  # seconds for which one bot alone clears a user's direct messages
RETRY_INTERVAL_S: Final = 5
MAX_ANNOUNCEMENTS_A_DAY: Final = 3
DAY_S: Final = 86_400
MAX_ANNOUNCEMENT_CHARS: Final = 1_500
ANNOUNCEMENT_BATCH_SIZE: Final = 100
ANNOUNCEMENTS_PER_S: Final = 2  # threads per second that receive an announcement, which leaves room for other messages
RESULT_RETENTION_S: Final = 30 * DAY_S  # how long results of requests are kept


class RequestResult(NamedTuple):
    line: str  # English, for the shell
    is_refused: bool = False  # whether nothing was done


class DiscordActions(NamedTuple):
    clear_direct_messages: Callable[[int], Awaitable[bool]]
    """Delete the bot's direct messages to a user; return whether all are gone."""
    on_messages_wanted: Callable[[], None]  # called when the outbox has new messages
    on_games_deleted: Callable[[Collection[int]], Awaitable[None]]  # called with the ids of their servers


class HostService:
    def __init__(
        self, store: Store, privacy: PrivacyService, now: Callable[[], int], discord: DiscordActions | None = None
    ) -> None:
        """Create the service. Without `discord` no bot is running, and deletions are not announced."""
        self._store = store
        self._privacy = privacy
        self._now = now
        self._discord = discord
        self._handlers: dict[str, Callable[[HostRequest], Awaitable[RequestResult | None]]] = {
            "forget": self._forget_user,
            "delete_game": self._delete_game,
            "delete_server": self._delete_server,
            "deny_user": self._deny_user,
            "deny_server": self._deny_server,
            "allow_user": self._allow_user,
            "allow_server": self._allow_server,
            "announce": self._announce,
        }

    async def carry_out_all(self) -> bool:
        """Carry out all waiting requests. Return whether one must be checked again soon. Raises `NotWritten`."""
        async with self._store.read() as tx:
            if not await tx.host_requests.count_waiting():
                return False
        unfinished_ids: set[int] = set()
        while True:
            async with self._store.write() as tx:
                request = await tx.host_requests.claim_oldest(now=self._now(), skipped_ids=unfinished_ids)
            if request is None:
                return bool(unfinished_ids)
            with logs.bind_values(request=request.id):
                if not await self._carry_out(request):
                    unfinished_ids.add(request.id)

    async def _carry_out(self, request: HostRequest) -> bool:
        """Carry out one request. Return whether it is finished. Raises `NotWritten`."""
        try:
            outcome = await self._handlers[request.kind](request)
        except NotWritten:
            raise
        except Refusal as refusal:
            english = Localizer(Catalogue.load("en"), style=PLAIN_STYLE)
            outcome = RequestResult(refusal_text(english, refusal), is_refused=True)
        except Exception:
            log.exception("request of the host failed", extra={"what": request.kind})
            outcome = RequestResult("this failed; the bot's log says why", is_refused=True)
        if outcome is None:
            return False
        async with self._store.write() as tx:
            await tx.host_requests.finish(request, outcome.line, refused=outcome.is_refused, now=self._now())
            await tx.host_requests.delete_finished(before=self._now() - RESULT_RETENTION_S)
        log.info("request of the host", extra={"what": request.kind, "refused": outcome.is_refused})
        self._notify_outbox()
        return True

    def _notify_outbox(self) -> None:
        if self._discord:
            self._discord.on_messages_wanted()

    # --- people ------------------------------------------------------------------------------------------------

    async def _forget_user(self, request: HostRequest) -> RequestResult:
        user_id = request.user_id
        if not user_id:  # a bot was killed between forgetting the user and marking the request as done
            return RequestResult("forgotten; direct messages to that person may be left on Discord")
        await self._privacy.forget_user(user_id)
        if self._discord is None:
            return RequestResult(
                "forgotten; threads follow when the bot runs again; its direct messages to that person stay on Discord"
            )
        async with self._store.write() as tx:
            await tx.host_requests.store_progress(request, {}, until=self._now() + CLEARING_CLAIM_S)
        all_deleted = await self._discord.clear_direct_messages(user_id)
        return RequestResult(
            "forgotten" if all_deleted else "forgotten; some direct messages to that person stay on Discord"
        )

    async def _deny_user(self, request: HostRequest) -> RequestResult:
        user_id, now = request.user_id or 0, self._now()
        async with self._store.write(of_many=True) as tx:
            await tx.denials.deny_user(user_id, now=now)
            await offer_seats(tx, user_id, "barred", now=now)
            for game in await tx.games.hosted_by_user(user_id, phases=("lobby",)):
                await tx.games.change(game.id, phase="cancelled", ended_at=now)
                await enqueue.update_lobby(tx, game.id, now=now)
        return RequestResult("denied; the seats of that user are offered to others, and their lobbies are called off")

    async def _allow_user(self, request: HostRequest) -> RequestResult:
        async with self._store.write() as tx:
            was_denied = await tx.denials.allow_user(request.user_id or 0)
        return RequestResult("allowed") if was_denied else RequestResult("that user was not denied", is_refused=True)

    # --- servers -----------------------------------------------------------------------------------------------

    async def _deny_server(self, request: HostRequest) -> RequestResult:
        guild_id = request.target_id or 0
        async with self._store.write() as tx:
            await tx.denials.deny_server(guild_id, now=self._now())
            game_count = len(await tx.games.open_on(guild_id))
        return RequestResult(
            f"denied; the bot leaves that server, where {game_count} games stand still until they are deleted"
        )

    async def _allow_server(self, request: HostRequest) -> RequestResult:
        async with self._store.write() as tx:
            was_denied = await tx.denials.allow_server(request.target_id or 0)
        if not was_denied:
            return RequestResult("that server was not denied", is_refused=True)
        return RequestResult("allowed; its games go on when somebody adds the bot again")

    # --- games -------------------------------------------------------------------------------------------------

    async def _delete_game(self, request: HostRequest) -> RequestResult | None:
        game_id = request.target_id or 0
        async with self._store.read() as tx:
            game = await tx.games.find_without_lock(game_id)
            second_game = await tx.games.second_game_of(game_id)
        # A game that was called off (`stopped_at`) may have been deleted before a bot was killed.
        if game is None and "stopped_at" not in request.params:
            return RequestResult(f"there is no game #{game_id}", is_refused=True)
        if game is not None and game.parent_id is not None:
            return RequestResult(f"#{game_id} is a battle of #{game.parent_id}: delete that", is_refused=True)
        if second_game is not None and second_game.phase in ("lobby", "running", "resolving"):
            return RequestResult(
                f"#{game_id} and #{second_game.id} are a match, which is played: delete #{second_game.id} before it",
                is_refused=True,
            )
        return await self._delete_games(request, [game_id])

    async def _delete_server(self, request: HostRequest) -> RequestResult | None:
        guild_id = request.target_id or 0
        async with self._store.read() as tx:
            games = await tx.games.ids_on_server(guild_id)
        if not games and "stopped_at" not in request.params:
            return RequestResult(f"there are no games of server {guild_id}", is_refused=True)
        return await self._delete_games(request, games)

    async def _delete_games(self, request: HostRequest, games: Collection[int]) -> RequestResult | None:
        """Announce that games are deleted, and once that is sent, delete them with their battles. None: not yet."""
        stopped_at = request.params.get("stopped_at")
        if stopped_at is None and self._discord:
            for game_id in games:
                await self._call_off(game_id)
            params = {**request.params, "stopped_at": self._now()}
            async with self._store.write() as tx:
                await tx.host_requests.store_progress(request, params, until=self._now() + RETRY_INTERVAL_S)
            self._notify_outbox()
            return None
        may_wait = self._discord and stopped_at is not None and self._now() < stopped_at + MAX_ANNOUNCE_WAIT_S
        if may_wait and await self._is_announcement_pending(games):
            async with self._store.write() as tx:
                await tx.host_requests.store_progress(request, request.params, until=self._now() + RETRY_INTERVAL_S)
            return None
        deleted_games = [game for game_id in games for game in await self._delete_rows(game_id)]
        if self._discord:
            await self._discord.on_games_deleted({game.guild_id for game in deleted_games})
        return RequestResult(f"{len(deleted_games)} games deleted, battles included")

    async def _call_off(self, game_id: int) -> None:
        now = self._now()
        async with self._store.write(of_many=True) as tx:
            for game in await _game_and_battles(tx, game_id):
                if game.phase in ("over", "cancelled"):
                    continue
                if game.is_lobby:
                    await note_lobby_loss(tx, await load_seated_game(tx, game.id), by=None, now=now)
                else:
                    await giving_up.note_ended_by_others(tx, await load_seated_game(tx, game.id), now=now)
                await tx.requests.close(await tx.requests.open_of_game(game.id))
                no_clock = {"claimed_at": None, "deadline": None, "paused_at": None}
                await tx.games.change(game.id, phase="cancelled", ended_at=now, version=game.version + 1, **no_clock)
                await enqueue.report_deletion(tx, game, now=now)

    async def _is_announcement_pending(self, games: Collection[int]) -> bool:
        async with self._store.read() as tx:
            return any([await tx.messages.has_waiting(game_id, enqueue.DELETION_KINDS) for game_id in games])

    async def _delete_rows(self, game_id: int) -> list[Game]:
        """Delete a game and its battles, the battles first. Return them."""
        async with self._store.write(of_many=True) as tx:
            games = await _game_and_battles(tx, game_id)
            for game in reversed(games):
                await unrating.forget_game(tx, game.id)
                await newcomers.forget_game(tx, game.id)
                await hosts.forget_game(tx, game.id)
                await early.forget(tx, game.id)
                await rematch.forget(tx, game.id)
                await tx.games.delete(game.id)
        return games

    # --- announcements -----------------------------------------------------------------------------------------

    async def _announce(self, request: HostRequest) -> RequestResult:
        """Request an announcement in the thread of each running game; continue one that was interrupted."""
        texts: dict[str, str] = request.params["texts"]  # by language
        now = self._now()
        last_game_id = request.params.get("after", 0)
        reached_count = request.params.get("games", 0)
        began_at = request.params.get("began")
        if began_at is None:
            async with self._store.write() as tx:
                earlier_times = await tx.host_requests.finish_times("announce", now - DAY_S)
                if len(earlier_times) >= MAX_ANNOUNCEMENTS_A_DAY:
                    possible_at = datetime.fromtimestamp(earlier_times[-MAX_ANNOUNCEMENTS_A_DAY] + DAY_S, UTC)
                    line = f"{MAX_ANNOUNCEMENTS_A_DAY} announcements in 24 hours are enough; the next can be made"
                    return RequestResult(f"{line} from {possible_at:%Y-%m-%d %H:%M} UTC", is_refused=True)
                began_at = now
                await tx.host_requests.store_progress(
                    request, {**request.params, "began": began_at}, until=now + RETRY_INTERVAL_S
                )
        while True:
            async with self._store.write(of_many=True) as tx:
                games = await tx.games.running_after(last_game_id, most=ANNOUNCEMENT_BATCH_SIZE)
                for game in games:
                    text = texts.get(game.locale, texts["en"])
                    send_at = began_at + reached_count // ANNOUNCEMENTS_PER_S
                    await tx.messages.request(game.id, AnnouncementSubject(request.id, text), now=send_at)
                    last_game_id = game.id
                    reached_count += 1
                params = {**request.params, "began": began_at, "after": last_game_id, "games": reached_count}
                await tx.host_requests.store_progress(request, params, until=self._now() + RETRY_INTERVAL_S)
            self._notify_outbox()
            if not reached_count:
                return RequestResult("there are no running games", is_refused=True)
            if len(games) < ANNOUNCEMENT_BATCH_SIZE:
                return RequestResult(f"on its way to {reached_count} running games")


async def _game_and_battles(tx: Transaction, game_id: int) -> list[Game]:
    game = await tx.games.find_for_update(game_id)
    return [] if game is None else [game, *await tx.games.battles_of(game_id)]
