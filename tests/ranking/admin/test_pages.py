"""Every page opens for a superuser, none for staff without a role, and nobody deletes anything."""

import re

from django.contrib.admin import site
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    BanProposal,
    CannedAnswer,
    Change,
    Complaint,
    ComplaintCase,
    DoubledMatch,
    Event,
    Finding,
    Incident,
    Key,
    Leaver,
    Match,
    Merge,
    Mode,
    OutboxEntry,
    ParameterVersion,
    Player,
    PlayerNote,
    PlayerWarning,
    Rating,
    Rerating,
    Season,
    Snapshot,
    Source,
    Strike,
)

MODELS = [
    Appeal, AuditEntry, Ban, BanProposal, CannedAnswer, Change, Complaint, ComplaintCase, DoubledMatch, Event, Finding,
    Incident, Key, Leaver, Match, Mode, OutboxEntry, ParameterVersion, Player, PlayerNote, PlayerWarning, Rating,
    Rerating, Season, Snapshot, Source,
]  # fmt: skip
ADDED = {CannedAnswer, Key, Match, Mode, Source}
CHANGED = {
    Appeal,
    Ban,
    BanProposal,
    CannedAnswer,
    ComplaintCase,
    DoubledMatch,
    Finding,
    Incident,
    Key,
    Leaver,
    Mode,
    OutboxEntry,
    Player,
    PlayerNote,
    PlayerWarning,
    Season,
}  # all but modes, seasons and players: by actions


def page(model, name, *args):
    return reverse(f"admin:ranking_{model._meta.model_name}_{name}", args=args)


def pages(model):
    return [page(model, "changelist"), page(model, "change", model.objects.first().pk), page(model, "add")]


def test_every_model_of_the_ledger_has_its_place():
    registered = {model for model in site._registry if model._meta.app_label == "ranking"}
    assert registered == {*MODELS, Merge, Strike}  # which have files of their own


def test_who_sees_what(world, boss, clerk):
    for model in MODELS:
        assert (model, statuses(boss, model)) == (model, [200, 200, 200 if model in ADDED else 403])
        assert (model, statuses(clerk, model)) == (model, [403, 403, 403])


def statuses(client, model):
    """What a client gets of a model's list, of one of its rows, and of the page that adds one."""
    return [client.get(address).status_code for address in pages(model)]


def test_a_viewer_looks_and_does_no_more(world, clerk):
    clerk_user = User.objects.get(username="clerk")
    for model in MODELS:
        view = Permission.objects.get(codename=f"view_{model._meta.model_name}")
        clerk_user.user_permissions.set([view])
        assert (model, statuses(clerk, model)) == (model, [200, 200, 403])
        changed = clerk.post(page(model, "change", model.objects.first().pk), {"name": "mine"})
        assert (model, changed.status_code) == (model, 403)


def test_nobody_deletes(world, boss):
    for model in MODELS:
        row = model.objects.first()
        answer = boss.post(page(model, "delete", row.pk), {"post": "yes"})
        assert (model, answer.status_code) == (model, 403)
        boss.post(page(model, "changelist"), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
        assert model.objects.filter(pk=row.pk).exists(), model


def test_facts_are_not_changed(world, boss):
    for model in sorted(set(MODELS) - CHANGED, key=str):
        before = list(model.objects.values())
        answer = boss.post(page(model, "change", model.objects.first().pk), {"slug": "x"})
        assert (model, answer.status_code) == (model, 403)
        assert list(model.objects.values()) == before


def test_pages_of_django_itself_open(world, boss):
    for address in ("admin:index", "admin:auth_user_changelist", "admin:auth_group_changelist", "admin:auth_user_add"):
        assert boss.get(reverse(address)).status_code == 200, address


def test_what_history_means_is_linked(world, boss):
    match = Match.objects.get(external_id="first")
    assert f'href="{page(Match, "change", match.pk)}"' in boss.get(page(Event, "change", match.event_id)).text
    version = ParameterVersion.objects.first()
    assert page(ParameterVersion, "change", version.pk) in boss.get(page(Event, "change", version.event_id)).text


def test_a_snapshot_shows_its_distribution_and_the_list_leaves_tables_alone(world, boss, django_assert_max_num_queries):
    assert "<rect" in boss.get(page(Snapshot, "change", Snapshot.objects.get().pk)).text
    with django_assert_max_num_queries(10) as queries:
        boss.get(page(Snapshot, "changelist"))
    assert not any('"ranking_snapshot"."table"' in query["sql"] for query in queries)


MOMENT = re.compile(r"\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}(, \d\d:\d\d UTC)?")
OTHER_FORMS = re.compile(
    r"\b[ap]\.m\.|\d{4}-\d\d-\d\d[ T]\d\d:\d\d|(?:Jan|Feb|March|April|June|July|Aug|Sept|Oct|Nov|Dec)\.? \d{1,2}, \d{4}"
)


def test_times_have_one_form_with_their_zone_in_every_list(boss, world):
    seen = 0
    for model in site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        text = boss.get(reverse(f"{name}_changelist")).text
        first = model._default_manager.first()
        if first is not None and model._meta.app_label == "ranking":
            text += boss.get(reverse(f"{name}_change", args=[first.pk])).text
        text = re.sub(r"<[^>]*>", " ", text)
        assert not OTHER_FORMS.findall(text), (model, OTHER_FORMS.findall(text))
        seen += len(MOMENT.findall(text))
    assert seen > 20
