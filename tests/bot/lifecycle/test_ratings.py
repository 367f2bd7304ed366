"""Ratings, the ladder and profiles: through the real bot, from games that end."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from msgspec import structs

from bot.discord.limits import MAX_TEXT_CHARS
from bot.lifecycle.ratings.ratings import MIN_RANKED_GAMES, Skill, rank_players, rate_game, seat_outcomes, stored_skill
from bot.presenters import ladder as pages
from bot.store.models.records import RatingRow, RatingSummary, SeatRow
from bot.texts.i18n import Catalogue, Localizer
from rules.core.protocol import Request, Result
from rules.core.view import Text
from rules.interface.statistics import DiceLuck, Statistics, SuccessRate
from tests.laws import panels
from tests.sea import AFAR, Sea, refs, text_of

pytestmark = pytest.mark.usefixtures("every_game_counts")

BESIDE = "900x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 1-1+4/4 @470,300^0"
"""B1 is sunk by any two hits."""


def seats(*teams: int) -> list[SeatRow]:
    (row, *_) = panels.asked("matchbox", Request(id="x", seat=0, kind="orders", round=1)).seated_game.seats
    return [structs.replace(row, seat=seat, team=team, user_id=100 + seat) for seat, team in enumerate(teams)]


def rate(teams: tuple[int, ...], winners: tuple[int, ...], *before: Skill) -> dict[int, Skill]:
    rows = seats(*teams)
    known = {seat: before[seat] if before else stored_skill(None) for seat in range(len(teams))}
    return rate_game(rows, seat_outcomes(rows, Result(winners=winners, reason=Text("any"))), known)


def score(user_id: int, mu: float, games: int = MIN_RANKED_GAMES, sigma: float = 1.0) -> RatingSummary:
    name = f"captain_{user_id}"
    return RatingSummary(user_id=user_id, name=name, system="matchbox", mu=mu, sigma=sigma, won=games, lost=0, drawn=0)


def played(facts: Statistics) -> RatingRow:
    return RatingRow(
        game_id=1, user_id=1, system="matchbox", seat=0, outcome="won", mu=25.0, sigma=8.0,
        facts=msgspec.json.encode(facts).decode(), counted=False, rated_at=0,
    )  # fmt: skip


# --- reckoning ---------------------------------------------------------------------------------------------------


def test_winners_rise_losers_fall_and_both_are_surer():
    first, after = stored_skill(None), rate((0, 1), (1,))
    assert first.displayed_rating == 1000
    assert after[0].mu < first.mu < after[1].mu
    assert after[1].mu - first.mu == pytest.approx(first.mu - after[0].mu)
    assert max(after[0].sigma, after[1].sigma) < first.sigma


def test_a_draw_brings_the_strong_and_the_weak_together():
    strong, weak = Skill(30.0, 4.0), Skill(20.0, 4.0)
    after = rate((0, 1), (), strong, weak)
    assert weak.mu < after[1].mu < after[0].mu < strong.mu
    # Draws alone make nobody better known: two players who do nothing else never rise.
    assert (after[0].sigma, after[1].sigma) == (4.0, 4.0)
    even = rate((0, 1), ())
    assert [skill.displayed_rating for skill in even.values()] == [1000, 1000]
    assert even[0].mu == pytest.approx(even[1].mu) == pytest.approx(stored_skill(None).mu)


def test_those_who_lost_are_rated_by_their_places_where_a_game_gives_them_some():
    rows = seats(0, 1, 2, 3)
    ended = seat_outcomes(rows, Result(winners=(2,), reason=Text("any")))
    before = {seat: stored_skill(None) for seat in range(4)}
    alike, apart = rate_game(rows, ended, before), rate_game(rows, ended, before, {0: 3, 1: 2, 2: 1, 3: 4})
    assert alike[0].mu == pytest.approx(alike[1].mu) == pytest.approx(alike[3].mu)
    assert apart[2].mu > apart[1].mu > apart[0].mu > apart[3].mu


def test_a_surprise_counts_for_more():
    strong, weak = Skill(30.0, 4.0), Skill(20.0, 4.0)
    expected, surprise = rate((0, 1), (0,), strong, weak), rate((0, 1), (1,), strong, weak)
    assert strong.mu - surprise[0].mu > expected[0].mu - strong.mu > 0


def test_teams_win_and_lose_together_with_those_who_gave_up():
    after = rate((0, 1, 1, 0), (3,))
    assert after[0] == after[3]
    assert after[1] == after[2]
    assert after[0].mu > stored_skill(None).mu > after[1].mu


def test_who_has_given_up_has_lost_to_those_who_then_agree_on_a_draw():
    drawn = Result(winners=(), reason=Text("any"))
    rows = [structs.replace(row, conceded=row.seat == 1) for row in seats(0, 1, 2)]
    assert seat_outcomes(rows, drawn) == {0: "drawn", 1: "lost", 2: "drawn"}
    before = {seat: stored_skill(None) for seat in range(3)}
    assert rate_game(rows, seat_outcomes(rows, drawn), before)[1].mu < stored_skill(None).mu
    # Allies share how their game ends, as long as one of them fights on.
    allies = [structs.replace(row, conceded=row.seat == 1) for row in seats(0, 1, 0, 1)]
    assert set(seat_outcomes(allies, drawn).values()) == {"drawn"}


def test_one_against_two_who_lose_is_worth_more_than_one_against_one():
    assert rate((0, 1, 1), (0,))[0].mu > rate((0, 1), (0,))[0].mu


def test_the_ladder_ranks_by_what_is_sure_and_puts_newcomers_apart():
    sure, unsure, new = score(1, 27.0), score(2, 29.0, sigma=3.0), score(3, 50.0, games=4)
    equal = structs.replace(sure, user_id=4)
    last = score(5, 10.0)
    rungs = rank_players([new, last, unsure, equal, sure])
    assert [(rung.rank, rung.score.user_id) for rung in rungs] == [(1, 1), (1, 4), (3, 2), (4, 5), (None, 3)]


def test_a_long_ladder_shows_the_best_and_the_reader_and_how_many_there_are_besides():
    words = Localizer(Catalogue.load("en", "matchbox"))
    many = [score(number, 100.0 - number) for number in range(500)]
    text = pages.ladder_text(words, many, 321)
    shown = re.findall(r"captain\\_(\d+)", text)
    assert shown == [*map(str, range(pages.MAX_RANKED)), "321"]
    assert "**322.**" in text
    assert f"and {500 - len(shown)} more" in text
    new = [score(number, 25.0, games=1) for number in range(50)]
    assert len(re.findall(r"captain\\_(\d+)", pages.ladder_text(words, new, 7))) == pages.MAX_PROVISIONAL
    halves = [pages.ladder_text(words, many, 321, ladder_count=2) for _ in range(2)]
    assert len(re.findall(r"captain\\_(\d+)", halves[0])) == pages.MAX_RANKED // 2 + 1


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("of", [1, 2])
def test_ladders_have_room_in_a_message_for_any_names(language, of):
    words = Localizer(Catalogue.load(language, "matchbox"))
    longest = [
        structs.replace(score(number, 25.0, games=1 + 998 * (number % 2)), name="W" * 32) for number in range(200)
    ]
    ladders = [pages.ladder_text(words, longest, 198 + number, ladder_count=of) for number in range(of)]
    assert len("".join([*ladders, words.say("ladder.note")])) < MAX_TEXT_CHARS


@pytest.mark.parametrize(
    ("got", "english", "hungarian"),
    [
        (
            31.0,
            "31, expected 28.4 ± 4.6 (1 σ): luck +0.6 σ, average",
            "31, várható: 28,4 ± 4,6 (1 σ): szerencse +0,6 σ",
        ),
        (28.4, "luck +0.0 σ, average", "szerencse +0,0 σ"),
        (28.3, "luck +0.0 σ, average", "szerencse +0,0 σ"),
        (35.0, "luck +1.4 σ, good", "szerencse +1,4 σ, jó"),
        (22.0, "luck -1.4 σ, bad", "szerencse -1,4 σ, rossz"),
        (40.0, "luck +2.5 σ, very good", "szerencse +2,5 σ, nagyon jó"),
        (14.0, "luck -3.1 σ, very bad", "szerencse -3,1 σ, nagyon rossz"),
    ],
)
def test_luck_is_told_beside_what_was_owed_with_its_error_bar(got, english, hungarian):
    found = DiceLuck(got, 28.4, 4.6**2)
    assert english in pages.luck_text(Localizer(Catalogue.load("en", "matchbox")), "matches", found)
    assert hungarian in pages.luck_text(Localizer(Catalogue.load("hu", "matchbox")), "matches", found)


def test_dice_of_which_one_may_say_the_same_are_told_together():
    found = {
        "ram.dice": DiceLuck(35.0, 28.4, 4.6**2, 10),
        "rake.dice": DiceLuck(28.4, 28.4, 4.6**2, 10),
        "grapple.dice": DiceLuck(35.0, 28.4, 4.6**2, 10),
    }
    words = Localizer(Catalogue.load("en", "squadrons"))
    told = ["Luck with rams, grapples: good", "Luck with rakes: average"]
    unused = {"fire.dice": DiceLuck(0.0, 0.0, 0.0)}
    assert pages.luck_verdicts(words, {**found, **unused}, {*found, *unused}) == told
    few = {"ram.dice": DiceLuck(12.0, 7.0, 35 / 6, 1)}
    assert pages.luck_verdicts(words, few, pages.dice_of_all([Statistics(luck=few)])) == []
    both = pages.dice_of_all([Statistics(luck=found), Statistics(luck=few), Statistics(luck=unused)])
    assert both == {*found} - {"ram.dice"}, "of two captains, the luck of one alone says nothing"
    matches = {"matches": DiceLuck(7.0, 6.8, 4.0, 54)}
    hits = pages.luck_verdicts(Localizer(Catalogue.load("en", "matchbox")), matches, matches.keys())
    assert hits == ["Luck with matches (7, expected 6.8): average"], "few hits may be all that is to be expected"


@pytest.mark.parametrize(("language", "told"), [("en", "matches: bad (10 throws)"), ("hu", "rossz (10 dobás)")])
def test_of_luck_a_profile_speaks_in_a_word_and_only_after_some_throws(language, told):
    words = Localizer(Catalogue.load(language, "matchbox"))

    def said(throws: int, **more: bool) -> str:
        facts = Statistics(luck={"matches": DiceLuck(throws * 2.9, throws * 3.5, throws * 2.0, throws)})
        return pages.profile_text(words, None, [played(facts)], **more)

    assert told in said(10)
    assert "σ" not in said(10)
    assert len(said(2).splitlines()) == 1
    assert "± 2" in said(2, figures=True)


def test_a_profile_of_four_games_has_twelve_lines_and_one_with_figures_many():
    counts, rates = dict.fromkeys(("sunk", "lost"), 3), {"matches": SuccessRate(3, 9)}
    facts = Statistics(
        orders={"F": 4, "X": 2}, counts=counts, rates=rates, luck={"matches": DiceLuck(30.0, 35.0, 20.0, 10)}
    )
    words = Localizer(Catalogue.load("en", "matchbox"))
    short, full = (
        "\n".join(pages.profile_text(words, None, [played(facts)], figures=figures, profile_count=4) for _ in range(4))
        for figures in (False, True)
    )
    assert len(short.splitlines()) == 12
    assert len(full.splitlines()) > 20


# --- played ------------------------------------------------------------------------------------------------------


async def concede(sea: Sea, who: Any) -> None:
    await sea.concede(who, max(row["id"] for row in sea.rows("games")["games"]))


def ratings(sea: Sea) -> list[dict[str, Any]]:
    return sea.rows("ratings")["ratings"]


def value(row: dict[str, Any]) -> int:
    return Skill(row["mu"], row["sigma"]).displayed_rating


async def test_two_games_and_what_the_ladder_makes_of_them(sea: Sea) -> None:
    assert "No rated game" in await sea.command(sea.anna, "ladder")
    assert "anna hasn't finished" in await sea.command(sea.anna, "profile")
    await sea.begin_at(AFAR, sea.bela)
    assert ratings(sea) == []
    assert "No rated game" in await sea.command(sea.anna, "ladder")
    assert "hasn't finished" in await sea.command(sea.cili, "profile", user=sea.bela)
    await concede(sea, sea.bela)
    first = {row["user_id"]: row for row in ratings(sea)}
    assert {who.id: first[who.id]["outcome"] for who in (sea.anna, sea.bela)} == {
        sea.anna.id: "won",
        sea.bela.id: "lost",
    }
    end = text_of(sea.thread.last_message)
    for who in (sea.anna, sea.bela):
        assert f"{who.name} {value(first[who.id])} ({value(first[who.id]) - 1000:+d})" in end

    await sea.begin_at(AFAR, sea.bela)
    assert "draw" in await sea.command(sea.anna, "draw", game="2")
    await sea.command(sea.bela, "draw", game="2")
    second = {row["user_id"]: row for row in ratings(sea) if row["game_id"] == 2}
    assert {row["outcome"] for row in second.values()} == {"drawn"}
    # The game counts as drawn, and changes no rating: they have agreed to it.
    assert {user: row["mu"] for user, row in second.items()} == {user: row["mu"] for user, row in first.items()}
    assert not any(row["counted"] for row in second.values())
    assert "(+" not in text_of(sea.thread.last_message)

    said = await sea.command(sea.cili, "ladder")
    anna, bela = (value(second[who.id]) for who in (sea.anna, sea.bela))
    assert f"anna · **{anna}?** · 1 won, 0 lost, 0 drawn" in said
    assert f"bela · **{bela}?** · 0 won, 1 lost, 0 drawn" in said
    assert said.index("anna") < said.index("bela")
    assert "<@" not in said
    assert all(answer.flags.ephemeral for answer in sea.answers)
    assert "**1.**" not in said


async def test_after_five_games_one_has_a_rank(sea: Sea) -> None:
    for _ in range(MIN_RANKED_GAMES):
        assert "**1.**" not in await sea.command(sea.anna, "ladder")
        await sea.begin_at(AFAR, sea.bela)
        await concede(sea, sea.anna)
    said = await sea.command(sea.anna, "ladder", system="matchbox")
    assert "**1.** bela" in said
    assert "**2.** anna" in said
    assert re.search(r"\d\?", said) is None
    assert "Provisional" not in said
    assert "No rated game" in await sea.command(sea.anna, "ladder", system="forts")
    sea.languages[sea.anna.id] = "hu"
    said = await sea.command(sea.anna, "ladder")
    assert f"bela · **{value(ratings(sea)[-1])}** · {MIN_RANKED_GAMES} győzelem, 0 vereség, 0 döntetlen" in said
    elsewhere = sea.env.create_guild("Lake")
    lake = elsewhere.create_text_channel("pond")
    stranger = elsewhere.add_member(sea.env.create_user("dora"))
    await sea.env.settle()
    assert "No rated game" in await sea.command(stranger, "ladder", at=lake)
    assert "only works on a server" in await sea.direct_command(sea.bela, "ladder")


async def test_what_is_done_in_a_game_is_shown_only_when_it_is_over(sea: Sea) -> None:
    await sea.begin_at(BESIDE, sea.bela)
    await sea.both_seal("A1 XXXXF", "B1 XXXXF")
    if sea.rows("games")["games"][0]["phase"] != "over":
        assert ratings(sea) == []
        assert "hasn't finished" in await sea.command(sea.bela, "profile", user=sea.anna)
        await concede(sea, sea.bela)
    (facts,) = [json.loads(row["facts"]) for row in ratings(sea) if row["user_id"] == sea.anna.id]
    events = [event for row in sea.rows("steps")["steps"] for event in json.loads(row["events"])]
    volleys = [event for event in events if event["type"] == "VolleyDropped" and event["by"] == "A1"]
    assert volleys
    hits = sum(volley["hits"] for volley in volleys)
    dropped = sum(volley["matches"] for volley in volleys)
    assert facts["rates"]["matches"] == {"hits": hits, "tries": dropped}
    said = await sea.command(sea.bela, "profile", user=sea.anna, figures=True)
    assert "Captain anna" in said
    assert f"is provisional until {MIN_RANKED_GAMES} rated games" in said
    assert "1 won, 0 lost, 0 drawn" in said
    assert "fire 4 (80%)" in said
    assert f"Hits: {hits} of {dropped} matches dropped" in said
    luck = facts["luck"]["matches"]
    assert f"matches: {hits}, expected {luck['expected']:.1f} ± {luck['variance'] ** 0.5:.1f} (1 σ)" in said
    assert sea.answers[0].flags.ephemeral
    sea.languages[sea.bela.id] = "hu"
    said = await sea.direct_command(sea.bela, "profile", user=sea.anna, figures=True)
    assert "anna kapitány" in said
    assert f"várható: {luck['expected']:.1f} ± {luck['variance'] ** 0.5:.1f}".replace(".", ",") in said
    assert "tűz 4 (80%)" in said


async def test_a_game_with_a_computer_is_not_rated_but_its_dice_are_shown(sea: Sea) -> None:
    await sea.begin_at(BESIDE)
    await sea.seal(sea.anna, "A1 XXXXF")
    if sea.rows("games")["games"][0]["phase"] != "over":
        await concede(sea, sea.anna)
    (row,) = ratings(sea)
    assert (row["user_id"], value(row)) == (sea.anna.id, 1000)
    assert not row["counted"]
    assert "Ratings" not in sea.told()
    assert "No rated game" in await sea.command(sea.anna, "ladder")
    said = await sea.command(sea.anna, "profile")
    assert "Unrated games: 1" in said
    assert "Rating " not in said
    assert "Luck with" not in said  # a word of luck takes more throws
    assert "matches:" in await sea.command(sea.anna, "profile", figures=True)


async def test_a_game_opened_as_unrated_is_none(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, rated=False)
    assert "This game is unrated" in text_of(sea.channel.history()[0])
    await concede(sea, sea.bela)
    assert [value(row) for row in ratings(sea)] == [1000, 1000]
    assert "Ratings" not in sea.told()
    assert "No rated game" in await sea.command(sea.anna, "ladder")
    await sea.begin_at(AFAR, sea.bela)
    assert "This game is unrated" not in text_of(sea.channel.history()[-1])
    await concede(sea, sea.bela)
    said = await sea.command(sea.anna, "profile")
    assert "1 won, 0 lost, 0 drawn" in said
    assert "Unrated games: 1" in said


@pytest.mark.begun
async def test_what_was_taken_back_is_not_counted(sea: Sea) -> None:
    for _ in range(2):
        await sea.both_seal("A1 FFXXX", "B1 LRXXX")
    await sea.command(sea.anna, "host undo", game="1", to_round=2)
    await sea.press(sea.bela, sea.thread.last_message, next(iter(refs(sea.thread.last_message))))
    assert "UndoAction" in sea.rows("steps")["steps"][-1]["cause"]
    await concede(sea, sea.bela)
    facts = {row["user_id"]: json.loads(row["facts"]) for row in ratings(sea)}
    assert facts[sea.anna.id]["orders"] == {"F": 2, "X": 3}
    assert facts[sea.bela.id]["orders"] == {"L": 1, "R": 1, "X": 3}
    assert facts[sea.anna.id]["counts"]["rounds"] == 1
    # All have agreed to go back, and other dice fell: the game counts like any other.
    assert sea.rows("games")["games"][0]["rated"] == 1
    anna, bela = (value(row) for row in ratings(sea))
    assert anna > 1000 > bela
    assert "Ratings" in sea.told()


async def test_a_game_in_which_a_seat_was_given_to_the_computer_changes_nobodys_rating(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await concede(sea, sea.bela)
    before = {row["user_id"]: value(row) for row in ratings(sea)}
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.manager(), "host kick", game="2", whose="bela", to_computer=True)
    await concede(sea, sea.anna)
    last = [row for row in ratings(sea) if row["game_id"] == 2]
    # The captain who is there at the end sees what they did; nobody wins or loses by it, not even the one sent away.
    assert [(row["user_id"], value(row)) for row in last] == [(sea.anna.id, before[sea.anna.id])]
    assert not any(row["counted"] for row in last)
    assert "Unrated games: 1" in await sea.command(sea.anna, "profile")
    assert "Unrated games: 1" not in await sea.command(sea.bela, "profile")


@pytest.mark.begun
async def test_a_game_in_which_a_kicked_captain_is_replaced_by_another_is_rated(sea: Sea) -> None:
    await sea.command(sea.manager(), "host kick", game="1", whose="bela")
    offer = next(message for message in sea.thread.history() if "take_over 1" in refs(message))
    await sea.press(sea.cili, offer, "take_over 1")
    await concede(sea, sea.anna)
    assert {row["user_id"]: row["outcome"] for row in ratings(sea)} == {sea.anna.id: "lost", sea.cili.id: "won"}
    assert sea.rows("games")["games"][0]["rated"] == 1


async def test_names_cannot_break_out_of_the_ladder(sea: Sea) -> None:
    evil = sea.member("**@everyone**")
    await sea.env.settle()
    await sea.begin_at(AFAR, evil)
    await concede(sea, evil)
    for said in (await sea.command(sea.anna, "ladder"), await sea.command(sea.anna, "profile", user=evil)):
        assert "@everyone" not in said
        assert "\\*\\*@\u200beveryone\\*\\*" in said


async def test_twins_gain_nothing_by_draws_however_often(sea: Sea) -> None:
    """Two accounts of one person agree draws, at once and after rounds in which nothing is struck."""
    for number in range(1, 3):
        await sea.begin_at(AFAR, sea.bela)
        if number == 2:
            await sea.both_seal("#2 A1 FFFFF", "#2 B1 RRRRR")
        await sea.command(sea.anna, "draw", game=str(number))
        await sea.command(sea.bela, "draw", game=str(number))
    found = ratings(sea)
    assert [row["outcome"] for row in found] == ["drawn"] * 4
    assert {value(row) for row in found} == {1000}
    assert "No rated game" in await sea.command(sea.cili, "ladder")


@pytest.mark.begun
async def test_a_profile_counts_what_its_captain_ordered_in_person(sea: Sea) -> None:
    """Not what the first mate ordered for them, nor what was ordered before they had the seat."""
    await sea.seal(sea.anna, "A1 LLLLL")
    await sea.env.advance_time(86_401)  # the mate orders for Bela
    await sea.command(sea.manager(), "host replace", game="1", whose="anna", substitute=sea.cili)
    await sea.seal(sea.cili, "A1 FFLLL")
    await sea.seal(sea.bela, "B1 RRRRR")
    await concede(sea, sea.bela)
    facts = {row["user_id"]: json.loads(row["facts"]) for row in ratings(sea)}
    assert facts[sea.cili.id]["orders"] == {"F": 2, "L": 3}
    assert facts[sea.cili.id]["counts"]["rounds"] == 1
    assert facts[sea.bela.id]["orders"] == {"R": 5}
    assert facts[sea.bela.id]["counts"]["rounds"] == 1
