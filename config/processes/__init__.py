"""Processes that start others, and end with them. Start with: supervision, queue_processes."""
