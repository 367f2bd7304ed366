"""Choose the options of a game that has not begun, and reseat its players accordingly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import abandoning
from bot.lifecycle.ratings import newcomers
from bot.lifecycle.steps import matches
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_lobby
from bot.store.models.records import Game, OutboxMessage, SeatRow
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems
from rules.core.protocol import CAPTAINS_OPTION, Setup
from rules.core.registry import DEFAULT_SYSTEM, RULESETS
from rules.core.ruleset import Ruleset

MAX_SCENARIO_BYTES: Final = 65_536
_EMPTY_SEAT: Final[dict[str, Any]] = {
    "user_id": None,
    "computer": False,
    "kept_for": None,
    "word": None,
    "abandoned": 0,
    "abandoned_by_others": 0,
}


def default_options(rules: Ruleset[Any]) -> dict[str, str]:
    return {spec.key: spec.default for spec in rules.options}


def check_options(rules: Ruleset[Any], options: Mapping[str, str]) -> dict[str, str]:
    """Return a value for each option: the given one or the default. Raises `Refusal` for invalid ones."""
    spec_by_key = {spec.key: spec for spec in rules.options}
    for key, value in options.items():
        if key not in spec_by_key or value not in spec_by_key[key].values:
            allowed = ", ".join(spec_by_key[key].values) if key in spec_by_key else "–"
            raise Refusal("option", option=key[:40], value=value[:40], allowed=allowed)
    return {**default_options(rules), **options}


def change_option(rules: Ruleset[Any], before: Mapping[str, str], key: str, value: str) -> dict[str, str]:
    """Return a lobby's options with one changed; others may be of an older edition. Raises `Refusal`."""
    return {**check_options(rules, {key: value}), **before, key: value}


def with_enough_captains(rules: Ruleset[Any], options: Mapping[str, str], needed: int) -> dict[str, str]:
    """Return the options with the number of captains raised to fit `needed` seats, if the system has that option.

    If no number is large enough, the options are returned unchanged, and seating the people fails later.
    """
    for candidate in (options, *({**options, CAPTAINS_OPTION: value} for value in _captain_numbers(rules))):
        if len(rules.seats(candidate)) >= needed:
            return dict(candidate)
    return dict(options)


def _captain_numbers(rules: Ruleset[Any]) -> tuple[str, ...]:
    """Return the values of the option for the number of captains; empty if the game has no such option."""
    return next((spec.values for spec in rules.options if spec.key == CAPTAINS_OPTION), ())


def max_seats(rules: Ruleset[Any]) -> int:
    defaults = default_options(rules)
    variants = [defaults, *({**defaults, CAPTAINS_OPTION: value} for value in _captain_numbers(rules))]
    return max(len(rules.seats(variant)) for variant in variants)


def default_game() -> str:
    return next(iter(playable_systems()), DEFAULT_SYSTEM)


def max_seats_of_any_game() -> int:
    return max((max_seats(RULESETS[name]) for name in playable_systems()), default=2)


async def choose_option(
    tx: Transaction, seated_game: SeatedGame, user_id: int, key: str, value: str, *, now: int
) -> OutboxMessage | None:
    """Set an option for the host; players keep a seat on their side, and their words.

    Return the lobby's message if it changes, else None. Raises `Refusal`.
    """
    game, setup = seated_game.game, seated_game.game.setup
    refuse_unless_host(seated_game, user_id)
    rules = RULESETS[game.system]
    defaults = default_options(rules)
    old_value = setup.options.get(key, defaults.get(key, ""))
    if value == old_value:
        return None
    requested = change_option(rules, setup.options, key, value)
    options = rules.with_dependent_options(requested, key)
    new_setup = structs.replace(setup, options=options, teams=rules.seats(options))
    await _store_setup(tx, seated_game, new_setup, now=now)
    is_uneven = rules.is_uneven(options)
    if is_uneven != rules.is_uneven({**defaults, **setup.options}):
        await tx.games.change(game.id, is_match=is_uneven and matches.can_exchange_sides(new_setup.teams))
        await ask_guests(tx, game)
    # Choices that the change has reset to their defaults, because they do not go together with it.
    dropped = {
        other_key: dropped_value
        for other_key, dropped_value in requested.items()
        if dropped_value != defaults[other_key] and options[other_key] == defaults[other_key]
    }
    return await enqueue.update_lobby(tx, game.id, now=now, changed=(key, old_value), dropped=dropped)


async def choose_game(
    tx: Transaction, seated_game: SeatedGame, user_id: int, system: str, *, now: int
) -> OutboxMessage | None:
    """Switch the lobby to another system for the host, at its defaults and with room for all players.

    Return the lobby's message if it changes, else None. Raises `Refusal`.
    """
    refuse_unless_host(seated_game, user_id)
    if system not in playable_systems():
        raise Refusal("option", option="system", value=system[:40], allowed=", ".join(playable_systems()))
    if system == seated_game.game.system:
        return None
    rules, setup = RULESETS[system], seated_game.game.setup
    needed = sum(not seat.is_free or seat.kept_for is not None for seat in seated_game.seats)
    new_options = with_enough_captains(rules, default_options(rules), needed)
    new_setup = Setup(system=system, teams=rules.seats(new_options), options=new_options, missed=setup.missed)
    await _store_setup(tx, seated_game, new_setup, now=now)
    # A host who did not choose when rounds resolve gets the new system's default.
    has_default_early = seated_game.game.early == RULESETS[seated_game.game.system].resolves_early
    early = rules.resolves_early if has_default_early else seated_game.game.early
    await tx.games.change(seated_game.game.id, system=system, early=early, is_match=False)
    await newcomers.judge_lobby(tx, seated_game.game.id)
    await ask_guests(tx, seated_game.game)
    no_option = ("", "")  # a change, but of no option that the lobby could name
    return await enqueue.update_lobby(tx, seated_game.game.id, now=now, changed=no_option)


async def choose_rating(tx: Transaction, seated_game: SeatedGame, user_id: int, *, rated: bool, now: int) -> None:
    """Choose whether a game is rated. Raises `Refusal`."""
    game = seated_game.game
    refuse_unless_host(seated_game, user_id)
    if rated:
        await abandoning.refuse_barred(tx, user_id, now=now)
    await newcomers.note_choice(tx, game.id)
    if game.rated != rated:
        await reset_agreements(tx, seated_game.seats)
        await tx.games.change(game.id, rated=rated, idle_since=now)
        await ask_guests(tx, game)
        await enqueue.update_invitations(tx, game.id, now=now)
        await enqueue.update_lobby(tx, game.id, now=now)


async def choose_match(tx: Transaction, seated_game: SeatedGame, user_id: int, *, is_match: bool, now: int) -> None:
    """Let the host choose a match of two games, or a single game. Raises `Refusal`."""
    refuse_unless_host(seated_game, user_id)
    if is_match and not matches.can_exchange_sides(seated_game.game.setup.teams):
        raise Refusal("no_match")
    if is_match != seated_game.game.is_match:
        await reset_agreements(tx, seated_game.seats)
        await tx.games.change(seated_game.game.id, is_match=is_match, idle_since=now)
        await ask_guests(tx, seated_game.game)
        await enqueue.update_invitations(tx, seated_game.game.id, now=now)
        await enqueue.update_lobby(tx, seated_game.game.id, now=now)


async def _store_setup(tx: Transaction, seated_game: SeatedGame, setup: Setup, *, now: int) -> None:
    """Store a lobby's setup. Raises `Refusal` if somebody would lose their seat."""
    seats = seated_game.seats
    if setup.teams != seated_game.game.setup.teams:
        if not matches.can_exchange_sides(setup.teams):
            await tx.games.change(seated_game.game.id, is_match=False)
        seats = reseat(seated_game, setup.teams)
        await tx.seats.replace(seated_game.game.id, seats)
    await reset_agreements(tx, seats)
    await tx.games.change(seated_game.game.id, setup=setup, idle_since=now)


async def reset_agreements(tx: Transaction, seats: Sequence[SeatRow]) -> None:
    """Ask the captains in these seats who have added a dice word to agree again.

    Words, seats or options have changed, and somebody who knows the seed could choose what suits them.
    """
    for seat in seats:
        if seat.word is not None:
            await tx.seats.change(seat.game_id, seat.seat, word_agreed=False)


async def ask_guests(tx: Transaction, before: Game) -> None:
    """Ask guests without a word to agree if the lobby is rated, or a match, and was not `before`.

    They may have joined a friendly game, and the host could start it in the next moment.
    """
    game = await tx.games.find_for_update(before.id)
    if game is None or (game.rated, game.is_match) == (before.rated, before.is_match):
        return
    is_friendly = not (game.rated or game.is_match)
    if is_friendly or game.rated > before.rated or game.is_match > before.is_match:
        for seat in await tx.seats.of_game(game.id):
            if seat.user_id not in (None, game.host_id) and seat.word is None:
                await tx.seats.change(game.id, seat.seat, word_agreed=is_friendly)


def refuse_without_scenario(seated_game: SeatedGame, user_id: int) -> None:
    refuse_unless_host(seated_game, user_id)
    if not RULESETS[seated_game.game.system].accepts_scenario:
        raise Refusal("no_scenario")


def setup_with_scenario(seated_game: SeatedGame, user_id: int, text: str) -> Setup:
    refuse_without_scenario(seated_game, user_id)
    try:
        length = len(text.encode())
    except UnicodeEncodeError:
        raise Refusal("scenario_unreadable") from None
    if length > MAX_SCENARIO_BYTES:
        raise Refusal("scenario_too_long", most=MAX_SCENARIO_BYTES // 1024)
    return structs.replace(seated_game.game.setup, scenario=text if text.strip() else UNSET)


async def set_scenario(tx: Transaction, seated_game: SeatedGame, user_id: int, setup: Setup, *, now: int) -> SeatedGame:
    """Store a setup that was checked against `seated_game`. Return the game as it was before.

    Raises `Refusal` if the game has changed since it was checked.
    """
    current = await load_seated_game(tx, seated_game.game.id)
    refuse_unless_host(current, user_id)
    if current.game.setup != seated_game.game.setup:
        raise Refusal("busy")
    await _store_setup(tx, current, setup, now=now)
    await enqueue.update_invitations(tx, seated_game.game.id, now=now)
    await enqueue.update_lobby(tx, seated_game.game.id, now=now)
    return current


def refuse_unless_host(seated_game: SeatedGame, user_id: int) -> None:
    refuse_unless_lobby(seated_game.game)
    if user_id != seated_game.game.host_id:
        raise Refusal("not_host")


def reseat(seated_game: SeatedGame, teams: Sequence[int]) -> list[SeatRow]:
    """Return seats for new `teams`; people keep their side, and their seat number if it still exists there.

    Computers get the last free seats, if there are any. Raises `Refusal` if somebody with a seat or a reservation has
    none.
    """
    new_seats = [
        structs.replace(seated_game.seats[0], seat=seat, team=team, word_agreed=False, **_EMPTY_SEAT)
        for seat, team in enumerate(teams)
    ]
    peoples_seats = [seat for seat in seated_game.seats if seat.user_id or seat.kept_for]
    staying = [seat for seat in peoples_seats if seat.seat < len(teams) and teams[seat.seat] == seat.team]
    moving = [seat for seat in peoples_seats if seat not in staying]
    for seat in (*staying, *moving):
        free_numbers = [row.seat for row in new_seats if row.team == seat.team and not (row.user_id or row.kept_for)]
        if not free_numbers:
            who = seated_game.name_of(seat.user_id or seat.kept_for, "–")
            raise Refusal("seat_taken", who=who)
        seat_no = seat.seat if seat.seat in free_numbers else free_numbers[0]
        new_seats[seat_no] = structs.replace(seat, seat=seat_no)
    free_numbers = [row.seat for row in new_seats if not (row.user_id or row.kept_for)]
    computer_count = sum(seat.computer for seat in seated_game.seats)
    first_computer = max(len(free_numbers) - computer_count, 0)
    for seat_no in free_numbers[first_computer:]:
        new_seats[seat_no] = structs.replace(new_seats[seat_no], computer=True)
    return new_seats
