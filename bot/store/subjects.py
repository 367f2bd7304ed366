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


class Lobby(_Subject, frozen=True, tag=str.lower):
    """Who sits where, and what may be chosen, before a game begins."""

    option: str = ""
    """The option that was changed last; empty: none was."""
    before: str = ""
    """Its value before that."""
    dropped: dict[str, str] = {}
    """Other options that went back to what is usual with it, and their values before that."""


class Begin(_Subject, frozen=True, tag=str.lower):
    """Who plays."""


class OnClock(_Subject, frozen=True, tag=str.lower, kw_only=True):
    """What may be told together, as it is asked by one clock of the game."""

    clock: str = ""
    """Empty: none."""


class Step(OnClock, frozen=True, tag=str.lower):
    """What happened in these steps: one, or all that is done on one clock."""

    first: int
    last: int

    @property
    def key(self) -> str:
        """One for each step, or for each clock."""
        return f"step:{self.clock or self.last}"


class Seals(OnClock, frozen=True, tag=str.lower):
    """Who has sealed what a step asked, or how far the captain is who acts on a clock."""

    step: int
    """The step that asked first."""

    @property
    def key(self) -> str:
        """One for each step, or for each clock."""
        return f"seals:{self.clock or self.step}"


class AboutRequest(_Subject, frozen=True, tag=str.lower):
    """A direct message about what its reader is asked."""

    request: str

    @property
    def key(self) -> str:
        """One for each request."""
        return f"{self.kind}:{self.request}"


class Panel(AboutRequest, frozen=True, tag=str.lower):
    """What a captain is asked, and the draft."""

    place: str = ""
    """What it shares a panel with; empty: nothing."""

    @property
    def key(self) -> str:
        """One for each request, or for all that share a panel."""
        return f"panel:{self.place or self.request}"


class Remind(AboutRequest, frozen=True, tag=str.lower):
    """What is still missing."""

    which: str = "last"
    """`half`: half the time has passed; `last`: little of it is left."""

    @property
    def key(self) -> str:
        """Two for each request."""
        return f"remind:{self.which}:{self.request}"


class Counted(AboutRequest, frozen=True, tag=str.lower):
    """A draft counted though it was not sealed."""


class Void(AboutRequest, frozen=True, tag=str.lower):
    """What was answered ahead cannot be carried out."""


class Standing(AboutRequest, frozen=True, tag=str.lower):
    """Why default standing orders are of no use for this."""


class Draw(_Subject, frozen=True, tag=str.lower):
    """Who offers a draw, after a step."""

    step: int

    @property
    def key(self) -> str:
        """One for each step."""
        return f"draw:{self.step}"


class Act(_Subject, frozen=True, tag=str.lower):
    """What was done beside the rules: an entry of the audit log."""

    id: int

    @property
    def key(self) -> str:
        """One for each entry."""
        return f"{self.kind}:{self.id}"


class Proposal(Act, frozen=True, tag=str.lower):
    """What somebody asks the other side for: an entry of the audit log."""


class Invite(_Subject, frozen=True, tag=str.lower, kw_only=True):
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


class Dms(_Subject, frozen=True, tag=str.lower):
    """How somebody whose direct messages are closed gets at their orders."""

    user: int

    @property
    def key(self) -> str:
        """One for each person."""
        return f"dms:{self.user}"


class Lacking(_Subject, frozen=True, tag=str.lower):
    """Discord's name of a permission that is missing in a game's channel, or what else is wrong there."""

    permission: str

    @property
    def key(self) -> str:
        """One for each permission."""
        return f"lacking:{self.permission}"


class Homeless(_Subject, frozen=True, tag=str.lower):
    """A game's channel was deleted."""

    channel: int
    user: int

    @property
    def key(self) -> str:
        """One for each channel and person."""
        return f"homeless:{self.channel}:{self.user}"


class Exiled(_Subject, frozen=True, tag=str.lower):
    """The bot was removed from a game's server."""

    user: int
    at: int

    @property
    def key(self) -> str:
        """One for each person and time."""
        return f"exiled:{self.user}:{self.at}"


class Deleted(_Subject, frozen=True, tag=str.lower):
    """The person who runs the bot has deleted the game."""


class Announcement(_Subject, frozen=True, tag=str.lower):
    """An announcement of the person who runs the bot to all running games."""

    id: int
    """The host's request."""
    text: str

    @property
    def key(self) -> str:
        """One for each announcement."""
        return f"announcement:{self.id}"


class Muted(_Subject, frozen=True, tag=str.lower):
    """The game's thread takes no messages; its channel says so."""

    act: int
    """The act with which its clock was stopped."""

    @property
    def key(self) -> str:
        """One for each act."""
        return f"muted:{self.act}"


IN_CHANNEL: Final = ("muted",)
"""Kinds of messages to all that stand in the channel, and wait for nothing in the thread."""

Subject = (
    Lobby
    | Begin
    | Step
    | Seals
    | Panel
    | Remind
    | Counted
    | Void
    | Standing
    | Draw
    | Act
    | Proposal
    | Invite
    | Dms
    | Lacking
    | Homeless
    | Exiled
    | Muted
    | Deleted
    | Announcement
)

ASKED: Final = ("panel", "remind", "counted", "void", "standing")
"""Kinds of messages about what their reader is asked."""

_DECODER: Final = msgspec.json.Decoder(Subject)


def read(text: str) -> Subject:
    """Read a subject as `outbox.ref` holds it. Raises `msgspec.ValidationError`."""
    found: Subject = _DECODER.decode(text)
    return found
