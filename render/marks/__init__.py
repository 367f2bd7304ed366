"""Draw labels, legends and signs."""
