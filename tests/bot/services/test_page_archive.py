"""The archive of a server: which games it lists, who may read it, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from aiohttp import ClientSession, test_utils

from bot.pages import archive
from bot.pages.site import create_site
from bot.pages.values import ArchiveHead, GameHead
from bot.texts.i18n import Catalogue
from bot.texts.style import Markup
from tests.bot.pages import ADDRESS, key_of, page_files
from tests.bot.services.test_host import ask as ask_host
from tests.bot.test_campaign import met
from tests.bot.test_page_site import serving
from tests.sea import AFAR, Sea

Read = Callable[..., Awaitable[tuple[int, str]]]
EVIL = "<script>alert(1)</script>"


@pytest.fixture
async def read(site: Sea) -> AsyncIterator[Read]:
    """Return a function that asks the site for a path below the archive; returns status and text."""
    assert site.bot.pages
    server = test_utils.TestServer(create_site(site.bot.pages.folder, ADDRESS))
    await server.start_server()
    async with ClientSession() as client:

        async def ask(path: str = "", key: str | None = None, **headers: str) -> tuple[int, str]:
            address = f"http://{server.host}:{server.port}/s/{key or archive_key(site)}{path}"
            async with client.get(address, allow_redirects=False, headers=headers) as answer:
                assert answer.headers["Cache-Control"] == "no-store"
                assert "noindex" in answer.headers["X-Robots-Tag"]
                return answer.status, await answer.text()

        yield ask
        await server.close()


def archive_key(sea: Sea) -> str | None:
    return next((row["page_key"] for row in sea.rows("servers")["servers"]), None)


async def head_of(sea: Sea) -> ArchiveHead:
    assert sea.bot.pages
    await page_files(sea)
    head = await asyncio.to_thread(sea.bot.pages.folder.read_archive, archive_key(sea) or "")
    assert head
    return head


def named(sea: Sea, name: str) -> list[str]:
    """Return the files of pages and archives that have a name in them."""
    assert sea.bot.pages
    found = []
    for path in sea.bot.pages.folder.root.rglob("*.json"):
        with suppress(FileNotFoundError):  # it may be replaced or removed just now
            found += [str(path)] if name in path.read_text() else []
    return found


async def until_unnamed(sea: Sea, name: str) -> None:
    """Wait until no file has a name in it, though other work on pages goes on."""
    for _ in range(3000):
        if not await asyncio.to_thread(named, sea, name):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(named(sea, name))


async def turn_on(sea: Sea) -> Any:
    manager = sea.manager()
    await sea.command(manager, "host settings", pages=True)
    return manager


async def two_games(sea: Sea) -> Any:
    """Turn pages on; play a game that Anna wins, and begin another one. Return the manager."""
    manager = await turn_on(sea)
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela)
    await sea.begin_at(AFAR, sea.cili)
    await page_files(sea)
    return manager


async def test_an_archive_lists_games_with_pages_newest_first(site: Sea, read: Read) -> None:
    await two_games(site)
    status, page = await read()
    assert status == 200
    assert page.index("#2 ") < page.index("#1 ")
    assert f'href="/g/{key_of(site, 1)}"' in page
    assert "anna" in page
    head = await head_of(site)
    assert [game.is_over for game in head.games] == [False, True]
    assert head.games[1].result["en"] in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {1, 2}),
        ("?state=over", {1}),
        ("?state=running", {2}),
        ("?rated=yes", {1, 2}),
        ("?rated=no", set()),
        ("?game=matchbox", {1, 2}),
        ("?game=forts", set()),
        ("?state=nonsense&page=99999999999999999999&captain=../..", {1, 2}),
        ("?page=5", {1, 2}),
    ],
)
async def test_an_archive_is_filtered_by_game_state_and_rating(
    site: Sea, read: Read, query: str, expected: set[int]
) -> None:
    await two_games(site)
    status, page = await read(query)
    assert status == 200
    assert {number for number in (1, 2) if f"/g/{key_of(site, number)}" in page} == expected


async def test_a_captains_profile_shows_their_games_and_is_a_filter(site: Sea, read: Read) -> None:
    await two_games(site)
    head = await head_of(site)
    [bela] = [captain.token for captain in head.games[1].captains if captain.names["en"] == "bela"]
    status, profile = await read(f"/captain/{bela}")
    assert status == 200
    assert "Captain bela" in profile
    assert f"/g/{key_of(site, 1)}" in profile
    assert f"/g/{key_of(site, 2)}" not in profile
    assert str(site.bela.id) not in profile
    _, filtered = await read(f"?captain={bela}")
    assert f"/g/{key_of(site, 2)}" not in filtered
    assert (await read(f"/captain/{'0' * 22}"))[0] == 404


@pytest.mark.usefixtures("every_game_counts")
async def test_an_archive_has_the_servers_ladder(site: Sea, read: Read) -> None:
    await two_games(site)
    status, page = await read("/ladder")
    assert status == 200
    assert page.index("anna") < page.index("bela")
    assert "cili" not in page
    head = await head_of(site)
    [anna, bela] = head.ladder["matchbox"]
    assert (anna.won, bela.lost) == (1, 1)
    assert anna.rating > bela.rating
    assert f"/captain/{anna.token}" in page


@pytest.mark.usefixtures("every_game_counts")
async def test_a_ladder_tells_no_result_before_the_thread_does(site: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await two_games(site)
    before = await head_of(site)
    monkeypatch.setattr(site.bot._outbox, "wake", lambda: None)
    monkeypatch.setattr(site.bot._outbox, "send", lambda: None)
    await site.concede(site.cili, 2)
    assert site.rows("games")["games"][1]["phase"] == "over"
    assert site.bot.pages
    site.bot.pages.archives.note_change(site.guild.id, key_of(site, 2) or "")
    await site.bot.pages.archives.update(site.guild.id)
    assert await head_of(site) == before


async def test_an_archive_is_in_its_readers_language(site: Sea, read: Read) -> None:
    await two_games(site)
    _, page = await read("?lang=hu")
    assert '<html lang="hu">' in page
    assert "folyamatban" in page
    _, page = await read("?state=over&lang=hu")
    assert "?state=over&amp;lang=en" in page
    _, page = await read("", **{"Accept-Language": "hu"})
    assert "Játszmák" in page
    assert "lang=hu" not in page.replace('?lang=hu" lang="hu"', "")  # its links suit readers of all languages


async def test_an_archive_has_pages_of_its_own(site: Sea, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "PAGE_SIZE", 1)
    await two_games(site)
    _, first = await read()
    assert f"/g/{key_of(site, 2)}" in first
    assert f"/g/{key_of(site, 1)}" not in first
    [older] = re.findall(r'rel="next" href="[^"?]*([^"]*)"', first)
    _, second = await read(older)
    assert f"/g/{key_of(site, 1)}" in second
    assert "Page 2 of 2" in second


async def test_an_archive_that_is_turned_off_is_gone_at_once(site: Sea, read: Read) -> None:
    manager = await two_games(site)
    old = archive_key(site)
    assert f"{ADDRESS}/s/{old}" in await site.command(manager, "host settings")
    assert f"{ADDRESS}/s/" not in await site.command(manager, "host settings", pages=False)
    assert archive_key(site) is None
    assert (await read(key=old))[0] == 404
    await site.command(manager, "host settings", pages=True)
    await page_files(site)
    assert archive_key(site) not in (None, old)
    assert (await read())[0] == 200
    assert (await read(key=old))[0] == 404


async def test_a_name_that_is_forgotten_leaves_the_archive(site: Sea, read: Read) -> None:
    await two_games(site)
    await site.concede(site.cili, 2)
    await page_files(site)
    tokens = {captain.token for game in (await head_of(site)).games for captain in game.captains}
    assert "bela" in (await read())[1]
    await site.bot.services.privacy.forget_user(site.bela.id)
    head = await head_of(site)
    assert "bela" not in str(head)
    [gone] = tokens - {captain.token for game in head.games for captain in game.captains}
    assert (await read(f"/captain/{gone}"))[0] == 404
    assert site.bot.pages
    kept = [path.read_text() for path in (site.bot.pages.folder.root / "servers").rglob("*.json")]
    assert len(kept) == 3
    assert not any("bela" in text for text in kept)


async def test_who_was_forgotten_and_comes_back_has_another_address(site: Sea) -> None:
    await turn_on(site)
    await site.begin_at(AFAR, site.bela)
    await site.concede(site.bela)
    old = {captain.token for captain in (await head_of(site)).games[0].captains}
    await site.bot.services.privacy.forget_user(site.bela.id)
    await site.begin_at(AFAR, site.bela)
    games = (await head_of(site)).games
    assert len(games) == 2
    tokens = {captain.names["en"]: captain.token for captain in games[0].captains}
    assert len(old) == 2
    assert tokens["anna"] in old
    assert tokens["bela"] not in {"", *old}


async def test_a_forgotten_name_leaves_the_archive_though_another_page_cannot_be_written(
    site: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await two_games(site)
    assert site.bot.pages
    writer, broken_key = site.bot.pages, key_of(site, 2)
    write_head = writer.folder.write_head

    def refuse_one(key: str, head: GameHead) -> bool:
        if key == broken_key:
            raise PermissionError("read-only")
        return write_head(key, head)

    monkeypatch.setattr(writer.folder, "write_head", refuse_one)
    writer.wake([2])
    await site.bot.services.privacy.forget_user(site.bela.id)
    await until_unnamed(site, "bela")
    await writer.close()  # it would try again for ever


async def test_an_archive_that_was_not_written_before_the_bot_ended_is_written_at_its_start(site: Sea) -> None:
    await two_games(site)
    old = await head_of(site)
    await site.bot.services.privacy.forget_user(site.bela.id)
    assert "bela" not in str(await head_of(site))
    assert site.bot.pages
    await asyncio.to_thread(site.bot.pages.folder.write_archive, archive_key(site) or "", old)
    await site.restart()
    assert "bela" not in str(await head_of(site))


async def test_pages_of_deleted_games_are_gone_at_once(site: Sea) -> None:
    await two_games(site)
    assert not (await ask_host(site, "delete_game", target_id=1)).refused
    assert len(await page_files(site)) == 1
    assert [game.number for game in (await head_of(site)).games] == [2]
    assert named(site, "bela") == []
    assert not (await ask_host(site, "delete_server", target_id=site.guild.id)).refused
    assert await page_files(site) == []
    assert site.bot.pages
    assert site.bot.pages.folder.stored_archives() == []


async def test_names_on_an_archive_are_only_text(site: Sea, read: Read) -> None:
    await turn_on(site)
    site.change_rows("update players set name = ?", EVIL)
    await site.begin_at(AFAR, site.bela)
    await page_files(site)
    site.change_rows("update players set name = ?", EVIL)
    await site.concede(site.bela)
    await head_of(site)
    token = (await head_of(site)).games[0].captains[0].token
    for path in ("", "/ladder", f"/captain/{token}", f"?captain={token}"):
        assert EVIL not in (await read(path))[1]


@pytest.mark.usefixtures("every_game_counts")
async def test_the_ladder_in_the_channel_leads_to_the_archive(site: Sea) -> None:
    await two_games(site)
    for who, language in ((site.anna, "en"), (site.bela, "hu")):
        site.languages[who.id] = language
        said = await site.command(who, "ladder")
        expected = Catalogue.load(language).say("say.archive", address=Markup(f"{ADDRESS}/s/{archive_key(site)}"))
        assert expected in said


async def test_a_server_without_games_has_no_archive(site: Sea, read: Read) -> None:
    await turn_on(site)
    await page_files(site)
    assert archive_key(site) is None
    assert (await read(key="A" * 22))[0] == 404


async def test_a_captain_who_has_tried_nothing_has_figures(site: Sea, read: Read) -> None:
    await turn_on(site)
    await site.begin_at(AFAR, site.bela)
    await site.both_seal()
    await site.env.advance_time(2 * 86_400)  # the first mates go on
    token = (await head_of(site)).games[0].captains[0].token
    assert (await read(f"/captain/{token}"))[0] == 200
    assert "War Galley" in await site.command(site.anna, "profile", figures=True)


async def test_a_season_and_its_battles_lead_to_each_other(site: Sea) -> None:
    await turn_on(site)
    await met(site)
    await page_files(site)
    season, battle = (key_of(site, number) for number in (1, 2))
    assert season
    assert battle
    assert site.bot.pages
    async with serving(site.bot.pages.folder, season) as served:
        _, page, _ = await served.get("?lang=hu")
        assert f'<p class="related">Csata: <a href="/g/{battle}?lang=hu">#2 ' in page
        _, page, _ = await served.ask(f"/g/{battle}")
        assert f'<p class="related">A battle of <a href="/g/{season}?lang=en">#1 ' in page
        await asyncio.to_thread(site.bot.pages.folder.remove, battle)
        _, page, _ = await served.get("")
        assert battle not in page


# --- other addresses -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_games_host_gives_its_page_another_address(site: Sea, read: Read, language: str) -> None:
    await two_games(site)
    site.languages |= {site.anna.id: language, site.bela.id: language}
    catalogue = Catalogue.load(language)
    old, archive_before = key_of(site, 2) or "", archive_key(site)
    assert site.bot.pages
    folder = site.bot.pages.folder
    before = await asyncio.to_thread(folder.content_names, old)
    assert catalogue.say("refuse.not_in_charge") in await site.command(site.bela, "host page", game="2", renew="game")
    address = Markup(f"{ADDRESS}/g/{old}")
    assert catalogue.say("say.page", address=address) in await site.command(site.anna, "host page", game="2")
    said = await site.command(site.anna, "host page", game="2", renew="game")
    await page_files(site)
    key = key_of(site, 2) or ""
    assert key != old
    assert catalogue.say("say.renewed_page", address=Markup(f"{ADDRESS}/g/{key}")) in said
    assert not (folder.root / old).exists()
    assert sorted(await asyncio.to_thread(folder.content_names, key)) == sorted(before)
    thread = site.told()
    assert key in thread
    assert old not in thread
    _, page = await read()
    assert f"/g/{key}" in page
    assert old not in page
    assert archive_key(site) == archive_before


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_manager_gives_the_archive_another_address(site: Sea, read: Read, language: str) -> None:
    manager = await turn_on(site)
    site.languages |= {manager.id: language, site.anna.id: language}
    catalogue = Catalogue.load(language)
    assert catalogue.say("refuse.no_archive") in await site.command(manager, "host page", renew="archive")
    await site.begin_at(AFAR, site.bela)
    await page_files(site)
    old, page_before = archive_key(site), key_of(site)
    tokens = {captain.token for game in (await head_of(site)).games for captain in game.captains}
    assert catalogue.say("refuse.managers_only") in await site.command(site.anna, "host page", renew="archive")
    said = await site.command(manager, "host page", renew="archive")
    key = archive_key(site)
    assert key not in (None, old)
    assert catalogue.say("say.renewed_page", address=Markup(f"{ADDRESS}/s/{key}")) in said
    assert (await read())[0] == 200
    assert (await read(key=old))[0] == 404
    assert key_of(site) == page_before
    assert tokens.isdisjoint(captain.token for game in (await head_of(site)).games for captain in game.captains)


async def addresses_refused(world: Sea, language: str, key: str) -> None:
    await world.begin_at(AFAR, world.bela)
    world.languages[world.anna.id] = language
    for renew in ({}, {"renew": "game"}):
        assert Catalogue.load(language).say(key) in await world.command(world.anna, "host page", game="1", **renew)


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_game_without_a_page_has_no_address(site: Sea, language: str) -> None:
    await addresses_refused(site, language, "refuse.no_page")


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_no_game_has_an_address_where_the_host_serves_no_pages(sea: Sea, language: str) -> None:
    await addresses_refused(sea, language, "refuse.no_pages")
