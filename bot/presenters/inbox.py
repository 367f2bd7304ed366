"""Somebody's games: first those where it's their turn, with who else is awaited, and until when."""

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
    """A game, and what somebody has to do in it."""

    seated_game: SeatedGame
    waits_for_user: bool
    """It waits for them."""
    has_panel: bool
    """They have a panel there."""
    other_awaited_seats: tuple[int, ...]
    """Seats of the others it waits for."""
    deadline: int | None

    @property
    def sort_key(self) -> tuple[bool, bool, int, int]:
        """The sort key: their turn first, then running games, the earliest deadline, the newest."""
        game = self.seated_game.game
        return (not self.waits_for_user, game.phase == "lobby", self.deadline or 2**62, -game.id)


async def read_inbox(tx: Transaction, user_id: int) -> list[InboxEntry]:
    """Read somebody's games that are not over, most urgent first, battles right after the game that they are of."""
    games = await tx.games.of_user(user_id)
    found = [
        _inbox_entry(await load_seated_game(tx, game.id), await tx.requests.open_of_game(game.id), user_id)
        for game in games
    ]
    return _group_battles(sorted(found, key=lambda one: one.sort_key))


def _group_battles(found: list[InboxEntry]) -> list[InboxEntry]:
    """The same games: where the first of a game and its battles stands, all of them, and the game above first."""
    listed = {one.seated_game.game.id for one in found}
    battles: dict[int, list[InboxEntry]] = {}
    families: dict[int, InboxEntry] = {}
    """The games above, those first that are most urgent together with their battles."""
    by_id = {one.seated_game.game.id: one for one in found}
    for one in found:
        top = one
        while (above := top.seated_game.game.parent_id) in listed:
            top = by_id[above]
        families.setdefault(top.seated_game.game.id, top)
        if one is not top:
            battles.setdefault(top.seated_game.game.id, []).append(one)
    return [each for top in families.values() for each in (top, *battles.get(top.seated_game.game.id, ()))]


def inbox_line(one: InboxEntry, language: str) -> Markup:
    """A game in a line; one that this bot does not know is called as its record calls it."""
    game, known = one.seated_game.game, one.seated_game.game.system in playable_systems()
    words = game_localizer(one.seated_game, language) if known else Localizer(Catalogue.load(language))
    place = words.style.channel_link(game.thread_id or game.channel_id, game.guild_id)
    told = words.say("games.line", game=game_title(words, one.seated_game), phase=_turn_text(words, one), place=place)
    return words.say("games.battle", number=game.parent_id, line=told) if game.parent_id else told


def _inbox_entry(playing: SeatedGame, rows: list[RequestRow], user_id: int) -> InboxEntry:
    seat = playing.seat_of(user_id)
    own = seat.seat if seat else None
    asked = [row for row in rows if row.status in ("open", "sealed")]
    waited = [row for row in asked if row.status == "open" and not row.optional]
    known = playing.game.system in playable_systems()
    return InboxEntry(
        seated_game=playing,
        waits_for_user=any(row.seat == own for row in waited),
        has_panel=known and any(row.seat == own for row in asked),
        other_awaited_seats=tuple(sorted({row.seat for row in waited if row.seat != own and row.seat >= 0})),
        deadline=min((row.deadline for row in waited if row.deadline), default=None),
    )


def _turn_text(words: Localizer, one: InboxEntry) -> Markup:
    """Whose turn it is, and until when."""
    game = one.seated_game.game
    if game.paused_at is not None:
        return words.say("games.paused")
    if game.phase == "lobby" and not any(seat.is_free for seat in one.seated_game.seats):
        return words.say("games.ready", who=words.mention(game.host_id))
    if (
        game.system not in playable_systems()
        or game.phase != "running"
        or not (one.waits_for_user or one.other_awaited_seats)
    ):
        return words.say(f"phase.{game.phase}")
    turn = words.say("games.yours") if one.waits_for_user else words.say("games.waits", who=one.other_awaited_seats)
    return words.say("games.left", turn=turn, when=one.deadline) if one.deadline else turn
