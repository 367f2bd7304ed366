"""A model of the calls that Discord refuses.

Simulated Discords accept calls that the real one refuses. They ask `find_error`: a table of rules, each with its
source, which are functions of the call and the server's state without side effects. `find_answer` returns how Discord
carries out some accepted calls differently from what they say.

Calls that are not HTTP requests of the bot have the same form: `IDENTIFY /gateway` and `RESUME /gateway` are sent over
the gateway, and `PRESS /channels/…/messages/…` stands for what a user's client does before it reports a press.
"""

from bot.sandbox.strict.guard import CallGuard, LoggedRefusal, ScriptedRefusal
from bot.sandbox.strict.rule import Rule
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.table import RULES, find_answer, find_error
from bot.sandbox.strict.values import (
    FILES_KEY,
    AlteredAnswer,
    ApiCall,
    DiscordError,
    RateLimits,
    ServerChannel,
    ServerInteraction,
    ServerMessage,
)

__all__ = [
    "FILES_KEY",
    "RULES",
    "AlteredAnswer",
    "ApiCall",
    "CallGuard",
    "DiscordError",
    "LoggedRefusal",
    "RateLimits",
    "Rule",
    "ScriptedRefusal",
    "ServerChannel",
    "ServerInteraction",
    "ServerMessage",
    "ServerState",
    "find_answer",
    "find_error",
]
