"""Interactions: answered too late, twice, or too often."""

from __future__ import annotations

from typing import Final

from bot.sandbox.strict.rule import rule
from bot.sandbox.strict.state import State
from bot.sandbox.strict.values import Call, Group, Interaction, Refusal, limited

TOKEN_S: Final = 900.0
MAX_FOLLOWUPS: Final = 5
_DOCS = "docs: interactions/receiving-and-responding"
_CODES = "docs: topics/opcodes-and-status-codes#json"


def _callback(call: Call, state: State) -> Interaction | None:
    return state.interaction(call.parts[2]) if call.is_callback else None


def _webhook(call: Call, state: State) -> Interaction | None:
    return state.interaction(call.parts[2]) if call.parts[0] == "webhooks" and len(call.parts) > 2 else None


@rule("late response", Group.INTERACTIONS, f"{_DOCS}#interaction-callback (3 seconds); {_CODES} (10062)")
def late(call: Call, state: State) -> Refusal | None:
    """Refuse a first response more than three seconds after the interaction."""
    interaction, limit = _callback(call, state), state.rates.response_s
    if interaction is None or limit is None or interaction.acknowledged or state.now - interaction.created_at < limit:
        return None
    return Refusal(status=404, code=10062, message="Unknown interaction")


@rule("second response", Group.INTERACTIONS, f"{_CODES} (40060)")
def acknowledged_already(call: Call, state: State) -> Refusal | None:
    """An interaction is acknowledged once."""
    interaction = _callback(call, state)
    if interaction is None or not interaction.acknowledged:
        return None
    return Refusal(status=400, code=40060, message="Interaction has already been acknowledged.")


@rule("expired token", Group.INTERACTIONS, f"{_DOCS}#followup-messages (15 minutes); {_CODES} (50027)")
def expired(call: Call, state: State) -> Refusal | None:
    """A token is valid for fifteen minutes."""
    interaction = _webhook(call, state)
    if interaction is None or state.now - interaction.created_at < TOKEN_S:
        return None
    return Refusal(status=401, code=50027, message="Invalid Webhook Token")


@rule(
    "follow-up before a response",
    Group.INTERACTIONS,
    f"{_DOCS}#interaction-callback (the token is invalidated); {_CODES} (10015)",
)
def unacknowledged(call: Call, state: State) -> Refusal | None:
    """Messages of an interaction exist only after its first response."""
    interaction = _webhook(call, state)
    if interaction is None or interaction.acknowledged:
        return None
    return Refusal(status=404, code=10015, message="Unknown Webhook")


@rule(
    "follow-ups used up",
    Group.INTERACTIONS,
    f"{_DOCS}#create-followup-message (5 for user-installed apps); {_CODES} (40094)",
)
def followups_used_up(call: Call, state: State) -> Refusal | None:
    """An application that is not installed on the server sends at most five follow-ups."""
    interaction = state.interaction(call.token_of_new) if call.token_of_new else None
    if interaction is None or not interaction.user_installed_only or interaction.followups < MAX_FOLLOWUPS:
        return None
    text = "This interaction has hit the maximum number of follow up messages"
    return Refusal(status=400, code=40094, message=text)


@rule("limited service", Group.INTERACTIONS, "discord/discord-api-docs#5574 (40062)")
def service_limited(call: Call, state: State) -> Refusal | None:
    """A service behind interactions is limited for all applications at times."""
    if state.service_limited_s is None or call.parts[0] not in {"interactions", "webhooks"}:
        return None
    text = "Service resource is being rate limited."
    return limited(state.service_limited_s, scope="shared", json_code=40062, message=text)


RULES = (service_limited, late, acknowledged_already, expired, unacknowledged, followups_used_up)
