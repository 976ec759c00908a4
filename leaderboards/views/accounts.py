from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from leaderboards.accounts.account_page import load_account
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
                raise ClaimRefused("Too many tries. Wait a minute, then look at the code once more.")
            player = claim_player(code, by=_user(request), now=timezone.now())
        except ClaimRefused as refused:
            problem = str(refused)
        else:
            messages.success(request, f"Welcome, {player.name}: your matches are yours now.")
            return redirect("leaderboards:account")
    return render(request, "account/claim.html", {"code": code[:20], "problem": problem})


def _user(request: HttpRequest) -> User:
    """Who is logged in; both views want somebody to be."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    return request.user
