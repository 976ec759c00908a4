"""The page of a lobby, and what its players do there: accept, decline, leave."""

from collections.abc import Callable
from contextlib import suppress

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer
from matchmaking import lifecycle
from matchmaking.lobbies.accepting import accept, decline, get_lobby, note_seen
from matchmaking.lobbies.opponents import with_opponents
from matchmaking.lobbies.page import is_player_of, load_lobby_page
from matchmaking.lobbies.playing import leave_lobby
from matchmaking.models import Lobby
from matchmaking.queues.queueing import find_ticket
from matchmaking.refusals import Refusal
from matchmaking.views.live_pages import go_to, is_htmx, render_live, render_refusal
from ranking.models import Player
from ranking.moderation.eligibility import MayNotQueue

TEMPLATE = "matchmaking/lobby.html"
ACTS: dict[str, Callable[..., object]] = {"accept": accept, "decline": decline, "leave": leave_lobby}


@require_safe
@login_required
def lobby(request: HttpRequest, key: str) -> HttpResponse:
    """Show a lobby. Showing the prompt counts as having seen it.

    When the lobby is over, an open page is led on: to the match, or to the viewer's next lobby.
    """
    now = timezone.now()
    viewer, shown = _get_own(request, key)
    if shown.state == lifecycle.ACCEPTING:
        with suppress(Refusal):  # the lobby is over meanwhile
            note_seen(shown.pk, viewer, now=now)
    if is_htmx(request) and shown.match_id is not None:
        return go_to(request, reverse("leaderboards:match", args=[shown.match_id]))
    if is_htmx(request) and shown.state in lifecycle.LOBBY.ends:
        ticket = find_ticket(viewer)
        if ticket is not None and ticket.lobby_id not in (None, shown.pk):  # the viewer's next lobby
            return go_to(request, reverse("matchmaking:lobby", args=[ticket.lobby_id]))
    return render_live(request, TEMPLATE, with_opponents(load_lobby_page(shown, viewer, now)), {"viewer": viewer})


@require_POST
@login_required
def act(request: HttpRequest, key: str, verb: str) -> HttpResponse:
    """Accept, decline or leave, as `verb` says."""
    viewer, shown = _get_own(request, key)
    try:
        ACTS[verb](shown.pk, viewer, now=timezone.now())
    except (Refusal, MayNotQueue) as refusal:
        page = with_opponents(load_lobby_page(get_lobby(key), viewer, timezone.now()))
        return render_refusal(request, TEMPLATE, page, {"viewer": viewer}, str(refusal))
    return redirect("matchmaking:lobby", key)


def _get_own(request: HttpRequest, key: str) -> tuple[Player, Lobby]:
    """The viewer and the viewer's lobby. For all others it is 404, so that they don't learn that it exists."""
    viewer = find_viewer(request.user)
    try:
        shown = get_lobby(key)
    except Lobby.DoesNotExist:
        shown = None
    if viewer is None or shown is None or not is_player_of(shown, viewer):
        raise Http404("There is no such lobby.")
    return viewer, shown
