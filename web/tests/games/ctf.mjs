// What the web tests need to know about this game; game_data.mjs describes the members.
import { countEvents, countOf, squareOf } from '../game_helpers.mjs';

export default {
  bots: ['medium', 'random'],
  maps: [],
  emptyAnswer: '\n',
  badAnswer: 'no orders',
  shot: { turn: 25 },
  tutorial: [
    { step: 1, turn: 12 },
    { step: 6, turn: 14 },
  ],
  shownValues: (state, player) => ({
    points: state.points[player],
    alive: countOf(state.soldiers, (soldier) => soldier.alive && soldier.team === 'AB'[player]),
  }),
  play: {
    turns: 5,
    config:
      'Rules { nRounds = 5, nSoldiers = 2, pointsKill = 1, pointsCapture = 100, ' +
      'grenadeRange = 10, grenadeCooldown = 8 }\nA.....a\n.......\n..#.#..\n.......\nb.....B\n',
    keys: ['ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft'],
  },
  scenes: {
    state: (state) => [
      ...state.soldiers.map((one) => `soldier ${one.name} ${one.x},${one.y}`),
      ...state.flags.map((one) => `flag ${one.team} ${one.x},${one.y}`),
      ...state.grenades.map((one) => `grenade ${one.thrower} ${one.x},${one.y}`),
    ],
    scene: (things) =>
      things.map((thing) => `${thing.id.split(' ').slice(0, 2).join(' ')} ${squareOf(thing)}`),
    goes: (was, now) =>
      now.leapt ||
      (was.owner === now.owner &&
        Math.hypot(was.x - now.x, was.y - now.y) <= (now.kind === 'grenade' ? 0 : 1.62)),
    fresh: (frame) => countEvents(frame, / throws a grenade /),
    counted: (thing) => thing.kind === 'grenade',
  },
  offeredMatches: [
    { every: 19 },
    {
      every: 29,
      map: 'fort',
      config:
        'Rules { nRounds = 60, nSoldiers = 3, pointsKill = 1, pointsCapture = 100, ' +
        'grenadeRange = 40, grenadeCooldown = 1 }\n',
    },
  ],
  possibleAnswers: (state, seat, nothing) => {
    const all = [];
    for (const { name, team } of state.soldiers) {
      if (('AB'[seat] ?? seat) !== team) continue;
      const say = (order) => nothing.replace(`${name} S\n`, `${name} ${order}\n`);
      for (const way of 'UDLR') all.push(say(way));
      state.map.forEach((row, y) => [...row].forEach((_, x) => all.push(say(`S (${x},${y})`))));
    }
    return all;
  },
};
