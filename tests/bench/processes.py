"""Memory and processor time of processes, read from the kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from family(int(child))


def memory_mib(pid: int) -> float:
    """Memory of a process and those that it has started; what they share counts once (PSS)."""
    used_kib = 0
    for process in family(pid):
        with suppress(OSError):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            used_kib += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return used_kib / 1024


def processor_s(pid: int) -> float:
    """Seconds of processor time that a process itself has used, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor_of_all_s(pid: int) -> float:
    """Seconds of processor time that a process and those that it has started have used, also those that have ended."""
    used = 0.0
    for process in family(pid):
        with suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            used += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return used
