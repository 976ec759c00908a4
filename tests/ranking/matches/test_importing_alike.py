"""`manage.py import_matches` skips and names lines that are alike to a recorded match, or to one before them."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from ranking.models import Match
from ranking.moderation.voids import void
from tests.support.api import make_key, post_match
from tests.support.factories import NOW, make_mode

pytestmark = pytest.mark.django_db(transaction=True)
HEAD = "same mode, players by team, start and end as another result (without a start: end and scores)."


def line(number, **more):
    return {
        "id": f"m{number}", "mode": "duel", "ended_at": f"2026-05-06T18:{number:02}:00Z",
        "teams": [{"score": 4, "players": [{"id": "a"}]}, {"score": 8, "players": [{"id": f"b{number}"}]}], **more,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def _duel(transactional_db):
    make_mode()


@pytest.fixture
def run(tmp_path):
    def run(*lines, **options):
        path, out = tmp_path / "matches.jsonl", StringIO()
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        call_command("import_matches", str(path), stdout=out, **options)
        return out.getvalue().replace(f"{path}, ", "")

    return run


def ids():
    return list(Match.objects.order_by("pk").values_list("source__slug", "external_id"))


def test_what_the_api_recorded_is_skipped_counted_and_named(run):
    lines = [line(number) for number in range(1, 8)]
    for sent in lines[:6]:
        assert post_match(sent, key=make_key(source="live")).status == 201
    numbers = list(Match.objects.order_by("pk").values_list("pk", flat=True))
    said = run(*lines)
    assert said.splitlines() == [
        "1 rated, 0 known already, 0 in conflict, 0 refused.",
        f"6 skipped: {HEAD} --keep-alike rates them.",
        *(f"    line {n}: like match {pk}, 'm{n}' of live" for n, pk in zip(range(1, 6), numbers, strict=False)),
        "    and 1 more",
    ]
    assert ids()[6:] == [("import", "m7")]


def test_they_are_rated_if_they_are_to_be_kept(run):
    post_match(line(1), key=make_key(source="live"))
    assert run(line(1), keep_alike=True) == "1 rated, 0 known already, 0 in conflict, 0 refused.\n"
    assert run(line(1)) == "0 rated, 1 known already, 0 in conflict, 0 refused.\n"


def test_lines_of_one_file_too(run):
    said = run(line(1), line(1, id="again"), line(1, id="third"), line(2))
    assert said.splitlines()[2:] == ["    line 2: like 'm1' in this import", "    line 3: like 'm1' in this import"]
    assert ids() == [("import", "m1"), ("import", "m2")]
    said = run(line(1), line(1, id="again"), line(1), line(2))
    assert said.splitlines()[0] == "0 rated, 3 known already, 0 in conflict, 0 refused."
    assert said.splitlines()[1].startswith("1 skipped: ")


def test_in_different_batches(run):
    lines = [line(number % 60, id=f"m{number}") for number in range(120)]
    said = run(*lines)
    assert said.splitlines()[0] == "60 rated, 0 known already, 0 in conflict, 0 refused."
    assert (Match.objects.count(), said.splitlines()[1][:11]) == (60, "60 skipped:")


def test_a_void_match_keeps_nothing_out(run):
    post_match(line(1), key=make_key(source="live"))
    void([Match.objects.get()], by=None, reason="A test.", now=NOW)
    assert run(line(1)) == "1 rated, 0 known already, 0 in conflict, 0 refused.\n"


def test_a_conflict_is_still_one(run, capsys):
    run(line(1))
    with pytest.raises(Exception, match="Some lines were not imported"):
        run(line(1, rounds=3))
    assert "line 1: another result is recorded under this id" in capsys.readouterr().err
