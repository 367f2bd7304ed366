"""Pages of games: who has them, when they change, and that nothing of them stays."""

from __future__ import annotations

import asyncio
import shutil
from typing import Any

import discord
import msgspec
import pytest
from msgspec import structs
from PIL import Image

from bot.jobs.page_steps import FILM_WIDTH_PX
from bot.pages.values import GameHead
from bot.services import page_queue, pages
from bot.texts.i18n import Catalogue
from tests.bot.pages import ADDRESS, key_of, page_files
from tests.bot.test_keepsakes import given, opened
from tests.bot.test_page_site import serving
from tests.sea import AFAR, Sea

EN = Catalogue.load("en")


async def heads(sea: Sea) -> list[GameHead]:
    return [msgspec.json.decode(files["head.json"], type=GameHead) for files in await page_files(sea)]


async def test_no_game_has_a_page_until_a_manager_turns_pages_on(site: Sea) -> None:
    await site.begin_at(AFAR, site.bela)
    assert await page_files(site) == []
    assert EN.say("refuse.managers_only") in await site.command(site.anna, "host settings", pages=True)
    assert await page_files(site) == []
    await site.command(site.manager(), "host settings", pages=True)
    [head] = await heads(site)
    assert [entry.label for entry in head.steps] == ["r0.1"]
    assert head.captains["en"][0] == "anna"
    assert f"{ADDRESS}/g/{key_of(site)}" in site.told()


async def test_a_page_goes_on_with_the_thread_and_tells_the_end(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.both_seal()
    [head] = await heads(site)
    assert [entry.label for entry in head.steps] == ["r0.1", "r1.1"]
    assert site.bot.pages
    film = site.bot.pages.folder.file_path(key_of(site) or "", head.steps[-1].film)
    assert film
    assert Image.open(film).width == min(FILM_WIDTH_PX, pages.PAGE_WIDTH_PX)
    assert head.result == {}
    await site.concede(site.bela)
    [head] = await heads(site)
    assert head.is_over
    assert "anna" in head.result["en"][0]
    assert {*head.result} == {"en", "hu"}
    assert head.ended
    assert "war-galley verify" in head.proof["en"]


async def test_a_step_keeps_the_sides_that_the_one_before_shows(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    [head] = await heads(site)
    key, writer = key_of(site) or "", site.bot.pages
    assert writer
    step = await asyncio.to_thread(writer.folder.read_step, key, head.steps[0].data)
    assert step
    assert all(seat.side for seat in step.seats)
    without = (structs.replace(step.seats[0], side="", ships=()), step.seats[1])
    kept = await writer._keep_sides(key, without, head.steps[0])
    assert kept == (structs.replace(step.seats[0], ships=()), step.seats[1])
    assert await writer._keep_sides(key, without, None) == without


async def test_sealing_changes_nothing_of_a_page(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    before = await page_files(site)
    await site.seal(site.anna, "A1 FFFFF")
    assert await page_files(site) == before


async def test_files_that_caches_keep_name_nobody(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.both_seal()
    for files in await page_files(site):
        lasting = [data.lower() for name, data in files.items() if name != "head.json"]
        assert len(lasting) >= 4
        assert not any(name in data for data in lasting for name in (b"anna", b"bela"))


async def test_pages_that_are_turned_off_are_gone_at_once(site: Sea) -> None:
    manager = site.manager()
    await site.command(manager, "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    assert await page_files(site)
    await site.command(manager, "host settings", pages=False)
    assert await page_files(site) == []
    assert key_of(site) is None
    assert ADDRESS not in site.told()


async def test_a_page_turned_on_again_has_another_address(site: Sea) -> None:
    manager = site.manager()
    await site.command(manager, "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await page_files(site)
    old = key_of(site)
    await site.command(manager, "host settings", pages=False)
    await site.command(manager, "host settings", pages=True)
    await page_files(site)
    assert key_of(site) not in (None, old)


async def test_a_channel_that_not_everybody_may_read_has_no_pages(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    assert await page_files(site)
    guild = site.bot.get_guild(site.guild.id)
    assert guild
    channel = guild.get_channel(site.channel.id)
    assert isinstance(channel, discord.TextChannel)
    closed = discord.PermissionOverwrite(read_message_history=False)
    channel._overwrites = [*channel._overwrites, *overwrites_of(guild.default_role, closed)]
    await site.bot.update_pages(guild.id)
    assert await page_files(site) == []


def overwrites_of(role: discord.Role, wanted: discord.PermissionOverwrite) -> list[discord.abc._Overwrites]:
    """Return what Discord sends of a permission that a role is denied in a channel."""
    allowed, denied = wanted.pair()
    values = {"id": role.id, "type": 0, "allow": str(allowed.value), "deny": str(denied.value)}
    return [discord.abc._Overwrites(values)]  # type: ignore[arg-type]


async def test_a_private_game_has_no_page(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin(site.bela, private=True, opponent=site.bela)
    assert await page_files(site) == []


async def test_a_name_that_is_forgotten_leaves_the_page(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.concede(site.bela)
    assert "bela" in str(await heads(site))
    await site.bot.services.privacy.forget_user(site.bela.id)
    assert "bela" not in str(await heads(site))


async def test_a_page_survives_a_restart_and_a_lost_folder(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    before, key = await page_files(site), key_of(site)
    assert site.bot.pages
    folder = site.bot.pages.folder
    await asyncio.to_thread(shutil.rmtree, folder.root / (key or ""))
    await asyncio.to_thread(folder.write_file, "A" * 22, b"of a game that was deleted", "png")
    await site.restart()
    assert await page_files(site) == before
    assert await asyncio.to_thread(folder.stored_keys) == [key]


async def test_pages_turned_off_while_a_step_is_written_stay_off(site: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await page_files(site)
    assert site.bot.pages
    key, write_step = key_of(site), site.bot.pages._write_step

    async def write_while_a_manager_acts(*arguments: Any) -> Any:
        entry = await write_step(*arguments)
        site.change_rows("update servers set pages = ?", False)
        await site.bot.update_pages(site.guild.id)
        return entry

    monkeypatch.setattr(site.bot.pages, "_write_step", write_while_a_manager_acts)
    await site.both_seal()
    assert await page_files(site) == []
    assert not (site.bot.pages.folder.root / str(key)).exists()


async def test_a_page_that_cannot_be_removed_is_tried_again_and_keeps_no_other(
    site: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = site.manager()
    await site.command(manager, "host settings", pages=True)
    for _ in range(2):
        await site.begin_at(AFAR, site.bela)
    assert len(await page_files(site)) == 2
    assert site.bot.pages
    remove, refused = site.bot.pages.folder.remove, list[str]()

    def refuse_twice(key: str) -> None:
        if len(refused) < 2:
            refused.append(key)
            raise PermissionError("read-only")
        remove(key)

    monkeypatch.setattr(site.bot.pages.folder, "remove", refuse_twice)
    monkeypatch.setattr(page_queue, "RETRY_S", 0)
    await site.command(manager, "host settings", pages=False)
    assert await page_files(site) == []
    assert len(refused) == 2


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_pages_cannot_be_turned_on_where_the_host_serves_none(sea: Sea, language: str) -> None:
    manager = sea.manager()
    sea.languages[manager.id] = language
    refusal = Catalogue.load(language).say("refuse.no_pages")
    assert refusal in await sea.command(manager, "host settings", pages=True)
    assert sea.rows("servers")["servers"] == []


async def test_the_settings_say_whether_there_are_pages(site: Sea) -> None:
    manager = site.manager()
    assert "Pages in the browser: off" in await site.command(manager, "host settings")
    said = await site.command(manager, "host settings", pages=True)
    assert "Pages in the browser: on" in said


async def test_a_name_is_forgotten_on_a_page_though_the_thread_takes_no_edits(
    site: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.concede(site.bela)
    assert "bela" in str(await heads(site))
    monkeypatch.setattr(site.bot._outbox, "wake", lambda: None)
    monkeypatch.setattr(site.bot._outbox, "send", lambda: None)
    await site.bot.services.privacy.forget_user(site.bela.id)
    [head] = await heads(site)
    assert "bela" not in str(head)
    assert head.is_over


async def test_drawing_a_page_again_brings_no_forgotten_name_back(site: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.concede(site.bela)
    await page_files(site)
    writer = site.bot.pages
    assert writer
    begun, may_go_on, write_step = asyncio.Event(), asyncio.Event(), writer._write_step

    async def write_later(*arguments: Any) -> Any:
        begun.set()
        await may_go_on.wait()
        return await write_step(*arguments)

    monkeypatch.setattr(writer, "_write_step", write_later)
    await asyncio.to_thread(writer.folder.remove_content, key_of(site) or "")
    writer.redraw(1)
    await begun.wait()
    await site.bot.services.privacy.forget_user(site.bela.id)
    await writer._games.settle()
    may_go_on.set()
    [files] = await page_files(site)
    assert len(files) >= 4
    assert not any(b"bela" in data for data in files.values())


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_page_tells_no_deadline_before_the_thread_does(
    site: Sea, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    await site.begin_at(AFAR, site.bela)
    await site.seal(site.anna, "A1 FFFFF")
    before, thread = await page_files(site), site.told()
    [head] = await heads(site)
    assert head.deadline
    orders = site.bot.services.orders
    typed = await orders.type_text(await site.asked(site.bela, 1), "B1 FFFFF")
    with monkeypatch.context() as silent:  # Discord takes no messages
        silent.setattr(site.bot._outbox, "wake", lambda: None)
        silent.setattr(site.bot._outbox, "send", lambda: None)
        await site.env.advance_time(60)
        await (site.concede(site.bela) if is_over else orders.seal_draft(typed, typed.row.version))
        await site.bot.services.step_runner.wait_until_idle()
        assert site.told() == thread
        await site.bot.update_pages()
        assert await page_files(site) == before
    site.bot.note_change()
    [head] = await heads(site)
    assert head.is_over == is_over
    assert (head.deadline is None) == is_over


async def test_a_page_holds_names_of_crews_once_the_thread_has_told_them(site: Sea) -> None:
    await site.command(site.manager(), "host settings", pages=True)
    given(site, site.anna, 1, "Zebulon", xp=3)
    given(site, site.anna, 2, "Yvonne")
    await opened(site, site.bela)
    await site.pick(site.anna, site.panel(site.anna), "own", "own.1")
    await site.seal(site.anna, "+5")
    [files] = await page_files(site)
    assert not any(name in data for data in files.values() for name in (b"Zebulon", b"Yvonne"))
    await site.seal(site.bela, "6")
    assert "Zebulon" in site.told()
    [files] = await page_files(site)
    assert b"Zebulon" in files["head.json"]
    assert not any(b"Yvonne" in data for data in files.values())
    assert site.bot.pages
    async with serving(site.bot.pages.folder, key_of(site) or "") as served:
        assert "Zebulon" in (await served.get(""))[1]
