"""A site with one view, which validates a result and does nothing else: settings and addresses in one."""

from typing import Any

from django.urls import path

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.validating"


def validate(request: Any) -> Any:
    from rest_framework.decorators import api_view, authentication_classes
    from rest_framework.response import Response

    from ranking.serializers import read_report

    @api_view(["POST"])
    @authentication_classes([])
    def view(request: Any) -> Response:
        read_report(request.data)
        return Response({})

    return view(request)


validate.csrf_exempt = True  # type: ignore[attr-defined]
urlpatterns = [path("api/v1/matches/", validate)]
