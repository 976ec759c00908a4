"""Django's configuration of the app."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, pre_delete


class LeaderboardsConfig(AppConfig):
    name = "leaderboards"
    verbose_name = "Leaderboards"

    def ready(self) -> None:
        from allauth.socialaccount.models import SocialAccount

        pre_delete.connect(_drop_avatar, SocialAccount)
        post_migrate.connect(_create_triggers, sender=self)


def _drop_avatar(instance: Any, **_: Any) -> None:
    """A picture goes with the connection to the site that it came from, and with the account."""
    from leaderboards.avatars.choosing import drop_avatar_of

    drop_avatar_of(instance.user_id)


def _create_triggers(using: str, **_: object) -> None:
    """Have changes counted of what pages show: achievements come with results, pictures by themselves."""
    from ranking.database.shown_changes import RESULTS, SITE, create_triggers, everything

    earned = ("achievement", "achievementcount", "progress")
    tables = everything(RESULTS, *(f"leaderboards_{model}" for model in earned))
    create_triggers(connections[using], {**tables, **everything(SITE, "leaderboards_avatar")})
