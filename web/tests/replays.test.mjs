// Replays outside the page of a match: files, exports, frames on other sites, two side by side.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';

import { decompress } from 'fzstd';

import {
  checkAccess,
  download,
  newPage,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  test,
} from './harness.mjs';
import { open, slider, turnIs } from './viewer_helpers.mjs';

let arena, browser, match;

before(async () => {
  arena = await startArena('--ladder', 'off', '--people-per-address', '3');
  browser = await startBrowser();
  match = await playedMatch(arena, 'aliens', ['house/aliens-medium', 'house/aliens-random'], {
    map: 'standard',
    seed: 5,
    least: 25,
    firstWins: true, // 4 of 1000 matches are drawn
  });
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

test('turns are exported as a GIF, which can be cancelled', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=12`);
  await page.getByRole('button', { name: 'Export a GIF' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export a GIF' });
  await dialog.getByLabel('To turn').fill('0');
  await dialog.getByText('The last turn must be after the first.').waitFor();
  await dialog.getByLabel('Speed').selectOption('1');
  await dialog.getByLabel('From turn').fill('0');
  await dialog.getByLabel('To turn').fill('12');
  await checkAccess(page);
  await dialog.getByRole('button', { name: 'Make GIF' }).click();
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Make GIF' }).waitFor();
  assert.equal(await dialog.getByRole('link').count(), 0, 'nothing was made');

  await dialog.getByLabel('Speed').selectOption('8');
  await dialog.getByLabel('From turn').fill('9');
  await dialog.getByLabel('Width').selectOption('320');
  await dialog.getByRole('button', { name: 'Make GIF' }).click();
  const link = dialog.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  const { name, path } = await download(page, () => link.click());
  assert.equal(name, `match-${match}-turns-9-12.gif`);
  const bytes = [...(await readFile(path))];
  // The browser decodes all pictures: one for the first turn, two for each other turn.
  const decoded = await page.evaluate(async (bytes) => {
    const decoder = new ImageDecoder({ data: new Uint8Array(bytes), type: 'image/gif' });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const count = decoder.tracks.selectedTrack.frameCount;
    const corners = [];
    for (let frameIndex = 0; frameIndex < count; frameIndex++) {
      const { image } = await decoder.decode({ frameIndex });
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      corners.push([...context.getImageData(0, 0, 1, 1).data]);
    }
    return { count, corners };
  }, bytes);
  assert.equal(decoded.count, 7);
  for (const corner of decoded.corners) assert.deepEqual(corner, decoded.corners[0]);
  assert.equal(decoded.corners[0][3], 255, 'no holes');
  await shot(page, 'viewer-export');
  await page.done();
});

test('a copied snippet shows a match in a frame on another site', async (context) => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=3`);
  await page.getByRole('button', { name: 'Embed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Embed this match' });
  const snippet = await dialog.getByLabel('HTML').inputValue();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), snippet);
  await page.done();

  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(`<!doctype html><title>Blog</title><h1>Blog</h1>${snippet}`);
  });
  context.after(() => server.close());
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const blog = await (await browser.newContext()).newPage();
  await blog.goto(`http://127.0.0.1:${server.address().port}/`);
  const frame = blog.frameLocator('iframe[title="aliens-medium, aliens-random"]');
  await frame.getByRole('heading', { name: 'aliens-medium vs aliens-random' }).waitFor();
  await frame.getByRole('button', { name: 'Pause' }).click();
  await frame.getByRole('slider', { name: 'Turn' }).press('End');
  await frame.getByText(/^aliens-medium won by elimination/).waitFor();
  assert.match(
    await frame.getByRole('link', { name: 'Open on Skirmish' }).getAttribute('href'),
    new RegExp(`^/matches/${match}#turn=\\d+$`),
  );
  await shot(blog, 'viewer-embed');
  await blog.context().close();
});

test('two matches are compared side by side, turn by turn', async () => {
  // The same bots on the same map, with another seed.
  const other = await playedMatch(arena, 'aliens', ['house/aliens-medium', 'house/aliens-random'], {
    map: 'standard',
    seed: 6,
    least: 12,
  });
  const page = await newPage(browser, arena);
  await page.goto('/compare');
  await page.getByLabel('Match', { exact: true }).fill(String(match));
  await page.getByLabel('with match').fill(String(other));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL(new RegExp(`/compare\\?a=${match}&b=${other}$`));
  await slider(page).waitFor();
  const [one, two] = [match, other].map((id) =>
    page.getByRole('region', { name: `Match ${id}`, exact: true }),
  );
  await slider(page).press('PageUp');
  for (const side of [one, two]) await side.getByText(/^Turn 10 of/).waitFor();
  await page.keyboard.press('ArrowRight');
  for (const side of [one, two]) await side.getByText(/^Turn 11 of/).waitFor();
  const button = page.getByRole('button', { name: /^Go to turn/ });
  const [first] = /\d+/.exec(await button.textContent());
  await button.click();
  for (const side of [one, two]) await side.getByText(`Turn ${first} of`).waitFor();
  await checkAccess(page);
  await shot(page, 'viewer-compare');
  await page.done();
});

const drop = (page, name, bytes) => dropAll(page, { [name]: bytes });

/** Drops several files at once. `files` maps names to bytes. */
async function dropAll(page, files) {
  const data = await page.evaluateHandle(
    (files) => {
      const transfer = new DataTransfer();
      for (const [name, bytes] of files)
        transfer.items.add(new File([new Uint8Array(bytes)], name));
      return transfer;
    },
    Object.entries(files).map(([name, bytes]) => [name, [...bytes]]),
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('main', type, { dataTransfer: data });
}

/** Replaces a text in a replay with one of the same length, with valid compression. */
function forge(replay, text, other) {
  const plain = Buffer.from(decompress(replay.subarray(20)));
  const at = plain.lastIndexOf(text);
  assert.ok(at > 0 && text.length === other.length);
  plain.write(other, at);
  // One zstd frame: magic, a header with the size in four bytes, then uncompressed blocks.
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(plain.length, 5);
  const parts = [replay.subarray(0, 20), head];
  for (let from = 0; from < plain.length; from += 65536) {
    const block = plain.subarray(from, from + 65536);
    const size = Buffer.alloc(4);
    size.writeUInt32LE((block.length << 3) | (from + 65536 >= plain.length ? 1 : 0));
    parts.push(size.subarray(0, 3), block);
  }
  return new Uint8Array(Buffer.concat(parts));
}

test('a replay with a false verdict fails verification', async () => {
  const replay = new Uint8Array(
    await (await fetch(`${arena.address}/api/v1/matches/${match}/replay`)).arrayBuffer(),
  );
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  await drop(page, 'honest.skr', forge(replay, '"rank":1', '"rank":1'));
  await page.getByText('Verified: result re-checked').waitFor();
  await drop(page, 'forged.skr', forge(replay, '"rank":1', '"rank":2'));
  await page.getByRole('alert').getByText('Verification failed.').waitFor();
  const [warning, board] = await Promise.all([
    page.getByRole('alert').boundingBox(),
    page.locator('.board').boundingBox(),
  ]);
  assert.ok(warning.y + warning.height <= board.y, 'the warning is above the board');
  assert.ok(warning.y + warning.height <= 860, 'the warning is on the first screen');
  assert.equal(await page.getByText('Verified: result').count(), 0);
  await page.done();
});

test('a dropped replay file opens without any request; other files are rejected', async () => {
  const replay = new Uint8Array(
    await (await fetch(`${arena.address}/api/v1/matches/${match}/replay`)).arrayBuffer(),
  );
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  const requested = [];
  page.on('request', (request) => request.url().includes('/api/') && requested.push(request.url()));
  await drop(page, 'notes.txt', new TextEncoder().encode('not a replay, but as long as one'));
  await page
    .getByRole('alert')
    .getByText('Could not open notes.txt. Not a Skirmish replay.')
    .waitFor();
  const damaged = replay.slice();
  damaged[60] ^= 0xff;
  await drop(page, 'damaged.skr', damaged);
  await page
    .getByRole('alert')
    .getByText(/Could not open damaged\.skr\. \S.*\.$/)
    .waitFor();
  const newer = replay.slice();
  newer[16] = 9;
  await drop(page, 'newer.skr', newer);
  await page
    .getByRole('alert')
    .getByText(/Could not open newer\.skr\. .*version/i)
    .waitFor();

  await drop(page, 'match.skr', replay);
  await page.getByText('Verified: result re-checked').waitFor();
  await page.getByRole('heading', { level: 1, name: 'aliens-medium vs aliens-random' }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await drop(page, 'again.skr', replay); // a second file
  await page.getByText(/^again\.skr: aliens/).waitFor();
  await slider(page).waitFor();
  assert.deepEqual(requested, []);
  await page.done();
});

test('an analysis is shown as curves on the timeline, with its blunders', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'skirmish-analysis-'));
  const replay = new Uint8Array(
    await (await fetch(`${arena.address}/api/v1/matches/${match}/replay`)).arrayBuffer(),
  );
  const file = join(directory, 'match.skr');
  await writeFile(file, replay);
  const few = ['--samples', '6', '--continuations', '4', '--quiet', '--sandbox', 'none'];
  await promisify(execFile)(process.env.SKIRMISH, ['analyze', file, ...few]);
  const analysis = JSON.parse(await readFile(join(directory, 'match.analysis.json'), 'utf8'));
  await rm(directory, { recursive: true });
  // Use a fixed blunder: the random bot may not have made one.
  const chance = (chance) => ({ chance, low: chance / 2, high: (1 + chance) / 2 });
  const turns = { player: 2, first_turn: 7, last_turn: 7, p_value: 0.001, orders: [] };
  analysis.blunders = [{ ...turns, instead: chance(0.5), after: chance(0.1) }];
  const encode = (value) => new TextEncoder().encode(JSON.stringify(value));

  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  await drop(page, 'match.analysis.json', encode(analysis));
  await page.getByRole('alert').getByText('Open its replay first.').waitFor();
  await dropAll(page, { 'match.analysis.json': encode(analysis), 'match.skr': replay });
  const panel = page.getByRole('region', { name: 'Winning chances' });
  await panel.waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);

  // A line for each player, with as many points as the file, as high as the chances.
  const lines = await page
    .locator('.chances path.curve')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
  assert.equal(lines.length, 2);
  lines.forEach((line, player) => {
    const heights = [...line.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
    const expected = analysis.points.map((point) => 55 - 54 * point.players[player].chance);
    assert.equal(heights.length, expected.length);
    heights.forEach((y, i) => assert.ok(Math.abs(y - expected[i]) < 0.1, `${y} ${expected[i]}`));
  });

  await panel.getByRole('button', { name: /^turn 7 Blunder by aliens-random/ }).click();
  await turnIs(page, 7);
  await panel.getByText('10% (5–55%) instead of 50% (25–75%) with the orders of').waitFor();
  const [line, mark] = await Promise.all([
    page.locator('.chances .now').boundingBox(),
    page.locator('.chances .blunder').boundingBox(),
  ]);
  assert.ok(Math.abs(line.x - (mark.x + mark.width / 2)) < 2, 'the mark is at its turn');
  await slider(page).press('End');
  await panel.getByText('The result of the match.').waitFor();
  await panel.getByText('100%', { exact: true }).waitFor();
  await checkAccess(page);
  await page.getByRole('slider', { name: 'Turn' }).hover({ position: { x: 100, y: 10 } });
  await page
    .locator('.tip')
    .getByText(/^aliens-medium wins \d+%/)
    .waitFor();
  await shot(page, 'viewer-analysis');

  await page.reload();
  await panel.waitFor();
  await drop(page, 'other.json', encode({ ...analysis, digest: '0000000000000000' }));
  await page.getByRole('alert').getByText('This file is the analysis of another match.').waitFor();
  await drop(page, 'notes.json', encode({ points: [] }));
  await page.getByRole('alert').getByText('neither a replay nor an analysis').waitFor();
  await panel.waitFor(); // the open analysis stays
  await drop(page, 'again.skr', replay);
  await page.getByText(/^again\.skr: aliens/).waitFor();
  await panel.waitFor({ state: 'detached' });
  await page.done();
});
