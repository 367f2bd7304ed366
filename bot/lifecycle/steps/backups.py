"""Notice that an older backup of the database was restored: a thread shows more than the database knows.

The row of a message is stored before the message is sent, so a crash leaves no message without a row. A database is
restored while no bot runs. So each process compares the games that it found when it started, each once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from msgspec import Struct

from bot.lifecycle.outbox.outbox import PermissionMissing, RetryLater
from bot.lifecycle.steps.undo import count_public_steps
from bot.store import Store
from bot.store.models.records import Game, LogEntryRow, OutboxMessage, RequestsAnswered, StepCause
from bot.store.models.subjects import LobbySubject, StepSubject
from bot.store.queries.transaction import Transaction

RESTORED: Final = "restored"
RESTORED_AFTER_END: Final = "restored_over"
RESTORED_BATTLE: Final = "restored_battle"
FOUGHT_AGAIN: Final = "fought_again"


class PostedMessage(Struct, frozen=True, kw_only=True):
    """A message that this bot has posted for a game, as Discord shows it."""

    id: int  # Discord's id of the message
    mark: int  # of its row in the outbox
    shown_at: int  # when it was posted or last edited (Unix seconds)
    games: frozenset[int]  # games that its buttons name
    step_count: int  # how many public steps it reports; 0 if it reports none
    ends_game: bool  # whether it reports the end, which reveals the seed of the dice


class HistoryHidden(PermissionMissing):
    """Discord does not show the bot the messages of a channel: it lacks the permission to read them."""

    permission: Final = "read_message_history"


class ReadMessages(Struct, frozen=True):
    """The bot's messages among those that were read of a channel."""

    posted: Sequence[PostedMessage]
    oldest_id: int | None  # the oldest message that was read, if older ones are left to be read


ThreadReader = Callable[[int, int, int | None], Awaitable[ReadMessages]]
"""Reads a limited number of a channel's messages from the newest on: those between the second and the third message,
given by their ids; None: up to the last. Raises `RetryLater`."""


class HasMoreMessages(RetryLater):
    """A channel has more messages than are read at once. The next comparison reads on."""


class LostMessages(Struct, frozen=True, kw_only=True):
    """Messages of a game's thread that the restored database does not know."""

    newest_id: int  # Discord's id of the newest message
    shown_until: int  # when the newest was posted or edited (Unix seconds)
    is_over: bool  # whether the thread shows the end of the game, and with it the seed of the dice


async def read_nothing(_place_id: int, _after: int, _before: int | None) -> ReadMessages:
    return ReadMessages((), None)


class _Progress(Struct, frozen=True):
    place_id: int
    after: int  # the newest message that need not be read
    before: int | None  # the oldest message that was read; None: none was
    posted: Sequence[PostedMessage]  # of those that were read


class BackupCheck:
    def __init__(self, store: Store, read_thread: ThreadReader) -> None:
        self._store = store
        self._read_thread = read_thread
        self.unchecked_games: set[int] = set()  # ids of games that were found at the start and not compared yet
        self._progress: dict[int, _Progress] = {}  # of games whose channels are read in parts, by game id

    async def note_open_games(self) -> None:
        async with self._store.read() as tx:
            self.unchecked_games = {*await tx.games.open_ids()}

    async def find_lost_messages(self, game_id: int) -> LostMessages | None:
        """Return what a game's thread shows and the database does not know, or None.

        Raises `RetryLater`, such as `HasMoreMessages` if more is left to be read. A game that is not played yet is
        compared when it is.
        """
        async with self._store.read() as tx:
            game = await tx.games.find_without_lock(game_id)
            if game is not None and game.phase == "lobby":
                return None
            known = await _read_known(tx, game) if game and game.is_in_progress else None
        place_id = known.place_id if known else None
        if game is None or known is None or place_id is None:
            self.unchecked_games.discard(game_id)
            self._progress.pop(game_id, None)
            return None
        posted = await self._read_on(game_id, place_id, known.compared_after)
        async with self._store.read() as tx:  # other bots may have sent messages meanwhile
            known = await _read_known(tx, game)
        lost = [message for message in posted if known.lacks(message, place_id)]
        if not lost:
            self.unchecked_games.discard(game_id)
            return None
        return LostMessages(
            newest_id=max(message.id for message in lost),
            shown_until=max(message.shown_at for message in lost),
            is_over=any(message.ends_game for message in lost),
        )

    async def _read_on(self, game_id: int, place_id: int, after: int) -> Sequence[PostedMessage]:
        """Return the bot's messages in a channel. Messages of people among them, however many, hide none."""
        progress = self._progress.get(game_id)
        if progress is None or progress.place_id != place_id:
            progress = self._progress[game_id] = _Progress(place_id, after, None, ())
        read = await self._read_thread(place_id, progress.after, progress.before)
        posted = (*progress.posted, *read.posted)
        if self._progress.get(game_id) is progress:  # otherwise another comparison has read on meanwhile
            if read.oldest_id is None:
                del self._progress[game_id]
            else:
                self._progress[game_id] = _Progress(place_id, progress.after, read.oldest_id, posted)
        if read.oldest_id is not None:
            raise HasMoreMessages("more messages are left to be read")
        return posted


def last_restored(log: Sequence[LogEntryRow]) -> int:
    """Return the newest message that an earlier restored backup did not know; 0: none was restored."""
    return max((int(entry.params["seen"]) for entry in log if entry.kind == RESTORED), default=0)


class _KnownMessages(Struct, frozen=True):
    game: Game
    rows: Sequence[OutboxMessage]
    log: Sequence[LogEntryRow]
    causes: Sequence[tuple[int, StepCause]]

    @property
    def place_id(self) -> int | None:
        """The channel of the game's public messages; None if there are none."""
        if self.game.thread_id is not None:
            return self.game.thread_id
        if any(row.kind == "step" and row.channel_id == self.game.channel_id for row in self.rows):
            return self.game.channel_id  # the server had no room for a thread
        # A thread that the backup does not know has the id of the message on which it was opened.
        return next((row.message_id for row in self.rows if row.kind == LobbySubject().kind), None)

    @property
    def compared_after(self) -> int:
        """The newest message before all that is compared.

        A round is reported only after a comparison, so its report is known; it is compared, too, since it may report
        more by now. Concessions and other messages may have been posted while the thread could not be read.
        """
        rounds = [no for no, cause in self.causes if isinstance(cause, RequestsAnswered)]
        reports = [
            row.message_id
            for row in self.rows
            if row.message_id is not None
            and isinstance(row.subject, StepSubject)
            and any(row.subject.first <= no <= row.subject.last for no in rounds)
        ]
        in_place = [row.message_id for row in self.rows if row.message_id and row.channel_id == self.place_id]
        return max(last_restored(self.log), max(reports) - 1 if reports else min(in_place, default=0))

    def lacks(self, message: PostedMessage, place_id: int) -> bool:
        if message.id <= last_restored(self.log):
            return False
        if place_id == self.game.channel_id and self.game.id not in message.games:
            return False  # it may be of another game in this channel
        row = next((row for row in self.rows if row.mark == message.mark), None)
        if row is None:
            return True
        if not isinstance(row.subject, StepSubject):
            return False
        first, last = row.subject.first, row.subject.last
        # A message about a captain's clock is edited after each of their steps.
        return message.step_count > count_public_steps([step for step in self.causes if first <= step[0] <= last])


async def _read_known(tx: Transaction, game: Game) -> _KnownMessages:
    return _KnownMessages(
        game,
        await tx.messages.of_game(game.id),
        await tx.audit_log.of_game(game.id),
        await tx.steps.causes_of_game(game.id),
    )
