"""Make nonsense: change texts and JSON at some places by a seeded generator."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any, Final

ALPHABET: Final = (
    "0123456789 ABCDEFGHXLRZTMWSabcxyz;:,.>@^/+-*_#=|~?!\n\t\"'\\`<>{}[]()&%$"
    "²³½٣۴Ⅷ₂áéőűßİıΩ—–…\u00a0\u00ad\u200b\u200d\u202e\ufeff\ufffd\x00\x1b⛵🔥"
)  # letters of orders and of JSON, and those over which programs stumble
PIECES: Final = (
    "",
    " ",
    "-0",
    "00",
    "1e999",
    "NaN",
    "9" * 25,
    "²",
    "FFFFF",
    "A1",
    "none",
    "auto",
    "end",
    "@everyone",
    "<@1>",
    "{0}",
    "{piece}",
    "%s",
    "\u202e",
    "\ud7ff",
    "x" * 1200,
    "((((((((((",
)
NUMBERS: Final = (
    0,
    -1,
    1,
    2,
    5,
    6,
    7,
    60,
    255,
    1_000_000,
    2**31,
    2**53,
    2**63,
    2**64,
    10**25,
    -(2**63),
    0.5,
    -0.0,
    1e308,
)
VALUES: Final = (None, True, False, "", [], {}, [[]], {"": ""}, [None], "x")


def text(rng: Random, original: str, *, most: int = 4) -> str:
    for _ in range(rng.randint(1, most)):
        at, to = sorted((rng.randint(0, len(original)), rng.randint(0, len(original))))
        match rng.randrange(7):
            case 0:
                original = original[:at] + rng.choice(ALPHABET) + original[at:]
            case 1:
                original = original[:at] + original[at + 1 :]
            case 2:
                original = original[:at] + rng.choice(ALPHABET) + original[at + 1 :]
            case 3:
                original = original[:at] + rng.choice(PIECES) + original[to:]
            case 4:
                original = original[:to] + original[at:to] + original[to:]
            case 5:
                original = original[:at] + original[to:]
            case _:
                original = rng.choice(
                    (original.lower(), original.upper(), original[::-1], original * 2, f" {original}\n")
                )
    return original[:5000]


def value(rng: Random, original: Any) -> Any:
    """Return something like a JSON value, or nothing like it."""
    match original:
        case str() if rng.random() < 0.8:
            return text(rng, original)
        case bool():
            return not original
        case int() | float() if rng.random() < 0.8:
            return rng.choice((original + rng.choice((-1, 1)), -original, original * 2, rng.choice(NUMBERS)))
    return copy.deepcopy(rng.choice((*NUMBERS, *VALUES, *PIECES)))


def places(root_value: Any) -> list[tuple[Any, Any]]:
    """Yield every place of a JSON value in which another stands: its container, and its key or index."""
    pairs: list[tuple[Any, Any]] = []
    waiting = [root_value]
    while waiting:
        container = waiting.pop()
        inside = (
            list(container.items())
            if isinstance(container, dict)
            else list(enumerate(container))
            if isinstance(container, list)
            else []
        )
        pairs += [(container, key) for key, _ in inside]
        waiting += [held for _, held in inside]
    return pairs


def tree(rng: Random, original: Any, *, most: int = 3) -> Any:
    """Return a JSON value with a few changes: in values, in keys, left out, doubled, or taken from elsewhere in it."""
    original = copy.deepcopy(original)
    for _ in range(rng.randint(1, most)):
        pairs = places(original)
        if not pairs:
            return value(rng, original)
        holder, key = rng.choice(pairs)
        match rng.randrange(8):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(rng.randint(0, len(holder)), copy.deepcopy(holder[key]))
            case 1:
                holder[text(rng, str(key), most=1)] = holder.pop(key)
            case 2:
                other, there = rng.choice(pairs)
                holder[key] = copy.deepcopy(other[there])
            case 3 if isinstance(holder, list):
                holder.reverse()
            case _:
                holder[key] = value(rng, holder[key])
    return original


def broken(rng: Random, original: Any) -> str:
    """Return the JSON text of a changed value, or sometimes no JSON at all."""
    written = json.dumps(tree(rng, original), ensure_ascii=rng.random() < 0.5)
    return text(rng, written) if rng.random() < 0.1 else written
