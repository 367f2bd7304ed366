"""What a person at the page may do; each is a small JSON object with its name as `do`."""

from __future__ import annotations

from typing import Literal

import msgspec


class Act(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower, forbid_unknown_fields=True):
    """Base of all acts."""


class PlayerAct(Act, frozen=True, kw_only=True):
    """Done by one of the players, in a channel."""

    player: int
    channel: int
    locale: str = "en-US"
    """The language his Discord speaks."""


class Send(PlayerAct, frozen=True, kw_only=True):
    """Write a message."""

    text: str


class Slash(PlayerAct, frozen=True, kw_only=True):
    """Use a slash command."""

    command: str
    """Its whole name, such as `galley new`."""
    options: dict[str, str] = {}
    """What was filled in, as text; ids for users and channels."""


class Complete(Slash, frozen=True, kw_only=True):
    """Ask what an option offers, while it is being typed."""

    option: str
    typed: str


class Click(PlayerAct, frozen=True, kw_only=True):
    """Press a button."""

    message: int
    control: str
    """Its custom id."""


class Select(Click, frozen=True, kw_only=True):
    """Choose in a menu."""

    values: list[str]


class Submit(PlayerAct, frozen=True, kw_only=True):
    """Send off a form that a click or a command opened."""

    form: str
    values: dict[str, str | list[str] | bool]
    """By custom id of the field."""


class Dismiss(PlayerAct, frozen=True, kw_only=True):
    """Put away a message that only this player sees."""

    message: int


class Advance(Act, frozen=True, kw_only=True):
    """Let time pass."""

    hours: int


class Speak(Act, frozen=True, kw_only=True):
    """Let the server speak a language: what opens from now on is told in it."""

    locale: Literal["en-US", "hu"]
    """As Discord calls it."""


class Restart(Act, frozen=True, kw_only=True):
    """Stop the bot and start it again on the same data."""


Any = Send | Slash | Complete | Click | Select | Submit | Dismiss | Advance | Speak | Restart


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an act, apart from what can be seen in the channels."""

    form: dict[str, object] | None = None
    """A form to be shown, as Discord's API writes modals, and `id` to submit it with."""
    choices: list[dict[str, object]] | None = None
    """What the option offers: `name` and `value`."""
    trouble: list[str] = []
    """Errors that the bot did not catch, and silence where an answer was due."""
