// What the web tests need to know about this game; game_data.mjs describes the members.
import { countEvents, distance, squareOf } from '../game_helpers.mjs';

export default {
  bots: ['medium', 'random'],
  maps: [],
  emptyAnswer: '[]\n',
  badAnswer: 'no moves',
  shot: { turn: 28 },
  tutorial: [
    { step: 1, map: 'duel', turn: 28 },
    { step: 6, map: 'duel', turn: 21 },
  ],
  shownValues: (state, player) => ({
    units: [...state.grid].filter((sign) => sign === 'ab'[player]).length,
    energy: [state.p1, state.p2][player].food,
  }),
  play: {
    turns: 6,
    config: { rows: 12, cols: 12, maxTurns: 6 },
    keys: ['ArrowDown', 'ArrowRight'],
  },
  scenes: {
    state: (state) =>
      [...state.grid].flatMap((sign, i) =>
        sign === 'a' || sign === 'b'
          ? [`unit ${sign === 'b' ? 1 : 0} ${i % state.cols},${Math.floor(i / state.cols)}`]
          : sign === '*'
            ? [`energy ${i % state.cols},${Math.floor(i / state.cols)}`]
            : [],
      ),
    scene: (things) =>
      things
        .filter((thing) => thing.kind !== 'spawn')
        .map((thing) =>
          thing.kind === 'unit'
            ? `unit ${thing.owner} ${squareOf(thing)}`
            : `energy ${squareOf(thing)}`,
        ),
    goes: (was, now) =>
      distance(was, now) <= (now.kind === 'unit' ? 1 : 0) && was.owner === now.owner,
    fresh: (frame) => countEvents(frame, / spawns at /),
    counted: (thing) => thing.kind === 'unit',
  },
  crowd: {
    config: { rows: 100, cols: 100, maxTurns: 800, energyInterval: 1 },
    // No unit moves, and energy piles up.
    source: `import sys
for line in sys.stdin:
    print("[]", flush=True)
`,
    turn: 600,
  },
  offeredMatches: [{ every: 9 }],
  possibleAnswers: ({ rows, cols, grid }, seat) =>
    [...grid].flatMap((sign, from) =>
      sign !== 'ab'[seat]
        ? []
        : [-cols, cols, -1, 1]
            .filter(
              (by) =>
                from + by >= 0 &&
                from + by < rows * cols &&
                (Math.abs(by) > 1 || Math.floor((from + by) / cols) === Math.floor(from / cols)),
            )
            .map((by) => JSON.stringify([{ from, to: from + by }]) + '\n'),
    ),
};
