// What the web tests need to know about this game; game_data.mjs describes the members.
import { countEvents, countOf, distance, squareOf } from '../game_helpers.mjs';

export default {
  bots: ['medium', 'random'],
  maps: ['standard', 'quarry'],
  emptyAnswer: 'No-op\n',
  badAnswer: 'no command',
  shot: { turn: 10, map: 'quarry' },
  tutorial: [
    { step: 1, map: 'quarry', turn: 9 },
    { step: 7, map: 'quarry', turn: 8 },
  ],
  shownValues: (state, player) => ({
    soldiers: countOf(
      state.map,
      (thing) =>
        ['Scout', 'Assassin', 'Tank'].includes(thing.type) && thing.team === `player${player + 1}`,
    ),
    money: state[`player${player + 1}`].money,
  }),
  play: {
    turns: 5,
    config: { 'total-turns': 5 },
    keys: ['1', 'ArrowRight', 'ArrowLeft'],
  },
  scenes: {
    state: (state) =>
      state.map
        .filter((entry) => entry.type !== 'Rock')
        .map((entry) =>
          [
            entry.type.toLowerCase(),
            entry.team === 'player2' ? 1 : 0,
            `${entry.position.x},${entry.position.y}`,
          ].join(' '),
        ),
    scene: (things) => things.map((thing) => `${thing.kind} ${thing.owner} ${squareOf(thing, 2)}`),
    goes: (was, now, { scene, frame }) => {
      if (was.owner !== now.owner) return false;
      if (now.kind === 'base') return distance(was, now) === 0;
      const ordered = frame.players[now.owner]?.orders;
      const commanded =
        ordered && distance(ordered.position ?? { x: NaN, y: NaN }, was.data.position) === 0;
      // A soldier keeps its destination and direction without a command, and never gains health:
      // this detects swapped ids.
      if (
        distance(was.data.destination, now.data.destination) &&
        !(commanded && ordered.command === 'Move')
      )
        return false;
      if (
        was.data['attack-direction'] !== now.data['attack-direction'] &&
        !(commanded && ordered.command.startsWith('Change'))
      )
        return false;
      return (
        distance(was, now) <= scene.extra.field.speed[now.data.type] &&
        now.data.health <= was.data.health
      );
    },
    // A soldier that is built and falls in the same turn is never shown.
    fresh: (frame, things) =>
      things.filter((thing) => thing.kind !== 'base').length && countEvents(frame, / builds a /),
    counted: (thing) => thing.kind !== 'base',
    mayMiss: true,
  },
  crowd: {
    config: {
      'total-turns': 1000,
      'max-distance-from-base': 1000,
      cost: { scout: 0, assassin: 0, tank: 0 },
      damage: { scout: 0, assassin: 0, tank: 0 },
    },
    map: ['1' + ' '.repeat(59), ...Array(78).fill(' '.repeat(60)), ' '.repeat(59) + '2'].join('\n'),
    // Builds a soldier in each turn, in rows, and sends it twenty squares away.
    source: `import json, sys
print("Ready", flush=True)
for turn, line in enumerate(sys.stdin):
    if turn == 0:
        first = json.loads(line)["you"] == "player1"
    x, y = 2 + turn % 27, 1 + turn // 27
    kind = ["Scout", "Assassin", "Tank"][turn % 3]
    if first:
        print(f"Build {kind} ({x}, {y}) ({x}, {y + 20}) Right", flush=True)
    else:
        print(f"Build {kind} ({59 - x}, {79 - y}) ({59 - x}, {59 - y}) Left", flush=True)
`,
    turn: 900,
  },
  offeredMatches: [{ every: 7, map: 'quarry' }],
  possibleAnswers: (state, seat) => {
    const all = [];
    const own = new Set(
      state.map
        .filter((entry) => entry.team === `player${seat + 1}`)
        .map((entry) => `${entry.position.x},${entry.position.y}`),
    );
    const [right, bottom] = ['x', 'y'].map((axis) =>
      Math.max(...state.map.map((entry) => entry.position[axis])),
    );
    for (let y = 0; y <= bottom; y++)
      for (let x = 0; x <= right; x++) {
        for (const type of ['Scout', 'Assassin', 'Tank'])
          all.push(`Build ${type} (${x}, ${y}) (0, 0) Up\n`);
        // A click on a square with own things selects them.
        for (const at of own)
          if (!own.has(`${x},${y}`)) all.push(`Move (${at.replace(',', ', ')}) to (${x}, ${y})\n`);
      }
    return all;
  },
};
