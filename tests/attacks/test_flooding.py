"""What one person makes the bot post for others: games are opened, and messages posted, only so often."""

from __future__ import annotations

from typing import Any

import pytest

from bot.config import BotSettings
from bot.discord.ids import CustomId
from bot.services.lobbies import OPENING_WINDOW_S, OpeningLimits
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs

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
