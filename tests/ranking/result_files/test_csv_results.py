"""CSV as people have it: each row a match, or a player; what its columns mean; and what is wrong with a line."""

import io

import pytest

from ranking.result_files.csv_results import CSVResults
from ranking.result_files.options import BadFile, FileOptions

LONGEST = 1_000


def read(text, *, longest=LONGEST, **columns):
    data = text if isinstance(text, bytes) else text.encode()
    return list(CSVResults(io.BytesIO(data), longest, FileOptions(columns=columns)).read())


def duel(first, second, day="2026-01-31", **more):
    teams = [{**outcome, "players": [{"id": player}]} for player, outcome in (first, second)]
    return {"ended_at": day, **more, "teams": teams}


WON, LOST = {"score": 3}, {"score": 1}
FIRST, SECOND = {"place": 1}, {"place": 2}


def test_rows_of_duels(subtests):
    scored = duel(("ann", WON), ("bob", LOST))
    placed = duel(("ann", FIRST), ("bob", SECOND))
    even = duel(("ann", FIRST | LOST), ("bob", SECOND | LOST))
    won = duel(("ann", FIRST | WON), ("bob", SECOND | LOST))
    for name, text, result in (
        ("plain", "player1,player2,score1,score2,ended_at\nann,bob,3,1,2026-01-31\n", scored),
        ("Windows", "\ufeffplayer1;player2;score1;score2;date\r\n\r\nann;bob;3;1;2026-01-31\r\n", scored),
        ("tabs", "P1\tP2\tP1 points\tP2 points\tDate\nann\tbob\t3\t1\t2026-01-31", scored),
        ("sep", 'sep=;\n"player a";"player b";"score a";"score b";date\n"ann"; "bob"; 3 ;1;2026-01-31;;', scored),
        ("home and away", "date,home_team,away_team,home_score,away_score\n2026-01-31,ann,bob,3,1\n", scored),
        ("a result", "white,black,result,date\nann,bob,3-1,2026-01-31\n", scored),
        ("a score", "white,black,score,date\nann,bob,3 : 1,2026-01-31\n", scored),
        ("winner and loser", "winner,loser,date\nann,bob,2026-01-31\n", placed),
        ("hyphens", "white,black,result,date\nA-B,bob,a-b,2026-01-31", duel(("A-B", FIRST), ("bob", SECOND))),
        ("winner and loser with scores", "winner,loser,score1,score2,date\nann,bob,3,1,2026-01-31", won),
        ("winner's and loser's scores", "loser_score,winner_score,loser,winner,date\n1,3,bob,ann,2026-01-31", won),
        ("winner and loser with a result", "winner,loser,score,date\nann,bob,3-1,2026-01-31", won),
        ("a result that counts for sides", "winner,loser,result,date\nann,bob,1-3,2026-01-31", placed),
        ("sets", "winner,loser,score,date\nann,bob,6-1 3-6 6-4,2026-01-31", placed),
        ("one score", "winner,loser,score1,date\nann,bob,3,2026-01-31", duel(("ann", FIRST | WON), ("bob", SECOND))),
        ("as many for both", "winner,loser,score1,score2,date\nann,bob,1,1,2026-01-31", even),
        ("the winner's name", "player1,player2,winner,date\nann,bob,Ann,2026-01-31\n", placed),
        ("the winner's number", "player1,player2,winner,date\nann,bob,1,2026-01-31\n", placed),
        ("the winner's column", "white,black,result,date\nann,bob,White,2026-01-31\n", placed),
        ("halves", "white,black,result,date\nann,bob,1/2-1/2,2026-01-31\n", duel(("ann", FIRST), ("bob", FIRST))),
        ("a draw", "player1,player2,winner,date\nann,bob,draw,2026-01-31\n", duel(("ann", FIRST), ("bob", FIRST))),
        ("a clock", "date,time,winner,loser\n2026-01-31,18:00,ann,bob", {**placed, "ended_at": "2026-01-31 18:00"}),
        ("a quote", 'winner,loser,date\n"Ann ""A"", jr",bob,2026-01-31', duel(('Ann "A", jr', FIRST), ("bob", SECOND))),
        (
            "more fields", "id,mode,map,duration,rated,winner,loser,date\n7,duel,dust,60.5,no,ann,bob,2026-01-31",
            {**placed, "id": "7", "mode": "duel", "variant": "dust", "duration": 60.5, "rated": False},
        ),
    ):  # fmt: skip
        with subtests.test(name):
            assert [own for _, own in read(text)] == [result]


def test_columns_that_somebody_names():
    text = 'wann,wer,gegen,punkte,zu,turnier\n31.1.,ann,bob,"2,5",1,x\n'
    columns = {"Wann": "ended_at", "wer": "player1", "gegen": "player2", "punkte": "score1", "zu": "score2"}
    assert read(text, **columns) == [(2, duel(("ann", {"score": 2.5}), ("bob", LOST), day="31.1."))]
    assert CSVResults(io.BytesIO(text.encode()), LONGEST, FileOptions(columns=columns)).unused == ["turnier"]


def test_rows_of_teams():
    def teams(text):
        [(_, result)] = read(text)
        return [([player["id"] for player in team["players"]], team.get("score")) for team in result["teams"]]

    wanted = [(["ann", "bob"], 3), (["cid", "dan"], 1)]
    assert teams("team1,team2,score1,score2,date\nann;bob,cid | dan,3,1,2026-01-31") == wanted
    assert teams('team1,team2,score1,score2,date\n"ann, bob","cid,dan",3,1,2026-01-31') == wanted
    assert (
        teams("team1_player1,team1_player2,team2_p1,team2_p2,team1_score,team2_score,date\nann,bob,cid,dan,3,1,d")
        == wanted
    )
    three = "player1,player2,player3,place1,place2,place3,date\nann,bob,,1,2,,d"
    assert [len(result["teams"]) for _, result in read(three)] == [2]


def test_a_player_a_line():
    text = (
        "match_id,date,player,name,team,score,seconds,left_early,kills\n"
        "1,d,p1,Ann,red,3,60,no,7\n1,d,p2,,red,3,30,yes,\n1,d,p3,,blue,1,,,\n2,d,p1,,red,1,,,\n2,d,p3,,blue,0,,,\n"
    )
    first, second = read(text, kills="stats.kills")
    red = [
        {"id": "p1", "name": "Ann", "seconds": 60, "left_early": False, "stats": {"kills": 7}},
        {"id": "p2", "seconds": 30, "left_early": True},
    ]
    teams = [{"name": "red", "score": 3, "players": red}, {"name": "blue", "score": 1, "players": [{"id": "p3"}]}]
    assert first == (2, {"id": "1", "ended_at": "d", "teams": teams})
    assert (second[0], [team["score"] for team in second[1]["teams"]]) == (5, [1, 0])
    race = "game,driver,place,date\n1,ann,2,d\n1,bob,1,d\n"
    [(_, result)] = read(race, game="id", driver="player")
    assert [(team["place"], team["players"]) for team in result["teams"]] == [
        (2, [{"id": "ann"}]),
        (1, [{"id": "bob"}]),
    ]


def test_a_bad_row_spoils_the_matches_beside_it():
    rows = ["1,d,a,1", "1,d,b,2", "2,d,a,1", "2,d,b", "3,d,a,1", "3,d,b,2", "4,d,a,1", "4,d,b,2"]
    said = read("match_id,date,player,place\n" + "\n".join(rows))
    assert [(number, own if isinstance(own, str) else own["id"]) for number, own in said] == [
        (2, "1"),
        (5, "this line has 3 cells, and the headings are 4."),
        (4, "line 5, which is bad, may belong to this match."),
        (6, "line 5, which is bad, may belong to this match."),
        (8, "4"),
    ]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("ann,bob,3,1", "this line has 4 cells, and the headings are 5."),
        ("ann,bob,3,1,d,x", "this line has 6 cells, and the headings are 5."),
        ("ann,bob,three,1,d", "score1 is a number such as 3 or 2.5, not 'three'."),
        ('ann,bob,"1,200",900,d', "score1 may be 1200 or 1.200: write it in one of these ways."),
        (",bob,3,1,d", "side 1 has a score or a place, but nobody played in it."),
        ('ann,"bo"b,3,1,d', "this isn't CSV: ',' expected after '\"'. Does a quote that begins here end?"),
        ('ann,"bob,3,1,d', "this isn't CSV: unexpected end of data. Does a quote that begins here end?"),
    ],
)
def test_a_bad_line(row, sentence):
    good = "ann,bob,3,1,d"
    said = read(f"player1,player2,score1,score2,date\n{good}\n{row}\n")
    assert said[1:] == [(3, sentence)]
    assert isinstance(said[0][1], dict)


def test_a_draw_has_no_winner():
    [(_, said)] = read("winner,loser,result,date\nann,bob,draw,d")
    assert said == "result is a draw, which has no winner: write names as player1 and player2."


def test_scores_that_deny_the_winner():
    rows = "ann,bob,1,3,d\nann,bob,3,1,d\nann,bob,x,1,d\n"
    first, second, third = (said for _, said in read(f"winner,loser,score1,score2,date\n{rows}"))
    assert first == (
        "score1 is the winner's and score2 the loser's, and 1 is less than 3: if the scores are of two sides,"
        " name these player1 and player2."
    )
    assert isinstance(second, dict)
    assert third == "score1 is a number such as 3 or 2.5, not 'x'."


def test_what_nobody_played_is_named():
    (_, said), (_, played) = read("winner,loser,score,date\nann,bob,W/O,d\nann,bob,6-1 2-0 RET,d\n")
    assert (said, played["teams"][0]["place"]) == ("result 'W/O': nobody played, so it isn't imported.", 1)


def test_a_column_that_is_named_outweighs_a_heading_that_means_the_same():
    text = "winner_id,winner_name,loser_id,loser_name,date\n7,ann,8,bob,2026-01-31\n"
    columns = {"winner_id": "winner", "loser_id": "loser"}
    assert [own for _, own in read(text, **columns)] == [duel(("7", FIRST), ("8", SECOND))]
    assert CSVResults(io.BytesIO(text.encode()), LONGEST, FileOptions(columns=columns)).unused == [
        "winner_name",
        "loser_name",
    ]


def test_columns_beside_winner_and_loser_that_mean_nothing():
    text = "winner,loser,place1,score3,score1,date\nann,bob,1,2,3,d\n"
    assert CSVResults(io.BytesIO(text.encode()), LONGEST, FileOptions()).unused == ["place1", "score3"]


def test_winners_and_losers_scores_beside_two_sides_mean_nothing():
    text = "player1,player2,winner,winner_score,loser_score,date\nann,bob,bob,3,1,2026-01-31\n"
    assert [own for _, own in read(text)] == [duel(("ann", SECOND), ("bob", FIRST))]
    assert CSVResults(io.BytesIO(text.encode()), LONGEST, FileOptions()).unused == ["winner_score", "loser_score"]


def test_words_for_the_side_that_won():
    for column, word, places in (
        ("result", "W", (1, 2)), ("result", "lost", (2, 1)), ("result", "H", (1, 2)), ("result", "A", (2, 1)),
        ("result", "D", (1, 1)), ("winner", "Home", (1, 2)), ("winner", "away", (2, 1)),
    ):  # fmt: skip
        [(_, said)] = read(f"player1,player2,{column},date\nann,bob,{word},d")
        assert tuple(team["place"] for team in said["teams"]) == places, (column, word)


def test_a_player_of_such_a_name_comes_first():
    [(_, said)] = read("player1,player2,result,date\nann,W,W,d")
    assert [team["place"] for team in said["teams"]] == [2, 1]
    [(_, refused)] = read("player1,player2,winner,date\nann,bob,W,d")
    assert refused.startswith("winner 'W' is none of the players")


def test_a_letter_is_the_side_that_has_it():
    for heading, word, places in (
        ("player_a,player_b,winner", "A", (1, 2)), ("team_a,team_b,result", "b", (2, 1)),
        ("player a name,player b name,result", "A", (1, 2)),
    ):  # fmt: skip
        [(_, said)] = read(f"{heading},date\nann,bob,{word},d")
        assert tuple(team["place"] for team in said["teams"]) == places, heading
    for word in ("H", "A"):
        [(_, refused)] = read(f"player1,player2,winner,date\nann,bob,{word},d")
        assert refused.startswith(f"winner '{word}' is none of the players")


def test_wins_beside_scores_are_something_else():
    [(_, said)] = read("player1,player2,score1,score2,p1_wins,p2_wins,date\nann,bob,2,1,70,80,d")
    assert [team["score"] for team in said["teams"]] == [2, 1]


def test_games_won_are_scores():
    for heading in ("player1Wins,player2Wins", "team 1 wins,team 2 wins", "wins_1,wins_2"):
        [(_, said)] = read(f"player1,player2,{heading},date\nann,bob,2,1,d")
        assert [team["score"] for team in said["teams"]] == [2, 1]


def test_an_outcome_that_nobody_can_read():
    for text in ("*", "", "zoe", "1-0-1", "zoe-mae"):
        [(_, said)] = read(f"white,black,result,date\nann,bob,{text},d")
        assert said.startswith(("result", "result is a number")), text


def test_a_file_that_is_refused_whole(subtests):
    for text, columns, sentence in (
        ("a,b\n1,2\n", {}, "has the columns 'a', 'b', none of which says who played: name them by columns"),
        ("ann,bob,3,1,2026-01-31\n", {}, "has the columns 'ann', 'bob', '3', '1', '2026-01-31', none of which"),
        ("winner,loser\n", {}, "has the columns 'winner', 'loser', none of which says when"),
        ("player1,player2,date\n", {}, "has the columns 'player1', 'player2', 'date', none of which says who won"),
        ("id,player,date\n", {}, "has the columns 'id', 'player', 'date', none of which says who won: name"),
        ("player,place,date\n", {}, "has a player a line, and no column that says which lines are one match"),
        ("player1,p1,p2,date\n", {}, "has two columns for player1, 'player1' and 'p1'"),
        ("winner,loser,date\n", {"day": "date"}, "has no column 'day'; its columns are 'winner', 'loser', 'date'."),
        (
            "winner,loser,date\n",
            {"date": "when"},
            "can't be read so: there is no field 'when'. The fields are id, mode,",
        ),
        ("winner,loser,date\nann,J\xf6rg,d\n".encode("latin-1"), {}, "line 2: this isn't UTF-8 text; save the file as"),
        ("winner,loser,date\n" + "x" * 1_002, {}, "line 2: the line is over 1,000 bytes."),
        ("\n \n", {}, "has no line with headings."),
        (
            f"winner,loser,date,{'x' * 140_000}\nann,bob,d\n",
            {},
            "has headings that aren't CSV: field larger than field",
        ),
        ("winner,loser,\rdate\nann,bob,d\n", {}, "has headings that aren't CSV: new-line character seen in"),
        ('winner,loser,date\n"a,b,d\n' + "a,b,d\n" * 30_000, {}, "line 2: this isn't CSV: field larger than field"),
        ('winner,loser,date\n"a,b,d\na,b,d\n"a",b,d\n', {}, "line 2: this isn't CSV: ',' expected after '\"'. Does a"),
        ('winner,loser,date\n"a,b,d\na,b,d\n', {}, "line 2: this isn't CSV: unexpected end of data. Does a quote"),
        (
            'winner,loser,date\n"a,b\nc",d\na,b,d\n',
            {},
            "line 2: this line has 2 cells, and the headings are 3. It takes",
        ),
    ):
        with subtests.test(sentence), pytest.raises(BadFile) as caught:
            read(text, longest=200_000 if "headings that" in sentence else LONGEST, **columns)
        assert str(caught.value).startswith(sentence)
