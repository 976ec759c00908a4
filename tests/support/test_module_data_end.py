"""Data of a module ends with it, and only tests that nest in its transaction may share it."""

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests.support.module_data import check_all_share, rolled_back_in_the_end


@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_behind():
    with rolled_back_in_the_end():
        User.objects.create_user("ann")
    assert not User.objects.exists()
    assert connection.get_autocommit()


@pytest.mark.django_db
def marked():
    pass


@pytest.mark.django_db(transaction=True)
def marked_with_commits(module_db):
    pass


def sharing(module_db, db):
    pass


def neither():
    pass


def without_data(db):
    pass


def without_db(module_db):
    pass


def with_commits(module_db, transactional_db):
    pass


def with_server(module_db, db, live_server):
    pass


def test_who_shares(request):
    """Who asks for the data alone would change it; who asks for `db` alone would find it or not, by their order."""
    given = {}
    for function in (
        sharing,
        neither,
        marked,
        marked_with_commits,
        without_data,
        without_db,
        with_commits,
        with_server,
    ):
        test = pytest.Function.from_parent(request.node.parent, name=function.__name__, callobj=function)
        try:
            given[function.__name__] = check_all_share([test])
        except pytest.UsageError as error:
            given[function.__name__] = str(error).removeprefix(f"{test.nodeid} ").split()[0]
    assert given == {
        "sharing": None,
        "neither": None,
        "marked": "must",
        "marked_with_commits": "commits,",
        "without_data": "must",
        "without_db": "must",
        "with_commits": "commits,",
        "with_server": "commits,",
    }
