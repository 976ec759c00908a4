"""Models of play: events in the order of history, work that follows them, matches, participations, and forfeits."""

from django.db import models
from django.db.models import F, Q


class Event(models.Model):
    """A step of a mode's history. Its id is the *sequence*, which is taken after the rating rows are locked."""

    MATCH, FORFEIT, RESET, PARAMETERS, SEASON_END = "match", "forfeit", "reset", "parameters", "season_end"
    SEED = "seed"
    KINDS = (MATCH, FORFEIT, RESET, PARAMETERS, SEASON_END, SEED)

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="events", db_index=False)
    kind = models.CharField(max_length=10, choices=[(kind, kind) for kind in KINDS])
    happened_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["mode", "id"], name="event_in_order")]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["match", "forfeit", "reset", "parameters", "season_end", "seed"]),
                name="event_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk} · {self.kind}"


class OutboxEntry(models.Model):
    """The outbox: work of one consumer for one event, written with it; the row is deleted when the work is done.

    A worker claims it by a conditional update until `claimed_until`. After OUTBOX_MAX_ATTEMPTS failures it is parked.
    """

    consumer = models.CharField(max_length=64)
    event = models.ForeignKey("ranking.Event", models.PROTECT, related_name="outbox", db_index=False)
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.TextField(blank=True)
    parked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "outbox entries"
        indexes = [
            models.Index(fields=["due_at", "id"], condition=Q(parked_at__isnull=True), name="outbox_due"),
            models.Index(fields=["id"], condition=Q(parked_at__isnull=False), name="outbox_parked"),
        ]
        constraints = [models.UniqueConstraint(fields=["consumer", "event"], name="outbox_once_a_consumer")]

    def __str__(self) -> str:
        return f"{self.consumer} of {self.event_id}"


class Match(models.Model):
    """A result as it was sent. `event` and `season` are None until it is rated.

    `uncounted`: why it never counts, whatever a moderator does; "" for a match that counts or may be restored.
    `replaces`: the void match that it corrects, and whose place in the order it has.
    """

    NO_CONTEST, UNRATED, NOBODY, WALKOVER, BOTS = "no-contest", "unrated", "nobody", "walkover", "bots"
    UNCOUNTED = (NO_CONTEST, UNRATED, NOBODY, WALKOVER, BOTS)

    source = models.ForeignKey("ranking.Source", models.PROTECT, related_name="matches", db_index=False)
    external_id = models.CharField(max_length=128)  # the sender's own id
    digest = models.CharField(max_length=64)  # SHA-256 of the report: tells a repeat from a conflict
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="matches", db_index=False)
    event = models.OneToOneField(Event, models.PROTECT, null=True, related_name="match")
    season = models.ForeignKey("ranking.Season", models.PROTECT, null=True, related_name="matches", db_index=False)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField()
    duration = models.FloatField(null=True)  # seconds
    # False: nobody sent the duration, which is how long the last player was there.
    measured = models.BooleanField(default=True, db_default=True)
    rounds = models.PositiveIntegerField(null=True)
    variant = models.CharField(max_length=64, blank=True)
    server = models.CharField(max_length=64, blank=True)
    region = models.CharField(max_length=32, blank=True)
    lobby = models.CharField(max_length=64, blank=True)
    teams = models.JSONField()  # [{"name", "score", "place"}], as sent; None if not sent
    received_at = models.DateTimeField()
    uncounted = models.CharField(max_length=10, blank=True, default="", db_default="")
    links = models.JSONField(default=list, db_default=[])  # [{"kind", "url"}], see ranking.rules.match_links
    replaces = models.OneToOneField("self", models.PROTECT, null=True, related_name="replaced_by")
    late = models.BooleanField(default=False)  # ended before a match that was already rated for one of its players
    # If its system learns about the mode: the state that rated it, and what the mode learns from it.
    mode_state = models.ForeignKey("ranking.ModeState", models.PROTECT, null=True, related_name="+", db_index=False)
    to_learn = models.BooleanField(default=False, db_default=False)  # no state has taken it yet
    lesson_squares = models.FloatField(null=True)  # the squared margin; None if it had no scores
    lesson_noise = models.FloatField(null=True)
    lesson_spread = models.FloatField(null=True)
    lesson_slope = models.FloatField(null=True)
    lesson_information = models.FloatField(null=True)
    lesson_luck = models.FloatField(null=True)  # this and the next two: None if it said nothing of luck
    lesson_luck_information = models.FloatField(null=True)
    lesson_shared = models.FloatField(null=True)

    is_void = False  # ranking.matches.records.with_voids sets it for matches that are out of the history
    void_reason = ""  # set where somebody is told

    class Meta:
        verbose_name_plural = "matches"
        indexes = [
            models.Index(F("mode"), F("ended_at").desc(), F("id").desc(), name="match_recent"),
            models.Index(F("ended_at").desc(), F("id").desc(), name="match_latest"),
            models.Index(F("source"), F("ended_at").desc(), F("id").desc(), name="match_of_source"),
            models.Index(
                F("server"), F("ended_at").desc(), F("id").desc(), condition=~Q(server=""), name="match_of_server"
            ),
            models.Index(
                F("variant"), F("ended_at").desc(), F("id").desc(), condition=~Q(variant=""), name="match_of_variant"
            ),
            models.Index(fields=["mode", "event"], condition=Q(to_learn=True), name="match_to_learn"),
            models.Index(fields=["mode", "id"], condition=Q(event__isnull=True), name="match_to_rate"),
            models.Index(fields=["lobby"], condition=~Q(lobby=""), name="match_of_lobby"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["source", "external_id"], name="match_once_a_source"),
            models.CheckConstraint(
                condition=Q(started_at__isnull=True) | Q(ended_at__gte=F("started_at")), name="match_ends_after_start"
            ),
            models.CheckConstraint(
                condition=Q(duration__isnull=True) | Q(duration__gte=0), name="match_duration_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(event__isnull=True, season__isnull=True) | Q(event__isnull=False, season__isnull=False),
                name="match_rated_within_a_season",
            ),
            models.CheckConstraint(
                condition=Q(uncounted__in=["", "no-contest", "unrated", "nobody", "walkover", "bots"]),
                name="match_uncounted_known",
            ),
            models.CheckConstraint(
                condition=Q(uncounted="") | Q(event__isnull=True), name="match_uncounted_never_rated"
            ),
            models.CheckConstraint(
                condition=Q(replaces__isnull=True) | ~Q(replaces=F("id")), name="match_replaces_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.external_id} ({self.source})"

    @property
    def is_placed(self) -> bool:
        """False if the match was called off without the places of all teams: nobody won it."""
        return self.uncounted != self.NO_CONTEST or all(team["place"] is not None for team in self.teams)


def _all_or_none(*names: str) -> Q:
    return Q(**{f"{name}__isnull": True for name in names}) | Q(**{f"{name}__isnull": False for name in names})


class Participation(models.Model):
    """A player's part in a match, with their standing right before and after it when it was rated (None: not ranked).

    `display_before`, `display_after`: the display ratings in hundredths that these standings belong to. A re-rating
    leaves standings as they are. Standings that were stored before these two columns were have no display ratings.
    `played_as`: the player that the result named, if that player was later merged into `player`.
    `left_early`: they abandoned the match. Somebody who was free to leave it is `excused`: they count as having stayed
    to the end. `brief`: they stayed, but were there for less than a quarter of it, so it isn't a placement match.
    """

    match = models.ForeignKey(Match, models.PROTECT, related_name="participations", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="participations")
    played_as = models.ForeignKey("ranking.Player", models.PROTECT, null=True, related_name="+", db_index=False)
    team = models.PositiveSmallIntegerField()  # index in match.teams
    slot = models.PositiveSmallIntegerField()  # order in the roster
    seconds = models.FloatField(null=True)
    joined_at = models.FloatField(null=True)  # seconds since the start; None: at the start
    left_early = models.BooleanField(default=False)
    excused = models.BooleanField(default=False, db_default=False)
    brief = models.BooleanField(default=False, db_default=False)
    rounds_played = models.PositiveIntegerField(null=True)
    absences = models.JSONField(default=list)  # [[from, to]] in seconds since the start
    party = models.CharField(max_length=64, blank=True)
    stats = models.JSONField(default=dict)
    place = models.PositiveSmallIntegerField(null=True)  # of the team, as rated: ranking.rules.places
    places = models.PositiveSmallIntegerField(null=True)  # the number of teams

    rank_before = models.PositiveIntegerField(null=True)
    percentile_before = models.PositiveSmallIntegerField(null=True)
    listed_before = models.PositiveIntegerField(null=True)
    display_before = models.BigIntegerField(null=True)
    rank_after = models.PositiveIntegerField(null=True)
    percentile_after = models.PositiveSmallIntegerField(null=True)
    listed_after = models.PositiveIntegerField(null=True)
    display_after = models.BigIntegerField(null=True)

    # The fields that rating a match writes.
    STANDING_FIELDS = [
        "rank_before", "percentile_before", "listed_before", "display_before",
        "rank_after", "percentile_after", "listed_after", "display_after",
    ]  # fmt: skip

    class Meta:
        ordering = ["match", "team", "slot"]
        constraints = [
            models.UniqueConstraint(fields=["match", "player"], name="participation_once_a_match"),
            models.UniqueConstraint(fields=["match", "team", "slot"], name="participation_slot_once"),
            models.CheckConstraint(
                condition=Q(seconds__isnull=True) | Q(seconds__gte=0), name="participation_seconds_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(joined_at__isnull=True) | Q(joined_at__gte=0), name="participation_joined_not_before_start"
            ),
            models.CheckConstraint(
                condition=Q(left_early=False) | Q(excused=False, brief=False), name="participation_left_or_stayed"
            ),
            models.CheckConstraint(
                condition=Q(place__isnull=True, places__isnull=True) | Q(place__gte=1, places__gte=F("place")),
                name="participation_place_of_places",
            ),
            models.CheckConstraint(
                condition=_all_or_none("rank_before", "percentile_before", "listed_before"),
                name="participation_standing_before_whole",
            ),
            models.CheckConstraint(
                condition=_all_or_none("rank_after", "percentile_after", "listed_after"),
                name="participation_standing_after_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.match_id}"


class Passing(models.Model):
    """Whom a player passed by a match, and who passed them: those between its two ranks. The next publication keeps it.

    `passed`, `passed_by`: how many. `passed_players`, `passed_by_players`: the ids of at most five of them, those first
    who stand closest to the player afterwards. The ids of merged players stay; who reads them asks whose they are now.
    Matches of an import may have no row, and those between two publications if they had too many players.
    """

    MOST_NAMED = 5

    participation = models.OneToOneField(Participation, models.CASCADE, primary_key=True, related_name="passing")
    passed = models.PositiveIntegerField()
    passed_by = models.PositiveIntegerField()
    passed_players = models.JSONField(default=list)
    passed_by_players = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.participation_id}: {self.passed}, {self.passed_by}"


class Forfeit(models.Model):
    """A forfeit: a player dropped out of a lobby. One for each lobby and player; not rated while `event` is None.

    The standing of the player who dropped out, right before and after the forfeit, is as a participation's.
    """

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="forfeits", db_index=False)
    lobby = models.CharField(max_length=64)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="forfeits")  # who dropped out
    teams = models.JSONField()  # [[player id, …], …], as proposed
    reason = models.CharField(max_length=200)
    happened_at = models.DateTimeField()
    event = models.OneToOneField("ranking.Event", models.PROTECT, null=True, related_name="forfeit")
    season = models.ForeignKey("ranking.Season", models.PROTECT, null=True, related_name="+", db_index=False)
    mode_state = models.ForeignKey("ranking.ModeState", models.PROTECT, null=True, related_name="+", db_index=False)

    rank_before = models.PositiveIntegerField(null=True)
    percentile_before = models.PositiveSmallIntegerField(null=True)
    listed_before = models.PositiveIntegerField(null=True)
    display_before = models.BigIntegerField(null=True)
    rank_after = models.PositiveIntegerField(null=True)
    percentile_after = models.PositiveSmallIntegerField(null=True)
    listed_after = models.PositiveIntegerField(null=True)
    display_after = models.BigIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["mode", "id"], condition=Q(event__isnull=True), name="forfeit_to_rate")]
        constraints = [
            models.UniqueConstraint(fields=["mode", "lobby", "player"], name="forfeit_once_a_lobby"),
            models.CheckConstraint(condition=~Q(lobby=""), name="forfeit_lobby_given"),
            models.CheckConstraint(
                condition=Q(event__isnull=True, season__isnull=True) | Q(event__isnull=False, season__isnull=False),
                name="forfeit_rated_within_a_season",
            ),
            models.CheckConstraint(
                condition=_all_or_none("rank_before", "percentile_before", "listed_before", "display_before"),
                name="forfeit_standing_before_whole",
            ),
            models.CheckConstraint(
                condition=_all_or_none("rank_after", "percentile_after", "listed_after", "display_after"),
                name="forfeit_standing_after_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} of {self.lobby}"
