"""Find at once what waits to be sent, since when, and the game of a thread, however many games there are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    comment = "since when something else has been wanted than is seen"
    with op.batch_alter_table("outbox", schema=None) as outbox:
        outbox.add_column(sa.Column("wanted_at", sa.BigInteger(), nullable=False, server_default="0", comment=comment))
    op.execute("UPDATE outbox SET wanted_at = due_at")
    with op.batch_alter_table("outbox", schema=None) as outbox:
        outbox.alter_column("wanted_at", server_default=None, existing_type=sa.BigInteger(), existing_comment=comment)
        outbox.drop_index("ix_outbox_due_at")
    waiting = sa.text("wanted > sent AND problem IS NULL")
    op.create_index("ix_outbox_waiting", "outbox", ["due_at"], sqlite_where=waiting, postgresql_where=waiting)
    given_up = sa.text("problem IS NOT NULL")
    op.create_index("ix_outbox_given_up", "outbox", ["id"], sqlite_where=given_up, postgresql_where=given_up)
    op.create_index("ix_games_thread_id", "games", ["thread_id"])


def downgrade() -> None:
    """Take the tables back."""
    op.drop_index("ix_games_thread_id", "games")
    op.drop_index("ix_outbox_given_up", "outbox")
    op.drop_index("ix_outbox_waiting", "outbox")
    op.create_index("ix_outbox_due_at", "outbox", ["due_at"])
    with op.batch_alter_table("outbox", schema=None) as outbox:
        outbox.drop_column("wanted_at")
