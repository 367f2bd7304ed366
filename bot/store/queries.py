"""What is asked of the database, within one transaction."""

from __future__ import annotations

from bot.store.acts import Acts
from bot.store.agenda import Agenda
from bot.store.answers import Answers
from bot.store.beats import Beats
from bot.store.captains import Captaincies
from bot.store.denials import Denials
from bot.store.error_counts import ErrorCounts
from bot.store.facts import Facts
from bot.store.games import Games
from bot.store.host_requests import HostRequests
from bot.store.keepsakes import Keepsakes
from bot.store.leases import Leases
from bot.store.messages import Messages
from bot.store.notes import PublishedHashes
from bot.store.personal import Personal
from bot.store.players import Players
from bot.store.ratings import Ratings
from bot.store.removals import Removals
from bot.store.requests import Requests
from bot.store.rows import Connected
from bot.store.seats import Seats
from bot.store.servers import Servers
from bot.store.share import Share
from bot.store.steps import Steps


class Transaction:
    """Queries and changes that hold together, grouped by what they are about."""

    def __init__(self, connection: Connected, share: Share | None = None) -> None:
        """`share`: the part of all games that is this bot's own, where several play."""
        self.agenda = Agenda(connection, share)
        self.games = Games(connection, share)
        self.seats = Seats(connection)
        self.captains = Captaincies(connection)
        self.requests = Requests(connection, share)
        self.answers = Answers(connection)
        self.published = PublishedHashes(connection)
        self.steps = Steps(connection)
        self.messages = Messages(connection, share)
        self.acts = Acts(connection)
        self.removals = Removals(connection, share)
        self.players = Players(connection)
        self.ratings = Ratings(connection)
        self.keepsakes = Keepsakes(connection)
        self.servers = Servers(connection)
        self.facts = Facts(connection)
        self.personal = Personal(connection)
        self.leases = Leases(connection)
        self.beats = Beats(connection, share)
        self.host_requests = HostRequests(connection, share)
        self.denials = Denials(connection)
        self.error_counts = ErrorCounts(connection)
