"""Plays a small ladder by a package of PyPI, with none of this site: `ladder.py LIBRARY`.

Reads players as JSON, each a list of what the library keeps. Writes a newcomer, a regular of 20 and a veteran of 300
matches, as it keeps them, and the chances by the package itself: of the second against the first, the third against the
second, and the third against the first, for its own players and for those that it read.
"""

import json
import sys
from math import exp, pi, sqrt


class OpenSkill:
    def __init__(self):
        from openskill.models import PlackettLuce

        self.model = PlackettLuce()

    def fresh(self):
        return self.model.rating()

    def made(self, mu, sigma):
        return self.model.rating(mu=mu, sigma=sigma)

    def kept(self, player):
        return [player.mu, player.sigma]

    def play(self, winner, loser):
        [[winner], [loser]] = self.model.rate([[winner], [loser]])
        return winner, loser

    def chance(self, first, second):
        return self.model.predict_win([[first], [second]])[0]


class TrueSkill:
    def __init__(self):
        import trueskill

        self.model = trueskill.TrueSkill()

    def fresh(self):
        return self.model.create_rating()

    def made(self, mu, sigma):
        return self.model.create_rating(mu, sigma)

    def kept(self, player):
        return [player.mu, player.sigma]

    def play(self, winner, loser):
        return self.model.rate_1vs1(winner, loser)

    def chance(self, first, second):
        """As the package's documentation has it; it has no function for it."""
        deviation = sqrt(2 * self.model.beta**2 + first.sigma**2 + second.sigma**2)
        return self.model.cdf((first.mu - second.mu) / deviation)


class Glicko2:
    def __init__(self):
        import glicko2

        self.player = glicko2.Player

    def fresh(self):
        return self.player()

    def made(self, rating, rd, vol):
        return self.player(rating, rd, vol)

    def kept(self, player):
        return [player.rating, player.rd, player.vol]

    def play(self, winner, loser):
        (rating, rd), other = (winner.rating, winner.rd), (loser.rating, loser.rd)
        winner.update_player([other[0]], [other[1]], [1])
        loser.update_player([rating], [rd], [0])
        return winner, loser

    def chance(self, first, second):
        """By Glickman's g; the package has no function for it."""
        spread = sqrt(1 + 3 * (first.rd**2 + second.rd**2) / 173.7178**2 / pi**2)
        return 1 / (1 + exp(-(first.rating - second.rating) / 173.7178 / spread))


def played(library):
    """A newcomer, a regular and a veteran."""
    veteran, regular, newcomer, *others = (library.fresh() for _ in range(7))
    for match in range(300):
        other = match % 4
        if match % 5:
            veteran, others[other] = library.play(veteran, others[other])
        else:
            others[other], veteran = library.play(others[other], veteran)
    for match in range(20):
        other = match % 4
        if match % 3:
            regular, others[other] = library.play(regular, others[other])
        else:
            others[other], regular = library.play(others[other], regular)
    return [newcomer, regular, veteran]


def chances(library, players):
    return [library.chance(players[first], players[second]) for first, second in ((1, 0), (2, 1), (2, 0))]


def main(name):
    library = {"openskill": OpenSkill, "trueskill": TrueSkill, "glicko2": Glicko2}[name]()
    own, given = played(library), [library.made(*numbers) for numbers in json.load(sys.stdin)]
    answer = {"players": [library.kept(player) for player in own]}
    json.dump({**answer, "chances": chances(library, own), "of_given": chances(library, given)}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
