"""Nobody begins game after game whose dice they know, and orders only in those that suit them."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.discord.delivery import audit
from bot.lifecycle.people.abandoning import ABANDONED, MENTIONED
from bot.texts.i18n import Catalogue, Localizer
from tests.attacks.test_abandoned_lobbies import adds_word, bar, calls_off, filled, opens
from tests.attacks.test_ways_to_end import lobby, thrown_away
from tests.bot.discord.test_muted import blame
from tests.sea import AFAR, Sea, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
DAY_S = 86_400


async def begins(sea: Sea, host: Any, guest: Any, **options: Any) -> int:
    game = await filled(sea, host, guest, phase="1d", **options)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    await sea.command(host, "start", game=str(game))
    return game


def phase(sea: Sea, game: int) -> str:
    return next(str(row["phase"]) for row in sea.rows("games")["games"] if row["id"] == game)


@pytest.mark.proves("F22")
@pytest.mark.postgres
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_host_whose_orders_two_games_await_opens_joins_and_starts_no_other_rated_one(
    sea: Sea, language: str
) -> None:
    """Anna knew the seed, began eight games with Bela's words, and ordered in none."""
    sea.languages[sea.anna.id] = language
    empty = await opens(sea, sea.anna)
    games = [await begins(sea, sea.anna, sea.bela) for _ in range(2)]
    texts = Localizer({"en": EN, "hu": HU}[language])
    begin = str(texts.catalogue.template("refuse.start_first")).partition("{")[0]
    assert begin in await sea.command(sea.anna, "new")
    other = await opens(sea, sea.cili)
    assert begin in await sea.command(sea.anna, "join", game=str(other))
    await sea.command(sea.bela, "join", game=str(empty))
    await adds_word(sea, sea.bela, empty, "tide")
    assert begin in await sea.command(sea.anna, "start", game=str(empty))
    assert phase(sea, empty) == "lobby"
    assert await opens(sea, sea.anna, rated=False), "an unrated one may be opened"
    await sea.seal(sea.anna, f"#{games[0]} A1 RRXRR")
    await sea.command(sea.anna, "start", game=str(empty))
    assert phase(sea, empty) == "running"


@pytest.mark.proves("F22")
async def test_games_in_which_a_captain_breaks_the_seal_of_the_first_orders_wait_again(sea: Sea) -> None:
    """Anna sealed in each game for a moment, and so began game after game."""
    for _ in range(2):
        game = await begins(sea, sea.anna, sea.bela)
        await sea.seal(sea.anna, f"#{game} A1 RRXRR")
        sealed = await sea.bot.services.reader.requests.pending_request(sea.anna.id, game)
        await sea.bot.services.orders.unseal_draft(sealed, sealed.row.version)
        await sea.settle()
    assert not await opens(sea, sea.anna)


@pytest.mark.proves("F22")
async def test_a_guest_whose_orders_two_games_await_keeps_a_rated_lobby_from_starting(sea: Sea) -> None:
    """Bela may know the seed as well, and joins many lobbies before the first begins."""
    games = [await filled(sea, host, sea.bela, phase="1d") for host in (sea.anna, sea.anna, sea.cili)]
    for host, game in zip((sea.anna, sea.anna, sea.cili), games, strict=True):
        await adds_word(sea, host, game, "reef")
        await adds_word(sea, sea.bela, game, "tide")
        said = await sea.command(host, "start", game=str(game))
    assert "bela must first give orders in 2 games" in said
    assert [phase(sea, game) for game in games] == ["running", "running", "lobby"]
    assert await opens(sea, sea.cili), "nor does Cili have to wait for Bela"
    await sea.seal(sea.bela, f"#{games[0]} B1 RRXRR")
    await sea.command(sea.cili, "start", game=str(games[2]))
    assert phase(sea, games[2]) == "running"


@pytest.mark.proves("F22")
async def test_games_without_words_of_others_and_seats_that_others_gave_somebody_wait_for_nobody(sea: Sea) -> None:
    for _ in range(3):
        game = await opens(sea, sea.anna)
        await sea.command(sea.bela, "join", game=str(game))
        await adds_word(sea, sea.anna, game, "reef")
        await sea.command(sea.anna, "start", game=str(game))
    assert await opens(sea, sea.anna)
    sea.change_rows("UPDATE captains SET put_by = ? WHERE user_id = ?", sea.anna.id, sea.bela.id)
    assert await opens(sea, sea.bela), "Anna has put Bela into these seats"


@pytest.mark.proves("F22")
async def test_lobbies_that_others_keep_from_starting_wait_for_nobody(sea: Sea) -> None:
    """A guest added words and never agreed again: the host could open no other rated game, nor call these off."""
    games = [await lobby(sea) for _ in range(2)]
    assert not await opens(sea, sea.anna)
    for game in games:
        await adds_word(sea, sea.anna, game, "another")
    assert await opens(sea, sea.anna)
    await adds_word(sea, sea.bela, games[0], "tide")
    assert await opens(sea, sea.anna), "one waits for Anna, one for Bela"
    await adds_word(sea, sea.bela, games[1], "tide")
    assert not await opens(sea, sea.anna)
    await bar(sea, sea.bela, sea.cili)
    assert await opens(sea, sea.anna), "Bela is barred, so Anna can start neither"


@pytest.mark.proves("F5")
async def test_a_captain_who_throws_more_dice_away_is_barred_for_longer(sea: Sea) -> None:
    """Ten lobbies were opened at first, all filled, and all but the best called off for the bar of one day."""
    games = [await opens(sea, sea.anna) for _ in range(5)]
    for game in games:
        await sea.command(sea.bela, "join", game=str(game))
        await adds_word(sea, sea.bela, game, "tide")
    for game in games[1:]:
        await calls_off(sea, sea.anna, game)
    await sea.env.advance_time(3 * DAY_S - 600)
    assert not await opens(sea, sea.anna)
    await sea.env.advance_time(1_200)
    assert await opens(sea, sea.anna), "three days: one for each but the first"


@pytest.mark.proves("F5")
async def test_a_lobby_that_was_opened_before_says_what_happened_since_when_somebody_joins_or_it_begins(
    sea: Sea,
) -> None:
    unrated = await opens(sea, sea.anna, rated=False)
    await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))
    await sea.command(sea.bela, "join", game=str(unrated))
    shown = next(text_of(message) for message in sea.channel.history() if f"#{unrated} " in text_of(message))
    assert "the dice of 1 game with anna were thrown away" in shown
    await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))
    await sea.command(sea.anna, "start", game=str(unrated))
    assert "the dice of 2 games with anna were thrown away" in sea.told()


@pytest.mark.proves("F5")
async def test_a_game_that_a_referee_spoiled_and_that_is_then_given_up_counts_as_given_up(sea: Sea) -> None:
    game = await begins(sea, sea.anna, sea.bela)
    await sea.command(sea.manager(), "host kick", game=str(game), whose="bela")
    assert thrown_away(sea) == {("anna", MENTIONED): 1}
    await sea.command(sea.cili, "substitute", game=str(game))
    await sea.concede(sea.anna, game)
    assert thrown_away(sea) == {("anna", ABANDONED): 1}


@pytest.mark.proves("F21")
@pytest.mark.parametrize("may_look", [True, False])
async def test_a_manager_who_removes_a_captain_from_the_server_is_found_in_its_audit_log(
    sea: Sea, monkeypatch: pytest.MonkeyPatch, *, may_look: bool
) -> None:
    """Where the bot may not read it, a captain who has been removed is taken for one who has left."""
    monkeypatch.setattr(audit, "ENTRY_DELAY_S", 0)
    monkeypatch.setenv("MEMBERS_INTENT", "true")
    sea.env.approved_intents = discord.Intents.all()
    await sea.restart()
    me = sea.bot.get_guild(sea.guild.id).me
    monkeypatch.setattr(type(me), "guild_permissions", discord.Permissions(view_audit_log=may_look))
    dora = sea.manager()
    blame(sea, dora, discord.AuditLogAction.kick, sea.bela.id)
    await sea.env.advance_time(60)
    game = await begins(sea, sea.anna, sea.bela)
    second = await begins(sea, sea.cili, sea.bela)
    assert phase(sea, game) == phase(sea, second) == "running"
    sea.guild.remove_member(sea.cili)
    await sea.settle()
    assert "cili has left the server" in sea.told()
    blame(sea, dora, discord.AuditLogAction.ban, sea.bela.id)
    sea.guild.remove_member(sea.bela)
    await sea.settle()
    assert ("bela was removed from the server" in sea.told()) is may_look
    assert thrown_away(sea)[("cili", ABANDONED)] == 1
    verdict = MENTIONED if may_look else ABANDONED
    assert {key: times for key, times in thrown_away(sea).items() if key[0] == "anna"} == (
        {("anna", MENTIONED): 1} if may_look else {}
    )
    assert ("bela", verdict) not in thrown_away(sea), "no word of others is in these dice"
