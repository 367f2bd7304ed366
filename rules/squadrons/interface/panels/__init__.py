"""What captains can press while they write a sheet."""
