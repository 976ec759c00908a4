"""Tables of leaderboards: followed and blocked players, notices, announcements, achievements, webhooks.

Start with: friends, notice, announcement.
"""

from leaderboards.models.achievement import Achievement, Progress
from leaderboards.models.announcement import Announcement, ReadMark
from leaderboards.models.friends import Blocking, Following
from leaderboards.models.notice import Notice, Watch
from leaderboards.models.webhook import Delivery, Webhook

__all__ = [
    "Achievement",
    "Announcement",
    "Blocking",
    "Delivery",
    "Following",
    "Notice",
    "Progress",
    "ReadMark",
    "Watch",
    "Webhook",
]
