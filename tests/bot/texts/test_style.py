"""Sentences in three styles: for chat, without marks, and as HTML."""

import re
from io import BytesIO

import pytest

from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.story import tell_story
from bot.texts.style import DISCORD_STYLE, HTML_STYLE, PLAIN_STYLE, DiscordStyle, HtmlMarkup, Markup, slot
from rules.core.errors import Fault
from tests.bot.markup import ATTACK, Elements
from tests.laws.play import SYSTEMS, tape

STYLES = (DISCORD_STYLE, PLAIN_STYLE, HTML_STYLE)
SENTENCES = {
    "bold": "**{x}** is <here>",
    "code": "type `{x}`",
    "link": "see [your {y}]({x})",
    "small": "first\\n-# then {x}",
    "who": "{x:name} won {y:time}",
    "command": "Use {/galley-host undo}.",
}


def catalogue(language: str) -> Catalogue:
    head = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
    entries = (f'msgid "{key}"\nmsgstr "{text}"\n' for key, text in SENTENCES.items())
    return Catalogue(language, BytesIO("\n".join([head, *entries]).encode()))


def words(style, language="en", names=None) -> Localizer:
    return Localizer(catalogue(language), names or {}, style=style)


@pytest.mark.parametrize(
    ("key", "chat", "plain", "page"),
    [
        ("bold", "**a\\_b** is <here>", "a_b is <here>", "<b>a_b</b> is &lt;here&gt;"),
        ("code", "type `a_b`", "type a_b", "type <code>a_b</code>"),
        ("small", "first\n-# then a\\_b", "first\nthen a_b", "first<br><small>then a_b</small>"),
    ],
)
def test_the_marks_of_a_sentence(key, chat, plain, page):
    said = [words(style).say(key, x="a_b", y="") for style in STYLES]
    assert said == [chat, plain, page]
    assert [type(block) for block in said] == [Markup, Markup, HtmlMarkup]


def test_a_command_is_mentioned_by_its_groups_id_as_soon_as_that_is_known():
    assert [words(style, "hu").say("command") for style in STYLES] == [
        "Use `/galley-host undo`.", "Use /galley-host undo.", "Use <code>/galley-host undo</code>.",
    ]  # fmt: skip
    chat = DiscordStyle()
    chat.set_commands({"galley-host": 123})
    said = words(chat, "hu").say("command")
    assert said == "Use </galley-host undo:123>."
    assert chat.cut_visible(said, len("Use /galley-host undo.")) == said
    assert chat.cut_visible(said, 19) == "Use /galley-host…", "no word or number is cut in two"
    assert chat.cut_visible("8° to port, then ahead", 12) == "8° to port…"


def test_a_link_leads_to_the_web_or_nowhere():
    there = "https://discord.com/channels/@me/1/2"
    said = [words(style).say("link", x=Markup(there), y="panel") for style in STYLES]
    assert said == [f"see [your panel]({there})", "see your panel", f'see <a href="{there}">your panel</a>']
    assert words(HTML_STYLE).say("link", x="javascript:alert(1)", y="panel") == 'see <a href="#">your panel</a>'


@pytest.mark.parametrize("language", languages())
def test_moments_in_each_style_and_language(language):
    said = {style: words(style, language, {0: "Anna"}).say("who", x=0, y=0) for style in STYLES}
    assert said[DISCORD_STYLE] == "Anna won <t:0:f>"
    written = {"en": "1/1/70, 12:00\u202fAM UTC", "hu": "1970. 01. 01. 0:00 UTC"}[language]
    assert said[PLAIN_STYLE] == f"Anna won {written}"
    assert said[HTML_STYLE] == f'Anna won <time datetime="1970-01-01T00:00:00+00:00">{written}</time>'


@pytest.mark.parametrize("key", ["bold", "code", "link", "small", "who"])
@pytest.mark.parametrize("language", languages())
def test_nobody_writes_markup_into_a_page(key, language):
    own_words = words(HTML_STYLE, language, {0: ATTACK})
    ours = Elements(own_words.say(key, x=0 if key == "who" else "a", y=0 if key == "who" else "a"))
    for x in (ATTACK, f"{slot(0)}{ATTACK}{slot(1)}", (ATTACK, ATTACK), Markup(ATTACK)):
        theirs = Elements(own_words.say(key, x=x, y=0 if key == "who" else ATTACK))
        assert theirs.found == ours.found
        assert all(link == "#" for link in theirs.links)
        if key != "link":
            assert "<script>" in theirs.text


def test_what_is_said_beside_sentences():
    about = [
        (
            style.heading("a"),
            style.small("b"),
            style.quote("c"),
            style.list_item("d"),
            style.bold("e"),
            style.mention(7, "Ö<n"),
        )
        for style in STYLES
    ]
    assert about == [
        ("### a", "-# b", "> c", "- d", "**e**", "<@7>"),
        ("a", "b", "c", "- d", "e", "Ö<n"),
        (
            "<h3>a</h3>",
            "<small>b</small>",
            "<blockquote>c</blockquote>",
            "<li>d</li>",
            "<b>e</b>",
            '<span class="person">Ö&lt;n</span>',
        ),
    ]
    assert HTML_STYLE.heading(ATTACK) == HTML_STYLE._element("h3", ATTACK) != f"<h3>{ATTACK}</h3>"
    assert [style.channel_link(2, 1) for style in STYLES][:2] == ["<#2>", "https://discord.com/channels/1/2"]


@pytest.mark.parametrize("language", languages())
def test_a_fault_in_each_style(language):
    def fault(piece):
        inner = Fault(kind="unreadable", code="no_such_option", piece=piece)
        return Fault(kind="unreadable", code="no_such_option", rule="MB-3.4", piece=piece, faults=(inner,))

    for style in STYLES:
        spoken = Localizer(Catalogue.load(language, "matchbox"), style=style)
        text = spoken.fault_text(fault(ATTACK))
        assert type(text) is style.markup_type
        if style is HTML_STYLE:
            assert Elements(text).found == Elements(spoken.fault_text(fault("x"))).found


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_story_is_told_in_each_style(system, language):
    names = dict.fromkeys(range(8), ATTACK)
    events = [event for turn in tape(system, 0).turns[:12] for event in turn.step.events]
    stories = {
        style: tell_story(Localizer(Catalogue.load(language, system), names, style=style), events, None, 10**6)
        for style in STYLES
    }
    lines = {style: [story.headline, *story.lines] for style, story in stories.items()}
    assert len({len(texts) for texts in lines.values()}) == 1
    page = Elements("\n".join(lines[HTML_STYLE]))
    assert set(page.found) <= {"b", "code", "br", "small", "time"}
    assert " ".join(page.text.split()) == " ".join(re.sub(r"\s+", " ", "\n".join(lines[PLAIN_STYLE])).split())


def test_a_single_asterisk_is_no_mark_and_stays() -> None:
    assert (
        PLAIN_STYLE.fill_sentence("**Type** > to sail, `BB*FR` or * to shoot", [])
        == "Type > to sail, BB*FR or * to shoot"
    )


def test_what_stands_out_as_a_whole_is_not_ended_by_what_stands_out_in_it() -> None:
    assert DISCORD_STYLE.bold("**B1** (Ben) · **3:** A1 takes B1") == "**B1 (Ben) · 3: A1 takes B1**"
    assert DISCORD_STYLE.bold(r"a\*\*b") == r"**a\*\*b**"
