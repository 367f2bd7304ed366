"""A client of Discord's that presses buttons which no message ever had."""

from __future__ import annotations

from typing import Any

from bot.discord.messages.quoting import quote_text
from tests.sea import Sea, text_of


class Forger:
    """A person who presses anything, in a message that nobody else sees: on the server, or in direct messages."""

    def __init__(self, sea: Sea, who: Any, *, direct: bool = False) -> None:
        self._sea = sea
        self._who = who
        self._direct = direct
        self._page: Any = None

    async def press(self, custom_id: str, *, values: list[str] | None = None, quoting: str = "") -> str:
        """Press a button, or choose from a select, with any custom id, below any text; return the answer.

        A form that opens is sent with the same text.
        """
        if self._page is None:
            await (self._sea.direct_command if self._direct else self._sea.command)(self._who, "help")
            self._page = self._sea.answers[0]
        stored = self._sea.env.backend.messages[self._page.channel.id][self._page.id]
        if values is None:
            control: dict[str, Any] = {"type": 2, "style": 2, "label": "x"}
        else:
            control = {"type": 3, "options": [{"label": value[:100], "value": value} for value in values]}
        texts = [{"type": 10, "content": quote_text(quoting)}] if quoting else []
        stored.components = [*texts, {"type": 1, "components": [{**control, "custom_id": custom_id}]}]
        who = self._who.user if self._direct else self._who
        if values is None:
            result = await who.click(self._page, custom_id=custom_id)
        else:
            result = await who.select(self._page, values, custom_id=custom_id)
        if quoting and result.modal and _typed_into(result.modal):
            result = await who.submit_modal(result, {"text": quoting})
        return self._sea.said(result, pressed=self._page.id)

    async def send(self, custom_id: str, text: str, *, opened_by: str) -> str:
        """Send a form that `opened_by` opens, with another custom id; return the answer."""
        await self.press("wg/games/0/0//0")
        stored = self._sea.env.backend.messages[self._page.channel.id][self._page.id]
        button = {"type": 2, "style": 2, "label": "x", "custom_id": opened_by}
        stored.components = [{"type": 1, "components": [button]}]
        who = self._who.user if self._direct else self._who
        opened = await who.click(self._page, custom_id=opened_by)
        opened._interaction.modal["custom_id"] = custom_id
        return self._sea.said(await who.submit_modal(opened, {"text": text}), pressed=self._page.id)

    def shown(self) -> str:
        return text_of(self._sea.again(self._who, self._page))


def _typed_into(form: dict[str, Any]) -> bool:
    return [component.get("component", {}).get("custom_id") for component in form["components"]] == ["text"]
