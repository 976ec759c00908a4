"""Players whom the viewer follows, blocks, and has just played with, the buttons for these, and the search by name."""

from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer, read_access_of
from leaderboards.people.following import (
    NotPossible,
    avoid_player,
    block_player,
    follow_player,
    relations_of,
    stop_avoiding,
    unblock_player,
    unfollow_player,
)
from leaderboards.people.invites import befriend, find_inviter, make_invite
from leaderboards.people.pages import find_people, load_people
from leaderboards.people.recent_people import load_recent_people
from leaderboards.views.partial import render_part
from ranking.models import Player
from ranking.players.players import find_player

ACTS: dict[str, Callable[[Player, Player], object]] = {
    "follow": lambda viewer, player: follow_player(viewer, player, now=timezone.now()),
    "unfollow": unfollow_player,
    "block": lambda viewer, player: block_player(viewer, player, now=timezone.now()),
    "unblock": unblock_player,
    "avoid": lambda viewer, player: avoid_player(viewer, player, now=timezone.now()),
    "unavoid": stop_avoiding,
}


@require_safe
@login_required
def people(request: HttpRequest, *, blocked: bool = False) -> HttpResponse:
    viewer = find_viewer(request.user)
    parameters = request.GET
    context: dict[str, Any] = {"viewer": viewer, "blocked": blocked}
    if viewer is not None:
        query, after = parameters.get("q", ""), parameters.get("after", "")
        access = read_access_of(request)
        context["invite"] = request.build_absolute_uri(reverse("leaderboards:join", args=[make_invite(viewer)]))
        context["people"] = load_people(
            viewer, access=access, now=timezone.now(), blocked=blocked, query=query, after=after
        )
    return render_part(request, "leaderboards/people.html", "people", context)


@require_safe
@login_required
def recent(request: HttpRequest) -> HttpResponse:
    """Whom the viewer has played with and against in their newest matches, and whom they avoid."""
    viewer = find_viewer(request.user)
    context: dict[str, Any] = {"viewer": viewer}
    if viewer is not None:
        before = request.GET.get("before", "")
        is_match = before.isascii() and before.isdecimal() and len(before) <= 18
        context["recent"] = load_recent_people(viewer, int(before) if is_match else None, now=timezone.now())
    return render_part(request, "leaderboards/recent_people.html", "recent", context)


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Players of all modes whose names hold a text."""
    viewer, access = find_viewer(request.user), read_access_of(request)
    query, after = request.GET.get("q", ""), request.GET.get("after", "")
    found = find_people(query, after, viewer=viewer, access=access, now=timezone.now())
    return render_part(request, "leaderboards/search.html", "found", {"viewer": viewer, "found": found})


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation; its button lets the two follow each other."""
    viewer, inviter = find_viewer(request.user), find_inviter(token)
    if inviter is None:
        raise Http404("This invitation is wrong, or older than 30 days.")
    problem = ""
    if request.method == "POST" and viewer is not None:
        try:
            befriend(viewer, inviter, now=timezone.now())
            return redirect("leaderboards:player", inviter.key)
        except NotPossible as error:
            problem = str(error)
    signup_open = get_adapter().is_open_for_signup(request)
    context = {"inviter": inviter, "viewer": viewer, "problem": problem, "signup_open": signup_open}
    return render(request, "leaderboards/join.html", context, status=409 if problem else 200)


@require_POST
@login_required
def act(request: HttpRequest, verb: str) -> HttpResponse:
    """Do what the button says to the player posted; HTMX gets the button as it is then."""
    viewer = find_viewer(request.user)
    key = request.POST.get("player", "")
    player = find_player(key)
    if viewer is None or player is None:
        raise Http404("There is no such player.")
    problem = ""
    try:
        ACTS[verb](viewer, player)
    except NotPossible as error:
        problem = str(error)
    relation = relations_of(viewer, [player.pk], timezone.now()).get(player.pk)
    context = {
        "player": player,
        "relation": relation,
        "problem": problem,
        "verb": verb,
        "viewer": viewer,
        "whole": "whole" in request.POST,
    }
    if getattr(request, "htmx", False):
        answer = render(request, "leaderboards/parts/follow.html", {**context, "partly": True})
        if verb in ("avoid", "unavoid"):
            answer["HX-Trigger"] = "avoidance"  # the list of those whom the viewer avoids is read anew
        return answer
    if problem:
        return render(request, "leaderboards/refused.html", context, status=409)
    return HttpResponseRedirect(_back(request, player))


def _back(request: HttpRequest, player: Player) -> str:
    """Return the page of this site that they came from, else the player's page."""
    address = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure()):
        return address
    return reverse("leaderboards:player", args=[player.key])
