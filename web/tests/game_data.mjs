// The games that the tests loop over, from src/games/games.list, with the test data in
// tests/games/NAME.mjs:
//
//   bots             two house bots, the stronger first
//   maps             maps to play, besides the default one
//   emptyAnswer      an answer without orders
//   badAnswer        an invalid answer
//   shot             the turn, and perhaps the map, of the picture in docs/images
//   tutorial         the pictures of its tutorial: the step whose bot plays, map, seed, seat,
//                    against (a level of the house bots), and turn
//   shownValues      (state, player): values that the viewer shows, by name
//   play             how a person plays a short match with the keyboard: turns, config, map, keys,
//                    then(page)
//   scenes           what the drawing module's scenes must agree with; see scene_checks.mjs
//   offeredMatches   matches in which the choices offered to a person are compared with the orders
//                    that the rules accept, every `every` turns
//   crowd            a match with a thousand things on the board: config, map, bots or the Python
//                    source of a bot, and the turn to look at; missing if the rules do not allow
//                    that many things
//   possibleAnswers  (state, seat, empty): all answers with one order that could be valid
//
// A game without such a file uses the defaults below.
import { existsSync, readFileSync } from 'node:fs';

const list = new URL('../../src/games/games.list', import.meta.url);
const defaults = { bots: ['random', 'random'], maps: [], shot: { turn: 10 }, tutorial: [] };

async function dataOf(name) {
  const file = new URL(`games/${name}.mjs`, import.meta.url);
  return existsSync(file) ? { ...defaults, ...(await import(file.href)).default } : defaults;
}

export const gameNames = readFileSync(list, 'utf8').split(/\s+/).filter(Boolean);

export const gameData = Object.fromEntries(
  await Promise.all(gameNames.map(async (name) => [name, await dataOf(name)])),
);
