"""What happens when somebody presses a button, picks from a select, sends a form or writes a direct message."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, cast

import discord
from discord import Interaction, ui

import render
from bot import agreement, logs, speech, work
from bot.errors import Refusal
from bot.i18n import Catalogue, Said, Words, best
from bot.ids import PATTERN, Ref, of_match, unpack
from bot.metrics import Metrics, Outcome
from bot.panels import lessons
from bot.panels.board import Button, Shown, lay_out
from bot.panels.compose import Composer
from bot.panels.gallery import Cut, Gallery, Subject, show_progress
from bot.store import NotWritten
from bot.store.records import Message, Player
from bot.table import Asked, Table
from bot.wishes import panel_key
from rules.errors import OrderError
from rules.registry import RULESETS

log = logging.getLogger(__name__)

TYPED_MOST: Final = 1000
"""Characters of typed orders; a form takes no more, and longer messages are refused."""


def player_of(user: discord.User | discord.Member, locale: str) -> Player:
    """A Discord user as the table knows him."""
    return Player(user_id=user.id, name=user.display_name[:80], locale=locale)


def language_of(interaction: Interaction[Any]) -> str:
    """The language of whoever acts: the one he has chosen, if `Presses.recognize` found one, or that of his Discord."""
    return best(str(interaction.extras.get("chosen_locale") or interaction.locale))


def refusal_text(words: Words, error: Refusal | OrderError) -> Said:
    """Say in one sentence why something is refused."""
    if isinstance(error, OrderError):
        return words.fault(error.fault)
    return words.say(f"refuse.{error.key}", **error.params)


async def answer(interaction: Interaction[Any], text: str | Shown) -> None:
    """Say something to whoever acts, and to nobody else."""
    arguments: dict[str, Any] = text.sending() if isinstance(text, Shown) else {"content": text}
    arguments.setdefault("allowed_mentions", discord.AllowedMentions.none())
    if interaction.response.is_done():
        await interaction.followup.send(ephemeral=True, **arguments)
    else:
        await interaction.response.send_message(ephemeral=True, **arguments)


class Presses:
    """Carries presses to the table and shows what came of them."""

    def __init__(self, table: Table, composer: Composer, metrics: Metrics) -> None:
        self._table = table
        self._composer = composer
        self._metrics = metrics
        self._in_hand: set[asyncio.Task[Any]] = set()
        self._gallery = Gallery(table, composer)
        self._verbs: dict[str, Callable[[Interaction[Any], Ref], Awaitable[None]]] = {
            "press": self._press,
            "pick": self._pick,
            "seal": self._seal,
            "unseal": self._unseal,
            "type": self._type,
            "typed": self._typed,
            "orders": self._orders,
            "join": self._join,
            "leave": self._leave,
            "start": self._start,
            "log": self._log,
            "view": self._view,
            "film": self._film,
            "draw": self._draw,
            "agree": self._agree,
            "concede": self._concede,
            "take_over": self._take_over,
            "lesson": self._lesson,
            "hint": self._hint,
            "take": self._take,
            "lesson_try": self._lesson_try,
            "agree_act": self._agree_act,
        }

    async def recognize(self, interaction: Interaction[Any]) -> None:
        """Find out who acts, before anything is said to him: he may have chosen his language."""
        player = await self._table.player(interaction.user.id)
        interaction.extras["chosen_locale"] = player and player.chosen_locale

    async def handle(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Do what a button, select or form of ours asks for."""
        await self.recognize(interaction)
        if verb := self._verbs.get(ref.verb):
            with logs.about(game=ref.game):
                await self.guarded(interaction, ref.verb, verb(interaction, ref))

    async def guarded(self, interaction: Interaction[Any], what: str, acting: Awaitable[None]) -> None:
        """Do what was asked; a refusal is told, a fault of ours gets a number that the log has too."""
        words = Words(Catalogue.load(language_of(interaction)))
        with logs.about(interaction=interaction.id, user=interaction.user.id):
            await self._carry_out(what, words, acting, partial(answer, interaction))

    async def _carry_out(
        self,
        what: str,
        words: Words,
        acting: Awaitable[None],
        tell: Callable[[Said], Awaitable[None]],
        hint: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        """Do it, and tell what does not work; orders that are refused come with a hint, if there is one."""
        outcome: Outcome = "answered"
        started = time.perf_counter()
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - awaited within one
        self._in_hand.add(task)
        try:
            await acting
        except (Refusal, OrderError) as refused:
            outcome = "refused"
            why = refused.fault.code if isinstance(refused, OrderError) else refused.key
            log.debug("refused", extra={"what": what, "why": why})
            hinted = await hint() if hint and isinstance(refused, OrderError) else ""
            await tell(Said(refusal_text(words, refused) + hinted))
        except Exception as error:
            outcome, number = "failed", secrets.token_hex(3)
            log.exception("error", extra={"what": what, "number": number})
            key = "refuse.not_written" if isinstance(error, NotWritten) else "refuse.failed"
            await tell(words.say(key, number=number))
        finally:
            self._in_hand.discard(task)
            seconds = time.perf_counter() - started
            self._metrics.answered(what, outcome, seconds)
            log.debug(outcome, extra={"what": what, "ms": round(seconds * 1000)})

    async def settle(self, most_s: float) -> None:
        """Wait until everything that was asked is answered, but not longer than so."""
        if self._in_hand:
            await asyncio.wait(self._in_hand, timeout=most_s)

    # --- the panel ---------------------------------------------------------------------------------------------

    async def _press(self, interaction: Interaction[Any], ref: Ref) -> None:
        user = interaction.user.id
        await self._change(interaction, ref, self._table.press(user, ref.game, ref.request, ref.version, ref.token))

    async def _pick(self, interaction: Interaction[Any], ref: Ref) -> None:
        values = _data(interaction).get("values") or [""]
        token = str(values[0])
        user = interaction.user.id
        await self._change(interaction, ref, self._table.press(user, ref.game, ref.request, ref.version, token))

    async def _seal(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._change(interaction, ref, self._table.seal(interaction.user.id, ref.game, ref.request, ref.version))

    async def _unseal(self, interaction: Interaction[Any], ref: Ref) -> None:
        user = interaction.user.id
        await self._change(interaction, ref, self._table.unseal(user, ref.game, ref.request, ref.version))

    async def _change(self, interaction: Interaction[Any], ref: Ref, change: Awaitable[Asked]) -> None:
        """Change a draft or its seal and show the panel anew in the message that was pressed."""
        await interaction.response.defer()
        try:
            asked = await change
        except (Refusal, OrderError) as refused:
            # What was pressed may be out of date: show how things stand, then say why not.
            await self._show_anew(interaction, ref)
            raise refused from None
        await self._show(interaction, asked)

    async def _show(self, interaction: Interaction[Any], asked: Asked) -> None:
        """Show how things stand in the message that was pressed, be it the panel or a reply below it."""
        language, panel = language_of(interaction), await self._panel_of(asked)
        pressed = interaction.message
        if panel and panel.message_id and pressed and panel.message_id != pressed.id and not pressed.flags.ephemeral:
            shown = self._noted(asked, language)
        else:
            # The outbox's mark stays on the message that the outbox sent.
            ours = panel is not None and pressed is not None and panel.message_id == pressed.id
            shown = await self._composer.panel(asked, language, mark=panel.id if panel and ours else None)
        await interaction.edit_original_response(**shown.editing())
        if pressed:
            await self._table.panel_seen(asked, pressed.id)

    def _noted(self, asked: Asked, language: str) -> Shown:
        """What is left of a reply whose button was pressed: the panel shows the rest."""
        words = self._composer.words(asked.playing, language)
        sealed = asked.answer and words.say("panel.sealed", hash=asked.answer.commitment)
        return lay_out([sealed or words.say("say.noted")])

    async def _show_anew(self, interaction: Interaction[Any], ref: Ref) -> None:
        try:
            asked = await self._table.asked(interaction.user.id, ref.game, ref.request)
        except Refusal as gone:
            if gone.key in ("not_seated", "unknown_game"):
                return  # it is not his panel, and the captain still needs it
            playing = await self._table.playing(ref.game)
            shown = self._composer.closed_panel(playing, language_of(interaction))
            await interaction.edit_original_response(**shown.editing())
            return
        await self._show(interaction, asked)

    async def _panel_of(self, asked: Asked) -> Message | None:
        async with self._table.store.read() as tx:
            return await tx.message(asked.row.game_id, panel_key(asked.row))

    async def _type(self, interaction: Interaction[Any], ref: Ref) -> None:
        asked = await self._table.asked(interaction.user.id, ref.game, ref.request)
        words = self._composer.words(asked.playing, language_of(interaction))
        await interaction.response.send_modal(_TypeForm(words, ref, asked))

    async def _typed(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer()
        text = _form_text(interaction)
        asked = await self._table.type(interaction.user.id, text, ref.game, ref.request)
        if interaction.message is None:
            await answer(interaction, await self._composer.panel(asked, language_of(interaction)))
        else:
            await self._show(interaction, asked)

    async def _orders(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await self.show_orders(interaction, ref.game)

    async def show_orders(self, interaction: Interaction[Any], game_id: int | None) -> None:
        """Give somebody his panel where he is, for his eyes only; the interaction was deferred. Raises `Refusal`."""
        asked = await self._table.asked(interaction.user.id, game_id)
        await answer(interaction, await self._composer.panel(asked, language_of(interaction)))

    # --- the lobby ---------------------------------------------------------------------------------------------

    async def _join(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        player = player_of(interaction.user, str(interaction.locale))
        await self._table.join(player, ref.game, int(ref.token) if ref.token.isdigit() else None)
        await self._say(interaction, "say.joined")

    async def _leave(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        await self._table.leave(interaction.user.id, ref.game)
        await self._say(interaction, "say.left")

    async def _start(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        await self._table.start(interaction.user.id, ref.game)
        await self._say(interaction, "say.started")

    # --- under a round -----------------------------------------------------------------------------------------

    async def _log(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await self.show_log(interaction, ref.game, await self._table.last_told(ref.game, ref.version))

    async def show_log(self, interaction: Interaction[Any], game_id: int, step_no: int) -> None:
        """Tell all of a round until a step, to one reader; the interaction was deferred. Raises `Refusal`."""
        playing = await self._table.playing(game_id)
        chapter = await self._table.chapter_until(game_id, step_no)
        told = await self._table.told(game_id, chapter)
        answers = await self._table.revealed(game_id, chapter)
        seat = playing.seat_of(interaction.user.id)
        words = self._composer.words(playing, language_of(interaction))
        events = work.read_events(RULESETS[playing.game.system], *told.events)
        pages = speech.log(words, events, seat.seat if seat else None)
        revealed = [
            words.say("thread.reveal_line", who=answer.seat, text=answer.body, nonce=answer.nonce) for answer in answers
        ]
        if revealed:
            pages.append("\n".join(revealed))
        for page in pages or [words.say("headline.quiet")]:
            await answer(interaction, lay_out([page]))

    async def _view(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await self.show_table(interaction, ref.game)

    async def show_table(
        self, interaction: Interaction[Any], game_id: int, subject: Subject | None = None, crop: Cut | None = None
    ) -> None:
        """Show the table, or the last round, to whoever asks; the interaction was deferred. Raises `Refusal`."""
        language = language_of(interaction)
        for shown in await self._gallery.table(interaction.user.id, language, game_id, subject, crop):
            await answer(interaction, shown)

    async def _film(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        step_no = await self._table.last_told(ref.game, ref.version)
        await answer(interaction, await self._gallery.film(language_of(interaction), ref.game, step_no=step_no))

    async def show_film(
        self, interaction: Interaction[Any], game_id: int, round_no: int | None, form: render.Format
    ) -> None:
        """Show a round, or the last, in motion; the interaction was deferred. Raises `Refusal`."""
        language = language_of(interaction)
        await answer(interaction, await self._gallery.film(language, game_id, round_no=round_no, form=form))

    async def show_replay(self, interaction: Interaction[Any], game_id: int, form: render.Format) -> None:
        """Show the whole game in motion; the interaction was deferred. Raises `Refusal`."""
        film = await self._gallery.replay(
            interaction.user.id,
            language_of(interaction),
            game_id,
            form=form,
            progress=partial(show_progress, interaction),
        )
        await interaction.edit_original_response(**film.editing())

    async def _draw(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        agreed = await self._table.offer_draw(interaction.user.id, ref.game)
        await self._say(interaction, "say.draw_agreed" if agreed else "say.draw_offered")

    async def _agree(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        await self._table.time.agree(interaction.user.id, ref.game, int(ref.token) if ref.token.isdigit() else 0)
        await self._say(interaction, "say.agreed")

    async def _concede(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        await self._table.concede(interaction.user.id, ref.game)
        await self._say(interaction, "say.conceded")

    async def _take_over(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        await self.take_over(interaction, ref.game, int(ref.token) if ref.token.isdigit() else None)

    async def take_over(self, interaction: Interaction[Any], game_id: int, seat: int | None = None) -> None:
        """Give an offered seat to whoever asks, and show him his panel; the interaction was deferred."""
        await self._table.absence.take_over(player_of(interaction.user, str(interaction.locale)), game_id, seat)
        await self._say(interaction, "say.took_over")

    async def _agree_act(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True)
        act_id = int(ref.token) if ref.token.isdigit() else 0
        proposed, done = await self._table.repair.agree(interaction.user.id, ref.game, act_id)
        if proposed == agreement.UNDO:
            await self._say(interaction, "say.undone" if done else "say.undo_agreed")
        else:
            await self._say(interaction, "say.resolved" if done else "say.resolve_agreed")

    async def _say(self, interaction: Interaction[Any], key: str) -> None:
        await answer(interaction, Words(Catalogue.load(language_of(interaction))).say(key))

    # --- hints -------------------------------------------------------------------------------------------------

    async def _hint(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        asked = await self._table.asked(interaction.user.id, ref.game, ref.request)
        found = await self._table.hint(asked)
        await answer(interaction, self._composer.hint(asked, language_of(interaction), found))

    async def _take(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Put a hint into the draft; what the hint hung on shows what came of it."""
        await interaction.response.defer()
        asked = await self._table.type(interaction.user.id, ref.token, ref.game, ref.request)
        await self._table.panel_seen(asked, 0)
        await interaction.edit_original_response(**self._noted(asked, language_of(interaction)).editing())

    # --- lessons -----------------------------------------------------------------------------------------------

    async def _lesson(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer()
        values = _data(interaction).get("values")
        draft = lessons.draft_of(str(values[0]) if values else ref.token)
        shown = await lessons.lesson(self._table, _page(interaction, ref), draft)
        await interaction.edit_original_response(**shown.editing())

    async def _lesson_try(self, interaction: Interaction[Any], ref: Ref) -> None:
        await interaction.response.defer()
        shown = await lessons.outcome(self._table, _page(interaction, ref), ref.token)
        await interaction.edit_original_response(**shown.editing())

    # --- direct messages ---------------------------------------------------------------------------------------

    async def direct_message(self, message: discord.Message) -> None:
        """Take a direct message as typed orders: `#12 A1 FFX; A2 FFF`, the number only where several games ask."""
        known = await self._table.player(message.author.id)
        words = Words(Catalogue.load(best(known.language if known else "")))

        async def acting() -> None:
            await message.reply(**(await self._typed_directly(message, words)).sending())

        async def tell(text: Said) -> None:
            await message.reply(**lay_out([text]).sending())

        hint = partial(self._examples, words, message.author.id)
        with logs.about(interaction=message.id, user=message.author.id):
            await self._carry_out("direct message", words, acting(), tell, hint)

    async def _typed_directly(self, message: discord.Message, words: Words) -> Shown:
        text = message.content.strip()
        if not text:
            raise Refusal("empty")
        if len(text) > TYPED_MOST:
            raise Refusal("too_long", most=TYPED_MOST)
        number = re.match(r"#(\d{1,9})\b\s*", text)
        game_id = int(number[1]) if number else None
        was = await self._table.asked(message.author.id, game_id)
        asked = await self._table.type(message.author.id, text[number.end() :] if number else text, game_id)
        words = self._composer.words(asked.playing, words.catalogue.language)
        if asked.answer:
            return lay_out([words.say("say.carried_out")])
        missing = await self._table.missing(asked)
        lines = [words.say("say.noted")]
        if was.answer:
            lines.append(words.say("panel.unsealed"))
        if missing:
            lines.append(words.say("panel.missing", what=Said("; ".join(words.text(text) for text in missing))))
            await self._table.panel_seen(asked, 0)
            return lay_out(["\n".join(lines)])
        await self._table.panel_seen(asked, 0)
        row = asked.row
        seal = Ref(verb="seal", game=row.game_id, request=row.id, version=row.version)
        button = Button(label=words.say("button.seal"), ref=seal, style=discord.ButtonStyle.success)
        return lay_out(["\n".join([*lines, words.say("panel.ready")]), [button]])

    async def _examples(self, words: Words, user_id: int) -> str:
        """How to write what somebody is asked just now."""
        async with self._table.store.read() as tx:
            rows = await tx.open_requests_of(user_id)
        kinds = sorted({row.body.kind for row in rows})
        return "".join(f"\n-# {words.say(f'example.{kind}')}" for kind in kinds)


class _TypeForm(ui.Modal):
    """A form for typed orders. What it sends is handled by its custom id, so that a restart loses nothing."""

    def __init__(self, words: Words, ref: Ref, asked: Asked) -> None:
        sent = Ref(verb="typed", game=ref.game, request=ref.request, version=ref.version)
        super().__init__(title=words.say("panel.type_title")[:45], custom_id=sent.pack(), timeout=3600)
        text: ui.TextInput[_TypeForm] = ui.TextInput(
            custom_id="text",
            style=discord.TextStyle.paragraph,
            default=asked.row.draft[:TYPED_MOST] or None,
            max_length=TYPED_MOST,
            required=False,
        )
        label = words.say("panel.type_label")[:45]
        self.add_item(
            ui.Label(text=label, description=words.say(f"example.{asked.row.body.kind}")[:100], component=text)
        )


def _page(interaction: Interaction[Any], ref: Ref) -> lessons.Page:
    """The lesson whose button was pressed."""
    return lessons.Page(language_of(interaction), interaction.user.display_name, ref.request, ref.version)


def _data(interaction: Interaction[Any]) -> dict[str, Any]:
    """What Discord sent with an interaction."""
    return cast("dict[str, Any]", interaction.data or {})


def _form_text(interaction: Interaction[Any]) -> str:
    """The text of a form, wherever its components hold it. Raises `Refusal`."""
    waiting: list[Any] = list(_data(interaction).get("components", []))
    while waiting:
        component = waiting.pop()
        if component.get("custom_id") == "text" and str(component.get("value", "")).strip():
            return str(component["value"])
        waiting += [*component.get("components", []), *filter(None, [component.get("component")])]
    raise Refusal("empty")


class Pressed(ui.DynamicItem[ui.Item[Any]], template=PATTERN):
    """Any button or select of ours, known by its custom id alone; so it works after a restart."""

    def __init__(self, item: ui.Item[Any], ref: Ref) -> None:
        super().__init__(item)
        self._ref = ref

    @classmethod
    async def from_custom_id(
        cls, _interaction: Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> Pressed:
        """Read what was pressed."""
        return cls(item, of_match(match))

    async def callback(self, interaction: Interaction[Any]) -> None:
        """Do it."""
        await interaction.client.presses.handle(interaction, self._ref)


async def on_form(presses: Presses, interaction: Interaction[Any]) -> None:
    """Take a form that was sent, also one that was opened before a restart."""
    ref = unpack(str(_data(interaction).get("custom_id", "")))
    if interaction.type is discord.InteractionType.modal_submit and ref:
        await presses.handle(interaction, ref)
