"""The floor of a recorded 5v5 result: the statements that the product sends, by hand in psycopg.

No validation, no arithmetic, no objects: rows go in as given. What is left out of the product's work is
everything but the database's.
"""

import json
import random
import uuid
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

_PLAYER_COLUMNS = "id, key, name, search_name, user_id, hidden_at, created_at"
_UPSERT = """
INSERT INTO ranking_rating (id, player_id, mode_id, season_id, region, display_hundredths, mu, sigma, volatility,
  reached_at, wins, draws, losses, leaves, recent_completions, last_completed_at, last_match_at, active_until,
  to_publish, listed, published_hundredths, published_reached_at, published_on, published_day_ago)
VALUES {rows}
ON CONFLICT (id) DO UPDATE SET display_hundredths = EXCLUDED.display_hundredths, mu = EXCLUDED.mu,
  sigma = EXCLUDED.sigma, volatility = EXCLUDED.volatility, reached_at = EXCLUDED.reached_at, wins = EXCLUDED.wins,
  draws = EXCLUDED.draws, losses = EXCLUDED.losses, leaves = EXCLUDED.leaves,
  recent_completions = EXCLUDED.recent_completions, last_completed_at = EXCLUDED.last_completed_at,
  last_match_at = EXCLUDED.last_match_at, active_until = EXCLUDED.active_until, to_publish = EXCLUDED.to_publish
"""


def record_by_hand(connection: psycopg.Connection[Any], mode: int, source: int, keys: list[str]) -> None:
    """One 5v5 result of these ten players in one transaction."""
    now, external_id = datetime.now(UTC), uuid.uuid4().hex
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM ranking_match WHERE source_id = %s AND external_id = ANY(%s)", (source, [external_id])
        )
        cursor.fetchall()
        cursor.execute("SELECT * FROM ranking_mode WHERE id = %s", (mode,))
        cursor.fetchall()
        cursor.execute(f"SELECT {_PLAYER_COLUMNS} FROM ranking_player WHERE key = ANY(%s)", (keys,))
        players = [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT pg_advisory_xact_lock_shared(1, %s)", (mode,))
        cursor.execute("SELECT * FROM ranking_season WHERE mode_id = %s AND current", (mode,))
        season = cursor.fetchone()[0]  # type: ignore[index]
        cursor.execute(
            "SELECT * FROM ranking_parameterversion WHERE mode_id = %s ORDER BY number DESC LIMIT 1", (mode,)
        )
        parameters = cursor.fetchone()[0]  # type: ignore[index]
        cursor.execute(
            "SELECT mode_id, player_id FROM ranking_rating WHERE player_id = ANY(%s) AND season_id = %s",
            (players, season),
        )
        cursor.fetchall()
        cursor.execute(
            "SELECT id, player_id, mode_id, season_id, region, display_hundredths, mu, sigma, volatility, reached_at,"
            " wins, draws, losses, leaves, recent_completions, last_completed_at, last_match_at, active_until,"
            " to_publish, listed, published_hundredths, published_reached_at, published_on, published_day_ago"
            " FROM ranking_rating WHERE player_id = ANY(%s) AND season_id = %s ORDER BY id FOR UPDATE",
            (players, season),
        )
        ratings = cursor.fetchall()
        cursor.execute(
            "SELECT id, listed, taken_at FROM ranking_snapshot WHERE mode_id = %s AND season_id = %s AND region = ''"
            " ORDER BY id DESC LIMIT 1",
            (mode, season),
        )
        cursor.fetchall()
        cursor.execute(
            "INSERT INTO ranking_event (mode_id, kind, happened_at) VALUES (%s, 'match', %s) RETURNING id", (mode, now)
        )
        event = cursor.fetchone()[0]  # type: ignore[index]
        cursor.execute(
            "INSERT INTO ranking_match (source_id, external_id, digest, mode_id, event_id, season_id, started_at,"
            " ended_at, duration, rounds, variant, server, region, lobby, teams, received_at, late)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 600, NULL, '', '', '', '', %s, %s, false) RETURNING id",
            (source, external_id, "0" * 64, mode, event, season, now, now, Jsonb([{"score": 1}, {"score": 0}]), now),
        )
        match = cursor.fetchone()[0]  # type: ignore[index]
        _insert_many(
            cursor,
            "ranking_participation (match_id, player_id, team, slot, seconds, left_early, rounds_played, absences,"
            " party, stats, rank_before, percentile_before, listed_before, rank_after, percentile_after, listed_after)",
            [
                (match, row[1], number // 5, number % 5, 600.0, False, None, "[]", "", "{}", 1, 50, 9, 1, 50, 9)
                for number, row in enumerate(ratings)
            ],
        )
        _insert_many(
            cursor,
            "ranking_change (kind, event_id, match_id, player_id, mode_id, season_id, generation, parameters_id,"
            " outcome, win_probability, display_before, mu_before, sigma_before, volatility_before, display_after,"
            " mu_after, sigma_after, volatility_after)",
            [
                ("match", event, match, row[1], mode, season, 1, parameters, "win", 0.5, row[5], row[6], row[7],
                 row[8], row[5] + 1, row[6] + 0.01, row[7], row[8])
                for row in ratings
            ],
        )  # fmt: skip
        rows = [
            (*row[:5], row[5] + 1, row[6] + 0.01, row[7], row[8], now, row[10] + 1, *row[11:14], json.dumps([1.0]),
             now, now, now, True, *row[19:])
            for row in ratings
        ]  # fmt: skip
        values = ", ".join(f"({', '.join(['%s'] * len(rows[0]))})" for _ in rows)
        cursor.execute(_UPSERT.format(rows=values), [value for row in rows for value in row])


def _insert_many(cursor: psycopg.Cursor[Any], target: str, rows: list[tuple[Any, ...]]) -> None:
    values = ", ".join(f"({', '.join(['%s'] * len(rows[0]))})" for _ in rows)
    cursor.execute(f"INSERT INTO {target} VALUES {values} RETURNING id", [value for row in rows for value in row])


def ten_of(rng: random.Random, players: int) -> list[str]:
    return [f"bench-{number}" for number in rng.sample(range(players), 10)]
