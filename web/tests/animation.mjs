// Records docs/images/match.webp, the animated match of README.md: the board of the real viewer in
// headless Chromium, frame by frame with a fake clock, so that every run gives the same frames. Not
// a test: run it when the drawing of a game has changed.
//
//   tools/build-web
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node web/tests/animation.mjs [FILE.webp]
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { newPage, newPerson, playedMatch, startArena, startBrowser } from './harness.mjs';

const images = resolve(new URL('.', import.meta.url).pathname, '../../docs/images');
const file = resolve(process.argv[2] ?? join(images, 'match.webp'));

const GAME = 'planetwars';
const BOTS = ['medium', 'random', 'medium', 'random'];
const MATCH = { map: 'gyre', seed: 5 };
const SPEED = '8'; // turns per second in the viewer
const FRAMES = 146; // the whole match
const FRAME_MS = 100;
const LAST_FRAME_MS = 2000;
const LARGEST_FILE = 1_500_000; // bytes; a README should load fast

if (spawnSync('img2webp', ['-version']).error) {
  console.error('animation.mjs: img2webp is missing; install it: apt-get install webp');
  process.exit(2);
}

const frames = await mkdtemp(join(tmpdir(), 'skirmish-frames-'));
const arena = await startArena('--ladder', 'off');
const browser = await startBrowser();
try {
  const token = await newPerson(arena, 'ada');
  const bots = BOTS.map((bot) => `house/${GAME}-${bot}`);
  const match = await playedMatch(arena, GAME, bots, MATCH, token);

  const viewport = { width: 1100, height: 800 };
  const page = await newPage(browser, arena, { viewport, colorScheme: 'dark' });
  await page.clock.install();
  await page.goto(`/matches/${match}#turn=0`);
  const board = page.locator('canvas').first();
  await board.waitFor();
  await page.getByLabel('Speed').selectOption(SPEED);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('button', { name: 'Play', exact: true }).click();

  const pictures = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const path = join(frames, `${String(frame).padStart(4, '0')}.png`);
    await board.screenshot({ path });
    pictures.push(path);
    await page.clock.runFor(FRAME_MS);
  }

  const last = pictures.pop();
  const delays = ['-d', FRAME_MS, ...pictures, '-d', LAST_FRAME_MS, last].map(String);
  const options = ['-loop', '0', '-lossy', '-q', '50', '-m', '6'];
  const made = spawnSync('img2webp', [...options, ...delays, '-o', file], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`img2webp failed: ${made.stderr}`);
  const { size } = await stat(file);
  if (size > LARGEST_FILE) throw new Error(`${file} has ${size} bytes, more than ${LARGEST_FILE}`);
  console.log(`${file}: ${pictures.length + 1} frames, ${size} bytes`);
} finally {
  await browser.close();
  await arena.stop();
  await rm(frames, { recursive: true, force: true });
}
