"""Who may do what: each role and each act, allowed or refused; and the audit log, which nobody changes."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ranking.matches.forfeits import record_forfeit
from ranking.models import Appeal, AuditEntry, Ban, Incident, Match, Mode, Pardon, Player, Rerating, Void
from ranking.moderation.appeals import appeal_against
from ranking.moderation.sanctions import hide_players
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from tests.support.factories import ban_player, make_mode, make_role, make_staff, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
ROLES = ("viewer", "moderator", "administrator")
YES = {"confirmed": "yes", "reason": "x", "scope": "queue", "days": "9"}


@pytest.fixture(scope="module", autouse=True)
def _two_players(module_db):
    now = timezone.now()
    make_mode()
    record(["a"], [PlayerReport(id="b", left_early=True)], ended_at=now, now=now)
    b = player("b")
    ban = ban_player(b, scope="both", by=None, reason="x", now=now, ends_at=now + timezone.timedelta(days=1))
    appeal_against(b, words="No.", now=now, ban=ban.pk)
    hide_players([player("a").pk], by=None, reason="x", now=now)
    User.objects.create_user("login")
    Player.objects.filter(key="b").update(lookalike=True, user=User.objects.get(username="login"))


def player(key):
    return Player.objects.get(key=key)


def client_of(role):
    user = make_staff(role)
    made = Client()
    made.force_login(user)
    return made


def act(model, action, row):
    """An action of a list, confirmed."""

    def send(client):
        address = reverse(f"admin:ranking_{model}_changelist")
        fields = {"action": action, "index": 0, "_selected_action": row().pk}
        asked = client.post(address, fields)
        return client.post(address, {**fields, **(asked.context or {}).get("hidden", {}), **YES})

    return send


def page(name, row, query=""):
    """The form of a page of its own, confirmed."""

    def send(client):
        address = reverse(f"admin:ranking_{name}", args=[row().pk] if row else []) + query
        previewed = (client.get(address).context or {}).get("previewed", "")
        return client.post(address, {**YES, "previewed": previewed})

    return send


def b():
    return player("b")


def dropout():
    a = player("a")
    record_forfeit(Mode.objects.get(), lobby="L", teams=[[a], [b()]], player=a, reason="left", now=timezone.now())
    return Incident.objects.get(kind="dropout")


def voided(find):
    """Find the row, and void it: a match, or the forfeit of an incident."""

    def find_voided():
        row = find()
        void([getattr(row, "forfeit", row)], by=None, reason="x", now=timezone.now())
        return row

    return find_voided


SINCE = "?since=2026-01-01T00:00&until=2030-01-01T00:00"
LIFTED = Void.objects.exclude(lifted_at=None).exists
# What is done, how, whether it happened, and whether a viewer, a moderator, an administrator may.
ACTS = [
    ("pardon all of a player", act("leaver", "pardon", b), Pardon.objects.exists, "-ma"),
    ("pardon an incident", act("incident", "pardon", Incident.objects.get), Pardon.objects.exists, "-ma"),
    ("pardon a match", act("match", "pardon", Match.objects.get), Pardon.objects.exists, "-ma"),
    ("pardon a crash", page("incident_crash", None, SINCE), Pardon.objects.exists, "-ma"),
    ("ban", act("leaver", "ban", b), Ban.objects.filter(reason="x", by__isnull=False).exists, "-ma"),
    ("extend", act("ban", "extend", Ban.objects.get), AuditEntry.objects.filter(act="extend").exists, "-ma"),
    ("lift", act("ban", "lift", Ban.objects.get), Ban.objects.exclude(lifted_at=None).exists, "-ma"),
    ("hide", act("leaver", "hide", b), Player.objects.filter(key="b", hidden_at__isnull=False).exists, "-ma"),
    ("hide a player", act("player", "hide", b), Player.objects.filter(key="b", hidden_at__isnull=False).exists, "-ma"),
    ("show", act("leaver", "show", lambda: player("a")), Player.objects.filter(key="a", hidden_at=None).exists, "-ma"),
    ("void", act("match", "void", Match.objects.get), Void.objects.exists, "-ma"),
    ("restore", act("match", "restore", voided(Match.objects.get)), LIFTED, "-ma"),
    ("void a forfeit", act("incident", "void", dropout), Void.objects.exists, "-ma"),
    ("restore a forfeit", act("incident", "restore", voided(dropout)), LIFTED, "-ma"),
    ("void since", page("leaver_void_since", b, "?since=2026-01-01T00:00"), Void.objects.exists, "-ma"),
    ("grant", act("appeal", "grant", Appeal.objects.get), Appeal.objects.filter(decision="granted").exists, "-ma"),
    ("turn down", act("appeal", "confirm", Appeal.objects.get), Appeal.objects.exclude(decided_at=None).exists, "-ma"),
    ("release", act("player", "release", b), Player.objects.filter(key="b", user=None).exists, "--a"),
    ("accept a name", act("player", "accept", b), Player.objects.filter(key="b", lookalike=False).exists, "-ma"),
    ("anonymise", act("player", "anonymise", b), Player.objects.exclude(anonymised_at=None).exists, "--a"),
    ("rate anew", page("mode_rate_anew", Mode.objects.get), Rerating.objects.exists, "--a"),
]


def test_who_may_do_what():
    clients, given = {role: client_of(role) for role in ROLES}, {}
    for name, do, done, _ in ACTS:
        assert not done(), name
        given[name] = ""
        for role, client in clients.items():
            with rolled_back():
                do(client)
                given[name] += role[0] if done() else "-"
    assert given == {name: who for name, _, _, who in ACTS}


@pytest.mark.parametrize("role", ROLES)
def test_every_role_sees_the_pages_of_conduct(role):
    client = client_of(role)
    for model, row in (("leaver", b), ("incident", Incident.objects.get), ("ban", Ban.objects.get),
                       ("appeal", Appeal.objects.get), ("auditentry", AuditEntry.objects.first)):  # fmt: skip
        for address in (
            reverse(f"admin:ranking_{model}_changelist"),
            reverse(f"admin:ranking_{model}_change", args=[row().pk]),
        ):
            assert client.get(address).status_code == 200, address


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("moderator", 403), ("administrator", 200)])
def test_what_administrators_look_after(role, status):
    client = client_of(role)
    pages = ("leaderboards_webhook", "leaderboards_delivery", "ranking_key", "ranking_outboxentry")
    statuses = {page: client.get(reverse(f"admin:{page}_changelist")).status_code for page in pages}
    assert statuses == dict.fromkeys(pages, status)


def test_a_page_offers_what_its_reader_may_do():
    offered = {}
    for role in ROLES:
        client = client_of(role)
        text = client.get(reverse("admin:ranking_leaver_change", args=[b().pk])).text
        words = ("Ban…", "Pardon those ticked…", "Lift those ticked…", "Void their matches since…")
        offered[role] = sum(word in text for word in words)
    assert offered == {"viewer": 0, "moderator": 4, "administrator": 4}


def test_roles_are_made_once_with_permissions_that_exist():
    for role in ROLES:
        make_role(role)  # does nothing where the migration's are there
    assert set(Group.objects.values_list("name", flat=True)) == {*ROLES, "junior moderator"}
    doubled = Permission.objects.values_list("content_type", "codename")
    assert len(doubled) == len(set(doubled))
    sizes = [Group.objects.get(name=role).permissions.count() for role in ROLES]
    assert sizes == sorted(sizes)


def test_a_superuser_cannot_change_the_audit_log():
    boss = User.objects.create_superuser("boss")
    client = Client()
    client.force_login(boss)
    act("leaver", "ban", b)(client)
    entry = AuditEntry.objects.filter(by=boss).get()
    before = list(AuditEntry.objects.values())
    change, delete, history, add, rows = (
        reverse(f"admin:ranking_auditentry_{name}", args=args)
        for name, args in (("change", [entry.pk]), ("delete", [entry.pk]), ("history", [entry.pk]), ("add", []),
                           ("changelist", []))
    )  # fmt: skip
    said = {"reason": "other", "act": "other", "post": "yes", "_save": "Save"}
    ticked = {"action": "delete_selected", "index": 0, "_selected_action": entry.pk}
    answers = [client.post(change, said), client.post(delete, said), client.post(add, said), client.post(rows, ticked)]
    assert [answer.status_code for answer in answers] == [403, 403, 403, 200]  # a list without actions
    assert client.post(history, said).status_code in {200, 405}
    text = client.get(change).text
    assert 'name="reason"' not in text
    assert "deletelink" not in text
    assert list(AuditEntry.objects.values()) == before
    boss.delete()
    assert AuditEntry.objects.values_list("who", "reason").get(pk=entry.pk) == ("boss", "x")
