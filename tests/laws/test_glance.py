"""Lobbies, lessons and panels show at a glance on a phone: the picture, lines beside it, buttons.

Rows are counted, for every game and language; `tests/e2e/test_walk.py` measures pixels in a browser.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec import structs

from bot.discord.messages import captain, lessons, lobby
from bot.discord.messages.board import SelectMenu, select_option
from bot.discord.messages.pictures import pending_note
from bot.errors import Refusal
from bot.jobs import practice
from bot.jobs.showing import panel_options_at
from bot.jobs.stored import encode
from bot.jobs.values import DescribedPicture, Hint, PanelOptions, PictureStyle, StillSettings
from bot.presenters import lobby as telling
from bot.presenters.asked import PendingRequest
from bot.presenters.glance import fit_panel_texts, is_advice_same_as_draft
from bot.presenters.lessons import LessonPage
from bot.presenters.lobby import LobbyFacts
from bot.presenters.panel import Advice, story_since_request
from bot.store.models import subjects
from bot.store.models.records import SeatRow
from bot.texts.i18n import Catalogue, Localizer, languages
from rules.core.protocol import EMPTY_DRAFT, Draft, Event, Request
from tests.laws import panels
from tests.laws.length import times
from tests.laws.play import SYSTEMS, Tape, Turn, tape, tapes, words

PICTURE = DescribedPicture(data=b"", format="png", alt_text="x")


def pressed(block: object) -> object:
    """Return a block that can be pressed or chosen from; None for texts and pictures."""
    return block if isinstance(block, list | SelectMenu) else None


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_panel_of_each_kind_of_question_also_in_mid_turn_and_with_a_note(system: str, number: int) -> None:
    game, known = tape(system, number), set[str]()
    for turn in game.turns:
        for request in (request for request in turn.requests if not request.battle and request.kind not in known):
            known.add(request.kind)
            offer = PanelOptions(choices=game.rules.draft_choices(turn.before, request))
            for own in words(system):
                for note in ("", own.say("panel.unsealed"), own.say("say.also_direct")):
                    pending = panels.asked(system, request)
                    first, *_ = pages = captain.panel_layout(own, pending, offer, note=note).all_pages(PICTURE)
                    panels.seen(own, first)
                    before, *_ = captain.panel_layout(own, pending, offer, note=note).all_pages(pending_note(own))
                    assert list(map(pressed, before)) == list(map(pressed, first)), (
                        "nothing jumps when the picture comes"
                    )
                    assert any(note in block for page in pages for block in page if isinstance(block, str))


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_panel_with_orders_of_each_ship_in_hand_and_with_a_hint(system: str, number: int) -> None:
    """However much is ordered, warned of or advised."""
    game, known = tape(system, number), set[str]()
    for turn in game.turns:
        for request in (request for request in turn.requests if not request.battle and request.kind not in known):
            known.add(request.kind)
            rules = game.rules
            full = Draft(rules.format_answer(request, turn.answers[request.id]))
            hint = Hint(
                answer=full.text,
                lines=rules.draft_choices(turn.before, request, full).lines,
                reason=rules.reason_for(rules.view(turn.before, request.seat), turn.answers[request.id]),
            )
            looks = {
                option.focus
                for group in rules.draft_choices(turn.before, request, full).groups
                for option in group.options
            }
            for draft in (full, *(full._replace(focus=focus) for focus in sorted(filter(None, looks)))):
                choices = rules.draft_choices(turn.before, request, draft)
                offer = PanelOptions(choices=choices, warnings=rules.draft_warnings(turn.before, request, draft))
                for own in words(system):
                    for advice in (None, Advice(hint, "00")):
                        layout = captain.panel_layout(own, panels.asked(system, request, draft), offer, advice=advice)
                        panels.seen(own, layout.all_pages(PICTURE)[0])


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_lesson(system: str) -> None:
    known = tape(system, 0).rules.lessons
    look = PictureStyle(system=system, language="en", names={0: "Anna", 1: "Ben"}, stills=StillSettings(width_px=320))
    for number, lesson in enumerate(known):
        for draft in (EMPTY_DRAFT, Draft(lesson.solution)):
            done = practice.draw_lesson_panel(system, number, draft, None, look)
            for language in languages():
                page = LessonPage(language, "Anna", system, number)
                first, *_ = pages = lessons.lesson_pages(page, done.draft, done.panel)
                rows = {"most_text": lessons.MAX_TEXT_ROWS, "most": lessons.MAX_BUTTON_ROWS}
                panels.seen(page.pupil_localizer(), first, most_title=2, **rows)
                text = "\n".join(block for blocks in pages for block in blocks if isinstance(block, str))
                gist, *more = page.pupil_localizer().say(f"{page.key_prefix}.text").split("\n")
                above, _, below = text.partition(page.pupil_localizer().say("learn.goal"))
                assert gist in above
                assert all(part in below for part in more)
                assert page.pupil_localizer().say(f"{page.key_prefix}.goal") in text


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_panel_cuts_no_sentence_and_leaves_none_out(system: str) -> None:
    for number in range(times(1, 6)):
        game, previous_events = tape(system, number), tuple[Event, ...]()
        for turn in game.turns:
            for request in (request for request in turn.requests if request.id in turn.answers and not request.battle):
                news = tuple(event for event in previous_events if request.seat in (event.seen_by or (request.seat,)))
                for pending, offer, advice in panels_of(game, turn, request):
                    with_news = structs.replace(pending, events_by_step=(encode(news),))
                    for own in words(system):
                        hold_sentences(own, with_news, offer, advice)
            previous_events = turn.step.events


def panels_of(game: Tape, turn: Turn, request: Request) -> Iterator[tuple[PendingRequest, PanelOptions, Advice | None]]:
    """Yield a panel without orders, with a hint, with the turn's orders, and with these sealed."""
    rules, answer = game.rules, turn.answers[request.id]
    full = Draft(rules.format_answer(request, answer))
    lines = rules.draft_choices(turn.before, request, full).lines
    reason = rules.reason_for(rules.view(turn.before, request.seat), answer)
    hint = Advice(Hint(answer=full.text, lines=lines, reason=reason), "00")
    for draft, advice, sealed in (
        (EMPTY_DRAFT, None, False),
        (EMPTY_DRAFT, hint, False),
        (full, None, False),
        (full, None, True),
    ):
        offer = panel_options_at(rules, turn.before, request, draft)
        yield panels.asked(game.setup.system, request, draft, sealed=sealed), offer, advice


def hold_sentences(own: Localizer, pending: PendingRequest, offer: PanelOptions, advice: Advice | None) -> None:
    texts = fit_panel_texts(own, pending, offer, advice)
    lines = "\n".join([texts.above, texts.beside, texts.below]).split("\n")
    for line in lines:
        assert "…" not in re.sub(r"`\w*…`", "", line.replace(own.say("button.more"), "")), line
    everywhere = "\n".join([*lines, *texts.other_pages])
    is_same = advice is not None and is_advice_same_as_draft(advice, offer.choices)
    sentences = advice.hint_lines(own, same=is_same) if advice else []
    if not advice or is_same:  # another hint hides the draft until it is dropped
        sentences += map(own.say_text, (*offer.choices.lines, *offer.warnings))
    assert [sentence for sentence in sentences if sentence not in everywhere] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_decisions_and_own_losses_stand_on_the_first_page_and_losses_before_gains(system: str) -> None:
    for number in range(times(1, 6)):
        game, previous_events = tape(system, number), tuple[Event, ...]()
        for turn in game.turns:
            for request in (request for request in turn.requests if request.id in turn.answers and not request.battle):
                news = tuple(event for event in previous_events if request.seat in (event.seen_by or (request.seat,)))
                for pending, offer, advice in panels_of(game, turn, request):
                    with_news = structs.replace(pending, events_by_step=(encode(news),))
                    for own in words(system):
                        hold_first_page(own, with_news, offer, advice)
            previous_events = turn.step.events


def hold_first_page(own: Localizer, pending: PendingRequest, offer: PanelOptions, advice: Advice | None) -> None:
    page = captain.panel_layout(own, pending, offer, advice=advice).all_pages(PICTURE)[0]
    lines = [line for block in page if isinstance(block, str) for line in block.split("\n")]
    if not (advice or pending.answer):
        decisions = [*map(own.say_text, offer.choices.decisions)]
        assert [decision for decision in decisions if not any(decision in line for line in lines)] == []
    if advice or pending.answer or pending.row.draft:
        return
    _, summary = story_since_request(own, pending, offer.ship_holders)
    assert [loss for loss in summary.losses if not loss.is_told_in(lines)] == []
    above = fit_panel_texts(own, pending, offer).above
    losses = [loss.headline for loss in summary.losses]
    gains = [headline for headline in summary.own_headlines if headline not in losses]
    places = [[above.index(text) for text in texts if text in above] for texts in (losses, gains)]
    assert max(places[0], default=0) <= min(places[1], default=len(above)), above


def lobby_of(system: str, options: dict[str, str], sides: int) -> LobbyFacts:
    """Return a lobby with its host and free seats."""
    rules = tape(system, 0).rules
    request = next(turn.requests[0] for turn in tape(system, 0).turns if turn.requests)
    playing = panels.asked(system, request).seated_game
    seats = [
        SeatRow(
            game_id=1, seat=number, team=number % 2, user_id=None if number else 1, computer=False, kept_for=None,
            conceded=False, draw_at=None, missed=0, offered_at=None, name=None, word=None, word_agreed=False,
        )
        for number in range(sides)
    ]  # fmt: skip
    setup = structs.replace(playing.game.setup, options=options)
    return LobbyFacts(
        seated_game=structs.replace(
            playing, game=structs.replace(playing.game, name="", phase="lobby", setup=setup), seats=seats
        ),
        subject=subjects.LobbySubject(),
        now_s=0,
        default_options={spec.key: spec.default for spec in rules.options},
        options=rules.relevant_options(options),
        accepts_scenario=rules.accepts_scenario,
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_list_that_was_used_stays_on_its_page_and_what_it_opens_stands_there_too(system: str) -> None:
    rules = tape(system, 0).rules
    usual = {spec.key: spec.default for spec in rules.options}
    words = Localizer(Catalogue.load("en", system), {0: "Anna", 1: "Ben"})

    def places(options: dict[str, str]) -> dict[str, int]:
        """Return for each list the page on which it stands."""
        pages = lobby.lobby_pages(words, lobby_of(system, options, 2), None)
        return {
            block.custom_id.token: page
            for page, blocks in enumerate(pages)
            for block in blocks
            if isinstance(block, SelectMenu)
        }

    before = places(usual)
    for spec in rules.options:
        for value in spec.values:
            after = places(rules.with_dependent_options({**usual, spec.key: value}, spec.key))
            opened = {key: page for key, page in after.items() if key not in before}
            assert not opened or {*opened.values()} == {after[spec.key]} == {before[spec.key]}, (spec.key, value)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_lobby(system: str, language: str) -> None:
    rules = tape(system, 0).rules
    own = Localizer(Catalogue.load(language, system), dict.fromkeys(range(8), "Anna"))
    for sides in (2, 8):
        facts = structs.replace(lobby_of(system, {}, sides), default_options={}, options=tuple(rules.options))
        game = facts.seated_game.game
        first, *others = lobby.lobby_pages(own, facts, None)
        panels.seen(own, first)
        texts = "\n".join(block for page in (first, *others) for block in page if isinstance(block, str))
        assert "…" not in texts.replace(own.say("button.more"), "").replace(own.say("game"), ""), "a sentence is cut"
        changed = next(spec for spec in rules.options if len(spec.values) > 1)
        setup = structs.replace(game.setup, options={changed.key: changed.values[1]})
        faulty = structs.replace(
            facts,
            seated_game=structs.replace(facts.seated_game, game=structs.replace(game, setup=setup)),
            subject=subjects.LobbySubject(option=changed.key, before=changed.values[0]),
        )
        for page in (*others, *lobby.lobby_pages(own, faulty, None)[1:]):
            panels.seen_lean(own, page)
        for page in lobby.lobby_pages(own, faulty, Refusal("scenario_fails"))[1:]:
            panels.seen_lean(own, page, panels.BARE_ROWS)  # why it cannot begin is worth a look above
        lists = [block for page in (first, *others) for block in page if isinstance(block, SelectMenu)]
        for menu in lists:
            picks = menu.options
            if key := menu.custom_id.token:  # each when it is chosen
                means = telling.option_description(own, key)
                picks = [lobby.option_value(own, key, pick.value, means, chosen=True) for pick in picks]
            descriptions = [select_option(pick.label, "", pick.description).description or "" for pick in picks]
            assert not any(text.endswith("…") for text in descriptions), descriptions
        for before, block in (pair for page in (first, *others) for pair in pairwise(page)):
            if isinstance(block, list) and block[0].custom_id.verb == "charts":
                assert isinstance(before, SelectMenu), "below the list of which it shows all"
                assert before.custom_id.token == block[0].custom_id.token
        tokens = [block.custom_id.token for block in lists]
        assert {spec.key for spec in rules.options if len(spec.values) > 1} <= set(tokens)
