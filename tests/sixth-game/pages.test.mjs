// The added game on the arena's pages, in a real browser: its title, emblem, rules, ladder, starter
// bot and board. test_sixth_game.py runs this in the copy that has the game.
//
// GAME and TITLE are the game's; REPLAY is a match of three players that was recorded before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import {
  ask,
  newPage,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  until,
} from '../../web/tests/harness.mjs';

const { GAME: game, TITLE: title, REPLAY: replay } = process.env;
let arena, browser;

before(async () => {
  arena = await startArena('--ladder', 'off');
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

/** Waits until the board is more than one flat colour. */
const boardIsDrawn = (page) =>
  until(
    () =>
      page.locator('.board canvas').evaluate((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const colours = new Set(new Uint32Array(data.buffer));
        return colours.size > 10;
      }),
    'the board',
  );

test('the home page has its title and emblem', async () => {
  const page = await newPage(browser, arena);
  await page.goto('/');
  const link = page.getByRole('link', { name: title, exact: true });
  const card = page.getByRole('listitem').filter({ has: link }).first();
  await card.locator('.emblem path.prize').first().waitFor();
  await card.scrollIntoViewIfNeeded();
  await shot(page, 'sixth-home');
  await page.done();
});

test('its page has its summary, ladder and maps', async () => {
  const { items } = await ask(arena, 'GET', '/games');
  const { summary } = items.find((one) => one.name === game);
  const page = await newPage(browser, arena);
  await page.goto(`/games/${game}`);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.getByText(summary).waitFor();
  await page.getByRole('heading', { name: 'Ladder' }).waitFor();
  await page.getByText('standard', { exact: true }).first().waitFor();
  await ask(arena, 'GET', `/ladders/${game}`);
  await page.goto(`/docs/rules/${game}`);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.done();
});

test('a match of its house bots is verified and drawn', async () => {
  const match = await playedMatch(arena, game, [`house/${game}-collector`, `house/${game}-random`]);
  const page = await newPage(browser, arena);
  await page.goto(`/matches/${match}`);
  await page.getByRole('slider', { name: 'Turn' }).waitFor();
  await page.getByText(/^Verified/).waitFor();
  await boardIsDrawn(page);
  await page.done();
});

test('a recorded replay of three players is drawn with its things', async () => {
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.locator('input[type=file]').setInputFiles(replay);
  const slider = page.getByRole('slider', { name: 'Turn' });
  await slider.waitFor();
  for (let turn = 1; turn <= 3; turn++) {
    await page.keyboard.press('ArrowRight');
    await until(async () => (await slider.getAttribute('aria-valuenow')) === `${turn}`, 'the turn');
  }
  await boardIsDrawn(page);
  const selection = page.getByRole('region', { name: 'Selection' });
  await selection.locator('summary').click();
  await selection.getByRole('button', { name: /^Gem\b/ }).first().waitFor(); // listed when open
  const things = await selection.getByRole('button').allTextContents();
  assert.equal(things.filter((text) => /^\s*Gem\b/.test(text)).length, 5);
  assert.equal(things.filter((text) => /collector|random/.test(text)).length, 3);
  await selection
    .getByRole('button', { name: /^Gem\b/ })
    .first()
    .click();
  await selection.getByRole('heading', { name: 'Gem' }).waitFor();
  await page.locator('.board').scrollIntoViewIfNeeded();
  await shot(page, 'sixth-replay');
  await page.done();
});

test('the editor offers its starter and the words of its protocol', async () => {
  const page = await newPage(browser, arena);
  await page.goto(`/editor?game=${game}&language=python`);
  const code = page.locator('.cm-content');
  await until(
    async () => (await code.textContent()).includes(`A starter bot for ${title}`),
    'the starter',
  );
  await code.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('maxT');
  await page.getByRole('option', { name: /maxTurns/ }).waitFor();
  await shot(page, 'sixth-editor');
  await page.done();
});
