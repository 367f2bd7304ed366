"""Sentences of pages in the reader's language, and HTML that templates may include as it is."""

from __future__ import annotations

from typing import Final

from aiohttp import web
from babel import negotiate_locale
from markupsafe import Markup as SafeMarkup

from bot.texts.i18n import DEFAULT_LANGUAGE, Catalogue, Localizer, language_for_locale, languages
from bot.texts.style import HTML_STYLE


class PageTexts:
    """Gives templates the sentences `page.<key>` in the reader's language, perhaps in the words of a game."""

    def __init__(self, language: str, system: str = "") -> None:
        self.localizer: Final = Localizer(Catalogue.load(language, system), style=HTML_STYLE)

    def __call__(self, key: str, **params: object) -> SafeMarkup:
        return SafeMarkup(self.localizer.say(f"page.{key}", **params))  # noqa: S704 - the style escapes values


def language_of(request: web.Request, default: str = DEFAULT_LANGUAGE) -> str:
    """Return the language that the address names, or else the best that the reader's browser asks for."""
    wanted = request.query.get("lang", "")
    if wanted in languages():
        return wanted
    header = request.headers.get("Accept-Language", "")[:200]
    accepted = [part.partition(";")[0].strip() for part in header.split(",")]
    return negotiate_locale([tag for tag in accepted if tag], languages(), sep="-") or language_for_locale(default)


def safe_html(html: str) -> SafeMarkup:
    """Let templates include HTML as it is. Nothing is escaped here."""
    return SafeMarkup(html)  # noqa: S704 - made by our HTML style, which escapes all names


def lines_as_html(text: str) -> SafeMarkup:
    return SafeMarkup("<br>").join(safe_html(line) for line in text.split("\n"))
