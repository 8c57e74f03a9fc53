// The viewer in a real browser: recorded matches, live matches and replay files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before } from 'node:test';

import { decompress } from 'fzstd';

import {
  ask,
  checkAccess,
  doubleClick,
  download,
  newPage,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  steady,
  until,
  test,
} from './harness.mjs';

import { playCrowd } from './crowds.mjs';
import { gameData } from './game_data.mjs';

let arena, browser, match;

// A bot that writes to standard error, gives an invalid order and is slow in the first turns.
const chatty = (pause, turns = 100) => `import json, sys, time
turn = 0
for line in sys.stdin:
    turn += 1
    print("thinking about turn", turn, file=sys.stderr, flush=True)
    if turn <= ${turns}:
        time.sleep(${pause})
    print(json.dumps([{"from": 3, "to": 9}]), flush=True)
`;
const draftMatch = (pause, more = {}) =>
  ask(arena, 'POST', '/matches', {
    game: 'aliens',
    map: 'standard',
    seed: 7,
    seats: [{ language: 'python', source: chatty(pause) }, { bot: 'house/aliens-hunter' }],
    ...more,
  });

before(async () => {
  arena = await startArena('--ladder', 'off', '--people-per-address', '3');
  browser = await startBrowser();
  match = await playedMatch(arena, 'aliens', ['house/aliens-hunter', 'house/aliens-random'], {
    map: 'standard',
    seed: 5,
    least: 25,
    firstWins: true, // 4 of 1000 matches are drawn
  });
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

const slider = (page) => page.getByRole('slider', { name: 'Turn' });
const turnIs = (page, turn) =>
  until(
    async () => (await slider(page).getAttribute('aria-valuenow')) === String(turn),
    `turn ${turn}`,
  );

async function open(page, path) {
  await page.goto(path);
  await slider(page).waitFor();
}

test('a recorded match shows its result, is verified, and plays to its end', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=0`);
  const { turns } = await ask(arena, 'GET', `/matches/${match}`);
  await page.getByRole('heading', { level: 1, name: 'aliens-hunter vs aliens-random' }).waitFor();
  await page.getByText(`aliens-hunter won by elimination after ${turns} turns.`).waitFor();
  await page.getByText('Verified: result re-checked in your browser').waitFor();
  assert.equal(await slider(page).getAttribute('aria-valuetext'), `turn 0 of ${turns}`);

  await page.getByLabel('Speed').selectOption('64');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await turnIs(page, turns);
  // It stops at the end.
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const winner = page.getByRole('region', { name: 'aliens-hunter', exact: true });
  await winner.getByText('winner').waitFor();
  // Numbers and names instead of the protocol's letters; the same number on every part.
  await winner.getByText('player 1', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Chart' }).getByText('player 1 aliens-hunter').waitFor();
  await page
    .getByText(/^the spawn of aliens-random is razed|unit of aliens-random dies/)
    .first()
    .waitFor();
  await shot(page, 'viewer-aliens');
  await page.done();
});

test('a match starts playing, unless reduced motion is preferred or a turn is given', async () => {
  for (const [reducedMotion, address, plays] of [
    ['no-preference', '', true],
    ['no-preference', '#turn=2', false],
    ['reduce', '', false],
  ]) {
    const page = await newPage(browser, arena, { reducedMotion });
    await open(page, `/matches/${match}${address}`);
    await page
      .getByRole('button', { name: plays ? 'Pause' : 'Play', exact: true })
      .first()
      .waitFor();
    if (plays) {
      await until(
        async () => Number(await slider(page).getAttribute('aria-valuenow')) > 0,
        'the first turn',
      );
      // The value that decides the match, under the timeline: a line per player.
      await page.locator('.decisive path').nth(1).waitFor();
      assert.equal((await page.locator('.decisive').textContent()).trim(), 'units');
    } else await turnIs(page, address ? 2 : 0);
    await page.done();
  }
});

test('sound is off at first; turned on, it accompanies the match and is remembered', async () => {
  const page = await newPage(browser, arena);
  await page.addInitScript(() => {
    window.tones = [];
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...when) {
      window.tones.push(this.frequency.value);
      return start.apply(this, when);
    };
  });
  await open(page, `/matches/${match}#turn=0`);
  const button = page.getByRole('button', { name: 'Sound' });
  const play = async () => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor(); // at the end
    return page.evaluate(() => window.tones.length);
  };
  await page.getByLabel('Speed').selectOption('64');
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  assert.equal(await play(), 0, 'silent');
  await button.click();
  assert.ok((await play()) > 3, 'tones');
  await page.reload();
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await page.done();
});

test('keys step, jump and play, except in text fields', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=0`);
  const { turns } = await ask(arena, 'GET', `/matches/${match}`);
  await page.keyboard.press('ArrowRight');
  await turnIs(page, 1);
  await page.keyboard.press('Shift+ArrowRight');
  await turnIs(page, 11);
  await page.keyboard.press('ArrowLeft');
  await turnIs(page, 10);
  await page.keyboard.press('End');
  await turnIs(page, turns);
  await page.keyboard.press('Home');
  await turnIs(page, 0);
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.keyboard.press('+');
  assert.equal(await page.getByLabel('Speed').inputValue(), '16');

  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('play or pause').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });

  // Closing the dialog may take a moment; then the viewer handles keys again.
  await until(async () => {
    await page.keyboard.press('Home');
    return (await slider(page).getAttribute('aria-valuenow')) === '0';
  }, 'turn 0');
  const box = page.getByLabel('Jump to turn');
  await box.fill('12');
  await box.press('ArrowLeft'); // moves the cursor in the field
  await turnIs(page, 0);
  await box.press('Enter');
  await turnIs(page, 12);
  await page.done();
});

test('the address has the turn, and changing it changes the turn', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=17`);
  await turnIs(page, 17);
  await page.getByText('Events in turn 17').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/#turn=18$/);
  await page.evaluate(() => (location.hash = '#turn=3'));
  await turnIs(page, 3);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy link to this turn' }).click();
  await page.getByText('Link to turn 3 copied').waitFor();
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    `${arena.address}/matches/${match}#turn=3`,
  );
  await page.done();
});

test('dragging the timeline changes the turn', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=0`);
  const { turns } = await ask(arena, 'GET', `/matches/${match}`);
  const { x, y, width, height } = await slider(page).boundingBox();
  await page.mouse.move(x + 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
  await turnIs(page, Math.round(turns / 2));
  await page.mouse.move(x + width + 50, y + height / 2);
  await page.mouse.up();
  await turnIs(page, turns);
  await page.done();
});

test('a click on the board selects a thing and shows its details', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=0`);
  await page.keyboard.press('ArrowRight');
  const { x, y, width, height } = await page
    .getByRole('img', { name: 'Board after turn 1' })
    .boundingBox();
  // The standard map has 20 by 20 squares and a margin of 8 pixels.
  const unit = (Math.min(width, height) - 16) / 20;
  // Square 21.
  await page.mouse.click(x + width / 2 + (1.5 - 10) * unit, y + height / 2 + (1.5 - 10) * unit);
  const selection = page.getByRole('region', { name: 'Selection' });
  await selection.getByRole('heading', { name: /(Unit|Spawn) of aliens-hunter/ }).waitFor();
  await selection.getByRole('button', { name: 'Follow' }).click();
  await selection.getByRole('button', { name: 'Following' }).waitFor();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Show the whole board' }).click();
  await selection.getByText(/Everything on the board/).click();
  await selection.getByRole('button', { name: /Unit of aliens-random/ }).click();
  await selection.getByRole('heading', { name: 'Unit of aliens-random' }).waitFor();
  await page.keyboard.press('Escape');
  await selection.getByText('Click anything on the board').waitFor();
  await page.done();
});

test('pointing at an order highlights it on the board, and the other way round', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=5`);
  const orders = page.getByRole('region', { name: 'aliens-hunter in this turn' });
  const order = orders.getByRole('button').first();
  const text = (await order.textContent()).trim();
  const [, row, column] = /^move the unit at row (\d+), column (\d+) (up|down|left|right)$/.exec(
    text,
  );
  const picture = () => page.locator('.board canvas').evaluate((canvas) => canvas.toDataURL());
  const lit = orders.locator('li.lit');
  const plain = await steady(picture, 'the board');
  await order.hover();
  await until(async () => (await picture()) !== plain, 'the order on the board');
  assert.equal((await lit.textContent()).trim(), text);
  await page.mouse.move(1, 1);
  await until(async () => (await picture()) === plain, 'the board without it');
  await order.focus();
  await until(async () => (await picture()) !== plain, 'the order on the board');
  await order.press('ArrowDown'); // the next order, if there is one, and not the next turn
  await turnIs(page, 5);
  await page.evaluate(() => document.activeElement.blur());
  await until(async () => (await picture()) === plain, 'the board without it');
  const { x, y, width, height } = await page.locator('.board canvas').boundingBox();
  const unit = (Math.min(width, height) - 16) / 20;
  await page.mouse.move(
    x + width / 2 + (Number(column) + 0.5 - 10) * unit,
    y + height / 2 + (Number(row) + 0.5 - 10) * unit,
  );
  await lit.waitFor();
  assert.equal((await lit.textContent()).trim(), text);
  await page.keyboard.press('ArrowRight');
  await turnIs(page, 6);
  assert.equal(await page.locator('li.lit').count(), 0, 'the next turn has other orders');
  await page.done();
});

test('the board zooms with the wheel, and pans by dragging', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=20`);
  const whole = page.getByRole('button', { name: 'Show the whole board' });
  const { x, y, width, height } = await page
    .getByRole('img', { name: 'Board after turn 20' })
    .boundingBox();
  const picture = () => page.locator('.board canvas').evaluate((canvas) => canvas.toDataURL());
  const start = await picture();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.wheel(0, -400); // scrolls the page until the board is clicked
  await page.getByText('To zoom with the wheel').waitFor();
  assert.equal(await whole.count(), 0);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await whole.waitFor();
  await until(async () => (await picture()) !== start, 'the board to be larger');
  const closer = await picture();
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 120, y + height / 2 + 60, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await picture()) !== closer, 'the board to be moved');
  await doubleClick(page.getByRole('img', { name: 'Board after turn 20' }));
  await whole.waitFor({ state: 'detached' });
  await page.done();
});

test('the board zooms with two fingers', async () => {
  const page = await newPage(browser, arena, { hasTouch: true });
  await open(page, `/matches/${match}#turn=20`);
  const whole = page.getByRole('button', { name: 'Show the whole board' });
  const { x, y, width, height } = await page
    .getByRole('img', { name: 'Board after turn 20' })
    .boundingBox();
  const touch = await page.context().newCDPSession(page);
  const fingers = (apart) =>
    [-1, 1].map((side, id) => ({ x: x + width / 2 + side * apart, y: y + height / 2, id }));
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(30) });
  for (const apart of [40, 60, 80, 100])
    await touch.send('Input.dispatchTouchEvent', {
      type: 'touchMove',
      touchPoints: fingers(apart),
    });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await whole.waitFor();
  await page.done();
});

/** The calls that draw something on the board, while it goes to a turn. */
const callsToDraw = (page, turn) =>
  page.evaluate((turn) => {
    const board = document.querySelector('.board canvas');
    let calls = 0;
    const context = CanvasRenderingContext2D.prototype;
    for (const name of ['fill', 'fillRect', 'stroke', 'drawImage', 'fillText', 'putImageData']) {
      const call = context[name];
      context[name] = function (...more) {
        if (this.canvas === board) calls++;
        return call.apply(this, more);
      };
    }
    location.hash = '#turn=' + turn;
    return new Promise((done) =>
      addEventListener('hashchange', () => {
        const look = () => (calls ? done(calls) : requestAnimationFrame(look));
        requestAnimationFrame(look);
      }),
    );
  }, turn);

/** The colours on the board, as rrggbb. */
const coloursOf = (page) =>
  page.evaluate(() => {
    const board = document.querySelector('.board canvas');
    const { data } = board.getContext('2d').getImageData(0, 0, board.width, board.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4)
      seen.add([...data.subarray(i, i + 3)].map((n) => n.toString(16).padStart(2, '0')).join(''));
    return [...seen];
  });

const PLAYERS = ['e69f00', '3a8fd6', '009e73', 'd55e00', 'b967c7', 'c7b31c', '36b5a2', '8c6d4f'];

for (const [game, { crowd }] of Object.entries(gameData))
  if (crowd)
    test(`a crowd in ${game} takes few calls of the canvas per frame`, async () => {
      const replay = await playCrowd(game, crowd, arena.directory);
      const page = await newPage(browser, arena);
      await page.goto('/replay');
      await page.setInputFiles('input[type=file]', replay);
      await slider(page).waitFor();
      // Where the whole board is hard to read, the viewer shows a part of it.
      const whole = page.getByRole('button', { name: 'Show the whole board' });
      if (await whole.count()) await whole.click();
      await page.evaluate((turn) => (location.hash = '#turn=' + turn), crowd.turn);
      const things = page.getByText(/Everything on the board/);
      await until(
        async () => Number((await things.textContent()).match(/\d+/)?.[0]) > 950,
        'a crowd',
      );
      const calls = await callsToDraw(page, crowd.turn - 1);
      assert.ok(calls < 150, `${calls} calls`);
      const colours = await coloursOf(page);
      // Of eight players, one may be eliminated.
      const players = (await page.locator('[aria-label="All players"] tbody tr').count()) || 2;
      const seen = PLAYERS.slice(0, players).filter((colour) => colours.includes(colour));
      assert.ok(seen.length >= (players > 2 ? players - 1 : 2), `only ${seen} of ${players}`);
      await page.done();
    });

test('a wide board fills the page, and on a phone the viewer shows the action', async () => {
  const wide = await playedMatch(
    arena,
    'footsoldiers',
    ['house/footsoldiers-marshal', 'house/footsoldiers-random'],
    { map: 'standard', least: 12 },
  );
  const desk = await newPage(browser, arena, { viewport: { width: 1440, height: 900 } });
  await open(desk, `/matches/${wide}#turn=10`);
  const room = await steady(() => desk.locator('.board').boundingBox(), 'the board');
  assert.ok(room.width > 1350, `the board is ${room.width} pixels wide`);
  const action = (page) => page.getByRole('button', { name: 'Zoom to the action' });
  assert.equal(await action(desk).getAttribute('aria-pressed'), 'false');
  await desk.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
  await shot(desk, 'viewer-wide-1440');
  await desk.done();

  const phone = await newPage(browser, arena, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await open(phone, `/matches/${wide}#turn=10`);
  assert.equal(await action(phone).getAttribute('aria-pressed'), 'true');
  for (const name of ['Zoom to the action', 'Zoom in', 'Zoom out', 'Show the whole board']) {
    const button = phone.getByRole('button', { name });
    await button.waitFor();
    assert.equal(
      await button.evaluate((one) => getComputedStyle(one.parentElement).opacity),
      '1',
      name,
    );
    assert.ok((await button.boundingBox()).height >= 40, `${name} is large enough for a finger`);
  }
  assert.equal(await phone.getByRole('button', { name: 'Keyboard shortcuts' }).count(), 0);
  const wider = ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth;
  assert.equal(await phone.locator('html').evaluate(wider), 0);
  await checkAccess(phone);
  await shot(phone, 'viewer-wide-390');
  await phone.getByRole('button', { name: 'Zoom in' }).click(); // the reader takes over
  assert.equal(await action(phone).getAttribute('aria-pressed'), 'false');
  await phone.done();
});

/**
 * A match of Aliens against a bot with this source, whose turns are played by `play`: the test has
 * a seat in person and passes.
 */
async function steppedMatch(context, source) {
  const joined = await ask(arena, 'POST', '/join', {
    game: 'aliens',
    map: 'standard',
    seed: 7,
    person: true,
    turn_time: 600_000,
    opponents: [{ language: 'python', source }],
  });
  const path = `${arena.address}/api/v1/join/${joined.seat}`;
  const stop = new AbortController();
  context.after(() => stop.abort());
  const events = await fetch(path + '/events', { signal: stop.signal });
  let run;
  let views = 0;
  (async () => {
    let text = '';
    for await (const chunk of events.body.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split('\n');
      text = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data:')) continue;
        const data = JSON.parse(line.slice(5));
        run = data.run ?? run;
        if (data.bytes) views += atob(data.bytes).split('\n').length - 1; // a view is a line
      }
    }
  })().catch(() => null); // ended by the test
  let answered = 0;
  return {
    ...joined,
    async play(turns) {
      for (const end = answered + turns; answered < end; answered++) {
        await until(() => views > answered, `the view of turn ${answered + 1}`);
        const at = '[]\n'.length * answered;
        const sent = await fetch(`${path}/answers?run=${run}&at=${at}`, {
          method: 'POST',
          body: '[]\n',
        });
        assert.ok(sent.ok, await sent.text());
      }
    },
  };
}

test('going back in a live match stays there, and the replay takes over', async (context) => {
  // Neither player gives valid orders: all hundred turns are played.
  const stepped = await steppedMatch(context, chatty(0));
  const [first, second] = [await newPage(browser, arena), await newPage(browser, arena)];
  const opened = Promise.all([
    open(first, `/matches/${stepped.match}?key=${stepped.key}`),
    open(second, `/matches/${stepped.match}`),
  ]);
  await stepped.play(3);
  await opened;
  await turnIs(first, 3);
  await first.getByRole('button', { name: 'Live', exact: true }).waitFor();
  await first.getByText('Not verified yet').waitFor();
  await first.keyboard.press('ArrowLeft');
  await turnIs(first, 2);
  await stepped.play(2);
  await turnIs(second, 5);
  await turnIs(first, 2);
  await first.getByRole('button', { name: 'Back to live' }).click();
  await first.getByRole('button', { name: 'Live', exact: true }).waitFor();
  await turnIs(first, 5);
  await stepped.play(95);
  for (const page of [first, second]) {
    await page.getByText('Verified: result re-checked').waitFor({ timeout: 60000 });
    await page.getByText(/after 100 turns/).waitFor();
  }
  // Only a page with the key shows the debug output.
  await first.getByRole('button', { name: /debug output/ }).waitFor();
  assert.equal(await second.getByRole('button', { name: /debug output/ }).count(), 0);
  await first.done();
  await second.done();
});

/** A match of bots that lasts as long as a test needs it: until somebody cancels it. */
function endlessMatch(arena) {
  const seat = { language: 'python', source: chatty(0.1, 100_000) };
  const config = JSON.stringify({ maxTurns: 100_000 });
  return ask(arena, 'POST', '/matches', { game: 'aliens', seats: [seat, seat], config });
}

test('a live match continues for spectators when the arena was killed and restarted', async (context) => {
  const own = await startArena('--ladder', 'off');
  context.after(() => own.stop());
  const endless = await endlessMatch(own);
  const page = await newPage(browser, own);
  await open(page, `/matches/${endless.id}?key=${endless.key}`);
  const shown = async () => Number(await slider(page).getAttribute('aria-valuenow'));
  await until(async () => (await shown()) >= 3, 'the third turn');
  // Like a proxy while the arena is down: after an error status, the browser does not reconnect
  // on its own.
  let failed = 0;
  await page.route(
    /\/live/,
    (route) => ++failed && route.fulfill({ status: 502, body: 'Bad Gateway' }),
  );
  await own.end('SIGKILL');
  await until(() => failed > 0, 'the turns to be requested again');
  const last = await shown();
  await page.unrouteAll();
  await own.again();
  // The match is played again from the first turn.
  await until(async () => (await shown()) > last, `a turn after turn ${last}`);
  await page.getByRole('button', { name: 'Cancel match' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByText('Cancelled by the person who requested it.').waitFor();
  await page.done();
});

test('key moments are listed: rejected orders with reasons, debug output of the turn', async () => {
  const requested = await draftMatch(0);
  const page = await newPage(browser, arena);
  await open(page, `/matches/${requested.id}?key=${requested.key}#turn=5`);
  await page.getByText('Verified: result re-checked').waitFor({ timeout: 60000 });
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: /rejected orders/ }).waitFor();
  await page.keyboard.press('n');
  await turnIs(page, 1);
  const draft = page.getByRole('region', { name: 'draft in this turn' });
  await draft.getByText('1 order rejected').waitFor();
  await draft.getByText(/row 0, column 3 to row 0, column 9/).waitFor();
  await draft.getByText('thinking about turn 1').waitFor();
  await page.getByRole('button', { name: /rejected orders/ }).click();
  await page.getByRole('button', { name: 'turn 9 draft: 1 order rejected' }).click();
  await turnIs(page, 9);
  await page.getByText('Debug output of player 1 draft').click();
  await page.getByText(/thinking about turn 1\sthinking about turn 2\s/).waitFor();
  assert.match(
    await page.getByRole('link', { name: 'Play from here' }).getAttribute('href'),
    new RegExp(`^/play\\?match=${requested.id}&turn=9&seat=0`),
  );
  await page.done();
});

test('turns are exported as a GIF, which can be cancelled', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=12`);
  await page.getByRole('button', { name: 'Export a GIF' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export a GIF' });
  await dialog.getByLabel('To turn').fill('0');
  await dialog.getByText('The last turn must be after the first.').waitFor();
  await dialog.getByLabel('Speed').selectOption('1');
  await dialog.getByLabel('From turn').fill('0');
  await dialog.getByLabel('To turn').fill('12');
  await checkAccess(page);
  await dialog.getByRole('button', { name: 'Make GIF' }).click();
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Make GIF' }).waitFor();
  assert.equal(await dialog.getByRole('link').count(), 0, 'nothing was made');

  await dialog.getByLabel('Speed').selectOption('8');
  await dialog.getByLabel('From turn').fill('9');
  await dialog.getByLabel('Width').selectOption('320');
  await dialog.getByRole('button', { name: 'Make GIF' }).click();
  const link = dialog.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  const { name, path } = await download(page, () => link.click());
  assert.equal(name, `match-${match}-turns-9-12.gif`);
  const bytes = [...(await readFile(path))];
  // The browser decodes all pictures: one for the first turn, two for each of the others.
  const decoded = await page.evaluate(async (bytes) => {
    const decoder = new ImageDecoder({ data: new Uint8Array(bytes), type: 'image/gif' });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const count = decoder.tracks.selectedTrack.frameCount;
    const corners = [];
    for (let frameIndex = 0; frameIndex < count; frameIndex++) {
      const { image } = await decoder.decode({ frameIndex });
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      corners.push([...context.getImageData(0, 0, 1, 1).data]);
    }
    return { count, corners };
  }, bytes);
  assert.equal(decoded.count, 7);
  for (const corner of decoded.corners) assert.deepEqual(corner, decoded.corners[0]);
  assert.equal(decoded.corners[0][3], 255, 'no holes');
  await shot(page, 'viewer-export');
  await page.done();
});

test('a match is shown in a frame of another site, from a snippet to copy', async (context) => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=3`);
  await page.getByRole('button', { name: 'Embed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Embed this match' });
  const snippet = await dialog.getByLabel('HTML').inputValue();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), snippet);
  await page.done();

  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(`<!doctype html><title>Blog</title><h1>Blog</h1>${snippet}`);
  });
  context.after(() => server.close());
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const blog = await (await browser.newContext()).newPage();
  await blog.goto(`http://127.0.0.1:${server.address().port}/`);
  const frame = blog.frameLocator('iframe[title="aliens-hunter, aliens-random"]');
  await frame.getByRole('heading', { name: 'aliens-hunter vs aliens-random' }).waitFor();
  await frame.getByRole('button', { name: 'Pause' }).click();
  await frame.getByRole('slider', { name: 'Turn' }).press('End');
  await frame.getByText(/^aliens-hunter won by elimination/).waitFor();
  assert.match(
    await frame.getByRole('link', { name: 'Open on Skirmish' }).getAttribute('href'),
    new RegExp(`^/matches/${match}#turn=\\d+$`),
  );
  await shot(blog, 'viewer-embed');
  await blog.context().close();
});

test('two matches are compared side by side, turn for turn', async () => {
  // The same bots on the same map, with another seed.
  const other = await playedMatch(arena, 'aliens', ['house/aliens-hunter', 'house/aliens-random'], {
    map: 'standard',
    seed: 6,
    least: 12,
  });
  const page = await newPage(browser, arena);
  await page.goto('/compare');
  await page.getByLabel('Match', { exact: true }).fill(String(match));
  await page.getByLabel('with match').fill(String(other));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL(new RegExp(`/compare\\?a=${match}&b=${other}$`));
  await slider(page).waitFor();
  const [one, two] = [match, other].map((id) =>
    page.getByRole('region', { name: `Match ${id}`, exact: true }),
  );
  await slider(page).press('PageUp');
  for (const side of [one, two]) await side.getByText(/^Turn 10 of/).waitFor();
  await page.keyboard.press('ArrowRight');
  for (const side of [one, two]) await side.getByText(/^Turn 11 of/).waitFor();
  const button = page.getByRole('button', { name: /^Go to turn/ });
  const [first] = /\d+/.exec(await button.textContent());
  await button.click();
  for (const side of [one, two]) await side.getByText(`Turn ${first} of`).waitFor();
  await checkAccess(page);
  await shot(page, 'viewer-compare');
  await page.done();
});

test('the chart is drawn, and a click in it jumps', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=0`);
  const chart = page.getByRole('img', { name: 'units per player over time' });
  await chart.locator('canvas').waitFor();
  await chart.scrollIntoViewIfNeeded();
  const over = await chart.locator('.u-over').boundingBox();
  await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
  const { turns } = await ask(arena, 'GET', `/matches/${match}`);
  await until(
    async () => Math.abs(Number(await slider(page).getAttribute('aria-valuenow')) - turns / 2) <= 1,
    'the middle of the match',
  );
  await page.getByLabel('Value').selectOption('energy');
  await page.getByRole('img', { name: 'energy per player over time' }).waitFor();
  await page.done();
});

async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(
    ({ name, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], name));
      return transfer;
    },
    { name, bytes: [...bytes] },
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('main', type, { dataTransfer: data });
}

/** Replaces a text in a replay by one of the same length, with valid compression. */
function forge(replay, text, other) {
  const plain = Buffer.from(decompress(replay.subarray(20)));
  const at = plain.lastIndexOf(text);
  assert.ok(at > 0 && text.length === other.length);
  plain.write(other, at);
  // One zstd frame: magic, a header with the size in four bytes, then uncompressed blocks.
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(plain.length, 5);
  const parts = [replay.subarray(0, 20), head];
  for (let from = 0; from < plain.length; from += 65536) {
    const block = plain.subarray(from, from + 65536);
    const size = Buffer.alloc(4);
    size.writeUInt32LE((block.length << 3) | (from + 65536 >= plain.length ? 1 : 0));
    parts.push(size.subarray(0, 3), block);
  }
  return new Uint8Array(Buffer.concat(parts));
}

test('a replay with a false verdict fails verification', async () => {
  const replay = new Uint8Array(
    await (await fetch(`${arena.address}/api/v1/matches/${match}/replay`)).arrayBuffer(),
  );
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  await drop(page, 'honest.skr', forge(replay, '"rank":1', '"rank":1'));
  await page.getByText('Verified: result re-checked').waitFor();
  await drop(page, 'forged.skr', forge(replay, '"rank":1', '"rank":2'));
  await page.getByRole('alert').getByText('Verification failed.').waitFor();
  const [warning, board] = await Promise.all([
    page.getByRole('alert').boundingBox(),
    page.locator('.board').boundingBox(),
  ]);
  assert.ok(warning.y + warning.height <= board.y, 'the warning is above the board');
  assert.ok(warning.y + warning.height <= 860, 'the warning is on the first screen');
  assert.equal(await page.getByText('Verified: result').count(), 0);
  await page.done();
});

test('a dropped replay file opens without any request; other files are rejected', async () => {
  const replay = new Uint8Array(
    await (await fetch(`${arena.address}/api/v1/matches/${match}/replay`)).arrayBuffer(),
  );
  const page = await newPage(browser, arena);
  await page.goto('/replay');
  await page.getByText('Drop a replay file here').waitFor();
  const requested = [];
  page.on('request', (request) => request.url().includes('/api/') && requested.push(request.url()));
  await drop(page, 'notes.txt', new TextEncoder().encode('not a replay, but as long as one'));
  await page
    .getByRole('alert')
    .getByText('Could not open notes.txt. Not a Skirmish replay.')
    .waitFor();
  const damaged = replay.slice();
  damaged[60] ^= 0xff;
  await drop(page, 'damaged.skr', damaged);
  await page
    .getByRole('alert')
    .getByText(/Could not open damaged\.skr\. \S.*\.$/)
    .waitFor();
  const newer = replay.slice();
  newer[16] = 9;
  await drop(page, 'newer.skr', newer);
  await page
    .getByRole('alert')
    .getByText(/Could not open newer\.skr\. .*version/i)
    .waitFor();

  await drop(page, 'match.skr', replay);
  await page.getByText('Verified: result re-checked').waitFor();
  await page.getByRole('heading', { level: 1, name: 'aliens-hunter vs aliens-random' }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await drop(page, 'again.skr', replay); // a second file
  await page.getByText(/^again\.skr: aliens/).waitFor();
  await slider(page).waitFor();
  assert.deepEqual(requested, []);
  await page.done();
});

test('axe has no serious findings in light and dark mode, on desktop and phone', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=20`);
  await page.getByRole('button', { name: /deaths/ }).waitFor();
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 360, height: 740 },
  ]) {
    await page.setViewportSize(viewport);
    await until(
      () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      'the page to fit the screen',
    );
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await checkAccess(page);
      await shot(page, `viewer-${colorScheme}-${viewport.width}`);
    }
  }
  await page.done();
});

test('full screen shows names, values, the turn, and at the end the winner', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=20`);
  await page.keyboard.press('f');
  await until(() => page.evaluate(() => document.fullscreenElement !== null), 'full screen');
  await page.getByRole('button', { name: 'Exit full screen' }).waitFor();
  await page.locator('.scores').getByText('aliens-hunter').waitFor();
  assert.doesNotMatch(
    await page.evaluate(() => document.fullscreenElement.textContent),
    /won by/,
    'the result is not shown before the end',
  );
  await shot(page, 'viewer-full-screen');
  const room = await steady(
    () => page.getByRole('img', { name: /^Board/ }).boundingBox(),
    'the board',
  );
  await page.keyboard.press('End');
  await until(
    () =>
      page.evaluate(() =>
        /aliens-hunter won by elimination after \d+ turns/.test(
          document.fullscreenElement.textContent,
        ),
      ),
    'the verdict',
  );
  assert.deepEqual(
    await page.getByRole('img', { name: /^Board/ }).boundingBox(),
    room,
    'the board does not move',
  );
  await page.keyboard.press('f');
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
  await page.done();
});

test('rules pages show a board drawn by the viewer, when it is in view', async () => {
  const page = await newPage(browser, arena);
  await page.goto('/docs/rules/aliens');
  const figure = page.getByRole('figure');
  await figure.getByRole('img', { name: /^Board after turn/ }).waitFor();
  await figure.getByRole('link', { name: /^Match \d+$/ }).waitFor();
  await figure.getByText('Legend').click();
  await figure.getByText('units: round for player 1, square for player 2').waitFor();
  await checkAccess(page);
  // A game without matches: its map.
  await page.goto('/docs/rules/underworld');
  await figure.getByRole('img', { name: /^Map / }).waitFor();
  await shot(page, 'rules-board');
  await page.done();
});

test('an unknown match shows an error', async () => {
  const page = await newPage(browser, arena);
  await page.goto('/matches/999999');
  const alert = page.getByRole('alert');
  await alert.getByRole('heading', { name: 'Not found' }).waitFor();
  await alert.getByText('Unknown match 999999.', { exact: true }).waitFor();
  await page.done();
});

test('a queued match shows its position and starts without a reload', async () => {
  const small = await startArena('--ladder', 'off', '--jobs', '1');
  try {
    // Two matches before it: the arena may take the next one slightly early.
    const earlier = [await endlessMatch(small), await endlessMatch(small)];
    const requested = await ask(small, 'POST', '/matches', {
      game: 'aliens',
      seats: [{ bot: 'house/aliens-hunter' }, { bot: 'house/aliens-random' }],
    });
    const page = await newPage(browser, small);
    await page.goto(`/matches/${requested.id}`);
    await page.getByText(/^Queued: /).waitFor();
    await page.getByText('The match will appear here live.').waitFor();
    for (const { id, key } of earlier)
      await ask(small, 'POST', `/matches/${id}/call-off?key=${key}`);
    await slider(page).waitFor({ timeout: 120000 });
    await page.getByText('Verified: result re-checked').waitFor({ timeout: 120000 });
    await page.done();
  } finally {
    await small.stop();
  }
});

test('a match with an expired replay shows its result', async () => {
  const page = await newPage(browser, arena);
  const info = await ask(arena, 'GET', `/matches/${match}`);
  await page.route(`**/api/v1/matches/${match}`, (route) =>
    route.fulfill({ json: { ...info, replay: false } }),
  );
  await page.goto(`/matches/${match}`);
  await page.getByText(`after ${info.turns} turns.`).waitFor();
  await page.getByText('Nothing to watch: the replay has expired.').waitFor();
  await page.goto(`/play?match=${match}&turn=2&seat=0`);
  await page.getByText(`Match ${match} has no replay to play from.`).waitFor();
  await page.done();
});
