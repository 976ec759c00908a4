"""Leaving for good: no name, no key, nowhere; and a ledger that is exactly what it was."""

import datetime as dt
from urllib.parse import quote_plus, urlencode

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection, models
from django.db.models import Q

from leaderboards.models import Achievement, Blocking, Delivery, Following, Notice, Watch, Webhook
from leaderboards.people.following import avoid_player
from leaderboards.webhooks.events import PLAYER_PROMOTED
from ranking.abuse.complaints import reopen_cases, report_player, review_cases
from ranking.matches.invariants import violations
from ranking.matches.recording import CONFLICT, KNOWN, RATED
from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    Change,
    EvaluationRun,
    Event,
    Finding,
    Incident,
    Match,
    Mode,
    OutboxEntry,
    Pardon,
    Participation,
    Player,
    Rating,
    Rerating,
    SavedFilter,
    Void,
)
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.notes import add_notes, withdraw_notes
from ranking.operations.audit import record_act
from ranking.players._redaction import Words
from ranking.players.anonymising import anonymise_player
from ranking.players.claims import issue_claim_code
from ranking.players.players import ReportedName, rename_players
from ranking.players.tokens import find_bearer
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.standings.publishing import publish
from ranking.trials.evaluation_jobs import EVALUATIONS
from ranking.trials.runs import ask_for_evaluation
from tests.support.api import make_token
from tests.support.factories import NOW, ban_player, lift_ban, make_mode, make_source, record, record_result

pytestmark = pytest.mark.django_db
KEY, NAME = "steam-76561", "Kestrel Grün"
LATER = NOW + dt.timedelta(minutes=1)
VIDEO = {"kind": "video", "url": "https://a.example/1"}


def report(number: int = 1, **more):
    """A match of two against two in which name and key stand wherever a sender may write."""
    me = PlayerReport(id=KEY, name=NAME, party=f"party of {KEY}")
    mate = PlayerReport(id="mate", party=f"party of {KEY}")
    teams = (
        TeamReport((me, mate), name=f"{NAME}’s", place=1),
        TeamReport((PlayerReport("b"), PlayerReport("c")), place=2),
    )
    said = {"id": f"m{number}", "variant": f"by {NAME.upper()}", "server": KEY, "lobby": f"{NAME}, 2", "teams": teams}
    return Report(mode="duel", ended_at=NOW, **{**said, **more})


@pytest.fixture
def me() -> Player:
    mode = make_mode()
    for number in range(3):
        record_result(report(number), source=make_source(), now=NOW, elsewhere=True)
    naming = [{"kind": "replay", "url": f"https://a.example/{text}"} for text in (KEY, quote_plus(NAME))]
    Match.objects.update(links=[*naming, VIDEO])
    record(["mate"], ["b"])
    publish(mode, now=NOW)
    player = Player.objects.get(key=KEY)
    player.user = User.objects.create_user("gruen", email="g@example.org")
    player.save()
    log(player)
    log(player.user)
    keep_elsewhere(player, mode)
    failed = OutboxEntry(consumer="news", event=Event.objects.latest("pk"), due_at=NOW, last_error="Timeout")
    quoting = OutboxEntry(
        consumer="news", event=Match.objects.get(external_id="m1").event, due_at=NOW, last_error=f"No {KEY}!"
    )
    OutboxEntry.objects.bulk_create([failed, quoting])
    return player


def keep_elsewhere(me: Player, mode: Mode) -> None:
    """What the rest of the site keeps about a player."""
    rename_players({me.pk: ReportedName("Falke Grün", NOW)}, NOW)
    rename_players({me.pk: ReportedName(NAME, NOW)}, NOW)
    issue_claim_code(me, now=NOW)
    mate = Player.objects.get(key="mate")
    for follower, followed in ((me, mate), (mate, me)):
        Following.objects.create(follower=follower, followed=followed, since=NOW)
        Blocking.objects.create(blocker=follower, blocked=followed, since=NOW)
        avoid_player(follower, followed, now=NOW)
    Notice.objects.create(player=me, kind="top", occasion="1:5", mode=mode, data={"percent": 5}, created_at=NOW)
    Watch.objects.create(rating=Rating.objects.get(player=me))
    Achievement.objects.create(player=me, mode=mode, feat="first-win", earned_at=NOW)
    Delivery.objects.create(
        webhook=Webhook.objects.create(name="hook", kind=Webhook.GAME, url="https://example.org", created_at=NOW),
        type=PLAYER_PROMOTED, occasion=f"1-{me.pk}-2", data={"player": {"id": KEY, "name": NAME}},
        created_at=NOW, due_at=NOW,
    )  # fmt: skip
    write_of(me, mode)
    ask_for_evaluation(mode, [{"system": "elo", "params": {}}], by=me.user, now=NOW)
    while EVALUATIONS.work(lambda: NOW, seconds=60, keep=False):
        pass


def write_of(me: Player, mode: Mode) -> None:
    """What moderators write about a player, each naming them."""
    said = {"by": None, "reason": f"{NAME} ({KEY}) again: the mate’s word against Kestrel’s", "now": NOW}
    lift_ban(ban_player(me, scope="both", ends_at=None, **said), **said)
    record_act("looked", f"match with {NAME}", **said)
    reason = said["reason"]
    done = {"voided_at": NOW, "lifted_at": NOW, "lift_reason": reason}
    Void.objects.create(match=Match.objects.get(external_id="m2"), reason=reason, **done)
    of_me = {"player": me, "mode": mode, "happened_at": NOW}
    incident = Incident.objects.create(kind=Incident.MISSED, occasion="lobby 1", **of_me)
    Pardon.objects.create(incident=incident, reason=reason, pardoned_at=NOW)
    Rerating.objects.create(mode=mode, state=Rerating.DONE, reason=reason, requested_at=NOW)


def log(about: models.Model) -> None:
    boss = User.objects.get_or_create(username="boss", is_staff=True)[0]
    kind = ContentType.objects.get_for_model(about)
    LogEntry.objects.create(
        user=boss, content_type=kind, object_id=str(about.pk), object_repr=str(about), action_flag=CHANGE
    )


def places_of(*texts: str) -> set[str]:
    """Columns of the whole database in which one of these is written, in any case."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
            for column in columns:
                cursor.execute(f'SELECT "{column}" FROM "{table}"')
                written = [readable(value) for (value,) in cursor if value is not None]
                if any(text.casefold() in value for text in texts for value in written):
                    found.add(f"{table}.{column}")
    return found


def readable(value) -> str:
    """Bytes as letters, JSON without its escapes."""
    text = bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
    return text.replace("\\u00fc", "ü").replace("\\u00dc", "ü").casefold()


def test_name_and_key_are_nowhere(me):
    written = {
        "auth_user.username", "django_admin_log.object_repr", "leaderboards_delivery.data",
        "ranking_auditentry.reason", "ranking_auditentry.subject", "ranking_ban.lift_reason", "ranking_ban.reason",
        "ranking_banact.reason",
        "ranking_pardon.reason", "ranking_rerating.reason", "ranking_void.lift_reason", "ranking_void.reason",
        "ranking_match.links", "ranking_match.lobby", "ranking_match.server",
        "ranking_match.teams", "ranking_match.variant", "ranking_outboxentry.last_error", "ranking_participation.party",
        "ranking_player.key", "ranking_player.name", "ranking_player.search_name",
        "ranking_playername.name", "ranking_playername.search_name",
    }  # fmt: skip
    if connection.vendor == "sqlite":
        written.add("ranking_player_names.search_name")  # reads ranking_player's
    assert places_of(NAME, KEY, "gruen") - {"auth_user.email"} == written
    anonymise_player(me, now=LATER)
    assert places_of(NAME, "Falke Grün", KEY, "gruen", "g@example.org") == set()
    assert Match.objects.order_by("pk")[0].links == [VIDEO]
    assert EvaluationRun.objects.get().results[0]["board"]["top"]


def test_who_left_has_a_name_that_says_so(me):
    anonymise_player(me, now=LATER)
    me.refresh_from_db()
    code = me.key.removeprefix("former-")
    assert (me.name, len(code)) == (f"Former player {code[:4]}", 32)
    assert (me.hidden_at, me.anonymised_at, me.hides_matches, me.user) == (LATER, LATER, True, None)


def test_a_second_time_changes_nothing(me):
    anonymise_player(me, now=LATER)
    key = Player.objects.get(pk=me.pk).key
    anonymise_player(me, now=LATER + dt.timedelta(days=1))
    again = Player.objects.get(pk=me.pk)
    assert (again.key, again.anonymised_at) == (key, LATER)


def ledger() -> list[list[dict]]:
    """Every row that ratings are made of."""
    changes = list(Change.objects.order_by("pk").values())
    names = [field.name for field in Rating._meta.fields if field.name not in ("to_publish",)]
    parts = list(Participation.objects.order_by("pk").values("match", "player", "team", "slot", "seconds", "stats"))
    return [changes, list(Rating.objects.order_by("pk").values(*names)), parts]


def test_the_ledger_stays_exact(me):
    before = ledger()
    anonymise_player(me, now=LATER)
    assert ledger() == before
    OutboxEntry.objects.all().delete()
    publish(Mode.objects.get(), now=LATER)
    assert list(violations(LATER)) == []
    assert not Rating.objects.get(player=me).listed


def test_parties_stay_together(me):
    anonymise_player(me, now=LATER)
    parties = Participation.objects.exclude(party="").values_list("match", "player__key", "party")
    by_match: dict[int, set[str]] = {}
    for match, _, party in parties:
        by_match.setdefault(match, set()).add(party)
    assert [len(names) for names in by_match.values()] == [1, 1, 1]
    assert len(parties) == 6


def test_a_result_sent_again_is_known_and_names_the_former_player(me):
    anonymise_player(me, now=LATER)
    recorded = record_result(report(1), source=make_source(), now=LATER)
    assert recorded.state == KNOWN
    assert next(part.player.name for part in recorded.record.parts).startswith("Former player ")
    assert record_result(report(1, server="x"), source=make_source(), now=LATER).state == CONFLICT
    assert places_of(NAME, KEY) == set()


def test_a_new_result_with_the_old_key_makes_a_new_player(me):
    anonymise_player(me, now=LATER)
    assert record_result(report(9), source=make_source(), now=LATER, elsewhere=True).state == RATED
    new = Player.objects.get(key=KEY)
    assert (new.pk != me.pk, new.name, new.user, Change.objects.filter(player=new).count()) == (True, NAME, None, 1)


def test_a_token_ends(me):
    token = make_token(me)
    anonymise_player(me, now=LATER)
    assert find_bearer(token) is None


def test_the_login_goes_unless_it_is_staff(me):
    User.objects.filter(username="gruen").update(is_staff=True)
    anonymise_player(me, now=LATER)
    assert [user.username for user in User.objects.order_by("username")] == ["boss", "gruen"]
    assert Player.objects.get(pk=me.pk).user is None


FORGOTTEN: list[str] = []


def forget(player: Player) -> None:
    FORGOTTEN.append(player.name)


def test_other_apps_forget_too(me, settings):
    settings.ERASERS = [f"{__name__}.forget"]
    anonymise_player(me, now=LATER)
    assert [me.name] == FORGOTTEN


@pytest.mark.parametrize("number", [1, 3])
def test_as_many_queries_for_any_number_of_matches(django_assert_num_queries, number):
    make_mode()
    for index in range(number):
        record_result(report(index), source=make_source(), now=NOW, elsewhere=True)
    ContentType.objects.get_for_models(Player, User)
    player = Player.objects.get(key=KEY)
    with django_assert_num_queries(89 if connection.vendor == "postgresql" else 87):  # PostgreSQL locks modes
        anonymise_player(player, now=LATER)


def test_every_text_of_the_ledger_is_looked_through():
    """A new column for texts argues here for its place: cleaned by `leave`, or without anybody's name."""
    kinds = (models.CharField, models.TextField, models.JSONField)
    found = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("ranking").get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, kinds) and not field.choices and model.__name__ in ("Match", "Participation", "Player")
    }
    cleaned = {"Match.teams", "Match.links", "Match.variant", "Match.server", "Match.lobby", "Participation.party"}
    cleaned |= {f"Player.{name}" for name in ("avatar", "key", "name", "locked_name", "search_name", "skeleton")}
    nameless = {"Match.external_id", "Match.digest", "Match.region", "Match.uncounted"}
    nameless |= {"Participation.absences", "Participation.stats"}
    assert found == cleaned | nameless


def test_a_result_on_its_way_does_not_bring_the_name_back(me):
    read_before = Player.objects.get(pk=me.pk)
    anonymise_player(me, now=LATER)
    rename_players({read_before.pk: ReportedName(NAME, LATER)}, LATER)
    assert places_of(NAME, KEY) == set()


def test_acts_on_others_saved_filters_and_the_admins_log_name_them_no_more(me):
    boss, mate = User.objects.get_or_create(username="boss", is_staff=True)[0], Player.objects.get(key="mate")
    said = {"by": boss, "reason": f"{NAME.upper()} again.", "now": NOW}
    (note,) = add_notes([mate], text=f"See {KEY}.", by=boss, now=NOW)
    withdraw_notes([note.pk], **said)
    match = Match.objects.get(external_id="m1")
    cases = {
        other.pk: report_player(match, player, other, reason="words", now=NOW).case
        for player, other in ((me, mate), (mate, me))
    }
    for act in ({"uphold": True}, {"uphold": False}):
        review_cases({cases[mate.pk].pk: 1}, **act, **said)
        reopen_cases([cases[mate.pk].pk], **said)
    elsewhere = record(["one"], ["two"]).record.match
    one, two = (Player.objects.get(key=key) for key in ("one", "two"))
    case = report_player(elsewhere, one, two, reason="words", text=f"Worse than {NAME}.", now=NOW).case
    review_cases({case.pk: 1}, uphold=True, **said)
    log(cases[me.pk])
    gone = Finding(pk=99, kind="boosting", player=mate, other=me)
    log(gone)
    searches = {f"{NAME} watch": "q=x", "Theirs": urlencode({"q": NAME}), "By key": f"player={KEY}", "Mates": "q=mate"}
    for place, (name, query) in enumerate(searches.items(), 1):
        SavedFilter.objects.create(owner=boss, list="ranking.incident", place=place, name=name, query=query)
    anonymise_player(me, now=LATER)
    me.refresh_from_db()
    assert places_of(NAME, KEY, urlencode({"q": NAME})) == set()
    lines = AuditEntry.objects.filter(player=mate).exclude(act="add note").order_by("pk")
    acts = ["withdraw note", "uphold reports", "reopen reports", "dismiss reports", "reopen reports"]
    assert list(lines.values_list("act", "reason")) == [(act, f"{me.name} again.") for act in acts]
    logged = LogEntry.objects.order_by("-pk").values_list("object_repr", flat=True)[:2]
    assert list(logged) == [f"Boosting: mate and {me.name}", me.name]
    assert list(SavedFilter.objects.values_list("name", flat=True)) == ["Mates"]


@pytest.mark.parametrize(
    ("name", "text", "narrows"),
    [
        ("Kestrel", "KESTREL lied.", True),
        ("Kestrel", "\u212ae\u017ftrel lied.", True),  # the Kelvin sign and the long s
        ("Grün_100% \\o/", "GRÜN_100% \\O/!", True),
        ("Исидор", "исИДОР", False),
        ("\u24d0\u24d1", "\u24b6\u24b7", False),  # circled letters have a case, and are none
        ("狐の隼", "(狐の隼)", True),
        ("Iki", "ıkı", False),
    ],
)
def test_a_search_for_a_name_misses_no_text_and_reads_few(name, text, narrows):
    mode = make_mode()
    for reason in (text, "Nobody."):
        Rerating.objects.create(mode=mode, state=Rerating.DONE, reason=reason, requested_at=NOW)
    words = Words(Player(key=name, name=name))
    assert [words.are_in(text), words.are_in("Nobody.")] == [True, False]
    read = Rerating.objects.filter(words.may_be_in(["reason", "state"])).order_by("pk")
    assert list(read.values_list("reason", flat=True)) == [text] if narrows else [text, "Nobody."]


def test_a_player_of_many_accounts_is_searched_for_without_a_condition():
    assert Words(*(Player(key=f"b{number}", name=f"c{number}") for number in range(26))).may_be_in(["reason"]) == Q()


def test_nothing_of_conduct_names_them(me):
    given = ban_player(me, scope="both", by=None, reason=f"{NAME} cheats.", now=NOW)
    other = ban_player(me, scope="queue", by=None, reason="Again.", now=NOW)
    open_one = appeal_against(me, words=f"I, {NAME}, never did.", now=NOW, ban=given.pk)
    decided = appeal_against(me, words="Nor then.", now=NOW, ban=other.pk)
    decide_appeals([decided.pk], grant=False, by=None, reason=f"You did, {KEY}!", now=NOW)
    LogEntry.objects.create(
        user=User.objects.create_superuser("other boss"), content_type=ContentType.objects.get_for_model(given),
        object_id=str(given.pk), object_repr=str(given), action_flag=CHANGE, change_message="Banned",
    )  # fmt: skip
    anonymise_player(me, now=LATER)
    told = Player.objects.get(pk=me.pk).name
    given.refresh_from_db()
    assert given.reason == f"{told} cheats."
    assert given.runs(LATER)
    appeals = Appeal.objects.order_by("pk").values_list("words", "decision", "answer")
    assert list(appeals) == [
        ("Their player has left.", "withdrawn", "Their player has left."),
        ("Their player has left.", "confirmed", f"You did, {told}!"),
    ]
    assert open_one.pk is not None
    texts = [str(value) for model in (Ban, Appeal, AuditEntry, LogEntry) for row in model.objects.values()
             for value in row.values()]  # fmt: skip
    assert [text for text in texts if NAME in text or KEY in text] == []
