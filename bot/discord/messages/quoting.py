"""What somebody has typed stands in our answer as text, so that a button can take it up again, after a restart too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord

from bot.discord.ids import Ref
from bot.discord.messages.board import Block, Button
from bot.discord.messages.choosing import labels
from bot.errors import Refusal
from bot.life.playing import Playing
from bot.store.records import RequestRow
from bot.telling.wording import called
from bot.words.i18n import Words
from bot.words.labels import LABEL_MOST
from bot.words.style import UNSEEN, Said, shortened

GAMES_MOST: Final = 25
"""Buttons of games in one message (Discord's five rows)."""
ORDERS_MOST: Final = 200
"""Characters of the unchanged orders that are quoted; the panel shows all of them."""
EXCERPT_MOST: Final = 80
"""Characters of a direct message that are quoted below it: about two lines of a phone."""
NUMBERED: Final = re.compile(r"^#(\d{1,9})\b\s*")
"""How somebody says which game they mean."""
_QUOTED: Final = re.compile(r"```\n(.*)\n```", re.DOTALL)


def quoted(text: str) -> str:
    """A text as it was typed, however it looks; its backticks would end it."""
    return f"```\n{text.replace('`', f'{UNSEEN}´')}\n```"


def excerpt(text: str, piece: str) -> str:
    """A text in one line; of a long one what lies about the piece that is refused, or its beginning."""
    line = " ".join(text.split())
    if len(line) <= EXCERPT_MOST:
        return line
    at = max(line.casefold().find(" ".join(piece.split())[:EXCERPT_MOST].casefold()), 0)
    start = max(min(at - EXCERPT_MOST // 4, len(line) - EXCERPT_MOST), 0)
    end = start + EXCERPT_MOST
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"


def typed_in(message: discord.Message | None) -> str:
    """The text that is quoted in a message of ours; empty if there is none."""
    waiting: list[Any] = list(message.components) if message else []
    while waiting:
        component = waiting.pop(0)
        if isinstance(component, discord.TextDisplay) and (found := _QUOTED.search(component.content)):
            return found[1].replace(f"{UNSEEN}´", "`")
        waiting += getattr(component, "children", [])
    return ""


def correction(words: Words, row: RequestRow, text: str, *, back: bool = False) -> list[Block]:
    """Below what is wrong with a text: the text, that nothing of it was noted, and a button that opens it in a form.

    The orders that stay are named apart from it. Another button leads `back` to a panel that stood there.
    """
    ref = Ref(verb="correct", game=row.game_id, request=row.id, version=row.version)
    panel = Button(label=words.say("button.my_orders"), ref=Ref(verb="page", game=row.game_id, request=row.id))
    stays = shortened("; ".join(row.draft.replace("`", "´").splitlines()), ORDERS_MOST)
    noted = words.say("say.orders_stay", orders=stays) if stays else words.say("say.nothing_noted")
    leads = [words.say("say.panel_back")] if back else []
    return [
        "\n".join([words.say("say.you_wrote"), quoted(text), noted, *leads]),
        [Button(label=words.say("button.correct"), ref=ref), *([panel] if back else [])],
    ]


def which_game(words: Words, games: Sequence[Playing]) -> Refusal:
    """Why nothing is done where several games may be meant, for which no buttons can be offered."""
    named = [words.style.item(called(words, playing)) for playing in games[:GAMES_MOST]]
    return Refusal("which_of", games=Said("\n".join(["", *named])))


def games_to_choose(words: Words, games: Iterable[tuple[Playing, Ref]], text: str = "") -> list[Block]:
    """Below the question which game was meant: a button for each, which takes the text on."""
    buttons = [Button(label=shortened(called(labels(words), playing), LABEL_MOST), ref=ref) for playing, ref in games][
        :GAMES_MOST
    ]
    return [*([quoted(text)] if text else []), buttons]
