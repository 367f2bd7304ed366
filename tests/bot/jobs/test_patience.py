"""A job is given up by what it uses of the processor, not by how long others keep it from it: counters, no clock."""

from __future__ import annotations

import pytest

from bot.jobs.worker import POLL_INTERVAL_S, STALL_FACTOR, JobDeadline

MOST_S = 60.0
ASLEEP_S = STALL_FACTOR * MOST_S


def given_up(patience: JobDeadline, share: float | None, *, most_s: float) -> float | None:
    """Return the seconds after which a job with this share of the processor is given up; None: not before `most_s`."""
    lasted_s = 0.0
    while lasted_s < most_s:
        left_s = patience.time_left_s(lasted_s, None if share is None else share * lasted_s)
        if left_s <= 0:
            return lasted_s
        lasted_s += max(left_s, POLL_INTERVAL_S)
    return None


@pytest.mark.parametrize("share", [1.0, 0.5, 0.01, 0.001])
def test_a_job_has_its_processor_time_however_long_a_busy_machine_takes_to_give_it(share: float) -> None:
    lasted_s = given_up(JobDeadline(MOST_S, ASLEEP_S), share, most_s=2 * MOST_S / share)
    assert lasted_s is not None
    assert MOST_S <= share * lasted_s <= MOST_S + 2 * POLL_INTERVAL_S


def test_a_job_that_waits_and_then_goes_on_is_not_given_up() -> None:
    """It gets no processor for almost as long as it may, again and again."""
    patience = JobDeadline(MOST_S, ASLEEP_S)
    for turn in range(500):
        assert patience.time_left_s(turn * (ASLEEP_S - 1), turn * 2 * POLL_INTERVAL_S) > 0
    assert patience.time_left_s(500 * ASLEEP_S, MOST_S) == 0


def test_a_job_that_uses_nothing_hangs() -> None:
    assert given_up(JobDeadline(MOST_S, ASLEEP_S), 0.0, most_s=10 * ASLEEP_S) == ASLEEP_S
    # Nor is what a process uses while it only waits a sign that the job goes on.
    patience = JobDeadline(MOST_S, ASLEEP_S)
    assert patience.time_left_s(ASLEEP_S - 1, POLL_INTERVAL_S) == 1
    assert patience.time_left_s(ASLEEP_S, POLL_INTERVAL_S) == 0


def test_a_job_that_stopped_hangs_from_then_on() -> None:
    patience = JobDeadline(MOST_S, ASLEEP_S)
    assert patience.time_left_s(100.0, 30.0) == MOST_S - 30
    assert patience.time_left_s(100.0 + ASLEEP_S - 1, 30.0) == 1
    assert patience.time_left_s(100.0 + ASLEEP_S, 30.0) == 0


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_strangers_job_may_last_no_longer_than_it_may_use(share: float) -> None:
    assert given_up(JobDeadline(MOST_S, MOST_S), share, most_s=10 * MOST_S) == MOST_S


def test_where_its_processor_time_cannot_be_read_what_passes_counts() -> None:
    assert given_up(JobDeadline(MOST_S, ASLEEP_S), None, most_s=10 * MOST_S) == MOST_S
