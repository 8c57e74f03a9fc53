// Checks that the scenes of a drawing module agree with the states of a match, and draws them on a
// canvas that checks every call.
import assert from 'node:assert/strict';

import { gameData } from './game_data.mjs';
import { code } from './games_code.mjs';

export function recorder() {
  const calls = { drawn: 0, depth: 0, texts: [] };
  const state = { globalAlpha: 1 };
  const numbers = (name, values) => {
    for (const value of values.flat(3))
      if (typeof value === 'number' && !Number.isFinite(value))
        assert.fail(`${name}(${values}) has an argument that is not a finite number`);
  };
  const context = new Proxy(state, {
    get(_, name) {
      if (name in state) return state[name];
      return (...values) => {
        numbers(String(name), values);
        if (name === 'fill' || name === 'stroke' || name === 'fillText') calls.drawn++;
        if (name === 'fillText') calls.texts.push(values[0]);
        if (name === 'arc') assert.ok(values[2] >= 0, `arc with the radius ${values[2]}`);
        if (name === 'save') calls.depth++;
        if (name === 'restore') assert.ok(--calls.depth >= 0, 'restore without save');
        if (name === 'scale') assert.ok(values[0] > 0 && values[1] > 0, 'scaled by zero or less');
      };
    },
    set(_, name, value) {
      if (name === 'globalAlpha')
        assert.ok(value >= 0 && value <= 1 + 1e-9, `globalAlpha is ${value}`);
      else if (name === 'lineWidth')
        assert.ok(value > 0 && Number.isFinite(value), `lineWidth is ${value}`);
      else if (name === 'fillStyle' || name === 'strokeStyle')
        assert.match(value, /^(#[0-9a-f]{6}|#fff|hsl\(\d+ \d+% \d+%\))$/i);
      state[name] = value;
      return true;
    },
  });
  return { context, calls };
}

function checkPainting(game, scene, last, unit) {
  for (const [was, t] of [
    [null, 1],
    ...(last
      ? [
          [last, 0],
          [last, 0.3],
          [last, 0.7],
          [last, 0.97],
          [last, 1],
        ]
      : []),
  ]) {
    const { context, calls } = recorder();
    const pen = new code.Pen(context, unit < 10 ? code.LIGHT : code.DARK, unit);
    game.paint(pen, scene, was, t);
    assert.ok(calls.drawn > 0, 'nothing was drawn');
    assert.equal(calls.depth, 0, 'save without restore');
    assert.equal(context.globalAlpha, 1);
    for (const thing of scene.things.slice(0, 12))
      game.paintSelection?.(pen, scene, thing, thing.x, thing.y);
    assert.equal(calls.depth, 0);
  }
}

// ---- scenes against states ----

const listed = (list) => [...list].sort();

/**
 * What the scenes of a game must agree with, from its test data: the things of a state (`state`)
 * and of a scene (`scene`) as text; whether a thing may move between two places in a turn
 * (`goes`); and the number of new things of the `counted` kinds in a frame's events (`fresh`).
 */
const expectationsOf = (name) =>
  gameData[name].scenes ?? { state: () => [], scene: () => [], goes: () => true, fresh: null };

/** How the protocols refer to players; pages show names instead. */
const PROTOCOL_NAMES =
  /\bplayer ?\d|^[ab] (dies|spawns|gathers|tramples)|\bof [abAB]\b|\bteam [AB]\b|: A -?\d/;

/** Checks the scene of every turn of a recording. */
export function checkScenes(recording, { every = 5 } = {}) {
  const name = recording.header.game;
  const game = code.games[name];
  const expected = expectationsOf(name);
  const size = game.size(recording.header, recording.frame(0));
  assert.ok(
    size.width > 0 && size.height > 0 && Number.isFinite(size.width + size.height),
    'the board has a size',
  );
  let last = null;
  let early = null;
  const totals = { orders: 0, marks: 0, things: 0 };
  for (let turn = 0; turn <= recording.length; turn++) {
    const frame = recording.frame(turn);
    const scene = game.scene(recording.header, frame, last);
    const where = `${name}, turn ${turn}`;
    assert.equal(scene.byId.size, scene.things.length, `${where}: two things have the same id`);
    assert.deepEqual(
      listed(expected.scene(scene.things)),
      listed(expected.state(frame.state)),
      where,
    );
    for (const thing of scene.things) {
      assert.ok(
        Number.isFinite(thing.x + thing.y) && thing.size > 0,
        `${where}: ${thing.id} has a place`,
      );
      assert.ok(
        thing.name &&
          thing.facts.length &&
          thing.facts.flat().every((text) => typeof text === 'string' && text),
        `${where}: ${thing.id} has facts`,
      );
      const was = last?.byId.get(thing.id);
      if (was)
        assert.ok(
          expected.goes(was, thing, { scene, frame }),
          `${where}: ${thing.id} moved from ${was.x}, ${was.y} to ${thing.x}, ${thing.y}: ` +
            JSON.stringify([was.data, thing.data]),
        );
    }
    if (last && expected.fresh) {
      const fresh = scene.things.filter(
        (thing) => expected.counted(thing) && !last.byId.has(thing.id),
      ).length;
      const reported = expected.fresh(frame, scene.things);
      assert.ok(
        expected.mayMiss ? fresh <= reported : fresh === reported,
        `${where}: ${fresh} new things, but ${reported} in the events`,
      );
    }
    if (last)
      for (const t of [0.25, 0.75])
        for (const one of code.moving(scene, last, t))
          assert.ok(one.presence >= 0 && one.presence <= 1 && Number.isFinite(one.x + one.y));
    for (const line of game.series(scene)) {
      assert.equal(line.values.length, recording.header.players.length, `${where}: ${line.name}`);
      assert.ok(line.values.every(Number.isFinite), `${where}: ${line.name} is ${line.values}`);
      if (/[^s]s$/.test(line.name)) assert.notEqual(code.nameAfter(line, 1), line.name, where);
    }
    for (let player = 0; player < recording.header.players.length; player++)
      for (const { text, at, to } of game.orders(recording.header, frame, player)) {
        assert.ok(text && !/undefined|NaN|\[object/.test(text), `${where}: "${text}"`);
        // The viewer highlights the order at this place, and finds it by the pointer there.
        for (const place of to ? [at, to] : [at])
          assert.ok(Number.isFinite(place.x + place.y), `${where}: "${text}" has no place`);
        totals.orders++;
      }
    const texts = [...frame.events, ...frame.players.flatMap(({ reasons }) => reasons)];
    for (const text of texts) {
      const shown = game.readable?.(recording.header, frame, text) ?? text;
      assert.doesNotMatch(shown, PROTOCOL_NAMES, `${where}: "${text}" names no player`);
    }
    for (const mark of game.marks(recording.header, scene, last)) {
      assert.doesNotMatch(mark.text, PROTOCOL_NAMES, where);
      assert.ok(
        ['capture', 'death', 'event'].includes(mark.kind) &&
          mark.text &&
          !/undefined|NaN/.test(mark.text),
        `${where}: ${JSON.stringify(mark)}`,
      );
      totals.marks++;
    }
    if (turn % every === 0) {
      checkPainting(game, scene, last, [0.7, 6, 20, 80][(turn / every) % 4]);
      // After a jump, the previous scene is unknown.
      const alone = game.scene(recording.header, frame, null);
      assert.deepEqual(
        listed(expected.scene(alone.things)),
        listed(expected.state(frame.state)),
        where,
      );
      // Turns may be missing, and a turn may be repeated.
      for (const other of [early, scene])
        if (other) {
          const late = game.scene(recording.header, frame, other);
          assert.deepEqual(
            listed(expected.scene(late.things)),
            listed(expected.state(frame.state)),
            where,
          );
          assert.equal(late.byId.size, late.things.length, where);
          checkPainting(game, late, other, 12);
          if (other === scene)
            assert.deepEqual(
              listed(late.byId.keys()),
              listed(scene.byId.keys()),
              `${where}: a repeated turn has other ids`,
            );
        }
      early = scene;
    }
    totals.things += scene.things.length;
    last = scene;
  }
  assert.ok(game.legend.length && game.input.hint);
  recording.close();
  return totals;
}

export const BIG_FIELD = Array.from({ length: 300 }, (_, y) =>
  Array.from({ length: 400 }, (_, x) =>
    x === 3 && y === 150
      ? '1'
      : x === 396 && y === 150
        ? '2'
        : (x * 7 + y * 13) % 29 === 0
          ? 'X'
          : ' ',
  ).join(''),
).join('\n');

/** A board for many players: a castle and a barracks each, on every third cell. */
export function crowd(players, side) {
  const objects = [];
  for (let i = 0; i < players; i++) {
    const [x, y] = [(i * 3) % (side - 1), Math.floor((i * 3) / (side - 1)) * 3];
    objects.push({ x, y, type: 'C', owner: i }, { x: x + 1, y, type: 'B', owner: i });
  }
  return { sizex: side, sizey: side, objects };
}
