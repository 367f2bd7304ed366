"""Store until when captains could last answer, so that time in which they could not counts for nothing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "beats",
        sa.Column(
            "shards", sa.Integer(), autoincrement=False, nullable=False, comment="how many there are; 1: one bot plays"
        ),
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False, comment="when captains of this shard's games last could act"),
        sa.PrimaryKeyConstraint("shards", "shard", name=op.f("pk_beats")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("beats")
