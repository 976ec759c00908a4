"""Addresses of the API of matchmaking."""

from django.urls import include, path

from matchmaking.api import closing, lobbies, parties, queues, servers, tickets

v1 = [
    path("tickets/", tickets.TicketsView.as_view(), name="tickets"),
    path("tickets/<int:number>/", tickets.TicketView.as_view(), name="ticket"),
    path("lobbies/<slug:key>/", lobbies.LobbyView.as_view(), name="lobby"),
    path("lobbies/<slug:key>/seen/", lobbies.SeenView.as_view(), name="lobby-seen"),
    path("lobbies/<slug:key>/accept/", lobbies.AcceptView.as_view(), name="lobby-accept"),
    path("lobbies/<slug:key>/decline/", lobbies.DeclineView.as_view(), name="lobby-decline"),
    path("lobbies/<slug:key>/leave/", lobbies.LeaveView.as_view(), name="lobby-leave"),
    path("lobbies/<slug:key>/start/", lobbies.StartView.as_view(), name="lobby-start"),
    path("lobbies/<slug:key>/abort/", lobbies.AbortView.as_view(), name="lobby-abort"),
    path("lobbies/<slug:key>/close/", closing.CloseView.as_view(), name="lobby-close"),
    path("queues/<slug:mode>/", queues.QueueView.as_view(), name="queue"),
    path("servers/me/", servers.ServerView.as_view(), name="server"),
    path("parties/me/", parties.OwnPartyView.as_view(), name="party"),
    path("parties/me/invite/", parties.InviteView.as_view(), name="party-invite"),
    path("parties/me/withdraw/", parties.WithdrawView.as_view(), name="party-withdraw"),
    path("parties/me/remove/", parties.RemoveView.as_view(), name="party-remove"),
    path("parties/me/lead/", parties.LeadView.as_view(), name="party-lead"),
    path("parties/me/leave/", parties.LeaveView.as_view(), name="party-leave"),
    path("parties/me/pings/", parties.PingsView.as_view(), name="party-pings"),
    path("parties/<int:number>/accept/", parties.AcceptView.as_view(), name="party-accept"),
    path("parties/<int:number>/decline/", parties.DeclineView.as_view(), name="party-decline"),
]

urlpatterns = [path("v1/", include((v1, "matchmaking-api")))]
