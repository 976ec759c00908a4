"""The view of the home page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.accounts.viewer import find_viewer
from leaderboards.profiles.home import load_home


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    viewer = find_viewer(request.user)
    return render(request, "leaderboards/home.html", {"home": load_home(viewer, timezone.now()), "viewer": viewer})
