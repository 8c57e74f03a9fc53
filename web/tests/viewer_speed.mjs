// Measures the built pages: weight, largest contentful paint and layout shift of each page; the
// time to open a long match, to jump to a turn, to draw a frame with 1,000 things on the board of
// each game that allows that many, and to respond to a key or a click meanwhile.
//
//   export SKIRMISH=build/skirmish SKIRMISH_WEB=build/web
//   node web/tests/viewer_speed.mjs [pages | viewer] [GAME...]
//   BROWSER=firefox ...       in Firefox, which measures neither layout shift nor CPU time
//   PROFILE=DIR ...           saves CPU profiles of the crowded matches, for Chromium's tools
//
// Not a test: the results depend on the load of the machine. CPU times, which depend on it least,
// are printed next to wall-clock times. Targets: the home page has at most 150 kB and its largest
// paint is within 500 ms; nothing shifts; 60 frames/s; a response within 50 ms.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { playCrowd } from './crowds.mjs';
import { gameData } from './game_data.mjs';
import { inFirefox, newPage, playedMatch, startArena, startBrowser } from './harness.mjs';

const parts = process.argv.slice(2);
const wanted = (part) => parts.length === 0 || parts.includes(part);
const only = parts.slice(1); // games

const directory = await mkdtemp(join(tmpdir(), 'skirmish-speed-'));
const profiles = inFirefox ? undefined : process.env.PROFILE;
let arena, browser;

async function open(file) {
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  await page.waitForLoadState('networkidle'); // the rules are loaded
  if (inFirefox) page.spent = () => NaN;
  else {
    const session = await page.context().newCDPSession(page);
    page.session = session;
    await session.send('Performance.enable');
    page.spent = async () =>
      (await session.send('Performance.getMetrics')).metrics.find(
        ({ name }) => name === 'ThreadTime',
      ).value * 1000;
  }
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

// ---- pages ----

/** Opens a page with an empty cache. Returns bytes, milliseconds, and the layout shift. */
async function load(path) {
  const page = await newPage(browser, arena);
  await page.addInitScript(() => {
    window.seen = { paint: 0, shift: 0 };
    const observe = (type, take) =>
      PerformanceObserver.supportedEntryTypes.includes(type) &&
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
        type,
        buffered: true,
      });
    observe('largest-contentful-paint', (one) => (window.seen.paint = one.startTime));
    observe('layout-shift', (one) => (window.seen.shift += one.value));
  });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('main .loading[role=status]'));
  if (path === '/' || path.startsWith('/matches/')) await page.locator('canvas').first().waitFor();
  const found = await page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() =>
            done({
              ...window.seen,
              bytes: ['navigation', 'resource']
                .flatMap((type) => performance.getEntriesByType(type))
                .reduce((sum, { transferSize }) => sum + transferSize, 0),
            }),
          ),
        ),
      ),
  );
  await page.done();
  return found;
}

const pagesWith = (match) => [
  '/',
  '/games/planetwars',
  '/matches',
  `/matches/${match}`,
  '/bots/house/aliens-medium',
  '/tournaments',
  '/docs/rules/ctf',
  '/play',
  '/editor',
];

async function measurePages() {
  const bots = ['house/aliens-medium', 'house/aliens-random'];
  for (const path of pagesWith(await playedMatch(arena, 'aliens', bots))) {
    const loads = [];
    for (let i = 0; i < 5; i++) loads.push(await load(path));
    console.log(
      `${path}: ${(median(loads.map(({ bytes }) => bytes)) / 1000).toFixed(1)} kB, ` +
        `largest paint after ${median(loads.map(({ paint }) => paint)).toFixed(0)} ms` +
        (inFirefox ? '' : `, shifts ${Math.max(...loads.map(({ shift }) => shift)).toFixed(4)}`) +
        ` (median of ${loads.length}; worst shift)`,
    );
  }
}

// ---- the viewer ----

async function measureOpening() {
  const long = join(directory, 'long.skr');
  execFileSync(resolve(process.env.SKIRMISH), [
    ...['play', 'planetwars', '--sandbox', 'none', '--seed', '4', '--replay', long],
    ...['--map', 'generate:7:10'],
    ...Array.from({ length: 8 }, (_, i) => 'house:' + ['random', 'medium'][i % 2]),
  ]);
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
}

/** Jumps between turns with about a thousand things. */
async function measureJumps(page) {
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
}

/** Presses keys and clicks the board; returns the milliseconds until each was shown. */
async function respond(page) {
  await page.evaluate(() => {
    window.interactions = new Map();
    new PerformanceObserver((list) =>
      list.getEntries().forEach(({ interactionId, duration }) => {
        if (interactionId)
          window.interactions.set(
            interactionId,
            Math.max(duration, window.interactions.get(interactionId) ?? 0),
          );
      }),
    ).observe({ type: 'event', durationThreshold: 16, buffered: false });
  });
  const board = page.getByRole('img', { name: /^Board/ });
  await board.scrollIntoViewIfNeeded();
  const box = await board.boundingBox();
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press('Escape');
    await page.mouse.click(
      box.x + box.width * (0.3 + 0.04 * i),
      box.y + box.height * (0.3 + 0.04 * ((i * 3) % 10)),
    );
  }
  return page.evaluate(
    () => new Promise((done) => setTimeout(() => done([...window.interactions.values()]), 500)),
  );
}

/** Plays the crowded match of a game. Measures frames per second, and responses meanwhile. */
async function measureCrowd(game, page, turn) {
  await page.evaluate((turn) => (location.hash = '#turn=' + turn), turn);
  await page.getByText('Events in turn ' + turn).waitFor();
  const things = await page.getByText(/Everything on the board/).textContent();
  for (const speed of ['1', '8']) {
    await page.getByRole('combobox', { name: 'Speed' }).selectOption(speed);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForTimeout(1000); // the first frames compile the code
    if (profiles) {
      await page.session.send('Profiler.enable');
      await page.session.send('Profiler.start');
    }
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
    if (profiles) {
      const { profile } = await page.session.send('Profiler.stop');
      await mkdir(profiles, { recursive: true });
      const name = `${game}-${speed}.cpuprofile`.replaceAll(/[ ,]+/g, '-');
      await writeFile(join(profiles, name), JSON.stringify(profile));
    }
    const responses = await respond(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    console.log(
      `${game}: ${things.match(/\d+/)[0]} things, ${speed} turns/s: ` +
        `${(frames / seconds).toFixed(0)} frames/s ` +
        `(median ${gap.toFixed(1)} ms per frame), ${cpu.toFixed(1)} ms of CPU each; ` +
        `${responses.length} keys and clicks are shown within ${median(responses)} ms ` +
        `(median), ${Math.max(...responses)} ms (worst)`,
    );
  }
}

async function measureViewer() {
  if (!only.length) await measureOpening();
  for (const [game, { crowd }] of Object.entries(gameData)) {
    if (!crowd || (only.length && !only.includes(game))) continue;
    const { page } = await open(await playCrowd(game, crowd, directory));
    if (game === 'planetwars') await measureJumps(page);
    await page.evaluate((turn) => (location.hash = '#turn=' + turn), crowd.turn);
    await page.getByText('Events in turn ' + crowd.turn).waitFor();
    // If the whole board is hard to read, the viewer shows a part of it.
    const part = page.getByRole('button', { name: 'Zoom to the action', pressed: true });
    if (await part.count()) {
      await measureCrowd(`${game}, a part of the board`, page, crowd.turn);
      await part.click();
    }
    await measureCrowd(game, page, crowd.turn);
    await page.done();
  }
}

const load1 = () => `load ${loadavg()[0].toFixed(1)}`;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stop().finally(() => process.exit(1)));
async function stop() {
  await browser?.close();
  await arena?.stop();
  await rm(directory, { recursive: true, force: true });
}

console.log(`at the start: ${load1()}`);
try {
  arena = await startArena('--ladder', 'off');
  browser = await startBrowser();
  if (wanted('pages')) await measurePages();
  if (wanted('viewer')) await measureViewer();
  console.log(`at the end: ${load1()}`);
} finally {
  await stop();
}
