"""Give messages numbers of chance by which Discord knows them.

Until now they were those of their rows, which count what others are shown. What Discord shows already keeps the number
that it carries.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_MARK_LEAST = 1_000_000
"""What was added to the numbers of rows: Discord numbers the parts of a message from 1."""


def upgrade() -> None:
    """Add the column, filled, and find messages by it."""
    mark = sa.Column("mark", sa.Integer(), comment="what Discord knows it by: by chance, as ids count secrets")
    op.add_column("outbox", mark)
    outbox = sa.table("outbox", sa.column("id"), sa.column("mark"))
    op.execute(outbox.update().values(mark=outbox.c.id + _MARK_LEAST))
    with op.batch_alter_table("outbox") as table:
        table.alter_column("mark", existing_type=sa.Integer(), nullable=False)
    op.create_index("ix_outbox_mark", "outbox", ["mark"], unique=False)


def downgrade() -> None:
    """Forget the numbers."""
    op.drop_index("ix_outbox_mark", table_name="outbox")
    op.drop_column("outbox", "mark")
