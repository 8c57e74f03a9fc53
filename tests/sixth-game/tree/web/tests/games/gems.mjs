// What the web tests need to know about this game; game_data.mjs describes the members.
import { distance, squareOf } from '../game_helpers.mjs';

export default {
  bots: ['collector', 'random'],
  maps: ['small'],
  emptyAnswer: 'stay\n',
  badAnswer: 'north',
  shot: { turn: 20 },
  shownValues: (state, player) => ({ points: state.players[player].points }),
  play: { turns: 5, config: { maxTurns: 5 }, keys: ['ArrowDown'] },
  scenes: {
    state: ({ players, grid }) => [
      ...players.map(({ row, col }, player) => `player ${player} ${col},${row}`),
      ...grid.flatMap((line, row) =>
        [...line].flatMap((sign, col) => (sign === '.' ? [] : [`gem null ${col},${row}`])),
      ),
    ],
    scene: (things) => things.map((thing) => `${thing.kind} ${thing.owner} ${squareOf(thing)}`),
    goes: (was, now) => distance(was, now) <= (now.kind === 'player' ? 1 : 0),
    fresh: () => 0,
    counted: (thing) => thing.kind === 'player',
  },
  offeredMatches: [{ every: 9 }],
  possibleAnswers: () => ['up\n', 'down\n', 'left\n', 'right\n'],
};
