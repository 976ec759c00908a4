"""Warnings and appeals by API: written, listed, taken back."""

from typing import Any

from ranking.models import Ban, PlayerWarning
from tests.support.acts_by_api import CALLS, TEXTS
from tests.support.api import call, make_key


def test_a_warning_is_answered_and_withdrawn(site: dict[str, Any]) -> None:
    body = CALLS["warn_player"].make("mod").body
    warning = PlayerWarning.objects.latest("pk")
    assert {**body, "warned_at": ""} == {
        "number": warning.pk, "player": "b", **TEXTS, "by": "mod", "warned_at": "",
        "withdrawn_at": None, "withdrawn_by": None, "withdraw_reason": "", "withdraw_note": "",
    }  # fmt: skip
    listed = CALLS["list_warnings"].make("mod").body["items"]
    assert [row["number"] for row in listed] == [warning.pk, site["warning"]]
    gone = CALLS["withdraw_warning"].make("mod", warning=warning.pk).body
    assert (gone["withdrawn_by"], gone["withdraw_reason"], gone["withdraw_note"]) == ("mod", *TEXTS.values())


def test_appeals_are_listed_decided_and_opened_again(site: dict[str, Any]) -> None:
    key, ban = make_key("moderate"), Ban.objects.get(pk=site["ban"])

    def numbers(query: str) -> list[int]:
        return [row["number"] for row in call("GET", f"appeals/?author=mod{query}", key=key).body["items"]]

    body = CALLS["get_appeal"].make("mod", **site).body
    assert {name: body[name] for name in ("player", "ban", "incident", "words", "decision", "answer")} == {
        "player": "b", "ban": ban.pk, "incident": None, "words": "It wasn't me.", "decision": None, "answer": "",
    }  # fmt: skip
    assert [numbers(query) for query in ("", "&state=open", "&state=decided", "&player=b", "&player=a")] == [
        [body["number"]], [body["number"]], [], [body["number"]], [],
    ]  # fmt: skip
    granted = CALLS["grant_appeal"].make("mod", **site).body
    assert (granted["decision"], granted["decided_by"], granted["answer"], granted["note"]) == (
        "granted", "mod", *TEXTS.values(),
    )  # fmt: skip
    ban.refresh_from_db()
    assert (ban.lifted_at is not None, numbers("&state=open"), numbers("&state=decided")) == (True, [], [ban.appeal.pk])
    assert CALLS["reopen_appeal"].make("mod", **site).body["decision"] is None
    ban.refresh_from_db()
    assert (ban.lifted_at, numbers("&state=open")) == (None, [ban.appeal.pk])
    for query, field in (("&state=all", "state"), ("&player=nobody", "player"), ("&mine=1", "mine")):
        assert call("GET", f"appeals/?author=mod{query}", key=key).fields == [field]
