"""The slash commands: they read options, call the services and answer."""
