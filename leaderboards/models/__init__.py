"""What the window keeps beside the ledger: whom people follow and block, notices, achievements, webhooks."""

from leaderboards.models.achievement import Achievement, Progress
from leaderboards.models.friends import Blocking, Following
from leaderboards.models.notice import Notice, Watch
from leaderboards.models.webhook import Delivery, Webhook

__all__ = ["Achievement", "Blocking", "Delivery", "Following", "Notice", "Progress", "Watch", "Webhook"]
