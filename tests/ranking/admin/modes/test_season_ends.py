"""Ending a season in the admin: the preview, the form, and what it refuses."""

import datetime as dt
import re

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from ranking.models import AuditEntry, Mode, Season
from ranking.seasons.ending import end_season
from ranking.seasons.preview import preview_end
from ranking.standings.publishing import publish
from ranking.standings.snapshots import newest_table
from ranking.systems.base import KEEP, ResetRule
from tests.support.factories import make_mode, record
from tests.support.seasons import season_of

pytestmark = pytest.mark.usefixtures("mode")
HOUR = dt.timedelta(hours=1)
GOOD = {"reason": "The tournament is over.", "reset": "soft", "factor": "0.5", "next_name": "Winter", "ends_at": ""}


@pytest.fixture
def mode(_mode, db):
    """A mode whose season began five hours ago, with three listed players."""
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db):
    began = timezone.now() - 5 * HOUR
    mode = make_mode(now=began, time_zone="Europe/Berlin")
    for winner, loser in ("ab", "ac", "bc"):
        record([winner], [loser], ended_at=began + HOUR, now=began + HOUR)
    publish(mode, now=timezone.now())


def page(mode):
    return reverse("admin:ranking_mode_end_season", args=[mode.pk])


def text_of(answer):
    return " ".join(answer.content.decode().split())


def test_the_page_shows_what_the_end_will_do(boss, mode):
    text = text_of(boss.get(page(mode)))
    assert re.search(r"\b3 players are .*: a, b, c\.", text)
    asked = boss.post(page(mode), {**GOOD, "reset": "hard", "preview": "Show this reset"})
    rows = dict(asked.context["tables"])["The best"]
    assert [(name, after) for name, _, after, _ in rows] == [("a", "25.00"), ("b", "25.00"), ("c", "25.00")]
    assert season_of(mode).state == Season.RUNNING


def test_the_distribution_before_and_after_is_drawn_on_one_scale(boss, mode):
    answer = boss.get(page(mode))
    preview = answer.context["preview"]
    halves = [(2500 + value) // 2 for value, _ in preview.before.rows()]
    assert [value for value, _ in preview.after.rows()] == pytest.approx(halves, abs=1)
    assert text_of(answer).count('<svg class="histogram"') == 2
    assert len({drawing.partition("aria-label")[2][:40] for _, drawing in answer.context["drawings"]}) == 1
    hard = boss.post(page(mode), {**GOOD, "reset": "hard", "preview": "Show this reset"})
    assert hard.context["preview"].after.rows() == ((2500, 3),)


def test_it_says_who_is_listed_after_three_matches(boss, mode):
    wanted = {("soft", 1): "all 3 3", ("keep", 1): "all 3 3", ("hard", 1): "none 10", ("soft", 4): "none 4"}
    given = {}
    for reset, active in wanted:
        Mode.objects.update(placement_matches=10, placement_after_reset=3, activity_matches=active)
        text = text_of(boss.post(page(mode), {**GOOD, "reset": reset, "preview": "Show this reset"}))
        who, matches = re.search(r"three matches there, (.+?) of the players .*? it takes (\d+) matches", text).groups()
        given[reset, active] = f"{who} {matches}"
    assert given == wanted


def test_the_reward_file_can_be_tried(boss, mode):
    address = reverse("admin:ranking_season_standings", args=[season_of(mode).pk])
    assert f'href="{address}"' in text_of(boss.get(page(mode)))


def test_of_many_players_a_sample_is_drawn(mode):
    season = season_of(mode)
    whole, part = (preview_end(season, ResetRule(KEEP), sample=sample) for sample in (3, 2))
    assert (whole.sampled, whole.after == whole.before) == (False, True)
    assert (part.sampled, part.sample in (1, 2), len(part.after) == 2 * part.sample) == (True, True, True)


def test_the_preview_takes_as_many_queries_however_many_players(mode):
    """PostgreSQL copies the ratings to be reset, which counts as no query and which the usual assertion can't watch."""
    season, counts = season_of(mode), []

    def count(execute, *arguments):
        counts[-1] += 1
        return execute(*arguments)

    for number in (0, 20):
        for index in range(number):
            record([f"x{index}"], [f"y{index}"])
        publish(mode, now=timezone.now())
        newest_table(mode.pk, season.pk)
        counts.append(0)
        with connection.execute_wrapper(count):
            preview_end(season, season.rule)
    assert counts == [4 if connection.vendor == "postgresql" else 5] * 2


def test_the_next_season_has_its_name_in_several_languages(boss, mode):
    boss.post(page(mode), {**GOOD, "next_name_de": "Winterzeit", "skip_late": "on"})
    assert season_of(mode).next_names == {"de": "Winterzeit"}
    end_season(mode)
    season = season_of(mode)
    assert (season.name, season.names, season.next_names) == ("Winter", {"de": "Winterzeit"}, {})


def test_the_page_of_a_season_edits_nothing_but_its_names_by_language(boss, clerk, mode):
    season = season_of(mode)
    address = reverse("admin:ranking_season_change", args=[season.pk])
    assert boss.post(address, {"name_de": "Herbst", "name": "Autumn", "number": 7}).status_code == 302
    season.refresh_from_db()
    assert (season.name, season.number, season.names) == ("Season 1", 1, {"de": "Herbst"})
    assert boss.get(address).context["adminform"].form.fields["name_de"].initial == "Herbst"
    assert clerk.post(address, {"name_de": "Winter"}).status_code == 403
    season.refresh_from_db()
    assert season.names == {"de": "Herbst"}


def test_a_season_ends_with_a_reason(boss, mode):
    answer = boss.post(page(mode), {**GOOD, "skip_late": "on"}, follow=True)
    assert "Season 1 is over" in text_of(answer)
    season = season_of(mode)
    assert (season.state, season.late_until) == (Season.CLOSING, season.ends_at)
    assert (season.reset, season.reset_factor, season.next_name) == ("soft", 0.5, "Winter")
    [entry] = AuditEntry.objects.filter(act="end season")
    assert (entry.who, entry.reason) == ("boss", "The tournament is over.")
    assert LogEntry.objects.filter(change_message__contains="Season 1").exists()


def test_a_time_is_that_of_the_modes_time_zone(boss, mode):
    boss.post(page(mode), {**GOOD, "ends_at": "2099-07-01 18:00"})
    assert season_of(mode).ends_at == dt.datetime(2099, 7, 1, 16, tzinfo=dt.UTC)
    assert season_of(mode).state == Season.RUNNING


REFUSED = [
    ({"reason": ""}, "reason"),
    ({"reset": "none"}, "reset"),
    ({"factor": "1.5"}, "factor"),
    ({"factor": "nan"}, "factor"),
    ({"ends_at": "2001-01-01 00:00"}, "ends_at"),
    ({"ends_at": "soon"}, "ends_at"),
    ({"ends_at": "2099-07-01 18:00", "skip_late": "on"}, "ends_at"),
]


def test_what_makes_no_sense_is_refused_at_its_field(boss, mode):
    given = {}
    for change, _ in REFUSED:
        answer = boss.post(page(mode), {**GOOD, **change})
        given[str(change)] = ", ".join(answer.context["form"].errors)
        assert (answer.status_code, season_of(mode).state) == (200, Season.RUNNING), change
    assert given == {str(change): field for change, field in REFUSED}


def test_only_who_may_change_modes_ends_seasons(clerk, mode):
    assert [clerk.get(page(mode)).status_code, clerk.post(page(mode), GOOD).status_code] == [403, 403]


@pytest.mark.parametrize(("schedule", "ok"), [("weekly on Monday at 18:00", True), ("sometimes", False)])
def test_a_schedule_is_read_strictly(boss, mode, schedule, ok):
    from tests.ranking.admin.modes.test_modes import change

    answer = change(boss, mode, schedule=schedule)
    assert answer.status_code == (302 if ok else 200)
    assert (season_of(mode).ends_at is not None) is ok
