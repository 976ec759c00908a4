"""The catalogues of messages, one a language: what they collect, and how gettext's programs keep them up to date.

Only this module runs gettext.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import django
from django.conf import settings
from django.utils.translation.template import templatize

from config.languages.compiling import compile_catalogue, find_catalogues, is_compiled

KEYWORDS = (
    "gettext", "gettext_noop", "gettext_lazy", "_", "ngettext:1,2", "ngettext_lazy:1,2", "pgettext:1c,2",
    "pgettext_lazy:1c,2", "npgettext:1c,2,3", "npgettext_lazy:1c,2,3",
    "param:2",  # the meaning of a parameter of a rating system
)  # fmt: skip
# Folders and files whose messages are collected, and those within them that aren't: the admin and commands are English.
SOURCES: tuple[str, ...] = ("config", "leaderboards", "matchmaking", "ranking", "templates")
ENGLISH: tuple[str, ...] = (
    *(f"{app}/{folder}" for app in SOURCES for folder in ("admin", "management")),
    "templates/drf_spectacular",
)
_PLURALS = re.compile(r'^"Plural-Forms:(?:.*\n)*?.*\\n"$', re.MULTILINE)


class MessagesFailed(Exception):
    """A program of gettext failed; the message is what it printed."""


def catalogue(language: str) -> Path:
    """Return the file of a language's messages; the compiled file lies beside it."""
    return Path(settings.BASE_DIR) / "locale" / language / "LC_MESSAGES" / "django.po"


def languages() -> list[str]:
    """Return the languages that have a catalogue, without English."""
    return [po.parts[-3] for po in find_catalogues(Path(settings.BASE_DIR))]


def update(language: str) -> None:
    """Write the catalogue of a language anew from the sources, and compile it; translations stay."""
    po = catalogue(language)
    po.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(_merged(language, Path(folder)), po)
    _check_formats(po)
    compile_catalogue(po)


def faults(language: str) -> Iterator[str]:
    """Yield a sentence if the catalogue is stale, and for each message without a translation."""
    po = catalogue(language)
    name = po.relative_to(settings.BASE_DIR)
    if not po.exists():
        yield f"{name} is missing."
        return
    with tempfile.TemporaryDirectory() as folder:
        merged = _merged(language, Path(folder))
        if merged.read_text() != po.read_text():
            yield f"{name} is stale."
        _check_formats(po)
        if not is_compiled(po):
            yield f"{name.with_suffix('.mo')} is stale."
        for kind, option in (("is not translated", "--untranslated"), ("is fuzzy", "--only-fuzzy")):
            for line in _run("msgattrib", "--no-wrap", "--no-obsolete", option, str(merged)).splitlines():
                if line.startswith("msgid ") and line != 'msgid ""':
                    yield f"{name}: {line.removeprefix('msgid ')} {kind}."


def _merged(language: str, folder: Path) -> Path:
    """Return a file in `folder`: the catalogue as it should be, with the messages of the sources and no others."""
    template, merged = folder / "django.pot", folder / "django.po"
    if not _extract(folder / "sources", template):
        template.write_text(_header(language))
    po = catalogue(language)
    old = po.read_text() if po.exists() else _header(language)
    merged.write_text(old)
    options = ("--quiet", "--no-fuzzy-matching", "--no-wrap", "--sort-output", "--backup=off", "--update")
    _run("msgmerge", *options, str(merged), str(template))
    _run("msgattrib", "--no-obsolete", "--no-wrap", "--sort-output", "-o", str(merged), str(merged))
    return merged


def _extract(folder: Path, template: Path) -> bool:
    """Write the messages of the sources to `template`; False if there are none."""
    names = []
    for path in _sources():
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


def _sources() -> Iterator[Path]:
    root = Path(settings.BASE_DIR)
    for start in SOURCES:
        files = [root / start] if (root / start).is_file() else sorted((root / start).rglob("*"))
        for path in files:
            name = path.relative_to(root).as_posix()
            english = any(name.startswith(f"{each}/") for each in ENGLISH)
            if path.suffix in (".py", ".html", ".txt", ".svg") and "/migrations/" not in name and not english:
                yield path


def _header(language: str) -> str:
    """The head of a new catalogue, with the plural rule that Django has for the language, else that of English."""
    known = Path(django.__file__).parent / "conf" / "locale" / language / "LC_MESSAGES" / "django.po"
    rule = _PLURALS.search(known.read_text()) if known.exists() else None
    return (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: Rungs\\n"\n'
        f'"Language: {language}\\n"\n'
        '"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        + (rule[0] if rule else '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"')
        + "\n"
    )


def _check_formats(po: Path) -> None:
    """Raise MessagesFailed if a translation lacks a value of its message, such as %(name)s, or has another."""
    _run("msgfmt", "--check-format", "-o", os.devnull, str(po))


def _run(program: str, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run([program, *arguments], input=stdin, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise MessagesFailed(f"{program}: {done.stderr.strip()}")
    return done.stdout
