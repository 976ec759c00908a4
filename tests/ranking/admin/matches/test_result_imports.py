"""Importing results in the admin: the preview of ten matches, the act, and what is refused."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from ranking.models import AuditEntry, Match, Mode, Source
from tests.support.factories import make_mode

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "admin:ranking_match_import"
HEAD = "player1,player2,score1,score2,date\n"
FILE = HEAD + "".join(f"ann,<b>bob,{number},1,2026-01-{number:02}\n" for number in range(12, 0, -1))


@pytest.fixture
def mode() -> Mode:
    return make_mode(slug="duel", team_size_max=1)


def send(boss: Client, row: Mode, text: str | bytes = "", **more: Any) -> Any:
    """POST a file; `more`: other fields, and the button."""
    data = text.encode() if isinstance(text, str) else text
    files = {"file": SimpleUploadedFile("club.csv", data)} if text else {}
    return boss.post(reverse(PAGE), {"mode": row.pk, "lines": "", "name": "club.csv", **files, **more})


def words(page: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.content.decode())).split())


def test_the_preview_shows_ten_and_writes_nothing(boss: Client, mode: Mode) -> None:
    page = send(boss, mode, FILE, preview="x")
    text = words(page)
    assert "12 results will be imported. Nothing is written yet." in text
    assert re.findall(r"(\d+) 2026-01-(\d\d) 00:00:00 duel ann \[(\d+)\] – <b>bob \[1\]", text) == [
        (str(14 - number), f"{number:02}", str(number)) for number in range(1, 11)
    ]
    assert "And 2 more." in text
    assert "<b>bob" not in page.content.decode()
    assert (page.context["form"]["lines"].value(), Match.objects.count()) == (FILE, 0)
    assert not Source.objects.exists()


def test_what_was_previewed_is_imported_once(boss: Client, mode: Mode) -> None:
    for said in ("12 rated, 0 known already, 0 in conflict, 0 refused.", "0 rated, 12 known already,"):
        answer = send(boss, mode, lines=FILE, write="x")
        assert answer.status_code == 302
        assert said in words(boss.get(answer["Location"]))
    ended = Match.objects.order_by("event").values_list("ended_at__day", flat=True)
    assert (list(ended), Match.objects.filter(late=True).count()) == (list(range(1, 13)), 0)
    acts = AuditEntry.objects.values_list("act", "who", "subject")
    assert list(acts) == [("add result", "boss", "12 results of club.csv")]


def test_what_a_browser_makes_of_a_large_file_with_a_long_name_is_imported(boss: Client, mode: Mode) -> None:
    head, row = HEAD.replace("\n", ",note\n"), "ann,bob,3,1,2026-01-01,"
    text = head + "".join(f"{row}{number:03}{'x' * 465}\n" for number in range(1_000))
    text += "\n" * (499_900 - len(text))
    file = SimpleUploadedFile("n" * 250, text.encode())
    page = boss.post(reverse(PAGE), {"mode": mode.pk, "lines": "", "name": "", "file": file, "preview": "x"})
    sent = {name: page.context["form"][name].value() for name in ("lines", "name")}
    sent["lines"] = sent["lines"].replace("\n", "\r\n")
    answer = boss.post(reverse(PAGE), {"mode": mode.pk, **sent, "preview": "x"})
    assert (answer.context["form"].errors, answer.context["preview"].good) == ({}, 1_000)


def test_options_are_those_of_the_command(boss: Client, mode: Mode) -> None:
    text = "Wann;wer;gegen;wie\n31.01.2026 18:00;ann;bob;2:1\n"
    options = {
        "columns": "wann=ended_at,wer=player1,gegen=player2,wie=result", "date_format": "%d.%m.%Y %H:%M",
        "timezone": "Europe/Berlin",
    }  # fmt: skip
    assert send(boss, mode, lines=text, write="x", **options).status_code == 302
    match = Match.objects.get()
    assert (match.ended_at.isoformat(), [team["score"] for team in match.teams]) == (
        "2026-01-31T17:00:00+00:00",
        [2, 1],
    )


def test_bad_lines_are_named_and_the_others_imported(boss: Client, mode: Mode) -> None:
    text = f"{HEAD}ann,bob,3,1,2026-01-31\nann,bob,x,1,2026-01-31\n"
    assert "club.csv, line 3: score1 is a number such as 3 or 2.5, not 'x'." in words(send(boss, mode, text))
    answer = send(boss, mode, lines=text, write="x")
    said = words(boss.get(answer["Location"]))
    assert "line 3: score1 is a number such as" in said
    assert Match.objects.count() == 1


def test_what_the_page_refuses(boss: Client, mode: Mode, subtests: pytest.Subtests) -> None:
    good = f"{HEAD}ann,bob,3,1,2026-01-31\n"
    for given, field, sentence in (
        ({}, "file", "Choose a file."),
        ({"text": " "}, "file", "club.csv is empty."),
        ({"text": b"PK\x03\x04"}, "file", "club.csv is an Excel workbook"),
        ({"text": b'{"mode":"duel","id":"\xe4"}'}, "file", "This isn't UTF-8 text; save the file in UTF-8."),
        ({"text": "x" * 500_001}, "file", "The file has over 500 kB; manage.py import_matches takes it."),
        ({"text": HEAD + "ann,bob,3,1,2026-01-31\n" * 1_001}, "file", "club.csv has more than 1,000 results;"),
        ({"lines": good, "mode": ""}, "file", "club.csv doesn't say in which mode its matches were played;"),
        ({"lines": "winner,loser,date,mode\nann,bob,2026-01-31,chess"}, "file", "There is no mode 'chess':"),
        ({"lines": good, "columns": "a"}, "columns", "Columns are pairs such as"),
        ({"text": good.replace("\n", "\r")}, "file", "club.csv has lines that end as on old Macs (CR alone);"),
        ({"text": good.replace(",date", f",date,{'x' * 140_000}")}, "file", "club.csv has headings that aren't CSV:"),
        ({"lines": good, "columns": "a\nb=date"}, "columns", "Columns are pairs such as"),
        ({"lines": good, "date_format": "%d.%m.%Y %I:%M"}, "date_format", "'%d.%m.%Y %I:%M' isn't a date format: %I"),
        ({"lines": good, "timezone": "Mars"}, "timezone", "There is no time zone 'Mars';"),
        ({"lines": good, "date_format": "%d"}, "date_format", "'%d' isn't a date format:"),
    ):  # fmt: skip
        with subtests.test(sentence):
            page = send(boss, mode, **{"write": "x", **given})
            errors = page.context["form"].errors
            assert (page.status_code, list(errors), errors[field][0][: len(sentence)]) == (200, [field], sentence)
    assert (Match.objects.count(), Source.objects.count()) == (0, 0)


def test_who_may(boss: Client, clerk: Client, mode: Mode) -> None:
    assert clerk.get(reverse(PAGE)).status_code == 403
    clerk_user = User.objects.get(username="clerk")
    clerk_user.user_permissions.add(*Permission.objects.filter(codename__in=["view_match", "add_match"]))
    assert clerk.get(reverse(PAGE)).status_code == 200
    assert "Import results…" in words(clerk.get(reverse("admin:ranking_match_changelist")))
