"""Openings and posts that one person causes for others: both happen only so often."""

from __future__ import annotations

from typing import Any

import pytest

from bot.config import BotSettings
from bot.discord.ids import CustomId
from bot.errors import Refusal
from bot.lifecycle.people.posting import MAX_AT_ONCE, REFILL_S, count_post
from bot.services.lobbies import OPENING_WINDOW_S, OpeningLimits
from bot.store.models.records import Player
from bot.texts.i18n import Catalogue
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, refs

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
PLAY = CustomId(verb="play", game=0, token="matchbox").pack()


def games(sea: Sea) -> list[dict[str, Any]]:
    return sea.rows("games")["games"]


def seconds(sea: Sea) -> int:
    return int(sea.now().timestamp())


def end(sea: Sea) -> Any:
    """The message in the newest thread that offers a rematch."""
    return next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))


def test_a_person_opens_ten_games_an_hour_and_a_server_thirty_unless_the_operator_says_otherwise() -> None:
    config = BotSettings(_env_file=None)
    assert (config.most_openings, config.most_server_openings) == (10, 30)
    assert (OpeningLimits().per_user, OpeningLimits().per_server) == (10, 30)


async def test_no_more_than_ten_games_an_hour_are_opened_and_given_up(sea: Sea) -> None:
    """One member opened, began and gave up 25 games in 72 seconds: each left a thread, its stories and pictures."""
    for number in range(1, 26):
        await Forger(sea, sea.anna).press(PLAY)
        if len(games(sea)) == number:
            await sea.bot.services.concede_game(sea.anna.id, number)
    assert [game["phase"] for game in games(sea)] == ["over"] * 10


@pytest.mark.parametrize("settings", [{"most_openings": 3, "picture_width": 320}])
async def test_every_way_to_open_a_game_counts_and_is_refused_with_the_time_when_it_is_possible(sea: Sea) -> None:
    opened_at = seconds(sea)
    await sea.command(sea.anna, "new")  # a lobby that is called off
    await sea.bot.services.lobbies.leave_lobby(sea.anna.id, 1)
    await sea.env.advance_time(60)
    await Forger(sea, sea.anna).press(PLAY)  # a game against the computer that is given up
    assert games(sea)[1]["host_id"] == sea.anna.id
    # To find one's open game again is no opening.
    for _ in range(3):
        await Forger(sea, sea.anna).press(PLAY)
    await sea.bot.services.concede_game(sea.anna.id, 2)
    await sea.env.settle()
    await sea.press(sea.anna, end(sea), "rematch")
    assert len(games(sea)) == 3
    await sea.bot.services.lobbies.leave_lobby(sea.anna.id, 3)

    before = sea.rows("games", "seats")
    when = f"<t:{opened_at + OPENING_WINDOW_S}:R>"
    for refused in (
        await sea.command(sea.anna, "new"),
        await Forger(sea, sea.anna).press(PLAY),
        await sea.press(sea.anna, end(sea), "rematch"),
    ):
        assert "opened 3 games within an hour" in refused
        assert when in refused
    assert sea.rows("games", "seats") == before

    # Others may open games, and she may join theirs.
    await sea.command(sea.bela, "new")
    await sea.command(sea.anna, "join", game="4")
    assert [game["host_id"] for game in games(sea)] == [*[sea.anna.id] * 3, sea.bela.id]
    await sea.env.advance_time(opened_at + OPENING_WINDOW_S - seconds(sea))
    await sea.command(sea.anna, "new")
    assert len(games(sea)) == 5
    assert "opened 3 games" in await sea.command(sea.anna, "new")


@pytest.mark.parametrize("settings", [{"most_server_openings": 3, "picture_width": 320}])
async def test_members_of_a_server_open_only_so_many_games_together(sea: Sea) -> None:
    opened_at = seconds(sea)
    for host in (sea.anna, sea.bela, sea.cili):
        await sea.command(host, "new")
    refused = await sea.command(sea.member("dora"), "new")
    assert "Members of this server have opened 3 games within an hour" in refused
    assert f"<t:{opened_at + OPENING_WINDOW_S}:R>" in refused
    other = sea.env.create_guild("Elsewhere")
    await sea.command(other.add_member(sea.anna.user), "new", at=other.create_text_channel("harbour"))
    assert len(games(sea)) == 4


async def post(sea: Sea, game: int, user_id: int, now: int) -> None:
    async with sea.bot.services.store.write() as tx:
        await count_post(tx, game, user_id, now=now)


@pytest.mark.postgres
async def test_a_bucket_fills_again_one_post_at_a_time_for_each_game_and_person(sea: Sea) -> None:
    for _ in range(MAX_AT_ONCE):
        await post(sea, 1, 7, 1000)
    for now in (1000, 1000 + REFILL_S - 1):
        with pytest.raises(Refusal) as refused:
            await post(sea, 1, 7, now)
        assert (refused.value.key, refused.value.params) == ("posted_too_often", {"when": 1000 + REFILL_S})
    await post(sea, 2, 7, 1000)
    await post(sea, 1, 8, 1000)
    await post(sea, 1, 7, 1000 + REFILL_S)
    with pytest.raises(Refusal):
        await post(sea, 1, 7, 1000 + REFILL_S)


async def test_full_buckets_are_forgotten(sea: Sea) -> None:
    for number in range(100):
        await post(sea, number, 7, number * REFILL_S)
    assert len(sea.rows("tallies")["tallies"]) == 1


@pytest.mark.begun
@pytest.mark.refused("message_not_found")
async def test_a_captain_reposts_only_what_discord_has_lost(sea: Sea) -> None:
    """Each repost rang the other captain's phone with a new panel, and left three messages in the thread."""
    before = [[message.id for message in place] for place in (sea.dms(sea.bela), sea.thread.history())]
    for _ in range(15):
        assert await sea.command(sea.anna, "host repost", game="1") == EN.say("refuse.nothing_lost")
    assert [[message.id for message in place] for place in (sea.dms(sea.bela), sea.thread.history())] == before

    sea.env.backend.delete_message(sea.bela.user.dm_channel.id, sea.panel(sea.bela).id)
    annas = [message.id for message in sea.dms(sea.anna)]
    assert EN.say("say.reposted") in await sea.command(sea.anna, "host repost", game="1")
    assert "type" in refs(sea.panel(sea.bela))
    assert [message.id for message in sea.dms(sea.anna)] == annas
    assert [message.id for message in sea.thread.history()][:-1] == before[1], "only who did it is added"


@pytest.mark.begun
async def test_reposting_does_not_tell_whether_somebody_has_a_panel_that_did_not_arrive(sea: Sea) -> None:
    undelivered = "message_id = NULL, sent = wanted, problem = '50007'"
    sea.change_rows(f"UPDATE outbox SET {undelivered} WHERE kind = 'panel' AND user_id = ?", sea.bela.id)
    before = sea.rows("outbox", "acts")
    assert await sea.command(sea.anna, "host repost", game="1") == EN.say("refuse.nothing_lost")
    assert sea.rows("outbox", "acts") == before


async def test_a_captain_reposts_only_a_lobby_that_discord_has_lost(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    before = [message.id for message in sea.channel.history()]
    sea.languages[sea.anna.id] = "hu"
    assert await sea.command(sea.anna, "host repost", game="1") == HU.say("refuse.nothing_lost")
    assert [message.id for message in sea.channel.history()] == before


@pytest.mark.begun
async def test_a_manager_reposts_only_so_often(sea: Sea) -> None:
    chief, began_at = sea.manager(), seconds(sea)
    for _ in range(MAX_AT_ONCE):
        assert EN.say("say.reposted") in await sea.command(chief, "host repost", game="1")
    before = sea.rows("outbox", "acts")
    refused = await sea.command(chief, "host repost", game="1")
    assert refused == EN.say("refuse.posted_too_often", when=began_at + REFILL_S)
    assert sea.rows("outbox", "acts") == before
    assert EN.say("say.reposted") in await sea.command(sea.manager("eve"), "host repost", game="1")
    await sea.env.advance_time(REFILL_S)
    assert EN.say("say.reposted") in await sea.command(chief, "host repost", game="1")


@pytest.mark.parametrize(
    ("command", "options", "decline"),
    [
        ("draw", {}, "decline_draw"),
        ("extend", {"pause": True}, "decline"),
        ("host resolve", {}, "decline_act"),
        ("host undo", {"to_round": 1}, "decline_act"),
    ],
)
@pytest.mark.begun
async def test_what_was_declined_is_asked_again_only_so_often(
    sea: Sea, command: str, options: dict[str, Any], decline: str
) -> None:
    await sea.both_seal("A1 FFFFF", "B1 FFFFF")
    for _ in range(MAX_AT_ONCE):
        refused = await sea.command(sea.anna, command, game="1", **options)
        assert "many times" not in refused
        message = next(message for message in reversed(sea.thread.history()) if _declines(message, decline))
        await sea.press(sea.bela, message, _declines(message, decline))
    before = sea.rows("outbox", "acts", "seats")
    refused = await sea.command(sea.anna, command, game="1", **options)
    assert "many times" in refused
    assert sea.rows("outbox", "acts", "seats") == before


@pytest.mark.parametrize("verbs", [("pause", "resume"), ("extend",)])
@pytest.mark.begun
async def test_who_is_in_charge_posts_only_so_often(sea: Sea, verbs: tuple[str, ...]) -> None:
    chief, began_at = sea.manager(), seconds(sea)
    for number in range(MAX_AT_ONCE):
        await sea.command(chief, f"host {verbs[number % len(verbs)]}", game="1")
    before = sea.rows("outbox", "acts", "games")
    refused = await sea.command(chief, f"host {verbs[MAX_AT_ONCE % len(verbs)]}", game="1")
    assert refused == EN.say("refuse.posted_too_often", when=began_at + REFILL_S)
    assert sea.rows("outbox", "acts", "games") == before
    assert [act["user_id"] for act in before["acts"]] == [chief.id] * MAX_AT_ONCE


@pytest.mark.begun
async def test_a_seat_is_offered_only_so_often(sea: Sea) -> None:
    """A manager offers a captain's seat, a friend takes it, and so on: each is a message to all."""
    chief, eve = sea.manager(), sea.member("eve")
    for number in range(MAX_AT_ONCE):
        taker = (eve, sea.bela)[number % 2]
        assert EN.say("say.kicked") in await sea.command(chief, "host kick", game="1", whose="#2")
        await sea.bot.services.absence.take_over_seat(Player(user_id=taker.id, name=taker.name, locale="en-US"), 1)
    before = sea.rows("acts", "seats")
    assert "many times" in await sea.command(chief, "host kick", game="1", whose="#2")
    replaced = await sea.command(chief, "host replace", game="1", whose="#2", substitute=sea.cili)
    assert "many times" in replaced
    assert sea.rows("acts", "seats") == before


def _declines(message: Any, verb: str) -> str:
    return next((key for key in refs(message) if key.split()[0] == verb), "")


async def test_who_is_forgotten_opens_no_more_games_than_others(sea: Sea) -> None:
    """One account opened 30 games within an hour, and so used up the server's limit for everybody."""
    for _ in range(11):
        await sea.command(sea.anna, "new")
        await sea.bot.services.privacy.forget_user(sea.anna.id)
        await sea.settle()
    assert len(games(sea)) == 10
    assert "opened 10 games within an hour" in await sea.command(sea.anna, "new")
    await sea.env.advance_time(OPENING_WINDOW_S)
    await sea.command(sea.anna, "new")
    assert len(games(sea)) == 11


@pytest.mark.begun
async def test_a_restart_allows_no_more_posts(sea: Sea) -> None:
    chief = sea.manager()
    for number in range(MAX_AT_ONCE):
        await sea.command(chief, f"host {('pause', 'resume')[number % 2]}", game="1")
    await sea.restart()
    before = sea.rows("outbox", "acts")
    assert "many times" in await sea.command(chief, "host pause", game="1")
    assert sea.rows("outbox", "acts") == before


async def test_who_plays_alone_goes_back_only_so_often(sea: Sea) -> None:
    """Each time is six messages and a round that stays in the database."""
    await sea.begin_at(AFAR)
    for _ in range(MAX_AT_ONCE):
        await sea.seal(sea.anna, "A1 FFFFF")
        assert "many times" not in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    await sea.seal(sea.anna, "A1 FFFFF")
    before = sea.rows("outbox", "acts", "steps")
    assert "many times" in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert sea.rows("outbox", "acts", "steps") == before


async def test_who_leaves_the_server_and_returns_is_said_to_only_so_often(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for _ in range(MAX_AT_ONCE):
        await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
        await sea.command(sea.bela, "draw", game="1")
        sea.change_rows("UPDATE seats SET draw_at = NULL")
        sea.change_rows("DELETE FROM outbox WHERE kind = 'draw_offer'")
    kinds = [act["kind"] for act in sea.rows("acts")["acts"]]
    assert kinds.count("left") + kinds.count("back") <= MAX_AT_ONCE + 1
    assert kinds.count("left") >= 3
