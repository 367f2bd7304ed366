"""Before a game begins: opening, joining, leaving, calling off."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.playing import SeatedGame
from bot.services import options
from bot.store.models.pace import Pace
from bot.store.models.records import Game, Player, SeatRow
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction
from bot.texts.names import visible_name
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.chance import fairness
from rules.core.protocol import Setup
from rules.core.registry import RULESETS

DEFAULT_EXTENSIONS: Final = 2
"""How often each team may take more time, where the host does not say otherwise."""
MAX_EXTENSIONS: Final = 10


class NewGame(Struct, frozen=True, kw_only=True):
    """What a host asks for."""

    system: str
    guild_id: int
    channel_id: int
    locale: str
    pace: Pace
    early: bool | None = None
    """Rounds are resolved as soon as all have sealed; None: as the game says."""
    extensions: int = DEFAULT_EXTENSIONS
    """How often each team may take more time without asking the other."""
    name: str = ""
    options: dict[str, str] = {}
    missed: str = "mate"
    private: bool = False
    rated: bool = True
    """It counts for its captains' ratings, if all are people."""
    opponents: tuple[Player, ...] = ()
    computers: int = 0
    roles: tuple[int, ...] = ()
    """The host's roles on the server."""
    manager: bool = False
    """Whether the host is a manager of the server."""


def checked_setup(wish: NewGame, guests: int) -> Setup:
    """Check what the host asks for against what the game offers: there is room for so many guests if it can be had.

    Raises `Refusal`.
    """
    if wish.system not in playable_systems():
        raise Refusal("option", option="system", value=wish.system[:40], allowed=", ".join(playable_systems()))
    rules = RULESETS[wish.system]
    if wish.missed not in ("hold", "mate"):
        raise Refusal("option", option="missed", value=wish.missed[:40], allowed="hold, mate")
    needed = 1 + guests + max(wish.computers, 0)
    chosen = options.with_enough_captains(rules, options.check_options(rules, wish.options), needed)
    return Setup(
        system=wish.system,
        teams=rules.seats(chosen),
        options=chosen,
        missed=wish.missed,  # type: ignore[arg-type] # checked above
    )


async def open_lobby(tx: Transaction, host: Player, wish: NewGame, *, seed: str, now: int) -> int:
    """Store a new game in its lobby; the host has the first seat. Returns its number. Raises `Refusal`."""
    # Nobody takes two seats: one that were kept for the same person again would stay empty.
    guests = [*{guest.user_id: guest for guest in wish.opponents if guest.user_id != host.user_id}.values()]
    denied = await tx.denials.denied_among([guest.user_id for guest in guests]) if guests else ()
    for guest in guests:
        if guest.user_id in denied:
            raise Refusal("denied_captain", name=guest.name)
    setup = checked_setup(wish, len(guests))
    if not 0 <= wish.extensions <= MAX_EXTENSIONS:
        allowed = f"0–{MAX_EXTENSIONS}"
        raise Refusal("option", option="extensions", value=str(wish.extensions)[:40], allowed=allowed)
    free = len(setup.teams) - 1
    if not 0 <= wish.computers <= free:
        raise Refusal("computers", value=wish.computers, most=free)
    if len(guests) > free - wish.computers:
        raise Refusal("full")
    opening = NewGameRow(
        setup=setup,
        pace=wish.pace,
        name=visible_name(wish.name),
        locale=wish.locale,
        guild_id=wish.guild_id,
        channel_id=wish.channel_id,
        host_id=host.user_id,
        seed=seed,
        created_at=now,
        early=RULESETS[setup.system].resolves_early if wish.early is None else wish.early,
        extensions=wish.extensions,
        private=wish.private,
        rated=wish.rated,
    )
    game_id = await tx.games.add(opening)
    kept = dict(enumerate(guests, start=1))
    for seat, team in enumerate(setup.teams):
        await tx.seats.add(
            game_id=game_id,
            seat=seat,
            team=team,
            user_id=host.user_id if seat == 0 else None,
            computer=seat >= len(setup.teams) - wish.computers,
            kept_for=kept[seat].user_id if seat in kept else None,
        )
    for player in (host, *guests):
        await tx.players.remember(player)
    return game_id


def seat_for(game: Game, seats: Sequence[SeatRow], user_id: int, team: int | None) -> SeatRow:
    """Return the seat that somebody may take: a reserved one, otherwise a free one of the team. Raises `Refusal`."""
    if any(seat.user_id == user_id for seat in seats):
        raise Refusal("already_in")
    kept = [seat for seat in seats if seat.is_free and seat.kept_for == user_id]
    if kept:
        return kept[0]
    if game.private:
        raise Refusal("private")
    free = [seat for seat in seats if seat.is_free and seat.kept_for is None]
    if not free and (waiting := [seat.kept_for for seat in seats if seat.is_free and seat.kept_for]):
        raise Refusal("kept", who=Markup(", ".join(f"<@{one}>" for one in waiting)))
    if not free:
        raise Refusal("full")
    wanted = [seat for seat in free if team is None or seat.team == team]
    if not wanted:
        raise Refusal("team_full", team=team or 0)
    # The team with more room first, so that teams fill evenly.
    return max(wanted, key=lambda seat: (sum(other.team == seat.team for other in free), -seat.seat))


async def sit_down(tx: Transaction, playing: SeatedGame, player: Player, team: int | None, *, now: int) -> None:
    """Give somebody a seat, of a certain team if they want one. Raises `Refusal`."""
    seat = seat_for(playing.game, playing.seats, player.user_id, team)
    await tx.players.remember(player)
    await reset_agreements(tx, playing, but=seat)
    await tx.seats.change(playing.game.id, seat.seat, user_id=player.user_id, kept_for=None)
    await enqueue.update_lobby(tx, playing.game.id, now=now)
    await enqueue.update_invitations(tx, playing.game.id, now=now)


async def fill_free_seats(tx: Transaction, game_id: int, seats: Sequence[SeatRow]) -> list[SeatRow]:
    """Give seats that are still free to the computer."""
    for seat in seats:
        if seat.is_free:
            await tx.seats.change(game_id, seat.seat, computer=True, kept_for=None)
    return [structs.replace(seat, computer=True) if seat.is_free else seat for seat in seats]


def parse_word(text: str) -> str | None:
    """Return a captain's word for the dice as it is stored; None to take it back. Raises `Refusal`."""
    if not text.split():
        return None
    word = fairness.clean_word(text)
    if word is None:
        raise Refusal("word", most=fairness.MAX_WORD_CHARS)
    return word


async def store_word(tx: Transaction, playing: SeatedGame, seat: SeatRow, word: str | None, *, now: int) -> None:
    """Add a captain's word to the dice, or change it, or take it away.

    Everyone who added one before must agree to the change. Otherwise somebody who knows the seed could choose the last
    word.
    """
    game_id = playing.game.id
    if word != seat.word:
        await reset_agreements(tx, playing, but=seat)
    await tx.seats.change(game_id, seat.seat, word=word, word_agreed=word is not None)
    await enqueue.update_lobby(tx, game_id, now=now)


async def reset_agreements(tx: Transaction, playing: SeatedGame, *, but: SeatRow) -> None:
    """Ask everyone who added a word to the dice to agree again, except in one seat.

    Words were changed, or the dice fall for others now: somebody who knows the seed could choose the side that suits
    them.
    """
    for seat in playing.seats:
        if seat.word is not None and seat.seat != but.seat:
            await tx.seats.change(playing.game.id, seat.seat, word_agreed=False)


def words_token(playing: SeatedGame) -> str:
    """Return a token (hex) for the words in the dice and what they decide, for a custom id; empty without words.

    The options and who sits where are part of it, because somebody who knows the seed could choose those that suit the
    dice. It has 128 bits, so nobody finds two words with one token.
    """
    if not any(playing.dice_words):
        return ""
    sitting = [seat.user_id for seat in playing.seats]
    agreed = fairness.hash_words(playing.dice_words).encode() + msgspec.json.encode((playing.game.setup, sitting))
    return sha256(agreed).hexdigest()[:32]


def refuse_unseen_words(playing: SeatedGame, seen: str) -> None:
    """Raise `Refusal` if the words in the dice are not those that somebody has `seen`, by their token."""
    if seen != words_token(playing):
        raise Refusal("words_unseen", words=", ".join(word for word in playing.dice_words if word) or "–")


def refuse_unagreed_words(playing: SeatedGame, seen: str | None) -> None:
    """Raise `Refusal` if a captain who added a word hasn't agreed to the present words.

    By starting, the host agrees to the words they have `seen`, given by their token.
    """
    host = playing.game.host_id if seen == words_token(playing) else None
    waiting = [seat for seat in seats_not_agreed(playing) if seat.user_id != host]
    if waiting:
        raise Refusal("words_changed", who=", ".join(playing.name_of(seat.user_id, "") for seat in waiting))


def seats_not_agreed(playing: SeatedGame) -> list[SeatRow]:
    """Seats whose captains added a word before one was changed."""
    return [seat for seat in playing.seats if seat.word is not None and not seat.word_agreed]


async def stand_up(tx: Transaction, playing: SeatedGame, seat: SeatRow, *, now: int) -> None:
    """Give a seat back before the game begins; a host who leaves calls it off."""
    if seat.user_id == playing.game.host_id:
        await tx.games.change(playing.game.id, phase="cancelled", ended_at=now)
    else:
        await reset_agreements(tx, playing, but=seat)
        await tx.seats.change(playing.game.id, seat.seat, user_id=None, word=None, word_agreed=False)
    await enqueue.update_lobby(tx, playing.game.id, now=now)
    await enqueue.update_invitations(tx, playing.game.id, now=now)
