"""How far a long command is, where its output is a file."""

from ranking.operations import progress
from ranking.operations.progress import progress_bar


def test_a_file_gets_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress_bar(unit="matches", total=4) as bar:
        for _ in range(4):
            bar.update()
    lines = [line for line in capsys.readouterr().err.splitlines() if line]
    assert lines[0].startswith(" 25% 1/4 [")
    assert lines[-1].startswith("100% 4/4 [")
    assert "\r" not in "".join(lines)


def test_a_short_command_writes_none(capsys):
    with progress_bar(unit="matches", total=4) as bar:
        bar.update(4)
    assert capsys.readouterr().err == ""
