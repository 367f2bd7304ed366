"""The site that serves pages of games: what it serves, and what strangers try."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import shutil
import socket
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import msgspec
import pytest
from aiohttp import ClientSession, test_utils
from msgspec import structs
from yarl import URL

from bot.pages import sending, watching
from bot.pages import site as site_module
from bot.pages.folder import PageFolder, new_key
from bot.pages.site import create_site
from bot.pages.values import GameHead
from bot.texts import speech
from tests import here
from tests.bot.conftest import SETTINGS
from tests.bot.pages import ADDRESS, page_files
from tests.laws.play import SYSTEMS
from tests.sea import AFAR, Sea

EVIL = "<script>alert(1)</script>\"'&{{7*7}}"
OWNERS = 16
FILM_BYTES = 12_000_000  # more than the kernel keeps for a reader


class Served:
    """A site over the folder of one game with two steps."""

    def __init__(self, folder: PageFolder, key: str, server: test_utils.TestServer, client: ClientSession) -> None:
        self.folder, self.key, self._server, self.client = folder, key, server, client
        self.address = (server.host, server.port)

    async def get(self, path: str, **arguments: Any) -> tuple[int, str, Any]:
        """Ask for a path below the game's page; return status, text and headers."""
        return await self.ask(f"/g/{self.key}{path}", **arguments)

    async def ask(self, path: str, method: str = "GET", **arguments: Any) -> tuple[int, str, Any]:
        url = URL(f"http://{self._server.host}:{self._server.port}{path}", encoded=True)
        async with self.client.request(method, url, allow_redirects=False, **arguments) as answer:
            return answer.status, (await answer.read()).decode("utf-8", "replace"), answer.headers

    def connection_count(self) -> int:
        assert self._server.runner.server
        return len(self._server.runner.server.connections)

    def url(self, path: str) -> str:
        return f"http://{self._server.host}:{self._server.port}/g/{self.key}{path}"

    def head(self) -> GameHead:
        head = self.folder.read_head(self.key)
        assert head
        return head

    def change_head(self, **columns: Any) -> None:
        self.folder.write_head(self.key, structs.replace(self.head(), **columns))


@asynccontextmanager
async def serving(folder: PageFolder, key: str, address: str = ADDRESS) -> AsyncIterator[Served]:
    server = test_utils.TestServer(create_site(folder, address))
    await server.start_server()
    async with ClientSession() as client:
        try:
            yield Served(folder, key, server, client)
        finally:
            await server.close()


@pytest.fixture(scope="module")
def written(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> PageFolder:
    """Play a round of a game with a page, once for all tests."""
    folder = tmp_path_factory.mktemp("written")
    file = shutil.copy(empty_database, folder / "games.sqlite")
    pages = {"public_url": ADDRESS, "pages_dir": str(folder / "pages")}
    site = Sea(f"sqlite+aiosqlite:///{file}", here.workers(), itertools.count(1), **SETTINGS, **pages)

    async def play() -> None:
        async with site.open():
            await site.command(site.manager(), "host settings", pages=True)
            await site.begin_at(AFAR, site.bela)
            await site.both_seal()
            await page_files(site)

    asyncio.run(play())
    return PageFolder(folder / "pages")


@pytest.fixture
async def served(written: PageFolder, tmp_path: Path) -> AsyncIterator[Served]:
    folder = PageFolder(shutil.copytree(written.root, tmp_path / "pages"))
    async with serving(folder, *folder.stored_keys()) as served:
        yield served


async def test_a_page_shows_the_newest_step_and_each_older_one(served: Served) -> None:
    status, page, _ = await served.get("")
    assert status == 200
    assert re.search(r"</svg> anna · Southern fleet \(A1\)|</svg> anna · Northern fleet \(A1\)", page)
    assert re.search(r'<polygon role="button" [^>]* aria-label="A1, ', page)
    assert '<p class="round">Round 1</p>' in page
    assert f'content="{ADDRESS}/g/{served.key}/' in page  # the picture of a posted link
    status, first, _ = await served.get("/r0.1")
    assert status == 200
    assert '<p class="round">Preparations</p>' in first
    assert f"/g/{served.key}/r1.1" in first
    status, part, _ = await served.get("/part/r1.1")
    assert status == 200
    assert "<html" not in part
    assert "Round 1" in part
    assert (await served.get("/r7.1"))[0] == (await served.get("/part/r7.1"))[0] == 404


@pytest.mark.parametrize(
    ("query", "header", "expected"),
    [("?lang=hu", "en", "hu"), ("", "hu-HU,hu;q=0.9", "hu"), ("?lang=xx", "de", "en"), ("?lang=../../etc", "", "en")],
)
async def test_a_page_is_in_its_readers_language(served: Served, query: str, header: str, expected: str) -> None:
    status, page, headers = await served.get(query, headers={"Accept-Language": header})
    assert status == 200
    assert f'<html lang="{expected}">' in page
    assert ("1. kör" in page) == (expected == "hu")
    assert headers["Cache-Control"] == "no-store"  # so no cache gives it to a reader of another language


async def test_every_answer_forbids_scripts_frames_sniffing_and_search(served: Served) -> None:
    paths = [f"/g/{served.key}", f"/g/{served.key}/head", "/rules/matchbox", "/robots.txt", "/", "/nothing", "/g/x"]
    for path in paths:
        _, _, headers = await served.ask(path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in headers["X-Robots-Tag"]
        assert "Set-Cookie" not in headers
        assert "aiohttp" not in headers["Server"]
    status, _, headers = await served.get("", headers={"Expect": "x"})
    assert (status, headers["X-Content-Type-Options"]) == (417, "nosniff")
    assert "Disallow: /" in (await served.ask("/robots.txt"))[1]


async def test_files_never_change_and_pages_are_never_kept(served: Served) -> None:
    steps = served.head().steps
    for name in (steps[0].picture, steps[-1].film, steps[0].data):
        status, _, headers = await served.get(f"/{name}")
        assert status == 200
        assert "immutable" in headers["Cache-Control"]
    _, _, headers = await served.get(f"/{steps[0].picture}")
    assert headers["Content-Type"] == "image/webp"
    assert not {"Last-Modified", "ETag"} & headers.keys()  # they would say when the file was written
    written_at = {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    for conditions in (written_at, {"If-Match": '"x"'}, {"Range": "bytes=99999999-"}):
        assert (await served.get(f"/{steps[0].picture}", headers=conditions))[0] == 200
    length = headers["Content-Length"]
    status, body, headers = await served.get(f"/{steps[0].picture}", method="HEAD")
    assert (status, body, headers["Content-Length"]) == (200, "", length)
    assert (await served.get("/head.json"))[0] == 404
    status, _, headers = await served.get("/head")
    assert status == 200
    again, body, _ = await served.get("/head", headers={"If-None-Match": headers["ETag"]})
    assert (again, body) == (304, "")


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/head.json",
        "/..%2fhead.json",
        "/head.json%00.png",
        "//etc/passwd",
        "/" + "a" * 32 + ".png",
        "/" + "a" * 32 + ".html",
        "/part/..%2f..%2fhead",
        "/r" + "9" * 5000 + ".1",
    ],
)
async def test_no_path_leads_out_of_a_page(served: Served, path: str) -> None:
    status, body, _ = await served.get(path)
    assert status in (400, 404, 414)
    assert "root:" not in body
    assert "titles" not in body


async def test_an_address_without_a_page_is_explained_to_people(served: Served) -> None:
    for path in (f"/g/{new_key()}", "/nothing", "/rules/nothing"):
        status, page, headers = await served.ask(path, headers={"Accept": "text/html", "Accept-Language": "hu"})
        assert status == 404
        assert "Itt nincs lap" in page
        assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "<html" not in (await served.ask(f"/g/{new_key()}/head"))[1]


async def test_keys_cannot_be_guessed_listed_or_forged(served: Served) -> None:
    for key in (new_key(), served.key[:-1], served.key + "A", served.key.swapcase(), "..", "%2e%2e", "A" * 22):
        assert (await served.ask(f"/g/{key}"))[0] == 404
        assert (await served.ask(f"/g/{key}/head"))[0] == 404
    assert served.key not in (await served.ask("/"))[1]
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert (await served.ask(f"/g/{served.key}", method))[0] == 405


async def test_names_are_text_in_a_page_wherever_they_stand(served: Served) -> None:
    everywhere = {language: {0: EVIL, 1: EVIL} for language in ("en", "hu")}
    served.change_head(server=EVIL, titles={"en": EVIL, "hu": EVIL}, captains=everywhere)
    for path in ("", "/r0.1", "/part/r1.1", "?lang=hu"):
        status, page, _ = await served.get(path)
        assert status == 200
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert "{{7*7}}" in page  # names are no templates


async def test_a_page_that_is_removed_is_gone_with_all_its_files(served: Served) -> None:
    step = served.head().steps[0]
    served.folder.remove(served.key)
    for path in ("", "/head", "/live", "/r0.1", "/part/r0.1", f"/{step.picture}", f"/{step.data}"):
        assert (await served.get(path))[0] == 404


async def test_streams_tell_of_a_new_step_and_of_the_end_of_a_page(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "WATCH_S", 0.05)
    async with served.client.get(served.url("/live")) as stream:
        lines = stream.content
        assert json.loads((await lines.readline()).removeprefix(b"data: "))["steps"] == ["r0.1", "r1.1"]
        steps = served.head().steps
        served.change_head(steps=(*steps, structs.replace(steps[-1], label="r2.1")))
        await lines.readline()
        assert json.loads((await lines.readline()).removeprefix(b"data: "))["steps"][-1] == "r2.1"
        served.change_head(server="another name")  # of this a script needs to know nothing
        served.folder.remove(served.key)
        await lines.readline()
        assert await lines.readline() == b"event: gone\n"


async def test_streams_go_on_after_a_look_that_failed(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watching, "WATCH_S", 0.05)
    head = served.folder.root / served.key / "head.json"
    async with served.client.get(served.url("/live")) as stream:
        assert await stream.content.readline()
        await asyncio.to_thread(head.unlink)
        await asyncio.to_thread(head.mkdir)  # which can't be read
        for _ in range(1000):
            if "a page could not be looked at" in caplog.text:
                break
            await asyncio.sleep(0.01)
        assert (await served.get(""))[0] == 500
        await asyncio.to_thread(head.rmdir)
        await stream.content.readline()
        assert await stream.content.readline() == b"event: gone\n"
    assert "a page was not served" in caplog.text
    assert served.key not in caplog.text


class SlowReader:
    """Asks for a file over a connection of its own, and does not read the answer."""

    def __init__(self, served: Served, name: str) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(served.address)
        self._socket.sendall(f"GET /g/{served.key}/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert self._socket.recv(12) == b"HTTP/1.1 200"

    def read_rest(self) -> int:
        """Return the bytes that arrive before the connection ends."""
        count = 0
        with self._socket, suppress(ConnectionError):
            while data := self._socket.recv(2**20):
                count += len(data)
        return count


async def test_readers_who_do_not_read_keep_no_place(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    film = await asyncio.to_thread(served.folder.write_file, served.key, bytes(FILM_BYTES), "webp")
    other = "/" + await asyncio.to_thread(served.folder.write_file, served.key, bytes(300_000), "webp")
    monkeypatch.setattr(sending, "MAX_DOWNLOADS", 1)
    reader = await asyncio.to_thread(SlowReader, served, film)
    status, _, headers = await served.get(other)
    assert status == 503
    assert headers["Retry-After"]
    assert headers["Connection"] == "close"
    assert (await served.get(f"/{served.head().steps[0].picture}"))[0] == 200  # pictures have places of their own
    with monkeypatch.context() as patch:  # who has had a place for long makes room
        patch.setattr(sending, "MIN_DOWNLOAD_S", 0)
        assert (await served.get(other))[0] == 200
    assert await asyncio.to_thread(reader.read_rest) < FILM_BYTES
    monkeypatch.setattr(sending, "MAX_PART_S", 0.5)  # and who takes nothing loses it though nobody else waits
    reader = await asyncio.to_thread(SlowReader, served, film)
    for _ in range(100):
        if (await served.get(other))[0] == 200:
            break
        await asyncio.sleep(0.05)
    assert await asyncio.to_thread(reader.read_rest) < FILM_BYTES


@pytest.mark.parametrize("name", ["r1.1", "record", "head"])
async def test_readers_who_do_not_read_lose_their_connection(
    served: Served, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    record = served.folder.root / served.key / "record.json"
    await asyncio.to_thread(record.write_bytes, bytes(FILM_BYTES))
    entry = served.head().steps[-1]
    labels = ("x" * FILM_BYTES, entry.label) if name == "head" else (entry.label,)
    steps = tuple(structs.replace(entry, label=label) for label in labels)
    served.change_head(is_over=True, titles={"en": "x" * FILM_BYTES, "hu": ""}, steps=steps)
    monkeypatch.setattr(sending, "MAX_PART_S", 0.2)
    reader = await asyncio.to_thread(SlowReader, served, name)
    for _ in range(100):
        if not served.connection_count():
            break
        await asyncio.sleep(0.05)
    assert served.connection_count() == 0
    assert await asyncio.to_thread(reader.read_rest) < FILM_BYTES


async def test_all_readers_of_a_game_share_one_look_at_its_head(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "WATCH_S", 0.05)
    looks, read_head = list[str](), PageFolder.read_head

    def count_looks(folder: PageFolder, key: str) -> GameHead | None:
        looks.append(key)
        return read_head(folder, key)

    streams = [await served.client.get(served.url("/live")) for _ in range(20)]
    monkeypatch.setattr(PageFolder, "read_head", count_looks)
    served.change_head(is_over=True)
    looks.clear()
    for stream in streams:
        while b'"over":true' not in await stream.content.readline():
            pass
        stream.close()
    assert len(looks) < len(streams)


async def test_a_step_that_grows_has_another_mark(served: Served) -> None:
    _, before, _ = await served.get("/head")
    steps = served.head().steps
    served.change_head(steps=(steps[0], structs.replace(steps[1], data=f"{'e' * 32}.json")))
    _, after, _ = await served.get("/head")
    assert json.loads(after)["steps"] == json.loads(before)["steps"]
    assert json.loads(after)["marks"][0] == json.loads(before)["marks"][0]
    assert json.loads(after)["marks"][1] == "eeeeeeee"


async def test_streams_have_a_limit_and_free_their_places(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_module, "MAX_STREAMS", 2)
    monkeypatch.setattr(site_module, "CHECK_S", 0.05)
    streams = [await served.client.get(served.url("/live")) for _ in range(2)]
    status, _, headers = await served.get("/live")
    assert status == 503
    assert headers["Retry-After"]
    assert (await served.get("/head"))[0] == 200
    for stream in streams:
        stream.close()
    for _ in range(100):  # a reader who has left is noticed though the game doesn't go on
        await asyncio.sleep(0.05)
        async with served.client.get(served.url("/live")) as again:
            if again.status == 200:
                return
    raise AssertionError("places of streams never come back")


@pytest.mark.parametrize("content", [b"", b"{}", b"not json", b'{"number": "x"}', b"\xff\xfe"])
async def test_a_head_that_cannot_be_read_is_no_page(served: Served, content: bytes) -> None:
    await asyncio.to_thread((served.folder.root / served.key / "head.json").write_bytes, content)
    assert (await served.get(""))[0] == 404


@pytest.mark.parametrize("field", ["view", "events"])
async def test_a_step_of_another_version_is_to_be_drawn_again(served: Served, field: str) -> None:
    entry = served.head().steps[-1]
    step = served.folder.read_step(served.key, entry.data)
    assert step
    other = structs.replace(step, **{field: msgspec.Raw(b'{"type": "Other"}')})
    name = await asyncio.to_thread(served.folder.write_step, served.key, other)
    served.change_head(steps=(structs.replace(entry, data=name),))
    assert (await served.get(""))[0] == 503
    [request] = await asyncio.to_thread(served.folder.requests)
    assert request.key == served.key
    async with serving(served.folder, served.key, f"{ADDRESS}/galley") as below:
        page = (await below.get(""))[1]
    assert {*re.findall(r'href="(\S*/g/[^"?]*)', page)} == {f"/galley/g/{served.key}"}


async def test_the_first_page_says_what_each_game_is_about(served: Served) -> None:
    for language, expected in (("en", "Galleys made of matchboxes row"), ("hu", "Gyufásdobozból készült gályák")):
        _, page, _ = await served.ask(f"/?lang={language}")
        assert expected in page
        assert f'href="/rules/matchbox?lang={language}"' in page


@pytest.mark.parametrize("system", SYSTEMS)
async def test_each_anchor_of_a_rulebook_is_one_place(served: Served, system: str) -> None:
    _, page, _ = await served.ask(f"/rules/{system}")
    anchors = re.findall(r' id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))


async def test_a_fault_in_the_middle_of_an_answer_adds_nothing_to_it(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise ValueError("a fault")

    monkeypatch.setattr(sending, "_read_part", fail)
    url = URL(served.url(f"/{served.head().steps[0].picture}"))
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(f"GET {url.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    received = bytearray()
    with suppress(ConnectionResetError):
        while part := await reader.read(1024):
            received += part
    writer.close()
    assert b"500" not in received


async def test_rulebooks_are_pages_whose_numbers_are_anchors(served: Served) -> None:
    status, page, _ = await served.ask("/rules/matchbox?lang=hu")
    assert status == 200
    assert 'id="MB-5.8"' in page
    assert "Az a fél győz" in page
    assert re.search(r'data-tags="[^"]*parancsok', page)  # words for the search
    assert 'href="/rules/matchbox?lang=hu#MB-5.8"' in page
    assert (await served.ask("/rules/nothing"))[0] == 404
    _, part, _ = await served.get("/part/r1.1")
    assert 'href="/rules/matchbox?lang=en#MB-' in part


def test_a_folder_takes_no_key_of_another_form(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    for key in ("", "..", "a/b", "A" * 21, "A" * 23, "A" * 21 + "\n"):
        with pytest.raises(ValueError, match="key"):
            folder.write_file(key, b"", "png")
    assert [*tmp_path.iterdir()] == []
    assert folder.stored_keys() == []


def test_only_files_in_the_folder_itself_are_found(tmp_path: Path) -> None:
    folder, (key, linked) = PageFolder(tmp_path / "pages"), (new_key(), new_key())
    name = folder.write_file(key, b"picture", "png")
    (folder.root / key / "head.json").touch()
    assert folder.file_path(key, name)
    (folder.root / linked).symlink_to(folder.root / key)
    (tmp_path / "secret").touch()
    (folder.root / key / f"{'a' * 32}.png").symlink_to(tmp_path / "secret")
    assert folder.file_path(key, f"{'a' * 32}.png") is None
    assert folder.file_path(linked, name) is None
    assert folder.stored_keys() == [key]


def test_requests_are_found_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    folder, keys = PageFolder(tmp_path), sorted([new_key(), new_key(), new_key()], reverse=True)
    for index, key in enumerate(keys):
        folder.write_file(key, b"", "png")
        folder.request_drawing(key)
        os.utime(tmp_path / "requests" / key, (index, index))
    assert [request.key for request in folder.requests()] == keys


def test_one_of_several_databases_that_start_at_once_owns_a_folder(tmp_path: Path) -> None:
    barrier = Barrier(OWNERS)

    def claim(owner: int) -> bool:
        barrier.wait()
        return PageFolder(tmp_path).claim(str(owner))

    with ThreadPoolExecutor(OWNERS) as pool:
        assert [*pool.map(claim, range(OWNERS))].count(True) == 1


async def test_each_step_says_how_the_game_stands_and_what_its_marks_mean(served: Served) -> None:
    for label in ("r0.1", "r1.1"):
        _, part, _ = await served.get(f"/part/{label}")
        assert re.search(r"<li>anna: ships afloat 1 · port oars \d/\d · starboard oars \d/\d · masts \d/\d</li>", part)
        assert "What the marks mean" in part
        legend = part.partition("What the marks mean")[2]
        assert "F row ahead" in legend
        samples = re.findall(r'<svg class="sample" viewBox="0 (\d+) (\d+) (\d+)".*?href="/g/[^/]*/([^"]*)"', legend)
        assert len(samples) == legend.count("<li>") >= 2
        status, _, headers = await served.get(f"/{samples[0][3]}")
        assert (status, headers["Content-Type"]) == (200, "image/webp")


async def test_a_long_description_of_a_picture_leads_to_the_rest_on_the_page(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "All of it is below" not in (await served.get(""))[1]
    monkeypatch.setattr(speech, "MAX_ALT_CHARS", 300)
    _, page, _ = await served.get("")
    assert re.search(r'alt="[^"]*… All of it is below, under “The table in words” and “Dice and rules”."', page)
    assert "galley status" not in page


async def test_a_captain_who_has_lost_all_ships_to_captors_keeps_a_side(served: Served) -> None:
    entry = served.head().steps[-1]
    step = served.folder.read_step(served.key, entry.data)
    assert step
    view = json.loads(bytes(step.view))
    view["pieces"] = [piece for piece in view["pieces"] if piece["seat"] == 0]
    seats = (step.seats[0], structs.replace(step.seats[1], ships=()))
    captured = structs.replace(step, view=msgspec.Raw(json.dumps(view).encode()), seats=seats)
    name = await asyncio.to_thread(served.folder.write_step, served.key, captured)
    served.change_head(steps=(structs.replace(entry, data=name),))
    _, page, _ = await served.get("")
    assert re.search(r"</svg> bela · (Southern|Northern) fleet</li>", page)
    assert "<li>bela: no ships</li>" in page


async def test_a_page_of_a_battle_says_which_letter_a_captain_has_in_the_whole_game(served: Served) -> None:
    assert "in the whole game" not in (await served.get(""))[1]
    served.change_head(seats_above=(1, 0))
    page = (await served.get(""))[1]
    assert "(A here, B in the whole game)" in page
    assert "(B here, A in the whole game)" in page
