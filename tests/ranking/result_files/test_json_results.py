"""JSON Lines and arrays are split at any size of the pieces, and say where they break."""

import io
import json

import pytest

from ranking.result_files import json_results
from ranking.result_files.json_results import split_array, split_lines
from ranking.result_files.options import BadFile

OBJECTS = [{"a": 'x "[{\\" y', "b": [1, [2, {"c": "\\"}]]}, {}, {"ä": "}\n"}]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 65_536])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_in_pieces(monkeypatch, chunk, indent):
    monkeypatch.setattr(json_results, "_CHUNK", chunk)
    text = "\ufeff" + json.dumps(OBJECTS, indent=indent, ensure_ascii=False) + "\n"
    pieces = list(split_array(io.BytesIO(text.encode()), 1_000))
    assert [json.loads(piece) for _, piece in pieces] == OBJECTS
    for number, piece in pieces:
        assert text.splitlines()[number - 1].strip("\ufeff").lstrip(" [").startswith("{") or indent is None
        assert number == text.encode()[: text.encode().index(piece)].count(b"\n") + 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[{"a": 1},\n{"b": 2}', "line 2: the file ends before the array does, so it isn't whole."),
        ('[{"a": 1},\n{"b": "', "line 2: the file ends before the array does"),
        ('[{"a": 1},\n7, {}]', "line 2: an array of results has objects, and commas between them"),
        ("[{}, 7]", "line 1: an array of results has objects"),
        ("[\n[1], 2]", "line 2: an array of results has objects"),
        ('[{"a": "' + "x" * 200 + '"}]', "line 1: an object has over 50 bytes"),
    ],
)
def test_where_an_array_breaks(monkeypatch, text, sentence):
    monkeypatch.setattr(json_results, "_CHUNK", 8)
    with pytest.raises(BadFile) as caught:
        list(split_array(io.BytesIO(text.encode()), 50))
    assert str(caught.value).startswith(sentence)


def test_lines():
    file = io.BytesIO(b"ab\r\n\n  \n" + b"x" * 30 + b"\ncd\n" + b"y" * 11 + b"\nlast")
    assert list(split_lines(file, 10)) == [(1, b"ab\r\n"), (4, None), (5, b"cd\n"), (6, None), (7, b"last")]
