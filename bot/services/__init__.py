"""The operations that people may perform, with the checks who may; `bot.discord` calls them through `table`."""
