"""Descriptions of a game that nobody knows: the story, the log and the picture, each fact once."""

from __future__ import annotations

from io import BytesIO
from typing import ClassVar

import pytest

from bot.texts import repeats
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.speech import MAX_ALT_CHARS, MAX_MESSAGE_CHARS, alt_text, log_pages, split_pages, table_pages
from bot.texts.story import _join_fragments, _join_texts, tell_story
from data import file
from rules.core.protocol import Event
from rules.core.view import Gauge, NearestEnemy, Piece, Text, View
from rules.matchbox.engine.events import ShipMoved
from rules.matchbox.engine.pose import Pose

GAME = """

msgid "event.Whispered"
msgstr "{what} is whispered"

msgid "event.Said"
msgstr "**{what}** is said"

msgid "event.Called"
msgstr "{what} is called"

msgid "event.Shouted"
msgstr "{what} is shouted"

msgid "headline.Shouted"
msgstr "{what}!"

msgid "event.BackedOff"
msgstr "{what} backs"

msgid "story.backed"
msgstr "{what} back"

msgid "event.Tried"
msgstr "{what} tries in vain"

msgid "event.Ended"
msgstr "{seats:name} won"

msgid "gauge.oars"
msgstr "oars"

msgid "gauge.crew"
msgstr "crew"

msgid "side.crimson"
msgstr "red side"

msgid "place.here"
msgstr "at {x_mm:mm}"

msgid "phase.of_a_test"
msgstr "*Orders* of `{round}`"

msgid "plan.line"
msgstr "{galley} plans {orders}"
"""


class Happened(Event, frozen=True, kw_only=True):
    step: int = 0

    @property
    def section_heading(self):
        return Text("story.step", {"step": self.step}) if self.step else None


class Whispered(Happened, frozen=True, kw_only=True):
    weight: ClassVar = 0
    what: str


class Said(Happened, frozen=True, kw_only=True):
    what: str


class Shouted(Happened, frozen=True, kw_only=True):
    weight: ClassVar = 2
    what: str


class Called(Said, frozen=True, kw_only=True):
    weight: ClassVar = 2


class Ended(Happened, frozen=True, kw_only=True):
    weight: ClassVar = 3
    seats: tuple[int, ...]


MORE = "… There's more in words: see the Log in the thread, or /galley status."


@pytest.fixture(scope="module")
def words():
    po = file("shared", "en.po").read_bytes() + GAME.encode()
    return Localizer(Catalogue("en", BytesIO(po)), {0: "Anna_", 1: "Béla"})


def piece(name="A1", *, afloat=True, oars=4):
    gauges = (Gauge("oars", oars, 6), Gauge("crew", 30, 30))
    return Piece(
        id=name, seat=0, side="crimson", afloat=afloat, gauges=gauges, place=Text("place.here", {"x_mm": 12.5})
    )


def view(*pieces, seat=None, plan=(), groups=(), **more):
    phase = Text("phase.of_a_test", {"round": 3})
    return View(
        **{
            "seat": seat,
            "round": 3,
            "phase": phase,
            "pieces": pieces,
            "plan_lines": plan,
            "group_lines": groups,
            **more,
        }
    )


# --- the story ---------------------------------------------------------------------------------------------------


def test_the_latest_of_the_weightiest_makes_the_headline(words):
    events = [Said(what="a"), Shouted(what="b"), Shouted(what="c"), Said(what="d")]
    story = tell_story(words, events, None)
    assert story.headline == "c!"
    assert story.lines == ("**a** is said", "b is shouted", "c is shouted", "**d** is said")
    assert tell_story(words, [Shouted(what="b"), Ended(seats=(0, 1)), Shouted(what="c")], None).headline == (
        "Anna\\_ and Béla won"
    )


def test_a_headline_is_not_said_twice(words):
    assert tell_story(words, [Said(what="a")], None) == ("**a** is said", ())
    assert tell_story(words, [Said(what="b"), Said(what="a")], None) == ("**a** is said", ("**b** is said",))
    news = [Said(what="b"), Called(what="a"), Said(what="c")]
    assert tell_story(words, news, None) == ("a is called", ("**b** is said", "**c** is said"))
    assert tell_story(words, news[1:], None) == ("a is called", ("**c** is said",))


def test_a_story_tells_whole_millimetres_and_degrees_and_the_log_all_digits():
    words, lies = Localizer(Catalogue.load("en", "matchbox")), Pose(194.2, 290.5, 352.647)
    moved = ShipMoved(step=1, galley="A1", order="F", start=lies, end=lies, part=0.0, rule="MB-5.5")
    story, logged = (
        " ".join(texts).replace("\u00a0", " ")
        for texts in ([tell_story(words, [moved], None).headline], log_pages(words, [moved], None))
    )
    assert "194 mm and 290 mm, heading 353°" in story
    assert "194.2 mm and 290.5 mm, heading 352.647°" in logged


class BackedOff(Happened, frozen=True, kw_only=True):
    what: str

    @property
    def list_key(self):
        return "story.backed"


class Tried(Happened, frozen=True, kw_only=True):
    what: str

    @property
    def dedup_key(self):
        return self.what


def test_a_story_gathers_what_is_alike_and_tells_once_what_is_tried_again(words):
    happened = [Tried(step=1, what="A1"), Tried(step=2, what="A1"), Tried(step=2, what="B1"), Said(what="now")]
    happened += [BackedOff(what="A1"), BackedOff(what="A2"), BackedOff(what="B1")]
    lines = "\n".join((story := tell_story(words, happened, None)).lines)
    assert lines.count("A1 tries in vain") == 1
    assert lines.count("B1 tries in vain") == 1
    assert "A1, A2, and B1 back" in (story.headline, *story.lines)
    assert tell_story(words, [BackedOff(what="A1")], None).headline == "A1 backs"
    # the log has all of them
    assert "\n".join(log_pages(words, happened, None)).count("A1 tries in vain") == 2


def test_quiet_is_only_what_tells_of_nothing(words):
    story = tell_story(words, [Whispered(what="a"), Said(what="b"), Said(what="c")], None)
    assert story == ("**c** is said", ("**b** is said",))
    assert tell_story(words, [Whispered(what="a")], None).headline == words.say("headline.quiet")
    assert tell_story(words, [], None, quiet_key="headline.waits").headline == words.say("headline.waits")
    assert tell_story(words, [Whispered(what="a"), Said(what="b")], None) == (
        "**b** is said",
        (),
    )  # all there is to tell
    assert tell_story(words, [], None).lines == ()


def test_the_events_of_a_step_share_its_mark(words):
    events = [Said(what="a"), Said(what="b", step=1), Said(what="c", step=1), Said(what="d", step=2), Ended(seats=(0,))]
    assert tell_story(words, events, None).lines == (
        "**a** is said",
        "**Step 1** · **b** is said",
        "**c** is said",
        "**Step 2** · **d** is said",
    )


def test_a_secret_is_told_to_those_who_may_know(words):
    events = [Said(what="open"), Shouted(what="hush", seen_by=(1,))]
    assert tell_story(words, events, None) == ("**open** is said", ())
    assert tell_story(words, events, 0) == ("**open** is said", ())
    assert tell_story(words, events, 1) == ("hush!", ("**open** is said", "hush is shouted"))
    assert log_pages(words, events, 0) == ["**open** is said"]
    assert log_pages(words, events, 1) == ["**open** is said\nhush is shouted"]


def test_a_long_story_keeps_the_weightiest_and_says_what_is_left_out(words):
    talk = [Said(what=f"{n} {'x' * 80}", step=1 + n // 20) for n in range(100)]
    story = tell_story(words, [*talk, Shouted(what="at last", step=5)], None)
    assert len("\n".join([story.headline, *story.lines])) <= MAX_MESSAGE_CHARS
    assert story.headline == "at last!"
    assert "at last is shouted" in story.lines[-2]
    kept_count = sum(line.count("is said") for line in story.lines)
    assert 0 < kept_count < 100
    assert story.lines[-1] == f"And {100 - kept_count} events more: see **Log** in the thread."
    assert "**0 x" in story.lines[0]


def test_a_story_leaves_room_for_what_else_stands_in_its_message(words):
    talk = [Said(what="x" * 80) for _ in range(100)]
    for most in (3500, 1000, 300):
        story = tell_story(words, talk, None, most)
        assert len("\n".join([story.headline, *story.lines])) <= most


# --- the log -----------------------------------------------------------------------------------------------------


def test_the_log_has_everything_with_rules_in_pages(words):
    events = [Whispered(what=f"{n} {'x' * 90}", rule="TT-1.1", step=n % 3) for n in range(100)]
    pages = log_pages(words, events, None)
    assert len(pages) > 1
    assert all(len(page) <= MAX_MESSAGE_CHARS for page in pages)
    lines = "\n".join(pages).split("\n")
    assert len(lines) == 100
    assert lines[0] == f"0 {'x' * 90} is whispered (TT-1.1)"
    assert lines[5] == f"**Step 2** · 5 {'x' * 90} is whispered (TT-1.1)"
    assert log_pages(words, [], None) == []


def test_the_log_says_once_what_no_story_tells_and_happens_in_each_step_to_no_ship(words):
    events = [Whispered(what="hush", step=1), Said(what="now"), Whispered(what="hush", step=2), Said(what="now")]
    (page,) = log_pages(words, events, None)
    assert page.count("hush is whispered") == 1
    assert page.count("**now** is said") == 2


def test_a_line_that_is_longer_than_a_page_goes_on_in_the_next():
    assert split_pages(["a" * 25, "b", "c" * 10], 10) == ["a" * 10, "a" * 10, "aaaaa\nb", "c" * 10]


# --- what a picture shows ----------------------------------------------------------------------------------------


def test_a_description_has_pieces_then_plan_then_story_without_markup(words):
    plan = (Text("plan.line", {"galley": "A1", "orders": "F*F"}),)
    seen = view(piece(), piece("B1", afloat=False), piece("B2", afloat=False), seat=0, plan=plan)
    events = [Whispered(what="a"), Said(what="b"), Shouted(what="hush", seen_by=(1,))]
    assert alt_text(words, seen, events) == "\n".join(
        [
            "Orders of 3",
            "A1, red side, Anna_: oars 4/6, crew 30/30; at 12.5\u00a0mm",
            "These are lost: B1 and B2.",
            "A1 plans F*F",
            "b is said",
        ]
    )


def test_a_description_is_bounded_and_says_so(words):
    events = [Said(what="A1"), *(Said(what=f"{n} {'x' * 50}") for n in range(40)), Ended(seats=(1,))]
    text = alt_text(words, view(piece(), *(piece(f"B{n}") for n in range(5))), events)
    assert len(text) <= MAX_ALT_CHARS
    lines = text.split("\n")
    assert lines[1].startswith("A1: oars"), "what befell her is told"
    assert lines[2:4] == ["A1 is said", f"0 {'x' * 50} is said"], "rather than where others are"
    assert lines[-2] == "Béla won"
    assert lines[-1] == MORE


def test_many_pieces_are_told_briefly(words):
    some = view(*(piece(f"A{n}") for n in range(1, 21)))
    text = alt_text(words, some, [])
    assert len(text) <= MAX_ALT_CHARS
    assert text.split("\n")[20] == "A20: oars 4/6, crew 30/30; at 12.5\u00a0mm"
    assert not text.endswith(MORE)
    crowd = alt_text(words, view(*(piece(f"A{n}") for n in range(1, 101))), [Said(what="b")])
    assert len(crowd) <= MAX_ALT_CHARS
    assert crowd.endswith(MORE)


def fleet_piece(name, seat, near=None):
    where = Text("place.here", {"x_mm": 12.5})
    gauges = (Gauge("oars", 4, 6), Gauge("crew", 30, 30))
    close = near and NearestEnemy("plan.line", {"galley": near, "orders": "x"}, gap=100.0 - int(name[1:]))
    return Piece(id=name, seat=seat, side="crimson", afloat=True, gauges=gauges, place=where, nearest_enemy=close)


def test_of_thirty_ships_ones_own_come_first_then_the_nearest_and_the_changed_enemies(words):
    enemies = [fleet_piece(f"A{n}", 0) for n in range(1, 16)]
    own = [fleet_piece(f"B{n}", 1, near="A9") for n in range(1, 16)]
    seen = view(*enemies, *own, seat=1)
    text = alt_text(words, seen, [Shouted(what="A4"), *(Said(what="x" * 40) for _ in range(20))])
    assert len(text) <= MAX_ALT_CHARS
    names = [line.partition(":")[0] for line in text.split("\n")]
    assert names[1:19] == ["B15", *(f"B{n}" for n in range(1, 16)), "A4", "A9"]
    assert text.split("\n")[1] == "B15: A9 plans x", "who is nearest to any of her own"
    assert text.endswith(MORE)


def test_if_not_even_ones_own_ships_have_room_those_to_which_something_happened_do(words):
    own = [fleet_piece(f"B{n}", 1) for n in range(1, 41)]
    text = alt_text(words, view(*own, seat=1), [Said(what="B37")])
    assert len(text) <= MAX_ALT_CHARS
    assert "\nB37: " in text
    assert "\nB36: " not in text
    assert text.endswith(MORE)


def test_what_all_is_played_on_comes_first_before_the_first_round_and_a_goal_in_any(words):
    own = [fleet_piece(f"B{n}", 1) for n in range(1, 41)]
    ground, note = (Text("plan.line", {"galley": name, "orders": "x"}) for name in ("the sea", "the way out"))
    for number, expected in ((0, ["the sea plans x", "the way out plans x"]), (2, ["the way out plans x"])):
        seen = view(*own, seat=1, round=number, ground_text=ground, note_lines=(note,), goal=note)
        lines = alt_text(words, seen, []).split("\n")
        assert lines[1 : 1 + len(expected)] == expected
        assert lines[1 + len(expected)].startswith("B1: ")


def test_many_pieces_are_told_in_groups_if_the_game_has_any(words):
    own = [fleet_piece(f"B{n}", 1) for n in range(1, 41)]
    line = Text("plan.line", {"galley": "B1 to B40", "orders": "nothing"})
    seen = view(*own, fleet_piece("A1", 0), piece("A2", afloat=False), seat=1, groups=(line,))
    assert alt_text(words, seen, [Said(what="b")]).split("\n")[1:] == [
        "B1 to B40 plans nothing", "These are lost: A2.", "b is said",
    ]  # fmt: skip
    few = alt_text(words, view(*own[:2], seat=1, groups=(line,)), [])
    assert "B1, red side" in few
    assert "B1 to B40" not in few


def test_a_spectator_of_many_ships_hears_first_of_those_to_which_something_happened(words):
    text = alt_text(words, view(*(fleet_piece(f"A{n}", 0) for n in range(1, 41))), [Said(what="A37")])
    assert text.split("\n")[1].startswith("A37: ")


def test_the_table_in_words_leaves_out_nothing(words):
    plan = (Text("plan.line", {"galley": "A1", "orders": "FF"}),)
    pages = table_pages(words, view(*(piece(f"A{n}") for n in range(1, 51)), seat=0, plan=plan))
    lines = "\n".join(pages).split("\n")
    assert len(lines) == 52
    assert lines[0] == "*Orders* of `3`"
    assert lines[50] == "A50, red side, Anna\\_: oars 4/6, crew 30/30; at 12.5\u00a0mm"
    assert lines[51] == "A1 plans FF"


def test_clauses_and_sentences_are_told_apart() -> None:
    """A name in brackets ends no sentence; dice in brackets after one do."""
    assert _join_fragments(_join_texts(["B1 loses 1 oar (A1)", "A1 backs off"])) == "B1 loses 1 oar (A1); A1 backs off"
    assert (
        _join_fragments(_join_texts(["She is shaken. (4 + 1 = 5)", "A2 shoots."]))
        == "She is shaken. (4 + 1 = 5) A2 shoots."
    )


@pytest.mark.parametrize(
    ("line", "told", "left"),
    [
        ("A1 rams S2! S2 goes down!", "**A1** rams S2!", ["S2 goes down!"]),
        ("A1 rams S2! (rolled 7) S2 goes down! (rolled 3)", "S2 goes down!", ["A1 rams S2! (rolled 7)"]),
        ("**Blue, squadron 1** (B1–B5): Rowed: B1 to 0810.", "> **Rowed: B1 to 0810.**", []),
        ("**white brig** · sails to C5 · B2–C5: she misses", "She misses.", ["**white brig** · sails to C5"]),
        ("· she misses · **A1 goes down**", "she misses", ["**A1 goes down**"]),
        ("B1 fires: nobody in range", "A1 fires: nobody in range", ["B1 fires: nobody in range"]),
        ("**Rowed: B1. B2 stays there.**", "Rowed: B1.", ["B2 stays there."]),
        ("**A1** (Anna)", "A1", ["**A1** (Anna)"]),
        ("No crew is left. anna wins, 5 points to 3 points.", "anna wins, 5 points to 3 points.", ["No crew is left."]),
        ("**Piros, 1. raj** (R1–R4): Evezett: R1 0809-re.", "Evezett: R1 0809-re.", []),
        (
            "9\\. csata (U1): Béla megtámadta Annát (D3 D4).",
            "8\\. csata (S2): Béla megtámadta Annát (D1 D2).",
            ["9\\. csata (U1): Béla megtámadta Annát (D3 D4)."],
        ),
    ],
)
def test_a_line_keeps_what_was_not_told(line: str, told: str, left: list[str]) -> None:
    assert [*repeats.drop_repeated([line], [told])] == left
    assert repeats.says_all_of([told], line) is (not left)


def test_of_two_that_say_the_same_the_one_with_dice_is_fuller() -> None:
    lines = ["Rowed: B1.", "· D5–E6: the brig misses the frigate (rolled 1, needed 3+). Night falls."]
    assert repeats.find_fuller(lines, "The brig misses the frigate.") == lines[1].partition(" Night")[0]
    assert not repeats.find_fuller(lines, "Night falls.")
    assert not repeats.find_fuller(lines, "The galleon misses the frigate.")
