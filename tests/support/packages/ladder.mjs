// What ladder.py does, by packages of npm: `node ladder.mjs LIBRARY`. Run it in the folder that has node_modules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.cwd()}/`));

const LIBRARIES = {
  'npm-openskill': () => {
    const { predictWin, rate, rating } = require('openskill');
    return {
      fresh: () => rating(),
      made: (mu, sigma) => rating({ mu, sigma }),
      kept: ({ mu, sigma }) => [mu, sigma],
      play: (winner, loser) => rate([[winner], [loser]]).map(([player]) => player),
      chance: (first, second) => predictWin([[first], [second]])[0],
    };
  },
  'npm-trueskill': () => {
    const { AdjustPlayers, ChanceOfWinning } = require('trueskill');
    return {
      fresh: () => [25, 25 / 3],
      made: (mu, sigma) => [mu, sigma],
      kept: (skill) => skill,
      play: (...skills) => {
        const players = skills.map((skill, index) => ({ skill, rank: index + 1 }));
        AdjustPlayers(players);
        return players.map(({ skill }) => skill);
      },
      chance: ChanceOfWinning,
    };
  },
  'npm-glicko2': () => {
    const { Glicko2 } = require('glicko2');
    const model = new Glicko2();
    return {
      fresh: () => model.makePlayer(),
      made: (...numbers) => model.makePlayer(...numbers),
      kept: (player) => [player.getRating(), player.getRd(), player.getVol()],
      play: (winner, loser) => {
        model.updateRatings([[winner, loser, 1]]);
        return [winner, loser];
      },
      chance: (first, second) => model.predict(first, second),
    };
  },
  elo: () => {
    const ELO = require('arpad');
    const model = new ELO();
    return {
      fresh: () => 1200,
      made: (rating) => rating,
      kept: (rating) => [rating],
      play: (winner, loser) => [model.newRatingIfWon(winner, loser), model.newRatingIfLost(loser, winner)],
      chance: (first, second) => model.expectedScore(first, second),
    };
  },
  'ts-trueskill': async () => {
    const { Rating, rate_1vs1, winProbability } = await import(pathToFileURL(require.resolve('ts-trueskill')));
    return {
      fresh: () => new Rating(),
      made: (mu, sigma) => new Rating(mu, sigma),
      kept: ({ mu, sigma }) => [mu, sigma],
      play: (winner, loser) => rate_1vs1(winner, loser),
      chance: (first, second) => winProbability([first], [second]),
    };
  },
};

function played(library) {
  let [veteran, regular, newcomer, ...others] = Array.from({ length: 7 }, () => library.fresh());
  const meet = (player, match, often) => {
    const other = match % 4;
    const [winner, loser] = match % often ? [player, others[other]] : [others[other], player];
    const [won, lost] = library.play(winner, loser);
    others[other] = match % often ? lost : won;
    return match % often ? won : lost;
  };
  for (let match = 0; match < 300; match++) veteran = meet(veteran, match, 5);
  for (let match = 0; match < 20; match++) regular = meet(regular, match, 3);
  return [newcomer, regular, veteran];
}

const chances = (library, players) => [[1, 0], [2, 1], [2, 0]].map(([first, second]) => library.chance(players[first], players[second]));

const library = await LIBRARIES[process.argv[2]]();
const own = played(library);
const given = JSON.parse(readFileSync(0, 'utf8')).map((numbers) => library.made(...numbers));
console.log(JSON.stringify({
  players: own.map(library.kept), chances: chances(library, own), of_given: chances(library, given),
}));
