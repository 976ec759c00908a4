"""What the window keeps beside the ledger: notices, achievements, and what is told to other programs."""

from leaderboards.models.achievement import Achievement, Progress
from leaderboards.models.notice import Notice, Watch
from leaderboards.models.webhook import Delivery, Webhook

__all__ = ["Achievement", "Delivery", "Notice", "Progress", "Watch", "Webhook"]
