"""Keep the fingerprint that a thread has told when a name is withdrawn from its game's record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    comment = "as its thread told it, of a record in which names were withdrawn since"
    with op.batch_alter_table("games", schema=None) as games:
        games.add_column(sa.Column("digest", sa.String(length=64), nullable=True, comment=comment))


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("games", schema=None) as games:
        games.drop_column("digest")
