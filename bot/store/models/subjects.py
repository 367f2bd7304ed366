"""What a message of the outbox is about, as a value. `outbox.ref` holds it as tagged JSON; its key names the row."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct


class _Subject(Struct, frozen=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    """What a message is about. Its `kind` is the name of its class in lower case."""

    @property
    def kind(self) -> str:
        """The kind of message."""
        return str(self.__struct_config__.tag)

    @property
    def key(self) -> str:
        """The name of the message within its game: what is wanted under one key is one message."""
        return self.kind


class LobbySubject(_Subject, frozen=True, tag="lobby"):
    """Who sits where, and what may be chosen, before a game begins."""

    option: str = ""
    """The option that was changed last; empty: none was."""
    before: str = ""
    """Its value before that."""
    dropped: dict[str, str] = {}
    """Other options that went back to what is usual with it, and their values before that."""


class StartSubject(_Subject, frozen=True, tag="begin"):
    """Who plays."""


class ClockSubject(_Subject, frozen=True, tag=str.lower, kw_only=True):
    """What may be told together, as it is asked by one clock of the game."""

    clock: str = ""
    """Empty: none."""


class StepSubject(ClockSubject, frozen=True, tag="step"):
    """What happened in these steps: one, or all that is done on one clock."""

    first: int
    last: int

    @property
    def key(self) -> str:
        """One for each step, or for each clock."""
        return f"step:{self.clock or self.last}"


class SealsSubject(ClockSubject, frozen=True, tag="seals"):
    """Who has sealed what a step asked, or how far the captain is who acts on a clock."""

    step: int
    """The step that asked first."""

    @property
    def key(self) -> str:
        """One for each step, or for each clock."""
        return f"seals:{self.clock or self.step}"


class RequestSubject(_Subject, frozen=True, tag=str.lower):
    """A direct message about what its reader is asked."""

    request: str

    @property
    def key(self) -> str:
        """One for each request."""
        return f"{self.kind}:{self.request}"


class PanelSubject(RequestSubject, frozen=True, tag="panel"):
    """What a captain is asked, and the draft."""

    place: str = ""
    """What it shares a panel with; empty: nothing."""

    @property
    def key(self) -> str:
        """One for each request, or for all that share a panel."""
        return f"panel:{self.place or self.request}"


class ReminderSubject(RequestSubject, frozen=True, tag="remind"):
    """What is still missing."""

    which: str = "last"
    """`half`: half the time has passed; `last`: little of it is left."""

    @property
    def key(self) -> str:
        """Two for each request."""
        return f"remind:{self.which}:{self.request}"


class CountedDraftSubject(RequestSubject, frozen=True, tag="counted"):
    """A draft counted though it was not sealed."""


class VoidAnswerSubject(RequestSubject, frozen=True, tag="void"):
    """What was answered ahead cannot be carried out."""


class StandingOrdersSubject(RequestSubject, frozen=True, tag="standing"):
    """Why default standing orders are of no use for this."""


class DrawOfferSubject(_Subject, frozen=True, tag="draw"):
    """Who offers a draw, after a step."""

    step: int

    @property
    def key(self) -> str:
        """One for each step."""
        return f"draw:{self.step}"


class LogEntrySubject(_Subject, frozen=True, tag="act"):
    """What was done beside the rules: an entry of the audit log."""

    id: int

    @property
    def key(self) -> str:
        """One for each entry."""
        return f"{self.kind}:{self.id}"


class TimeRequestSubject(LogEntrySubject, frozen=True, tag="proposal"):
    """What somebody asks the other side for: an entry of the audit log."""


class InvitationSubject(_Subject, frozen=True, tag="invite", kw_only=True):
    """That somebody wants a rematch; to who has asked for it, that another captain wants none."""

    user: int
    """Who gets it."""
    of: int
    """The game that is over."""
    declined: int = 0
    """The user who wants none; 0: nobody has said so."""

    @property
    def key(self) -> str:
        """One for each person."""
        return f"invite:{self.user}"


class ClosedDmsSubject(_Subject, frozen=True, tag="dms"):
    """How somebody whose direct messages are closed gets at their orders."""

    user: int

    @property
    def key(self) -> str:
        """One for each person."""
        return f"dms:{self.user}"


class MissingPermissionSubject(_Subject, frozen=True, tag="lacking"):
    """Discord's name of a permission that is missing in a game's channel, or what else is wrong there."""

    permission: str

    @property
    def key(self) -> str:
        """One for each permission."""
        return f"lacking:{self.permission}"


class DeletedChannelSubject(_Subject, frozen=True, tag="homeless"):
    """A game's channel was deleted."""

    channel: int
    user: int

    @property
    def key(self) -> str:
        """One for each channel and person."""
        return f"homeless:{self.channel}:{self.user}"


class RemovalSubject(_Subject, frozen=True, tag="exiled"):
    """The bot was removed from a game's server."""

    user: int
    at: int

    @property
    def key(self) -> str:
        """One for each person and time."""
        return f"exiled:{self.user}:{self.at}"


class DeletionSubject(_Subject, frozen=True, tag="deleted"):
    """The person who runs the bot has deleted the game."""


class AnnouncementSubject(_Subject, frozen=True, tag="announcement"):
    """An announcement of the person who runs the bot to all running games."""

    id: int
    """The host's request."""
    text: str

    @property
    def key(self) -> str:
        """One for each announcement."""
        return f"announcement:{self.id}"


class MutedSubject(_Subject, frozen=True, tag="muted"):
    """The game's thread takes no messages; its channel says so."""

    act: int
    """The act with which its clock was stopped."""

    @property
    def key(self) -> str:
        """One for each act."""
        return f"muted:{self.act}"


CHANNEL_KINDS: Final = ("muted",)
"""Kinds of messages to all that stand in the channel, and wait for nothing in the thread."""

MessageSubject = (
    LobbySubject
    | StartSubject
    | StepSubject
    | SealsSubject
    | PanelSubject
    | ReminderSubject
    | CountedDraftSubject
    | VoidAnswerSubject
    | StandingOrdersSubject
    | DrawOfferSubject
    | LogEntrySubject
    | TimeRequestSubject
    | InvitationSubject
    | ClosedDmsSubject
    | MissingPermissionSubject
    | DeletedChannelSubject
    | RemovalSubject
    | MutedSubject
    | DeletionSubject
    | AnnouncementSubject
)

REQUEST_KINDS: Final = ("panel", "remind", "counted", "void", "standing")
"""Kinds of messages about what their reader is asked."""

_DECODER: Final = msgspec.json.Decoder(MessageSubject)


def parse_subject(text: str) -> MessageSubject:
    """Read a subject as `outbox.ref` holds it. Raises `msgspec.ValidationError`."""
    found: MessageSubject = _DECODER.decode(text)
    return found
