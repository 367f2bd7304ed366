"""The map of old names to new ones.

`moves.toml` maps modules and packages, `names.toml` the names in them, by the old names of modules and classes. Notes
and specifications use the old names, so the map stays until they do not. `goldens.py` proves that recorded games and
texts differ from an earlier revision by this map alone.
"""
