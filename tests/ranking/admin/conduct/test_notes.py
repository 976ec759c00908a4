"""Notes, warnings and canned answers in the admin: written where a player is looked at, read by those who may."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from ranking.models import Ban, CannedAnswer, Player, PlayerNote, PlayerWarning
from ranking.moderation.notes import add_notes, warn_players
from ranking.players.anonymising import anonymise_player
from tests.support.factories import NOW, make_mode, make_staff, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
YES = {"confirmed": "yes"}


@pytest.fixture(scope="module", autouse=True)
def _match(module_db):
    make_mode()
    record(["a"], ["b"])


def client_of(role: str) -> Client:
    user = make_staff(role)
    client = Client()
    client.force_login(user)
    return client


def act(client, model, name, row, **given):
    address = reverse(f"admin:ranking_{model}_changelist")
    return client.post(address, {"action": name, "_selected_action": [row.pk], **given}, follow=True)


def page(client, model, row):
    return client.get(reverse(f"admin:ranking_{model}_change", args=[row.pk])).text


def b() -> Player:
    return Player.objects.get(key="b")


@pytest.mark.parametrize("model", ["leaver", "player"])
def test_a_note_is_written_on_the_page_of_a_player_and_read_there(model):
    moderator = client_of("moderator")
    assert 'form="add-note"' in page(moderator, model, b())
    answer = act(moderator, model, "note", b(), text="Shares <b>a flat</b> with a.", **YES)
    assert answer.redirect_chain == [(reverse(f"admin:ranking_{model}_change", args=[b().pk]), 302)]
    note = PlayerNote.objects.get()
    assert (note.text, note.by.username) == ("Shares <b>a flat</b> with a.", "moderator")
    assert "Shares &lt;b&gt;a flat&lt;/b&gt; with a." in answer.text
    act(moderator, "playernote", "withdraw", note, reason="It was c.", **YES)
    text = page(moderator, model, b())
    assert ("<s>Shares" in text, "Withdrawn by moderator: It was c." in text) == (True, True)


@pytest.mark.parametrize(
    ("name", "model", "answers"),
    [
        ("warn", PlayerWarning, {"reason": "Mind your words."}),
        ("note", PlayerNote, {"text": "A flat."}),
        ("ban", Ban, {"reason": "Cheats.", "scope": "both"}),
    ],
)
def test_a_form_that_is_sent_twice_is_done_once(name, model, answers):
    moderator = client_of("moderator")
    asked = act(moderator, "leaver", name, b()).context["hidden"]
    assert act(moderator, "leaver", name, b(), **asked).context["form"].errors  # asks again, and is not used up
    done = [act(moderator, "leaver", name, b(), **asked, **answers) for _ in range(2)]
    assert ["sent before" in answer.text for answer in done] == [False, True]
    assert model.objects.count() == 1
    act(moderator, "leaver", name, b(), **act(moderator, "leaver", name, b()).context["hidden"], **answers)
    assert model.objects.count() == 2


def test_the_form_for_notes_on_a_page_is_sent_once_too():
    moderator = client_of("moderator")
    once = re.search(r'name="once" value="(\w+)"', page(moderator, "leaver", b()))[1]
    for _ in range(2):
        act(moderator, "leaver", "note", b(), text="A flat.", once=once, **YES)
    assert PlayerNote.objects.count() == 1


@pytest.mark.parametrize("name", ["warn", "note", "ban"])
def test_a_player_who_has_left_for_good_is_neither_asked_about_nor_acted_on(name):
    moderator, a = client_of("moderator"), Player.objects.get(key="a")
    anonymise_player(a, now=NOW)
    address = reverse("admin:ranking_leaver_changelist")
    chosen = {"action": name, "_selected_action": [a.pk, b().pk]}
    asked = moderator.post(address, chosen)
    assert [row.pk for row in asked.context["rows"]] == [b().pk]
    answers = {"reason": "x", "text": "x", "scope": "both"}
    moderator.post(address, {**chosen, **YES, **answers})
    model = {"warn": PlayerWarning, "note": PlayerNote, "ban": Ban}[name]
    assert list(model.objects.values_list("player", flat=True)) == [b().pk]


def test_viewers_read_warnings_and_no_notes():
    add_notes([b()], text="zzmark", by=None, now=NOW)
    warn_players([b()], by=None, reason="Mind your words.", now=NOW)
    viewer = client_of("viewer")
    for model in ("leaver", "player"):
        text = page(viewer, model, b())
        assert ("zzmark" in text, "Mind your words." in text, "add-note" in text) == (False, True, False), model
    log = viewer.get(reverse("admin:ranking_auditentry_changelist")).text
    assert ("zzmark" in log, "A note for moderators." in log) == (False, True)


@pytest.mark.parametrize("text", ["", "  ", "x" * 1001])
def test_a_bad_note_is_asked_for_again(text):
    answer = act(client_of("moderator"), "leaver", "note", b(), text=text, **YES)
    assert (answer.status_code, "errornote" in answer.text, PlayerNote.objects.count()) == (200, True, 0)


def test_a_warning_says_both_texts_and_is_withdrawn():
    moderator = client_of("moderator")
    act(moderator, "leaver", "warn", b(), reason="Mind your words.", note="Twice now.", **YES)
    warning = PlayerWarning.objects.get()
    assert (warning.player, warning.reason, warning.note) == (b(), "Mind your words.", "Twice now.")
    assert "Mind your words." in page(moderator, "leaver", b())
    act(moderator, "playerwarning", "withdraw", warning, reason="A mix-up.", **YES)
    warning.refresh_from_db()
    assert warning.lift_reason == "A mix-up."
    assert 'value="withdraw"' not in page(moderator, "playerwarning", warning)


OWN_OR_CANNED = [  # what is sent, and the reason of the ban, if there is one
    ({"canned": "Words"}, "Insults cost a week."),
    ({"canned": "Words", "reason": "Insults cost a week."}, "Insults cost a week."),
    ({"reason": "My own."}, "My own."),
    ({"canned": "", "reason": "My own."}, "My own."),
    ({"canned": "Words", "reason": "My own."}, None),
    ({}, None),
    ({"canned": "Retired"}, None),
]


def test_a_canned_answer_is_sent_instead_of_a_text():
    CannedAnswer.objects.create(title="Words", text="Insults cost a week.")
    CannedAnswer.objects.create(title="Retired", text="Not any more.", offered=False)
    moderator, given = client_of("moderator"), {}
    for said, _ in OWN_OR_CANNED:
        canned = {"canned": CannedAnswer.objects.get(title=said["canned"]).pk} if said.get("canned") else {}
        with rolled_back():
            answer = act(moderator, "leaver", "ban", b(), scope="both", days="7", **{**said, **canned}, **YES)
            ban = Ban.objects.first()
            given[str(said)] = ban and ban.reason
            assert bool(answer.context.get("form") and answer.context["form"].errors) == (ban is None), said
            assert "Not any more." not in answer.text, said
    assert given == {str(said): reason for said, reason in OWN_OR_CANNED}


def test_a_canned_answer_is_put_into_the_text_and_nothing_is_done_yet():
    canned = CannedAnswer.objects.create(title="Words", text="Insults cost a week.")
    given = {"canned": canned.pk, "scope": "boards", "days": "7", "note": "Seen by three.", "insert": "yes"}
    form = act(client_of("moderator"), "leaver", "ban", b(), **given, **YES).context["form"]
    assert Ban.objects.count() == 0
    values = {name: form[name].value() for name in ("reason", "scope", "days", "note")}
    assert values == {"reason": "Insults cost a week.", "scope": "boards", "days": "7", "note": "Seen by three."}
    assert not form.errors


def test_moderators_keep_canned_answers():
    moderator = client_of("moderator")
    moderator.post("/admin/ranking/cannedanswer/add/", {"title": "Words", "text": "Insults.", "offered": "on"})
    canned = CannedAnswer.objects.get()
    moderator.post(f"/admin/ranking/cannedanswer/{canned.pk}/change/", {"title": "Words", "text": "Insults."})
    canned.refresh_from_db()
    assert (canned.text, canned.offered) == ("Insults.", False)
    double = moderator.post("/admin/ranking/cannedanswer/add/", {"title": "Words", "text": "x"})
    assert "already exists" in double.text


def test_tables_on_a_page_write_times_as_lists_do():
    add_notes([b()], text="zzmark", by=None, now=NOW)
    assert ">20 May 2026, 12:00 UTC</a>" in page(client_of("moderator"), "leaver", b())
