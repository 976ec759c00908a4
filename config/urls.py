"""Addresses: includes only."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("leaderboards.urls")),
    path("account/", include("config.account_urls")),
    path("api/", include("leaderboards.api_urls")),
    path("api/", include("ranking.api_urls")),  # last: answers 404 for every other address
    path("admin/", admin.site.urls),
]
handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
