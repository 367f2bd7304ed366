"""What a panel says above its buttons is said once; what has no room there is below, and on the other pages."""

from __future__ import annotations

import pytest
from msgspec import structs

from bot.telling.glance import Glance, _news, glance
from bot.words.i18n import Catalogue, Words
from bot.words.story import Gist
from bot.work.showing import Offer
from rules.protocol import Choices, Draft, Request
from rules.view import Text
from tests.laws import panels

SHORT, SECOND, LONG = "her shot is a guess", "nobody is near", "her shot is a guess, " * 5
WORDS = Words(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})
REQUEST = Request(id="r2.orders.0", seat=0, kind="orders", round=2)


def shown(*warnings: str, lines: tuple[str, ...] = ("A1 rows on",), draft: str = "A1 FF") -> Glance:
    """The texts of a panel that can be sealed, with these orders and warnings."""
    asked = panels.asked("matchbox", REQUEST, Draft(draft))
    choices = Choices(groups=(), lines=tuple(map(said, lines)), missing=() if draft else (said("orders"),))
    return glance(WORDS, asked, Offer(choices=choices, warnings=tuple(map(said, warnings))))


def said(what: str) -> Text:
    return Text("panel.missing", {"what": what})


def times(what: str, texts: Glance) -> tuple[int, int, int]:
    """How often something is said above the buttons, below them, and on the other pages."""
    return tuple(text.count(what) for text in (texts.beside, texts.below, "\n".join(texts.rest)))  # type: ignore[return-value]


def test_a_warning_that_is_seen_whole_is_not_repeated() -> None:
    texts = shown(SHORT, SECOND)
    assert times(SHORT, texts) == (1, 0, 0)
    assert times(SECOND, texts) == (0, 1, 1)
    assert times("A1 rows on", texts) == (1, 0, 0)


def test_a_warning_that_has_no_room_is_said_in_full_below() -> None:
    texts = shown(LONG)
    assert times(LONG.strip(), texts) == (0, 1, 1)
    assert times(SHORT, texts)[0] > 0, "its beginning is seen"


def test_orders_that_a_warning_leaves_no_room_for_are_below() -> None:
    orders = ("A1 rows on", "A2 turns to port")
    assert times(orders[1], shown(SHORT, lines=orders)) == (0, 1, 1)
    assert times(orders[1], shown(lines=orders)) == (1, 0, 0)


@pytest.mark.parametrize("warnings", [(), (SHORT,)])
def test_where_nothing_is_ordered_lines_are_kept_under_more(warnings: tuple[str, ...]) -> None:
    assert times("A1 rows on", shown(*warnings, draft="")) == (0, 0, 1)


def test_who_missed_the_deadline_is_told_so_first_until_they_order() -> None:
    asked = structs.replace(panels.asked("matchbox", REQUEST), late={0: "deadline"})
    offer = Offer(choices=Choices(groups=(), lines=(), missing=(said("orders"),)))
    title, first, *_ = glance(WORDS, asked, offer).above.split("\n")
    assert first == WORDS.style.quote(WORDS.say("panel.late.mate"))
    other = structs.replace(asked, late={1: "deadline"})
    ordered = structs.replace(panels.asked("matchbox", REQUEST, Draft("A1 FF")), late=asked.late)
    for texts in (glance(WORDS, other, offer), glance(WORDS, ordered, offer)):
        assert texts.above.startswith(title)
        assert first not in texts.above


@pytest.mark.parametrize(
    ("room", "news"),
    [
        (2, ["A1 loses 1 port oar!", "**B1 is lost!**"]),
        (1, ["A1 loses 1 port oar!"]),
        (0, []),
        (5, ["A1 hits nobody from afar, then loses 1 port oar to B2", "**B1 is lost!**"]),
    ],
)
def test_what_came_of_own_orders_is_first_and_never_cut(room: int, news: list[str]) -> None:
    gist = Gist(("A1 hits nobody from afar, then loses 1 port oar to B2", "A1 loses 1 port oar!"), "B1 is lost!")
    assert _news(WORDS, gist, ["B1 is lost!"], room) == news
