"""Deadlines: missed orders, drafts that were not sealed, and downtime."""

from __future__ import annotations

import pytest

from tests.sea import ABEAM, AFAR, Sea, refs, text_of

DAY_S = 86_400


def answers(sea: Sea) -> dict[str, tuple[str, str]]:
    return {row["request_id"]: (row["given_by"], row["body"]) for row in sea.rows("answers")["answers"]}


@pytest.mark.begun
async def test_one_who_misses_the_deadline_is_played_by_the_computer(sea: Sea) -> None:
    await sea.seal(sea.anna, "A1 FFFFF")
    assert len(sea.rows("steps")["steps"]) == 1
    await sea.env.advance_time(DAY_S + 1)
    given = answers(sea)
    assert given["r1.orders.0"][0] == "captain"
    assert given["r1.orders.0"][1].startswith("A1 FFFFF")
    assert given["r1.orders.1"][0] == "deadline"
    assert given["r1.orders.1"][1].startswith("B1 ")
    assert "bela: missed the deadline" in sea.told()
    assert "Round 1" in sea.told()
    asked = await sea.asked(sea.bela)
    assert asked.row.id == "r2.orders.1"
    assert asked.row.deadline == asked.seated_game.game.deadline
    assert asked.row.deadline - sea.now().timestamp() > DAY_S - 60


@pytest.mark.begun
async def test_an_unfinished_plan_is_said_not_to_count_and_what_became_of_it(sea: Sea) -> None:
    warning = "Unfinished orders don't count at the deadline; your first mate gives orders for you instead."
    assert warning not in text_of(sea.panel(sea.anna))
    await sea.write(sea.anna, "A1 FFF")
    begun = sea.panel(sea.anna)
    assert warning in text_of(begun)
    await sea.env.advance_time(DAY_S + 1)
    assert "Your orders were unfinished, so they didn't count." in text_of(sea.again(sea.anna, begun))


async def test_one_who_missed_is_told_so_and_what_was_ordered_for_them(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.command(sea.bela, "me", zone="UTC")
    await sea.begin_at(AFAR, sea.bela)
    first = {who.id: sea.panel(who) for who in (sea.anna, sea.bela)}
    await sea.env.advance_time(DAY_S + 1)
    for who, missed, mate, more in (
        (
            sea.anna,
            "Round 1: you didn't seal anything in time.",
            "Your first mate gave orders for you:",
            "Miss 1 more deadline and",
        ),
        (
            sea.bela,
            "nem pecsételtél időben.",
            "Az első tiszted adott parancsot helyetted",
            "Ha még 1 határidőt lekésel",
        ),
    ):
        told = text_of(sea.again(who, first[who.id])).replace("\u00a0", " ")
        assert missed in told
        assert mate in told
        assert more in told
        # There is nothing else of the old round: no reminder, no second message.
        assert len(sea.dms(who)) == 2
    ordered = answers(sea)["r1.orders.0"][1].split()[1].rstrip(";")
    assert f"**A1** {' '.join(ordered)}" in text_of(sea.again(sea.anna, first[sea.anna.id]))
    assert f"A1 (anna's first mate): `{ordered}`" in sea.told()
    await sea.press(sea.anna, next(m for m in reversed(sea.thread.history()) if "log" in refs(m)), "log")
    logged = "\n".join(map(text_of, sea.answers))
    assert "A1 (anna's first mate)" in logged
    assert "**anna's first mate**: **A1**" in logged
    assert "**anna**" not in logged
    # Captains who give their own orders are named as ever; the second time the bot offers the seat.
    second = sea.panel(sea.bela)
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.env.advance_time(DAY_S + 1)
    assert "A1 (anna): `FFFFF`" in sea.told()
    assert "A helyed másnak is szabad" in text_of(sea.again(sea.bela, second))


async def test_in_a_game_that_holds_missing_galleys_lie_still(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold", phase="2h")
    await sea.env.advance_time(2 * 3600 + 1)
    assert {body.split(";")[0] for _, body in answers(sea).values()} == {"hold"}
    assert {given_by for given_by, _ in answers(sea).values()} == {"deadline"}
    assert sea.rows("games")["games"][0]["step_no"] == 1
    assert "A1 (anna, absent): no orders" in sea.told()
    assert "All galleys hold without orders." in text_of(sea.dms(sea.anna)[0])


@pytest.mark.begun
async def test_a_draft_that_lacks_only_the_seal_counts(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 RFLFF; aim safe")
    await sea.write(sea.bela, "B1 FF")
    await sea.env.advance_time(DAY_S + 1)
    given = answers(sea)
    assert given["r1.orders.0"][0] == "draft"
    assert given["r1.orders.0"][1].startswith("A1 RFLFF; ")
    assert "aim safe" in given["r1.orders.0"][1]
    assert given["r1.orders.1"][0] == "deadline"
    assert "bela: missed the deadline" in sea.told()
    assert "anna: missed the deadline" not in sea.told()


@pytest.mark.begun
async def test_what_fell_due_while_the_bot_was_down_is_due_as_much_later(sea: Sea) -> None:
    before = await sea.asked(sea.anna)
    await sea.restart(after_s=3 * DAY_S)
    asked = await sea.asked(sea.anna)
    assert asked.row.id == before.row.id == "r1.orders.0"
    assert asked.row.deadline == before.row.deadline + 3 * DAY_S
    assert "I was offline for 3 days" in sea.told()
    assert "missed the deadline" not in sea.told()
    await sea.env.advance_time(asked.row.deadline - sea.now().timestamp() + 1)
    assert sea.rows("games")["games"][0]["step_no"] == 1
    assert "missed the deadline" in sea.told()
    assert (await sea.asked(sea.anna)).row.id == "r2.orders.0"
    assert "press order.F" in refs(sea.panel(sea.anna))
    assert "This turn is over" in text_of(sea.dms(sea.anna)[0])


async def test_a_decision_in_mid_round_that_nobody_takes(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XFFFF; aim ask", "B1 FFFFX")
    assert (await sea.asked(sea.anna)).row.id == "r1.1.aim.A1"
    await sea.env.advance_time(DAY_S + 1)
    assert answers(sea)["r1.1.aim.A1"] == ("deadline", "steady")
    assert (await sea.asked(sea.anna)).row.id == "r2.orders.0"


async def test_nothing_happens_before_its_time(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="1h")
    before = sea.rows()
    await sea.env.advance_time(3590)
    assert sea.rows() == before
    await sea.env.advance_time(20)
    assert len(sea.rows("steps")["steps"]) == 2


LAST = (
    "30x24 open turn=9/9 phase=orders quiet=0 seats=ann@Athens,bob@Sparta ; "
    "A1 T ann athenian @4,9^90 20 ; S1 T bob spartan @26,15^270 20"
)


async def test_who_misses_the_last_deadline_is_told_of_no_seat(sea: Sea) -> None:
    """The game is over with it: nothing is offered to anybody, nor could it be taken back."""
    await sea.command(sea.anna, "new", system="ramspeed", sides="first")
    await sea.command(sea.bela, "join")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", LAST)
    sea.change_rows("UPDATE seats SET missed = 1")
    await sea.command(sea.anna, "start")
    panel = sea.panel(sea.anna)
    await sea.env.advance_time(DAY_S + 1)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    closed = text_of(sea.again(sea.anna, panel))
    assert "you didn't seal anything in time" in closed
    assert "Game over" in closed
    assert "seat" not in closed
    assert "take over" not in sea.told()


async def test_what_stood_in_for_missing_orders_is_said_where_they_are_told(sea: Sea) -> None:
    await sea.begin_at(LAST.replace("9/9", "1/9"), sea.bela, system="ramspeed", sides="first")
    await sea.both_seal("A1: fwd 2\nstanding A1: fwd 1", "S1: fwd 2")
    await sea.settle()
    assert "These orders were carried out: A1" in text_of(sea.panel(sea.anna))
    missed = sea.panel(sea.anna)
    await sea.env.advance_time(DAY_S + 1)
    assert sorted(row["given_by"] for row in sea.rows("answers")["answers"][2:]) == ["deadline", "stored"]
    assert "The orders you'd left for this were used:" in text_of(sea.again(sea.anna, missed))
    assert "The deadline passed, so the orders left for this were used: A1" in text_of(sea.panel(sea.anna))
    assert "The deadline passed, so the first mate gave these orders: S1" in text_of(sea.panel(sea.bela))
    assert not any("These orders were carried out" in text_of(sea.panel(who)) for who in (sea.anna, sea.bela))
