"""The window in the admin: webhooks, and what was sent to them."""

from leaderboards.admin import deliveries, webhooks

__all__ = ["deliveries", "webhooks"]
