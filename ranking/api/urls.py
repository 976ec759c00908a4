"""Addresses of the API of ranking, of the schema and of its docs page.

This is included last under /api/, because its last address answers 404 for every other one.
"""

from django.urls import include, path
from drf_spectacular.views import SpectacularSwaggerSplitView

from ranking.api import converters  # noqa: F401  - registers player_key
from ranking.api.moderation import appeals, audit, bans, incidents, modes, notes, parameters, warnings, withdrawals
from ranking.api.moderation import matches as voids
from ranking.api.moderation import players as moderated
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
    path("players/<player_key:id>/bans/", bans.BansView.as_view(), name="bans"),
    path("bans/<int:number>/", bans.BanView.as_view(), name="ban"),
    path("bans/<int:number>/lift/", bans.LiftView.as_view(), name="ban-lift"),
    path("bans/<int:number>/resume/", bans.ResumeView.as_view(), name="ban-resume"),
    path("bans/<int:number>/extend/", bans.ExtendView.as_view(), name="ban-extend"),
    path("bans/<int:number>/shorten/", bans.ShortenView.as_view(), name="ban-shorten"),
    path("players/<player_key:id>/incidents/", incidents.IncidentsView.as_view(), name="incidents"),
    path("incidents/<int:number>/", incidents.IncidentView.as_view(), name="incident"),
    path("incidents/<int:number>/pardon/", incidents.PardonView.as_view(), name="incident-pardon"),
    path("incidents/<int:number>/revoke-pardon/", incidents.RevokePardonView.as_view(), name="incident-revoke-pardon"),
    path("matches/<int:number>/void/", voids.VoidView.as_view(), name="match-void"),
    path("matches/<int:number>/restore/", voids.RestoreView.as_view(), name="match-restore"),
    path("matches/<int:number>/correct/", voids.CorrectView.as_view(), name="match-correct"),
    path("players/<player_key:id>/hide/", moderated.HideView.as_view(), name="player-hide"),
    path("players/<player_key:id>/show/", moderated.ShowView.as_view(), name="player-show"),
    path("players/<player_key:id>/erase/", moderated.EraseView.as_view(), name="player-erase"),
    path("players/<player_key:id>/notes/", notes.NotesView.as_view(), name="notes"),
    path("notes/<int:number>/withdraw/", notes.WithdrawNoteView.as_view(), name="note-withdraw"),
    path("players/<player_key:id>/warnings/", warnings.WarningsView.as_view(), name="warnings"),
    path("warnings/<int:number>/withdraw/", warnings.WithdrawWarningView.as_view(), name="warning-withdraw"),
    path("appeals/", appeals.AppealsView.as_view(), name="appeals"),
    path("appeals/<int:number>/", appeals.AppealView.as_view(), name="appeal"),
    path("appeals/<int:number>/grant/", appeals.GrantView.as_view(), name="appeal-grant"),
    path("appeals/<int:number>/confirm/", appeals.ConfirmView.as_view(), name="appeal-confirm"),
    path("appeals/<int:number>/reopen/", appeals.ReopenView.as_view(), name="appeal-reopen"),
    path("modes/<slug:mode>/parameters/", parameters.ModeParametersView.as_view(), name="mode-parameters"),
    path("modes/<slug:mode>/settings/", modes.ModeSettingsView.as_view(), name="mode-settings"),
    path("audit/", audit.AuditView.as_view(), name="audit"),
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
