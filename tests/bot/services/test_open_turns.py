"""A game of open turns through the same doors: steps are carried out as they are pressed or typed, on one clock."""

from __future__ import annotations

from collections import Counter

import pytest

from bot.discord.ids import parse_custom_id
from bot.texts.i18n import Catalogue
from tests.bot.captains import by_typing, play
from tests.sea import Sea, parts, refs, text_of

SYSTEM = "forts"
TURNS_BY_HINTS, PRESSES_BY_HINTS_MOST = 8, 4


def labels(message):
    return [part.label for part in parts(message) if getattr(part, "label", None)]


async def at_sea(sea: Sea) -> None:
    await sea.begin(sea.bela, system=SYSTEM)
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)


async def active(sea: Sea):
    for who in (sea.anna, sea.bela):
        pending = await sea.asked(who, 1)
        if pending and not pending.row.optional:
            return who, pending
    raise AssertionError("nobody is asked")


def legs(story: str) -> int:
    (line,) = (line for line in story.splitlines() if line.removeprefix("### ").startswith("Moves: "))
    return line.count("–")


async def test_what_is_typed_is_carried_out_at_once_and_the_clock_runs_on(sea: Sea) -> None:
    await at_sea(sea)
    who, first = await active(sea)
    ship = "BR"  # she sails in a calm, too
    panel = sea.panel(who)
    await sea.press(who, panel, f"press ship.{ship}")
    sails = [part for part in parts(sea.panel(who)) if hasattr(part, "options") and "sail" in (part.custom_id or "")]
    hexes = [option.value for part in sails for option in part.options]
    assert hexes
    target = hexes[0].split(".")[-1].split(">")[-1]
    await sea.env.advance_time(600)
    said = await sea.write(who, f"{ship}>{target}")
    assert "sails from" in said
    _, second = await active(sea)
    assert second.row.id != first.row.id
    assert second.row.deadline == first.row.deadline
    assert f"to {target}" in sea.told()
    assert first.row.id not in {ref.request for ref in refs(sea.panel(who)).values()}


async def test_an_order_against_the_rules_is_refused_with_its_rule(sea: Sea) -> None:
    await at_sea(sea)
    who, pending = await active(sea)
    said = await sea.write(who, "BB>U11")
    assert "NB-0" in said
    _, after = await active(sea)
    assert after.row.id == pending.row.id


async def test_a_plan_waits_for_its_turn_while_nobody_waits_for_it(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    other = sea.bela if who is sea.anna else sea.anna
    said = await sea.write(other, "any: end")
    assert "cannot" not in said
    await sea.press(who, sea.panel(who), "press end")
    await sea.env.advance_time(90_000)
    await sea.env.settle()
    assert "Turn 3" in text_of(sea.thread.last_message) or "Turn 3" in sea.told()


async def test_a_turn_is_told_in_one_message(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    other = sea.bela if who is sea.anna else sea.anna
    before = len(sea.thread.history())
    acts = ("BR", "FR")
    for ship in acts:
        await sea.press(who, sea.panel(who), f"press ship.{ship}")
        select = next(part for part in parts(sea.panel(who)) if "/sail" in (getattr(part, "custom_id", "") or ""))
        ref = parse_custom_id(select.custom_id)
        assert ref
        await sea.pick(who, sea.panel(who), ref.token, select.options[0].value)
    assert len(sea.thread.history()) == before + 2  # with a line of the chain above it
    story = text_of(sea.thread.last_message)
    assert legs(story) == len(acts)
    assert len([part for part in parts(sea.thread.last_message) if hasattr(part, "items")]) == 1
    before_it = sea.thread.history()[-3]
    for asking in (story, text_of(before_it)):
        assert f"Next to act: {who.name}" in asking
        assert "sealed" not in asking
    assert "orders" in refs(sea.thread.last_message)
    log = await sea.press(other, sea.thread.last_message, "log")
    assert log.count(" sails from ") == len(acts)
    await sea.press(who, sea.panel(who), "press end")
    assert len(sea.thread.history()) == before + 2
    ended = text_of(sea.again(who, sea.thread.last_message))
    assert f"Next to act: {other.name}" in ended
    assert f"Next to act: {who.name}" not in ended
    assert story.splitlines()[0] in sea.told()
    await sea.command(other, "extend", game="1", by="1h")
    assert text_of(sea.again(who, sea.thread.history()[before + 1])) != ended


async def test_typing_is_helped_by_what_may_be_ordered(sea: Sea) -> None:
    await at_sea(sea)
    who, pending = await active(sea)
    suggested = await who.autocomplete(sea.channel, "galley orders", "text", "")
    assert {"BB", "GA", "FR", "BR", "end"} <= {choice["value"] for choice in suggested}
    suggested = await who.autocomplete(sea.channel, "galley orders", "text", "br>")
    orders = [choice["value"] for choice in suggested]
    assert orders
    assert all(order.startswith("BR>") for order in orders)
    assert suggested[0]["name"].startswith("BR brig ")
    said = await sea.command(who, "orders", text=orders[0])
    assert "Carried out" in said
    _, after = await active(sea)
    assert after.row.id != pending.row.id


async def test_nothing_is_suggested_to_those_who_have_nothing_to_order(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    assert not await sea.cili.autocomplete(sea.channel, "galley orders", "text", "")
    assert not await who.autocomplete(sea.channel, "galley orders", "text", "no such order")
    assert not await who.autocomplete(sea.channel, "galley orders", "text", "BB>" + "x" * 5000)


@pytest.mark.parametrize("how", ["deadline", "resolve"])
async def test_a_time_that_is_cut_short_ends_like_one_that_is_up(sea: Sea, how: str) -> None:
    """A captain asked ship by ship gets no more questions in this turn, and has missed it only if a deadline passed."""
    await at_sea(sea)
    who, pending = await active(sea)
    if how == "resolve":
        await sea.command(sea.manager(), "host resolve", game="1")
    else:
        await sea.env.advance_time(86_401)
    other, after = await active(sea)
    assert other is not who
    assert after.row.body.clock != pending.row.body.clock
    assert (after.row.deadline or 0) > sea.now().timestamp() + 80_000
    assert [seat["missed"] for seat in sea.rows("seats")["seats"]].count(0) == (1 if how == "deadline" else 2)


async def test_a_turn_takes_one_form(sea: Sea) -> None:
    await at_sea(sea)
    for _ in range(6):
        who, pending = await active(sea)
        if more := next((key for key in refs(sea.panel(who)) if key.startswith("page")), ""):
            await sea.press(who, sea.panel(who), more)
        panel = sea.panel(who)
        if "form turn" not in refs(panel):
            await sea.write(who, "end")  # a calm
            continue
        sailing = pending.row.body.round
        form = await sea.click_only(who, panel, refs(panel)["form turn"])
        fields = [label["component"]["options"] for label in form.modal["components"]]
        assert len(fields) == 5
        taken: set[str] = set()
        chosen = {}
        for number, options in enumerate(fields[:-1]):
            token = next(option["value"] for option in options[1:] if option["value"] not in taken)
            taken.add(token)
            chosen[f"{number}"] = [token]
        result = await who.user.submit_modal(form, {**chosen, "4": ["end"]})
        await sea.env.settle()
        assert not sea.said(result, pressed=panel.id)
        assert legs(sea.told()) == 4
        _, after = await active(sea)
        assert after.row.body.round == sailing + 1
        return
    raise AssertionError("it never blew")


async def test_a_turn_by_hints_takes_at_most_four_presses(sea: Sea) -> None:
    """A hint is for the whole turn, and taking it carries it out; only a die may ask for a second."""
    await sea.begin(system=SYSTEM, computer=1)
    await play(sea, [sea.anna], by_typing, rounds=0)
    presses: Counter[int] = Counter()
    while sum(presses.values()) < 2 * TURNS_BY_HINTS and (pending := await sea.asked(sea.anna, 1)):
        await sea.press(sea.anna, sea.panel(sea.anna), "hint")
        panel = sea.panel(sea.anna)
        assert "Do it now" in labels(panel)
        assert Catalogue.load("en").say("hint.at_once") in text_of(panel)
        await sea.click(sea.anna, panel, next(ref for key, ref in refs(panel).items() if key.startswith("take")))
        presses[pending.row.body.round] += 2
    assert len(presses) >= TURNS_BY_HINTS / 2
    assert max(presses.values()) <= PRESSES_BY_HINTS_MOST


async def test_a_panel_tells_of_a_turn_in_which_nothing_moved_and_asks_for_the_only_ship_that_can(sea: Sea) -> None:
    calm = "two_forts 1 white calm - 0 white=west BB/BB ; wBB@D5 0 s3 ; wBR@C7 0 s1 ; rBB@R6 0 ; rGA@R5 0"
    await sea.begin_at(calm, sea.bela, system=SYSTEM, colours="first", wind="round")
    assert "Only the brig can do anything now." in await sea.read(sea.anna)
    panel = sea.panel(sea.anna)
    assert not [key for key in refs(panel) if key.startswith(("press ship.", "form"))]
    await sea.press(sea.anna, panel, "press end")
    assert (await active(sea))[1].row.body.round == 3  # nobody asked red
    for text in (text_of(sea.panel(sea.anna)), sea.told()):
        assert "Turn 2, bela, red: the weather stays the same (calm), and nothing moved." in text


async def test_the_last_panel_tells_all_that_came_after_the_captain_was_last_asked(sea: Sea) -> None:
    doomed = "two_forts 1 white calm - 0 white=west BB/BB ; wBB@H7 4 s1 ; rBB@I7 0 ; rGA@H8 0"
    await sea.begin_at(doomed, system=SYSTEM, computer=1, colours="first", wind="round")
    await sea.write(sea.anna, "BB*GA; end")  # in the enemy's turn her flagship sinks
    assert sea.rows("games")["games"][0]["phase"] == "over"
    said = text_of(sea.reply(sea.anna))
    own = said.index("the white battleship hits the red galleon")
    assert own < said.index("The white battleship, the flagship, sinks at H7!")
