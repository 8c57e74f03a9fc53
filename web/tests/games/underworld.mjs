// What the web tests need to know about this game; game_data.mjs describes the members.
import { countEvents, countOf, distance, squareOf } from '../game_helpers.mjs';

export default {
  bots: ['medium', 'random'],
  maps: [],
  emptyAnswer: 'end\n',
  badAnswer: 'x\n'.repeat(5000),
  shot: { turn: 40 },
  tutorial: [
    { step: 1, map: 'duel', turn: 60 },
    { step: 2, map: 'duel', turn: 45 },
  ],
  shownValues: (state, player) => ({
    warriors: countOf(state.objects, (thing) => thing.type === 'W' && thing.owner === player),
    money: state.players[player].money,
  }),
  play: {
    turns: 5,
    map: 'duel',
    config: { maxTurns: 5 },
    keys: ['f', 'ArrowDown', 'ArrowRight'],
    async then(page) {
      // Without money there is no place to build; otherwise the farm goes to the first place.
      const place = page.getByRole('button', { name: /^Build a farm at/ }).first();
      if (!(await place.isVisible())) return false;
      await place.click();
      return true;
    },
  },
  scenes: {
    state: (state) =>
      state.objects
        .filter((one) => one.type !== '#')
        .map((one) => `${one.type} ${one.owner} ${one.x},${one.y} ${one.hitpoints}`),
    scene: (things) =>
      things.map((thing) =>
        [
          { castle: 'C', barracks: 'B', farm: 'F', warrior: 'W' }[thing.kind],
          thing.owner,
          squareOf(thing),
          thing.data.hitpoints,
        ].join(' '),
      ),
    goes: (was, now) =>
      was.owner === now.owner &&
      was.kind === now.kind &&
      distance(was, now) <= (now.kind === 'warrior' ? 1 : 0) &&
      now.data.hitpoints <= was.data.hitpoints,
    fresh: (frame) => countEvents(frame, /^player \d+ (spawns|builds) /),
    counted: () => true,
  },
  offeredMatches: [
    { every: 9, map: 'canyon' },
    { every: 9, config: '{"money": 1200}' },
  ],
  crowd: {
    config: {
      sizex: 60,
      sizey: 40,
      money: 0,
      maxTurns: 120,
      rules: { warrior: { hitpoints: 1_000_000, damage: 1 } },
      objects: [
        { x: 0, y: 0, type: 'C', owner: 0 },
        { x: 59, y: 39, type: 'C', owner: 1 },
        ...Array.from({ length: 1000 }, (_, i) => ({
          x: 2 + (i % 50),
          y: 1 + 2 * Math.floor(i / 50),
          type: 'W',
          owner: i % 50 < 25 ? 0 : 1,
        })),
      ],
    },
    bots: ['random', 'random'],
    turn: 5,
  },
  possibleAnswers: (state, seat) => {
    const all = [];
    for (const { type, owner, x, y } of state.objects)
      if (owner === seat && 'WB'.includes(type))
        for (const way of 'NESW')
          all.push(`${type === 'W' ? 'move' : 'spawn'} ${x} ${y} ${way}\nend\n`);
    for (let y = 0; y < state.sizey; y++)
      for (let x = 0; x < state.sizex; x++)
        for (const kind of 'FB') all.push(`build ${x} ${y} ${kind}\nend\n`);
    return all;
  },
};
