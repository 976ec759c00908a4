"""The pictures that players show beside their names."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

LARGEST = 8_192  # bytes


class Avatar(models.Model):
    """The picture of the player's account at another site, which the player chose to show.

    `image`: a WebP; None: none is fetched yet, or the other site has none. `due_at`: when it is fetched next; None:
    never, as a moderator removed the picture at `removed_at`. `Player.avatar` is the name that pages give the image.
    """

    player = models.OneToOneField("ranking.Player", models.CASCADE, primary_key=True, related_name="+")
    image = models.BinaryField(null=True)
    due_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="avatar_due")]
        constraints = [
            models.CheckConstraint(
                condition=Q(image__isnull=True) | Q(LessThanOrEqual(Length("image"), LARGEST)), name="avatar_small"
            ),
            models.CheckConstraint(
                condition=Q(removed_at__isnull=True, due_at__isnull=False)
                | Q(removed_at__isnull=False, due_at__isnull=True, image__isnull=True),
                name="avatar_due_or_removed",
            ),
        ]

    def __str__(self) -> str:
        return f"The picture of {self.player}"
