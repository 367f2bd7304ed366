"""Presses that come twice, too late, together, or from somebody else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sea import AFAR, Sea, refs, text_of

PAIR = f"{AFAR} ; A2:south 5-5+3/5 @700,80^0"
DOOMED = "900x600 ; A1:south 5-5+3/5 @450,150^0 ; B1:north 1-1+1/4 @450,300^90"


@pytest.mark.postgres
@pytest.mark.begun
async def test_letters_pressed_before_the_panel_shows_them_count_in_order(sea: Sea) -> None:
    panel = sea.panel(sea.anna)
    with sea.at_once():
        pressed = [await sea.click_only(sea.anna, panel, refs(panel)[f"press order.{letter}"]) for letter in "FFFFX"]
    await sea.env.settle()
    assert [sea.said(result, pressed=panel.id) for result in pressed] == [""] * 5
    assert _requests(sea)["r1.orders.0"]["draft"] == "A1 FFFFX"
    full = sea.panel(sea.anna)
    assert "**A1** F F F F X" in text_of(full)
    # The same button pressed twice seals once, and no letter from before breaks the seal.
    with sea.at_once():
        twice = [await sea.click_only(sea.anna, full, refs(full)["seal"]) for _ in range(2)]
        twice.append(await sea.click_only(sea.anna, full, refs(full)["press order.back"]))
    await sea.env.settle()
    texts = [sea.said(result, pressed=full.id) for result in twice]
    assert sorted("have changed since" in text for text in texts) == [False, True, True]
    assert _requests(sea)["r1.orders.0"]["status"] == "sealed"
    assert _requests(sea)["r1.orders.0"]["draft"] == "A1 FFFFX"


async def test_a_letter_for_another_galley_than_is_in_hand_is_not_taken(sea: Sea) -> None:
    await sea.begin_at(PAIR, sea.bela)
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    await sea.press(sea.anna, listed, "orders")
    (elsewhere,) = sea.answers
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    await sea.pick(sea.anna, sea.panel(sea.anna), "galley", "galley.A2")
    assert "have changed since" in await sea.press(sea.anna, elsewhere, "press order.F")
    assert _requests(sea)["r1.orders.0"]["draft"] == "A1 F"


async def test_the_last_order_of_a_galley_moves_on_to_the_next_which_gets_no_letter_pressed_too_often(sea: Sea) -> None:
    await sea.begin_at(PAIR, sea.bela)
    panel = sea.panel(sea.anna)
    with sea.at_once():
        pressed = [await sea.click_only(sea.anna, panel, refs(panel)["press order.F"]) for _ in range(6)]
    await sea.env.settle()
    texts = [sea.said(result, pressed=panel.id) for result in pressed]
    assert ["have changed since" in text for text in texts] == [False] * 5 + [True]
    row = _requests(sea)["r1.orders.0"]
    assert (row["draft"], row["focus"]) == ("A1 FFFFF", "A2")
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.L")
    assert _requests(sea)["r1.orders.0"]["draft"] == "A1 FFFFF; A2 L"


@pytest.mark.begun
async def test_old_panels_lose_their_buttons_after_the_end_and_say_so_once(sea: Sea) -> None:
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    old = []
    for _ in range(3):
        await sea.press(sea.anna, listed, "orders")
        old += sea.answers
    await sea.command(sea.bela, "concede")
    (question,) = sea.answers
    await sea.press(sea.bela, question, "concede")
    assert not refs(sea.again(sea.bela, question)), "nothing is left to press twice"
    for panel, key in zip(old, ("press order.F", "type", "press order.R"), strict=True):
        assert not await sea.press(sea.anna, panel, key)
        again = sea.again(sea.anna, panel)
        assert "Game over" in text_of(again)
        assert {*refs(again)} == {"why_last", "replay", "rematch"}


async def test_the_panel_shows_the_end_to_a_captain_who_sealed_the_last_orders_elsewhere(sea: Sea) -> None:
    await sea.begin_at(DOOMED, sea.bela)
    await sea.seal(sea.bela, "B1 F")
    await sea.write(sea.anna, "A1 FFFFF")
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    await sea.press(sea.anna, listed, "orders")
    (elsewhere,) = sea.answers
    await sea.press(sea.anna, elsewhere, "seal")
    await sea.settle()
    for message in (sea.again(sea.anna, elsewhere), sea.dms(sea.anna)[-1]):
        assert "Game over" in text_of(message)
        assert "seal" not in refs(message)


@pytest.mark.begun
async def test_a_panel_elsewhere_that_is_out_of_date_is_shown_again(sea: Sea) -> None:
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    await sea.press(sea.anna, listed, "orders")
    (elsewhere,) = sea.answers
    await sea.write(sea.anna, "A1 R")
    said = await sea.press(sea.anna, elsewhere, "press order.L")
    assert "have changed since" in said  # and how they stand follows at once
    assert "**A1** R" in said
    assert "[your panel](https://discord.com/channels/@me/" in said
    assert _requests(sea)["r1.orders.0"]["draft"] == "A1 R"
    again = sea.again(sea.anna, elsewhere)
    assert "**A1** R\n" in text_of(again)
    await sea.press(sea.anna, again, "press order.L")
    assert _requests(sea)["r1.orders.0"]["draft"] == "A1 RL"
    assert "**A1** R L" in text_of(sea.panel(sea.anna))  # the panel follows what was pressed elsewhere


@pytest.mark.postgres
@pytest.mark.begun
async def test_two_captains_seal_at_the_same_moment(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 FFFFF")
    panels = [(who, sea.panel(who)) for who in (sea.anna, sea.bela)]
    with sea.at_once():
        for who, panel in panels:
            await sea.click_only(who, panel, refs(panel)["seal"])
    await sea.env.settle()
    assert len(sea.rows("steps")["steps"]) == 2
    assert sea.told().count("### ") == 2
    for who in (sea.anna, sea.bela):
        assert (await sea.asked(who)).row.body.round == 2
        assert sum("type" in refs(message) or "unseal" in refs(message) for message in sea.dms(who)) == 1


async def test_two_messages_written_together_both_count(sea: Sea) -> None:
    await sea.begin_at(PAIR, sea.bela)
    with sea.at_once():
        await sea.anna.user.send_dm("A1 FFFFF")
        await sea.anna.user.send_dm("A2 RFFFF")
    await sea.env.settle()
    draft = _requests(sea)["r1.orders.0"]["draft"]
    assert sorted(draft.split("; ")) == ["A1 FFFFF", "A2 RFFFF"]
    (panel,) = [message for message in sea.dms(sea.anna) if message.author.bot]
    assert all(orders in text_of(panel) for orders in ("F F F F F", "R F F F F"))
    assert panel.id == sea.dms(sea.anna)[-1].id


@pytest.mark.begun
async def test_a_change_after_sealing_breaks_the_seal_and_says_so(sea: Sea) -> None:
    await sea.seal(sea.anna, "A1 FFFFF")
    assert len(sea.rows("answers")["answers"]) == 1
    assert "Sealed by anna" in sea.told()
    assert "waiting for bela." in text_of(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "unseal")
    assert not sea.rows("answers")["answers"]
    assert "Sealed by anna" not in sea.told()
    assert "waiting for orders from anna and bela" in sea.told()
    assert "A1 FFFFF" in _requests(sea)["r1.orders.0"]["draft"]
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert "You've broken the seal" in await sea.write(sea.anna, "A1 RFFFF")
    assert not sea.rows("answers")["answers"]
    assert "Sealed by anna" not in sea.told()
    assert "waiting for orders from anna and bela" in sea.told()


@pytest.mark.postgres
async def test_two_press_join_for_the_last_seat(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    lobby = sea.channel.last_message
    guests = (sea.bela, sea.cili)
    forms = [await sea.click_only(who, lobby, refs(lobby)["join 1"]) for who in guests]
    with sea.at_once():
        results = [await who.submit_modal(form, {"text": ""}) for who, form in zip(guests, forms, strict=True)]
    await sea.env.settle()
    said = [sea.said(result, pressed=lobby.id) for result in results]
    assert sorted(("Welcome" in text, "taken" in text) for text in said) == [(False, True), (True, False)]
    assert len({row["user_id"] for row in sea.rows("seats")["seats"]}) == 2


async def test_start_pressed_twice_begins_once(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    await sea.command(sea.bela, "join")
    lobby = sea.channel.last_message
    with sea.at_once():
        results = [await sea.click_only(sea.anna, lobby, refs(lobby)["start"]) for _ in range(2)]
    await sea.env.settle()
    said = [sea.said(result, pressed=lobby.id) for result in results]
    assert sorted(("has started" in text, "already begun" in text) for text in said) == [(False, True), (True, False)]
    assert len(sea.channel.threads) == 1
    assert len(sea.rows("steps")["steps"]) == 1


@pytest.mark.begun
async def test_a_stranger_presses_what_is_not_theirs(sea: Sea) -> None:
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    await sea.press(sea.anna, listed, "orders")
    before, text = sea.rows(), text_of(sea.panel(sea.anna))
    assert "aren't a captain" in await sea.press(sea.cili, listed, "orders")
    assert "aren't a captain" in await _press_another_s(sea, sea.cili, sea.anna, "press order.F")
    assert "aren't a captain" in await _press_another_s(sea, sea.cili, sea.anna, "type")
    assert "has continued meanwhile" in await _press_another_s(sea, sea.bela, sea.anna, "press order.F")
    assert "aren't a captain" in await sea.command(sea.cili, "concede", at=sea.thread)
    assert "aren't a captain" in await sea.command(sea.cili, "draw", at=sea.thread)
    assert sea.rows() == before
    assert text_of(sea.panel(sea.anna)) == text


@pytest.mark.begun
async def test_a_spectator_looks_on(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FLFRF")
    story = next(message for message in sea.thread.history() if "view" in refs(message))
    await sea.press(sea.cili, story, "view")
    (view,) = sea.answers
    assert view.flags.ephemeral
    assert view.attachments
    assert "A1" in text_of(view)
    assert "FLFRF" not in f"{text_of(view)} {view.attachments[0].description}"
    await sea.press(sea.anna, story, "view")
    assert "A1 FLFRF: if nothing gets in her way" in sea.answers[0].attachments[0].description
    assert "A1 FLFRF: if nothing gets in her way" in text_of(sea.answers[0])
    await sea.press(sea.cili, story, "log")
    assert sea.answers[0].flags.ephemeral


async def _press_another_s(sea: Sea, who: Any, owner: Any, key: str) -> str:
    """Press a button of somebody else's panel, as if one could: with its custom id on a message of one's own."""
    ref = refs(sea.panel(owner))[key]
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    stored = sea.env.backend.get_message(listed.channel.id, listed.id)
    button = next(part for part in stored.components[0]["components"] if part["type"] == 1)["components"][0]
    own_id, button["custom_id"] = button["custom_id"], ref.pack()
    try:
        return await sea.click(who, listed, ref)
    finally:
        if any(part is button for part in _all(stored.components)):
            button["custom_id"] = own_id


def _all(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for component in components for part in (component, *_all(component.get("components", [])))]


def _requests(sea: Sea) -> dict[str, Any]:
    return {row["id"]: row for row in sea.rows("requests")["requests"]}
