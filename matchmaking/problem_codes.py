"""The codes of matchmaking's problems: those of refusals, and of what keeps a player from queueing.

A refusal's status, and whether it is a fault of a field, are said here and in matchmaking/api/base.py only.
"""

from django.utils.translation import gettext_lazy as _

from ranking.validation.problem_codes import ProblemCode

CODES = (
    # A field is at fault.
    ProblemCode("width", 400, _("Bad rank filter"), _("`width` is a number of percentiles from 1 to 100.")),
    ProblemCode("regions", 400, _("Too many regions"), _("Name 62 regions at most, each with the ping to it.")),
    ProblemCode(
        "region", 400, _("Unknown region"), _("The queue has no such region; `detail` lists those that it has.")
    ),
    ProblemCode("ping", 400, _("Bad ping"), _("A ping is a number of milliseconds; `detail` names the region.")),
    ProblemCode(
        "no-region", 400, _("No region is near enough"),
        _("The ping is above the limit in every region that was named. Measure again, or name more regions."),
    ),
    ProblemCode(
        "address", 400, _("The server has no address"),
        _("Say in `address` where players reach this server."),
    ),
    ProblemCode("modes", 400, _("The server hosts no mode"), _("Say in `modes` which modes this server can host.")),
    ProblemCode("capacity", 400, _("Bad capacity"), _("`detail` says how many matches a server can host at once.")),
    ProblemCode(
        "scores", 400, _("Scores don’t fit the lobby"), _("Give one score for each team of the lobby.")
    ),
    ProblemCode(
        "name", 400, _("Which server is it?"),
        _("The lobby has moved from one server of this key to another. Send the server’s own `name` along."),
    ),
    ProblemCode(
        "stranger", 400, _("Not of this lobby"),
        _("A player whom the request names isn’t in this lobby. Send only players whom `GET lobbies/{id}/` lists."),
    ),
    ProblemCode("yourself", 400, _("That is yourself"), _("Players don’t invite themselves: name somebody else.")),
    # The player may not.
    ProblemCode(
        "lockout", 403, _("Locked out"),
        _("The player left matches too often and may not queue for a while. Show `detail`, which says until when."),
    ),
    ProblemCode(
        "ban", 403, _("Banned"),
        _("A moderator’s ban keeps the player from queueing. Show `detail`, which says why and until when."),
    ),
    ProblemCode(
        "match-running", 403, _("A match is still running"),
        _("The player’s last match has no result yet. They can queue again as soon as it is reported."),
    ),
    ProblemCode(
        "entry-condition", 403, _("The mode asks for more"),
        _("The mode takes only players who meet its entry condition; `detail` says what is missing."),
    ),
    ProblemCode(
        "member-barred", 403, _("A party member may not queue"),
        _("`detail` names the member. Only that player’s own page tells why: have them look, or leave the party."),
    ),
    ProblemCode("barred", 403, _("May not join"), _("The player can’t join a party now; `detail` says why.")),
    ProblemCode("blocked", 403, _("Can’t be invited"), _("This player can’t be invited. Asking again doesn’t help.")),
    ProblemCode("not-leader", 403, _("For the leader only"), _("Only the leader of the party may do this.")),
    # It isn't the caller's.
    ProblemCode(
        "not-yours", 404, _("Not found"),
        _("There is no such ticket, lobby or invitation of the caller. What belongs to others looks the same."),
    ),
    # The state doesn't allow it.
    ProblemCode("closed", 409, _("The queue is closed"), _("An operator closed this queue. Ask again later.")),
    ProblemCode(
        "party-too-large", 409, _("The party is too large"),
        _("The mode takes smaller parties; `detail` says of how many. Let somebody leave, or choose another mode."),
    ),
    ProblemCode("gone", 409, _("The player is gone"), _("This player has left for good. Take them off your lists.")),
    ProblemCode(
        "busy", 409, _("Busy already"),
        _("A player is in a queue, a found match or another party already; `detail` says who. End that first."),
    ),
    ProblemCode(
        "in-party",
        409,
        _("In a party already"),
        _("The player is in a party: let its leader queue, or let the player leave."),
    ),
    ProblemCode("no-party", 409, _("No party"), _("The player is in no party, or it has broken up. Make a new one.")),
    ProblemCode(
        "no-parties", 409, _("No mode takes parties"), _("Every mode here is played alone: offer no parties.")
    ),
    ProblemCode("party-full", 409, _("The party is full"), _("Somebody has to leave before another can join.")),
    ProblemCode(
        "invitations", 409, _("Too many open invitations"), _("Take an invitation back, or wait until one is answered.")
    ),
    ProblemCode(
        "already-in", 409, _("In the party already"), _("The player is in this party already: there is nothing to do.")
    ),
    ProblemCode("not-in", 409, _("Not in the party"), _("The player isn’t in this party: read it again.")),
    ProblemCode(
        "taken-back", 409, _("The invitation is gone"), _("It was taken back, or there was none. Read the party again.")
    ),
    ProblemCode(
        "queued", 409, _("The party is queued"), _("The party is in a queue or a match; join it afterwards.")
    ),
    ProblemCode(
        "matched", 409, _("A match was found"),
        _("The ticket has a lobby, so it can’t be cancelled: decline the match, or leave its lobby."),
    ),
    ProblemCode(
        "over", 409, _("It is over"), _("The ticket or lobby has ended; `detail` says how. Read it again.")
    ),
    ProblemCode(
        "not-ready", 409, _("The lobby isn’t ready"),
        _("The match can’t begin: somebody hasn’t accepted yet, or the lobby has begun or ended. Read it again."),
    ),
    ProblemCode(
        "moved", 409, _("Another server has it"),
        _("This server didn’t begin the match in time, so the lobby went on without it. Forget the lobby."),
    ),
    ProblemCode("too-late", 409, _("Too late"), _("The time to accept this match is over.")),
    ProblemCode(
        "accepted", 409, _("Everybody has accepted"),
        _("The match can’t be declined any more. Leaving it is a forfeit: `POST lobbies/{id}/leave/`."),
    ),
    ProblemCode(
        "not-accepted", 409, _("Not everybody has accepted"), _("The match can still be declined: decline instead.")
    ),
    ProblemCode(
        "running", 409, _("The match is running"), _("Players leave it in the game, and its result says so.")
    ),
)  # fmt: skip
# The code of what keeps a player from queueing, by the restriction's reason (ranking/moderation/eligibility.py).
RESTRICTIONS = {"lockout": "lockout", "ban": "ban", "running": "match-running", "entry": "entry-condition"}
