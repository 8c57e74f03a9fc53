// The viewer on an author's machine: `skirmish replay view` and `skirmish dev`, without an arena.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';

import { checkAccess, newPage, shot, startBrowser, test, until } from './harness.mjs';
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

test('the analysis next to a replay is shown as curves on the timeline', async (context) => {
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

  // The next match with this name is not the analysed one, so the analysis is not shown.
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

/** Runs a command in a terminal. `send` presses keys; `shows` waits for text on the screen. */
async function startTerminal(context, command) {
  const tmux = async (...options) =>
    (await run('tmux', ['-S', join(directory, 'tmux.sock'), ...options])).stdout;
  await tmux('-f', '/dev/null', 'new-session', '-d', '-x', '110', '-y', '40', command);
  context.after(() => tmux('kill-server'));
  const screen = () => tmux('capture-pane', '-p', '-J');
  return {
    send: (keys) => tmux('send-keys', keys),
    screen,
    shows: (text) =>
      until(async () => {
        const found = (await screen()).match(text);
        return found && found[0];
      }, `${text} in the terminal`),
  };
}

test('a new bot is developed: each save plays a match and refreshes the page', async (context) => {
  const project = join(directory, 'mine');
  await run(SKIRMISH, ['new', 'aliens', project]);
  const terminal = await startTerminal(
    context,
    `cd ${project}; ${SKIRMISH} dev . --map standard --map duel --no-open; echo status $?; cat`,
  );
  const address = await terminal.shows(/http:\/\/127\.0\.0\.1:\d+\/local\/[0-9a-f]+/);
  const page = await newPage(browser, { address });
  await page.goto(address);
  await page.getByRole('heading', { name: 'mine vs medium' }).waitFor();
  await terminal.shows(/run 1: first run[^]* standard +\w+ in turn \d+/);
  await terminal.shows(/run 1: first run[^]* duel +\w+ in turn \d+/);
  const matches = page.getByRole('list', { name: 'Matches of this run' }).getByRole('button');
  await page.getByText(/^Run 1: \d won, \d lost/).waitFor();
  assert.equal(await matches.count(), 2);

  // The author looks at a turn of the second map.
  await page.getByRole('button', { name: /^duel/ }).click();
  await page.getByText('map duel').waitFor();
  await slider(page).press('Home');
  for (const turn of [1, 2, 3]) {
    await slider(page).press('ArrowRight');
    await turnIs(page, turn);
  }
  const debug = page.getByLabel('Debug output in turn 3');
  assert.equal(await debug.textContent(), '');
  await checkAccess(page);

  // After a save, the page shows the same map and turn, with the bot's new output.
  const source = join(project, 'bot.py');
  const starter = await readFile(source, 'utf8');
  await writeFile(
    source,
    starter.replace(/^def think.*\n/m, '$&    print("looking at", view.turn, file=sys.stderr)\n'),
  );
  await terminal.shows(/run 2: bot\.py changed[^]*duel +\w+ in turn \d+ .*(before|slower|faster)/);
  await page.getByText(/^Run 2: \d won, \d lost/).waitFor();
  await until(async () => (await debug.textContent()) === 'looking at 3\n', 'the debug output');
  await page.getByText('map duel').waitFor();
  await turnIs(page, 3);
  await page.getByText('View and answer in turn 3').click();
  await page.getByRole('region', { name: 'View in turn 3' }).waitFor();
  await checkAccess(page);
  await shot(page, 'local-dev');
  await page.getByText('View and answer in turn 3').click();

  // After a crash, it shows the reason and the traceback.
  await writeFile(
    source,
    starter.replace(/^def think.*\n/m, '$&    raise ValueError("planted")\n'),
  );
  await terminal.shows(
    /run 3: bot\.py changed[^]*lost: exited with status 1[^]*ValueError: planted/,
  );
  await page
    .getByLabel(/^Debug output in turn/)
    .getByText('ValueError: planted')
    .waitFor();
  await shot(page, 'local-dev-crash');

  // After a failed build, it shows the log above the last match.
  const about = JSON.parse(await readFile(join(project, 'bot.json'), 'utf8'));
  await writeFile(
    join(project, 'bot.json'),
    JSON.stringify({ ...about, build: 'echo "bot.py:7: error: wrong" >&2; exit 1' }),
  );
  await terminal.shows(/run 4: bot\.json changed[^]*bot\.py:7: error: wrong/);
  await page.getByRole('region', { name: 'Build log' }).getByText('bot.py:7: error').waitFor();
  await page.getByText('The match below is from an earlier run.').waitFor();
  await checkAccess(page);
  await shot(page, 'local-dev-build');

  await terminal.send('q');
  await terminal.shows(/status 0/);
  await page.getByText('Disconnected: the command in the terminal has ended.').waitFor();
  await page.done();
});
