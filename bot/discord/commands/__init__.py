"""The slash commands. They read what was typed, call the table, and answer."""
