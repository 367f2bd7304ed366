"""Remember what a message last showed and when it was edited, so that edits which change nothing are not sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    shown = "fingerprint of what we last showed; null: something else may be seen by now"
    with op.batch_alter_table("outbox", schema=None) as outbox:
        outbox.add_column(sa.Column("shown", sa.String(32), nullable=True, comment=shown))
        outbox.add_column(sa.Column("edited_at", sa.BigInteger(), nullable=True, comment="when we last edited it"))


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("outbox", schema=None) as outbox:
        outbox.drop_column("edited_at")
        outbox.drop_column("shown")
