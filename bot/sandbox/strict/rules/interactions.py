"""Rules for responses to interactions."""

from __future__ import annotations

from typing import Final

from bot.sandbox.strict.rule import make_rule
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.values import ApiCall, DiscordError, RuleGroup, ServerInteraction, rate_limited

TOKEN_LIFETIME_S: Final = 900.0
MAX_FOLLOWUPS: Final = 5
_DOCS = "docs: interactions/receiving-and-responding"
_CODES = "docs: topics/opcodes-and-status-codes#json"


def _callback_interaction(call: ApiCall, state: ServerState) -> ServerInteraction | None:
    return state.interaction(call.parts[2]) if call.is_callback else None


def _webhook_interaction(call: ApiCall, state: ServerState) -> ServerInteraction | None:
    return state.interaction(call.parts[2]) if call.parts[0] == "webhooks" and len(call.parts) > 2 else None


@make_rule("late response", RuleGroup.INTERACTIONS, f"{_DOCS}#interaction-callback (3 seconds); {_CODES} (10062)")
def late_response(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a first response more than three seconds after the interaction."""
    interaction, limit = _callback_interaction(call, state), state.rates.response_s
    if interaction is None or limit is None or interaction.acknowledged or state.now - interaction.created_at < limit:
        return None
    return DiscordError(status=404, code=10062, message="Unknown interaction")


@make_rule("second response", RuleGroup.INTERACTIONS, f"{_CODES} (40060)")
def acknowledged_already(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse to acknowledge an interaction twice."""
    interaction = _callback_interaction(call, state)
    if interaction is None or not interaction.acknowledged:
        return None
    return DiscordError(status=400, code=40060, message="Interaction has already been acknowledged.")


@make_rule("expired token", RuleGroup.INTERACTIONS, f"{_DOCS}#followup-messages (15 minutes); {_CODES} (50027)")
def expired_token(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a token older than fifteen minutes."""
    interaction = _webhook_interaction(call, state)
    if interaction is None or state.now - interaction.created_at < TOKEN_LIFETIME_S:
        return None
    return DiscordError(status=401, code=50027, message="Invalid Webhook Token")


@make_rule(
    "follow-up before a response",
    RuleGroup.INTERACTIONS,
    f"{_DOCS}#interaction-callback (the token is invalidated); {_CODES} (10015)",
)
def unacknowledged_followup(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse messages of an interaction before its first response."""
    interaction = _webhook_interaction(call, state)
    if interaction is None or interaction.acknowledged:
        return None
    return DiscordError(status=404, code=10015, message="Unknown Webhook")


@make_rule(
    "follow-ups used up",
    RuleGroup.INTERACTIONS,
    f"{_DOCS}#create-followup-message (5 for user-installed apps); {_CODES} (40094)",
)
def followups_used_up(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse a sixth follow-up of an application that is not installed on the server."""
    interaction = state.interaction(call.token_of_followup) if call.token_of_followup else None
    if interaction is None or not interaction.user_installed_only or interaction.followups < MAX_FOLLOWUPS:
        return None
    text = "This interaction has hit the maximum number of follow up messages"
    return DiscordError(status=400, code=40094, message=text)


@make_rule("limited service", RuleGroup.INTERACTIONS, "discord/discord-api-docs#5574 (40062)")
def service_limited(call: ApiCall, state: ServerState) -> DiscordError | None:
    """Refuse calls while a service behind interactions is limited for all applications."""
    if state.service_limited_s is None or call.parts[0] not in {"interactions", "webhooks"}:
        return None
    text = "Service resource is being rate limited."
    return rate_limited(state.service_limited_s, scope="shared", json_code=40062, message=text)


RULES = (
    service_limited,
    late_response,
    acknowledged_already,
    expired_token,
    unacknowledged_followup,
    followups_used_up,
)
