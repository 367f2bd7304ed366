"""Values in sentences, and texts of players, which cannot break them."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.texts.i18n import MAX_QUOTE_CHARS, Catalogue, Localizer, MissingMessage, language_for_locale, languages
from bot.texts.style import PLAIN_STYLE, Markup, escape
from rules.core.errors import Fault
from rules.core.protocol import Event
from rules.core.view import Text

PO = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "unit.oar"
msgid_plural "unit.oar"
msgstr[0] "{n} oar"
msgstr[1] "{n} oars"
"""
SENTENCES = {
    "plain": "<{x}>",
    "code": "<`{x}`>",
    "piece": "`{piece}` {after}",
    "mm": "{x:mm}",
    "gap": "{x:gap}",
    "gap.touching": "touching",
    "in": "{x:in}",
    "tenths": "{x:tenths}",
    "signed": "{x:signed}",
    "change": "{x:change}",
    "percent": "{x:percent}",
    "relative": "{x:relative}",
    "time": "{x:time}",
    "date": "{x:date}",
    "clock": "{x:clock}",
    "name": "{x:name}",
    "edge": "{x:edge}",
    "edge.bow": "the bow",
    "edge.yes": "at it",
    "team": "{x:team}",
    "team.0": "first",
    "oars": "{x:unit.oar}",
    "deep": "{x.params}",
    "bold": "**{x}**, `{x}`",
    "numbered": "{x}. turn: {then}",
    "fault.too_many": "At most {most}, not `{piece}`.",
    "event.Happened": "{who:name} tested",
    "event.Happened.twice": "{who:name} tested {times} times",
    "headline.Happened.twice": "Twice!",
}


class Happened(Event, frozen=True, kw_only=True):
    who: int
    times: int = 1

    @property
    def variant(self) -> str:
        return {1: "", 2: "twice"}.get(self.times, "often")


def catalogue(language="en"):
    entries = (f'msgid "{key}"\nmsgstr "{text}"\n' for key, text in SENTENCES.items())
    return Catalogue(language, BytesIO("\n".join([PO, *entries]).encode()))


EN, HU = catalogue(), catalogue("hu")


def test_the_bundled_languages():
    assert languages() == ("en", "hu")
    assert Catalogue.load("hu") is Catalogue.load("hu")
    with pytest.raises(LookupError, match="no catalogue of 'xx'"):
        Catalogue.load("xx")


def game(system, language="en", **sentences):
    entries = (f'msgid "{key}"\nmsgstr "{text}"\n' for key, text in sentences.items())
    under = {"en": EN, "hu": HU}[language]
    return Catalogue(language, BytesIO("\n".join([PO, *entries]).encode()), system, base=under)


def test_each_game_has_words_of_its_own_over_those_that_all_share():
    ours, theirs = game("ours", **{"event.Happened": "We sailed."}), game("theirs", **{"event.Happened": "They rowed."})
    texts = [Localizer(catalogue).event_text(Happened(who=0)) for catalogue in (ours, theirs)]
    assert texts == ["We sailed.", "They rowed."]
    assert Localizer(EN, {0: "Anna"}).event_text(Happened(who=0)) == "Anna tested"
    assert ours.say("mm", x=1) == EN.say("mm", x=1)
    assert (ours.system, EN.system) == ("ours", "")


def test_a_game_spells_its_orders_in_its_own_letters():
    assert Catalogue.load("hu", "matchbox").localise_orders("FLRXZZ") == "EBJTAA"
    assert Catalogue.load("hu", "matchbox").localise_orders("A1 FFXRX; G1 ZZ(4-2)G") == "A1 EETJT; G1 AA(4-2)C", (
        "ships keep names"
    )
    for words_alone in ("campaign", "forts"):
        assert Catalogue.load("hu", words_alone).localise_orders("A1: ELE > MEG") == "A1: ELE > MEG"
    assert Catalogue.load("en", "matchbox").localise_orders("FLRXZZ") == "FLRXZZ"
    assert Catalogue.load("hu").localise_orders("FLRXZZ") == "FLRXZZ"  # no game, no letters


@pytest.mark.parametrize(
    ("locale", "language"),
    [("hu", "hu"), ("en-GB", "en"), ("en-US", "en"), ("hu_HU", "hu"), ("sv-SE", "en"), ("", "en")],
)
def test_the_best_language_for_a_locale(locale, language):
    assert language_for_locale(locale) == language


@pytest.mark.parametrize(
    ("key", "x", "en", "hu"),
    [
        ("plain", 1234.5678, "<1234.568>", "<1234,568>"),
        ("plain", 12, "<12>", "<12>"),
        ("plain", -0.25, "<-0.25>", "<-0,25>"),
        ("plain", "A1", "<A1>", "<A1>"),
        ("plain", ("A1", "B2"), "<A1 and B2>", "<A1 és B2>"),
        ("plain", ["A1", "B2", "C3"], "<A1, B2, and C3>", "<A1, B2 és C3>"),
        ("plain", (), "<>", "<>"),
        ("mm", 64.845, "64.8\u00a0mm", "64,8\u00a0mm"),
        ("mm", 135, "135\u00a0mm", "135\u00a0mm"),
        ("gap", 64.845, "64.8\u00a0mm", "64,8\u00a0mm"),
        ("gap", -0.001, "touching", "touching"),
        ("in", 4.5, "4.5\u00a0in", "4,5\u00a0hüvelyk"),
        ("in", 1, "1\u00a0in", "1\u00a0hüvelyk"),
        ("in", 3.256, "3.26\u00a0in", "3,26\u00a0hüvelyk"),
        ("in", -0.001, "0\u00a0in", "0\u00a0hüvelyk"),
        ("in", [0.25, 6], "0.25\u00a0in and 6\u00a0in", "0,25\u00a0hüvelyk és 6\u00a0hüvelyk"),
        ("tenths", 28, "28.0", "28,0"),
        ("tenths", -0.04, "0.0", "0,0"),
        ("signed", 0.6, "+0.6", "+0,6"),
        ("signed", -1.25, "-1.2", "-1,2"),
        ("signed", -0.01, "+0.0", "+0,0"),
        ("change", 43, "+43", "+43"),
        ("change", -43, "-43", "-43"),
        ("percent", 0.476, "48%", "48%"),
        ("relative", 1700000000.5, "<t:1700000000:R>", "<t:1700000000:R>"),
        ("time", 1700000000, "<t:1700000000:f>", "<t:1700000000:f>"),
        ("date", 1700000000, "<t:1700000000:D>", "<t:1700000000:D>"),
        ("clock", 1700000000, "<t:1700000000:t>", "<t:1700000000:t>"),
        ("edge", "bow", "the bow", "the bow"),
        ("edge", True, "at it", "at it"),
        ("team", 0, "first", "first"),
        ("team", "0", "first", "first"),
        ("oars", 0, "0 oars", "0 oars"),
        ("oars", 1, "1 oar", "1 oar"),
        ("oars", 2, "2 oars", "2 oars"),
        ("oars", [1, 2], "1 oar and 2 oars", "1 oar és 2 oars"),
        ("edge", Markup("as it is"), "as it is", "as it is"),
    ],
)
def test_values(key, x, en, hu):
    assert EN.say(key, x=x) == en
    assert HU.say(key, x=x) == hu


def test_names_of_seats():
    words = Localizer(EN, {0: "Anna", 1: "*Béla*"})
    assert words.say("name", x=0) == "Anna"
    assert words.say("name", x=(0, 1)) == "Anna and \\*Béla\\*"
    assert words.say("name", x="Cili_") == "Cili\\_"
    with pytest.raises(MissingMessage):
        words.say("name", x=2)


def test_plain_words_have_no_markup():
    words = Localizer(EN, {0: "*Anna*"}, style=PLAIN_STYLE)
    assert words.say("bold", x="a_b") == "a_b, a_b"
    assert words.say("name", x=0) == "*Anna*"
    assert words.say("time", x=0) == "1/1/70, 12:00\u202fAM UTC"


@pytest.mark.parametrize(
    ("key", "params", "complaint"),
    [
        ("nowhere", {}, "no message 'nowhere'"),
        ("plain", {}, "message 'plain' lacks x"),
        ("deep", {"x": "text"}, "message 'deep' lacks x.params"),
        ("plain", {"x": None}, "lacks None"),
        ("plain", {"x": True}, "lacks True"),
        ("edge", {"x": "stern"}, "no message 'edge.stern'"),
        ("mm", {"x": "far"}, "no message 'mm.far'"),
        ("oars", {"x": 1.5}, "lacks 1.5 as 'unit.oar'"),
        ("team", {"x": 7}, "no message 'team.7'"),
    ],
)
def test_what_is_missing_is_never_passed_over(key, params, complaint):
    with pytest.raises(MissingMessage, match=complaint):
        EN.say(key, **params)


def test_a_field_may_look_into_a_value():
    assert EN.has("deep")
    assert not EN.has("shallow")
    assert EN.say("deep", x=_With(params="inside")) == "inside"


class _With:
    def __init__(self, params):
        self.params = params


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("@everyone", "@\u200beveryone"),
        ("<@1>", "\\<@\u200b1\\>"),
        ("<#5> <t:1:R> <a:x:1>", "\\<\\#5\\> \\<t:1:R\\> \\<a:x:1\\>"),
        ("**a** __b__ ~~c~~ ||d||", "\\*\\*a\\*\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~ \\|\\|d\\|\\|"),
        ("`x`", "\\`x\\`"),
        ("[a](http://b.c) [d](http://e.f)", "\\[a\\](http\\://b.c) \\[d\\](http\\://e.f)"),
        ("x.y/z", "x\\.y/z"),
        ("# title\n> quote\n- item", "\\# title \\> quote - item"),
        ("- item", "\\- item"),
        ("\\*", "\\\\\\*"),
        ("a\u202eb\x00c", "abc"),
        ("galley-1 (fast)", "galley-1 (fast)"),
    ],
)
def test_escaping(text, safe):
    assert escape(text) == safe
    assert EN.say("plain", x=text) == f"<{safe}>"
    assert Localizer(EN, {0: text}).say("name", x=0) == safe


def test_within_backticks_nothing_breaks_out():
    assert EN.say("code", x="*FF*`@everyone` `<@1>`") == "<`*FF*ˋ@\u200beveryoneˋ ˋ<@\u200b1>ˋ`>"


@given(st.text(max_size=120))
def test_no_piece_breaks_out(text):
    said = EN.say("piece", piece=text, after="*")
    code, after = said.removeprefix("`").rsplit("` ", 1)
    assert after == "\\*"
    assert "`" not in code
    assert "\n" not in code
    assert len(code.replace("\u200b", "")) <= MAX_QUOTE_CHARS


@given(st.text(alphabet="a\\*_~|`<>[]()#@-1\n ", max_size=40))
def test_nothing_that_means_something_stays_unescaped(text):
    bare = escape(text).replace("\\\\", "")
    for position, letter in enumerate(bare):
        assert letter not in "*_~|`<>[]#" or bare[position - 1 : position] == "\\"
    assert "@" not in bare.replace("@\u200b", "")


def test_what_was_said_is_escaped_once():
    said = Localizer(EN, {0: "a*b"}).say("name", x=0)
    assert EN.say("plain", x=said) == "<a\\*b>"
    assert EN.say("plain", x=[said, said]) == "<a\\*b and a\\*b>"


def test_a_sentence_that_begins_with_a_number_is_no_item_of_a_list():
    assert EN.say("numbered", x=3, then="2. and 4. x") == "3\\. turn: 2. and 4. x"
    assert EN.say("name", x=Markup("3. Anna")) == "3\\. Anna"
    assert EN.say("mm", x=2.5) == "2.5\u00a0mm"
    assert EN.say("tenths", x=3) == "3.0"
    assert Localizer(EN, style=PLAIN_STYLE).say("numbered", x=3, then="") == "3. turn: "


def test_only_a_piece_is_shortened():
    assert EN.say("piece", piece="x" * 61, after="y" * 61) == f"`{'x' * 59}…` {'y' * 61}"
    assert EN.say("piece", piece="x" * 60, after="") == f"`{'x' * 60}` "


def test_texts_faults_and_events():
    words = Localizer(HU, {0: "Anna"})
    assert words.say_text(Text("plain", {"x": 1.5})) == "<1,5>"
    fault = Fault(kind="illegal", code="too_many", rule="TT-1.2", piece="FF`FF", params={"most": 2})
    assert words.fault_text(fault) == "At most 2, not `FFˋFF`. (TT-1.2)"
    assert words.fault_text(Fault(kind="unreadable", code="too_many", params={"most": 2})) == "At most 2, not `–`."
    assert words.event_text(Happened(who=0)) == "Anna tested"
    assert words.event_text(Happened(who=0, times=2)) == "Anna tested 2 times"
    assert words.headline_text(Happened(who=0)) == "Anna tested"
    assert words.headline_text(Happened(who=0, times=2)) == "Twice!"
    with pytest.raises(MissingMessage, match=r"event\.Happened\.often"):
        words.event_text(Happened(who=0, times=3))
