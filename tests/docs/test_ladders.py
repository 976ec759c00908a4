"""docs/ladders.md: its files are brought along as its table says. What packages say: test_real_libraries.py."""

import re
from functools import partial
from io import StringIO
from math import exp, sqrt

import pytest
from django.core.management import CommandError, call_command

from ranking.models import Rating
from ranking.modes.parameters import current_parameters, system_of
from ranking.systems.base import Entrant
from ranking.systems.libraries import GLICKO, LIBRARIES, LOGISTIC
from tests.support.factories import make_mode
from tests.support.ladders_page import FILES, PAGE, moves, numbers_in
from tests.support.library_chances import chance_there

pytestmark = pytest.mark.django_db

SYSTEM_OF = {GLICKO: "glicko-2", LOGISTIC: "elo"}
PAIRS = ((1, 0), (2, 1), (2, 0))


@pytest.fixture
def file(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return lambda name: str(tmp_path / name)


def system_for(library):
    """The system of this site that keeps the library's numbers."""
    return SYSTEM_OF.get(library.kind) or ("trueskill" if "trueskill" in library.name else "weng-lin")


def after_move(library, file):
    """The cells of the library's row but those of before: file, mode, three ratings, three chances."""
    system, name = system_for(library), f"{library.kind}.csv"
    mode = make_mode(slug=library.name, system=system, team_size_max=1)
    newcomer = ["--newcomer", "1200"] if library.kind == LOGISTIC else []
    call_command("import_ratings", mode.slug, file(name), "--from", library.name, *newcomer, stdout=StringIO())
    rows = Rating.objects.filter(mode=mode).order_by("player__key")  # newcomer, regular, veteran
    rule = system_of(current_parameters(mode))
    skills = [rule.from_state(row.state) for row in rows]
    shown = [f"{rule.display(skill)}" for skill in skills]
    found = [rule.win_probability([[Entrant("a", skills[a])], [Entrant("b", skills[b])]])[0] for a, b in PAIRS]
    return [f"`{name}`", f"`{system}`", *shown, ", ".join(f"{chance:.3f}" for chance in found)]


def test_the_table_of_libraries(file):
    rows = moves()
    assert {name: [*cells[:5], cells[6]] for name, cells in rows.items()} == {
        name: after_move(library, file) for name, library in LIBRARIES.items()
    }
    for name, library in LIBRARIES.items():
        fields = ", ".join(f"`{field}`" for field in library.fields)
        assert f"| `{name}` | {fields} | {library.source} |" in PAGE
        assert not library.note or f"- `{name}`: {library.note}" in " ".join(PAGE.split())


def test_what_the_crate_says_before_is_its_formula():
    """The crate itself isn't run: the registry of Rust may be out of reach."""
    wrong = []
    for name, cells in moves().items():
        if name.startswith("skillratings-"):
            kind = LIBRARIES[name].kind
            chance = logistic_chance if name == "skillratings-weng-lin" else partial(chance_there, kind)
            players = numbers_in(f"{kind}.csv")
            found = ", ".join(f"{chance(players[first], players[second]):.3f}" for first, second in PAIRS)
            wrong += [(name, found)] if cells[5] != found else []
    assert wrong == []


def logistic_chance(first, second):
    """skillratings' expected_score of Weng–Lin: logistic, where c² = 2·beta² + s1² + s2²."""
    c = sqrt(2 * (25 / 6) ** 2 + first[1] ** 2 + second[1] ** 2)
    return 1 / (1 + exp((second[0] - first[0]) / c))


def test_a_mode_of_elo_may_keep_the_numbers(file):
    [(start, beta)] = re.findall(r"`start` (\d+) and `beta` ([\d.]+) shows the ratings as they were", PAGE)
    make_mode(system="elo", team_size_max=1, params={"start": float(start), "beta": float(beta)})
    call_command(
        "import_ratings", "duel", file("logistic.csv"), "--from", "elo", "--newcomer", start, stdout=StringIO()
    )
    shown = Rating.objects.order_by("player__key").values_list("display_hundredths", flat=True)
    assert list(shown) == [100 * rating for [rating] in numbers_in("logistic.csv")]


def test_the_preview_and_the_refusal(file, capsys):
    make_mode(system="weng-lin")
    out = StringIO()
    call_command("import_ratings", "duel", file("gaussian.csv"), "--from", "openskill", "--preview", stdout=out)
    assert (
        re.sub("^ {3}", "", re.findall(r"   ```\n(   line.*?)   ```", PAGE, re.DOTALL)[0], flags=re.M) == out.getvalue()
    )
    with pytest.raises(CommandError):
        call_command("import_ratings", "duel", file("gaussian.csv"))
    [sentence] = re.findall(r"^gaussian.csv, line 2: .*", PAGE, re.M)
    assert capsys.readouterr().err.strip().endswith(sentence)
    assert not Rating.objects.exists()
