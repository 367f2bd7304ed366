"""Answers given ahead: at the end of a game, when it goes back, and when another takes the seat."""

from __future__ import annotations

from bot.record.export import check_export, encode_export
from bot.store.models.records import Player
from tests.sea import Sea
from tests.toygame.test_play import begin_duel, go_back, row, wind_panel


async def begun(sea: Sea) -> None:
    await begin_duel(sea)
    await sea.seal(sea.anna, "A1 E2; A2 E1")


async def holds(sea: Sea) -> None:
    paper = await sea.bot.services.archive.export_finished(1)
    assert check_export(encode_export(paper), paper.digest) is None
    assert check_export(encode_export(paper), paper.digest, await published_hashes(sea)) is None


async def published_hashes(sea: Sea):
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


async def test_what_a_captain_seals_is_not_taken_for_the_seal_of_one_before_them(sea: Sea) -> None:
    await begun(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.bot.services.absence.take_over_seat(Player(user_id=sea.cili.id, name="cili", locale="en"), 1, 0)
    await sea.settle()
    assert row(sea, "r1.orders.0")["inherited"]
    # As if the wind had sunk a ship: what was given ahead cannot be carried out.
    sea.change_rows("UPDATE steps SET state = json_remove(state, '$.ships[1]')")
    await sea.press(sea.bela, await wind_panel(sea, sea.bela), "press calm")
    assert row(sea, "r1.orders.0")["status"] == "open"
    await sea.press(sea.cili, sea.panel(sea.cili), "seal")
    assert row(sea, "r1.orders.0")["status"] == "sealed"
    assert not row(sea, "r1.orders.0")["inherited"]  # it is Cili's own: going back breaks it, and the panel says so
