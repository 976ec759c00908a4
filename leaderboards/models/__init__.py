"""Tables of leaderboards: followed, blocked and avoided players, notices, achievements, avatars, webhooks, preferences.

Start with: friends, notice, announcement.
"""

from leaderboards.models.achievement import Achievement, AchievementCount, Progress
from leaderboards.models.announcement import Announcement, ReadMark
from leaderboards.models.avatar import Avatar
from leaderboards.models.friends import Avoidance, Blocking, Following
from leaderboards.models.notice import MutedTopic, Notice, Watch
from leaderboards.models.preferences import Preferences
from leaderboards.models.webhook import Delivery, Webhook

__all__ = [
    "Achievement",
    "AchievementCount",
    "Announcement",
    "Avatar",
    "Avoidance",
    "Blocking",
    "Delivery",
    "Following",
    "MutedTopic",
    "Notice",
    "Preferences",
    "Progress",
    "ReadMark",
    "Watch",
    "Webhook",
]
