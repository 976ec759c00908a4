"""Models of access to the API: sources of results, and the API keys that belong to them."""

from django.db import models
from django.db.models import Q

SCOPES = ("results", "servers", "players", "read", "ratings:hidden")


class Source(models.Model):
    """A sender of results. It outlives its keys, so the ids of its matches stay unique when keys are rotated."""

    slug = models.SlugField(max_length=64, unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug


class Key(models.Model):
    """An API key. The row holds only the SHA-256 digest of the secret. No `modes` means every mode."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="keys")
    prefix = models.CharField(max_length=12, unique=True)  # the part that may be shown
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    modes = models.ManyToManyField("ranking.Mode", blank=True, related_name="keys")
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(digest=""), name="key_digest_given")]

    def __str__(self) -> str:
        return f"{self.source} · {self.prefix}…"
