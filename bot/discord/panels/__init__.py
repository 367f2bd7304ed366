"""What people see on Discord: messages laid out as components, and what their buttons do."""
