"""Custom ids of components: verb, game, request, version and page of a panel, and option.

They hold all that a press means.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from bot.discord.limits import MAX_CUSTOM_ID_CHARS

CUSTOM_ID_PATTERN: Final = (
    r"wg/(?P<verb>[a-z_]+)/(?P<game>[0-9]{1,9})/(?P<version>[0-9]{1,9})(?:\.(?P<page>[0-9]{1,3}))?"
    r"(?:~(?P<reset>[0-9]{1,3}))?"
    r"/(?P<request>[A-Za-z0-9._-]*)/(?P<token>.*)"
)


class CustomId(Struct, frozen=True, kw_only=True):
    verb: str  # which handler handles it
    game: int  # id of the game; 0: none
    version: int = 0  # of the draft that the message shows; the handlers of other messages give it another meaning
    page: int = 0  # of the message, from 0
    request: str = ""  # id of the request in the game; empty if it concerns none
    token: str = ""  # what was chosen, such as an option, in a form that its handler reads
    reset: int = 0
    """A number without meaning in a list's id. Changing it makes Discord's client forget what was picked."""

    @property
    def token_as_number(self) -> int | None:
        """The token as a number, such as a seat; None if it is not a number of up to nine digits."""
        return int(self.token) if re.fullmatch(r"[0-9]{1,9}", self.token) else None

    def pack(self) -> str:
        """Return the custom id. Raises `ValueError` if it is malformed or longer than Discord allows."""
        version = f"{self.version}.{self.page}" if self.page else f"{self.version}"
        reset = f"~{self.reset}" if self.reset else ""
        text = f"wg/{self.verb}/{self.game}/{version}{reset}/{self.request}/{self.token}"
        if len(text) > MAX_CUSTOM_ID_CHARS or not re.fullmatch(CUSTOM_ID_PATTERN, text):
            raise ValueError(f"no custom id: {text}")
        return text


def parse_custom_id(custom_id: str) -> CustomId | None:
    match = re.fullmatch(CUSTOM_ID_PATTERN, custom_id)
    return custom_id_from_match(match) if match else None


def custom_id_from_match(match: re.Match[str]) -> CustomId:
    groups = match.groupdict()
    return CustomId(
        verb=groups["verb"],
        game=int(groups["game"]),
        version=int(groups["version"]),
        page=int(groups["page"] or 0),
        reset=int(groups["reset"] or 0),
        request=groups["request"],
        token=groups["token"],
    )
