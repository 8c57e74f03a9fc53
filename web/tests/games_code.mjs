// The drawing modules and the rules of the pages for tests without a browser, and matches for them.
// A file that imports this one has them loaded before its tests.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { gameNames } from './game_data.mjs';

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = mkdtempSync(join(tmpdir(), 'skirmish-games-'));
after(() => rmSync(directory, { recursive: true, force: true }));

export let code; // the bundled modules
export let rules;

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
export function file(text) {
  const path = join(directory, `file-${files++}`);
  writeFileSync(path, text);
  return path;
}

/** A match played by the program, opened by the rules of the pages. */
export function played(game, bots, options = {}) {
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

export function header(game, players, { config = null, map = null } = {}) {
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

export function newRecording(head) {
  return new code.RulesRecording(
    rules,
    rules.withCopy(JSON.stringify(head), (at, length) => rules.c.recording_new(at, length)),
  );
}

/** A random number generator with a seed. */
export function random(seed) {
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
