"""`manage.py import_matches`: files through the same door, resumable, each bad line by its number."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ranking.matches import invariants
from ranking.models import Change, Forfeit, Match, Mode, Rating, Snapshot
from tests.support.factories import make_mode
from tests.support.paths import SHARED

DATA = SHARED / "data"


def line(number: int, **more: object) -> dict[str, object]:
    return {
        "id": f"m{number}", "mode": "duel", "ended_at": f"2004-08-06T18:{number:02}:00Z",
        "teams": [{"score": 4, "players": [{"id": "a"}]}, {"score": 8, "players": [{"id": f"b{number}"}]}], **more,
    }  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(*lines: object) -> Path:
        path = tmp_path / "matches.jsonl"
        path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines))
        return path

    return write


def run(*arguments: object, **options: object) -> str:
    out = StringIO()
    call_command("import_matches", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
class TestImport:
    def test_makes_the_mode_in_the_files_shape_and_publishes(self, write):
        path = write(line(1), line(2))
        said = run(path, create_mode="elo", shift_to_now=True)
        mode = Mode.objects.get()
        assert said.splitlines() == [
            "Made the mode duel: 2 teams of 1 player.",
            "2 rated, 0 known already, 0 in conflict, 0 refused.",
        ]
        assert (mode.team_count, mode.team_size_min, mode.team_size_max) == (2, 1, 1)
        assert Snapshot.objects.count() == 1
        assert abs((Match.objects.latest("ended_at").ended_at - timezone.now()).total_seconds()) < 60

    def test_without_shift_times_stay(self, write):
        run(write(line(1)), create_mode="elo")
        assert Match.objects.get().ended_at.isoformat() == "2004-08-06T18:01:00+00:00"

    def test_a_second_import_changes_nothing(self, write):
        path = write(line(1), line(2))
        run(path, create_mode="elo", shift_to_now=True)
        before = list(Change.objects.values()), list(Match.objects.values())
        said = run(path, create_mode="elo", shift_to_now=True)
        assert said == "0 rated, 2 known already, 0 in conflict, 0 refused.\n"
        assert (list(Change.objects.values()), list(Match.objects.values())) == before

    def test_matches_that_count_for_nothing_are_counted(self, write):
        gone = [{"id": "b9", "seconds": 0, "left_early": True}]
        walkover = [{"place": 1, "players": [{"id": "a"}]}, {"place": 2, "players": gone}]
        path = write(line(1), line(2, no_contest="Rain."), line(3, rated=False), line(4, teams=walkover))
        said = run(path, create_mode="elo")
        assert said.splitlines()[-1] == "1 rated, 3 counting for nothing, 0 known already, 0 in conflict, 0 refused."
        assert (Forfeit.objects.count(), list(invariants.violations(timezone.now()))) == (1, [])

    def test_goes_on_where_it_was_stopped(self, write):
        run(write(line(1)), create_mode="elo", shift_to_now=True)
        first = Match.objects.get().ended_at
        said = run(write(line(1), line(2)), shift_to_now=True)
        assert said == "1 rated, 1 known already, 0 in conflict, 0 refused.\n"
        assert (Match.objects.get(external_id="m2").ended_at - first).total_seconds() == 60

    @pytest.mark.parametrize("system", ["nonsense", ""])
    def test_an_unknown_system_is_refused_even_if_no_mode_has_to_be_made(self, write, system):
        make_mode()
        with pytest.raises(CommandError) as caught:
            run(write(line(1)), create_mode=system)
        assert caught.value.returncode == 2
        assert str(caught.value).startswith(f"There is no rating system {system!r}; choose one of team-ratio, ")
        assert (Match.objects.count(), Mode.objects.count()) == (0, 1)

    def test_bad_lines_are_named_and_do_not_stop_the_rest(self, write, capsys):
        path = write(line(1), "{", line(2, rounds=-1), "", line(3, mode="nowhere"), line(4), line(4, rounds=3))
        make_mode()
        with pytest.raises(CommandError) as caught:
            run(path)
        assert caught.value.returncode == 1
        complaints = [said.removeprefix(f"{path}, ") for said in capsys.readouterr().err.splitlines() if "line" in said]
        assert [said.split(":")[0] for said in complaints] == ["line 2", "line 3", "line 5", "line 7"]
        assert set(Match.objects.values_list("external_id", flat=True)) == {"m1", "m4"}

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"create_mode": "nonsense"}, "There is no rating system 'nonsense'"),
            ({"files": "/nowhere.jsonl"}, "/nowhere.jsonl: No such file or directory."),
        ],
    )
    def test_usage_errors_end_with_2(self, write, options, sentence):
        path = options.pop("files", write(line(1)))
        with pytest.raises(CommandError, match=sentence) as caught:
            run(path, **options)
        assert caught.value.returncode == 2
        assert not Mode.objects.exists()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("name", "system", "matches", "players"),
    [("halo2-large-team", "team-ratio", 600, 1468), ("halo2-head-to-head", "elo", 4028, 1319)],
)
def test_real_histories_are_rated_whole_and_once(name, system, matches, players):
    path = DATA / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} is not part of the product and not beside this checkout")
    run(path, create_mode=system, shift_to_now=True)
    assert (Match.objects.filter(event__isnull=False).count(), Rating.objects.count()) == (matches, players)
    assert list(invariants.violations(timezone.now())) == []
    placed = sum(rating.completed >= 10 for rating in Rating.objects.all())
    assert Snapshot.objects.latest("id").listed == placed > 100
    last = Change.objects.latest("id").pk
    assert f"{matches:,} known already" in run(path, create_mode=system, shift_to_now=True)
    assert Change.objects.latest("id").pk == last
