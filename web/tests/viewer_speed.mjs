// Measures the viewer in the built pages: the time to open a long match, to jump to a turn, and to
// draw a frame with 1,000 things on the board.
//
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node web/tests/viewer_speed.mjs
//
// Not a test: the results depend on the load of the machine. CPU times, which depend on it least,
// are printed next to wall-clock times.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { newPage, startArena, startBrowser } from './harness.mjs';

const directory = await mkdtemp(join(tmpdir(), 'skirmish-speed-'));
const played = (name, ...options) => {
  const file = join(directory, name + '.skr');
  execFileSync(resolve(process.env.SKIRMISH), [
    'play',
    ...options.slice(0, 1),
    '--sandbox',
    'none',
    '--seed',
    '4',
    '--replay',
    file,
    ...options.slice(1),
  ]);
  return file;
};

// Eight players on 256 planets: after eighty turns about a thousand expeditions are under way.
const planets = Array.from({ length: 256 }, (_, i) => ({
  name: `p${i}`,
  x: (i % 16) * 2,
  y: Math.floor(i / 16) * 2,
  ship_count: 2,
  ...(i % 32 ? {} : { owner: i / 32 + 1 }),
}));
const crowd = join(directory, 'crowd.json');
await writeFile(crowd, JSON.stringify({ planets, max_turns: 500 }));
const bots = (count, ...names) =>
  Array.from({ length: count }, (_, i) => 'house:' + names[i % names.length]);
const long = played(
  'long',
  'planetwars',
  '--map',
  'generate:7:10',
  ...bots(8, 'random', 'admiral'),
);
const full = played('full', 'planetwars', '--config', crowd, ...bots(8, 'random'));

const arena = await startArena('--ladder', 'off');
const browser = await startBrowser();

async function open(file) {
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  await page.waitForLoadState('networkidle'); // the rules are loaded
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  page.spent = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ThreadTime')
      .value * 1000;
  await page.evaluate(() => addEventListener('change', () => performance.mark('chosen'), true));
  const before = await page.spent();
  await page.setInputFiles('input[type=file]', file);
  await page.waitForFunction(() => performance.getEntriesByName('board-drawn').length > 0);
  const cpu = (await page.spent()) - before;
  const wall = await page.evaluate(
    () =>
      performance.getEntriesByName('board-drawn')[0].startTime -
      performance.getEntriesByName('chosen')[0].startTime,
  );
  return { page, wall, cpu, turns: await page.getByRole('slider').getAttribute('aria-valuemax') };
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

const opened = [];
for (let i = 0; i < 5; i++) {
  const one = await open(long);
  opened.push(one);
  await one.page.done();
}
console.log(
  `a match of ${opened[0].turns} turns opens in ` +
    `${median(opened.map(({ wall }) => wall)).toFixed(0)} ms ` +
    `(${median(opened.map(({ cpu }) => cpu)).toFixed(0)} ms of CPU; median of ${opened.length})`,
);

const { page } = await open(full);
const jumps = [];
for (let i = 0; i < 20; i++) {
  const turn = 100 + ((i * 67) % 180);
  const before = await page.spent();
  await page.evaluate((turn) => {
    location.hash = `#turn=${turn}`;
    return new Promise((done) =>
      addEventListener(
        'hashchange',
        () => requestAnimationFrame(() => requestAnimationFrame(done)),
        { once: true },
      ),
    );
  }, turn);
  jumps.push((await page.spent()) - before);
}
console.log(`a jump takes ${median(jumps).toFixed(0)} ms of CPU`);

await page.evaluate(() => (location.hash = '#turn=85'));
await page.getByText('Events in turn 85').waitFor();
const things = await page.getByText(/Everything on the board/).textContent();
for (const speed of ['1', '8']) {
  await page.getByLabel('Speed').selectOption(speed);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const before = await page.spent();
  const { frames, seconds, gap } = await page.evaluate(
    () =>
      new Promise((done) => {
        const gaps = [];
        const start = performance.now();
        let last = start;
        const look = (now) => {
          gaps.push(now - last);
          last = now;
          if (now - start < 4000) requestAnimationFrame(look);
          else
            done({
              frames: gaps.length,
              seconds: (now - start) / 1000,
              gap: gaps.sort((a, b) => a - b)[gaps.length >> 1],
            });
        };
        requestAnimationFrame(look);
      }),
  );
  const cpu = ((await page.spent()) - before) / frames;
  await page.getByRole('button', { name: 'Pause' }).click();
  console.log(
    `${things.match(/\d+/)[0]} things, ${speed} turns/s: ` +
      `${(frames / seconds).toFixed(0)} frames/s ` +
      `(median ${gap.toFixed(1)} ms per frame), ${cpu.toFixed(1)} ms of CPU each`,
  );
}

await browser.close();
await arena.stop();
await rm(directory, { recursive: true, force: true });
