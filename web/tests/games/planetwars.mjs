// What the web tests need to know about this game; game_data.mjs describes the members.
import { countOf, distance } from '../game_helpers.mjs';

export default {
  bots: ['medium', 'random'],
  maps: [],
  emptyAnswer: '{"moves":[]}\n',
  badAnswer: 'no JSON',
  shot: { turn: 22 },
  tutorial: [
    { step: 4, map: 'hex', turn: 21 },
    { step: 7, map: 'hex', turn: 40 },
  ],
  shownValues: (state, player) => ({
    planets: countOf(state.planets, (planet) => planet.owner === player + 1),
  }),
  play: {
    turns: 5,
    map: 'hex',
    config: { max_turns: 5 },
    keys: ['1'],
    async then(page) {
      await page.getByRole('spinbutton', { name: /^Ships from/ }).fill('2');
      await page.keyboard.press('Enter');
      return true;
    },
  },
  scenes: {
    state: (state) => [
      ...state.planets.map((one) => `planet ${one.name} ${one.owner}`),
      ...state.expeditions.map((one) => `expedition ${one.id} ${one.owner}`),
    ],
    scene: (things) =>
      things.map((thing) => `${thing.id} ${thing.owner === null ? null : thing.owner + 1}`),
    goes: (was, now, { scene }) => {
      if (now.kind === 'planet') return distance(was, now) === 0;
      // An expedition flies at a constant speed in a straight line between its planets.
      const [from, to] = [now.data.origin, now.data.destination].map((name) =>
        scene.byId.get(`planet ${name}`),
      );
      const turns = Math.max(
        1,
        Math.ceil(Math.hypot(from.data.x - to.data.x, from.data.y - to.data.y)),
      );
      const left = Math.hypot(now.x - to.x, now.y - to.y);
      const whole = Math.hypot(from.x - to.x, from.y - to.y);
      return (
        Math.abs(Math.hypot(was.x - now.x, was.y - now.y) - whole / turns) < 1e-6 &&
        Math.abs(left - (whole * now.data.turns_remaining) / turns) < 1e-6
      );
    },
    fresh: null, // expeditions that arrive after one turn are never shown
    counted: (thing) => thing.kind === 'expedition',
  },
  // Eight players on 256 planets have about a thousand expeditions after eighty turns.
  crowd: {
    config: {
      planets: Array.from({ length: 256 }, (_, i) => ({
        name: `p${i}`,
        x: (i % 16) * 2,
        y: Math.floor(i / 16) * 2,
        ship_count: 2,
        ...(i % 32 ? {} : { owner: i / 32 + 1 }),
      })),
      max_turns: 500,
    },
    bots: Array(8).fill('random'),
    turn: 85,
  },
  offeredMatches: [{ every: 25, map: 'drift' }],
  possibleAnswers: (state, seat) => {
    const all = [];
    for (const from of state.planets)
      for (const to of state.planets)
        // Skip orders from a planet to itself: the ships return in the same turn.
        if (from.owner === seat + 1 && from !== to)
          for (const ship_count of [1, from.ship_count, from.ship_count + 1])
            all.push(
              JSON.stringify({ moves: [{ origin: from.name, destination: to.name, ship_count }] }) +
                '\n',
            );
    return all;
  },
};
