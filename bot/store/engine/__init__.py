"""Open a database, create and upgrade its tables, and run transactions."""
