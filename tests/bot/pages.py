"""The pages of games that a bot has written."""

from __future__ import annotations

import asyncio
import re

from aiohttp import ClientSession, test_utils

from bot.pages.site import create_site
from tests.sea import Sea

ADDRESS = "https://pages.example"


def key_of(sea: Sea, number: int = 1) -> str | None:
    return next(row["page_key"] for row in sea.rows("games")["games"] if row["id"] == number)


_TOKEN = re.compile(rb"(?<=\"token\":\")[0-9a-f]{22}")
_TOKEN_IN_ADDRESS = re.compile(r"(?<=captain[/=])[0-9a-f]{22}")


async def archive_files(sea: Sea) -> list[bytes]:
    """Return the files of all archives, without the random keys and tokens in them, once all have been written."""
    await page_files(sea)
    return await asyncio.to_thread(_read_archives, sea)


async def page_files(sea: Sea) -> list[dict[str, bytes]]:
    """Return the files of each page by name, in no particular order of keys, once all have been written."""
    assert sea.bot.pages
    await sea.settle()
    await sea.bot.pages.settle()
    await sea.settle()
    return await asyncio.to_thread(_read, sea)


async def page_answers(sea: Sea) -> list[str]:
    """Return what the site answers about each page and archive, with headers, without the random keys and tokens."""
    assert sea.bot.pages
    folder = sea.bot.pages.folder
    paths: list[str] = []
    for key in await asyncio.to_thread(folder.stored_keys):
        head = await asyncio.to_thread(folder.read_head, key)
        if head and head.steps:
            last = head.steps[-1]
            kinds = ("", "?lang=hu", "/head", "/files", "/record", f"/part/{last.label}", f"/{last.picture}")
            paths += [f"/g/{key}{kind}" for kind in kinds]
    for key in await asyncio.to_thread(folder.stored_archives):
        paths += [f"/s/{key}", f"/s/{key}/ladder"]
    server = test_utils.TestServer(create_site(folder, ADDRESS))
    await server.start_server()
    answers: list[str] = []
    async with ClientSession() as client:
        for path in paths:
            async with client.get(f"http://{server.host}:{server.port}{path}") as answer:
                headers = sorted(item for item in answer.headers.items() if item[0] != "Date")
                answers.append(f"{answer.status} {headers}\n{(await answer.read())!r}")
    await server.close()
    keys = [*await asyncio.to_thread(folder.stored_keys), *await asyncio.to_thread(folder.stored_archives)]
    for key in keys:
        answers = [answer.replace(key, "key") for answer in answers]
    return sorted(_TOKEN_IN_ADDRESS.sub("token", answer) for answer in answers)


def _read(sea: Sea) -> list[dict[str, bytes]]:
    assert sea.bot.pages
    folder = sea.bot.pages.folder
    pages = [{path.name: path.read_bytes() for path in (folder.root / key).iterdir()} for key in folder.stored_keys()]
    return sorted(pages, key=lambda files: sorted(files.items()))


def _read_archives(sea: Sea) -> list[bytes]:
    assert sea.bot.pages
    folder = sea.bot.pages.folder
    files = sorted((folder.root / "servers").rglob("*.json"))
    keys = [*folder.stored_keys(), *folder.stored_archives()]
    contents = [path.read_bytes() for path in files]
    for key in keys:
        contents = [content.replace(key.encode(), b"key") for content in contents]
    return sorted(_TOKEN.sub(b"token", content) for content in contents)
