"""A Discord on this machine's loopback, for bots that are processes: its REST API and its gateway, over HTTP.

Tests in one process use simcord (`tests/sea.py`). Bots that are killed, overloaded or measured use this one, through
discord.py's own client: the crash harness, the tests beside it, and `tests.bench.load`.
"""
