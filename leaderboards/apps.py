"""Django's configuration of the app."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import pre_delete


class LeaderboardsConfig(AppConfig):
    name = "leaderboards"
    verbose_name = "Leaderboards"

    def ready(self) -> None:
        from allauth.socialaccount.models import SocialAccount

        pre_delete.connect(_drop_avatar, SocialAccount)


def _drop_avatar(instance: Any, **_: Any) -> None:
    """A picture goes with the connection to the site that it came from, and with the account."""
    from leaderboards.avatars.choosing import drop_avatar_of

    drop_avatar_of(instance.user_id)
