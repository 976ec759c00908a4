"""The page of the viewer's party, and what its members do there: invite, accept, decline, leave, remove, lead."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer
from matchmaking.models import Invitation
from matchmaking.parties.page import get_invitation, get_own_invitation, load_party_page
from matchmaking.parties.parties import (
    accept_invitation,
    decline_invitation,
    invite,
    leave_party,
    pass_leadership,
    remove_member,
)
from matchmaking.refusals import Refusal
from matchmaking.views.live_pages import render_live, render_refusal
from ranking.models import Player
from ranking.players.players import find_player

TEMPLATE = "matchmaking/party.html"
ABOUT_PLAYERS: dict[str, Callable[[Player, Player], object]] = {
    "invite": lambda viewer, player: invite(player, by=viewer, now=timezone.now()),
    "remove": lambda viewer, player: remove_member(player, by=viewer, now=timezone.now()),
    "lead": lambda viewer, player: pass_leadership(player, by=viewer),
    "withdraw": lambda viewer, player: decline_invitation(get_own_invitation(viewer, player), by=viewer),
    "leave": lambda viewer, player: leave_party(viewer, now=timezone.now()),
}
ABOUT_INVITATIONS: dict[str, Callable[[Player, Invitation], object]] = {
    "accept": lambda viewer, invitation: accept_invitation(invitation, by=viewer, now=timezone.now()),
    "decline": lambda viewer, invitation: decline_invitation(invitation, by=viewer),
}
MOST_DIGITS = 18  # ids have no more digits
VERBS = (*ABOUT_PLAYERS, *ABOUT_INVITATIONS)


@require_safe
@login_required
def party(request: HttpRequest) -> HttpResponse:
    viewer = find_viewer(request.user)
    page = None if viewer is None else load_party_page(viewer, request.GET.get("q", ""), now=timezone.now())
    return render_live(request, TEMPLATE, page, {"viewer": viewer})


@require_POST
@login_required
def act(request: HttpRequest, verb: str) -> HttpResponse:
    """Do what `verb` says with the posted player, or with the invitation to the posted party."""
    viewer = find_viewer(request.user)
    if viewer is None:
        raise Http404("Your account has no player yet.")
    try:
        if verb in ABOUT_PLAYERS:
            ABOUT_PLAYERS[verb](viewer, _get_player(request.POST.get("player", "")))
        else:
            ABOUT_INVITATIONS[verb](viewer, _get_invitation(viewer, request.POST.get("party", "")))
    except Refusal as refusal:
        return render_refusal(
            request, TEMPLATE, load_party_page(viewer, now=timezone.now()), {"viewer": viewer}, str(refusal)
        )
    return redirect("matchmaking:party")


def _get_player(key: str) -> Player:
    player = find_player(key)
    if player is None:
        raise Http404("There is no such player.")
    return player


def _get_invitation(viewer: Player, party: str) -> Invitation:
    """The viewer's invitation to this party. Raises Refusal if it was taken back."""
    number = int(party) if party.isascii() and party.isdecimal() and len(party) <= MOST_DIGITS else 0
    return get_invitation(viewer, number)
