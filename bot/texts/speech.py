"""Texts made from events and views of any game; sentences are found by type name or key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import groupby, pairwise
from typing import Any, Final

from bot.texts.i18n import Localizer
from bot.texts.style import PLAIN_STYLE, Markup
from rules.core.protocol import Event, Seat
from rules.core.view import Piece, Text, View

MAX_MESSAGE_CHARS: Final = 3500
"""The most characters of a story or log page; Discord allows 4,000 in all text displays of a message."""
MAX_ALT_CHARS: Final = 1024
"""Discord's limit of a picture's description."""


def log_pages(localizer: Localizer, events: Sequence[Event], seat: Seat | None) -> list[str]:
    """Return the pages of a log. What no story tells, and is about no ship, is said once, not in each step again."""
    return split_pages(explained_lines(localizer, visible_events(events, seat)))


def explained_lines(localizer: Localizer, events: Iterable[Event]) -> Iterator[str]:
    """Yield events with dice, sums and rules. What no story tells, and is about no ship, is said once."""
    said: set[str] = set()
    for event in events:
        sentence = localizer.explanation_text(event)
        if event.weight or event.ship_ids or sentence not in said:
            yield explained_line(localizer, event)
        said.add(sentence)


def explained_line(localizer: Localizer, event: Event) -> str:
    """Return an event with its dice, sums and the numbers of its rules."""
    rules = f" ({', '.join(event.cited_rules)})" if event.cited_rules else ""
    return f"{section_mark(localizer, event)}{localizer.explanation_text(event)}{rules}"


def alt_text(
    localizer: Localizer,
    view: View,
    events: Sequence[Event],
    lines: Sequence[str] = (),
    *,
    more_key: str = "alt.more",
) -> str:
    """Return a picture's description for screen readers, complete enough to play by.

    It lists the pieces, the viewer's own first, their plan and the events. If that exceeds `MAX_ALT_CHARS`, pieces are
    described in groups, if the game has any. If that is still too long, or if there are no groups and the events do not
    fit, short descriptions are chosen by importance (`_ranked_lines`), followed by the sentence `more_key` that says
    where to find the rest. `lines` are added at the end while there is room.
    """
    localizer = replace(localizer, style=PLAIN_STYLE)
    where_to_find_rest = localizer.say(more_key)
    merged_events = _story_events(events, view.seat)
    story_events, event_sentences = _event_sentences(localizer, merged_events)
    sentences: list[str] = [*event_sentences, *lines]
    weights = [*(event.weight for event in story_events), *(0 for _ in lines)]

    def room_after(texts: Sequence[str]) -> int:
        return MAX_ALT_CHARS - _joined_length([*texts, where_to_find_rest]) - 1

    fixed_lines = next((texts for texts in _position_versions(localizer, view) if room_after(texts) >= 0), [])
    events_fit = room_after(fixed_lines) >= _joined_length(event_sentences)
    if not fixed_lines or (not view.group_lines and not events_fit):
        concerned_ids = _relevant_pieces(view, merged_events)
        ranked = _ranked_lines(localizer, view, story_events, sentences, concerned_ids=concerned_ids)
        fixed_lines = []
        sentences = [text for _, text in ranked]
        weights = [rank for rank, _ in ranked]
    costs = [len(sentence) + 1 for sentence in sentences]
    indices = pick_weightiest(weights, costs, room_after(fixed_lines))
    ending = [] if len(indices) == len(sentences) else [where_to_find_rest]
    return "\n".join([*fixed_lines, *(sentences[index] for index in indices), *ending])


def _position_versions(localizer: Localizer, view: View) -> Iterator[list[str]]:
    """Yield the lines of a position and its plan in versions of decreasing length."""
    headings = _heading_lines(localizer, view)
    plan_lines = [*map(localizer.say_text, view.plan_lines)]
    yield [*headings, *_piece_lines(localizer, _own_pieces_first(view)), *plan_lines]
    if view.group_lines:
        groups = [*map(localizer.say_text, view.group_lines), *_lost_lines(localizer, view.pieces)]
        for heading_lines in (headings, headings[:1]):
            yield [*heading_lines, *groups, *_nearest_lines(localizer, view), *plan_lines]


class _Rank(IntEnum):
    """The importance of a line of a short description to the viewer; lines with the highest rank are chosen first."""

    ESSENTIAL = 6
    VITAL = 5
    IMPORTANT = 4
    USEFUL = 3
    MINOR = 2
    MARGINAL = 1
    LAST = 0


def _ranked_lines(
    localizer: Localizer,
    view: View,
    events: Sequence[Event],
    sentences: Sequence[str],
    *,
    concerned_ids: Collection[str],
) -> list[tuple[_Rank, str]]:
    """Return the lines of a short description, each after its rank."""
    lines: list[tuple[_Rank, str]] = [(_Rank.ESSENTIAL, localizer.say_text(view.phase))]
    lines += [(_Rank.VITAL, line) for line in _nearest_lines(localizer, view)]
    lines += [(_Rank.IMPORTANT, line) for line in map(localizer.say_text, view.group_lines)]
    # The ground matters most before the first round, and the notes if the viewer's or the game's goal is a place.
    has_goal = bool(view.goal) or (view.seat is None and view.score is not None)
    if view.ground_text:
        ground_rank = _Rank.MINOR if view.round else _Rank.IMPORTANT
        lines.append((ground_rank, localizer.say_text(view.ground_text)))
    note_rank = _Rank.IMPORTANT if has_goal else _Rank.MINOR
    lines += [(note_rank, line) for line in map(localizer.say_text, view.note_lines)]
    pieces = [] if view.group_lines else [piece for piece in _own_pieces_first(view) if piece.afloat]
    for piece in sorted(pieces, key=lambda piece: piece.seat != view.seat and piece.id not in concerned_ids):
        is_concerned = piece.id in concerned_ids
        own_rank, others_rank = (_Rank.IMPORTANT, _Rank.MARGINAL)
        if is_concerned:
            own_rank, others_rank = (_Rank.VITAL, _Rank.USEFUL)
        rank = own_rank if piece.seat == view.seat else others_rank
        lines.append((rank, piece_text(localizer, piece, full=False)))
    lines += [(_Rank.LAST, line) for line in _lost_lines(localizer, view.pieces)]
    lines += [(_Rank.MINOR, line) for line in map(localizer.say_text, view.plan_lines)]
    event_ranks = [_event_rank(event) for event in events]
    event_ranks += [_Rank.LAST] * (len(sentences) - len(event_ranks))
    return [*lines, *zip(event_ranks, sentences, strict=True)]


def _relevant_pieces(view: View, events: Iterable[Event]) -> frozenset[str]:
    """Return ids of the pieces that are nearest to the viewer's own, or named by an event."""
    nearest_texts = (piece.nearest_enemy for piece in view.pieces if piece.seat == view.seat and piece.afloat)
    named_ids = {name for value in (*nearest_texts, *(event.params for event in events)) for name in _texts_in(value)}
    return frozenset(piece.id for piece in view.pieces) & named_ids


def _event_rank(event: Event) -> _Rank:
    if event.weight > 1:
        return _Rank.USEFUL
    return _Rank.MINOR if event.headline_score else _Rank.LAST


def _texts_in(value: object) -> Iterator[str]:
    """Yield all strings in a value and in the values that it contains."""
    match value:
        case str():
            yield value
        case Text():
            yield from _texts_in(value.params)
        case Mapping():
            yield from _texts_in(tuple(value.values()))
        case tuple() | list():
            for item in value:
                yield from _texts_in(item)


def _own_pieces_first(view: View) -> list[Piece]:
    return sorted(view.pieces, key=lambda piece: piece.seat != view.seat)  # False sorts before True


def table_pages(localizer: Localizer, view: View) -> list[str]:
    plan_lines = [localizer.say_text(line) for line in view.plan_lines]
    return split_pages([*_heading_lines(localizer, view), *_piece_lines(localizer, view.pieces), *plan_lines])


def visible_events(events: Iterable[Event], seat: Seat | None) -> list[Event]:
    """Return the events that a seat may see (None: everybody)."""
    return [event for event in events if event.seen_by is None or seat in event.seen_by]


def _story_events(events: Iterable[Event], seat: Seat | None) -> list[Event]:
    """Return the events that a seat may see and that a story tells; each may take in what its next event says."""
    visible = visible_events(events, seat)
    merged_events = [*(event.merge_with(next_event) for event, next_event in pairwise(visible)), *visible[-1:]]
    return [event for event in merged_events if event.weight]


def _event_sentences(localizer: Localizer, events: Sequence[Event]) -> tuple[list[Event], list[str]]:
    """Return the events of a story and the sentence for each; of combined events only the first is returned."""
    firsts: list[Event] = []
    sentences: list[str] = []
    used_keys: set[str] = set()
    for _, group in groupby(events, key=lambda event: event.list_key or id(event)):
        first, *others = group
        if first.dedup_key and first.dedup_key in used_keys:  # an earlier event says the same
            continue
        used_keys.add(first.dedup_key)
        firsts.append(first)
        if others:  # one sentence lists what the events differ in
            all_params = [event.params for event in (first, *others)]
            joined_params = {name: [params[name] for params in all_params] for name in first.params}
            sentences.append(localizer.say(first.list_key, **joined_params))
        else:
            sentences.append(localizer.event_text(first))
    return firsts, sentences


def pick_weightiest(weights: Sequence[Any], costs: Sequence[int], room: int, max_count: int | None = None) -> list[int]:
    """Return the indices, in order, of the heaviest items whose costs fit in `room`; earlier ones win ties."""
    indices: list[int] = []
    for index in sorted(range(len(weights)), key=lambda index: weights[index], reverse=True)[:max_count]:
        room -= costs[index]
        if room < 0:
            break
        indices.append(index)
    return sorted(indices)


def split_pages(lines: Iterable[str], max_chars: int = MAX_MESSAGE_CHARS) -> list[str]:
    """Return texts of several lines. A line that is too long for a page is divided between lines, or between words."""
    pages: list[str] = []
    for line in lines:
        for part in _divide(line, max_chars):
            if pages and len(pages[-1]) + 1 + len(part) <= max_chars:
                pages[-1] += f"\n{part}"
            else:
                pages.append(part)
    return pages


def _divide(text: str, max_chars: int) -> Iterator[str]:
    while len(text) > max_chars:
        cut = max(text.rfind("\n", 0, max_chars + 1), 0) or max(text.rfind(" ", 0, max_chars + 1), 0)
        yield text[: cut or max_chars]
        text = text[cut + 1 :] if cut else text[max_chars:]
    if text:
        yield text


def _nearest_lines(localizer: Localizer, view: View) -> list[str]:
    nearest = view.nearest_enemy
    return [localizer.say("alt.near", id=nearest[0], near=localizer.say_text(nearest[1]))] if nearest else []


def _joined_length(lines: Sequence[str]) -> int:
    return len("\n".join(lines))


def section_mark(localizer: Localizer, event: Event) -> str:
    return f"{localizer.say_text(event.section_heading)} " if event.section_heading else ""


def _heading_lines(localizer: Localizer, view: View) -> list[str]:
    return [*map(localizer.say_text, filter(None, (view.phase, view.ground_text, *view.note_lines)))]


def _piece_lines(localizer: Localizer, pieces: Sequence[Piece]) -> list[str]:
    return [
        *(piece_text(localizer, piece, full=True) for piece in pieces if piece.afloat),
        *_lost_lines(localizer, pieces),
    ]


def _lost_lines(localizer: Localizer, pieces: Sequence[Piece]) -> list[str]:
    """Return up to two lines: which pieces were lost, and which have left the table."""
    lost_ids = [piece.id for piece in pieces if not piece.afloat and not piece.has_left]
    left_ids = [piece.id for piece in pieces if not piece.afloat and piece.has_left]
    lines: list[str] = []
    if lost_ids:
        lines.append(localizer.say("alt.lost", pieces=lost_ids))
    if left_ids:
        lines.append(localizer.say("alt.left", pieces=left_ids))
    return lines


def piece_text(localizer: Localizer, piece: Piece, *, full: bool) -> str:
    gauges = ", ".join(
        f"{localizer.say(f'gauge.{gauge.key}')} {gauge.current}/{gauge.maximum}" for gauge in piece.gauges
    )
    key = "alt.piece" if full else "alt.piece_brief"
    place = localizer.say_text(piece.place)
    line = localizer.say(key, id=piece.id, side=piece.side, seat=piece.seat, gauges=Markup(gauges), place=place)
    return f"{line}; {localizer.say_text(piece.nearest_enemy)}" if full and piece.nearest_enemy else line
