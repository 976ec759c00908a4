from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards.home import load_home


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboards/home.html", {"home": load_home()})
