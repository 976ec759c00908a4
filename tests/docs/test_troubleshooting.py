"""What docs/troubleshooting.md quotes is what the program says, and every variable and page that it names is there."""

import re

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
QUOTED = sorted(
    {
        text
        for row in re.findall(r"^\| (.+?) \|", PAGE, re.MULTILINE)
        for text in re.findall(r"`([^`]+)`", row)
        if re.search(r"[a-z] [a-z]|_", text) and not text.startswith(("RUNGS_", "rungs_"))
    }
    | set(re.findall(r"`(RUNGS_\w+ can't [^`]+)`", PAGE))
)
FROM_ELSEWHERE = {  # the words of SQLite, PostgreSQL, and providers of log-ins
    "does not exist",
    'prepared statement "_pg3_1" already exists',
    "invalid_client",
    "redirect_uri",
    "database is locked",
    "attempt to write a readonly database",
    "cannot execute … in a read-only transaction",
}
NAMES = re.findall(r"`\*?(RUNGS_\w+)", PAGE)


def program() -> str:
    """All that may be said: code, templates and what Docker reads, with literals that are split over lines joined."""
    folders = ("config", "ranking", "leaderboards", "matchmaking", "bin")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", "")]
    texts = [path.read_text() for path in (*files, ROOT / "compose.yaml") if path.is_file()]
    return re.sub(r'"\s*\n\s*f?"', "", "\n".join(texts)).replace('\\"', '"')


def test_the_program_says_what_is_quoted() -> None:
    text = program()
    assert [said for said in QUOTED if said not in FROM_ELSEWHERE and without_name(said) not in text] == []


def without_name(sentence: str) -> str:
    """A sentence about a variable holds its name in braces in the code."""
    return re.sub(r"^RUNGS_\w+", "", sentence)


def test_enough_is_quoted() -> None:
    assert len(QUOTED) >= 18


def test_every_variable_is_in_the_table() -> None:
    known = set(re.findall(r"RUNGS_\w+", (ROOT / "docs" / "operating.md").read_text()))
    assert set(NAMES) <= known


def test_it_is_linked() -> None:
    for page in ("docs/README.md", "docs/operating.md", "docs/runbook.md"):
        assert "troubleshooting.md)" in (ROOT / page).read_text(), page
    for target in re.findall(r"\]\(([\w.-]+\.md)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
