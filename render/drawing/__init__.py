"""Draw lines, shapes, text and sprites, and encode images."""
