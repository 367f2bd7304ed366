"""Say by which scheme a game's hashes and dice are made, and keep what captains add to the dice."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward. What has begun goes on under its scheme; lobbies begin under the new one."""
    comment = "how hashes and dice are made: see rules.fairness"
    with op.batch_alter_table("games", schema=None) as games:
        games.add_column(sa.Column("scheme", sa.Integer(), server_default="1", nullable=False, comment=comment))
    op.execute("UPDATE games SET scheme = 2 WHERE phase = 'lobby'")
    with op.batch_alter_table("seats", schema=None) as seats:
        comment = "what he added to the dice before the start"
        seats.add_column(sa.Column("word", sa.String(length=60), nullable=True, comment=comment))
        comment = "no word has changed since he sent his"
        seats.add_column(
            sa.Column("word_agreed", sa.Boolean(), server_default=sa.false(), nullable=False, comment=comment)
        )
    # Lobbies show what they had no need to show before: the fingerprint of their dice.
    op.execute(
        "UPDATE outbox SET wanted = wanted + 1"
        " WHERE kind = 'lobby' AND game_id IN (SELECT id FROM games WHERE phase = 'lobby')"
    )


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("seats", schema=None) as seats:
        seats.drop_column("word_agreed")
        seats.drop_column("word")
    with op.batch_alter_table("games", schema=None) as games:
        games.drop_column("scheme")
