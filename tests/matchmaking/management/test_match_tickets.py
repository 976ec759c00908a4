"""The matcher as a script uses it."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.support.match_rules import broken_rules
from tests.support.tickets import document


def run(path, *options):
    out = io.StringIO()
    call_command("match_tickets", str(path), *options, stdout=out)
    return json.loads(out.getvalue())


def test_answers_matches_and_the_time_they_took(tmp_path):
    content, path = document(3, 300), tmp_path / "tickets.json"
    path.write_text(json.dumps(content))
    answer = run(path, "--team-size", "4")
    assert set(answer) == {"matches", "seconds"}
    assert broken_rules(content, answer["matches"], 4) == set()
    assert len(answer["matches"]) > 5
    assert answer["seconds"] > 0
    assert broken_rules(content, run(path, "--team-size", "2", "--team-count", "3")["matches"], 2, 3) == set()


@pytest.mark.parametrize(("text", "options", "sentence"), [
    (None, ["--team-size", "4"], "can't be read: No such file or directory"),
    ("{", ["--team-size", "4"], "can't be matched: Expecting property name"),
    ("{}", ["--team-size", "4"], "is no ticket file: 'meta' is missing."),
    ('{"meta": {"now": 1}, "tickets": []}', ["--team-size", "0"], "two teams of one or more, not 2 of 0."),
])  # fmt: skip
def test_refuses_in_a_sentence(tmp_path, text, options, sentence):
    path = tmp_path / "tickets.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CommandError) as refusal:
        run(path, *options)
    assert sentence in str(refusal.value)


def test_an_empty_file_has_no_matches(tmp_path):
    path = tmp_path / "tickets.json"
    path.write_text('{"meta": {"now": 1}, "tickets": []}')
    assert run(path, "--team-size", "4")["matches"] == []
