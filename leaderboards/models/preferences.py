"""The language and time zone that an account chose."""

from django.conf import settings
from django.db import models


class Preferences(models.Model):
    """An account's language (a code of settings.LANGUAGES) and time zone (Europe/Berlin); "" = as the browser says."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="preferences")
    language = models.CharField(max_length=16, blank=True)
    zone = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return f"{self.language} {self.zone} of {self.user_id}"
