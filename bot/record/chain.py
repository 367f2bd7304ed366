"""Compare the lines of a record's chain with its answers and log, and with the digests that the thread showed."""

from __future__ import annotations

from collections.abc import Iterable

from bot.record.log_entries import ExportedLogEntry, chained_entries
from bot.store.models.chain import ChainedOrder, ChainLine
from bot.store.queries.publications import PublishedHash
from rules.core.replay import RecordedAnswer


def first_wrong_line(
    lines: Iterable[ChainLine], answers: Iterable[RecordedAnswer], log: Iterable[ExportedLogEntry]
) -> ChainLine | None:
    """Return the first line that the answers and the log of a finished game contradict, or None.

    Lines name answers in their order, but not those that nobody had to give. They name all entries up to the last line.
    """
    remaining_orders = iter([ChainedOrder(hash=answer.commitment, given_by=answer.given_by) for answer in answers])
    entries = chained_entries(log)
    for line in lines:
        expected_entries, entries = entries[: len(line.log)], entries[len(line.log) :]
        # `in` goes on where it stopped, so the orders must stand in this order.
        if tuple(expected_entries) != line.log or not all(order in remaining_orders for order in line.orders):
            return line
    return None


def first_unknown_digest(digests: Iterable[str], published: Iterable[PublishedHash]) -> PublishedHash | None:
    known_digests = {*digests}
    return next((row for row in published if row.what == "chain" and row.hash not in known_digests), None)
