// The editor in a real browser: everything a newcomer does, with and without an account, and that
// no work is lost.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import {
  ask,
  checkAccess,
  download,
  newPage,
  newPerson,
  shot,
  startArena,
  startBrowser,
  tokenOf,
  until,
  test,
} from './harness.mjs';

let arena, browser, admin;

before(async () => {
  arena = await startArena('--ladder', 'off', '--libraries', 'python:json');
  browser = await startBrowser();
  admin = await tokenOf(arena, 'admin', arena.password);
});

after(async () => {
  await browser?.close();
  await arena?.stop();
});

const WAIT = 90_000; // milliseconds; long, because a busy machine builds slowly
const RESULT = /^(You won|You lost|Draw|Not played)/;

const codeOf = (page) => page.getByRole('textbox', { name: 'Bot code' });
const play = (page) => page.getByRole('button', { name: /^Play( again)?$/ }).first();
const text = async (page) => (await codeOf(page).locator('.cm-line').allTextContents()).join('\n');

async function openEditor(page, query) {
  await page.goto('/editor?' + query);
  await codeOf(page).waitFor({ timeout: WAIT });
}

/** Inserts lines at the top, all at once, because completion and indentation change typed text. */
async function typeAtTop(page, lines) {
  await codeOf(page).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText(lines.map((line) => line + '\n').join(''));
}

/** Replaces the code, as pasting does. */
async function write(page, source) {
  await codeOf(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(source);
}

async function logIn(page, name) {
  await page.goto('/login');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill('a password of ' + name);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/account');
}

const result = (page) => page.getByRole('status').filter({ hasText: RESULT });

const NEWCOMERS = {
  python: {
    name: 'rita',
    bot: 'hopper',
    comment: '#',
    stderr: 'I am player a',
    broken: ['raise ValueError("no idea")'],
    line: 1,
    says: /ValueError: no idea/,
  },
  javascript: {
    name: 'juri',
    bot: 'jumper',
    comment: '//',
    stderr: 'I am player a',
    broken: ['const nothing = null;', 'nothing.at(1);'],
    line: 2,
    says: /TypeError/,
  },
};

for (const [language, { name, bot, comment, stderr, broken, line, says }] of Object.entries(
  NEWCOMERS,
))
  test(`a newcomer's bot in ${language} is tested, saved, and joins the ladder`, async () => {
    const page = await newPage(browser, arena);
    await openEditor(page, `game=aliens&language=${language}`);
    assert.match(await text(page), /A starter bot for Aliens/);
    await page.getByText('Starter bot', { exact: true }).waitFor();

    // The bot plays without an account, and its standard error is shown.
    await play(page).click();
    await result(page).waitFor({ timeout: WAIT });
    await page.getByText(/^Debug output: 1 line; 0 orders rejected; longest turn/).click();
    await page
      .getByRole('region', { name: 'Debug output of your bot' })
      .getByText(stderr)
      .waitFor();
    await page.locator('canvas').first().waitFor();
    await shot(page, `editor-${language}-played`);

    // A crash is shown at its line.
    await typeAtTop(page, broken);
    await page.keyboard.press('Control+Enter');
    const place = page.getByRole('button', { name: new RegExp(`line ${line}$`) }).first();
    await place.waitFor({ timeout: WAIT });
    await page.getByText(says).first().waitFor();
    assert.match(await result(page).textContent(), /You lost: your bot crashed/);
    assert.equal(await page.locator('.cm-lint-marker-error').count(), 1);
    await place.click();
    assert.equal(
      await page.evaluate(
        () =>
          document.activeElement.shadowRoot.activeElement.querySelector('.cm-activeLine')
            ?.textContent ?? '',
      ),
      broken[line - 1],
    );
    await shot(page, `editor-${language}-broken`);

    // The fixed bot is saved; signing up does not lose the code.
    await codeOf(page).press('Control+Home');
    for (let i = 0; i < broken.length; i++) await page.keyboard.press('Control+Shift+k');
    await typeAtTop(page, [`${comment} fixed by ${name}`]);
    await page.getByText('Unsaved draft (stored in this browser)').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill('a password of ' + name);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('Bot name').fill(bot);
    await page.getByRole('button', { name: 'Save bot' }).click();
    await page.getByText(`Version 1 of ${bot} is live`).waitFor({ timeout: WAIT });
    // The ladder is on only here, because its matches use all cores.
    await ask(arena, 'PATCH', '/admin/settings', { ladder: true }, admin);
    await page
      .getByText(/Placement: match \d+ of 12|Placed: rank/)
      .first()
      .waitFor({ timeout: WAIT });
    await shot(page, `editor-${language}-saved`);
    const [version] = (await ask(arena, 'GET', `/bots/${name}/${bot}/versions`)).items;
    assert.equal(version.build, 'good');
    assert.equal(version.active, true);

    // The bot joins the ladder.
    await page.getByRole('link', { name: `View ${bot}` }).click();
    await page.getByRole('heading', { level: 1, name: bot }).waitFor();
    await until(
      async () => (await ask(arena, 'GET', '/ladders/aliens')).items.some((row) => row.bot === bot),
      `${bot} to be on the ladder`,
      120,
    );
    await ask(arena, 'PATCH', '/admin/settings', { ladder: false }, admin);
    await page.goto('/games/aliens');
    await page
      .getByRole('table')
      .first()
      .getByRole('link', { name: bot })
      .waitFor({ timeout: WAIT });
    await page.done();
  });

test('an unsaved draft survives a reload, a change of the game, and a reset', async () => {
  const page = await newPage(browser, arena);
  await openEditor(page, 'game=aliens&language=ruby');
  const [starter] = (await text(page)).split('\n');
  await typeAtTop(page, ['# my idea']);
  await page.reload(); // immediately, before the timer stores the draft
  await codeOf(page).waitFor({ timeout: WAIT });
  assert.match(await text(page), /^# my idea\n/);

  await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption('ctf');
  await until(
    async () => /starter bot for Capture the flag/i.test(await text(page)),
    'the starter of the other game',
  );
  await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption('aliens');
  await until(
    async () => (await text(page)).startsWith('# my idea'),
    'the draft of the first game',
  );

  await page.getByRole('button', { name: 'Reset to starter' }).click();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  assert.match(await text(page), /^# my idea\n/);
  await page.getByRole('button', { name: 'Reset to starter' }).click();
  await page.getByRole('button', { name: 'Reset to starter' }).click();
  await until(async () => (await text(page)).startsWith(starter + '\n'), 'the starter');
  await page.getByRole('button', { name: 'Restore draft' }).click();
  await until(async () => (await text(page)).startsWith('# my idea'), 'the draft to be back');
  await page.done();
});

/** A sequence of games in which every ordered pair of games occurs once. */
function allSwitches(games) {
  const left = new Map(games.map((game) => [game, games.filter((other) => other !== game)]));
  const stack = [games[0]];
  const walk = [];
  while (stack.length) {
    const next = left.get(stack.at(-1)).pop();
    if (next) stack.push(next);
    else walk.unshift(stack.pop());
  }
  return walk;
}

test('after every switch between games, Play asks for opponents of the open game', async () => {
  const games = (await ask(arena, 'GET', '/games')).items.map((game) => game.name);
  const bots = new Map();
  for (const game of games)
    bots.set(
      game,
      (await ask(arena, 'GET', `/bots?game=${game}&limit=200`)).items.map(
        (bot) => `${bot.owner}/${bot.name}`,
      ),
    );
  const page = await newPage(browser, arena);
  // `page.route` does not work here: in Firefox, Playwright does not have the body of a request.
  await page.addInitScript(() => {
    window.requested = null;
    const { fetch } = window;
    window.fetch = (url, options) => {
      if (url !== '/api/v1/matches') return fetch(url, options);
      window.requested = JSON.parse(options.body);
      const answer = { title: 'Not played', detail: 'Not played.' };
      return Promise.resolve(Response.json(answer, { status: 422 }));
    };
  });
  const select = (name) => page.getByRole('combobox', { name, exact: true });
  const check = async (game, language) => {
    await play(page).click(); // waits until it is enabled
    const takeRequest = () =>
      page.evaluate(() => {
        const request = window.requested;
        window.requested = null;
        return request;
      });
    const request = await until(takeRequest, 'the request');
    // Starters have several files, which are sent as an archive.
    const [{ archive, language: sent }] = request.seats;
    const open = archive ? await select('Language').inputValue() : sent;
    assert.deepEqual([request.game, open], [game, language]);
    for (const { bot } of request.seats.slice(1))
      assert.ok(bots.get(game).includes(bot), `${bot} plays ${game}`);
    assert.ok(
      bots.get(game).includes(
        await page
          .getByLabel(/^Opponent/)
          .first()
          .inputValue(),
      ),
    );
    const stored = await page.evaluate(
      (name) => localStorage.getItem('editor/setup/' + name),
      game,
    );
    for (const bot of JSON.parse(stored).against) assert.ok(bots.get(game).includes(bot), bot);
  };

  // An opponent that cannot play is stored, for example by an earlier release.
  const wrong = bots.get(games[1])[0];
  await openEditor(page, `game=${games[0]}&language=python`);
  await page.evaluate(
    ([name, bot]) =>
      localStorage.setItem(
        'editor/setup/' + name,
        JSON.stringify({ against: [bot], seat: 0, map: '', seed: '', players: 2 }),
      ),
    [games[0], wrong],
  );
  await page.reload();
  await check(games[0], 'python');

  const languages = await select('Language')
    .locator('option:not([disabled])')
    .evaluateAll((options) => options.map((option) => option.value));
  let [language] = languages;
  for (const [i, game] of allSwitches(games).slice(1).entries()) {
    if (i && languages[i]) {
      language = languages[i];
      await select('Language').selectOption(language);
    }
    await select('Game').selectOption(game);
    await check(game, language);
  }
  await page.done();
});

test('while the editor loads, the code is already shown at its place', async () => {
  const page = await newPage(browser, arena);
  let load;
  const loading = new Promise((done) => (load = done));
  await page.route('**/assets/code-*.js', async (route) => {
    await loading;
    await route.continue();
  });
  await page.goto('/editor?game=aliens&language=python');
  const early = page.locator('pre').filter({ hasText: 'A starter bot for Aliens' });
  await early.waitFor();
  const placeOf = (element) =>
    element.evaluate((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const { x, y } = range.getClientRects()[0];
      return [x, y];
    });
  const [x, y] = await placeOf(early);
  load();
  await codeOf(page).waitFor();
  assert.equal(await early.count(), 0);
  const [laterX, laterY] = await placeOf(codeOf(page).locator('.cm-line').first());
  assert.ok(Math.abs(x - laterX) < 4 && Math.abs(y - laterY) < 2, `${[x, y, laterX, laterY]}`);
  await page.done();
});

test('languages that are not installed are marked, and libraries are listed', async () => {
  const page = await newPage(browser, arena);
  await page.route('**/api/v1/languages', async (route) => {
    const body = await (await route.fetch()).json();
    body.items.find(({ name }) => name === 'lua').available = false;
    await route.fulfill({ json: body });
  });
  await openEditor(page, 'game=aliens&language=lua');
  await page.getByRole('status').getByText('Lua is not installed on this arena.').waitFor();
  const language = page.getByRole('combobox', { name: 'Language', exact: true });
  assert.equal(await language.inputValue(), 'python');
  const lua = language.locator('option[value=lua]');
  assert.match(await lua.textContent(), /Lua \(not installed on this arena\)/);
  assert.equal(await lua.evaluate((option) => option.disabled), true);
  await page.getByText('Libraries: json').waitFor();

  await page.goto('/docs');
  const table = page.getByRole('table').filter({ hasText: 'Language' });
  await table.getByRole('row', { name: 'Python .py json' }).waitFor();
  await table.getByRole('row', { name: 'Lua .lua not installed on this arena' }).waitFor();
  await checkAccess(page);
  await page.done();
});

test('a warning appears when the browser cannot store the draft', async () => {
  const page = await newPage(browser, arena);
  await page.addInitScript(() => {
    const setItem = Storage.prototype.setItem;
    Storage.prototype.setItem = function (name, value) {
      if (name.startsWith('draft/')) throw new DOMException('full', 'QuotaExceededError');
      setItem.call(this, name, value);
    };
  });
  await openEditor(page, 'game=aliens&language=python');
  await typeAtTop(page, ['# too much']);
  await page.getByRole('alert').getByText('storage is full').waitFor();
  await page.done();
});

const SYNTAX = {
  python: [
    ['if x\n  pass\n', 1, 'Expected ":" at the end of this line'],
    ['def f():\nreturn 1\n', 1, 'Expected an indented block after this'],
    ['x = 1\nprint((x)\n', 2, '"(" is never closed'],
    ['x = 1\ny = x)\n', 2, '")" closes nothing: no bracket is open'],
    ['x = "abc\n', 1, 'This string has no closing quote'],
    ['if x = 3:\n  pass\n', 1, 'Unexpected "=": compare with "=="'],
    ['if x:\n    a()\n  else:\n    b()\n', 3, 'The indentation matches no line above'],
    ['x = 1 +\n', 1, 'Unexpected end of line: something is missing after this'],
    ['while x\n  pass\n', 1, 'Expected ":" at the end of this line'],
    ['for a in b\n  pass\n', 1, 'Expected ":" at the end of this line'],
    ['with f()\n  pass\n', 1, 'Expected ":" at the end of this line'],
    ['try\n  pass\n', 1, 'Expected ":" at the end of this line'],
    ['def f()\n  pass\n', 1, 'Expected ":" at the end of this line'],
    ['if x y:\n  pass\n', 1, 'Unexpected "y"'],
    ['x = = 3\n', 1, 'Unexpected "="'],
    ['x = = 1\ny = "abc\n', 1, 'Unexpected "="'],
    ['x = (1]\n', 1, '"(" is never closed'],
    ['x = ")"\nprint((x)\n', 2, '"(" is never closed'],
    ['with f( as g:\n  pass\n', 1, '"(" is never closed'],
    // Valid Python that the parser does not support.
    ['def f():\n    yield\n', 0, ''],
    ['x = 4.\n', 0, ''],
    ['match 3:\n    case int():\n        pass\n', 0, ''],
    ['match x:\n    case [1, *rest]:\n        pass\n', 0, ''],
    ['with (open(a) as f, open(b) as g):\n    pass\n', 0, ''],
    ['x = 1\n\f\ny = 2\n', 0, ''],
    ['\fx = 1\n', 0, ''],
  ],
  javascript: [
    ['function f() {\n  return 1;\n', 1, '"{" is never closed'],
    ['const x = ;\n', 1, 'Unexpected ";"'],
    ["const x = 'abc;\n", 1, 'This string has no closing quote'],
    ['const x = 1;\nconst x = 2;\n', 2, "Identifier 'x' has already been declared"],
    ['import x from "y";\nawait x;\n', 0, ''],
    ['#!/usr/bin/env node\nif (x) return;\n', 0, ''],
  ],
};

const FOLDER = new URL('..', import.meta.url).pathname;
const STARTERS = join(FOLDER, '../bots/starter');

/** Bundles a module with this source and returns its exports. */
async function load(name, contents) {
  const file = join(arena.directory, name + '.mjs');
  await build({
    stdin: { contents, resolveDir: FOLDER, loader: 'ts' },
    bundle: true,
    format: 'esm',
    outfile: file,
    logLevel: 'error',
  });
  return import(pathToFileURL(file));
}

test('the editor opens every starter bot with the file of its strategy', async () => {
  const { mainFile } = await load('files', "export { mainFile } from './src/editor/files.ts';");
  const paths = await readdir(STARTERS, { recursive: true });
  for (const folder of paths.filter((path) => path.endsWith('/bot.json')).map(dirname)) {
    const inside = paths.filter((path) => path.startsWith(folder + '/'));
    const files = Object.fromEntries(inside.map((path) => [path.slice(folder.length + 1), '']));
    const main = await readFile(join(STARTERS, folder, mainFile(files)), 'utf8');
    assert.match(main, /A starter bot for /, folder);
  }
});

test('syntax errors are explained, and no starter bot has one', async () => {
  const contents = `
    export { syntaxCheck } from './src/editor/syntax.ts';
    export { parser as python } from '@lezer/python';
    export { parser as javascript } from '@lezer/javascript';`;
  const loaded = await load('syntax', contents);
  for (const [language, cases] of Object.entries(SYNTAX)) {
    const check = await loaded.syntaxCheck(language);
    const find = (text) => check(loaded[language].parse(text), text);
    for (const [text, line, message] of cases) {
      const found = find(text);
      assert.equal(found?.message ?? '', message, text);
      assert.equal(found ? text.slice(0, found.from).split('\n').length : 0, line, text);
    }
    for (const name of await readdir(STARTERS, { recursive: true }))
      if (name.endsWith(language === 'python' ? '.py' : '.js'))
        assert.equal(find(await readFile(join(STARTERS, name), 'utf8')), null, name);
  }

  // The same in the editor, while typing.
  const page = await newPage(browser, arena);
  const says = page.getByRole('status', { name: 'Syntax' });
  for (const [language, wrong, message] of [
    ['python', 'if x', 'Expected ":" at the end of this line'],
    ['javascript', 'if (x {', '"(" is never closed'],
  ]) {
    await openEditor(page, `game=aliens&language=${language}`);
    await typeAtTop(page, ['', wrong]);
    await says.getByText(message).waitFor();
    assert.equal(await page.locator('.cm-lint-marker-error').count(), 1);
    await shot(page, `editor-syntax-${language}`);
    await says.getByRole('button', { name: 'Line 2' }).press('Enter');
    await page.keyboard.press('Control+Shift+k');
    await until(async () => (await says.textContent()).trim() === '', 'the error to go');
    assert.equal(await page.locator('.cm-lint-marker-error').count(), 0);
  }

  // Lines can be wrapped; that setting and the width of the code are remembered.
  const wraps = page.getByRole('checkbox', { name: 'Wrap lines' });
  await wraps.check();
  await page.locator('.cm-lineWrapping').waitFor();
  const bar = page.getByRole('separator', { name: 'Width of the code' });
  await bar.press('Home');
  await page.reload();
  await page.locator('.cm-lineWrapping').waitFor();
  assert.equal(await wraps.isChecked(), true);
  assert.equal(await bar.getAttribute('aria-valuenow'), await bar.getAttribute('aria-valuemin'));
  await page.done();
});

test('build errors are shown at their line, and output of bots as text', async () => {
  await newPerson(arena, 'cleo');
  const page = await newPage(browser, arena);
  await logIn(page, 'cleo');
  await openEditor(page, 'game=aliens&language=c');
  await write(page, 'int main(void) {\nreturn nothing;\n}\n');
  await play(page).click();
  await page.getByRole('button', { name: 'bot.c, line 2' }).first().waitFor({ timeout: WAIT });
  assert.match(await result(page).textContent(), /your bot did not start \(could not be built\)/);
  await page.getByRole('region', { name: 'Build log' }).getByText('undeclared').waitFor();
  assert.equal(await page.locator('.cm-lint-marker-error').count(), 1);

  await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('python');
  await until(async () => /import protocol/.test(await text(page)), 'the Python starter');
  const attack =
    '<img src=x onerror="window.attacked = 1"><script>window.attacked = 1</' + 'script>';
  await write(page, `import sys\nsys.stderr.write('${attack}')\nsys.exit(3)\n`);
  await play(page).click();
  await page
    .getByRole('region', { name: 'Debug output of your bot' })
    .getByText(attack, { exact: true })
    .waitFor({ timeout: WAIT });
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await page.done();
});

test('the match appears next to the code while it is played', async () => {
  await newPerson(arena, 'lena');
  const page = await newPage(browser, arena);
  await logIn(page, 'lena');
  await openEditor(page, 'game=aliens&language=python');
  await write(
    page,
    'import sys, time\nfor line in sys.stdin:\n    time.sleep(0.3)\n    print("[]", flush=True)\n',
  );
  await play(page).click();
  await page.getByText(/^Playing: turn [1-9]/).waitFor({ timeout: WAIT });
  await page.locator('canvas').first().waitFor({ timeout: WAIT });
  await page.done();
});

test('rules are next to the code; each turn has view, answer, debug output and time', async () => {
  await newPerson(arena, 'tess');
  const page = await newPage(browser, arena, { reducedMotion: 'reduce' }); // no autoplay
  await logIn(page, 'tess');
  await openEditor(page, 'game=aliens&language=python');
  await page.getByRole('tab', { name: 'Rules' }).click();
  const rules = page.getByRole('tabpanel', { name: 'Rules' });
  await rules.getByRole('heading', { level: 2, name: 'Aliens' }).waitFor();
  await checkAccess(page);
  await shot(page, 'editor-rules');
  await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption('planetwars');
  await rules.getByRole('heading', { level: 2, name: 'Planet Wars' }).waitFor();
  await page.goBack();
  await rules.getByRole('heading', { level: 2, name: 'Aliens' }).waitFor();

  // The bot prints what it receives.
  await write(
    page,
    'import sys\nfor line in sys.stdin:\n    sys.stderr.write(line)\n    print("[]", flush=True)\n',
  );
  await play(page).click();
  await result(page).waitFor({ timeout: WAIT });
  await page.getByText(/^Your bot in turn \d+/).click();
  await page.getByRole('slider', { name: 'Turn' }).press('Home');
  const next = page.getByRole('button', { name: 'Next turn' });
  const seen = [];
  for (let turn = 1; turn <= 3; turn++) {
    await next.click();
    const part = (name) => page.getByRole('region', { name: `${name} in turn ${turn}` });
    assert.equal((await part('Answer').textContent()).trim(), '[]'); // raw: with line ends
    const view = await part('View').textContent();
    assert.equal(view, await part('Debug output').textContent());
    await page.getByText(/^Time: .* of .*; CPU time: /).waitFor();
    seen.push(view);
  }
  assert.equal(new Set(seen).size, 3);
  assert.doesNotThrow(() => seen.map((view) => JSON.parse(view)));
  await checkAccess(page);
  await shot(page, 'editor-turn');
  await page.done();
});

test('opponent, map, seat and seed can be chosen, and protocol words are completed', async () => {
  await newPerson(arena, 'otto');
  const page = await newPage(browser, arena);
  await logIn(page, 'otto');
  await openEditor(page, 'game=underworld&language=python&against=house/underworld-medium');
  await page.getByRole('combobox', { name: 'Map' }).selectOption('duel');
  await page.getByLabel('Seat').selectOption('1');
  assert.equal(
    await page.getByRole('combobox', { name: 'Opponent', exact: true }).inputValue(),
    'house/underworld-medium',
  );
  await typeAtTop(page, ['']);
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('cray');
  await page.getByRole('option', { name: /^crayfish/ }).waitFor();
  await page.keyboard.press('Escape');
  for (let i = 0; i < 4; i++) await page.keyboard.press('Backspace');

  await page.keyboard.press('Control+Enter');
  await result(page).waitFor({ timeout: WAIT });
  const link = page.getByRole('link', { name: /^View match \d+$/ });
  const id = Number(/\d+/.exec(await link.textContent())[0]);
  const match = await ask(arena, 'GET', `/matches/${id}`);
  assert.deepEqual(
    [match.map, match.players.map((player) => player.name)],
    ['duel', ['underworld-medium', 'draft']],
  );

  await page.getByRole('button', { name: `Play again with seed ${match.seed}` }).click();
  const again = await until(async () => {
    const [one] = (await ask(arena, 'GET', '/matches?kind=play_now&limit=1')).items;
    return one.id !== id && one;
  }, 'the second match');
  assert.equal(again.seed, match.seed);
  await page.getByRole('link', { name: `View match ${again.id}` }).waitFor({ timeout: WAIT });
  const recent = page.getByRole('region', { name: 'Recent test matches' }).getByRole('listitem');
  assert.equal(await recent.count(), 2);
  await recent
    .filter({ hasText: `Match ${id}` })
    .getByRole('button')
    .click();
  await page.getByRole('link', { name: `View match ${id}` }).waitFor({ timeout: WAIT });
  await page.done();
});

test('a series gives a win rate, waits for the rate limit, and can be cancelled', async () => {
  await newPerson(arena, 'sara');
  const page = await newPage(browser, arena);
  await logIn(page, 'sara');
  await openEditor(page, 'game=aliens&language=python');
  await write(page, 'raise SystemExit(3)\n'); // loses in the first turn
  let limited = 0;
  await page.route('**/api/v1/matches', (route) =>
    ++limited === 3
      ? route.fulfill({
          status: 429,
          headers: { 'retry-after': '1' },
          json: { title: 'Too many requests', detail: 'Slow down.' },
        })
      : route.continue(),
  );
  await page.getByRole('tab', { name: 'Win rate' }).click();
  const pane = page.getByRole('tabpanel', { name: 'Win rate' });
  await pane.getByRole('group', { name: 'Opponents' }).getByRole('checkbox').first().waitFor();
  const bots = pane.getByRole('group', { name: 'Opponents' }).getByRole('checkbox');
  const maps = pane.getByRole('group', { name: 'Maps' }).getByRole('checkbox');
  for (let i = 2; i < (await bots.count()); i++) await bots.nth(i).uncheck();
  for (let i = 0; i < (await maps.count()); i++) await maps.nth(i).setChecked(i < 3);
  await pane.getByRole('button', { name: 'Run 20 matches' }).click();
  await pane.getByText('Slow down. The series continues in 1 s.').waitFor();
  await typeAtTop(page, ['# edited meanwhile']);
  await pane.getByText('20 of 20 played').waitFor({ timeout: WAIT });
  await pane.getByText('Win rate 0%, 95% confidence interval 0% to 16%').waitFor();
  await pane.getByText('The code has changed since.').waitFor();
  await checkAccess(page);
  await shot(page, 'editor-series');
  const { items } = await ask(arena, 'GET', '/matches?kind=play_now&limit=20');
  const seats = items.map(({ players }) => players.findIndex(({ name }) => name === 'draft'));
  assert.equal(seats.filter((seat) => seat === 0).length, 10);
  assert.equal(seats.filter((seat) => seat === 1).length, 10);
  assert.equal(new Set(items.map(({ map }) => map)).size, 3);
  assert.equal(new Set(items.map(({ players }, i) => players[1 - seats[i]].name)).size, 2);
  assert.equal(new Set(items.map(({ seed }) => seed)).size, 10);

  // Cancelling the series also cancels its matches.
  await write(page, 'import time\ntime.sleep(1000)\n');
  await pane.getByRole('button', { name: 'Run 20 matches' }).click();
  const latest = async () => (await ask(arena, 'GET', '/matches?kind=play_now&limit=2')).items;
  const started = await until(async () => {
    const two = await latest();
    return two.every(({ state }) => ['waiting', 'playing'].includes(state)) && two;
  }, 'two matches');
  await pane.getByRole('button', { name: 'Cancel' }).click();
  await pane.getByText(/ of 20 played; cancelled$/).waitFor();
  await until(
    async () => (await latest()).every(({ state }) => state === 'called_off'),
    'the matches to be cancelled',
  );
  assert.deepEqual(
    (await latest()).map(({ id }) => id),
    started.map(({ id }) => id),
    'no others were requested',
  );
  await pane.getByText(/^0% \(0% to 16%\) of 20 matches vs /).waitFor();
  await page.done();
});

test('versions can be saved with Ctrl-S, compared, restored and made live', async () => {
  await newPerson(arena, 'vera');
  const page = await newPage(browser, arena);
  await logIn(page, 'vera');
  await openEditor(page, 'game=aliens&language=python');
  await typeAtTop(page, ['# one']);
  await page.keyboard.press('Control+s');
  await page.getByLabel('Bot name').fill('1st'); // not a name
  await page.getByRole('button', { name: 'Save bot' }).click();
  assert.equal(
    await page.getByLabel('Bot name').evaluate((field) => field.validity.patternMismatch),
    true,
  );
  await page.getByLabel('Bot name').fill('walker');
  await page.getByRole('button', { name: 'Save bot' }).click();
  await page.getByText('Version 1 of walker is live').waitFor({ timeout: WAIT });
  await page.getByRole('button', { name: 'Back to editor' }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();

  await typeAtTop(page, ['# two']);
  await page.keyboard.press('Control+s');
  await page.getByText('Version 2 is live').waitFor({ timeout: WAIT });
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { level: 1, name: 'walker' }).waitFor();

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Compare version 1 with your code' }).click();
  const differences = page.getByRole('region', { name: 'Version 1 compared with your code' });
  await differences.locator('.cm-changedLine').getByText('# two').waitFor();
  assert.equal(await differences.locator('.cm-changedLine').count(), 1);
  await differences.getByRole('button', { name: 'Restore this version' }).click();
  assert.match(await text(page), /^# one\n/);
  await page.reload();
  await codeOf(page).waitFor({ timeout: WAIT });
  assert.match(await text(page), /^# one\n/, 'a restored version is an unsaved draft');

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Make version 1 live' }).click();
  await page.getByRole('button', { name: 'Make version 2 live' }).waitFor();
  const { items } = await ask(arena, 'GET', '/bots/vera/walker/versions');
  assert.deepEqual(
    items.map(({ number, active }) => [number, active]),
    [
      [2, false],
      [1, true],
    ],
  );

  // A link to a version opens it; the unsaved draft is kept.
  await page.goto(`/editor?game=aliens&version=${items[0].id}`);
  await codeOf(page).waitFor({ timeout: WAIT });
  assert.match(await text(page), /^# two\n/);
  await page.getByRole('button', { name: 'Restore draft' }).click();
  assert.match(await text(page), /^# one\n/);

  // A version that does not build shows its log.
  await write(page, 'def broken(:\n');
  await page.keyboard.press('Control+s');
  await page
    .getByText('Build failed: version 3 of walker is saved, but not live')
    .waitFor({ timeout: WAIT });
  await page.getByRole('region', { name: 'Build log' }).getByText('SyntaxError').waitFor();
  await page.getByRole('button', { name: 'Back to editor' }).click();
  await until(
    async () => (await page.locator('.cm-lint-marker-error').count()) === 1,
    'the error at its line',
  );
  await page.done();
});

test('a source file opens in the editor, and an archive becomes a version', async () => {
  await newPerson(arena, 'fay');
  const page = await newPage(browser, arena);
  await logIn(page, 'fay');
  await openEditor(page, 'game=aliens&language=python');
  const source = join(arena.directory, 'mine.js');
  await writeFile(source, '// from a file\n');
  await page.getByLabel('Source file or archive').setInputFiles(source);
  await until(async () => (await text(page)).startsWith('// from a file'), 'the file');
  assert.equal(
    await page.getByRole('combobox', { name: 'Language', exact: true }).inputValue(),
    'javascript',
  );

  // A file can be dropped anywhere on the editor, including the code.
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['// dropped\n'], 'other.js'));
    document
      .querySelector('[role=separator]')
      .previousElementSibling.querySelector('.host')
      .dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true, composed: true }),
      );
  });
  await until(async () => (await text(page)).startsWith('// dropped'), 'the dropped file');
  await page.getByRole('button', { name: 'Restore draft' }).click();
  await until(async () => (await text(page)).startsWith('// from a file'), 'the previous file');

  const unsupported = join(arena.directory, 'mine.xyz');
  await writeFile(unsupported, 'x');
  await page.getByLabel('Source file or archive').setInputFiles(unsupported);
  await page.getByRole('alert').getByText('Unsupported file type').waitFor();

  // An archive with a file that is not text is uploaded unchanged.
  const main = 'import sys\nimport helper\nfor line in sys.stdin:\n    helper.answer()\n';
  await writeFile(join(arena.directory, 'main.py'), main);
  await writeFile(join(arena.directory, 'data.bin'), Buffer.from([0, 255, 0]));
  await writeFile(
    join(arena.directory, 'helper.py'),
    'def answer():\n    print("[]", flush=True)\n',
  );
  const tar = (name, ...files) =>
    execFileSync('tar', ['-czf', name, ...files], { cwd: arena.directory });
  tar('binary.tar.gz', 'main.py', 'helper.py', 'data.bin');
  const chooser = page.getByLabel('Source file or archive');
  await chooser.setInputFiles(join(arena.directory, 'binary.tar.gz'));
  await page.getByLabel('Bot name').fill('several');
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('Version 1 of several is live').waitFor({ timeout: WAIT });
  await page.goto('/editor?game=aliens&bot=fay/several');
  await page.getByRole('alert').getByText('has files that cannot be edited here').waitFor();
  await page.done();
});

test('a bot can have several files: add, rename, delete, test, save, open, download', async () => {
  await newPerson(arena, 'fred');
  const page = await newPage(browser, arena);
  await logIn(page, 'fred');
  await openEditor(page, 'game=aliens&language=python');
  const chooser = page.getByLabel('Source file or archive');
  const folder = join(arena.directory, 'fred');
  await mkdir(join(folder, 'lib'), { recursive: true });
  await writeFile(
    join(folder, 'main.py'),
    'import sys\nfrom lib import helper\nfor line in sys.stdin:\n    helper.answer()\n',
  );
  await writeFile(join(folder, 'lib/helper.py'), 'def answer():\n    print("[]", flush=True)\n');
  execFileSync('tar', ['-czf', 'fred.tar.gz', 'fred'], { cwd: arena.directory });
  await chooser.setInputFiles(join(arena.directory, 'fred.tar.gz'));
  const files = page.getByRole('navigation', { name: 'Files' });
  await files.getByRole('button', { name: 'helper.py' }).click();
  await until(async () => (await text(page)).startsWith('def answer()'), 'the other file');

  // Errors of a test match link to their file.
  await write(page, 'raise ValueError("not yet")\n');
  await files.getByRole('button', { name: 'main.py' }).click();
  assert.match(await text(page), /^import sys\n/);
  await play(page).click();
  await page.getByRole('button', { name: 'lib/helper.py, line 1' }).click({ timeout: WAIT });
  assert.match(await text(page), /^raise ValueError/);
  assert.equal(await page.locator('.cm-lint-marker-error').count(), 1);
  await shot(page, 'editor-files');
  await checkAccess(page);

  // Each file has its own undo history; the draft has all files.
  await codeOf(page).press('Control+z');
  assert.match(await text(page), /^def answer/);
  await typeAtTop(page, ['# helps']);
  await files.getByRole('button', { name: 'Add file' }).click();
  await page.getByLabel('New file').fill('../evil.py');
  await page.keyboard.press('Enter');
  await files.getByText('Use letters, digits').waitFor();
  await page.getByLabel('New file').fill('lib/notes.txt');
  await page.keyboard.press('Enter');
  await write(page, 'remember');
  await files.getByRole('button', { name: 'Rename lib/notes.txt' }).click();
  await page.getByLabel('New name').fill('NOTES.txt');
  await page.keyboard.press('Enter');
  await page.reload();
  await files.getByRole('button', { name: 'NOTES.txt' }).click();
  await until(async () => (await text(page)) === 'remember', 'the draft of the new file');
  await files.getByRole('button', { name: 'Delete' }).click();
  await files.getByRole('button', { name: 'Delete' }).click();
  assert.equal(await files.getByRole('button', { name: 'NOTES.txt' }).count(), 0);

  // The bot is saved, and reopened, as an archive.
  await page.keyboard.press('Control+s');
  await page.getByLabel('Bot name').fill('pieces');
  await page.getByRole('button', { name: 'Save bot' }).click();
  await page.getByText('Version 1 of pieces is live').waitFor({ timeout: WAIT });
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage))
      if (/^(draft|aside)/.test(name)) localStorage.removeItem(name);
  });
  await openEditor(page, 'game=aliens&bot=fred/pieces');
  await files.getByRole('button', { name: 'helper.py' }).click();
  await until(async () => (await text(page)).startsWith('# helps'), 'the saved file');
  const { name, path } = await download(page, () =>
    page.getByRole('button', { name: 'Download' }).click(),
  );
  assert.equal(name, 'pieces.zip');
  const list = 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist())';
  const listed = execFileSync('python3', ['-c', list, path], { encoding: 'utf8' });
  assert.deepEqual(listed.trim().split(' ').sort(), ['lib/helper.py', 'main.py']);
  await page.done();
});

test('the editor works by keyboard, on a phone and in dark mode, and is accessible', async () => {
  const page = await newPage(browser, arena, { viewport: { width: 1280, height: 860 } });
  await openEditor(page, 'game=aliens&language=python');
  await codeOf(page).click();
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(() => document.activeElement.shadowRoot !== null),
    true,
    'Tab indents',
  );
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(() => document.activeElement.shadowRoot),
    null,
    'Escape, then Tab leaves',
  );
  const bar = page.getByRole('separator', { name: 'Width of the code' });
  const before = Number(await bar.getAttribute('aria-valuenow'));
  await bar.press('ArrowLeft');
  assert.equal(Number(await bar.getAttribute('aria-valuenow')), before - 2);
  await checkAccess(page);
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await checkAccess(page);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('tab', { name: 'Match' }).click();
  await page.getByLabel('Opponent').waitFor();
  assert.equal(await codeOf(page).isVisible(), false);
  await page.getByRole('tab', { name: 'Match' }).press('ArrowLeft');
  await codeOf(page).waitFor();
  assert.ok(
    (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
    'the page is not wider than the screen',
  );
  await checkAccess(page);
  await shot(page, 'editor-phone');
  await page.done();
});

test('a guest over the rate limit sees when the next match is possible', async () => {
  const page = await newPage(browser, arena);
  await openEditor(page, 'game=aliens&language=python');
  await until(
    async () => {
      if (await page.getByText('Guest limit reached').isVisible()) return true;
      if (await play(page).isEnabled()) await play(page).click();
      return false;
    },
    'the rate limit',
    120,
  );
  await page.getByRole('button', { name: /^Play in \d+ s$/ }).waitFor();
  await page.getByRole('link', { name: 'sign up' }).waitFor();
  await page.done();
});
