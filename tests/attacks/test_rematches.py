"""A rematch begins by itself only as it was promised: its host may not choose other settings behind others' backs."""

from __future__ import annotations

from typing import Any

import pytest

from bot.texts.i18n import Catalogue
from rules.core.registry import RULESETS
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")
AN_ISLAND = "900x600; map:skerry"


async def option(sea: Sea) -> None:
    await sea.bot.services.lobbies.choose_option(sea.anna.id, 2, "galleys", "4")


async def game(sea: Sea) -> None:
    await sea.bot.services.lobbies.choose_game(sea.anna.id, 2, "ramspeed")


async def own_map(sea: Sea) -> None:
    await sea.bot.services.lobbies.set_scenario(sea.anna.id, 2, AN_ISLAND)


async def asked_for(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela, 1)
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    await sea.press(sea.anna, end, "rematch")


@pytest.mark.parametrize("setting", [{"reminders": "none"}, {"away": "tomorrow"}])
async def test_who_is_away_or_wants_no_reminders_is_asked_for_no_rematch_but_has_a_seat(
    sea: Sea, setting: dict[str, str]
) -> None:
    await sea.command(sea.bela, "me", **setting)
    await asked_for(sea)
    assert not [message for message in sea.dms(sea.bela) if "decline_rematch" in refs(message)]
    assert sea.bela.id in [seat["kept_for"] for seat in sea.rows("seats")["seats"]]


@pytest.mark.parametrize("other", [option, game, own_map])
async def test_who_accepts_a_rematch_that_is_another_game_by_now_reads_so_and_does_not_begin_it(
    sea: Sea, other: Any
) -> None:
    await asked_for(sea)
    invitation = next(message for message in reversed(sea.dms(sea.bela)) if "decline_rematch" in refs(message))
    assert "same settings" in text_of(invitation)
    await other(sea)
    await sea.env.advance_time(60)
    invitation = sea.again(sea.bela, invitation)
    assert "other settings" in text_of(invitation)
    await sea.press(sea.bela, invitation, "rematch")
    (_, again) = sea.rows("games")["games"]
    assert again["phase"] == "lobby"
    assert sea.bela.id in [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]


async def test_a_rematch_by_another_edition_is_not_called_the_same_and_does_not_begin_by_itself(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela, 1)
    monkeypatch.setattr(RULESETS["matchbox"], "edition", 2)
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    assert "changed since" in await sea.press(sea.anna, end, "rematch")
    invitation = next(message for message in reversed(sea.dms(sea.bela)) if "decline_rematch" in refs(message))
    assert "other settings" in text_of(invitation)
    await sea.press(sea.bela, invitation, "rematch")
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["over", "lobby"]


async def over(sea: Sea, who: Any) -> Any:
    await sea.begin_at(AFAR, who)
    await sea.concede(who, 1)
    return next(message for message in reversed(sea.dms(who)) if "rematch" in refs(message))


async def test_who_is_no_member_any_more_opens_no_rematch_from_direct_messages(sea: Sea) -> None:
    mine = await over(sea, sea.bela)
    sea.guild.remove_member(sea.bela)
    await sea.settle()
    await sea.press(sea.bela, mine, "rematch")
    assert len(sea.rows("games")["games"]) == 1


@pytest.mark.parametrize(("creates", "holds"), [(True, True), (False, True), (True, False), (False, False)])
async def test_the_role_of_creators_counts_in_direct_messages_too(
    sea: Sea, creates: bool, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the bot that hears the press doesn't hold the server's shard, and so knows nothing of it."""
    role = sea.guild.create_role("hosts")
    emma = sea.guild.add_member(sea.env.create_user("emma"), roles=[role] if creates else [])
    mine = await over(sea, emma)
    await sea.command(sea.manager(), "host settings", creators=role)
    if not holds:
        monkeypatch.setattr(type(sea.bot), "get_guild", lambda _, number: None)
    await sea.press(emma, mine, "rematch")
    assert len(sea.rows("games")["games"]) == 1 + creates


@pytest.mark.parametrize("other", [option, game])
async def test_who_joins_a_rematch_that_is_another_game_by_now_does_not_begin_it(sea: Sea, other: Any) -> None:
    await asked_for(sea)
    await other(sea)
    await sea.command(sea.bela, "join", game="2")
    (_, again) = sea.rows("games")["games"]
    assert again["phase"] == "lobby"
    assert sea.bela.id in [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]


async def test_a_stranger_in_the_place_of_one_who_declined_begins_no_rematch(sea: Sea) -> None:
    await asked_for(sea)
    sea.change_rows("UPDATE seats SET kept_for = NULL WHERE game_id = 2")  # as when Béla declines and others are asked
    await sea.command(sea.member("eve"), "join", game="2")
    (_, again) = sea.rows("games")["games"]
    assert again["phase"] == "lobby"
    await sea.command(sea.anna, "start", game="2")
    assert sea.rows("games")["games"][1]["phase"] == "running"
