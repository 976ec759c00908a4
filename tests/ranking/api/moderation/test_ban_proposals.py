"""Proposed bans by API: answered as they stand, listed, and decided by another author."""

from typing import Any

from ranking.models import Ban, BanProposal, Player
from tests.support.acts_by_api import CALLS, TEXTS, make_author
from tests.support.api import call, make_key


def test_a_proposal_is_answered_listed_and_confirmed_by_another(site: dict[str, Any]) -> None:
    make_author("junior moderator", "mia")
    key = make_key("moderate")
    body = CALLS["propose_ban"].make("mia").body
    proposal = BanProposal.objects.latest("pk")
    assert {**body, "proposed_at": ""} == {
        "number": proposal.pk, "player": "a", "scope": "both", "hours": 720, "state": "open", **TEXTS, "by": "mia",
        "proposed_at": "", "decided_at": None, "decided_by": None, "answer": "", "ban": None,
    }  # fmt: skip
    again = CALLS["propose_ban"].make("mia")
    assert (again.status, again.body["detail"]) == (
        409, "A ban of this player is proposed already: it waits for a decision.",
    )  # fmt: skip
    own = CALLS["confirm_ban_proposal"].make("mia", proposal=proposal.pk)
    assert (own.status, "You proposed this yourself" in own.body["detail"]) == (403, True)

    def numbers(query: str) -> list[int]:
        return [row["number"] for row in call("GET", f"ban-proposals/?author=mia{query}", key=key).body["items"]]

    assert numbers("") == numbers("&state=open") == [proposal.pk, site["proposal"]]
    confirmed = CALLS["confirm_ban_proposal"].make("mod", proposal=proposal.pk).body
    ban = Ban.objects.get(player__key="a")
    assert (confirmed["state"], confirmed["decided_by"], confirmed["answer"], confirmed["ban"]) == (
        "confirmed", "mod", "Seen.", ban.pk,
    )  # fmt: skip
    assert [numbers(query) for query in ("&state=open", "&state=confirmed", "&state=refused", "&player=a")] == [
        [site["proposal"]], [proposal.pk], [], [proposal.pk],
    ]  # fmt: skip
    for query, field in (("&state=all", "state"), ("&player=nobody", "player")):
        assert call("GET", f"ban-proposals/?author=mia{query}", key=key).fields == [field]


def test_who_proposed_it_withdraws_it(site: dict[str, Any]) -> None:
    make_author("junior moderator", "mia")
    number = CALLS["propose_ban"].make("mia").body["number"]
    key, path = make_key("moderate"), f"ban-proposals/{number}/withdraw/"
    assert call("POST", path, {"author": "mod", "reason": "No."}, key=key).status == 403
    assert call("POST", path, {"author": "mia", "reason": "Wrong player."}, key=key).body["state"] == "withdrawn"


def test_a_limit_holds_by_api(site: dict[str, Any]) -> None:
    make_author("junior moderator", "mia")
    key, path = make_key("moderate"), "players/a/bans/"
    body = {"author": "mia", **TEXTS, "scope": "queue"}
    refused = call("POST", path, {**body, "hours": 25}, key=key)
    assert (refused.status, refused.body["detail"][:48]) == (403, "You may ban from queues for at most 24 hours. Al")
    assert call("POST", path, {**body, "hours": 24}, key=key).status == 201
    assert Ban.objects.filter(player=Player.objects.get(key="a")).count() == 1
