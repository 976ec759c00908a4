"""Every rule of the database that matters is a constraint, and each refuses what it is there to refuse."""

import datetime as dt

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db.models import F

from ranking.models import (
    AcceptedName,
    Appeal,
    AuditEntry,
    Ban,
    BanAct,
    BanLimit,
    BanProposal,
    CannedAnswer,
    Change,
    ClaimCode,
    Complaint,
    ComplaintCase,
    DeviceUse,
    DoubledMatch,
    EvaluationRun,
    Event,
    FitRun,
    Forfeit,
    Hiding,
    Incident,
    JobRun,
    KeptAnswer,
    Key,
    Match,
    Merge,
    Mode,
    ModeState,
    NextPlace,
    OutboxEntry,
    ParameterVersion,
    Pardon,
    Participation,
    Player,
    PlayerName,
    PlayerNote,
    PlayerWarning,
    Rating,
    Renaming,
    Reopening,
    Rerating,
    SavedFilter,
    Season,
    Seed,
    Strike,
    Void,
)
from tests.support.factories import NOW, make_finding, make_mode, make_source, record
from tests.support.rows import first, refusal

pytestmark = pytest.mark.django_db


def rerating(**changed):
    Rerating.objects.create(mode=Mode.objects.get(), requested_at=NOW, **{"reason": "x", **changed})


def key_row(**fields):
    Key.objects.create(**{"source": make_source(), "prefix": "x", "digest": "x", "created_at": NOW, **fields})


def kept_answer(**fields):
    KeptAnswer.objects.create(**{"caller": "key-1", "key": "a", "digest": "x", "claimed_at": NOW, **fields})


def other():
    return Player.objects.get(key="b")


def merge(**changed):
    kept = Player.objects.get(key="a")
    Merge.objects.create(**{"kept": kept, "merged": other(), "sequence": 1, "reason": "x", "merged_at": NOW, **changed})


def void(**changed):
    Void.objects.create(voided_at=NOW, **{"match": Match.objects.get(), "reason": "x", **changed})


def forfeit(**changed):
    given = {"mode": Mode.objects.get(), "player": Player.objects.first(), "happened_at": NOW}
    return Forfeit.objects.get_or_create(lobby=changed.pop("lobby", "L"), defaults={**given, "teams": [], **changed})[0]


def incident(**changed):
    said = {"kind": "dropout", "occasion": "lobby:1", "mode": Mode.objects.get(), "happened_at": NOW}
    return Incident.objects.create(player=Player.objects.first(), **{**said, **changed})


def ban(**changed):
    given = {"scope": "both", "reason": "x", **changed}
    return Ban.objects.create(player=Player.objects.first(), starts_at=NOW, **given)


def appeal(**changed):
    return Appeal.objects.create(
        player=Player.objects.first(), made_at=NOW, **{"words": "x", "incident": incident(), **changed}
    )


def pardon(**changed):
    row = changed.pop("incident", None) or incident()
    Pardon.objects.create(incident=row, pardoned_at=NOW, **{"reason": "x", **changed})


def hiding(**changed):
    Hiding.objects.create(player=Player.objects.first(), hidden_at=NOW, **{"reason": "x", **changed})


def renaming(**changed):
    given = {"reason": "x", "former_name": "a", "name": "b", **changed}
    Renaming.objects.create(player=Player.objects.first(), renamed_at=NOW, **given)


def strike(**changed):
    Strike.objects.create(rating=Rating.objects.first(), struck_at=NOW, **{"reason": "x", **changed})


def warning(**changed):
    PlayerWarning.objects.create(player=Player.objects.first(), warned_at=NOW, **{"reason": "x", **changed})


def note(**changed):
    PlayerNote.objects.create(player=Player.objects.first(), written_at=NOW, **{"text": "x", **changed})


def case(**changed):
    return ComplaintCase.objects.create(player=other(), newest_at=NOW, **changed)


def complaint(**changed):
    given = {"reporter": Player.objects.get(key="a"), "reported": other(), "reason": "words", "made_at": NOW, **changed}
    row = ComplaintCase.objects.get_or_create(player=other(), defaults={"newest_at": NOW})[0]
    Complaint.objects.create(case=row, match=Match.objects.get(), **given)


def ban_act(**changed):
    BanAct.objects.create(ban=ban(), at=NOW, **{"act": "lift", "reason": "x", **changed})


def ban_limit(**changed):
    BanLimit.objects.create(group=Group.objects.create(name="x"), **{"hours": 1, **changed})


def proposal(**changed):
    given = {"scope": "queue", "reason": "x", "proposed_at": NOW, **changed}
    BanProposal.objects.create(player=Player.objects.first(), **given)


def decided_proposal(**changed):
    proposal(**{"decided_at": NOW, "decision": "refused", "answer": "x", **changed})


def decided_alone():
    user = User.objects.create(username="alone")
    decided_proposal(by=user, decided_by=user)


def reopening(**changed):
    decided = {"decision": "granted", "decided_at": NOW, "answer": "x", "reason": "x"}
    Reopening.objects.create(appeal=appeal(), reopened_at=NOW, **{**decided, **changed})


def seed():
    rating = Rating.objects.first()
    event = Event.objects.create(mode=rating.mode, kind="seed", happened_at=NOW)
    version = ParameterVersion.objects.get()
    given = {"mode": rating.mode, "season": rating.season, "player": rating.player, "parameters": version}
    Seed.objects.create(event=event, display_hundredths=100, **given)


def audit(**changed):
    AuditEntry.objects.create(at=NOW, **{"act": "x", "reason": "x", **changed})


def finding(**changed):
    make_finding(Player.objects.get(key="a"), **changed)


def device(**changed):
    DeviceUse.objects.create(match=Match.objects.get(), player=other(), **{"digest": "x", "used_at": NOW, **changed})


def doubled(**changed):
    match = Match.objects.earliest("pk")
    given = {"kind": "alike", "mode": match.mode, "first": match, "ended_at": NOW, "found_at": NOW, **changed}
    DoubledMatch.objects.create(**given)


def pair():
    first(Match, external_id="other", event=None, season=None)
    doubled(kind="overlap", second=Match.objects.latest("pk"))


CASES = {
    "player_key_given": lambda: Player.objects.update(key=""),
    "player_name_given": lambda: Player.objects.filter(key="a").update(name=""),
    "player_name_of_history_given": lambda: PlayerName.objects.create(
        player=Player.objects.first(), name="", since=NOW),
    "claim_code_digest_once": lambda: [ClaimCode.objects.create(
        player=player, digest="x", expires_at=NOW) for player in Player.objects.all()],
    "claim_code_digest_given": lambda: ClaimCode.objects.create(
        player=Player.objects.first(), digest="", expires_at=NOW),
    "player_gone_is_hidden": lambda: Player.objects.update(anonymised_at=NOW),
    "player_gone_has_no_avatar": lambda: Player.objects.update(
        anonymised_at=NOW, hidden_at=NOW, hides_matches=True, user=None, avatar="0123456789abcdef"
    ),
    "player_merged_is_hidden": lambda: Player.objects.filter(key="a").update(merged_into=other()),
    "player_merged_into_another": lambda: Player.objects.update(merged_into=F("id"), hidden_at=NOW),
    "merge_once_at_a_time": lambda: [merge(), merge()],
    "merge_of_two": lambda: merge(merged=Player.objects.get(key="a")),
    "merge_reason_given": lambda: merge(reason=""),
    "merge_lifted_with_a_reason": lambda: merge(lifted_at=NOW),
    "merge_lifted_afterwards": lambda: merge(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "mode_two_teams_or_more": lambda: Mode.objects.update(team_count=1),
    "mode_team_sizes_in_order": lambda: Mode.objects.update(team_size_min=7),
    "mode_activity_needs_one_to_ten": lambda: Mode.objects.update(activity_matches=0),
    "mode_activity_days_positive": lambda: Mode.objects.update(activity_days=0),
    "mode_tier_scheme_known": lambda: Mode.objects.update(tier_scheme="none"),
    "mode_late_results_within_a_day": lambda: Mode.objects.update(late_results=86_401),
    "season_number_once_a_mode": lambda: first(Season, state="archived", current=False, shown={},
        event=Event.objects.latest("id"), ends_at=NOW + dt.timedelta(1), late_until=NOW + dt.timedelta(1)),
    "mode_names_by_language": lambda: Mode.objects.update(names=["Liga"]),
    "season_names_by_language": lambda: Season.objects.update(names="Winter"),
    "season_next_names_by_language": lambda: Season.objects.update(next_names=[]),
    "season_name_given": lambda: Season.objects.update(name=""),
    "seed_once_a_season": lambda: [seed() for _ in range(2)],
    "season_reset_known": lambda: Season.objects.update(reset="none"),
    "season_reset_factor_is_a_share": lambda: Season.objects.update(reset_factor=1.1),
    "season_closes_at_its_end": lambda: Season.objects.update(state="closing"),
    "season_archived_by_its_end": lambda: Season.objects.update(current=False),
    "rerating_kind_known": lambda: rerating(kind="season_end"),
    "season_one_current_a_mode": lambda: first(Season, number=2),
    "season_ends_after_start": lambda: Season.objects.update(ends_at=NOW - dt.timedelta(days=1)),
    "parameters_number_once_a_mode": lambda: first(ParameterVersion, event=Event.objects.latest("id")),
    "mode_state_once_a_number": lambda: mode_states(0, 0),
    "key_digest_given": lambda: Key.objects.create(source=make_source(), prefix="x", digest="", created_at=NOW),
    "saved_filter_place_taken_once": lambda: [saved_filter(name=name) for name in "ab"],
    "saved_filter_name_taken_once": lambda: [saved_filter(place=place) for place in (1, 2)],
    "saved_filter_no_more_than_twenty": lambda: saved_filter(place=21),
    "saved_filter_named_and_filled": lambda: saved_filter(name=""),
    "key_limit_positive": lambda: key_row(limit=0),
    "key_expires_later": lambda: key_row(expires_at=NOW),
    "kept_answer_once": lambda: [kept_answer() for _ in range(2)],
    "kept_answer_whole_or_claimed": lambda: kept_answer(status=200),
    "kept_answer_identified": lambda: kept_answer(key=""),
    "job_run_task_given": lambda: JobRun.objects.create(task="", succeeded_at=NOW),
    "event_kind_known": lambda: Event.objects.update(kind="party"),
    "match_once_a_source": lambda: first(Match, event=None, season=None),
    "match_ends_after_start": lambda: Match.objects.update(started_at=NOW + dt.timedelta(hours=1)),
    "match_duration_not_negative": lambda: Match.objects.update(duration=-1),
    "match_rated_within_a_season": lambda: Match.objects.update(season=None),
    "match_uncounted_known": lambda: Match.objects.update(event=None, season=None, uncounted="unknown"),
    "match_uncounted_never_rated": lambda: Match.objects.update(uncounted="bots"),
    "match_replaces_another": lambda: Match.objects.update(replaces=F("id")),
    "participation_once_a_match": lambda: first(Participation, slot=9),
    "participation_slot_once": lambda: first(Participation, player=Player.objects.create(
        key="z", name="z", search_name="z", created_at=NOW)),
    "participation_seconds_not_negative": lambda: Participation.objects.update(seconds=-0.1),
    "participation_standing_before_whole": lambda: Participation.objects.update(rank_before=1),
    "participation_standing_after_whole": lambda: Participation.objects.update(percentile_after=1),
    "participation_joined_not_before_start": lambda: Participation.objects.update(joined_at=-1),
    "participation_left_or_stayed": lambda: Participation.objects.update(left_early=True, excused=True),
    "mode_team_counts_in_order": lambda: Mode.objects.update(team_count_min=3),
    "participation_place_of_places": lambda: Participation.objects.update(place=3, places=2),
    "rating_once_a_season": lambda: first(Rating),
    "rating_listed_is_published": lambda: Rating.objects.update(listed=True),
    "rating_region_chosen_at_some_time": lambda: Rating.objects.update(chosen_region="eu"),
    "change_once_an_event": lambda: first(Change),
    "change_of_a_match_names_it": lambda: Change.objects.update(match=None),
    "change_superseded_later": lambda: Change.objects.update(superseded_in=1),
    "rerating_state_known": lambda: rerating(state="tired"),
    "rerating_reason_given": lambda: rerating(reason=""),
    "rerating_one_waits": lambda: [rerating() for _ in range(2)],
    "next_place_is_new": lambda: NextPlace.objects.create(
        mode=Mode.objects.get(), event=Event.objects.latest("id"), next=Event.objects.earliest("id")),
    "rerating_one_runs": lambda: [rerating(state="running") for _ in range(2)],
    "void_once_at_a_time": lambda: [void() for _ in range(2)],
    "void_of_forfeit_once_at_a_time": lambda: [void(match=None, forfeit=forfeit()) for _ in range(2)],
    "void_of_a_match_or_a_forfeit": lambda: void(match=None),
    "forfeit_once_a_lobby": lambda: [Forfeit.objects.create(
        mode=Mode.objects.get(), lobby="L", player=Player.objects.first(), teams=[], reason="x", happened_at=NOW)
        for _ in range(2)],
    "forfeit_lobby_given": lambda: forfeit(lobby=""),
    "forfeit_standing_before_whole": lambda: forfeit(rank_before=1, percentile_before=1, listed_before=1),
    "forfeit_standing_after_whole": lambda: forfeit(display_after=100),
    "forfeit_rated_within_a_season": lambda: forfeit(season=Season.objects.get()),
    "void_reason_given": lambda: void(reason=""),
    "void_lifted_with_a_reason": lambda: void(lifted_at=NOW),
    "void_lifted_afterwards": lambda: void(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "incident_once_an_occasion": lambda: [incident() for _ in range(2)],
    "incident_kind_known": lambda: incident(kind="yawned"),
    "incident_occasion_given": lambda: incident(occasion=""),
    "incident_leave_names_its_match": lambda: incident(kind="leave"),
    "incident_forfeit_of_a_dropout": lambda: incident(kind="missed", forfeit=forfeit()),
    "pardon_reason_given": lambda: pardon(reason=""),
    "pardon_once_at_a_time": lambda: [pardon(incident=row) for row in [incident()] * 2],
    "pardon_lifted_with_a_reason": lambda: pardon(lifted_at=NOW),
    "pardon_lifted_afterwards": lambda: pardon(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "renaming_reason_given": lambda: renaming(reason=""),
    "renaming_once_at_a_time": lambda: [renaming() for _ in range(2)],
    "renaming_lifted_with_a_reason": lambda: renaming(lift_note="x"),
    "renaming_lifted_afterwards": lambda: renaming(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "renaming_names_given": lambda: renaming(former_name=""),
    "renaming_undone_lifts": lambda: renaming(undone=True),
    "accepted_name_given": lambda: AcceptedName.objects.create(player=Player.objects.first(), skeleton=""),
    "player_keeps_a_locked_name": lambda: Player.objects.update(locked_name="Somebody else"),
    "hiding_reason_given": lambda: hiding(reason=""),
    "hiding_once_at_a_time": lambda: [hiding() for _ in range(2)],
    "hiding_lifted_with_a_reason": lambda: hiding(lift_note="x"),
    "strike_reason_given": lambda: strike(reason=""),
    "strike_once_at_a_time": lambda: [strike() for _ in range(2)],
    "strike_lifted_with_a_reason": lambda: strike(lift_note="x"),
    "strike_lifted_afterwards": lambda: strike(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "hiding_lifted_afterwards": lambda: hiding(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "playerwarning_reason_given": lambda: warning(reason=""),
    "playerwarning_lifted_with_a_reason": lambda: warning(lift_note="x"),
    "playerwarning_lifted_afterwards": lambda: warning(lifted_at=NOW - dt.timedelta(seconds=1), lift_reason="x"),
    "complaint_case_one_open": lambda: [case() for _ in range(2)],
    "complaint_case_reviewed_with_a_reason": lambda: case(verdict="upheld", reviewed_at=NOW),
    "complaint_once_a_pair_and_match": lambda: [complaint() for _ in range(2)],
    "complaint_of_two": lambda: complaint(reporter=other()),
    "complaint_reason_known": lambda: complaint(reason="looks"),
    "player_note_text_given": lambda: note(text=""),
    "player_note_withdrawn_with_a_reason": lambda: note(withdraw_reason="x"),
    "canned_answer_texts_given": lambda: CannedAnswer.objects.create(title="x", text=""),
    "ban_act_known": lambda: ban_act(act="pause"),
    "ban_act_reason_given": lambda: ban_act(reason=""),
    "ban_limit_in_range": lambda: ban_limit(hours=0),
    "ban_limit_allows_one": lambda: ban_limit(from_queues=False, from_boards=False),
    "ban_limit_limits_something": lambda: ban_limit(hours=None),
    "proposal_open_once_a_player": lambda: [proposal() for _ in range(2)],
    "proposal_scope_known": lambda: proposal(scope="life"),
    "proposal_length_in_range": lambda: proposal(hours=87_601),
    "proposal_reason_given": lambda: proposal(reason=""),
    "proposal_decided_with_an_answer": lambda: decided_proposal(answer=""),
    "proposal_decided_afterwards": lambda: decided_proposal(decided_at=NOW - dt.timedelta(seconds=1)),
    "proposal_with_a_ban_if_confirmed": lambda: decided_proposal(decision="confirmed"),
    "proposal_decided_by_another": decided_alone,
    "reopening_of_a_decision": lambda: reopening(decision="withdrawn"),
    "reopening_reason_given": lambda: reopening(reason=""),
    "reopening_afterwards": lambda: reopening(decided_at=NOW + dt.timedelta(seconds=1)),
    "ban_scope_known": lambda: ban(scope="life"),
    "ban_reason_given": lambda: ban(reason=""),
    "ban_ends_after_start": lambda: ban(ends_at=NOW),
    "ban_lifted_with_a_reason": lambda: ban(lifted_at=NOW),
    "doubled_once_a_match": lambda: [doubled() for _ in range(2)],
    "doubled_once_a_pair": lambda: [pair(), doubled(kind="overlap", second=Match.objects.latest("pk"))],
    "doubled_of_one_or_two": lambda: doubled(kind="overlap"),
    "doubled_first_is_earlier": lambda: doubled(kind="overlap", second=Match.objects.get()),
    "doubled_dismissed_with_a_reason": lambda: doubled(dismissed_at=NOW),
    "finding_once_a_player": lambda: [finding() for _ in range(2)],
    "finding_once_a_pair": lambda: [finding(kind="trading", other=other()) for _ in range(2)],
    "finding_kind_known": lambda: finding(kind="luck"),
    "finding_of_one_or_two": lambda: finding(kind="trading"),
    "finding_of_two_different": lambda: finding(kind="sharing", other=Player.objects.get(key="a")),
    "finding_seen_after_found": lambda: finding(seen_at=NOW - dt.timedelta(seconds=1)),
    "finding_reviewed_with_a_reason": lambda: finding(verdict="dismissed", reviewed_at=NOW, reviewed_score=1),
    "device_once_a_match": lambda: [device() for _ in range(2)],
    "device_digest_given": lambda: device(digest=""),
    "appeal_of_a_ban_or_a_lockout": lambda: appeal(incident=None),
    "appeal_words_given": lambda: appeal(words=""),
    "appeal_decided_with_an_answer": lambda: appeal(decided_at=NOW, decision="granted"),
    "appeal_decided_afterwards": lambda: appeal(
        decided_at=NOW - dt.timedelta(seconds=1), decision="granted", answer="x"),
    "mode_entry_matches_of_a_mode": lambda: Mode.objects.update(entry_matches=3),
    "mode_entry_by_another": lambda: Mode.objects.update(entry_matches=3, entry_mode=F("id")),
    "audit_act_given": lambda: audit(act=""),
    "audit_reason_given": lambda: audit(reason=""),
    "outbox_once_a_consumer": lambda: [OutboxEntry.objects.create(
        consumer="x", event=Event.objects.first(), due_at=NOW) for _ in range(2)],
    "evaluation_one_at_a_time": lambda: [evaluation() for _ in range(2)],
    "evaluation_finished_or_not": lambda: evaluation(state="done"),
    "evaluation_claimed_while_running": lambda: evaluation(claimed_by="me", claimed_until=NOW),
    "fit_one_at_a_time": lambda: [fit() for _ in range(2)],
    "fit_finished_or_not": lambda: fit(state="done"),
    "fit_claimed_while_running": lambda: fit(claimed_by="me", claimed_until=NOW),
}  # fmt: skip


def saved_filter(**more):
    owner, _ = User.objects.get_or_create(username="moderator")
    SavedFilter.objects.create(
        **{"owner": owner, "list": "ranking.ban", "place": 1, "name": "x", "query": "q=x", **more}
    )


def fit(**more):
    FitRun.objects.create(mode=Mode.objects.get(), number=1, candidates=[], until=1, matches=1, asked_at=NOW, **more)


def evaluation(**more):
    EvaluationRun.objects.create(mode=Mode.objects.get(), candidates=[], until=1, matches=1, asked_at=NOW, **more)


def mode_states(*numbers):
    for number in numbers:
        ModeState.objects.create(parameters=ParameterVersion.objects.get(), generation=1, number=number, values={})


def test_there_is_a_case_for_every_constraint():
    named = {constraint.name for model in apps.get_app_config("ranking").get_models()
             for constraint in model._meta.constraints}  # fmt: skip
    assert set(CASES) == named


def test_the_database_refuses(subtests):
    make_mode()
    record(["a"], ["b"])
    for name, break_rule in CASES.items():
        with subtests.test(name=name):
            said = refusal(break_rule)
            assert name in said or "UNIQUE" in said  # SQLite names the columns of a unique constraint
