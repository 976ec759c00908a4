"""No result is refused for a name that the site forbids: it is rated, and the name isn't taken over."""

import datetime as dt
from pathlib import Path

import pytest
from django.utils import timezone

from config.checks import check_forbidden_names
from ranking.models import Player, Rating
from ranking.moderation.renaming import RenameRefused, rename_player, undo_renamings
from ranking.players.players import ensure_named, ensure_player
from ranking.rules.names import neutral_name
from ranking.rules.report import PlayerReport
from tests.support.acts_by_api import make_author
from tests.support.api import call, make_key
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
BAD = "The Rat"


@pytest.fixture
def words(settings, tmp_path: Path) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("rat\n", encoding="utf-8")
    settings.FORBIDDEN_NAMES = str(path)
    return path


@pytest.mark.usefixtures("words")
def test_a_newcomer_gets_a_neutral_name_and_others_keep_theirs():
    make_mode()
    record([PlayerReport(id="a", name=BAD)], [PlayerReport(id="rat")])
    record([PlayerReport(id="a", name="Ann")], ["b"], ended_at=NOW + dt.timedelta(minutes=1))
    record([PlayerReport(id="a", name=BAD)], ["b"], ended_at=NOW + dt.timedelta(minutes=2))
    names = dict(Player.objects.values_list("key", "name"))
    assert names == {"a": "Ann", "b": "b", "rat": neutral_name("rat")}
    assert Rating.objects.get(player__key="a").matches == 3
    assert ensure_player("c", BAD, NOW).name == neutral_name("c")
    assert Player.objects.get(pk=ensure_named({"d": BAD}, NOW)["d"]).name == neutral_name("d")


@pytest.mark.usefixtures("words")
def test_the_answer_says_so():
    make_mode()
    teams = [{"score": 2, "players": [{"id": "a", "name": BAD}]}, {"score": 1, "players": [{"id": "b", "name": "B"}]}]
    body = {"id": "m1", "mode": "duel", "ended_at": (timezone.now() - dt.timedelta(minutes=1)).isoformat()}
    for status in (201, 200):
        answer = call("POST", "matches/", {**body, "teams": teams}, key=make_key("results"))
        assert answer.status == status
        assert answer.body["notes"] == [
            f"The name sent for 'a' holds a word that this site forbids: they are named {neutral_name('a')!r}."
        ]


def test_a_moderator_gives_no_such_name(words: Path, settings):
    make_mode()
    settings.FORBIDDEN_NAMES = ""
    record([PlayerReport(id="a", name=BAD)], ["b"])
    player = Player.objects.get(key="a")
    act = {"by": None, "reason": "x", "now": NOW}
    rename_player([player.pk], name="Ann", **act)
    settings.FORBIDDEN_NAMES = str(words)
    with pytest.raises(RenameRefused, match="This site forbids names with 'rat'"):
        rename_player([player.pk], name="rat king", **act)
    with pytest.raises(RenameRefused, match="This site forbids names with 'rat'"):
        undo_renamings([player.pk], **act)
    make_author("moderator", "mod")
    body = {"author": "mod", "reason": "x", "name": "rat king"}
    answer = call("POST", "players/a/rename/", body, key=make_key("moderate"))
    assert (answer.status, answer.fields) == (400, ["name"])
    assert Player.objects.get(key="a").name == "Ann"


def test_a_file_that_an_editor_of_windows_has_written(settings, tmp_path: Path):
    path = tmp_path / "names.txt"
    path.write_bytes("\ufeffrat\r\nfox\r\n".encode())
    settings.FORBIDDEN_NAMES = str(path)
    assert check_forbidden_names(None) == []
    names = [ensure_player(f"p{number}", name, NOW).name for number, name in enumerate(("Rat", "Fox", "Cat"))]
    assert [name for name in names if not name.startswith("Player ")] == ["Cat"]


def test_the_site_does_not_start_with_a_file_that_cannot_be_read(settings, tmp_path: Path, caplog, subtests):
    for name, content, fault in [
        ("missing", None, "can't be read (No such file or directory)."),
        ("latin", b"\xff\xfe", "isn't text in UTF-8."),
        ("star", b"fine\n*\n", "line 2: '*' has no letter or digit."),
        ("fine", b"fine\n", ""),
    ]:
        with subtests.test(name=name):
            path = tmp_path / name
            if content is not None:
                path.write_bytes(content)
            settings.FORBIDDEN_NAMES = str(path)
            messages = check_forbidden_names(None)
            assert [(message.id, fault in message.msg) for message in messages] == [("rungs.E007", True)] * bool(fault)
            assert ensure_player(f"p-{name}", "Somebody", NOW).name == "Somebody"
    assert len([line for line in caplog.records if "Forbidden words" in line.message]) == 3
