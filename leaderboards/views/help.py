"""The page that explains to players how everything works."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboards/help.html")
