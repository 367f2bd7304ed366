"""Three styles of marking up sentences: Discord's markdown, plain text and HTML. Each escapes players' own text.

Catalogues are written with a few marks of Discord: `**bold**`, backticks, `[label](link)`, and `-# ` before a line of
small print. A style converts the whole sentence first, with a `slot` for each value, and inserts the values afterwards,
because then no value can be mistaken for markup.
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

_EMPTY_CODE: Final = "–"
_HARMLESS_AT: Final = f"@{ZERO_WIDTH_SPACE}"
"""An at sign that mentions nobody. Typed input may contain it, because people copy examples."""
# By form, the letter in <t:0:R>.
_DISCORD_TIME_STYLES: Final = {"relative": "R", "time": "f", "date": "D", "clock": "t"}
_MARK_PATTERN: Final = re.compile(r"\*\*|`|<t:\d+:.>|<(/[^:>]+):\d+>|\\(.)")
"""Discord's marks in our sentences; groups 1 and 2 hold what stays visible (a command's name, an escaped character)."""
_TIME_PATTERN: Final = re.compile(r"<t:\d+:.>")
TIME_CHARS: Final = 12  # about what Discord shows for a time
_ADDRESS_MARK: Final = r":(?=//)|\.(?=\w+/)"
"""The sign without which Discord takes no text for a link, in `https://x.y` and in an invitation such as `x.y/z`."""
_ADDRESS_PATTERN: Final = re.compile(_ADDRESS_MARK)
_MARKUP_PATTERN: Final = re.compile(rf"[\\*_~|`<>\[\]#]|^[-+]|{_ADDRESS_MARK}")
_NUMBERED_PATTERN: Final = re.compile(r"^(\d+)\.(?=\s)")
"""The start of a line that Discord takes for a numbered list; Hungarian sentences may begin with an ordinal number."""
_CONTROL_PATTERN: Final = re.compile(r"[\x00-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]")
_LINK_PATTERN: Final = re.compile(r"\[([^\]\n]+)\]\(([^)\s]*)\)")  # [label](address)
_TAG_PATTERN: Final = re.compile(r"<[^>]*>")
_ITALIC_PATTERN: Final = re.compile(r"\*(\S(?:[^*\n]*\S)?)\*")
_SMALL_PATTERN: Final = re.compile(r"^-# (.*)$", re.MULTILINE)
_BOLD_OR_CODE_PATTERN: Final = re.compile(r"\*\*(.+?)\*\*|`([^`]+)`", re.DOTALL)


class Markup(str):
    """Text that is already escaped and marked up, such as the result of `say`; other sentences include it unchanged.

    Text of exactly this class suits Discord, or has no marks at all.
    """

    __slots__ = ()


class HtmlMarkup(Markup):
    __slots__ = ()


class MarkupStyle(Protocol):
    @property
    def markup_type(self) -> type[Markup]:
        """The class of text that is inserted unescaped; all other text is escaped."""

    def escape_text(self, text: str, *, code: bool = False) -> str:
        """Return a player's own text in one line, without effect as markup; `code` if it stands within backticks."""

    def fill_sentence(self, template: str, values: Sequence[str]) -> Markup:
        """Return a sentence of a catalogue with the values in its slots."""

    def format_time(self, unix_s: float, form: str, locale: Locale) -> str:
        """Return a moment; `form` is `relative`, `time`, `date` or `clock`."""

    def mention(self, user_id: int, name: str) -> Markup: ...

    def channel_link(self, channel_id: int, guild_id: int) -> Markup: ...

    def command_text(self, name: str) -> Markup:
        """Return a slash command by its full English name, such as `galley-host undo`."""

    def heading(self, text: str, level: int = 3) -> Markup: ...

    def bold(self, text: str) -> Markup: ...

    def small(self, text: str) -> Markup: ...

    def quote(self, text: str) -> Markup: ...

    def list_item(self, text: str) -> Markup: ...

    def cut_text(self, text: str, max_chars: int) -> str:
        """Return the text, cut to `max_chars` characters where the medium has a limit."""

    def cut_visible(self, text: str, max_chars: int) -> str:
        """Return a line cut to `max_chars` visible characters; a line that is cut loses its marks."""

    def counted_length(self, text: str) -> int:
        """Return how many characters of a text count against the medium's limit."""


class DiscordStyle:
    markup_type: type[Markup] = Markup

    def __init__(self) -> None:
        self._commands: Mapping[str, int] = {}  # ids by root name

    def set_commands(self, commands: Mapping[str, int]) -> None:
        """Set the commands that can be mentioned: ids by root name, such as `galley-host`."""
        self._commands = dict(commands)

    def escape_text(self, text: str, *, code: bool = False) -> str:
        if not code:
            return escape(text)
        # Two backticks in a row would mark up what follows.
        return to_one_line(text).replace("`", "ˋ").replace("@", _HARMLESS_AT) or _EMPTY_CODE

    def fill_sentence(self, template: str, values: Sequence[str]) -> Markup:
        return Markup(_NUMBERED_PATTERN.sub(r"\1\.", _fill_slots(template, values)))

    def format_time(self, unix_s: float, form: str, locale: Locale) -> str:  # noqa: ARG002 - each reader's Discord has one
        return f"<t:{int(unix_s)}:{_DISCORD_TIME_STYLES[form]}>"

    def mention(self, user_id: int, name: str) -> Markup:  # noqa: ARG002 - Discord knows it
        return Markup(f"<@{user_id}>")

    def channel_link(self, channel_id: int, guild_id: int) -> Markup:  # noqa: ARG002 - Discord knows it
        return Markup(f"<#{channel_id}>")

    def command_text(self, name: str) -> Markup:
        """Return a mention that opens the command in the reader's language, or its English name if its id is unknown.

        A mention opens nothing unless it contains the English name.
        """
        root = name.split(maxsplit=1)[0]
        return Markup(f"</{name}:{self._commands[root]}>" if root in self._commands else f"`/{name}`")

    def heading(self, text: str, level: int = 3) -> Markup:
        return Markup(f"{'#' * level} {text}")

    def bold(self, text: str) -> Markup:
        # Marks inside would end the bold text.
        return Markup(f"**{text.replace('**', '')}**")

    def small(self, text: str) -> Markup:
        return Markup(f"-# {text}")

    def quote(self, text: str) -> Markup:
        return Markup(f"> {text}")

    def list_item(self, text: str) -> Markup:
        return Markup(f"- {text}")

    def cut_text(self, text: str, max_chars: int) -> str:
        return shorten(text, max_chars)

    def cut_visible(self, text: str, max_chars: int) -> str:
        visible = _MARK_PATTERN.sub(r"\1\2", text)
        time_count = len(_TIME_PATTERN.findall(text))
        if len(visible) + time_count * TIME_CHARS <= max_chars:
            return text
        return escape(shorten(visible, max_chars, words=True))

    def counted_length(self, text: str) -> int:
        return len(text)


class PlainStyle:
    markup_type: type[Markup] = Markup

    def escape_text(self, text: str, *, code: bool = False) -> str:  # noqa: ARG002 - all text is alike here
        return to_one_line(text)

    def fill_sentence(self, template: str, values: Sequence[str]) -> Markup:
        bare = _SMALL_PATTERN.sub(r"\1", _LINK_PATTERN.sub(r"\1", template)).replace("`", "")
        bare = _ITALIC_PATTERN.sub(r"\1", bare.replace("**", ""))
        return Markup(_fill_slots(bare, values))

    def format_time(self, unix_s: float, form: str, locale: Locale) -> str:  # noqa: ARG002 - said in one way
        return _format_utc(unix_s, locale)

    def mention(self, user_id: int, name: str) -> Markup:  # noqa: ARG002 - nobody can be mentioned
        return Markup(to_one_line(name))

    def channel_link(self, channel_id: int, guild_id: int) -> Markup:
        return Markup(_channel_url(channel_id, guild_id))

    def command_text(self, name: str) -> Markup:
        return Markup(f"/{name}")

    def heading(self, text: str, level: int = 3) -> Markup:  # noqa: ARG002 - all are alike
        return Markup(text)

    bold = small = quote = heading

    def list_item(self, text: str) -> Markup:
        return Markup(f"- {text}")

    def cut_text(self, text: str, max_chars: int) -> str:
        return shorten(text, max_chars)

    cut_visible = cut_text

    def counted_length(self, text: str) -> int:
        return len(text)


class HtmlStyle:
    """HTML. Everything except `HtmlMarkup` is escaped, because players' text must not become markup."""

    markup_type: type[Markup] = HtmlMarkup

    def escape_text(self, text: str, *, code: bool = False) -> str:  # noqa: ARG002 - escaped alike
        return html.escape(to_one_line(text))

    def fill_sentence(self, template: str, values: Sequence[str]) -> HtmlMarkup:
        """Return the sentence with elements for its marks. A link to anything but an `https` address leads nowhere."""
        marked = html.escape(template)
        marked = _SMALL_PATTERN.sub(r"<small>\1</small>", marked)
        marked = _BOLD_OR_CODE_PATTERN.sub(
            lambda match: f"<b>{match[1]}</b>" if match[1] else f"<code>{match[2]}</code>", marked
        )
        marked = _LINK_PATTERN.sub(lambda link: _link_html(link[1], _fill_slots(link[2], values)), marked)
        return HtmlMarkup(_fill_slots(marked.replace("\n", "<br>"), values))

    def format_time(self, unix_s: float, form: str, locale: Locale) -> str:
        moment = datetime.fromtimestamp(int(unix_s), UTC)
        text = format_date(moment, "long", locale=locale) if form == "date" else _format_utc(unix_s, locale)
        return f'<time datetime="{moment.isoformat()}">{html.escape(text)}</time>'

    def mention(self, user_id: int, name: str) -> HtmlMarkup:  # noqa: ARG002 - nobody can be mentioned
        return HtmlMarkup(f'<span class="person">{self.escape_text(name)}</span>')

    def channel_link(self, channel_id: int, guild_id: int) -> HtmlMarkup:
        address = _channel_url(channel_id, guild_id)
        return HtmlMarkup(f'<a href="{address}">{address}</a>')

    def command_text(self, name: str) -> HtmlMarkup:
        return HtmlMarkup(f"<code>/{html.escape(name)}</code>")

    def heading(self, text: str, level: int = 3) -> HtmlMarkup:
        return self._element(f"h{level}", text)

    def bold(self, text: str) -> HtmlMarkup:
        return self._element("b", text)

    def small(self, text: str) -> HtmlMarkup:
        return self._element("small", text)

    def quote(self, text: str) -> HtmlMarkup:
        return self._element("blockquote", text)

    def list_item(self, text: str) -> HtmlMarkup:
        return self._element("li", text)

    def cut_text(self, text: str, max_chars: int) -> str:  # noqa: ARG002 - a page has room, and an element must not be cut
        return text

    cut_visible = cut_text

    def counted_length(self, text: str) -> int:
        return len(html.unescape(_TAG_PATTERN.sub("", text)))

    def _element(self, name: str, text: str) -> HtmlMarkup:
        inner = text if isinstance(text, HtmlMarkup) else html.escape(text)
        return HtmlMarkup(f"<{name}>{inner}</{name}>")


_TRAILING_CHARS: Final = " ,;:·–("

DISCORD_STYLE: Final = DiscordStyle()
PLAIN_STYLE: Final[MarkupStyle] = PlainStyle()
HTML_STYLE: Final[MarkupStyle] = HtmlStyle()


def shorten(text: str, max_chars: int, *, words: bool = False) -> str:
    """Return a text of at most `max_chars` characters; one that is cut ends with an ellipsis.

    With `words`, cut between words, unless the first word alone is too long.
    """
    if len(text) <= max_chars:
        return text
    beginning = text[: max(max_chars - 1, 0)]
    if words and not text[len(beginning)].isspace():  # the limit cuts a word
        whole_words = beginning.rpartition(" ")[0].rstrip(_TRAILING_CHARS)
        beginning = whole_words or beginning
    return beginning.rstrip(_TRAILING_CHARS) + "…"[:max_chars]  # no ellipsis if no character is allowed


def escape(text: str) -> str:
    """Return text in one line that Discord shows literally, without markup, links or mentions.

    `escape_markdown` of discord.py is not enough: it misses markup inside URLs, and all but the first of several links.
    """
    return _MARKUP_PATTERN.sub(r"\\\g<0>", to_one_line(text)).replace("@", _HARMLESS_AT)


def without_links(text: str) -> str:
    """Return a text for a place without markup, such as a thread's title, in which nothing is a link."""
    return _ADDRESS_PATTERN.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", text)


def to_one_line(text: str) -> str:
    return _CONTROL_PATTERN.sub("", " ".join(text.split()))


def slot(number: int) -> str:
    return f"{_SLOT_CHAR}{number}{_SLOT_CHAR}"


def _fill_slots(template: str, values: Sequence[str]) -> str:
    return _SLOT_PATTERN.sub(lambda match: values[int(match[1])], template)


def _link_html(label: str, address: str) -> str:
    safe = address.startswith("https://") and _SLOT_CHAR not in address
    return f'<a href="{address if safe else "#"}">{label}</a>'


def _format_utc(unix_s: float, locale: Locale) -> str:
    return f"{format_datetime(datetime.fromtimestamp(int(unix_s), UTC), 'short', locale=locale)} UTC"


def _channel_url(channel_id: int, guild_id: int) -> str:
    return f"https://discord.com/channels/{guild_id or '@me'}/{channel_id}"
