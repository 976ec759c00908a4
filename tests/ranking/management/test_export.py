"""`manage.py export players|conduct|boards`: what the database has. For results see tests/ranking/matches."""

import csv
import datetime as dt
import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from ranking.models import Ban, Incident, Player, PlayerWarning, Rating
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.conduct_facts import CONDUCT
from ranking.moderation.merges import merge_players
from ranking.moderation.notes import warn_players
from ranking.moderation.renaming import rename_player, unlock_names
from ranking.moderation.sanctions import extend_bans, hide_players, pardon_incidents
from ranking.moderation.undoing import reopen_appeals
from ranking.players.players import ReportedName, rename_players
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def text_of(*arguments, **options):
    out = StringIO()
    call_command("export", *arguments, stdout=out, **options)
    return out.getvalue()


def lines_of(*arguments):
    return [json.loads(line) for line in text_of(*arguments).splitlines()]


def player(key):
    return Player.objects.get(key=key)


class TestPlayers:
    def test_a_line_for_each(self):
        make_mode()
        then = NOW - DAY
        teams = [PlayerReport("a", name="Ann")], [PlayerReport("b", bot=True), "d"]
        record(*teams, region="eu", ended_at=then, now=then)
        rename_players({player("a").pk: ReportedName("Änne", NOW)}, NOW)
        hide_players([player("b").pk], by=None, reason="A bot.", now=NOW)
        Player.objects.create(key="c", name="Cid", search_name="cid", created_at=NOW)
        merge_players(player("a"), player("c"), by=None, reason="One person.", now=NOW)
        now, names = "2026-05-20T12:00:00Z", [("Ann", "2026-05-19T12:00:00Z")]
        names += [(name, now) for name in ("Änne", "Cid")]
        named = [{"name": name, "since": since, "taken_away": False} for name, since in names]
        plain = {"names": [], "merged_into": None, "bot": False, "hidden_at": None, "anonymised_at": None,
                 "regions": {}, "created_at": "2026-05-19T12:00:00Z"}  # fmt: skip
        a, b, d, c = lines_of("players")
        assert a == {**plain, "key": "a", "name": "Änne", "names": named, "regions": {"duel": "eu"}}
        assert b == {**plain, "key": "b", "name": "b", "bot": True, "hidden_at": now, "regions": {"duel": "eu"}}
        assert d == {**plain, "key": "d", "name": "d", "regions": {"duel": "eu"}}
        assert (c["key"], c["merged_into"], c["created_at"]) == ("c", "a", now)
        assert "Änne" in text_of("players")

    def test_as_many_queries_however_many(self, django_assert_num_queries):
        make_mode()
        for count in (1, 3):
            record([f"a{count}"], [f"b{count}"], region="eu")
            with django_assert_num_queries(3):
                lines = lines_of("players")
            assert len(lines) == Player.objects.count()


class TestConduct:
    def test_a_line_for_each_row_without_notes_and_names_of_moderators(self):
        mode = make_mode(now=NOW - DAY)
        moderator = User.objects.create_user("moderator")
        by = {"by": moderator, "now": NOW, "note": "A secret."}
        match = record(["a"], [PlayerReport("b", left_early=True)]).record.match
        b = player("b")
        incident, ban = Incident.objects.get(), ban_player(b, scope=Ban.QUEUE, ends_at=NOW + DAY, reason="Rude.", **by)
        pardon_incidents([incident.pk], reason="The server crashed.", **by)
        extend_bans([ban.pk], ends_at=NOW + 2 * DAY, reason="Rude again.", **by)
        [warning] = warn_players([b], reason="Mind your words.", **by)
        appeal = appeal_against(b, words="It was my brother.", now=NOW, ban=ban.pk)
        decide_appeals([appeal.pk], grant=False, reason="It wasn't.", **by)
        reopen_appeals([appeal.pk], reason="It was.", **by)
        end(mode, at=NOW)
        strike_ratings([Rating.objects.get(player=b).pk], reason="Cheating.", **by)
        hide_players([player("a").pk], reason="Smurf.", **by)
        rename_player([b.pk], name="Bee", reason="Rude.", **by)
        unlock_names([b.pk], reason="Kind now.", **by)
        now, later = "2026-05-20T12:00:00Z", "2026-05-22T12:00:00Z"
        open_ = {"lifted_at": None, "lift_reason": ""}
        rows = {(row.pop("section"), row.pop("player")): row for row in lines_of("conduct")}
        ids = {key: row.pop("id") for key, row in rows.items()}
        assert rows == {
            ("incidents", "b"): {"kind": "leave", "happened_at": now, "mode": mode.slug, "match": match.pk,
                                 "pardoned_at": now, "pardon": "The server crashed."},
            ("bans", "b"): {"scope": "queue", "reason": "Rude.", "starts_at": now, "ends_at": later, **open_},
            ("ban_acts", "b"): {"ban": ban.pk, "act": "extend", "at": now, "reason": "Rude again.",
                                "ended_at": "2026-05-21T12:00:00Z", "ends_at": later},
            ("appeals", "b"): {"ban": ban.pk, "incident": None, "words": "It was my brother.", "made_at": now,
                               "decision": "", "decided_at": None, "answer": ""},
            ("reopenings", "b"): {"appeal": appeal.pk, "decision": "confirmed", "decided_at": now,
                                  "answer": "It wasn't.", "reopened_at": now, "reason": "It was."},
            ("hidings", "a"): {"hidden_at": now, "reason": "Smurf.", **open_},
            ("renamings", "b"): {"renamed_at": now, "former_name": "b", "name": "Bee", "reason": "Rude.",
                                 "lifted_at": now, "lift_reason": "Kind now.", "undone": False},
            ("strikes", "b"): {"struck_at": now, "reason": "Cheating.", **open_, "mode": mode.slug, "season": 1},
            ("warnings", "b"): {"warned_at": now, "reason": "Mind your words.", **open_},
        }  # fmt: skip
        assert [ids[name, "b"] for name in ("bans", "appeals", "warnings")] == [ban.pk, appeal.pk, warning.pk]

        own = {key: [name for name in CONDUCT if list(CONDUCT[name].of(player(key)))] for key in "ab"}
        assert own == {"a": ["hidings"], "b": [name for name in CONDUCT if name != "hidings"]}

    def test_a_query_for_each_section_however_many_rows(self, django_assert_num_queries):
        make_mode()
        for count in (1, 3):
            while PlayerWarning.objects.count() < count:
                record([f"a{count}"], [f"b{PlayerWarning.objects.count()}"])
                warn_players([player(f"a{count}")], by=None, reason="Rude.", now=NOW)
            with django_assert_num_queries(len(CONDUCT)):
                assert len(lines_of("conduct")) == count


class TestBoards:
    @pytest.fixture(autouse=True)
    def _boards(self, db):
        """Two seasons of a mode, the first of which is over, and one of another."""
        duel, _ = make_mode(system="team-ratio", now=NOW - 9 * DAY), make_mode("other", "team-ratio", now=NOW - 9 * DAY)
        record(["a"], ["b"], ended_at=NOW - 8 * DAY, now=NOW - 8 * DAY)
        record(["a"], ["c"], ended_at=NOW - 8 * DAY, now=NOW - 8 * DAY, mode="other")
        end(duel, at=NOW - 5 * DAY)
        record(["b"], ["a"], ended_at=NOW - DAY, now=NOW - DAY)
        for slug in ("duel", "other"):
            publish(Rating.objects.filter(mode__slug=slug)[0].mode, now=NOW)

    def test_every_mode_and_season_as_export_season_has_it(self):
        lines = list(csv.DictReader(StringIO(text_of("boards"))))
        expected = []
        for mode, season in (("duel", "1"), ("duel", "2"), ("other", "1")):
            out = StringIO()
            call_command("export_season", mode, season, stdout=out, stderr=StringIO())
            rows = csv.DictReader(StringIO(out.getvalue()))
            expected += [{"mode": mode, "season": season, **row} for row in rows]
        assert lines == expected
        assert [(line["mode"], line["season"], line["player"]) for line in lines] == [
            ("duel", "1", "a"), ("duel", "1", "b"), ("duel", "2", "b"), ("duel", "2", "a"),
            ("other", "1", "a"), ("other", "1", "c"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("options", "boards"),
        [
            (["--mode", "duel"], {("duel", "1"), ("duel", "2")}),
            (["--season", "1"], {("duel", "1"), ("other", "1")}),
            (["--mode", "duel", "--season", "2"], {("duel", "2")}),
        ],
    )
    def test_some(self, options, boards):
        lines = csv.DictReader(StringIO(text_of("boards", *options)))
        assert {(line["mode"], line["season"]) for line in lines} == boards

    def test_an_unknown_mode(self):
        with pytest.raises(CommandError, match="There is no mode 'nosuch'"):
            text_of("boards", "--mode", "nosuch")
