"""Export, import and verify the records of games."""
