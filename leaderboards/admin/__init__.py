"""Admin pages of leaderboards: webhooks and the messages to them.

Start with: webhooks, deliveries.
"""

from leaderboards.admin import deliveries, webhooks

__all__ = ["deliveries", "webhooks"]
