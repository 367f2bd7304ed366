"""Keep what a panel looks at beside the draft, so that looking changes no orders and breaks no seal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    looks = "what the panel looks at: no part of the draft"
    with op.batch_alter_table("requests", schema=None) as requests:
        requests.add_column(sa.Column("focus", sa.Text(), nullable=False, server_default="", comment=looks))


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("requests", schema=None) as requests:
        requests.drop_column("focus")
