"""The URLs of the site: each app's own."""

from django.contrib import admin
from django.urls import include, path

admin.autodiscover()

urlpatterns = [
    path("api/", include("leaderboards.api.urls")),
    path("api/", include("matchmaking.api.urls")),
    path("api/", include("ranking.api.urls")),  # the last of the API: it responds 404 to every other address
    path("", include("leaderboards.urls")),
    path("", include("matchmaking.urls")),
    path("account/", include("config.people.account_urls")),
    path("admin/matchmaking/planning/", include("matchmaking.views.planning_urls")),
    path("admin/", admin.site.urls),  # the last of the admin: it matches every other address
]
handler400 = "config.serving.errors.bad_request"
handler403 = "config.serving.errors.forbidden"
handler404 = "config.serving.errors.not_found"
handler500 = "config.serving.errors.server_error"
