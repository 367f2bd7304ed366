"""Remember which messages are to go from Discord."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward. Closed panels of running games go when their captains are next asked something."""
    whose = "in whose direct messages it stands"
    due = "from when it is to go; null: as soon as he is asked something else"
    op.create_table(
        "removals",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False, comment=whose),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True, comment=due),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_removals_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removals")),
    )
    for column in ("due_at", "user_id", "game_id"):
        op.create_index(f"ix_removals_{column}", "removals", [column])


def downgrade() -> None:
    """Take the tables back."""
    op.drop_table("removals")
