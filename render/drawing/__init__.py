"""Draw shapes and text on a canvas, and encode it as a picture."""
