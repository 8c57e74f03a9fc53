// The pages in a real browser: what each shows, that it works by keyboard, with screen readers, on
// a phone and in dark mode, and that text written by people is never interpreted as HTML.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import {
  ask,
  checkAccess,
  newPage,
  newPerson,
  playedMatch,
  readText,
  shot,
  startArena,
  startBrowser,
  steady,
  tokenOf,
  until,
  test,
} from './harness.mjs';

let arena, browser, admin, match;

before(async () => {
  arena = await startArena('--ladder', 'off', '--people-per-address', '3');
  browser = await startBrowser();
  admin = await tokenOf(arena, 'admin', arena.password);
  match = await playedMatch(arena, 'aliens', ['house/aliens-medium', 'house/aliens-random'], {
    seed: 5,
  });
});

after(async () => {
  await browser?.close();
  await arena?.stop();
});

// The public pages and their headings.
const places = [
  ['/', 'Write a bot. Watch it fight.'],
  ['/games', 'Games'],
  ['/games/planetwars', 'Planet Wars'],
  ['/matches', 'Matches'],
  ['/bots', 'Bots'],
  ['/bots/house/aliens-medium', 'aliens-medium'],
  ['/people/admin', 'admin'],
  ['/tournaments', 'Tournaments'],
  ['/docs', 'Documentation'],
  ['/docs/rules/ctf', 'Capture the flag'],
  ['/docs/writing-bots', /bot/i],
  ['/docs/tutorial', 'Put a bot on the ladder in ten minutes'],
  ['/docs/tutorials/aliens', 'Aliens: from zero to beating medium'],
  ['/docs/api', 'API'],
  ['/login', 'Log in'],
  ['/replay', /replay/i],
];

// Pages whose accessibility other files test.
const busyPlaces = () => [
  [`/matches/${match}`, /aliens-medium/],
  ['/play', /./],
  ['/editor', /./],
];

/** Waits until everything on the page has loaded. */
async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('main .loading[role=status]'));
}

/** The number of colours on a canvas; 1: nothing is drawn. */
const colours = (canvas) =>
  canvas.evaluate((one) => {
    const { data } = one.getContext('2d').getImageData(0, 0, one.width, one.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

/** Makes a page report layout shifts and violations of the content security policy. */
function watchLoading() {
  window.shifts = [];
  window.violations = [];
  const where = ({ node, previousRect, currentRect }) =>
    `${node?.nodeName}.${node?.className} ` +
    `from ${Math.round(previousRect.y)} to ${Math.round(currentRect.y)}`;
  // Firefox does not report shifts; observing them there does nothing.
  new PerformanceObserver((list) =>
    list
      .getEntries()
      .forEach(
        (one) =>
          one.hadRecentInput || window.shifts.push([one.value, one.sources.map(where).join(', ')]),
      ),
  ).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('securitypolicyviolation', (event) =>
    window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
  );
}

// One visit of each page checks everything, because loading pages takes most of the time.
for (const look of [
  { name: 'light', options: { colorScheme: 'light' } },
  {
    name: 'dark, on a phone',
    options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  },
])
  test(`every page has a heading, fits the screen and is accessible (${look.name})`, async () => {
    const page = await newPage(browser, arena, look.options);
    await page.addInitScript(watchLoading);
    for (const [path, heading] of [...places, ...busyPlaces()]) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: heading }).first().waitFor();
      await settled(page);
      const { shifts, violations, overflow } = await page.evaluate(
        () =>
          new Promise((done) =>
            requestAnimationFrame(() =>
              requestAnimationFrame(() =>
                done({
                  shifts: window.shifts,
                  violations: window.violations,
                  overflow:
                    document.documentElement.scrollWidth - document.documentElement.clientWidth,
                }),
              ),
            ),
          ),
      );
      const shifted = shifts.reduce((all, [value]) => all + value, 0);
      // Pages do not shift. Smaller values are a pixel or two of a line, which nobody notices.
      assert.ok(shifted < 0.002, `${path}: ${JSON.stringify(shifts)}`);
      assert.deepEqual(violations, [], `${path} violates the content security policy`);
      assert.ok(overflow <= 0, `${path} is ${overflow} pixels wider than the screen`);
      if (places.some(([one]) => one === path)) await checkAccess(page);
      await shot(page, `page${path.replace(/\W+/g, '-')}-${look.name.split(',')[0]}`);
    }
    assert.equal(
      await page.evaluate(() => document.documentElement.dataset.theme),
      look.options.colorScheme,
    );
    await page.done();
  });

test('the content security policy is strict', async () => {
  const answer = await fetch(arena.address);
  const policy = answer.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(
    policy.replace(/style-src-attr[^;]*/, ''),
    /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/,
  );
});

test('the home page loads less than 150 kB', async () => {
  const page = await newPage(browser, arena);
  await page.goto('/');
  await page.getByRole('heading', { name: 'Games' }).waitFor();
  await settled(page);
  const loaded = await page.evaluate(() =>
    ['navigation', 'resource']
      .flatMap((type) => performance.getEntriesByType(type))
      .map(({ name, transferSize }) => [name, transferSize]),
  );
  const total = loaded.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(total > 20_000 && total < 150_000, `${total} bytes: ${JSON.stringify(loaded)}`);
  assert.ok(!loaded.some(([name]) => /codemirror|Editor/i.test(name)), 'the editor is not loaded');
  await page.done();
});

test('the home page shows an arena without matches, each new match, and a full disk', async () => {
  const fresh = await startArena('--ladder', 'off');
  try {
    const page = await newPage(browser, fresh);
    await page.goto('/');
    await page.getByText('No matches yet').waitFor();
    await playedMatch(
      fresh,
      'footsoldiers',
      ['house/footsoldiers-medium', 'house/footsoldiers-random'],
      { map: 'quarry' },
    );
    const stage = page.getByRole('region', { name: 'Featured match' });
    await stage.getByRole('link', { name: 'Footsoldiers' }).waitFor();
    const board = stage.getByRole('img');
    const size = await steady(() => board.boundingBox(), 'the board');
    await until(async () => (await colours(board)) > 4, 'the board');
    // At its end, the match shows the result.
    await stage.getByText(/ after \d+ turns\./).waitFor();
    await playedMatch(fresh, 'aliens', ['house/aliens-medium', 'house/aliens-random'], {
      map: 'corridor',
    });
    await stage.getByRole('link', { name: 'Aliens' }).waitFor();
    await board.waitFor();
    assert.deepEqual(
      await steady(() => board.boundingBox(), 'the board'),
      size,
      'the next board has the same size',
    );
    await page.done();

    // The same arena when its disk is almost full.
    await fresh.end('SIGTERM');
    await fresh.again('--free-min', String(2 ** 59));
    const low = await newPage(browser, fresh);
    const banner = /disk of this arena is almost full; no matches start/;
    for (const path of ['/matches', '/']) {
      await low.goto(path);
      await low.getByRole('status').filter({ hasText: banner }).waitFor();
    }
    await settled(low);
    await checkAccess(low);
    await low.done();
  } finally {
    await fresh.stop();
  }
});

test('an unknown address shows an error', async () => {
  const page = await newPage(browser, arena);
  for (const [path, message] of [
    ['/nowhere', 'There is no page at /nowhere. Check the address.'],
    ['/bots/nobody/nothing', 'Unknown bot "nobody/nothing".'],
    ['/people/nobody', 'Unknown account "nobody".'],
    ['/matches/999999', 'Unknown match 999999.'],
    ['/tournaments/999', 'Unknown tournament 999.'],
    ['/docs/nothing', 'Document not found'],
    ['/games/chess', 'Unknown game "chess".'],
  ]) {
    await page.goto(path);
    await page.getByText(message, { exact: true }).waitFor();
    await checkAccess(page);
  }
  await page.done();
});

test('the search finds bots, people, matches, tournaments and documents, by keyboard', async () => {
  const cup = await ask(
    arena,
    'POST',
    '/tournaments',
    { name: 'Autumn hunters', game: 'aliens', format: 'round-robin' },
    admin,
  );
  const page = await newPage(browser, arena);
  await page.goto('/');
  const box = page.getByRole('combobox', { name: 'Search' });
  const list = page.getByRole('listbox', { name: 'Results' });
  const option = (name) => list.getByRole('option', { name });
  const active = () =>
    box.evaluate((one) => document.getElementById(one.getAttribute('aria-activedescendant'))?.href);
  for (const [text, name, address] of [
    [String(match), new RegExp(`^Match ${match}: .* vs `), `/matches/${match}`],
    ['admi', /^admin person/, '/people/admin'],
    ['hunters', /^Autumn hunters/, `/tournaments/${cup.id}`],
    ['sandbox', /^The sandbox docs/, '/docs/security'],
    ['debug it', /^Write a bot: Debug it/, '/docs/writing-bots#debug-it'],
  ]) {
    await box.fill(text);
    await option(name).waitFor();
    // Arrow keys choose: down from the text to the result, then up through the whole list and back.
    const results = await list.getByRole('option').allTextContents();
    const place = results.findIndex((one) => name.test(one.replace(/\s+/g, ' ').trim()));
    for (let i = 0; i <= place; i++) await page.keyboard.press('ArrowDown');
    assert.equal(new URL(await active()).pathname, address.split('#')[0]);
    for (let i = 0; i <= results.length; i++) await page.keyboard.press('ArrowUp');
    assert.equal(new URL(await active()).pathname, address.split('#')[0]);
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await page.waitForURL('**' + address);
    await list.waitFor({ state: 'hidden' });
  }
  await box.fill('no such thing');
  await page.getByText('No results').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('No results').waitFor({ state: 'hidden' });
  await page.goto('/');
  await box.focus();
  await page.keyboard.type('aliens-m');
  await option(/house\/aliens-medium/).waitFor();
  await shot(page, 'search');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'aliens-medium' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/bots/house/aliens-medium');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Write a bot. Watch it fight.' }).waitFor();
  await page.done();
});

test('game pages have titles and draw maps when visible; a dialog enlarges a map', async () => {
  const page = await newPage(browser, arena);
  let rules = 0;
  page.on('request', (request) => (rules += /rules.*\.wasm/.test(request.url())));
  await page.setViewportSize({ width: 1280, height: 300 });
  await page.goto('/games/underworld');
  await page.getByRole('button', { name: 'ring', exact: true }).waitFor();
  await settled(page);
  assert.equal(rules, 0, 'the rules were loaded before a map was visible');
  await page.setViewportSize({ width: 1280, height: 860 });
  for (const game of (await ask(arena, 'GET', '/games')).items) {
    await page.goto('/games/' + game.name);
    await page.getByRole('heading', { level: 1, name: game.title, exact: true }).waitFor();
    assert.equal(await page.title(), `${game.title} · Skirmish`);
    await settled(page);
    await page.getByRole('heading', { name: 'Maps' }).scrollIntoViewIfNeeded();
    for (const { name } of [...game.maps, ...(game.generates_maps ? [{ name: 'generate' }] : [])]) {
      await page.getByRole('button', { name, exact: true }).scrollIntoViewIfNeeded();
      const picture = page.getByRole('img', { name: `Map ${name}`, exact: true });
      await until(async () => (await colours(picture)) > 4, `${game.name}, ${name} to be drawn`);
    }
  }
  await checkAccess(page);
  await page.goto('/games/underworld');
  const open = page.getByRole('button', { name: 'canyon', exact: true });
  await open.waitFor();
  await settled(page);
  const requests = [];
  page.on('request', (request) => request.url().includes('/api/') && requests.push(request.url()));
  await open.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /canyon/ });
  const large = dialog.getByRole('img', {
    name: /Map canyon at the start: castle: 2, barracks: 2/,
  });
  await until(async () => (await colours(large)) > 4, 'the large picture');
  assert.ok((await large.boundingBox()).width > 700);
  await checkAccess(page);
  await shot(page, 'map');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'canyon');
  assert.deepEqual(requests, [], 'opening a map sends no requests');
  // A generated map can be played.
  await page.goto('/games/planetwars');
  await page.getByRole('button', { name: 'generate', exact: true }).click();
  await page.getByRole('button', { name: 'Show another' }).click();
  await page
    .getByRole('dialog', { name: /generate:2/ })
    .getByRole('link', { name: 'Play on this map' })
    .click();
  await page.waitForURL('**/play?*map=generate%3A2*');
  assert.match(
    await page.getByRole('combobox', { name: 'Map' }).locator('option:checked').textContent(),
    /^generate:2/,
  );
  await until(
    async () => (await colours(page.getByRole('img', { name: 'Map generate:2' }))) > 4,
    'the same map in the preview',
  );
  await page.done();
});

test('keyboard focus starts at the top of a page and returns after a dialog', async () => {
  const page = await newPage(browser, arena);
  const focused = () =>
    page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
  await page.goto('/');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to content');
  for (let i = 0; i < 5; i++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Tournaments');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Tournaments' }).waitFor();
  assert.equal(await focused(), 'main');
  // The header takes one line at every width; narrow windows have a menu.
  for (const width of [1130, 820, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const { height } = await page.getByRole('banner').boundingBox();
    assert.ok(height < 70, `the header is ${height} px high at ${width} px`);
  }
  await page.getByRole('button', { name: 'Menu' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Editor' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  assert.equal(await focused(), 'Menu');
  await page.getByRole('link', { name: 'Editor' }).waitFor({ state: 'hidden' });
  await page.done();
});

test('matches can be filtered, and the address keeps the filter', async () => {
  await playedMatch(arena, 'ctf', ['house/ctf-medium', 'house/ctf-random']);
  const page = await newPage(browser, arena);
  await page.goto('/matches');
  await page.getByRole('link', { name: 'Capture the flag', exact: true }).first().waitFor();
  await page.getByRole('combobox', { name: 'Game' }).selectOption('aliens');
  await page.waitForURL('**/matches?game=aliens');
  await until(
    async () =>
      (await page.getByRole('link', { name: 'Capture the flag', exact: true }).count()) === 0,
    'the other game to disappear',
  );
  await page.reload();
  await page.getByRole('link', { name: String(match), exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Capture the flag', exact: true }).count(), 0);
  await page.done();
});

test('an administrator changes settings, invites people and suspends accounts', async () => {
  const page = await newPage(browser, arena);
  await newPerson(arena, 'mallory');
  await page.goto('/login?back=/admin');
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password').fill(arena.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor();
  await page.getByLabel('Sign-up').selectOption('invitation');
  await page.getByText('Setting saved.').waitFor();
  assert.equal((await ask(arena, 'GET', '/arena')).registration, 'invitation');

  await page.getByLabel('Note').fill('course 2026');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const code = await page.locator('code.secret').textContent();
  assert.ok(code.length > 8);
  await ask(arena, 'POST', '/register', {
    name: 'invited',
    password: 'something long',
    invitation: code,
  });

  await page.getByLabel('Name contains').fill('mallo');
  await page.getByRole('button', { name: 'Search' }).click();
  const row = page.getByRole('row', { name: /mallory/ });
  await row.getByRole('button', { name: 'Suspend' }).click();
  await row.getByText('suspended').waitFor();
  await page.getByRole('cell', { name: 'mallory' }).first().waitFor();
  await settled(page);
  await checkAccess(page);
  await shot(page, 'administration');
  await ask(arena, 'PATCH', '/admin/settings', { registration: 'open' }, admin);
  await page.done();
});

test('an administrator drains, blocks and resumes a worker', async () => {
  const page = await newPage(browser, arena);
  await page.goto('/login?back=/admin');
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password').fill(arena.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  const workers = page.getByRole('region', { name: 'Workers' });
  const row = workers.getByRole('row', { name: /arena/ });
  await row.getByRole('cell', { name: 'running' }).waitFor();
  assert.match(await row.textContent(), /\d%/);

  // With the keyboard; the same button undoes it.
  await workers.getByRole('button', { name: 'Drain engine' }).focus();
  await page.keyboard.press('Enter');
  await workers.getByText('takes no more matches').waitFor();
  await row.getByRole('cell', { name: /^drain/ }).waitFor();
  const queued = (
    await ask(
      arena,
      'POST',
      '/matches',
      { game: 'aliens', seats: Array(2).fill({ bot: 'house/aliens-random' }) },
      admin,
    )
  ).id;
  await until(
    async () =>
      (await ask(arena, 'GET', '/admin/workers', undefined, admin)).items[0].state === 'drained',
    'the arena to be drained',
  );
  assert.equal((await ask(arena, 'GET', `/matches/${queued}`)).state, 'waiting');
  await workers.getByRole('button', { name: 'Block engine' }).click();
  await row.getByRole('cell', { name: 'blocked' }).waitFor();
  await page.keyboard.press('Tab');
  await settled(page);
  await checkAccess(page);
  await shot(page, 'workers');
  await page.setViewportSize({ width: 360, height: 740 });
  await shot(page, 'workers-phone');
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `the page is ${width} pixels wide`);

  await workers.getByRole('button', { name: 'Resume engine' }).click();
  await workers.getByText('resumed').waitFor();
  await row.getByRole('cell', { name: 'running' }).waitFor();
  await until(
    async () => (await ask(arena, 'GET', `/matches/${queued}`)).state === 'over',
    'the match to be played',
  );
  await page.goto(`/matches/${queued}`);
  await page.getByText(/^on \S+, speed \d+%$/).waitFor();
  await page.done();
});

test('a password that an administrator reset is changed before anything else', async () => {
  await newPerson(arena, 'oscar');
  const given = (await ask(arena, 'POST', '/admin/accounts/oscar/password', undefined, admin))
    .password;
  const page = await newPage(browser, arena);
  await page.goto('/login?back=/bots');
  await page.getByLabel('Name').fill('oscar');
  const typed = page.getByLabel('Password');
  await typed.fill(given);
  assert.equal(await typed.getAttribute('type'), 'password');
  await page.getByLabel('Show characters').check();
  assert.equal(await typed.getAttribute('type'), 'text');
  await page.getByRole('button', { name: 'Log in' }).click();
  const heading = page.getByRole('heading', { level: 1, name: 'Choose a password' });
  await heading.waitFor();
  await page.goto('/account');
  await heading.waitFor();
  await checkAccess(page);
  await shot(page, 'choose-password');
  await page.getByLabel('Current password').fill(given);
  await page.getByLabel('New password').fill('password123');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('easy to guess').waitFor();
  await page.getByLabel('New password').fill('one of my own');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('heading', { level: 1, name: 'oscar' }).waitFor();
  await page.done();
});

test('a person cancels their own match on its page', async () => {
  const token = await newPerson(arena, 'petra');
  const source = 'import time\nwhile input():\n    time.sleep(0.5)\n    print([], flush=True)\n';
  const seats = Array(2).fill({ language: 'python', source });
  const { id } = await ask(arena, 'POST', '/matches', { game: 'aliens', seats }, token);
  const page = await newPage(browser, arena);
  const cancel = page.getByRole('button', { name: 'Cancel match' });
  await page.goto(`/matches/${id}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
  assert.equal(await cancel.count(), 0, 'nobody else can cancel it');
  await page.goto(`/login?back=/matches/${id}`);
  await page.getByLabel('Name').fill('petra');
  await page.getByLabel('Password').fill('a password of petra');
  await page.getByRole('button', { name: 'Log in' }).click();
  await cancel.click();
  await page.getByText('Cancel this match?').waitFor();
  await cancel.click();
  await page.getByText(/cancelled by the person who requested it/i).waitFor();
  assert.equal(await cancel.count(), 0);
  assert.equal((await ask(arena, 'GET', `/matches/${id}`)).state, 'called_off');
  await page.done();
});

test('a person logs in, creates a token, changes the password and logs out', async () => {
  await newPerson(arena, 'carol', 'the first password');
  const page = await newPage(browser, arena);
  await page.goto('/login');
  await page.getByLabel('Name').fill('carol');
  await page.getByLabel('Password').fill('a wrong password');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.bad').waitFor();
  await page.getByLabel('Password').fill('the first password');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'carol' }).waitFor();
  await page.getByLabel('Token name').fill('laptop');
  const scope = page.getByRole('checkbox', { name: 'read: read what you can see' });
  const { width } = await scope.boundingBox();
  assert.ok(width < 30, `a checkbox is ${width} pixels wide`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.locator('code.secret').textContent();
  assert.equal((await ask(arena, 'GET', '/me', undefined, token)).name, 'carol');
  await page.getByLabel('Current password').fill('the first password');
  await page.getByLabel('New password').fill('the second password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'carol' }).waitFor();
  await settled(page);
  await checkAccess(page);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('link', { name: 'Log in' }).waitFor();
  await page.done();
});

test('text of people and bots is never interpreted as HTML', async () => {
  const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{@html "x"}';
  const eve = await newPerson(arena, 'eve');
  const cup = await ask(
    arena,
    'POST',
    '/tournaments',
    { name: evil.slice(0, 90), game: 'aliens', format: 'round-robin' },
    admin,
  );
  await ask(arena, 'POST', '/admin/invitations', { note: evil.slice(0, 90) }, admin);
  const source = [
    'import sys',
    'for line in sys.stdin:',
    `    print(${JSON.stringify(evil)}, file=sys.stderr, flush=True)`,
    `    target = ${JSON.stringify(evil.replaceAll('"', "'"))}`,
    `    print('[{"from": 1, "to": "' + target + '"}]', flush=True)`,
    '',
  ].join('\n');
  const played = await ask(
    arena,
    'POST',
    '/matches',
    {
      game: 'aliens',
      open: true,
      seats: [
        { language: 'python', source },
        { language: 'python', source },
      ],
    },
    eve,
  );
  await until(
    async () =>
      ['over', 'given_up'].includes((await ask(arena, 'GET', `/matches/${played.id}`)).state),
    'the match to end',
  );
  const page = await newPage(browser, arena);
  await page.goto('/login?back=/admin');
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password').fill(arena.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor();
  for (const path of [
    '/admin',
    '/tournaments',
    `/tournaments/${cup.id}`,
    `/matches/${played.id}#turn=1`,
    '/matches',
    '/bots?search=%3Cscript%3Ewindow.hacked%3D1%3C/script%3E',
    '/login?back=javascript:window.hacked=1',
    '/docs/%3Cimg%20src=x%3E',
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined, path);
    assert.equal(await page.locator('main img[src="x"]').count(), 0, path);
  }
  // The link that continues after the login never leads to another site.
  await page.goto('/login');
  const link = page.getByRole('link', { name: 'Continue' });
  const host = new URL(arena.address).host;
  const follow = async (back, path) => {
    // Set the address within the page, because the server rejects control characters.
    await page.evaluate((address) => {
      history.pushState(null, '', address);
      dispatchEvent(new PopStateEvent('popstate'));
    }, '/login?back=' + back);
    await until(
      async () => (await link.evaluate((a) => a.host + a.pathname)) === host + path,
      `${back} to lead to ${path}`,
    );
  };
  for (const back of [
    '//evil.example',
    '%09//evil.example',
    '/%09/evil.example',
    '/%0A/evil.example',
    '/%5Cevil.example',
    '%5C%5Cevil.example',
    'https://evil.example',
  ]) {
    await follow('/bots?page=2', '/bots');
    await follow(back, '/account');
  }
  await page.goto('/tournaments');
  await page.getByRole('link', { name: evil.slice(0, 90) }).waitFor();
  await page.done();
});

test('the tutorial of every game shows its pictures', async () => {
  const page = await newPage(browser, arena, { viewport: { width: 390, height: 780 } });
  await page.goto('/docs');
  const links = page.locator('a[href^="/docs/tutorials/"]');
  await links.first().waitFor();
  for (const path of await links.evaluateAll((all) => all.map((one) => one.pathname))) {
    await page.goto(path);
    const pictures = page.getByRole('article').getByRole('img');
    await pictures.first().waitFor();
    for (const picture of await pictures.all()) {
      await picture.scrollIntoViewIfNeeded(); // pictures load when they are in view
      await until(() => picture.evaluate((one) => one.naturalWidth > 0), `a picture of ${path}`);
      assert.match(await picture.getAttribute('alt'), /\w+ \w+/);
      const { x, width } = await picture.boundingBox();
      assert.ok(x >= 0 && x + width <= 390, `${path}: a picture is wider than the screen`);
    }
  }
  await page.done();
});

test('the tutorial opens the editor with its steps, and shows code of the starter', async () => {
  const starter = await readText(
    new URL('../../bots/starter/planetwars/python/bot.py', import.meta.url),
  );
  const tutorial = await readText(new URL('../../docs/tutorial.md', import.meta.url));
  const [before, after] = [...tutorial.matchAll(/^ {4}(for target in .*)$/gm)].map(
    ([, line]) => line,
  );
  assert.ok(starter.includes(before));
  assert.equal(before.replace('planet))', 'planet) + planet.ships)'), after);
  const page = await newPage(browser, arena);
  await page.goto('/');
  await page.getByRole('link', { name: 'Ten-minute tutorial' }).click();
  await page.getByRole('link', { name: 'Start in the editor' }).click();
  const steps = page.getByRole('complementary', { name: 'Tutorial' });
  await steps.getByText('planetwars-random').waitFor();
  await page.getByText('A starter bot for Planet Wars').first().waitFor();
  await checkAccess(page);
  await shot(page, 'tutorial');
  await steps.getByRole('button', { name: 'Close' }).click();
  await steps.waitFor({ state: 'detached' });
  await page.done();
});
