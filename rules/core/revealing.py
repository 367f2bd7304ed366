"""Decide which steps reveal something.

Going back past such a step needs everyone's consent, and other dice fall afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from rules.core.protocol import Event, Request, Step


def is_revealing(
    before: Any,  # noqa: ANN401 - any game's state
    step: Step,
    *,
    pending_before: Sequence[Request],
    pending: Sequence[Request],
    answered_ids: Collection[str] = (),
) -> bool:
    """Return whether a step threw dice, or opened or carried out somebody's orders.

    `pending_before` are the requests pending before the step, and `pending` those after it. `answered_ids` are ids of
    requests that the step answered; empty: an action without a request. A captain who gives up in the middle of a round
    lets the round go on, so a concession can reveal as much as an answer.
    """
    if bool(step.state.dice != before.dice):
        return True
    if answered_ids:
        answered = [request for request in pending_before if request.id in answered_ids]
        return not is_hidden_step(answered, public=has_public_event(step.events))
    pending_ids = {request.id for request in pending}
    called_off = any(request.battle and request.id not in pending_ids for request in pending_before)
    return called_off or any(event.may_reveal for event in step.events)


def has_public_event(events: Iterable[Event]) -> bool:
    # An event without `seen_by` is seen by everyone.
    return any(event.seen_by is None for event in events)


def is_hidden_step(answered: Sequence[Request], *, public: bool) -> bool:
    """Return whether only its captain may know of a step: its answers are optional and no event is public."""
    return bool(answered) and all(request.optional for request in answered) and not public
