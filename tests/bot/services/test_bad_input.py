"""Everything that people get wrong: a clear answer in one sentence, nothing lost, nothing half done."""

from __future__ import annotations

import discord
import pytest

from bot.services.lobbies import OpeningLimits
from tests.bot.rows import is_first_in_south
from tests.sea import AFAR, Sea, parts, refs, text_of

WEAK = "900x600 ; A1:south 4-4+4/4 @400,300^0 ; A2:south 1-1+0/4 @450,150^90 ; B1:north 4-4+4/4 @470,300^0"


def one_sentence(text: str, *wanted: str) -> bool:
    """Return if an answer is one line, besides small print and the typed text with a way to mend it."""
    text = text.replace("\u00a0", " ").replace("\\", "")
    text = text.partition("\nYou wrote:")[0].partition("\n```")[0]
    lines = [line for line in text.splitlines() if not line.startswith("-# ")]
    assert len(lines) == 1, text
    assert len(text) <= 600, text
    missing = [piece for piece in wanted if piece not in text]
    assert not missing, f"{missing} not in: {text}"
    return True


async def test_games_that_there_are_not(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    before = sea.rows()
    other = sea.env.create_guild("Elsewhere")
    away = other.create_text_channel("harbour")
    dora_away = other.add_member(sea.env.create_user("dora"))
    assert one_sentence(await sea.command(sea.bela, "join", game="99"), "no game `#99`")
    assert one_sentence(await sea.command(sea.bela, "join", game="my game"), "no game `my game`")
    assert one_sentence(await sea.command(sea.bela, "join", game="9" * 400), "no game")
    assert one_sentence(await sea.command(dora_away, "start", at=away, game="1"), "no game `#1`")
    assert one_sentence(await sea.command(sea.bela, "concede"), "no game that this could be about")
    assert sea.rows() == before


async def test_what_comes_at_the_wrong_time(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    before = sea.rows()
    for command in ("orders", "status", "table", "log", "draw"):
        assert one_sentence(await sea.command(sea.anna, command, game="1"), "hasn't begun yet"), command
    assert one_sentence(await sea.write(sea.anna, "A1 FFF"), "isn't your turn", "/galley help")
    assert any(key.startswith("play ") for key in refs(sea.dms(sea.anna)[-1]))
    assert sea.rows() == before
    await sea.command(sea.anna, "start")
    before = sea.rows()
    for command in ("start", "join", "leave", "cancel"):
        assert one_sentence(await sea.command(sea.anna, command, game="1"), "already begun"), command
    assert one_sentence(await sea.command(sea.bela, "orders", game="1"), "aren't a captain")
    assert sea.rows() == before


async def test_what_cannot_be_set_up(sea: Sea) -> None:
    before = sea.rows()
    for phase, why in (("soon", "length of time"), ("0m", "30 days"), ("99d", "30 days"), ("1h 5x", "length of time")):
        assert one_sentence(await sea.command(sea.anna, "new", phase=phase), phase, why)
    assert one_sentence(
        await sea.command(sea.anna, "new", system="forts", computer=3), "room for 3 computer captains", "only for 1"
    )
    invited = {"opponent": sea.bela, "opponent2": sea.cili}
    assert one_sentence(await sea.command(sea.anna, "new", system="forts", **invited), "taken")
    assert sea.rows() == before
    await sea.command(sea.anna, "new", table="coffee", galleys="8", captains=4)
    lobby = sea.rows()
    assert one_sentence(await sea.command(sea.anna, "start"), "room", "MB-2.3")
    assert sea.rows() == lobby


async def test_too_many_games(sea: Sea) -> None:
    for _ in range(10):
        await sea.command(sea.anna, "new", galleys="1")
    before = sea.rows()
    assert one_sentence(await sea.command(sea.anna, "new", galleys="1"), "10 games")
    assert one_sentence(await sea.command(sea.anna, "start"), "Which game")
    assert "#10 War Galley · anna" in [part.label for part in parts(sea.answers[0]) if getattr(part, "label", "")]
    assert sea.rows() == before


async def test_games_whose_host_was_forgotten_count_for_nobody(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sea.bot.services.lobbies, "_limits", OpeningLimits(open_games=1))
    await sea.begin(sea.bela, sea.cili, system="campaign", players="3", map="ring")
    await sea.concede(sea.anna)
    await sea.bot.services.privacy.forget_user(sea.anna.id)
    assert sea.rows("games")["games"][0]["host_id"] == sea.bela.id
    assert "#2 is open" in await sea.command(sea.bela, "new")
    assert one_sentence(await sea.command(sea.bela, "new"), "at most 1 game")


async def test_places_that_are_not_allowed_are_measured(sea: Sea) -> None:
    await sea.begin(galleys="2", table="coffee", deployment="sealed")
    await sea.write(sea.anna, "A1 5/3 @300,75" if is_first_in_south(sea) else "A1 5/3 @300,525")
    edge, far = (80, 200) if is_first_in_south(sea) else (520, 400)
    before = sea.rows()
    draft = before["requests"][0]["draft"]
    assert draft.startswith("A1 5/3")
    for text, wanted in {
        f"A1 @300,{far}": ("A1", "200 mm", "90 mm", "MB-2.2"),
        f"B1 @600,{edge}": ("B1", "isn't your", "MB-1.5"),
        "A9 @600,80": ("A9", "A1"),
        "in the middle, please": ("in the middle", "A1 5/3 @", "from the south-west corner"),
    }.items():
        assert one_sentence(await sea.write(sea.anna, text), *wanted)
        assert sea.rows() == before, text
    assert "For example: `A1 6/2 @" in await sea.write(sea.anna, "help")


@pytest.mark.begun
async def test_orders_that_are_not_allowed_name_the_rule(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FL")
    before = sea.rows()
    for text, wanted in {
        "A1 FFFFFF": ("A1 can carry out", "5", "MB-3.3"),
        "A1 XXXXF": ("3", "MB-3.5"),
        "A1 FFQ": ("Q", "F L R X ZZ"),
        "B1 FFF": ("B1", "isn't your", "MB-1.5"),
        "C1 FFF": ("C1", "A1"),
        "⛵🔥": ("⛵",),
        "@everyone **look**": ("@",),
    }.items():
        assert one_sentence(await sea.write(sea.anna, text), *wanted)
        assert sea.rows() == before, text
    assert one_sentence(await sea.write(sea.anna, "blah " * 380), "too long", "1000")
    assert one_sentence(await sea.write(sea.anna, "", ("orders.txt", b"A1 FFFFF")), "You wrote nothing")
    assert sea.rows() == before


@pytest.mark.begun
async def test_nonsense_in_a_form_or_a_command_loses_nothing(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FL")
    before, panel = sea.rows(), sea.panel(sea.anna)
    shown = await sea.open_form(sea.anna, panel)
    assert one_sentence(await sea.send_form(sea.anna, panel, shown, "?! " * 330), "“?!”")
    shown = await sea.open_form(sea.anna, panel)
    assert one_sentence(await sea.send_form(sea.anna, panel, shown, "A1 FFFFFF"), "MB-3.3")
    shown = await sea.open_form(sea.anna, panel)
    assert one_sentence(await sea.send_form(sea.anna, panel, shown, "  "), "You wrote nothing")
    assert one_sentence(await sea.command(sea.anna, "orders", text="x" * 4000), "4000", "1000")
    assert one_sentence(await sea.command(sea.anna, "standing", text="aim wildly"), "steady, safe, ask")
    assert sea.rows() == before
    assert "**A1** F L" in text_of(sea.panel(sea.anna))


@pytest.mark.begun
async def test_an_unfinished_draft_cannot_be_sealed(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.command(sea.anna, "orders")
    (elsewhere,) = sea.answers
    assert "3 orders" in await sea.write(sea.anna, "A1 FF")
    assert "seal" not in refs(sea.panel(sea.anna))
    before = sea.rows("answers", "games", "steps")
    assert "have changed since" in await sea.press(sea.anna, elsewhere, "seal")
    assert sea.rows("answers", "games", "steps") == before
    assert "seal" not in refs(sea.again(sea.anna, elsewhere))


async def test_a_galley_that_sank_takes_no_orders(sea: Sea) -> None:
    await sea.begin_at(WEAK, sea.bela)
    await sea.write(sea.anna, "A1 FFFFX; A2 F")
    await sea.write(sea.bela, "B1 XXXFF; target A2")
    for who in (sea.anna, sea.bela):
        await sea.press(who, sea.panel(who), "seal")
    state = sea.rows("steps")["steps"][-1]["state"]
    assert '"lost":[{"id":"A2"' in state
    before = sea.rows()
    assert one_sentence(await sea.write(sea.anna, "A2 F"), "A2", "no longer on the table", "MB-7.2")
    assert sea.rows() == before


async def test_a_channel_where_the_bot_may_not_do_its_work(sea: Sea) -> None:
    before = sea.rows()
    for named in ("Send Messages", "Attach Files", "Create Public Threads", "Send Messages in Threads"):
        denied = discord.PermissionOverwrite(**{named.lower().replace(" ", "_"): False})
        channel = sea.guild.create_text_channel("quiet", overwrites={sea.guild.me: denied})
        assert one_sentence(await sea.command(sea.anna, "new", at=channel), named, f"<#{channel.id}>")
        assert not channel.history()
    assert sea.rows() == before


async def test_games_begin_in_channels_only(sea: Sea) -> None:
    await sea.begin(galleys="1")
    before = sea.rows()
    assert one_sentence(await sea.command(sea.anna, "new", at=sea.thread), "text channel")
    assert one_sentence(await sea.direct_command(sea.anna, "new"), "server")
    assert sea.rows() == before


async def test_names_are_said_letter_by_letter(sea: Sea) -> None:
    name = "*Eve* @everyone `x` [a](http://b.c) ||s||"
    eve = sea.member("eve", global_name=name)
    await sea.command(eve, "new", galleys="1", name="**Big** @here <@&1> _x_", missed="hold")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    lobby = sea.channel.last_message
    await sea.command(sea.anna, "join", game="1")
    await sea.command(eve, "start")
    await sea.command(eve, "draw")
    await sea.seal(eve, "A1 FFFFF")
    await sea.env.advance_time(86_401)
    await sea.command(eve, "status")
    texts = [*map(text_of, sea.answers), text_of(lobby), sea.told()]
    texts += [text_of(message) for message in sea.dms(eve) if message.author.bot]
    assert "Eve" in sea.told()
    for text in texts:
        for raw in ("@everyone", "@here", "<@&1>", "*Eve*", "`x`", "[a](", "||s||", "**Big**", "_x_"):
            assert raw not in text.replace("\\" + raw[0], ""), f"{raw} in {text}"
    for call in sea.env.http_requests:
        if "components" in (call.json or {}):
            assert call.json["allowed_mentions"]["parse"] == []


@pytest.mark.begun
async def test_an_example_is_of_ones_own_ships_and_of_the_game_that_is_named(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts")
    assert "For example: `B1 FFXRX`" in await sea.write(sea.bela, "#1 nonsense")
    said = await sea.write(sea.bela, "#2 nonsense")
    assert "For example: `BB`" in said
    assert "FFXRX" not in said
    assert "For example: `A1 FFXRX`" in await sea.write(sea.anna, "#1 nonsense")
    form = await sea.open_form(sea.bela, next(one for one in sea.dms(sea.bela) if "type" in refs(one)))
    assert "B1" in str(form.modal)


async def test_a_refusal_suggests_the_nearest_order_in_the_captains_own_language(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    assert "“Q”" in (refusal := await sea.write(sea.anna, "A1 FFQ"))
    assert "Did you mean `A1 FF`?" in refusal
    assert "Erre gondoltál: `B1 EE`?" in await sea.write(sea.bela, "B1 EEQ")
    assert "**A1** F F" in await sea.write(sea.anna, "A1 FF.")
