"""The Hint button: what the first mate would do, and why, where nothing is at stake."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from bot.discord.ids import CustomId
from bot.errors import Refusal
from bot.jobs import drafts, stored
from bot.jobs.stored import encode
from bot.jobs.turns import JobKind, WorkerSlot
from bot.jobs.values import HINT_SEED_DIGITS, HintRef, answer_mark
from bot.texts.i18n import Catalogue
from rules.chance.dice import Dice
from rules.core.protocol import EMPTY_DRAFT, Setup
from rules.core.registry import RULESETS
from tests.bot.captains import by_typing, play
from tests.fuzz.forger import Forger
from tests.sea import ABEAM, AFAR, Sea, parts, refs, text_of

EN = Catalogue.load("en")
OUT_OF_REACH = "1600x900 ; A1:south 5-5+3/5 @450,110^0 ; B1:north 5-5+3/5 @450,800^180"
HU = Catalogue.load("hu")


def take(panel: Any) -> CustomId:
    return next(ref for ref in refs(panel).values() if ref.verb == "take")


async def test_a_hint_is_legal_has_a_reason_and_can_be_taken(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    assert not await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    hint = sea.panel(sea.anna)  # it stands in the panel, over the same picture
    assert "Hint:" in text_of(hint)
    assert "B1" in text_of(hint)
    assert hint.attachments
    ref = take(hint)
    pending = await sea.asked(sea.anna)
    hinted = await sea.bot.services.orders.compute_hint(pending, HintRef.read(ref.token))
    await sea.restart()  # nothing but the button knows of the hint
    await sea.click(sea.anna, hint, ref)
    assert len([message for message in sea.dms(sea.anna) if message.attachments]) == 1
    assert (await sea.asked(sea.anna)).row.draft.startswith(hinted.answer.split(";")[0])
    assert "seal" in refs(sea.panel(sea.anna))  # nothing is missing
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert "Round 1" in sea.told()


async def test_the_thinking_for_a_hint_lets_other_presses_go_first(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.begin_at(AFAR, computer=1)
    queue, kinds = sea._workers.queue, list[str]()
    acquire_slot = queue.acquire_slot

    async def note_kind(kind: JobKind, host: int | None = None) -> WorkerSlot:
        kinds.append(kind)
        return await acquire_slot(kind, host)

    monkeypatch.setattr(queue, "acquire_slot", note_kind)
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    assert kinds.count("hint") == 1
    await sea.click(sea.anna, sea.panel(sea.anna), take(sea.panel(sea.anna)))
    assert kinds.count("hint") == 2, "taking it computes it again"


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_one_press_takes_and_seals_a_hint(sea: Sea, language: str) -> None:
    await sea.begin_at(AFAR, computer=1)
    if language == "hu":
        await sea.command(sea.anna, "me", language=language)
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    panel = sea.panel(sea.anna)
    (ref,) = (ref for ref in refs(panel).values() if ref.verb == "take_and_seal")
    labels = [part.label for part in parts(panel) if getattr(part, "custom_id", "") == ref.pack()]
    assert labels == [Catalogue.load(language).say("button.take_and_seal")]
    await sea.restart()  # nothing but the button knows of the hint
    await sea.click(sea.anna, panel, ref)
    assert "Round 1" in sea.told()
    assert EN.say("refuse.stale") not in await Forger(sea, sea.anna).press(ref.pack())
    assert [row["step_no"] for row in sea.rows("games")["games"]] == [1], "sealed once"


async def test_a_hint_of_an_earlier_round_leads_to_the_panel_of_this_one(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    advised = take(sea.panel(sea.anna))
    await sea.seal(sea.anna, "A1 LLLLL")
    forger = Forger(sea, sea.anna)
    assert not await forger.press(advised.pack())
    assert EN.say("say.moved_on") in forger.shown()
    assert "Round 2" in forger.shown()


async def test_a_hint_stays_on_the_other_pages_of_its_panel(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    first = sea.panel(sea.anna)
    assert "seal" not in refs(first)
    (turn,) = (ref for ref in refs(first).values() if ref.verb == "advised_page")
    await sea.click(sea.anna, first, turn)
    second = sea.panel(sea.anna)
    assert text_of(second) != text_of(first)
    assert "Hint:" in text_of(second)
    assert take(second).token == take(first).token
    forged = CustomId(verb="advised_page", game=1, request=take(first).request, token=f"x-{take(first).token}")
    assert EN.say("refuse.stale") in await Forger(sea, sea.anna).press(forged.pack())


async def test_a_hint_tells_nobody_else_and_changes_nothing(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    before, public = sea.rows(), sea.told()
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    assert sea.rows() == before
    assert sea.told() == public
    secrets = {sea.rows("games")["games"][0]["seed"], *(row["body"] for row in sea.rows("answers")["answers"])}
    assert not any(secret in text_of(sea.panel(sea.anna)) for secret in secrets)


async def test_a_hint_is_the_first_mates_at_every_level_of_computer_captains(sea: Sea) -> None:
    await sea.begin_at(OUT_OF_REACH, computer=1, captain="deckhand")
    pending = await sea.asked(sea.anna)
    rules = RULESETS["matchbox"]
    state = stored.read_state(rules, pending.state)
    request = next(request for request in rules.pending_requests(state) if request.id == pending.row.id)
    mates = structs.replace(rules.view(state, request.seat), captain_level="mate")
    for _ in range(3):
        hint_seed = sea.bot.services.orders.new_hint_seed()
        hint = await sea.bot.services.orders.compute_hint(pending, HintRef(hint_seed))
        assert hint.answer == rules.format_answer(request, rules.computer_answer(mates, request, hint_seed))
        assert hint.answer.startswith("A1 FFFFF")  # straight at the enemy, and without firing
        assert hint.reason.key == "reason.approach"


@pytest.mark.begun
async def test_no_hints_where_two_people_play_for_their_rating(sea: Sea) -> None:
    panel = sea.panel(sea.anna)
    assert "hint" not in refs(panel)
    pending = await sea.asked(sea.anna)
    with pytest.raises(Refusal, match="no_hints"):
        await sea.bot.services.orders.compute_hint(pending, HintRef(sea.bot.services.orders.new_hint_seed()))
    # A button that was never there does nothing either.
    take = CustomId(verb="take", game=1, request=pending.row.id, token="0" * 32)
    assert EN.say("refuse.no_hints") in await Forger(sea, sea.anna).press(take.pack())
    assert (await sea.asked(sea.anna)).row.draft == ""


def test_the_button_of_any_hint_has_room_in_a_custom_id() -> None:
    token = HintRef("0" * HINT_SEED_DIGITS, 999_999, answer_mark("")).token
    ref = CustomId(verb="take", game=999_999_999, request="r" * 24, token=token)
    assert len(ref.pack()) <= 100


async def test_hints_in_open_turns_are_carried_out_at_once(sea: Sea) -> None:
    await sea.begin(system="forts", computer=1)
    await play(sea, [sea.anna], by_typing, rounds=0)
    pending = await sea.asked(sea.anna)
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    hint = sea.panel(sea.anna)
    await sea.click(sea.anna, hint, take(hint))
    after = await sea.asked(sea.anna)
    assert after is None or after.row.id != pending.row.id


async def test_hints_speak_hungarian(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.begin_at(AFAR, computer=1)
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    assert "**Tipp:** **A1** E" in text_of(sea.panel(sea.anna))


# The button under a hint puts exactly the orders that the hint shows into the draft.
@pytest.mark.parametrize("level", ["deckhand", "admiral"])
def test_the_hint_that_is_taken_is_the_hint_that_was_shown(level: str) -> None:
    rules = RULESETS["matchbox"]
    setup = Setup(system="matchbox", teams=(0, 1), options={"captain": level}, position=ABEAM)
    state = rules.start(setup, Dice(seed="00")).state
    body, mine = encode(state), rules.pending_requests(state)[0]
    assert mine.kind == "orders"
    for number in range(8):
        hint_seed = f"{number:032x}"
        suggested = drafts.compute_hint("matchbox", body, mine, hint_seed).answer
        taken = drafts.take_hint("matchbox", body, mine, EMPTY_DRAFT, HintRef(hint_seed)).draft.text
        typed = drafts.TypedText(suggested, {})
        assert taken == drafts.type_text("matchbox", body, mine, EMPTY_DRAFT, typed).draft.text


def test_a_hint_that_would_be_another_one_by_now_is_not_taken() -> None:
    """An enemy who gives up changes the game beside the question, and with it what the mate would do."""
    rules = RULESETS["matchbox"]
    state = rules.start(Setup(system="matchbox", teams=(0, 1), position=ABEAM), Dice(seed="00")).state
    body, mine, hint_seed = encode(state), rules.pending_requests(state)[0], "0" * HINT_SEED_DIGITS
    suggested = drafts.compute_hint("matchbox", body, mine, hint_seed).answer
    same, other = (HintRef(hint_seed, answer_mark=answer_mark(text)) for text in (suggested, "A1 XXXXX"))
    assert drafts.take_hint("matchbox", body, mine, EMPTY_DRAFT, HintRef.read(same.token)).draft.text
    with pytest.raises(Refusal, match="hint_changed"):
        drafts.take_hint("matchbox", body, mine, EMPTY_DRAFT, HintRef.read(other.token))


async def test_back_from_a_hint_shows_the_own_draft_which_can_be_sealed(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.write(sea.anna, "A1 FXXXF")
    assert "seal" in refs(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    assert "seal" not in refs(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "page")
    own = sea.panel(sea.anna)
    assert "Hint:" not in text_of(own)
    assert "FXXXF" in text_of(own).replace(" ", "")
    await sea.press(sea.anna, own, "seal")
    assert "FXXXF" in sea.told()
