"""Short runs try the same examples every time, so that they never flake; long ones look for new ones."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.laws.length import LONG

settings.register_profile(
    "laws",
    derandomize=not LONG,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),  # whole games are large, and are played but once
)
settings.load_profile("laws")
