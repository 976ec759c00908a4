"""The account page: the account's player, its email addresses, and the ways to log in."""

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User

from leaderboards.models import Avatar
from ranking.models import Player


@dataclass(frozen=True, slots=True)
class Account:
    """The account page's content. `connections`: sites by which the user logs in; `connectable`: some are configured.

    `avatar`: the picture that the player chose to show. `confirms`: whether this site asks people to confirm their
    email addresses.
    """

    player: Player | None
    avatar: Avatar | None
    emails: list[EmailAddress]
    confirms: bool
    connections: list[str]
    connectable: bool
    second_factor: bool


def load_account(user: User) -> Account:
    player = getattr(user, "player", None)
    connected = SocialAccount.objects.filter(user=user).order_by("provider").values_list("provider", flat=True)
    return Account(
        player=player,
        avatar=Avatar.objects.filter(player=player).defer("image").first() if player and connected else None,
        emails=list(EmailAddress.objects.filter(user=user).order_by("-primary", "email")),
        confirms=settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory",
        connections=[provider.title() for provider in connected],
        connectable=bool(settings.SOCIALACCOUNT_PROVIDERS),
        second_factor=Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists(),
    )
