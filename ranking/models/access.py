"""Models of operating: sources and their API keys, when jobs succeeded, and the saved filters of staff."""

from django.conf import settings
from django.db import models
from django.db.models import Q

SCOPES = ("results", "servers", "players", "read", "ratings:hidden", "moderate", "configure")


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
    name = models.CharField(max_length=64, blank=True, default="", db_default="")
    expires_at = models.DateTimeField(null=True, blank=True)
    lifetime = models.DurationField(null=True, editable=False)  # for which it was made; a rotation may shorten its life
    limit = models.PositiveIntegerField(null=True, blank=True)  # requests a minute; None: the site's RUNGS_LIMIT_KEY

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(digest=""), name="key_digest_given"),
            models.CheckConstraint(condition=Q(limit=None) | Q(limit__gte=1), name="key_limit_positive"),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=models.F("created_at")), name="key_expires_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} · {self.name or self.prefix + '…'}"


class KeptAnswer(models.Model):
    """The answer to a write with an Idempotency-Key, or the claim of the request that is being answered. Kept a day.

    `caller`: whose keys they are: "key-" or "player-" and an id. `digest`: SHA-256 of what was asked. `body`: sealed.
    """

    caller = models.CharField(max_length=32)
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    claimed_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="kept_answer_once"),
            models.CheckConstraint(
                condition=Q(status=None, body=None) | Q(status__isnull=False, body__isnull=False),
                name="kept_answer_whole_or_claimed",
            ),
            models.CheckConstraint(condition=~Q(caller="") & ~Q(key="") & ~Q(digest=""), name="kept_answer_identified"),
        ]

    def __str__(self) -> str:
        return f"{self.caller} {self.key}"


class JobRun(models.Model):
    """When a job of the beat schedule succeeded last, and when its heartbeat was sent. Written every 15 s at most."""

    task = models.CharField(max_length=64, primary_key=True)  # its name in the schedule
    succeeded_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(task=""), name="job_run_task_given")]

    def __str__(self) -> str:
        return self.task


class SavedFilter(models.Model):
    """A search, filters and an order of one of the admin's lists, which a member of staff keeps under a name.

    `list`: the model's label, such as "ranking.incident". `query`: what follows the question mark of the address.
    `place`: from 1 to MOST, among the owner's filters of the list.
    """

    MOST = 20  # of one owner, for one list

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    list = models.CharField(max_length=80)
    place = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=1000)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["owner", "list", "place"], name="saved_filter_place_taken_once"),
            models.UniqueConstraint(fields=["owner", "list", "name"], name="saved_filter_name_taken_once"),
            models.CheckConstraint(condition=Q(place__gte=1, place__lte=20), name="saved_filter_no_more_than_twenty"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(query=""), name="saved_filter_named_and_filled"),
        ]

    def __str__(self) -> str:
        return self.name
