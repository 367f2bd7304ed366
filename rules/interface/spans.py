"""Compact lists of ship ids."""

from __future__ import annotations

from collections.abc import Sequence


def join_id_ranges(names: Sequence[str]) -> list[str]:
    """Return ids with runs of three or more consecutive numbers joined, such as `B1–B5`."""
    runs: list[list[str]] = []
    for name in names:
        if runs and runs[-1][-1][:1] == name[:1] and int(runs[-1][-1][1:]) == int(name[1:]) - 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return [name for run in runs for name in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else run)]
