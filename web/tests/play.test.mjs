// Taking a seat in a real browser: a person plays each game to its end by keys, gives and takes
// back orders by mouse, comes back after a reload, gives up, runs into limits, and takes over a
// recorded match. What counts is in
// the replay: the orders that the person gave, and none that was refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { gameData } from './game_data.mjs';
import {
  ask,
  checkAccess,
  newPage,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  until,
} from './harness.mjs';

let arena;
let browser;

before(async () => {
  // All visitors are of one address here.
  arena = await startArena('--ladder', 'off', '--seats-max', '50', '--people-per-address', '3');
  browser = await startBrowser();
  await until(
    async () =>
      (await ask(arena, 'GET', '/bots?owner=house&limit=100')).items.filter(
        (bot) => bot.active_version,
      ).length === 10,
    'the house bots',
  );
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

// ---- a person ----

/** A page of somebody with an account: only they may play by rules of their own. */
async function personPage(name) {
  const page = await newPage(browser, arena);
  await page.goto('/docs');
  const status = await page.evaluate(async (who) => {
    const answer = await fetch('/api/v1/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: who, password: 'a password of ' + who }),
    });
    localStorage.setItem('logged-in', 'yes');
    return answer.status;
  }, name);
  assert.equal(status, 201);
  return page;
}

const board = (page) => page.getByRole('application');
const endTurn = (page) => page.getByRole('button', { name: /^End turn/ });
const orders = (page) => page.getByRole('list', { name: 'Your orders' }).getByRole('listitem');
const choices = (page) => page.getByRole('list', { name: 'Actions' }).getByRole('button');
const verdict = (page) =>
  page.getByRole('heading', {
    name: /^(You won|You lost|Draw|You tied|You came|Match over)/,
  });

async function choose(page, address, { config, time } = {}) {
  await page.goto(address);
  const play = page.getByRole('button', { name: 'Play', exact: true });
  await play.waitFor();
  if (config) {
    await page.getByText('Custom rules').click();
    await page
      .getByLabel('Configuration')
      .fill(typeof config === 'string' ? config : JSON.stringify(config));
  }
  if (time) await page.getByLabel('Time per turn').selectOption(time);
  await play.click();
}

/** Waits for the person's turn of that number; false if the match is over instead. */
async function turnIs(page, turn) {
  const title = turn === 1 ? 'Events' : `Events in turn ${turn - 1}`;
  return until(async () => {
    if (await verdict(page).isVisible()) return 'over';
    return (await page.getByRole('heading', { name: title, exact: true }).isVisible()) &&
      (await endTurn(page)
        .isEnabled({ timeout: 1000 })
        .catch(() => false))
      ? 'yours'
      : null;
  }, `turn ${turn}`);
}

/**
 * Goes through the own things by Tab until one can do something that one of these keys stands for,
 * and does it. Whether there was one.
 */
async function giveOrder(page, keys) {
  await board(page).focus();
  await page.keyboard.press('Escape');
  for (let things = 0; things < 6; things++) {
    await page.keyboard.press('Tab');
    if (!(await board(page).evaluate((element) => element === document.activeElement)))
      return false; // behind the last
    const offered = await choices(page).evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-keyshortcuts')),
    );
    const key = keys.find((one) => offered.includes(one));
    if (!key) continue;
    await page.keyboard.press(key);
    return true;
  }
  return false;
}

async function lines(match) {
  const answer = await fetch(`${arena.address}/api/v1/matches/${match}/replay`);
  assert.equal(answer.status, 200);
  const path = join(arena.directory, `${match}.skr`);
  await writeFile(path, new Uint8Array(await answer.arrayBuffer()));
  const skirmish = (...options) =>
    execFileSync(resolve(process.env.SKIRMISH), ['replay', ...options, path], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
  skirmish('verify');
  return skirmish('export')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => Array.isArray(line.players) && line.turn > 0);
}

const matchOf = (page) => Number(new URL(page.url()).searchParams.get('playing'));
const said = (orders) =>
  Array.isArray(orders)
    ? orders.length
    : orders?.moves
      ? orders.moves.length
      : orders && orders.command !== 'No-op'
        ? 1
        : 0;

// ---- each game ----

for (const [game, { play }] of Object.entries(gameData)) {
  if (!play) continue;
  const { turns, map, config, keys, then } = play;
  test(`a person plays ${game} to its end by keys`, { timeout: 120_000 }, async () => {
    const page = await personPage(`player-of-${game}`);
    await choose(
      page,
      `/play?game=${game}&seat=0&against=house/${game}-random${map ? '&map=' + map : ''}`,
      { config },
    );
    let given = 0;
    for (let turn = 1; (await turnIs(page, turn)) === 'yours'; turn++) {
      assert.ok(turn <= turns, `turn ${turn} of ${turns}`);
      if ((await giveOrder(page, keys)) && (!then || (await then(page)))) {
        const listed = await orders(page).count();
        assert.ok(listed > 0, `an order was given in turn ${turn}, and is not in the list`);
        assert.equal(await page.getByText('would be rejected').count(), 0);
        given++;
      }
      if (turn === 2) {
        await shot(page, `play-${game}`);
        await checkAccess(page);
      }
      await board(page).focus();
      await page.keyboard.press('Enter');
    }
    assert.ok(given >= 2, `${given} orders in ${turns} turns`);
    const id = matchOf(page);
    await page.getByRole('link', { name: 'Watch replay' }).waitFor();
    await page.getByRole('button', { name: 'Swap seats' }).waitFor();
    const match = await ask(arena, 'GET', `/matches/${id}`);
    assert.equal(match.state, 'over');
    assert.equal(match.players[0].name, `player-of-${game} (in person)`);
    assert.equal(match.players[0].status, 'ok');
    const played = await lines(id);
    assert.equal(played.length, match.turns);
    // Units may have met, and a side may have lost all.
    if (match.reason === 'turn limit') assert.equal(match.turns, turns);
    assert.equal(
      played.reduce((sum, line) => sum + line.players[0].refused, 0),
      0,
    );
    assert.ok(
      played.filter((line) => said(line.players[0].orders) > 0).length >= given,
      'every order that was given is in the replay',
    );
    await page.done();
  });
}

// ---- by mouse, without an account ----

/** Clicks into a square of a board of squares. */
async function clickSquare(page, columns, rows, column, row) {
  const canvas = board(page).locator('canvas');
  const box = await canvas.boundingBox();
  const unit = Math.min((box.width - 16) / columns, (box.height - 16) / rows);
  await canvas.click({
    position: {
      x: box.width / 2 + (column + 0.5 - columns / 2) * unit,
      y: box.height / 2 + (row + 0.5 - rows / 2) * unit,
    },
  });
}

test(
  'a visitor plays by mouse, takes orders back, comes back after a reload, and gives up',
  { timeout: 120_000 },
  async () => {
    const page = await newPage(browser, arena);
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random');
    assert.equal(await turnIs(page, 1), 'yours');
    await endTurn(page).click();
    assert.equal(await turnIs(page, 2), 'yours');
    await clickSquare(page, 10, 10, 1, 1); // the first unit is where it was spawned
    await page.getByRole('heading', { name: 'Unit of visitor' }).first().waitFor();
    await clickSquare(page, 10, 10, 1, 2);
    await until(
      async () => (await orders(page).allTextContents()).some((text) => text.includes('11 to 21')),
      'the order',
    );
    await page.keyboard.press('u');
    await until(async () => (await orders(page).count()) === 0, 'the order to be taken back');
    await choices(page).filter({ hasText: 'Move right' }).click();
    await page.getByRole('button', { name: 'Remove: 11 to 12' }).click();
    await until(
      async () => (await orders(page).count()) === 0,
      'the order to be taken back from the list',
    );
    await page.keyboard.press('ArrowDown');
    await endTurn(page).click();
    assert.equal(await turnIs(page, 3), 'yours');

    // The seat, the turn and the time are still there after a reload; so is the answer that was
    // given.
    const id = matchOf(page);
    await page.reload();
    assert.equal(await turnIs(page, 3), 'yours');
    assert.equal(matchOf(page), id);
    await page.getByRole('heading', { name: 'Events in turn 2' }).waitFor();
    await page
      .getByRole('button', { name: /^Unit of visitor/ })
      .first()
      .click();
    await choices(page).filter({ hasText: 'Move right' }).click();
    await endTurn(page).click();
    assert.equal(await turnIs(page, 4), 'yours');

    // Whoever goes elsewhere finds the seat again.
    await page.getByRole('link', { name: 'Docs', exact: true }).click();
    await page.getByRole('link', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Continue playing' }).click();
    assert.equal(await turnIs(page, 4), 'yours');

    await page.getByRole('button', { name: 'Forfeit' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('heading', { name: 'You lost' }).waitFor();
    await shot(page, 'play-over');
    const over = await ask(arena, 'GET', `/matches/${id}`);
    assert.deepEqual(
      [over.reason, over.players[0].status, over.players[0].failure],
      ['left', 'left', 'left in turn 4'],
    );
    const played = await lines(id);
    assert.equal(played[3].players[0].kind, 'left');
    assert.deepEqual(played[1].players[0].orders, [{ from: 11, to: 21 }]);
    assert.deepEqual(played[2].players[0].orders, [{ from: 21, to: 22 }]);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);

    await page.getByRole('button', { name: 'Swap seats' }).click();
    await page.waitForURL((url) => url.searchParams.get('playing') !== String(id));
    assert.equal(await turnIs(page, 1), 'yours');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'visitor' })
      .filter({ hasText: 'you' })
      .first()
      .waitFor();
    assert.equal((await ask(arena, 'GET', `/matches/${matchOf(page)}`)).players[1].name, 'visitor');
    await page.done();
  },
);

test(
  'the time is shown, and what there is is sent when it is almost over',
  { timeout: 120_000 },
  async () => {
    const page = await newPage(browser, arena);
    await page.clock.install();
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random', {
      time: '30 seconds',
    });
    // The page's time, five times as fast.
    const running = setInterval(() => void page.clock.runFor(300).catch(() => null), 60);
    try {
      assert.equal(await turnIs(page, 1), 'yours');
      await page.getByRole('timer', { name: 'Time left for this turn' }).waitFor();
      assert.equal(await turnIs(page, 2), 'yours'); // nobody pressed anything
    } finally {
      clearInterval(running);
    }
    await page.done();
  },
);

test(
  'a player who loses the seat learns it, and sees the match end',
  { timeout: 120_000 },
  async () => {
    const page = await personPage('loser');
    await choose(page, '/play?game=planetwars&map=hex&seat=1&against=house/planetwars-random', {
      config: { max_turns: 5 },
    });
    assert.equal(await turnIs(page, 1), 'yours');
    // The clock of the arena has run out, or the line was gone: to the page it is the same.
    await page.evaluate(async () => {
      const { seat } = JSON.parse(sessionStorage.getItem('seat')).joined;
      const { csrf_token } = await (await fetch('/api/v1/me')).json();
      await fetch(`/api/v1/join/${seat}`, {
        method: 'DELETE',
        headers: { 'x-csrf-token': csrf_token },
      });
    });
    await verdict(page).waitFor();
    await page.getByText('You timed out or disconnected').waitFor();

    // To everybody else they have left, and nothing has crashed.
    await page.getByRole('link', { name: 'Watch replay' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'loser (in person): left in turn 1' })
      .waitFor();
    await page.getByText(/^All \d+ moments$/).click();
    const told = page.getByRole('button', { name: 'loser (in person): left' });
    await told.first().waitFor();
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: /^Events in turn [2-5]$/ }).waitFor();
    assert.equal(await told.count(), 1, 'it is told once');
    assert.equal(await page.getByText('crashed').count(), 0);
    await page.done();
  },
);

// ---- what if ----

test('a person takes over a seat of a recorded match', { timeout: 120_000 }, async () => {
  const turn = 3;
  const old = await playedMatch(arena, 'aliens', ['house/aliens-hunter', 'house/aliens-random'], {
    map: 'duel',
    seed: 5,
    least: 10,
  });
  const before = await lines(old);
  const page = await newPage(browser, arena);
  await page.goto(`/matches/${old}#turn=${turn}`);
  await page.getByRole('link', { name: 'Play from here' }).nth(1).click();
  await page.getByText(`Turns 1 to ${turn} are recorded`).waitFor();
  await page.getByRole('slider', { name: /^After turn/ }).waitFor();
  await checkAccess(page);
  await shot(page, 'play-what-if');
  await page.getByRole('button', { name: 'Play from here' }).click();
  assert.equal(await turnIs(page, turn + 1), 'yours');
  await page.getByText(`you play from turn ${turn + 1}`).waitFor();
  const id = matchOf(page);
  await endTurn(page).click();
  assert.equal(await turnIs(page, turn + 2), 'yours');
  await page.reload(); // the recorded turns are there again
  assert.equal(await turnIs(page, turn + 2), 'yours');
  await endTurn(page).click();
  assert.equal(await turnIs(page, turn + 3), 'yours');
  await page.getByRole('button', { name: 'Forfeit' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await verdict(page).waitFor();
  const now = await lines(id);
  assert.deepEqual(
    now.slice(0, turn).map((line) => line.digest),
    before.slice(0, turn).map((line) => line.digest),
  );
  assert.deepEqual(now[turn].players[1].orders, []);
  await page.done();
});

/** A replay that no arena has seen: one of its bots is nowhere but here. */
async function ownReplay(name) {
  const bot = join(arena.directory, 'idle');
  await mkdir(bot, { recursive: true });
  await writeFile(join(bot, 'bot.json'), JSON.stringify({ name: 'idle', run: 'sh idle.sh' }));
  await writeFile(join(bot, 'idle.sh'), 'while read -r view; do echo "[]"; done\n');
  const path = join(arena.directory, name);
  execFileSync(resolve(process.env.SKIRMISH), [
    'play',
    'aliens',
    '--seed',
    '4',
    '--sandbox',
    'none',
    '--quiet',
    '--replay',
    path,
    'house:hunter',
    bot,
  ]);
  return { path, digests: digests(path) };
}

const digests = (path) =>
  execFileSync(resolve(process.env.SKIRMISH), ['replay', 'export', path], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).digest);

test(
  'a person takes over a seat of a replay file, and keeps it over making an account',
  { timeout: 120_000 },
  async () => {
    const own = await ownReplay('own.skr');
    const turn = 4;
    assert.ok(own.digests.length > turn + 2, 'the replay is long enough');
    const page = await newPage(browser, arena);
    await page.goto('/replay');
    await page.getByLabel('Choose file').setInputFiles(own.path);
    await page.getByRole('heading', { name: 'hunter vs idle' }).waitFor();
    await page.goto(`/replay#turn=${turn}`); // a link to a turn of what is open
    await page.reload(); // and what is open stays
    await page.getByRole('heading', { name: 'hunter vs idle' }).waitFor();
    await page.getByRole('link', { name: 'Play from here' }).nth(1).click();

    // It says what is needed, and everything is there again when that is done.
    await page
      .getByText(
        `Turns 1 to ${turn} are recorded in own.skr; from turn ${turn + 1} you play as idle`,
      )
      .waitFor();
    await page.getByText('you need an account').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Play from here' }).count(), 0);
    await page.getByRole('button', { name: 'Previous turn' }).click();
    await checkAccess(page);
    await shot(page, 'play-what-if-file');
    await page.getByRole('link', { name: 'sign up' }).click();
    await page.getByLabel('Name').fill('replayer');
    await page.getByLabel('Password').fill('a password of replayer');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page
      .getByText(
        `Turns 1 to ${turn - 1} are recorded in own.skr; from turn ${turn} you play as idle`,
      )
      .waitFor();
    assert.equal(
      await page.getByLabel('Opponent').inputValue(),
      'house/aliens-hunter',
      'who played it plays here too',
    );
    await page.reload();
    assert.equal(await page.getByLabel('Opponent').inputValue(), 'house/aliens-hunter');

    // The bot of the other seat is not on this arena: somebody else is offered.
    await page.getByLabel('Play as').selectOption('0');
    await page.getByText('you play as hunter').waitFor();
    assert.match(await page.getByLabel('Opponent').inputValue(), /^house\/aliens-/);
    await page.getByLabel('Play as').selectOption('1');
    await page.getByRole('button', { name: 'Play from here' }).click();
    assert.equal(await turnIs(page, turn), 'yours');
    await page
      .getByText(`Turns 1 to ${turn - 1} are from own.skr; you play from turn ${turn}`)
      .waitFor();
    const id = matchOf(page);
    await endTurn(page).click();
    assert.equal(await turnIs(page, turn + 1), 'yours');
    await page.reload();
    assert.equal(await turnIs(page, turn + 1), 'yours');
    await page.getByRole('button', { name: 'Forfeit' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await verdict(page).waitFor();
    assert.deepEqual(
      (await lines(id)).slice(0, turn - 1).map((line) => line.digest),
      own.digests.slice(0, turn - 1),
    );
    const match = await ask(arena, 'GET', `/matches/${id}`);
    assert.deepEqual(
      match.players.map((player) => player.name),
      ['aliens-hunter', 'replayer (in person)'],
    );

    // Once more from the same turn; then back to the file.
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.waitForURL((url) => url.searchParams.get('playing') !== String(id));
    assert.equal(await turnIs(page, turn), 'yours');
    await page.done();
  },
);

test(
  'a file that is not open any more, or too large, is not taken over',
  { timeout: 120_000 },
  async () => {
    const page = await newPage(browser, arena);
    await page.goto('/play?file=gone.skr&turn=3&seat=0');
    await page.getByText('gone.skr is no longer open in this window.').waitFor();
    await page.getByRole('link', { name: 'Open it again' }).click();
    // Answers that cannot be packed make a large file.
    const loud = join(arena.directory, 'loud.sh');
    await writeFile(
      loud,
      '#!/bin/sh\nwhile read -r view; do head -c 200000 /dev/urandom | base64 -w 0; echo; done\n',
      { mode: 0o755 },
    );
    const path = join(arena.directory, 'large.skr');
    const config = join(arena.directory, 'short.json');
    await writeFile(config, JSON.stringify({ max_turns: 20 }));
    execFileSync(resolve(process.env.SKIRMISH), [
      'play',
      'planetwars',
      '--config',
      config,
      '--sandbox',
      'none',
      '--quiet',
      '--replay',
      path,
      'house:random',
      loud,
    ]);
    assert.ok((await stat(path)).size > 1 << 20, 'it is large');
    await page.getByLabel('Choose file').setInputFiles(path);
    await page.getByText('Too large to play from here').waitFor();
    await page.getByRole('heading', { name: 'Events in turn 0' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Play from here' }).count(), 0);
    await page.done();
  },
);

test('a match that cannot be taken over says why', { timeout: 120_000 }, async () => {
  const page = await newPage(browser, arena);
  await page.goto('/play?match=999999&turn=1&seat=0');
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await page.done();
});

// ---- the arena goes away ----

test(
  'a player learns that the arena was restarted, and can play again',
  { timeout: 180_000 },
  async (context) => {
    const own = await startArena('--ladder', 'off');
    context.after(() => own.stop());
    await until(
      async () =>
        (await ask(own, 'GET', '/bots?owner=house&game=aliens')).items.every(
          (bot) => bot.active_version,
        ),
      'the house bots',
    );
    const page = await newPage(browser, own);
    const watcher = await newPage(browser, own);
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random');
    assert.equal(await turnIs(page, 1), 'yours');
    await endTurn(page).click();
    assert.equal(await turnIs(page, 2), 'yours');
    await watcher.goto(`/matches/${matchOf(page)}`);
    await watcher.getByText('Live.', { exact: true }).waitFor();

    // It stops in good order: that is told at once, and stays to be read.
    const heading = page.getByRole('heading', { name: 'The arena was restarted' });
    await own.end('SIGTERM');
    await heading.waitFor();
    await page.getByText('This match cannot continue').waitFor();
    // The board as it was.
    await page.getByRole('heading', { name: 'Events in turn 1' }).waitFor();
    await checkAccess(page);
    await shot(page, 'play-restarted');
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.getByRole('alert').getByText('Cannot reach the arena').waitFor();
    await own.again();
    await watcher.getByText('Cancelled: the arena was restarted.').waitFor();
    await page.getByRole('button', { name: 'Play again' }).click();
    assert.equal(await turnIs(page, 1), 'yours');

    // It is gone without a word: the page says that it tries, and learns what became of the match.
    await own.end('SIGKILL');
    await page.getByRole('alert').getByText('Cannot reach the arena').waitFor();
    await shot(page, 'play-away');
    await checkAccess(page);
    await own.again();
    await heading.waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.done();
    await watcher.done();
  },
);

test(
  'whoever hears from a proxy alone for a while sits at the same seat after it',
  { timeout: 120_000 },
  async (context) => {
    const own = await startArena('--ladder', 'off');
    context.after(() => own.stop());
    await until(
      async () =>
        (await ask(own, 'GET', '/bots?owner=house&game=aliens')).items.every(
          (bot) => bot.active_version,
        ),
      'the house bots',
    );
    const page = await newPage(browser, own, { viewport: { width: 360, height: 740 } });
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random');
    assert.equal(await turnIs(page, 1), 'yours');
    const id = matchOf(page);
    await page.route(/\/api\/v1\/(join|matches)\//, (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad Gateway' }),
    );
    await page.reload();
    const told = page.getByRole('alert').getByText('Cannot reach the arena');
    await told.waitFor();
    const box = await told.boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 740, 'it is in sight on a phone');
    await page.unrouteAll();
    await until(async () => !(await told.isVisible()), 'the trouble to be over');
    assert.equal(await turnIs(page, 1), 'yours');

    // The same with the turns alone.
    let refused = 0;
    await page.route(
      /\/api\/v1\/matches\/\d+\/live/,
      (route) => ++refused && route.fulfill({ status: 503, body: '' }),
    );
    await page.reload();
    await until(() => refused > 0, 'the turns to be asked for');
    await page.unrouteAll();
    await endTurn(page).click();
    assert.equal(await turnIs(page, 2), 'yours');
    assert.equal(matchOf(page), id);
    await page.done();
  },
);

// ---- more than two, small screens, limits ----

test('several opponents, on a phone, in the dark', { timeout: 120_000 }, async (context) => {
  // An arena of its own: in the other one visitors have asked for as much as they may by now.
  const fresh = await startArena('--ladder', 'off');
  context.after(() => fresh.stop());
  const page = await newPage(browser, fresh, {
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
    hasTouch: true,
  });
  await page.goto('/play?game=planetwars');
  await page.getByRole('combobox', { name: 'Map' }).selectOption({ value: 'triad' });
  await page.getByLabel('Opponent 2').waitFor();
  assert.ok(
    (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
    'nothing is wider than the phone',
  );
  await checkAccess(page);
  await shot(page, 'play-phone-choose');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  assert.equal(await turnIs(page, 1), 'yours');
  assert.equal(await page.getByRole('list', { name: 'Players' }).getByRole('listitem').count(), 3);
  assert.ok(
    (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
    'nothing is wider than the phone',
  );
  await checkAccess(page);
  await shot(page, 'play-phone');
  await page.done();
});

test('a visitor who asks too often is told when to come back', { timeout: 120_000 }, async () => {
  const page = await newPage(browser, arena);
  const wish = { game: 'aliens', person: true, opponents: ['house/aliens-random'] };
  let last = 0;
  for (let i = 0; i < 40 && last !== 429; i++)
    last = (
      await fetch(arena.address + '/api/v1/join', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wish),
      })
    ).status;
  assert.equal(last, 429);
  await page.goto('/play?game=aliens');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const told = page.getByRole('alert');
  await told.getByText('Please wait').waitFor();
  await told.getByRole('button', { name: /^Try again in \d+ s$/ }).waitFor();
  await told.getByRole('link', { name: 'Sign up' }).waitFor();
  await checkAccess(page);
  await page.done();
});
