"""Admin pages of leaderboards: webhooks and the messages to them, players' pictures.

Start with: webhooks, deliveries, avatars.
"""

from leaderboards.admin import avatars, deliveries, webhooks

__all__ = ["avatars", "deliveries", "webhooks"]
