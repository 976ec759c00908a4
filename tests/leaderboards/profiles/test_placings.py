"""More than two teams are shown by place, never as won and lost."""

import pytest

from ranking.models import Match
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def test_a_free_for_all_is_shown_by_places_not_as_won_and_lost(client):
    mode = make_mode("ffa", "weng-lin", team_count=6, team_size_max=1)
    stats = [PlayerReport(id=name, stats={"score": score}) for score, name in enumerate("abcdef")]
    record(*([player] for player in stats), mode="ffa", places=(1, 2, 3, 4, 4, 4))
    publish(mode, now=NOW)
    game = client.get(f"/matches/{Match.objects.get().pk}/").context["game"]
    assert [(seat.player.key, seat.finish.came) for seat in game.seats] == [
        ("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 4), ("f", 4)]  # fmt: skip
    page = client.get("/players/f/?mode=ffa")
    profile, text = page.context["profile"], page.content.decode()
    assert (profile.past.form, profile.average_place, profile.top_half_percent) == (["4"], "4.0", 0)
    assert [line.word for line in profile.past.recent.lines] == ["4th"]
    assert "4.0 of 6" in text
    assert "Win rate" not in text
