"""Tables of leaderboards: followed and blocked players, notices, achievements, webhooks.

Start with: friends, notice.
"""

from leaderboards.models.achievement import Achievement, Progress
from leaderboards.models.friends import Blocking, Following
from leaderboards.models.notice import Notice, Watch
from leaderboards.models.webhook import Delivery, Webhook

__all__ = ["Achievement", "Blocking", "Delivery", "Following", "Notice", "Progress", "Watch", "Webhook"]
