"""Pages of a server's archive: its games, their ladder, and their captains' profiles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from aiohttp import web
from markupsafe import Markup as SafeMarkup

from bot.pages.folder import KEY_PATTERN, TOKEN_PATTERN, PageFolder
from bot.pages.values import ArchivedGame, ArchiveHead
from bot.pages.wording import PageTexts, language_of, safe_html
from bot.texts.i18n import Catalogue, languages
from bot.texts.whole import playable_systems

PAGE_SIZE: Final = 20
_MAX_PAGE_DIGITS: Final = 6
RenderPage = Callable[..., web.Response]


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """The games that a reader wants to see. Empty values select all."""

    game: str = ""  # key of the game
    rated: str = ""  # `yes` or `no`
    state: str = ""  # `running` or `over`
    captain: str = ""  # token

    def select(self, games: tuple[ArchivedGame, ...]) -> list[ArchivedGame]:
        return [
            game
            for game in games
            if self.game in ("", game.system)
            and self.rated in ("", "yes" if game.rated else "no")
            and self.state in ("", "over" if game.is_over else "running")
            and (not self.captain or any(captain.token == self.captain for captain in game.captains))
        ]

    def query(self, language: str, **changes: object) -> str:
        """Return the part of an address that asks for these games, with changes. `language` is empty if not chosen."""
        values = {**msgspec.structs.asdict(self), "lang": language, **changes}
        chosen = urlencode({key: value for key, value in values.items() if value})
        return f"?{chosen}" if chosen else ""


class ArchivePages:
    def __init__(self, folder: PageFolder, base: str, render: RenderPage) -> None:
        """Create the handlers. `render` returns a page made from a template; `base` is in front of all paths."""
        self._folder = folder
        self._base = base
        self._render = render

    def add_routes(self, app: web.Application) -> None:
        archive = f"/s/{{key:{KEY_PATTERN}}}"
        app.router.add_get(archive, self.get_games)
        app.router.add_get(f"{archive}/ladder", self.get_ladder)
        app.router.add_get(f"{archive}/captain/{{token:{TOKEN_PATTERN}}}", self.get_captain)

    async def get_games(self, request: web.Request) -> web.Response:
        key, head = await self._read_head(request)
        language = language_of(request, head.language)
        filters = _read_filters(request, head)
        return self._render(
            "archive.html",
            language,
            f"{self._base}/s/{key}{filters.query('')}",
            **self._common(key, head, language, request),
            **self._list_games(key, head, filters, language, request),
            is_filtered=filters != Filters(),
            filter_groups=self._describe_filters(head, filters, language, request),
        )

    async def get_ladder(self, request: web.Request) -> web.Response:
        key, head = await self._read_head(request)
        language = language_of(request, head.language)
        ladders = [
            (Catalogue.load(language, system).say_game(), head.ladder[system])
            for system in playable_systems()
            if head.ladder.get(system)
        ]
        common = self._common(key, head, language, request)
        return self._render(
            "ladder.html",
            language,
            f"{self._base}/s/{key}/ladder",
            **common,
            ladders=ladders,
            min_ranked_games=head.min_ranked_games,
        )

    async def get_captain(self, request: web.Request) -> web.Response:
        key, head = await self._read_head(request)
        language, token = language_of(request, head.language), request.match_info["token"]
        profile = await asyncio.to_thread(self._folder.read_profile, key, token)
        if profile is None:
            raise web.HTTPNotFound
        return self._render(
            "captain.html",
            language,
            f"{self._base}/s/{key}/captain/{token}",
            **self._common(key, head, language, request),
            **self._list_games(key, head, Filters(captain=token), language, request),
            captain=profile.name,
            results=[safe_html(line) for line in profile.texts.get(language, ())],
        )

    async def _read_head(self, request: web.Request) -> tuple[str, ArchiveHead]:
        key = request.match_info["key"]
        head = await asyncio.to_thread(self._folder.read_archive, key)
        if head is None:
            raise web.HTTPNotFound
        return key, head

    def _common(self, key: str, head: ArchiveHead, language: str, request: web.Request) -> dict[str, Any]:
        texts = PageTexts(language)
        title = texts("archive_of", server=head.server) if head.server else texts("archive")
        link_query = Filters().query(_chosen_language(request))
        return {"title": title, "home": f"{self._base}/s/{key}", "link_query": link_query}

    def _list_games(
        self, key: str, head: ArchiveHead, filters: Filters, language: str, request: web.Request
    ) -> dict[str, Any]:
        """Return a page of the list of games for a template, with the links to the pages before and after."""
        games = filters.select(head.games)
        last_page = max(0, (len(games) - 1) // PAGE_SIZE)
        number = min(_read_page_number(request), last_page)
        chosen = _chosen_language(request)
        home = f"{self._base}/s/{key}"
        address = f"{home}/captain/{filters.captain}" if "token" in request.match_info else home
        link = Filters() if "token" in request.match_info else filters
        return {
            "games": [self._describe_game(game, home, language, chosen) for game in _cut(games, number)],
            "game_count": len(games),
            "page_number": number + 1,
            "page_count": last_page + 1,
            "newer": address + link.query(chosen, page=number or "") if number else None,
            "older": address + link.query(chosen, page=number + 2) if number < last_page else None,
        }

    def _describe_game(self, game: ArchivedGame, home: str, language: str, chosen: str) -> dict[str, Any]:
        texts, query = PageTexts(language), Filters().query(chosen)
        state = texts("ended", when=game.ended) if game.ended else texts("is_played")
        kind = [texts("rated")] if game.rated else []
        captains = [
            SafeMarkup('<a href="{}/captain/{}{}">{}</a>').format(home, captain.token, query, captain.names[language])
            if captain.token
            else SafeMarkup("{}").format(captain.names[language])
            for captain in game.captains
        ]
        return {
            "address": f"{self._base}/g/{game.key}{query}",
            "title": game.titles[language],
            "captains": captains,
            "facts": [state, *kind],
            "result": safe_html(game.result[language]) if language in game.result else None,
        }

    def _describe_filters(
        self, head: ArchiveHead, filters: Filters, language: str, request: web.Request
    ) -> list[tuple[str, list[tuple[str, str, bool]]]]:
        """Return each group of filters: its name, and of each choice the name, the address and whether it is chosen."""
        texts, chosen = PageTexts(language), _chosen_language(request)
        home = f"{self._base}/s/{request.match_info['key']}"
        systems = [system for system in playable_systems() if any(game.system == system for game in head.games)]
        names = {system: Catalogue.load(language, system).say_game() for system in systems}
        choices: dict[str, dict[str, str]] = {
            "game": {"": texts("all_games"), **names},
            "state": {"": texts("all_states"), "running": texts("running"), "over": texts("over")},
            "rated": {"": texts("all_kinds"), "yes": texts("rated"), "no": texts("unrated")},
        }
        groups: list[tuple[str, list[tuple[str, str, bool]]]] = [
            (
                str(texts.localizer.say(f"page.filter.{key}")),
                [
                    (name, home + filters.query(chosen, **{key: value}), getattr(filters, key) == value)
                    for value, name in values.items()
                ],
            )
            for key, values in choices.items()
            if len(values) > 2  # else `all` and the only choice select the same games
        ]
        if filters.captain:
            name = _captain_name(head, filters.captain, language)
            everybody = home + filters.query(chosen, captain="")
            own = home + filters.query(chosen)
            groups.append((texts("filter.captain"), [(texts("all_captains"), everybody, False), (name, own, True)]))
        return groups


def _read_filters(request: web.Request, head: ArchiveHead) -> Filters:
    """Return the filters of an address; values that it can't have are left out."""
    tokens = {captain.token for game in head.games for captain in game.captains if captain.token}
    allowed = {"game": playable_systems(), "rated": ("yes", "no"), "state": ("running", "over"), "captain": tokens}
    values = {key: request.query.get(key, "") for key in allowed}
    return Filters(**{key: value for key, value in values.items() if value in allowed[key]})


def _read_page_number(request: web.Request) -> int:
    """Return the wanted page of a list, counted from 0."""
    typed = request.query.get("page", "")
    is_number = typed.isascii() and typed.isdecimal() and len(typed) <= _MAX_PAGE_DIGITS
    return max(0, int(typed) - 1) if is_number else 0


def _chosen_language(request: web.Request) -> str:
    """Return the language that the address names; empty if readers get their own."""
    wanted = request.query.get("lang", "")
    return wanted if wanted in languages() else ""


def _captain_name(head: ArchiveHead, token: str, language: str) -> str:
    captains = (captain for game in head.games for captain in game.captains)
    return next((captain.names[language] for captain in captains if captain.token == token), "")


def _cut(games: list[ArchivedGame], number: int) -> list[ArchivedGame]:
    return games[number * PAGE_SIZE : (number + 1) * PAGE_SIZE]
