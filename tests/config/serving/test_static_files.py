"""Pages and static files on their way to the browser: compressed, and kept for as long as they stay the same."""

import gzip
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static

from config.serving.static_files import digest_of

pytestmark = pytest.mark.skipif(settings.SCALED, reason="of the embedded profile")


@pytest.mark.django_db
def test_pages_are_compressed(client):
    plain, packed = client.get("/"), client.get("/", headers={"accept-encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "name", "encoding"),
    [
        ("get", "css/base.css", "gzip"),
        ("get", "vendor/htmx-2.0.11.min.js", "gzip"),
        ("get", "mark.svg", "gzip"),
        ("get", "fonts/archivo-latin.woff2", None),
        ("head", "css/base.css", None),
    ],
)
def test_static_files_are_compressed_if_that_makes_them_smaller(client, method, name, encoding):
    answer = getattr(client, method)(f"/static/{name}", headers={"accept-encoding": "gzip"})
    content = b"".join(answer.streaming_content)
    assert answer.get("Content-Encoding") == encoding
    if encoding:
        assert gzip.decompress(content) == Path(finders.find(name)).read_bytes()
    answer.close()


@pytest.mark.django_db
def test_files_that_no_page_loads_are_not_there(client):
    names = {name for finder in finders.get_finders() for name, _ in finder.list(None)}
    assert [name for name in names if name.endswith(".map") or "redoc" in name] == []
    assert "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js" in names
    assert client.get("/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css.map").status_code == 404


@pytest.mark.django_db
def test_a_file_that_has_not_changed_is_not_sent(client):
    first = client.get("/static/css/base.css", headers={"accept-encoding": "gzip"})
    tag = first["ETag"]
    first.close()
    answer = client.get("/static/css/base.css", headers={"accept-encoding": "gzip", "if-none-match": tag})
    assert (answer.status_code, b"".join(answer.streaming_content)) == (304, b"")


@pytest.mark.django_db
def test_browsers_keep_static_files_until_they_change(client):
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get("/").content.decode())
    assert len(addresses) >= 6
    digested = re.compile(r"/static/([\w./-]+\?v=[0-9a-f]{12}|fonts/[\w-]+\.woff2)")  # sheets name fonts without
    assert [address for address in addresses if not digested.fullmatch(address)] == []
    for address in addresses:
        answer = client.get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "max-age=2592000, public")
        b"".join(answer.streaming_content)
        answer.close()


def test_the_digest_is_that_of_the_content(tmp_path, settings):
    settings.STATICFILES_DIRS = [tmp_path]
    finders.get_finder.cache_clear()
    digests = set()
    for content in ("a", "b", "a"):
        (tmp_path / "one.css").write_text(content)
        digest_of.cache_clear()
        digests.add(digest_of("one.css"))
    assert len(digests) == 2
    assert digest_of("none.css") == ""
    finders.get_finder.cache_clear()
    digest_of.cache_clear()


@pytest.mark.django_db
def test_pages_preload_the_font_from_the_address_that_the_sheet_uses(client):
    [preloaded] = re.findall(r'rel="preload" href="([^"]+)"', client.get("/").text)
    sheet = static("css/tokens.css")
    [used, *rarer] = re.findall(r'url\("([^"]+)"\)', Path(finders.find("css/tokens.css")).read_text())
    assert urljoin(sheet, used) == preloaded
    assert [name for name in rarer if not finders.find(urljoin("css/", name))] == []
