"""Bringing ratings along in the admin: the preview, the act, and taking back."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from ranking.models import AuditEntry, Rating, Seed
from ranking.systems.libraries import LIBRARIES
from tests.support.factories import make_mode
from tests.support.refusing_databases import deadlocks
from tests.support.servers import SCALED

pytestmark = pytest.mark.django_db
FILE = "fox,Fox,40,,7\nowl,<b>Owl</b>,30\n"


@pytest.fixture
def mode():
    return make_mode()


def send(boss, mode, text="", **more):
    """POST a file; `more`: other fields, and the button."""
    files = {"file": SimpleUploadedFile("ladder.csv", text.encode())} if text else {}
    fields = {"reason": "We move here.", "lines": "", **more, **files}
    return boss.post(reverse("admin:ranking_mode_import_ratings", args=[mode.pk]), fields)


def text_of(answer):
    return " ".join(answer.content.decode().split())


def displays():
    return dict(Rating.objects.values_list("player__key", "display_hundredths"))


def test_the_preview_writes_nothing_and_carries_the_file(boss, mode):
    page = send(boss, mode, FILE, preview="x")
    text = text_of(page)
    assert "2 ratings will be" in text
    assert '<td>1</td><th scope="row">fox</th><td>Fox</td><td>40.00</td><td>7</td>' in text
    assert "<b>Owl" not in text
    assert page.context["form"]["lines"].value() == FILE
    assert Seed.objects.count() == 0


def test_what_was_previewed_is_written_and_taken_back(boss, mode):
    assert send(boss, mode, lines=FILE, placed="on", write="x").status_code == 302
    assert displays() == {"fox": 40_00, "owl": 30_00}
    assert send(boss, mode, lines=FILE, undo="x").status_code == 302
    assert (displays(), Seed.objects.count()) == ({"fox": 25_00, "owl": 25_00}, 0)
    acts = AuditEntry.objects.order_by("pk").values_list("act", "who", "subject", "reason")
    assert list(acts) == [
        ("seed", "boss", "duel: 2 ratings, lines 1 to 2", "We move here."),
        ("take back seeds", "boss", "duel: 2 ratings", "We move here."),
    ]


def test_a_file_with_a_bad_line_is_not_written(boss, mode):
    page = send(boss, mode, "fox,Fox,40\nowl,,many\n", write="x")
    assert re.search("Line 2: rating .*many", text_of(page))
    assert Seed.objects.count() == 0


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"reason": "", "lines": FILE}, "reason"),
        ({"lines": ""}, "file"),
        ({"lines": "\n" * 5_001}, "file"),
        ({"lines": FILE, "map": "cubic:1,2"}, "map"),
        ({"lines": FILE, "map": "linear:0,2"}, "map"),
        ({"lines": FILE, "library": "elo"}, "newcomer"),
        ({"lines": FILE, "library": "pong"}, "library"),
        ({"lines": FILE, "library": "openskill", "map": "linear:2,0"}, "library"),
        ({"lines": FILE, "map": "rank", "scale": "mean"}, "scale"),
    ],
)
def test_what_the_form_refuses(boss, mode, given, field):
    page = send(boss, mode, **given, write="x")
    assert (page.status_code, list(page.context["form"].errors)) == (200, [field])
    assert Seed.objects.count() == 0


@pytest.mark.skipif(not SCALED, reason="SQLite has no COPY.")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("times", "status", "seeds"), [(3, 302, 2), (4, 503, 0)])
def test_deadlocks_that_copy_meets(boss, mode, times, status, seeds):
    boss.raise_request_exception = False
    with deadlocks(Seed, times):
        assert send(boss, mode, lines=FILE, write="x").status_code == status
    assert Seed.objects.count() == seeds


def test_scales_are_translated(boss, mode):
    send(boss, mode, lines="fox,,1500\nowl,,1200\n", map="linear:0.02,-3", write="x")
    assert displays() == {"fox": 27_00, "owl": 21_00}


def test_a_librarys_numbers_are_previewed_with_its_note_and_written(boss):
    mode = make_mode(system="trueskill")
    given = {"lines": "player,skill[0],skill[1]\nfox,30,2.2\nnewt,500,8.33\n", "library": "npm-trueskill"}
    text = text_of(send(boss, mode, **given, preview="x"))
    assert LIBRARIES["npm-trueskill"].note in text
    assert '<th scope="row">fox</th><td></td><td>23.40</td>' in text
    assert send(boss, mode, **given, write="x").status_code == 302
    assert displays()["fox"] == 23_40


def test_a_file_that_may_mean_two_things_is_refused_until_the_scale_is_chosen(boss):
    mode = make_mode(system="trueskill")
    text = text_of(send(boss, mode, lines="fox,,30,2\n", write="x"))
    assert "Line 1: trueskill shows mu − 3·sigma, and the file has deviations" in text
    assert Seed.objects.count() == 0
    send(boss, mode, lines="fox,,30,2\n", scale="mean", write="x")
    assert displays() == {"fox": 24_00}
