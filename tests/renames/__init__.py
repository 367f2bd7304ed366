"""The map of old names to new ones, and the one-off tools that apply it.

`moves.toml` maps modules, `names.toml` the names in them, by the old modules. `check.py` compares the map with the
code, `names.py` renames classes, constants and functions, and `modules.py` moves modules: apply them in that order.
Notes and specifications use the old names, so the map stays until they don't.
"""
