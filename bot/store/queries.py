"""What is asked of the database, within one transaction."""

from __future__ import annotations

from bot.store.captains import Captaincies
from bot.store.games import Games
from bot.store.messages import Messages
from bot.store.people import People
from bot.store.personal import Personal
from bot.store.questions import Questions
from bot.store.removals import Removals


class Transaction(Games, Captaincies, Questions, Messages, Removals, People, Personal):
    """Queries and changes that hold together."""
