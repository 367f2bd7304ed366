"""A server's knowledge as plain values, for tests of single rules."""

from __future__ import annotations

from bot.sandbox.strict import ServerChannel, ServerInteraction, ServerMessage, ServerState

NOON = 1_790_000_000.0
GUILD, ROOM, THREAD, NEWS, FORUM, DIRECT = 800, 801, 802, 803, 804, 805
ANNA, BELA = 1, 2
MESSAGE, OLD, OTHER = 9_001, 9_002, 9_003
V2 = 1 << 15


class KnownState(ServerState):
    """One server with a room, a thread, a forum, news, and direct messages with Anna."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = NOON
        self.token = "token"
        self.channels = {
            ROOM: ServerChannel(kind=0, guild=GUILD, has_thread=frozenset({OLD})),
            THREAD: ServerChannel(kind=11, guild=GUILD),
            NEWS: ServerChannel(kind=5, guild=GUILD),
            FORUM: ServerChannel(kind=15, guild=GUILD),
            DIRECT: ServerChannel(kind=1, recipient=ANNA),
        }
        self.messages = {
            MESSAGE: ServerMessage(sent_at=NOON - 60, flags=V2, attachments={"70": "picture0.png"}),
            OLD: ServerMessage(sent_at=NOON - 7_200, flags=V2),
            OTHER: ServerMessage(sent_at=NOON - 60),
        }
        self.interactions = {
            "pressed": ServerInteraction(created_at=NOON - 1, channel=ROOM, source=MESSAGE),
            "deferred": ServerInteraction(created_at=NOON - 60, channel=ROOM, acknowledged=True, message=MESSAGE),
        }
        self.threads = 3
        self.announcement_threads = 1
        self.unarchivers: set[int] = {ANNA}
        self.commands: frozenset[tuple[str, int]] = frozenset()
        self.nonces: dict[tuple[int, str], int] = {}

    @property
    def now(self) -> float:
        return self.clock

    def message(self, place: int, number: int) -> ServerMessage | None:
        return self.messages.get(number) if place in self.channels else None

    def channel(self, number: int) -> ServerChannel | None:
        return self.channels.get(number)

    def interaction(self, token: str) -> ServerInteraction | None:
        return self.interactions.get(token)

    def active_threads(self, guild: int, kind: int | None = None) -> int:
        return self.announcement_threads if kind == 10 else self.threads

    def may_unarchive(self, place: int, user: int) -> bool:
        return user in self.unarchivers

    def manages_threads(self, place: int) -> bool:
        return False

    def has_dm_channel(self, user: int) -> bool:
        return user == ANNA

    def command_names(self, guild: int | None) -> frozenset[tuple[str, int]]:
        return self.commands

    def message_of_nonce(self, place: int, nonce: str) -> int | None:
        return self.nonces.get((place, nonce))
