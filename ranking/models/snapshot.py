"""A published board: its rank table, from which every rank, percentile and distribution comes."""

from django.db import models


class Snapshot(models.Model):
    """Kept: the newest, the last before today began, and each season's final.

    Region "" = everyone; the regions' of the same publication follow it, with greater ids and the same moment.
    """

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="snapshots", db_index=False)
    season = models.ForeignKey("ranking.Season", models.PROTECT, related_name="snapshots")
    region = models.CharField(max_length=32, blank=True)
    taken_at = models.DateTimeField()
    final = models.BooleanField(default=False)
    listed = models.PositiveIntegerField()
    table = models.BinaryField()  # ranking.rules.rank_table.RankTable.to_bytes

    class Meta:
        indexes = [models.Index(fields=["mode", "season", "region", "-id"], name="snapshot_newest")]

    def __str__(self) -> str:
        return f"{self.mode_id} at {self.taken_at:%Y-%m-%d %H:%M:%S}"
