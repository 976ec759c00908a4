"""`manage.py import_matches` takes CSV and arrays, sorts by time, makes ids, and ends with what it saw."""

import json
import os
import threading
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ranking.matches import invariants
from ranking.models import Change, Match, Mode, Player, Source
from tests.support.factories import make_mode

pytestmark = pytest.mark.django_db(transaction=True)
HEAD = "player1,player2,score1,score2,date"
COUNTS = "{} rated, {} known already, 0 in conflict, {} refused."
DAYS = "A day and no time: {}. Within a day they keep the order of the file."
MADE = "No id: {}. They got one made from their content, by which a second import knows them."
UTC = "Times without an offset were taken as UTC, as no time zone was named (--timezone)."


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(text, *arguments, name="results.csv", **options):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        out = StringIO()
        call_command("import_matches", name, *arguments, stdout=out, **options)
        return out.getvalue().splitlines()

    return run


def report(number, *players, scores=(3, 1), **more):
    teams = [{"score": score, "players": [{"id": player}]} for player, score in zip(players, scores, strict=True)]
    return {"id": f"m{number}", "mode": "duel", "ended_at": f"2026-01-{number:02}T18:00:00Z", "teams": teams, **more}


def lines(*reports):
    return "".join(json.dumps(one) + "\n" for one in reports)


def history():
    """The scores in the order in which the matches were rated."""
    rows = Match.objects.exclude(event=None).order_by("event").values_list("ended_at", "teams")
    return [(ended_at.strftime("%Y-%m-%d %H:%M:%S"), [team["score"] for team in teams]) for ended_at, teams in rows]


def test_a_table_of_days_is_rated_in_order_and_once(run):
    text = f"{HEAD}\nann,bob,3,1,2026-01-31\nann,bob,3,1,2026-01-31\nbob,cid,2,0,1899-12-30\nann,cid,5,4,2026-01-31\n"
    said = run(text, mode="duel", create_mode="elo")
    notes = [UTC, DAYS.format(4), MADE.format(4)]
    assert said == ["Made the mode duel: 2 teams of 1 player.", COUNTS.format(4, 0, 0), *notes]
    assert history() == [
        ("1899-12-30 00:00:00", [2, 0]),
        ("2026-01-31 00:00:00", [3, 1]),
        ("2026-01-31 00:00:01", [3, 1]),
        ("2026-01-31 00:00:02", [5, 4]),
    ]
    assert not Match.objects.filter(late=True).exists()
    before = list(Change.objects.values()), list(Match.objects.values())
    assert run(text, mode="duel") == [COUNTS.format(0, 4, 0), *notes]
    grown = run(f"{text}cid,ann,1,0,2026-01-31\n", mode="duel")
    assert grown[0] == COUNTS.format(1, 4, 0)
    assert (list(Change.objects.values())[:8], list(Match.objects.values())[:4]) == before
    assert list(invariants.violations(timezone.now())) == []


def test_a_result_in_two_files_of_days_counts_once(run, tmp_path):
    make_mode()
    ann, bob, cid = (f"{name},dan,3,1,2026-01-31\n" for name in ("ann", "bob", "cid"))
    (tmp_path / "february.csv").write_text(f"{HEAD}\n{bob}{bob}{bob}{cid}")
    said = run(f"{HEAD}\n{ann}{bob}{bob}", "february.csv", mode="duel")
    assert said[0] == COUNTS.format(5, 2, 0)
    assert Match.objects.filter(participations__player__key="bob").count() == 3


def test_a_pipe_is_a_file(run, tmp_path):
    make_mode()
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=(tmp_path / "pipe").write_text, args=[f"{HEAD}\nann,bob,3,1,2026-01-31\n"])
    writing.start()
    out = StringIO()
    call_command("import_matches", "pipe", mode="duel", stdout=out)
    writing.join()
    assert out.getvalue().splitlines()[0] == COUNTS.format(1, 0, 0)


def test_the_newest_first(run):
    make_mode()
    text = f"{HEAD}\nann,bob,3,3,2026-01-31\nann,bob,2,2,2026-01-31\nann,bob,1,1,2026-01-30\n"
    assert run(text, mode="duel")[1] == "Draws: 3."
    assert [scores for _, scores in history()] == [[1, 1], [2, 2], [3, 3]]
    newer = text.replace(f"{HEAD}\n", f"{HEAD}\nann,bob,4,4,2026-01-31\n")
    assert run(newer, mode="duel")[0] == COUNTS.format(1, 3, 0)
    assert [scores for _, scores in history()] == [[1, 1], [2, 2], [3, 3], [4, 4]]


def test_what_is_late_is_counted_and_the_cure_named(run):
    make_mode()
    run(lines(report(5, "ann", "bob")))
    said = run(lines(report(6, "ann", "bob"), report(4, "ann", "cid"), report(3, "ann", "dan")))
    cure = "To rate all in the order of time: manage.py rerate duel --chronological."
    assert said == [
        COUNTS.format(3, 0, 0),
        f"Late in duel: 2, as they ended before a match that was rated already. {cure}",
    ]


def test_who_was_in_two_matches_at_once_is_counted(run):
    make_mode()
    rows = [("ann", "bob", 0, 30), ("ann", "cid", 20, 50), ("bob", "cid", 30, 60), ("dan", "eve", 0, 60),
            ("dan", "fay", 10, 70), ("gus", "hal", 60, 90)]  # fmt: skip
    reports = [
        report(1, first, second, id=f"m{number}", started_at=f"2026-01-01T18:{start:02}:00Z", duration=None)
        | {"ended_at": f"2026-01-01T{18 + end // 60}:{end % 60:02}:00Z"}
        for number, (first, second, start, end) in enumerate(rows)
    ]
    reports[5]["started_at"] = "2026-01-01T19:00:00Z"
    called_off = report(1, "gus", "hal", id="off", started_at="2026-01-01T18:50:00Z", no_contest="x")
    called_off["ended_at"] = "2026-01-01T19:20:00Z"
    sentence = (
        "In two matches at once: 3 players, first 'ann' (results.csv, line 1; results.csv, line 2). One of two such"
        " matches may never have been played."
    )
    assert run(lines(*reports, called_off))[1:] == [sentence]
    assert run(lines(*reports, called_off))[1:] == [sentence]


def test_what_it_saw(run):
    make_mode()
    reports = [
        report(1, "ann", "Unknown"),
        report(2, "ann", "-1", scores=(0, -1)),
        report(3, "ann", "Unknown", scores=(1, 1)),
        report(4, "ann", "bob ", name=None),
    ]
    del reports[3]["name"]
    reports[0]["teams"][0]["players"][0]["name"] = ""
    with pytest.raises(CommandError, match="Some lines were not imported"):
        run(lines(*reports))
    said = run(lines(*reports, report(4, "ann", "bob ")), trim=True)
    assert said == [
        COUNTS.format(1, 4, 0),
        "Negative scores: 1, first in results.csv, line 2. Some sites write disqualifications so, and here they count"
        " as played. Send them as walkovers: seconds 0 and left_early.",
        "Ids that usually mean nobody: 'Unknown' (2), '-1' (1), first in results.csv, line 1. Each is one player with a"
        " rating; leave these matches out, or give a stranger an id of the match only.",
    ]
    assert set(Player.objects.values_list("key", flat=True)) == {"ann", "Unknown", "-1", "bob"}


def test_trimming_is_offered(run, capsys):
    make_mode()
    out = StringIO()
    with pytest.raises(CommandError):
        run(lines(report(1, "ann", "bob"), report(2, "ann", "bob "), report(3, "a\u00adnn", "bob")), dry_run=False)
    assert capsys.readouterr().err.splitlines()[:2] == [
        "results.csv, line 2: teams[1].players[0].id: This can't begin or end with a space.",
        "results.csv, line 3: teams[0].players[0].id: This can't hold the character U+00AD.",
    ]
    with pytest.raises(CommandError):
        call_command("import_matches", "results.csv", stdout=out)
    assert out.getvalue().splitlines() == [
        COUNTS.format(0, 1, 2),
        "Refused only for spaces at the ends of ids or invisible characters: 2. Trim them (--trim).",
    ]
    assert run(lines(report(2, "ann", "bob "), report(3, "a\u00adnn", "bob")), trim=True) == [COUNTS.format(2, 0, 0)]


def test_an_array_with_times_as_databases_print_them(run):
    make_mode()
    reports = [report(2, "ann", "bob", ended_at="2026-07-31 18:00"), report(1, "ann", "bob", ended_at=1769882400)]
    assert run(json.dumps(reports, indent=2), timezone="Europe/Berlin", name="x.json") == [COUNTS.format(2, 0, 0)]
    assert [moment for moment, _ in history()] == ["2026-01-31 18:00:00", "2026-07-31 16:00:00"]


def test_a_dry_run_writes_nothing(run):
    text = f"{HEAD},cup\nann,bob,3,1,31.01.2026,x\nann,bob,three,1,31.01.2026,x\n"
    assert run(text, mode="duel", date_format="%d.%m.%Y", timezone="Europe/Berlin", dry_run=True) == [
        "line 2: 2026-01-30 23:00:00  duel  ann [3] – bob [1]",
        "Results: 1, refused: 1. Nothing was written.",
        "duel: 2 teams of 1 player.",
        "results.csv: not used: 'cup'.",
        DAYS.format(1),
        MADE.format(1),
    ]
    assert [model.objects.count() for model in (Match, Mode, Source)] == [0, 0, 0]


def test_the_shape_of_a_mode_that_it_makes(run):
    reports = [report(1, "ann", "bob", id=f"m{n}", ended_at=f"2026-01-01T18:{n:02}:00Z") for n in range(40)]
    reports[7] = report(1, "ann", "bob", "cid", scores=(3, 2, 1), id="odd")
    reports[8]["teams"][1]["players"].append({"id": "dan"})
    said = run(lines(*reports), create_mode="elo")
    assert said[0] == (
        "Made the mode duel: 2 to 3 teams of 1 to 2 players; few results have 3 teams (1: results.csv, line 8), a team"
        " of 2 (1: results.csv, line 9)."
    )
    mode = Mode.objects.get()
    assert (mode.team_count_min, mode.team_count, mode.team_size_min, mode.team_size_max) == (2, 3, 1, 2)


def test_what_is_refused_whole_changes_nothing(run, subtests):
    day = f"{HEAD}\nann,bob,3,1,"
    for text, options, sentence in (
        ("", {}, "results.csv is empty. A line that works: {"),
        (b"PK\x03\x04", {}, "results.csv is an Excel workbook or another ZIP file; save its sheet as “CSV UTF-8”."),
        ('[Event "x"]\n', {}, "results.csv looks like PGN; docs/importing.md has recipes."),
        ("hello\nworld\n", {"mode": "duel"}, "results.csv has the columns 'hello', none of which says who"),
        (f"{day}2026-01-31", {}, "results.csv doesn't say in which mode its matches were played; name the mode"),
        (f"{day}1/2/2026", {"mode": "duel"}, "results.csv, line 2: ended_at: '1/2/2026' doesn't begin with the year;"),
        (f"{day}2026-01-31", {"mode": "Duel 1v1"}, "The mode 'Duel 1v1' can't be made: a slug has letters, digits,"),
        (f"{day}2026-01-31", {"mode": "duel", "columns": "day=date"}, "results.csv has no column 'day'; its columns"),
        (f"{day}2026-01-31", {"mode": "duel", "columns": "day"}, "Columns are pairs such as date=ended_at,p1 points="),
        (f"{day}2026-01-31", {"mode": "duel", "timezone": "CETT"}, "There is no time zone 'CETT'; write one such as"),
        (f"{day}2026-01-31", {"mode": "duel", "date_format": "dd"}, "'dd' isn't a date format: it needs day, month"),
        (f"{day}2026-01-31\nann,\xfcbob".encode("latin-1"), {"mode": "duel"}, "results.csv, line 3: this isn't UTF-8"),
        ("[]", {}, "Nothing was imported: no line is a result."),
        (f"{day}1499-01-31", {"mode": "duel"}, "Nothing was imported: no line is a result."),
        ('[{"a": 1}]', {}, "results.csv is JSON, but not of results: its first object has 'a';"),
        (lines(report(1, "ann", "bob")) + "{" * 1_000_010, {"create_mode": "chess"}, "There is no rating system"),
    ):  # fmt: skip
        with subtests.test(sentence), pytest.raises(CommandError) as caught:
            run(text, **{"create_mode": "elo", **options})
        assert str(caught.value).startswith(sentence)
    assert [model.objects.count() for model in (Match, Mode, Source)] == [0, 0, 0]


def test_years_from_1500_on(run, capsys):
    make_mode()
    with pytest.raises(CommandError):
        run(f"{HEAD}\nann,bob,3,1,1500-01-01\nann,bob,3,1,1499-12-31\n", mode="duel")
    assert history() == [("1500-01-01 00:00:00", [3, 1])]
    assert capsys.readouterr().err == "results.csv, line 3: ended_at: The year must be from 1500 to 8999.\n"


def test_of_many_bad_lines_the_first_are_listed(run, capsys):
    make_mode()
    with pytest.raises(CommandError):
        run(lines(report(1, "ann", "bob"), *[report(2, "ann", "ann")] * 30))
    said = capsys.readouterr().err.splitlines()
    assert (len(said), said[0][:22], said[-1]) == (21, "results.csv, line 2: t", "and more, which aren't listed")
