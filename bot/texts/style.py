"""How words are marked up: as Discord's chat reads it, not at all, or as HTML. A player's own text is safe in each.

Catalogues are written with a few of chat's marks: `**bold**`, backticks, `[label](link)`, and `-# ` before a line of
small print. A style reads a sentence of them whole, with a `slot` for each value, and puts the values in afterwards:
so no value is ever taken for markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Protocol

from babel import Locale
from babel.dates import format_date, format_datetime

_SLOT_CHAR: Final = "\ue000"
_SLOT_PATTERN: Final = re.compile(f"{_SLOT_CHAR}([0-9]+){_SLOT_CHAR}")
ZERO_WIDTH_SPACE: Final = "\u200b"
"""A character without any width."""

_HARMLESS_AT: Final = f"@{ZERO_WIDTH_SPACE}"
"""An at sign that mentions nobody; when people copy an example, we read it back."""
_DISCORD_TIME_STYLES: Final = {"relative": "R", "time": "f", "date": "D", "clock": "t"}
"""What chat calls the ways to show a moment."""
_MARK_PATTERN: Final = re.compile(r"\*\*|`|<t:\d+:.>|<(/[^:>]+):\d+>|\\(.)")
"""Discord's marks in our sentences, and what is seen of some: a command's name, and what an escape stands before."""
_TIME_PATTERN: Final = re.compile(r"<t:\d+:.>")
TIME_CHARS: Final = 12
"""Characters that are seen of a moment, about, such as "in 24 hours"."""
_MARKUP_PATTERN: Final = re.compile(r"[\\*_~|`<>\[\]#]|^[-+]")
_NUMBERED_PATTERN: Final = re.compile(r"^(\d+)\.(?=\s)")
"""What chat takes for an item of a list: a Hungarian sentence may well begin with an ordinal number."""
_CONTROL_PATTERN: Final = re.compile(r"[\x00-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of the text around."""
_LINK_PATTERN: Final = re.compile(r"\[([^\]\n]+)\]\(([^)\s]*)\)")
_TAG_PATTERN: Final = re.compile(r"<[^>]*>")
_ITALIC_PATTERN: Final = re.compile(r"\*(\S(?:[^*\n]*\S)?)\*")
"""Slanted words; an asterisk beside a space marks nothing."""
_SMALL_PATTERN: Final = re.compile(r"^-# (.*)$", re.MULTILINE)
_BOLD_OR_CODE_PATTERN: Final = re.compile(r"\*\*(.+?)\*\*|`([^`]+)`", re.DOTALL)


class Markup(str):
    """Words ready to be shown, such as those of `say` or a mention: they are put into other sentences as they are.

    Those of this class are ready for chat, or have no marks at all.
    """

    __slots__ = ()


class HtmlMarkup(Markup):
    """Words ready for a web page: markup of ours, and all else escaped."""

    __slots__ = ()


class MarkupStyle(Protocol):
    """How sentences, and what is said beside them, are marked."""

    @property
    def markup_type(self) -> type[Markup]:
        """What is put into a sentence as it is; all else is escaped."""

    def escape_text(self, text: str, *, code: bool = False) -> str:
        """Somebody's own text, letter by letter, in one line; in a sentence's `code` or outside."""

    def fill_sentence(self, template: str, values: Sequence[str]) -> Markup:
        """A sentence of the catalogues, with these values in its slots."""

    def format_time(self, second: float, form: str, locale: Locale) -> str:
        """A Unix second, to be shown as a `relative`, a `time`, a `date` or a `clock`."""

    def mention(self, user_id: int, name: str) -> Markup:
        """A user of Discord's, who may be called by this name where nobody can be mentioned."""

    def channel_link(self, channel_id: int, guild_id: int) -> Markup:
        """A channel or thread of a server."""

    def command_text(self, name: str) -> Markup:
        """A slash command by its full name in English, such as `galley-host undo`."""

    def heading(self, text: str, level: int = 3) -> Markup:
        """A heading of level 2 or 3."""

    def bold(self, text: str) -> Markup:
        """What stands out."""

    def small(self, text: str) -> Markup:
        """Small print, in a line of its own."""

    def quote(self, text: str) -> Markup:
        """A line of something quoted."""

    def list_item(self, text: str) -> Markup:
        """A line of a list."""

    def cut_text(self, text: str, most: int) -> str:
        """A text of at most so many characters, where there is a limit."""

    def cut_visible(self, text: str, most: int) -> str:
        """A line of at most so many characters that are seen; one that is cut loses its marks."""

    def counted_length(self, text: str) -> int:
        """Characters of a text, as far as they count against a limit."""


class DiscordStyle:
    """As chat reads it."""

    markup_type: type[Markup] = Markup

    def __init__(self) -> None:
        """As long as Discord has told of no commands."""
        self._commands: Mapping[str, int] = {}

    def set_commands(self, commands: Mapping[str, int]) -> None:
        """Mention these commands from now on: the id of each by its name, a group's by the group's."""
        self._commands = dict(commands)

    def escape_text(self, text: str, *, code: bool = False) -> str:
        """Without markup, links or mentions of its own; within backticks it keeps all but backticks."""
        return to_one_line(text).replace("`", "ˋ").replace("@", _HARMLESS_AT) if code else escape(text)

    def fill_sentence(self, template: str, values: Sequence[str]) -> Markup:
        """The sentence as it stands, which is written in these marks."""
        return Markup(_NUMBERED_PATTERN.sub(r"\1\.", _fill_slots(template, values)))

    def format_time(self, second: float, form: str, locale: Locale) -> str:  # noqa: ARG002 - each reader's Discord has one
        """A mark that everybody's Discord shows in their own zone and language."""
        return f"<t:{int(second)}:{_DISCORD_TIME_STYLES[form]}>"

    def mention(self, user_id: int, name: str) -> Markup:  # noqa: ARG002 - Discord knows it
        """A mention."""
        return Markup(f"<@{user_id}>")

    def channel_link(self, channel_id: int, guild_id: int) -> Markup:  # noqa: ARG002 - Discord knows it
        """A mention."""
        return Markup(f"<#{channel_id}>")

    def command_text(self, name: str) -> Markup:
        """A mention, which opens the command whatever it is called in the reader's language; else its English name.

        Discord shows a mention as it is written, and opens nothing if the name isn't the English one.
        """
        root = name.split(maxsplit=1)[0]
        return Markup(f"</{name}:{self._commands[root]}>" if root in self._commands else f"`/{name}`")

    def heading(self, text: str, level: int = 3) -> Markup:
        """Hashes before it."""
        return Markup(f"{'#' * level} {text}")

    def bold(self, text: str) -> Markup:
        """Between asterisks, whatever stands out in it already: those would end it."""
        return Markup(f"**{text.replace('**', '')}**")

    def small(self, text: str) -> Markup:
        """After Discord's mark for small print."""
        return Markup(f"-# {text}")

    def quote(self, text: str) -> Markup:
        """After an angle bracket."""
        return Markup(f"> {text}")

    def list_item(self, text: str) -> Markup:
        """After a dash."""
        return Markup(f"- {text}")

    def cut_text(self, text: str, most: int) -> str:
        """Cut, for a message holds no more."""
        return shorten(text, most)

    def cut_visible(self, text: str, most: int) -> str:
        """Cut where too many are seen."""
        seen = _MARK_PATTERN.sub(r"\1\2", text)
        moments = len(_TIME_PATTERN.findall(text))
        return text if len(seen) + moments * TIME_CHARS <= most else escape(shorten(seen, most, words=True))

    def counted_length(self, text: str) -> int:
        """All of them, marks included."""
        return len(text)


class PlainStyle:
    """Without marks, for captions, labels and screen readers."""

    markup_type: type[Markup] = Markup

    def escape_text(self, text: str, *, code: bool = False) -> str:  # noqa: ARG002 - all text is alike here
        """As it is, in one line."""
        return to_one_line(text)

    def fill_sentence(self, template: str, values: Sequence[str]) -> Markup:
        """The sentence without its marks; a link is its label."""
        bare = _SMALL_PATTERN.sub(r"\1", _LINK_PATTERN.sub(r"\1", template)).replace("`", "")
        bare = _ITALIC_PATTERN.sub(r"\1", bare.replace("**", ""))
        return Markup(_fill_slots(bare, values))

    def format_time(self, second: float, form: str, locale: Locale) -> str:  # noqa: ARG002 - said in one way
        """Date and time in UTC."""
        return _format_utc(second, locale)

    def mention(self, user_id: int, name: str) -> Markup:  # noqa: ARG002 - nobody can be mentioned
        """The name."""
        return Markup(to_one_line(name))

    def channel_link(self, channel_id: int, guild_id: int) -> Markup:
        """Where it is found."""
        return Markup(_channel_url(channel_id, guild_id))

    def command_text(self, name: str) -> Markup:
        """As it is typed."""
        return Markup(f"/{name}")

    def heading(self, text: str, level: int = 3) -> Markup:  # noqa: ARG002 - all are alike
        """The text."""
        return Markup(text)

    bold = small = quote = heading

    def list_item(self, text: str) -> Markup:
        """After a dash."""
        return Markup(f"- {text}")

    def cut_text(self, text: str, most: int) -> str:
        """Cut, as chat's is."""
        return shorten(text, most)

    cut_visible = cut_text

    def counted_length(self, text: str) -> int:
        """All of them."""
        return len(text)


class HtmlStyle:
    """As a web page has it. Everything except `HtmlMarkup` is escaped, so nobody's text becomes markup."""

    markup_type: type[Markup] = HtmlMarkup

    def escape_text(self, text: str, *, code: bool = False) -> str:  # noqa: ARG002 - escaped alike
        """Escaped."""
        return html.escape(to_one_line(text))

    def fill_sentence(self, template: str, values: Sequence[str]) -> HtmlMarkup:
        """The sentence with elements for its marks; a link leads to the web, or nowhere."""
        marked = html.escape(template)
        marked = _SMALL_PATTERN.sub(r"<small>\1</small>", marked)
        marked = _BOLD_OR_CODE_PATTERN.sub(lambda at: f"<b>{at[1]}</b>" if at[1] else f"<code>{at[2]}</code>", marked)
        marked = _LINK_PATTERN.sub(lambda link: _link_html(link[1], _fill_slots(link[2], values)), marked)
        return HtmlMarkup(_fill_slots(marked.replace("\n", "<br>"), values))

    def format_time(self, second: float, form: str, locale: Locale) -> str:
        """A `time` element that holds it exactly, and shows it in UTC, or as a date alone."""
        at = datetime.fromtimestamp(int(second), UTC)
        shown = format_date(at, "long", locale=locale) if form == "date" else _format_utc(second, locale)
        return f'<time datetime="{at.isoformat()}">{html.escape(shown)}</time>'

    def mention(self, user_id: int, name: str) -> HtmlMarkup:  # noqa: ARG002 - nobody can be mentioned
        """The name, escaped."""
        return HtmlMarkup(f'<span class="person">{self.escape_text(name)}</span>')

    def channel_link(self, channel_id: int, guild_id: int) -> HtmlMarkup:
        """A link to it."""
        address = _channel_url(channel_id, guild_id)
        return HtmlMarkup(f'<a href="{address}">{address}</a>')

    def command_text(self, name: str) -> HtmlMarkup:
        """A `code` element of what is typed."""
        return HtmlMarkup(f"<code>/{html.escape(name)}</code>")

    def heading(self, text: str, level: int = 3) -> HtmlMarkup:
        """An element of this level."""
        return self._element(f"h{level}", text)

    def bold(self, text: str) -> HtmlMarkup:
        """A `b` element."""
        return self._element("b", text)

    def small(self, text: str) -> HtmlMarkup:
        """A `small` element."""
        return self._element("small", text)

    def quote(self, text: str) -> HtmlMarkup:
        """A `blockquote` element."""
        return self._element("blockquote", text)

    def list_item(self, text: str) -> HtmlMarkup:
        """A `li` element."""
        return self._element("li", text)

    def cut_text(self, text: str, most: int) -> str:  # noqa: ARG002 - a page has room, and an element must not be cut
        """Whole."""
        return text

    cut_visible = cut_text

    def counted_length(self, text: str) -> int:
        """Those that are seen."""
        return len(html.unescape(_TAG_PATTERN.sub("", text)))

    def _element(self, name: str, text: str) -> HtmlMarkup:
        inner = text if isinstance(text, HtmlMarkup) else html.escape(text)
        return HtmlMarkup(f"<{name}>{inner}</{name}>")


_TRAILING_CHARS: Final = " ,;:·–("
"""What is not left hanging where a text is cut."""

DISCORD_STYLE: Final = DiscordStyle()
PLAIN_STYLE: Final[MarkupStyle] = PlainStyle()
HTML_STYLE: Final[MarkupStyle] = HtmlStyle()


def shorten(text: str, most: int, *, words: bool = False) -> str:
    """A text of at most so many characters; one that is cut ends in an ellipsis, with no comma or dot before it.

    It is cut between `words`, if the first has room.
    """
    if len(text) <= most:
        return text
    kept = text[: max(most - 1, 0)]
    if words and not text[len(kept)].isspace() and (whole := kept.rpartition(" ")[0].rstrip(_TRAILING_CHARS)):
        kept = whole
    return kept.rstrip(_TRAILING_CHARS) + "…"[:most]


def escape(text: str) -> str:
    """Text as chat shows it letter by letter: no markup, links or mentions, in one line.

    Discord.py's own `escape_markdown` lets through markup inside URLs, and all but the first of several links.
    """
    return _MARKUP_PATTERN.sub(r"\\\g<0>", to_one_line(text)).replace("@", _HARMLESS_AT)


def to_one_line(text: str) -> str:
    """Text without line breaks, control characters, and needless space."""
    return _CONTROL_PATTERN.sub("", " ".join(text.split()))


def slot(number: int) -> str:
    """What stands in a sentence where its value of this number, from 0, comes."""
    return f"{_SLOT_CHAR}{number}{_SLOT_CHAR}"


def _fill_slots(template: str, values: Sequence[str]) -> str:
    return _SLOT_PATTERN.sub(lambda at: values[int(at[1])], template)


def _link_html(label: str, address: str) -> str:
    safe = address.startswith("https://") and _SLOT_CHAR not in address
    return f'<a href="{address if safe else "#"}">{label}</a>'


def _format_utc(second: float, locale: Locale) -> str:
    return f"{format_datetime(datetime.fromtimestamp(int(second), UTC), 'short', locale=locale)} UTC"


def _channel_url(channel_id: int, guild_id: int) -> str:
    return f"https://discord.com/channels/{guild_id or '@me'}/{channel_id}"
