"""The site's addresses, and one that tells who calls."""

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from config.urls import urlpatterns as site
from ranking.api.authentication import caller
from ranking.api.base import ApiView


class WhoView(ApiView):
    def get(self, request: Request) -> Response:
        player = caller(request)
        return Response({"caller": player and player.key})

    post = get


urlpatterns = [path("who/", WhoView.as_view()), *site]
