"""Parse a page of HTML: its elements, where its links lead, and its text."""

from __future__ import annotations

from html.parser import HTMLParser

ATTACK = '<script>alert("&")</script> **x** `y` [z](https://evil.example) @everyone'
"""The name of a player who tries to inject markup."""


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str | None] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.links += [value for key, value in attrs if key == "href"]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
