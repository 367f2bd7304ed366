"""Exports of games that were played through the bot, as the files that its users get."""

from __future__ import annotations

from typing import Any

from bot.sandbox import private
from tests.sea import ABEAM, Sea


async def exported(sea: Sea, who: Any, game: int = 1) -> bytes:
    said = await sea.command(who, "export", game=str(game))
    (answer,) = sea.answers
    assert answer.flags.ephemeral, said
    file, *pages = answer.attachments
    assert all(page.filename.endswith(".html") for page in pages)  # the chronicle of a season
    assert file.filename == f"war-galley-{game}.json"
    return private.uploaded_files(sea.env.backend)[file.url]


async def sealed(sea: Sea, who: Any, text: str) -> None:
    await sea.seal(who, text)


async def a_round(sea: Sea) -> None:
    """Play a round in which two galleys side by side fire; one captain decides where the volley drops."""
    await sea.begin_at(ABEAM, sea.bela)
    await sealed(sea, sea.anna, "A1 XLFFF; aim ask")
    await sealed(sea, sea.bela, "B1 XRFFF")
    while (pending := await sea.asked(sea.anna)) and pending.row.body.live:
        await sealed(sea, sea.anna, "safe")


async def a_game(sea: Sea) -> None:
    """Play a round, pause and resume; one captain misses the second round, and gives up in the third after the other
    seals."""
    await a_round(sea)
    await sea.bot.services.timekeeping.pause_game(sea.anna.id, 1, sanctioned=True)
    await sea.settle()
    await sea.command(sea.anna, "host resume", game="1")
    await sealed(sea, sea.anna, "A1 LXFXF")
    await sea.env.advance_time(86_401)
    await sea.env.settle()
    await sealed(sea, sea.anna, "A1 FXLXF")
    await sea.concede(sea.bela)
