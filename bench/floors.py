"""The floor of a recorded 5v5 result: the statements that the product sends, by hand in psycopg.

No validation, no arithmetic, no objects: rows go in as given. What is left out of the product's work is
everything but the database's.
"""

import json
import random
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
from django.db.models import Model
from psycopg.types.json import Jsonb

from ranking.inserts import statement_for
from ranking.models import Change, Participation, Rating

_PLAYER_COLUMNS = "id, key, name, search_name, user_id, hidden_at, created_at"


def record_by_hand(connection: psycopg.Connection[Any], mode: int, source: int, keys: list[str]) -> None:
    """One 5v5 result of these ten players in one transaction."""
    now, external_id = datetime.now(UTC), uuid.uuid4().hex
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM ranking_match WHERE source_id = %s AND external_id = ANY(%s)", (source, [external_id])
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
            "SELECT id, player_id, mode_id, season_id, region, display_hundredths, mu, sigma, volatility, reached_at,"
            " wins, draws, losses, leaves, recent_completions, last_completed_at, last_match_at, active_until,"
            " to_publish, listed, published_hundredths, published_reached_at, published_on, published_day_ago"
            " FROM ranking_rating WHERE player_id = ANY(%s) AND season_id = %s ORDER BY id FOR UPDATE",
            (players, season),
        )
        ratings = cursor.fetchall()
        cursor.execute(
            "SELECT id, taken_at FROM ranking_snapshot WHERE mode_id = %s AND season_id = %s AND region = ''"
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
        _insert(
            cursor,
            Participation,
            [
                [match, row[1], number // 5, number % 5, 600.0, False, None, [], "", {}, 1, 50, 9, 1, 50, 9]
                for number, row in enumerate(ratings)
            ],
        )
        _insert(
            cursor,
            Change,
            [
                ["match", event, match, row[1], mode, season, 1, parameters, "win", 0.5, row[5], row[6], row[7],
                 row[8], row[5] + 1, row[6] + 0.01, row[7], row[8]]
                for row in ratings
            ],
        )  # fmt: skip
        moment = now.isoformat()
        _insert(
            cursor,
            Rating,
            [
                [*row[:5], row[5] + 1, row[6] + 0.01, row[7], row[8], moment, row[10] + 1, *row[11:14], [1.0],
                 moment, moment, moment, True, row[19], row[20], str(row[21]), row[22] and str(row[22]), row[23]]
                for row in ratings
            ],
            update=Rating.RATED_FIELDS,
        )  # fmt: skip


def _insert(cursor: psycopg.Cursor[Any], model: type[Model], rows: list[list[Any]], update: Sequence[str] = ()) -> None:
    cursor.execute(statement_for(model, tuple(update))[0], [json.dumps(rows)])


def ten_of(rng: random.Random, players: int) -> list[str]:
    return [f"bench-{number}" for number in rng.sample(range(players), 10)]
