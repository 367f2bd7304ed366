"""What a captain sees of his orders, and nobody else: his panel, what is left of it, and hints."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.panels import choosing, times
from bot.discord.panels.board import Block, Button, Shown, lay_out
from bot.discord.panels.choosing import Meaning, labels
from bot.doors.orders import Asked
from bot.doors.table import Table
from bot.errors import Refusal
from bot.life.playing import Playing
from bot.store.records import Message, RequestRow
from bot.words.i18n import Said, Words
from bot.work import showing
from bot.work.drafts import Hint
from rules.protocol import Choices


async def panel(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """A captain's panel as the outbox sends it; None if it was never sent, and he is asked this no more."""
    try:
        asked = await table.orders.asked(message.user_id or 0, message.game_id, message.ref)
    except Refusal as refused:
        if message.message_id is None:
            return None
        return closed_panel(playing, words, lost=refused.key == "not_seated", mark=message.id)
    return await panel_of(table, asked, words, mark=message.id)


def closed_panel(playing: Playing, words: Words, *, lost: bool = False, mark: int | None = None) -> Shown:
    """What is left of a panel when its question has been answered, or his seat is lost: no buttons."""
    title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
    thread = f" <#{playing.game.thread_id}>" if playing.game.thread_id else ""
    return lay_out([f"-# {title}\n{words.say('panel.lost' if lost else 'panel.closed')}{thread}"], mark=mark)


async def panel_of(table: Table, asked: Asked, words: Words, *, mark: int | None = None) -> Shown:
    """A captain's panel: what is asked, his draft on the table, and what he may press."""
    game, row = asked.playing.game, asked.row
    look = table.look(words)
    shown = await table.workers.draw(showing.panel, game.system, asked.state, row.body, row.draft, look)
    head = [
        "### " + words.say("panel.title", name=game.name, number=game.id),
        words.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
        times.deadline(words, game, row.deadline),
    ]
    lines = [words.text(line) for line in shown.choices.lines]
    if asked.answer:
        key = "panel.inherited" if row.inherited else "panel.sealed"
        lines.append(words.say(key, hash=asked.answer.commitment))
    elif shown.choices.missing:
        what = Said("; ".join(words.text(text) for text in shown.choices.missing))
        lines.append(words.say("panel.missing", what=what))
    elif row.draft or not _seals_itself(shown.choices):
        lines.append(words.say("panel.ready"))
    blocks: list[Block] = ["\n".join(head), shown.picture, "\n".join(lines)]
    if asked.answer:
        blocks.append([_control(words, row, "unseal")])
    else:
        blocks += [block for group in shown.choices.groups for block in choosing.blocks(words, group, _meaning(row))]
        # Where a press answers at once, only what was typed waits for a seal.
        seal = [_seal(words, row, shown.choices)] if row.draft or not _seals_itself(shown.choices) else []
        hint = [_control(words, row, "hint")] if asked.playing.practice else []
        blocks.append([*seal, _control(words, row, "type"), *hint])
    return lay_out(blocks, mark=mark)


async def counted(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """What a captain's plan was that counted though he had not sealed it; None if the seat is his no more."""
    async with table.store.read() as tx:
        row = await tx.request(message.game_id, message.ref)
        answers = await tx.answers(message.game_id, [message.ref])
    if row is None or playing.seats[row.seat].user_id != (message.user_id or 0):
        return None
    title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
    text = words.say("panel.counted", text=answers[row.id].body)
    return lay_out([f"-# {title}\n{text}"], mark=message.id)


def hint(asked: Asked, words: Words, found: Hint) -> Shown:
    """What the first mate would do, why, and a button to do so."""
    row = asked.row
    lines = [words.say("hint.suggestion"), *map(words.text, found.lines), words.text(found.reason)]
    said = "\n".join(lines)
    try:
        ref = Ref(verb="take", game=row.game_id, request=row.id, token=found.answer)
        ref.pack()
    except ValueError:
        return lay_out([said])  # orders for so many galleys have no room in a button
    return lay_out([said, [Button(label=words.say("button.take"), ref=ref, style=ButtonStyle.primary)]])


def _seals_itself(choices: Choices) -> bool:
    return any(option.seals for group in choices.groups for option in group.options)


def _control(words: Words, row: RequestRow, verb: str) -> Button:
    ref = Ref(verb=verb, game=row.game_id, request=row.id, version=row.version)
    return Button(label=labels(words).say(f"button.{verb}"), ref=ref)


def _seal(words: Words, row: RequestRow, choices: Choices) -> Button:
    return Button(
        label=words.say("button.seal"),
        ref=Ref(verb="seal", game=row.game_id, request=row.id, version=row.version),
        style=ButtonStyle.success,
        disabled=bool(choices.missing),
    )


def _meaning(row: RequestRow) -> Meaning:
    """What is pressed in the panel of a request."""

    def ref(verb: str, token: str) -> Ref:
        return Ref(verb=verb, game=row.game_id, request=row.id, version=row.version, token=token)

    return Meaning(
        press=lambda option: ref("press", option.token),
        pick=lambda group: ref("pick", group.key),
        value=lambda option: option.token,
    )
