"""The operations that people may perform, with the checks who may; `bot.discord` calls them through `table`.

Any of them raises a `Refusal` if it may not be done now.
"""
