"""How a game is spoken of: in which language, and by which names."""

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
"""Hexadecimal digits that are enough to find again what is shown in full elsewhere; they prove nothing."""


def published_hash_text(hashed: str) -> Markup:
    """A hash as a thread publishes it; the log and the record have it whole."""
    return Markup(hashed[: fairness.SHOWN_HASH_DIGITS])


def short_hash_text(hashed: str) -> Markup:
    """How a hash or a seed that stands elsewhere begins."""
    return Markup(hashed[:SHORT_HASH_CHARS])


def game_localizer(playing: SeatedGame, language: str | None = None) -> Localizer:
    """The words in which to speak of a game: its own, in its language or in somebody's."""
    catalogue = Catalogue.load(language or language_for_locale(playing.game.locale), playing.game.system)
    names = playing.seat_names(catalogue.say("lobby.computer"), catalogue.say("lobby.vacant"))
    computers = [seat.seat for seat in playing.seats if seat.computer and not seat.name]
    own = {seat: computer_captain_name(catalogue, playing, seat) for seat in computers}
    ours = {seat: _with_rank(catalogue, playing, seat, "computer.plain") for seat in own}
    return Localizer(catalogue, {**names, **own, **keepsake_names(playing.game.setup)}, ours)


def keepsake_names(setup: Setup) -> dict[int, str]:
    """Return what captains call their keepsakes (`rules.core.keepsakes`), by what stands for each in sentences."""
    return {
        name_number(seat, one.number): one.name
        for seat, those in enumerate(setup.keepsakes or ())
        for one in those
        if one.name
    }


def game_name(catalogue: Catalogue) -> Markup:
    """What a game is called where there is little room: `game.short`, or all of its name."""
    key = next(one for one in ("game.short", "game") if catalogue.has(one))
    return catalogue.say(key)


def game_title(words: Localizer, playing: SeatedGame) -> Markup:
    """What one game among others is called: its number, what is played, and the name that it was given or who plays."""
    game = playing.game
    catalogue = Catalogue.load(words.catalogue.language, game.system if game.system in playable_systems() else "")
    system = game_name(catalogue) if catalogue.system else game.system
    name = game.name or _opponents_text(playing)
    return words.say("game.called", number=game.id, system=system, name=name)


def _opponents_text(playing: SeatedGame) -> str:
    """Return the names of those who play, side by side, as far as anybody sits there."""
    sides: dict[int, list[str]] = {}
    for seat in playing.seats:
        user = seat.user_id or seat.kept_for
        name = seat.name or (_computer_first_name(playing, seat.seat) if seat.computer else playing.name_of(user, ""))
        sides.setdefault(seat.team, []).extend(filter(None, [name]))
    return " – ".join(", ".join(names) for names in sides.values() if names)


def computer_captain_name(catalogue: Catalogue, playing: SeatedGame, seat: int) -> Markup:
    """What a computer captain is called: by rank and name, and that it is the computer; of eight no two alike."""
    return _with_rank(catalogue, playing, seat, "computer.named")


def _with_rank(catalogue: Catalogue, playing: SeatedGame, seat: int, key: str) -> Markup:
    rank = f"rank.{playing.game.setup.options.get(LEVEL_OPTION, '')}"
    rank = rank if catalogue.has(rank) else "rank.captain"
    return catalogue.say(key, rank=catalogue.say(rank), name=_computer_first_name(playing, seat))


def _computer_first_name(playing: SeatedGame, seat: int) -> str:
    """Return a computer captain's name: the same to all readers, in the game's own language."""
    catalogue = Catalogue.load(language_for_locale(playing.game.locale))
    names = catalogue.template("computer.names").split(", ")
    return names[(playing.game.id + seat) % len(names)]


def stand_in_key(playing: SeatedGame, given_by: GivenBy) -> str:
    """What answers in a game for a captain who is late, in keys: `mate`, `hold`, or `stored` for what they had left."""
    return "stored" if given_by == "stored" else playing.game.setup.missed


def localizer_with_stand_ins(playing: SeatedGame, words: Localizer, late: Mapping[int, GivenBy]) -> Localizer:
    """The words in which steps are told in which captains of these seats had let their time pass."""
    given = {seat: words.say(f"giver.{stand_in_key(playing, by)}", who=seat) for seat, by in late.items()}
    return replace(words, giver_names={**words.giver_names, **given})


def refusal_text(words: Localizer, error: Refusal | OrderError) -> Markup:
    """Say in one sentence why something is refused: what a game refuses, in its own words."""
    words = replace(words, catalogue=Catalogue.load(words.catalogue.language, error.system))
    if isinstance(error, OrderError):
        return words.fault_text(error.fault)
    return words.say(f"refuse.{error.key}", **error.params)


def end_reason_text(words: Localizer, playing: SeatedGame, result: Result, seat: int | None = None) -> Markup:
    """Why a game is over, below a headline that says who has won: `<key>.short`, or all of it if a game has none.

    Who has lost is called `losers`. To a `seat` that has lost alone it is said as `<key>.yours`, if a game has that.
    """
    reason, has = result.reason, words.catalogue.has
    losers = tuple(one for one, ended in ratings.seat_outcomes(playing.seats, result).items() if ended == "lost")
    keys = [f"{reason.key}.yours"] if losers == (seat,) else []
    key = next((one for one in [*keys, f"{reason.key}.short"] if has(one)), "")
    return words.say(key, **reason.params, losers=losers) if key else words.say_text(reason)


def thread_link(words: Localizer, game: Game) -> Markup:
    """Where a game is played: its thread; or its number, as long as it has none."""
    return words.style.channel_link(game.thread_id, game.guild_id) if game.thread_id else words.to_markup(f"#{game.id}")
