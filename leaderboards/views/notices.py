"""The views of a player's notices."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer
from leaderboards.notifications.notices import load_page, read_notice, read_notices
from leaderboards.notifications.season_news import read_announcements, read_announcements_upto
from leaderboards.notifications.topics import choose_topics, topics_of
from leaderboards.views.partial import render_part
from ranking.database.cursors import BadCursor

MOST = 100  # rows of a form


@never_cache
@login_required
@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    viewer = find_viewer(request.user)
    page, problem = None, ""
    if viewer is not None:
        try:
            page = load_page(viewer, request.GET.get("after", ""))
        except BadCursor as error:
            page, problem = load_page(viewer), str(error)
    part = "older" if page is not None and "after" in request.GET and not problem else "notices"
    context = {
        "viewer": viewer,
        "page": page,
        "problem": problem,
        "topics": topics_of(viewer) if viewer is not None and part == "notices" else [],
        "today": timezone.localdate(),
    }
    return render_part(request, "leaderboards/notices.html", part, context)


@login_required
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Tell the viewer about the topics that are ticked, and about no other ones."""
    viewer = find_viewer(request.user)
    if viewer is not None:
        choose_topics(viewer, request.POST.getlist("topic"))
    return HttpResponseRedirect(reverse("leaderboards:notices"))


@login_required
@require_POST
def read(request: HttpRequest) -> HttpResponse:
    """Mark one notice or announcement as read, or all up to the newest that the page showed."""
    viewer, now = find_viewer(request.user), timezone.now()
    if viewer is not None:
        if number := _number(request, "notice"):
            read_notice(viewer, number, now=now)
        if numbers := _numbers(request, "announcement"):
            read_announcements(viewer, numbers, now=now)
        if number := _number(request, "upto"):
            read_notices(viewer, upto=number, now=now)
        if number := _number(request, "announced"):
            read_announcements_upto(viewer, number, now=now)
    return HttpResponseRedirect(reverse("leaderboards:notices"))


def _number(request: HttpRequest, name: str) -> int:
    """Return a row's number from a form; 0, which no row has, for anything else."""
    return next(iter(_numbers(request, name)[-1:]), 0)


def _numbers(request: HttpRequest, name: str) -> list[int]:
    """Return the numbers of rows from a form, without anything else; MOST of them."""
    texts = request.POST.getlist(name)[-MOST:]
    return [int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) <= 18]
