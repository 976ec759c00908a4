"""Addresses of the API of ranking, of the schema and of its docs page.

This is included last under /api/, because its last address answers 404 for every other one.
"""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from ranking.api import converters  # noqa: F401  - registers player_key
from ranking.api.views import bulk, calculator, conduct, credentials, matches, not_found, players

v1 = [
    path("matches/", matches.MatchesView.as_view(), name="matches"),
    path("matches/bulk/", bulk.BulkView.as_view(), name="matches-bulk"),
    path("matches/<int:number>/", matches.MatchView.as_view(), name="match"),
    path("players/", players.PlayersView.as_view(), name="players"),
    path("players/<player_key:id>/token/", credentials.TokenView.as_view(), name="token"),
    path("players/<player_key:id>/conduct/", conduct.ConductView.as_view(), name="conduct"),
    path("players/<player_key:id>/claim-code/", credentials.ClaimCodeView.as_view(), name="claim-code"),
    path("rate/", calculator.RateView.as_view(), name="rate"),
    path("<path:path>", not_found.NotFoundView.as_view(), name="not-found"),
]

urlpatterns = [
    path("v1/", include((v1, "api"))),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
]
