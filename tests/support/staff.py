"""People who look at the admin, and which lists, forms and pages of rows each of them opens."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ranking.admin.base.acts.confirmation import CONFIRMED
from ranking.models import Player
from tests.support.factories import make_role

ROLES = ("viewer", "junior moderator", "moderator", "administrator")
# Everybody else: nobody may do any act.
OTHERS = ("stranger", "player", "staff without a role", "administrator without the second factor")
# Model → the first of the roles that opens its list, the form of a new row, and the page of a row; "nobody": not even
# superusers.
PAGES = {
    "account/emailaddress": ("root", "root", "root"),
    "auth/group": ("root", "root", "root"),
    "auth/user": ("root", "root", "root"),
    "leaderboards/avatar": ("viewer", "nobody", "viewer"),
    "leaderboards/delivery": ("administrator", "nobody", "administrator"),
    "leaderboards/webhook": ("administrator", "administrator", "administrator"),
    "matchmaking/formed": ("viewer", "nobody", "viewer"),
    "matchmaking/lobby": ("viewer", "nobody", "viewer"),
    "matchmaking/party": ("viewer", "nobody", "viewer"),
    "matchmaking/queue": ("viewer", "administrator", "viewer"),
    "matchmaking/server": ("viewer", "nobody", "viewer"),
    "matchmaking/unreportedloss": ("viewer", "nobody", "viewer"),
    "matchmaking/ticket": ("viewer", "nobody", "viewer"),
    "mfa/authenticator": ("root", "nobody", "root"),
    "ranking/appeal": ("viewer", "nobody", "viewer"),
    "ranking/auditentry": ("viewer", "nobody", "viewer"),
    "ranking/banproposal": ("viewer", "nobody", "viewer"),
    "ranking/ban": ("viewer", "nobody", "viewer"),
    "ranking/cannedanswer": ("viewer", "moderator", "viewer"),
    "ranking/change": ("viewer", "nobody", "viewer"),
    "ranking/complaint": ("viewer", "nobody", "viewer"),
    "ranking/complaintcase": ("viewer", "nobody", "viewer"),
    "ranking/doubledmatch": ("viewer", "nobody", "viewer"),
    "ranking/event": ("viewer", "nobody", "viewer"),
    "ranking/finding": ("viewer", "nobody", "viewer"),
    "ranking/incident": ("viewer", "nobody", "viewer"),
    "ranking/key": ("administrator", "administrator", "administrator"),
    "ranking/leaver": ("viewer", "nobody", "viewer"),
    "ranking/match": ("viewer", "administrator", "viewer"),
    "ranking/merge": ("viewer", "nobody", "viewer"),
    "ranking/mode": ("viewer", "administrator", "viewer"),
    "ranking/outboxentry": ("administrator", "nobody", "administrator"),
    "ranking/parameterversion": ("viewer", "nobody", "viewer"),
    "ranking/player": ("viewer", "nobody", "viewer"),
    "ranking/playernote": ("junior moderator", "nobody", "junior moderator"),
    "ranking/playerwarning": ("viewer", "nobody", "viewer"),
    "ranking/rating": ("viewer", "nobody", "viewer"),
    "ranking/rerating": ("viewer", "nobody", "viewer"),
    "ranking/season": ("viewer", "nobody", "viewer"),
    "ranking/snapshot": ("viewer", "nobody", "viewer"),
    "ranking/source": ("administrator", "administrator", "administrator"),
    "ranking/strike": ("viewer", "nobody", "viewer"),
    "socialaccount/socialaccount": ("root", "nobody", "root"),
}


def client_of(who: str) -> Client:
    client = Client()
    if who == "player":
        client.force_login(Player.objects.get(key="me").user)
    elif who != "stranger":
        user = User.objects.create_user(f"the {who}", is_staff=True, is_superuser=who == "root")
        role = next((role for role in ROLES if who.startswith(role)), None)
        user.groups.set([make_role(role)] if role else [])
        client.force_login(user)
    return client


def changelist(model: str) -> str:
    return reverse(f"admin:{model.replace('/', '_')}_changelist")


def post_act(client: Client, model: str, act: str, row: Any) -> None:
    more = {"reason": "Because.", "note": "Because.", "text": "Because.", "scope": "queue"}
    client.post(changelist(model), {"action": act, "_selected_action": [row], CONFIRMED: "1", **more})
