// Takes the pictures in docs/images: every main page, and each game in the viewer. Not a test: run
// it when pages have changed.
//
//   tools/build-web
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node web/tests/shots.mjs [NAME...]
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { gameData } from './game_data.mjs';
import {
  ask,
  newPage,
  newPerson,
  playedMatch,
  startArena,
  startBrowser,
  tokenOf,
  until,
} from './harness.mjs';

const folder = resolve(new URL('.', import.meta.url).pathname, '../../docs/images');
const wanted = process.argv.slice(2);

const starter = `import json, sys

for line in sys.stdin:
    view = json.loads(line)
    print([], flush=True)
`;

await mkdir(folder, { recursive: true });
const arena = await startArena();
const browser = await startBrowser();
try {
  const admin = await tokenOf(arena, 'admin', arena.password);
  const ada = await newPerson(arena, 'ada');
  for (const name of ['moth', 'wasp', 'beetle']) {
    await ask(arena, 'POST', '/bots', { game: 'aliens', name }, ada);
    await ask(
      arena,
      'POST',
      `/bots/ada/${name}/versions`,
      { file_name: 'bot.py', source: starter + '# ' + name + '\n' },
      ada,
    );
    await until(
      async () => (await ask(arena, 'GET', `/bots/ada/${name}`, undefined, ada)).active_version,
      `${name} to be built`,
    );
  }
  const cup = await ask(
    arena,
    'POST',
    '/tournaments',
    { name: 'Autumn cup', game: 'aliens', format: 'knockout', games: 1 },
    admin,
  );
  for (const bot of [
    'ada/moth',
    'ada/wasp',
    'ada/beetle',
    'house/aliens-hunter',
    'house/aliens-random',
  ]) {
    const [owner, name] = bot.split('/');
    await ask(arena, 'POST', `/tournaments/${cup.id}/entrants`, { owner, bot: name }, admin);
  }
  await ask(arena, 'POST', `/tournaments/${cup.id}/start`, undefined, admin);
  await until(
    async () => (await ask(arena, 'GET', `/tournaments/${cup.id}`)).state === 'over',
    'the cup to end',
    120,
  );

  const shots = [
    ['home', '/', {}],
    ['game', '/games/aliens', { colorScheme: 'dark' }],
    ['map', '/games/underworld?map=canyon', {}],
    ['bot', '/bots/house/aliens-hunter', {}],
    ['tournament', `/tournaments/${cup.id}`, {}],
    ['editor', '/editor?game=aliens&language=python', { colorScheme: 'dark' }],
    ['play', '/play?game=planetwars', {}],
    ['docs', '/docs/rules/ctf', {}],
    ['phone', '/games/ctf', { viewport: { width: 390, height: 780 } }],
  ];
  for (const [i, [name, { bots, shot }]] of Object.entries(gameData).entries()) {
    const { turn, ...more } = shot;
    const match = await playedMatch(
      arena,
      name,
      bots.map((bot) => `house/${name}-${bot}`),
      { seed: 5, least: turn + 2, ...more },
      ada,
    );
    shots.push([name, `/matches/${match}#turn=${turn}`, i % 2 ? { colorScheme: 'dark' } : {}]);
  }
  for (const [name, path, options] of shots) {
    if (wanted.length && !wanted.includes(name)) continue;
    const page = await newPage(browser, arena, {
      viewport: { width: 1200, height: 800 },
      ...options,
    });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForFunction(() => !document.querySelector('main .loading[role=status]'));
    if (name === 'home' || name === 'map') await page.locator('canvas').first().waitFor();
    if (name === 'editor') {
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.waitForFunction(() =>
        /^turn [2-9]\d of/.test(document.querySelector('[aria-valuetext]')?.ariaValueText ?? ''),
      );
    }
    await page.waitForLoadState('networkidle').catch(() => null); // streams stay open
    await page.screenshot({ path: join(folder, name + '.png'), animations: 'disabled' });
    console.log(name);
    await page.context().close();
  }
} finally {
  await browser.close();
  await arena.stop();
}
