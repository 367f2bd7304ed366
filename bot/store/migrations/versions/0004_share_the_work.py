"""Let several bots play on one PostgreSQL: who holds which shard, who claims a game, and a word when there is work.

Only adds, as bots of the version before go on meanwhile.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# PostgreSQL tells all who listen once the transaction is committed, and the same word only once.
_TELLING = """
CREATE FUNCTION war_galley_tell() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('war_galley', ''); RETURN NULL; END
$$
"""
_ON_WISHES = """
CREATE TRIGGER war_galley_wishes AFTER INSERT OR UPDATE OF wanted ON outbox
FOR EACH STATEMENT EXECUTE FUNCTION war_galley_tell()
"""
_ON_DEADLINES = """
CREATE TRIGGER war_galley_deadlines AFTER UPDATE OF deadline, paused_at ON games
FOR EACH STATEMENT EXECUTE FUNCTION war_galley_tell()
"""


def upgrade() -> None:
    """Add the table, the column and, on PostgreSQL, the trigger."""
    op.create_table(
        "leases",
        sa.Column(
            "key",
            sa.String(length=40),
            nullable=False,
            comment="a shard, a bot, or a turn: see bot.store.engine.leases",
        ),
        sa.Column("holder", sa.String(length=16), nullable=True, comment="the bot that has it; null: none"),
        sa.Column("token", sa.BigInteger(), nullable=False, comment="grows whenever it is taken"),
        sa.Column("until", sa.Double(), nullable=False, comment="Unix time by the database's clock"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_leases")),
    )
    comment = "the bot that has claimed it, where several play; null: the only one"
    op.add_column("games", sa.Column("claimed_by", sa.String(length=16), nullable=True, comment=comment))
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_TELLING)
        op.execute(_ON_WISHES)
        op.execute(_ON_DEADLINES)


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER war_galley_wishes ON outbox")
        op.execute("DROP TRIGGER war_galley_deadlines ON games")
        op.execute("DROP FUNCTION war_galley_tell")
    op.drop_column("games", "claimed_by")
    op.drop_table("leases")
