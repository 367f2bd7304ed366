"""Names of captains and games through the real bot: no link in any message, and namesakes can be told apart."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bot.presenters.wording import game_localizer
from bot.record.export import check_export, encode_export
from tests.sea import Sea, text_of

LINK = re.compile(r"(?:(?:https?|steam)://|(?:discord\.gg|discord(?:app)?\.com/invite)/)\S*evil", re.IGNORECASE)
"""Matches what Discord would make a link or an invitation of in the names below."""
STARTS = ("https://", "http://", "HTTPS://", "discord.gg/", "discord.com/invite/", "steam://")
MARKS = ("**", "||", "~~", "`", "<", "[", "](", "\\", "_", " ", "@everyone ", "")


def hostile_name(chance: random.Random) -> str:
    start, mark, end = chance.choice(STARTS), chance.choice(MARKS), chance.choice(MARKS)
    return f"{mark}{start}evil{chance.randrange(100)}.example/x{end}"[:32]


def contents(component: Any) -> Iterator[str]:
    """Yield all text of a stored message's components."""
    if isinstance(component, dict):
        if isinstance(component.get("content"), str):
            yield component["content"]
        for value in component.values():
            yield from contents(value)
    elif isinstance(component, list):
        for value in component:
            yield from contents(value)


def all_texts(sea: Sea) -> list[str]:
    """Return all text of all messages that Discord has, and the titles of threads."""
    messages = [message for channel in sea.env.backend.messages.values() for message in channel.values()]
    titles = [thread.name for thread in sea.channel.threads]
    return [text for message in messages for text in (message.content, *contents(message.components))] + titles


async def begun(sea: Sea, names: list[str], **options: str) -> list[Any]:
    captains = [sea.member(name) for name in names]
    await sea.command(captains[0], "new", captains=str(len(names) // 2), **options)
    for captain in captains[1:]:
        await sea.command(captain, "join", game="1")
    await sea.bot.services.lobbies.add_word(captains[1].id, 1, "https://evil.example")
    await sea.settle()
    await sea.command(captains[0], "start", game="1")
    return captains


@pytest.mark.parametrize("seed", range(4))
async def test_no_name_of_a_captain_or_a_game_is_a_link_in_any_message(sea: Sea, seed: int) -> None:
    chance = random.Random(seed)
    names = [hostile_name(chance) for _ in range(4)]
    captains = await begun(sea, names, name=hostile_name(chance))
    for name in ("status", "history log", "games", "me", "table"):
        await sea.command(captains[0], name)
    await sea.command(captains[1], "host kick", game="1", whose=names[2])
    team_by_user = {seat["user_id"]: seat["team"] for seat in sea.rows("seats")["seats"]}
    for captain in captains:
        if team_by_user[captain.id] == 0:
            await sea.concede(captain)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"
    await sea.command(captains[0], "history log", game="1")
    texts = all_texts(sea)
    assert any("evil" in text for text in texts)
    code_free = [re.sub(r"`[^`]*`", "", text) for text in texts]
    assert [text for text in code_free if LINK.search(text)] == []


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_two_captains_of_one_name_can_be_told_apart(sea: Sea, language: str) -> None:
    first, second = await begun(sea, ["anna", "Anna"])
    seated_game = await sea.bot.services.reader.games.seated_game(1)
    assert game_localizer(seated_game, language).names == {0: "anna (1)", 1: "Anna (2)"}, "texts and pictures"
    for said in ("\n".join(text_of(message) for message in sea.channel.history()), sea.told()):
        assert f"<@{first.id}> (1)" in said
        assert f"<@{second.id}> (2)" in said
    assert "anna (1) – Anna (2)" in sea.thread.name
    await sea.concede(first)
    assert "Anna (2)" in sea.told()
    paper = await sea.bot.services.archive.export_finished(1)
    assert paper.captains == ("anna", "Anna"), "the record has their own names"
    assert check_export(encode_export(paper)) is None
    seated_game = await sea.bot.services.reader.games.seated_game(1)
    assert game_localizer(seated_game).names == {0: "anna (1)", 1: "Anna (2)"}


async def test_a_captain_is_named_by_hosts_with_the_number(sea: Sea) -> None:
    await begun(sea, ["anna", "Anna", "bela", "anna"])
    seated_game = await sea.bot.services.reader.games.seated_game(1)
    names = seated_game.seat_names("")
    assert {name.partition(" (")[0].lower() for name in names.values()} == {"anna", "bela"}
    assert len({name.lower() for name in names.values()}) == 4
    chief = sea.manager()
    assert "anna" in await sea.command(chief, "host kick", game="1", whose="anna")
    seat, name = next((seat, name) for seat, name in names.items() if name.endswith(" (3)"))
    await sea.bot.services.absence.offer_seats_of_departed(seated_game.seats[seat].user_id or 0, sea.guild.id)
    await sea.command(chief, "host kick", game="1", whose=name)
    assert name in sea.told()
