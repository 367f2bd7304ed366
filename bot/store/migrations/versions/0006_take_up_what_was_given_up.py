"""Take up again what earlier versions gave up for a reason that passes: Discord was away, or refused what it may take.

Not what was told to a person who takes no messages, or has gone; nor what belongs to games that are long over.
"""

from __future__ import annotations

import time
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

LONG_S: Final = 30 * 86_400
"""A game that has been over for so long is told no more."""


def upgrade() -> None:
    """Let them wait as if they had been tried once: each is looked for before it is sent."""
    statement = (
        "UPDATE outbox SET problem = NULL, attempts = 1, due_at = 0"
        " WHERE wanted > sent AND (problem LIKE 'given up: %' OR problem LIKE '4__ %' OR problem LIKE '5__ %')"
        " AND game_id IN (SELECT id FROM games WHERE phase <> 'cancelled' AND (ended_at IS NULL OR ended_at > :since))"
    )
    op.execute(sa.text(statement).bindparams(since=int(time.time()) - LONG_S))


def downgrade() -> None:
    """Nothing to take back."""
