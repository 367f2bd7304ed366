"""Decides whether Discord refuses a call.

Simulated Discords accept much that the real one refuses. `refusal` is what they ask: a table of rules, each with its
source, over a call and what the server knows. It sends nothing and changes nothing.

Discord also carries out some calls in another way than they say; `answer` returns how.

Calls that are no HTTP requests of the bot are written in the same form: `IDENTIFY /gateway` and `RESUME /gateway` are
what a connection sends, and `PRESS /channels/…/messages/…` is a person's client before it sends a press.
"""

from bot.sandbox.strict.guard import Guard, Logged, Order
from bot.sandbox.strict.rule import Rule
from bot.sandbox.strict.state import State
from bot.sandbox.strict.table import RULES, answer, refusal
from bot.sandbox.strict.values import FILES, Answer, Call, Channel, Interaction, Message, Rates, Refusal

__all__ = [
    "FILES",
    "RULES",
    "Answer",
    "Call",
    "Channel",
    "Guard",
    "Interaction",
    "Logged",
    "Message",
    "Order",
    "Rates",
    "Refusal",
    "Rule",
    "State",
    "answer",
    "refusal",
]
