"""The viewer's account: claiming a player, privacy, the export of their data, and leaving."""

from allauth.core import ratelimit
from allauth.core.internal.ratelimit import consume_or_429
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboards.accounts import data_export
from leaderboards.accounts.account_page import load_account
from leaderboards.accounts.viewer import find_viewer
from leaderboards.avatars.choosing import drop_avatar, show_avatar
from leaderboards.forms import LeavingForm, PrivacyForm
from ranking.players import anonymising
from ranking.players.claims import ClaimRefused, claim_player


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "account/account.html", {"account": load_account(_user(request))})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def claim(request: HttpRequest) -> HttpResponse:
    """The form; `?code=` fills it in, so that a game may link to it."""
    code, problem = request.GET.get("code", ""), ""
    if request.method == "POST":
        code = request.POST.get("code", "")
        try:
            if not ratelimit.consume(request, action="claim"):
                raise ClaimRefused("too-often")
            player = claim_player(code, by=_user(request), now=timezone.now())
        except ClaimRefused as refused:
            problem = str(refused)
        else:
            messages.success(request, _("Welcome, %(player)s: your matches are yours now.") % {"player": player.name})
            return redirect("leaderboards:account")
    elif (own := find_viewer(request.user)) is not None:
        problem = str(ClaimRefused("has-player", player=own.name))
    return render(request, "account/claim.html", {"code": code[:20], "problem": problem})


@require_POST
@login_required
def picture(request: HttpRequest) -> HttpResponse:
    """Show the picture of the account's other site beside the player's name, or no longer."""
    player = find_viewer(request.user)
    if player is not None and request.POST.get("show"):
        show_avatar(player, now=timezone.now())
    elif player is not None:
        drop_avatar(player)
    return redirect("leaderboards:account")


def _user(request: HttpRequest) -> User:
    """Return the account that is logged in; `login_required` makes sure that there is one."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    return request.user


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def privacy(request: HttpRequest) -> HttpResponse:
    viewer = find_viewer(request.user)
    if viewer is None:
        return render(request, "leaderboards/privacy.html", {"viewer": None})
    form = PrivacyForm(request.POST if request.method == "POST" else None, instance=viewer)
    if form.is_valid():
        form.save()
        return redirect(f"{reverse('leaderboards:privacy')}?saved")
    return render(
        request, "leaderboards/privacy.html", {"viewer": viewer, "form": form, "saved": "saved" in request.GET}
    )


@login_required
@never_cache
@require_safe
def export(request: HttpRequest) -> HttpResponseBase:
    """A download. It may be large, and takes room on the disk while it is read, so there are only so many an hour."""
    viewer = find_viewer(request.user)
    if viewer is None:
        return redirect("leaderboards:privacy")
    refusal: HttpResponse | None = consume_or_429(request, app="allauth.account", action="export", limit_get=True)
    if refusal is not None:
        return refusal
    response = StreamingHttpResponse(
        data_export.export_own(viewer, now=timezone.now()), content_type="application/json"
    )
    response["Content-Disposition"] = 'attachment; filename="rungs-my-data.json"'
    return response


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest) -> HttpResponse:
    """Ask for the player's name, then anonymise them."""
    viewer = find_viewer(request.user)
    if viewer is None:
        return redirect("leaderboards:privacy")
    form = LeavingForm(viewer, request.POST if request.method == "POST" else None)
    if form.is_valid():
        anonymising.anonymise_player(viewer, now=timezone.now())
        logout(request)
        return redirect("leaderboards:left")
    return render(request, "leaderboards/leave.html", {"viewer": viewer, "form": form})


@require_safe
def left(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboards/left.html")
