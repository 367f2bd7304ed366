"""A self-contained HTML page of a chronicle, without scripts or external files, readable on a phone.

All its texts must be `HtmlMarkup`, in which players' texts are escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Final

from msgspec import Struct

from bot.jobs.values import DescribedPicture
from data import file
from rules.core.protocol import Seat
from rules.core.sides import letter_of

Colour = tuple[int, int, int]  # red, green, blue: 0 to 255
# The diagram of scores, in units of its SVG: x to the right, y down.
_HEIGHT: Final = 300
_WIDTH: Final = 640
_MARGIN: Final = 34
_MIN_LETTER_GAP: Final = 24  # at the ends of lines: the letters' size on a phone (`page.css`)


class PageFigure(Struct, frozen=True, kw_only=True):
    data: bytes  # of the picture file
    format: str  # file format, such as `webp`
    alt: str  # description for those who cannot see it
    caption: str  # below the picture

    @classmethod
    def from_picture(cls, picture: DescribedPicture, caption: str) -> PageFigure:
        return cls(data=picture.data, format=picture.format, alt=picture.alt_text, caption=caption)


class PageSection(Struct, frozen=True, kw_only=True):
    heading: str
    lines: Sequence[str]  # sentences, as a list
    notes: Sequence[str] = ()  # in small print below the heading
    figure: PageFigure | None = None  # picture of a battle


class StandingsTable(Struct, frozen=True, kw_only=True):
    caption: str
    head: Sequence[str]  # titles of the columns, without that of the places
    rows: Sequence[tuple[int, str, str, Sequence[str]]]  # place, captain, text below the name, and figures


class ScoreSeries(Struct, frozen=True, kw_only=True):
    heading: str
    colours: Mapping[Seat, Colour]  # of the lines, by seat
    points: Sequence[Mapping[Seat, int]]  # the scores after each round, by seat


class ChroniclePage(Struct, frozen=True, kw_only=True):
    language: str  # code, such as `en`
    title: str  # the game and its players
    overline: str  # above the title: which kind of game
    subtitle: str  # below the title: place and dates
    introduction: Sequence[str]  # reason of the end, turning point, best battle
    table: StandingsTable  # places and figures at the end
    series: ScoreSeries | None  # None if the game has no scores
    charts: Sequence[PageFigure]  # of the beginning and the end
    rounds_heading: str
    rounds: Sequence[PageSection]
    battles_heading: str
    battles: Sequence[PageSection]
    closing: Sequence[str]  # statistics and ratings
    proof: Sequence[str]  # seed and digest, with which the dice can be checked


def render_html(page: ChroniclePage) -> str:
    parts = [
        f'<header><p class="above">{page.overline}</p><h1>{page.title}</h1>',
        f'<p class="below">{page.subtitle}</p></header>',
        _lines_html("opening", page.introduction),
        _table_html(page.table),
        _series_svg(page.series) if page.series else "",
        *map(_figure_html, page.charts),
        _story_html(page.rounds_heading, "rounds", page.rounds),
        _story_html(page.battles_heading, "fights", page.battles) if page.battles else "",
        _lines_html("closing", page.closing),
        f"<footer>{_lines_html('proof', page.proof)}</footer>",
    ]
    return (
        f'<!doctype html>\n<html lang="{escape(page.language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{page.title}</title><style>{file('shared', 'page.css').read_text('utf-8')}</style></head>"
        f"<body><main>{''.join(filter(None, parts))}</main></body></html>\n"
    )


def _lines_html(kind: str, lines: Sequence[str]) -> str:
    return f'<div class="{kind}">{"".join(f"<p>{line}</p>" for line in lines)}</div>' if lines else ""


def _figure_html(figure: PageFigure) -> str:
    source = f"data:image/{figure.format};base64,{b64encode(figure.data).decode()}"
    return f'<figure><img src="{source}" alt="{escape(figure.alt)}"><figcaption>{figure.caption}</figcaption></figure>'


def _table_html(table: StandingsTable) -> str:
    head = "".join(f'<th scope="col">{cell}</th>' for cell in ("", *table.head))
    rows = "".join(
        f'<tr><td class="place">{place}.</td><th scope="row">{captain}<small>{small_print}</small></th>'
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for place, captain, small_print, cells in table.rows
    )
    table_tag = f'<table style="--columns: {len(table.head) - 1}">'  # without that of the captains
    content = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return f"<section><h2>{table.caption}</h2>{table_tag}{content}</table></section>"


def _story_html(heading: str, kind: str, sections: Sequence[PageSection]) -> str:
    return f'<section class="{kind}"><h2>{heading}</h2>{"".join(map(_section_html, sections))}</section>'


def _section_html(section: PageSection) -> str:
    lines = f"<ul>{''.join(f'<li>{line}</li>' for line in section.lines)}</ul>" if section.lines else ""
    notes = "".join(f'<p class="note">{note}</p>' for note in section.notes)
    figure = _figure_html(section.figure) if section.figure else ""
    return f"<article><h3>{section.heading}</h3>{notes}{figure}{lines}</article>"


def _series_svg(series: ScoreSeries) -> str:
    """Return a diagram with a line for each seat and its letter at the end."""
    scores = [score for scores_of_round in series.points for score in scores_of_round.values()]
    max_score = max(1, *scores)
    interval_count = max(1, len(series.points) - 1)

    def position(round_index: int, score: int) -> tuple[float, float]:
        x = _MARGIN + round_index * (_WIDTH - 2 * _MARGIN) / interval_count
        y = _HEIGHT - _MARGIN - score * (_HEIGHT - 2 * _MARGIN) / max_score
        return x, y

    grid = []
    for value in _axis_ticks(max_score):
        _, y = position(0, value)
        grid.append(
            f'<path class="grid" d="M{_MARGIN} {y:.0f}H{_WIDTH - _MARGIN}"/>'
            f'<text x="{_MARGIN - 7}" y="{y + 4:.0f}" text-anchor="end">{value}</text>'
        )
    lines: list[str] = []
    end_heights: dict[Seat, float] = {}  # y of the lines' right ends
    for seat, colour in series.colours.items():
        points = [position(index, scores_of_round[seat]) for index, scores_of_round in enumerate(series.points)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        lines.append(f'<path class="rim" d="{path}"/><path class="line" stroke="rgb{colour}" d="{path}"/>')
        _, end_heights[seat] = points[-1]
    letters = (
        f'<text class="letter" x="{_WIDTH - _MARGIN + 8}" y="{y + 5:.0f}">{letter_of(seat)}</text>'
        for seat, y in _spread_labels(end_heights)
    )
    image = f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(series.heading)}">'
    inner = "".join([*grid, *lines, *letters])
    return f'<figure class="series"><figcaption>{series.heading}</figcaption>{image}{inner}</svg></figure>'


def _axis_ticks(max_score: int) -> range:
    """Return the scores at which grid lines stand: from 0, at most six intervals, unless the scores are very high."""
    interval = next((interval for interval in (2, 5, 10, 20, 50) if max_score // interval <= 6), 100)
    return range(0, max_score + 1, interval)


def _spread_labels(end_heights: Mapping[Seat, float]) -> Iterator[tuple[Seat, float]]:
    """Yield y of each line's end, from the top of the diagram, moved apart by `_MIN_LETTER_GAP`."""
    seats = sorted(end_heights, key=lambda seat: (end_heights[seat], seat))
    heights = [end_heights[seat] for seat in seats]
    for upper, lower in pairwise(range(len(heights))):
        heights[lower] = max(heights[lower], heights[upper] + _MIN_LETTER_GAP)
    lowest_allowed = _HEIGHT - 6  # so that no letter is cut
    excess = max(0.0, heights[-1] - lowest_allowed) if heights else 0.0
    for seat, height in zip(seats, heights, strict=True):
        yield seat, height - excess
