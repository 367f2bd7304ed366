"""Decides whether Discord refuses a call.

Simulated Discords accept much that the real one refuses. `find_error` is what they ask: a table of rules, each with its
source, over a call and what the server knows. It sends nothing and changes nothing.

Discord also carries out some calls in another way than they say; `find_answer` returns how.

Calls that are no HTTP requests of the bot are written in the same form: `IDENTIFY /gateway` and `RESUME /gateway` are
what a connection sends, and `PRESS /channels/…/messages/…` is a person's client before it sends a press.
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
