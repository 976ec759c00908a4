"""Health and metrics: who may read, what they say, and that nothing else stands in their way."""

import re

import pytest

TOKEN = "a-token-that-is-long-enough"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nobody(settings):
    settings.METRICS_TOKEN, settings.METRICS_ALLOW = "", []


def status(client, path="/metrics", token="", address="198.51.100.1"):
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return client.get(path, headers=headers, REMOTE_ADDR=address).status_code


def test_by_default_nobody_reads_metrics(client):
    assert (status(client), status(client, token="x"), status(client, address="127.0.0.1")) == (403, 403, 403)


def test_a_token_opens_metrics(client, settings):
    settings.METRICS_TOKEN = TOKEN
    assert (status(client), status(client, token=TOKEN[:-1]), status(client, token=TOKEN)) == (403, 403, 200)


def test_a_network_opens_metrics(client, settings):
    settings.METRICS_ALLOW = ["198.51.100.0/28", "2001:db8::/32"]
    addresses = ("198.51.100.15", "198.51.100.16", "2001:db8::5", "::1")
    assert [status(client, address=address) for address in addresses] == [200, 403, 200, 403]


def test_what_metrics_say(client, settings):
    settings.METRICS_TOKEN = TOKEN
    text = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE rungs_")}
    assert names == set(
        "rungs_results_total rungs_rating_seconds rungs_publish_seconds rungs_outbox_depth rungs_outbox_parked"
        " rungs_outbox_oldest_seconds rungs_unrated_matches rungs_unrated_oldest_seconds rungs_board_age_seconds"
        " rungs_mode_held rungs_job_seconds rungs_job_failures_total rungs_job_item_failures_total"
        " rungs_job_messages_dropped_total rungs_job_last_success_timestamp_seconds"
        " rungs_job_interval_seconds rungs_job_late_after_seconds"
        " rungs_heartbeat_failures_total rungs_http_requests_total rungs_http_seconds rungs_kept_pages_total"
        " rungs_queue_waiting_players"
        " rungs_queue_waiting_tickets rungs_queue_players_needing_servers rungs_queue_free_places"
        " rungs_queue_oldest_wait_seconds rungs_queue_tick_age_seconds"
        " rungs_queue_tick_seconds rungs_queue_matches_formed_total rungs_lobbies rungs_servers rungs_server_places"
        " rungs_server_failed_starts rungs_server_matches"
        " rungs_webhook_backlog rungs_webhook_oldest_seconds rungs_webhook_parked rungs_webhook_messages_total"
        " rungs_database_up rungs_database_seconds rungs_database_errors_total rungs_cache_errors_total"
        " rungs_metrics_unread rungs_ready rungs_info rungs_disk_free_bytes rungs_disk_size_bytes".split()
    ) | {name for name in names if name.endswith("_created")}


@pytest.mark.parametrize("path", ["/health/live", "/api/v1/health/live", "/api/v1/health/live/", "/health/ready"])
def test_operators_need_neither_https_nor_the_sites_name(client, settings, path):
    settings.SECURE_SSL_REDIRECT = True
    assert client.get(path, headers={"host": "10.0.0.7:8000"}).status_code == 200


def test_readiness_refuses_to_check_nothing(client):
    answer = client.get("/health/ready?only=moon")
    assert (answer.status_code, answer.json()["ready"]) == (400, False)


def test_readiness_tells_of_missing_migrations(client):
    from django.db.migrations.recorder import MigrationRecorder

    MigrationRecorder.Migration.objects.filter(app="sessions").delete()
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    assert re.findall(r"\d+|manage\.py \w+", answer.json()["checks"]["migrations"]) == ["1", "manage.py migrate"]
