"""The floor of recording a 5v5 result: the statements that the product sends, written by hand in psycopg.

No validation, no arithmetic, no objects: rows go in as given. What is left out of the product's work is
everything but the database's.
"""

import json
import random
import uuid
from datetime import UTC, datetime
from typing import Any

import psycopg
from django.conf import settings
from psycopg.types.json import Jsonb

from ranking.database.bulk_writes import insert_statement, update_statement
from ranking.models import Change, Participation, Rating

_TEAMS = Jsonb([{"name": "", "score": score, "place": None} for score in (1, 0)])
_PLAYER_COLUMNS = "id, key, name, search_name, user_id, hidden_at, created_at"


def record_by_hand(connection: psycopg.Connection[Any], mode: int, source: int, keys: list[str]) -> None:
    """Record one 5v5 result of these ten players in one transaction."""
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
        columns = [field.attname for field in Rating._meta.concrete_fields if not field.generated]
        cursor.execute(
            f"SELECT {', '.join(columns)} FROM ranking_rating"
            " WHERE player_id = ANY(%s) AND season_id = %s ORDER BY id FOR UPDATE",
            (players, season),
        )
        ratings = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
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
            (
                source,
                external_id,
                "0" * 64,
                mode,
                event,
                season,
                now,
                now,
                _TEAMS,
                now,
            ),
        )
        match = cursor.fetchone()[0]  # type: ignore[index]
        parts = [_part(match, row, number) for number, row in enumerate(ratings)]
        _write(cursor, insert_statement(Participation), parts)
        _write(cursor, insert_statement(Change), [_change(match, event, parameters, row) for row in ratings])
        _write(
            cursor,
            update_statement(Rating, tuple(Rating.RATED_FIELDS)),
            [{**row, **_rated(row, now)} for row in ratings],
        )
        for consumer in settings.OUTBOX_CONSUMERS:
            cursor.execute(
                "INSERT INTO ranking_outboxentry (consumer, event_id, due_at, attempts, last_error)"
                " VALUES (%s, %s, %s, 0, '')",
                (consumer, event, now),
            )


def _part(match: int, row: dict[str, Any], number: int) -> dict[str, Any]:
    standing = {f"{what}_{when}": 1 for what in ("rank", "percentile", "listed") for when in ("before", "after")}
    return {
        "match_id": match, "player_id": row["player_id"], "team": number // 5, "slot": number % 5, "seconds": 600.0,
        "left_early": False, "absences": [], "party": "", "stats": {}, **standing,
    }  # fmt: skip


def _change(match: int, event: int, parameters: int, row: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("player_id", "mode_id", "season_id")},
        "kind": "match", "event_id": event, "match_id": match, "generation": 1, "parameters_id": parameters,
        "outcome": "win", "win_probability": 0.5, "display_before": row["display_hundredths"], "mu_before": row["mu"],
        "display_after": row["display_hundredths"] + 1, "mu_after": row["mu"] + 0.01,
    }  # fmt: skip


def _rated(row: dict[str, Any], now: datetime) -> dict[str, Any]:
    moments = dict.fromkeys(("reached_at", "last_completed_at", "last_match_at", "active_until"), now)
    return {
        "display_hundredths": row["display_hundredths"] + 1, "mu": row["mu"] + 0.01, "wins": row["wins"] + 1,
        "recent_completions": [1.0], "to_publish": True, **moments,
    }  # fmt: skip


def _write(cursor: psycopg.Cursor[Any], how: tuple[str, list[str]], rows: list[dict[str, Any]]) -> None:
    statement, names = how
    cursor.execute(statement, [json.dumps([[row.get(name) for name in names] for row in rows], default=str)])


def ten_of(rng: random.Random, players: int) -> list[str]:
    return [f"bench-{number}" for number in rng.sample(range(players), 10)]
