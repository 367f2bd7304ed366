"""Opening, joining, leaving and starting games."""

from __future__ import annotations

from tests.sea import Sea, refs, text_of


async def test_a_lobby_shows_who_sits_where(sea: Sea) -> None:
    said = await sea.command(sea.anna, "new", galleys="1")
    assert "#1" in said
    lobby = sea.channel.last_message
    assert f"<@{sea.anna.id}>" in text_of(lobby)
    assert "1 free seat" in text_of(lobby)
    await sea.press(sea.bela, lobby, "join 1")
    assert f"<@{sea.bela.id}>" in text_of(sea.channel.last_message)
    assert "free seat" not in text_of(sea.channel.last_message)
    await sea.press(sea.bela, sea.channel.last_message, "leave")
    assert "1 free seat" in text_of(sea.channel.last_message)


async def test_nobody_joins_twice_or_a_full_game(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    assert "already in" in await sea.command(sea.anna, "join")
    await sea.command(sea.bela, "join")
    assert "taken" in await sea.command(sea.cili, "join", game="1")


async def test_only_the_host_starts_or_calls_off(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    lobby = sea.channel.last_message
    assert "Only the host" in await sea.press(sea.bela, lobby, "start")
    assert "Only the host" in await sea.command(sea.bela, "cancel", game="1")
    await sea.command(sea.anna, "cancel")
    assert "called off" in text_of(sea.channel.last_message)
    assert not refs(sea.channel.last_message)
    assert "over" in await sea.command(sea.bela, "join", game="1")


async def test_a_private_game_takes_only_those_invited(sea: Sea) -> None:
    await sea.command(sea.anna, "new", opponent=sea.bela, private=True)
    assert "no game `#1` here" in await sea.command(sea.cili, "join", game="1")
    assert "private" in await sea.command(sea.manager(), "join", game="1")
    assert "Welcome" in await sea.command(sea.bela, "join", game="1")


async def test_starting_opens_a_thread_with_the_fingerprint_of_the_dice(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1")
    assert len(sea.channel.threads) == 1
    assert "Fingerprint" in sea.told()
    lobby = next(iter(sea.channel.history()))
    assert f"<#{sea.thread.id}>" in text_of(lobby)
