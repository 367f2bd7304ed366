"""Open, join, leave and cancel lobbies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import UNSET, Struct, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import abandoning, keepsakes
from bot.lifecycle.people.calling_off import call_off_lobby
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.ratings import newcomers
from bot.lifecycle.steps.matches import can_exchange_sides
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.storing import EntropySource
from bot.services import options
from bot.store.models.pace import Pace
from bot.store.models.records import Game, Player, SeatRow
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction
from bot.texts.names import visible_name
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.chance import fairness
from rules.core.protocol import LEVEL_OPTION, Setup
from rules.core.registry import RULESETS

DEFAULT_EXTENSIONS: Final = 2
MAX_EXTENSIONS: Final = 10
SALT_CHARS: Final = 64


class NewGame(Struct, frozen=True, kw_only=True):
    system: str  # the kind of game, a key of `RULESETS`
    guild_id: int  # Discord server of the lobby
    channel_id: int  # channel of the lobby's message
    locale: str  # of the texts in its thread
    pace: Pace  # how long a phase lasts
    early: bool | None = None  # whether rounds resolve as soon as all have sealed; None: the system's default
    extensions: int = DEFAULT_EXTENSIONS  # how many extensions of a deadline each side has
    name: str = ""  # empty: it is called after its players
    options: dict[str, str] = {}  # values of the system's options by key; others have their defaults
    missed: str = "mate"  # who answers for late captains: `mate` (the computer) or `hold` (nobody)
    private: bool = False  # whether only invited users may join
    rated: bool | None = None
    """Whether it counts for ratings; None: unless somebody is new to this kind of game (`ratings.newcomers`)."""
    opponents: tuple[Player, ...] = ()  # who are invited, each with a reserved seat
    computers: int = 0  # number of seats for the computer
    roles: tuple[int, ...] = ()  # ids of the host's roles on the server
    manager: bool = False  # whether the host manages the server


def checked_setup(request: NewGame, guest_count: int) -> Setup:
    """Return the setup of a requested game, with room for the guests if the system allows it. Raises `Refusal`."""
    if request.system not in playable_systems():
        raise Refusal("option", option="system", value=request.system[:40], allowed=", ".join(playable_systems()))
    rules = RULESETS[request.system]
    if request.missed not in ("hold", "mate"):
        raise Refusal("option", option="missed", value=request.missed[:40], allowed="hold, mate")
    seats_needed = 1 + guest_count + max(request.computers, 0)
    checked_options = options.with_enough_captains(rules, options.check_options(rules, request.options), seats_needed)
    return Setup(
        system=request.system,
        teams=rules.seats(checked_options),
        options=checked_options,
        missed=request.missed,  # type: ignore[arg-type] # checked above
    )


async def open_lobby(tx: Transaction, host: Player, request: NewGame, *, second_seed: str, now: int) -> int:
    """Store a new lobby with the host in the first seat, and return its game id. Raises `Refusal`."""
    # A guest who is named twice, or is the host, gets only one seat. A second one would stay empty.
    guest_by_id = {guest.user_id: guest for guest in request.opponents if guest.user_id != host.user_id}
    guests = list(guest_by_id.values())
    denied_ids = await tx.denials.denied_among(list(guest_by_id)) if guests else ()
    for guest in guests:
        if guest.user_id in denied_ids:
            raise Refusal("denied_captain", name=guest.name)
    has_newcomer = request.rated is None and await _has_newcomer(tx, request.system, [host, *guests])
    is_rated = not has_newcomer if request.rated is None else request.rated
    if is_rated:
        await abandoning.refuse_barred(tx, host.user_id, now=now)
    thrown_away = await abandoning.times_thrown_away(tx, host.user_id, now=now)
    setup = checked_setup(with_first_game_options(request) if has_newcomer else request, len(guests))
    if not 0 <= request.extensions <= MAX_EXTENSIONS:
        allowed = f"0–{MAX_EXTENSIONS}"
        raise Refusal("option", option="extensions", value=str(request.extensions)[:40], allowed=allowed)
    seats_beside_host = len(setup.teams) - 1
    if not 0 <= request.computers <= seats_beside_host:
        raise Refusal("computers", value=request.computers, most=seats_beside_host)
    if len(guests) > seats_beside_host - request.computers:
        raise Refusal("full")
    new_game = NewGameRow(
        setup=setup,
        pace=request.pace,
        name=visible_name(request.name),
        locale=request.locale,
        guild_id=request.guild_id,
        channel_id=request.channel_id,
        host_id=host.user_id,
        seed=fairness.first_game_seed(second_seed),
        second_seed=second_seed,
        created_at=now,
        early=RULESETS[setup.system].resolves_early if request.early is None else request.early,
        extensions=request.extensions,
        private=request.private,
        rated=is_rated,
        is_match=RULESETS[setup.system].is_uneven(setup.options) and can_exchange_sides(setup.teams),
    )
    game_id = await tx.games.add(new_game)
    if request.rated is not None:
        await newcomers.note_choice(tx, game_id)
    guest_by_seat = dict(enumerate(guests, start=1))
    first_computer_seat = len(setup.teams) - request.computers
    for seat, team in enumerate(setup.teams):
        await tx.seats.add(
            game_id=game_id,
            seat=seat,
            team=team,
            user_id=host.user_id if seat == 0 else None,
            computer=seat >= first_computer_seat,
            kept_for=guest_by_seat[seat].user_id if seat in guest_by_seat else None,
            **abandoning.as_columns(thrown_away if seat == 0 else abandoning.ThrownAway()),
        )
    for player in (host, *guests):
        await tx.players.remember(player)
    return game_id


async def _has_newcomer(tx: Transaction, system: str, players: Sequence[Player]) -> bool:
    return any([await newcomers.is_newcomer(tx, player.user_id, system) for player in players])


def with_first_game_options(request: NewGame) -> NewGame:
    """Return a request of a newcomer for a game between people: a small one, unless they chose options themselves.

    Against the computer, that is their first game if it explains the rules.
    """
    if request.options or request.system not in playable_systems():
        return request
    rules = RULESETS[request.system]
    first_options = dict(rules.first_game_options or {})
    if request.computers == 0:
        return structs.replace(
            request, options={key: value for key, value in first_options.items() if key != LEVEL_OPTION}
        )
    is_alone = not request.opponents and request.computers == len(rules.seats(first_options)) - 1
    return structs.replace(request, options=first_options) if is_alone and rules.first_game_teaches else request


def seat_for(game: Game, seats: Sequence[SeatRow], user_id: int, team: int | None) -> SeatRow:
    """Return the seat that a user may take: one reserved for them, else a free one of the team. Raises `Refusal`."""
    if team is not None and team not in game.setup.teams:
        raise Refusal("stale")  # a forged number, or a side of other settings
    if any(seat.user_id == user_id for seat in seats):
        raise Refusal("already_in")
    reserved = [seat for seat in seats if seat.is_free and seat.kept_for == user_id]
    if reserved:
        return reserved[0]
    if game.private:
        raise Refusal("private")
    free_seats = [seat for seat in seats if seat.is_free and seat.kept_for is None]
    if not free_seats:
        raise _refusal_of_full_lobby(seats)
    seats_of_team = [seat for seat in free_seats if team is None or seat.team == team]
    if not seats_of_team:
        raise Refusal("team_full", team=team or 0)
    # Prefer the team with more room, which fills teams evenly, and in it the lowest seat.
    free_by_team = Counter(seat.team for seat in free_seats)
    return max(seats_of_team, key=lambda seat: (free_by_team[seat.team], -seat.seat))


def _refusal_of_full_lobby(seats: Sequence[SeatRow]) -> Refusal:
    invited_users = [seat.kept_for for seat in seats if seat.is_free and seat.kept_for]
    if not invited_users:
        return Refusal("full")
    return Refusal("kept", who=Markup(", ".join(f"<@{invited_id}>" for invited_id in invited_users)))


async def sit_down(tx: Transaction, seated_game: SeatedGame, player: Player, team: int | None, *, now: int) -> None:
    seat = seat_for(seated_game.game, seated_game.seats, player.user_id, team)
    await abandoning.refuse_removed(tx, seated_game.game.id, player.user_id, now=now)
    await count_post(tx, seated_game.game.id, player.user_id, now=now)  # others must send their words again
    await tx.players.remember(player)
    await _reset_others_agreements(tx, seated_game, seat)
    thrown_away = await abandoning.times_thrown_away(tx, player.user_id, now=now)
    sitting = {"user_id": player.user_id, "kept_for": None, "word_agreed": True, **abandoning.as_columns(thrown_away)}
    await tx.seats.change(seated_game.game.id, seat.seat, **sitting)
    await abandoning.update_mentions(tx, seated_game, now=now)
    await newcomers.judge_lobby(tx, seated_game.game.id)
    await options.ask_guests(tx, seated_game.game)
    await _note_keepsakes_with(tx, seated_game, seat, player.user_id, now=now)
    await tx.games.restart_term(seated_game.game.id, now=now)
    await enqueue.update_lobby(tx, seated_game.game.id, now=now)
    await enqueue.update_invitations(tx, seated_game.game.id, now=now)


async def give_free_seats_to_computer(tx: Transaction, seats: Sequence[SeatRow]) -> None:
    for seat in seats:
        if seat.is_free:
            await tx.seats.change(seat.game_id, seat.seat, computer=True, kept_for=None)


def parse_word(text: str) -> str | None:
    """Return a captain's word for the dice as stored; None without text. Raises `Refusal` if it is invalid."""
    if not text.split():
        return None
    word = fairness.clean_word(text)
    if word is None:
        raise Refusal("word", most=fairness.MAX_WORD_CHARS)
    return word


async def store_word(
    tx: Transaction,
    seated_game: SeatedGame,
    seat: SeatRow,
    word: str | None,
    *,
    agreed: bool = True,
    chance: EntropySource,
    now: int,
) -> None:
    """Store a captain's word for the dice, or remove it (None).

    `agreed`: whether they have seen the present settings and, with a word, the words of others. All who added a word
    before must agree again. Otherwise somebody who knows the seed could choose the last word.
    """
    game_id = seated_game.game.id
    await note_keepsakes(tx, seated_game, first_salt=chance, now=now)
    if word != seat.word:
        await _reset_others_agreements(tx, seated_game, seat)
        await tx.games.restart_term(game_id, now=now)
    await tx.seats.change(game_id, seat.seat, word=word, word_agreed=agreed)
    await enqueue.update_lobby(tx, game_id, now=now)


async def _reset_others_agreements(tx: Transaction, seated_game: SeatedGame, seat: SeatRow) -> None:
    await options.reset_agreements(tx, [other for other in seated_game.seats if other.seat != seat.seat])


async def _note_keepsakes_with(
    tx: Transaction, seated_game: SeatedGame, seat: SeatRow, user_id: int | None, *, now: int
) -> None:
    """Note what captains would bring now that a user sits in a seat, or nobody does."""
    seats = [structs.replace(row, user_id=user_id) if row is seat else row for row in seated_game.seats]
    await note_keepsakes(tx, structs.replace(seated_game, seats=seats), now=now)


async def note_keepsakes(
    tx: Transaction, seated_game: SeatedGame, *, first_salt: EntropySource | None = None, now: int
) -> None:
    """Ask all who added a word to agree again if captains would not bring what they would have brought before.

    Otherwise somebody who knows the seed could dismiss or exchange keepsakes to suit the dice. Before the first word,
    which gives `first_salt`, there is nothing to agree to.
    """
    game = seated_game.game
    if not (game.keepsakes_hash or first_salt):
        return
    setup = await keepsakes.with_keepsakes(tx, seated_game, begins=False)
    if setup.keepsakes is UNSET or (game.keepsakes_hash and not have_keepsakes_changed(game, setup)):
        return
    salt = game.keepsakes_hash[:SALT_CHARS] or (first_salt() if first_salt else "")
    await tx.games.change(game.id, keepsakes_hash=_hash_keepsakes(setup, salt))
    await tx.games.restart_term(game.id, now=now)
    await options.reset_agreements(tx, seated_game.seats)


def have_keepsakes_changed(game: Game, setup: Setup) -> bool:
    """Return whether captains agreed to other keepsakes than those in `setup`."""
    if not game.keepsakes_hash or setup.keepsakes is UNSET:
        return False
    return game.keepsakes_hash != _hash_keepsakes(setup, game.keepsakes_hash[:SALT_CHARS])


def _hash_keepsakes(setup: Setup, salt: str) -> str:
    """Return the salt and a hash of the keepsakes without their names, which no rule sees."""
    keepsakes_by_seat = msgspec.json.encode(keepsakes.without_keepsake_names(setup).keepsakes or ())
    return salt + sha256(salt.encode() + keepsakes_by_seat).hexdigest()


def lobby_token(seated_game: SeatedGame) -> str:
    """Return a token (hex) of a lobby's words, captains and settings, for a custom id.

    With a word captains agree to all of these, because somebody who knows the seed could choose them to suit the dice.
    Its 128 bits make collisions infeasible, and keepsakes, which are secret, cannot be guessed from it.
    """
    game = seated_game.game
    user_ids = [seat.user_id for seat in seated_game.seats]
    settings = (game.setup, game.pace, game.early, game.extensions, game.is_match, game.rated)
    words_hash = fairness.hash_words(seated_game.dice_words).encode()
    return sha256(words_hash + msgspec.json.encode((settings, user_ids, game.keepsakes_hash))).hexdigest()[:32]


def refuse_unseen_changes(seated_game: SeatedGame, seen: str) -> None:
    if seen != lobby_token(seated_game):
        raise Refusal("words_unseen", words=", ".join(word for word in seated_game.dice_words if word) or "–")


def refuse_unagreed_words(seated_game: SeatedGame, seen: str | None) -> None:
    """Raise `Refusal` if a captain with a word has not agreed to the present words and settings.

    By starting, the host agrees to those whose token is `seen`.
    """
    agreeing_host_id = seated_game.game.host_id if seen == lobby_token(seated_game) else None
    seats = (seat for seat in seated_game.seats if seat.seat in seated_game.seats_not_agreed)
    missing_users = [seat.user_id for seat in seats if seat.user_id != agreeing_host_id]
    if missing_users:
        names = [seated_game.name_of(user_id, "") for user_id in missing_users]
        raise Refusal("words_changed", who=", ".join(names))


def refuse_unasked_guests(seated_game: SeatedGame) -> None:
    """Raise `Refusal` if the game became rated, or a match, after a guest without a word had joined."""
    if seats := seated_game.guests_not_agreed:
        names = [seated_game.name_of(seated_game.seats[seat].user_id, "") for seat in seats]
        raise Refusal("terms_changed", who=", ".join(names))


async def stand_up(
    tx: Transaction, seated_game: SeatedGame, seat: SeatRow, *, by: int | None, bars: bool = True, now: int
) -> None:
    """Free a seat for its captain or the user `by` who removes them; without its host a lobby is called off.

    None as `by`: the operator removes them. `bars`: see `abandoning.note_lobby_loss`.
    """
    if seat.user_id == seated_game.game.host_id:
        await call_off_lobby(tx, seated_game, by=by, bars=bars, now=now)
        return
    await abandoning.note_lobby_loss(tx, seated_game, by=by, removed=seat, bars=bars, now=now)
    if seat.user_id is not None and seat.user_id != by:
        await abandoning.note_removed(tx, seated_game.game.id, seat.user_id, now=now)
    await _reset_others_agreements(tx, seated_game, seat)
    standing = {"user_id": None, "word": None, "word_agreed": False, "abandoned": 0, "abandoned_by_others": 0}
    await tx.seats.change(seated_game.game.id, seat.seat, **standing)
    await newcomers.judge_lobby(tx, seated_game.game.id)
    await options.ask_guests(tx, seated_game.game)
    await _note_keepsakes_with(tx, seated_game, seat, None, now=now)
    await tx.games.restart_term(seated_game.game.id, now=now)
    await enqueue.update_lobby(tx, seated_game.game.id, now=now)
    await enqueue.update_invitations(tx, seated_game.game.id, now=now)
