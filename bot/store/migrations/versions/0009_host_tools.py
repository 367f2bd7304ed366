"""Add what the host asks for from the shell, who is denied, where the bot is, and how often it met errors.

And let SQLite never give the number of a deleted game to another one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# Bots that play side by side are woken by it, as by a wish.
_ON_REQUESTS = """
CREATE TRIGGER war_galley_host AFTER INSERT ON host_requests
FOR EACH STATEMENT EXECUTE FUNCTION war_galley_tell()
"""


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "host_requests",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "kind", sa.String(length=20), nullable=False, comment="a value of bot.store.queries.host_requests.Kind"
        ),
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="the user whom it concerns; null: none"),
        sa.Column(
            "target_id", sa.BigInteger(), nullable=True, comment="the game or server that it concerns; null: none"
        ),
        sa.Column("params", sa.Text(), nullable=False, comment="JSON: texts, and how far it is carried out"),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column(
            "taken_until",
            sa.BigInteger(),
            nullable=True,
            comment="until when other bots leave it to the one that has taken it",
        ),
        sa.Column("done_at", sa.BigInteger(), nullable=True, comment="null: not carried out yet"),
        sa.Column("refused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False, comment="one English line for the host"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_requests")),
    )
    op.create_index("ix_host_requests_done_at", "host_requests", ["done_at"])
    for name, key in (("denied_users", "user_id"), ("denied_servers", "guild_id")):
        op.create_table(
            name,
            sa.Column(key, sa.BigInteger(), autoincrement=False, nullable=False),
            sa.Column("since", sa.BigInteger(), nullable=False),
            sa.PrimaryKeyConstraint(key, name=op.f(f"pk_{name}")),
        )
    op.create_table(
        "bot_servers",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_bot_servers")),
    )
    op.create_table(
        "error_counts",
        sa.Column("hour", sa.BigInteger(), autoincrement=False, nullable=False, comment="its first second"),
        sa.Column("kind", sa.String(length=100), nullable=False, comment="a constant text, without values"),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hour", "kind", name=op.f("pk_error_counts")),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_ON_REQUESTS)
    else:
        with op.batch_alter_table("games", recreate="always", table_kwargs={"sqlite_autoincrement": True}):
            pass


def downgrade() -> None:
    """Drop the tables."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER war_galley_host ON host_requests")
    else:
        with op.batch_alter_table("games", recreate="always", table_kwargs={"sqlite_autoincrement": False}):
            pass
    for name in ("error_counts", "bot_servers", "denied_servers", "denied_users", "host_requests"):
        op.drop_table(name)
