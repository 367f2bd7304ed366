"""Layout of a captain's panel, open or closed, and of other messages that only its captain sees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_ROW_BUTTONS
from bot.discord.messages import choosing, ending, paging
from bot.discord.messages.board import Button, LayoutBlock, MessagePicture, RenderedMessage, lay_out_message
from bot.discord.messages.choosing import CustomIdFactory, label_localizer
from bot.discord.messages.pictures import PictureCache, picture_block, with_pending_picture
from bot.jobs.values import HintRef, PanelOptions, answer_mark
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import panel as panel_presenter
from bot.presenters.asked import PendingRequest
from bot.presenters.glance import PanelTexts, fit_panel_texts, is_advice_same_as_draft
from bot.presenters.panel import Advice, ClosedPanelFacts, ClosedPanelText, CountedDraftFacts, PanelFacts
from bot.presenters.reader import Reader
from bot.store.models.records import OutboxMessage, RequestRow
from bot.texts.i18n import Localizer
from bot.texts.style import Markup

MAX_STORY_LINES: Final = 5
_EMPTY_TEXT: Final = ClosedPanelText()


async def lay_out_panel(
    reader: Reader,
    pictures: PictureCache,
    facts: PanelFacts | ClosedPanelFacts,
    message: OutboxMessage,
    localizer: Localizer,
) -> RenderedMessage:
    if isinstance(facts, ClosedPanelFacts):
        texts = panel_presenter.closed_panel_text(localizer, facts, await reader.rounds.closing_summary(facts))
        if facts.last_round is None:
            pictures.cancel_obsolete(message)
            return lay_out_closed_panel(facts, localizer, texts, mark=message.mark)
        seat_no = facts.seat.seat if facts.seat else None
        draw_final = partial(reader.pictures.draw_final_round, facts.last_round, localizer, seat_no)
        final_subject = (facts.last_round, seat_no, reader.picture_style(localizer))
        final_picture = await pictures.get_or_draw(message, final_subject, draw_final)
        closed_panel = lay_out_closed_panel(
            facts, localizer, texts, picture_block(localizer, final_picture), mark=message.mark
        )
        return with_pending_picture(closed_panel, final_picture)
    request = facts.request
    note = localizer.say("panel.unsealed") if facts.is_seal_broken else ""
    panel_options = await reader.requests.panel_options(request)
    # Everything that the picture depends on.
    subject = (request.state, request.row.body, request.row.as_draft, reader.picture_style(localizer))
    picture = await pictures.get_or_draw(message, subject, partial(reader.requests.draw_plan, request, localizer))
    layout = panel_layout(localizer, request, panel_options, note=note)
    rendered = layout.render_page(picture_block(localizer, picture), mark=message.mark)
    return with_pending_picture(rendered, picture)


def lay_out_closed_panel(
    facts: ClosedPanelFacts,
    localizer: Localizer,
    texts: ClosedPanelText,
    picture: MessagePicture | str = None,
    *,
    mark: int | None = None,
) -> RenderedMessage:
    return closed_panel_after_press(
        facts.seated_game, localizer, picture, is_seat_lost=facts.seat is None, texts=texts, mark=mark
    )


def closed_panel_after_press(
    seated_game: SeatedGame,
    localizer: Localizer,
    picture: MessagePicture | str = None,
    *,
    is_seat_lost: bool = False,
    texts: ClosedPanelText = _EMPTY_TEXT,
    link: str = "",
    mark: int | None = None,
) -> RenderedMessage:
    """Return the panel of a request that is closed, or of a seat that is lost.

    `link` leads to the captain's next message; without it the panel links to the thread. Its captain gets buttons only
    in a finished game, for the film and another game. Below them stand the first lines of the last events.
    """
    place = link or (f"<#{seated_game.game.thread_id}>" if seated_game.game.thread_id else "")
    is_over = seated_game.game.phase == "over"
    reason_key = "panel.over" if is_over else "panel.closed"
    closed_text = localizer.say("panel.lost" if is_seat_lost else reason_key)
    title = f"-# {panel_presenter.panel_title(localizer, seated_game)}"
    link_line = f"{closed_text} {place}".rstrip()
    picture_blocks = [picture] if picture else []
    shows_end = is_over and not is_seat_lost and not link
    game = seated_game.game
    buttons = [why_button(localizer, game.id), *ending.end_buttons(localizer, game)] if shows_end else []
    if not texts.story_lines:
        text = "\n".join([title, *texts.lines, link_line])
        return lay_out_message([text, *picture_blocks, buttons], mark=mark)
    above = "\n".join([title, *texts.lines])
    below = "\n".join([*texts.story_lines[:MAX_STORY_LINES], link_line])
    return lay_out_message([above, *picture_blocks, buttons, below], mark=mark)


class PanelLayout(NamedTuple):
    """A captain's panel without its picture, to be rendered with the message's present picture or a new one."""

    localizer: Localizer
    request: RequestRow  # the question that the panel asks
    panel_texts: PanelTexts  # above, beside and below the picture
    option_blocks: Sequence[LayoutBlock]  # the choices of the game's orders
    controls: Sequence[Button]  # on each page: seal, type, hint
    advice: Advice | None = None  # the hint that the panel shows in place of the orders
    secondary_blocks: Sequence[LayoutBlock] = ()  # rarely needed buttons, never on the first page
    looks: Sequence[Button] = ()  # in one row with the button that turns pages, on the first page

    def render_page(self, picture: MessagePicture | str, *, mark: int | None = None, page: int = 0) -> RenderedMessage:
        """Return a page, from 0, with its picture, a note or nothing. Pages beyond the last are the last."""
        pages = self.all_pages(picture)
        last_page = len(pages) - 1
        return lay_out_message(pages[min(page, last_page)], mark=mark)

    def all_pages(self, picture: MessagePicture | str) -> list[list[LayoutBlock]]:
        texts = self.panel_texts
        return paging.split_pages(
            self.localizer,
            above=[texts.above, *([picture] if picture else []), texts.beside],
            options=self.option_blocks,
            controls=self.controls,
            looks=self.looks,
            below=texts.below,
            later_lines=texts.other_pages,
            secondary=self.secondary_blocks,
            has_picture=bool(picture),  # also while it is pending, so that no button moves when it arrives
            page_custom_id=self._page_custom_id,
        )

    def _page_custom_id(self, page: int) -> CustomId:
        row, advice = self.request, self.advice
        if advice:  # the button repeats the hint, so that the other page shows it again
            verb, token = "advised_page", f"{page}-{hint_reference(advice).token}"
        else:
            verb, token = "page", str(page)
        return CustomId(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)


def panel_layout(
    localizer: Localizer,
    request: PendingRequest,
    offer: PanelOptions,
    *,
    note: str = "",
    advice: Advice | None = None,
    is_static: bool = False,
) -> PanelLayout:
    """Return the layout of a captain's panel. `advice` is shown in place of the orders.

    A static panel does not update when others seal. It says so and offers a button to refresh it.
    """
    choices = offer.choices
    row = request.row
    texts = fit_panel_texts(localizer, request, offer, advice, note)
    hint_differs = advice is not None and not is_advice_same_as_draft(advice, choices)
    take_hint = [take_hint_button(localizer, row, advice)] if advice and hint_differs else []
    if request.answer:
        return _sealed_layout(localizer, request, texts, is_static=is_static)
    forms = choosing.form_buttons(localizer, choices.forms, lambda token: _request_custom_id(row, "form", token))
    main_groups = [group for group in choices.groups if not group.is_beside_controls]
    groups = choosing.merge_button_rows(
        [*choosing.option_blocks(localizer, main_groups, _panel_custom_ids(row)), forms]
    )
    blocks_beside_controls = choosing.option_blocks(
        localizer, (group for group in choices.groups if group.is_beside_controls), _panel_custom_ids(row)
    )
    finish = [button for block in blocks_beside_controls if isinstance(block, list) for button in block]
    # If pressing an option seals at once, only a typed draft needs the seal button.
    can_seal = bool(row.draft) or not panel_presenter.seals_by_option(choices)
    is_complete = not choices.missing_parts
    # Beside a hint that differs from the draft, Seal would seal an invisible draft. `_drop_hint_button` shows it.
    seal = [seal_button(localizer, row, disabled=not is_complete)] if can_seal and not hint_differs else []
    hint = [control_button(localizer, row, "hint")] if panel_presenter.can_be_advised(request) else []
    if hint_differs:  # at the same place, so that a second tap shows the hint again
        hint = [_drop_hint_button(localizer, row)]
    type_orders = control_button(localizer, row, "type")
    if advice:  # no button that seals or ends takes this place after a press, so a double tap is harmless
        before_typing, after_typing = (seal, take_hint) if row.body.sealed else (take_hint, [])
        seal_hint = [take_hint_button(localizer, row, advice, seals=True)] if after_typing else []
        controls = [*before_typing, type_orders, *after_typing, *hint, *seal_hint]
    else:
        controls = [*seal, *finish, type_orders, *hint]
    looks = [] if advice else _looks(localizer, request, controls)
    secondary_blocks = [] if advice else _secondary_blocks(localizer, request, looks)
    if request.needs_legend and looks:
        legend = legend_button(localizer, row)
        if beside_options := _put_beside_options(localizer, groups, controls, legend):
            groups, looks = beside_options, []
            secondary_blocks = _secondary_blocks(localizer, request, [legend])
    return PanelLayout(localizer, row, texts, groups, controls, advice, secondary_blocks, looks)


def _sealed_layout(localizer: Localizer, request: PendingRequest, texts: PanelTexts, *, is_static: bool) -> PanelLayout:
    """Return the layout of a panel whose answer is sealed."""
    row = request.row
    # Immediate actions cannot be unsealed, except while the game is paused.
    can_unseal = row.body.sealed or request.seated_game.game.paused_at is not None
    controls = [control_button(localizer, row, "unseal")] if can_unseal else []
    if is_static:
        refresh = CustomId(verb="page", game=row.game_id, request=row.id, version=row.version)
        controls.append(Button(label=label_localizer(localizer).say("button.look_again"), custom_id=refresh))
        below = "\n".join(filter(None, [localizer.style.small(localizer.say("panel.still")), texts.below]))
        texts = texts._replace(below=below)
    return PanelLayout(localizer, row, texts, (), controls, secondary_blocks=_secondary_blocks(localizer, request))


async def lay_out_counted_draft(
    reader: Reader, facts: CountedDraftFacts, message: OutboxMessage, localizer: Localizer
) -> RenderedMessage:
    text = panel_presenter.counted_draft_text(localizer, facts, await reader.rounds.counted_draft_summary(facts))
    return lay_out_message(
        [f"-# {panel_presenter.panel_title(localizer, facts.seated_game)}\n{text}"], mark=message.mark
    )


def lay_out_void_answer(seated_game: SeatedGame, message: OutboxMessage, localizer: Localizer) -> RenderedMessage:
    return lay_out_message(
        [f"-# {panel_presenter.panel_title(localizer, seated_game)}\n{localizer.say('panel.void')}"], mark=message.mark
    )


def panel_link(panel: OutboxMessage) -> Markup:
    return Markup(f"https://discord.com/channels/@me/{panel.channel_id}/{panel.message_id}")


def hint_reference(advice: Advice) -> HintRef:
    return HintRef(advice.hint_seed, advice.hint.stopped_after)


def take_hint_button(localizer: Localizer, row: RequestRow, advice: Advice, *, seals: bool = False) -> Button:
    """Return the button that puts the hint into the draft, and seals it if wanted.

    Where answers are not secret, it carries the hint out.
    """
    hint_ref = hint_reference(advice)._replace(answer_mark=answer_mark(advice.hint.answer))
    if seals:
        sealing = CustomId(verb="take_and_seal", game=row.game_id, request=row.id, token=hint_ref.token)
        label = label_localizer(localizer).say("button.take_and_seal")
        return Button(label=label, custom_id=sealing, style=ButtonStyle.success)
    taking = CustomId(verb="take", game=row.game_id, request=row.id, token=hint_ref.token)
    key = "button.take" if row.body.sealed else "button.take_now"
    return Button(label=label_localizer(localizer).say(key), custom_id=taking, style=ButtonStyle.primary)


def _drop_hint_button(localizer: Localizer, row: RequestRow) -> Button:
    """Return the button that shows the captain's own draft again, in place of a hint."""
    custom_id = CustomId(verb="page", game=row.game_id, request=row.id, version=row.version)
    return Button(label=label_localizer(localizer).say("button.drop_hint"), custom_id=custom_id)


def control_button(localizer: Localizer, row: RequestRow, verb: str) -> Button:
    ref = CustomId(verb=verb, game=row.game_id, request=row.id, version=row.version)
    return Button(label=label_localizer(localizer).say(f"button.{verb}"), custom_id=ref)


def seal_button(localizer: Localizer, row: RequestRow, *, disabled: bool = False) -> Button:
    """Return the button that seals the draft or, where answers are not secret, carries it out."""
    return Button(
        label=label_localizer(localizer).say("button.seal" if row.body.sealed else "button.carry_out"),
        custom_id=CustomId(verb="seal", game=row.game_id, request=row.id, version=row.version),
        style=ButtonStyle.success,
        is_disabled=disabled,
    )


def _looks(localizer: Localizer, request: PendingRequest, controls: Sequence[Button]) -> list[Button]:
    """Return the buttons that explain the last round and, in a first game, the picture.

    Without a legend, the first page has the other only where a phone has no room for the page button beside the
    controls, so that a further row begins anyway.
    """
    row, page = request.row, CustomId(verb="page", game=request.row.game_id)
    more = Button(label=label_localizer(localizer).say("button.more"), custom_id=page)
    legend = [legend_button(localizer, row)] if request.needs_legend else []
    has_row = paging.count_phone_rows([*controls, *legend, more]) > paging.count_phone_rows(controls)
    # In the first round there is nothing to explain.
    return [*([why_button(localizer, row.game_id)] if has_row and row.body.round > 1 else []), *legend]


def _put_beside_options(
    localizer: Localizer, options: Sequence[LayoutBlock], controls: Sequence[Button], legend: Button
) -> list[LayoutBlock]:
    """Return the options with the legend's button in a row of theirs that it would push off the first page.

    Empty: the legend pushes no such row off the page, or no row has room for it.
    """
    more = Button(label=label_localizer(localizer).say("button.more"), custom_id=legend.custom_id)
    rows_left = paging.PHONE_ROWS - paging.count_phone_rows([*controls, more])
    rows = 0
    for number, block in enumerate(options):
        rows += paging.count_phone_rows(block)
        if rows == rows_left and isinstance(block, list):
            joined = [*block, legend]
            fits = len(joined) <= MAX_ROW_BUTTONS and paging.count_phone_rows(joined) == 1
            is_pushed_off = paging.count_phone_rows([*controls, legend, more]) > paging.count_phone_rows(
                [*controls, more]
            )
            return [*options[:number], joined, *options[number + 1 :]] if fits and is_pushed_off else []
    return []


def _secondary_blocks(localizer: Localizer, request: PendingRequest, looks: Sequence[Button] = ()) -> list[LayoutBlock]:
    row = request.row
    undo = Button(
        label=label_localizer(localizer).say("button.undo"), custom_id=CustomId(verb="ask_undo", game=row.game_id)
    )
    end_buttons = ending.early_end_buttons(localizer, request.seated_game, request.seated_game.seats[row.seat])
    past_buttons = [why_button(localizer, row.game_id), undo] if row.body.round > 1 else []
    buttons = [legend_button(localizer, row), *past_buttons, *end_buttons]
    first_verbs = {button.custom_id.verb for button in looks}
    return [[button for button in buttons if button.custom_id.verb not in first_verbs]]


def why_button(localizer: Localizer, game_id: int) -> Button:
    """Return the button that explains the last round."""
    custom_id = CustomId(verb="why_last", game=game_id)
    return Button(label=label_localizer(localizer).say("button.why"), custom_id=custom_id)


def legend_button(localizer: Localizer, row: RequestRow) -> Button:
    """Return the button that explains all marks of the panel's picture."""
    custom_id = CustomId(verb="legend", game=row.game_id, request=row.id)
    return Button(label=label_localizer(localizer).say("button.legend"), custom_id=custom_id)


def table_legend_button(localizer: Localizer, game_id: int) -> Button:
    """Return the button that explains all marks of the table's picture."""
    label = label_localizer(localizer).say("button.legend")
    return Button(label=label, custom_id=CustomId(verb="legend", game=game_id))


def _panel_custom_ids(row: RequestRow) -> CustomIdFactory:
    return CustomIdFactory(
        for_option=lambda option: _request_custom_id(row, "press", option.token),
        for_select=lambda name: _request_custom_id(row, "pick", name),
    )


def _request_custom_id(row: RequestRow, verb: str, token: str) -> CustomId:
    return CustomId(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)
