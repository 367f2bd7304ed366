"""The Discord client with its commands, interactions and messages."""
