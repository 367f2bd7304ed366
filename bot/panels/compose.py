"""Makes every message of a game from how things stand now; it knows no game by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from discord import ButtonStyle

from bot import agreement, ratings, speech, work
from bot.errors import Refusal
from bot.i18n import Catalogue, Said, Words, best
from bot.ids import Ref
from bot.panels import choosing, notices, times
from bot.panels.board import Block, Button, Shown, lay_out
from bot.panels.choosing import Meaning, labels
from bot.playing import Playing
from bot.store.records import ActRow, Answer, Game, Message, Player, RequestRow, SeatRow
from bot.table import Asked, Table
from bot.timekeeping import ASKED
from bot.wishes import OFFERS, PROPOSALS, asking, told_steps
from bot.work import Hint, Look
from rules.dice import commitment
from rules.protocol import Choices
from rules.registry import RULESETS
from rules.view import Text


class Composer:
    """Makes messages. Each method reads what it needs at the moment it is called, so that a retry shows the present."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kinds: dict[str, Callable[[Message, Playing], Awaitable[Shown | None]]] = {
            "lobby": self._lobby,
            "begin": self._begin,
            "step": self._step,
            "seals": self._seals,
            "panel": self._panel,
            "draw": self._draw_offer,
            "dms": self._closed_dms,
            "lacking": self._lacking,
            "homeless": self._homeless,
            "exiled": self._exiled,
            "act": self._act,
            "counted": self._counted,
            "proposal": self._proposal,
            "remind": self._reminder,
            "standing": self._useless_standing,
        }

    async def compose(self, message: Message) -> tuple[Playing, Shown | None]:
        """Make a message of the outbox; None if there is nothing (more) to show."""
        playing = await self._table.playing(message.game_id)
        return playing, await self._kinds[message.kind](message, playing)

    # --- in public ---------------------------------------------------------------------------------------------

    def words(self, playing: Playing, language: str | None = None) -> Words:
        """How to speak of a game: in its own language, or in somebody's."""
        catalogue = Catalogue.load(language or best(playing.game.locale))
        return Words(catalogue, playing.names(catalogue.say("lobby.computer"), catalogue.say("lobby.vacant")))

    async def _lobby(self, message: Message, playing: Playing) -> Shown:
        game, words = playing.game, self.words(playing)
        title = "## " + words.say("lobby.title", name=game.name, number=game.id)
        settings = words.say(
            "lobby.settings",
            system=game.system,
            settings=Said(" · ".join(_options(words, playing))),
            pace=times.rhythm_for_all(words, game.pace, self._table.now()),
        )
        teams: list[str] = [_team(words, playing, team) for team in sorted({seat.team for seat in playing.seats})]
        if game.phase == "lobby":
            teams += notices.absences(words, playing, [seat.seat for seat in playing.seats], self._table.now())
        time = [words.say("lobby.extensions", n=game.extensions)] if game.extensions else []
        time += [] if game.early else [words.say("lobby.patient")]
        friendly = not game.rated or any(seat.computer for seat in playing.seats)
        time += [words.say("lobby.unrated")] if friendly else []
        blocks: list[Block] = ["\n".join([title, settings, *time]), "\n".join(teams)]
        if game.phase == "cancelled":
            blocks.append(words.say("lobby.cancelled"))
        elif game.phase != "lobby":
            thread = f"<#{game.thread_id}>" if game.thread_id else "…"
            blocks.append(words.say("lobby.started", thread=Said(thread)))
        else:
            blocks.append(words.say("lobby.hint") + (f"\n{words.say('lobby.private')}" if game.private else ""))
            blocks.append(_lobby_buttons(words, playing))
        return lay_out(blocks, mark=message.id)

    async def _begin(self, message: Message, playing: Playing) -> Shown:
        game, words = playing.game, self.words(playing)
        users = tuple(seat.user_id for seat in playing.seats if seat.user_id)
        text = words.say(
            "thread.begin",
            name=game.name,
            players=[seat.seat for seat in playing.seats],
            hash=commitment(game.seed),
        )
        mentions = " ".join(f"<@{user}>" for user in users)
        return lay_out([f"{text}\n{mentions}"], mark=message.id, pings=users)

    async def _step(self, message: Message, playing: Playing) -> Shown:
        game, words = playing.game, self.words(playing)
        first, no = told_steps(message)
        async with self._table.store.read() as tx:
            steps = [step for number in range(first, no + 1) if (step := await tx.step(game.id, number))]
            asked = await tx.requests(game.id, step_no=no - 1)
            next_asked = await tx.requests(game.id, step_no=no)
        if not steps:
            raise Refusal("not_started")
        rules = RULESETS[game.system]
        story = speech.story(words, work.read_events(rules, *(step.events for step in steps)), None)
        round_no = max((row.body.round for row in asked), default=0)
        title = [f"-# {words.say(f'round.{game.system}', round=round_no)}"] if round_no else []
        blocks: list[Block] = ["\n".join([*title, f"### {story.headline}", *story.lines])]
        after_round = round_no and next_asked and not any(row.body.live for row in next_asked)
        caption = Text(f"after_round.{game.system}", {"round": round_no}) if after_round else None
        look = Look(language=words.catalogue.language, names=dict(words.names), caption=caption)
        # The picture shows the whole round so far, also where a captain was asked something in its middle.
        told = await self._table.told(game.id, await self._table.chapter_until(game.id, no))
        blocks.append(await self._table.workers.draw(work.draw, game.system, told.state, told.events, look))
        if game.phase == "over" and no == game.step_no:
            digest = (await self._table.archive.finished(game.id)).digest
            changed = await self._ratings(words, playing)
            seal = [words.say("thread.seed", seed=game.seed), words.say("thread.digest", digest=digest)]
            blocks.append("\n".join([*changed, *seal]))
        blocks.append(
            [
                Button(label=words.say("button.log"), ref=Ref(verb="log", game=game.id, version=message.id)),
                Button(label=words.say("button.film"), ref=Ref(verb="film", game=game.id, version=message.id)),
                Button(label=words.say("button.my_view"), ref=Ref(verb="view", game=game.id)),
            ]
        )
        return lay_out(blocks, mark=message.id)

    async def _ratings(self, words: Words, playing: Playing) -> list[Said]:
        """What a rated game has made of its captains' ratings; nothing if it is not rated."""
        if not playing.game.rated:
            return []
        changes = []
        async with self._table.store.read() as tx:
            for row in await tx.ratings_in(playing.game.id):
                last = await tx.last_ratings(row.system, [row.user_id], before=row.rated_at)
                was = ratings.skill_of(last.get(row.user_id)).shown
                now = ratings.skill_of(row).shown
                changes.append(words.say("thread.rating", who=row.seat, now=now, change=now - was))
        return [words.say("thread.ratings", changes=changes)]

    async def _seals(self, message: Message, playing: Playing) -> Shown | None:
        game, words = playing.game, self.words(playing)
        no, clock = asking(message)
        async with self._table.store.read() as tx:
            if clock:
                # What is asked last says whether he still acts.
                rows = [row for row in await tx.requests_since(game.id, no) if row.body.clock == clock][-1:]
            else:
                rows = [row for row in await tx.requests(game.id, step_no=no) if not row.optional]
            answers = await tx.answers(game.id, [row.id for row in rows])
        if not rows:
            return None
        lines = [_seal_line(words, playing.seats[row.seat], row, answers.get(row.id)) for row in rows]
        blocks: list[Block] = ["\n".join([*notices.awaited(words, playing, rows, self._table.now()), *lines])]
        if any(row.status != "closed" for row in rows):
            blocks.append([Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))])
        return lay_out(blocks, mark=message.id)

    async def _draw_offer(self, message: Message, playing: Playing) -> Shown | None:
        game, words, no = playing.game, self.words(playing), int(message.ref)
        offering = [seat.seat for seat in playing.seats if seat.draw_at == no]
        if not offering:
            return None
        blocks: list[Block] = ["\n".join(words.say("thread.draw_offered", who=seat) for seat in offering)]
        if game.phase in ("running", "resolving") and game.step_no == no:
            blocks.append([Button(label=words.say("button.agree"), ref=Ref(verb="draw", game=game.id))])
        return lay_out(blocks, mark=message.id)

    async def _lacking(self, message: Message, playing: Playing) -> Shown:
        words = self.words(playing, self.language_of(playing, message.user_id or 0))
        place = Said(f"<#{playing.game.thread_id or playing.game.channel_id}>")
        title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
        told = words.say("host.lacking", channel=place, permission=message.ref)
        return lay_out([f"-# {title}\n{told}"], mark=message.id)

    async def _homeless(self, message: Message, playing: Playing) -> Shown:
        game, words = playing.game, self.words(playing, self.language_of(playing, message.user_id or 0))
        title = words.say("panel.title", name=game.name, number=game.id)
        return lay_out([f"-# {title}\n{words.say('host.homeless', number=game.id)}"], mark=message.id)

    async def _exiled(self, message: Message, playing: Playing) -> Shown | None:
        game, words = playing.game, self.words(playing, self.language_of(playing, message.user_id or 0))
        if game.paused_at is None:
            return None  # it goes on again
        title = words.say("panel.title", name=game.name, number=game.id)
        return lay_out([f"-# {title}\n{words.say('captain.exiled')}"], mark=message.id)

    async def _closed_dms(self, message: Message, playing: Playing) -> Shown | None:
        game, words, user_id = playing.game, self.words(playing), int(message.ref)
        seat = playing.seat_of(user_id)
        if seat is None:
            return None
        text = f"<@{user_id}> {words.say('thread.closed_dms', who=seat.seat)}"
        button = Button(label=words.say("button.my_orders"), ref=Ref(verb="orders", game=game.id))
        return lay_out([text, [button]], mark=message.id, pings=(user_id,))

    async def _act(self, message: Message, playing: Playing) -> Shown | None:
        words = self.words(playing)
        async with self._table.store.read() as tx:
            act = await tx.act(int(message.ref))
            if act is None:
                return None
            proposed = act.kind in PROPOSALS and act in await agreement.standing(tx, playing.game)
            voices = await agreement.voices(tx, playing, act.kind) if proposed else []
        blocks: list[Block] = [self.act_text(words, act)]
        pings: tuple[int, ...] = ()
        if act.kind == "undone":
            blocks.append(await self._table_after(playing, int(act.params["step"]), words))
        elif proposed or _offers(act, playing):
            # Whoever is concerned is notified: the captain who is absent, or those who must agree.
            concerned = voices if proposed else [seat for seat in playing.seats if seat.seat == act.seat]
            pings = tuple(seat.user_id for seat in concerned if seat.user_id and seat.user_id != act.user_id)
            mentions = " ".join(f"<@{user_id}>" for user_id in pings)
            hint = words.say(f"offer.{act.kind}") if proposed else _offer_hint(words, act, playing)
            blocks = [f"{mentions} {blocks[0]} {hint}".strip(), _act_buttons(words, act, playing)]
        return lay_out(blocks, mark=message.id, pings=pings)

    @staticmethod
    def act_text(words: Words, act: ActRow) -> Said:
        """What was done beside the rules, in a sentence."""
        # A seat is named only where it is concerned; sentences that do not name it are told without.
        seat = {"seat": act.seat} if act.seat is not None else {}
        named = {"who": _doer(words, act), **seat, **act.params}
        return (
            words.say(f"proposal.{act.kind}", **named) if act.kind in ASKED else words.say(f"act.{act.kind}", **named)
        )

    async def _table_after(self, playing: Playing, step_no: int, words: Words) -> Block:
        """The table as everybody sees it after a step."""
        async with self._table.store.read() as tx:
            step = await tx.step(playing.game.id, step_no)
        if step is None:
            raise Refusal("not_started")
        look = Look(language=words.catalogue.language, names=dict(words.names))
        return await self._table.workers.draw(work.draw, playing.game.system, step.state, (), look)

    async def _proposal(self, message: Message, playing: Playing) -> Shown | None:
        return await notices.proposal(self._table, message, playing, self.words(playing))

    # --- for one captain ---------------------------------------------------------------------------------------

    async def _panel(self, message: Message, playing: Playing) -> Shown | None:
        user_id = message.user_id or 0
        try:
            asked = await self._table.asked(user_id, message.game_id, message.ref)
        except Refusal as refused:
            if message.message_id is None:
                return None
            lost = refused.key == "not_seated"
            return self.closed_panel(playing, self.language_of(playing, user_id), lost=lost, mark=message.id)
        return await self.panel(asked, self.language_of(playing, user_id), mark=message.id)

    async def _reminder(self, message: Message, playing: Playing) -> Shown | None:
        language = self.language_of(playing, message.user_id or 0)
        return await notices.reminder(self._table, message, playing, self.words(playing, language))

    async def _useless_standing(self, message: Message, playing: Playing) -> Shown | None:
        words = self.words(playing, self.language_of(playing, message.user_id or 0))
        return await notices.useless_standing(self._table, message, playing, words)

    @staticmethod
    def language_of(playing: Playing, user_id: int) -> str:
        """The language in which somebody is written to privately."""
        player: Player | None = playing.players.get(user_id)
        return best(player.language if player else playing.game.locale)

    async def _counted(self, message: Message, playing: Playing) -> Shown | None:
        user_id = message.user_id or 0
        async with self._table.store.read() as tx:
            row = await tx.request(message.game_id, message.ref)
            answers = await tx.answers(message.game_id, [message.ref])
        if row is None or playing.seats[row.seat].user_id != user_id:
            return None
        words = self.words(playing, self.language_of(playing, user_id))
        title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
        text = words.say("panel.counted", text=answers[row.id].body)
        return lay_out([f"-# {title}\n{text}"], mark=message.id)

    def closed_panel(self, playing: Playing, language: str, *, lost: bool = False, mark: int | None = None) -> Shown:
        """What is left of a panel when its question has been answered, or his seat is lost: no buttons."""
        words = self.words(playing, language)
        title = words.say("panel.title", name=playing.game.name, number=playing.game.id)
        thread = f" <#{playing.game.thread_id}>" if playing.game.thread_id else ""
        return lay_out([f"-# {title}\n{words.say('panel.lost' if lost else 'panel.closed')}{thread}"], mark=mark)

    async def panel(self, asked: Asked, language: str, *, mark: int | None = None) -> Shown:
        """A captain's panel: what is asked, his draft on the table, and what he may press."""
        game, row = asked.playing.game, asked.row
        words = self.words(asked.playing, language)
        look = Look(language=language, names=dict(words.names))
        shown = await self._table.workers.draw(work.panel, game.system, asked.state, row.body, row.draft, look)
        head = [
            "### " + words.say("panel.title", name=game.name, number=game.id),
            words.say(f"request.{row.body.kind}", **{"round": row.body.round, **row.body.params}),
            times.deadline(words, game, row.deadline),
        ]
        lines = [words.text(line) for line in shown.choices.lines]
        if asked.answer:
            lines.append(words.say("panel.sealed", hash=asked.answer.commitment))
        elif shown.choices.missing:
            what = Said("; ".join(words.text(text) for text in shown.choices.missing))
            lines.append(words.say("panel.missing", what=what))
        elif row.draft or not _seals_itself(shown.choices):
            lines.append(words.say("panel.ready"))
        blocks: list[Block] = ["\n".join(head), shown.picture, "\n".join(lines)]
        if asked.answer:
            blocks.append([_control(words, row, "unseal")])
        else:
            blocks += [
                block for group in shown.choices.groups for block in choosing.blocks(words, group, _meaning(row))
            ]
            # Where a press answers at once, only what was typed waits for a seal.
            seal = [_seal(words, row, shown.choices)] if row.draft or not _seals_itself(shown.choices) else []
            hint = [_control(words, row, "hint")] if asked.playing.practice else []
            blocks.append([*seal, _control(words, row, "type"), *hint])
        return lay_out(blocks, mark=mark)

    def hint(self, asked: Asked, language: str, found: Hint) -> Shown:
        """What the first mate would do, why, and a button to do so."""
        words, row = self.words(asked.playing, language), asked.row
        lines = [words.say("hint.suggestion"), *map(words.text, found.lines), words.text(found.reason)]
        said = "\n".join(lines)
        try:
            ref = Ref(verb="take", game=row.game_id, request=row.id, token=found.answer)
            ref.pack()
        except ValueError:
            return lay_out([said])  # orders for so many galleys have no room in a button
        return lay_out([said, [Button(label=words.say("button.take"), ref=ref, style=ButtonStyle.primary)]])


def _doer(words: Words, act: ActRow) -> Said:
    """Who did it: in a game that was brought in from a file, one knows no more than his seat."""
    if act.user_id:
        return Said(f"<@{act.user_id}>")
    if act.by_seat is not None:
        return words.say("admin.seat", number=act.by_seat + 1, seat=act.by_seat)
    return words.say("admin.manager")


def _options(words: Words, playing: Playing) -> list[str]:
    setup = playing.game.setup
    texts = [
        f"{words.say(f'option.{key}')}: {words.say(f'option.{key}.{value}')}" for key, value in setup.options.items()
    ]
    return [*texts, words.say("lobby.missed", missed=setup.missed)]


def _team(words: Words, playing: Playing, team: int) -> Said:
    members = [_member(words, seat) for seat in playing.seats if seat.team == team]
    return words.say("lobby.team", team=str(team), members=Said(", ".join(members)))


def _member(words: Words, seat: SeatRow) -> str:
    if seat.computer:
        return words.say("lobby.computer")
    if seat.user_id:
        return f"<@{seat.user_id}>"
    if seat.kept_for:
        return words.say("lobby.kept", who=Said(f"<@{seat.kept_for}>"))
    return words.count("unit.free_seat", 1)


def _seal_line(words: Words, seat: SeatRow, row: RequestRow, answer: Answer | None) -> Said:
    """How far a captain is with what he is asked; of acts on a clock it is the last that counts."""
    if answer and answer.given_by == "deadline":
        return words.say("thread.missed_line", who=seat.seat)
    if row.body.clock:
        return words.say("thread.acting_line" if row.status == "open" else "thread.acted_line", who=seat.seat)
    if answer is None:
        return words.say("thread.waiting_line", who=seat.seat)
    key = "thread.computer_line" if seat.computer else "thread.sealed_line"
    return words.say(key, who=seat.seat, hash=answer.commitment)


def _offers(act: ActRow, playing: Playing) -> bool:
    """Whether an act offers a seat that is still to be had."""
    running = playing.game.phase in ("running", "resolving") and act.kind in OFFERS
    return running and any(s.seat == act.seat and s.offered and s.offered_at == act.at for s in playing.seats)


def _offer_hint(words: Words, act: ActRow, playing: Playing) -> Said:
    """Who may take a seat that is offered, and whether its captain may come back."""
    hint = words.say("offer.private" if playing.game.private else "offer.open")
    return Said(f"{hint} {words.say('offer.return', seat=act.seat)}") if act.kind == "offered" else hint


def _act_buttons(words: Words, act: ActRow, playing: Playing) -> list[Button]:
    game = playing.game
    if act.kind in PROPOSALS:
        return [Button(label=words.say("button.agree"), ref=Ref(verb="agree_act", game=game.id, token=str(act.id)))]
    take_over = Ref(verb="take_over", game=game.id, token=str(act.seat))
    return [] if game.private else [Button(label=words.say("button.take_over"), ref=take_over)]


def _lobby_buttons(words: Words, playing: Playing) -> list[Button]:
    words = labels(words)
    game = playing.game
    free = [seat for seat in playing.seats if seat.free]
    teams = sorted({seat.team for seat in free})
    several = len(playing.seats) > 2
    joins = [
        Button(
            label=words.say("button.join_team", team=str(team)) if several else words.say("button.join"),
            ref=Ref(verb="join", game=game.id, token=str(team)),
            style=ButtonStyle.primary,
        )
        for team in teams
    ]
    start = words.say("button.start_with_computer", n=len(free)) if free else words.say("button.start")
    return [
        *joins,
        Button(label=words.say("button.leave"), ref=Ref(verb="leave", game=game.id)),
        Button(
            label=start,
            ref=Ref(verb="start", game=game.id),
            style=ButtonStyle.secondary if free else ButtonStyle.success,
        ),
    ]


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


def mention_game(game: Game) -> str:
    """How a game is pointed at in chat."""
    return f"<#{game.thread_id}>" if game.thread_id else f"#{game.id}"
