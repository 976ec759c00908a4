"""Acts by API do what the same acts do in the admin, say so in the log, and may be sent again."""

import datetime as dt
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from ranking.admin.base.acts.confirmation import CONFIRMED
from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    BanAct,
    BanProposal,
    Hiding,
    Match,
    Pardon,
    Player,
    PlayerNote,
    PlayerWarning,
    Renaming,
    Reopening,
    Rerating,
    Void,
)
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.ban_proposals import refuse_proposals
from ranking.moderation.merges import merge_players
from ranking.moderation.renaming import rename_player
from ranking.moderation.sanctions import hide_players, lift_bans, pardon_incidents
from ranking.moderation.voids import void
from ranking.players.administration import anonymise_players
from tests.support.acts_by_api import CALLS, TEXTS, make_author
from tests.support.api import call, make_key
from tests.support.factories import record
from tests.support.savepoints import rolled_back

# What acts write, apart from numbers and times.
ROWS = {
    Ban: ("player", "scope", "reason", "note", "by__username", "lifted_by__username", "lift_reason", "lift_note"),
    BanAct: ("act", "by__username", "reason", "note"),
    BanProposal: ("player", "scope", "hours", "decision", "decided_by__username", "answer"),
    Pardon: ("incident", "by__username", "reason", "note", "lifted_by__username", "lift_reason", "lift_note"),
    PlayerWarning: ("player", "by__username", "reason", "note", "lifted_by__username", "lift_reason", "lift_note"),
    Appeal: ("decision", "decided_by__username", "answer", "note"),
    Reopening: ("decision", "answer", "by__username", "reason", "note"),
    Renaming: ("player", "name", "by__username", "reason", "note", "lifted_by__username", "lift_reason", "lift_note"),
    Hiding: ("player", "by__username", "reason", "note", "lifted_by__username", "lift_reason", "lift_note"),
    Void: ("match", "by__username", "reason", "note", "lifted_by__username", "lift_reason", "lift_note"),
    Rerating: ("mode__slug", "since", "reason", "by__username"),
    AuditEntry: ("act", "who", "subject", "player", "reason", "note"),
}
# call → the list of the admin, the name of the act there, and which row of the site it is done to
IN_THE_ADMIN = {
    "ban_player": ("leaver", "ban", "player"),
    "extend_ban": ("ban", "extend", "ban"),
    "shorten_ban": ("ban", "shorten", "ban"),
    "lift_ban": ("ban", "lift", "ban"),
    "resume_ban": ("ban", "resume", "ban"),
    "pardon_incident": ("incident", "pardon", "incident"),
    "revoke_pardon": ("incident", "revoke", "incident"),
    "void_match": ("match", "void", "match"),
    "restore_match": ("match", "restore", "match"),
    "hide_player": ("player", "hide", "player"),
    "warn_player": ("player", "warn", "player"),
    "withdraw_warning": ("playerwarning", "withdraw", "warning"),
    "grant_appeal": ("appeal", "grant", "appeal"),
    "confirm_appeal": ("appeal", "confirm", "appeal"),
    "reopen_appeal": ("appeal", "reopen", "appeal"),
    "show_player": ("player", "show", "player"),
    "propose_ban": ("leaver", "propose", "other"),
    "confirm_ban_proposal": ("banproposal", "confirm", "proposal"),
    "refuse_ban_proposal": ("banproposal", "refuse", "proposal"),
    "reopen_ban_proposal": ("banproposal", "reopen", "proposal"),
    "rename_player": ("player", "rename", "player"),
    "reset_player_name": ("player", "reset", "player"),
    "undo_rename": ("player", "undo_rename", "player"),
    "unlock_player_name": ("player", "unlock", "player"),
    "erase_player": ("player", "anonymise", "player"),
}


def prepare(name: str, site: dict[str, Any]) -> None:
    """Do first what the act takes back."""
    details: Any = {"by": None, "reason": "Before.", "now": timezone.now()}
    player = Player.objects.get(key="b").pk
    if name == "resume_ban":
        lift_bans([site["ban"]], **details)
    elif name == "revoke_pardon":
        pardon_incidents([site["incident"]], **details)
    elif name == "restore_match":
        void([Match.objects.get(pk=site["match"])], **details)
    elif name == "reopen_appeal":
        decide_appeals([site["appeal"]], grant=True, **details)
    elif name == "reopen_ban_proposal":
        refuse_proposals([site["proposal"]], **details)
    elif name == "show_player":
        hide_players([player], **details)
    elif name in ("undo_rename", "unlock_player_name"):
        rename_player([player], name="Bee", **details)


def written() -> dict[str, list[Any]]:
    """What the acts write. Numbers of new rows are left out of the log's subjects: PostgreSQL gives none twice."""
    rows = {model.__name__: list(model._default_manager.order_by("pk").values(*names)) for model, names in ROWS.items()}
    for entry in rows["AuditEntry"]:
        entry["subject"] = re.sub(r"\d+", "…", entry["subject"])
    people = Player.objects.order_by("pk").values_list("anonymised_at", "hidden_at")
    named = Player.objects.filter(anonymised_at=None).order_by("pk").values_list("name", "locked_name")
    return {**rows, "names": list(named), "people": [[moment is not None for moment in moments] for moments in people]}


def act_in_the_admin(name: str, site: dict[str, Any]) -> dict[str, list[Any]]:
    """What the act writes in the admin; then it is undone."""
    model, act, row = IN_THE_ADMIN[name]
    client = Client()
    body = {"action": act, "_selected_action": [site[row]], CONFIRMED: "1", **(CALLS[name].body or {})}
    with rolled_back():
        client.force_login(User.objects.get(username="boss"))
        client.post(reverse(f"admin:ranking_{model}_changelist"), body)
        return written()


def test_an_act_does_what_it_does_in_the_admin(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    make_author("administrator", "boss")
    site |= {"player": Player.objects.get(key="b").pk, "other": Player.objects.get(key="a").pk}
    for name in IN_THE_ADMIN:
        with subtests.test(name=name), rolled_back():
            prepare(name, site)
            before = written()
            wanted = act_in_the_admin(name, site)
            assert CALLS[name].make("boss", **site).status == CALLS[name].status
            state = written()
            assert (state, state != before) == (wanted, True)


def test_the_log_tells_who_acted_and_through_which_key(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    make_author("administrator", "boss")
    acts = {name: asked for name, asked in CALLS.items() if asked.method != "GET"}
    for name, act in acts.items():
        with subtests.test(name=name), rolled_back():
            prepare(name, site)
            before = set(AuditEntry.objects.values_list("pk", flat=True))
            secret = make_key(act.scope, source="forum")
            assert act.make("boss", secret, **site).status == act.status
            lines = AuditEntry.objects.exclude(pk__in=before)
            assert {(line.who, line.via) for line in lines} == {("boss", f"forum · {secret.split('_')[1]}")}


def test_an_act_sent_again_changes_nothing(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    for name in [
        "lift_ban", "resume_ban", "shorten_ban", "pardon_incident", "revoke_pardon", "void_match", "restore_match",
        "correct_match", "hide_player", "show_player", "rename_player", "reset_player_name", "undo_rename",
        "unlock_player_name", "withdraw_note", "withdraw_warning", "grant_appeal",
        "confirm_appeal", "reopen_appeal", "close_lobby", "confirm_ban_proposal", "refuse_ban_proposal",
        "reopen_ban_proposal",
    ]:  # fmt: skip
        with subtests.test(name=name), rolled_back():
            prepare(name, site)
            first = CALLS[name].make("mod", **site)
            before = written()
            again = CALLS[name].make("mod", **site)
            assert (first.status, again.status) == (200, 200)
            if name != "shorten_ban":  # which counts from now
                assert (again.body, written()) == (first.body, before)


def test_acts_in_the_admin_name_no_key(site: dict[str, Any]) -> None:
    assert set(AuditEntry.objects.values_list("via", flat=True)) == {""}


def test_a_ban_is_answered_as_it_stands(site: dict[str, Any]) -> None:
    body = CALLS["ban_player"].make("mod", **site).body
    ban = Ban.objects.get(pk=body["number"])
    assert ban.ends_at is not None
    assert body == {
        "number": ban.pk, "player": "b", "scope": "both", "running": True, **TEXTS, "by": "mod",
        "starts_at": wire(ban.starts_at), "ends_at": wire(ban.ends_at), "lifted_at": None, "lifted_by": None,
        "lift_reason": "", "lift_note": "",
    }  # fmt: skip
    assert (ban.ends_at - ban.starts_at).days == 2
    lifted = CALLS["lift_ban"].make("mod", ban=ban.pk).body
    assert (lifted["running"], lifted["lifted_by"], lifted["lift_reason"]) == (False, "mod", "Cheating.")
    assert [row["number"] for row in CALLS["list_bans"].make("mod").body["items"]] == [ban.pk, site["ban"]]


def wire(moment: Any) -> str:
    return str(moment.isoformat()).replace("+00:00", "Z")


def test_a_bad_ban_names_the_field(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    for bad, field in [
        ({"scope": "all"}, "scope"),
        ({"scope": None}, "scope"),
        ({"scope": "\ud800"}, "scope"),
        ({"days": 0}, "days"),
        ({"days": 3651}, "days"),
        ({"days": "2"}, "days"),
        ({"days": 1e400}, "days"),
        ({"hours": 0}, "hours"),
        ({"hours": 87_601}, "hours"),
        ({"days": 1, "hours": 1}, "hours"),
        ({"note": "x" * 501}, "note"),
        ({"note": 5}, "note"),
        ({"until": "tomorrow"}, "until"),
    ]:
        with subtests.test(bad=bad), rolled_back():
            body = {"author": "mod", **TEXTS, "scope": "both", **bad}
            sent = str(body).replace("'", '"').replace("inf", "1e400").replace("None", "null").encode()
            answer = call("POST", "players/b/bans/", sent, key=make_key("moderate"))
            assert (answer.status, answer.fields, Ban.objects.count()) == (400, [field], 1)


@pytest.mark.parametrize(
    ("path", "asked", "field", "sentence"),
    [
        ("players/b/bans/", {"days": 0.5}, "days", "a whole number of days. For less than a day, give hours."),
        ("players/b/bans/", {"hours": 0.5}, "hours", "a whole number of hours."),
        ("players/b/bans/", {"days": 1, "hours": 2}, "hours", "Give days or hours, not both."),
        ("bans/{ban}/extend/", {"days": 1, "hours": 2}, "hours", "Give days or hours, not both."),
        ("bans/{ban}/shorten/", {"days": 1, "hours": 2}, "hours", "Give days or hours, not both."),
        ("bans/{ban}/shorten/", {}, "days", "Give days or hours."),
        ("bans/{ban}/shorten/", {"days": None}, "days", "Give days or hours."),
    ],
)
def test_a_length_is_of_whole_days_or_of_whole_hours(
    site: dict[str, Any], path: str, asked: dict[str, Any], field: str, sentence: str
) -> None:
    body = {"author": "mod", **TEXTS, **({"scope": "both"} if path.startswith("players") else {}), **asked}
    answer = call("POST", path.format(**site), body, key=make_key("moderate"))
    assert (answer.status, answer.fields) == (400, [field])
    assert answer.body["errors"][0]["detail"].endswith(sentence)


def test_a_ban_of_hours_is_extended_and_shortened_by_hours(site: dict[str, Any]) -> None:
    key, asked = make_key("moderate"), {"author": "mod", **TEXTS}
    number = call("POST", "players/b/bans/", {**asked, "scope": "both", "hours": 12}, key=key).body["number"]
    hours = [_hours(number)]
    for act, more in (("extend", 40), ("shorten", 2)):
        assert call("POST", f"bans/{number}/{act}/", {**asked, "hours": more}, key=key).status == 200
        hours.append(_hours(number))
    assert hours == [12, 40, 2]


def _hours(number: int) -> int:
    ban = Ban.objects.get(pk=number)
    assert ban.ends_at is not None
    return round((ban.ends_at - ban.starts_at) / dt.timedelta(hours=1))


def test_what_does_not_exist_is_not_found(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    make_author("administrator", "boss")
    key = make_key("moderate")
    for path in [
        "bans/{}/lift/", "incidents/{}/pardon/", "matches/{}/void/", "notes/{}/withdraw/",
        "warnings/{}/withdraw/", "appeals/{}/grant/",
        "players/nobody{}/hide/",
        "players/{}/bans/", "players/%00{}/erase/",
    ]:  # fmt: skip
        more = {"scope": "both"} if "/bans/" in path else {"confirm": "x"} if "erase" in path else {}
        texts = {"reason": "x"} if "notes" in path or "erase" in path else TEXTS
        for number in [0, 10**9, 10**30]:
            with subtests.test(path=path, number=number), rolled_back():
                body = {"author": "boss", **texts, **more}
                assert call("POST", path.format(number), body, key=key).status == 404


def test_a_pardon_is_answered(site: dict[str, Any]) -> None:
    assert CALLS["get_incident"].make("mod", **site).body["pardon"] is None
    body = CALLS["pardon_incident"].make("mod", **site).body
    assert {**body["pardon"], "pardoned_at": None} == {"pardoned_at": None, "by": "mod", **TEXTS}
    assert (body["player"], body["kind"], body["mode"], body["match"]) == ("b", "leave", "duel", site["match"])
    assert CALLS["list_incidents"].make("mod").body["items"] == [body]


def test_a_void_says_that_ratings_follow(site: dict[str, Any]) -> None:
    body = CALLS["void_match"].make("mod", **site).body
    match = Match.objects.get()
    wanted = {"number": match.pk, "id": match.external_id, "mode": "duel", "state": "void", "rerating": True}
    assert (body, Rerating.objects.get().state) == (wanted, Rerating.WAITING)


def test_erasing_wants_the_key_once_more(site: dict[str, Any]) -> None:
    make_author("administrator", "boss")
    body = {"author": "boss", "reason": "They asked."}
    answers = [
        call("POST", "players/b/erase/", body | more, key=make_key("moderate"))
        for more in ({}, {"confirm": "a"}, {"confirm": True}, {"confirm": "b"}, {"confirm": "b"})
    ]
    assert [answer.status for answer in answers] == [400, 400, 400, 200, 404]
    assert [answer.fields for answer in answers[:3]] == [["confirm"]] * 3
    assert Player.objects.filter(anonymised_at=None).count() == 1


def test_a_former_player_was_erased_when_they_left(site: dict[str, Any]) -> None:
    """Erased again under the key that they have since, they stay as they are, and the log says nothing of it."""
    make_author("administrator", "boss")
    first = CALLS["erase_player"].make("boss").body
    former = Player.objects.exclude(anonymised_at=None).get().key
    body = {"author": "boss", "reason": "They asked.", "confirm": former}
    answer = call("POST", f"players/{former}/erase/", body, key=make_key("moderate"))
    assert (answer.status, answer.body) == (200, first)
    assert AuditEntry.objects.filter(act="anonymise").count() == 1


def test_nothing_new_is_done_to_a_former_player(site: dict[str, Any]) -> None:
    make_author("administrator", "boss")
    CALLS["erase_player"].make("boss")
    former = Player.objects.exclude(anonymised_at=None).get().key
    before = written()
    for path, body in (
        ("bans", {"scope": "both", **TEXTS}), ("warnings", TEXTS), ("notes", {"text": "Watch them."}),
    ):  # fmt: skip
        answer = call("POST", f"players/{former}/{path}/", {"author": "boss", **body}, key=make_key("moderate"))
        assert (answer.status, answer.body["detail"]) == (409, "This player has left for good.")
    assert written() == before


def test_a_player_who_is_merged_meanwhile_isnt_erased(site: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    make_author("administrator", "boss")

    def merge_first(*arguments: Any, **more: Any) -> Any:
        kept, merged = Player.objects.create(key="c", name="c", created_at=timezone.now()), Player.objects.get(key="b")
        merge_players(kept, merged, by=None, reason="One person.", now=timezone.now())
        return anonymise_players(*arguments, **more)

    monkeypatch.setattr("ranking.api.moderation.players.anonymise_players", merge_first)
    answer = CALLS["erase_player"].make("boss")
    assert (answer.status, answer.body["code"]) == (409, "conflict")
    assert not Player.objects.exclude(anonymised_at=None).exists()


def test_the_export_is_the_players_own(site: dict[str, Any]) -> None:
    make_author("administrator", "boss")
    user = User.objects.create_user("bee")
    Player.objects.filter(key="b").update(user=user)
    client = Client()
    client.force_login(user)
    page: Any = client.get("/account/privacy/export/")
    own = json.loads(b"".join(page))
    given = CALLS["export_player"].make("boss").body
    assert {**given, "exported_at": 0} == {**own, "exported_at": 0}
    assert "See the video." not in str(given)


@pytest.mark.django_db
def test_a_note_is_for_moderators(site: dict[str, Any]) -> None:
    body = CALLS["add_note"].make("mod").body
    assert (body["text"], body["by"], body["withdrawn_at"]) == ("Knows the dev.", "mod", None)
    assert [note["number"] for note in CALLS["list_notes"].make("mod").body["items"]] == [body["number"], site["note"]]
    assert PlayerNote.objects.count() == 2
    gone = CALLS["withdraw_note"].make("mod", note=body["number"]).body
    assert (gone["withdrawn_by"], gone["withdraw_reason"]) == ("mod", "It was another.")


# The key is found and its use noted; the author and their rights are read: 5. Then perhaps the player, and the rows.
QUERIES = {
    "list_bans": 7, "get_ban": 6, "list_incidents": 7, "get_incident": 6, "list_notes": 7, "list_audit": 6,
    "list_warnings": 7, "list_appeals": 6, "get_appeal": 6,
}  # fmt: skip


def test_reading_costs_the_same_however_much_there_is(
    site: dict[str, Any], django_assert_num_queries: DjangoAssertNumQueries, subtests: pytest.Subtests
) -> None:
    for more in (0, 3):
        for _ in range(more):
            ban = CALLS["ban_player"].make("mod", **site).body["number"]
            appeal_against(Player.objects.get(key="b"), words="No.", ban=ban, now=timezone.now())
            CALLS["lift_ban"].make("mod", ban=Ban.objects.latest("pk").pk)
            CALLS["add_note"].make("mod", **site)
            CALLS["warn_player"].make("mod", **site)
        for name, queries in QUERIES.items():
            with subtests.test(name=name, more=more), rolled_back():
                secret = make_key("moderate")
                with django_assert_num_queries(queries):
                    assert CALLS[name].make("mod", secret, **site).status == 200


def test_a_match_that_never_counts_isnt_restored(site: dict[str, Any]) -> None:
    mode = Match.objects.get(pk=site["match"]).mode
    match = record(["a"], ["b"], mode=mode.slug, no_contest="The map broke.", id="off").record.match
    before = written()
    answer = CALLS["restore_match"].make("mod", **{**site, "match": match.pk})
    told = (answer.status, answer.body["code"], answer.body["detail"])
    assert told == (409, "conflict", "Match off can't be restored: it was called off.")
    assert written() == before
