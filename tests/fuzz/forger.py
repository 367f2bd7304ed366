"""A client of Discord's that presses buttons which no message ever had."""

from __future__ import annotations

from typing import Any

from tests.sea import Sea


class Forger:
    """Somebody who presses whatever he likes, in a message that he alone sees."""

    def __init__(self, sea: Sea, who: Any) -> None:
        self._sea = sea
        self._who = who
        self._page: Any = None

    async def press(self, custom_id: str, *, values: list[str] | None = None) -> str:
        """Press a button, or choose from a select, that carries any custom id; what was answered."""
        if self._page is None:
            await self._sea.command(self._who, "help")
            self._page = self._sea.answers[0]
        stored = self._sea.env.backend.messages[self._page.channel.id][self._page.id]
        if values is None:
            control: dict[str, Any] = {"type": 2, "style": 2, "label": "x"}
        else:
            control = {"type": 3, "options": [{"label": value[:100], "value": value} for value in values]}
        stored.components = [{"type": 1, "components": [{**control, "custom_id": custom_id}]}]
        if values is None:
            result = await self._who.click(self._page, custom_id=custom_id)
        else:
            result = await self._who.select(self._page, values, custom_id=custom_id)
        return self._sea.said(result, pressed=self._page.id)
