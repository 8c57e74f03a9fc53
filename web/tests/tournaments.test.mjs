// Tournaments, and every form of the pages with input that the arena rejects, in a real browser.
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
  tokenOf,
  until,
} from './harness.mjs';

let arena, browser, admin;

before(async () => {
  arena = await startArena('--ladder', 'off', '--people-per-address', '10');
  browser = await startBrowser();
  admin = await tokenOf(arena, 'admin', arena.password);
});

after(async () => {
  await browser?.close();
  await arena?.stop();
});

/** Waits until everything on the page has loaded. */
async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('main .loading[role=status]'));
}

async function logIn(page, back, name = 'admin', password = arena.password) {
  await page.goto('/login?back=' + back);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Waits until a field is marked as invalid and described by a sentence. With `focus`, the field
    must have the focus. */
async function rejected(page, field, sentence, focus = true) {
  await until(
    () =>
      field.evaluate(
        (one, [text, focused]) =>
          (one === document.activeElement || !focused) &&
          one.getAttribute('aria-invalid') === 'true' &&
          one
            .getAttribute('aria-describedby')
            .split(' ')
            .some((id) => document.getElementById(id)?.textContent === text),
        [sentence, focus],
      ),
    `a field that says: ${sentence}`,
    10,
  ).catch(async (error) =>
    assert.fail(`${error.message}\n${await page.locator('main').innerText()}`),
  );
}

test('every form shows errors next to their fields', async () => {
  const token = await newPerson(arena, 'frida', 'a password of frida');
  await ask(arena, 'POST', '/bots', { game: 'aliens', name: 'walker' }, token);
  const page = await newPage(browser, arena);

  await page.goto('/login?new&back=/account');
  const name = page.getByLabel('Name');
  const password = page.getByLabel('Password');
  const signUp = page.getByRole('button', { name: 'Sign up', exact: true });
  await name.fill('two words');
  await password.fill('long enough');
  await signUp.click();
  await rejected(
    page,
    name,
    "The name of an account can contain only letters from a to z, digits, '-' and '_'; " +
      'character 4 is not allowed.',
  );
  await name.fill('Frida');
  await signUp.click();
  await rejected(page, name, 'The name "Frida" is taken; choose another name.');
  await checkAccess(page);
  await shot(page, 'form-sign-up');
  await name.fill('long-enough');
  await password.fill('long_enough');
  await signUp.click();
  await rejected(page, password, 'The password must differ from the name.');
  await page.getByRole('button', { name: 'Have an account? Log in' }).click();
  assert.equal(await page.locator('.bad').count(), 0);
  await name.fill('frida');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await rejected(page, password, 'Wrong name or password.');
  await password.fill('a password of frida');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();

  await page.getByLabel('Current password').fill('not this one');
  await page.getByLabel('New password').fill('a new password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await rejected(page, page.getByLabel('Current password'), 'Wrong password.');
  await page.getByLabel('Token name').fill('   ');
  await page.getByRole('button', { name: 'Create token' }).click();
  await rejected(page, page.getByLabel('Token name'), 'This field is required.');
  await page.getByLabel('Confirm with your password').fill('not this one');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await rejected(page, page.getByLabel('Confirm with your password'), 'Wrong password.');

  await page.goto('/play?game=planetwars');
  await page.getByText('Custom rules').click();
  await page.getByLabel('Configuration').fill('{"turns": -1}');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until(
    async () => /turns/.test(await page.locator('details .bad').textContent()),
    'a message below the configuration',
  );
  await checkAccess(page);

  await page.goto('/editor?game=aliens&language=python');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Save as').selectOption('New bot');
  const botName = page.getByLabel('Bot name');
  await botName.fill('walker');
  await page.getByRole('button', { name: 'Save bot' }).click();
  await rejected(
    page,
    botName,
    'This account already has a bot called "walker"; choose another name.',
  );
  await checkAccess(page);

  await page.goto('/matches');
  const bot = page.getByLabel('Bot', { exact: true });
  await bot.fill('hunter');
  await bot.blur();
  await rejected(page, bot, 'Unknown bot "hunter"; write it as owner/name.', false);
  await bot.fill('house/aliens-medium');
  await bot.blur();
  await page.getByText('No matches found.').waitFor();
  assert.equal(await page.locator('.bad').count(), 0);
  await page.done();
});

test('the forms of organisers show errors next to their fields', async () => {
  const page = await newPage(browser, arena);
  await logIn(page, '/tournaments');
  await page.getByRole('button', { name: 'New tournament' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  const create = page.getByRole('button', { name: 'Create tournament' });
  await name.fill('   ');
  await create.click();
  await rejected(page, name, 'This field is required.');
  await name.fill('Endless');
  await page.getByLabel('Format').selectOption('ladder');
  await create.click();
  await rejected(
    page,
    page.getByLabel('Rounds'),
    'A ladder needs a number of rounds or a target error, or it would never end.',
  );
  await checkAccess(page);
  await shot(page, 'form-tournament');
  await page.getByLabel('Rounds').fill('1');
  await create.click();
  await page.getByRole('heading', { level: 1, name: 'Endless' }).waitFor();
  await page.goto('/admin');
  await page.getByLabel('Note').fill('a\u0007b');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await rejected(page, page.getByLabel('Note'), 'This field must not contain control characters.');
  await page.done();
});

test('a tournament is created, entered, started and decided, and its bracket updates', async () => {
  const page = await newPage(browser, arena);
  await logIn(page, '/tournaments');
  await page.getByRole('button', { name: 'New tournament' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Cup of the evening');
  await page.getByRole('combobox', { name: 'Game' }).selectOption('planetwars');
  await page.getByRole('combobox', { name: 'Format' }).selectOption('knockout');
  await page.getByLabel('Pairs of matches per meeting').fill('1');
  await page.getByText('with both bots in both seats: 2 matches per meeting.').waitFor();
  await page.getByRole('button', { name: 'Create tournament' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cup of the evening' }).waitFor();
  await page.getByText('1 pair of matches per meeting, both seats').waitFor();
  const field = page.getByRole('combobox', { name: 'Bot' });
  for (const [text, bot, keys] of [
    ['planetwars-m', 'house/planetwars-medium', ['ArrowDown', 'Enter']],
    ['house', 'house/planetwars-random', null],
  ]) {
    await field.fill(text);
    const option = page.getByRole('option', { name: bot });
    await option.waitFor();
    if (keys) {
      await checkAccess(page);
      for (const key of keys) await page.keyboard.press(key);
    } else await option.click();
    assert.equal(await field.inputValue(), bot);
    await page.getByRole('button', { name: 'Enter bot' }).click();
    await page.getByRole('link', { name: bot }).waitFor();
  }
  await field.fill('nobody/nothing');
  await page.getByText('No bots found').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await rejected(page, field, 'Unknown bot "nobody/nothing".');
  // A guest follows the tournament.
  const guest = await newPage(browser, arena);
  await guest.goto(new URL(page.url()).pathname);
  await page.bringToFront(); // Firefox sends keys to the page in front
  await page.getByRole('button', { name: 'Start', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Back', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Start');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('group', { name: 'Bracket' }).waitFor();
  await page.locator('.won', { hasText: 'house/planetwars-medium' }).waitFor();
  await page.getByText('finished', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Cross table' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'Winner house/planetwars-medium' }).waitFor();
  await settled(page);
  await checkAccess(page);
  await shot(page, 'tournament');
  await page.getByRole('button', { name: 'Full screen' }).click();
  await until(
    () =>
      page.evaluate(() => document.fullscreenElement?.textContent.includes('Cup of the evening')),
    'the bracket in full screen',
  );
  await page.getByRole('button', { name: 'Exit full screen' }).click();
  await page.getByRole('button', { name: 'Full screen' }).waitFor();
  const players = 'house/planetwars-medium vs house/planetwars-random';
  for (const link of [
    page.getByRole('link', { name: `Matches: ${players}` }),
    page.getByRole('link', {
      name: /-.*, matches of house.planetwars-random against house.planetwars-medium/,
    }),
    page.getByRole('link', { name: /of.*, matches of house.planetwars-random$/ }),
  ]) {
    await link.focus();
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: /^Matches of house/ });
    await heading.waitFor();
    await until(
      () => heading.evaluate((one) => one === document.activeElement),
      'the list of matches to have the focus',
    );
    await until(
      async () =>
        (await page.getByRole('row').filter({ hasText: 'planetwars-medium' }).count()) >= 2,
      'the matches',
    );
    await page.getByRole('link', { name: 'Show all matches' }).click();
    await heading.waitFor({ state: 'detached' });
  }
  await guest.reload();
  await guest.locator('.won', { hasText: 'house/planetwars-medium' }).waitFor();
  await guest.done();
  await page.done();
});

test('a tournament starts automatically at the time that its organiser set', async () => {
  const page = await newPage(browser, arena, { timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
  await logIn(page, '/tournaments');
  await page.getByRole('button', { name: 'New tournament' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Night cup');
  await page.getByRole('combobox', { name: 'Game' }).selectOption('aliens');
  await page.getByLabel('Pairs of matches per meeting').fill('1');
  const start = page.getByLabel(/^Start time/);
  await page.getByText('Time zone: Asia/Tokyo.').waitFor();
  await start.fill('2020-01-01T12:00');
  await page.getByRole('button', { name: 'Create tournament' }).click();
  await rejected(page, start, 'This field must be in the future, at most 366 days from now.');
  const day = new Date(Date.now() + 3 * 86400_000).toISOString().slice(0, 10);
  const noon = new Date(`${day}T12:00:00+09:00`);
  await start.fill(`${day}T12:00`);
  await page.getByRole('button', { name: 'Create tournament' }).click();
  await page.getByRole('heading', { level: 1, name: 'Night cup' }).waitFor();
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' };
  await page.getByText(new Intl.DateTimeFormat('en-GB', format).format(noon)).waitFor();
  await page.getByText(/in \d+ (days?|h|min)/).waitFor();
  const path = new URL(page.url()).pathname;
  assert.equal(
    Date.parse((await ask(arena, 'GET', path)).starts),
    noon.getTime(),
    'the time is in the zone of the organiser',
  );
  await settled(page);
  await checkAccess(page);
  await shot(page, 'tournament-scheduled');
  await page.getByRole('button', { name: 'Remove start time' }).click();
  await page.getByText('Entries close then.').waitFor({ state: 'detached' });
  // Nobody enters, so the tournament stays open, and the page shows why.
  const soon = new Date(Date.now() + 1500).toISOString();
  await ask(arena, 'PUT', path + '/starts', { starts: soon }, admin);
  await page.reload();
  await page.getByText('A tournament needs at least two bots, not 0', { exact: false }).waitFor();
  for (const bot of ['aliens-medium', 'aliens-random'])
    await ask(arena, 'POST', path + '/entrants', { owner: 'house', bot }, admin);
  await ask(
    arena,
    'PUT',
    path + '/starts',
    { starts: new Date(Date.now() + 1500).toISOString() },
    admin,
  );
  await page.reload();
  await page.getByText('Entries close then.').waitFor();
  // A request that fails because the arena is busy is retried.
  const requests = /\/api\/v1\/tournaments\/\d+$/;
  await page.route(requests, (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.getByRole('group', { name: 'Bracket' }).waitFor();
  await page.done();
});

test('a tournament says that no worker has the speed it needs', async () => {
  const page = await newPage(browser, arena);
  await logIn(page, '/tournaments');
  await page.getByRole('button', { name: 'New tournament' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Fair cup');
  await page.getByRole('combobox', { name: 'Game' }).selectOption('aliens');
  const least = page.getByLabel(/^Minimum speed/);
  await least.fill('50000');
  await page.getByLabel(/^Maximum speed/).fill('40000');
  const create = page.getByRole('button', { name: 'Create tournament' });
  await create.click();
  await rejected(page, least, 'This field must not be greater than "speed_max".');
  await page.getByLabel(/^Maximum speed/).fill('60000');
  await create.click();
  await page.getByRole('heading', { level: 1, name: 'Fair cup' }).waitFor();
  await page.getByText('machines with a speed of 50000 to 60000%').waitFor();
  await page.getByText('No running worker has a speed of 50000 to 60000%.').waitFor();
  await settled(page);
  await checkAccess(page);
  await shot(page, 'tournament-speed');
  await page.done();
});

test('a tournament page fits a phone, and its bracket fills a large screen', async () => {
  const dora = await newPerson(arena, 'dora');
  const cup = await ask(
    arena,
    'POST',
    '/tournaments',
    { name: 'Small cup', game: 'aliens', format: 'knockout', games: 1 },
    admin,
  );
  for (const name of ['one', 'two', 'three', 'four', 'a-bot-with-a-long-name-five-1234']) {
    await ask(arena, 'POST', '/bots', { game: 'aliens', name }, dora);
    await ask(
      arena,
      'POST',
      `/bots/dora/${name}/versions`,
      {
        file_name: 'bot.py',
        source: `import sys\nfor line in sys.stdin:\n    print([], flush=True)  # ${name}\n`,
      },
      dora,
    );
    await until(
      async () => (await ask(arena, 'GET', `/bots/dora/${name}`, undefined, dora)).active_version,
      `${name} to be built`,
    );
    await ask(arena, 'POST', `/tournaments/${cup.id}/entrants`, { owner: 'dora', bot: name }, dora);
  }
  await ask(arena, 'POST', `/tournaments/${cup.id}/start`, undefined, admin);
  const page = await newPage(browser, arena, { viewport: { width: 360, height: 740 } });
  await page.goto(`/tournaments/${cup.id}`);
  await page.getByRole('status').filter({ hasText: 'Winner' }).waitFor();
  await page.getByRole('heading', { name: 'Cross table' }).waitFor();
  await settled(page);
  assert.equal(
    await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    ),
    0,
    'the page is wider than the screen',
  );
  const report = await newPage(browser, arena);
  await report.goto(`/api/v1/tournaments/${cup.id}/report.html`);
  await report.getByRole('heading', { name: 'Small cup' }).waitFor();
  await report.getByText('First place').waitFor();
  await report.getByText('Format Knockout').waitFor();
  assert.deepEqual(
    await report.evaluate(() =>
      [...document.querySelectorAll('svg[role=img]')].flatMap((svg) => {
        const { width, height } = svg.viewBox.baseVal;
        return [...svg.querySelectorAll('text')]
          .filter((text) => {
            const box = text.getBBox();
            return box.x < 0 || box.x + box.width > width || box.y + box.height > height;
          })
          .map((text) => `${svg.getAttribute('aria-label')}: ${text.textContent}`);
      }),
    ),
    [],
    'labels that do not fit',
  );
  for (const chart of await report.locator('svg[role=img]').all())
    assert.match(await chart.textContent(), /dora\/a-bot-with-a-long-name(?!.*…)/);
  const rows = await report
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => row.offsetHeight));
  assert.ok(Math.max(...rows) < 140, `rows of the table have ${rows} pixels`);
  await report.setViewportSize({ width: 1440, height: 900 });
  assert.equal(
    await report
      .locator('.scroll:has(table)')
      .evaluate((table) => table.scrollWidth - table.clientWidth),
    0,
    'all columns of the standings are visible',
  );
  await checkAccess(report);
  await shot(report, 'report');
  await report.done();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.getByRole('button', { name: 'Full screen' }).click();
  // Full screen takes effect slightly later than the browser reports.
  const look = () =>
    page.evaluate(() => [
      document.fullscreenElement && document.fullscreenElement.scrollHeight - innerHeight,
      parseFloat(getComputedStyle(document.querySelector('.node')).fontSize),
    ]);
  await until(async () => {
    const [overflow, size] = await look();
    return overflow !== null && overflow <= 0 && size >= 24;
  }, 'a bracket that fills the screen').catch(async (error) =>
    assert.fail(`${error.message}: overflow, font size in pixels: ${await look()}`),
  );
  await page.done();
});
