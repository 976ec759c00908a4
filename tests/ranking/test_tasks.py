"""What beat starts, and the commands that do the same by hand."""

import datetime as dt
from io import StringIO

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from prometheus_client import REGISTRY

from config.celery import app
from config.management.commands import doctor
from config.management.commands.demo import PASSWORD
from leaderboards.announcing import note_played
from leaderboards.models import Watch
from leaderboards.tasks import tell_standings
from ranking import tasks
from ranking.abuse.complaints import report_player, review_cases
from ranking.models import ComplaintCase, DeviceUse, Event, Mode, Player, Rating, Snapshot
from ranking.rerating.reratings import request_rerating
from tests.support.factories import NOW, make_doubled, make_mode, record
from tests.support.seasons import break_off

pytestmark = pytest.mark.django_db


def run(name: str, *arguments: str, **options: object) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out, **options)
    return out.getvalue()


def test_every_entry_of_the_beat_table_is_a_task():
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_publishing_takes_every_mode(time_machine):
    time_machine.move_to(NOW)
    make_mode("duel")
    make_mode("squad")
    record(["a"], ["b"])
    record(["a"], ["b"], mode="squad")
    tasks.publish_standings()
    assert sorted(Snapshot.objects.values_list("mode__slug", "listed")) == [("duel", 2), ("squad", 2)]


@pytest.mark.parametrize(
    ("module", "work", "task"),
    [("publishing", "publish", "publish_standings"), ("reratings", "rerate", "rerate_modes"),
     ("search", "search", "report_abuse")],
)  # fmt: skip
def test_what_goes_wrong_with_one_mode_is_logged_and_the_others_have_their_turn(
    monkeypatch, caplog, module, work, task
):
    had = []

    def fail_first(mode, **_):
        had.append(mode.slug)
        if len(had) == 1:
            raise RuntimeError("broken")

    for slug in ("duel", "squad"):
        request_rerating(make_mode(slug), reason="test", now=NOW)
    monkeypatch.setattr(getattr(tasks, module), work, fail_first)
    getattr(tasks, task)()
    assert sorted(had) == ["duel", "squad"]
    assert [(had[0] in record.message, record.exc_info[1].args) for record in caplog.records] == [(True, ("broken",))]


def test_what_is_old_is_dropped_hourly_and_one_failure_keeps_nothing_else(monkeypatch, caplog, time_machine):
    """It is a job of its own: a search for abuse that runs out of time keeps nothing for longer."""
    assert app.conf.beat_schedule["drop-old-records"]["schedule"] == 3_600.0
    make_mode()
    match, player = record(["a"], ["b"]).record.match, Player.objects.get(key="a")
    DeviceUse.objects.create(match=match, player=player, digest="x", used_at=NOW)
    report_player(match, player, Player.objects.get(key="b"), reason="words", now=match.ended_at)
    review_cases({ComplaintCase.objects.get().pk: 1}, uphold=True, by=None, reason="x", now=NOW)

    def fail(now):
        raise RuntimeError("broken")

    fail.__name__ = "drop_old_answers"
    monkeypatch.setattr(tasks.idempotency, "drop_old_answers", fail)
    time_machine.move_to(NOW + dt.timedelta(days=1_000))
    tasks.drop_old()
    assert (DeviceUse.objects.count(), ComplaintCase.objects.count()) == (0, 0)
    assert "drop_old_answers failed." in caplog.text


def failures(job):
    return REGISTRY.get_sample_value("rungs_job_item_failures_total", {"step": job}) or 0


def test_a_mode_without_a_season_is_counted_and_the_others_are_published(time_machine, caplog):
    time_machine.move_to(NOW)
    for slug in ("broken", "duel", "squad"):
        record(["a"], ["b"], mode=make_mode(slug).slug)
    break_off("broken")
    before = failures("publish")
    tasks.publish_standings()
    assert set(Snapshot.objects.values_list("mode__slug", flat=True)) == {"duel", "squad"}
    assert ["boards of broken " in line.getMessage() for line in caplog.records] == [True]
    assert failures("publish") == before + 1


def test_a_mode_without_a_season_keeps_nobodys_news_back(time_machine):
    time_machine.move_to(NOW)
    for slug in ("broken", "duel"):
        record(["a"], ["b"], mode=make_mode(slug).slug)
    Player.objects.filter(key="a").update(user=User.objects.create_user("a"))
    note_played(list(Event.objects.filter(kind=Event.MATCH).values_list("pk", flat=True)), NOW)
    tasks.publish_standings()
    break_off("broken")
    before = failures("tell_standings")
    tell_standings()
    assert set(Watch.objects.values_list("rating__mode__slug", "pending")) == {("broken", True), ("duel", False)}
    assert failures("tell_standings") == before + 1


def test_a_task_out_of_time_ends(monkeypatch):
    def run_out_of_time(mode, **_):
        had.append(mode.slug)
        raise SoftTimeLimitExceeded

    had = []
    make_mode("duel")
    make_mode("squad")
    monkeypatch.setattr(tasks.publishing, "publish", run_out_of_time)
    with pytest.raises(SoftTimeLimitExceeded):
        tasks.publish_standings()
    assert len(had) == 1


def test_refresh_standings_publishes_one_mode_as_of_a_time():
    make_mode("duel")
    make_mode("squad")
    record(["a"], ["b"])
    assert run("refresh_standings", "duel", "--now", NOW.isoformat()) == "duel: 2 listed\n"
    later = (NOW + dt.timedelta(days=31)).isoformat()
    assert run("refresh_standings", "--now", later) == "duel: 0 listed\nsquad: 0 listed\n"
    assert not Rating.objects.filter(listed=True).exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["nowhere"], "There is no mode 'nowhere'."), (["--now", "soon"], "--now: 'soon' is no ISO 8601 time.")],
)
def test_refresh_standings_refuses_with_a_sentence(arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run("refresh_standings", *arguments)


@pytest.fixture
def as_deployed(settings, transactional_db, monkeypatch):
    """What tests switch off, as the profile has it. On SQLite that takes a new connection."""
    settings.SECURE_SSL_REDIRECT = settings.SCALED
    options = connection.settings_dict["OPTIONS"]
    if connection.vendor == "sqlite":
        waiting = options["init_command"].replace("synchronous=OFF", "synchronous=FULL")
        monkeypatch.setitem(options, "init_command", waiting)
    connection.close()
    yield
    connection.close()


def test_doctor_is_content_with_a_sound_installation(time_machine, as_deployed):
    time_machine.move_to(NOW)
    make_mode()
    record(["a"], ["b"])
    tasks.publish_standings()
    assert run("doctor") == "All is well.\n"


def test_doctor_names_doubled_matches_without_complaining(time_machine, as_deployed):
    time_machine.move_to(NOW)
    make_mode()
    first = record(["a"], ["b"]).record.match
    make_doubled(first)
    make_doubled(first, record(["a"], ["c"]).record.match)
    tasks.publish_standings()
    hint, well = run("doctor").splitlines()
    assert hint.startswith("1 group of alike matches and 1 pair of overlapping ones wait for a moderator")
    assert well == "All is well."


def test_doctor_ends_with_1_and_says_what_to_do(time_machine, as_deployed):
    time_machine.move_to(NOW)
    make_mode()
    record(["a"], ["b"])
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=out)
    assert ended.value.code == 1
    violation, cure, total = out.getvalue().splitlines()
    assert violation.startswith("board.missing: duel ")
    assert (cure.strip().partition(";")[0], total) == ("manage.py refresh_standings duel", "1 violation.")


@pytest.mark.parametrize(
    ("hosts", "password", "named"),
    [
        (["localhost", "[::1]"], PASSWORD, False),
        (["ranks.example"], PASSWORD, True),
        (["ranks.example"], "one of her own", False),
    ],
)
def test_doctor_names_the_demos_public_logins_on_a_site_that_others_reach(settings, hosts, password, named):
    settings.ALLOWED_HOSTS, settings.SCALED = hosts, False
    User.objects.create_superuser("admin", password=password)
    found = [violation for violation in doctor.data_violations() if violation.code == "database.demo"]
    assert bool(found) == named
    if named:
        assert "log in as admin:" in found[0].sentence
        assert found[0].cure.startswith("manage.py changepassword admin")


def test_create_key_prints_a_key_once_and_refuses_nonsense():
    make_mode()
    assert run("create_key", "servers", "--scope", "results", "--mode", "duel").startswith("rungs_")
    for arguments in (["bad source", "--scope", "results"], ["servers", "--scope", "results", "--mode", "nowhere"]):
        with pytest.raises(CommandError):
            run("create_key", *arguments)
    assert Mode.objects.get().keys.count() == 1
