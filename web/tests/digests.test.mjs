// The rules in the browser compute the same states as the referee: Chromium recomputes replays of
// matches that the program has just played and compares the digests.
//
// REPLAYS=N sets the number of replays per game (default 1000). The seed is printed.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';

import { build } from 'esbuild';

import { gameData } from './game_data.mjs';
import { newPage, startBrowser, test } from './harness.mjs';

const run = promisify(execFile);
const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const count = Number(process.env.REPLAYS ?? 1000);
const seed = Number(process.env.SEED ?? Date.now() % 1000000);

// Resolves `rules.wasm?url` as the build of the pages does.
const addressOfRules = {
  name: 'address of the rules',
  setup(builder) {
    builder.onResolve({ filter: /\?url$/ }, () => ({ path: 'rules.wasm', namespace: 'address' }));
    builder.onLoad({ filter: /.*/, namespace: 'address' }, () => ({
      contents: 'export default "/rules.wasm"',
    }));
  },
};

let directory, server, browser, page;

/** Serves the part of the pages that opens replays, as one script, and the replays. */
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skirmish-digests-'));
  const entry = `import { openReplay } from ${JSON.stringify(join(root, 'src/rules/recording.ts'))};
    window.verify = async (paths) => Promise.all(paths.map(async (path) => {
      const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
      const recording = await openReplay(bytes);
      const last = recording.frame(recording.length).digest;
      const report = { path, turns: recording.length, proof: recording.proof, last };
      recording.close();
      return report;
    }));`;
  const bundle = await build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    plugins: [addressOfRules],
  });
  const fixed = {
    '/': [
      'text/html',
      '<!doctype html><title>digests</title><script src="/recording.js"></script>',
    ],
    '/recording.js': ['text/javascript', bundle.outputFiles[0].text],
    '/rules.wasm': ['application/wasm', await readFile(join(root, 'src/rules/rules.wasm'))],
  };
  server = createServer(async (request, response) => {
    try {
      const [type, body] = fixed[request.url] ?? [
        'application/octet-stream',
        await readFile(join(directory, request.url)),
      ];
      response.writeHead(200, { 'content-type': type }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  browser = await startBrowser();
  page = await newPage(browser, { address: `http://127.0.0.1:${server.address().port}` });
  await page.goto('/');
});

after(async () => {
  await browser?.close();
  server?.close();
  await rm(directory, { recursive: true, force: true });
});

for (const [game, { bots, maps }] of Object.entries(gameData))
  test(`${count} replays of ${game} have the same digests (seed ${seed})`, async () => {
    const meetings = Math.ceil(count / 2 / Math.max(1, maps.length));
    await run(
      process.env.SKIRMISH,
      [
        'tournament',
        '--game',
        game,
        '--sandbox',
        'none',
        '--seed',
        String(seed),
        '--rounds',
        String(meetings),
        '--quiet',
        '--out',
        join(directory, game + '.db'),
        ...maps.flatMap((map) => ['--map', map]),
        ...bots.map((bot) => 'house:' + bot),
      ],
      { maxBuffer: 1 << 26 },
    );
    const files = await readdir(join(directory, game + '.db.replays'));
    assert.ok(files.length >= count, `${files.length} replays`);
    for (let at = 0; at < files.length; at += 50) {
      const report = await page.evaluate(
        (paths) => window.verify(paths),
        files.slice(at, at + 50).map((file) => `/${game}.db.replays/${file}`),
      );
      for (const { path, proof, turns } of report) {
        assert.deepEqual(proof, { state: 'verified' }, path);
        assert.ok(turns > 0);
      }
    }
    // The last digest in the browser equals the one that the program exports.
    const one = files[seed % files.length];
    const { stdout } = await run(
      process.env.SKIRMISH,
      ['replay', 'export', join(directory, game + '.db.replays', one)],
      { maxBuffer: 1 << 28 },
    );
    const [report] = await page.evaluate(
      (paths) => window.verify(paths),
      [`/${game}.db.replays/${one}`],
    );
    const lines = stdout.trimEnd().split('\n');
    assert.equal(report.last, JSON.parse(lines.at(-1)).digest);
    assert.equal(report.turns, lines.length);
    page.check();
  });

test('a replay with a wrong digest fails verification', async () => {
  const file = join(directory, 'one.skr');
  await run(process.env.SKIRMISH, [
    'play',
    'aliens',
    '--sandbox',
    'none',
    '--seed',
    String(seed),
    '--replay',
    file,
    'house:medium',
    'house:random',
  ]);
  const { stdout } = await run(process.env.SKIRMISH, ['replay', 'export', file], {
    maxBuffer: 1 << 26,
  });
  const lines = stdout.trimEnd().split('\n');
  const turn = Math.ceil(lines.length / 2);
  // The file has the lowest byte first.
  const digest = Buffer.from(JSON.parse(lines[turn - 1]).digest, 'hex').reverse();
  const bytes = await readFile(file);
  const plain = execFileSync('zstd', ['-d', '-c'], { input: bytes.subarray(20) });
  const at = plain.indexOf(digest);
  assert.ok(at > 0, `the digest of turn ${turn} is in the file`);
  plain[at] ^= 1;
  await writeFile(
    join(directory, 'forged.skr'),
    Buffer.concat([bytes.subarray(0, 20), execFileSync('zstd', ['-c'], { input: plain })]),
  );
  const [good, forged] = await page.evaluate(
    (paths) => window.verify(paths),
    ['/one.skr', '/forged.skr'],
  );
  assert.deepEqual(good.proof, { state: 'verified' });
  assert.equal(forged.proof.state, 'refuted');
  assert.ok(
    forged.proof.why.startsWith(`Turn ${turn}: the state after it differs from the record`),
    forged.proof.why,
  );
  assert.equal(forged.turns, turn - 1, 'the verified turns can be watched');
});
