"""Writes very many matches by seeded SQL on PostgreSQL, shaped like real ones, for measuring the search for abuse."""

from __future__ import annotations

import datetime as dt
import json

from django.db import connection
from django.utils import timezone

from ranking.models import Source
from ranking.modes.parameters import create_mode

DAYS = 60
_STATEMENTS = """
SELECT setseed(0.5);
INSERT INTO ranking_player (key, name, search_name, created_at)
SELECT '{slug}-' || n, 'Player ' || n, 'player ' || n, '{now}' FROM generate_series(1, {players}) AS n;
INSERT INTO ranking_event (mode_id, kind, happened_at)
SELECT {mode}, 'match', '{begin}'::timestamptz + n * interval '{days} days' / {matches}
FROM generate_series(1, {matches}) AS n;
ANALYZE ranking_player, ranking_event;
INSERT INTO ranking_match (source_id, external_id, digest, mode_id, event_id, season_id, ended_at, duration, variant,
  server, region, lobby, teams, received_at, late)
SELECT {source}, 'm' || e.id, 'x', {mode}, e.id, {season}, e.happened_at, 200 + 200 * random(), '', '', '', '',
  jsonb_build_array(jsonb_build_object('name', '', 'score', 7, 'place', NULL),
    jsonb_build_object('name', '', 'score', floor(7 * random()), 'place', NULL)), '{now}', false
FROM ranking_event AS e WHERE e.mode_id = {mode} AND e.kind = 'match';
ANALYZE ranking_match;
INSERT INTO ranking_participation (match_id, player_id, team, slot, seconds, left_early, absences, party, stats)
SELECT m.id, p.low + (seats.first + seats.seat * {stride}) % {players}, seats.seat / {size}, seats.seat % {size},
  m.duration * CASE WHEN seats.left THEN 0.5 ELSE 1 END, seats.left, '[]', '', '{stats}'
FROM ranking_match AS m
CROSS JOIN (SELECT min(id) AS low FROM ranking_player WHERE key LIKE '{slug}-%') AS p
CROSS JOIN LATERAL (SELECT floor({players} * power(random(), 1.5) + 0 * m.id)::int AS first) AS f
CROSS JOIN LATERAL (
  SELECT f.first, seat, random() < 0.02 AS left FROM generate_series(0, 2 * {size} - 1) AS seat
) AS seats
WHERE m.mode_id = {mode};
ANALYZE ranking_participation;
INSERT INTO ranking_change (kind, event_id, match_id, player_id, mode_id, season_id, generation, parameters_id, outcome,
  win_probability, display_before, mu_before, display_after, mu_after)
SELECT 'match', m.event_id, m.id, p.player_id, {mode}, {season}, 1, {parameters},
  CASE WHEN p.left_early THEN 'left' WHEN p.team = 0 THEN 'win' ELSE 'loss' END, 0.3 + 0.4 * random(),
  150000 + rating, 1500, 150000 + rating + CASE WHEN p.team = 0 THEN 1600 ELSE -1600 END, 1500
FROM ranking_participation AS p JOIN ranking_match AS m ON m.id = p.match_id
CROSS JOIN LATERAL (SELECT floor(40000 * (random() - 0.5) + 0 * p.id)::bigint AS rating) AS r
WHERE m.mode_id = {mode};
"""


def make_crowd(parts: int, size: int) -> str:
    """Make a mode of two teams of `size` with this many participations; return its slug."""
    now = timezone.now()
    begin = now - dt.timedelta(days=DAYS)
    slug = f"crowd-{size}-{now:%H%M%S}"
    mode = create_mode(slug=slug, name=slug, system="elo", now=begin, team_size_min=size, team_size_max=size)
    matches = parts // (2 * size)
    values = {
        "slug": slug, "now": now.isoformat(), "begin": begin.isoformat(), "days": DAYS, "size": size,
        "matches": matches, "mode": mode.pk, "season": mode.seasons.get().pk,
        "parameters": mode.parameter_versions.get().pk, "players": parts // 50, "stride": 37,
        "stats": json.dumps({"score": 5}),
        "source": Source.objects.create(slug=slug, created_at=begin).pk,
    }  # fmt: skip
    with connection.cursor() as cursor:
        for statement in _STATEMENTS.split(";\n"):
            if statement.strip():
                cursor.execute(statement.format(**values))
        cursor.execute("VACUUM ANALYZE")
    return slug
