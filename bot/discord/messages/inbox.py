"""Somebody's games as he must see them: his turn first, who else is awaited, until when, and a way to each panel."""

from __future__ import annotations

from typing import Final

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import Ref
from bot.discord.messages.board import Button, Shown, lay_out, shortened
from bot.discord.messages.wording import words_of
from bot.doors.table import Table
from bot.life.playing import Playing, playing_of
from bot.store.records import Game, RequestRow
from bot.words.i18n import Catalogue, Words
from bot.words.labels import LABEL_MOST
from bot.words.style import Said
from bot.words.whole import playable

PAGE_MOST: Final = 10
"""Games on a page: two rows of buttons, and as many lines as a phone shows at once."""


class Waiting(Struct, frozen=True, kw_only=True):
    """A game, and what somebody has to do in it."""

    playing: Playing
    mine: bool
    """It waits for him."""
    asked: bool
    """He has a panel there."""
    others: tuple[int, ...]
    """Seats of the others for whom it waits."""
    deadline: int | None

    @property
    def order(self) -> tuple[bool, bool, int, int]:
        """What comes first: his turn, what runs, what ends soonest, what is newest."""
        game = self.playing.game
        return (not self.mine, game.phase == "lobby", self.deadline or 2**62, -game.id)


async def inbox(table: Table, user_id: int, language: str, page: int = 0) -> Shown | None:
    """A page of somebody's games, from 0; None if he has none."""
    async with table.store.read() as tx:
        games = await tx.games.of_user(user_id)
        found = [_waiting(await playing_of(tx, game.id), await tx.requests.of(game.id), user_id) for game in games]
    if not found:
        return None
    found.sort(key=lambda one: one.order)
    pages = [found[start : start + PAGE_MOST] for start in range(0, len(found), PAGE_MOST)]
    page = min(page, len(pages) - 1)
    words = Words(Catalogue.load(language))
    lines = [f"### {words.say('games.title')}", *(_line(one, language) for one in pages[page])]
    panels = [_button(one) for one in pages[page] if one.asked]
    turns = [_turn(words, number, len(pages)) for number in (page - 1, page + 1) if 0 <= number < len(pages)]
    return lay_out(["\n".join(lines), panels, turns])


def place_of(game: Game) -> Said:
    """Where a game is played: its thread; or its number, as long as it has none."""
    return Said(f"<#{game.thread_id}>" if game.thread_id else f"#{game.id}")


def _waiting(playing: Playing, rows: list[RequestRow], user_id: int) -> Waiting:
    seat = playing.seat_of(user_id)
    own = seat.seat if seat else None
    asked = [row for row in rows if row.status in ("open", "sealed")]
    waited = [row for row in asked if row.status == "open" and not row.optional]
    known = playing.game.system in playable()
    return Waiting(
        playing=playing,
        mine=any(row.seat == own for row in waited),
        asked=known and any(row.seat == own for row in asked),
        others=tuple(sorted({row.seat for row in waited if row.seat != own and row.seat >= 0})),
        deadline=min((row.deadline for row in waited if row.deadline), default=None),
    )


def _line(one: Waiting, language: str) -> Said:
    """A game in a line; one that this bot does not know is called as its record calls it."""
    game, known = one.playing.game, one.playing.game.system in playable()
    words = words_of(one.playing, language) if known else Words(Catalogue.load(language))
    system = words.say("game") if known else game.system
    return words.say(
        "games.line", number=game.id, name=game.name, system=system, phase=_turn_of(words, one), place=place_of(game)
    )


def _turn_of(words: Words, one: Waiting) -> Said:
    """Whose turn it is, and until when."""
    game = one.playing.game
    if game.paused_at is not None:
        return words.say("games.paused")
    if game.system not in playable() or game.phase != "running" or not (one.mine or one.others):
        return words.say(f"phase.{game.phase}")
    turn = words.say("games.yours") if one.mine else words.say("games.waits", who=one.others)
    return words.say("games.left", turn=turn, when=one.deadline) if one.deadline else turn


def _button(one: Waiting) -> Button:
    game = one.playing.game
    style = ButtonStyle.primary if one.mine else ButtonStyle.secondary
    return Button(
        label=shortened(f"#{game.id} {game.name}", LABEL_MOST), ref=Ref(verb="orders", game=game.id), style=style
    )


def _turn(words: Words, page: int, pages: int) -> Button:
    label = words.say("games.page", page=page + 1, pages=pages)
    return Button(label=label, ref=Ref(verb="games", game=0, token=str(page)))
