"""Create the tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_CREATE_NOTIFY_FUNCTION = """
CREATE FUNCTION war_galley_tell() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('war_galley', ''); RETURN NULL; END
$$
"""
_CREATE_NOTIFY_TRIGGERS = (
    """
    CREATE TRIGGER war_galley_wishes AFTER INSERT OR UPDATE OF wanted ON outbox
    FOR EACH STATEMENT EXECUTE FUNCTION war_galley_tell()
    """,
    """
    CREATE TRIGGER war_galley_deadlines AFTER UPDATE OF deadline, paused_at ON games
    FOR EACH STATEMENT EXECUTE FUNCTION war_galley_tell()
    """,
    """
    CREATE TRIGGER war_galley_host AFTER INSERT ON host_requests
    FOR EACH STATEMENT EXECUTE FUNCTION war_galley_tell()
    """,
)
"""On PostgreSQL these wake all bots that share the database."""


def upgrade() -> None:
    op.create_table(
        "beats",
        sa.Column(
            "shards", sa.Integer(), autoincrement=False, nullable=False, comment="number of shards; 1: one bot runs"
        ),
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "at", sa.BigInteger(), nullable=False, comment="last time at which captains of this shard's games could act"
        ),
        sa.PrimaryKeyConstraint("shards", "shard", name=op.f("pk_beats")),
    )
    op.create_table(
        "bot_servers",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_bot_servers")),
    )
    op.create_table(
        "denied_servers",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_denied_servers")),
    )
    op.create_table(
        "denied_users",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_denied_users")),
    )
    op.create_table(
        "error_counts",
        sa.Column("hour", sa.BigInteger(), autoincrement=False, nullable=False, comment="its first second"),
        sa.Column("kind", sa.String(length=100), nullable=False, comment="a constant text, without values"),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hour", "kind", name=op.f("pk_error_counts")),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True, comment="the game of which this one is a battle"),
        sa.Column(
            "parent_request",
            sa.String(length=60),
            nullable=True,
            comment="the parent's request that this battle's result answers",
        ),
        sa.Column("is_match", sa.Boolean(), nullable=False, comment="the first game of a match, or its lobby"),
        sa.Column(
            "first_game_id",
            sa.Integer(),
            nullable=True,
            comment="the first game of the match whose second game this one is",
        ),
        sa.Column(
            "second_seed", sa.String(length=64), nullable=True, comment="the secret seed of the second game of a match"
        ),
        sa.Column(
            "points",
            sa.String(length=80),
            nullable=True,
            comment="a JSON list: the points of each side in a finished game of a match",
        ),
        sa.Column("system", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("locale", sa.String(length=10), nullable=False, comment="language of the thread"),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=True),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "phase", sa.String(length=12), nullable=False, comment="lobby, running, resolving, over or cancelled"
        ),
        sa.Column("version", sa.Integer(), nullable=False, comment="counts claims, for compare-and-set"),
        sa.Column("claimed_at", sa.BigInteger(), nullable=True),
        sa.Column(
            "claimed_by",
            sa.String(length=16),
            nullable=True,
            comment="the bot that has claimed it; null: only one bot runs",
        ),
        sa.Column("step_no", sa.Integer(), nullable=False, comment="the last step; -1 before the start"),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("pace", sa.Text(), nullable=False, comment="length of a phase: JSON of bot.store.models.pace.Pace"),
        sa.Column("early", sa.Boolean(), nullable=False, comment="the step is resolved as soon as all have sealed"),
        sa.Column("extensions", sa.Integer(), nullable=False, comment="times that each team may have more time"),
        sa.Column("paused_at", sa.BigInteger(), nullable=True, comment="null: not paused"),
        sa.Column(
            "idle_since",
            sa.BigInteger(),
            nullable=True,
            comment="from when its term counts: of a lobby its last change, of a running game an act of"
            " a person, of a paused one the pause; null: it has no term",
        ),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("setup", sa.Text(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column(
            "scheme", sa.Integer(), nullable=False, comment="the scheme of hashes and dice: see rules.chance.fairness"
        ),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column(
            "keepsakes_hash",
            sa.String(length=129),
            nullable=False,
            comment="salt and hash of the keepsakes to which captains agreed with their words; empty: none",
        ),
        sa.Column(
            "digest",
            sa.String(length=64),
            nullable=True,
            comment="the published digest of a record from which names were withdrawn later",
        ),
        sa.Column(
            "page_key",
            sa.String(length=22),
            nullable=True,
            comment="the secret part of its page's address; null: it has no page",
        ),
        sa.Column(
            "page_step",
            sa.Integer(),
            nullable=True,
            comment="the last step that its page shows; null: none; -1: its page was removed",
        ),
        sa.ForeignKeyConstraint(
            ["first_game_id"], ["games.id"], name=op.f("fk_games_first_game_id_games"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["games.id"], name=op.f("fk_games_parent_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_games_created_at", "games", ["created_at"], unique=False)
    op.create_index("ix_games_first_game_id", "games", ["first_game_id"], unique=False)
    op.create_index("ix_games_parent_id", "games", ["parent_id"], unique=False)
    op.create_index("ix_games_phase_deadline", "games", ["phase", "deadline"], unique=False)
    op.create_index("ix_games_thread_id", "games", ["thread_id"], unique=False)
    op.create_table(
        "host_requests",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "kind", sa.String(length=20), nullable=False, comment="a value of bot.store.queries.host_requests.Kind"
        ),
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="the user that it concerns; null: none"),
        sa.Column(
            "target_id", sa.BigInteger(), nullable=True, comment="the game or server that it concerns; null: none"
        ),
        sa.Column("params", sa.Text(), nullable=False, comment="texts and progress, JSON"),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column(
            "taken_until",
            sa.BigInteger(),
            nullable=True,
            comment="time until which other bots leave it to the bot that took it",
        ),
        sa.Column("done_at", sa.BigInteger(), nullable=True, comment="null: not carried out yet"),
        sa.Column("refused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False, comment="one English line for the host"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_requests")),
    )
    op.create_index("ix_host_requests_done_at", "host_requests", ["done_at"], unique=False)
    op.create_table(
        "kept_facts",
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column(
            "value",
            sa.Text(),
            nullable=False,
            comment="a fact that the bot must remember, such as the commands sent to Discord",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_kept_facts")),
    )
    op.create_table(
        "leases",
        sa.Column(
            "key",
            sa.String(length=40),
            nullable=False,
            comment="a shard, a bot, or a task: see bot.store.engine.leases",
        ),
        sa.Column("holder", sa.String(length=16), nullable=True, comment="the bot that holds it; null: none"),
        sa.Column("token", sa.BigInteger(), nullable=False, comment="grows whenever it is taken"),
        sa.Column("until", sa.Double(), nullable=False, comment="Unix time by the database's clock"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_leases")),
    )
    op.create_table(
        "players",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("locale", sa.String(length=10), nullable=False, comment="language of the user's Discord"),
        sa.Column(
            "chosen_locale",
            sa.String(length=10),
            nullable=True,
            comment="the language that the user chose; null: that of their Discord",
        ),
        sa.Column("zone", sa.String(length=40), nullable=True, comment="an IANA time zone; null: unknown"),
        sa.Column(
            "quiet_from",
            sa.Integer(),
            nullable=True,
            comment="minute of the user's day from which no reminders are sent",
        ),
        sa.Column("quiet_to", sa.Integer(), nullable=True),
        sa.Column("reminders", sa.String(length=8), nullable=False, comment="both, last or none"),
        sa.Column("away_from", sa.BigInteger(), nullable=True),
        sa.Column("away_to", sa.BigInteger(), nullable=True),
        sa.Column("standing", sa.Text(), nullable=False, comment="default standing orders by system, JSON"),
        sa.Column(
            "dm_channel_id",
            sa.BigInteger(),
            nullable=True,
            comment="channel of the user's direct messages; null: not opened yet",
        ),
        sa.Column(
            "page_mark",
            sa.String(length=22),
            nullable=True,
            comment="random; their address in archives is made from it; null: none yet",
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_players")),
    )
    op.create_table(
        "servers",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "creators_id", sa.BigInteger(), nullable=True, comment="the role that may open games; null: everybody"
        ),
        sa.Column(
            "channels", sa.Text(), nullable=False, comment="channels in which games may be opened, JSON; empty: all"
        ),
        sa.Column("most_games", sa.Integer(), nullable=True, comment="limit of open games; null: the bot's setting"),
        sa.Column(
            "locale", sa.String(length=10), nullable=True, comment="language of its threads; null: that of the server"
        ),
        sa.Column(
            "pages",
            sa.Boolean(),
            nullable=True,
            comment="its games have pages in the browser; null: as the bot's host says",
        ),
        sa.Column(
            "page_key",
            sa.String(length=22),
            nullable=True,
            comment="the secret part of its archive's address; null: it has no archive",
        ),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_servers")),
    )
    op.create_table(
        "acts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("step_no", sa.Integer(), nullable=False, comment="the last step at that time"),
        sa.Column(
            "user_id",
            sa.BigInteger(),
            nullable=True,
            comment="the user who did it; null: the bot itself; 0: an unknown user",
        ),
        sa.Column("by_seat", sa.Integer(), nullable=True, comment="the user's seat at that time; null: none"),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True, comment="the seat that it concerns"),
        sa.Column("params", sa.Text(), nullable=False, comment="parameters of its text, JSON"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_acts_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_acts")),
    )
    op.create_index("ix_acts_game_id", "acts", ["game_id"], unique=False)
    op.create_index("ix_acts_user_id_kind", "acts", ["user_id", "kind"], unique=False)
    op.create_table(
        "answers",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.String(length=60), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False, comment="canonical text; secret until its step is resolved"),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column(
            "given_by",
            sa.String(length=10),
            nullable=False,
            comment="captain, draft, computer, deadline, stored or battle",
        ),
        sa.Column("sealed_at", sa.BigInteger(), nullable=False),
        sa.Column(
            "computation",
            sa.Text(),
            nullable=False,
            comment="how the computer came to it, JSON; empty: it did not",
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_answers_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "request_id", name=op.f("pk_answers")),
    )
    op.create_table(
        "captains",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="null: the computer, or nobody"),
        sa.Column("from_step", sa.Integer(), nullable=False, comment="the last step when the user got the seat"),
        sa.Column(
            "to_step",
            sa.Integer(),
            nullable=True,
            comment="the last step when the user lost the seat; null: they hold it",
        ),
        sa.Column(
            "put_by",
            sa.BigInteger(),
            nullable=True,
            comment="the user who put them there; null: they joined themselves",
        ),
        sa.Column("acted", sa.Boolean(), nullable=False, comment="the user has acted in the game"),
        sa.Column(
            "left", sa.Boolean(), nullable=False, comment="the user gave the seat away or lost it through absence"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_captains_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_captains")),
    )
    op.create_index("ix_captains_game_id", "captains", ["game_id"], unique=False)
    op.create_index("ix_captains_user_id", "captains", ["user_id"], unique=False)
    op.create_table(
        "keepsakes",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("system", sa.String(length=40), nullable=False),
        sa.Column(
            "number",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="number among the user's items of the game; 0: a note of the game itself",
        ),
        sa.Column("name", sa.String(length=40), nullable=False, comment="the captain's name for it"),
        sa.Column("body", sa.Text(), nullable=False, comment="read by the game only"),
        sa.Column("game_id", sa.Integer(), nullable=True, comment="the running game that uses it; null: none"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_keepsakes_game_id_games"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("user_id", "system", "number", name=op.f("pk_keepsakes")),
    )
    op.create_index("ix_keepsakes_game_id", "keepsakes", ["game_id"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "mark",
            sa.Integer(),
            nullable=False,
            comment="random id within Discord; row ids would show how many messages there are",
        ),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=90), nullable=False, comment="names the message within its game"),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column(
            "ref", sa.Text(), nullable=False, comment="the subject, a value of bot.store.models.subjects, as JSON"
        ),
        sa.Column(
            "user_id",
            sa.BigInteger(),
            nullable=True,
            comment="the user who gets it as a direct message; null: the game's thread or channel",
        ),
        sa.Column("wanted", sa.Integer(), nullable=False, comment="revision that must be seen"),
        sa.Column("sent", sa.Integer(), nullable=False, comment="revision that is seen"),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column(
            "wanted_at",
            sa.BigInteger(),
            nullable=False,
            comment="time since which the wanted revision differs from the sent one",
        ),
        sa.Column("problem", sa.String(length=200), nullable=True, comment="the reason why it was given up"),
        sa.Column(
            "shown",
            sa.String(length=32),
            nullable=True,
            comment="fingerprint of the content last sent; null: the message may show other content by now",
        ),
        sa.Column("edited_at", sa.BigInteger(), nullable=True, comment="time of the last edit"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_outbox_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index(
        "ix_outbox_given_up",
        "outbox",
        ["id"],
        unique=False,
        sqlite_where=sa.text("problem IS NOT NULL"),
        postgresql_where=sa.text("problem IS NOT NULL"),
    )
    op.create_index("ix_outbox_mark", "outbox", ["mark"], unique=False)
    op.create_index(
        "ix_outbox_waiting",
        "outbox",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("wanted > sent AND problem IS NULL"),
        postgresql_where=sa.text("wanted > sent AND problem IS NULL"),
    )
    op.create_index("uq_outbox_game_id_key", "outbox", ["game_id", "key"], unique=True)
    op.create_table(
        "published",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column(
            "what",
            sa.String(length=8),
            nullable=False,
            comment="seed, words, seal, broken, chain or digest; rows are never changed",
        ),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column(
            "request",
            sa.String(length=60),
            nullable=False,
            comment="the request that a seal answers, by the rules' id; the round of a line of the chain",
        ),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("link", sa.String(length=120), nullable=False, comment="URL of the message that shows it"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_published_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_published")),
    )
    op.create_index("ix_published_game_id", "published", ["game_id"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("system", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=5), nullable=False, comment="won, lost or drawn"),
        sa.Column("mu", sa.Float(), nullable=False, comment="after the game"),
        sa.Column("sigma", sa.Float(), nullable=False, comment="after the game"),
        sa.Column("counted", sa.Boolean(), nullable=False, comment="whether the game changed the user's rating"),
        sa.Column("facts", sa.Text(), nullable=False, comment="the user's actions and rolls, JSON"),
        sa.Column("rated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_ratings_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "user_id", name=op.f("pk_ratings")),
    )
    op.create_index("ix_ratings_system_user_id", "ratings", ["system", "user_id"], unique=False)
    op.create_table(
        "removals",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False, comment="the user whose direct messages contain it"),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "due_at",
            sa.BigInteger(),
            nullable=True,
            comment="time of the deletion; null: when the user is next asked something",
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_removals_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removals")),
    )
    op.create_index("ix_removals_due_at", "removals", ["due_at"], unique=False)
    op.create_index("ix_removals_game_id", "removals", ["game_id"], unique=False)
    op.create_index("ix_removals_user_id", "removals", ["user_id"], unique=False)
    op.create_table(
        "requests",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=60), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("step_no", sa.Integer(), nullable=False, comment="the step that asked it"),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("optional", sa.Boolean(), nullable=False, comment="nobody waits for it"),
        sa.Column("status", sa.String(length=8), nullable=False, comment="open, sealed or closed"),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column(
            "focus",
            sa.Text(),
            server_default="",
            nullable=False,
            comment="the panel's selection; not part of the draft",
        ),
        sa.Column("version", sa.Integer(), nullable=False, comment="counts changes of the draft and its seal"),
        sa.Column(
            "inherited",
            sa.Boolean(),
            nullable=False,
            comment="sealed by a previous holder of the seat; the present one may not read it",
        ),
        sa.Column(
            "awaits_battle",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="a battle answers it, and the game waits for the battle's end",
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_requests_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "id", name=op.f("pk_requests")),
    )
    op.create_index("ix_requests_game_id_status", "requests", ["game_id", "status"], unique=False)
    op.create_table(
        "seats",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("team", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="null: free, or the computer's"),
        sa.Column("computer", sa.Boolean(), nullable=False),
        sa.Column("kept_for", sa.BigInteger(), nullable=True, comment="the only user who may take it"),
        sa.Column("conceded", sa.Boolean(), nullable=False),
        sa.Column(
            "draw_at",
            sa.Integer(),
            nullable=True,
            comment="the step at which a draw was offered; it lapses with the next",
        ),
        sa.Column(
            "hopeless_step",
            sa.Integer(),
            nullable=True,
            comment="the step whose panel said what conceding costs; null: none yet",
        ),
        sa.Column("missed", sa.Integer(), nullable=False, comment="deadlines missed in a row"),
        sa.Column(
            "offered_at",
            sa.BigInteger(),
            nullable=True,
            comment="time since which anybody may take it over; null: it is held",
        ),
        sa.Column(
            "name",
            sa.String(length=80),
            nullable=True,
            comment="the captain's name at the game's end; null: the game runs, or the computer",
        ),
        sa.Column(
            "word",
            sa.String(length=60),
            nullable=True,
            comment="the captain's word for the dice, added before the start",
        ),
        sa.Column(
            "word_agreed",
            sa.Boolean(),
            nullable=False,
            comment="nothing to agree to has changed since the captain joined or sent a word",
        ),
        sa.Column(
            "abandoned",
            sa.Integer(),
            nullable=False,
            comment="how often the captain had thrown away dice with words of others before sitting down here",
        ),
        sa.Column(
            "abandoned_by_others",
            sa.Integer(),
            nullable=False,
            comment="how often others had, in lobbies and games of the captain",
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_seats_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("pk_seats")),
    )
    op.create_index("ix_seats_user_id", "seats", ["user_id"], unique=False)
    op.create_table(
        "steps",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("no", sa.Integer(), nullable=False),
        sa.Column(
            "cause", sa.Text(), nullable=False, comment="the input: the start, the answered requests, or an action"
        ),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, comment="snapshot after it; a replay must equal it"),
        sa.Column("resolved_at", sa.BigInteger(), nullable=False),
        sa.Column(
            "revealed", sa.Boolean(), nullable=False, comment="dice fell, or others' orders were opened or carried out"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_steps_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "no", name=op.f("pk_steps")),
    )
    op.create_table(
        "tallies",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "kind",
            sa.String(length=12),
            nullable=False,
            comment="opening, abandoned, ended, by_others, removed or post",
        ),
        sa.Column(
            "user_id",
            sa.BigInteger(),
            nullable=False,
            comment="negative: a number that stands for a forgotten user",
        ),
        sa.Column(
            "about_game",
            sa.Integer(),
            nullable=True,
            comment="the game that it is about, even a deleted one; negative: its lobby; null: none",
        ),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False, comment="time after which it no longer counts"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tallies")),
    )
    op.create_index("ix_tallies_until", "tallies", ["until"], unique=False)
    op.create_index("ix_tallies_user_id", "tallies", ["user_id"], unique=False)
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_CREATE_NOTIFY_FUNCTION)
        for trigger in _CREATE_NOTIFY_TRIGGERS:
            op.execute(trigger)
