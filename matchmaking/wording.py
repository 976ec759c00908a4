"""The sentences of refusals, of the ends of tickets and lobbies, and of warnings, by code, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from ranking.moderation import wording as restrictions

Values = Mapping[str, Any]
_PLAYER_GONE = _("%(player)s isn’t a player any more.")
_OVER = {
    "cancelled": _("This lobby fell through."),
    "forfeited": _("This lobby fell through: somebody dropped out."),
    "finished": _("This match is over."),
    "lost": _("This match was closed without a result."),
    "aborted": _("This match was called off."),
}
_REFUSALS: dict[str, Any] = {
    # Queueing.
    "closed": _("The queue for %(mode)s is closed at the moment."),
    "party-too-large": ngettext_lazy(
        "%(count)d of you is too many: %(mode)s takes parties of up to %(most)d.",
        "%(count)d of you are too many: %(mode)s takes parties of up to %(most)d.",
        "count",
    ),
    "party-too-large:alone": _("This mode is played alone."),
    "gone": _PLAYER_GONE,
    "member-barred": _("%(player)s can’t queue now; their own page tells them why."),
    "busy:you-waiting": _("You are in the queue for %(mode)s already."),
    "busy:you-matched": _("You are about to play %(mode)s: a match was found."),
    "busy:you-playing": _(
        "Your match in %(mode)s is still running, even if you left it. You can queue again when its result is in."
    ),
    "busy:waiting": _("%(player)s is in the queue for %(mode)s already."),
    "busy:matched": _("%(player)s is about to play %(mode)s: a match was found."),
    "busy:playing": _(
        "%(player)s’s match in %(mode)s is still running, even if they left it. They can queue again when its result is"
        " in."
    ),
    "busy:one": _("You are in a queue already."),
    "busy:party": _("One of you is in a queue already."),
    "in-party:queue": _("You are in a party: its leader queues for all of you. Leave it to queue alone."),
    "no-party:queue": _("You are in no party."),
    "not-leader:queue": _("Only the leader of your party can start the search."),
    "width": _("The rank filter is a number of percentiles from 1 to 100."),
    "no-region": _("Your ping is above its limit in every region that you gave."),
    "no-region:party": _("There is no region where all of you have a good ping."),
    "regions": _("Name 62 regions at most."),
    "region": _("There is no region %(region)s."),
    "region:choose": _("There is no region %(region)s; there are %(regions)s."),
    "ping": _("The ping to %(region)s isn’t a number of milliseconds from 0 to %(most)d."),
    "not-yours:ticket": _("This ticket isn’t yours."),
    "matched": _("A match was found: decline it, or leave its lobby."),
    "over:ticket": _("This ticket is over."),
    "over:ticket-why": _("This ticket is over. %(why)s"),
    # Lobbies.
    **{f"over:{state}": sentence for state, sentence in _OVER.items()},
    **{f"not-ready:{state}": sentence for state, sentence in _OVER.items()},
    "over:begun": _("The match has begun."),
    "not-ready": _("Not everybody has accepted yet."),
    "not-ready:begun": _("This lobby has begun already."),
    "not-yours:lobby": _("You aren’t in this lobby."),
    "not-yours:server": _("Another server hosts this lobby."),
    "moved": _("The match didn’t begin here in time, so this lobby goes on without this server."),
    "name": _("This lobby has moved from one of your servers to another: say the name of the one that begins it."),
    "stranger": _("%(key)s isn’t in this lobby."),
    "too-late": _("It is too late to accept this match."),
    "accepted": _("Everybody has accepted, so you can’t decline any more. Leaving now counts as dropping out."),
    "not-accepted": _("Not everybody has accepted yet: decline instead."),
    "running": _("The match is running. Leave it in the game; its result then says so."),
    "scores": _("Lobby %(lobby)s has %(teams)d teams; give a score for each."),
    # Servers.
    "address": _("Say at which address players reach this server."),
    "modes": _("Say which modes this server can host."),
    "capacity": _("A server hosts 1 to %(most)s matches at once."),
    # Parties.
    "taken-back": _("This invitation was taken back."),
    "taken-back:player": _("%(player)s isn’t invited."),
    "yourself": _("You are in your party already."),
    "blocked": _("You can’t invite %(player)s."),
    "already-in": _("%(player)s is in your party already."),
    "busy:joined": _("You joined another party just now."),
    "no-party": _("This party has broken up."),
    "no-parties": _("No mode here is played in parties."),
    "party-full": _("This party is full: %(most)d players."),
    "invitations": _("%(most)d invitations are open already; take one back first."),
    "not-yours:invited": _("This invitation isn’t for you."),
    "not-yours:invitation": _("This invitation isn’t yours."),
    "barred": _("You can’t join a party now. %(why)s"),
    "queued": _("This party is in a queue or a match; join it afterwards."),
    "busy:yourself": _("You are in a queue or a match yourself; leave it first."),
    "in-party": _("You are in a party already; leave it first."),
    "not-leader": _("Only the leader of a party can remove somebody."),
    "not-leader:nobody": _("You lead no party."),
    "not-in": _("%(player)s isn’t in your party."),
}
_ENDINGS: dict[str, Any] = {
    "you-left": _("You left the queue."),
    "taken-out": _("%(player)s took your party out of the queue."),
    "moderator": _("A moderator took you out of the queue."),
    "left-party": _("%(player)s left your party."),
    "removed": _("%(player)s isn’t in your party any more."),
    "gone": _("A player has left this site for good."),
    "merged": _("Two players were merged into one."),
    "waited": _("You waited very long, and no match was found."),
    "you-declined": _("You declined the match."),
    "declined": _("%(player)s declined the match."),
    "you-passed": _("You didn’t accept a match in time."),
    "passed": _("%(player)s didn’t accept a match in time."),
    "you-dropped": _("You dropped out of the lobby."),
    "dropped": _("%(player)s dropped out of the lobby."),
    "match-over": _("The match is over."),
    "match-lost": _("No result came; nothing changes."),
    "match-closed": _("A moderator closed the match; nothing changes."),
    "called-off": _("The match was called off."),
    "called-off:why": _("The match was called off: %(reason)s"),
    "called-off-by-moderator": _("A moderator called the match off."),
    "called-off-by-moderator:why": _("A moderator called the match off: %(reason)s"),
    # Of lobbies.
    "somebody-declined": _("Somebody declined."),
    "somebody-passed": _("Not everybody accepted."),
    "somebody-dropped": _("Somebody dropped out."),
    "somebody-restricted": _("Somebody may not play now."),
    "no-result": _("No result came."),
    "by-hand": _("A moderator closed it."),
    "server-gone": _("The game server is gone."),
    "never-began": _("The match never began."),
    "server-forgot": _("The game server didn’t know the match any more."),
    "nobody-came": _("Nobody reached the game server; that is its fault, not yours."),
    "no-server": _("No game server was free."),
}
RESTRICTED = "restricted"
CALLED_OFF = "called-off"  # by the server
CALLED_OFF_BY_MODERATOR = "called-off-by-moderator"
CALLS_OFF = (CALLED_OFF, CALLED_OFF_BY_MODERATOR)  # each with the reason, until that is forgotten


def refusal_words(case: str, values: Values) -> str:
    """The sentence of a refusal. Raises KeyError for an unknown case."""
    return str(_REFUSALS[case] % values)


def ending_words(code: str, values: Values) -> str:
    """How a ticket or a lobby ended, in a sentence; "" if it goes on.

    Rows of earlier versions hold the sentence instead of a code.
    """
    if code == RESTRICTED:
        about = values["case"], values["values"]
        mode = values.get("mode")
        return restrictions.refusal_words(mode, *about) if mode else restrictions.restriction_words(*about)
    case = f"{code}:why" if code in CALLS_OFF and "reason" in values else code
    return str(_ENDINGS[case] % values) if case in _ENDINGS else code
