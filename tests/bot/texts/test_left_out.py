"""A game whose words lack something is left out, and its games stand still; no other game notices."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.texts.i18n import Catalogue, languages, languages_of
from bot.texts.rulebooks import load_rulebook, rulebook_languages
from bot.texts.whole import count_borrowed, events_without_words, missing_words, playable_systems
from data import file
from rules.core.registry import RULESETS
from tests.sea import Sea, known_commands, text_of

EN = Catalogue.load("en")
DAY = 86_400
Spoil = Callable[[str], str]


def without(key: str) -> Spoil:
    return lambda po: re.sub(rf'msgid "{re.escape(key)}"\n(.+\n)+', "", po)


def offered(sea: Sea) -> list[Any]:
    galley = sea.bot.tree.get_command("galley")
    (system,) = [parameter for parameter in galley.get_command("new").parameters if parameter.name == "system"]
    return system.choices


def forget() -> None:
    Catalogue.load.cache_clear()
    languages_of.cache_clear()
    missing_words.cache_clear()
    rulebook_languages.cache_clear()
    load_rulebook.cache_clear()
    known_commands.clear()


@pytest.fixture
def spoiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Give a game other words than its own, from a folder of their own."""
    monkeypatch.syspath_prepend(tmp_path)

    def spoil(system: str, **languages: Spoil) -> None:
        anchor = f"words_of_{tmp_path.name}"
        (tmp_path / anchor).mkdir()
        for language in ("en", "hu"):
            po = file(system, f"{language}.po").read_text(encoding="utf-8")
            text = languages.get(language, str)(po)
            (tmp_path / anchor / f"{language}.po").write_text(text, encoding="utf-8")
        monkeypatch.setattr(RULESETS[system], "data_package", anchor)
        forget()

    yield spoil
    monkeypatch.undo()
    sys.modules.pop(f"words_of_{tmp_path.name}", None)
    forget()


@pytest.mark.parametrize(
    ("languages", "lacks"),
    [
        ({"en": without("event.FortCaptured"), "hu": without("event.FortCaptured")}, "cannot be told"),
        ({"en": without("about"), "hu": without("about")}, "no about"),
        ({"en": without("fort.west"), "hu": without("fort.west")}, "cannot be told"),
        ({"en": without("kind.volley"), "hu": without("kind.volley")}, "no kind.volley"),
        ({"hu": lambda po: po.replace("{round}. forduló után", "{kör}. forduló után")}, "after_round speaks of"),
        ({"en": lambda po: po.replace('msgstr "Turn {round}"', 'msgstr "Turn {round"')}, "ValueError: 'Turn {round'"),
        ({"hu": lambda po: po.replace('msgid "about"', "About:")}, "PoFileError"),
    ],
)
def test_words_that_lack_something_are_found(spoiled, languages, lacks):
    spoiled("forts", **languages)
    assert lacks in "; ".join(missing_words("forts"))
    assert not missing_words("matchbox")
    assert playable_systems() == tuple(name for name in RULESETS if name != "forts")


BOOK = """
[example]
position = ""
play = []
[[chapters]]
key = "sea"
rules = ["XX-1.1"]
[rules."XX-1.1"]
source = "printed"
when = { board = ["two_forts"] }
"""
BOOK_TEXTS = """
turn = []
tags = {}
example = { title = "", text = [], picture = "" }
[chapters]
sea = "At sea"
[rules."XX-1.1"]
title = "Sail"
text = "Ships sail."
"""


@pytest.mark.parametrize(
    ("facts", "texts", "lacks"),
    [
        (BOOK, BOOK_TEXTS, ""),
        (BOOK.replace("printed", "prnted"), BOOK_TEXTS, "rulebook.toml: XX-1.1: Invalid enum value 'prnted'"),
        (BOOK, BOOK_TEXTS.replace("text =", "txt ="), "rulebook.en.toml: XX-1.1: Object contains unknown field `txt`"),
        (BOOK, BOOK_TEXTS.replace("sea =", "see ="), "no title of chapter sea"),
        (BOOK.replace("board =", "bord ="), BOOK_TEXTS, "en: XX-1.1 cannot be told: en: no message 'option.bord'"),
        (BOOK + 'table = "none"', BOOK_TEXTS, "en: XX-1.1 cannot be told: 'none'"),
    ],
)
def test_a_rulebook_that_cannot_be_read_is_found(spoiled, tmp_path, facts, texts, lacks):
    folder = tmp_path / f"words_of_{tmp_path.name}"
    spoiled("forts")
    (folder / "rulebook.toml").write_text(facts, "utf-8")
    (folder / "rulebook.en.toml").write_text(texts, "utf-8")
    assert lacks in "; ".join(missing_words("forts"))
    assert bool(missing_words("forts")) == bool(lacks)


def test_what_a_game_lacks_in_one_language_it_says_in_another(spoiled):
    spoiled("forts", hu=lambda po: without("event.FortCaptured")(po).replace('"{round}. forduló után"', '""'))
    assert not missing_words("forts")
    assert count_borrowed("forts") == {"hu": 2}
    hungarian = Catalogue.load("hu", "forts")
    assert hungarian.template("event.FortCaptured") == Catalogue.load("en", "forts").template("event.FortCaptured")
    assert hungarian.template("after_round") == Catalogue.load("en", "forts").template("after_round")


async def test_the_log_says_once_what_is_said_in_another_language(sea: Sea, spoiled, caplog):
    spoiled("forts", hu=without("event.FortCaptured"))
    with caplog.at_level("INFO", logger="bot.services.standstill"):
        await sea.restart()
    (line,) = [record for record in caplog.records if record.getMessage() == "game not told in every language"]
    assert (line.system, line.borrowed) == ("forts", {"hu": 1})


@pytest.mark.parametrize("system", RULESETS)
def test_our_own_games_say_everything_in_every_language(system):
    assert count_borrowed(system) == {}
    for language in languages():
        assert list(events_without_words(Catalogue.load(language, system), RULESETS[system])) == []


def test_words_that_are_not_there_at_all_are_found(monkeypatch):
    monkeypatch.setattr(RULESETS["forts"], "data_package", "data.nowhere")
    forget()
    try:
        assert "data.nowhere" in "; ".join(missing_words("forts"))
    finally:
        monkeypatch.undo()
        forget()


async def test_games_of_a_left_out_game_stand_still_until_its_words_are_mended(sea: Sea, spoiled, monkeypatch):
    await sea.begin(sea.bela, system="forts", name="Silent")
    panel, thread = sea.panel(sea.anna), sea.thread
    await sea.begin(sea.bela, system="matchbox", name="Loud")
    before = sea.rows("games", "requests", "steps")
    deadline = next(row["deadline"] for row in before["games"] if row["id"] == 1)

    spoiled("forts", en=without("about"), hu=without("about"))
    message_count = len(thread.history())
    await sea.restart()
    (error,) = sea.faults
    assert error.getMessage() == "game left out"
    assert (error.system, error.standing_still, error.lacks) == ("forts", 1, "en: no about; hu: no about")
    sea.faults.clear()

    # People who open it learn why; nothing is lost.
    refused = EN.say("refuse.left_out")
    for command in ("status", "table", "orders", "log", "film"):
        assert await sea.command(sea.anna, command, game="1") == refused
    assert refused in await sea.press(sea.anna, panel, "type")
    assert refused in await sea.write(sea.anna, "#1 BB")
    assert EN.say("say.no_ladder") in await sea.command(sea.anna, "ladder")
    assert "forts" in await sea.command(sea.anna, "games")
    assert "How to play" in await sea.command(sea.anna, "help")
    assert [option.value for option in offered(sea)] == [name for name in RULESETS if name != "forts"]

    # Its time stands still, that of the other game does not.
    await sea.env.advance_time(2 * DAY)
    await sea.settle()
    after = sea.rows("games", "steps")
    assert len([row for row in after["steps"] if row["game_id"] == 1]) == 1
    assert len([row for row in after["steps"] if row["game_id"] == 2]) > 1
    assert len(thread.history()) == message_count

    # As soon as its words are there again it goes on where it was, and everybody has the time that was left.
    monkeypatch.undo()
    forget()
    await sea.restart()
    await sea.settle()
    (game,) = [row for row in sea.rows("games")["games"] if row["id"] == 1]
    assert game["paused_at"] is None
    assert game["deadline"] > deadline + DAY
    said = "\n".join(text_of(message) for message in thread.history())
    assert EN.say("act.left_out")[:30] in said
    assert "The texts are back" in said
    for who in (sea.anna, sea.bela):
        pending = await sea.bot.services.orders.type_text(
            await sea.bot.services.reader.requests.pending_request(who.id, 1), "GA"
        )
        await sea.bot.services.orders.seal_draft(pending, pending.row.version)
    await sea.settle()
    assert len([row for row in sea.rows("steps")["steps"] if row["game_id"] == 1]) == 2


async def test_what_is_said_of_a_game_is_said_in_its_own_words(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts", early=False)
    own = Catalogue.load("en", "forts")
    assert own.say("say.concede_sure") in await sea.command(sea.anna, "concede", game="1")
    assert await sea.command(sea.anna, "film", game="1", round=7) == "There is no turn 7 yet; the latest is turn 0."
    assert await sea.command(sea.anna, "table", game="1", picture="round") == "Nothing moved in the last turn."
    assert await sea.command(sea.anna, "table", game="1", picture="volley") == own.say("refuse.nothing_of.volley")
    assert "Turns end at the deadline" in text_of(sea.channel.history()[0])
    assert "isn't a ship. Choose BB (battleship), GA (galleon), FR" in await sea.write(sea.anna, "xyz")


async def test_games_that_this_bot_does_not_know_stand_still_too(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts")
    await sea.bot.close()
    sea.change_rows("UPDATE games SET system = 'chess'")
    await sea.restart(after_s=60)
    (error,) = sea.faults
    assert (error.getMessage(), error.system, error.standing_still) == ("game left out", "chess", 1)
    sea.faults.clear()
    for command in ("status", "concede", "export"):
        assert await sea.command(sea.anna, command, game="1") == EN.say("refuse.left_out")
    assert "chess" in await sea.command(sea.anna, "games")
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["running"]
    await sea.env.advance_time(3 * DAY)
    await sea.settle()
    sea.change_rows("UPDATE games SET system = 'forts'")
    await sea.restart()
    await sea.settle()
    assert "The texts are back" in sea.told()
    assert len(sea.rows("steps")["steps"]) == 1
