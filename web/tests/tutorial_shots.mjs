// Takes the pictures of the tutorials, docs/images/tutorial-GAME-STEP.png: the bot of a step plays
// a match, and the viewer shows a turn of it. Not a test: run it when a tutorial, the rules or the
// drawing of a game have changed. Seeds are fixed, so the same sources give the same pictures.
//
//   tools/build-web
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node web/tests/tutorial_shots.mjs [GAME...]
//
// tests/games/GAME.mjs has a list `tutorial`; see game_data.mjs.
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { gameData } from './game_data.mjs';
import { newPage, startBrowser } from './harness.mjs';
import { slider, turnIs } from './viewer_helpers.mjs';

const root = resolve(new URL('.', import.meta.url).pathname, '../..');
const skirmish = resolve(process.env.SKIRMISH ?? 'build/skirmish');
const wanted = process.argv.slice(2);
const LARGEST_FILE = 60_000; // bytes; as tests/cli/test_tutorials.py checks
const viewport = { width: 900, height: 600 };

/** Plays the match of a picture; returns its replay. */
function play(directory, game, { step, map, seed = 1, seat = 0, against = 'medium' }) {
  const bot = join(directory, 'my_bot');
  execFileSync(skirmish, ['new', game, bot, '--language', 'python']);
  const source = join(root, 'tests/cli/tutorial.py');
  writeFileSync(join(bot, 'bot.py'), execFileSync('python3', [source, game, String(step)]));
  const replay = join(directory, 'match.skr');
  const bots = [bot, 'house:' + against];
  execFileSync(
    skirmish,
    [
      ...['play', game, '--sandbox', 'none', '--seed', String(seed), '--replay', replay],
      ...(map ? ['--map', map] : []),
      ...(seat ? bots.reverse() : bots),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return replay;
}

/** Serves the viewer of a replay. Returns its address and `stop`. */
async function startViewer(replay) {
  const child = spawn(skirmish, ['replay', 'view', replay, '--no-open']);
  const ended = new Promise((done) => child.once('exit', done));
  const address = await new Promise((found, failed) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const match = /http:\/\/127\.0\.0\.1:\d+\/local\/[0-9a-f]+/.exec(output);
      if (match) found(match[0]);
    });
    child.once('exit', () => failed(new Error(`"skirmish replay view" has ended:\n${output}`)));
  });
  return { address, stop: () => (child.kill('SIGINT'), ended) };
}

async function take(browser, game, shot) {
  const directory = await mkdtemp(join(tmpdir(), 'skirmish-tutorial-'));
  const path = join(root, 'docs/images', `tutorial-${game}-${shot.step}.png`);
  const viewer = await startViewer(play(directory, game, shot));
  try {
    const page = await newPage(browser, viewer, { viewport, colorScheme: 'dark' });
    await page.goto(`${viewer.address}#turn=${shot.turn}`);
    await slider(page).waitFor();
    await turnIs(page, shot.turn);
    await page.getByRole('button', { name: 'Full screen', exact: true }).click();
    await page.locator('.filled canvas').first().waitFor();
    await page.mouse.move(0, 0);
    // Two frames after the last change of the size, everything is drawn.
    await page.evaluate(
      () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))),
    );
    // Everything above the buttons.
    const buttons = await page.getByRole('button', { name: 'Play', exact: true }).boundingBox();
    const clip = { x: 0, y: 0, width: viewport.width, height: Math.floor(buttons.y) };
    await page.screenshot({ path, clip, animations: 'disabled' });
    await page.done();
  } finally {
    await viewer.stop();
    await rm(directory, { recursive: true, force: true });
  }
  const { size } = await stat(path);
  console.log(`${path}: ${size} bytes`);
  if (size > LARGEST_FILE) throw new Error(`${path} has more than ${LARGEST_FILE} bytes`);
}

const browser = await startBrowser();
try {
  for (const [game, { tutorial }] of Object.entries(gameData))
    if (!wanted.length || wanted.includes(game))
      for (const shot of tutorial) await take(browser, game, shot);
} finally {
  await browser.close();
}
