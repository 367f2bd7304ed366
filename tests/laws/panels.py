"""Panels made as the bot makes them, out of values alone, and held against what Discord takes."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from bot.discord.ids import CustomId, parse_custom_id
from bot.discord.interactions.filling import ListForm
from bot.discord.limits import (
    MAX_COMPONENTS,
    MAX_CUSTOM_ID_CHARS,
    MAX_FORM_FIELDS,
    MAX_ROW_BUTTONS,
    MAX_SELECT_OPTIONS,
    MAX_SELECT_TEXT_CHARS,
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
)
from bot.discord.messages import board, captain
from bot.discord.messages.board import LayoutBlock, RenderedMessage, SelectMenu, lay_out_message
from bot.discord.messages.paging import PHONE_ROWS, PHONE_ROWS_SHORT_TEXT, PHONE_ROWS_WITHOUT_PICTURE, count_phone_rows
from bot.jobs.values import DescribedPicture, PanelOptions
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.asked import PendingRequest
from bot.presenters.glance import TEXT_ROWS, count_text_rows, fit_panel_texts
from bot.store.models.pace import Pace
from bot.store.models.records import AnswerRow, Game, RequestRow, SeatRow
from bot.texts.i18n import Localizer
from bot.texts.labels import MAX_LABEL_CHARS
from rules.core.protocol import EMPTY_DRAFT, Choices, Draft, Request, Setup

RULE = re.compile(r"\b[A-Z]{2,3}-\d")
"""A rule's number: refusals and the log show it, and nothing that captains press does."""
_LABELS = ("label", "placeholder", "description")
_LARGEST = 999_999_999
BARE_ROWS = 13
"""Rows of text on a phone's screen above the buttons, where there is no picture."""
_TEXT = 10
"""The type of a text, by Discord's numbers."""


class Offered(NamedTuple):
    """The tokens that may be pressed on one page, and the pages to which it leads."""

    tokens: frozenset[str]
    turns_to: frozenset[int]


def asked(system: str, request: Request, draft: Draft = EMPTY_DRAFT, *, sealed: bool = False) -> PendingRequest:
    """Return a captain's request, with numbers as large as they may be in a custom id."""
    setup = Setup(system=system, teams=(0, 1))
    game = Game(
        id=_LARGEST, parent_id=None, system=system, name="W" * 80, locale="en", guild_id=1, channel_id=1, thread_id=1,
        host_id=1, phase="running", version=1, claimed_at=None, step_no=0, deadline=1, pace=Pace(seconds=86_400),
        early=True, extensions=2, paused_at=None, rated=False, private=False, setup=setup, seed="00", scheme=2,
        created_at=0, ended_at=None, digest=None,
    )  # fmt: skip
    row = RequestRow(
        game_id=game.id, id=request.id, seat=request.seat, body=request, step_no=0, asked_at=0, deadline=1,
        optional=request.optional, status="sealed" if sealed else "open", draft=draft.text, focus=draft.focus,
        version=_LARGEST,
    )  # fmt: skip
    answer = AnswerRow(
        game_id=game.id, request_id=request.id, seat=request.seat, body=draft.text, nonce="0" * 64,
        commitment="0" * 64, given_by="captain", sealed_at=0,
    )  # fmt: skip
    seats = [
        SeatRow(
            game_id=game.id, seat=seat, team=seat % 2, user_id=seat, computer=False, kept_for=None, conceded=False,
            draw_at=None, missed=0, offered_at=None, name=None, word=None, word_agreed=False,
        ) for seat in range(8)
    ]  # fmt: skip
    playing = SeatedGame(game=game, seats=seats, players={}, is_rated=game.rated)
    return PendingRequest(seated_game=playing, row=row, state="", answer=answer if sealed else None, is_first_game=True)


def laid_out(words: Localizer, what: PendingRequest, choices: Choices, *, cut: bool = False) -> list[RenderedMessage]:
    """Return all pages of a panel, by the code that the bot uses; labels are too long only if they may be `cut`."""
    picture = DescribedPicture(data=b"", format="png", alt_text="x")
    with too_long() as complaints:
        laid = captain.panel_layout(words, what, PanelOptions(choices=choices)).all_pages(picture)
        pages = [lay_out_message(page) for page in laid]
    assert cut or not complaints, complaints
    pressed = [block for block in laid[0] if not isinstance(block, str | DescribedPicture)]
    assert sum(map(count_phone_rows, pressed)) <= max(PHONE_ROWS, count_phone_rows(pressed[-1]) if pressed else 0)
    return pages


@contextmanager
def too_long() -> Iterator[list[str]]:
    """Collect the log's complaints about labels that are too long for a phone."""
    complaints: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: complaints.append(f"{record.getMessage()} {record.__dict__}")  # type: ignore[method-assign]
    board.log.addHandler(handler)
    try:
        yield complaints
    finally:
        board.log.removeHandler(handler)


def seen(
    words: Localizer,
    page: list[LayoutBlock],
    *,
    most_title: int = 1,
    most_text: int = TEXT_ROWS,
    most: int = PHONE_ROWS,
) -> None:
    """Check that a first page, down to its last button, fits a phone's screen: rows of text, and of buttons."""
    *above, _ = page[: max(number for number, block in enumerate(page) if isinstance(block, list | SelectMenu)) + 2]
    texts = "\n".join(block for block in above if isinstance(block, str))
    assert texts.startswith("#"), "a title"
    title, text = texts.split("\n", 1)
    assert count_text_rows(words, title.lstrip("# ")) <= most_title, title
    pressed = [block for block in above if isinstance(block, list | SelectMenu)]
    drawn = any(isinstance(block, DescribedPicture) for block in above)
    most_text, most = (most_text, most) if drawn else (BARE_ROWS, PHONE_ROWS_WITHOUT_PICTURE)
    assert count_text_rows(words, text) <= most_text, text
    assert sum(map(count_phone_rows, pressed)) <= max(most, count_phone_rows(pressed[-1])), pressed


def seen_lean(words: Localizer, page: list[LayoutBlock], most_text: int = 8) -> None:
    """Check that a page with little more than lists, and this many rows of text, fits a phone's screen."""
    texts = "\n".join(block for block in page if isinstance(block, str))
    assert count_text_rows(words, texts) <= most_text, texts
    pressed = [block for block in page if isinstance(block, list | SelectMenu)]
    assert sum(map(count_phone_rows, pressed)) <= PHONE_ROWS_SHORT_TEXT, pressed


def glanced(words: Localizer, what: PendingRequest, choices: Choices) -> None:
    """Check that the visible part of a panel, with its picture and buttons, fits a phone's screen."""
    texts = fit_panel_texts(words, what, PanelOptions(choices=choices))
    _, question = texts.above.split("\n", 1)
    assert count_text_rows(words, question) + count_text_rows(words, texts.beside) <= TEXT_ROWS, (
        question,
        texts.beside,
    )


def held_forms(words: Localizer, what: PendingRequest, choices: Choices) -> None:
    """Check that Discord accepts every form of a panel, offered or not."""
    tokens = [form.token for form in choices.forms]
    assert len(tokens) == len(set(tokens))
    for form in choices.forms:
        ref = CustomId(
            verb="form", game=what.row.game_id, version=what.row.version, request=what.row.id, token=form.token
        )
        with too_long() as cut:
            modal = ListForm(words, ref, form).to_dict()
        assert not cut, cut
        assert 1 <= len(words.say_text(form.label)) <= MAX_TITLE_CHARS
        assert 1 <= len(modal["custom_id"]) <= MAX_CUSTOM_ID_CHARS
        assert 1 <= len(modal["components"]) == len(form.fields) <= MAX_FORM_FIELDS
        for label, field in zip(modal["components"], form.fields, strict=True):
            assert 1 <= len(words.say_text(field.label)) <= MAX_TITLE_CHARS
            assert len(label["component"]["options"]) == len(field.entries)
            assert not [said for said in _labels(label["component"]) if RULE.search(said)]
            assert _values({"placeholder": "-", **label["component"]})


def taken(message: RenderedMessage) -> Offered:
    """Check that Discord accepts a page, and return what may be pressed on it."""
    parts = list(_parts(message.view.to_components()))
    assert len(parts) <= MAX_COMPONENTS
    assert all(part["content"] for part in parts if part["type"] == _TEXT)
    assert sum(len(part["content"]) for part in parts if part["type"] == _TEXT) <= MAX_TEXT_CHARS
    assert not [said for part in parts for said in _labels(part) if RULE.search(said)]
    custom_ids = [part["custom_id"] for part in parts if "custom_id" in part]
    assert len(custom_ids) == len(set(custom_ids))
    assert all(len(custom_id) <= MAX_CUSTOM_ID_CHARS for custom_id in custom_ids)
    tokens: set[str] = set()
    turns_to: set[int] = set()
    for part in parts:
        match part["type"]:
            case 1:
                assert 1 <= len(part["components"]) <= MAX_ROW_BUTTONS
            case 2:
                assert 1 <= len(part["label"]) <= MAX_LABEL_CHARS
                ref = _ref(part)
                if ref.verb == "press" and not part.get("disabled"):
                    tokens.add(ref.token)
                if ref.verb == "page":
                    turns_to.add(int(ref.token))
            case 3:
                tokens |= _values(part)
    return Offered(frozenset(tokens), frozenset(turns_to))


def _labels(part: dict[str, Any]) -> list[str]:
    """Return the labels of a button, or of a select and its lines."""
    return [str(each[key]) for each in (part, *part.get("options", [])) for key in _LABELS if each.get(key)]


def _values(select: dict[str, Any]) -> set[str]:
    """Return the values of a select whose texts Discord accepts."""
    assert 1 <= len(select["options"]) <= MAX_SELECT_OPTIONS
    assert 1 <= len(select["placeholder"]) <= MAX_LABEL_CHARS
    assert sum(option.get("default", False) for option in select["options"]) <= 1
    values = {option["value"] for option in select["options"]}
    assert len(values) == len(select["options"])
    for option in select["options"]:
        assert 1 <= len(option["label"]) <= MAX_LABEL_CHARS
        assert 1 <= len(option["value"]) <= MAX_SELECT_TEXT_CHARS
        assert len(option.get("description") or "") <= MAX_SELECT_TEXT_CHARS
    return values


def whole(pages: list[RenderedMessage]) -> frozenset[str]:
    """Check that Discord accepts all pages of a panel and each leads to its neighbours; return all that they offer."""
    tokens: set[str] = set()
    for number, page in enumerate(pages):
        offered = taken(page)
        assert offered.turns_to == {number - 1, number + 1} & set(range(len(pages)))
        tokens |= offered.tokens
    return frozenset(tokens)


def _ref(part: dict[str, Any]) -> CustomId:
    ref = parse_custom_id(part["custom_id"])
    assert ref
    return ref


def _parts(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in components:
        yield part
        yield from _parts(part.get("components", []))
