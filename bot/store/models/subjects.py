"""Define the subjects of outbox messages.

`outbox.ref` stores a subject as tagged JSON, and `outbox.key` stores its key.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from bot.store.models.chain import ChainLine


class _Subject(Struct, frozen=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)

    @property
    def key(self) -> str:
        """Return the message's key, unique within its game. Requests with equal keys update the same message."""
        return self.kind


class LobbySubject(_Subject, frozen=True, tag="lobby"):
    option: str = ""  # the option that the host has just changed; "" if none
    before: str = ""  # the option's previous value
    dropped: dict[str, str] = {}  # previous values of other options that the change reset to their defaults


class StartSubject(_Subject, frozen=True, tag="begin"):
    """The message that names the captains when a game starts."""


class ClockSubject(_Subject, frozen=True, tag=str.lower, kw_only=True):
    """Base class of subjects that combine all requests on one clock of the game."""

    clock: str = ""  # name of a captain's clock that times several requests in a row; "" if each has its own time


class StepSubject(ClockSubject, frozen=True, tag="step"):
    first: int  # number of the first step that the message reports
    last: int  # number of the last step that it reports

    @property
    def key(self) -> str:
        return f"step:{self.clock or self.last}"


class SealsSubject(ClockSubject, frozen=True, tag="seals"):
    """The progress of the answers: for a step, the seats that have sealed; for a clock, how far its captain is."""

    step: int  # the step that asked the requests

    @property
    def key(self) -> str:
        return f"seals:{self.clock or self.step}"


class RequestSubject(_Subject, frozen=True, tag=str.lower):
    request: str  # id of the request within the game

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.request}"


class PanelSubject(RequestSubject, frozen=True, tag="panel"):
    place: str = ""  # panel that several requests share; empty if the request has its own

    @property
    def key(self) -> str:
        return f"panel:{self.place or self.request}"


class ReminderSubject(RequestSubject, frozen=True, tag="remind"):
    which: str = "last"  # `half`: half of the time has passed; `last`: little time is left

    @property
    def key(self) -> str:
        return f"remind:{self.which}:{self.request}"


class CountedDraftSubject(RequestSubject, frozen=True, tag="counted"):
    """A note that a draft counted although it was not sealed."""


class VoidAnswerSubject(RequestSubject, frozen=True, tag="void"):
    """A note that an early answer cannot be carried out."""


class StandingOrdersSubject(RequestSubject, frozen=True, tag="standing"):
    """The reason why default standing orders do not fit a request."""


class ChainSubject(_Subject, frozen=True, tag="chain"):
    """A line of the chain of digests (`bot.store.models.chain`). Its message is never edited."""

    step: int  # the step that carried out its last orders
    line: ChainLine
    digest: str  # of all lines up to this one, in hex

    @property
    def key(self) -> str:
        return f"chain:{self.step}"


class DrawOfferSubject(_Subject, frozen=True, tag="draw"):
    step: int  # the step at which the draw was offered

    @property
    def key(self) -> str:
        return f"draw:{self.step}"


class LogEntrySubject(_Subject, frozen=True, tag="act"):
    id: int  # id of the audit log entry

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"


class TimeRequestSubject(LogEntrySubject, frozen=True, tag="proposal"):
    """A captain's request to the other side, such as for more time, recorded as an audit log entry."""


class HostNoteSubject(LogEntrySubject, frozen=True, tag="note"):
    """A message to the host: what an audit log entry says, such as that the game ended by itself."""


class InvitationSubject(_Subject, frozen=True, tag="invite", kw_only=True):
    """An invitation to a rematch. If `declined` is set, a note to the inviting host that a captain declined."""

    user: int  # the user who is invited
    of: int  # id of the finished game
    declined: int = 0  # Discord id of the captain who declined; 0: nobody has

    @property
    def key(self) -> str:
        return f"invite:{self.user}"


class ClosedDmsSubject(_Subject, frozen=True, tag="dms"):
    """A public note on how a user with closed direct messages can reach their orders."""

    user: int  # the user who cannot be messaged

    @property
    def key(self) -> str:
        return f"dms:{self.user}"


class MissingPermissionSubject(_Subject, frozen=True, tag="lacking"):
    """A missing permission in the game's channel, by Discord's name, or another fault of the channel."""

    permission: str  # such as "send_messages"

    @property
    def key(self) -> str:
        return f"lacking:{self.permission}"


class DeletedChannelSubject(_Subject, frozen=True, tag="homeless"):
    """A message to a captain: the channel of their game was deleted."""

    channel: int  # the deleted Discord channel
    user: int  # the captain who gets the message

    @property
    def key(self) -> str:
        return f"homeless:{self.channel}:{self.user}"


class RemovalSubject(_Subject, frozen=True, tag="exiled"):
    """A message to a captain: the bot was removed from the server of their game."""

    user: int  # the captain who gets the message
    at: int  # when the bot was removed from the server (Unix seconds)

    @property
    def key(self) -> str:
        return f"exiled:{self.user}:{self.at}"


class DeletionSubject(_Subject, frozen=True, tag="deleted"):
    """A message that the bot's operator has deleted the game."""


class AnnouncementSubject(_Subject, frozen=True, tag="announcement"):
    id: int  # number of the operator's announcement
    text: str  # in the language of the game's thread

    @property
    def key(self) -> str:
        return f"announcement:{self.id}"


class MutedSubject(_Subject, frozen=True, tag="muted"):
    """A notice in the channel that the game's thread accepts no messages."""

    act: int  # id of the audit log entry that stopped the clock

    @property
    def key(self) -> str:
        return f"muted:{self.act}"


CHAIN_KIND: Final = "chain"
CHANNEL_KINDS: Final = ("muted",)
"""Kinds of public messages that go to the channel instead of the thread and do not wait for messages there."""

MessageSubject = (
    LobbySubject
    | StartSubject
    | StepSubject
    | SealsSubject
    | ChainSubject
    | PanelSubject
    | ReminderSubject
    | CountedDraftSubject
    | VoidAnswerSubject
    | StandingOrdersSubject
    | DrawOfferSubject
    | LogEntrySubject
    | TimeRequestSubject
    | HostNoteSubject
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

_DECODER: Final = msgspec.json.Decoder(MessageSubject)


def parse_subject(text: str) -> MessageSubject:
    subject: MessageSubject = _DECODER.decode(text)
    return subject
