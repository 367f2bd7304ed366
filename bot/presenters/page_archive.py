"""Read for the archive of a server: its games with pages, their captains' ladder, and their captains' results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from bot.lifecycle.ratings.ratings import rank_players
from bot.pages.values import ArchivedCaptain, ArchivedGame, CaptainProfile, GameHead, LadderLine
from bot.presenters import ladder
from bot.store.models.records import Game, Player, RatingRow, RatingSummary, ServerRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, Localizer, language_for_locale, languages
from bot.texts.style import HTML_STYLE
from bot.texts.whole import playable_systems


class ArchiveFacts(Struct, frozen=True, kw_only=True):
    server: ServerRow
    name: str  # of the server; empty: unknown
    games: tuple[Game, ...]  # those with pages, newest first
    users: dict[tuple[int, int], int]  # by game and seat
    players: dict[int, Player]  # by user
    scores: tuple[RatingSummary, ...]  # of these users
    results: tuple[RatingRow, ...]  # of these users in these games

    @property
    def language(self) -> str:
        return language_for_locale(self.server.locale or (self.games[0].locale if self.games else ""))


async def read_archive(tx: Transaction, guild_id: int) -> ArchiveFacts:
    users = await tx.games.users_on_pages(guild_id)
    known_users = {*users.values()}
    scores = await tx.ratings.scores(guild_id=guild_id) if users else []
    results = await tx.ratings.on_pages(guild_id) if users else []
    return ArchiveFacts(
        server=await tx.servers.find(guild_id),
        name=await tx.servers.name_of(guild_id),
        games=tuple(await tx.games.shown_on_pages(guild_id)),
        users=users,
        players=await tx.players.find_all(sorted(known_users)) if users else {},
        scores=tuple(score for score in scores if score.user_id in known_users),
        results=tuple(row for row in results if row.user_id in known_users),
    )


def archived_game(game: Game, head: GameHead) -> ArchivedGame:
    """Return a game's entry in the archive, without the tokens of its captains."""
    names = {language: head.captains.get(language, {}) for language in languages()}
    captains = tuple(
        ArchivedCaptain(token="", names={language: names[language].get(seat, "") for language in names})
        for seat in range(head.seat_count)
    )
    return ArchivedGame(
        key=game.page_key or "",
        number=game.id,
        system=game.system,
        titles=head.titles,
        captains=captains,
        is_over=head.is_over,
        rated=game.rated and game.parent_id is None,
        began=game.created_at,
        ended=game.ended_at if head.is_over else None,
        result={language: lines[0] for language, lines in head.result.items() if lines},
    )


def ladder_lines(facts: ArchiveFacts, token_of: Callable[[int], str]) -> dict[str, tuple[LadderLine, ...]]:
    """Return the ladder of each game, best captain first."""
    lines: dict[str, tuple[LadderLine, ...]] = {}
    for system in playable_systems():
        entries = rank_players(score for score in facts.scores if score.system == system)
        if entries:
            lines[system] = tuple(
                LadderLine(
                    rank=entry.rank,
                    token=token_of(entry.score.user_id),
                    name=entry.score.name,
                    rating=entry.skill.displayed_rating,
                    is_provisional=entry.rank is None,
                    won=entry.score.won,
                    lost=entry.score.lost,
                    drawn=entry.score.drawn,
                )
                for entry in entries
            )
    return lines


def captain_profiles(facts: ArchiveFacts, token_of: Callable[[int], str]) -> dict[str, CaptainProfile]:
    """Return the profile of each captain by token: their results in the games of the archive."""
    systems = {game.id: game.system for game in facts.games}
    battle_systems = {game.id: systems.get(game.parent_id, "") for game in facts.games if game.parent_id}
    profiles: dict[str, CaptainProfile] = {}
    for user_id, player in facts.players.items():
        scores = {score.system: score for score in facts.scores if score.user_id == user_id}
        rows = [row for row in facts.results if row.user_id == user_id]
        profiles[token_of(user_id)] = CaptainProfile(
            name=player.name,
            texts={language: _profile_lines(language, scores, rows, battle_systems) for language in languages()},
        )
    return profiles


def _profile_lines(
    language: str, scores: Mapping[str, RatingSummary], rows: list[RatingRow], battle_systems: Mapping[int, str]
) -> tuple[str, ...]:
    own_battles = {row.game_id: battle_systems[row.game_id] for row in rows if row.game_id in battle_systems}
    lines: list[str] = []
    for system in playable_systems():
        played = [row for row in rows if row.system == system]
        if played:
            localizer = Localizer(Catalogue.load(language, system), style=HTML_STYLE)
            text = ladder.profile_text(localizer, scores.get(system), played, battle_systems=own_battles, figures=True)
            lines += text.split("\n")
    return tuple(lines)
