"""Find the battles of a game by it: each step asks for them, and looked at all games until now."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_games_parent_id", "games", ["parent_id"], unique=False)


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_games_parent_id", table_name="games")
