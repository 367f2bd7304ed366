"""Transactions of a reader; facts read together equal those read one by one."""

from __future__ import annotations

import pytest
from msgspec import structs

from bot.errors import Refusal
from bot.presenters.story import StepFacts
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import StepSubject
from tests.bot.test_press_cost import Here, counted, here, workers  # noqa: F401 - fixtures
from tests.sea import Sea


async def outbox(sea: Sea) -> list[OutboxMessage]:
    assert sea.bot._store is not None
    async with sea.bot._store.read() as tx:
        return await tx.messages.of_game(1)


@pytest.mark.sqlite
@pytest.mark.begun
async def test_messages_of_a_game_are_read_together_in_one_transaction(sea: Sea, here: Here) -> None:  # noqa: F811
    await sea.both_seal()
    await sea.settle()
    reader, messages = sea.bot.services.reader, await outbox(sea)
    with counted(sea, here) as cost:
        batch = await reader.messages.read_batch(messages)
    assert (cost.transactions, cost.jobs, cost.pictures) == (1, 0, 0)
    assert cost.statements <= 18, cost
    assert {message.kind for message in messages} >= {"lobby", "begin", "step", "seals", "panel"}
    for message in messages:
        alone = await reader.messages.read_batch([message])
        assert alone.facts[message.id] == batch.facts[message.id]
        assert batch.facts[message.id].error is None
    step = next(batch.facts[message.id].facts for message in messages if message.kind == "step")
    assert isinstance(step, StepFacts)
    assert step.round <= 1


@pytest.mark.begun
async def test_what_one_message_cannot_show_keeps_no_other_waiting(sea: Sea) -> None:
    messages = await outbox(sea)
    broken = [m if m.kind != "step" else _of_no_step(m) for m in messages]
    batch = await sea.bot.services.reader.messages.read_batch(broken)
    failed = {message.kind for message in messages if batch.facts[message.id].error}
    assert failed == {"step"}
    assert isinstance(next(fact.error for fact in batch.facts.values() if fact.error), Refusal)


def _of_no_step(message: OutboxMessage) -> OutboxMessage:
    return structs.replace(message, subject=StepSubject(99, 99))


@pytest.mark.sqlite
@pytest.mark.begun
async def test_each_question_of_a_reader_is_one_transaction(sea: Sea, here: Here) -> None:  # noqa: F811
    reader, anna = sea.bot.services.reader, sea.anna.id
    pending = await reader.requests.pending_request(anna)
    for question in (
        reader.requests.pending_request(anna),
        reader.games.read_inbox(anna),
        reader.games.read_status(1),
        reader.rounds.round_log(1, anna, 0),
        reader.pictures.picture_facts(1, anna, None, None),
        reader.pictures.round_film_facts(1, anna),
        reader.pictures.game_film_facts(1, anna),
        reader.lobbies.read_lobby(1),
        reader.players.server_scores(sea.guild.id),
        reader.players.user_career(anna),
    ):
        with counted(sea, here) as cost:
            await question
        assert (cost.transactions, cost.jobs) == (1, 0), question
    for answer in (
        reader.requests.panel_options(pending),
        reader.requests.draft_choices(pending),
        reader.requests.answer_example(pending),
    ):
        with counted(sea, here) as cost:
            await answer
        assert (cost.transactions, cost.jobs) == (0, 1), answer
    with pytest.raises(Refusal, match="unknown_game"):
        await reader.games.read_status(99)


@pytest.mark.begun
async def test_a_log_below_the_first_step_is_refused(sea: Sea) -> None:
    with pytest.raises(Refusal, match="not_started"):
        await sea.bot.services.reader.rounds.round_log(1, sea.anna.id, -1)
