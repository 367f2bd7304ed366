"""Hashes that can be opened in one way only, and dice that nobody can choose."""

import hashlib
import hmac
import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from rules.chance import fairness
from rules.chance.dice import Dice
from rules.core.protocol import Concede, Setup
from rules.core.registry import RULESETS
from rules.core.replay import Record, RecordedAnswer, RecordedStep, verify

SEED, OTHER, NONCE = "5e" * 32, "a0" * 32, "0c" * 32
SETUP = Setup(system="matchbox", teams=(0, 1), options={"galleys": "1"})
RULES = RULESETS["matchbox"]


def decoded(events: Any) -> tuple[dict[str, Any], ...]:
    return msgspec.json.decode(msgspec.json.encode(events), type=tuple[dict[str, Any], ...])


def sealed(body: str, request: str, seed: str = SEED, nonce: str = NONCE) -> RecordedAnswer:
    hashed = fairness.hash_answer(fairness.hash_seed(seed), request, body, nonce)
    return RecordedAnswer(request=request, body=body, nonce=nonce, commitment=hashed, given_by="captain")


def a_game(*words: str | None, seed: str = SEED, nonce: str = NONCE) -> Record:
    """Return a game in which two captains place galleys, and one gives up."""
    step = RULES.start(SETUP, Dice(seed=fairness.derive_dice_seed(seed, words)))
    steps = [RecordedStep(events=decoded(step.events))]
    while any(not request.id.startswith("r1.") for request in RULES.pending_requests(step.state)):
        requests = RULES.pending_requests(step.state)
        defaults = {request.id: RULES.default_answer(step.state, request) for request in requests}
        step = RULES.resolve(step.state, defaults)
        answers = tuple(
            sealed(RULES.format_answer(request, defaults[request.id]), request.id, seed, nonce) for request in requests
        )
        steps.append(RecordedStep(answers=answers, events=decoded(step.events)))
    step = RULES.apply_out_of_turn(step.state, Concede(seat=1))
    steps.append(RecordedStep(act=Concede(seat=1), events=decoded(step.events)))
    hashed = fairness.hash_seed(seed)
    return Record(setup=SETUP, seed=seed, seed_commitment=hashed, steps=tuple(steps), scheme=2, words=words)


def flaw(record: Record) -> str:
    fault = verify(RULES, record)
    return fault.what if fault else ""


def with_answer(record: Record, answer: RecordedAnswer) -> Record:
    """Return the game with another answer to the first question."""
    start, first, *rest = record.steps
    return replace(record, steps=(start, replace(first, answers=(answer, *first.answers[1:])), *rest))


def test_a_hash_is_that_of_a_list_which_anybody_can_write() -> None:
    body = 'A1 "F"\n\\\x01 Évezős ☂\U0001f6a3'
    parts = ["war-galley seal 2", "ab", "r1.orders.0", body, NONCE]
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    assert fairness.hash_answer("ab", "r1.orders.0", body, NONCE) == hashlib.sha256(text.encode()).hexdigest()
    text = json.dumps(["war-galley dice 2", "wind", None], separators=(",", ":"))
    expected = hmac.new(bytes.fromhex(SEED), text.encode(), hashlib.sha256).hexdigest()
    assert fairness.derive_dice_seed(SEED, ("wind", None)) == expected


@pytest.mark.proves("F6")
def test_one_hash_is_one_answer() -> None:
    """The attack on hashes of parts that are merely joined: a line of the orders moves into the nonce."""
    first, two = ("A1 FFF\nB2 LLL", "salt"), ("A1 FFF", "B2 LLL\nsalt")
    assert fairness.hash_answer("g", "r1", *first) != fairness.hash_answer("g", "r1", *two)
    shifted = {
        fairness.hash_answer(*parts) for parts in (("a", "b", "c", "d"), ("a\nb", "", "c", "d"), ("", "ab", "c", "d"))
    }
    assert len(shifted) == 3


@pytest.mark.proves("F2")
def test_words_throw_other_dice_and_every_way_to_give_them_counts() -> None:
    tables = [
        (None, None),
        ("a", None),
        (None, "a"),
        ("a", "b"),
        ("b", "a"),
        ("ab", None),
        ("a,b", None),
        ('a","b', None),
    ]
    seeds = {fairness.derive_dice_seed(SEED, words) for words in tables}
    assert len(seeds) == len(tables)
    assert SEED not in seeds
    assert fairness.derive_dice_seed(OTHER, ("a", None)) not in seeds
    assert len({Dice(seed=seed).draw_block()[0] for seed in seeds}) == len(tables)


@pytest.mark.parametrize("word", ["wind", "Szél és víz", "3 × 7 = 21", "☂ 🚣", "<@123> **x** https://x.y", "x" * 60])
def test_a_word_is_what_can_be_read(word: str) -> None:
    assert fairness.clean_word(word) == word


def test_blanks_are_made_one_and_what_only_colours_is_left_out() -> None:
    assert fairness.clean_word("  north \t\n wind\u00a0") == "north wind"
    assert fairness.clean_word("\u2764\ufe0f") == "\u2764"
    assert fairness.clean_word("e\u0301") == "\u00e9"


@pytest.mark.parametrize(
    "word",
    [
        *("", " ", "x" * 61, "a`b", "a\x00", "a\x1b", "a\ud800"),
        *("a\u200bb", "\u202eab", "\ufeff", "\u2060", "\u00ad", "\u034f", "\ue000", "\u3164", "\u2800", "\U000e0041"),
    ],
    ids=ascii,
)
def test_what_cannot_be_seen_is_no_word(word: str) -> None:
    assert fairness.clean_word(word) is None


def test_an_honest_game_holds_and_its_words_belong_to_it() -> None:
    honest = a_game("wind", None)
    assert flaw(honest) == ""
    assert honest.steps[0].events == a_game("wind", None).steps[0].events
    assert flaw(replace(honest, words=("x" * 61, None))) == "words"
    assert flaw(replace(honest, words=("wi\u200bnd", None))) == "words"
    assert flaw(replace(honest, words=("wind",))) == "words"


@pytest.mark.parametrize("seed", ["00", "5E" * 32, "5e" * 31, "5e" * 33, SEED + "\n"])
def test_a_seed_is_64_digits(seed: str) -> None:
    hashed = fairness.hash_seed(seed)
    assert flaw(replace(a_game(None, None), seed=seed, seed_commitment=hashed)) == "seed"


@pytest.mark.parametrize("nonce", ["", "salt", "0C" * 32, "0c" * 31, NONCE + "\n"])
def test_a_nonce_is_64_digits(nonce: str) -> None:
    assert flaw(a_game(None, None, nonce=nonce)) == "commitment"


def test_an_answer_is_written_in_one_way_only() -> None:
    honest = a_game(None, None)
    first = honest.steps[1].answers[0]
    loose = f"{first.body} "
    request = _asked(first.request)
    assert (
        RULES.format_answer(request, RULES.parse_answer(RULES.start(SETUP, Dice(seed=SEED)).state, request, loose))
        == first.body
    )
    assert flaw(with_answer(honest, sealed(loose, first.request))) == "answer"


def _asked(request: str) -> Any:
    state = RULES.start(SETUP, Dice(seed=SEED)).state
    return next(one for one in RULES.pending_requests(state) if one.id == request)


def test_a_seal_is_of_its_game_and_its_question() -> None:
    honest = a_game(None, None)
    first = honest.steps[1].answers[0]
    for strange in (sealed(first.body, first.request, OTHER), sealed(first.body, "place.9")):
        moved = replace(first, commitment=strange.commitment)
        assert flaw(with_answer(honest, moved)) == "commitment"


@pytest.mark.parametrize("scheme", [1, 3, None])
def test_a_record_of_a_scheme_that_is_not_known_is_not_read(scheme: int | None) -> None:
    strange = {**msgspec.to_builtins(a_game(None, None)), "scheme": scheme}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(strange), type=Record)
