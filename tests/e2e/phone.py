"""Measure how much of a message a phone shows at a glance, in a browser."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Locator

SCREEN = 600  # pixels between title and input of a phone that is 800 high: so much of a panel is seen at a glance


class Measured(NamedTuple):
    height: float  # pixels, all of it
    buttons_end: float  # pixels from its top to the end of its last button or list
    picture: float  # pixels of its picture's height
    lines: int  # of text, as they are written, not as they are broken


_LINES = """message => [...message.querySelectorAll(".markdown")].map(text => text.innerText).join("\\n")
  .split("\\n").filter(line => line.trim()).length"""

_MEASURE = """panel => {
  const top = panel.getBoundingClientRect().top;
  const rows = [...panel.querySelectorAll(".row")].map(row => row.getBoundingClientRect().bottom - top);
  const picture = panel.querySelector(".picture img");
  const said = [...panel.querySelectorAll(".markdown")].map(text => text.innerText).join("\\n");
  return [panel.getBoundingClientRect().height, Math.max(0, ...rows),
          picture ? picture.getBoundingClientRect().height : 0, said.split("\\n").filter(line => line.trim()).length];
}"""


def measured(message: Locator) -> Measured:
    """Measure a message, once its picture is there if it has one."""
    if message.locator(".picture img").count():
        message.locator(".picture img").first.evaluate("image => image.decode()")
    return Measured(*message.evaluate(_MEASURE))


def lines_of(message: Locator) -> int:
    """Return a message's lines as they are written, not as they are broken."""
    return int(message.evaluate(_LINES))
