"""Draw what lies below the ships: the sea, the table, the map."""
