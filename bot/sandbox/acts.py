"""Actions of a person at the page: small JSON objects with the action's name as `do`."""

from __future__ import annotations

from typing import Literal

import msgspec


class PageAction(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower, forbid_unknown_fields=True
): ...


class PlayerAction(PageAction, frozen=True, kw_only=True, tag="playeract"):
    player: int
    channel: int
    locale: str = "en-US"


class Send(PlayerAction, frozen=True, kw_only=True, tag="send"):
    text: str


class Slash(PlayerAction, frozen=True, kw_only=True, tag="slash"):
    command: str
    options: dict[str, str] = {}


class Complete(Slash, frozen=True, kw_only=True, tag="complete"):
    """Ask for suggestions while an option is being typed."""

    option: str
    typed: str


class Click(PlayerAction, frozen=True, kw_only=True, tag="click"):
    message: int
    control: str


class Select(Click, frozen=True, kw_only=True, tag="select"):
    values: list[str]


class Upload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    data: bytes


class Submit(PlayerAction, frozen=True, kw_only=True, tag="submit"):
    form: str
    values: dict[str, str | list[str] | bool | Upload]
    """Values by the field's custom id."""

    def as_sent(self) -> dict[str, str | list[str] | bool | list[tuple[str, bytes]]]:
        return {
            key: [(value.name, value.data)] if isinstance(value, Upload) else value
            for key, value in self.values.items()
        }


class Dismiss(PlayerAction, frozen=True, kw_only=True, tag="dismiss"):
    message: int


class Advance(PageAction, frozen=True, kw_only=True):
    hours: int


class Speak(PageAction, frozen=True, kw_only=True):
    """Let the bot greet in a language that becomes the server's, if nobody has done anything yet."""

    locale: Literal["en-US", "hu"]


class Restart(PageAction, frozen=True, kw_only=True): ...


AnyAction = Send | Slash | Complete | Click | Select | Submit | Dismiss | Advance | Speak | Restart


class ActionReply(msgspec.Struct, frozen=True, kw_only=True):
    form: dict[str, object] | None = None
    """A form to be shown, as Discord's API describes modals, with the `id` to submit it."""
    choices: list[dict[str, object]] | None = None
    """Suggestions for the option, with `name` and `value`."""
    trouble: list[str] = []
    """Errors that the bot did not catch, and missing responses."""
