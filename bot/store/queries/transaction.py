"""Group all queries of one transaction."""

from __future__ import annotations

from bot.store.engine.leases import LeaseQueries
from bot.store.engine.shard import HeldShards
from bot.store.models.personal import PersonalDataQueries
from bot.store.queries.acts import AuditLogQueries
from bot.store.queries.agenda import AgendaQueries
from bot.store.queries.answers import AnswerQueries
from bot.store.queries.base import AnyConnection
from bot.store.queries.beats import BeatQueries
from bot.store.queries.captains import CaptaincyQueries
from bot.store.queries.denials import DenialQueries
from bot.store.queries.error_counts import ErrorCountQueries
from bot.store.queries.facts import FactQueries
from bot.store.queries.games import GameQueries
from bot.store.queries.host_requests import HostRequestQueries
from bot.store.queries.keepsakes import KeepsakeQueries
from bot.store.queries.messages import MessageQueries
from bot.store.queries.notes import PublishedHashQueries
from bot.store.queries.players import PlayerQueries
from bot.store.queries.ratings import RatingQueries
from bot.store.queries.removals import RemovalQueries
from bot.store.queries.requests import RequestQueries
from bot.store.queries.seats import SeatQueries
from bot.store.queries.servers import ServerQueries
from bot.store.queries.steps import StepQueries
from bot.store.queries.tallies import TallyQueries


class Transaction:
    def __init__(self, connection: AnyConnection, share: HeldShards | None = None) -> None:
        self.agenda = AgendaQueries(connection, share)
        self.games = GameQueries(connection, share)
        self.seats = SeatQueries(connection)
        self.captaincies = CaptaincyQueries(connection)
        self.requests = RequestQueries(connection, share)
        self.answers = AnswerQueries(connection)
        self.published_hashes = PublishedHashQueries(connection)
        self.steps = StepQueries(connection)
        self.messages = MessageQueries(connection, share)
        self.audit_log = AuditLogQueries(connection)
        self.removals = RemovalQueries(connection, share)
        self.players = PlayerQueries(connection)
        self.ratings = RatingQueries(connection)
        self.keepsakes = KeepsakeQueries(connection)
        self.servers = ServerQueries(connection)
        self.facts = FactQueries(connection)
        self.personal_data = PersonalDataQueries(connection)
        self.leases = LeaseQueries(connection)
        self.beats = BeatQueries(connection, share)
        self.host_requests = HostRequestQueries(connection, share)
        self.denials = DenialQueries(connection)
        self.error_counts = ErrorCountQueries(connection)
        self.tallies = TallyQueries(connection)
