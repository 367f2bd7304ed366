"""Layout of a panel's texts: what fits on a phone with the picture and buttons, and what moves to other pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, NamedTuple

from bot.jobs.showing import PanelOptions
from bot.presenters import panel
from bot.presenters.asked import PendingRequest
from bot.presenters.panel import Advice
from bot.texts import repeats
from bot.texts.i18n import Localizer
from bot.texts.story import StorySummary
from rules.core.protocol import Choices

TEXT_ROWS: Final = 5
"""Rows of text below the title that a phone shows together with a picture and four rows of buttons."""
ROW_CHARS: Final = 34
MAX_LINE_CHARS: Final = 2 * ROW_CHARS
MAX_ORDERS_CHARS: Final = 3 * ROW_CHARS
NEWS_ROWS: Final = 2
MAX_ROWS_BELOW: Final = 8
"""The most rows below the buttons; with more, a phone that shows the message's end would hide the buttons."""
MAX_CHARS_ABOVE: Final = 1000
_SEPARATOR: Final = " · "


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
    is_complete: bool
    line_count: int = 0
    """How many lines are included in full."""


def fit_panel_texts(
    words: Localizer, request: PendingRequest, offer: PanelOptions, advice: Advice | None = None, note: str = ""
) -> PanelTexts:
    """Return the texts of a panel. `note` tells of a change just made to it; it is shown above if there is room."""
    choices, row = offer.choices, request.row
    question, readiness = _question_text(words, request), panel.readiness_text(words, request, choices)
    is_same, extra = advice is not None and is_advice_same_as_draft(advice, choices), _extra_lines(words, request)
    advised, orders = advice.hint_lines(words, same=is_same) if advice else [], [*map(words.say_text, choices.lines)]
    warnings = [words.say("panel.warning", what=words.say_text(warning)) for warning in offer.warnings]

    # The title's row is not counted, because many captains or long names would take more than one.
    title = words.to_markup(words.style.cut_visible(panel.panel_title(words, request.seated_game), ROW_CHARS))
    first_sight = row.body.round <= 1 and not (row.draft or advice or request.answer)
    goal_lines = [words.say_text(offer.goal)] if offer.goal else []
    goal_rows = sum(count_text_rows(words, line) for line in goal_lines) if first_sight else 0
    room = TEXT_ROWS - count_text_rows(words, question) - goal_rows
    # A sealed answer has a status line instead, which matters more than a warning.
    shows_warning = bool(warnings) and not (advised or choices.missing_parts or request.answer)
    warning = _fit_line(words, warnings[0] if shows_warning else "", min(MAX_LINE_CHARS, (room - 1) * ROW_CHARS))
    max_readiness_chars = ROW_CHARS if goal_rows else MAX_LINE_CHARS
    fitted_readiness = _fit_readiness(
        words, request, choices, readiness, max_readiness_chars, advised=bool(advised), same=is_same
    )
    story, summary = panel.story_since_request(words, request, offer.ship_holders)
    lines = panel.story_lines(words, story)
    has_started = bool(row.draft or advice or request.answer)
    shows_news = bool(lines) and not has_started
    is_empty = not row.draft and bool(choices.missing_parts)  # the draft and the default are both empty
    score = [words.say_text(offer.score)] if offer.score and not has_started else []
    reserved_rows = NEWS_ROWS if shows_news and not first_sight and summary.own_news else 0
    orders_chars = (
        room - reserved_rows - sum(count_text_rows(words, text) for text in (fitted_readiness.text, *score) if text)
    )
    prefix = words.style.counted_length(words.say("hint.suggestion", orders="")) if advised else 0
    # A warning leaves no room for the status line, and the green Seal button says the same.
    orders_chars = ROW_CHARS if warning.text else min(MAX_ORDERS_CHARS, max(1, orders_chars) * ROW_CHARS) - prefix
    # Orders that do not fit above go below the buttons only if all orders would fit there.
    fits_below = (
        not (shows_news or request.answer)
        and sum(count_text_rows(words, line) for line in advised or orders) <= MAX_ROWS_BELOW
    )
    fitted_orders, complete_lines = _fit_orders(words, choices, advice, orders_chars, below=fits_below)
    plan = (
        words.say("hint.suggestion", orders=words.to_markup(fitted_orders.text))
        if advised
        else ""
        if is_empty
        else fitted_orders.text
    )
    fitted_readiness = FittedText("", is_complete=True) if warning.text else fitted_readiness
    # Before anything is ordered, the lines are not shown as a plan; they are on the page More.
    lines_in_full = {
        *(complete_lines if fitted_orders.line_count else ()),
        *(warnings[:1] if warning.text and warning.is_complete else ()),
    }
    lines_above = lines_in_full if plan else lines_in_full - {*orders}
    beside = [*filter(None, [plan, warning.text, fitted_readiness.text])]
    shows_note = (
        bool(note) and goal_rows + sum(count_text_rows(words, text) for text in (question, note, *beside)) <= TEXT_ROWS
    )
    beside = [*([note] if shows_note else []), *beside]

    room = TEXT_ROWS - goal_rows - sum(count_text_rows(words, text) for text in (question, *beside))
    late_text = "" if has_started else panel.late_text(words, request)
    room -= count_text_rows(words, late_text) if late_text else 0
    score = [line for line in score if count_text_rows(words, line) <= room]
    room -= sum(count_text_rows(words, line) for line in score)
    news = _fit_news(words, _with_nearest_enemy(words, summary, offer), lines, room) if shows_news else []
    quoted_lines = [*filter(None, [late_text]), *(goal_lines if goal_rows else ()), *score, *news]
    above = [words.style.heading(title), *map(words.style.quote, quoted_lines), question]
    # The story's headline is dropped, because one of its lines repeats it.
    others_news = [] if summary.is_others_line_in_story else _others_news(words, summary)
    story_lines = [*others_news, *lines[len(lines) - len(story.lines) :]] if news else lines
    more_news, unseen = _remaining_lines(words, story_lines, news, [*quoted_lines, question])
    ignored = panel.ignored_lines(words, request, choices)
    below = (
        unseen
        if shows_news or request.answer
        else [
            *ignored,
            *(line for line in advised or [*orders, *warnings] if line not in lines_in_full),
        ]
    )
    explanations = extra if row.body.round <= 1 and (request.answer or not has_started) else []
    rest = [
        line
        for line in [*advised, *orders, *([] if fitted_readiness.is_complete else [readiness]), *warnings]
        if line not in lines_above
    ]
    return PanelTexts(
        above=words.style.cut_text("\n".join(above), MAX_CHARS_ABOVE),
        beside="\n".join(beside),
        below="\n".join(_fit_below(words, [*([] if shows_note else [note]), *explanations, *below])),
        other_pages=tuple(
            filter(
                None,
                [
                    *rest,
                    *ignored,
                    *(() if goal_rows else goal_lines),
                    *more_news,
                    *extra,
                    *_deadline_lines(words, request),
                ],
            )
        ),
    )


def _fit_news(words: Localizer, summary: StorySummary, lines: Sequence[str], room: int) -> list[str]:
    """Return the news that fits: results of the captain's own orders in bold, then the best news about others.

    Shorter versions of the own news make room for both; if none does, for the own news alone, and else for that of
    others. If nothing fits, the shortest own news is cut. Own news that makes no headline comes after that of others.
    """
    own, others = [*map(words.to_markup, summary.own_news)], _others_news(words, summary)
    if not (summary.is_without_headline or summary.is_quiet):
        own = [*map(words.style.bold, own)]
    versions: list[list[str]] = [[line, *others] for line in own]
    if summary.is_without_headline and not summary.is_quiet and others:
        versions = [*([*others, line] for line in own), others]
    versions += [[line] for line in own] if own else [list(lines[:1])]
    versions += [others] if others and not summary.is_others_line_in_story else []
    for version in versions:
        if sum(count_text_rows(words, line) for line in version) <= room:
            return version
    if room <= 0 or summary.is_without_headline or not own:
        return []
    return [words.to_markup(words.style.cut_visible(min(own, key=words.style.counted_length), room * ROW_CHARS))]


def _remaining_lines(
    words: Localizer, lines: Sequence[str], news: Sequence[str], seen: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the lines that are not among the news, and those of them that do not repeat `seen`."""
    first, others = lines[:1], lines[1:]
    unrepeated = [*first, *repeats.drop_repeated(others, first)]
    remaining = [line for line in unrepeated if not {line, words.style.bold(words.to_markup(line))} & {*news}]
    unseen = [words.to_markup(line) for line in repeats.drop_repeated(remaining, seen)]
    return [*map(words.style.quote, remaining)], [*map(words.style.quote, unseen)]


def _others_news(words: Localizer, summary: StorySummary) -> list[str]:
    stands_out = (
        summary.is_without_headline or summary.is_quiet or not summary.own_news
    ) and not summary.is_others_line_in_story
    return (
        [(words.style.bold if stands_out else words.to_markup)(words.to_markup(summary.others_news))]
        if summary.others_news
        else []
    )


def _with_nearest_enemy(words: Localizer, summary: StorySummary, offer: PanelOptions) -> StorySummary:
    if not summary.is_quiet or offer.nearest_enemy is None:
        return summary
    ship, distance = offer.nearest_enemy
    values = {"ship": ship, "near": replace(words, rounds_numbers=True).say_text(distance)}
    return summary._replace(
        own_news=(words.say("news.quiet", **values), words.say("news.near", **values), *summary.own_news)
    )


def _fit_orders(
    words: Localizer, choices: Choices, advice: Advice | None, most: int, *, below: bool
) -> tuple[FittedText, list[str]]:
    """Return orders or a hint, shortened if that shows more lines, and the lines that are included in full.

    The other lines are `below` the buttons or on another page.
    """
    where = "panel.more_below" if below else "panel.more_under"
    is_same = advice is not None and is_advice_same_as_draft(advice, choices)
    lines: list[str] = advice.hint_lines(words, same=is_same) if advice else [*map(words.say_text, choices.lines)]
    reasons = len(advice.reason_lines(words, same=is_same)) if advice else 0
    fitted = fit_lines(words, lines, most, reasons, where=where)
    if not fitted.is_complete:
        brief = advice.brief_lines(words, same=is_same) if advice else panel.brief_orders(words, choices.lines)
        shorter = fit_lines(words, brief, most, reasons, where=where)
        if shorter.line_count > fitted.line_count:
            pairs = zip(lines, brief[: shorter.line_count], strict=False)
            return shorter._replace(is_complete=False), [line for line, brief_line in pairs if line == brief_line]
    return fitted, lines[: fitted.line_count]


def is_advice_same_as_draft(advice: Advice, choices: Choices) -> bool:
    return not choices.missing_parts and advice.hint.lines == choices.lines


def _question_text(words: Localizer, request: PendingRequest) -> str:
    game, row = request.seated_game.game, request.row
    key = f"request.{row.body.kind}"
    # Captains who have given such orders before need fewer words, and there is more news.
    is_brief = row.body.round > 1 and words.catalogue.has(f"{key}.again")
    question = words.say(f"{key}.again" if is_brief else key, **{"round": row.body.round, **row.body.params})
    if row.body.ahead:
        return "\n".join([question, words.say("panel.ahead")])
    if game.paused_at is not None or panel.may_wait(request):
        return "\n".join([question, panel.deadline_text(words, request)])
    if row.deadline is None:
        return question
    due = "panel.due.again" if is_brief else "panel.due"
    if request.answer and row.body.sealed:  # says when the game goes on
        due = "panel.sealed_due" if game.early else "panel.sealed_until"
    return words.say(due, question=question, when=row.deadline)


def _fit_readiness(
    words: Localizer, request: PendingRequest, choices: Choices, readiness: str, most: int, *, advised: bool, same: bool
) -> FittedText:
    """Return whether a draft can be sealed, in at most `most` characters; how it was sealed is never cut.

    With a hint, return instead that accepting it carries it out at once, if the answer is not secret.
    """
    if advised:
        return FittedText("" if same or request.row.body.sealed else words.say("hint.at_once"), is_complete=True)
    if request.answer:
        return FittedText(readiness, is_complete=True)
    text = words.style.cut_visible(panel.readiness_text(words, request, choices, most), most)
    return FittedText(text, is_complete=text == readiness)


def _extra_lines(words: Localizer, request: PendingRequest) -> list[str]:
    variant = request.row.body.params.get("more")  # advanced rules need more explanation
    key = f"request.{request.row.body.kind}.more{f'.{variant}' if variant else ''}"
    needs_no_note = request.seated_game.is_practice or request.row.body.round > 1
    lines = [words.say(key)] if words.catalogue.has(key) else []
    return [*lines, *([] if needs_no_note else [words.say("panel.no_hints")])]


def _deadline_lines(words: Localizer, request: PendingRequest) -> list[str]:
    is_in_question = panel.may_wait(request) or request.row.body.ahead or request.seated_game.game.paused_at is not None
    return [] if is_in_question else [panel.deadline_text(words, request)]


def _fit_below(words: Localizer, texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines that fit below the buttons, then how many more are on another page."""
    lines, rows = [*filter(None, texts)], 0
    for number, line in enumerate(lines):
        rows += count_text_rows(words, line)
        if rows > MAX_ROWS_BELOW and number:
            yield words.style.small(words.say("panel.more_lines", n=len(lines) - number))
            return
        yield line


def _fit_line(words: Localizer, line: str, most: int = MAX_LINE_CHARS) -> FittedText:
    brief = words.style.cut_visible(line, most) if most > 0 else ""
    return FittedText(brief, is_complete=brief == line)


def count_text_rows(words: Localizer, text: str) -> int:
    return sum(_line_rows(words, line) for line in text.split("\n"))


def _line_rows(words: Localizer, line: str) -> int:
    return next(number for number in count(1) if words.style.cut_visible(line, number * ROW_CHARS) == line)


def fit_lines(
    words: Localizer,
    lines: Sequence[str],
    most: int = MAX_LINE_CHARS,
    reasons: int = 0,
    *,
    where: str = "panel.more_below",
) -> FittedText:
    """Return the first lines, as many as fit, then how many more there are, with the sentence `where`.

    The last `reasons` lines may be left out without a mention.
    """
    fitted = _fit_line(words, _join_lines(lines), most)
    if fitted.is_complete or not lines:
        return fitted._replace(line_count=len(lines))

    def dotted(n: int) -> FittedText:
        joined = _join_lines(lines[:n])
        return _fit_line(words, f"{joined}{_SEPARATOR}…" if n < len(lines) - reasons else joined, most)

    first = next(n for n in range(len(lines), 0, -1) if n == 1 or dotted(n).is_complete)
    left_out = len(lines) - reasons - first
    ending = _SEPARATOR + words.say(where, n=left_out) if left_out > 0 else ""
    joined = _join_lines(lines[:first])
    fitted_start = _fit_line(words, joined, most - len(ending))
    if not fitted_start.is_complete and (without_ending := _fit_line(words, joined, most)).is_complete:
        # A complete order matters more than the number of further lines, which an ellipsis can stand for.
        return FittedText(
            dotted(first).text if dotted(first).is_complete else without_ending.text,
            is_complete=False,
            line_count=first,
        )
    return FittedText(
        fitted_start.text + ending, is_complete=False, line_count=first if fitted_start.is_complete else 0
    )


def _join_lines(lines: Sequence[str]) -> str:
    ended_lines = [line + (" " if line.endswith((".", "!", "?")) else _SEPARATOR) for line in lines[:-1]]
    return "".join([*ended_lines, *lines[-1:]])
