// Takes the pictures in docs/images: every main page, and each game in the viewer. Not a test: run
// it when pages have changed.
//
//   tools/build-web
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node web/tests/shots.mjs [NAME...]
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { addSampleData } from './sample_data.mjs';
import { newPage, startArena, startBrowser } from './harness.mjs';

const folder = resolve(new URL('.', import.meta.url).pathname, '../../docs/images');
const wanted = process.argv.slice(2);

await mkdir(folder, { recursive: true });
const arena = await startArena();
const browser = await startBrowser();
try {
  const { cup, matches } = await addSampleData(arena);
  const shots = [
    ['home', '/', {}],
    ['game', '/games/aliens', { colorScheme: 'dark' }],
    ['map', '/games/underworld?map=canyon', {}],
    ['bot', '/bots/house/aliens-medium', {}],
    ['tournament', `/tournaments/${cup}`, {}],
    ['editor', '/editor?game=aliens&language=python', { colorScheme: 'dark' }],
    ['play', '/play?game=planetwars', {}],
    ['docs', '/docs/rules/ctf', {}],
    ['phone', '/games/ctf', { viewport: { width: 390, height: 780 } }],
  ];
  for (const [i, [name, { id, turn }]] of Object.entries(matches).entries())
    shots.push([name, `/matches/${id}#turn=${turn}`, i % 2 ? { colorScheme: 'dark' } : {}]);
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
    // Limit the wait: event streams keep the network busy.
    await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => null);
    await page.screenshot({ path: join(folder, name + '.png'), animations: 'disabled' });
    console.log(name);
    await page.context().close();
  }
} finally {
  await browser.close();
  await arena.stop();
}
