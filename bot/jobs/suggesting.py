"""Find the readable order that is nearest to a refused text: for "Did you mean …?".

A typed line is mended at the piece that was refused, with words of the orders that are possible now, and read again.
Of all texts that can be read, the most similar one is suggested.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec import structs

from bot.texts.reading import SentenceReader
from rules.core.errors import Fault, OrderError, quote_excerpt
from rules.core.protocol import Draft, GameState, Request
from rules.core.ruleset import Ruleset
from rules.interface.typed import add_colons, fold_text, own_words

S = TypeVar("S", bound=GameState)
_MAX_FOCUSED: Final = 2  # ships or groups named in a text whose options are looked at
_MAX_READ: Final = 12  # texts that are read for one suggestion
_MAX_WORDS: Final = 8  # of a line that are replaced by others
_MAX_NUMBERED: Final = 2  # texts that are read and differ only in numbers
_MAX_ALIKE: Final = 5  # words or lines, apart from their numbers
_MAX_LOST_LETTERS: Final = 3  # at the end of a line
_MIN_LIKENESS: Final = 0.5  # from 0 to 1, of a suggestion to the typed line
_MIN_GAIN: Final = 0.05  # of the likeness to a line of one word
_MIN_WORD_LIKENESS: Final = 0.5  # from 0 to 1, of a word of a suggestion to a typed word
_MIN_SAME_WORD_LIKENESS: Final = 0.7  # with which a word is only misspelt
_MAX_LINE_CHARS: Final = 80  # longer lines are not mended
_BREAKS: Final = re.compile(r"[;\n\r]+")
_LINE_BREAKS: Final = re.compile(r"[\n\r]+")
_SHIP: Final = re.compile(r"[A-Za-z]{1,2}\d{1,3}:?")
_NUMBER: Final = re.compile(r"\d+")
_WORD_BREAKS: Final = re.compile(r"[^\w@^/+-]+")


def quote_as_typed(fault: Fault, text: str) -> Fault:
    """Return a fault that quotes the player's own words, though a translation of the text was read.

    A piece that is not in the text stands for the whole line, or for nothing if nobody knows which line.
    """
    if fault.faults:
        return structs.replace(fault, faults=tuple(quote_as_typed(cause, text) for cause in fault.faults))
    if not fault.piece or (fault.kind == "illegal" and "line" not in fault.params):
        return fault  # of an illegal order, the piece may be a ship that the text does not name
    params = {**fault.params}
    if isinstance(params.get("given"), str):
        params["given"] = own_words(text, str(params["given"]))
    piece = own_words(text, fault.piece)
    if piece.rstrip("…") not in " ".join(text.split()):
        piece = own_words(text, fault.piece.replace(":", ""))
    if piece.rstrip("…") not in " ".join(text.split()):
        lines = [line.strip() for line in _BREAKS.split(text) if line.strip()]
        number = fault.params.get("line", 1)
        line = lines[number - 1] if isinstance(number, int) and number <= len(lines) else text
        piece = quote_excerpt(line)
    return structs.replace(fault, piece=piece, params=params)


class Moment(NamedTuple, Generic[S]):
    """A request with its state and draft, into which a text is typed."""

    rules: Ruleset[S]
    state: S
    request: Request
    draft: Draft


def add_suggestions(fault: Fault, moment: Moment[S], text: str) -> Fault:
    """Return a fault, and each fault of a combined one, with the readable order nearest to the line that it quotes."""
    lines = list(dict.fromkeys(_offered_lines(moment, text)))
    reader = SentenceReader.load(moment.rules.name)
    pieces = moment.rules.view(moment.state, moment.request.seat).pieces
    own_ships = [piece.id for piece in pieces if piece.seat == moment.request.seat and piece.afloat]
    offered_words = [word for line in lines for word in line.split()]
    words = [*offered_words, *(reader.notation_words() if reader else ()), *(piece.id for piece in pieces)]
    words = list(dict.fromkeys(words))

    def suggest(cause: Fault) -> Fault:
        if cause.faults:
            return structs.replace(cause, faults=tuple(map(suggest, cause.faults)))
        for line in _lines_of(text, cause.piece):
            texts = dict.fromkeys([*_mended(line, cause.piece, words, own_ships), *_like_lines(line, lines)])
            orders = [each for each in texts if each != line and len(each.split()) >= min(2, len(line.split()))]
            is_word = len(line.split()) == 1  # of which half may be letters by chance
            alike = [each for each in orders if _likeness(each, line) >= _MIN_LIKENESS + _MIN_GAIN * is_word]
            alike = [each for each in alike if _is_related(each, line, cause.piece, own_ships)]
            alike.sort(key=lambda each: (cause.piece in each, *_distance(each, line)))
            candidates = [*_with_limit(line, cause), *_with_few_numbers(alike)[:_MAX_READ]]
            order = next((each for each in candidates if _is_readable(moment, each)), "")
            if order:
                return structs.replace(cause, suggestion=order)
        return cause

    return suggest(fault)


def _offered_lines(moment: Moment[S], text: str) -> Iterator[str]:
    """Yield the lines of the drafts to which the offered options lead, also those of ships that a text names."""
    rules, state, request, draft = moment
    choices_now = rules.draft_choices(state, request, draft)
    options = [each for group in choices_now.groups for each in group.options]
    focused = [Draft(each.draft, each.focus) for each in options if each.draft == draft.text and not each.fault]
    focused = [each for each in dict.fromkeys(focused) if each.focus and each.focus.casefold() in text.casefold()]
    for choices in [choices_now, *(rules.draft_choices(state, request, at) for at in focused[:_MAX_FOCUSED])]:
        texts = [option.draft for group in choices.groups for option in group.options if not option.fault]
        fields = [(form.prefix, field) for form in choices.forms for field in form.fields]
        texts += [prefix + entry.text for prefix, field in fields for entry in field.entries]
        yield from dict.fromkeys(line.strip() for text in texts for line in _BREAKS.split(text) if line.strip())


def _lines_of(text: str, piece: str) -> Iterator[str]:
    """Yield the typed line that holds a piece, then the part of it between semicolons; all if there is no other."""
    words = piece.rstrip("…").strip()
    for breaks in (_LINE_BREAKS, _BREAKS):
        lines = [line.strip() for line in breaks.split(text) if line.strip()]
        line = next((line for line in lines if words and words in line), lines[0] if len(lines) == 1 else "")
        if 0 < len(line) <= _MAX_LINE_CHARS:
            yield line


def _with_limit(line: str, fault: Fault) -> Iterator[str]:
    """Yield a line in which the last number of the refused piece is the most that is allowed."""
    most, numbers = fault.params.get("most"), [*_NUMBER.finditer(fault.piece)]
    if isinstance(most, int) and numbers and fault.piece in line:
        yield line.replace(fault.piece, f"{fault.piece[: numbers[-1].start()]}{most}{fault.piece[numbers[-1].end() :]}")


def _mended(line: str, piece: str, words: list[str], own_ships: list[str]) -> Iterator[str]:
    """Yield a line with its refused piece, a word (an unknown one if there is one) or its end replaced or left out."""
    start = line.find(piece) if piece else -1
    if start >= 0 and piece != line:
        for word in ["", *_like_words(piece, words)]:
            yield " ".join(f"{line[:start]}{word}{line[start + len(piece) :]}".split())
    known_words = {_without_numbers(word) for word in words}
    typed_words = line.split()
    unknown = [number for number, word in enumerate(typed_words) if _without_numbers(word) not in known_words]
    for number in (unknown or range(len(typed_words)))[:_MAX_WORDS]:
        typed = typed_words[number]
        is_ship = number == 0 and _SHIP.fullmatch(typed)
        likely = [f"{name}{typed[len(typed.rstrip(':')) :]}" for name in own_ships] if is_ship else words
        for word in ["", *_like_words(typed, likely)]:
            yield " ".join(filter(None, (*typed_words[:number], word, *typed_words[number + 1 :])))
    for count in range(1, _MAX_LOST_LETTERS + 1):
        yield line[:-count].strip()


def _like_words(typed: str, words: Iterable[str]) -> list[str]:
    return _alike(typed, (word for word in words if word.endswith(":") == typed.endswith(":")), 0.3)


def _like_lines(typed: str, lines: Iterable[str]) -> list[str]:
    return _alike(typed, lines, _MIN_LIKENESS)


def _alike(typed: str, texts: Iterable[str], min_likeness: float) -> list[str]:
    """Return the texts most like a typed one: by their letters, and of equal ones those with the nearest numbers."""
    by_letters: dict[str, list[str]] = {}
    for text in texts:
        by_letters.setdefault(_without_numbers(text), []).append(text)
    likest = get_close_matches(_without_numbers(typed), by_letters, n=_MAX_ALIKE, cutoff=min_likeness)
    return [each for key in likest for each in sorted(by_letters[key], key=lambda text: _number_gap(text, typed))[:3]]


def _with_few_numbers(texts: Sequence[str]) -> list[str]:
    """Return texts in order, of those that differ only in numbers no more than two."""
    counts: Counter[str] = Counter()
    kept = []
    for text in texts:
        letters = _without_numbers(text)
        counts[letters] += 1
        if counts[letters] <= _MAX_NUMBERED:
            kept.append(text)
    return kept


def _distance(candidate: str, line: str) -> tuple[float, int]:
    """Return how far a candidate is from a line: by its letters, then by its numbers."""
    return -round(_likeness(candidate, line), 3), _number_gap(candidate, line)


def _likeness(first: str, second: str) -> float:
    """Return from 0 to 1 how alike two texts are, without the words with which both begin."""
    words, others = (_without_numbers(text).replace(":", "").split() for text in (first, second))
    same = next((i for i, (word, other) in enumerate(zip(words, others, strict=False)) if word != other), None)
    if same is None:
        return 1.0 if len(words) == len(others) else _MIN_LIKENESS
    return SequenceMatcher(None, " ".join(words[same:]), " ".join(others[same:]), autojunk=False).ratio()


def _is_related(order: str, line: str, piece: str, own_ships: Sequence[str]) -> bool:
    """Return whether an order says what a line says, but for one word of the refused piece at most.

    It may name the ship that the line lacks. If the line names an own ship, her orders are at fault, not her name.
    """
    ships = {ship.casefold() for ship in own_ships}
    first_word = _first_word(line)
    if first_word in ships and _first_word(order) != first_word:
        return False
    offered = [*filter(None, _WORD_BREAKS.split(order.casefold()))]
    changed = []
    for word in filter(None, _WORD_BREAKS.split(line.casefold())):
        likest = max(offered, key=lambda each: (_word_likeness(each, word), each == word), default="")
        likeness = _word_likeness(likest, word)
        if likeness >= _MIN_WORD_LIKENESS:
            offered.remove(likest)
        if likeness < _MIN_SAME_WORD_LIKENESS:
            changed.append(word)
    if first_word not in ships and offered and offered[0] in ships:
        offered = offered[1:]
    refused = [piece.casefold(), *piece.casefold().split()]
    is_refused = all(word in refused[0] or any(part in word for part in refused) for word in changed)
    return not offered and len(changed) <= 1 and is_refused


def _word_likeness(first: str, second: str) -> float:
    if first.isdigit() != second.isdigit():
        return 0.0  # a number is no ship
    letters, others = _without_numbers(first), _without_numbers(second)
    return SequenceMatcher(None, letters, others, autojunk=False).ratio()


def _first_word(text: str) -> str:
    """Return the word before the first blank or sign, such as the name of the ship that is ordered."""
    return next(filter(None, _WORD_BREAKS.split(text.casefold())), "")


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("#", fold_text(text))


def _number_gap(first: str, second: str) -> int:
    numbers, others = ([int(digits[:6]) for digits in _NUMBER.findall(text)] for text in (first, second))
    gaps = [abs(number - other) for number, other in zip(numbers, others, strict=False)]
    return sum(gaps) + abs(len(numbers) - len(others))


def _is_readable(moment: Moment[S], text: str) -> bool:
    """Return whether a text can be read and changes the draft."""
    for typed in dict.fromkeys((text, with_colons(moment, text))):
        try:
            return moment.rules.type_text(moment.state, moment.request, moment.draft, typed).text != moment.draft.text
        except OrderError:
            continue
    return False


def with_colons(moment: Moment[S], text: str) -> str:
    """Return the text with a colon after the names of own ships that begin an order, where it has none."""
    pieces = moment.rules.view(moment.state, moment.request.seat).pieces
    return add_colons(text, [piece.id for piece in pieces if piece.seat == moment.request.seat])
