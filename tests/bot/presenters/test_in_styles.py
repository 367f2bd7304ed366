"""Texts about a game in three styles: a page has the text of plain words, and nobody's text as markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec import structs

from bot.jobs.closing import ClosingSummary
from bot.jobs.showing import panel_options_at
from bot.jobs.stored import encode
from bot.presenters import lobby, panel
from bot.presenters.glance import fit_panel_texts
from bot.presenters.lobby import LobbyFacts
from bot.presenters.panel import ClosedPanelFacts, ClosedPanelText
from bot.store.models import subjects
from bot.store.models.records import RequestsAnswered, StepRow
from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.style import DISCORD_STYLE, HTML_STYLE, PLAIN_STYLE
from rules.core.protocol import EMPTY_DRAFT, Result
from rules.core.view import Text
from tests.bot.markup import ATTACK, Elements
from tests.laws import panels
from tests.laws.play import SYSTEMS, tape

STYLES = (DISCORD_STYLE, PLAIN_STYLE, HTML_STYLE)
ELEMENTS = {"h2", "h3", "b", "code", "br", "small", "time", "blockquote", "li", "span", "a"}


def same_text(plain: str, page: str) -> None:
    """Check that a page has the text without marks, and no element that is not ours."""
    elements = Elements(page)
    assert set(elements.found) <= ELEMENTS
    assert not [link for link in elements.links if link not in ("#", None) and "discord.com" not in link]
    assert re.sub(r"\W+", "", elements.text) == re.sub(r"\W+", "", plain)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_panel(system: str, language: str) -> None:
    played = tape(system, 0)
    rules, turn = played.rules, next(turn for turn in played.turns if turn.requests and turn.act is None)
    request = next(request for request in turn.requests if not request.battle)
    pending = panels.asked(system, request, EMPTY_DRAFT)
    events = (encode(played.start.events), encode(turn.step.events))
    game = structs.replace(pending.seated_game.game, name=ATTACK)
    pending = structs.replace(
        pending, events_by_step=events, seated_game=structs.replace(pending.seated_game, game=game)
    )
    offer = panel_options_at(rules, turn.before, request, EMPTY_DRAFT)
    words = Localizer(Catalogue.load(language, system), dict.fromkeys(range(8), ATTACK))
    texts_by_style = {}
    for style in STYLES:
        texts = fit_panel_texts(replace(words, style=style), pending, offer)
        texts_by_style[style] = "\n".join([texts.above, texts.beside, texts.below, *texts.other_pages])
    assert texts_by_style[DISCORD_STYLE].startswith("### ")
    page = Elements(texts_by_style[HTML_STYLE])
    assert set(page.found) <= ELEMENTS
    assert "<script>alert" in page.text
    assert not set(page.links) - {"#"}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_left_of_a_panel(system: str, language: str) -> None:
    played = tape(system, 0)
    pending = panels.asked(system, next(turn.requests[0] for turn in played.turns if turn.requests))
    seat = structs.replace(pending.seated_game.seats[0], user_id=1)
    facts = ClosedPanelFacts(seated_game=pending.seated_game, seat=seat)
    score = Text("round", {"round": 4})
    closing = ClosingSummary(result=Result(winners=(0,), reason=Text("round", {"round": 3})), score=score)
    words = Localizer(Catalogue.load(language, system), dict.fromkeys(range(8), ATTACK))
    assert panel.closed_panel_text(words, facts, closing) == ClosedPanelText()  # nothing has happened
    step = played.turns[0].step
    row = StepRow(
        game_id=1, no=1, cause=RequestsAnswered(requests=()), events=encode(step.events), state="", resolved_at=0
    )
    step_facts = structs.replace(facts, steps=(row,))
    said = {style: panel.closed_panel_text(replace(words, style=style), step_facts, closing) for style in STYLES}
    assert len({(len(story.lines), len(story.story_lines)) for story in said.values()}) == 1
    assert words.say_text(score) in said[DISCORD_STYLE].lines[0].splitlines()
    plain, html = ("\n".join([*said[style].lines, *said[style].story_lines]) for style in (PLAIN_STYLE, HTML_STYLE))
    same_text(plain, html)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_lobby(system: str, language: str) -> None:
    rules = tape(system, 0).rules
    playing = panels.asked(system, tape(system, 0).turns[0].requests[0]).seated_game
    first, second = (structs.replace(row, word=ATTACK) for row in playing.seats[:2])
    seats = [structs.replace(first, user_id=None, kept_for=7), structs.replace(second, user_id=1)]
    game = structs.replace(playing.game, name=ATTACK, phase="lobby")
    facts = LobbyFacts(
        seated_game=structs.replace(playing, game=game, seats=seats),
        subject=subjects.LobbySubject(),
        now_s=0,
        default_options={spec.key: spec.default for spec in rules.options},
        options=tuple(rules.options),
        accepts_scenario=rules.accepts_scenario,
    )
    people = {0: ATTACK, 1: ATTACK, 7: ATTACK}
    words = Localizer(Catalogue.load(language, system), dict.fromkeys(range(8), ATTACK), user_names=people)
    said = {}
    for style in STYLES:
        own = replace(words, style=style)
        said[style] = "\n".join(
            [
                lobby.summary_text(own, facts),
                *lobby.team_lines(own, facts),
                *lobby.dice_lines(own, facts),
                *lobby.hint_lines(own, facts, None),
            ]
        )
    assert "<@7>" in said[DISCORD_STYLE]
    assert "<@7>" not in said[PLAIN_STYLE] + said[HTML_STYLE]
    same_text(said[PLAIN_STYLE], said[HTML_STYLE])
