"""A bot with one of everything that chat can show, to try the sandbox without the game."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

import aiosqlite
import discord
from discord import app_commands, ui
from discord.ext import tasks
from PIL import Image, ImageDraw


def picture(text: str) -> discord.File:
    image, file = Image.new("RGB", (900, 560)), io.BytesIO()
    ImageDraw.Draw(image).text((70, 70), text, font_size=48)
    image.save(file, "PNG")
    file.seek(0)
    return discord.File(file, "table.png", description=f"A drawing of {text}")


class Panel(ui.LayoutView):
    """The DM panel: counts what was pressed, kept in one message."""

    def __init__(self, bot: Toy, draft: str = "") -> None:
        super().__init__(timeout=None)
        self.bot, self.draft = bot, draft
        box = ui.Container()
        box.add_item(ui.TextDisplay(f"## Orders\n-# what you have: `{draft or '–'}`"))
        box.add_item(ui.MediaGallery(discord.MediaGalleryItem("attachment://table.png", description="the table")))
        row = ui.ActionRow()
        for token in ("Forward", "Left", "X fire"):
            button = ui.Button(label=token, custom_id=f"press:{token[0]}", disabled=token == "X fire" and not draft)
            button.callback = self.press(token[0])
            row.add_item(button)
        seal = ui.Button(label="Seal", custom_id="seal")
        seal.callback = self.seal
        row.add_item(seal)
        box.add_item(row)
        pick = ui.Select(
            custom_id="galley", options=[discord.SelectOption(label=f"Galley A{n}", value=str(n)) for n in (1, 2, 3)]
        )
        pick.callback = self.pick
        box.add_item(ui.ActionRow(pick))
        write, stand = (ui.Button(label=label, custom_id=label) for label in ("Type orders", "Standing orders"))
        write.callback, stand.callback = self.write, self.stand
        box.add_item(ui.ActionRow(write, stand))
        self.add_item(box)

    def press(self, token: str):
        async def pressed(interaction: discord.Interaction) -> None:
            panel = Panel(self.bot, self.draft + token)
            await interaction.response.defer()  # the callback that edits a message takes no files
            await interaction.edit_original_response(view=panel, attachments=[picture(panel.draft)])

        return pressed

    async def seal(self, interaction: discord.Interaction) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.followup.send(f"Sealed `{self.draft or 'nothing'}`.")

    async def pick(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"You chose {interaction.data['values'][0]}.", ephemeral=True)

    async def write(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Write())

    async def stand(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Stand())


class Write(ui.Modal, title="Type orders"):
    text = ui.Label(text="Orders", component=ui.TextInput(style=discord.TextStyle.paragraph, max_length=40))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(
            f"You typed {discord.utils.escape_markdown(self.text.component.value)}", ephemeral=True
        )


class Stand(ui.Modal, title="Standing orders"):
    what = ui.Label(
        text="When rammed",
        component=ui.Select(options=[discord.SelectOption(label=what, value=what) for what in ("back", "hold")]),
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"You will {self.what.component.values[0]}.", ephemeral=True)


class Lobby(ui.LayoutView):
    def __init__(self, bot: Toy, players: tuple[str, ...] = ()) -> None:
        super().__init__(timeout=None)
        self.bot, self.players = bot, players
        box = ui.Container()
        box.add_item(
            ui.TextDisplay("### A new duel\n" + ("\n".join(f"- {name}" for name in players) or "*nobody yet*"))
        )
        row = ui.ActionRow()
        for label in ("Join", "Start"):
            button = ui.Button(label=label, custom_id=label.lower())
            button.callback = getattr(self, label.lower())
            row.add_item(button)
        box.add_item(row)
        self.add_item(box)

    async def join(self, interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(view=Lobby(self.bot, (*self.players, interaction.user.mention)))

    async def start(self, interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        thread = await interaction.message.create_thread(name="Duel 1")
        await thread.send("# The duel begins", file=picture("the table"))
        await interaction.user.send(view=Panel(self.bot), file=picture("your plan"))


class Toy(discord.Client):
    """Keeps a count of what it was told in SQLite; forgets its views, as a real one would not."""

    def __init__(self, clock: Callable[[], datetime], path: Path) -> None:
        super().__init__(intents=discord.Intents.default())
        self.clock, self.path = clock, path
        self.tree = app_commands.CommandTree(self)
        group = app_commands.Group(name="toy", description="Try the sandbox")

        @group.command(name="new", description="Open a lobby")
        @app_commands.describe(size="How many galleys", mode="How it is set up", name="Its name")
        async def new(
            interaction: discord.Interaction,
            size: app_commands.Range[int, 1, 8] = 1,
            mode: Literal["open", "private"] = "open",
            name: str = "",
        ) -> None:
            await interaction.response.send_message(view=Lobby(self, (name,) if name else ()))

        @group.command(name="find", description="Find a game")
        async def find(interaction: discord.Interaction, game: str, player: discord.User | None = None) -> None:
            await interaction.response.send_message(
                f"Found **{game}** for {player.mention if player else 'nobody'}.", ephemeral=True
            )

        @find.autocomplete("game")
        async def offer(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
            return [app_commands.Choice(name=f"Game {n}", value=n) for n in ("alpha", "beta", "gamma") if typed in n]

        @group.command(name="fail", description="Breaks")
        async def fail(interaction: discord.Interaction) -> None:
            msg = "the toy is broken"
            raise RuntimeError(msg)

        @group.command(name="language", description="Says its language")
        async def language(interaction: discord.Interaction) -> None:
            await interaction.response.send_message(str(interaction.locale), ephemeral=True)

        @group.command(name="server", description="Says the language of the server")
        async def server(interaction: discord.Interaction) -> None:
            await interaction.response.send_message(str(interaction.guild_locale), ephemeral=True)

        self.tree.add_command(group)

    async def setup_hook(self) -> None:
        self.db = await aiosqlite.connect(self.path)
        await self.db.execute("create table if not exists told (text)")
        self.add_view(Panel(self))
        self.add_view(Lobby(self))
        await self.tree.sync()
        self.tick.start()

    @tasks.loop(hours=24)
    async def tick(self) -> None:
        if self.tick.current_loop:
            for guild in self.guilds:
                await guild.text_channels[0].send("A day has passed.")

    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot or message.guild:
            return
        await self.db.execute("insert into told values (?)", (message.content,))
        await self.db.commit()
        async with self.db.execute("select count(*) from told") as rows:
            (count,) = await rows.fetchone()
        await message.channel.send(
            f"You told me {count} things, lastly *{discord.utils.escape_markdown(message.content)}*"
        )

    async def close(self) -> None:
        await self.db.close()
        await super().close()
