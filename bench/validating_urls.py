"""The site's addresses with a bare view at `POST matches/`, which needs no key and no database."""

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.urls import urlpatterns as site
from ranking.validation.match_report import read_report


class ValidatingView(APIView):
    authentication_classes = []
    throttle_classes = []

    def post(self, request: Request) -> Response:
        return Response({"id": read_report(request.data).id}, status=201)


urlpatterns = [path("api/v1/matches/", ValidatingView.as_view()), *site]
