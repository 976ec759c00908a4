"""Places of teams as facts of participations, and their counters in rating rows; both for what was rated before."""

from django.db import migrations, models

_TEAMS = {
    "postgresql": (
        "SELECT m.id AS match_id, t.number - 1 AS team, (t.team ->> 'place')::bigint AS place,"
        " (t.team ->> 'score')::float8 AS score"
        " FROM ranking_match AS m CROSS JOIN LATERAL jsonb_array_elements(m.teams) WITH ORDINALITY AS t(team, number)"
    ),
    "sqlite": (
        "SELECT m.id AS match_id, t.key AS team, json_extract(t.value, '$.place') AS place,"
        " json_extract(t.value, '$.score') AS score FROM ranking_match AS m, json_each(m.teams) AS t"
    ),
}

# Teams that left as a whole share the last place; the others have the places that were sent, else those of their scores.
_PLACES = """
UPDATE ranking_participation SET place = placed.place, places = placed.places
FROM (
    SELECT team.match_id, team.team, COUNT(*) OVER (PARTITION BY team.match_id) AS places,
        RANK() OVER (
            PARTITION BY team.match_id
            ORDER BY present.players = 0,
                CASE WHEN present.players = 0 THEN 0 ELSE COALESCE(team.place, -COALESCE(team.score, 0)) END
        ) AS place
    FROM ({teams}) AS team
    JOIN (
        SELECT match_id, team, SUM(CASE WHEN left_early THEN 0 ELSE 1 END) AS players
        FROM ranking_participation GROUP BY match_id, team
    ) AS present ON present.match_id = team.match_id AND present.team = team.team
) AS placed
WHERE placed.match_id = ranking_participation.match_id AND placed.team = ranking_participation.team
"""

_COUNTERS = """
UPDATE ranking_rating
SET podiums = counted.podiums, top_halves = counted.top_halves, place_sum = counted.place_sum
FROM (
    SELECT c.player_id, c.mode_id, c.season_id,
        SUM(CASE WHEN p.place <= 3 AND p.places >= 6 THEN 1 ELSE 0 END) AS podiums,
        SUM(CASE WHEN 2 * p.place <= p.places THEN 1 ELSE 0 END) AS top_halves,
        SUM(p.place) AS place_sum
    FROM ranking_change AS c
    JOIN ranking_mode AS m ON m.id = c.mode_id
    JOIN ranking_player AS who ON who.id = c.player_id
    JOIN ranking_participation AS p ON p.match_id = c.match_id AND p.player_id = COALESCE(who.merged_into_id, who.id)
    WHERE c.kind = 'match' AND c.outcome <> 'left' AND c.generation <= m.generation
        AND (c.superseded_in IS NULL OR c.superseded_in > m.generation)
    GROUP BY c.player_id, c.mode_id, c.season_id
) AS counted
WHERE counted.player_id = ranking_rating.player_id AND counted.mode_id = ranking_rating.mode_id
    AND counted.season_id = ranking_rating.season_id
"""


def fill_places(apps, schema_editor):
    """Fill the places of all participations, and the counters of all ratings: two statements."""
    teams = _TEAMS[schema_editor.connection.vendor]
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_PLACES.format(teams=teams))
        cursor.execute(_COUNTERS)


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0003_standings_of_matches'),
    ]

    operations = [
        migrations.AddField(
            model_name='participation',
            name='place',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='participation',
            name='places',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        *(
            migrations.AddField(
                model_name=model,
                name=name,
                field=models.PositiveIntegerField(db_default=0, default=0),
            )
            for model in ('rating', 'nextrating')
            for name in ('podiums', 'top_halves', 'place_sum')
        ),
        migrations.AddConstraint(
            model_name='participation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('place__isnull', True), ('places__isnull', True)), models.Q(('place__gte', 1), ('places__gte', models.F('place'))), _connector='OR'), name='participation_place_of_places'),
        ),
        migrations.RunPython(fill_places, migrations.RunPython.noop),
    ]
