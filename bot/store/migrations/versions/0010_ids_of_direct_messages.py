"""Remember where a player's direct messages are, so that Discord is not asked before each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward; what was sent directly tells where."""
    comment = "where his direct messages with us are; null: not yet opened"
    with op.batch_alter_table("players", schema=None) as players:
        players.add_column(sa.Column("dm_channel_id", sa.BigInteger(), nullable=True, comment=comment))
    op.execute(
        "UPDATE players SET dm_channel_id = newest.channel_id"
        " FROM (SELECT user_id, max(channel_id) AS channel_id FROM outbox GROUP BY user_id) AS newest"
        " WHERE newest.user_id = players.user_id"
    )


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("players", schema=None) as players:
        players.drop_column("dm_channel_id")
