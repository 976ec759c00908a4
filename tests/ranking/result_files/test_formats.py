"""Files are recognised by how they begin; others are refused by one sentence with a line that works."""

import io
import zipfile

import pytest

from ranking.result_files.formats import HEADINGS, LINE, find_format
from ranking.result_files.options import BadFile


def workbook():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (LINE, "jsonl"),
        (f"\ufeff\n{LINE}\n", "jsonl"),
        ('{"mode": \n' + LINE, "jsonl"),  # its first line is bad, and will be named
        ("[\n {}]", "json"),
        (f"{HEADINGS}\nann,bob,3,1,2026-01-31\n", "csv"),
        ("[1,2]", "json"),
    ],
)
def test_what_a_file_is(head, format):
    assert find_format(head.encode()) == format


def test_what_is_no_file_of_results(subtests):
    for head, sentence in (
        (b"", "is empty."),
        (b"\xef\xbb\xbf \r\n\n", "is empty."),
        (workbook(), "is an Excel workbook or another ZIP file; save its sheet as “CSV UTF-8”."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "is an Excel workbook; save"),
        (b"\x1f\x8b\x08", "is compressed; unpack it by gunzip."),
        ("player1,player2".encode("utf-16"), "is text in UTF-16; save it in UTF-8."),
        (b"%PDF-1.7", "is a PDF."),
        (b"a\0b", "isn't a text file."),
        (b'[Event "Club evening"]\n[White "Ann"]', "looks like PGN; docs/importing.md has recipes."),
        (b"player1,player2\rann,bob\r", "has lines that end as on old Macs (CR alone); save it with the line ends of"),
        (b"<html>", "looks like XML or HTML."),
        (b'{\n  "teams": {}', "looks like one JSON object over several lines: write one result a line;"),
        (
            b'{"event": "map_result", "matchid": 7}',
            "is JSON, but not of results: its first object has 'event', 'matchid';",
        ),
    ):
        with subtests.test(sentence), pytest.raises(BadFile) as caught:
            find_format(head)
        assert str(caught.value).startswith(sentence)
        assert str(caught.value).count(LINE) == str(caught.value).count("ann,bob,3,1,2026-01-31") == 1


def test_a_format_that_is_asked_for_is_taken(subtests):
    assert find_format(b"<a>,b", "csv") == "csv"
    with pytest.raises(BadFile, match="the formats are jsonl, json, csv"):
        find_format(b"x", "xml")
