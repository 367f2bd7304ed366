"""Remember who held which seat, what was sealed by a captain before, and whose rating a game has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_HANDED_OVER = "('computer', 'kicked', 'replaced', 'substituted')"


def upgrade() -> None:
    """Bring the tables forward."""
    captains = op.create_table(
        "captains",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True, comment="null: the computer, or nobody"),
        sa.Column("from_step", sa.Integer(), nullable=False, comment="the last step when he got it"),
        sa.Column("to_step", sa.Integer(), nullable=True, comment="the last step when he lost it; null: he holds it"),
        sa.Column("put_by", sa.BigInteger(), nullable=True, comment="who put him there; null: he came himself"),
        sa.Column("acted", sa.Boolean(), nullable=False, comment="he has done something in it himself"),
        sa.Column("left", sa.Boolean(), nullable=False, comment="he gave it away, or lost it because he was absent"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_captains_game_id_games"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_captains")),
    )
    op.create_index("ix_captains_game_id", "captains", ["game_id"])
    op.create_index("ix_captains_user_id", "captains", ["user_id"])
    column: sa.Column[bool]
    comment = "sealed by one who held the seat before, and not to be opened to who holds it now"
    with op.batch_alter_table("requests", schema=None) as requests:
        column = sa.Column("inherited", sa.Boolean(), server_default=sa.false(), nullable=False, comment=comment)
        requests.add_column(column)
    comment = "whether the game has changed his rating"
    with op.batch_alter_table("ratings", schema=None) as ratings:
        column = sa.Column("counted", sa.Boolean(), server_default=sa.true(), nullable=False, comment=comment)
        ratings.add_column(column)
    op.execute("UPDATE ratings SET counted = (SELECT rated FROM games WHERE games.id = ratings.game_id)")
    if found := list(_captains()):
        op.bulk_insert(captains, found)
    # Whether a game counts is settled when it begins: it does not if a seat was the computer's then.
    op.execute(
        "UPDATE games SET rated = false WHERE phase IN ('running', 'resolving') AND EXISTS (SELECT 1 FROM seats"
        " WHERE seats.game_id = games.id AND NOT EXISTS (SELECT 1 FROM captains"
        " WHERE captains.game_id = games.id AND captains.seat = seats.seat AND captains.from_step = 0))"
    )


def _captains() -> Iterator[dict[str, Any]]:
    """The history of all seats of games that have begun, as their audit logs tell it.

    They do not tell whether somebody whose seat was taken away was absent: that is held against nobody.
    """
    connection = op.get_bind()
    begun = "SELECT id FROM games WHERE step_no >= 0"
    seats = connection.execute(sa.text(f"SELECT game_id, seat, user_id FROM seats WHERE game_id IN ({begun})"))  # noqa: S608 - only our own words
    told = connection.execute(
        sa.text(
            "SELECT game_id, seat, step_no, user_id, kind, params FROM acts"  # noqa: S608 - as above
            f" WHERE kind IN {_HANDED_OVER} AND step_no >= 0 AND seat IS NOT NULL ORDER BY game_id, seat, id"
        )
    )
    acts = {key: list(group) for key, group in groupby(told, key=lambda act: (act.game_id, act.seat))}
    for seat in seats:
        changes = acts.get((seat.game_id, seat.seat), [])
        # Before each change sat whom it names; after the last, whoever sits there now.
        holders = [*(json.loads(act.params).get("was") or None for act in changes), seat.user_id]
        begins = [0, *(act.step_no for act in changes)]
        putters = [None, *(None if act.kind == "substituted" else act.user_id for act in changes)]
        for number, (user_id, begin, putter) in enumerate(zip(holders, begins, putters, strict=True)):
            if number or user_id is not None:
                yield {
                    "game_id": seat.game_id,
                    "seat": seat.seat,
                    "user_id": user_id,
                    "from_step": begin,
                    "to_step": None if number == len(changes) else changes[number].step_no,
                    "put_by": putter,
                    "acted": True,
                    "left": False,
                }


def downgrade() -> None:
    """Take the tables back."""
    with op.batch_alter_table("ratings", schema=None) as ratings:
        ratings.drop_column("counted")
    with op.batch_alter_table("requests", schema=None) as requests:
        requests.drop_column("inherited")
    op.drop_table("captains")
