"""Tickets: joining a queue, waiting in it and leaving it. Start with: queueing, entry."""
