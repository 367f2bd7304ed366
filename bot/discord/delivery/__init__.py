"""Delivery of messages to Discord, and responses to its refusals."""
