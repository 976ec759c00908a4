"""Every page says nothing but messages, each a sentence of its own; the catalogues of German are complete and fresh."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from gettext import GNUTranslations
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from config import checks
from config.languages import catalogues, compiling
from ranking.models import Match
from tests.support.browsed_sites import fill_empty_site, fill_past_season, fill_site
from tests.support.match_pages import fill_matches
from tests.support.pages import ENTRANCE, OWN, PAST, empty, full
from tests.support.pseudo_locale import faults_of, pseudo_locale

CATALOGUES = compiling.find_catalogues(compiling.ROOT)
GETTEXT = pytest.mark.skipif(shutil.which("xgettext") is None, reason="needs the programs of gettext")


def crawl(client: Client, addresses: Iterable[str]) -> dict[str, str]:
    """Faults, each with a page that has it."""
    faults, seen = {}, 0
    with pseudo_locale() as code:
        for address in addresses:
            response = client.get(f"{address}{'&' if '?' in address else '?'}lang={code}")
            body = response.content.decode()
            if response.status_code == 200:
                seen += 1
                assert f'<html lang="{code}"' in body, address
                if found := [*faults_of(body)]:
                    faults[address] = found
    assert seen > 3
    return {fault: address for address, found in faults.items() for fault in found}


@pytest.mark.django_db
@pytest.mark.parametrize("entered", [False, True])
def test_pages_of_a_full_site_say_only_messages(client: Client, entered: bool) -> None:
    fill_site()
    fill_past_season()
    if entered:
        client.force_login(User.objects.get(username="fox"))
    team_match = Match.objects.filter(mode__slug="team").latest("pk").pk
    own = OWN if entered else [f"/account/{name}/" for name in ENTRANCE]
    assert crawl(client, [*full(team_match), *PAST, *own]) == {}


@pytest.mark.django_db
def test_pages_of_matches_say_only_messages_by_every_system(client: Client) -> None:
    addresses = fill_matches()
    client.force_login(User.objects.get(username="fox"))
    assert crawl(client, addresses) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("entered", [False, True])
def test_pages_of_an_empty_site_say_only_messages(client: Client, entered: bool) -> None:
    fill_empty_site()
    if entered:
        client.force_login(User.objects.get(username="fox"))
    assert crawl(client, empty()) == {}


def test_the_crawl_sees_words_that_are_no_message() -> None:
    pages = [
        ("<p>⟦Rank⟧</p><p>12</p>", []),
        ("<p>Rank</p>", ["not a message: Rank"]),
        ('<p translate="no">kestrel</p>', []),
        ("<p>⟦Here⟧ ⟦there⟧</p>", ["two messages in one block: □ □"]),
        ("<p>⟦Here⟧ · ⟦there⟧</p>", []),
        ("<p>⟦Rank <span>of</span> all⟧</p>", []),
        ("<p>⟦Here is <b>⟦this⟧</b>⟧</p>", []),
        ("<p><b>⟦Rank⟧</b> ⟦of⟧</p>", ["two messages in one block: <b>□</b> □"]),
        ('<img alt="Gold">', ["attribute: Gold"]),
    ]
    assert {body: [*faults_of(body)] for body, _ in pages} == dict(pages)


@GETTEXT
@pytest.mark.parametrize("language", catalogues.languages())
def test_the_catalogues_are_complete_and_fresh(language: str) -> None:
    assert [*catalogues.faults(language)] == []


def messages(mo: Path) -> tuple[dict[Any, str], list[int]]:
    """What Python's gettext reads, without the header: the text of each message and form, and forms by number."""
    with mo.open("rb") as file:
        read: Any = GNUTranslations(file)
    return {key: text for key, text in read._catalog.items() if key}, [read.plural(number) for number in range(200)]


@GETTEXT
@pytest.mark.parametrize("po", CATALOGUES)
def test_messages_are_those_that_gettext_compiles(po: Path, tmp_path: Path) -> None:
    subprocess.run(["msgfmt", "-o", tmp_path / "django.mo", po], check=True)
    assert messages(po.with_suffix(".mo")) == messages(tmp_path / "django.mo")


def compile_copy(folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile a copy's catalogues as make does, with no programs, settings or secrets."""
    command = [sys.executable, "-m", "config.languages.compiling"]
    return subprocess.run(command, cwd=folder, env={"RUNGS_PROFILE": "scaled"}, capture_output=True, text=True)


def test_a_catalogue_that_is_not_compiled_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.BASE_DIR = tmp_path
    for name in ("config/__init__.py", "config/languages/__init__.py", "config/languages/compiling.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(compiling.ROOT / name, tmp_path / name)
    [po, *_] = [tmp_path / po.relative_to(compiling.ROOT) for po in CATALOGUES]
    po.parent.mkdir(parents=True)
    po.write_text('msgid "Rank"\nmsgstr "Rang"\n')

    def ids() -> list[str | None]:
        return [error.id for error in checks.check_catalogues(None)]

    assert ids() == ["rungs.E006"]  # missing
    assert (compile_copy(tmp_path).returncode, ids()) == (0, [])
    po.write_text('msgid "Rank"\nmsgstr "Platz"\n')
    assert ids() == ["rungs.E006"]  # stale
    assert (compile_copy(tmp_path).returncode, ids()) == (0, [])
    assert messages(po.with_suffix(".mo"))[0] == {"Rank": "Platz"}
    po.write_text('msgid "Rank"\nRang\n')
    assert compile_copy(tmp_path).stderr.startswith(f"Syntax error in po file {po} (line 2)")


@GETTEXT
def test_a_new_language_is_one_command_and_one_file(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "leaderboards").mkdir()
    (tmp_path / "leaderboards" / "words.py").write_text("gettext('Rank')\nngettext('%(n)s day', '%(n)s days', 2)\n")
    settings.BASE_DIR = tmp_path
    call_command("messages", "fr")
    [po, mo] = sorted(path for path in (tmp_path / "locale").rglob("*") if path.is_file())[::-1]
    assert (po.name, mo.name) == ("django.po", "django.mo")
    assert "plural=(n > 1)" in po.read_text()  # the rule of French, as Django knows it
    assert 'msgid "Rank"\nmsgstr ""' in po.read_text()
    with pytest.raises(CommandError, match='"Rank" is not translated'):
        call_command("messages", "--check")
    text = po.read_text().replace('msgid "Rank"\nmsgstr ""', 'msgid "Rank"\nmsgstr "Rang"')
    po.write_text(
        text.replace('msgstr[0] ""', 'msgstr[0] "%(n)s jour"').replace('msgstr[1] ""', 'msgstr[1] "%(n)s jours"')
    )
    with pytest.raises(CommandError, match=r"django\.mo is stale"):
        call_command("messages", "--check")
    call_command("messages")
    done = StringIO()
    call_command("messages", "--check", stdout=done)
    assert done.getvalue() == "Complete: fr.\n"


@GETTEXT
def test_a_new_language_has_as_many_forms_as_its_plural(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "ranking").mkdir()
    (tmp_path / "ranking" / "words.py").write_text("ngettext('%(n)s day', '%(n)s days', 2)\n")
    settings.BASE_DIR = tmp_path
    call_command("messages", "pl")
    text = catalogues.catalogue("pl").read_text()
    assert ("nplurals=4" in text, 'msgstr[3] ""' in text) == (True, True)
