"""The author of an act by API: an account of the site's staff, whom the call names and whose rights bound the key's.

So a key can do nothing that its author couldn't do in the admin. The audit log names the author, and the key, too.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from ranking.api.authentication import MayCall, get_key, slugs_of
from ranking.api.base import ApiView
from ranking.api.pagination import QuerySerializer, read_query
from ranking.models import Key
from ranking.models.void import NOTE
from ranking.operations.audit import acting_through
from ranking.validation.fields import KeyField, TextField
from ranking.validation.objects import StrictSerializer

T = TypeVar("T")
LONGEST_LOGIN, LONGEST_REASON = 150, 200
REFUSED = "The author has to be an active account of this site's staff that may do this, too."
SITE_WIDE = "This key is for some modes only, and this holds in every mode."


class MayModerate(MayCall):
    scope = "moderate"


class MayConfigure(MayCall):
    scope = "configure"


class ModeratingView(ApiView):
    permission_classes = [MayModerate]


class ConfiguringView(ApiView):
    permission_classes = [MayConfigure]


def author_field() -> KeyField:
    return KeyField(max_length=LONGEST_LOGIN, help_text="The login name of the account in whose name you ask or act.")


class AuthorQuery(QuerySerializer):
    author = author_field()


class AuthoredSerializer(StrictSerializer):
    """An act in the name of an author."""

    author = author_field()

    @staticmethod
    def arguments(act: Act) -> dict[str, Any]:
        """What a domain function takes of the body beside by whom, when and why."""
        return {name: value for name, value in act.values.items() if name not in ("author", "reason", "note")}


class StaffActSerializer(AuthoredSerializer):
    """An act that no player hears of."""

    reason = TextField(max_length=LONGEST_REASON, help_text="Why. Moderators read it in the audit log.")


class ActSerializer(StaffActSerializer):
    """An act that a player hears of."""

    reason = TextField(max_length=LONGEST_REASON, help_text="What the player reads. It goes into the audit log, too.")
    note = TextField(
        max_length=NOTE, required=False, allow_blank=True, help_text="For moderators only: no player ever reads it."
    )


@dataclass(frozen=True, slots=True)
class Act:
    """An act that a request asks for.

    `values`: the request's body or query; `via`: the key, by source and prefix. Several keys may have the same name.
    """

    values: Mapping[str, Any]
    by: User
    via: str
    now: dt.datetime

    def carry_out(self, function: Callable[..., T], *arguments: Any, **more: Any) -> T:
        """Call a domain function with these arguments and by whom, when and why; returns its result."""
        texts = {name: self.values[name] for name in ("reason", "note") if name in self.values}
        with acting_through(self.via):
            return function(*arguments, by=self.by, now=self.now, **texts, **more)


def read_act(request: Request, permission: str, serializer: type[AuthoredSerializer] = ActSerializer) -> Act:
    """The act that the body asks for. `permission`: Django's, such as "ranking.add_ban".

    Raises ValidationError, and PermissionDenied if the author may not do it.
    """
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return _act_of(request, body.validated_data, permission)


def read_authored_query(
    request: Request, permission: str, serializer: type[AuthorQuery] = AuthorQuery
) -> dict[str, Any]:
    """The query parameters of a request that reads in the name of an author. Raises as read_act does."""
    query = read_query(request, serializer)
    get_author(query["author"], permission)
    return query


def read_logged_query(request: Request, permission: str) -> Act:
    """A request that reads what the audit log tells of, in the name of an author. Raises as read_act does."""
    return _act_of(request, read_query(request, AuthorQuery), permission)


def _act_of(request: Request, values: Mapping[str, Any], permission: str) -> Act:
    return Act(values, get_author(values["author"], permission), via_of(get_key(request)), timezone.now())


def via_of(key: Key) -> str:
    """How the audit log names a key: at most 64 + 3 + 12 characters."""
    return f"{key.source} · {key.prefix}"


def get_author(name: str, permission: str) -> User:
    """The account with this login name. Raises PermissionDenied, which doesn't tell if there is such an account."""
    author = User.objects.filter(username=name, is_active=True, is_staff=True).first()
    if author is None or not author.has_perm(permission):
        raise PermissionDenied(REFUSED)
    return author


def check_is_for_all_modes(request: Request, *address: object) -> None:
    """Raise PermissionDenied if the key is for some modes only."""
    if slugs_of(get_key(request)) is not None:
        raise PermissionDenied(SITE_WIDE, "other-mode")
