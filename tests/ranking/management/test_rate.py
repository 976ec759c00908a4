"""The calculator as a game's script uses it: a process, files and exit statuses."""

import io
import json
import sys

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

GOOD = '{"system": "elo", "teams": [{"place": 1, "players": [{"id": "a", "skill": null}]}, {"place": 2, "players": [{"id": "b", "skill": null}]}]}'  # noqa: E501
BAD = GOOD.replace("elo", "elk")


def run(tmp_path, *lines):
    """Answers, and the error of the command, for a file of these lines."""
    path = tmp_path / "matches.jsonl"
    path.write_bytes(b"\n".join(line.encode("utf-8", "surrogateescape") for line in lines))
    return run_on(str(path))


def run_on(*args):
    out = io.StringIO()
    try:
        call_command("rate", *args, stdout=out)
    except CommandError as error:
        return [json.loads(line) for line in out.getvalue().splitlines()], error
    return [json.loads(line) for line in out.getvalue().splitlines()], None


def test_answers_come_in_order_one_a_line(tmp_path):
    answers, error = run(tmp_path, GOOD, "", GOOD.replace('"place": 1', '"place": 3'))
    assert [a["teams"][0]["players"][0]["display"] for a in answers] == ["25.26", "24.74"]
    assert error is None


def test_a_refused_line_does_not_stop_the_rest(tmp_path):
    answers, error = run(tmp_path, GOOD, BAD, GOOD)
    assert [list(a) for a in answers] == [["teams"], ["error"], ["teams"]]
    assert error.returncode == 1
    assert str(error).startswith("1 of 3 lines ")
    assert f"line 2 of {tmp_path / 'matches.jsonl'}" in str(error)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "{",
            "Line 2 isn't JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1).",
        ),
        (GOOD.replace("null", "NaN"), "Line 2 isn't JSON: NaN is no JSON number."),
        ('{"duration": -Infinity}', "Line 2 isn't JSON: -Infinity is no JSON number."),
        ("\udcff", "Line 2 isn't UTF-8."),
        ("[" * 100_000, "Line 2 is nested too deeply."),
        ('{"duration": 1e999, "system": "elo", "teams": []}', "duration must be a finite number, not inf."),
        ("3", "The line must be an object, not 3."),
    ],
)
def test_a_line_that_cannot_be_read(tmp_path, line, sentence):
    answers, error = run(tmp_path, GOOD, line)
    assert answers[1] == {"error": sentence}
    assert error.returncode == 1


def test_standard_input_is_the_default(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    answers, error = run_on()
    assert (len(answers), error) == (1, None)


def test_an_unreadable_file_is_named(tmp_path):
    _, error = run_on(str(tmp_path / "nothing.jsonl"))
    assert error.returncode == 2
    assert str(error).startswith(f"{tmp_path / 'nothing.jsonl'} can't be read")
