"""A module's tests share what a fixture of the module made, and nothing else."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

pytestmark = pytest.mark.usefixtures("ann", "db")
made = []


@pytest.fixture(scope="module")
def ann(module_db):
    made.append(User.objects.create_user("ann"))


@pytest.mark.parametrize("turn", range(3))
def test_each_test_finds_the_data_as_it_was_made(turn):
    assert ([*User.objects.values_list("username", "first_name")], len(made)) == ([("ann", "")], 1)
    User.objects.update(first_name=f"Ann {turn}")
    User.objects.create_user("bob")


@pytest.mark.parametrize("turn", range(2))
def test_a_transaction_that_failed_hurts_no_other_test(turn):
    User.objects.create_user("bob")
    with pytest.raises(IntegrityError):
        User.objects.create_user("bob")
    assert connection.needs_rollback


def test_what_must_not_run_inside_a_transaction_runs():
    with transaction.atomic(durable=True):
        assert User.objects.get().username == "ann"


def test_what_follows_a_commit_can_be_run(django_capture_on_commit_callbacks):
    done = []
    with django_capture_on_commit_callbacks(execute=True):
        transaction.on_commit(lambda: done.append(connection.in_atomic_block))
    assert done == [True]
