"""The theme that a browser shows pages in: light, dark, or the system's. A cookie keeps the choice."""

from django.http import HttpRequest, HttpResponse

COOKIE = "theme"
LIGHT, DARK, SYSTEM = "light", "dark", "system"
THEMES = (LIGHT, DARK, SYSTEM)
MAX_AGE = 400 * 86_400  # seconds; browsers keep no cookie longer


def theme_of(request: HttpRequest | None) -> str:
    """Return the browser's theme; the system's if it chose none. On error pages the request may be missing."""
    theme = "" if request is None else request.COOKIES.get(COOKIE, "")
    return theme if theme in THEMES else SYSTEM


def keep_theme(response: HttpResponse, theme: str, *, secure: bool) -> None:
    """Set the cookie; the system's theme needs none."""
    if theme in (LIGHT, DARK):
        response.set_cookie(COOKIE, theme, max_age=MAX_AGE, secure=secure, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
