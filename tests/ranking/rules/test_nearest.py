"""Which known name an unknown one is most like."""

from ranking.rules.nearest import find_nearest


def test_the_nearest_name(subtests):
    known = ("duel", "6v6", "Limit")
    for name, nearest in [
        ("duel", "duel"),
        ("DUEL", "duel"),
        ("dule", "duel"),
        ("limits", "Limit"),
        ("5v6", "6v6"),
        ("battle-royale", None),
        ("bell", None),
        ("", None),
        ("x" * 100_000, None),
    ]:
        with subtests.test(name=name[:20]):
            assert find_nearest(name, known) == nearest
    assert find_nearest("duel", []) is None
