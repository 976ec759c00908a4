"""Addresses of the API of ranking, of the schema and of its docs page.

This is included last under /api/, because its last address answers 404 for every other one.
"""

from django.urls import include, path
from drf_spectacular.views import SpectacularSwaggerSplitView

from ranking.api import converters  # noqa: F401  - registers player_key
from ranking.api.moderation import matches as voids
from ranking.api.moderation import players as moderated
from ranking.api.moderation import withdrawals
from ranking.api.moderation.acts import CALLS
from ranking.api.moderation.calls import routes_of
from ranking.api.views import (
    bulk,
    calculator,
    complaints,
    conduct,
    credentials,
    match_links,
    matches,
    not_found,
    openapi,
    players,
    problem_pages,
)

v1 = [
    path("matches/", matches.MatchesView.as_view(), name="matches"),
    path("matches/bulk/", bulk.BulkView.as_view(), name="matches-bulk"),
    path("matches/withdraw/", withdrawals.WithdrawView.as_view(), name="match-withdraw"),
    path("matches/<int:number>/", matches.MatchView.as_view(), name="match"),
    path("matches/<int:number>/links/", match_links.LinksView.as_view(), name="match-links"),
    path("matches/<int:number>/reports/", complaints.ReportsView.as_view(), name="match-reports"),
    path("players/", players.PlayersView.as_view(), name="players"),
    path("players/<player_key:id>/token/", credentials.TokenView.as_view(), name="token"),
    path("players/<player_key:id>/conduct/", conduct.ConductView.as_view(), name="conduct"),
    path("players/<player_key:id>/claim-code/", credentials.ClaimCodeView.as_view(), name="claim-code"),
    path("matches/<int:number>/correct/", voids.CorrectView.as_view(), name="match-correct"),
    path("players/<player_key:id>/erase/", moderated.EraseView.as_view(), name="player-erase"),
    *routes_of(CALLS),
    path("rate/", calculator.RateView.as_view(), name="rate"),
    path("<path:path>", not_found.NotFoundView.as_view(), name="not-found"),
]

urlpatterns = [
    path("v1/", include((v1, "api"))),
    path("schema/", openapi.OpenApiView.as_view(), name="api-schema"),
    path("problems/", problem_pages.problem_list, name="api-problems"),
    path("problems/<slug:code>/", problem_pages.problem_page, name="api-problem"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
]
