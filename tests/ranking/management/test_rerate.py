"""`manage.py rerate`: what it refuses before anything is requested."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.models import Rerating
from tests.support.factories import make_mode


@pytest.mark.django_db
@pytest.mark.parametrize("since", [-5, 0, 2**63, 99_999_999_999_999_999_999])
def test_since_must_be_a_sequence(since):
    make_mode()
    with pytest.raises(CommandError) as caught:
        call_command("rerate", "duel", since=since)
    assert caught.value.returncode == 2
    assert str(caught.value).startswith("--since ")
    assert Rerating.objects.count() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("since", [1, 2**63 - 1])
def test_any_sequence_is_taken(since):
    make_mode()
    out = StringIO()
    call_command("rerate", "duel", since=since, stdout=out)
    assert out.getvalue().startswith("0 matches of duel ")
