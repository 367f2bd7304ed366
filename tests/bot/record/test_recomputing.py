"""`verify` recomputes the computer's answers, and says which answers only the record claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs
from typer.testing import CliRunner

from bot.cli.main import app
from bot.jobs.computing import program_version
from bot.record import checking
from bot.record.checking import CheckResult, check_file
from bot.record.checks import CheckQueue
from bot.record.export import FinishedGame, build_proof, decode_export, encode_export, with_digest
from bot.record.recomputing import Recomputation
from bot.texts.i18n import Catalogue
from rules.chance import fairness
from rules.core.protocol import Concede
from rules.core.registry import RULESETS
from rules.core.replay import Computation, RecordedAnswer, RecordedStep, replay_steps, verify
from tests.bot.papers import exported
from tests.bot.record.test_checks import PROOF
from tests.sea import AFAR, Sea

DAY_S = 86_400
LANGUAGES = ("en", "hu")


async def a_game_without_captains(sea: Sea) -> None:
    """Let bela miss a deadline at which anna has only a draft, then give bela's seat to the computer."""
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 RFLFF")
    await sea.env.advance_time(DAY_S + 1)
    await sea.command(sea.manager(), "host kick", game="1", whose="bela", to_computer=True)
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.settle()
    await sea.concede(sea.anna)


async def paper_of(sea: Sea, who: Any, game: int = 1) -> FinishedGame:
    paper = decode_export(await exported(sea, who, game))
    assert isinstance(paper, FinishedGame)
    return paper


def answer_to(paper: FinishedGame, request: str) -> tuple[int, RecordedAnswer]:
    """Return the number of the step that carried out the answer to a request, and the answer."""
    steps = enumerate(paper.record.steps)
    ((number, answer),) = ((no, each) for no, step in steps for each in step.answers if each.request == request)
    return number, answer


def forged(paper: FinishedGame, request: str) -> bytes:
    """Return a record with another legal answer to a request, as a liar's bot would have played it.

    The captain gives up right after that step.
    """
    record, rules = paper.record, RULESETS[paper.record.setup.system]
    number, computed = answer_to(paper, request)
    moves, _, rest = computed.body.partition(";")
    body = f"{'B1 FFFFF' if moves != 'B1 FFFFF' else 'B1 LFRFF'};{rest}"
    answers = tuple(
        structs.replace(
            answer,
            body=body,
            commitment=fairness.hash_answer(record.seed_commitment, request, body, answer.nonce),
        )
        if answer.request == request
        else answer
        for answer in record.steps[number].answers
    )
    state = [step.state for _, step in replay_steps(rules, record)][number - 1]
    requests = {each.id: each for each in rules.pending_requests(state)}
    parsed = {each.request: rules.parse_answer(state, requests[each.request], each.body) for each in answers}
    after = rules.resolve(state, parsed)
    end = rules.apply_out_of_turn(after.state, Concede(seat=0))
    steps = (
        *record.steps[:number],
        structs.replace(record.steps[number], answers=answers, events=msgspec.to_builtins(after.events)),
        RecordedStep(act=Concede(seat=0), events=msgspec.to_builtins(end.events), at=record.steps[-1].at),
    )
    whole = msgspec.json.decode(msgspec.json.encode(structs.replace(record, steps=steps, unused=())), type=type(record))
    assert verify(rules, whole) is None, "it is legal, and all follows from it"
    return encode_export(with_digest(structs.replace(paper, record=whole, log=(), notes=(), chain=())))


async def test_what_the_computer_answered_is_recomputed_and_a_draft_is_only_claimed(sea: Sea) -> None:
    await a_game_without_captains(sea)
    paper = await paper_of(sea, sea.cili)
    givers = [answer.given_by for step in paper.record.steps for answer in step.answers]
    assert {"draft", "deadline", "computer", "captain"} <= {*givers}
    computed = givers.count("deadline") + givers.count("computer")
    for language in LANGUAGES:
        sea.languages[sea.cili.id] = language
        words = Catalogue.load(language)
        for file in ({}, {"file": ("game.json", encode_export(paper))}):
            said = await sea.command(sea.cili, "verify", game="1", **file)
            assert str(words.say("proof.all_recomputed", computed=computed)) in said
            assert str(words.say("proof.drafts", n=1)) in said
            assert str(words.say("proof.unpublished", n=1)).partition(":")[0] not in said


@pytest.mark.proves("F12")
@pytest.mark.parametrize(("request_id", "giver"), [("r1.orders.1", "deadline"), ("r2.orders.1", "computer")])
async def test_an_order_that_the_computer_did_not_give_is_found_and_named(
    sea: Sea, request_id: str, giver: str
) -> None:
    """Orders for a late captain, written by someone who knew the enemy's, were once proved right."""
    await a_game_without_captains(sea)
    paper = await paper_of(sea, sea.cili)
    number, answer = answer_to(paper, request_id)
    assert answer.given_by == giver
    data = forged(paper, request_id)
    for language in LANGUAGES:
        sea.languages[sea.cili.id] = language
        said = await sea.command(sea.cili, "verify", file=("game.json", data))
        assert str(Catalogue.load(language).say("flaw.computed", step=number, piece=request_id)) in said


async def test_how_the_computer_came_to_its_orders_is_secret_until_the_game_is_over(sea: Sea) -> None:
    await sea.begin_at(AFAR)
    await sea.seal(sea.anna, "A1 FFFFF")
    for who in (sea.anna, sea.cili):
        data = await exported(sea, who)
        assert any(answer["given_by"] == "computer" for step in json.loads(data)["steps"] for answer in step["answers"])
        assert b"computation" not in data
        assert program_version("matchbox").encode() not in data
    await sea.concede(sea.anna)
    assert b"computation" in await exported(sea, sea.cili)


async def test_after_going_back_the_computer_s_new_orders_are_recomputed(sea: Sea) -> None:
    await sea.begin_at(AFAR)
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.concede(sea.anna)
    found = check_file(await exported(sea, sea.anna)).recomputation
    assert found == Recomputation(computed_count=found.computed_count, recomputed_count=found.computed_count)
    assert found.computed_count >= 2


async def test_a_search_that_was_cut_short_is_counted(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.jobs.thinking.MAX_THINKING_S", 0.0)
    await sea.begin_at(AFAR, captain="admiral")
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.concede(sea.anna)
    monkeypatch.undo()
    paper = await paper_of(sea, sea.anna)
    stops = {each.computation.stopped_after for each in computed_answers(paper)}
    assert stops == {0}
    said = await sea.command(sea.anna, "verify", game="1")
    assert str(Catalogue.load("en").say("proof.stopped", n=len(computed_answers(paper)))) in said


def computed_answers(paper: FinishedGame) -> list[Any]:
    answers = [answer for step in paper.record.steps for answer in step.answers]
    return [answer for answer in answers if isinstance(answer.computation, Computation)]


@pytest.mark.proves("F16")
async def test_what_there_is_no_time_for_is_left_to_the_users_own_computers(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_game_without_captains(sea)
    paper = await paper_of(sea, sea.cili)
    monkeypatch.setattr(checking, "RECOMPUTING_S", 0.0)
    monkeypatch.setattr(checking, "BRIEF_RECOMPUTING_S", 0.0)
    said = await sea.command(sea.cili, "verify", game="1")
    assert str(Catalogue.load("en").say("proof.recomputed", n=0, computed=len(computed_answers(paper)))) in said


async def test_what_a_brief_try_has_no_time_to_recompute_gets_more() -> None:
    partial, whole = Recomputation(computed_count=2, recomputed_count=1), Recomputation(computed_count=2)
    begun: list[bool] = []

    async def check(*_: Any, brief: bool) -> CheckResult:
        begun.append(brief)
        return CheckResult(True, "", None, PROOF, recomputation=partial if brief else whole)

    result = await CheckQueue(check).check_record(1, b"", "", (), "", submitted=True)
    assert (begun, result.recomputation) == ([True, False], whole)


async def test_a_captains_answer_without_a_published_hash_is_counted(sea: Sea) -> None:
    """An answer that its record calls a captain's, so that nothing recomputes it, has no message in the thread."""
    await a_game_without_captains(sea)
    paper = await paper_of(sea, sea.cili)
    data = encode_export(paper).replace(b'"given_by":"deadline"', b'"given_by":"captain"')
    assert build_proof(encode_export(paper)).unpublished_count == 0
    assert build_proof(data).unpublished_count == 1


@pytest.mark.proves("F16")
async def test_the_shell_recomputes_all_and_names_what_differs(sea: Sea, tmp_path: Path) -> None:
    await a_game_without_captains(sea)
    paper = await paper_of(sea, sea.cili)
    file = tmp_path / "game.json"

    def verified(data: bytes) -> tuple[int, str]:
        file.write_bytes(data)
        done = CliRunner().invoke(app, ["verify", str(file)])
        return done.exit_code, done.output

    code, output = verified(encode_export(paper))
    assert code == 0, output
    words = Catalogue.load("en")
    assert str(words.say("proof.all_recomputed", computed=len(computed_answers(paper)))) in output
    assert str(words.say("proof.drafts", n=1)) in output
    number, _ = answer_to(paper, "r2.orders.1")
    code, output = verified(forged(paper, "r2.orders.1"))
    assert code == 1
    assert str(words.say("flaw.computed", step=number, piece="r2.orders.1")).replace("`", "") in output
