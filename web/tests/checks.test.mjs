// The check of an uploaded version, as its owner sees it on the page of the bot.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import {
  ask,
  checkAccess,
  newPage,
  newPerson,
  shot,
  startArena,
  startBrowser,
} from './harness.mjs';

let arena, browser, ada;

const CALM = 'import sys\nfor line in sys.stdin:\n    print([], flush=True)\n';
const STAYS = CALM + 'import time\ntime.sleep(1000)\n'; // keeps running after the end of its input

before(async () => {
  arena = await startArena('--ladder', 'off');
  browser = await startBrowser();
  ada = await newPerson(arena, 'ada');
  await newPerson(arena, 'ben');
  await ask(arena, 'POST', '/bots', { game: 'aliens', name: 'walker' }, ada);
});

after(async () => {
  await browser?.close();
  await arena?.stop();
});

const upload = (source) =>
  ask(arena, 'POST', '/bots/ada/walker/versions', { file_name: 'bot.py', source }, ada);

/** The page of the bot, as this person sees it. */
async function openAs(person, options) {
  const page = await newPage(browser, arena, options);
  await page.goto('/login?back=/bots/ada/walker');
  await page.getByLabel('Name').fill(person);
  await page.getByLabel('Password').fill('a password of ' + person);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/bots/ada/walker');
  await page.getByRole('heading', { level: 1, name: 'walker' }).waitFor();
  return page;
}

const versions = (page) => page.getByRole('region', { name: 'Versions' });

test('the owner of a bot sees the findings of a check as soon as it ends', async () => {
  const page = await openAs('ada');
  const list = versions(page);
  await list.getByText('No versions yet').waitFor();
  await upload(STAYS);
  await list.getByText('Checking…').waitFor();
  const found = list.getByRole('button', { name: '1 error', exact: true });
  await found.waitFor();
  assert.equal(await found.getAttribute('aria-expanded'), 'false');
  assert.equal(await list.getByText('ignores-end').count(), 0);
  await found.click();
  await list.getByRole('heading', { name: 'Error: ignores-end' }).waitFor();
  await list.getByText(/^Stage “end of input”; turn 9, player 1 of 2/).waitFor();
  await list.getByText(/^was still running \d+ ms after its input had ended$/).waitFor();
  await list.getByText('only the end of its input').waitFor();
  await list.getByText(/^Exit when standard input ends/).waitFor();
  await list.getByText('Stages').click();
  await list.getByText(/^passed start: first answer after/).waitFor();
  await list.getByText(/^found end of input/).waitFor();
  await checkAccess(page);
  await list.scrollIntoViewIfNeeded();
  await shot(page, 'check-findings');
  await found.click();
  assert.equal(await list.getByText('ignores-end').count(), 0);
  await page.done();
});

test('a version without findings has passed all checks', async () => {
  const page = await openAs('ada');
  const list = versions(page);
  await upload(CALM);
  const passed = list.getByRole('button', { name: 'Passed all checks' });
  await passed.click();
  await list.getByText(/^passed match: \d+ turns against house:/).waitFor();
  assert.equal(await list.getByRole('heading', { level: 3 }).count(), 0);
  await page.done();
});

test('a report fits a phone in dark mode', async () => {
  const page = await openAs('ada', {
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
  });
  const list = versions(page);
  await list.getByRole('button', { name: '1 error', exact: true }).click();
  const change = list.getByText(/^Exit when standard input ends/);
  await change.waitFor();
  await change.scrollIntoViewIfNeeded();
  const { x, width } = await change.boundingBox();
  assert.ok(x >= 0 && x + width <= 360, `the remedy is at ${x}, ${width} wide`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await checkAccess(page);
  await shot(page, 'check-phone');
  await page.done();
});

test('nobody else sees a check', async () => {
  const page = await openAs('ben');
  const list = versions(page);
  await list.getByRole('row').nth(2).waitFor();
  assert.equal(await list.getByText('Check', { exact: true }).count(), 0);
  assert.equal(await list.getByText(/Passed all checks|error/).count(), 0);
  await page.done();
});

test('a failed check shows the reason', async () => {
  const page = await openAs('ada');
  const failed = { state: 'failed', errors: 0, warnings: 0 };
  await page.route(/\/api\/v1\/bots\/ada\/walker\/versions/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    json.items[0].check = failed;
    await route.fulfill({ response, json });
  });
  await page.route(/\/api\/v1\/versions\/\d+\/check/, (route) =>
    route.fulfill({
      json: { ...failed, time: null, failure: 'given up after 3 attempts', report: null },
    }),
  );
  await page.reload();
  await versions(page).getByRole('button', { name: 'Check failed' }).click();
  await page
    .getByText('The arena could not check this version: given up after 3 attempts.')
    .waitFor();
  await page.done();
});
