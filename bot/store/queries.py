"""What is asked of the database, within one transaction."""

from __future__ import annotations

from bot.store.acts import AuditLogQueries
from bot.store.agenda import AgendaQueries
from bot.store.answers import AnswerQueries
from bot.store.beats import BeatQueries
from bot.store.captains import CaptaincyQueries
from bot.store.denials import DenialQueries
from bot.store.error_counts import ErrorCountQueries
from bot.store.facts import FactQueries
from bot.store.games import GameQueries
from bot.store.host_requests import HostRequestQueries
from bot.store.keepsakes import KeepsakeQueries
from bot.store.leases import LeaseQueries
from bot.store.messages import MessageQueries
from bot.store.notes import PublishedHashQueries
from bot.store.personal import PersonalDataQueries
from bot.store.players import PlayerQueries
from bot.store.ratings import RatingQueries
from bot.store.removals import RemovalQueries
from bot.store.requests import RequestQueries
from bot.store.rows import AnyConnection
from bot.store.seats import SeatQueries
from bot.store.servers import ServerQueries
from bot.store.share import HeldShards
from bot.store.steps import StepQueries


class Transaction:
    """Queries and changes that hold together, grouped by what they are about."""

    def __init__(self, connection: AnyConnection, share: HeldShards | None = None) -> None:
        """`share`: the part of all games that is this bot's own, where several play."""
        self.agenda = AgendaQueries(connection, share)
        self.games = GameQueries(connection, share)
        self.seats = SeatQueries(connection)
        self.captains = CaptaincyQueries(connection)
        self.requests = RequestQueries(connection, share)
        self.answers = AnswerQueries(connection)
        self.published = PublishedHashQueries(connection)
        self.steps = StepQueries(connection)
        self.messages = MessageQueries(connection, share)
        self.acts = AuditLogQueries(connection)
        self.removals = RemovalQueries(connection, share)
        self.players = PlayerQueries(connection)
        self.ratings = RatingQueries(connection)
        self.keepsakes = KeepsakeQueries(connection)
        self.servers = ServerQueries(connection)
        self.facts = FactQueries(connection)
        self.personal = PersonalDataQueries(connection)
        self.leases = LeaseQueries(connection)
        self.beats = BeatQueries(connection, share)
        self.host_requests = HostRequestQueries(connection, share)
        self.denials = DenialQueries(connection)
        self.error_counts = ErrorCountQueries(connection)
