"""Say in a column which questions a game waits for a battle to answer: until now it stood in their text alone.

And take back offers of a battle's seats whose captains hold the seats above, too: since then these go together.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, filled, and take back the offers."""
    meaning = "a battle answers it, and the game waits for its end"
    column: sa.Column[bool] = sa.Column(
        "awaits_battle", sa.Boolean(), server_default=sa.false(), nullable=False, comment=meaning
    )
    op.add_column("requests", column)
    asked = sa.table("requests", *map(sa.column, ("game_id", "id", "body", "awaits_battle")))
    battles = sa.select(asked.c.game_id, asked.c.id, asked.c.body).where(asked.c.body.like('%"battle":{%'))
    for game_id, name, text in op.get_bind().execute(battles).all():
        body = json.loads(text)
        if body.get("battle") and not body.get("optional", False):
            same = (asked.c.game_id == game_id, asked.c.id == name)
            op.execute(asked.update().where(*same).values(awaits_battle=sa.true()))
    games = sa.table("games", *map(sa.column, ("id", "parent_id")))
    here = sa.table("seats", *map(sa.column, ("game_id", "user_id", "offered_at")))
    above = here.alias()
    there = games.join(above, above.c.game_id == games.c.parent_id)
    own = sa.select(above.c.user_id).select_from(there).where(games.c.id == here.c.game_id)
    own = own.where(above.c.user_id == here.c.user_id).correlate(here)
    op.execute(here.update().where(here.c.offered_at.is_not(None), own.exists()).values(offered_at=None))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("requests", "awaits_battle")
