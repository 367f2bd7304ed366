"""Describe steps of a game, and its captains, in a reader's language as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final

import msgspec
from markupsafe import Markup as SafeMarkup

from bot.pages.values import GameHead, PageSeat, PageStep, StepEntry
from bot.pages.wording import PageTexts, safe_html
from bot.texts import speech
from bot.texts.i18n import DEFAULT_LANGUAGE, Catalogue, Localizer
from bot.texts.rulebooks import load_rulebook
from bot.texts.story import FullStory, StoryBuilder
from bot.texts.style import HTML_STYLE, PLAIN_STYLE, Markup
from bot.texts.whole import playable_systems
from rules.core.keepsakes import FIRST_NAME_NUMBER
from rules.core.protocol import Event
from rules.core.registry import RULESETS
from rules.core.rulebook import RULE_NUMBER
from rules.core.sides import letter_of
from rules.core.view import View
from rules.interface import outcomes
from rules.interface.typed import join_id_ranges

_SHIP_PATTERN: Final = re.compile(r"[A-Z][0-9]+")  # an id of which runs are joined
_DICE_PATTERN: Final = re.compile(r"([.!?]) (\([^()]*\))$")  # dice in brackets after a full stop


class NotDrawn(Exception):
    """The files of a step were removed or lost, or another version of the bot wrote them."""


class ShownPiece(msgspec.Struct, frozen=True):
    """A ship or place in a picture."""

    points: str  # of a polygon, in pixels, as in SVG
    text: str  # what it is
    is_ship: bool


class CaptainDescription(msgspec.Struct, frozen=True, kw_only=True):
    letter: str
    text: SafeMarkup  # name, side and ships
    colours: PageSeat | None  # None: the game gives captains none


class MarkDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A mark's sample is a part of the file with the samples of all marks of a picture; all in pixels."""

    text: SafeMarkup
    box: tuple[int, int, int, int]  # left, top, width and height


class StepDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A step in the reader's language; texts are safe HTML."""

    heading: SafeMarkup  # the round
    headline: SafeMarkup
    lines: tuple[SafeMarkup, ...]  # the story
    standing: tuple[SafeMarkup, ...]  # score, and what each captain has
    marks: tuple[MarkDescription, ...]
    sheet_size: tuple[int, int]  # width and height of the file with samples of the marks, in pixels
    notation: SafeMarkup  # what names of ships and places, and the letters of orders, mean
    explanations: tuple[SafeMarkup, ...]  # each event with dice, sums and rules
    table: tuple[SafeMarkup, ...]  # the position in words
    alt: str  # what the picture shows
    size: tuple[int, int]  # width and height of the picture, in pixels
    captains: tuple[CaptainDescription, ...]  # by seat
    pieces: tuple[ShownPiece, ...]  # what a reader can point at, from below


def describe_step(head: GameHead, entry: StepEntry, step: PageStep, language: str, base: str) -> StepDescription:
    catalogue = Catalogue.load(language, step.system)
    plain = Localizer(catalogue, head.captains[language], style=PLAIN_STYLE)
    givers = {seat: plain.say(f"giver.{key}", who=seat) for seat, key in step.late.items()}
    localizer = replace(plain, style=HTML_STYLE, giver_names=givers)
    view, events = _decode_step(step)
    quiet_key = "headline.waits" if step.awaits else "headline.quiet"
    if not step.round and catalogue.has("story.opening"):
        quiet_key = "story.opening"
    ships = outcomes.story_ships(step.holders, None, step.teams, events)
    story = StoryBuilder.build(localizer, events, None, story_ships=ships).tell_fully(quiet_key)
    if step.caption:
        view = msgspec.structs.replace(view, phase=step.caption)
    missed = [localizer.say("thread.missed_line", who=seat) for seat in step.missed]
    return StepDescription(
        heading=safe_html(step_name(localizer, head, entry)),
        headline=safe_html(_put_dice_inside(story.headline)),
        lines=(*_story_items(story), *(safe_html(f"<li>{line}</li>") for line in missed)),
        standing=tuple(map(safe_html, _standing_lines(localizer, view, head.seat_count))),
        marks=tuple(
            MarkDescription(text=safe_html(localizer.say(f"mark.{mark.name}")), box=mark.box) for mark in step.marks
        ),
        sheet_size=(
            max((mark.box[0] + mark.box[2] for mark in step.marks), default=0),
            max((mark.box[1] + mark.box[3] for mark in step.marks), default=0),
        ),
        notation=safe_html(localizer.say("page.notation")),
        explanations=tuple(link_rules(line, base, language) for line in speech.explained_lines(localizer, events)),
        table=(
            *(safe_html(line) for page in speech.table_pages(localizer, view) for line in page.split("\n")),
            *(safe_html(localizer.say_text(line)) for line in view.place_lines.values()),
        ),
        alt=speech.alt_text(plain, view, events, more_key="page.alt_more"),
        size=step.size,
        captains=tuple(_describe_captains(localizer, head, step)),
        pieces=tuple(_shown_pieces(plain, step, view)),
    )


class _NotedNames(dict[int, str]):
    """Names that note which keepsakes are looked up."""

    def __init__(self, names: dict[int, str]) -> None:
        super().__init__(names)
        self.keepsakes: set[int] = set()

    def get(self, number: int, default: Any = None) -> Any:  # noqa: ANN401 - as `dict.get`
        if number >= FIRST_NAME_NUMBER:
            self.keepsakes.add(number)
        return super().get(number, default)


def keepsakes_told(entry: StepEntry, step: PageStep) -> tuple[int, ...]:
    """Return the numbers of the keepsakes that a step's texts name."""
    language = "en"  # any language names the same
    names = _NotedNames({seat: letter_of(seat) for seat in range(len(step.teams))})
    head = GameHead(
        system=step.system,
        language=language,
        number=0,
        server="",
        titles={},
        captains={language: names},
        seat_count=len(step.teams),
        is_over=False,
        deadline=None,
        steps=(entry,),
    )
    describe_step(head, entry, step, language, "")
    return tuple(sorted(names.keepsakes))


def step_name(localizer: Localizer, head: GameHead, entry: StepEntry) -> Markup:
    """Return the step's round, which part of it the step is if it has several, and whether it was taken back."""
    name = localizer.say("round", round=entry.round) if entry.round else localizer.say("page.prepared")
    alike = [step.label for step in head.steps if (step.round, step.is_undone) == (entry.round, entry.is_undone)]
    if len(alike) > 1:
        name = localizer.say("page.part", round=name, number=alike.index(entry.label) + 1)
    return localizer.say("page.undone", round=name) if entry.is_undone else name


def can_be_described(step: PageStep) -> bool:
    """Return whether this version of the bot can read a step."""
    try:
        _decode_step(step)
    except NotDrawn:
        return False
    return True


def _decode_step(step: PageStep) -> tuple[View, tuple[Event, ...]]:
    """Return a step's view and events. Raises `NotDrawn` if another version of the game wrote them."""
    rules = RULESETS[step.system]
    try:
        view: View = msgspec.json.decode(step.view, type=rules.view_type)
        events: tuple[Event, ...] = msgspec.json.decode(step.events, type=tuple[rules.event_type, ...])  # type: ignore[name-defined]
    except msgspec.DecodeError as error:
        raise NotDrawn from error
    return view, events


def about_lines(head: GameHead, language: str) -> list[SafeMarkup]:
    """Return where the game is played, and when it ended or until when orders are due."""
    texts = PageTexts(language)
    place = [texts("server", name=head.server)] if head.server else []
    if head.ended:
        return [*place, texts("ended", when=head.ended)]
    return [*place, *([texts("deadline", when=head.deadline)] if head.deadline else [])]


def _standing_lines(localizer: Localizer, view: View, seat_count: int) -> Iterator[Markup]:
    """Yield the score, and what each captain has left; of secret fleets what else is public."""
    if view.score:
        yield localizer.say_text(view.score)
    if view.standing_lines:
        yield from map(localizer.say_text, view.standing_lines)
        return
    keys = _shared_gauges(view)
    for seat in range(seat_count if view.pieces else 0):
        pieces = [piece for piece in view.pieces if piece.seat == seat]
        if not pieces:
            yield localizer.say("page.standing_none", who=seat)
            continue
        maxima = Counter(dict.fromkeys(keys, 0))
        amounts = Counter(maxima)
        for piece in pieces:
            gauges = [gauge for gauge in piece.gauges if gauge.key in keys]
            maxima.update({gauge.key: gauge.maximum for gauge in gauges})
            amounts.update({gauge.key: gauge.current for gauge in gauges if piece.afloat})
        texts = [f" · {localizer.say(f'gauge.{key}')} {amounts[key]}/{most}" for key, most in maxima.items()]
        markup = localizer.to_markup("".join(texts))
        yield localizer.say("page.standing", who=seat, afloat=sum(piece.afloat for piece in pieces), gauges=markup)


def _shared_gauges(view: View) -> list[str]:
    """Return the keys of gauges that each captain has on some ship; only the side to move has shots, for example."""
    keys = dict.fromkeys(gauge.key for piece in view.pieces for gauge in piece.gauges)
    seats = {piece.seat for piece in view.pieces}
    seats_with = {(gauge.key, piece.seat) for piece in view.pieces for gauge in piece.gauges}
    return [key for key in keys if all((key, seat) in seats_with for seat in seats)]


def _story_items(story: FullStory) -> Iterator[SafeMarkup]:
    """Yield list items: who acts, then each event or step in a row of its own."""
    for paragraph in story.paragraphs:
        if paragraph.heading:
            yield safe_html(f'<li class="actor">{paragraph.heading}</li>')
        for number, row in enumerate(paragraph.rows):
            style = ' class="detail"' if number else ""
            yield safe_html(f"<li{style}>{_put_dice_inside(row)}</li>")


def _put_dice_inside(sentence: str) -> str:
    """Return a sentence with the dice that follow it before its full stop."""
    return _DICE_PATTERN.sub(r" \2\1", sentence)


def _shown_pieces(localizer: Localizer, step: PageStep, view: View) -> Iterator[ShownPiece]:
    pieces = {piece.id: piece for piece in view.pieces}
    for outline in step.outlines:
        sides = zip(outline.points[::2], outline.points[1::2], strict=True)
        points = " ".join(f"{x * step.size[0]:.0f},{y * step.size[1]:.0f}" for x, y in sides)
        if outline.id in pieces:
            yield ShownPiece(points, speech.piece_text(localizer, pieces[outline.id], full=True), is_ship=True)
        elif outline.id in view.place_lines:
            yield ShownPiece(points, localizer.say_text(view.place_lines[outline.id]), is_ship=False)


def _describe_captains(localizer: Localizer, head: GameHead, step: PageStep) -> Iterator[CaptainDescription]:
    """Yield each captain with side and ships, and in a battle with the letter in the game that it belongs to."""
    for seat in range(head.seat_count):
        colours = step.seats[seat] if seat < len(step.seats) else None
        text = safe_html(_captain_text(localizer, seat, colours))
        above = head.seats_above[seat] if seat < len(head.seats_above) else seat
        if above != seat:
            letters = {"here": letter_of(seat), "above": letter_of(above)}
            text = safe_html(f"{text} {localizer.say('page.captain.letters', **letters)}")
        yield CaptainDescription(letter=colours.letter if colours else letter_of(seat), text=text, colours=colours)


def _captain_text(localizer: Localizer, seat: int, colours: PageSeat | None) -> str:
    if colours is None or not colours.side:
        return localizer.say("page.captain", who=seat)
    side = _capitalise(localizer.say(f"side.{colours.side}"))
    if not colours.ships or not all(map(_SHIP_PATTERN.fullmatch, colours.ships)):
        return localizer.say("page.captain.side", who=seat, side=side)
    return localizer.say("page.captain.ships", who=seat, side=side, ships=join_id_ranges(colours.ships))


def _capitalise(text: Markup) -> Markup:
    return type(text)(text[:1].upper() + text[1:])


def link_rules(html: str, base: str, language: str) -> SafeMarkup:
    """Make each number of a rule in a text a link to the rule."""

    def link(match: re.Match[str]) -> str:
        system = _systems_of_rules().get(match[0])
        address = f"{base}/rules/{system}?lang={language}#{match[0]}"
        return f'<a class="number" href="{address}">{match[0]}</a>' if system else match[0]

    return safe_html(RULE_NUMBER.sub(link, html))


@cache
def _systems_of_rules() -> dict[str, str]:
    """Return the game of each numbered rule."""
    books = {system: load_rulebook(system, DEFAULT_LANGUAGE) for system in playable_systems()}
    return {number: system for system, book in books.items() if book for number in book.rules}
