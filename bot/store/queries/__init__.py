"""Read and write rows within a transaction."""
