"""New matches: a report is checked against its mode and its players, and rows are made of it. Saves nothing."""

import datetime as dt
from collections.abc import Iterator, Mapping

from ranking.matches.records import MatchRecord
from ranking.models import Incident, Match, Mode, Participation, Player, Source
from ranking.modes.parameters import Rules
from ranking.rules.places import team_places
from ranking.rules.report import BadReport, Report, check_places

FUTURE = dt.timedelta(minutes=5)  # by how much a sender's clock may be ahead


def new_match(report: Report, rules: Rules | None, source: Source, now: dt.datetime) -> Match:
    """The match that a report describes; raises BadReport if it doesn't fit its mode. `rules`: the mode's; None if
    there is no such mode.
    """
    if rules is None:
        raise BadReport("mode", f"There is no mode {report.mode!r}.", "unknown")
    mode = rules.mode
    if report.ended_at > now + FUTURE:
        raise BadReport("ended_at", "The match ends more than 5 minutes in the future.", "range")
    if len(report.teams) != mode.team_count:
        raise BadReport("teams", f"{mode.slug} has {mode.team_count} teams; this result has {len(report.teams)}.")
    for index, team in enumerate(report.teams):
        if not mode.team_size_min <= len(team.players) <= mode.team_size_max:
            raise BadReport(
                f"teams[{index}].players",
                f"Teams of {mode.slug} have {mode.team_size_min} to {mode.team_size_max} players;"
                f" this one has {len(team.players)}.",
            )
    check_places(report)
    return Match(
        source=source,
        external_id=report.id,
        digest=report.digest(),
        mode=mode,
        started_at=report.started_at,
        ended_at=report.ended_at,
        duration=report.duration,
        rounds=report.rounds,
        variant=report.variant,
        server=report.server,
        region=report.region,
        lobby=report.lobby,
        teams=[{"name": team.name, "score": team.score, "place": team.place} for team in report.teams],
        received_at=now,
    )


def parts_of(report: Report, mode: Mode, players: Mapping[str, Player]) -> list[Participation]:
    """The participations of a report's players, in roster order. `players` by the key that the report uses.

    Absences that are longer in all than the mode's grace count as leaving early. Raises BadReport if two keys of one
    player, merged by a moderator, played.
    """
    left = {
        player.id: player.left_early or player.absent_seconds() > mode.reconnect_grace
        for _, _, player in report.players()
    }
    gone = [all(left[player.id] for player in team.players) for team in report.teams]
    places = team_places([{"place": team.place, "score": team.score} for team in report.teams], gone)
    parts: list[Participation] = []
    keys: dict[int, str] = {}
    for team, slot, player in report.players():
        own = players[player.id]
        other = keys.setdefault(own.owner.pk, player.id)
        if other != player.id:
            sentence = f"{player.id!r} and {other!r} are one player: a moderator merged them."
            raise BadReport(f"teams[{team}].players[{slot}].id", sentence)
        part = Participation(
            player=own.owner,
            played_as=None if own.merged_into_id is None else own,
            team=team,
            slot=slot,
            seconds=player.seconds,
            left_early=left[player.id],
            rounds_played=player.rounds_played,
            absences=[list(absence) for absence in player.absences],
            party=player.party,
            stats=dict(player.stats),
            place=places[team],
            places=len(places),
        )
        parts.append(part)
    return parts


def leaves_of(record: MatchRecord) -> Iterator[Incident]:
    """The incidents of a saved match: one for each player who left it early."""
    for part in record.parts:
        if part.left_early:
            yield Incident(
                player_id=part.player_id,
                kind=Incident.LEAVE,
                occasion=f"match:{record.match.pk}",
                happened_at=_left_at(record.match, part),
                mode_id=record.match.mode_id,
                match_id=record.match.pk,
            )


def _left_at(match: Match, part: Participation) -> dt.datetime:
    if match.started_at is None or part.seconds is None:
        return match.ended_at
    return match.started_at + dt.timedelta(seconds=part.seconds)
