"""What a step shows that nobody could know before it: going back over it needs all captains, and other dice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from rules.core.protocol import Event, Request, Step


def is_revealing(
    before: Any,  # noqa: ANN401 - any game's state
    step: Step,
    *,
    asked: Sequence[Request],
    pending: Sequence[Request],
    given: Collection[str] = (),
) -> bool:
    """Return whether dice fell in a step, or whether it opened or carried out what somebody had ordered.

    `asked` was pending before it, `pending` is after it, and `given` are the ids that it answered: none, if a captain
    did something unasked. It doesn't matter what the step was caused by. A captain who gives up in the middle of a
    round lets it go on, and so shows as much as an answer does.
    """
    if bool(step.state.dice != before.dice):
        return True
    if given:
        answered = [request for request in asked if request.id in given]
        return not is_hidden_step(answered, public=has_public_event(step.events))
    still = {request.id for request in pending}
    called_off = any(request.battle and request.id not in still for request in asked)
    return called_off or any(event.may_reveal for event in step.events)


def has_public_event(events: Iterable[Event]) -> bool:
    """Whether everybody may see one of these events."""
    return any(event.seen_by is None for event in events)


def is_hidden_step(answered: Sequence[Request], *, public: bool) -> bool:
    """Whether only the captain who answered may know of a step: nobody waited for it, nor is anything of it public."""
    return bool(answered) and all(request.optional for request in answered) and not public
