"""Addresses of the API that the ledger answers, and of its schema and docs."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from ranking import api

v1 = [
    path("matches/", api.MatchesView.as_view(), name="matches"),
    path("matches/bulk/", api.BulkView.as_view(), name="matches-bulk"),
]

urlpatterns = [
    path("v1/", include((v1, "api"))),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
]
