"""The site, with views that fail."""

from django.db import OperationalError
from django.urls import path

from config import urls
from config.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500"]


def crash(request):
    raise RuntimeError("a secret in a traceback")


def lose_database(request):
    raise OperationalError("connection to server at 10.0.0.5 failed")


urlpatterns = [
    *(path(f"{start}crash/", crash) for start in ("", "api/")),
    *(path(f"{start}lost/", lose_database) for start in ("", "api/")),
    *urls.urlpatterns,
]
