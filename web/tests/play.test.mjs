// Playing in person in a real browser: each game by keyboard, orders by mouse, reloads, forfeits,
// and limits. The replay must have the orders that were given and no rejected ones.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { gameData } from './game_data.mjs';
import {
  ask,
  checkAccess,
  newPage,
  shot,
  startArena,
  startBrowser,
  test,
  until,
} from './harness.mjs';
import {
  endTurn,
  exportedTurns,
  houseBotsReady,
  matchOf,
  turnIs,
  verdict,
} from './play_helpers.mjs';

let arena;
let browser;

before(async () => {
  // All guests in this file have the same address.
  arena = await startArena('--ladder', 'off', '--seats-max', '50', '--people-per-address', '3');
  browser = await startBrowser();
  await houseBotsReady(arena);
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

// ---- helpers ----

/** A page of a new account. Only accounts may use custom rules. */
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
const orders = (page) => page.getByRole('list', { name: 'Your orders' }).getByRole('listitem');
const choices = (page) => page.getByRole('list', { name: 'Actions' }).getByRole('button');

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

/**
 * Selects the player's things with Tab until one offers an action with one of these keys, and
 * presses the key. Returns whether there was one.
 */
async function giveOrder(page, keys) {
  await board(page).focus();
  await page.keyboard.press('Escape');
  for (let things = 0; things < 6; things++) {
    await page.keyboard.press('Tab');
    if (!(await board(page).evaluate((element) => element === document.activeElement)))
      return false; // after the last
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
const countOrders = (orders) =>
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
  test(`a person plays ${game} to its end by keyboard`, { timeout: 120_000 }, async () => {
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
        assert.ok(listed > 0, `the order of turn ${turn} is not in the list`);
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
    const played = await exportedTurns(arena, id);
    assert.equal(played.length, match.turns);
    // The player may have lost all units before the turn limit.
    if (match.reason === 'turn limit') assert.equal(match.turns, turns);
    assert.equal(
      played.reduce((sum, line) => sum + line.players[0].refused, 0),
      0,
    );
    assert.ok(
      played.filter((line) => countOrders(line.players[0].orders) > 0).length >= given,
      'every order is in the replay',
    );
    await page.done();
  });
}

// ---- by mouse, without an account ----

/** Clicks a square of the board. */
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
  'a guest plays by mouse, undoes orders, continues after a reload, and forfeits',
  { timeout: 120_000 },
  async () => {
    const page = await newPage(browser, arena);
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random');
    assert.equal(await turnIs(page, 1), 'yours');
    await endTurn(page).click();
    assert.equal(await turnIs(page, 2), 'yours');
    await clickSquare(page, 10, 10, 1, 1); // the first unit is on its spawn
    await page.getByRole('heading', { name: 'Unit of visitor' }).first().waitFor();
    await clickSquare(page, 10, 10, 1, 2);
    await until(
      async () =>
        (await orders(page).allTextContents()).some((text) =>
          /^move the unit at row 1, column 1 down/.test(text.trim()),
        ),
      'the order',
    );
    await page.keyboard.press('u');
    await until(async () => (await orders(page).count()) === 0, 'the order to be undone');
    await choices(page).filter({ hasText: 'Move right' }).click();
    await page
      .getByRole('button', { name: 'Remove: move the unit at row 1, column 1 right' })
      .click();
    await until(
      async () => (await orders(page).count()) === 0,
      'the order to be removed from the list',
    );
    await page.keyboard.press('ArrowDown');
    await endTurn(page).click();
    assert.equal(await turnIs(page, 3), 'yours');

    // After a reload, the seat, the turn and the given answer are still there.
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

    // A player who leaves the page can return to the seat.
    await page.getByRole('link', { name: 'Docs', exact: true }).click();
    await page.getByRole('link', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Continue playing' }).click();
    assert.equal(await turnIs(page, 4), 'yours');

    await page.getByRole('button', { name: 'Forfeit' }).click();
    await page.getByRole('button', { name: 'Forfeit' }).click();
    await page.getByRole('heading', { name: 'You lost' }).waitFor();
    await shot(page, 'play-over');
    const over = await ask(arena, 'GET', `/matches/${id}`);
    assert.deepEqual(
      [over.reason, over.players[0].status, over.players[0].failure],
      ['left', 'left', 'left in turn 4'],
    );
    const played = await exportedTurns(arena, id);
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
  'the remaining time is shown, and orders are sent shortly before it is over',
  { timeout: 120_000 },
  async () => {
    const page = await newPage(browser, arena);
    await page.clock.install();
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random', {
      time: '30 seconds',
    });
    // Run the page's clock five times as fast.
    const running = setInterval(() => void page.clock.runFor(300).catch(() => null), 60);
    try {
      assert.equal(await turnIs(page, 1), 'yours');
      await page.getByRole('timer', { name: 'Time left for this turn' }).waitFor();
      assert.equal(await turnIs(page, 2), 'yours'); // without any input
    } finally {
      clearInterval(running);
    }
    await page.done();
  },
);

test(
  'a player who loses the seat sees why, and how the match ended',
  { timeout: 120_000 },
  async () => {
    const page = await personPage('loser');
    await choose(page, '/play?game=planetwars&map=hex&seat=1&against=house/planetwars-random', {
      config: { max_turns: 5 },
    });
    assert.equal(await turnIs(page, 1), 'yours');
    // To the page, this looks like a timeout or a lost connection.
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

    // Spectators see that the player left, not a crash.
    await page.getByRole('link', { name: 'Watch replay' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'loser (in person): left in turn 1' })
      .waitFor();
    await page.getByText(/^(All \d+ moments|1 moment)$/).click();
    const moment = page.getByRole('button', { name: 'loser (in person): left' });
    await moment.first().waitFor();
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: /^Events in turn [2-5]$/ }).waitFor();
    assert.equal(await moment.count(), 1, 'it is listed once');
    assert.equal(await page.getByText('crashed').count(), 0);
    await page.done();
  },
);

// ---- restarts and lost connections ----

test(
  'a player sees that the arena was restarted, and can play again',
  { timeout: 180_000 },
  async (context) => {
    const own = await startArena('--ladder', 'off');
    context.after(() => own.stop());
    await houseBotsReady(own);
    const page = await newPage(browser, own);
    const watcher = await newPage(browser, own);
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random');
    assert.equal(await turnIs(page, 1), 'yours');
    await endTurn(page).click();
    assert.equal(await turnIs(page, 2), 'yours');
    await watcher.goto(`/matches/${matchOf(page)}`);
    await watcher.getByText('Live.', { exact: true }).waitFor();

    // A regular stop is reported immediately, and the message stays.
    const heading = page.getByRole('heading', { name: 'The arena was restarted' });
    await own.end('SIGTERM');
    await heading.waitFor();
    await page.getByText('This match cannot continue').waitFor();
    // The board is still shown.
    await page.getByRole('heading', { name: 'Events in turn 1' }).waitFor();
    await checkAccess(page);
    await shot(page, 'play-restarted');
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.getByRole('alert').getByText('Cannot reach the arena').waitFor();
    await own.again();
    await watcher.getByText('Cancelled: the arena was restarted.').waitFor();
    await page.getByRole('button', { name: 'Play again' }).click();
    assert.equal(await turnIs(page, 1), 'yours');

    // After a kill, the page retries, and then reports that the match was cancelled.
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
  'a player keeps the seat while a proxy returns errors',
  { timeout: 120_000 },
  async (context) => {
    const own = await startArena('--ladder', 'off');
    context.after(() => own.stop());
    await houseBotsReady(own);
    const page = await newPage(browser, own, { viewport: { width: 360, height: 740 } });
    await choose(page, '/play?game=aliens&map=duel&seat=0&against=house/aliens-random');
    assert.equal(await turnIs(page, 1), 'yours');
    const id = matchOf(page);
    await page.route(/\/api\/v1\/(join|matches)\//, (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad Gateway' }),
    );
    await page.reload();
    const warning = page.getByRole('alert').getByText('Cannot reach the arena');
    await warning.waitFor();
    const box = await warning.boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 740, 'it is visible on a phone');
    await page.unrouteAll();
    await until(async () => !(await warning.isVisible()), 'the warning to disappear');
    assert.equal(await turnIs(page, 1), 'yours');

    // The same applies if only the stream of turns fails.
    let failed = 0;
    await page.route(
      /\/api\/v1\/matches\/\d+\/live/,
      (route) => ++failed && route.fulfill({ status: 503, body: '' }),
    );
    await page.reload();
    await until(() => failed > 0, 'the turns to be requested');
    await page.unrouteAll();
    await endTurn(page).click();
    assert.equal(await turnIs(page, 2), 'yours');
    assert.equal(matchOf(page), id);
    await page.done();
  },
);

// ---- several opponents, small screens, limits ----

test(
  'a match with several opponents fits a phone in dark mode',
  { timeout: 120_000 },
  async (context) => {
    // A separate arena, because guests of the shared one may have reached their rate limit.
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
      'the page is not wider than the screen',
    );
    await checkAccess(page);
    await shot(page, 'play-phone-choose');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    assert.equal(await turnIs(page, 1), 'yours');
    assert.equal(
      await page.getByRole('list', { name: 'Players' }).getByRole('listitem').count(),
      3,
    );
    assert.ok(
      (await page.evaluate(() => document.documentElement.scrollWidth)) <= 360,
      'the page is not wider than the screen',
    );
    await checkAccess(page);
    await shot(page, 'play-phone');
    await page.done();
  },
);

test('a guest over the rate limit sees when to try again', { timeout: 120_000 }, async () => {
  const page = await newPage(browser, arena);
  const request = { game: 'aliens', person: true, opponents: ['house/aliens-random'] };
  let last = 0;
  for (let i = 0; i < 40 && last !== 429; i++)
    last = (
      await fetch(arena.address + '/api/v1/join', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
    ).status;
  assert.equal(last, 429);
  await page.goto('/play?game=aliens');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('Please wait').waitFor();
  await alert.getByRole('button', { name: /^Try again in \d+ s$/ }).waitFor();
  await alert.getByRole('link', { name: 'Sign up' }).waitFor();
  await checkAccess(page);
  await page.done();
});
