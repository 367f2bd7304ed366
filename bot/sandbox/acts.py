"""Actions of a person at the page: small JSON objects with the action's name as `do`."""

from __future__ import annotations

import msgspec


class PageAction(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower, forbid_unknown_fields=True
): ...


class PlayerAction(PageAction, frozen=True, kw_only=True, tag="playeract"):
    player: int  # user id
    channel: int  # id of the channel in which they act
    locale: str = "en-US"  # of the player's Discord client


class Send(PlayerAction, frozen=True, kw_only=True, tag="send"):
    text: str


class Slash(PlayerAction, frozen=True, kw_only=True, tag="slash"):
    command: str  # full name, with its groups
    options: dict[str, str] = {}  # values as typed, by option


class Complete(Slash, frozen=True, kw_only=True, tag="complete"):
    """Ask for suggestions while an option is being typed."""

    option: str  # for which suggestions are wanted
    typed: str  # the beginning of the option's value


class Click(PlayerAction, frozen=True, kw_only=True, tag="click"):
    message: int  # id of the message with the button
    control: str  # custom id of the button or list


class Select(Click, frozen=True, kw_only=True, tag="select"):
    values: list[str]  # of the picked options


class Upload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    data: bytes


class Submit(PlayerAction, frozen=True, kw_only=True, tag="submit"):
    form: str  # id that an `ActionReply` gave to the form
    values: dict[str, str | list[str] | bool | Upload]  # values by the field's custom id

    def as_sent(self) -> dict[str, str | list[str] | bool | list[tuple[str, bytes]]]:
        return {
            key: [(value.name, value.data)] if isinstance(value, Upload) else value
            for key, value in self.values.items()
        }


class Dismiss(PlayerAction, frozen=True, kw_only=True, tag="dismiss"):
    message: int  # id of the private message


class Advance(PageAction, frozen=True, kw_only=True):
    hours: int  # of virtual time


class Speak(PageAction, frozen=True, kw_only=True):
    """Let the bot greet in a language that becomes the server's, if nobody has done anything yet."""

    locale: str  # one of `world.PAGE_LOCALES`


class Restart(PageAction, frozen=True, kw_only=True): ...


AnyAction = Send | Slash | Complete | Click | Select | Submit | Dismiss | Advance | Speak | Restart


class ActionReply(msgspec.Struct, frozen=True, kw_only=True):
    form: dict[str, object] | None = None
    """A form to be shown, as Discord's API describes modals, with the `id` to submit it."""
    choices: list[dict[str, object]] | None = None  # suggestions for the option, with `name` and `value`
    trouble: list[str] = []  # errors that the bot did not catch, and missing responses
