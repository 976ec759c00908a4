"""A player's own conduct, and appealing."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboards.accounts.conduct_page import load_page
from leaderboards.accounts.viewer import find_viewer
from ranking.models import Appeal
from ranking.moderation.appeals import MayNotAppeal, appeal_against, find_grounds


@never_cache
@login_required
@require_safe
def conduct(request: HttpRequest) -> HttpResponse:
    viewer, now, before = find_viewer(request.user), timezone.now(), request.GET.get("before", "")
    whole = before.isascii() and before.isdecimal() and len(before) <= 18
    page = None if viewer is None else load_page(viewer, now, before=int(before) if whole else 0)
    return render(request, "leaderboards/conduct.html", {"viewer": viewer, "page": page, "now": now})


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def appeal(request: HttpRequest, kind: str, number: str) -> HttpResponse:
    """The form with what it is against; who may not appeal is told why on the way back."""
    row = int(number)
    viewer, now = find_viewer(request.user), timezone.now()
    if viewer is None:
        raise Http404("An account without a player has nothing to appeal against.")
    words, problem = request.POST.get("words", ""), ""
    if request.method == "POST":
        try:
            appeal_against(viewer, words=words.replace("\0", " "), now=now, **{kind: row})
        except MayNotAppeal as refused:
            problem = str(refused)
        else:
            messages.success(request, _("Your appeal is with the moderators. You will be told what they decide."))
            return redirect("leaderboards:conduct")
    grounds = find_grounds(viewer.pk, now)
    ban, lockout = (grounds.bans.get(row), None) if kind == "ban" else (None, grounds.lockouts.get(row))
    if ban is None and lockout is None:
        messages.error(
            request, problem or _("There is nothing to appeal against: it is over, was decided, or isn’t yours.")
        )
        return redirect("leaderboards:conduct")
    context = {"ban": ban, "lockout": lockout, "words": words, "problem": problem, "longest": Appeal.LONGEST}
    return render(request, "leaderboards/appeal.html", context)
