"""A request that fails while the database answers: log lines and page hold nothing of what was sent or configured."""

from itertools import product

import pytest
from django.contrib.auth.models import User

from leaderboards.models import Delivery
from leaderboards.webhooks.deliveries import deliver_due
from leaderboards.webhooks.queueing import queue_test
from leaderboards.webhooks.signing import secret_of
from tests.support.factories import NOW
from tests.support.log_lines import caught_logs
from tests.support.mail_servers import send_to_server
from tests.support.servers import free_port
from tests.support.webhooks import make_hook

KEY, CODE, PASSWORD, MAIL = "rungs_0a1b2c3d_APIKEYabcdefghijklmnopqrstuvwx", "CLAIMC0DE", "TYPEDpw#1", "MAILpw"

pytestmark = pytest.mark.django_db


def test_a_view_that_raises(settings, client):
    settings.ROOT_URLCONF = "tests.support.failing_urls"
    client.raise_request_exception = False
    client.cookies["sessionid"] = session = "sessionkeysessionkeysessionkey12"
    headers = {"authorization": f"Bearer {KEY}", "accept": "text/html"}
    cases, given = [*product(("/crash/", "/api/crash/", "/lost/"), (True, False), (True, False))], {}
    for path, settings.DEBUG, as_json in cases:
        with caught_logs(json=as_json) as text:
            answer = client.post(f"{path}?code={CODE}", {"password": PASSWORD}, headers=headers)
        shown = answer.text + text.getvalue()
        leaked = [secret for secret in (KEY, CODE, PASSWORD, session, settings.SECRET_KEY) if secret in shown]
        given[path, settings.DEBUG, as_json] = (answer.status_code in (500, 503), "Error: " in text.getvalue(), leaked)
    assert given == dict.fromkeys(cases, (True, True, []))


def test_mail_that_is_refused(settings, client):
    send_to_server(settings, port=free_port(), username="someone", password=MAIL)
    settings.SENDS_MAIL = True
    User.objects.create_user("fox", "fox@example.org", PASSWORD)
    with caught_logs(json=True) as text:
        answer = client.post("/account/password/reset/", {"email": "fox@example.org"})
    assert (answer.status_code, "mail_not_sent" in text.getvalue()) == (302, True)
    assert [secret for secret in (MAIL, PASSWORD, "/reset/key/") if secret in text.getvalue()] == []


def test_a_webhook_that_is_refused():
    hook = make_hook(url="https://127.0.0.1/hook/TOKENinURL?key=TOKENinURL")
    with caught_logs(json=True) as text:
        queue_test(hook, NOW)
        deliver_due(NOW)
    assert Delivery.objects.get().last_error == "Forbidden: 127.0.0.1 isn't an address of the public internet."
    kept = text.getvalue() + Delivery.objects.get().last_error
    assert [secret for secret in ("TOKENinURL", secret_of(hook)) if secret in kept] == []


def test_a_form_of_the_admin_with_an_error(client):
    client.force_login(User.objects.create_superuser("root", password=PASSWORD))
    with caught_logs(json=True) as text:
        answer = client.post(
            "/admin/auth/user/add/?code=" + CODE, {"username": "", "password1": "pw-NEW-1", "password2": "x"}
        )
    assert [secret for secret in (CODE, "pw-NEW-1", PASSWORD) if secret in text.getvalue()] == []
    assert "pw-NEW-1" not in answer.text
