"""What a person at the page can do; each is a small JSON object with its name as `do`."""

from __future__ import annotations

from typing import Literal

import msgspec


class PageAction(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower, forbid_unknown_fields=True):
    """Base of all acts."""


class PlayerAction(PageAction, frozen=True, kw_only=True, tag="playeract"):
    """An act of one of the players, in a channel."""

    player: int
    channel: int
    locale: str = "en-US"
    """The language of the player's Discord."""


class Send(PlayerAction, frozen=True, kw_only=True, tag="send"):
    """Write a message."""

    text: str


class Slash(PlayerAction, frozen=True, kw_only=True, tag="slash"):
    """Use a slash command."""

    command: str
    """Its whole name, such as `galley new`."""
    options: dict[str, str] = {}
    """Values by name, as text; ids for users and channels."""


class Complete(Slash, frozen=True, kw_only=True, tag="complete"):
    """Ask for an option's suggestions, while it is being typed."""

    option: str
    typed: str


class Click(PlayerAction, frozen=True, kw_only=True, tag="click"):
    """Press a button."""

    message: int
    control: str
    """Its custom id."""


class Select(Click, frozen=True, kw_only=True, tag="select"):
    """Choose in a menu."""

    values: list[str]


class Upload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that is chosen in a form."""

    name: str
    data: bytes


class Submit(PlayerAction, frozen=True, kw_only=True, tag="submit"):
    """Submit a form that a click or a command opened."""

    form: str
    values: dict[str, str | list[str] | bool | Upload]
    """Values by the field's custom id."""

    def as_sent(self) -> dict[str, str | list[str] | bool | list[tuple[str, bytes]]]:
        """The same as they are sent to Discord: of a file its name and content."""
        return {
            key: [(value.name, value.data)] if isinstance(value, Upload) else value
            for key, value in self.values.items()
        }


class Dismiss(PlayerAction, frozen=True, kw_only=True, tag="dismiss"):
    """Dismiss a message that only this player sees."""

    message: int


class Advance(PageAction, frozen=True, kw_only=True):
    """Let time pass."""

    hours: int


class Speak(PageAction, frozen=True, kw_only=True):
    """Let the bot greet in this language, and the server speak it, if nobody has done anything there yet."""

    locale: Literal["en-US", "hu"]
    """A locale of Discord's."""


class Restart(PageAction, frozen=True, kw_only=True):
    """Stop the bot and start it again on the same data."""


AnyAction = Send | Slash | Complete | Click | Select | Submit | Dismiss | Advance | Speak | Restart


class ActionReply(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an act, apart from what the channels show."""

    form: dict[str, object] | None = None
    """A form to be shown, as Discord's API writes modals, and `id` to submit it with."""
    choices: list[dict[str, object]] | None = None
    """The option's suggestions: `name` and `value`."""
    trouble: list[str] = []
    """Errors that the bot didn't catch, and answers that it owes."""
