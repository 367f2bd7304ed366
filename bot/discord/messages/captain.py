"""A captain's panel as Discord shows it, what is left of it, and what else only its captain sees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.messages import choosing, ending, paging
from bot.discord.messages.board import Button, LayoutBlock, MessagePicture, RenderedMessage, lay_out_message
from bot.discord.messages.choosing import CustomIdFactory, label_localizer
from bot.discord.messages.pictures import PictureCache, picture_block, with_pending_picture
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import panel as telling
from bot.presenters.asked import PendingRequest
from bot.presenters.glance import PanelTexts, fit_panel_texts, is_advice_same_as_draft
from bot.presenters.panel import Advice, ClosedPanelFacts, ClosedPanelText, CountedDraftFacts, PanelFacts
from bot.presenters.reader import Reader
from bot.presenters.values import HintRef, PanelOptions, answer_mark
from bot.store.models.records import OutboxMessage, RequestRow
from bot.texts.i18n import Localizer
from bot.texts.style import Markup

MAX_STORY_LINES: Final = 5
"""Lines of what happened last below the buttons of a game that is over; the thread has all."""
_EMPTY_TEXT: Final = ClosedPanelText()


async def lay_out_panel(
    reader: Reader,
    pictures: PictureCache,
    facts: PanelFacts | ClosedPanelFacts,
    message: OutboxMessage,
    words: Localizer,
) -> RenderedMessage:
    """A captain's panel as the outbox sends it, or what is left of it."""
    if isinstance(facts, ClosedPanelFacts):
        told = telling.closed_panel_text(words, facts, await reader.closing_summary(facts))
        if facts.last_round is None:
            pictures.cancel_obsolete(message)
            return lay_out_closed_panel(facts, words, told, mark=message.mark)
        seat = facts.seat.seat if facts.seat else None
        draw = partial(reader.draw_final_round, facts.last_round, words, seat)
        end = await pictures.get_or_draw(message, (facts.last_round, seat, reader.picture_style(words)), draw)
        return with_pending_picture(
            lay_out_closed_panel(facts, words, told, picture_block(words, end), mark=message.mark), end
        )
    asked = facts.request
    note = words.say("panel.unsealed") if facts.is_seal_broken else ""
    offer = await reader.panel_options(asked)
    subject = (asked.state, asked.row.body, asked.row.as_draft, reader.picture_style(words))
    picture = await pictures.get_or_draw(message, subject, partial(reader.draw_plan, asked, words))
    shown = panel_layout(words, asked, offer, note=note).render_page(picture_block(words, picture), mark=message.mark)
    return with_pending_picture(shown, picture)


def lay_out_closed_panel(
    facts: ClosedPanelFacts,
    words: Localizer,
    told: ClosedPanelText,
    picture: MessagePicture | str = None,
    *,
    mark: int | None = None,
) -> RenderedMessage:
    """What a panel says that was closed, until something else is asked; at a game's end with its last picture."""
    return closed_panel_after_press(facts.seated_game, words, picture, lost=facts.seat is None, told=told, mark=mark)


def closed_panel_after_press(
    playing: SeatedGame,
    words: Localizer,
    picture: MessagePicture | str = None,
    *,
    lost: bool = False,
    told: ClosedPanelText = _EMPTY_TEXT,
    link: str = "",
    mark: int | None = None,
) -> RenderedMessage:
    """Return what is left of a panel once its question was answered or its seat lost: `told`.

    `link` leads to the captain's next message; without it the thread has all. It has buttons only once the game is
    over, for its captain: the whole film, and another game. Below them stands the beginning of what happened last.
    """
    place = link or (f"<#{playing.game.thread_id}>" if playing.game.thread_id else "")
    over = playing.game.phase == "over"
    closed = words.say("panel.lost" if lost else "panel.over" if over else "panel.closed")
    title, leads = f"-# {telling.panel_title(words, playing)}", f"{closed} {place}".rstrip()
    offered = ending.end_buttons(words, playing.game) if over and not lost and not link else []
    if not told.story_lines:
        text = "\n".join([title, *told.lines, leads])
        return lay_out_message([text, *([picture] if picture else []), offered], mark=mark)
    above, below = "\n".join([title, *told.lines]), "\n".join([*told.story_lines[:MAX_STORY_LINES], leads])
    return lay_out_message([above, *([picture] if picture else []), offered, below], mark=mark)


class PanelLayout(NamedTuple):
    """All of a captain's panel but its picture, in words: as good for the panel over an old picture as with a new."""

    localizer: Localizer
    request: RequestRow
    panel_texts: PanelTexts
    option_blocks: Sequence[LayoutBlock]
    """What may be pressed or chosen next."""
    controls: Sequence[Button]
    """What stands on each page."""
    advice: Advice | None = None
    """Shown in place of the orders, on each page."""
    secondary_blocks: Sequence[LayoutBlock] = ()
    """What is seldom wanted, on another page than the first."""

    def render_page(self, picture: MessagePicture | str, *, mark: int | None = None, page: int = 0) -> RenderedMessage:
        """Return a page of the panel, from 0, with its present picture, words for it, or nothing."""
        found = self.all_pages(picture)
        return lay_out_message(found[min(page, len(found) - 1)], mark=mark)

    def all_pages(self, picture: MessagePicture | str) -> list[list[LayoutBlock]]:
        """Return all pages of the panel."""
        texts = self.panel_texts
        return paging.split_pages(
            self.localizer,
            above=[texts.above, *([picture] if picture else []), texts.beside],
            offered=self.option_blocks,
            controls=self.controls,
            below=texts.below,
            rest=texts.other_pages,
            aside=self.secondary_blocks,
            pictured=bool(picture),  # nothing jumps when it comes
            turn=self._page_custom_id,
        )

    def _page_custom_id(self, page: int) -> CustomId:
        """What a button means that leads to another page."""
        row, advice = self.request, self.advice
        verb, token = ("advised_page", f"{page}-{hint_reference(advice).token}") if advice else ("page", str(page))
        return CustomId(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)


def panel_layout(
    words: Localizer,
    asked: PendingRequest,
    offer: PanelOptions,
    *,
    note: str = "",
    advice: Advice | None = None,
    still: bool = False,
) -> PanelLayout:
    """Return what a captain's panel says and offers. Advice that was asked for is shown in place of the orders.

    One that is `still` isn't shown again when others have sealed: then it says so, and a button looks.
    """
    choices = offer.choices
    game, row = asked.seated_game.game, asked.row
    texts = fit_panel_texts(words, asked, offer, advice, note)
    aside = _secondary_blocks(words, asked)
    other = advice is not None and not is_advice_same_as_draft(advice, choices)
    taking = [take_hint_button(words, row, advice)] if advice and other else []
    if asked.answer:
        # Immediate actions cannot be unsealed, except while the game is paused.
        waits = row.body.sealed or game.paused_at is not None
        controls = [control_button(words, row, "unseal")] if waits else []
        if still:
            look = CustomId(verb="page", game=row.game_id, request=row.id, version=row.version)
            controls.append(Button(label=label_localizer(words).say("button.look_again"), custom_id=look))
            below = "\n".join(filter(None, [words.style.small(words.say("panel.still")), texts.below]))
            texts = texts._replace(below=below)
        return PanelLayout(words, row, texts, (), controls, secondary_blocks=aside)
    forms = choosing.form_buttons(words, choices.forms, lambda token: _request_custom_id(row, "form", token))
    own = [group for group in choices.groups if not group.is_beside_controls]
    groups = choosing.merge_button_rows([*choosing.option_blocks(words, own, _panel_custom_ids(row)), forms])
    beside = choosing.option_blocks(
        words, (group for group in choices.groups if group.is_beside_controls), _panel_custom_ids(row)
    )
    finish = [button for block in beside if isinstance(block, list) for button in block]
    # Where a press answers at once, only what was typed waits for a seal.
    waiting = bool(row.draft) or not telling.seals_by_option(choices)
    ready = not choices.missing_parts
    # Beside a hint that isn't what is ordered it would seal what nobody sees.
    sealing = [seal_button(words, row, disabled=not ready)] if waiting and not other else []
    hint = [control_button(words, row, "hint")] if telling.can_be_advised(asked) else []
    typed = control_button(words, row, "type")
    if advice:  # its button is where afterwards none is that seals or ends: a second tap does no harm
        controls = [*sealing, typed, *taking, *hint] if row.body.sealed else [*taking, typed, *hint]
    else:
        controls = [*sealing, *finish, typed, *hint]
    return PanelLayout(words, row, texts, groups, controls, advice, () if advice else aside)


async def lay_out_counted_draft(
    reader: Reader, facts: CountedDraftFacts, message: OutboxMessage, words: Localizer
) -> RenderedMessage:
    """Return a captain's plan that counted without a seal."""
    text = telling.counted_draft_text(words, facts, await reader.counted_draft_summary(facts))
    return lay_out_message([f"-# {telling.panel_title(words, facts.seated_game)}\n{text}"], mark=message.mark)


def lay_out_void_answer(playing: SeatedGame, message: OutboxMessage, words: Localizer) -> RenderedMessage:
    """Return the note that an early answer is no longer legal, so that it is asked again."""
    return lay_out_message([f"-# {telling.panel_title(words, playing)}\n{words.say('panel.void')}"], mark=message.mark)


def panel_link(panel: OutboxMessage) -> Markup:
    """Return where somebody's panel is in their direct messages."""
    return Markup(f"https://discord.com/channels/@me/{panel.channel_id}/{panel.message_id}")


def hint_reference(advice: Advice) -> HintRef:
    """By which a button finds a hint again."""
    return HintRef(advice.hint_seed, advice.hint.stopped_after)


def take_hint_button(words: Localizer, row: RequestRow, advice: Advice) -> Button:
    """The button that orders what is advised or, where answers are no secret, carries it out."""
    shown = hint_reference(advice)._replace(answer_mark=answer_mark(advice.hint.answer))
    ref = CustomId(verb="take", game=row.game_id, request=row.id, token=shown.token)
    key = "button.take" if row.body.sealed else "button.take_now"
    return Button(label=label_localizer(words).say(key), custom_id=ref, style=ButtonStyle.primary)


def control_button(words: Localizer, row: RequestRow, verb: str) -> Button:
    """One of the buttons at a panel's end."""
    ref = CustomId(verb=verb, game=row.game_id, request=row.id, version=row.version)
    return Button(label=label_localizer(words).say(f"button.{verb}"), custom_id=ref)


def seal_button(words: Localizer, row: RequestRow, *, disabled: bool = False) -> Button:
    """The button that seals, where there is anything to be sealed; of what is no secret, that carries it out."""
    return Button(
        label=label_localizer(words).say("button.seal" if row.body.sealed else "button.carry_out"),
        custom_id=CustomId(verb="seal", game=row.game_id, request=row.id, version=row.version),
        style=ButtonStyle.success,
        is_disabled=disabled,
    )


def _secondary_blocks(words: Localizer, asked: PendingRequest) -> list[LayoutBlock]:
    """What asks whether to go back, once there is a round to go back over, and what ends the game."""
    row = asked.row
    undo = Button(
        label=label_localizer(words).say("button.undo"), custom_id=CustomId(verb="ask_undo", game=row.game_id)
    )
    ends = ending.early_end_buttons(words, asked.seated_game, asked.seated_game.seats[row.seat])
    return [[*([undo] if row.body.round > 1 else []), *ends]]


def _panel_custom_ids(row: RequestRow) -> CustomIdFactory:
    """What is pressed in the panel of a request."""
    return CustomIdFactory(
        for_option=lambda option: _request_custom_id(row, "press", option.token),
        for_select=lambda name: _request_custom_id(row, "pick", name),
    )


def _request_custom_id(row: RequestRow, verb: str, token: str) -> CustomId:
    return CustomId(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)
