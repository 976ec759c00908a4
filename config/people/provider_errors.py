"""Log-ins by a provider that failed: the reason for the log, and what helps the person."""

import re

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from requests import ConnectionError as Unreachable
from requests import HTTPError, Timeout

LONGEST = 400  # characters of a reason: the provider, or anybody's address, may say anything
_JWT = re.compile(r"eyJ[\w.=-]+")

STALE = _("This log-in was begun too long ago, in another browser, or twice. Log in again.")
AWAY = _("The other site doesn’t answer. Try again in a few minutes, or log in another way.")
REFUSED = _("The other site refused this log-in. If it happens again, tell whoever runs this site; the log says why.")


def reason_of(request: HttpRequest, exception: BaseException | None, *, stale: bool) -> str:
    """Return why a log-in failed, in the provider's words if there are any, without tokens.

    `stale`: this browser began no log-in with the state that it brought back.
    """
    if exception is not None:
        causes = (exception, exception.__cause__)
        reason = " from ".join(f"{type(error).__name__}: {error}" for error in causes if error is not None)
    elif stale:
        reason = "This browser has no log-in under way with the state that it brought back."
    elif error := request.GET.get("error"):
        reason = ": ".join(filter(None, (error, request.GET.get("error_description"))))
    else:
        reason = "The provider sent neither a code nor an error."
    printable = "".join(letter if letter.isprintable() else " " for letter in _JWT.sub("***", reason))
    return printable if len(printable) <= LONGEST else f"{printable[:LONGEST]}…"


def advice_for(exception: BaseException | None, *, stale: bool) -> Promise:
    """Return the sentence that tells the person what helps."""
    if stale and exception is None:
        return STALE
    return AWAY if _is_away(exception) else REFUSED


def _is_away(exception: object) -> bool:
    if isinstance(exception, HTTPError):
        return exception.response is not None and exception.response.status_code >= 500
    return isinstance(exception, Unreachable | Timeout)
