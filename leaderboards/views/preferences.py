"""What somebody chooses for reading: the theme and language of the browser, and the account's language and zone."""

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from leaderboards.accounts.language import keep_language, keep_preferences, known_language
from leaderboards.accounts.theme import keep_theme


@csrf_exempt  # a forged request could only change the colours; a token would cost every stranger's page a cookie
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme posted, and lead back to the page that it was chosen on."""
    response = redirect(_way_back(request))
    keep_theme(response, request.POST.get("theme", ""), secure=settings.SESSION_COOKIE_SECURE)
    return response


@csrf_exempt  # as above; the session's cookie doesn't come along from other sites, so no account changes
@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Keep the language or the time zone posted, for the browser and the account, and lead back to the page."""
    response = redirect(_way_back(request))
    code = known_language(request.POST.get("language", ""))
    if code:
        keep_language(response, code)
    if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
        keep_preferences(request.user, language=code, zone=request.POST.get("zone"))
    return response


def _way_back(request: HttpRequest) -> str:
    """Return the address posted without `?lang=`, or the home page if it isn't of this site."""
    address = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure()):
        return "leaderboards:home"
    parts = urlsplit(address)
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "lang"]
    return urlunsplit(parts._replace(query=urlencode(kept))) if "lang=" in parts.query else address
