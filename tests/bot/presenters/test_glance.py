"""Lines above a panel's buttons are not repeated; those without room stand below and on the other pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec import structs

from bot.discord.messages import captain
from bot.jobs.stored import encode
from bot.jobs.values import Hint, PanelOptions
from bot.presenters import panel
from bot.presenters.glance import (
    MAX_ORDERS_CHARS,
    ROUNDS_WITH_KEY,
    PanelTexts,
    _fit_news,
    _shorten_orders,
    fit_lines,
    fit_panel_texts,
)
from bot.presenters.panel import Advice
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.story import StorySummary
from rules.campaign.engine.orders import FleetOrder, TurnOrders
from rules.campaign.interface.view import SeasonView
from rules.chance.dice import Dice
from rules.core.protocol import Choices, Draft, Request, Setup
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.outcomes import ShipHolder
from rules.matchbox.engine.events import OrdersRevealed, PartsLost
from tests.laws import panels

SHORT, SECOND, LONG = "her shot is a guess", "nobody is near", "her shot is a guess, " * 8
WORDS = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
REQUEST = Request(id="r2.orders.0", seat=0, kind="orders", round=2)


def panel_texts(*warnings: str, lines: tuple[str, ...] = ("A1 rows on",), draft: str = "A1 FF") -> PanelTexts:
    """Return the texts of a panel with these orders and warnings, which can be sealed."""
    pending = panels.asked("matchbox", REQUEST, Draft(draft))
    choices = Choices(
        groups=(), lines=tuple(map(missing_text, lines)), missing_parts=() if draft else (missing_text("orders"),)
    )
    return fit_panel_texts(WORDS, pending, PanelOptions(choices=choices, warnings=tuple(map(missing_text, warnings))))


def missing_text(what: str) -> Text:
    return Text("panel.missing", {"what": what})


def times(what: str, texts: PanelTexts) -> tuple[int, int, int]:
    return tuple(text.count(what) for text in (texts.beside, texts.below, "\n".join(texts.other_pages)))  # type: ignore[return-value]


def test_a_warning_that_is_seen_whole_is_not_repeated() -> None:
    texts = panel_texts(SHORT, SECOND)
    assert times(SHORT, texts) == (1, 0, 0)
    assert times(SECOND, texts) == (0, 1, 1)
    assert times("A1 rows on", texts) == (1, 0, 0)


def test_a_warning_that_has_no_room_is_counted_and_said_below() -> None:
    texts = panel_texts(LONG, SECOND)
    assert times(LONG.strip(), texts) == (0, 1, 1)
    assert times(SECOND, texts) == (0, 1, 1)
    assert WORDS.say("panel.warnings.below", n=2) in texts.beside


def test_orders_make_room_for_a_warning_and_are_below() -> None:
    orders = ("A1 rows on", "A2 turns to port")
    assert times(orders[1], panel_texts(SHORT, lines=orders)) == (1, 0, 0)
    long_warning = ", ".join([SECOND] * 6)
    assert times(orders[0], panel_texts(long_warning, lines=orders)) == (0, 1, 1)
    assert times(long_warning, panel_texts(long_warning, lines=orders)) == (1, 0, 0)


@pytest.mark.parametrize("warnings", [(), (SHORT,)])
def test_where_nothing_is_ordered_lines_are_kept_under_more(warnings: tuple[str, ...]) -> None:
    assert times("A1 rows on", panel_texts(*warnings, draft="")) == (0, 0, 1)


def test_who_missed_the_deadline_is_told_so_first_until_they_order() -> None:
    pending = structs.replace(panels.asked("matchbox", REQUEST), late_answers={0: "deadline"})
    offer = PanelOptions(choices=Choices(groups=(), lines=(), missing_parts=(missing_text("orders"),)))
    title, first, *_ = fit_panel_texts(WORDS, pending, offer).above.split("\n")
    assert first == WORDS.style.quote(WORDS.say("panel.late.mate"))
    other = structs.replace(pending, late_answers={1: "deadline"})
    ordered = structs.replace(panels.asked("matchbox", REQUEST, Draft("A1 FF")), late_answers=pending.late_answers)
    for texts in (fit_panel_texts(WORDS, other, offer), fit_panel_texts(WORDS, ordered, offer)):
        assert texts.above.startswith(title)
        assert first not in texts.above


@pytest.mark.parametrize("language", ["en", "hu"])
def test_what_is_missing_is_told_ship_by_ship_and_how_many_more_have_no_room(language: str) -> None:
    words = Localizer(Catalogue.load(language, "matchbox"))
    texts = [Text("missing.orders", {"galley": f"A{n}", "more": 5}) for n in range(1, 7)]
    every = [words.say_text(text) for text in texts]
    assert panel.missing_text(words, texts) == "; ".join(every)
    assert panel.missing_text(words, texts, 40) == "; ".join([*every[:2], words.say("panel.and_more", n=4)])
    begun = [Text("missing.orders.fire_or_mend", {"galley": f"A{n}", "more": 1}) for n in range(1, 4)]
    assert panel.missing_text(words, begun, 68) == "; ".join(words.say_text(text).split(" (")[0] for text in begun)
    first, more = panel.missing_text(words, texts, 20).split("; ")
    assert more == words.say("panel.and_more", n=5)
    assert first == every[0]


@pytest.mark.parametrize(
    ("room", "news"),
    [
        (2, ["**A1 loses 1 port oar!**", "B1 is lost!"]),
        (1, ["**A1 loses 1 port oar!**"]),
        (0, []),
        (5, ["**A1 hits nobody from afar, then loses 1 port oar to B2**", "B1 is lost!"]),
    ],
)
def test_what_came_of_own_orders_is_first_and_never_cut(room: int, news: list[str]) -> None:
    gist = StorySummary(
        ("A1 hits nobody from afar, then loses 1 port oar to B2", "A1 loses 1 port oar!"), "B1 is lost!"
    )
    assert _fit_news(WORDS, gist, ["B1 is lost!"], room) == news


def test_what_others_did_is_told_rather_than_the_beginning_of_own_news() -> None:
    own = ("B1 loses 2 port oars, 1 starboard oar, and 1 mast!",)
    assert _fit_news(WORDS, StorySummary(own, "B1 burns a house!"), [], 1) == ["B1 burns a house!"]
    assert _fit_news(WORDS, StorySummary(own, ""), [], 1) == [], "it is told below the buttons"
    assert _fit_news(WORDS, StorySummary(own, "B1 burns a house!"), [], 3) == [f"**{own[0]}**", "B1 burns a house!"]


def test_what_others_did_comes_before_own_moves_that_make_no_headline() -> None:
    gist = StorySummary(("A1 sails from C7 to E8", "sails to E8"), "B1 sails to Q4", is_without_headline=True)
    theirs = "**B1 sails to Q4**"
    assert [_fit_news(WORDS, gist, [], room) for room in (2, 1)] == [[theirs, gist.own_news[0]], [theirs]]
    assert _fit_news(WORDS, gist._replace(others_news=""), [], 1) == [gist.own_news[0]]


@pytest.mark.parametrize("happened", [(), (encode((OrdersRevealed(galley="A1", seat=0, orders="FFFFF"),)),)])
def test_what_is_urgent_is_seen_first_before_all_that_could_be_ordered(happened: tuple[str, ...]) -> None:
    pending = structs.replace(panels.asked("matchbox", REQUEST), events_by_step=happened)
    urgent = "Your PIR Piraeus is besieged: 10 of 12 nights."
    lines = tuple(missing_text(f"you can do this, and that, and what not, {n}") for n in range(9 if happened else 4))
    texts = fit_panel_texts(
        WORDS, pending, PanelOptions(choices=Choices(groups=(), lines=lines), score=missing_text(urgent))
    )
    assert urgent in texts.above.splitlines()[1]
    assert WORDS.say("panel.lines.under" if happened else "panel.lines.below", n=len(lines)) in texts.beside
    assert happened or lines[1].params["what"] in texts.below


def test_more_orders_than_have_room_below_the_buttons_are_said_to_be_under_more() -> None:
    lines = tuple(missing_text(f"you can do this, and that, and what not, {n}") for n in range(9))
    texts = fit_panel_texts(
        WORDS, panels.asked("matchbox", REQUEST), PanelOptions(choices=Choices(groups=(), lines=lines))
    )
    assert "under **More …**" in texts.beside


def test_more_orders_than_are_seen_in_a_sealed_panel_are_under_more() -> None:
    pending = panels.asked("matchbox", REQUEST, Draft("A1 FFFFF"), sealed=True)
    lines = tuple(missing_text(f"you can do this, and that, and what not, {n}") for n in range(9))
    texts = fit_panel_texts(WORDS, pending, PanelOptions(choices=Choices(groups=(), lines=lines)))
    assert "under **More …**" in texts.beside
    assert "what not, 8" in "\n".join(texts.other_pages)
    assert "what not, 8" not in texts.below


def test_a_hint_is_told_whole_and_a_missing_reason_is_not_counted() -> None:
    order, reason = "A1 rows on, or else turns to port and fires at B1's crew", "B1 is near, " * 9
    assert fit_lines(WORDS, [order, reason], MAX_ORDERS_CHARS, 1).text == order
    assert fit_lines(WORDS, [order, order, reason], MAX_ORDERS_CHARS, 1).text.endswith("1 more line below")
    fleet = [f"A{n} 5/3" for n in range(1, 7)]
    assert fit_lines(WORDS, fleet, len(" · ".join(fleet[:4]))).text == "A1 5/3 · A2 5/3 · 4 more lines"
    assert fit_lines(WORDS, [order, "A2 rows on"], len(order) + 10).text == f"{order} · +1 line"
    assert fit_lines(WORDS, [order, "A2 rows on"], len(order)).text == "2 lines below"
    praise = ["Fine as it is.", "B1 is far", "A1 lies still"]
    assert fit_lines(WORDS, praise, MAX_ORDERS_CHARS).text == "Fine as it is. B1 is far · A1 lies still"


def test_only_a_hint_that_changes_nothing_leaves_seal_and_says_so() -> None:
    pending = panels.asked("matchbox", REQUEST, Draft("A1 FFFFF"))
    lines = (missing_text("A1 rows on"),)
    for hinted, labels in (
        (lines, ["Seal", "Type", "Hint"]),
        ((missing_text("A1 turns"),), ["Type", "Take it", "Drop hint", "Take and seal"]),
    ):
        advice = Advice(Hint(answer="A1 FFFFF", lines=hinted, reason=missing_text(SHORT)), "0" * 32)
        layout = captain.panel_layout(
            WORDS, pending, PanelOptions(choices=Choices(groups=(), lines=lines)), advice=advice
        )
        assert [button.label for button in layout.controls if button.custom_id.verb != "more"] == labels[
            : len(layout.controls)
        ]
        assert (WORDS.say("hint.same") in layout.panel_texts.beside) == (hinted == lines)
    praised = Advice(Hint(answer="A1 FFFFF", lines=lines, reason=Text(panel.PRAISE_KEY)), "0" * 32)
    assert praised.hint_lines(WORDS, same=True) == [WORDS.say("hint.same")], "once is enough"


def test_taking_a_hint_that_is_carried_out_at_once_says_so_before_it_is_pressed() -> None:
    advice = Advice(Hint(answer="A1 FFFFF", lines=(missing_text("A1 turns"),), reason=missing_text(SHORT)), "0" * 32)
    for sealed, label in ((True, "button.take"), (False, "button.take_now")):
        pending = panels.asked("matchbox", structs.replace(REQUEST, sealed=sealed))
        layout = captain.panel_layout(WORDS, pending, PanelOptions(choices=Choices(groups=(), lines=())), advice=advice)
        assert next(control.label for control in layout.controls if control.custom_id.verb == "take") == WORDS.say(
            label
        )
        assert (WORDS.say("hint.at_once") in layout.panel_texts.beside) != sealed


def test_the_score_comes_first_and_where_nothing_befell_a_captain_the_nearest_enemy() -> None:
    pending, choices = (
        panels.asked("matchbox", REQUEST),
        Choices(groups=(), lines=(), missing_parts=(missing_text("orders"),)),
    )
    near = Text("near.enemy", {"galley": "B1", "gap_mm": 97.6, "bearing": "astern"})
    done = OrdersRevealed(galley="A1", seat=0, orders="FFFFF", rule="MB-4.1")
    pending = structs.replace(pending, events_by_step=(encode((done,)),))
    score = Text("panel.missing", {"what": "a point"})
    ships = (ShipHolder("A1", 0),)
    above = fit_panel_texts(
        WORDS, pending, PanelOptions(choices=choices, ship_holders=ships, score=score, nearest_enemy=("A1", near))
    ).above
    assert [line for line in above.split("\n") if line.startswith(">")] == [
        WORDS.style.quote(WORDS.say_text(score)),
        WORDS.style.quote(WORDS.say("news.quiet", ship="A1", near=replace(WORDS, rounds_numbers=True).say_text(near))),
    ]


def test_what_others_did_is_told_once() -> None:
    own = OrdersRevealed(galley="A1", seat=0, orders="FFFFF", rule="MB-4.1")
    theirs = OrdersRevealed(galley="B1", seat=1, orders="LLLLL", rule="MB-4.1")
    late = structs.replace(REQUEST, round=ROUNDS_WITH_KEY + 1)
    pending = structs.replace(panels.asked("matchbox", late), events_by_step=(encode((own, theirs)),))
    offer = PanelOptions(
        choices=Choices(groups=(), lines=(), missing_parts=(missing_text("orders"),)),
        ship_holders=(ShipHolder("A1", 0), ShipHolder("B1", 1)),
    )
    texts = fit_panel_texts(WORDS, pending, offer)
    assert "LLLLL" in texts.above
    assert "LLLLL" not in "\n".join([texts.below, *texts.other_pages])
    # Where own news leave no room for it above, own lines still come first below.
    lost = [
        PartsLost(step=step, galley=f"A{step}", by="B1", facing="port", port=step, starboard=step - 1, masts=step - 1)
        for step in (1, 2)
    ]
    fleet = (own, structs.replace(own, galley="A2"), theirs, *lost)
    pending = structs.replace(pending, events_by_step=(encode(fleet),))
    held = (ShipHolder("A1", 0), ShipHolder("A2", 0), ShipHolder("B1", 1))
    missing = Choices(groups=(), lines=(), missing_parts=(missing_text("orders"), missing_text("orders")))
    below = fit_panel_texts(WORDS, pending, PanelOptions(choices=missing, ship_holders=held)).below
    assert [line[2:4] for line in below.splitlines() if "`" in line] == ["A1", "A2", "B1"]


@pytest.mark.parametrize("language", ["en", "hu"])
def test_the_orders_of_four_fleets_of_a_season_are_all_seen(language: str) -> None:
    season, setup = RULESETS["campaign"], Setup(system="campaign", teams=(0, 1, 2, 3), options={"map": "ring"})
    state = season.start(season.with_edition(setup), Dice("00")).state
    request = season.pending_requests(state)[0]
    view = season.view(state, request.seat)
    assert isinstance(view, SeasonView)
    places = view.known_position.sea_map.places
    home = view.galleys[0].place
    sea = places[home].legs[0]
    ends = [code for code in places[sea].legs if code != home]
    fleets = tuple(
        FleetOrder(galleys=(galley.id,), route=(sea, end), stance="attack")
        for galley, end in zip(view.galleys, ends[:4], strict=False)
    )
    draft = Draft(season.format_answer(request, TurnOrders(fleets=fleets)))
    localizer = Localizer(Catalogue.load(language, "campaign"), {seat: f"Captain {seat}" for seat in setup.teams})
    choices = season.draft_choices(state, request, draft)
    fitted, complete = _shorten_orders(localizer, choices, None, MAX_ORDERS_CHARS, "under")
    assert fitted.line_count == len(fleets) == 4
    assert not complete, "the whole orders are below"


@pytest.mark.parametrize("language", ["en", "hu"])
def test_what_a_shot_may_achieve_is_said_in_whole_millimetres_while_orders_are_given(language: str) -> None:
    rules = RULESETS["matchbox"]
    state = rules.state_at("900x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 4-4+4/4 @487,310^10")
    request = next(request for request in rules.pending_requests(state) if request.seat == 0)
    draft = Draft("A1 LX")
    choices = rules.draft_choices(state, request, draft)
    assert choices.forecasts
    words = Localizer(Catalogue.load(language, "matchbox"))
    texts = fit_panel_texts(words, panels.asked("matchbox", request, draft), PanelOptions(choices=choices))
    said = "\n".join([texts.beside, texts.below, *texts.other_pages])
    assert re.search(r"\d\smm", said)
    assert not re.search(r"\d[.,]\d+\smm", said)
