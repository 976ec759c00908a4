"""Every rule of a match, checked on plain values one by one: what the matcher must never break."""

from itertools import combinations

LADDER = (2, 5, 10, 20, 50, 100)


def width_of(fields, now):
    width, steps = fields["filter"]["width"], int((now - fields["joined_at"]) // 20)
    if fields["filter"]["kind"] == "strict" or steps == 0:
        return width
    wider = [step for step in LADDER if step > width]
    return wider[min(steps, len(wider)) - 1] if wider else width


def broken_rules(document, matches, team_size, team_count=2):
    """The names of the rules that any of these matches breaks."""
    now, broken = document["meta"]["now"], set()
    of = {fields["player"]: fields for fields in document["tickets"]}
    units = {}
    for fields in document["tickets"]:
        units.setdefault(fields["party"] or fields["id"], []).append(fields)
    everyone = [player for teams in matches for team in teams for player in team]
    if len(set(everyone)) < len(everyone):
        broken.add("twice")
    for teams in matches:
        players = [of[player] for team in teams for player in team]
        side = {player: number for number, team in enumerate(teams) for player in team}
        if [len(team) for team in teams] != [team_size] * team_count:
            broken.add("sizes")
        names = {fields["party"] or fields["id"] for fields in players}
        if any(len({side.get(member["player"]) for member in units[name]}) > 1 for name in names):
            broken.add("party")
        for one, other in combinations(names, 2):
            for mine, theirs in ((units[one], units[other]), (units[other], units[one])):
                floor = min(member["percentile"] - width_of(member, now) for member in mine)
                ceiling = max(member["percentile"] + width_of(member, now) for member in mine)
                if not all(floor - 1e-9 <= member["percentile"] <= ceiling + 1e-9 for member in theirs):
                    broken.add("window")
        good = set.intersection(*({r for r in f["regions"] if f["ping"][r] <= f["ping_limit"]} for f in players))
        if not good:
            broken.add("region")
        for fields in players:
            mine = side[fields["player"]]
            if any(side.get(other) == mine and of[other]["party"] != fields["party"] for other in fields["avoid"]):
                broken.add("block")
            if any(side.get(other, mine) != mine and now - at < 600 for other, at in fields["recent"]):
                broken.add("re-match")
    return broken
