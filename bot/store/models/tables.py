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
    Column("parent_request", String(60), comment="what its end answers there"),
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
    Column("claimed_by", String(16), comment="the bot that has claimed it, where several play; null: the only one"),
    Column("step_no", Integer, nullable=False, default=-1, comment="the last step; -1 before the start"),
    Column("deadline", BigInteger),
    Column("pace", Text, nullable=False, comment="how long a phase lasts: JSON of bot.pace.Pace"),
    Column("early", Boolean, nullable=False, default=True, comment="goes on as soon as all have sealed"),
    Column("extensions", Integer, nullable=False, default=2, comment="how often each team may have more time"),
    Column("paused_at", BigInteger, comment="null: it goes on"),
    Column("rated", Boolean, nullable=False, default=True),
    Column("private", Boolean, nullable=False, default=False),
    Column("setup", Text, nullable=False),
    Column("seed", String(64), nullable=False),
    Column("scheme", Integer, nullable=False, comment="how hashes and dice are made: see rules.chance.fairness"),
    Column("created_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("digest", String(64), comment="as its thread told it, of a record in which names were withdrawn since"),
    Index("ix_games_phase_deadline", "phase", "deadline"),
    Index("ix_games_thread_id", "thread_id"),
    Index("ix_games_parent_id", "parent_id"),
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
    Column("kept_for", BigInteger, comment="the only one who may take it"),
    Column("conceded", Boolean, nullable=False, default=False),
    Column("draw_at", Integer, comment="the step at which a draw was offered; it lapses with the next"),
    Column("missed", Integer, nullable=False, default=0, comment="deadlines missed in a row"),
    Column("offered_at", BigInteger, comment="since when anybody may take it over; null: it is held"),
    Column("name", String(80), comment="how he was called when the game ended; null: it goes on, or the computer"),
    Column("word", String(60), comment="what he added to the dice before the start"),
    Column("word_agreed", Boolean, nullable=False, default=False, comment="no word has changed since he sent his"),
    Index("ix_seats_user_id", "user_id"),
)

captains = Table(
    "captains",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("user_id", BigInteger, comment="null: the computer, or nobody"),
    Column("from_step", Integer, nullable=False, comment="the last step when he got it"),
    Column("to_step", Integer, comment="the last step when he lost it; null: he holds it"),
    Column("put_by", BigInteger, comment="who put him there; null: he came himself"),
    Column("acted", Boolean, nullable=False, comment="he has done something in it himself"),
    Column("left", Boolean, nullable=False, comment="he gave it away, or lost it because he was absent"),
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
    Column("focus", Text, nullable=False, server_default="", comment="what the panel looks at: no part of the draft"),
    Column("version", Integer, nullable=False, default=0, comment="counts changes of the draft and its seal"),
    Column(
        "inherited",
        Boolean,
        nullable=False,
        default=False,
        comment="sealed by one who held the seat before, and not to be opened to who holds it now",
    ),
    Column(
        "awaits_battle",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="a battle answers it, and the game waits for its end",
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
    Column("given_by", String(10), nullable=False, comment="captain, computer, deadline, stored or battle"),
    Column("sealed_at", BigInteger, nullable=False),
)

published = Table(
    "published",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("what", String(8), nullable=False, comment="seed, words, seal, broken or digest; rows are never changed"),
    Column("hash", String(64), nullable=False),
    Column("request", String(60), nullable=False, default="", comment="what a seal answers, as the rules named it"),
    Column("at", BigInteger, nullable=False),
    Column("link", String(120), nullable=False, default="", comment="to the message that shows it"),
    Index("ix_published_game_id", "game_id"),
)

steps = Table(
    "steps",
    metadata,
    _game_column(),
    Column("no", Integer, primary_key=True),
    Column("cause", Text, nullable=False, comment="what was put in: start, the ids answered, or an act"),
    Column("events", Text, nullable=False),
    Column("state", Text, nullable=False, comment="snapshot after it; a replay must equal it"),
    Column("resolved_at", BigInteger, nullable=False),
    Column("revealed", Boolean, nullable=False, comment="dice fell, or others' orders were opened or carried out"),
)

_WAITING_CONDITION, _GIVEN_UP_CONDITION = text("wanted > sent AND problem IS NULL"), text("problem IS NOT NULL")

outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("mark", Integer, nullable=False, comment="what Discord knows it by: by chance, as ids count secrets"),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("key", String(90), nullable=False, comment="names the message within its game"),
    Column("kind", String(20), nullable=False),
    Column("ref", Text, nullable=False, comment="what it is about: a value of bot.store.models.subjects, as JSON"),
    Column("user_id", BigInteger, comment="whose direct messages it goes to; null: the game's thread or channel"),
    Column("wanted", Integer, nullable=False, default=1, comment="revision that must be seen"),
    Column("sent", Integer, nullable=False, default=0, comment="revision that is seen"),
    Column("channel_id", BigInteger),
    Column("message_id", BigInteger),
    Column("attempts", Integer, nullable=False, default=0),
    Column("due_at", BigInteger, nullable=False),
    Column("wanted_at", BigInteger, nullable=False, comment="since when something else has been wanted than is seen"),
    Column("problem", String(200), comment="why it was given up"),
    Column("shown", String(32), comment="fingerprint of what we last showed; null: something else may be seen by now"),
    Column("edited_at", BigInteger, comment="when we last edited it"),
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
    Column("user_id", BigInteger, nullable=False, comment="in whose direct messages it stands"),
    Column("channel_id", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    Column("due_at", BigInteger, comment="from when it is to go; null: as soon as he is asked something else"),
    Index("ix_removals_due_at", "due_at"),
    Index("ix_removals_user_id", "user_id"),
    Index("ix_removals_game_id", "game_id"),
)

players = Table(
    "players",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("name", String(80), nullable=False),
    Column("locale", String(10), nullable=False, comment="of his Discord"),
    Column("chosen_locale", String(10), comment="the language he chose; null: that of his Discord"),
    Column("zone", String(40), comment="an IANA time zone; null: unknown"),
    Column("quiet_from", Integer, comment="minute of his day from which he is left in peace"),
    Column("quiet_to", Integer),
    Column("reminders", String(8), nullable=False, default="both", comment="both, last or none"),
    Column("away_from", BigInteger),
    Column("away_to", BigInteger),
    Column("standing", Text, nullable=False, default="{}", comment="default standing orders by system, JSON"),
    Column("dm_channel_id", BigInteger, comment="where his direct messages with us are; null: not yet opened"),
)

servers = Table(
    "servers",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("creators_id", BigInteger, comment="the role that may open games; null: everybody"),
    Column("channels", Text, nullable=False, default="[]", comment="where games may be opened, JSON; empty: anywhere"),
    Column("most_games", Integer, comment="open at once on the server; null: as the bot's settings say"),
    Column("locale", String(10), comment="language of its threads; null: the server's own"),
)

acts = Table(
    "acts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("game_id", Integer, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("step_no", Integer, nullable=False, comment="the last step when it was done"),
    Column("user_id", BigInteger, comment="who did it; null: the bot itself; 0: somebody who is not known here"),
    Column("by_seat", Integer, comment="the seat that he held then; null: none"),
    Column("kind", String(20), nullable=False),
    Column("seat", Integer, comment="whom it concerns"),
    Column("params", Text, nullable=False, default="{}", comment="JSON; what its sentence names"),
    Index("ix_acts_game_id", "game_id"),
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
    Column("counted", Boolean, nullable=False, default=True, comment="whether the game has changed his rating"),
    Column("facts", Text, nullable=False, comment="what he did and rolled in it, JSON"),
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
        comment="among what they keep of the game; 0: a note of the game's own",
    ),
    Column("name", String(40), nullable=False, comment="as its captain calls it"),
    Column("body", Text, nullable=False, comment="only the game reads it"),
    Column(
        "game_id",
        Integer,
        ForeignKey("games.id", ondelete="SET NULL"),
        comment="the running game that has it; null: none",
    ),
    Index("ix_keepsakes_game_id", "game_id"),
)

kept_facts = Table(
    "kept_facts",
    metadata,
    Column("key", String(60), primary_key=True),
    Column("value", Text, nullable=False, comment="what the bot itself must remember, such as what Discord was told"),
)

beats = Table(
    "beats",
    metadata,
    Column("shards", Integer, primary_key=True, autoincrement=False, comment="how many there are; 1: one bot plays"),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False, comment="when captains of this shard's games last could act"),
)

leases = Table(
    "leases",
    metadata,
    Column("key", String(40), primary_key=True, comment="a shard, a bot, or a turn: see bot.store.engine.leases"),
    Column("holder", String(16), comment="the bot that has it; null: none"),
    Column("token", BigInteger, nullable=False, default=0, comment="grows whenever it is taken"),
    Column("until", Double, nullable=False, comment="Unix time by the database's clock"),
)
"""Leases of several bots on one database; empty if one bot runs alone (see `bot.store.engine.leases`)."""

host_requests = Table(
    "host_requests",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(20), nullable=False, comment="a value of bot.store.queries.host_requests.Kind"),
    Column("user_id", BigInteger, comment="the user whom it concerns; null: none"),
    Column("target_id", BigInteger, comment="the game or server that it concerns; null: none"),
    Column("params", Text, nullable=False, default="{}", comment="JSON: texts, and how far it is carried out"),
    Column("asked_at", BigInteger, nullable=False),
    Column("taken_until", BigInteger, comment="until when other bots leave it to the one that has taken it"),
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

error_counts = Table(
    "error_counts",
    metadata,
    Column("hour", BigInteger, primary_key=True, autoincrement=False, comment="its first second"),
    Column("kind", String(100), primary_key=True, comment="a constant text, without values"),
    Column("count", Integer, nullable=False),
    Column("last_at", BigInteger, nullable=False),
)
