"""Layout of a panel's texts: what fits on a phone with the picture and buttons, and what moves to other pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, Literal, NamedTuple

import render
from bot.jobs.values import PanelOptions
from bot.presenters import panel
from bot.presenters.asked import PendingRequest
from bot.presenters.panel import Advice
from bot.presenters.verdicts import verdict_lines
from bot.presenters.wording import short_game_title
from bot.texts import repeats
from bot.texts.i18n import Localizer
from bot.texts.story import StorySummary
from rules.core.protocol import Choices
from rules.core.registry import RULESETS
from rules.core.view import Text

TEXT_ROWS: Final = 5
"""Rows of text below the title that a phone shows together with a picture and four rows of buttons."""
ROW_CHARS: Final = 34  # of a phone
MAX_LINE_CHARS: Final = 2 * ROW_CHARS
MAX_ORDERS_CHARS: Final = 3 * ROW_CHARS
NEWS_ROWS: Final = 2
MAX_ROWS_BELOW: Final = 10
"""The most rows below the buttons; with more, a phone that shows the message's end would hide the buttons."""
ROUNDS_WITH_KEY: Final = 3
MAX_CHARS_ABOVE: Final = 1000
_SEPARATOR: Final = " · "

Place = Literal["below", "under"]
"""Where the rest of some lines stands: below the buttons, or under More."""


class PanelTexts(NamedTuple):
    above: str
    """Above the picture: the title, the news while nothing is ordered, and the question with its deadline."""
    beside: str
    """Between picture and buttons: the orders, a hint or a warning, and whether they can be sealed."""
    below: str
    """Below the buttons: the rest of the orders or, while there are none, of the story."""
    other_pages: tuple[str, ...]
    """Lines for the other pages: orders, warnings and story lines that are not above, and the deadline."""


class FittedText(NamedTuple):
    text: str
    is_complete: bool  # whether nothing was left out
    line_count: int = 0  # how many lines are included


def fit_panel_texts(
    localizer: Localizer, request: PendingRequest, offer: PanelOptions, advice: Advice | None = None, note: str = ""
) -> PanelTexts:
    """Return the texts of a panel. `note` tells of a change just made to the panel."""
    return _PanelFitter(localizer, request, offer, advice, note).fit()


class _FittedOrders(NamedTuple):
    """The texts beside the picture, in order."""

    plan: str  # the orders, or a hint
    warning: str  # empty: none
    readiness: str  # whether the draft can be sealed
    full_lines: frozenset[str]  # lines of orders, hint and warnings that fit in full
    is_readiness_cut: bool  # whether `readiness` lacks a part that another page must show

    @property
    def lines(self) -> list[str]:
        return [*filter(None, [self.plan, self.warning, self.readiness])]


class _FittedHead(NamedTuple):
    quoted_lines: list[str]  # between title and question, with the news at the end
    news: list[str]  # the quoted lines about the last round


class _PanelFitter:
    def __init__(
        self, localizer: Localizer, request: PendingRequest, offer: PanelOptions, advice: Advice | None, note: str
    ) -> None:
        self.localizer = localizer
        self.request = request
        self.choices = offer.choices
        self.advice = advice
        self.note = note
        self.has_started = bool(request.row.draft or advice or request.answer)
        self.is_first_sight = request.row.body.round <= 1 and not self.has_started
        self.question = _question_text(localizer, request)
        self.goal = [localizer.say_text(offer.goal)] if offer.goal else []
        self.score = [localizer.say_text(offer.score)] if offer.score and not self.has_started else []
        self.is_advice_in_draft = advice is not None and is_advice_same_as_draft(advice, offer.choices)
        self.hint_lines = advice.hint_lines(localizer, same=self.is_advice_in_draft) if advice else []
        self.reason_count = len(advice.reason_lines(localizer, same=self.is_advice_in_draft)) if advice else 0
        self.order_lines = _say_orders(localizer, offer.choices)
        self.warnings = [localizer.say("panel.warning", what=localizer.say_text(warning)) for warning in offer.warnings]
        # Sealed orders leave nothing to decide, and a hint shows only its own.
        is_deciding = not (request.answer or advice)
        self.decisions = [*map(localizer.say_text, offer.choices.decisions if is_deciding else ())]
        self.decisions += panel.concession_lines(localizer, request, offer.forecast) if is_deciding else []
        self.battle_end = verdict_lines(localizer, request.parent, offer.forecast.end if is_deciding else ())
        self.readiness = panel.readiness_text(localizer, request, offer.choices)
        self.ignored = panel.ignored_lines(localizer, request, offer.choices)
        self.explanations = _extra_lines(localizer, request)
        self.key_to_orders = [*self.battle_end, *_key_to_orders(localizer, request)]
        self.legend = _legend_lines(localizer, request) if offer.ship_holders else []
        self.story, self.summary = panel.story_since_request(localizer, request, offer.ship_holders)
        self.story_lines = panel.story_lines(localizer, self.story)
        self.shows_news = bool(self.story_lines) and not self.has_started
        self.nearest_enemy = offer.nearest_enemy
        # The title is not counted, because many captains or long names would take more than one row.
        self.fixed_lines = [*(self.goal if self.is_first_sight else ()), self.question]

    def fit(self) -> PanelTexts:
        """Fit the texts in order of importance: orders, note, decisions, news; the rest goes below or on other pages.

        Score, decisions and losses without room above stand at the top of what is below, thus always on the first page.
        """
        orders = self._fit_orders()
        shows_note = bool(self.note) and self._count_rows(*self.fixed_lines, self.note, *orders.lines) <= TEXT_ROWS
        beside = [*([self.note] if shows_note else []), *orders.lines]
        head = self._fit_head(TEXT_ROWS - self._count_rows(*self.fixed_lines, *beside))
        more_news, unseen_news = self._remaining_news(head)
        shows_news_below = self.shows_news or self.request.answer
        news_or_orders_below = unseen_news if shows_news_below else self._lines_below(orders)
        style = self.localizer.style
        heading = style.heading(short_game_title(self.localizer, self.request.seated_game, ROW_CHARS))
        lines_above = [heading, *map(style.quote, head.quoted_lines), self.question]
        note_below = "" if shows_note else self.note
        decisions_below = [line for line in self.decisions if line not in head.quoted_lines]
        # The key gives way to orders and warnings; its first line, and when the battle ends, stand above news.
        first_count = 0 if self.has_started else len(self.battle_end) + 1
        key_count = len(self.key_to_orders) if self.is_first_sight else first_count
        key, key_at_end = self.key_to_orders[:key_count], self.key_to_orders[key_count:]
        if self.has_started:
            key_at_end = [*self.legend, *key_at_end]
        else:
            key = [*key, *self.legend]
        lines_below = [*key, *self._explanations_below(), *news_or_orders_below, *key_at_end]
        score_below = [
            style.quote(self.localizer.to_markup(line)) for line in self.score if line not in head.quoted_lines
        ]
        urgent_lines = [*filter(None, [*score_below, note_below, *decisions_below])]
        fitted_below = [*_fit_below(self.localizer, urgent_lines, lines_below)]
        if self._unseen_losses([*head.quoted_lines, *fitted_below]):
            # Losses on top push others out, so all that are not above the picture stand there.
            losses = self._unseen_losses(head.quoted_lines)
            lines_below = [*repeats.drop_repeated(lines_below, losses)]
            fitted_below = [*_fit_below(self.localizer, [*urgent_lines, *losses], lines_below)]
        deadline_lines = _deadline_lines(self.localizer, self.request)
        hidden_key = [line for line in (*self.key_to_orders, *self.legend) if line not in fitted_below]
        explanations = [*hidden_key, *self.explanations]
        other_pages = [*self._lines_of_other_pages(orders), *more_news, *explanations, *deadline_lines]
        return PanelTexts(
            above=style.cut_text("\n".join(lines_above), MAX_CHARS_ABOVE),
            beside="\n".join(beside),
            below="\n".join(fitted_below),
            other_pages=tuple(filter(None, other_pages)),
        )

    def _count_rows(self, *texts: str) -> int:
        return sum(count_text_rows(self.localizer, text) for text in texts if text)

    # --- between picture and buttons ---------------------------------------------------------------------------------

    def _fit_orders(self) -> _FittedOrders:
        """Fit a plan, a warning and the readiness into the room beside the picture that the question leaves."""
        room = TEXT_ROWS - self._count_rows(*self.fixed_lines)
        place = self._place_of_rest()
        warning = self._fit_warning(room, place)
        readiness = self._fit_readiness(room - self._count_rows(*self.score) - self._rows_for_own_news())
        # A warning leaves no room for the readiness, and the green Seal button says the same.
        rows = room - self._count_rows(warning.text) if warning.text else self._order_rows(room, readiness.text)
        fitted, complete_lines = FittedText("", is_complete=False), list[str]()
        if rows > 0:
            max_chars = min(MAX_ORDERS_CHARS, rows * ROW_CHARS) - self._hint_prefix_length()
            fitted, complete_lines = _shorten_orders(self.localizer, self.choices, self.advice, max_chars, place)
        full_lines = {*complete_lines}
        if warning.is_complete:
            full_lines.add(warning.text)
        return _FittedOrders(
            plan=self._plan_text(fitted.text),
            warning=warning.text,
            readiness="" if warning.text else readiness.text,
            full_lines=frozenset(full_lines),
            is_readiness_cut=not (warning.text or readiness.is_complete),
        )

    def _fit_warning(self, room: int, place: Place) -> FittedText:
        """Return the first warning, for which orders make room if they stand below; else how many warnings there are.

        A sealed answer has a status line instead, which matters more.
        """
        if not self.warnings or self.hint_lines or self.choices.missing_parts or self.request.answer:
            return FittedText("", is_complete=False)
        rows = room if place == "below" else room - 1
        if self._count_rows(self.warnings[0]) <= rows:
            return FittedText(self.warnings[0], is_complete=True)
        return FittedText(self.localizer.say(f"panel.warnings.{place}", n=len(self.warnings)), is_complete=False)

    def _fit_readiness(self, room: int) -> FittedText:
        """Return whether a draft can be sealed, in `room` rows if possible; how it was sealed is never cut.

        With a hint, return instead that accepting it carries it out at once, if the answer is not secret.
        """
        if self.hint_lines:
            is_silent = self.is_advice_in_draft or self.request.row.body.sealed
            return FittedText("" if is_silent else self.localizer.say("hint.at_once"), is_complete=True)
        if self.request.answer:
            return FittedText(self.readiness, is_complete=True)
        if room <= 0 and not self.choices.missing_parts:
            return FittedText("", is_complete=True)  # the Seal button says the same
        max_chars = ROW_CHARS if room <= 1 or (self.is_first_sight and self.goal) else MAX_LINE_CHARS
        text = panel.readiness_text(self.localizer, self.request, self.choices, max_chars)
        return FittedText(text, is_complete=text == self.readiness)

    def _order_rows(self, room: int, readiness: str) -> int:
        """Return how many rows the orders or the hint may have, if `room` rows are free below the picture."""
        rows = room - self._count_rows(readiness, *self.score)
        if not self.shows_news:
            return max(1, rows)
        own_news_rows = self._rows_for_own_news()
        return rows - (max(own_news_rows, NEWS_ROWS) if own_news_rows else 0)

    def _rows_for_own_news(self) -> int:
        """Return how many rows the shortest news of the captain's own ships needs."""
        if not self.shows_news or self.is_first_sight or self.summary.is_without_headline:
            return 0
        return min(map(self._count_rows, self.summary.own_news), default=0)

    def _hint_prefix_length(self) -> int:
        prefix = self.localizer.say("hint.suggestion", orders="") if self.hint_lines else ""
        return self.localizer.style.counted_length(prefix)

    def _place_of_rest(self) -> Place:
        """Return where all orders and warnings stand: below the buttons if all of them have room there."""
        is_free = not (self.shows_news or self.request.answer)
        lines = self.hint_lines or [*self.order_lines, *self.warnings]
        return "below" if is_free and self._count_rows(*self.ignored, *lines) <= MAX_ROWS_BELOW else "under"

    def _plan_text(self, orders: str) -> str:
        if self.hint_lines:
            return self.localizer.say("hint.suggestion", orders=self.localizer.to_markup(orders))
        is_empty = not self.request.row.draft and self.choices.missing_parts  # the default is empty, too
        return "" if is_empty else orders

    # --- above the picture -------------------------------------------------------------------------------------------

    def _fit_head(self, room: int) -> _FittedHead:
        late_text = "" if self.has_started else panel.late_text(self.localizer, self.request)
        room -= self._count_rows(late_text)
        decisions: list[str] = []
        for decision in self.decisions:
            rows = self._count_rows(self.localizer.style.quote(decision))
            if rows <= room:
                decisions.append(decision)
                room -= rows
        score = [line for line in self.score if self._count_rows(line) <= room]
        room -= self._count_rows(*score)
        news: list[str] = []
        if self.shows_news:
            summary = _with_nearest_enemy(self.localizer, self.summary, self.nearest_enemy)
            news = _fit_news(self.localizer, summary, self.story_lines, room)
        goal = self.goal if self.is_first_sight else []
        return _FittedHead([*filter(None, [late_text]), *decisions, *goal, *score, *news], news)

    # --- below the buttons and on other pages ------------------------------------------------------------------------

    def _remaining_news(self, head: _FittedHead) -> tuple[list[str], list[str]]:
        """Return the news that is not above the picture, and those lines of it that repeat nothing from above."""
        lines = self.story_lines
        if head.news:
            # The story's headline is dropped, because a line of the story repeats it.
            others_news = [] if self.summary.is_others_line_in_story else _others_news(self.localizer, self.summary)
            headline_count = len(lines) - len(self.story.lines)
            lines = [*others_news, *lines[headline_count:]]
        return _remaining_lines(self.localizer, lines, head.news, [*head.quoted_lines, self.question])

    def _unseen_losses(self, seen_lines: Sequence[str]) -> list[str]:
        """Return what the captain's ships lost in the last round, as far as `seen_lines` do not say it."""
        if not self.shows_news:
            return []
        losses = [loss for loss in self.summary.losses if not loss.is_told_in(seen_lines)]
        return [self.localizer.style.quote(self.localizer.to_markup(loss.headline)) for loss in losses]

    def _lines_below(self, orders: _FittedOrders) -> list[str]:
        # A hint's reasons stand first, because they say what it risks.
        order_count = len(self.hint_lines) - self.reason_count
        hinted = [*self.hint_lines[order_count:], *self.hint_lines[:order_count]]
        lines = hinted or [*self.order_lines, *self.warnings]
        return [*self.ignored, *(line for line in lines if line not in orders.full_lines)]

    def _explanations_below(self) -> list[str]:
        is_needed = self.request.row.body.round <= 1 and (self.request.answer or not self.has_started)
        return self.explanations if is_needed else []

    def _lines_of_other_pages(self, orders: _FittedOrders) -> list[str]:
        # Before anything is ordered, the lines of orders are not beside the picture.
        full_lines = orders.full_lines if orders.plan else orders.full_lines - {*self.order_lines}
        readiness = [self.readiness] if orders.is_readiness_cut else []
        lines = [*self.hint_lines, *self.order_lines, *readiness, *self.warnings]
        if self.hint_lines and not self.is_advice_in_draft:  # the captain's own draft stands behind another button
            lines = self.hint_lines
        return [
            *(line for line in lines if line not in full_lines),
            *self.ignored,
            *(() if self.is_first_sight else self.goal),
        ]


def _news_versions(
    summary: StorySummary, own_versions: Sequence[str], others_news: list[str], lines: Sequence[str]
) -> Iterator[list[str]]:
    """Yield combinations of own news and that of others, best first. `lines`: the story, for want of own news."""
    if summary.is_without_headline and not summary.is_quiet and others_news:
        yield from ([*others_news, own_news] for own_news in own_versions)
        yield others_news
    else:
        yield from ([own_news, *others_news] for own_news in own_versions)
    if own_versions:
        yield from ([own_news] for own_news in own_versions)
    else:
        yield list(lines[:1])
    if others_news and not summary.is_others_line_in_story:
        yield others_news


def _fit_news(localizer: Localizer, summary: StorySummary, lines: Sequence[str], room: int) -> list[str]:
    """Return the news that fits: results of the captain's own orders in bold, then the best news about others.

    Shorter versions of the own news make room for both; if none does, for the own news alone, and else for that of
    others. Own news that makes no headline comes after that of others.
    """
    others_news = _others_news(localizer, summary)
    own_versions = [*map(localizer.to_markup, summary.own_news)]  # the same news, from the longest to the shortest
    if not (summary.is_without_headline or summary.is_quiet):
        own_versions = [*map(localizer.style.bold, own_versions)]
    for version in _news_versions(summary, own_versions, others_news, lines):
        if sum(count_text_rows(localizer, line) for line in version) <= room:
            return version
    return []


def _remaining_lines(
    localizer: Localizer, lines: Sequence[str], news: Sequence[str], seen: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the lines that are not among the news, and those of them that do not repeat `seen`."""
    first_line, later_lines = lines[:1], lines[1:]
    unrepeated = [*first_line, *repeats.drop_repeated(later_lines, first_line)]
    remaining = [
        line for line in unrepeated if line not in news and localizer.style.bold(localizer.to_markup(line)) not in news
    ]
    unseen = [localizer.to_markup(line) for line in repeats.drop_repeated(remaining, seen)]
    return [*map(localizer.style.quote, remaining)], [*map(localizer.style.quote, unseen)]


def _others_news(localizer: Localizer, summary: StorySummary) -> list[str]:
    """Return the news about other captains, at most one line; bold if the captain's own news is no headline."""
    if not summary.others_news:
        return []
    news = localizer.to_markup(summary.others_news)
    has_no_own_headline = summary.is_without_headline or summary.is_quiet or not summary.own_news
    stands_out = has_no_own_headline and not summary.is_others_line_in_story
    return [localizer.style.bold(news) if stands_out else news]


def _with_nearest_enemy(
    localizer: Localizer, summary: StorySummary, nearest_enemy: tuple[str, Text] | None
) -> StorySummary:
    if not summary.is_quiet or nearest_enemy is None:
        return summary
    ship, distance = nearest_enemy
    values = {"ship": ship, "near": replace(localizer, rounds_numbers=True).say_text(distance)}
    # `own_news` has versions of the same news, from the longest to the shortest.
    versions_with_enemy = (localizer.say("news.quiet", **values), localizer.say("news.near", **values))
    return summary._replace(own_news=(*versions_with_enemy, *summary.own_news))


def _shorten_orders(
    localizer: Localizer, choices: Choices, advice: Advice | None, max_chars: int, place: Place
) -> tuple[FittedText, list[str]]:
    """Return orders or a hint, shortened if that shows more lines, and the lines that are included in full."""
    is_same = advice is not None and is_advice_same_as_draft(advice, choices)
    lines: list[str] = advice.hint_lines(localizer, same=is_same) if advice else _say_orders(localizer, choices)
    reason_count = len(advice.reason_lines(localizer, same=is_same)) if advice else 0
    fitted = fit_lines(localizer, lines, max_chars, reason_count, place=place)
    if not fitted.is_complete:
        brief_lines = (
            advice.brief_lines(localizer, same=is_same)
            if advice
            else [*panel.brief_orders(localizer, choices.lines), *_say_forecasts(localizer, choices)]
        )
        fitted_brief = fit_lines(localizer, brief_lines, max_chars, reason_count, place=place)
        if fitted_brief.line_count > fitted.line_count:
            pairs = zip(lines, brief_lines[: fitted_brief.line_count], strict=False)
            complete_lines = [line for line, brief_line in pairs if line == brief_line]
            return fitted_brief._replace(is_complete=False), complete_lines
    return fitted, lines[: fitted.line_count]


def _say_orders(localizer: Localizer, choices: Choices) -> list[str]:
    return [*map(localizer.say_text, choices.lines), *_say_forecasts(localizer, choices)]


def _say_forecasts(localizer: Localizer, choices: Choices) -> list[str]:
    """Return what the orders may achieve, in whole millimetres, as hints and reports say it."""
    return [*map(replace(localizer, rounds_numbers=True).say_text, choices.forecasts)]


def is_advice_same_as_draft(advice: Advice, choices: Choices) -> bool:
    return not choices.missing_parts and advice.hint.lines == choices.lines


def _question_text(localizer: Localizer, request: PendingRequest) -> str:
    game, row = request.seated_game.game, request.row
    key = f"request.{row.body.kind}"
    if row.body.params.get("limit") and localizer.catalogue.has(f"{key}.limited"):  # the last round is known
        key = f"{key}.limited"
    # Captains who have given such orders before need fewer words, and there is more news.
    is_brief = row.body.round > 1 and localizer.catalogue.has(f"{key}.again")
    params = {"round": row.body.round, **row.body.params}
    question = localizer.say(f"{key}.again" if is_brief else key, **params)
    if note := row.body.params.get("note"):
        question = localizer.say(f"request.note.{note}", **{**params, "question": question})
    if row.body.ahead:
        return "\n".join([question, localizer.say("panel.ahead")])
    if game.paused_at is not None or panel.may_wait(request):
        return "\n".join([question, panel.deadline_text(localizer, request)])
    if row.deadline is None:
        return question
    deadline_key = "panel.due.again" if is_brief else "panel.due"
    if request.answer and row.body.sealed:  # says when the game goes on
        deadline_key = "panel.sealed_due" if game.early else "panel.sealed_until"
    return localizer.say(deadline_key, question=question, when=row.deadline)


def _extra_lines(localizer: Localizer, request: PendingRequest) -> list[str]:
    variant = request.row.body.params.get("more")  # advanced rules need more explanation
    key = f"request.{request.row.body.kind}.more{f'.{variant}' if variant else ''}"
    needs_no_note = request.seated_game.is_practice or request.row.body.round > 1
    params = {"round": request.row.body.round, **request.row.body.params}
    explanation = localizer.say(key, **params).split("\n") if localizer.catalogue.has(key) else []
    no_hints_note = [] if needs_no_note else [localizer.say("panel.no_hints")]
    return [*explanation, *no_hints_note]


def _key_to_orders(localizer: Localizer, request: PendingRequest) -> list[str]:
    """Return what orders are for and what their letters mean, if the game says so, in its first rounds."""
    variant = request.row.body.params.get("more")
    key = f"request.{request.row.body.kind}.key{f'.{variant}' if variant else ''}"
    is_needed = request.row.body.round <= ROUNDS_WITH_KEY and not request.answer
    return localizer.say(key).split("\n") if is_needed and localizer.catalogue.has(key) else []


def _legend_lines(localizer: Localizer, request: PendingRequest) -> list[str]:
    """Return the most important line of the picture's legend, for a captain who sees such pictures for the first time.

    A button shows the whole legend.
    """
    mark = render.first_mark(RULESETS[request.seated_game.game.system].view_type)
    if not mark or not request.needs_legend or request.answer:
        return []
    return [localizer.say("panel.legend", meaning=localizer.say(f"mark.{mark}"))]


def _deadline_lines(localizer: Localizer, request: PendingRequest) -> list[str]:
    is_in_question = panel.may_wait(request) or request.row.body.ahead or request.seated_game.game.paused_at is not None
    return [] if is_in_question else [panel.deadline_text(localizer, request)]


def _fit_below(localizer: Localizer, urgent_lines: Sequence[str], texts: Sequence[str]) -> Iterator[str]:
    """Yield all urgent lines, then those that fit below the buttons, then how many more are on another page."""
    yield from urgent_lines
    lines = [*filter(None, texts)]
    row_count = sum(count_text_rows(localizer, line) for line in urgent_lines)
    for index, line in enumerate(lines):
        row_count += count_text_rows(localizer, line)
        if row_count > MAX_ROWS_BELOW and (index > 0 or urgent_lines):  # the first line is always shown
            yield localizer.style.small(localizer.say("panel.more_lines", n=len(lines) - index))
            return
        yield line


def count_text_rows(localizer: Localizer, text: str) -> int:
    return sum(_line_rows(localizer, line) for line in text.split("\n"))


def _line_rows(localizer: Localizer, line: str) -> int:
    return next(number for number in count(1) if localizer.style.cut_visible(line, number * ROW_CHARS) == line)


def fit_lines(
    localizer: Localizer,
    lines: Sequence[str],
    max_chars: int,
    reason_count: int = 0,
    *,
    place: Place = "below",
) -> FittedText:
    """Return the first lines that fit, and how many more there are `below` the buttons or `under` More. Cut no line.

    The last `reason_count` lines are a hint's reasons, which may be left out without a mention.
    """
    if not lines:
        return FittedText("", is_complete=True)
    for line_count in range(len(lines), 0, -1):
        for ending in _endings(localizer, len(lines) - reason_count - line_count, place):
            text = _join_lines([*lines[:line_count], *ending])
            if _fits(localizer, text, max_chars):
                return FittedText(text, is_complete=line_count == len(lines), line_count=line_count)
    return FittedText(localizer.say(f"panel.lines.{place}", n=len(lines) - reason_count), is_complete=False)


def _endings(localizer: Localizer, left_out_count: int, place: Place) -> list[list[str]]:
    """Return what may stand behind the lines that fit, longest first."""
    if left_out_count <= 0:
        return [[]]
    keys = (f"panel.more.{place}", "panel.lines_left", "panel.plus")
    return [[localizer.say(key, n=left_out_count)] for key in keys]


def _fits(localizer: Localizer, text: str, max_chars: int) -> bool:
    return max_chars > 0 and localizer.style.cut_visible(text, max_chars) == text


def _join_lines(lines: Sequence[str]) -> str:
    """Return lines in one: a sentence is followed by a space, any other line by a separator."""
    ended_lines = [line + (" " if line.endswith((".", "!", "?")) else _SEPARATOR) for line in lines[:-1]]
    return "".join([*ended_lines, *lines[-1:]])
