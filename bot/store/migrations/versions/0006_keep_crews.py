"""Keep what captains bring home from a game to the next one, such as the crews of their ships."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    number = "among what they keep of the game; 0: a note of the game's own"
    op.create_table(
        "keepsakes",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("system", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False, comment=number),
        sa.Column("name", sa.String(length=40), nullable=False, comment="as its captain calls it"),
        sa.Column("body", sa.Text(), nullable=False, comment="only the game reads it"),
        sa.Column("game_id", sa.Integer(), nullable=True, comment="the running game that has it; null: none"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_keepsakes_game_id_games"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("user_id", "system", "number", name=op.f("pk_keepsakes")),
    )
    op.create_index("ix_keepsakes_game_id", "keepsakes", ["game_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("keepsakes")
