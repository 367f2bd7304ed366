"""Remember of a battle which question of its parent it answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    with op.batch_alter_table("games", schema=None) as games:
        games.add_column(sa.Column("parent_request", sa.String(60), comment="what its end answers there"))
    with op.batch_alter_table("answers", schema=None) as answers:
        answers.alter_column(
            "given_by",
            existing_type=sa.String(10),
            existing_nullable=False,
            comment="captain, computer, deadline or battle",
            existing_comment="captain, computer or deadline",
        )


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("answers", schema=None) as answers:
        answers.alter_column(
            "given_by",
            existing_type=sa.String(10),
            existing_nullable=False,
            comment="captain, computer or deadline",
            existing_comment="captain, computer, deadline or battle",
        )
    with op.batch_alter_table("games", schema=None) as games:
        games.drop_column("parent_request")
