"""The schema of the calculator's lines and answers, which `ranking.systems.calculation` reads and writes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ranking.systems.registry import SYSTEMS, get_system


def _skills() -> str:
    """The fields of each system's skills; a string is shown as one."""
    systems: dict[str, list[str]] = {}
    for key in SYSTEMS:
        system = get_system(key)
        skill = system.write_skill(system.newcomer())
        names = (f'"{name}": "{value}"' if isinstance(value, str) else f'"{name}"' for name, value in skill.items())
        systems.setdefault(", ".join(names), []).append(key)
    return "; ".join(f"{', '.join(keys)} {{{names}}}" for names, keys in systems.items()) + "."


_SKILL = {
    "type": "object",
    "additionalProperties": {"oneOf": [{"type": "number"}, {"type": "string"}]},
    "description": _skills(),
}
_OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True}


@extend_schema_field({**_SKILL, "nullable": True})
class SkillField(serializers.JSONField):
    """A skill, or null for a newcomer."""


@extend_schema_field(_SKILL)
class NewSkillField(serializers.JSONField):
    """A skill after the match."""


@extend_schema_field({"type": "object", "additionalProperties": {}})
class ParamsField(serializers.JSONField):
    """Parameters by name."""


@extend_schema_field({"type": "object", "additionalProperties": {}})
class ModeStateField(serializers.JSONField):
    """What a mode has learnt."""


class LinePlayerSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(max_length=128)
    skill = SkillField(allow_null=True, help_text="null for a newcomer.")
    seconds = serializers.FloatField(**_OPTIONAL, min_value=0, help_text="In game; default: all.")
    joined_at = serializers.FloatField(**_OPTIONAL, min_value=0, help_text="Seconds since the start; default: 0.")
    left_early = serializers.BooleanField(**_OPTIONAL)
    rounds_played = serializers.IntegerField(**_OPTIONAL, min_value=0, help_text="two-layer")
    weight = serializers.FloatField(**_OPTIONAL, min_value=0, help_text="trueskill")
    idle_days = serializers.FloatField(**_OPTIONAL, min_value=0, help_text="glicko-2, margin")
    stats = serializers.DictField(**_OPTIONAL, child=serializers.FloatField(), help_text="two-layer")
    party = serializers.CharField(**_OPTIONAL, max_length=128, help_text="two-layer")
    matches = serializers.IntegerField(
        **_OPTIONAL, min_value=0, help_text="Rated before; elo and battle-points, if a parameter counts them."
    )


class LineTeamSerializer(serializers.Serializer[Any]):
    """A place for every team (1 = best), or a score for every team."""

    place = serializers.IntegerField(**_OPTIONAL, min_value=1)
    score = serializers.FloatField(**_OPTIONAL)
    players = LinePlayerSerializer(many=True)


class LineSerializer(serializers.Serializer[Any]):
    """A match to rate. `id`, `source`, `expected` and `tolerance` are ignored; other unknown fields are refused."""

    system = serializers.ChoiceField(list(SYSTEMS))
    params = ParamsField(required=False, allow_null=True, help_text="Of the system; the rest at their defaults.")
    duration = serializers.FloatField(**_OPTIONAL, min_value=0, help_text="Seconds; default: the longest presence.")
    rounds = serializers.IntegerField(**_OPTIONAL, min_value=0)
    variant = serializers.CharField(**_OPTIONAL, max_length=128, help_text="Such as a map; margin")
    mode_state = ModeStateField(required=False, allow_null=True, help_text="From the answer before; margin")
    teams = LineTeamSerializer(many=True)


class LinesSerializer(serializers.Serializer[Any]):
    lines = LineSerializer(many=True, help_text="1 to 100; at most 200 teams and 200 players in all.")


class AnswerPlayerSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    skill = NewSkillField()
    display = serializers.CharField(help_text="The rating that people see.")


class AnswerTeamSerializer(serializers.Serializer[Any]):
    win_probability = serializers.FloatField(allow_null=True, help_text="Before the match.")
    players = AnswerPlayerSerializer(many=True)


class AnswerSerializer(serializers.Serializer[Any]):
    teams = AnswerTeamSerializer(many=True)
    mode_state = ModeStateField(required=False, help_text="What the mode has learnt, this match included; margin")


class AnswerOrErrorSerializer(serializers.Serializer[Any]):
    """Either `teams`, or the sentence that refuses the line."""

    teams = AnswerTeamSerializer(many=True, required=False)
    mode_state = ModeStateField(required=False)
    error = serializers.CharField(required=False)


class AnswersSerializer(serializers.Serializer[Any]):
    lines = AnswerOrErrorSerializer(many=True)
