"""The catalogues of messages: which sources each collects, and how gettext's programs keep them up to date.

Only this module runs gettext; the site itself reads the committed .mo files.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation.template import templatize

KEYWORDS = (
    "gettext", "gettext_noop", "gettext_lazy", "_", "ngettext:1,2", "ngettext_lazy:1,2", "pgettext:1c,2",
    "pgettext_lazy:1c,2", "npgettext:1c,2,3", "npgettext_lazy:1c,2,3",
    "param:2",  # the meaning of a parameter of a rating system
)  # fmt: skip
# Pages of leaderboards whose words are in the catalogue of config: a player's own affairs.
OWN_PAGES = ("conduct", "appeal", "forfeit", "privacy", "people", "notices", "leave", "left", "refused")
OWN_PARTS = (
    "points", "notice", "person",
)  # fmt: skip
OWN_CODE = (
    "leaderboards/forms.py", "leaderboards/accounts", "leaderboards/notifications", "leaderboards/people",
    "leaderboards/postgame/forfeit.py", "leaderboards/views/accounts.py", "leaderboards/views/conduct.py",
    "leaderboards/views/notices.py", "leaderboards/views/people.py", "ranking/models", "ranking/moderation",
    "ranking/players/claims.py", "leaderboards/templatetags/sentences.py",
)  # fmt: skip
OWN = (
    *(f"templates/leaderboards/{page}.html" for page in OWN_PAGES),
    *(f"templates/leaderboards/parts/{part}.html" for part in OWN_PARTS),
    *OWN_CODE,
)
# The catalogue of an app: folders and files that it collects, and those within them that another one collects.
SOURCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ranking": (("ranking",), ("ranking/admin", "ranking/management", *OWN)),
    "leaderboards": (("leaderboards", "templates/leaderboards", "templates/base.html"), OWN),
    "matchmaking": (("matchmaking", "templates/matchmaking"), ("matchmaking/admin.py", "matchmaking/management")),
    "config": (
        (
            "config", "templates/account", "templates/mfa", "templates/socialaccount", "templates/403.html",
            "templates/403_csrf.html", "templates/404.html", "templates/429.html", *OWN,
        ),
        ("config/admin", "config/management"),
    ),
}  # fmt: skip


class MessagesFailed(Exception):
    """A program of gettext failed; the message is what it printed."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The messages of an app in a language."""

    app: str
    language: str

    @property
    def po(self) -> Path:
        return Path(settings.BASE_DIR) / self.app / "locale" / self.language / "LC_MESSAGES" / "django.po"

    @property
    def mo(self) -> Path:
        return self.po.with_suffix(".mo")


def languages() -> list[str]:
    """Return the languages that have a catalogue, without English."""
    return sorted({path.parts[-3] for path in Path(settings.BASE_DIR).glob("*/locale/*/LC_MESSAGES/django.po")})


def update(language: str) -> None:
    """Write every catalogue of a language anew from the sources, and compile it; translations stay."""
    for app in SOURCES:
        catalogue = Catalogue(app, language)
        catalogue.po.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(_merged(catalogue, Path(folder)), catalogue.po)
        _run("msgfmt", "--check-format", "-o", str(catalogue.mo), str(catalogue.po))


def faults(language: str) -> Iterator[str]:
    """Yield a sentence for each catalogue that is stale, and for each message without a translation."""
    for app in SOURCES:
        catalogue = Catalogue(app, language)
        name = catalogue.po.relative_to(settings.BASE_DIR)
        if not catalogue.po.exists():
            yield f"{name} is missing."
            continue
        with tempfile.TemporaryDirectory() as folder:
            merged, compiled = _merged(catalogue, Path(folder)), Path(folder) / "django.mo"
            if merged.read_text() != catalogue.po.read_text():
                yield f"{name} is stale."
            _run("msgfmt", "--check-format", "-o", str(compiled), str(catalogue.po))
            if not catalogue.mo.exists() or compiled.read_bytes() != catalogue.mo.read_bytes():
                yield f"{name.with_suffix('.mo')} is stale."
            for kind, option in (("is not translated", "--untranslated"), ("is fuzzy", "--only-fuzzy")):
                for line in _run("msgattrib", "--no-wrap", "--no-obsolete", option, str(merged)).splitlines():
                    if line.startswith("msgid ") and line != 'msgid ""':
                        yield f"{name}: {line.removeprefix('msgid ')} {kind}."


def _merged(catalogue: Catalogue, folder: Path) -> Path:
    """Return a file in `folder`: the catalogue as it should be, with the messages of the sources and no others."""
    template, merged = folder / "django.pot", folder / "django.po"
    if not _extract(catalogue.app, folder / "sources", template):
        template.write_text(_header(catalogue.language))
    old = catalogue.po.read_text() if catalogue.po.exists() else _header(catalogue.language)
    merged.write_text(old)
    options = ("--quiet", "--no-fuzzy-matching", "--no-wrap", "--sort-output", "--backup=off", "--update")
    _run("msgmerge", *options, str(merged), str(template))
    _run("msgattrib", "--no-obsolete", "--no-wrap", "--sort-output", "-o", str(merged), str(merged))
    return merged


def _extract(app: str, folder: Path, template: Path) -> bool:
    """Write the messages of an app's sources to `template`; False if there are none."""
    names = []
    for path in _sources(app):
        name = path.relative_to(settings.BASE_DIR)
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text()
        copy.write_text(text if path.suffix == ".py" else templatize(text, origin=str(name)))
        names.append(str(name))
    options = ("--language=Python", "--from-code=UTF-8", "--add-comments=Translators", "--no-wrap", "--sort-output")
    keywords = ("--keyword", *(f"--keyword={keyword}" for keyword in KEYWORDS))
    places = ("--add-location=file", f"--directory={folder}", "-o", str(template))
    _run("xgettext", *options, *keywords, *places, "--files-from=-", stdin="\n".join(sorted(names)))
    if not template.exists():
        return False
    template.write_text(template.read_text().replace("charset=CHARSET", "charset=UTF-8"))
    return True


def _sources(app: str) -> Iterator[Path]:
    included, excluded = SOURCES[app]
    root = Path(settings.BASE_DIR)
    for start in included:
        files = [root / start] if (root / start).is_file() else sorted((root / start).rglob("*"))
        for path in files:
            name = path.relative_to(root).as_posix()
            other = any(name == each or name.startswith(f"{each}/") for each in excluded if each not in included)
            if path.suffix in (".py", ".html", ".txt", ".svg") and "/migrations/" not in name and not other:
                yield path


def _header(language: str) -> str:
    """The head of a new catalogue. The plural rule is German's and English's; other languages change it."""
    return (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: Rungs\\n"\n'
        f'"Language: {language}\\n"\n'
        '"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
    )


def _run(program: str, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run([program, *arguments], input=stdin, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise MessagesFailed(f"{program}: {done.stderr.strip()}")
    return done.stdout
