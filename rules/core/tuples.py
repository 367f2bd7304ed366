"""Tuples with one of their values changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def with_value_at(values: Sequence[T], at: int, value: T) -> tuple[T, ...]:
    """The values with another one at a place."""
    return (*values[:at], value, *values[at + 1 :])
