"""Change no table, but let bots end by themselves that don't know the fourth edition, by which games begin now."""

from __future__ import annotations

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Only the number counts: see `OLDEST_COMPATIBLE`."""


def downgrade() -> None:
    """Only the number counts."""
