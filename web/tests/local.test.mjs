// The viewer on an author's machine: `skirmish replay view` and `skirmish dev`, without an arena.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';

import { checkAccess, newPage, shot, startBrowser, test } from './harness.mjs';
import { slider, turnIs } from './viewer_helpers.mjs';

const SKIRMISH = resolve(process.env.SKIRMISH ?? '');
const run = promisify(execFile);
let browser, directory;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skirmish-local-'));
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a command that serves the viewer. Returns its address and `stop`. */
async function startViewer(context, ...options) {
  const child = spawn(SKIRMISH, [...options, '--no-open'], { cwd: directory });
  const ended = new Promise((done) => child.once('exit', done));
  let output = '';
  const stop = async () => {
    child.kill('SIGINT');
    return ended;
  };
  context.after(stop);
  const address = await new Promise((found, failed) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const match = /http:\/\/127\.0\.0\.1:\d+\/local\/[0-9a-f]+/.exec(output);
      if (match) found(match[0]);
    });
    child.once('exit', () => failed(new Error(`the command has ended:\n${output}`)));
  });
  return { address, stop };
}

test('a replay opens in the viewer without an arena', async (context) => {
  const replay = join(directory, 'match.skr');
  await run(SKIRMISH, [
    ...['play', 'aliens', '--seed', '3', '--replay', replay],
    ...['house:medium', 'house:random'],
  ]);
  const viewer = await startViewer(context, 'replay', 'view', replay);
  const page = await newPage(browser, viewer);
  await page.goto(viewer.address + '#turn=5');
  await page.getByRole('heading', { name: 'medium vs random' }).waitFor();
  await page.getByText('match.skr').waitFor();
  await page.getByText('Aliens', { exact: true }).waitFor();
  await page.getByText('map standard').waitFor();
  await slider(page).waitFor();
  await turnIs(page, 5);
  await slider(page).press('End');
  await page.getByText(/^medium won by elimination/).waitFor();
  await page.getByText('Verified').waitFor();
  assert.equal(await page.getByRole('link').count(), 0, 'nothing leads to pages of an arena');
  await checkAccess(page);
  await shot(page, 'local-replay');
  assert.equal(await viewer.stop(), 0);
  await page.getByText('Disconnected: the command in the terminal has ended.').waitFor();
  await page.done();
});

test('the analysis beside a replay is shown as curves on the timeline', async (context) => {
  const replay = join(directory, 'analysed.skr');
  await run(SKIRMISH, [
    ...['play', 'aliens', '--seed', '3', '--replay', replay],
    ...['house:medium', 'house:random'],
  ]);
  const few = ['--samples', '5', '--continuations', '4', '--sandbox', 'none', '--quiet'];
  await run(SKIRMISH, ['analyze', replay, ...few]);
  const viewer = await startViewer(context, 'replay', 'view', replay);
  const page = await newPage(browser, viewer);
  await page.goto(viewer.address + '#turn=0');
  const panel = page.getByRole('region', { name: 'Winning chances' });
  await panel.getByText(/^\d+ continuations from turn 0\./).waitFor();
  assert.equal(await page.locator('.chances path.curve').count(), 2);
  assert.equal(await page.getByRole('link').count(), 0, 'nothing leads to pages of an arena');
  await slider(page).press('End');
  await panel.getByText('100%', { exact: true }).waitFor();
  await checkAccess(page);
  await shot(page, 'local-analysis');
  await page.done();

  // The next match with this name is not the one that was analysed.
  await viewer.stop();
  await run(SKIRMISH, [
    ...['play', 'aliens', '--seed', '4', '--replay', replay],
    ...['house:medium', 'house:random'],
  ]);
  const other = await startViewer(context, 'replay', 'view', replay);
  const again = await newPage(browser, other);
  await again.goto(other.address);
  await slider(again).waitFor();
  assert.equal(await again.getByRole('region', { name: 'Winning chances' }).count(), 0);
  await again.done();
});
