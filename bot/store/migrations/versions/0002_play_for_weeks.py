"""Keep what weeks of play need: paces, absences, servers' settings, the audit log and ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def _int(name: str, default: int, comment: str | None = None) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=str(default), nullable=False, comment=comment)


def upgrade() -> None:
    """Bring the tables forward; games that are under way keep their length of a phase."""
    with op.batch_alter_table("games", schema=None) as games:
        comment = "how long a phase lasts: JSON of bot.pace.Pace"
        games.add_column(sa.Column("pace", sa.Text(), server_default="{}", nullable=False, comment=comment))
        comment = "goes on as soon as all have sealed"
        games.add_column(sa.Column("early", sa.Boolean(), server_default=sa.true(), nullable=False, comment=comment))
        games.add_column(_int("extensions", 2, "how often each team may have more time"))
        games.add_column(sa.Column("paused_at", sa.BigInteger(), nullable=True, comment="null: it goes on"))
        games.add_column(sa.Column("rated", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.execute("UPDATE games SET pace = '{\"seconds\":' || phase_seconds || '}'")
    with op.batch_alter_table("games", schema=None) as games:
        games.drop_column("phase_seconds")
    with op.batch_alter_table("seats", schema=None) as seats:
        seats.add_column(_int("missed", 0, "deadlines missed in a row"))
        comment = "since when anybody may take it over; null: it is held"
        seats.add_column(sa.Column("offered_at", sa.BigInteger(), nullable=True, comment=comment))
    with op.batch_alter_table("requests", schema=None) as requests:
        requests.add_column(sa.Column("asked_at", sa.BigInteger(), server_default="0", nullable=False))
    with op.batch_alter_table("players", schema=None) as players:
        players.alter_column("locale", existing_type=sa.String(10), existing_nullable=False, comment="of his Discord")
        comment = "the language he chose; null: that of his Discord"
        players.add_column(sa.Column("chosen_locale", sa.String(length=10), nullable=True, comment=comment))
        comment = "an IANA time zone; null: unknown"
        players.add_column(sa.Column("zone", sa.String(length=40), nullable=True, comment=comment))
        comment = "minute of his day from which he is left in peace"
        players.add_column(sa.Column("quiet_from", sa.Integer(), nullable=True, comment=comment))
        players.add_column(sa.Column("quiet_to", sa.Integer(), nullable=True))
        both = sa.Column("reminders", sa.String(8), server_default="both", nullable=False, comment="both, last or none")
        players.add_column(both)
        players.add_column(sa.Column("away_from", sa.BigInteger(), nullable=True))
        players.add_column(sa.Column("away_to", sa.BigInteger(), nullable=True))
        comment = "default standing orders by system, JSON"
        players.add_column(sa.Column("standing", sa.Text(), server_default="{}", nullable=False, comment=comment))
    op.create_table(
        "servers",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "creators_id", sa.BigInteger(), nullable=True, comment="the role that may open games; null: everybody"
        ),
        sa.Column(
            "channels",
            sa.Text(),
            server_default="[]",
            nullable=False,
            comment="where games may be opened, JSON; empty: anywhere",
        ),
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
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="who did it; null: the bot itself"),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True, comment="whom it concerns"),
        sa.Column("params", sa.Text(), server_default="{}", nullable=False, comment="JSON; what its sentence names"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_acts_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_acts")),
    )
    with op.batch_alter_table("acts", schema=None) as acts:
        acts.create_index("ix_acts_game_id", ["game_id"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("system", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=5), nullable=False, comment="won, lost or drawn"),
        sa.Column("mu", sa.Float(), nullable=False, comment="after the game"),
        sa.Column("sigma", sa.Float(), nullable=False, comment="after the game"),
        sa.Column("facts", sa.Text(), nullable=False, comment="what he did and rolled in it, JSON"),
        sa.Column("rated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_ratings_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "user_id", name=op.f("pk_ratings")),
    )
    with op.batch_alter_table("ratings", schema=None) as ratings:
        ratings.create_index("ix_ratings_system_user_id", ["system", "user_id"], unique=False)
