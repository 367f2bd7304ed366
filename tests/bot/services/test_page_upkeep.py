"""Files of pages: which are kept and for how long, when they are drawn again, and what readers may download."""

from __future__ import annotations

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import discord
import msgspec
import pytest
from msgspec import structs

from bot.errors import JobLimitExceeded
from bot.pages import downloads
from bot.pages import folder as page_folder
from bot.pages.folder import PageFolder
from bot.pages.values import NO_FILM, GameHead
from bot.record.export import check_export
from bot.services import page_upkeep
from bot.services.page_upkeep import PageUpkeep
from bot.services.pages import PageWriter
from bot.store import NotWritten, Store
from tests.attacks.test_battles_of_a_season import anna_meets_bela
from tests.bot.discord.test_moods import guild_create_payload
from tests.bot.pages import key_of, page_files
from tests.bot.services.test_page_archive import archive_key, head_of, named, until_unnamed
from tests.bot.services.test_pages import overwrites_of
from tests.bot.test_campaign import met, pass_a_turn
from tests.bot.test_page_site import Served, serving
from tests.sea import AFAR, Sea, refs, text_of

DAY_S = 86_400


def writer(sea: Sea) -> PageWriter:
    assert sea.bot.pages
    return sea.bot.pages


def upkeep(sea: Sea) -> PageUpkeep:
    assert sea.bot.page_upkeep
    return sea.bot.page_upkeep


def folder(sea: Sea) -> PageFolder:
    return writer(sea).folder


def content(sea: Sea, number: int = 1) -> list[str]:
    return sorted(folder(sea).content_names(key_of(sea, number) or ""))


async def head(sea: Sea, number: int = 1) -> GameHead:
    await page_files(sea)
    head = await asyncio.to_thread(folder(sea).read_head, key_of(sea, number) or "")
    assert head
    return head


async def answer_requests(sea: Sea) -> None:
    await upkeep(sea).answer_requests()
    await page_files(sea)


async def played(sea: Sea) -> Any:
    """Turn pages on and play a game of one round that Anna wins. Return the manager."""
    manager = sea.manager()
    await sea.command(manager, "host settings", pages=True)
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal()
    await sea.concede(sea.bela)
    await page_files(sea)
    return manager


def close_channel(sea: Sea) -> tuple[discord.TextChannel, list[Any]]:
    """Close the games' channel to @everyone, unseen by the bot. Return it, and the rights that it had."""
    guild = sea.bot.get_guild(sea.guild.id)
    assert guild
    channel = guild.get_channel(sea.channel.id)
    assert isinstance(channel, discord.TextChannel)
    opened = [*channel._overwrites]
    closed = discord.PermissionOverwrite(view_channel=False)
    channel._overwrites = [*opened, *overwrites_of(guild.default_role, closed)]
    return channel, opened


@pytest.fixture
async def served(site: Sea) -> AsyncIterator[Served]:
    """Serve the page of a finished game."""
    await played(site)
    async with serving(folder(site), key_of(site) or "") as served:
        yield served


@pytest.fixture
async def running(site: Sea) -> Sea:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.both_seal()
    await page_files(site)
    return site


# --- finished games ------------------------------------------------------------------------------------------------


async def test_a_finished_game_comes_back_after_pages_were_off(site: Sea) -> None:
    manager = await played(site)
    before = await head(site)
    old = key_of(site)
    await site.command(manager, "host settings", pages=False)
    assert await page_files(site) == []
    await site.command(manager, "host settings", pages=True)
    after = await head(site)
    assert key_of(site) not in (None, old)
    assert after.result == before.result
    assert [step.label for step in after.steps] == [step.label for step in before.steps]
    assert content(site) == []  # pictures are drawn when somebody asks


async def test_a_finished_game_survives_a_short_closing_of_its_channel(site: Sea) -> None:
    await played(site)
    channel, opened = close_channel(site)
    await site.bot.update_pages(site.guild.id)
    assert await page_files(site) == []
    channel._overwrites = opened
    await site.bot.update_pages(site.guild.id)
    assert (await head(site)).is_over


@pytest.mark.parametrize(("language", "expected"), [("en", "being drawn again"), ("hu", "készülnek el újra")])
async def test_pictures_are_removed_after_their_days_and_drawn_again_for_a_reader(
    site: Sea, served: Served, language: str, expected: str
) -> None:
    before = content(site)
    assert len(before) >= 6
    await site.env.advance_time(89 * DAY_S)
    await upkeep(site).sweep()
    assert content(site) == before
    await site.env.advance_time(2 * DAY_S)
    await upkeep(site).sweep()
    assert content(site) == []
    status, page, headers = await served.get(f"?lang={language}")
    assert status == 503
    assert int(headers["Retry-After"]) > 0
    assert headers["Cache-Control"] == "no-store"
    assert expected in page
    assert "data-waiting" in page
    await answer_requests(site)
    assert content(site) == before
    assert (await served.get(""))[0] == 200
    assert await asyncio.to_thread(folder(site).requests) == []
    await site.env.advance_time(89 * DAY_S)
    await upkeep(site).sweep()
    assert content(site) == before  # the days count from when they were drawn again


async def test_readers_of_an_unknown_game_leave_no_request(site: Sea, served: Served) -> None:
    await asyncio.to_thread(folder(site).request_drawing, "A" * 22)
    assert (await served.ask(f"/g/{'B' * 22}"))[0] == 404
    assert not (folder(site).root / "requests").exists()


async def test_only_so_many_games_are_drawn_again_within_an_hour(
    site: Sea, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_upkeep, "MAX_REDRAWN_PER_HOUR", 1)
    for again in (True, False):
        await asyncio.to_thread(folder(site).remove_content, served.key)
        assert (await served.get(""))[0] == 503
        await answer_requests(site)
        assert bool(content(site)) == again
    await site.env.advance_time(3601)
    await answer_requests(site)
    assert content(site)


async def test_a_server_that_takes_too_much_room_loses_its_oldest_pictures(site: Sea) -> None:
    await played(site)
    await site.begin_at(AFAR, site.bela)
    for who, orders in ((site.anna, "A1 FFFFF"), (site.bela, "B1 FFFFF")):
        await site.seal(who, orders)
    await page_files(site)
    size = sum((await asyncio.to_thread(folder(site).sizes)).values())
    upkeep(site)._limits = page_upkeep.PageLimits(days=90, megabytes=size / 10**6)  # type: ignore[arg-type]
    await upkeep(site).sweep()
    assert content(site, 1)
    large = folder(site).root / (key_of(site, 1) or "") / f"{'a' * 32}.webp"
    await asyncio.to_thread(large.write_bytes, b"x")
    await upkeep(site).sweep()
    assert content(site, 1) == []
    assert len(content(site, 2)) >= 5


async def test_running_games_lose_old_films_before_they_fill_the_disk(
    running: Sea, caplog: pytest.LogCaptureFixture
) -> None:
    key, before = key_of(running) or "", await head(running)
    film = await asyncio.to_thread(folder(running).write_file, key, b"film", "webp")
    steps = (structs.replace(before.steps[0], film=film), *before.steps[1:])
    await asyncio.to_thread(folder(running).write_head, key, structs.replace(before, steps=steps))
    upkeep(running)._limits = page_upkeep.PageLimits(days=90, megabytes=0)
    await upkeep(running).sweep()
    after = (await head(running)).steps
    assert after == before.steps
    assert after[-1].film
    assert film not in content(running)
    assert not any(folder(running).lacks_files(key, step) for step in after)
    assert "pages are larger than allowed" in caplog.text


async def test_the_metric_says_how_much_pages_take(site: Sea) -> None:
    await played(site)
    await upkeep(site).sweep()
    sizes = await asyncio.to_thread(folder(site).sizes)
    text = site.bot.metrics.render_metrics(
        None, SimpleNamespace(job_count=0, oldest_job_s=0.0, replaced_count=0), connected=True
    ).decode()
    [size] = re.findall(r"^war_galley_page_bytes (\S+)$", text, re.MULTILINE)
    assert float(size) == sum(sizes.values()) > 0


# --- what is lost, stray or old -------------------------------------------------------------------------------------


def grow_old(path: Path) -> None:
    os.utime(path, (0, 0))


async def test_lost_files_of_a_running_game_are_written_again(running: Sea) -> None:
    before = content(running)
    key = key_of(running) or ""
    await asyncio.to_thread(folder(running).remove_files, key, before[:2])
    await running.restart()
    await page_files(running)
    assert content(running) == before


async def test_steps_of_another_version_are_written_again(running: Sea) -> None:
    entry = (await head(running)).steps[0]
    path = folder(running).root / (key_of(running) or "") / entry.data
    old = path.read_bytes()
    step = msgspec.json.decode(old)
    step["view"] = {"of": "another version"}
    path.write_bytes(msgspec.json.encode(step))
    async with serving(folder(running), key_of(running) or "") as served:
        assert (await served.get("/r0.1"))[0] == 503
    path.unlink()
    path.write_bytes(msgspec.json.encode(step))
    await running.restart()
    await page_files(running)
    async with serving(folder(running), key_of(running) or "") as served:
        assert (await served.get("/r0.1"))[0] == 200


async def test_drafts_and_files_that_nothing_names_are_removed_once_they_are_old(running: Sea) -> None:
    place = folder(running).root / (key_of(running) or "")
    draft, stray = place / "head.json.0123abcd.new", place / f"{'b' * 32}.webp"
    for path in (draft, stray):
        path.write_bytes(b"x")
    await upkeep(running).sweep()
    assert draft.exists()
    assert stray.exists()
    for path in place.iterdir():
        grow_old(path)
    before = {path.name for path in place.iterdir()}
    await upkeep(running).sweep()
    assert before - {path.name for path in place.iterdir()} == {draft.name, stray.name}


async def test_only_folders_of_pages_are_deleted_at_start_and_in_sweeps(running: Sea) -> None:
    other = folder(running).root / "backup-of-2026-11-30_x"
    other.mkdir()
    (other / "precious.txt").write_text("not ours")
    await asyncio.to_thread(folder(running).write_file, "C" * 22, b"of a deleted game", "png")
    await running.restart()
    await page_files(running)
    assert (other / "precious.txt").exists()
    assert not (folder(running).root / ("C" * 22)).exists()
    await asyncio.to_thread(folder(running).write_file, "D" * 22, b"of a game that was deleted later", "png")
    await upkeep(running).sweep()
    assert (other / "precious.txt").exists()
    assert not (folder(running).root / ("D" * 22)).exists()
    assert (folder(running).root / (key_of(running) or "")).exists()


async def test_pages_of_another_database_stay_in_a_folder_that_it_claimed_first(
    running: Sea, caplog: pytest.LogCaptureFixture
) -> None:
    other = "C" * 22
    await asyncio.to_thread(folder(running).write_file, other, b"of another bot's game", "png")
    (folder(running).root / "owner").write_text("another database")
    await asyncio.to_thread(folder(running).request_drawing, other)
    await running.restart()
    await answer_requests(running)
    await upkeep(running).sweep()
    assert (folder(running).root / other).exists()
    assert [request.key for request in await asyncio.to_thread(folder(running).requests)] == [other]
    assert "pages of another database are in the folder" in caplog.text
    assert len(await page_files(running)) == 2


@pytest.mark.parametrize("fault", ["owner", "C" * 22])
async def test_a_folder_that_cannot_be_cleaned_at_the_start_shows_no_closed_page(
    running: Sea, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    root, key, stray = folder(running).root, key_of(running) or "", "D" * 22
    running.change_rows("update servers set pages = ?", False)
    await asyncio.to_thread(folder(running).write_file, stray, b"of a deleted game", "png")
    if fault == "owner":
        (root / fault).unlink()
        (root / fault).mkdir()  # which can't be read
    else:
        (root / fault).touch()  # which is no folder
    await running.restart()
    await writer(running).settle()
    assert not (root / key).exists()
    assert folder(running).stored_archives() == []
    assert "pages are not kept in bounds" in caplog.text
    if fault == "owner":
        assert (root / stray).exists()
        (root / fault).rmdir()
        await upkeep(running).sweep()
    assert not (root / stray).exists()


async def test_a_server_that_removes_the_bot_loses_its_pages_though_others_may_hold_its_shard(
    running: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    guild = running.bot.get_guild(running.guild.id)
    assert guild
    monkeypatch.setattr(writer(running), "_is_readable", lambda _: None)
    await running.bot.on_guild_remove(guild)
    assert await page_files(running) == []
    assert list((folder(running).root / "servers").iterdir()) == []
    monkeypatch.setattr(writer(running), "_is_readable", lambda _: True)
    await running.bot.on_guild_join(guild)
    assert len(await page_files(running)) == 1


async def test_a_server_that_adds_the_bot_again_at_once_keeps_its_pages(running: Sea) -> None:
    guild = running.bot.get_guild(running.guild.id)
    assert guild
    await asyncio.gather(running.bot.on_guild_remove(guild), running.bot.on_guild_join(guild))
    assert len(await page_files(running)) == 1


async def test_a_finished_game_whose_thread_is_deleted_has_no_page_any_more(site: Sea) -> None:
    manager = await played(site)
    thread = site.rows("games")["games"][0]["thread_id"]
    event = SimpleNamespace(thread_id=thread, guild_id=site.guild.id, parent_id=site.channel.id)
    await site.bot.on_raw_thread_delete(event)  # type: ignore[arg-type]
    assert await page_files(site) == []
    await site.command(manager, "host settings", pages=False)
    await site.command(manager, "host settings", pages=True)
    assert await page_files(site) == []


async def test_a_thread_that_is_deleted_while_the_bot_is_away_takes_its_page_along(site: Sea) -> None:
    manager = await played(site)
    await site.restart()
    assert len(await page_files(site)) == 1
    thread = site.rows("games")["games"][0]["thread_id"]
    await site.bot.close()
    del site.env.backend.channels[thread]
    site.env.backend.guilds[site.guild.id].thread_ids.remove(thread)
    site.bot = site.make_bot()
    await site.env.restart_bot(site.bot)
    assert await page_files(site) == []
    await site.command(manager, "host settings", pages=False)
    await site.command(manager, "host settings", pages=True)
    assert await page_files(site) == []


@pytest.mark.parametrize("why", ["pages off", "channel closed"])
async def test_a_thread_that_is_deleted_while_its_page_is_off_brings_no_page_back(site: Sea, why: str) -> None:
    manager = await played(site)
    if why == "pages off":
        await site.command(manager, "host settings", pages=False)
    else:
        channel, opened = close_channel(site)
        await site.bot.update_pages(site.guild.id)
    assert await page_files(site) == []
    thread = site.rows("games")["games"][0]["thread_id"]
    event = SimpleNamespace(thread_id=thread, guild_id=site.guild.id, parent_id=site.channel.id)
    await site.bot.on_raw_thread_delete(event)  # type: ignore[arg-type]
    if why == "pages off":
        await site.command(manager, "host settings", pages=True)
    else:
        channel._overwrites = opened
        await site.bot.update_pages(site.guild.id)
    assert await page_files(site) == []


async def test_a_battles_page_names_those_who_fought_and_no_later_captain_of_the_season(site: Sea) -> None:
    manager = site.manager()
    await site.command(manager, "host settings", pages=True)
    await met(site, crew="1-1+0/5")
    for _ in range(6):  # until night falls
        await pass_a_turn(site, DAY_S // 2)
    await site.command(manager, "host replace", game="1", whose="anna", substitute=site.cili)
    assert site.rows("seats")["seats"][0]["user_id"] == site.cili.id
    await site.restart()
    result = (await head(site, 2)).result["en"]
    assert "anna" in str(result)
    assert "cili" not in str(result)


async def test_a_forgotten_captain_leaves_the_battles_of_their_season_too(site: Sea) -> None:
    """Cili fights in none of them, but stands in the season's title, which a battle's thread and page have."""
    await site.command(site.manager(), "host settings", pages=True)
    await anna_meets_bela(site)
    await site.concede(site.bela, 2)
    for who in (site.cili, site.bela):
        await site.concede(who, 1)
    await page_files(site)

    def tellers() -> list[str]:
        return [message for thread in site.channel.threads for message in map(text_of, thread.history())]

    assert any("cili" in text for text in tellers())
    await site.bot.services.privacy.forget_user(site.cili.id)
    await page_files(site)
    await site.env.advance_time(60)  # some edits a second
    await site.settle()
    assert [text for text in tellers() if "cili" in text] == []
    for number in (1, 2):
        page = msgspec.json.encode(await head(site, number))
        assert b"cili" not in page


async def test_forgetting_that_breaks_off_is_finished_in_battles_too(
    site: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await anna_meets_bela(site)
    await site.concede(site.bela, 2)
    for who in (site.cili, site.bela):
        await site.concede(who, 1)
    await page_files(site)

    def break_off(_: int) -> None:
        raise NotWritten

    monkeypatch.setattr(site.bot.services.privacy, "_on_forgotten", break_off)
    with pytest.raises(NotWritten):
        await site.bot.services.privacy.forget_user(site.cili.id)
    await site.restart()
    await page_files(site)
    await site.env.advance_time(60)
    await site.settle()
    told = [text_of(message) for thread in site.channel.threads for message in thread.history()]
    assert [text for text in told if "cili" in text] == []
    assert named(site, "cili") == []


async def test_a_page_says_which_rounds_were_taken_back(running: Sea) -> None:
    async with serving(folder(running), key_of(running) or "") as served:
        _, known, _ = await served.get("/head")
    await running.env.advance_time(3600)
    await running.command(running.manager(), "host undo", game="1", to_round=1)
    asked = running.thread.last_message
    for who in (running.anna, running.bela):
        await running.press(who, asked, next(key for key in refs(asked) if key.startswith("agree")))
    undone = await head(running)
    assert [step.is_undone for step in undone.steps] == [False, True]
    assert undone.deadline == running.rows("games")["games"][0]["deadline"]
    async with serving(folder(running), key_of(running) or "") as served:
        for language, name in (("en", "Round 1, taken back"), ("hu", "1. kör, visszavonva")):
            _, page, _ = await served.get(f"?lang={language}")
            assert f'<p class="round">{name}</p>' in page
        _, changed, _ = await served.get("/head")
        assert changed != known  # so that open pages ask for the step again
    await running.both_seal()
    assert [step.is_undone for step in (await head(running)).steps] == [False, True, False]
    async with serving(folder(running), key_of(running) or "") as served:
        _, page, _ = await served.get("")
        assert '<p class="round">Round 1</p>' in page


async def test_a_forgotten_name_is_served_by_no_full_disk(site: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await played(site)
    await site.settle()

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(page_folder, "_replace", refuse)
        await site.bot.services.privacy.forget_user(site.bela.id)
        await until_unnamed(site, "bela")
    await site.restart()
    assert (await head(site)).captains
    assert archive_key(site)
    assert named(site, "bela") == []


async def test_an_age_restricted_channel_has_no_pages(site: Sea) -> None:
    await played(site)
    channel = site.bot.get_channel(site.channel.id)
    assert isinstance(channel, discord.TextChannel)
    before = copy(channel)
    channel.nsfw = True
    await site.bot.on_guild_channel_update(before, channel)
    assert key_of(site) is None


async def test_pages_of_a_server_that_is_renamed_have_its_new_name(site: Sea) -> None:
    await played(site)
    guild = site.bot.get_guild(site.guild.id)
    assert guild
    before = copy(guild)
    guild.name = "Salamis"
    await site.bot.on_guild_update(before, guild)
    assert (await head(site)).server == "Salamis"
    assert (await head_of(site)).server == "Salamis"


async def test_a_server_that_comes_back_with_a_closed_channel_loses_its_pages(site: Sea) -> None:
    await played(site)
    backend = site.env.backend
    backend.emit("GUILD_DELETE", {"id": str(site.guild.id), "unavailable": True})
    await site.settle()
    payload: dict[str, Any] = guild_create_payload(backend, backend.guilds[site.guild.id])
    payload["unavailable"] = False
    (channel,) = (channel for channel in payload["channels"] if channel["id"] == str(site.channel.id))
    channel["permission_overwrites"] = [{"id": str(site.guild.id), "type": 0, "allow": "0", "deny": str(1 << 10)}]
    backend.emit("GUILD_CREATE", payload)
    await site.settle()
    assert await page_files(site) == []


async def test_a_sweep_removes_pages_of_a_channel_that_was_closed_unseen(site: Sea) -> None:
    await played(site)
    close_channel(site)
    await upkeep(site).sweep()
    assert await page_files(site) == []


async def test_the_page_of_a_game_that_ends_without_its_thread_goes_with_the_next_sweep(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    assert len(await page_files(site)) == 1
    thread = site.rows("games")["games"][0]["thread_id"]
    del site.env.backend.channels[thread]
    site.env.backend.guilds[site.guild.id].thread_ids.remove(thread)
    guild = site.bot.get_guild(site.guild.id)
    assert guild
    known_thread = guild.get_thread(thread)
    assert known_thread
    guild._remove_thread(known_thread)
    await upkeep(site).sweep()
    assert len(await page_files(site)) == 1
    await site.concede(site.bela)
    await upkeep(site).sweep()
    assert await page_files(site) == []


async def test_a_server_that_is_stored_as_left_has_no_pages_though_others_may_hold_its_shard(
    running: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(running.bot), "_is_readable_by_all", lambda *_: None)
    await running.restart()
    assert len(await page_files(running)) == 1
    running.change_rows("delete from bot_servers")
    await writer(running).start()
    assert await page_files(running) == []
    assert folder(running).stored_archives() == []


async def test_a_step_that_waits_for_an_edit_stays_on_the_page(running: Sea) -> None:
    before = await head(running)
    assert len(before.steps) == 2
    running.change_rows("update outbox set wanted = wanted + 1 where kind = 'step'")
    writer(running).wake([1])
    assert [step.label for step in (await head(running)).steps] == ["r0.1", "r1.1"]


@pytest.mark.parametrize("is_noticed", [True, False])
async def test_a_forgotten_name_goes_before_what_may_wait_or_fail_and_the_rest_is_tried_again(
    site: Sea, monkeypatch: pytest.MonkeyPatch, is_noticed: bool
) -> None:
    await played(site)
    await site.begin_at(AFAR, site.cili)
    before = await head(site)
    write_record, write_step = writer(site)._write_record, writer(site)._write_step
    may_draw = asyncio.Event()

    async def break_off(_: int) -> Any:
        raise JobLimitExceeded("record")

    async def draw_later(*arguments: Any) -> Any:
        await may_draw.wait()
        return await write_step(*arguments)

    monkeypatch.setattr(writer(site), "_write_record", break_off)
    if is_noticed:
        monkeypatch.setattr(writer(site), "_write_step", draw_later)
        await asyncio.to_thread(folder(site).remove, key_of(site, 2) or "")
        writer(site).wake([2])
    else:  # the bot ends meanwhile, and looks at all pages when it starts
        monkeypatch.setattr(writer(site), "forget_names", lambda game_id: writer(site).wake([game_id]))
    await site.bot.services.privacy.forget_user(site.bela.id)
    await until_unnamed(site, "bela")
    may_draw.set()
    assert (await head(site)).result == {}
    assert {record.getMessage() for record in site.faults} == {"a page was not written"}
    site.faults.clear()
    monkeypatch.setattr(writer(site), "_write_record", write_record)
    await upkeep(site).sweep()
    after = await head(site)
    assert {*after.result} == {*before.result}
    assert await asyncio.to_thread(folder(site).has_record, key_of(site) or "")
    assert named(site, "bela") == []


# --- downloads -------------------------------------------------------------------------------------------------------


async def test_a_finished_games_record_can_be_downloaded_and_is_right(site: Sea, served: Served) -> None:
    status, record, headers = await served.get("/record")
    assert status == 200
    assert check_export(record.encode()) is None
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Disposition"] == 'attachment; filename="war-galley-1.json"'
    assert "bela" in record
    await site.bot.services.privacy.forget_user(site.bela.id)
    await page_files(site)
    _, record, _ = await served.get("/record")
    assert "bela" not in record
    assert check_export(record.encode()) is None


async def test_a_running_game_has_no_record_and_no_downloads(running: Sea) -> None:
    async with serving(folder(running), key_of(running) or "") as served:
        for path in ("/record", "/record.json", "/files", "/pictures.zip"):
            assert (await served.get(path))[0] == 404
    assert await asyncio.to_thread(folder(running).record_path, key_of(running) or "") is None


async def test_the_list_of_files_has_pictures_and_a_film_of_the_whole_game(site: Sea, served: Served) -> None:
    status, page, _ = await served.get("/files")
    assert status == 200
    assert "The film is being made" in page
    assert "data-waiting" in page
    for step in (await head(site)).steps:
        assert f"/{step.picture}" in page
    await answer_requests(site)
    film = (await head(site)).film
    status, page, _ = await served.get("/files?lang=hu")
    assert f"/{film}" in page
    assert "Az egész játszma filmen" in page
    assert "data-waiting" not in page
    status, _, headers = await served.get(f"/{film}")
    assert status == 200
    assert headers["Content-Type"] == "image/webp"
    writer(site).wake([1])
    assert (await head(site)).film == film
    assert await asyncio.to_thread(folder(site).requests) == []


class HeldFilm:
    """Holds up the film of a whole game once it's begun."""

    def __init__(self, sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()
        pictures = sea.bot.services.reader.pictures
        self._make_film = pictures.film_for_page
        monkeypatch.setattr(pictures, "film_for_page", self._film)

    async def _film(self, game_id: int) -> Any:
        self.begun.set()
        await self.may_end.wait()
        return await self._make_film(game_id)


async def test_a_name_is_forgotten_while_a_film_is_made(site: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await played(site)
    film = HeldFilm(site, monkeypatch)
    writer(site).redraw(1, film=True)
    await film.begun.wait()
    assert named(site, "bela")
    await site.bot.services.privacy.forget_user(site.bela.id)
    await until_unnamed(site, "bela")
    film.may_end.set()
    assert (await head(site)).film
    assert named(site, "bela") == []


async def test_readers_who_wait_for_a_drawing_do_not_use_up_the_hour(
    site: Sea, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_upkeep, "MAX_REDRAWN_PER_HOUR", 2)
    film = HeldFilm(site, monkeypatch)
    for _ in range(4):
        await served.get("/files")
        await upkeep(site).answer_requests()
        assert await asyncio.to_thread(folder(site).requests) == []
        await film.begun.wait()
    film.may_end.set()
    await page_files(site)
    await asyncio.to_thread(folder(site).remove_content, served.key)
    assert (await served.get(""))[0] == 503
    await answer_requests(site)
    assert (await served.get(""))[0] == 200


@pytest.mark.parametrize("stays", [True, False])
async def test_a_film_of_a_page_that_moves_or_ends_meanwhile_is_not_kept(
    site: Sea, monkeypatch: pytest.MonkeyPatch, stays: bool
) -> None:
    await played(site)
    film = HeldFilm(site, monkeypatch)
    writer(site).redraw(1, film=True)
    await film.begun.wait()
    if stays:
        await writer(site).renew_key(1)
    else:
        site.change_rows("update servers set pages = ?", False)
        await writer(site).check_pages()
    film.may_end.set()
    await page_files(site)
    assert folder(site).stored_keys() == ([key_of(site)] if stays else [])
    if stays:
        assert (await head(site)).film == ""


async def test_all_pictures_and_films_can_be_downloaded_at_once(
    site: Sea, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.search(r"All pictures and films as one file \([1-9] MB\)", (await served.get("/files"))[1])
    await answer_requests(site)
    async with served.client.get(served.url("/pictures.zip")) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "application/zip"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        archive = ZipFile(BytesIO(await answer.read()))
    assert archive.testzip() is None
    expected = {"game.webp"} | {f"{step.label}-picture.webp" for step in (await head(site)).steps}
    assert expected < {*archive.namelist()}
    assert "r1.1-film.webp" in archive.namelist()
    monkeypatch.setattr(downloads, "MAX_ARCHIVES", 0)
    status, _, headers = await served.get("/pictures.zip")
    assert status == 503
    assert headers["Retry-After"]


async def test_a_game_in_which_nothing_moves_has_no_film(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.concede(site.bela)
    await page_files(site)
    async with serving(folder(site), key_of(site) or "") as served:
        await served.get("/files")
        await answer_requests(site)
        assert (await head(site)).film == NO_FILM
        _, page, _ = await served.get("/files")
        assert "data-waiting" not in page
        assert await asyncio.to_thread(folder(site).requests) == []


def _is_served(folder: PageFolder, archive: str | None, key: str) -> bool:
    """Return whether a page, its record or its line in the archive can be read."""
    head = folder.read_archive(archive or "")
    is_listed = head is not None and any(game.key == key for game in head.games)
    return is_listed or folder.read_head(key) is not None or folder.record_path(key) is not None


async def _close_channel(sea: Sea, how: str) -> None:
    """Let Discord report that a channel is no longer for everybody, in one of the ways in which that happens."""
    bot, channel = sea.bot, sea.bot.get_channel(sea.channel.id)
    assert isinstance(channel, discord.TextChannel)
    guild = channel.guild
    match how:
        case "closed":
            before = copy(channel)
            close_channel(sea)
            await bot.on_guild_channel_update(before, channel)
        case "age-restricted":
            before = copy(channel)
            channel.nsfw = True
            await bot.on_guild_channel_update(before, channel)
        case "role":
            role_before = copy(guild.default_role)
            guild.default_role._permissions = 0
            await bot.on_guild_role_update(role_before, guild.default_role)
        case "deleted":
            guild._channels.pop(channel.id)
            await bot.on_guild_channel_delete(channel)
        case "removed":
            bot._connection._guilds.pop(guild.id)
            await bot.on_guild_remove(guild)


@pytest.mark.parametrize("how", ["closed", "age-restricted", "role", "deleted", "removed"])
async def test_a_closed_page_is_gone_before_the_database_can_be_written(
    site: Sea, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(site)
    key = key_of(site) or ""
    archive = archive_key(site)
    assert _is_served(folder(site), archive, key)

    @asynccontextmanager
    async def refuse(*_: object, **__: object) -> AsyncIterator[None]:
        raise NotWritten("the disk is full")
        yield

    with monkeypatch.context() as full:
        full.setattr(Store, "write", refuse)
        closing = asyncio.create_task(_close_channel(site, how))
        for _ in range(3000):
            if not await asyncio.to_thread(_is_served, folder(site), archive, key):
                break
            await asyncio.sleep(0.01)
        assert not _is_served(folder(site), archive, key)
    await asyncio.wait_for(closing, 60)
    site.faults.clear()
