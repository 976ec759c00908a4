"""The names of seasons by language."""

from collections.abc import Mapping

from ranking.models import Season


def name_season(season: Season, names: Mapping[str, str]) -> None:
    """Give a season these names by language, whatever state it is in; its plain name stays."""
    season.names = dict(names)
    season.clean_fields(exclude={field.name for field in season._meta.fields} - {"names"})
    Season.objects.filter(pk=season.pk).update(names=season.names)
