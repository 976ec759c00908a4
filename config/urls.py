"""Addresses: includes only."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("leaderboards.urls")),
    path("account/", include("config.account_urls")),
    path("api/", include("ranking.api_urls")),
    path("admin/", admin.site.urls),
]
