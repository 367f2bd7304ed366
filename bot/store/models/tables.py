"""Define the tables. Times are Unix seconds. Columns with bodies hold JSON of msgspec structs."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    false,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _game_column() -> Column[int]:
    return Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


games = Table(
    "games",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("parent_id", Integer, ForeignKey("games.id"), comment="the game of which this one is a battle"),
    Column("parent_request", String(60), comment="the parent's request that this battle's result answers"),
    Column("is_match", Boolean, nullable=False, default=False, comment="the first game of a match, or its lobby"),
    Column(
        "first_game_id",
        Integer,
        ForeignKey("games.id", ondelete="SET NULL"),
        comment="the first game of the match whose second game this one is",
    ),
    Column("second_seed", String(64), comment="the secret seed of the second game of a match"),
    Column("points", String(80), comment="a JSON list: the points of each side in a finished game of a match"),
    Column("system", String(40), nullable=False),
    Column("name", String(80), nullable=False),
    Column("locale", String(10), nullable=False, comment="language of the thread"),
    Column("guild_id", BigInteger, nullable=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("thread_id", BigInteger),
    Column("host_id", BigInteger, nullable=False),
    Column("phase", String(12), nullable=False, comment="lobby, running, resolving, over or cancelled"),
    Column("version", Integer, nullable=False, default=0, comment="counts claims, for compare-and-set"),
    Column("claimed_at", BigInteger),
    Column("claimed_by", String(16), comment="the bot that has claimed it; null: only one bot runs"),
    Column("step_no", Integer, nullable=False, default=-1, comment="the last step; -1 before the start"),
    Column("deadline", BigInteger),
    Column("pace", Text, nullable=False, comment="length of a phase: JSON of bot.store.models.pace.Pace"),
    Column("early", Boolean, nullable=False, default=True, comment="the step is resolved as soon as all have sealed"),
    Column("extensions", Integer, nullable=False, default=2, comment="times that each team may have more time"),
    Column("paused_at", BigInteger, comment="null: not paused"),
    Column(
        "idle_since",
        BigInteger,
        comment="from when its term counts: of a lobby its last change, of a running game an act of"
        " a person, of a paused one the pause; null: it has no term",
    ),
    Column("rated", Boolean, nullable=False, default=True),
    Column("private", Boolean, nullable=False, default=False),
    Column("setup", Text, nullable=False),
    Column("seed", String(64), nullable=False),
    Column("scheme", Integer, nullable=False, comment="the scheme of hashes and dice: see rules.chance.fairness"),
    Column("created_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column(
        "keepsakes_hash",
        String(129),
        nullable=False,
        default="",
        comment="salt and hash of the keepsakes to which captains agreed with their words; empty: none",
    ),
    Column("digest", String(64), comment="the published digest of a record from which names were withdrawn later"),
    Column("page_key", String(22), comment="the secret part of its page's address; null: it has no page"),
    Column("page_step", Integer, comment="the last step that its page shows; null: none; -1: its page was removed"),
    Index("ix_games_phase_deadline", "phase", "deadline"),
    Index("ix_games_thread_id", "thread_id"),
    Index("ix_games_parent_id", "parent_id"),
    Index("ix_games_first_game_id", "first_game_id"),
    Index("ix_games_created_at", "created_at"),
    # Old messages name games by number, so a new game never gets the number of a deleted one.
    sqlite_autoincrement=True,
)

seats = Table(
    "seats",
    metadata,
    _game_column(),
    Column("seat", Integer, primary_key=True),
    Column("team", Integer, nullable=False),
    Column("user_id", BigInteger, comment="null: free, or the computer's"),
    Column("computer", Boolean, nullable=False, default=False),
    Column("kept_for", BigInteger, comment="the only user who may take it"),
    Column("conceded", Boolean, nullable=False, default=False),
    Column("draw_at", Integer, comment="the step at which a draw was offered; it lapses with the next"),
    Column("hopeless_step", Integer, comment="the step whose panel said what conceding costs; null: none yet"),
    Column("missed", Integer, nullable=False, default=0, comment="deadlines missed in a row"),
    Column("offered_at", BigInteger, comment="time since which anybody may take it over; null: it is held"),
    Column("name", String(80), comment="the captain's name at the game's end; null: the game runs, or the computer"),
    Column("word", String(60), comment="the captain's word for the dice, added before the start"),
    Column(
        "word_agreed",
        Boolean,
        nullable=False,
        default=False,
        comment="nothing to agree to has changed since the captain joined or sent a word",
    ),
    Column(
        "abandoned",
        Integer,
        nullable=False,
        default=0,
        comment="how often the captain had thrown away dice with words of others before sitting down here",
    ),
    Column(
        "abandoned_by_others",
        Integer,
        nullable=False,
        default=0,
        comment="how often others had, in lobbies and games of the captain",
    ),
    Index("ix_seats_user_id", "user_id"),
)

captains = Table(
    "captains",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("user_id", BigInteger, comment="null: the computer, or nobody"),
    Column("from_step", Integer, nullable=False, comment="the last step when the user got the seat"),
    Column("to_step", Integer, comment="the last step when the user lost the seat; null: they hold it"),
    Column("put_by", BigInteger, comment="the user who put them there; null: they joined themselves"),
    Column("acted", Boolean, nullable=False, comment="the user has acted in the game"),
    Column("left", Boolean, nullable=False, comment="the user gave the seat away or lost it through absence"),
    Index("ix_captains_game_id", "game_id"),
    Index("ix_captains_user_id", "user_id"),
)

requests = Table(
    "requests",
    metadata,
    _game_column(),
    Column("id", String(60), primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("step_no", Integer, nullable=False, comment="the step that asked it"),
    Column("asked_at", BigInteger, nullable=False, default=0),
    Column("deadline", BigInteger),
    Column("optional", Boolean, nullable=False, comment="nobody waits for it"),
    Column("status", String(8), nullable=False, comment="open, sealed or closed"),
    Column("draft", Text, nullable=False, default=""),
    Column("focus", Text, nullable=False, server_default="", comment="the panel's selection; not part of the draft"),
    Column("version", Integer, nullable=False, default=0, comment="counts changes of the draft and its seal"),
    Column(
        "inherited",
        Boolean,
        nullable=False,
        default=False,
        comment="sealed by a previous holder of the seat; the present one may not read it",
    ),
    Column(
        "awaits_battle",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="a battle answers it, and the game waits for the battle's end",
    ),
    Index("ix_requests_game_id_status", "game_id", "status"),
)

answers = Table(
    "answers",
    metadata,
    _game_column(),
    Column("request_id", String(60), primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("body", Text, nullable=False, comment="canonical text; secret until its step is resolved"),
    Column("nonce", String(64), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("given_by", String(10), nullable=False, comment="captain, draft, computer, deadline, stored or battle"),
    Column("sealed_at", BigInteger, nullable=False),
    Column("computation", Text, nullable=False, comment="how the computer came to it, JSON; empty: it did not"),
)

published = Table(
    "published",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column(
        "what", String(8), nullable=False, comment="seed, words, seal, broken, chain or digest; rows are never changed"
    ),
    Column("hash", String(64), nullable=False),
    Column(
        "request",
        String(60),
        nullable=False,
        default="",
        comment="the request that a seal answers, by the rules' id; the round of a line of the chain",
    ),
    Column("at", BigInteger, nullable=False),
    Column("link", String(120), nullable=False, default="", comment="URL of the message that shows it"),
    Index("ix_published_game_id", "game_id"),
)

steps = Table(
    "steps",
    metadata,
    _game_column(),
    Column("no", Integer, primary_key=True),
    Column("cause", Text, nullable=False, comment="the input: the start, the answered requests, or an action"),
    Column("events", Text, nullable=False),
    Column("state", Text, nullable=False, comment="snapshot after it; a replay must equal it"),
    Column("resolved_at", BigInteger, nullable=False),
    Column("revealed", Boolean, nullable=False, comment="dice fell, or others' orders were opened or carried out"),
)

_WAITING_CONDITION = text("wanted > sent AND problem IS NULL")
_GIVEN_UP_CONDITION = text("problem IS NOT NULL")

outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column(
        "mark",
        Integer,
        nullable=False,
        comment="random id within Discord; row ids would show how many messages there are",
    ),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("key", String(90), nullable=False, comment="names the message within its game"),
    Column("kind", String(20), nullable=False),
    Column("ref", Text, nullable=False, comment="the subject, a value of bot.store.models.subjects, as JSON"),
    Column(
        "user_id", BigInteger, comment="the user who gets it as a direct message; null: the game's thread or channel"
    ),
    Column("wanted", Integer, nullable=False, default=1, comment="revision that must be seen"),
    Column("sent", Integer, nullable=False, default=0, comment="revision that is seen"),
    Column("channel_id", BigInteger),
    Column("message_id", BigInteger),
    Column("attempts", Integer, nullable=False, default=0),
    Column("due_at", BigInteger, nullable=False),
    Column(
        "wanted_at",
        BigInteger,
        nullable=False,
        comment="time since which the wanted revision differs from the sent one",
    ),
    Column("problem", String(200), comment="the reason why it was given up"),
    Column(
        "shown",
        String(32),
        comment="fingerprint of the content last sent; null: the message may show other content by now",
    ),
    Column("edited_at", BigInteger, comment="time of the last edit"),
    Index("ix_outbox_mark", "mark"),
    Index("uq_outbox_game_id_key", "game_id", "key", unique=True),
    Index("ix_outbox_waiting", "due_at", sqlite_where=_WAITING_CONDITION, postgresql_where=_WAITING_CONDITION),
    Index("ix_outbox_given_up", "id", sqlite_where=_GIVEN_UP_CONDITION, postgresql_where=_GIVEN_UP_CONDITION),
)

removals = Table(
    "removals",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("user_id", BigInteger, nullable=False, comment="the user whose direct messages contain it"),
    Column("channel_id", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    Column("due_at", BigInteger, comment="time of the deletion; null: when the user is next asked something"),
    Index("ix_removals_due_at", "due_at"),
    Index("ix_removals_user_id", "user_id"),
    Index("ix_removals_game_id", "game_id"),
)

players = Table(
    "players",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("name", String(80), nullable=False),
    Column("locale", String(10), nullable=False, comment="language of the user's Discord"),
    Column("chosen_locale", String(10), comment="the language that the user chose; null: that of their Discord"),
    Column("zone", String(40), comment="an IANA time zone; null: unknown"),
    Column("quiet_from", Integer, comment="minute of the user's day from which no reminders are sent"),
    Column("quiet_to", Integer),
    Column("reminders", String(8), nullable=False, default="both", comment="both, last or none"),
    Column("away_from", BigInteger),
    Column("away_to", BigInteger),
    Column("standing", Text, nullable=False, default="{}", comment="default standing orders by system, JSON"),
    Column("dm_channel_id", BigInteger, comment="channel of the user's direct messages; null: not opened yet"),
    Column("page_mark", String(22), comment="random; their address in archives is made from it; null: none yet"),
)

servers = Table(
    "servers",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("creators_id", BigInteger, comment="the role that may open games; null: everybody"),
    Column(
        "channels",
        Text,
        nullable=False,
        default="[]",
        comment="channels in which games may be opened, JSON; empty: all",
    ),
    Column("most_games", Integer, comment="limit of open games; null: the bot's setting"),
    Column("locale", String(10), comment="language of its threads; null: that of the server"),
    Column("pages", Boolean, comment="its games have pages in the browser; null: as the bot's host says"),
    Column("page_key", String(22), comment="the secret part of its archive's address; null: it has no archive"),
)

acts = Table(
    "acts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("step_no", Integer, nullable=False, comment="the last step at that time"),
    Column("user_id", BigInteger, comment="the user who did it; null: the bot itself; 0: an unknown user"),
    Column("by_seat", Integer, comment="the user's seat at that time; null: none"),
    Column("kind", String(20), nullable=False),
    Column("seat", Integer, comment="the seat that it concerns"),
    Column("params", Text, nullable=False, default="{}", comment="parameters of its text, JSON"),
    Index("ix_acts_game_id", "game_id"),
    Index("ix_acts_user_id_kind", "user_id", "kind"),
)

ratings = Table(
    "ratings",
    metadata,
    _game_column(),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("system", String(40), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("outcome", String(5), nullable=False, comment="won, lost or drawn"),
    Column("mu", Float, nullable=False, comment="after the game"),
    Column("sigma", Float, nullable=False, comment="after the game"),
    Column("counted", Boolean, nullable=False, default=True, comment="whether the game changed the user's rating"),
    Column("facts", Text, nullable=False, comment="the user's actions and rolls, JSON"),
    Column("rated_at", BigInteger, nullable=False),
    Index("ix_ratings_system_user_id", "system", "user_id"),
)

keepsakes = Table(
    "keepsakes",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("system", String(40), primary_key=True),
    Column(
        "number",
        Integer,
        primary_key=True,
        autoincrement=False,
        comment="number among the user's items of the game; 0: a note of the game itself",
    ),
    Column("name", String(40), nullable=False, comment="the captain's name for it"),
    Column("body", Text, nullable=False, comment="read by the game only"),
    Column(
        "game_id",
        Integer,
        ForeignKey("games.id", ondelete="SET NULL"),
        comment="the running game that uses it; null: none",
    ),
    Index("ix_keepsakes_game_id", "game_id"),
)

kept_facts = Table(
    "kept_facts",
    metadata,
    Column("key", String(60), primary_key=True),
    Column(
        "value", Text, nullable=False, comment="a fact that the bot must remember, such as the commands sent to Discord"
    ),
)

beats = Table(
    "beats",
    metadata,
    Column("shards", Integer, primary_key=True, autoincrement=False, comment="number of shards; 1: one bot runs"),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False, comment="last time at which captains of this shard's games could act"),
)

leases = Table(
    "leases",
    metadata,
    Column("key", String(40), primary_key=True, comment="a shard, a bot, or a task: see bot.store.engine.leases"),
    Column("holder", String(16), comment="the bot that holds it; null: none"),
    Column("token", BigInteger, nullable=False, default=0, comment="grows whenever it is taken"),
    Column("until", Double, nullable=False, comment="Unix time by the database's clock"),
)
"""Leases of several bots on one database; empty if one bot runs alone (see `bot.store.engine.leases`)."""

host_requests = Table(
    "host_requests",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(20), nullable=False, comment="a value of bot.store.queries.host_requests.Kind"),
    Column("user_id", BigInteger, comment="the user that it concerns; null: none"),
    Column("target_id", BigInteger, comment="the game or server that it concerns; null: none"),
    Column("params", Text, nullable=False, default="{}", comment="texts and progress, JSON"),
    Column("asked_at", BigInteger, nullable=False),
    Column("taken_until", BigInteger, comment="time until which other bots leave it to the bot that took it"),
    Column("done_at", BigInteger, comment="null: not carried out yet"),
    Column("refused", Boolean, nullable=False, server_default=false()),
    Column("outcome", Text, nullable=False, server_default="", comment="one English line for the host"),
    Index("ix_host_requests_done_at", "done_at"),
)
"""Requests of the bot's operator, which the shell stores and a bot carries out."""

denied_users = Table(
    "denied_users",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("since", BigInteger, nullable=False),
)

denied_servers = Table(
    "denied_servers",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("since", BigInteger, nullable=False),
)

bot_servers = Table(
    "bot_servers",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("name", String(100), nullable=False),
)

tallies = Table(
    "tallies",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(12), nullable=False, comment="opening, abandoned, ended, by_others, removed or post"),
    Column("user_id", BigInteger, nullable=False, comment="negative: a number that stands for a forgotten user"),
    Column(
        "about_game",
        Integer,
        comment="the game that it is about, even a deleted one; negative: its lobby; null: none",
    ),
    Column("at", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False, comment="time after which it no longer counts"),
    Index("ix_tallies_user_id", "user_id"),
    Index("ix_tallies_until", "until"),
)
"""Acts of people that count against a limit."""

error_counts = Table(
    "error_counts",
    metadata,
    Column("hour", BigInteger, primary_key=True, autoincrement=False, comment="its first second"),
    Column("kind", String(100), primary_key=True, comment="a constant text, without values"),
    Column("count", Integer, nullable=False),
    Column("last_at", BigInteger, nullable=False),
)
