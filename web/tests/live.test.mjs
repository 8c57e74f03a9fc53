// Pages that follow what happens on the arena without a reload; people challenge each other's bots,
// compare them and search for them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import {
  ask,
  checkAccess,
  newPage,
  newPerson,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  tokenOf,
  until,
} from './harness.mjs';

let arena, browser, admin, ada;

const CALM = 'import sys\nfor line in sys.stdin:\n    print([], flush=True)\n';

before(async () => {
  arena = await startArena('--ladder', 'off', '--people-per-address', '3');
  browser = await startBrowser();
  admin = await tokenOf(arena, 'admin', arena.password);
  ada = await newPerson(arena, 'ada');
});

after(async () => {
  await browser?.close();
  await arena?.stop();
});

const turnLadder = (ladder) => ask(arena, 'PATCH', '/admin/settings', { ladder }, admin);

/** Plays a casual match for ada, whose rate limit is higher than a guest's. */
const play = (...bots) =>
  playedMatch(
    arena,
    'aliens',
    bots.length ? bots : ['house/aliens-random', 'house/aliens-random'],
    {},
    ada,
  );

/** Uploads a version of one of ada's bots, and creates the bot if `fresh`. */
async function upload(name, source, fresh = true) {
  if (fresh) await ask(arena, 'POST', '/bots', { game: 'aliens', name }, ada);
  await ask(arena, 'POST', `/bots/ada/${name}/versions`, { file_name: 'bot.py', source }, ada);
}

/** A page that detects whether it was reloaded. With `person`, that person is logged in. */
async function openOnce(path, person = null) {
  const page = await newPage(browser, arena);
  if (person) {
    await page.goto('/login?back=' + path);
    await page.getByLabel('Name').fill(person);
    await page.getByLabel('Password').fill('a password of ' + person);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**' + path);
  } else await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(() => (window.same = true));
  return Object.assign(page, {
    async end() {
      assert.ok(await page.evaluate(() => window.same), 'the page was reloaded');
      await page.done();
    },
  });
}

test('a new bot gets its rating on its page, on the ladder and in match lists', async () => {
  await ask(arena, 'POST', '/bots', { game: 'aliens', name: 'walker' }, ada);
  const bot = await openOnce('/bots/ada/walker', 'ada');
  await bot.getByText('No live version yet.').waitFor();
  const offers = bot.getByRole('link', { name: /against it/ });
  assert.equal(await offers.count(), 0, 'nobody can play against a bot that cannot play');
  const game = await openOnce('/games/aliens');
  const matches = await openOnce('/matches?game=aliens');
  await upload('walker', CALM, false);
  await bot.getByText(/^Not rated yet/).waitFor();
  assert.equal(await offers.count(), 2);
  await turnLadder(true);
  await bot
    .getByText(/Placement: match \d+ of 12|Placed: rank/)
    .first()
    .waitFor();
  await bot.getByText(/, rank \d+,/).waitFor();
  const table = bot.getByRole('region', { name: 'Matches' });
  await table.getByRole('link', { name: 'walker' }).first().waitFor();
  await bot.getByRole('region', { name: 'Record' }).getByRole('row').nth(1).waitFor();
  await game
    .getByRole('region', { name: 'Ladder' })
    .getByRole('link', { name: 'walker' })
    .waitFor();
  await matches.getByRole('link', { name: 'walker' }).first().waitFor();
  // The end of the placement is announced.
  await bot
    .getByRole('status')
    .getByText(/^Placed: rank \d+/)
    .waitFor();
  const notices = bot.getByRole('region', { name: 'Notifications' });
  await notices.getByText(/^walker has finished its placement matches: rank \d+$/).waitFor();
  assert.equal(await bot.getByRole('progressbar').count(), 0);
  await checkAccess(bot);
  // When the ladder has stopped, every page shows its final state.
  await turnLadder(false);
  await until(async () => {
    const { running, ladder } = await ask(arena, 'GET', '/queue');
    return !running && !ladder;
  }, 'the queue to be empty');
  await until(async () => {
    const { rating } = await ask(arena, 'GET', '/bots/ada/walker');
    const shown = await bot.getByText(/, rank \d+,/).textContent();
    return shown.replace(/\s+/g, ' ').includes(`after ${rating.matches} match`);
  }, 'the last rating');
  await shot(bot, 'live-bot');
  for (const page of [bot, game, matches]) await page.end();
});

test('a new version shows how many of its placement matches it has played', async () => {
  const page = await newPage(browser, arena);
  await page.route(/\/api\/v1\/bots\/house\/aliens-medium(\?|$)/, async (route) => {
    const response = await route.fetch();
    const placement = { played: 3, of: 12 };
    await route.fulfill({ response, json: { ...(await response.json()), placement } });
  });
  await page.goto('/bots/house/aliens-medium');
  await page.getByText('Placement: match 3 of 12').waitFor();
  const progress = page.getByRole('progressbar');
  assert.deepEqual(await progress.evaluate(({ value, max }) => [value, max]), [3, 12]);
  await page.done();
});

test('new matches appear above without moving the rows in view', async () => {
  const rows = async () => (await ask(arena, 'GET', '/matches?game=aliens&house=exclude')).items;
  while ((await rows()).length < 12) await play();
  const page = await openOnce('/games/aliens');
  const list = page.getByRole('region', { name: 'Matches' });
  const [newest] = await rows();
  await list.getByRole('link', { name: String(newest.id), exact: true }).waitFor();
  await list.getByRole('button', { name: 'Show more' }).click();
  const below = (await rows())[10];
  const row = list.getByRole('row').filter({
    has: page.getByRole('link', { name: String(below.id), exact: true }),
  });
  await row.waitFor();
  await row.evaluate((one) => scrollTo(0, one.getBoundingClientRect().top + scrollY - 40));
  const place = (await row.boundingBox()).y;
  const id = await play();
  await list.getByRole('link', { name: String(id), exact: true }).waitFor();
  assert.equal(Math.round((await row.boundingBox()).y), Math.round(place));
  await page.end();
});

test('ladder matches between house bots are listed only on request', async () => {
  await turnLadder(true);
  const isHouse = ({ players }) => players.every(({ owner }) => owner === 'house');
  const { id } = await until(
    async () => (await ask(arena, 'GET', '/matches?kind=ladder&limit=200')).items.find(isHouse),
    'a ladder match between house bots',
  );
  await turnLadder(false);
  const asked = await play();
  const page = await newPage(browser, arena);
  await page.goto('/matches');
  await page.getByRole('link', { name: String(asked), exact: true }).waitFor();
  const hidden = page.getByRole('link', { name: String(id), exact: true });
  assert.equal(await hidden.count(), 0);
  const box = page.getByRole('checkbox', { name: 'Show ladder matches between house bots' });
  await box.check();
  await hidden.waitFor();
  await page.reload();
  await hidden.waitFor();
  assert.ok(await box.isChecked());
  await page.done();
});

test('a page that was hidden or lost its connection catches up', async () => {
  const page = await openOnce('/matches');
  const hide = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  const id = await play();
  assert.equal(await page.getByRole('link', { name: String(id), exact: true }).count(), 0);
  await hide(false);
  await page.getByRole('link', { name: String(id), exact: true }).waitFor();
  // The arena restarts; the browser reconnects automatically.
  await arena.end('SIGTERM');
  await arena.again();
  const later = await play();
  await page.getByRole('link', { name: String(later), exact: true }).waitFor();
  await page.end();
});

test('the owner of a bot is notified when it crashes or loses several times in a row', async () => {
  const page = await openOnce('/docs', 'ada');
  await upload('faller', 'input()\nprint([], flush=True)\ninput()\nraise SystemExit(3)\n');
  await until(
    async () => (await ask(arena, 'GET', '/bots/ada/faller')).active_version,
    'faller to be built',
  );
  const lose = () => play('ada/faller', 'house/aliens-medium');
  const first = await lose();
  const notices = page.getByRole('region', { name: 'Notifications' });
  await notices.getByRole('link', { name: `faller crashed in match ${first}` }).waitFor();
  // A newer crash replaces the notice; the streak gets its own.
  let last;
  for (let i = 0; i < 4; i++) last = await lose();
  await notices.getByRole('link', { name: `faller crashed in match ${last}` }).waitFor();
  await notices.getByRole('link', { name: 'faller lost its last 5 matches' }).waitFor();
  assert.equal(await notices.getByRole('link').count(), 2);
  await checkAccess(page);
  await shot(page, 'notices');
  await notices.getByRole('button', { name: /^Dismiss: faller lost/ }).click();
  await notices.getByRole('link', { name: /^faller crashed/ }).click();
  await page.waitForURL(`**/matches/${last}`);
  assert.equal(await notices.getByRole('link').count(), 0);
  await page.end();
});

test('a challenge is played, counted in the record and listed on the profile', async () => {
  await upload('rival', CALM);
  await until(
    async () => (await ask(arena, 'GET', '/bots/ada/rival')).active_version,
    'rival to be built',
  );
  const page = await openOnce('/bots/house/aliens-medium', 'ada');
  await page.getByRole('combobox', { name: 'Your bot' }).selectOption('rival');
  await page.getByRole('button', { name: 'Challenge aliens-medium' }).click();
  await page.waitForURL(/\/matches\/\d+/);
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  await until(
    async () => (await ask(arena, 'GET', `/matches/${id}`)).state === 'over',
    'the challenge to be played',
  );
  const found = await ask(arena, 'GET', '/bots/ada/rival/opponents/house/aliens-medium');
  assert.equal(found.matches, 1);
  await page.goto('/bots/ada/rival');
  await page
    .getByRole('region', { name: 'Record' })
    .getByRole('link', { name: 'Head to head with aliens-medium' })
    .click();
  await page.getByRole('heading', { level: 1, name: 'rival against aliens-medium' }).waitFor();
  const sentence = `rival won ${found.won}, drew ${found.drawn} and lost ${found.lost} of 1 match.`;
  await page.getByText(sentence).waitFor();
  await page.getByRole('link', { name: String(id), exact: true }).waitFor();
  await checkAccess(page);
  await shot(page, 'head-to-head');

  await page.route('**/achievements', (route) =>
    route.fulfill({
      json: {
        house_bots: [
          { game: 'aliens', house_bot: 'aliens-medium', bot: null, match: null, time: null },
          {
            game: 'aliens',
            house_bot: 'aliens-random',
            bot: 'rival',
            match: id,
            time: '2026-11-16T03:00:00Z',
          },
        ],
        longest_streak: { bot: 'rival', game: 'aliens', length: 7, last_match: id },
      },
    }),
  );
  await page.goto('/people/ada');
  const achievements = page.getByRole('region', { name: 'Achievements' });
  await achievements.getByText('7 ranked matches').waitFor();
  await achievements.getByText('1 of 2').waitFor();
  await achievements.getByText('aliens-medium: not yet').waitFor();
  await page
    .getByRole('region', { name: 'Matches of these bots' })
    .getByRole('link', { name: String(id), exact: true })
    .waitFor();
  await checkAccess(page);
  await shot(page, 'profile');
  await page.done();
});
