"""Keep the names under which a finished game is remembered, also of captains whom nobody knows here."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    comment = "how he was called when the game ended; null: it goes on, or the computer"
    with op.batch_alter_table("seats", schema=None) as seats:
        seats.add_column(sa.Column("name", sa.String(length=80), nullable=True, comment=comment))


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("seats", schema=None) as seats:
        seats.drop_column("name")
