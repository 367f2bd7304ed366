"""The options of a game that has not begun: what its host may choose, and where everybody sits after that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_lobby
from bot.store.models.records import OutboxMessage, SeatRow
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems
from rules.core.protocol import CAPTAINS_OPTION, OptionSpec, Setup
from rules.core.registry import DEFAULT_SYSTEM, RULESETS
from rules.core.ruleset import Ruleset

MAX_SCENARIO_BYTES: Final = 65_536
"""Bytes of a host's own scenario: it stands in every record of its game."""
_EMPTY_SEAT: Final[dict[str, Any]] = {"user_id": None, "computer": False, "kept_for": None, "word": None}


def default_options(rules: Ruleset[Any]) -> dict[str, str]:
    """What a game begins with if nobody chooses."""
    return {spec.key: spec.default for spec in rules.options}


def check_options(rules: Ruleset[Any], options: Mapping[str, str]) -> dict[str, str]:
    """The value of each option: those given, and the defaults of those left out.

    Raises `Refusal` for what the game does not offer.
    """
    known = {spec.key: spec for spec in rules.options}
    for key, value in options.items():
        if key not in known or value not in known[key].values:
            allowed = ", ".join(known[key].values) if key in known else "–"
            raise Refusal("option", option=key[:40], value=value[:40], allowed=allowed)
    return {**default_options(rules), **options}


def change_option(rules: Ruleset[Any], before: Mapping[str, str], key: str, value: str) -> dict[str, str]:
    """The options of a lobby with another value for one; the others may be of an older edition.

    Raises `Refusal` for what the game does not offer.
    """
    return {**check_options(rules, {key: value}), **before, key: value}


def with_enough_captains(rules: Ruleset[Any], options: Mapping[str, str], needed: int) -> dict[str, str]:
    """Return the options with as many captains as so many seats take, if the game has that option.

    If there is no such number, nothing is changed; seating the people then fails.
    """
    spec = next((spec for spec in rules.options if spec.key == CAPTAINS_OPTION), OptionSpec(CAPTAINS_OPTION, (), ""))
    ways = [dict(options), *({**options, CAPTAINS_OPTION: value} for value in spec.values)]
    return next((way for way in ways if len(rules.seats(way)) >= needed), dict(options))


def max_seats(rules: Ruleset[Any]) -> int:
    """How many seats a game has at most, all else being at its default."""
    spec = next((spec for spec in rules.options if spec.key == CAPTAINS_OPTION), OptionSpec(CAPTAINS_OPTION, (), ""))
    return max(
        len(rules.seats({**default_options(rules), **way}))
        for way in ({}, *({CAPTAINS_OPTION: v} for v in spec.values))
    )


def default_game() -> str:
    """The game that is meant where none is named."""
    return next(iter(playable_systems()), DEFAULT_SYSTEM)


def max_seats_of_any_game() -> int:
    """How many seats any game has at most, all else being at its default."""
    return max((max_seats(RULESETS[name]) for name in playable_systems()), default=2)


async def choose_option(
    tx: Transaction, playing: SeatedGame, user_id: int, key: str, value: str, *, now: int
) -> OutboxMessage | None:
    """Set an option for the host. Players keep a seat on their side, and their word in the dice.

    Returns the lobby's message, if it has to change. Raises `Refusal`.
    """
    game, setup = playing.game, playing.game.setup
    refuse_unless_host(playing, user_id)
    rules = RULESETS[game.system]
    usual = default_options(rules)
    before = setup.options.get(key, usual.get(key, ""))
    if value == before:
        return None
    chosen = change_option(rules, setup.options, key, value)
    options = rules.with_dependent_options(chosen, key)
    changed = structs.replace(setup, options=options, teams=rules.seats(options))
    await _store_setup(tx, playing, changed)
    dropped = {other: was for other, was in chosen.items() if was != usual[other] == options[other]}
    return await enqueue.update_lobby(tx, game.id, now=now, changed=(key, before), dropped=dropped)


async def choose_game(
    tx: Transaction, playing: SeatedGame, user_id: int, system: str, *, now: int
) -> OutboxMessage | None:
    """Let the host play another game, at its defaults and with room for all who sit there.

    Returns the lobby's message, if it has to change. Raises `Refusal`.
    """
    refuse_unless_host(playing, user_id)
    if system not in playable_systems():
        raise Refusal("option", option="system", value=system[:40], allowed=", ".join(playable_systems()))
    if system == playing.game.system:
        return None
    rules, setup = RULESETS[system], playing.game.setup
    needed = sum(not seat.is_free or seat.kept_for is not None for seat in playing.seats)
    chosen = with_enough_captains(rules, default_options(rules), needed)
    await _store_setup(
        tx, playing, Setup(system=system, teams=rules.seats(chosen), options=chosen, missed=setup.missed)
    )
    # A host who didn't say when rounds come gets what is usual for the other game.
    usual = playing.game.early == RULESETS[playing.game.system].resolves_early
    await tx.games.change(playing.game.id, system=system, early=rules.resolves_early if usual else playing.game.early)
    return await enqueue.update_lobby(tx, playing.game.id, now=now, changed=("", ""))


async def _store_setup(tx: Transaction, playing: SeatedGame, setup: Setup) -> None:
    """Store how a game is to start. Raises `Refusal` if somebody would lose their seat."""
    seats = playing.seats
    if setup.teams != playing.game.setup.teams:
        seats = reseat(playing, setup.teams)
        await tx.seats.replace(playing.game.id, seats)
    await _reset_agreements(tx, playing.game.id, seats)
    await tx.games.change(playing.game.id, setup=setup)


async def _reset_agreements(tx: Transaction, game_id: int, seats: Sequence[SeatRow]) -> None:
    """Ask everyone who added a word to the dice to agree again: the dice now decide another game."""
    for seat in seats:
        if seat.word is not None:
            await tx.seats.change(game_id, seat.seat, word_agreed=False)


def refuse_without_scenario(playing: SeatedGame, user_id: int) -> None:
    """Raise `Refusal` unless somebody may hand in a scenario for a game now."""
    refuse_unless_host(playing, user_id)
    if not RULESETS[playing.game.system].accepts_scenario:
        raise Refusal("no_scenario")


def setup_with_scenario(playing: SeatedGame, user_id: int, text: str) -> Setup:
    """How a game would begin with a host's own scenario; without any text, with the game's own. Raises `Refusal`."""
    refuse_without_scenario(playing, user_id)
    try:
        length = len(text.encode())
    except UnicodeEncodeError:
        raise Refusal("scenario_unreadable") from None
    if length > MAX_SCENARIO_BYTES:
        raise Refusal("scenario_too_long", most=MAX_SCENARIO_BYTES // 1024)
    return structs.replace(playing.game.setup, scenario=text if text.strip() else UNSET)


async def set_scenario(tx: Transaction, playing: SeatedGame, user_id: int, setup: Setup, *, now: int) -> SeatedGame:
    """Store how a game shall begin, found while it stood as in `playing`. Raises `Refusal` if it does no more."""
    again = await load_seated_game(tx, playing.game.id)
    refuse_unless_host(again, user_id)
    if again.game.setup != playing.game.setup:
        raise Refusal("busy")
    await _store_setup(tx, again, setup)
    await enqueue.update_invitations(tx, playing.game.id, now=now)
    await enqueue.update_lobby(tx, playing.game.id, now=now)
    return again


def refuse_unless_host(playing: SeatedGame, user_id: int) -> None:
    """Raise `Refusal` unless somebody is the host of a game that has not begun."""
    refuse_unless_lobby(playing.game)
    if user_id != playing.game.host_id:
        raise Refusal("not_host")


def reseat(playing: SeatedGame, teams: Sequence[int]) -> list[SeatRow]:
    """Return the seats of other teams, with all on their sides: in their own seat if it still exists, or the next.

    Computer captains take the last free seats, if there are any. Raises `Refusal` if there is no seat for somebody who
    has one or has one reserved.
    """
    found = [
        structs.replace(playing.seats[0], seat=seat, team=team, word_agreed=False, **_EMPTY_SEAT)
        for seat, team in enumerate(teams)
    ]
    people = [seat for seat in playing.seats if seat.user_id or seat.kept_for]
    stays = [seat.seat < len(teams) and teams[seat.seat] == seat.team for seat in people]
    for seat, _ in sorted(zip(people, stays, strict=True), key=lambda one: not one[1]):
        free = [row.seat for row in found if row.team == seat.team and not (row.user_id or row.kept_for)]
        if not free:
            who = playing.name_of(seat.user_id or seat.kept_for, "–")
            raise Refusal("seat_taken", who=who)
        at = seat.seat if seat.seat in free else free[0]
        found[at] = structs.replace(seat, seat=at)
    left = [row.seat for row in found if not (row.user_id or row.kept_for)]
    computers = sum(seat.computer for seat in playing.seats)
    for at in left[max(len(left) - computers, 0) :]:
        found[at] = structs.replace(found[at], computer=True)
    return found
