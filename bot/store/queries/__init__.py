"""Query and change the database, one module for each subject."""
