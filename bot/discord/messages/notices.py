"""What the thread and captains are told about a game's time: what the other side is asked for, reminders, absences."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages import captain, times
from bot.discord.messages.acts import doer
from bot.discord.messages.board import Block, Button, Shown, lay_out
from bot.doors.table import Table
from bot.doors.timekeeping import stands
from bot.errors import Refusal
from bot.life import quiet_hours
from bot.life.playing import Playing
from bot.store.records import Message, RequestRow
from bot.words.i18n import Words
from bot.words.style import Said
from bot.work import drafts
from rules.errors import OrderError
from rules.protocol import Seat


async def proposal(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """What somebody asks the other side for; with a button to agree, as long as that is possible."""
    game = playing.game
    async with table.store.read() as tx:
        act, acts = await tx.acts.find(int(message.ref)), await tx.acts.of(game.id)
    if act is None or act.seat is None:
        return None
    team = playing.seats[act.seat].team
    others = tuple(seat.user_id for seat in playing.seats if seat.team != team and seat.user_id)
    mentions = " ".join(f"<@{user_id}>" for user_id in others)
    text = words.say(f"proposal.{act.kind}", who=doer(words, act), **act.params)
    blocks: list[Block] = [f"{mentions} {text}"]
    if stands(act, game, acts):
        ref = Ref(verb="agree", game=game.id, token=str(act.id))
        no = Ref(verb="decline", game=game.id, token=str(act.id))
        agree = Button(label=words.say("button.agree"), ref=ref, style=ButtonStyle.success)
        blocks.append([agree, Button(label=words.say("button.decline"), ref=no)])
    return lay_out(blocks, mark=message.id, pings=others)


async def reminder(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """What a captain still has to do, and until when; None if there is nothing, or he wants no reminder now."""
    game, player = playing.game, playing.players.get(message.user_id or 0)
    title = words.say("panel.title", name=game.name, number=game.id)
    try:
        asked = await table.orders.asked(message.user_id or 0, message.game_id, message.ref)
    except Refusal:
        return None
    row = asked.row
    unwanted = player is None or player.reminders == "none" or quiet_hours.is_away(player, table.now())
    late = row.deadline is None or row.deadline <= table.now()
    if row.status == "sealed" or late or (message.message_id is None and (unwanted or game.paused_at is not None)):
        return None
    choices = await table.workers.run(drafts.choices, game.system, asked.state, row.body, row.drafted)
    head = [
        f"### {title}",
        words.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
    ]
    if choices.missing:
        progress = words.text(choices.progress) if row.draft and choices.progress else ""
        lines: list[str] = [words.say("remind.begun", progress=progress) if progress else words.say("remind.open")]
        lines.append(captain.unfinished(words, asked, choices))
    else:
        lines = [words.say("remind.unsealed" if row.draft else "remind.open")]
    button = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))
    return lay_out(["\n".join([*head, *lines, times.deadline(words, game, row.deadline)]), [button]], mark=message.id)


async def useless_standing(table: Table, message: Message, playing: Playing, words: Words) -> Shown | None:
    """Why a captain's default standing orders were left out of his orders; None if nothing speaks against them now."""
    game, player = playing.game, playing.players.get(message.user_id or 0)
    text = player.standing.get(game.system) if player else None
    try:
        asked = await table.orders.asked(message.user_id or 0, message.game_id, message.ref)
        await table.workers.run(drafts.with_standing, game.system, asked.state, asked.row.body, text or "")
    except Refusal:
        return None
    except OrderError as refused:
        title = words.say("panel.title", name=game.name, number=game.id)
        why = words.say("me.useless_standing", text=text or "", why=words.fault(refused.fault))
        return lay_out([f"### {title}\n{why}"], mark=message.id)
    return None


def awaited(words: Words, playing: Playing, rows: Sequence[RequestRow], now: int) -> list[Said]:
    """For whom a game waits, of those who are asked this, and until when; nothing once it has moved on."""
    game = playing.game
    waiting = [row for row in rows if row.status == "open"]
    timed = next((row for row in waiting or rows if row.deadline), None)
    if timed is None or game.phase not in ("running", "resolving") or all(row.status == "closed" for row in rows):
        return []
    seats = [row.seat for row in waiting]
    if game.paused_at is not None:  # the clock stands, and nobody knows yet until when
        lines = [words.say("thread.paused"), *([words.say("thread.paused_asked", who=seats)] if waiting else [])]
    elif waiting:
        live = "thread.live" if any(row.body.live for row in waiting) else "thread.asked"
        key = "thread.next" if all(row.body.clock for row in waiting) else live
        kinds = dict.fromkeys(row.body.kind for row in waiting)
        what = [words.say(f"request.{kind}.short") for kind in kinds]
        lines = [words.say(key, who=seats, what=what, when=timed.deadline)]
    else:
        lines = [] if game.early else [words.say("thread.patient", when=timed.deadline)]
    return [*lines, *absences(words, playing, seats, now)]


def absences(words: Words, playing: Playing, seats: Sequence[Seat], now: int) -> list[Said]:
    """Who of these captains has announced that he is away, or will be, and until when."""
    lines: list[Said] = []
    for seat in playing.seats:
        player = playing.players.get(seat.user_id or 0)
        if player and seat.seat in seats and player.away_from is not None and (player.away_to or 0) > now:
            lines.append(words.say("thread.away", who=seat.seat, since=player.away_from, until=player.away_to))
    return lines
