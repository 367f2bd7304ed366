"""Remember which seat whoever did something beside the rules held then: his record names seats, not users."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables forward."""
    comment = "the seat that he held then; null: none"
    with op.batch_alter_table("acts", schema=None) as acts:
        acts.add_column(sa.Column("by_seat", sa.Integer(), nullable=True, comment=comment))
    op.execute(
        "UPDATE acts SET by_seat ="
        " (SELECT seat FROM seats WHERE seats.game_id = acts.game_id AND seats.user_id = acts.user_id)"
    )


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("acts", schema=None) as acts:
        acts.drop_column("by_seat")
