"""Authentication and permissions: `Authorization: Bearer <key or token>`, or an account's session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import prefetch_related_objects
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, CSRFCheck, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from ranking.models import Key, Player
from ranking.operations.keys import KeyEnded, find_key
from ranking.players.tokens import PREFIX, find_bearer

_PROVEN = "proven_bearer"  # on Django's request: the Key, or the Player of a token; middleware asks for it
_KEY_BEHIND = "key_behind_token"  # on Django's request: the key of a player's token, if it is for some modes only

if TYPE_CHECKING:  # DRF's views import this module
    from rest_framework.views import APIView


class KeyAuthentication(BaseAuthentication):
    """Sets `request.auth` to the Key, or to the Player of a token. Without a header the caller is anonymous."""

    def authenticate(self, request: Request) -> tuple[None, Key | Player] | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer":
            fault = "must be Bearer" if secret.strip() else "is missing"
            sentence = f"The word before the key {fault}: send 'Authorization: Bearer <key or token>'."
            raise AuthenticationFailed(sentence, "malformed-credentials")
        secret = secret.strip()
        if not secret:
            sentence = "The header Authorization holds no key: after 'Bearer' comes the key or token."
            raise AuthenticationFailed(sentence, "malformed-credentials")
        if secret.startswith(PREFIX):
            bearer = find_bearer(secret)
            if bearer is None:
                sentence = "This token has expired, its key was revoked, or it was not issued here."
                raise AuthenticationFailed(sentence, "invalid-token")
            player, key = bearer
            setattr(request._request, _KEY_BEHIND, key)
            return _prove(request, player)
        try:
            key = find_key(secret, now=timezone.now())
        except KeyEnded as error:
            raise AuthenticationFailed(str(error), error.code) from error
        if key is None:
            raise AuthenticationFailed("This key is unknown. See that it was copied whole.", "unknown-key")
        return _prove(request, key)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _prove(request: Request, bearer: Key | Player) -> tuple[None, Key | Player]:
    setattr(request._request, _PROVEN, bearer)
    return None, bearer


def has_proven_key(request: HttpRequest) -> bool:
    """True if the API answered the request and its header held a valid key or token."""
    return hasattr(request, _PROVEN)


def has_proven_server_key(request: HttpRequest) -> bool:
    """True if that was a key, which game servers have, and no player's token."""
    return isinstance(getattr(request, _PROVEN, None), Key)


class AccountAuthentication(SessionAuthentication):
    """Sets `request.user` to the account that is logged in on the site. Writing needs the site's CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        check = CSRFCheck(lambda request: None)  # type: ignore[arg-type]
        check.process_request(request)
        if check.process_view(request, None, (), {}):  # type: ignore[arg-type]
            sentence = "This needs the site's CSRF token in the header X-CSRFToken."
            raise PermissionDenied(sentence, "csrf-token-missing")


def has_scope(request: Request, scope: str) -> bool:
    return isinstance(request.auth, Key) and scope in request.auth.scopes


def slugs_of(key: Key) -> frozenset[str] | None:
    """The slugs of the modes that a key is for; None: for every mode. One query, once a request, if it is for some."""
    if not getattr(key, "bound", True):
        return None
    prefetch_related_objects([key], "modes")
    return frozenset(mode.slug for mode in key.modes.all())


def get_key(request: Request) -> Key:
    """The caller's key, where a permission lets only keys in."""
    assert isinstance(request.auth, Key)  # noqa: S101 - see above
    return request.auth


def check_is_for(request: Request, slug: str) -> None:
    """Raise PermissionDenied if the caller's key is for other modes than this one."""
    slugs = slugs_of(get_key(request))
    if slugs is not None and slug not in slugs:
        raise PermissionDenied(f"This key isn't for the mode {slug!r}.", "other-mode")


def key_behind(request: Request) -> Key | None:
    """The caller's key; for a player with a token, the key that obtained the token, if it is for some modes only."""
    return request.auth if isinstance(request.auth, Key) else getattr(request._request, _KEY_BEHIND, None)


def caller(request: Request) -> Player | None:
    """The player who calls, by their token or by the account that owns them; None for others."""
    if isinstance(request.auth, Player):
        return request.auth
    player: Player | None = getattr(request.user, "player", None)
    return player


class MayCall(BasePermission):
    """Who may call: keys with `scope`, if there is one; players, if `players`. The schema says the same."""

    scope: str | None = None
    players = False

    has_key = True  # does the caller have a key?

    @property
    def code(self) -> str:
        if self.scope is None:
            return "players-only"
        return "missing-scope" if self.has_key else "keys-only"

    @property
    def message(self) -> str:
        if self.scope is None:
            return "This is for players: call it with a player's token instead of a key."
        if self.players:
            return f"This is for players, and for keys with the scope {self.scope!r}."
        if not self.has_key:
            return f"This is for keys with the scope {self.scope!r}."
        return f"This key lacks the scope {self.scope!r}."

    def has_permission(self, request: Request, view: APIView) -> bool:
        if self.scope is not None and has_scope(request, self.scope):
            return True
        self.has_key = isinstance(request.auth, Key)
        return self.players and caller(request) is not None


class MayPostResults(MayCall):
    scope = "results"


class MayActForPlayers(MayCall):
    scope = "players"


class MayReadConduct(MayCall):
    scope = "read"
    players = True


class IsPlayer(MayCall):
    """A player's token, or the account of a player. A key belongs to no player."""

    players = True
