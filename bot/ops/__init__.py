"""Running the bot: the shell's commands, and how it tells that it is well."""
