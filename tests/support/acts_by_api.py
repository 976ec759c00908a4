"""Calls of moderators by API: authors of each role, and each call with the first role whose authors may make it."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.models import Lobby, Queue
from ranking.models import Ban, Incident, Match, Mode, Player
from ranking.moderation.appeals import appeal_against
from ranking.moderation.ban_proposals import propose_bans
from ranking.moderation.notes import add_notes, warn_players
from ranking.rules.report import PlayerReport
from tests.support.api import Answer, call, make_key
from tests.support.factories import NOW, ban_player, make_mode, make_role, record

ROLES = ("viewer", "junior moderator", "moderator", "administrator")
CORRECTED = {"teams": [{"place": 1, "players": [{"id": "b"}]}, {"place": 2, "players": [{"id": "a"}]}]}
TEXTS = {"reason": "Cheating.", "note": "See the video."}


@dataclass(frozen=True, slots=True)
class AuthoredCall:
    """A call, the first role whose authors may make it, and the status that they get.

    `of_a_mode`: it concerns the mode `duel` alone.
    """

    role: str
    method: str
    path: str
    status: int = 200
    body: dict[str, Any] | None = None
    scope: str = "moderate"
    of_a_mode: bool = False

    def make(self, author: str, key: str = "", **names: Any) -> Answer:
        """Make the call in the name of an author; `names` stand in its path and texts."""
        path = self.path.format(**names)
        secret = key or make_key(self.scope)
        if self.method == "GET":
            return call("GET", f"{path}{'&' if '?' in path else '?'}author={author}", key=secret)
        return call(self.method, path, {"author": author, **(self.body or {})}, key=secret)


CALLS = {
    "list_bans": AuthoredCall("viewer", "GET", "players/b/bans/"),
    "get_ban": AuthoredCall("viewer", "GET", "bans/{ban}/"),
    "ban_player": AuthoredCall("moderator", "POST", "players/b/bans/", 201, {**TEXTS, "scope": "both", "days": 2}),
    "extend_ban": AuthoredCall("moderator", "POST", "bans/{ban}/extend/", 200, {**TEXTS, "days": 9}),
    "shorten_ban": AuthoredCall("moderator", "POST", "bans/{ban}/shorten/", 200, {**TEXTS, "days": 1}),
    "lift_ban": AuthoredCall("moderator", "POST", "bans/{ban}/lift/", 200, TEXTS),
    "resume_ban": AuthoredCall("junior moderator", "POST", "bans/{ban}/resume/", 200, TEXTS),
    "propose_ban": AuthoredCall(
        "junior moderator", "POST", "players/a/ban-proposals/", 201, {**TEXTS, "scope": "both", "days": 30}
    ),
    "list_ban_proposals": AuthoredCall("viewer", "GET", "ban-proposals/"),
    "get_ban_proposal": AuthoredCall("viewer", "GET", "ban-proposals/{proposal}/"),
    "confirm_ban_proposal": AuthoredCall(
        "moderator", "POST", "ban-proposals/{proposal}/confirm/", 200, {"reason": "Seen."}
    ),
    "refuse_ban_proposal": AuthoredCall(
        "moderator", "POST", "ban-proposals/{proposal}/refuse/", 200, {"reason": "No."}
    ),
    "reopen_ban_proposal": AuthoredCall(
        "junior moderator", "POST", "ban-proposals/{proposal}/reopen/", 200, {"reason": "Yes."}
    ),
    "list_incidents": AuthoredCall("viewer", "GET", "players/b/incidents/"),
    "get_incident": AuthoredCall("viewer", "GET", "incidents/{incident}/", of_a_mode=True),
    "pardon_incident": AuthoredCall("moderator", "POST", "incidents/{incident}/pardon/", 200, TEXTS, of_a_mode=True),
    "revoke_pardon": AuthoredCall(
        "moderator", "POST", "incidents/{incident}/revoke-pardon/", 200, TEXTS, of_a_mode=True
    ),
    "void_match": AuthoredCall("moderator", "POST", "matches/{match}/void/", 200, TEXTS, of_a_mode=True),
    "restore_match": AuthoredCall("moderator", "POST", "matches/{match}/restore/", 200, TEXTS, of_a_mode=True),
    "close_lobby": AuthoredCall("moderator", "POST", "lobbies/{lobby}/close/", 200, TEXTS, of_a_mode=True),
    "correct_match": AuthoredCall(
        "moderator", "POST", "matches/{match}/correct/", 200, {**TEXTS, "result": CORRECTED}, of_a_mode=True
    ),
    "hide_player": AuthoredCall("moderator", "POST", "players/b/hide/", 200, TEXTS),
    "show_player": AuthoredCall("moderator", "POST", "players/b/show/", 200, TEXTS),
    "rename_player": AuthoredCall("moderator", "POST", "players/b/rename/", 200, {**TEXTS, "name": "Bee"}),
    "reset_player_name": AuthoredCall("moderator", "POST", "players/b/reset-name/", 200, TEXTS),
    "undo_rename": AuthoredCall("moderator", "POST", "players/b/undo-rename/", 200, TEXTS),
    "unlock_player_name": AuthoredCall("moderator", "POST", "players/b/unlock-name/", 200, TEXTS),
    "list_notes": AuthoredCall("junior moderator", "GET", "players/b/notes/"),
    "add_note": AuthoredCall("junior moderator", "POST", "players/b/notes/", 201, {"text": "Knows the dev."}),
    "withdraw_note": AuthoredCall(
        "junior moderator", "POST", "notes/{note}/withdraw/", 200, {"reason": "It was another."}
    ),
    "list_warnings": AuthoredCall("viewer", "GET", "players/b/warnings/"),
    "warn_player": AuthoredCall("junior moderator", "POST", "players/b/warnings/", 201, TEXTS),
    "withdraw_warning": AuthoredCall("junior moderator", "POST", "warnings/{warning}/withdraw/", 200, TEXTS),
    "list_appeals": AuthoredCall("viewer", "GET", "appeals/"),
    "get_appeal": AuthoredCall("viewer", "GET", "appeals/{appeal}/"),
    "grant_appeal": AuthoredCall("moderator", "POST", "appeals/{appeal}/grant/", 200, TEXTS),
    "confirm_appeal": AuthoredCall("moderator", "POST", "appeals/{appeal}/confirm/", 200, TEXTS),
    "reopen_appeal": AuthoredCall("moderator", "POST", "appeals/{appeal}/reopen/", 200, TEXTS),
    "list_audit": AuthoredCall("viewer", "GET", "audit/"),
    "export_player": AuthoredCall("administrator", "GET", "players/b/export/"),
    "get_mode_settings": AuthoredCall("viewer", "GET", "modes/duel/settings/", scope="configure", of_a_mode=True),
    "change_mode_settings": AuthoredCall(
        "administrator",
        "PATCH",
        "modes/duel/settings/",
        200,
        {"reason": "Fewer.", "settings": {"late_results": 60}},
        scope="configure",
        of_a_mode=True,
    ),
    "get_mode_parameters": AuthoredCall("viewer", "GET", "modes/duel/parameters/", scope="configure", of_a_mode=True),
    "change_mode_parameters": AuthoredCall(
        "administrator",
        "POST",
        "modes/duel/parameters/",
        200,
        {"reason": "Faster.", "params": {"staying_is_better": False}},
        scope="configure",
        of_a_mode=True,
    ),
    "get_queue": AuthoredCall("viewer", "GET", "queues/duel/", scope="configure", of_a_mode=True),
    "change_queue": AuthoredCall(
        "administrator",
        "PATCH",
        "queues/duel/",
        200,
        {"reason": "Maintenance.", "settings": {"open": False}},
        scope="configure",
        of_a_mode=True,
    ),
    "erase_player": AuthoredCall(
        "administrator", "POST", "players/b/erase/", 200, {"reason": "They asked for it.", "confirm": "b"}
    ),
}


def make_author(role: str, name: str = "", **fields: Any) -> User:
    """An account of the site's staff with a role: viewer, moderator, administrator, root, or none."""
    staff = {"is_staff": True, "is_superuser": role == "root", **fields}
    user = User.objects.create_user(name or f"the {role}", **staff)
    user.groups.set([make_role(role)] if role in ROLES else [])
    return user


def make_moderated_site() -> dict[str, Any]:
    """A match that `b` left, a lobby, a ban of `b` with an appeal, a note, a warning: what stands in CALLS' paths."""
    make_mode()
    record(["a"], [PlayerReport(id="b", left_early=True)])
    player = Player.objects.get(key="b")
    queue = Queue.objects.create(mode=Mode.objects.get(), team_size=1)
    now = timezone.now()
    teams = [[Player.objects.get(key=key).pk] for key in "ab"]
    lobby = Lobby.objects.create(
        queue=queue, state=lifecycle.LIVE, teams=teams, places=[[1], [2]], difference=0, formed_at=now, started_at=now
    )
    ban = ban_player(player, scope=Ban.BOTH, by=None, reason="Smurf.", now=now, ends_at=now + dt.timedelta(days=5))
    [note] = add_notes([player], text="Look at it.", by=None, now=NOW)
    [warning] = warn_players([player], by=None, reason="Mind your words.", now=NOW)
    appeal = appeal_against(player, words="It wasn't me.", ban=ban.pk, now=now)
    [proposal] = propose_bans([player], scope=Ban.QUEUE, hours=720, by=None, reason="Left.", now=now)
    return {
        "ban": ban.pk,
        "proposal": proposal.pk,
        "note": note.pk,
        "warning": warning.pk,
        "appeal": appeal.pk,
        "incident": Incident.objects.get().pk,
        "match": Match.objects.get().pk,
        "lobby": lobby.pk,
    }
