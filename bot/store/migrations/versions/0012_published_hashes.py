"""Keep what was published of a game as it was published, from now on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward. Of what was published before nothing is noted: the database alone would tell it."""
    comment = "seed, words, seal, broken or digest; rows are never changed"
    named = "what a seal answers, as the rules named it"
    op.create_table(
        "published",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(length=8), nullable=False, comment=comment),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("request", sa.String(length=60), server_default="", nullable=False, comment=named),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("link", sa.String(120), server_default="", nullable=False, comment="to the message that shows it"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_published_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_published")),
    )
    op.create_index("ix_published_game_id", "published", ["game_id"])


def downgrade() -> None:
    """Take the tables back."""
    op.drop_table("published")
