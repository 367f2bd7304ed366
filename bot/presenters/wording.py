"""The language and names in which a game is described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.errors import Refusal
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import Game, GivenBy
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.chance import fairness
from rules.core.errors import OrderError
from rules.core.keepsakes import name_number
from rules.core.protocol import LEVEL_OPTION, Result, Setup

SHORT_HASH_CHARS: Final = 8
"""Hexadecimal digits that suffice to find a hash that is shown in full elsewhere."""
_PART_SEPARATOR: Final = " · "  # in the names of battles, between number and place


def published_hash_text(hashed: str) -> Markup:
    return Markup(hashed[: fairness.SHOWN_HASH_DIGITS])


def short_hash_text(hashed: str) -> Markup:
    return Markup(hashed[:SHORT_HASH_CHARS])


def game_localizer(seated_game: SeatedGame, language: str | None = None) -> Localizer:
    """Return a localizer with a game's catalogue and names, in its language or in `language`."""
    catalogue = Catalogue.load(language or language_for_locale(seated_game.game.locale), seated_game.game.system)
    names = seated_game.seat_names(catalogue.say("lobby.computer"), catalogue.say("lobby.vacant"))
    computers = [seat.seat for seat in seated_game.seats if seat.computer and not seat.name]
    computer_names = {seat: computer_captain_name(catalogue, seated_game, seat) for seat in computers}
    plain_names = {seat: _with_rank(catalogue, seated_game, seat, "computer.plain") for seat in computers}
    all_names = {**names, **computer_names, **keepsake_names(seated_game.game.setup)}
    numbers = seated_game.namesake_numbers()
    user_numbers = {
        user_id: numbers[seat.seat]
        for seat in seated_game.seats
        if seat.seat in numbers and (user_id := seat.user_id or seat.kept_for)
    }
    return Localizer(catalogue, all_names, plain_names, namesake_numbers=user_numbers)


def keepsake_names(setup: Setup) -> dict[int, str]:
    """Return the names of captains' keepsakes by name number (`rules.core.keepsakes`)."""
    return {
        name_number(seat, keepsake.number): keepsake.name
        for seat, keepsakes in enumerate(setup.keepsakes or ())
        for keepsake in keepsakes
        if keepsake.name
    }


def game_title(localizer: Localizer, seated_game: SeatedGame) -> Markup:
    game, system = seated_game.game, _system_name(localizer, seated_game.game.system)
    name = game.name or _opponents_text(seated_game)
    return localizer.say("game.called", number=game.id, system=system, name=name)


def short_game_title(localizer: Localizer, seated_game: SeatedGame, max_chars: int) -> Markup:
    """Return a game's title in at most `max_chars` visible characters; no part of it is cut.

    If all of it has no room, its number is followed by the game's name, the beginning of that, or the system's name.
    """
    game = seated_game.game
    name = game.name or _opponents_text(seated_game)
    parts = (name, name.partition(_PART_SEPARATOR)[0], _system_name(localizer, game.system))
    short_titles = [localizer.say("game.called.short", number=game.id, name=part) for part in parts if part]
    titles = [game_title(localizer, seated_game), *short_titles]
    return next((title for title in titles if localizer.style.cut_visible(title, max_chars) == title), titles[-1])


def _system_name(localizer: Localizer, system: str) -> str:
    catalogue = Catalogue.load(localizer.catalogue.language, system if system in playable_systems() else "")
    return catalogue.say_game() if catalogue.system else system


def _opponents_text(seated_game: SeatedGame) -> str:
    """Return the names of all players, those of each side together; empty if none is known yet."""
    names_by_team: dict[int, list[str]] = {}
    seat_names = seated_game.seat_names("")
    for seat in seated_game.seats:
        if seat.computer and not seat.name:
            name = _computer_first_name(seated_game, seat.seat)
        else:
            name = seated_game.name_of(seat.user_id or seat.kept_for, "") if seat.is_free else seat_names[seat.seat]
        names = names_by_team.setdefault(seat.team, [])
        if name:
            names.append(name)
    return " – ".join(", ".join(names) for names in names_by_team.values() if names)


def computer_captain_name(catalogue: Catalogue, seated_game: SeatedGame, seat: int) -> Markup:
    """Return a computer captain's rank and name, with a mark of the computer; unique among eight."""
    return _with_rank(catalogue, seated_game, seat, "computer.named")


def _with_rank(catalogue: Catalogue, seated_game: SeatedGame, seat: int, key: str) -> Markup:
    rank = f"rank.{seated_game.game.setup.options.get(LEVEL_OPTION, '')}"
    rank = rank if catalogue.has(rank) else "rank.captain"
    return catalogue.say(key, rank=catalogue.say(rank), name=_computer_first_name(seated_game, seat))


def _computer_first_name(seated_game: SeatedGame, seat: int) -> str:
    catalogue = Catalogue.load(language_for_locale(seated_game.game.locale))
    names = catalogue.template("computer.names").split(", ")
    number, own_seat = seated_game.seats_above.get(seat, (seated_game.game.id, seat))
    return names[(number + own_seat) % len(names)]


def stand_in_key(seated_game: SeatedGame, given_by: GivenBy) -> str:
    """Return the key of what answers for a late captain: `mate`, `hold`, or `stored` for standing orders."""
    return "stored" if given_by == "stored" else seated_game.game.setup.missed


def localizer_with_stand_ins(
    seated_game: SeatedGame, localizer: Localizer, late_answers: Mapping[int, GivenBy]
) -> Localizer:
    givers = {
        seat: localizer.say(f"giver.{stand_in_key(seated_game, giver)}", who=seat)
        for seat, giver in late_answers.items()
    }
    return replace(localizer, giver_names={**localizer.giver_names, **givers})


def refusal_text(localizer: Localizer, error: Refusal | OrderError) -> Markup:
    localizer = replace(localizer, catalogue=Catalogue.load(localizer.catalogue.language, error.system))
    if isinstance(error, OrderError):
        return localizer.fault_text(error.fault)
    return localizer.say(f"refuse.{error.key}", **error.params)


def end_reason_text(localizer: Localizer, seated_game: SeatedGame, result: Result, seat: int | None = None) -> Markup:
    """Return why a game is over: `<key>.short` if the game has it, else the full sentence.

    The sentence may name the `losers`. For a `seat` that is the only loser it is `<key>.yours`, if the game has that.
    """
    reason = result.reason
    losers = tuple(
        loser for loser, outcome in ratings.seat_outcomes(seated_game.seats, result).items() if outcome == "lost"
    )
    candidates = [f"{reason.key}.yours"] if losers == (seat,) else []
    candidates.append(f"{reason.key}.short")
    key = next((candidate for candidate in candidates if localizer.catalogue.has(candidate)), "")
    return localizer.say(key, **reason.params, losers=losers) if key else localizer.say_text(reason)


def thread_link(localizer: Localizer, game: Game) -> Markup:
    """Return a link to a game's thread, or its number if it has none yet."""
    if game.thread_id:
        return localizer.style.channel_link(game.thread_id, game.guild_id)
    return localizer.to_markup(f"#{game.id}")
