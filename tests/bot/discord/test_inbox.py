"""`/galley games`: whose turn it is, until when, and a button to each panel."""

from __future__ import annotations

import pytest

from bot.discord.messages import inbox
from tests.sea import AFAR, Sea, refs, text_of


async def test_ones_games_with_ones_turn_first(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no games here" in await sea.command(sea.anna, "games")
    await sea.begin_at(AFAR, sea.bela, phase="2h")
    await sea.begin_at(AFAR, computer=1, phase="8h")
    await sea.command(sea.anna, "new", galleys="1")
    listing = await sea.command(sea.anna, "games")
    games = {row["id"]: row for row in sea.rows("games")["games"]}
    first, second, third = listing.splitlines()[1:]
    assert first.startswith("**#1 War Galley · anna – bela** · ")
    assert f"**your turn**, <t:{games[1]['deadline']}:R>" in first
    assert f"<#{games[1]['thread_id']}>" in first
    assert second.startswith("**#2 ")
    assert f"**your turn**, <t:{games[2]['deadline']}:R>" in second
    assert third.startswith("**#3 ")
    assert "waiting for captains" in third
    # A button leads to the panel of each game that asks the captain anything.
    (answer,) = sea.answers
    assert [ref.game for ref in refs(answer).values() if ref.verb == "orders"]
    labels = [part.label for row in answer.components[0].children for part in getattr(row, "children", [])]
    assert [label.split()[0] for label in labels] == ["#1", "#2"]
    # Once a captain has sealed, the game waits for the other one, and comes after the games that wait for this one.
    await sea.write(sea.anna, "#1 A1 FFFFF")
    seal = next(message for message in reversed(sea.dms(sea.anna)) if refs(message).get("seal"))
    await sea.click(sea.anna, seal, refs(seal)["seal"])
    one, other, _ = (await sea.command(sea.anna, "games")).splitlines()[1:]
    assert one.startswith("**#2 ")
    assert "waiting for bela, <t:" in other
    (answer,) = sea.answers
    await sea.click(sea.anna, answer, next(ref for ref in refs(answer).values() if ref.verb == "orders"))
    assert "#" in "".join(map(text_of, sea.answers))
    # Many games have pages.
    monkeypatch.setattr(inbox, "MAX_GAMES_PER_PAGE", 2)
    await sea.command(sea.anna, "games")
    (answer,) = sea.answers
    assert "#3" not in text_of(answer)
    await sea.press(sea.anna, answer, "games 1")
    assert "**#3 " in text_of(sea.again(sea.anna, answer))
    sea.languages[sea.bela.id] = "hu"
    assert "te következel" in await sea.command(sea.bela, "games")
