"""What the bot says and reads in each language: sentences, names, lengths of time, zones."""
