"""Lists whose pick was refused, or answered elsewhere: the same entry can be picked again.

Discord's client sends nothing if the entry is picked that it shows as picked already (discord-api-docs#4801, #7765).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from bot.discord.ids import CustomId
from bot.discord.interactions.responses import picked_value
from tests.bot.discord.test_lessons import opened as lesson
from tests.bot.test_keepsakes import given
from tests.english import modules
from tests.sea import AFAR, Sea, parts, refs, text_of


class Client:
    """Picks from lists as Discord's client does."""

    def __init__(self, sea: Sea, who: Any) -> None:
        self.sea, self.who = sea, who
        self.picked: dict[tuple[int, str], str] = {}
        """Picked values by message and the list's id; a list with a new id starts without."""

    def shown(self, message: Any, key: str) -> str | None:
        """Return the picked value of a list, else its default."""
        message = self.sea.again(self.who, message)
        custom_id = refs(message)[key].pack()
        self.picked = {place: value for place, value in self.picked.items() if place == (message.id, custom_id)}
        (menu,) = (part for part in parts(message) if getattr(part, "custom_id", None) == custom_id)
        default = next((option.value for option in menu.options if option.default), None)
        return self.picked.get((message.id, custom_id), default)

    async def pick(self, message: Any, key: str, value: str) -> str:
        assert self.shown(message, key) != value, "nothing is sent"
        message = self.sea.again(self.who, message)
        custom_id = refs(message)[key].pack()
        self.picked[message.id, custom_id] = value
        with self.sea.speaking(self.who):
            actor = self.who if message.guild else self.who.user
            result = await actor.select(message, [value], custom_id=custom_id)
        await self.sea.env.settle()
        return self.sea.said(result, pressed=message.id)


class Pick(NamedTuple):
    who: Any
    message: Any
    key: str
    value: str


async def a_game_of_the_help(sea: Sea) -> Pick:
    await sea.command(sea.anna, "help")
    return Pick(sea.anna, sea.answers[0], "about", "forts")


async def a_game_of_the_help_in_direct_messages(sea: Sea) -> Pick:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "help")
    return Pick(sea.anna, sea.dms(sea.anna)[-1], "about", "forts")


async def a_crew_that_is_dismissed_elsewhere(sea: Sea) -> Pick:
    for number in (1, 2):
        given(sea, sea.anna, number, f"Argo {number}", xp=3)
    await sea.command(sea.anna, "me")
    (me,) = sea.answers
    await sea.press(sea.anna, me, "keepsakes")
    (crews,) = [message for message in sea.answers if "keepsake" in refs(message)] or [sea.again(sea.anna, me)]
    sea.change_rows("DELETE FROM keepsakes WHERE number = 1")
    return Pick(sea.anna, crews, "keepsake", "matchbox.1")


async def a_course_of_a_lesson(sea: Sea) -> Pick:
    message = await lesson(sea, sea.anna, lesson="squadrons.0")
    key = next(key for key, ref in refs(message).items() if ref.verb == "lesson_pick")
    custom_id = refs(message)[key].pack()
    (menu,) = (part for part in parts(message) if getattr(part, "custom_id", None) == custom_id)
    return Pick(sea.anna, message, key, next(option.value for option in menu.options if not option.default))


async def an_option_of_somebody_elses_lobby(sea: Sea) -> Pick:
    await sea.command(sea.anna, "new", computer=1)  # then options are on the first page, because nothing is rated
    lobby = sea.channel.last_message
    key = next(key for key, ref in refs(lobby).items() if ref.verb == "option")
    return Pick(sea.bela, lobby, key, other_value(lobby, refs(lobby)[key]))


async def a_game_that_cannot_be_chosen(sea: Sea) -> Pick:
    await sea.command(sea.anna, "new")
    options = await sea.turned(sea.anna, sea.channel.last_message, "lobby_game", "options")
    sea.change_rows("UPDATE games SET host_id = ?", sea.bela.id)
    return Pick(sea.anna, options, "lobby_game", "forts")


async def a_galley_of_a_panel_that_is_out_of_date(sea: Sea) -> Pick:
    await sea.begin(sea.bela, galleys="3", deployment="ready")
    await sea.write(sea.anna, "A1 FFFFF")
    panel = await sea.turned(sea.anna, sea.panel(sea.anna), "pick galley")
    sea.change_rows("UPDATE requests SET version = version + 1")
    return Pick(sea.anna, panel, "pick galley", "galley.A2")


async def a_rule_that_is_gone(sea: Sea) -> Pick:
    await sea.command(sea.anna, "help", rule="RS-21.4")
    (message,) = sea.answers
    stored = sea.env.backend.messages[message.channel.id][message.id]
    text = json.dumps(stored.components)
    (menu,) = (part for part in parts(message) if getattr(part, "options", None))
    stored.components = json.loads(text.replace(f'"value": "{menu.options[0].value}"', '"value": "RS-99.9"'))
    return Pick(sea.anna, message, "rule", "RS-99.9")


async def a_setting_that_is_chosen_already(sea: Sea) -> Pick:
    await sea.command(sea.anna, "me")
    (me,) = sea.answers
    return Pick(sea.anna, me, "me_pick language", "hu")


def other_value(message: Any, ref: CustomId) -> str:
    (menu,) = (part for part in parts(message) if getattr(part, "custom_id", None) == ref.pack())
    return next(str(option.value) for option in menu.options if not option.default)


PICKS: dict[str, tuple[Callable[[Sea], Awaitable[Pick]], ...]] = {
    "about": (a_game_of_the_help, a_game_of_the_help_in_direct_messages),
    "keepsake": (a_crew_that_is_dismissed_elsewhere,),
    "lesson_pick": (a_course_of_a_lesson,),
    "option": (an_option_of_somebody_elses_lobby,),
    "lobby_game": (a_game_that_cannot_be_chosen,),
    "me_pick": (a_setting_that_is_chosen_already,),
    "rule": (a_rule_that_is_gone,),
    "pick": (a_galley_of_a_panel_that_is_out_of_date,),
}
"""By verb of a list: where there is an entry whose pick leaves the list there, or is answered elsewhere."""


def test_all_lists_are_tried() -> None:
    verbs_tried = set()
    for path in modules("bot/discord/interactions"):
        methods = [
            node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.AsyncFunctionDef)
        ]
        for method in methods:
            verbs = [decorator.args[0] for decorator in method.decorator_list if isinstance(decorator, ast.Call)]
            calls = [
                call.func.id
                for call in ast.walk(method)
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
            ]
            verbs_tried |= {ast.literal_eval(verb) for verb in verbs if picked_value.__name__ in calls}
    assert verbs_tried == PICKS.keys()


@pytest.mark.parametrize(
    "prepare", [verb for some in PICKS.values() for verb in some], ids=lambda function: function.__name__
)
async def test_an_entry_can_be_picked_until_it_is_chosen(sea: Sea, prepare: Callable[[Sea], Awaitable[Pick]]) -> None:
    pick = await prepare(sea)
    client = Client(sea, pick.who)
    for _ in range(3):
        await client.pick(pick.message, pick.key, pick.value)
        if client.shown(pick.message, pick.key) == pick.value:
            assert not client.picked, "it is chosen"
            break


async def test_a_list_that_is_shown_again_is_as_new(sea: Sea) -> None:
    given(sea, sea.anna, 1, "Argo", xp=3)
    await sea.command(sea.anna, "me")
    (me,) = sea.answers
    await sea.press(sea.anna, me, "keepsakes")
    (crews,) = [message for message in sea.answers if "keepsake" in refs(message)] or [sea.again(sea.anna, me)]
    client = Client(sea, sea.anna)
    for _ in range(2):
        await client.pick(crews, "keepsake", "matchbox.1")
        assert "Argo" in text_of(sea.again(sea.anna, crews))
        await sea.press(sea.anna, sea.again(sea.anna, crews), "keepsakes")


async def test_what_was_changed_elsewhere_can_be_chosen_again(sea: Sea) -> None:
    await sea.command(sea.anna, "new", computer=1)
    lobby, client = sea.channel.last_message, Client(sea, sea.anna)
    key = next(key for key, ref in refs(lobby).items() if ref.verb == "option")
    option = refs(lobby)[key].token
    (game,) = await sea.bot.services.reader.games.games_of_user(sea.anna.id)
    was, new = game.setup.options[option], other_value(lobby, refs(lobby)[key])
    await client.pick(lobby, key, new)
    assert client.shown(lobby, key) == new
    await sea.bot.services.lobbies.choose_option(sea.anna.id, 1, option, was)  # in another message
    await sea.settle()
    assert client.shown(lobby, key) == was
    await client.pick(lobby, key, new)
    (game,) = await sea.bot.services.reader.games.games_of_user(sea.anna.id)
    assert game.setup.options[option] == new
