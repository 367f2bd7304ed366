"""Ships in a row named as one."""

from __future__ import annotations

from collections.abc import Sequence


def join_id_ranges(names: Sequence[str]) -> list[str]:
    """Ids of a letter and a number one after another, three or more that follow each other as `B1–B5`."""
    runs: list[list[str]] = []
    for name in names:
        if runs and runs[-1][-1][:1] == name[:1] and int(runs[-1][-1][1:]) == int(name[1:]) - 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return [name for run in runs for name in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else run)]
