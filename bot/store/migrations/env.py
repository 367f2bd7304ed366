"""Runs migrations on the connection that the store has opened."""

from __future__ import annotations

from alembic import context

from bot.store.models.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
