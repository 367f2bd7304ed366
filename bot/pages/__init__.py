"""Pages of games in the browser: the files that the bot writes for them, and the site that serves these files."""
