"""The list of queues, the page of a queue, and what players do there: join and cancel."""

from contextlib import suppress
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from leaderboards.accounts.viewer import find_viewer
from leaderboards.views.partial import render_part
from matchmaking.forms import JoinForm
from matchmaking.models import PartyMember, Queue, Ticket
from matchmaking.queues.queue_page import get_queue, load_queue_page, load_queues
from matchmaking.queues.queueing import cancel_ticket, find_ticket, queue_party, queue_player
from matchmaking.refusals import Refusal
from matchmaking.views.live_pages import go_to, render_live, render_refusal
from ranking.models import Player
from ranking.moderation.eligibility import MayNotQueue

TEMPLATE = "matchmaking/queue.html"


@require_safe
def play(request: HttpRequest) -> HttpResponse:
    viewer = find_viewer(request.user)
    context = {"viewer": viewer, "page": load_queues(viewer, timezone.now())}
    return render_part(request, "matchmaking/play.html", "page", context)


@require_safe
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form to join, or the viewer's waiting ticket. A viewer who has a lobby is led there."""
    viewer, shown = find_viewer(request.user), _get_queue(slug)
    page = load_queue_page(shown, viewer, timezone.now())
    if page.ticket is not None and page.ticket.lobby_id is not None:
        return go_to(request, reverse("matchmaking:lobby", args=[page.ticket.lobby_id]))
    return render_live(request, TEMPLATE, page, {"viewer": viewer, "form": JoinForm(shown, last=page.last)})


@require_POST
@login_required
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue the viewer, or the party that the viewer leads, as the posted form asks."""
    viewer, chosen = _get_player(request), _get_queue(slug)
    form = JoinForm(chosen, request.POST)
    problem = "Choose from what is offered."
    if form.is_valid():
        try:
            _join(viewer, chosen, form)
        except (Refusal, MayNotQueue) as refusal:
            problem = str(refusal)
        else:
            return redirect("matchmaking:queue", slug)
    page = load_queue_page(chosen, viewer, timezone.now())
    if page.restriction is not None:  # the page says so itself, in the reader's own time, with how to appeal
        problem = ""
    return render_refusal(request, TEMPLATE, page, {"viewer": viewer, "form": form}, problem)


def _join(viewer: Player, chosen: Queue, form: JoinForm) -> Ticket:
    act: Any = queue_party if PartyMember.objects.filter(player=viewer).exists() else queue_player
    ticket: Ticket = act(viewer, chosen, wish=form.wish(), now=timezone.now())
    return ticket


@require_POST
@login_required
def cancel(request: HttpRequest, slug: str) -> HttpResponse:
    """Cancel the viewer's ticket. If a match was found meanwhile, the queue's page leads the viewer to it."""
    viewer = _get_player(request)
    ticket = find_ticket(viewer)
    if ticket is not None:
        with suppress(Refusal):  # it doesn't wait any more: the page tells how it ended
            cancel_ticket(ticket, by=viewer, now=timezone.now())
    return redirect("matchmaking:queue", slug)


def _get_queue(slug: str) -> Queue:
    try:
        return get_queue(slug)
    except Queue.DoesNotExist as error:
        raise Http404("There is no such queue.") from error


def _get_player(request: HttpRequest) -> Player:
    viewer = find_viewer(request.user)
    if viewer is None:
        raise Http404("Your account has no player yet.")
    return viewer
