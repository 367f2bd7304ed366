"""The buttons below a story open the round that its heading names, whatever led to the step: answers, battles, or an
action out of turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from rules.core.registry import RULESETS
from tests.bot import captains
from tests.bot.test_campaign import met, order, pass_a_turn
from tests.sea import Sea, refs, text_of

HEADING = {
    "en": re.compile(r"^-# (?:Round|Turn) (\d+)$", re.MULTILINE),
    "hu": re.compile(r"^-# (\d+)\\?\. (?:kör|forduló)$", re.MULTILINE),
}


def round_in(text: str, language: str = "en") -> int:
    heading = HEADING[language].search(text)
    return int(heading.group(1)) if heading else 0


def stories(sea: Sea, game: int) -> Iterator[Any]:
    for thread in sea.channel.threads:
        if thread.name.startswith(f"#{game} "):
            yield from (message for message in thread.history() if "why" in refs(message))


async def check_buttons(sea: Sea, who: Any, game: int, *, language: str = "en") -> list[int]:
    """Press **Why?**, **Film** and **Log** below every story of a game; return the rounds of the stories."""
    sea.languages[who.id] = language
    rounds: list[int] = []
    why_rules: set[tuple[int, str]] = set()
    log_rules: set[tuple[int, str]] = set()
    for message in stories(sea, game):
        round_no = round_in(text_of(message))
        assert refs(message)["why"].version == round_no
        explained = await sea.press(who, message, "why")
        assert round_in(explained, language) == round_no, explained
        filmed = await sea.press(who, message, "film")
        assert round_in(filmed, language) == round_no, filmed
        assert bool(sea.answers[0].attachments) == (round_no > 0), filmed
        why_rules |= rules_in(explained, round_no)
        log_rules |= rules_in(await sea.press(who, message, "log"), round_no)
        rounds.append(round_no)
    assert why_rules <= log_rules
    return sorted(rounds)


def rules_in(text: str, round_no: int) -> set[tuple[int, str]]:
    return {(round_no, rule) for rule in re.findall(r"\([A-Z]{2}-[0-9.]+\)", text)}


@pytest.mark.parametrize("system", [*RULESETS])
async def test_a_concession_in_a_round_is_shown_with_the_round_before_it(sea: Sea, system: str) -> None:
    await sea.begin(sea.bela, system=system)
    for _ in range(captains.MOST_ANSWERS):
        asked = [(who, pending) for who in (sea.anna, sea.bela) if (pending := await sea.asked(who, 1))]
        awaited = [(who, pending) for who, pending in asked if not pending.row.optional]
        if not awaited:
            await sea.env.advance_time(86_400)
            continue
        if awaited[0][1].row.body.round > 1:
            break
        await captains.by_typing(sea, *awaited[0])
    await sea.concede(sea.bela)
    await sea.settle()
    assert (await check_buttons(sea, sea.anna, 1))[-2:] == [1, 1]


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_the_turn_in_which_a_played_battle_is_entered_is_shown_as_that_turn(sea: Sea, language: str) -> None:
    await met(sea)
    await sea.concede(sea.bela, 2)
    await pass_a_turn(sea)
    await order(sea, sea.anna, "A1: SUN")
    await pass_a_turn(sea)
    assert await check_buttons(sea, sea.anna, 1, language=language) == [0, 3, 4, 5]


async def test_a_battle_that_is_entered_after_the_last_turn_is_shown_with_that_turn(sea: Sea) -> None:
    await met(sea, turn=23)
    await pass_a_turn(sea)
    await sea.concede(sea.bela, 2)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert await check_buttons(sea, sea.anna, 1) == [0, 23, 24, 24]
