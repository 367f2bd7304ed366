"""Answers given ahead: at the end of a game, when it goes back, and when a computer takes the seat."""

from __future__ import annotations

from bot.record.export import check_export, encode_export
from tests.sea import Sea
from tests.toygame.test_play import begin_duel, go_back, row, wind_panel


async def begun(sea: Sea) -> None:
    await begin_duel(sea)
    await sea.seal(sea.anna, "A1 E2; A2 E1")


async def holds(sea: Sea) -> None:
    paper = await sea.bot.services.archive.export_finished(1)
    assert check_export(encode_export(paper), paper.digest) is None
    assert check_export(encode_export(paper), paper.digest, await kept(sea)) is None


async def kept(sea: Sea):
    async with sea.bot.services.store.read() as tx:
        return await tx.published_hashes.of_game(1)


async def test_an_answer_ahead_that_was_never_asked_for_leaves_a_record_that_holds(sea: Sea) -> None:
    await begun(sea)
    await sea.concede(sea.bela)
    await holds(sea)


async def test_an_answer_ahead_changed_after_its_hash_was_shown_leaves_a_record_that_holds(sea: Sea) -> None:
    await begun(sea)
    await sea.seal(sea.anna, "A1 N1")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    await sea.concede(sea.bela)
    await holds(sea)


async def test_a_void_answer_leaves_a_record_that_holds_after_going_back(sea: Sea) -> None:
    await begun(sea)
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    await sea.seal(sea.bela, "hold")
    await sea.settle()
    await go_back(sea)
    await sea.seal(sea.anna, "A1 E1")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press breeze")
    assert row(sea, "r1.orders.0")["status"] == "sealed"
    await sea.concede(sea.bela)
    await holds(sea)
