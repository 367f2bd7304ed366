"""Names that several captains have are numbered, and no text of theirs is a link."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.texts.names import MAX_NAME_CHARS, number_namesakes, numbered_name, usable_name
from bot.texts.style import DISCORD_STYLE, escape, without_links
from tests.sea import Sea

LINK = re.compile(r"(?:https?|steam|discord)://|(?:discord\.gg|discord(?:app)?\.com/invite|dsc\.gg)/", re.IGNORECASE)
"""Matches what Discord makes a link or an invitation of."""
LINKS = ("https://", "http://", "HTTPS://", "discord.gg/", "discord.com/invite/", "x.y/z", "evil.example")
MARKS = (
    "@everyone",
    "**",
    "||",
    "`",
    "[a](",
    ")",
    "<",
    ">",
    "\\",
    "_",
    " ",
    "\u200b",
    "\u202e",
    ":",
    "/",
    ".",
    "#",
    "-",
)
PARTS = st.sampled_from((*LINKS, *MARKS, "a", "é", "漢"))


@given(st.dictionaries(st.integers(0, 7), st.sampled_from(("anna", "Anna", "anna (1)", "anna (2)", "béla", "x" * 80))))
@example({0: "anna", 1: "anna", 2: "anna (1)"})
@example({0: "x" * 80, 1: "x" * 80})
def test_numbered_names_differ_and_single_ones_stay(names: dict[int, str]) -> None:
    numbers = number_namesakes(names)
    shown = {key: numbered_name(name, numbers.get(key)) for key, name in names.items()}
    assert len({name.casefold() for name in shown.values()}) == len(names)
    assert all(len(name) <= MAX_NAME_CHARS for name in shown.values())
    folded = [name.casefold() for name in names.values()]
    assert all(shown[key] == name for key, name in names.items() if folded.count(name.casefold()) == 1)


def test_names_that_only_look_alike_are_numbered_too() -> None:
    assert number_namesakes({0: "Anna", 3: "ａｎｎａ", 5: "an\u200dna", 6: "Béla"}) == {0: 1, 3: 2, 5: 3}


UNSEEN = [
    chr(code)
    for code in range(0x110000)
    if re.search(
        "VARIATION SELECTOR|HANGUL .*FILLER|GRAPHEME JOINER|INHERENT|ZERO WIDTH|PATTERN BLANK|^SOFT HYPHEN|TAG LATIN",
        unicodedata.name(chr(code), ""),
    )
]
"""Characters that Discord shows as nothing or as a blank."""


def test_names_that_differ_only_in_what_nobody_sees_are_numbered() -> None:
    assert len(UNSEEN) > 250
    for char in UNSEEN:
        names = {0: usable_name("anna"), 1: usable_name(f"anna{char}")}
        assert number_namesakes(names) == {0: 1, 1: 2}, f"U+{ord(char):04X}"


@pytest.mark.parametrize("name", ["аnnа", "Αnna", "ＡΝΝＡ", "АΝΝА", "𝐚𝐧𝐧𝐚", "\U0001d6a8nna", "αnոa", "ᎪNNᎪ"])
def test_names_in_letters_that_look_like_latin_ones_are_numbered(name: str) -> None:
    assert number_namesakes({0: "Anna", 1: usable_name(name)}) == {0: 1, 1: 2}


@pytest.mark.parametrize("name", ["Anno", "ána", "Анна", "阿娜", "Ann❤️", "Änna"])
def test_names_that_readers_tell_apart_stay_as_they_are(name: str) -> None:
    assert usable_name(name) == name
    assert not number_namesakes({0: "Anna", 1: name})


async def test_a_thread_tells_two_captains_apart_who_look_the_same(sea: Sea) -> None:
    other = sea.guild.add_member(sea.env.create_user("somebody", global_name="\u0430nna\u034f"))
    await sea.begin(other)
    await sea.concede(other)
    assert "anna (1)" in sea.told()
    assert "nna\u034f (2)" in sea.told()


@given(st.lists(PARTS, max_size=12).map("".join))
@example("https://evil.example/x")
@example("discord.gg/abc")
def test_no_name_is_a_link_in_a_message_or_a_title(name: str) -> None:
    assert not LINK.search(escape(name))
    assert not LINK.search(without_links(name))
    assert not LINK.search(DISCORD_STYLE.cut_visible(escape(name), 20))


@given(st.lists(PARTS, max_size=12).map("".join))
def test_readers_see_a_name_in_a_message_as_it_is(name: str) -> None:
    """Discord shows a sign after a backslash as it is."""
    shown = re.sub(r"\\([^0-9A-Za-z\s])", r"\1", escape(name))
    assert shown.replace("@\u200b", "@") == re.sub("[\u200b\u202e]", "", " ".join(name.split()))
