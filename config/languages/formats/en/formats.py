"""English dates and times: 22 Nov 2026, 14:32 UTC. `ranking.wording.dates.utc_text` writes the same in sentences."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i e"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
