"""A user's games, those that wait for them first."""

from __future__ import annotations

from msgspec import Struct

from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.presenters.wording import game_localizer, game_title
from bot.store.models.records import RequestRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from bot.texts.whole import playable_systems


class InboxEntry(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    waits_for_user: bool  # whether a required answer of the user is missing
    has_panel: bool  # whether the user can open a panel in the game
    other_awaited_seats: tuple[int, ...]  # of other captains whose required answers are missing
    deadline: int | None  # Unix seconds, the earliest; None if nobody is awaited or there is none

    @property
    def sort_key(self) -> tuple[bool, bool, int, int]:
        """The user's turn first, then running games, the earliest deadline, the newest."""
        game = self.seated_game.game
        deadline_or_never = self.deadline or 2**62
        return (not self.waits_for_user, game.phase == "lobby", deadline_or_never, -game.id)


async def read_inbox(tx: Transaction, user_id: int) -> list[InboxEntry]:
    """Read a user's games that are not over, most urgent first, battles after the game they belong to."""
    games = await tx.games.of_user(user_id)
    entries = [
        _inbox_entry(await load_seated_game(tx, game.id), await tx.requests.open_of_game(game.id), user_id)
        for game in games
    ]
    return _group_battles(sorted(entries, key=lambda entry: entry.sort_key))


def _group_battles(entries: list[InboxEntry]) -> list[InboxEntry]:
    """Return the entries with each game before its battles, at the position of the first of them."""
    entry_by_id = {entry.seated_game.game.id: entry for entry in entries}
    top_games: dict[int, InboxEntry] = {}
    battles_by_top_game: dict[int, list[InboxEntry]] = {}
    for entry in entries:
        top = entry
        while (parent_id := top.seated_game.game.parent_id) in entry_by_id:
            top = entry_by_id[parent_id]
        top_games.setdefault(top.seated_game.game.id, top)
        if entry is not top:
            battles_by_top_game.setdefault(top.seated_game.game.id, []).append(entry)
    grouped: list[InboxEntry] = []
    for game_id, top in top_games.items():
        grouped += [top, *battles_by_top_game.get(game_id, ())]
    return grouped


def inbox_line(entry: InboxEntry, language: str) -> Markup:
    """Return a game in one line; a game unknown to this bot has the name from its record."""
    game, is_known = entry.seated_game.game, entry.seated_game.game.system in playable_systems()
    localizer = game_localizer(entry.seated_game, language) if is_known else Localizer(Catalogue.load(language))
    place = localizer.style.channel_link(game.thread_id or game.channel_id, game.guild_id)
    line = localizer.say(
        "games.line", game=game_title(localizer, entry.seated_game), phase=_turn_text(localizer, entry), place=place
    )
    return localizer.say("games.battle", number=game.parent_id, line=line) if game.parent_id else line


def _inbox_entry(seated_game: SeatedGame, rows: list[RequestRow], user_id: int) -> InboxEntry:
    seat = seated_game.seat_of(user_id)
    own_seat_no = seat.seat if seat else None
    active_rows = [row for row in rows if row.status in ("open", "sealed")]
    awaited_rows = [row for row in active_rows if row.status == "open" and not row.optional]
    is_playable = seated_game.game.system in playable_systems()
    return InboxEntry(
        seated_game=seated_game,
        waits_for_user=any(row.seat == own_seat_no for row in awaited_rows),
        has_panel=is_playable and any(row.seat == own_seat_no for row in active_rows),
        other_awaited_seats=tuple(
            sorted({row.seat for row in awaited_rows if row.seat != own_seat_no and row.seat >= 0})
        ),
        deadline=min((row.deadline for row in awaited_rows if row.deadline), default=None),
    )


def _turn_text(localizer: Localizer, entry: InboxEntry) -> Markup:
    game = entry.seated_game.game
    if game.paused_at is not None:
        return localizer.say("games.paused")
    if game.phase == "lobby" and not any(seat.is_free for seat in entry.seated_game.seats):
        return localizer.say("games.ready", who=localizer.mention(game.host_id))
    if (
        game.system not in playable_systems()
        or game.phase != "running"
        or not (entry.waits_for_user or entry.other_awaited_seats)
    ):
        return localizer.say(f"phase.{game.phase}")
    turn = (
        localizer.say("games.yours")
        if entry.waits_for_user
        else localizer.say("games.waits", who=entry.other_awaited_seats)
    )
    return localizer.say("games.left", turn=turn, when=entry.deadline) if entry.deadline else turn
