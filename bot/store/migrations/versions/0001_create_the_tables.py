"""Create the tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    op.create_table(
        "games",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True, comment="the game of which this one is a battle"),
        sa.Column("parent_request", sa.String(length=60), nullable=True, comment="what its end answers there"),
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
        sa.Column("step_no", sa.Integer(), nullable=False, comment="the last step; -1 before the start"),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("pace", sa.Text(), nullable=False, comment="how long a phase lasts: JSON of bot.pace.Pace"),
        sa.Column("early", sa.Boolean(), nullable=False, comment="goes on as soon as all have sealed"),
        sa.Column("extensions", sa.Integer(), nullable=False, comment="how often each team may have more time"),
        sa.Column("paused_at", sa.BigInteger(), nullable=True, comment="null: it goes on"),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("setup", sa.Text(), nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column(
            "scheme", sa.Integer(), nullable=False, comment="how hashes and dice are made: see rules.chance.fairness"
        ),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column(
            "digest",
            sa.String(length=64),
            nullable=True,
            comment="as its thread told it, of a record in which names were withdrawn since",
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["games.id"], name=op.f("fk_games_parent_id_games")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
    )
    op.create_index("ix_games_phase_deadline", "games", ["phase", "deadline"], unique=False)
    op.create_index("ix_games_thread_id", "games", ["thread_id"], unique=False)
    op.create_table(
        "kept_facts",
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column(
            "value",
            sa.Text(),
            nullable=False,
            comment="what the bot itself must remember, such as what Discord was told",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_kept_facts")),
    )
    op.create_table(
        "players",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("locale", sa.String(length=10), nullable=False, comment="of his Discord"),
        sa.Column(
            "chosen_locale",
            sa.String(length=10),
            nullable=True,
            comment="the language he chose; null: that of his Discord",
        ),
        sa.Column("zone", sa.String(length=40), nullable=True, comment="an IANA time zone; null: unknown"),
        sa.Column(
            "quiet_from", sa.Integer(), nullable=True, comment="minute of his day from which he is left in peace"
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
            comment="where his direct messages with us are; null: not yet opened",
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_players")),
    )
    op.create_table(
        "servers",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "creators_id", sa.BigInteger(), nullable=True, comment="the role that may open games; null: everybody"
        ),
        sa.Column("channels", sa.Text(), nullable=False, comment="where games may be opened, JSON; empty: anywhere"),
        sa.Column(
            "most_games",
            sa.Integer(),
            nullable=True,
            comment="open at once on the server; null: as the bot's settings say",
        ),
        sa.Column(
            "locale", sa.String(length=10), nullable=True, comment="language of its threads; null: the server's own"
        ),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_servers")),
    )
    op.create_table(
        "acts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("step_no", sa.Integer(), nullable=False, comment="the last step when it was done"),
        sa.Column(
            "user_id",
            sa.BigInteger(),
            nullable=True,
            comment="who did it; null: the bot itself; 0: somebody who is not known here",
        ),
        sa.Column("by_seat", sa.Integer(), nullable=True, comment="the seat that he held then; null: none"),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True, comment="whom it concerns"),
        sa.Column("params", sa.Text(), nullable=False, comment="JSON; what its sentence names"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_acts_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_acts")),
    )
    op.create_index("ix_acts_game_id", "acts", ["game_id"], unique=False)
    op.create_table(
        "answers",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.String(length=60), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False, comment="canonical text; secret until its step is resolved"),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("given_by", sa.String(length=10), nullable=False, comment="captain, computer, deadline or battle"),
        sa.Column("sealed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_answers_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "request_id", name=op.f("pk_answers")),
    )
    op.create_table(
        "captains",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="null: the computer, or nobody"),
        sa.Column("from_step", sa.Integer(), nullable=False, comment="the last step when he got it"),
        sa.Column("to_step", sa.Integer(), nullable=True, comment="the last step when he lost it; null: he holds it"),
        sa.Column("put_by", sa.BigInteger(), nullable=True, comment="who put him there; null: he came himself"),
        sa.Column("acted", sa.Boolean(), nullable=False, comment="he has done something in it himself"),
        sa.Column("left", sa.Boolean(), nullable=False, comment="he gave it away, or lost it because he was absent"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_captains_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_captains")),
    )
    op.create_index("ix_captains_game_id", "captains", ["game_id"], unique=False)
    op.create_index("ix_captains_user_id", "captains", ["user_id"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=90), nullable=False, comment="names the message within its game"),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column(
            "ref", sa.Text(), nullable=False, comment="what it is about: a value of bot.store.models.subjects, as JSON"
        ),
        sa.Column(
            "user_id",
            sa.BigInteger(),
            nullable=True,
            comment="whose direct messages it goes to; null: the game's thread or channel",
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
            comment="since when something else has been wanted than is seen",
        ),
        sa.Column("problem", sa.String(length=200), nullable=True, comment="why it was given up"),
        sa.Column(
            "shown",
            sa.String(length=32),
            nullable=True,
            comment="fingerprint of what we last showed; null: something else may be seen by now",
        ),
        sa.Column("edited_at", sa.BigInteger(), nullable=True, comment="when we last edited it"),
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
            comment="seed, words, seal, broken or digest; rows are never changed",
        ),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column(
            "request", sa.String(length=60), nullable=False, comment="what a seal answers, as the rules named it"
        ),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("link", sa.String(length=120), nullable=False, comment="to the message that shows it"),
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
        sa.Column("counted", sa.Boolean(), nullable=False, comment="whether the game has changed his rating"),
        sa.Column("facts", sa.Text(), nullable=False, comment="what he did and rolled in it, JSON"),
        sa.Column("rated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_ratings_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "user_id", name=op.f("pk_ratings")),
    )
    op.create_index("ix_ratings_system_user_id", "ratings", ["system", "user_id"], unique=False)
    op.create_table(
        "removals",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False, comment="in whose direct messages it stands"),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "due_at",
            sa.BigInteger(),
            nullable=True,
            comment="from when it is to go; null: as soon as he is asked something else",
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
            comment="what the panel looks at: no part of the draft",
        ),
        sa.Column("version", sa.Integer(), nullable=False, comment="counts changes of the draft and its seal"),
        sa.Column(
            "inherited",
            sa.Boolean(),
            nullable=False,
            comment="sealed by one who held the seat before, and not to be opened to who holds it now",
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
        sa.Column("kept_for", sa.BigInteger(), nullable=True, comment="the only one who may take it"),
        sa.Column("conceded", sa.Boolean(), nullable=False),
        sa.Column(
            "draw_at",
            sa.Integer(),
            nullable=True,
            comment="the step at which a draw was offered; it lapses with the next",
        ),
        sa.Column("missed", sa.Integer(), nullable=False, comment="deadlines missed in a row"),
        sa.Column(
            "offered_at",
            sa.BigInteger(),
            nullable=True,
            comment="since when anybody may take it over; null: it is held",
        ),
        sa.Column(
            "name",
            sa.String(length=80),
            nullable=True,
            comment="how he was called when the game ended; null: it goes on, or the computer",
        ),
        sa.Column("word", sa.String(length=60), nullable=True, comment="what he added to the dice before the start"),
        sa.Column("word_agreed", sa.Boolean(), nullable=False, comment="no word has changed since he sent his"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_seats_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("pk_seats")),
    )
    op.create_index("ix_seats_user_id", "seats", ["user_id"], unique=False)
    op.create_table(
        "steps",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("no", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False, comment="what was put in: start, the ids answered, or an act"),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, comment="snapshot after it; a replay must equal it"),
        sa.Column("resolved_at", sa.BigInteger(), nullable=False),
        sa.Column(
            "revealed",
            sa.Boolean(),
            nullable=False,
            comment="dice fell, or others' orders were opened or carried out",
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_steps_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "no", name=op.f("pk_steps")),
    )


def downgrade() -> None:
    """Take the change back."""
    op.drop_table("steps")
    op.drop_index("ix_seats_user_id", table_name="seats")
    op.drop_table("seats")
    op.drop_index("ix_requests_game_id_status", table_name="requests")
    op.drop_table("requests")
    op.drop_index("ix_removals_user_id", table_name="removals")
    op.drop_index("ix_removals_game_id", table_name="removals")
    op.drop_index("ix_removals_due_at", table_name="removals")
    op.drop_table("removals")
    op.drop_index("ix_ratings_system_user_id", table_name="ratings")
    op.drop_table("ratings")
    op.drop_index("ix_published_game_id", table_name="published")
    op.drop_table("published")
    op.drop_index("uq_outbox_game_id_key", table_name="outbox")
    op.drop_index(
        "ix_outbox_waiting",
        table_name="outbox",
        sqlite_where=sa.text("wanted > sent AND problem IS NULL"),
        postgresql_where=sa.text("wanted > sent AND problem IS NULL"),
    )
    op.drop_index(
        "ix_outbox_given_up",
        table_name="outbox",
        sqlite_where=sa.text("problem IS NOT NULL"),
        postgresql_where=sa.text("problem IS NOT NULL"),
    )
    op.drop_table("outbox")
    op.drop_index("ix_captains_user_id", table_name="captains")
    op.drop_index("ix_captains_game_id", table_name="captains")
    op.drop_table("captains")
    op.drop_table("answers")
    op.drop_index("ix_acts_game_id", table_name="acts")
    op.drop_table("acts")
    op.drop_table("servers")
    op.drop_table("players")
    op.drop_table("kept_facts")
    op.drop_index("ix_games_thread_id", table_name="games")
    op.drop_index("ix_games_phase_deadline", table_name="games")
    op.drop_table("games")
