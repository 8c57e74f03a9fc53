// Takes screenshots of every page and of the viewer of every game at three widths, light and dark,
// into a folder, and reports pages that are too wide. Not a test: run it and look at the pictures
// when the design has changed.
//
//   tools/build-web
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node web/tests/survey.mjs DIR [NAME...]
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { addSampleData, tournament } from './sample_data.mjs';
import { ask, newPage, startArena, startBrowser, until } from './harness.mjs';

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) {
  console.error('survey.mjs: name a folder for the pictures');
  process.exit(2);
}

const SIZES = [
  [1440, 900],
  [820, 1100],
  [390, 844],
];

const tab = (name) => async (page) => {
  await page.getByRole('tab', { name, exact: true }).click();
};

async function playTest(page) {
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForFunction(() =>
    /^turn ([2-9]|\d\d)/.test(document.querySelector('[aria-valuetext]')?.ariaValueText ?? ''),
  );
}

async function addFiles(page) {
  const shows = page.getByRole('button', { name: 'Files' }); // several files are always shown
  if (await shows.count()) await shows.click();
  await page.getByRole('button', { name: 'Add file' }).click();
  await page.getByLabel('New file').fill('lib/paths.py');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}

async function searchFor(page) {
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('combobox', { name: 'Search' }).fill('al');
  await page.getByRole('option').first().waitFor();
}

async function planBadly(page) {
  await page.getByRole('button', { name: 'New tournament' }).click();
  await page.getByLabel('Name', { exact: true }).fill(' ');
  await page.getByLabel('Start time').fill('2001-01-01T12:00');
  await page.getByRole('button', { name: 'Create tournament' }).click();
  await page.locator('.bad').first().waitFor();
}

/** [name, address, account, function that prepares the page] */
function placesOf({ cup, swiss, planned, matches }) {
  const { aliens, planetwars } = matches;
  return [
    ['home', '/'],
    ['login', '/login'],
    ['signup', '/login?new'],
    ['nowhere', '/nowhere'],
    ['editor-tutorial', '/editor?game=planetwars&language=python&tutorial'],
    ['search', '/games', 'ada', searchFor],
    ['games', '/games', 'ada'],
    ['game', '/games/aliens', 'ada'],
    ['map', '/games/underworld?map=canyon', 'ada'],
    ['matches', '/matches', 'ada'],
    ['matches-none', '/matches?bot=nobody/x', 'ada'],
    ['tournaments', '/tournaments', 'ada'],
    ['knockout', `/tournaments/${cup}`, 'ada'],
    ['swiss', `/tournaments/${swiss}`, 'ada'],
    ['planned', `/tournaments/${planned}`, 'ada'],
    ['bots', '/bots', 'ada'],
    ['bot', '/bots/house/aliens-medium', 'ada'],
    ['bot-own', '/bots/ada/moth', 'ada'],
    ['head-to-head', '/bots/ada/moth/against/house/aliens-medium', 'ada'],
    ['person', '/people/ada', 'ada'],
    ['play', '/play?game=planetwars', 'ada'],
    ['replay', '/replay', 'ada'],
    ['docs', '/docs', 'ada'],
    ['docs-tutorial', '/docs/tutorial', 'ada'],
    ['docs-rules', '/docs/rules/aliens', 'ada'],
    ['docs-api', '/docs/api', 'ada'],
    ['editor', '/editor?game=aliens&bot=ada/moth', 'ada', playTest],
    ['editor-rules', '/editor?game=aliens&bot=ada/moth', 'ada', tab('Rules')],
    ['editor-winrate', '/editor?game=aliens&bot=ada/moth', 'ada', tab('Win rate')],
    ['editor-versions', '/editor?game=aliens&bot=ada/moth', 'ada', tab('Versions')],
    ['editor-files', '/editor?game=ctf&language=python', 'ada', addFiles],
    ['compare', `/compare?a=${aliens.id}&b=${aliens.id}`, 'ada'],
    ['embed', `/embed/matches/${planetwars.id}`, 'ada'],
    ...Object.entries(matches).map(([game, { id, turn }]) => [
      `match-${game}`,
      `/matches/${id}#turn=${turn}`,
      'ada',
    ]),
    ['account', '/account', 'ada'],
    ['admin', '/admin', 'admin'],
    ['organise', `/tournaments/${planned}`, 'admin'],
    ['plan', '/tournaments', 'admin', planBadly],
    ['report', `/api/v1/tournaments/${cup}/report.html`, 'admin'],
  ];
}

/** A page with all pictures. */
const overview = (names) =>
  '<!doctype html><title>Survey</title>' +
  '<style>img { height: 30rem; margin: 4px; border: 1px solid }</style>' +
  names.map((name) => `<img src="${name}.png" title="${name}" loading="lazy">`).join('\n');

await mkdir(folder, { recursive: true });
const arena = await startArena('--ladder', 'off');
const browser = await startBrowser();
const names = [];
try {
  const things = await addSampleData(arena);
  const { admin, ada } = things;
  things.swiss = await tournament(arena, admin, { name: 'Swiss cup', format: 'swiss' });
  await ask(arena, 'POST', `/tournaments/${things.swiss}/start`, undefined, admin);
  const starts = new Date(Date.now() + 26 * 3600 * 1000).toISOString();
  things.planned = await tournament(arena, admin, {
    name: 'Winter cup',
    format: 'double-knockout',
    starts,
  });
  await ask(arena, 'PATCH', '/admin/settings', { ladder: true }, admin);
  await until(
    async () => (await ask(arena, 'GET', '/bots/ada/moth', undefined, ada)).rating?.matches >= 4,
    'ratings',
  );
  await ask(arena, 'PATCH', '/admin/settings', { ladder: false }, admin);

  const passwords = { ada: 'a password of ada', admin: arena.password };
  for (const [width, height] of SIZES) {
    const page = await newPage(browser, arena, { viewport: { width, height } });
    page.setDefaultTimeout(8000);
    let account;
    for (const [name, path, as, act] of placesOf(things)) {
      if (wanted.length && !wanted.includes(name)) continue;
      if (as && as !== account) {
        await page.context().clearCookies();
        const data = { name: as, password: passwords[as] };
        await page.request.post('/api/v1/login', { data });
        // The pages store that there may be a session, because scripts cannot see the cookie.
        await page.goto('/robots.txt');
        await page.evaluate(() => localStorage.setItem('logged-in', 'yes'));
        account = as;
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto('about:blank'); // an address that differs only in its hash loads nothing
      await page.goto(path);
      try {
        await page.locator('h1, .viewer, canvas').first().waitFor();
        await page.waitForFunction(() =>
          [...document.querySelectorAll('main .loading[role=status]')].every(
            (one) => !one.offsetParent,
          ),
        );
        await act?.(page);
        await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => null);
      } catch (error) {
        console.log(`${name} ${width}: ${error.message.split('\n')[0]}`);
      }
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (over > 0) console.log(`${name} ${width}: ${over} px too wide`);
      // For long documents, the beginning is enough.
      const fullPage = !name.startsWith('docs') && !name.startsWith('editor');
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        const file = `${name}-${width}-${colorScheme}`;
        await page.screenshot({ path: join(folder, file + '.png'), fullPage });
        names.push(file);
      }
    }
    await page.context().close();
  }
  await writeFile(join(folder, 'index.html'), overview(names));
} finally {
  await browser.close();
  await arena.stop();
}
