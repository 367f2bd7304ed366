"""Remember which commands Discord was told, so that it is told of changes only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    comment = "what the bot itself must remember, such as what Discord was told"
    op.create_table(
        "kept_facts",
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column("value", sa.Text(), nullable=False, comment=comment),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_kept_facts")),
    )


def downgrade() -> None:
    """Take the tables back."""
    op.drop_table("kept_facts")
