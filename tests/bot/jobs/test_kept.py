"""Pictures that have just been drawn are not drawn again."""

from __future__ import annotations

from bot.jobs.kept import MAX_CACHED, cached


def test_a_job_is_done_once_for_values_that_come_again_soon():
    done = []

    @cached
    def job(body: str, names: dict[int, str]) -> str:
        done.append(body)
        return body + names[0]

    assert [job("a", {0: "Anna"}), job("a", {0: "Anna"}), job("a", {0: "Béla"})] == ["aAnna", "aAnna", "aBéla"]
    assert done == ["a", "a"]
    for number in range(MAX_CACHED):
        job(str(number), {0: ""})
    job("a", {0: "Anna"})
    assert done.count("a") == 3, "older ones are forgotten"


def test_a_job_that_fails_is_tried_again():
    tries = []

    @cached
    def job(body: str) -> str:
        tries.append(body)
        if len(tries) == 1:
            raise ValueError(body)
        return body

    for _ in range(2):
        try:
            job("b")
        except ValueError:
            continue
    assert len(tries) == 2
