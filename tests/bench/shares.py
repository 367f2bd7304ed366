"""Shares of the machine's processors for processes, by the kernel's control groups, of either version."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

GROUPS: Final = Path("/sys/fs/cgroup")
PERIOD_US: Final = 100_000
"""The kernel's default, and that of containers: who has used their share stands still for the rest of it."""


class NoShares(Exception):
    """The kernel lets us give no shares; says why."""


class Share:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, pid: int) -> None:
        (self._folder / "cgroup.procs").write_text(str(pid))


@contextmanager
def share(name: str, cores: float) -> Iterator[Share]:
    """A share for this block, at whose end its processes must have ended. Raises `NoShares`."""
    parent, limits = _parent(cores)
    folder = parent / f"war-galley-{os.getpid()}-{name}"
    try:
        folder.mkdir()
        try:
            for file, text in limits.items():
                (folder / file).write_text(text)
        except OSError:
            folder.rmdir()
            raise
    except OSError as refused:
        raise NoShares(str(refused)) from refused
    try:
        yield Share(folder)
    finally:
        for _ in range(100):  # workers of a bot that was killed end by themselves
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def _parent(cores: float) -> tuple[Path, dict[str, str]]:
    """Where groups are made, and what limits one. Raises `NoShares`."""
    quota = str(round(cores * PERIOD_US))
    for first in ("cpu", "cpu,cpuacct"):
        if (GROUPS / first / "cpu.cfs_quota_us").exists() or (GROUPS / first / "cpu.shares").exists():
            return GROUPS / first, {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": quota}
    if (GROUPS / "cgroup.subtree_control").exists():
        try:
            if "cpu" not in (GROUPS / "cgroup.subtree_control").read_text().split():
                (GROUPS / "cgroup.subtree_control").write_text("+cpu")
        except OSError as refused:
            raise NoShares(str(refused)) from refused
        return GROUPS, {"cpu.max": f"{quota} {PERIOD_US}"}
    raise NoShares(f"no control groups in {GROUPS}")
