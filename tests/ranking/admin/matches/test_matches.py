"""A match's page tells what was sent and what it did to everybody."""

import datetime as dt
import re

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from ranking.models import Match
from tests.support.factories import NOW, record


def words(client, match):
    page = client.get(reverse("admin:ranking_match_change", args=[match.pk])).text
    return re.sub(r"\s+", " ", strip_tags(page))


def test_each_seat_before_and_after(world, boss):
    page = words(boss, Match.objects.get(external_id="first"))
    assert "Team 1 place 1" in page
    assert re.search(r"a win 25\.00 ▲ \+0\.26 25\.26 – → –", page), page
    assert re.search(r"b Left early 10 s 25\.00 ▼ −0\.26 24\.74 – → –", page), page


@pytest.mark.parametrize(("hours", "said"), [(1, "Rated "), (-1, "Rated late")])
def test_late_matches_say_so(world, boss, hours, said):
    match = record(["a"], ["b"], ended_at=NOW + dt.timedelta(hours=hours), now=NOW + dt.timedelta(hours=2)).record.match
    assert f"State: {said}" in words(boss, match)


def test_a_match_that_waits_has_no_changes_yet(world, boss):
    match = Match.objects.get(external_id="first")
    match.pk, match.external_id, match.event, match.season = None, "waiting", None, None
    match.save(force_insert=True)
    assert "Not rated yet" in words(boss, match)


def test_as_many_queries_for_many_players_as_for_two(world, boss, django_assert_num_queries):
    few = Match.objects.get(external_id="first")
    many = record([f"l{n}" for n in range(6)], [f"r{n}" for n in range(6)]).record.match
    boss.get(reverse("admin:ranking_match_change", args=[few.pk]))  # what each process asks for once is kept now
    for match in (few, many):
        with django_assert_num_queries(13):
            boss.get(reverse("admin:ranking_match_change", args=[match.pk]))
