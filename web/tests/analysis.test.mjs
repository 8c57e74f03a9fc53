// Analyses of matches by the arena: the button, the progress and the result on the page of a match.
// replays.test.mjs tests how the viewer draws an analysis.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import {
  ask,
  checkAccess,
  newPage,
  newPerson,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  test,
  until,
} from './harness.mjs';
import { open, turnIs } from './viewer_helpers.mjs';

let arena, browser, token;

before(async () => {
  arena = await startArena('--ladder', 'off', '--analyses-per-hour', '1');
  browser = await startBrowser();
  token = await newPerson(arena, 'alice');
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

const play = () =>
  playedMatch(arena, 'aliens', ['house/aliens-medium', 'house/aliens-random'], { seed: 5 }, token);
const button = (page) => page.getByRole('button', { name: 'Analyse', exact: true });
const chances = (page) => page.getByRole('region', { name: 'Winning chances' });

/** Whether an element is in the window. */
async function isVisible(page, selector) {
  const { y, height } = await page.locator(selector).boundingBox();
  return y >= 0 && y + height <= page.viewportSize().height;
}

async function logIn(page) {
  await page.goto('/login');
  await page.getByLabel('Name').fill('alice');
  await page.getByLabel('Password', { exact: true }).fill('a password of alice');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'alice' }).first().waitFor();
}

test('people have their match analysed, and everyone sees the result', async () => {
  const match = await play();
  const page = await newPage(browser, arena);
  const other = await newPage(browser, arena);
  await logIn(page);
  await open(page, `/matches/${match}#turn=5`);
  await open(other, `/matches/${match}#turn=5`);
  await button(page).click();
  await page.getByRole('status').getByText('Analysing…').waitFor();
  await page.getByText(/^\d+ of \d+$/).waitFor();
  assert.equal(await button(page).count(), 0);
  assert.equal(await button(other).count(), 0); // the match belongs to someone else
  await until(() => isVisible(page, '.progress'), 'the progress to be in the window');
  await shot(page, 'match-analysing');
  await checkAccess(page);

  await page.reload(); // the analysis continues without the page
  await chances(page).waitFor({ timeout: 120_000 });
  assert.equal(await page.getByText('Analysing…').count(), 0);
  assert.equal(await page.locator('.chances path.curve').count(), 2);
  await chances(page)
    .getByText(/^Estimated by house:medium in \d+ matches/)
    .waitFor();
  await checkAccess(page);
  await chances(page).scrollIntoViewIfNeeded();
  await shot(page, 'match-analysis');

  await other.reload();
  await chances(other).waitFor();
  assert.equal(await button(other).count(), 0);
  await other.done();

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.locator('.chances').scrollIntoViewIfNeeded();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} pixels wide`);
  await checkAccess(page);
  await shot(page, 'match-analysis-phone');

  // Blunders are links to their turns. Use a fixed blunder: the match may not have one.
  const found = await ask(arena, 'GET', `/matches/${match}/analysis`);
  const chance = { chance: 0.5, low: 0.4, high: 0.6 };
  const turns = { player: 2, first_turn: 7, last_turn: 7, p_value: 0.001, orders: [] };
  found.result.blunders = [{ ...turns, instead: chance, after: chance }];
  await page.route(`**/api/v1/matches/${match}/analysis`, (route) =>
    route.fulfill({ json: found }),
  );
  await page.reload();
  await chances(page)
    .getByRole('button', { name: /^turn 7 Blunder by aliens-random/ })
    .click();
  await turnIs(page, 7);

  // The limit is one analysis per hour.
  await page.setViewportSize({ width: 1280, height: 860 });
  await open(page, `/matches/${await play()}#turn=5`);
  await button(page).click();
  await page
    .getByRole('alert')
    .getByText(/limit of 1 analysis per hour; try again in \d+ minutes/)
    .waitFor();
  await button(page).waitFor(); // for another try
  await checkAccess(page);
  await until(() => isVisible(page, '[role=alert]'), 'the reason to be in the window');
  await shot(page, 'match-analysis-limit');
  await page.done();
});

test('a failed analysis says why', async () => {
  const match = await play();
  const page = await newPage(browser, arena);
  await logIn(page);
  const answer = { match, state: 'failed', done: 0, total: 0, ended: null, result: null };
  await page.route(`**/api/v1/matches/${match}/analysis`, (route) =>
    route.fulfill({
      status: route.request().method() === 'POST' ? 202 : 200,
      json: { ...answer, failure: 'the replay cannot be read' },
    }),
  );
  await open(page, `/matches/${match}#turn=5`);
  await button(page).click();
  await page
    .getByRole('alert')
    .getByText('The analysis failed: the replay cannot be read.')
    .waitFor();
  await button(page).waitFor();
  await page.done();
});
