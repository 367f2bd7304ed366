"""Text that is typed finds the only game that can be meant, or a button takes it on; what is refused can be mended."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from bot.discord.ids import CustomId, parse_custom_id
from bot.discord.messages.quoting import MAX_EXCERPT_CHARS, excerpt_around
from bot.texts.i18n import Catalogue
from bot.texts.labels import MAX_LABEL_CHARS
from tests.bot.rows import bot_messages
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, parts, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


async def two_games(sea: Sea, *positions: str) -> None:
    for position in positions:
        await sea.begin_at(position, sea.bela, missed="hold")


def drafts(sea: Sea) -> dict[tuple[int, str], str]:
    return {(row["game_id"], row["id"]): row["draft"] for row in sea.rows("requests")["requests"]}


async def test_a_text_goes_to_the_only_game_that_can_read_it(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1")  # it asks for a place
    await sea.begin_at(AFAR, sea.bela)
    said = await sea.write(sea.anna, "A1 FFRXF")
    assert "#2 War Galley · anna – bela" in said
    assert "F F R X F" in said
    assert drafts(sea)[2, "r1.orders.0"] == "A1 FFRXF"
    assert "Which" not in await sea.direct_command(sea.anna, "orders", text="A1 LLLLL")
    assert drafts(sea)[2, "r1.orders.0"] == "A1 LLLLL"
    # What nobody can read is refused for the game that asked last; what can be read and not be done, for that game.
    said = await sea.write(sea.anna, "A1 FFFFFF")
    assert "#2 War Galley · anna – bela" in said
    assert "MB-3.3" in said
    # Nonsense that no game understands: which one was meant?
    assert "Which game" in await sea.write(sea.anna, "⛵")
    labelled = [part.label for part in parts(bot_messages(sea, sea.anna)[-1]) if getattr(part, "label", "")]
    assert labelled == ["#1 War Galley · anna – bela", "#2 War Galley · anna – bela"]
    assert drafts(sea)[2, "r1.orders.0"] == "A1 LLLLL"


async def test_a_button_for_each_game_takes_the_text_on_also_after_a_restart(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.command(sea.anna, "me", language="hu")
    await two_games(sea, AFAR, AFAR)
    before = drafts(sea)
    said = await sea.write(sea.anna, "A1 EEJTE\ncélzás: kérdezz")
    assert HU.say("refuse.which_game") in said
    assert drafts(sea) == before
    (question,) = [message for message in bot_messages(sea, sea.anna) if "A1 EEJTE" in text_of(message)]
    chosen = {ref.game: ref for ref in buttons(question)}
    assert chosen.keys() == {1, 2}
    await sea.restart()
    await sea.click(sea.anna, question, chosen[2])
    assert drafts(sea)[2, "r1.orders.0"].startswith("A1 FFRXF; aim ask")
    assert not drafts(sea)[1, "r1.orders.0"]
    assert len(bot_messages(sea, sea.anna)) == 2  # the panel of each game, and nothing else
    assert "#2" in text_of(bot_messages(sea, sea.anna)[-1])
    assert "E E J T E" in text_of(bot_messages(sea, sea.anna)[-1])
    # Sealed there, the same text can only be meant for the other.
    await sea.press(sea.anna, bot_messages(sea, sea.anna)[-1], "seal")
    assert "#1" in await sea.write(sea.anna, "A1 EEEEE")
    assert drafts(sea)[1, "r1.orders.0"] == "A1 FFFFF"


def buttons(message: Any) -> list[Any]:
    refs_of_parts = [parse_custom_id(getattr(part, "custom_id", None) or "") for part in parts(message)]
    return [ref for ref in refs_of_parts if ref]


async def test_commands_ask_which_game_with_buttons_too(sea: Sea) -> None:
    await two_games(sea, AFAR, AFAR)
    assert "Which game" in await sea.command(sea.anna, "standing", text="aim ask")
    (question,) = sea.answers
    first = next(ref for ref in buttons(question) if ref.game == 1)
    said = await sea.click(sea.anna, question, first)
    assert "set your standing orders" in said
    assert drafts(sea)[1, "r1.orders.0"] == "aim ask"
    assert "F F F F F" in await sea.write(sea.anna, "#2 A1 FFFFF")
    assert drafts(sea)[2, "r1.orders.0"] == "A1 FFFFF"
    assert EN.say("refuse.unknown_game", piece="#7") in await sea.write(sea.anna, "#7 A1 FFFFF")
    suggested = await sea.anna.autocomplete(sea.channel, "galley orders", "game", "2")
    assert [choice["value"] for choice in suggested] == ["2"]
    assert not await sea.cili.autocomplete(sea.channel, "galley orders", "game", "")
    for name in ("export", "verify"):
        assert "Which game" in await sea.command(sea.anna, name)
        (question,) = sea.answers
        await sea.click(sea.anna, question, next(ref for ref in buttons(question) if ref.game == 2))
        assert sea.answers
        assert "Which game" not in text_of(sea.answers[0])


async def test_a_wrong_text_is_shown_with_a_way_to_correct_it(sea: Sea) -> None:
    await sea.begin_at(f"{AFAR} ; A2:south 5-5+3/5 @700,80^0", sea.bela)
    wrong, panel = "A1 FFFXF; A2 FFQRF", sea.panel(sea.anna)
    shown = await sea.open_form(sea.anna, panel)
    said = await sea.send_form(sea.anna, panel, shown, wrong)
    assert "I don't understand “Q”" in said
    assert "Nothing has changed." in said
    assert "orders are still" not in said
    assert wrong in said
    assert not drafts(sea)[1, "r1.orders.0"]
    (refusal,) = sea.answers
    form = await sea.click_only(sea.anna, refusal, refs(refusal)["correct"])
    assert _prefilled(form) == wrong
    await sea.send_form(sea.anna, refusal, form, "A1 FFFXF; A2 FFRRF")
    assert drafts(sea)[1, "r1.orders.0"] == "A1 FFFXF; A2 FFRRF"
    assert "F F R R F" in text_of(sea.panel(sea.anna))
    # The same below a message of one's own, of which the last is enough; and there it goes once it is mended.
    await sea.write(sea.anna, "A1 QQQQQ")
    said = await sea.write(sea.anna, "A1 LLLLL; A2 `Q`")
    assert "Nothing has changed. You still have `A1 FFFXF; A2 FFRRF`." in said
    assert len([message for message in bot_messages(sea, sea.anna) if "correct" in refs(message)]) == 1
    refusal = bot_messages(sea, sea.anna)[-1]
    form = await sea.click_only(sea.anna, refusal, refs(refusal)["correct"])
    assert _prefilled(form) == "A1 LLLLL; A2 `Q`"
    said = await sea.send_form(sea.anna, refusal, form, "A1 WWWWW")
    assert not said  # it is the refusal that says what is wrong now
    refusal = sea.again(sea.anna, refusal)
    assert "A1 WWWWW" in text_of(refusal)
    assert "LLLLL" not in text_of(refusal)
    form = await sea.click_only(sea.anna, refusal, refs(refusal)["correct"])
    await sea.send_form(sea.anna, refusal, form, "A1 LLLLL")
    (panel,) = bot_messages(sea, sea.anna)
    assert "L L L L L" in text_of(panel)
    # And in a command.
    assert "Nothing has changed" in await sea.command(sea.anna, "orders", text="A1 QQ")
    (refusal,) = sea.answers
    assert _prefilled(await sea.click_only(sea.anna, refusal, refs(refusal)["correct"])) == "A1 QQ"


@pytest.mark.begun
async def test_a_private_panel_and_what_is_refused_of_it_take_turns_in_one_message(sea: Sea) -> None:
    await sea.command(sea.anna, "orders")
    (panel,) = sea.answers
    for _ in range(2):
        assert not await sea.send_form(sea.anna, panel, await sea.open_form(sea.anna, panel), "A1 QQ")
        refused = sea.again(sea.anna, panel)
        assert "A1 QQ" in text_of(refused)
        assert "press order.F" not in refs(refused)
        await sea.click(sea.anna, refused, refs(refused)["page"])
        panel = sea.again(sea.anna, panel)
        assert "press order.F" in refs(panel)
    await sea.send_form(sea.anna, panel, await sea.open_form(sea.anna, panel), "A1 QQ")
    refused = sea.again(sea.anna, panel)
    form = await sea.click_only(sea.anna, refused, refs(refused)["correct"])
    assert not await sea.send_form(sea.anna, refused, form, "A1 LLLLL")
    assert "L L L L L" in text_of(sea.again(sea.anna, panel))


async def test_of_a_long_text_only_what_is_wrong_is_quoted_and_all_of_it_can_be_corrected(sea: Sea) -> None:
    await sea.begin_at(f"{AFAR} ; A2:south 5-5+3/5 @700,80^0", sea.bela)
    long = f"A1 FFFXF; {'aim steady; ' * 30}A2 FFQRF; {'casualties seaworthy; ' * 20}".strip()
    said = await sea.write(sea.anna, f"#1 {long}")
    assert "A2 FFQRF" in said
    assert "…" in said
    assert len(said) < 500
    refusal = bot_messages(sea, sea.anna)[-1]
    await sea.restart()
    form = await sea.click_only(sea.anna, refusal, refs(refusal)["correct"])
    assert _prefilled(form) == long
    await sea.send_form(sea.anna, refusal, form, "A1 FFFXF; A2 FFRRF")
    assert drafts(sea)[1, "r1.orders.0"] == "A1 FFFXF; A2 FFRRF"


@pytest.mark.parametrize(
    ("text", "piece", "shown"),
    [
        ("A1  FF\nX", "FF", "A1 FF X"),
        ("x" * 300, "", "x" * MAX_EXCERPT_CHARS + "…"),
        ("a" * 200 + "Q" + "b" * 200, "q", "…" + "a" * 20 + "Q" + "b" * 59 + "…"),
        ("a" * 200 + "Q", "Q", "…" + "a" * 79 + "Q"),
        ("a" * 200, "nowhere", "a" * MAX_EXCERPT_CHARS + "…"),
    ],
)
def test_an_excerpt_is_one_line_about_what_is_refused(text: str, piece: str, shown: str) -> None:
    assert excerpt_around(text, piece) == shown


def _prefilled(form: Any) -> str:
    (label,) = form.modal["components"]
    return str(label["component"]["value"])


@pytest.mark.begun
async def test_a_refusal_goes_with_its_question(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFQ")
    assert "correct" in refs(bot_messages(sea, sea.anna)[-1])
    await sea.env.advance_time(86_400 + 60)
    missed, panel = bot_messages(sea, sea.anna)
    assert "you didn't seal anything in time" in text_of(missed)
    assert "Round 2" in text_of(panel)


@pytest.mark.begun
async def test_a_line_that_is_refused_does_not_stay_chosen(sea: Sea) -> None:
    await sea.command(sea.anna, "orders")
    (elsewhere,) = sea.answers
    await sea.write(sea.anna, "A1 F")
    ref = refs(elsewhere)["pick course"]
    (select,) = [part for part in parts(elsewhere) if getattr(part, "custom_id", "") == ref.pack()]
    before = len(sea.env.http_requests)
    said = await sea.pick(sea.anna, elsewhere, "course", select.options[-1].value)
    assert "have changed since" in said
    edits = [call.path for call in sea.env.http_requests[before:] if call.method == "PATCH"]
    assert any("/messages/@original" in path for path in edits)  # the bot shows it again, up to date
    assert "**A1** F" in text_of(sea.again(sea.anna, elsewhere))


async def test_a_text_is_taken_into_no_later_round_by_a_command_that_is_used_again(sea: Sea) -> None:
    await two_games(sea, AFAR, AFAR)
    assert "Which game" in await sea.command(sea.anna, "orders", text="A1 FFFFF")
    (question,) = sea.answers
    ref = next(ref for ref in buttons(question) if ref.game == 1)
    assert ref.request == "r1.orders.0"
    # A forged press that names no question, or another one, does nothing.
    assert "A1 FFFFF" in text_of(question)
    for forged in (structs.replace(ref, request=""), structs.replace(ref, request="r9.orders.0")):
        stored = sea.env.backend.messages[question.channel.id][question.id]
        (row,) = [row for row in stored.components[0]["components"] if row["type"] == 1]
        row["components"][0]["custom_id"] = forged.pack()
        await sea.click(sea.anna, question, forged)
        assert not drafts(sea)[1, "r1.orders.0"]
    row["components"][0]["custom_id"] = ref.pack()
    # The round ends before the button is pressed.
    await sea.env.advance_time(86_401)
    assert (await sea.asked(sea.anna, 1)).row.id == "r2.orders.0"
    said = await sea.click(sea.anna, question, ref)
    assert EN.say("refuse.stale") in said
    assert not any(text for (game, request), text in drafts(sea).items() if (game, request) == (1, "r2.orders.0"))


# Text typed for one round is not taken for a later one: in open turns it would act at once.
async def test_what_was_typed_for_a_round_that_is_over_goes_into_no_other(sea: Sea) -> None:
    await two_games(sea, AFAR, AFAR)
    await sea.write(sea.anna, "A1 FFRXF")
    (question,) = [message for message in bot_messages(sea, sea.anna) if "A1 FFRXF" in text_of(message)]
    chosen = {ref.game: ref for ref in buttons(question)}
    # Game 2 goes on to its next round; of game 1 nothing happens.
    for user, text in ((sea.anna, "A1 LLLLL"), (sea.bela, "B1 LLLLL")):
        pending = await sea.bot.services.reader.requests.pending_request(user.id, 2)
        pending = await sea.bot.services.orders.type_text(pending, text)
        await sea.bot.services.orders.seal_draft(pending, pending.row.version)
        await sea.settle()
    assert (2, "r2.orders.0") in drafts(sea)
    assert not drafts(sea)[2, "r2.orders.0"]
    if question.id in {message.id for message in bot_messages(sea, sea.anna)}:
        await sea.click(sea.anna, question, chosen[2])
    assert not drafts(sea)[2, "r2.orders.0"], "orders of round 1 stand in the draft of round 2"


# Looking at a ship by typing its name breaks no seal.
async def test_looking_at_a_ship_by_typing_her_name_breaks_no_seal(sea: Sea) -> None:
    await sea.begin_at(f"{AFAR} ; A2:south 5-5+3/5 @700,80^0", sea.bela)
    await sea.seal(sea.anna, "A1 FFFFF; A2 FFFFF")
    sealed = [row["commitment"] for row in sea.rows("answers")["answers"]]
    assert len(sealed) == 1
    (before,) = [row for row in sea.rows("requests")["requests"] if row["status"] == "sealed"]
    for look in ("A2", "A2+reach", "A1"):
        await sea.write(sea.anna, look)
        (after,) = [row for row in sea.rows("requests")["requests"] if row["id"] == before["id"]]
        assert after["draft"] == before["draft"]  # nothing has changed
        assert after["focus"] == look
        assert after["status"] == "sealed"


async def test_what_no_game_can_take_goes_to_the_one_with_the_ship_and_help_shows_help(sea: Sea) -> None:
    for number, system in enumerate(("matchbox", "ramspeed", "squadrons", "forts"), start=1):
        await Forger(sea, sea.anna).press(CustomId(verb="play", game=0, token=system).pack())
        assert len(sea.rows("games")["games"]) == number
    assert EN.say("help.title") in await sea.write(sea.anna, "/galley help")
    assert EN.say("help.title") in await sea.write(sea.anna, "Segítség")
    # Only the fleet game has a B4.
    said = await sea.write(sea.anna, "B4 sail 9")
    assert "I don't understand `B4 sail 9`" in said
    assert "#3 Fleet game · anna – " in said
    # Nonsense: a button for each game, of which one leads to what that game does not understand.
    assert EN.say("refuse.which_game") in await sea.write(sea.anna, "hello")
    question = bot_messages(sea, sea.anna)[-1]
    assert {ref.game for ref in buttons(question)} == {1, 2, 3, 4}
    assert all(len(part.label) <= MAX_LABEL_CHARS for part in parts(question) if getattr(part, "label", ""))
    said = await sea.click(sea.anna, question, next(ref for ref in buttons(question) if ref.game == 2))
    assert "I don't understand `hello`" in said


async def test_help_for_a_game_by_its_number_says_what_may_be_typed_in_it_now(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FFRXF")
    for language, word in (("en", "help"), ("hu", "segítség")):
        await sea.command(sea.anna, "me", language=language)
        sea.languages[sea.anna.id] = language
        spoken = EN if language == "en" else HU
        assert spoken.say("say.write_help", word=word) in await sea.write(sea.anna, "#1 nonsense")
        for text in (f"#1 {word}", f"#1 {word.capitalize()}.", word):
            said = await sea.write(sea.anna, text)
            assert spoken.say("help.title") in said
            assert "#1 War Galley" in said
            assert ("`A1 FFXRX`" if language == "en" else "`A1 EETJT`") in said
    assert EN.say("help.title") in await sea.write(sea.bela, "#7 help")  # no such game: what may be typed in general
    assert drafts(sea)[1, "r1.orders.0"] == "A1 FFRXF"


async def test_what_is_done_with_one_of_several_lobbies_says_which_or_asks(sea: Sea) -> None:
    for _ in range(2):
        await sea.command(sea.anna, "new")
    for number in (1, 2):
        assert f"#{number} War Galley · anna" in await sea.command(sea.bela, "join", game=str(number))
    for who, command in ((sea.bela, "leave"), (sea.anna, "cancel"), (sea.anna, "start")):
        assert "Which game" in await sea.command(who, command)
        labels = [part.label for part in parts(sea.answers[0]) if getattr(part, "label", "")]
        assert [label.split(" · ")[0] for label in labels] == ["#2 War Galley", "#1 War Galley"]
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["lobby", "lobby"]
    again = {ref.game: ref for ref in buttons(sea.answers[0])}
    assert "#1 War Galley · anna – bela" in await sea.click(sea.anna, sea.answers[0], again[1])
    assert "#2 War Galley · anna" in await sea.command(sea.bela, "leave", game="2")
    # A refusal names a game that its reader has not named.
    await sea.command(sea.cili, "new", name="Mylae")
    await sea.command(sea.bela, "join", game="3")
    refused = await sea.command(sea.bela, "cancel")
    assert "#3 War Galley · Mylae" in refused
    assert EN.say("refuse.not_host") in refused


async def test_who_plays_nothing_reads_the_game_that_is_over(sea: Sea) -> None:
    await sea.begin_at(AFAR)
    pictures = await sea.anna.autocomplete(sea.channel, "galley table", "picture", "")
    await sea.concede(sea.anna)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    for command in ("status", "table", "film", "history log", "history replay", "history export"):
        assert EN.say("refuse.no_game") in await sea.command(sea.cili, command)
        answer = await sea.command(sea.anna, command)
        assert answer.endswith(await sea.command(sea.anna, command, game="1")), f"{command}: below the game's title"
        assert EN.say("refuse.no_game") not in answer
    assert pictures
    assert await sea.anna.autocomplete(sea.channel, "galley table", "picture", "") == pictures
