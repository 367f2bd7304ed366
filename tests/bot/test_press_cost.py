"""Costs of a press: statements, transactions, jobs of workers, and how often the state is decoded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec import Struct

from bot.discord.interactions import panels
from bot.errors import JobFailed
from bot.jobs import drafts, kept, play, showing, stored
from bot.jobs.workers import Workers
from bot.services.orders import PRESS_TIMEOUT_S
from tests.bot.rows import unsent
from tests.here import Here
from tests.here import workers as in_process
from tests.sea import AFAR, Sea, refs, text_of
from tests.statements import heard

PAIR = f"{AFAR} ; A2:south 5-5+3/5 @700,80^0"
FREE = ("/interactions/", "/webhooks/")  # answers to presses; all else that Discord is asked is the outbox's


class Cost(Struct, kw_only=True, eq=True):
    """The use of the database and of the workers."""

    statements: int = 0
    transactions: int = 0
    jobs: int = 0  # for which text and buttons wait, or the outbox
    pictures: int = 0  # jobs of presses for which nothing waits but the picture itself
    decoded: int = 0


class Counting(Here):
    """Counts the jobs of this very process, and how often one decodes a state."""

    def __init__(self) -> None:
        super().__init__()
        self.cost = Cost()
        self.begun = self._count

    def _count(self, job: Any) -> None:
        if job.func is showing.draw_plan:
            self.cost.pictures += 1
        else:
            self.cost.jobs += 1


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Counting:
    worker = Counting()
    monkeypatch.setattr(kept, "_cache", OrderedDict())  # other tests' pictures would spare these theirs

    def counting(*args: Any) -> Any:
        worker.cost.decoded += 1
        return stored.read_state(*args)

    for module in (drafts, play, showing):
        monkeypatch.setattr(module, "read_state", counting)
    return worker


@pytest.fixture
def workers(here: Counting) -> Iterator[Workers]:
    pool = in_process(here)
    yield pool
    assert pool.job_count == 0


@contextmanager
def counted(sea: Sea, here: Counting) -> Iterator[Cost]:
    """Count until everything is at rest."""
    here.cost = Cost()

    def begun(_: Any) -> None:
        here.cost.transactions += 1

    def asked(statement: str, _: Any) -> None:
        here.cost.statements += 1

    with heard(begun=begun, asked=asked):
        yield here.cost


def outside(sea: Sea) -> int:
    """Return the number of requests to Discord that are no answers to presses."""
    return sum(not call.path.startswith(FREE) for call in sea.env.http_requests)


@pytest.mark.sqlite
async def test_a_press_is_twelve_statements_three_transactions_one_job_and_one_for_its_picture(
    sea: Sea, here: Counting
) -> None:
    await sea.begin_at(PAIR, sea.bela)
    sea.env.lets_pass = False  # it looks into the database, too
    before = outside(sea)

    with counted(sea, here) as ordered:
        await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    assert "**A1** F ·" in text_of(sea.panel(sea.anna))
    with counted(sea, here) as looked:
        await sea.pick(sea.anna, sea.panel(sea.anna), "galley", "galley.A2")
    assert sea.rows("requests")["requests"][0]["focus"] == "A2"
    with counted(sea, here) as opened:
        form = await sea.open_form(sea.anna, sea.panel(sea.anna))
    with counted(sea, here) as typed:
        await sea.send_form(sea.anna, sea.panel(sea.anna), form, "A1 FFFFF; A2 FFFFF")
    assert "FFFFF" in sea.rows("requests")["requests"][0]["draft"].replace(" ", "")

    for cost in (ordered, looked, typed):
        # The state is decoded once a job.
        assert (cost.transactions, cost.jobs, cost.pictures, cost.decoded) == (3, 1, 1, 2)
        assert cost.statements <= 12
    # Its example names the captain's own galleys.
    assert (opened.transactions, opened.jobs, opened.pictures) == (1, 1, 0)
    # Each answer showed its panel: the outbox was not woken, and has nothing to show.
    assert (unsent(sea), outside(sea)) == ([], before)
    with counted(sea, here) as later:
        await sea.env.advance_time(PRESS_TIMEOUT_S + 2)
        await sea.settle()
    assert (later.jobs, outside(sea)) == (0, before)


@pytest.mark.sqlite
async def test_a_seal_is_one_job_and_the_thread_is_told_of_it(sea: Sea, here: Counting) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 FFFFF")
    sea.env.lets_pass = False
    panel = sea.panel(sea.anna)
    with counted(sea, here) as sealed:
        await sea.click_only(sea.anna, panel, refs(panel)["seal"])
    assert "unseal" in refs(sea.panel(sea.anna))
    # `seals` in the thread is made without a worker, so this one job is the press's own; the picture is the one that
    # was drawn of the same draft a moment ago.
    assert (sealed.jobs, sealed.pictures, sealed.decoded) == (1, 1, 1)
    await sea.env.settle()
    assert "Sealed by anna: " in sea.told()

    # The last seal: nothing is drawn that the step which follows would make old at once.
    done: list[str] = []
    submit = here.submit

    def noting(job: Any, most_s: float) -> Future[Any]:
        done.append(job.func.__name__)
        return submit(job, most_s)

    here.submit = noting  # type: ignore[method-assign]
    panel = sea.panel(sea.bela)
    await sea.click_only(sea.bela, panel, refs(panel)["seal"])
    await sea.settle()
    assert done[:2] == ["seal_draft", "carry_out_answers"]
    assert done.count("seal_draft") == done.count("carry_out_answers") == 1
    for who in (sea.anna, sea.bela):
        pending = await sea.asked(who)
        assert pending
        assert pending.row.body.round == 2


async def test_looking_at_another_galley_breaks_no_seal_and_a_fault_changes_no_draft(sea: Sea) -> None:
    await sea.begin_at(PAIR, sea.bela)
    await sea.write(sea.anna, "A1 FFFFF; A2 FFFFF")
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.back")
    form = await sea.open_form(sea.anna, sea.panel(sea.anna))
    before, panel_text = sea.rows("requests"), text_of(sea.panel(sea.anna))
    assert "at most 5 orders a round" in await sea.send_form(sea.anna, sea.panel(sea.anna), form, "A1 FFFFFFFFF")
    assert (sea.rows("requests"), text_of(sea.panel(sea.anna))) == (before, panel_text)

    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    orders, reader = sea.bot.services.orders, sea.bot.services.reader
    pending = await reader.requests.pending_request(sea.anna.id, 1)
    assert pending.answer
    looked = await orders.press_option(pending, pending.row.version, "galley.A1")
    assert (looked.row.focus, looked.row.status, looked.answer) == ("A1", "sealed", pending.answer)
    assert (await reader.requests.pending_request(sea.anna.id, 1)).answer == pending.answer


async def test_a_press_counts_where_its_picture_cannot_be_drawn(
    sea: Sea, here: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    submit, failed = here.submit, []

    def failing(job: Any, most_s: float) -> Future[Any]:
        if job.func is not showing.draw_plan:
            return submit(job, most_s)
        failed.append(job.func.__name__)
        done: Future[Any] = Future()
        done.set_exception(JobFailed("a painter's fault"))
        return done

    monkeypatch.setattr(here, "submit", failing)
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    assert failed == ["draw_plan", "draw_plan"]  # the outbox tries it, too
    faults = {sea.faults.pop().getMessage() for _ in failed}
    assert faults == {"picture of a press could not be made", "message could not be made"}
    assert sea.rows("requests")["requests"][0]["draft"] == "A1 F"
    assert "**A1** F\n" in text_of(sea.panel(sea.anna))


async def test_a_panel_whose_answer_never_came_is_shown_by_the_outbox(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    sea.env.lets_pass = False
    panel, before = sea.panel(sea.anna), outside(sea)

    async def lost(*_: Any) -> None:
        return None

    with monkeypatch.context() as patched:
        patched.setattr(panels, "edit_response", lost)
        await sea.press(sea.anna, panel, "press order.F")
    assert (unsent(sea), outside(sea)) == (["panel:r1.orders.0"], before)
    assert "**A1** F\n" not in text_of(sea.panel(sea.anna))
    await sea.env.advance_time(PRESS_TIMEOUT_S + 1)
    await sea.settle()
    assert unsent(sea) == []
    assert "**A1** F\n" in text_of(sea.panel(sea.anna))

    # The same where the bot was stopped between writing it down and answering.
    with monkeypatch.context() as patched:
        patched.setattr(panels, "edit_response", lost)
        await sea.press(sea.anna, sea.panel(sea.anna), "press order.L")
    await sea.restart(after_s=PRESS_TIMEOUT_S + 1)
    await sea.settle()
    assert unsent(sea) == []
    assert "**A1** F L" in text_of(sea.panel(sea.anna))
