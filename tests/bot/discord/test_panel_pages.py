"""A panel with more than a message holds: its pages, turned by buttons, which a restart does not forget."""

from __future__ import annotations

import pytest

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_TEXT_CHARS
from bot.discord.messages import board, paging
from bot.discord.messages.board import BlockSize, Button, MenuOption, SelectMenu, lay_out_message, measure_blocks
from bot.texts.i18n import Catalogue, Localizer
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, parts, refs, text_of

EN = Catalogue.load("en")


@pytest.fixture
def small_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit messages to fewer components than Discord does, so that today's panels need pages."""
    monkeypatch.setattr(paging, "MESSAGE_ROOM", BlockSize(14, 4000))


@pytest.mark.usefixtures("small_messages")
async def test_pages_are_turned_and_a_press_stays_on_its_page_after_a_restart_too(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    panel = sea.panel(sea.anna)
    assert "page 1" in refs(panel)
    assert "pick standing" not in refs(panel)
    before = sea.rows("requests")
    assert not await sea.press(sea.anna, panel, "page 1")
    panel = sea.panel(sea.anna)
    assert "page 0" in refs(panel)
    assert sea.rows("requests") == before  # looking changes nothing
    await sea.restart()
    await sea.pick(sea.anna, panel, "standing", "target.weakest")
    panel = sea.panel(sea.anna)
    assert refs(panel)["type"].page == 3
    await sea.press(sea.anna, panel, "page 1")
    await sea.press(sea.anna, sea.panel(sea.anna), "page 0")
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    assert refs(sea.panel(sea.anna))["type"].page == 0
    pending = await sea.asked(sea.anna)
    assert "target weakest" in pending.row.draft
    # A page that there is not, by a forged button, is the last.
    forger = Forger(sea, sea.anna)
    for token in ("77", "x", "-1", ""):
        assert not await forger.press(CustomId(verb="page", game=1, request=pending.row.id, token=token).pack())
    assert not sea.faults


@pytest.mark.begun
async def test_giving_up_and_a_draw_are_on_the_last_page_and_the_question_has_a_way_back(sea: Sea) -> None:
    panel, page = sea.panel(sea.anna), 0
    while f"page {page + 1}" in refs(panel):
        assert "ask_concede" not in refs(panel)
        page += 1
        await sea.press(sea.anna, panel, f"page {page}")
        panel = sea.panel(sea.anna)
    assert Catalogue.load("en", "matchbox").say("say.concede_sure") in await sea.press(sea.anna, panel, "ask_concede")
    (question,) = sea.answers
    assert {*refs(question)} == {"concede", "play_on"}
    await sea.press(sea.anna, question, "play_on")
    assert sea.rows()["games"][0]["phase"] == "running"
    assert EN.say("say.draw_offered") in await sea.press(sea.anna, sea.panel(sea.anna), "draw")


@pytest.mark.usefixtures("small_messages")
async def test_why_buttons_are_grey_stands_on_the_page_that_has_them(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.write(sea.anna, "A1 FFFFF")
    why, grey = Catalogue.load("en", "matchbox").say("why.too_many_orders"), []
    while True:
        panel = sea.panel(sea.anna)
        has = any(getattr(part, "disabled", False) and part.label == "F ↑" for part in parts(panel))
        grey += [has] if has else []
        assert (why in text_of(panel)) is has
        further = [
            key for key, ref in refs(panel).items() if ref.verb == "page" and (ref.token_as_number or 0) > ref.page
        ]
        if not further:
            break
        await sea.press(sea.anna, panel, further[0])
    assert grey == [True]


def test_what_a_message_has_no_room_for_is_left_out_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    button = Button(label="x", custom_id=CustomId(verb="press", game=1))
    select = SelectMenu(hint="x", custom_id=CustomId(verb="pick", game=1), options=(MenuOption(label="x", value="x"),))
    blocks = ["a" * 3000, "b" * 3000, *([button] for _ in range(17)), select, [button], "c"]
    message = lay_out_message(blocks)
    (box,) = message.view.to_components()
    laid = box["components"]
    assert measure_blocks(*blocks).components > board.MESSAGE_ROOM.components
    assert sum(1 + len(part.get("components", [])) for part in laid) <= board.MESSAGE_ROOM.components
    assert sum(len(part.get("content", "")) for part in laid) == MAX_TEXT_CHARS
    assert len(caplog.records) == 3  # two texts and a row of buttons


@pytest.mark.parametrize(("joined", "first"), [(None, "0123"), (4, "012")])
def test_buttons_that_belong_together_stand_on_one_page(joined: int | None, first: str) -> None:
    row = [
        Button(label="W" * 20, custom_id=CustomId(verb="press", game=1, token=f"{n}"), is_joined=n == joined)
        for n in range(5)
    ]
    pages = paging.split_pages(
        Localizer(EN),
        above=["#"],
        options=[row],
        controls=[],
        below="",
        page_custom_id=lambda page: CustomId(verb="page", game=1),
    )
    groups_of_page = [
        "".join(button.custom_id.token for block in page for button in block if isinstance(block, list))
        for page in pages
    ]
    assert (groups_of_page[0], "".join(groups_of_page)) == (first, "01234")


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_what_letters_of_orders_mean_stays_for_three_rounds_while_orders_are_given(
    sea: Sea, language: str
) -> None:
    key, sinking = Catalogue.load(language, "matchbox").say("request.orders.key").split("\n")
    await sea.command(sea.anna, "me", language=language)
    await sea.begin_at(AFAR, computer=1)
    assert sinking in text_of(sea.panel(sea.anna)), "the first panel says when a galley sinks"
    for round_no in range(1, 5):
        assert (key in text_of(sea.panel(sea.anna))) == (round_no < 4)
        await sea.press(sea.anna, sea.panel(sea.anna), "press order.L")
        assert (key in text_of(sea.panel(sea.anna))) == (round_no < 4)
        await sea.press(sea.anna, sea.panel(sea.anna), "hint")
        hint = sea.panel(sea.anna)
        await sea.click(sea.anna, hint, next(ref for ref in refs(hint).values() if ref.verb == "take_and_seal"))
