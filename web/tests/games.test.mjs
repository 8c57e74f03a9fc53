// The drawing modules of the games, without a browser: their scenes agree with the states of real
// matches in every turn, the rules accept every order that they offer to a person, and they draw
// without errors at every size.
//
//   SKIRMISH=build/skirmish node --test web/tests/games.test.mjs
//
// SEED=N repeats the matches in person with the seed that a failure printed. The rules are those of
// the pages: src/rules/rules.wasm (made by web/rules/build).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { gameData, gameNames } from './game_data.mjs';

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = mkdtempSync(join(tmpdir(), 'skirmish-games-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let code; // the bundled modules
let rules;

before(async () => {
  const entry = [
    ...gameNames.map((name) => `import ${name} from './src/games/${name}';`),
    `export const games = { ${gameNames.join(', ')} };`,
    `export { moving, nameAfter } from './src/games/game';`,
    `export { DARK, LIGHT, Pen } from './src/games/pen';`,
    `export { RulesRecording, openReplayWith } from './src/rules/recording';`,
    `export { rulesFrom } from './src/rules/wasm';`,
  ].join('\n');
  const outfile = join(directory, 'games.mjs');
  await build({
    stdin: { contents: entry, resolveDir: web, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    outfile,
    logLevel: 'error',
    plugins: [
      {
        name: 'address',
        setup: (setup) => (
          setup.onResolve({ filter: /\?url$/ }, () => ({ path: 'none', namespace: 'address' })),
          setup.onLoad({ filter: /.*/, namespace: 'address' }, () => ({
            contents: 'export default ""',
          }))
        ),
      },
    ],
  });
  code = await import(pathToFileURL(outfile).href);
  rules = await code.rulesFrom(readFileSync(join(web, 'src/rules/rules.wasm')));
});

// ---- matches ----

let files = 0;
function file(text) {
  const path = join(directory, `file-${files++}`);
  writeFileSync(path, text);
  return path;
}

/** A match played by the program, opened by the rules of the pages. */
function played(game, bots, options = {}) {
  assert.ok(process.env.SKIRMISH, 'SKIRMISH must name the program');
  const replay = join(directory, `match-${files++}.skr`);
  const given = Object.entries({ seed: '7', ...options }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  execFileSync(resolve(process.env.SKIRMISH), [
    'play',
    game,
    '--quiet',
    '--sandbox',
    'none',
    '--replay',
    replay,
    ...given,
    ...bots.map((bot) => `house:${bot}`),
  ]);
  const recording = code.openReplayWith(rules, new Uint8Array(readFileSync(replay)));
  assert.equal(recording.proof.state, 'verified');
  return recording;
}

function header(game, players, { config = null, map = null } = {}) {
  const text = (value, name) =>
    value === null
      ? null
      : { name, text: typeof value === 'string' ? value : JSON.stringify(value) };
  return {
    game,
    seed: 5,
    config: text(config, 'config'),
    map: text(map, 'map'),
    turn_ms: 1000,
    start_ms: 1000,
    think: 'in-turn',
    players: Array.from({ length: players }, (_, i) => ({ name: `p${i}`, bot: 'person' })),
    sandbox: [],
  };
}

function newRecording(head) {
  return new code.RulesRecording(
    rules,
    rules.withCopy(JSON.stringify(head), (at, length) => rules.c.recording_new(at, length)),
  );
}

/** A random number generator with a seed. */
function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    below: (n) => Math.floor(next() * n),
    of: (list) => list[Math.floor(next() * list.length)],
  };
}

// ---- a canvas that checks every call and counts what is drawn ----

function recorder() {
  const calls = { drawn: 0, depth: 0 };
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

/** How the protocols call players; pages show their names. */
const PROTOCOL_NAMES =
  /\bplayer ?\d|^[ab] (dies|spawns|gathers|tramples)|\bof [abAB]\b|\bteam [AB]\b|: A -?\d/;

/** Checks the scene of every turn of a recording. */
function checkScenes(recording, { every = 5 } = {}) {
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
        // The viewer highlights it there, and finds it by pointing there.
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

const BIG_FIELD = Array.from({ length: 300 }, (_, y) =>
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

test('Aliens: scenes agree with the states', () => {
  const totals = checkScenes(played('aliens', ['hunter', 'random']));
  assert.ok(totals.orders > 50);
  checkScenes(played('aliens', ['hunter', 'hunter'], { map: 'duel' }));
});

test('Footsoldiers: scenes agree with the states, and soldiers keep their ids', () => {
  for (const map of ['standard', 'lanes', 'quarry'])
    checkScenes(played('footsoldiers', ['marshal', 'random'], { map }));
  const totals = checkScenes(
    played('footsoldiers', ['marshal', 'marshal'], {
      map: 'quarry',
      config: file('{"initial-money": 60, "money-per-turn": 9}'),
    }),
  );
  assert.ok(totals.marks > 0 && totals.orders > 50, JSON.stringify(totals));
  checkScenes(
    played('footsoldiers', ['random', 'random'], {
      config: file(
        '{"initial-money": 500, "money-per-turn": 20, ' +
          '"speed": {"scout": 31, "tank": 0}, "total-turns": 60}',
      ),
    }),
  );
  checkScenes(played('footsoldiers', ['random', 'random'], { config: file('{"total-turns": 1}') }));
  checkScenes(
    played('footsoldiers', ['marshal', 'random'], {
      map: file(BIG_FIELD),
      config: file('{"total-turns": 25}'),
    }),
    { every: 9 },
  );
});

test('Capture the flag: scenes agree with the states', () => {
  for (const map of ['standard', 'rooms', 'fort'])
    assert.ok(checkScenes(played('ctf', ['raider', 'random'], { map })).marks > 0);
  checkScenes(played('ctf', ['raider', 'raider']));
  const rulesLine =
    'Rules { nRounds = 60, nSoldiers = 7, pointsKill = -3, pointsCapture = 100, ' +
    'grenadeRange = 1000, grenadeCooldown = 0 }\n';
  checkScenes(played('ctf', ['random', 'random'], { config: file(rulesLine) }));
  checkScenes(
    played('ctf', ['random', 'raider'], {
      config: file(rulesLine.replace('nRounds = 60', 'nRounds = 1') + 'AabB\n'),
    }),
  );
});

/** A board for many players: a castle and a barracks each, on every third cell. */
function crowd(players, side) {
  const objects = [];
  for (let i = 0; i < players; i++) {
    const [x, y] = [(i * 3) % (side - 1), Math.floor((i * 3) / (side - 1)) * 3];
    objects.push({ x, y, type: 'C', owner: i }, { x: x + 1, y, type: 'B', owner: i });
  }
  return { sizex: side, sizey: side, objects };
}

test('Underworld: scenes agree with the states, and warriors keep their ids', () => {
  assert.ok(checkScenes(played('underworld', ['warlord', 'random'], { map: 'duel' })).marks > 0);
  checkScenes(played('underworld', ['warlord', 'random', 'warlord', 'random']), { every: 9 });
  checkScenes(
    played('underworld', ['warlord', 'warlord'], {
      map: 'canyon',
      config: file('{"maxTurns": 200}'),
    }),
    { every: 9 },
  );
  checkScenes(
    played('underworld', Array(8).fill('random'), {
      map: 'ring',
      config: file(
        '{"maxTurns": 150, "money": 20000, "rules": {"warrior": {"range": 5, "damage": 40}}}',
      ),
    }),
    { every: 5 },
  );
  checkScenes(
    played('underworld', Array(12).fill('random'), {
      config: file(JSON.stringify({ ...crowd(12, 22), maxTurns: 1 })),
    }),
  );
});

test('Planet Wars: scenes agree with the states, and expeditions fly in a straight line', () => {
  for (const map of ['hex', 'drift', 'shoal'])
    assert.ok(
      checkScenes(
        played('planetwars', ['admiral', 'random'], { map, config: file('{"max_turns": 200}') }),
        { every: 9 },
      ).marks > 0,
    );
  checkScenes(
    played('planetwars', ['admiral', 'random', 'admiral', 'random'], {
      map: 'gyre',
      config: file('{"max_turns": 120}'),
    }),
    { every: 9 },
  );
  checkScenes(
    played('planetwars', Array(9).fill('random'), { config: file('{"max_turns": 40}') }),
    {
      every: 9,
    },
  );
  const places = [
    [0, 0, 9, 1],
    [0, 0, 3],
    [0.2, 0, 8, 2],
    [-1e6, 1e6, 1e12],
    [1e6, -1e6, 0],
  ];
  checkScenes(
    played('planetwars', ['random', 'random'], {
      config: file(
        JSON.stringify({
          max_turns: 60,
          planets: places.map(([x, y, ship_count, owner], i) => ({
            name: `"<b>${i}\u{1f680}`,
            x,
            y,
            ship_count,
            ...(owner ? { owner } : {}),
          })),
        }),
      ),
    }),
  );
  checkScenes(
    played('planetwars', ['random', 'random'], {
      config: file(
        JSON.stringify({
          max_turns: 1,
          planets: [
            { name: 'a', x: 5, y: 5, ship_count: 3, owner: 1 },
            { name: 'b', x: 5, y: 5, ship_count: 3, owner: 2 },
          ],
        }),
      ),
    }),
  );
});

test('Every game is drawn before its first turn and after a failure of both players', () => {
  for (const [game, { badAnswer: bad = 'nonsense' }] of Object.entries(gameData)) {
    checkScenes(newRecording(header(game, 2)));
    const recording = newRecording(header(game, 2));
    recording.play([
      { kind: 'answer', answer: bad },
      { kind: 'answer', answer: bad },
    ]);
    assert.equal(recording.length, 1);
    checkScenes(recording, { every: 1 });
  }
  // When a player is disqualified, nobody moves, and soldiers on their way keep their ids.
  const recording = newRecording(header('footsoldiers', 2, { config: { 'initial-money': 30 } }));
  for (const y of [2, 3, 4])
    recording.play([
      { kind: 'answer', answer: `Build Scout (5, ${y}) (65, 3) Right` },
      { kind: 'answer', answer: 'No-op' },
    ]);
  recording.play([
    { kind: 'answer', answer: 'No-op' },
    { kind: 'given up', answer: '' },
  ]);
  assert.ok(recording.standing.over);
  assert.equal(recording.frame(4).state.map.filter((entry) => entry.type === 'Scout').length, 3);
  checkScenes(recording, { every: 1 });
});

// ---- playing in person ----

/**
 * Fills a draft with random choices and returns the answer. The rules must accept the answer after
 * every choice.
 */
function randomAnswer(recording, game, scene, seat, generator, seed) {
  const { input } = game;
  let draft = input.empty(scene, seat);
  let picked = null;
  let follows = false; // it moves after a warrior that may stay
  const check = (how) => {
    const answer = input.answer(scene, seat, draft);
    const rejected = recording
      .try(seat, answer)
      .refused.filter(
        (why) =>
          !(follows && /: (the cell is occupied|the warrior in front does not move)$/.test(why)),
      );
    assert.deepEqual(
      rejected,
      [],
      `SEED=${seed}: ${recording.header.game}, turn ${scene.frame.turn}, seat ${seat}, ${how}: ` +
        JSON.stringify(answer),
    );
    return answer;
  };
  check('the empty draft');
  for (let acts = generator.below(9); acts > 0; acts--) {
    const selectable = input.selectable(scene, seat);
    for (const id of selectable)
      assert.equal(
        scene.byId.get(id)?.owner,
        seat,
        `SEED=${seed}: a selectable thing belongs to the player`,
      );
    if (!selectable.length) break;
    if (picked === null || generator.below(3) === 0) picked = generator.of(selectable);
    const thing = scene.byId.get(picked);
    const choices = input.choices(scene, seat, draft, thing);
    const labels = choices.map((choice) => choice.label);
    assert.equal(
      new Set(labels).size,
      labels.length,
      `SEED=${seed}: two choices have the same label: ${labels}`,
    );
    const keys = choices.flatMap((choice) => (choice.key ? [choice.key] : []));
    assert.equal(
      new Set(keys).size,
      keys.length,
      `SEED=${seed}: two choices have the same key: ${keys}`,
    );
    const places = choices.flatMap((choice) =>
      choice.at ? [`${choice.at.x},${choice.at.y}`] : [],
    );
    if (recording.header.game !== 'planetwars')
      assert.equal(
        new Set(places).size,
        places.length,
        `SEED=${seed}: two choices have the same place`,
      );
    if (!choices.length) {
      picked = null;
      continue;
    }
    const choice = generator.of(choices);
    const kept = JSON.stringify(draft);
    const { amount } = choice;
    const next = choice.take(
      draft,
      amount ? amount.min + generator.below(amount.max - amount.min + 1) : 0,
    );
    assert.equal(
      JSON.stringify(draft),
      kept,
      `SEED=${seed}: "${choice.label}" changed the draft that it received`,
    );
    draft = next;
    follows ||= / if .* leaves$/.test(choice.label);
    if (choice.selects !== undefined) picked = choice.selects;
    check(`"${choice.label}"`);
    const list = input.list(scene, seat, draft);
    const { context, calls } = recorder();
    input.sketch?.(new code.Pen(context, code.DARK, 20), scene, seat, draft);
    assert.equal(calls.depth, 0);
    for (const { text } of list) assert.ok(text && !/undefined|NaN/.test(text), text);
    if (list.length && generator.below(6) === 0) {
      draft = generator.of(list).without;
      check('an order removed');
    }
  }
  return check('the end');
}

function playInPerson(game, players, options, { turns = 120, silent = false } = {}) {
  const first = Number(process.env.SEED ?? 1);
  for (let seed = first; seed <= (process.env.SEED ? first : 2); seed++) {
    const recording = newRecording(header(game, players, options));
    const module = code.games[game];
    const generator = random(seed);
    let last = null;
    for (let turn = 0; turn < turns && !recording.standing.over; turn++) {
      const frame = recording.frame(recording.length);
      const scene = module.scene(recording.header, frame, last);
      last = scene;
      const asks = recording.standing.asks;
      const nothing = gameData[game].emptyAnswer;
      recording.play(
        asks.map((asked, seat) =>
          !asked
            ? { kind: 'not asked', answer: '' }
            : {
                kind: 'answer',
                answer:
                  silent && seat
                    ? nothing
                    : randomAnswer(recording, module, scene, seat, generator, seed),
              },
        ),
      );
    }
    assert.ok(recording.length > 0);
    checkScenes(recording, { every: 17 });
  }
}

test('A person in Capture the flag sees no more than a bot', () => {
  const recording = newRecording(header('ctf', 2, {}));
  const module = code.games.ctf;
  const generator = random(7);
  let hidden = 0;
  while (!recording.standing.over && recording.length < 60) {
    const frame = recording.frame(recording.length);
    for (const seat of [0, 1]) {
      const { state, events } = module.seen(recording.header, frame, seat);
      const view = recording
        .view(seat)
        .split('\n')
        .map((line) => line.split(' '));
      const lines = (word) =>
        view.filter(([first]) => first === word).map(([, ...rest]) => rest.join(' '));
      assert.deepEqual(
        state.grenades
          .filter(({ countdown }) => countdown)
          .map(({ x, y, countdown }) => `${x} ${y} ${countdown}`),
        lines('Grenade'),
      );
      const own = state.soldiers.filter(({ cooldown }) => cooldown !== null);
      assert.deepEqual(
        own.map(({ name, x, y, cooldown }) => `${name} ${x} ${y} ${cooldown}`),
        lines('Soldier').map((line) => line.split(' ').slice(0, 4).join(' ')),
      );
      for (const event of events)
        if (/ throws /.test(event))
          assert.ok(
            own.some(({ name }) => event.startsWith(name + ' ')),
            event,
          );
      hidden +=
        frame.state.grenades.length - state.grenades.length + frame.events.length - events.length;
    }
    const scene = module.scene(recording.header, frame, null);
    recording.play(
      recording.standing.asks.map((_, seat) => ({
        kind: 'answer',
        answer: randomAnswer(recording, module, scene, seat, generator, 7),
      })),
    );
  }
  assert.ok(hidden > 20, `only ${hidden} things were hidden`);
});

test('A person in Underworld with limited vision sees no more than a bot', () => {
  const config = { money: 30000, rules: { vision: 3, warrior: { cost: 100, damage: 400 } } };
  const recording = newRecording(header('underworld', 2, { config }));
  const module = code.games.underworld;
  const generator = random(11);
  const shown = [null, null]; // each seat's last scene
  let hidden = 0,
    found = 0,
    fallen = 0;
  assert.equal(
    module.seen(newRecording(header('underworld', 2)).header, recording.frame(0), 0).state.objects
      .length,
    recording.frame(0).state.objects.length,
    'without a limit everything is visible',
  );
  while (!recording.standing.over && recording.length < 200) {
    const frame = recording.frame(recording.length);
    for (const seat of [0, 1]) {
      const visible = module.seen(recording.header, frame, seat);
      if (recording.standing.asks[seat]) {
        const view = recording
          .view(seat)
          .split('\n')
          .filter((line) => /^\d+ \d+ -?\d+ . -?\d+$/.test(line));
        assert.deepEqual(
          visible.state.objects
            .map(
              ({ x, y, owner, type, hitpoints }) =>
                `${x} ${y} ${owner} ${type} ${type === '#' ? -1 : hitpoints}`,
            )
            .sort(),
          view.sort(),
          `turn ${frame.turn}, seat ${seat}`,
        );
      }
      assert.deepEqual(
        visible.state.players.map(({ money }) => money === null),
        [seat !== 0, seat !== 1],
      );
      hidden +=
        frame.state.objects.length -
        visible.state.objects.length +
        frame.events.length -
        visible.events.length;
      const scene = module.scene(recording.header, visible, shown[seat]);
      const castle = module.series(scene)[0].values[1 - seat];
      assert.equal(
        castle === null,
        !visible.state.objects.some(({ owner, type }) => type === 'C' && owner !== seat),
      );
      const dark = visible.state.dark.reduce((sum, [, , width, height]) => sum + width * height, 0);
      const own = visible.state.objects.filter(({ owner }) => owner === seat);
      let far = 0;
      for (let y = 0; y < visible.state.sizey; y++)
        for (let x = 0; x < visible.state.sizex; x++)
          far += Number(own.every((one) => (one.x - x) ** 2 + (one.y - y) ** 2 > 9));
      assert.equal(dark, far, 'the dark cells are those out of range of all own things');
      // Only things that the events report as lost are crossed out, and only those that they
      // report as new are highlighted.
      const cells = (word) =>
        new Set(
          visible.events.flatMap((event) =>
            event.includes(word) ? [/\((.*)\)/.exec(event)[1]] : [],
          ),
        );
      for (const { x, y } of scene.extra.fallen)
        assert.ok(cells(' loses ').has(`${x},${y}`), `turn ${frame.turn}: ${x},${y}`);
      for (const id of scene.extra.fresh.keys())
        assert.ok(cells(' a ').has(id.split('-').at(-1)), `turn ${frame.turn}: ${id}`);
      fallen += scene.extra.fallen.length;
      found += scene.things.filter(({ owner }) => owner !== seat).length;
      shown[seat] = scene;
    }
    const whole = module.scene(recording.header, frame, null);
    recording.play(
      recording.standing.asks.map((_, seat) => ({
        kind: 'answer',
        answer: randomAnswer(recording, module, whole, seat, generator, 11),
      })),
    );
  }
  assert.ok(
    hidden > 100 && found > 20 && fallen > 0,
    `${hidden} hidden, ${found} found, ${fallen} fallen`,
  );
});

for (const silent of [true, false]) {
  const against = silent ? 'idle players' : 'other people';
  test(`A person plays Aliens against ${against}`, () => playInPerson('aliens', 2, {}, { silent }));
  test(`A person plays Footsoldiers against ${against}`, () => {
    playInPerson('footsoldiers', 2, {}, { silent });
    playInPerson(
      'footsoldiers',
      2,
      {
        config: { 'initial-money': 200, 'money-per-turn': 30, speed: { tank: 4 } },
        map: '1 X\n\n   X\n X  2',
      },
      { silent },
    );
    playInPerson(
      'footsoldiers',
      2,
      { config: { 'initial-money': 200, 'max-distance-from-base': 1000000 }, map: BIG_FIELD },
      { silent, turns: 6 },
    );
  });
  test(`A person plays Capture the flag against ${against}`, () => {
    playInPerson('ctf', 2, {}, { silent });
    playInPerson(
      'ctf',
      2,
      {
        config:
          'Rules { nRounds = 80, nSoldiers = 7, pointsKill = 1, pointsCapture = 100, ' +
          'grenadeRange = 1000, grenadeCooldown = 1 }\nA..#\n.a..\n..b.\n#..B\n',
      },
      { silent },
    );
  });
  test(`A person plays Underworld against ${against}`, () => {
    playInPerson('underworld', 2, {}, { silent });
    playInPerson(
      'underworld',
      4,
      {
        config: {
          money: 30000,
          rules: { farm: { income: 2000 }, warrior: { range: 3, damage: 250, cost: 100 } },
        },
      },
      { silent, turns: 80 },
    );
    playInPerson(
      'underworld',
      64,
      { config: { ...crowd(64, 30), money: 4000 } },
      { silent, turns: 5 },
    );
  });
  test(`A person plays Planet Wars against ${against}`, () => {
    playInPerson('planetwars', 2, {}, { silent });
    playInPerson('planetwars', 4, {}, { silent, turns: 60 });
    playInPerson('planetwars', 64, {}, { silent, turns: 4 });
  });
}

// ---- all legal orders are offered, and every choice leads to an order ----

/**
 * All answers with one order that the choices lead to. A choice without an order (aiming, planning
 * a building) must lead to one.
 */
function answersOffered(game, scene, seat) {
  const { input } = game;
  const nothing = input.answer(scene, seat, input.empty(scene, seat));
  const found = new Set();
  for (const id of input.selectable(scene, seat)) {
    const thing = scene.byId.get(id);
    const follow = (draft, deeper) => {
      let orders = 0;
      for (const choice of input.choices(scene, seat, draft, thing)) {
        for (const amount of choice.amount ? [choice.amount.min, choice.amount.max] : [0]) {
          const next = choice.take(draft, amount);
          const answer = input.answer(scene, seat, next);
          if (answer !== nothing) {
            orders++;
            found.add(answer);
          }
          // In Footsoldiers, the place of a building is chosen after its kind.
          if (
            deeper &&
            (answer === nothing
              ? JSON.stringify(next) !== JSON.stringify(draft)
              : /^Build/.test(choice.label))
          ) {
            const more = follow(next, false);
            if (answer === nothing && !/^(Stay|Spawn nothing)/.test(choice.label))
              assert.ok(
                more > 0,
                `"${choice.label}" of ${id} does not lead to an order in turn ${scene.frame.turn}`,
              );
          }
        }
      }
      return orders;
    };
    follow(input.empty(scene, seat), true);
  }
  return found;
}

/** The kind and place of a build order: the rest is chosen later. */
const kindAndPlace = (answer) => answer.replace(/^(Build \w+ \(\d+, \d+\)).*/s, '$1');

const offeredMatches = gameNames.flatMap((name) =>
  (gameData[name].offeredMatches ?? []).map(({ every, ...options }) => [name, every, options]),
);
for (const [name, every, options] of offeredMatches)
  test(`${name}: offers what the rules accept${options.config ? ' (config)' : ''}`, () => {
    const strongest = gameData[name].bots[0];
    const record = played(name, [strongest, strongest], {
      ...options,
      ...(options.config ? { config: file(options.config) } : {}),
    });
    const recording = newRecording(record.header);
    const game = code.games[name];
    let [accepted, turns] = [0, 0];
    for (
      let turn = 0;
      turn < Math.min(record.length, 10 * every) && !recording.standing.over;
      turn++
    ) {
      if (turn % every === 0)
        for (const seat of [0, 1]) {
          const frame = recording.frame(recording.length);
          const scene = game.scene(recording.header, frame, null);
          const nothing = game.input.answer(scene, seat, game.input.empty(scene, seat));
          const offered = new Set([...answersOffered(game, scene, seat)].map(kindAndPlace));
          turns++;
          for (const answer of new Set(
            gameData[name].possibleAnswers(frame.state, seat, nothing),
          )) {
            if (answer === nothing) continue;
            const { refused: rejected } = recording.try(seat, answer);
            const maybe =
              name === 'underworld' &&
              // The warrior in that cell may leave.
              rejected.every((why) => /^move .*: the cell is occupied$/.test(why));
            if (rejected.length && !maybe)
              assert.ok(
                !offered.has(kindAndPlace(answer)),
                `turn ${turn}, seat ${seat}: ${JSON.stringify(answer)} is rejected: ${rejected}`,
              );
            if (!rejected.length) {
              accepted++;
              assert.ok(
                offered.has(kindAndPlace(answer)),
                `turn ${turn}, seat ${seat}: ${JSON.stringify(answer)} is never offered`,
              );
            }
          }
        }
      recording.play(record.frame(turn + 1).players);
    }
    assert.ok(turns > 3 && accepted > 20, `${accepted} answers in ${turns} turns`);
    recording.close();
    record.close();
  });
