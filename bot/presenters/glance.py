"""A panel's texts: what matters now, which a phone shows with the picture and the buttons, and all the rest."""

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
"""Rows of text that a phone shows with a picture and four rows of buttons, below the title."""
ROW_CHARS: Final = 34
"""Characters of such a row, about."""
MAX_LINE_CHARS: Final = 2 * ROW_CHARS
"""Characters of a line that is seen at a glance."""
MAX_ORDERS_CHARS: Final = 3 * ROW_CHARS
"""Characters of orders, or of a hint, that are seen at a glance."""
NEWS_ROWS: Final = 2
"""Rows that are kept for news before orders are given, whatever else there would be to say of these."""
MAX_ROWS_BELOW: Final = 8
"""Rows of text below the buttons: with more, a phone that shows a message's end would not show its buttons."""
MAX_CHARS_ABOVE: Final = 1000
"""Characters of a panel's title and of what is asked, at most."""
_SEPARATOR: Final = " · "


class PanelTexts(NamedTuple):
    """A panel's texts, from the top of the message to its end, and what stands on its other pages."""

    above: str
    """Above the picture: the game, the news as long as nothing is ordered, what is asked and until when."""
    beside: str
    """Between picture and buttons: the orders, a hint or a warning, and whether they can be sealed."""
    below: str
    """Below the buttons: the orders or, as long as there are none, the story, as far as there is room."""
    other_pages: tuple[str, ...]
    """On the other pages: the orders, warnings and story that aren't seen above, and the deadline, a line each."""


class FittedText(NamedTuple):
    """A line, or several in one, as far as there is room."""

    text: str
    is_complete: bool
    """Whether it is all of it."""
    line_count: int = 0
    """How many of several lines it holds to their ends."""


def fit_panel_texts(
    words: Localizer, asked: PendingRequest, offer: PanelOptions, advice: Advice | None = None, note: str = ""
) -> PanelTexts:
    """Return the texts of a captain's panel; a `note` says what has just happened to it, above if there is room."""
    choices, row = offer.choices, asked.row
    question, readiness = _question_text(words, asked), panel.readiness_text(words, asked, choices)
    same, more = advice is not None and is_advice_same_as_draft(advice, choices), _extra_lines(words, asked)
    advised, orders = advice.hint_lines(words, same=same) if advice else [], [*map(words.say_text, choices.lines)]
    warned = [words.say("panel.warning", what=words.say_text(warning)) for warning in offer.warnings]

    # The row of the title is not counted: many captains, or long names, would take more than one.
    title = words.to_markup(words.style.cut_visible(panel.panel_title(words, asked.seated_game), ROW_CHARS))
    first_sight = row.body.round <= 1 and not (row.draft or advice or asked.answer)
    goal = [words.say_text(offer.goal)] if offer.goal else []
    aim = sum(count_text_rows(words, line) for line in goal) if first_sight else 0
    room = TEXT_ROWS - count_text_rows(words, question) - aim
    # What is sealed says so in its last line, which is worth more than a warning of it.
    warns = bool(warned) and not (advised or choices.missing_parts or asked.answer)
    warning = _fit_line(words, warned[0] if warns else "", min(MAX_LINE_CHARS, (room - 1) * ROW_CHARS))
    most = ROW_CHARS if aim else MAX_LINE_CHARS
    ready = _fit_readiness(words, asked, choices, readiness, most, advised=bool(advised), same=same)
    story, gist = panel.story_since_request(words, asked, offer.ship_holders)
    lines = panel.story_lines(words, story)
    begun = bool(row.draft or advice or asked.answer)
    fresh = bool(lines) and not begun
    nothing = not row.draft and bool(choices.missing_parts)  # nor is anything proposed
    score = [words.say_text(offer.score)] if offer.score and not begun else []
    kept = NEWS_ROWS if fresh and not first_sight and gist.own_news else 0
    left = room - kept - sum(count_text_rows(words, text) for text in (ready.text, *score) if text)
    prefix = words.style.counted_length(words.say("hint.suggestion", orders="")) if advised else 0
    # Beside a warning there is no room for more, and a green Seal says what the last line would.
    left = ROW_CHARS if warning.text else min(MAX_ORDERS_CHARS, max(1, left) * ROW_CHARS) - prefix
    # Those that aren't seen above stand below the buttons only if all of them have room there.
    told_below = (
        not (fresh or asked.answer)
        and sum(count_text_rows(words, line) for line in advised or orders) <= MAX_ROWS_BELOW
    )
    shown, seen_whole = _fit_orders(words, choices, advice, left, below=told_below)
    plan = (
        words.say("hint.suggestion", orders=words.to_markup(shown.text)) if advised else "" if nothing else shown.text
    )
    ready = FittedText("", is_complete=True) if warning.text else ready
    # Where nothing is ordered yet, lines that fit in are no plan: they are under More.
    whole = {*(seen_whole if shown.line_count else ()), *(warned[:1] if warning.text and warning.is_complete else ())}
    seen = whole if plan else whole - {*orders}
    beside = [*filter(None, [plan, warning.text, ready.text])]
    noted = bool(note) and aim + sum(count_text_rows(words, text) for text in (question, note, *beside)) <= TEXT_ROWS
    beside = [*([note] if noted else []), *beside]

    room = TEXT_ROWS - aim - sum(count_text_rows(words, text) for text in (question, *beside))
    late = "" if begun else panel.late_text(words, asked)
    room -= count_text_rows(words, late) if late else 0
    score = [line for line in score if count_text_rows(words, line) <= room]
    room -= sum(count_text_rows(words, line) for line in score)
    news = _fit_news(words, _with_nearest_enemy(words, gist, offer), lines, room) if fresh else []
    quoted = [*filter(None, [late]), *(goal if aim else ()), *score, *news]
    above = [words.style.heading(title), *map(words.style.quote, quoted), question]
    # What the headline says, a line of the story says, too.
    theirs = [] if gist.is_others_line_in_story else _others_news(words, gist)
    story_lines = [*theirs, *lines[len(lines) - len(story.lines) :]] if news else lines
    told, unseen = _remaining_lines(words, story_lines, news, [*quoted, question])
    ignored = panel.ignored_lines(words, asked, choices)
    below = (
        unseen
        if fresh or asked.answer
        else [
            *ignored,
            *(line for line in advised or [*orders, *warned] if line not in whole),
        ]
    )
    first = more if row.body.round <= 1 and (asked.answer or not begun) else []
    rest = [
        line for line in [*advised, *orders, *([] if ready.is_complete else [readiness]), *warned] if line not in seen
    ]
    return PanelTexts(
        above=words.style.cut_text("\n".join(above), MAX_CHARS_ABOVE),
        beside="\n".join(beside),
        below="\n".join(_fit_below(words, [*([] if noted else [note]), *first, *below])),
        other_pages=tuple(
            filter(None, [*rest, *ignored, *(() if aim else goal), *told, *more, *_deadline_lines(words, asked)])
        ),
    )


def _fit_news(words: Localizer, gist: StorySummary, lines: Sequence[str], room: int) -> list[str]:
    """Return what came of the captain's own orders, standing out, then the most that others did, as there is room.

    The first takes so few words that there is room for both, or in fewer that it has room itself; if it has none, what
    others did has it, or else only its beginning is kept. What makes no headline comes after what others did.
    """
    own, theirs = [*map(words.to_markup, gist.own_news)], _others_news(words, gist)
    if not (gist.is_without_headline or gist.is_quiet):
        own = [*map(words.style.bold, own)]
    ways: list[list[str]] = [[one, *theirs] for one in own]
    if gist.is_without_headline and not gist.is_quiet and theirs:
        ways = [*([*theirs, one] for one in own), theirs]
    ways += [[one] for one in own] if own else [list(lines[:1])]
    ways += [theirs] if theirs and not gist.is_others_line_in_story else []
    for way in ways:
        if sum(count_text_rows(words, line) for line in way) <= room:
            return way
    if room <= 0 or gist.is_without_headline or not own:
        return []
    return [words.to_markup(words.style.cut_visible(min(own, key=words.style.counted_length), room * ROW_CHARS))]


def _remaining_lines(
    words: Localizer, lines: Sequence[str], news: Sequence[str], seen: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return lines but those that are the news, and of these lines what isn't said in what is seen above."""
    first, others = lines[:1], lines[1:]
    fuller = [*first, *repeats.drop_repeated(others, first)]
    told = [line for line in fuller if not {line, words.style.bold(words.to_markup(line))} & {*news}]
    unseen = [words.to_markup(line) for line in repeats.drop_repeated(told, seen)]
    return [*map(words.style.quote, told)], [*map(words.style.quote, unseen)]


def _others_news(words: Localizer, gist: StorySummary) -> list[str]:
    """The most that others did; a headline stands out where nothing befell the captain's own. Empty if none did."""
    stands_out = (gist.is_without_headline or gist.is_quiet or not gist.own_news) and not gist.is_others_line_in_story
    return (
        [(words.style.bold if stands_out else words.to_markup)(words.to_markup(gist.others_news))]
        if gist.others_news
        else []
    )


def _with_nearest_enemy(words: Localizer, gist: StorySummary, offer: PanelOptions) -> StorySummary:
    """Return a gist that says, where nothing befell the captain's ships, which enemy is nearest to them now."""
    if not gist.is_quiet or offer.nearest_enemy is None:
        return gist
    ship, near = offer.nearest_enemy
    values = {"ship": ship, "near": replace(words, rounds_numbers=True).say_text(near)}
    return gist._replace(own_news=(words.say("news.quiet", **values), words.say("news.near", **values), *gist.own_news))


def _fit_orders(
    words: Localizer, choices: Choices, advice: Advice | None, most: int, *, below: bool
) -> tuple[FittedText, list[str]]:
    """Return orders or a hint as far as they are seen at a glance, in fewer words if more of them are, then.

    And those that are told in full. The others are `below`, or under More.
    """
    where = "panel.more_below" if below else "panel.more_under"
    same = advice is not None and is_advice_same_as_draft(advice, choices)
    lines: list[str] = advice.hint_lines(words, same=same) if advice else [*map(words.say_text, choices.lines)]
    reasons = len(advice.reason_lines(words, same=same)) if advice else 0
    shown = fit_lines(words, lines, most, reasons, where=where)
    if not shown.is_complete:
        short = advice.brief_lines(words, same=same) if advice else panel.brief_orders(words, choices.lines)
        shorter = fit_lines(words, short, most, reasons, where=where)
        if shorter.line_count > shown.line_count:
            pairs = zip(lines, short[: shorter.line_count], strict=False)
            return shorter._replace(is_complete=False), [line for line, brief in pairs if line == brief]
    return shown, lines[: shown.line_count]


def is_advice_same_as_draft(advice: Advice, choices: Choices) -> bool:
    """Whether a hint is what would be sealed without it."""
    return not choices.missing_parts and advice.hint.lines == choices.lines


def _question_text(words: Localizer, asked: PendingRequest) -> str:
    """Return what is asked, and how much time there is."""
    game, row = asked.seated_game.game, asked.row
    key = f"request.{row.body.kind}"
    # Who has given such orders before needs fewer words, and there is more to tell.
    brief = row.body.round > 1 and words.catalogue.has(f"{key}.again")
    question = words.say(f"{key}.again" if brief else key, **{"round": row.body.round, **row.body.params})
    if row.body.ahead:
        return "\n".join([question, words.say("panel.ahead")])
    if game.paused_at is not None or panel.may_wait(asked):
        return "\n".join([question, panel.deadline_text(words, asked)])
    if row.deadline is None:
        return question
    due = "panel.due.again" if brief else "panel.due"
    if asked.answer and row.body.sealed:  # it says no more until when to order, but when it goes on
        due = "panel.sealed_due" if game.early else "panel.sealed_until"
    return words.say(due, question=question, when=row.deadline)


def _fit_readiness(
    words: Localizer, asked: PendingRequest, choices: Choices, readiness: str, most: int, *, advised: bool, same: bool
) -> FittedText:
    """Return whether a draft can be sealed, as far as there is room; how it was sealed in any case.

    With a hint: that the press which takes it carries it out, where it is no secret.
    """
    if advised:
        return FittedText("" if same or asked.row.body.sealed else words.say("hint.at_once"), is_complete=True)
    if asked.answer:
        return FittedText(readiness, is_complete=True)
    text = words.style.cut_visible(panel.readiness_text(words, asked, choices, most), most)
    return FittedText(text, is_complete=text == readiness)


def _extra_lines(words: Localizer, asked: PendingRequest) -> list[str]:
    """Return what a captain need not read each time they are asked this."""
    which = asked.row.body.params.get("more")  # in games with more rules there is more to explain
    key = f"request.{asked.row.body.kind}.more{f'.{which}' if which else ''}"
    alone = asked.seated_game.is_practice or asked.row.body.round > 1
    said = [words.say(key)] if words.catalogue.has(key) else []
    return [*said, *([] if alone else [words.say("panel.no_hints")])]


def _deadline_lines(words: Localizer, asked: PendingRequest) -> list[str]:
    """Return the deadline to the minute, or that there is none, unless it stands with the question."""
    said = panel.may_wait(asked) or asked.row.body.ahead or asked.seated_game.game.paused_at is not None
    return [] if said else [panel.deadline_text(words, asked)]


def _fit_below(words: Localizer, said: Sequence[str]) -> Iterator[str]:
    """The first of some lines, as far as there is room for them; the others are on another page."""
    lines, taken = [*filter(None, said)], 0
    for number, line in enumerate(lines):
        taken += count_text_rows(words, line)
        if taken > MAX_ROWS_BELOW and number:
            yield words.style.small(words.say("panel.more_lines", n=len(lines) - number))
            return
        yield line


def _fit_line(words: Localizer, line: str, most: int = MAX_LINE_CHARS) -> FittedText:
    """Return a line that is seen at a glance, as far as it has room; nothing if it has none."""
    brief = words.style.cut_visible(line, most) if most > 0 else ""
    return FittedText(brief, is_complete=brief == line)


def count_text_rows(words: Localizer, text: str) -> int:
    """Return how many rows of a phone a text takes, about."""
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
    """Return the first of some lines, as far as they are seen at a glance, and how many more there are, and `where`.

    The last lines, as many as there are `reasons`, may be missing without a word.
    """
    shown = _fit_line(words, _join_lines(lines), most)
    if shown.is_complete or not lines:
        return shown._replace(line_count=len(lines))

    def dotted(n: int) -> FittedText:
        """So many lines, and that more follow, if any do."""
        told = _join_lines(lines[:n])
        return _fit_line(words, f"{told}{_SEPARATOR}…" if n < len(lines) - reasons else told, most)

    first = next(n for n in range(len(lines), 0, -1) if n == 1 or dotted(n).is_complete)
    left_out = len(lines) - reasons - first
    more = _SEPARATOR + words.say(where, n=left_out) if left_out > 0 else ""
    told = _join_lines(lines[:first])
    begun = _fit_line(words, told, most - len(more))
    if not begun.is_complete and (alone := _fit_line(words, told, most)).is_complete:
        # All of an order is worth more than how many follow, which a dot or three say in any case.
        return FittedText(
            dotted(first).text if dotted(first).is_complete else alone.text, is_complete=False, line_count=first
        )
    return FittedText(begun.text + more, is_complete=False, line_count=first if begun.is_complete else 0)


def _join_lines(lines: Sequence[str]) -> str:
    """Several lines in one: a dot stands between them where none ends the first."""
    told = [line + (" " if line.endswith((".", "!", "?")) else _SEPARATOR) for line in lines[:-1]]
    return "".join([*told, *lines[-1:]])
