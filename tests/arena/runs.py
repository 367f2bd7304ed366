"""Functions that the arena's tools share: playing many games, and summing them up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import median, quantiles
from typing import Any, TypeVar

from rules.chance.dice import derive_seed

P = TypeVar("P")
G = TypeVar("G")


def played(play: Callable[[P], G], pairings: Iterable[P]) -> list[G]:
    """Play games side by side, in as many processes as there are processors."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(play, pairings, chunksize=4))


def computer_answers(rules: Any, state: Any, seed: str) -> dict[str, Any]:
    """Return the computer's answers to all that is asked, by request."""
    requests = rules.pending_requests(state)
    views = {request.seat: rules.view(state, request.seat) for request in requests}
    return {
        request.id: rules.computer_answer(views[request.seat], request, derive_seed(seed, f"captain {request.id}"))
        for request in requests
    }


def wilson(score: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate by Wilson, draws counted as halves."""
    z = 1.959964
    rate = score / games
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def percent(won: float, of: int) -> str:
    low, high = wilson(won, of)
    return f"{won / of:.1%} ({low:.1%} to {high:.1%})"


def strength(pair: str, scores: Sequence[float], thought: Sequence[float], goals: Mapping[str, float | None]) -> str:
    """Sum up a pairing by its first captain's scores, draws as halves, and seconds of processor time of each answer."""
    score, count, least = sum(scores), len(scores), goals.get(pair)
    verdict = "" if least is None else "; reached" if score / count >= least else f"; below {least:.0%}"
    return (
        f"{pair}: {count} games, {percent(score, count)}, {scores.count(0.5)} drawn; an answer of the first: median "
        f"{median(thought):.2f} s, p95 {quantiles(thought, n=20)[-1]:.2f} s, at most {max(thought):.2f} s{verdict}"
    )


def lengths(numbers: Sequence[int]) -> str:
    return f"median {median(numbers):.0f}, 90 % within {quantiles(numbers, n=10)[-1]:.0f}, at most {max(numbers)}"


def counted(reasons: Iterable[str]) -> str:
    return ", ".join(f"{reason} {number}" for reason, number in Counter(reasons).most_common())


def fitted(signs: Any, won: Any, ridge: float) -> Any:
    """Return the weights of a logistic regression, by Newton's method."""
    import numpy as np  # noqa: PLC0415 - not all tools fit anything

    weights = np.zeros(signs.shape[1])
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-signs @ weights))
        slope = signs.T @ (won - chance) - ridge * weights
        bend = (signs * (chance * (1.0 - chance))[:, None]).T @ signs + ridge * np.eye(len(weights))
        weights += np.linalg.solve(bend, slope)
    return weights
