"""Questions, drafts, options, views, reasons and lessons."""
