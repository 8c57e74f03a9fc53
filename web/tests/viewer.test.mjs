// The viewer in a real browser: recorded matches, live matches and replay files.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { playCrowd } from './crowds.mjs';
import { gameData } from './game_data.mjs';
import {
  ask,
  checkAccess,
  doubleClick,
  newPage,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  steady,
  test,
  until,
} from './harness.mjs';
import { open, slider, turnIs } from './viewer_helpers.mjs';

let arena, browser, match;

before(async () => {
  arena = await startArena('--ladder', 'off', '--people-per-address', '3');
  browser = await startBrowser();
  match = await playedMatch(arena, 'aliens', ['house/aliens-medium', 'house/aliens-random'], {
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

test('a recorded match shows its result, is verified, and plays to its end', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=0`);
  const { turns } = await ask(arena, 'GET', `/matches/${match}`);
  await page.getByRole('heading', { level: 1, name: 'aliens-medium vs aliens-random' }).waitFor();
  await page.getByText(`aliens-medium won by elimination after ${turns} turns.`).waitFor();
  await page.getByText('Verified: result re-checked in your browser').waitFor();
  assert.equal(await slider(page).getAttribute('aria-valuetext'), `turn 0 of ${turns}`);

  await page.getByLabel('Speed').selectOption('64');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await turnIs(page, turns);
  // Playback stops at the end.
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const winner = page.getByRole('region', { name: 'aliens-medium', exact: true });
  await winner.getByText('winner').waitFor();
  // Players have numbers and names instead of the protocol's letters, the same everywhere.
  await winner.getByText('player 1', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Chart' }).getByText('player 1 aliens-medium').waitFor();
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
      // Under the timeline is the value that decides the match, a line per player.
      await page.locator('.decisive path').nth(1).waitFor();
      assert.equal((await page.locator('.decisive').textContent()).trim(), 'units');
    } else await turnIs(page, address ? 2 : 0);
    await page.done();
  }
});

test('sound is off by default; turned on, it accompanies the match and is remembered', async () => {
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
  await selection.getByRole('heading', { name: /(Unit|Spawn) of aliens-medium/ }).waitFor();
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

test('pointing at an order highlights it on the board, and vice versa', async () => {
  const page = await newPage(browser, arena);
  await open(page, `/matches/${match}#turn=5`);
  const orders = page.getByRole('region', { name: 'aliens-medium in this turn' });
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
  await order.press('ArrowDown'); // moves to the next order, if any, and not to the next turn
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

/** The canvas calls that draw on the board while it goes to a turn. */
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
      await page.evaluate((turn) => (location.hash = '#turn=' + turn), crowd.turn);
      const things = page.getByText(/Everything on the board/);
      await until(
        async () => Number((await things.textContent()).match(/\d+/)?.[0]) > 950,
        'a crowd',
      );
      // If the whole board is hard to read, the viewer shows a part of it.
      const part = page.getByRole('button', { name: 'Zoom to the action', pressed: true });
      if (await part.count()) await part.click();
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
    ['house/footsoldiers-medium', 'house/footsoldiers-random'],
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
  await page.locator('.scores').getByText('aliens-medium').waitFor();
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
        /aliens-medium won by elimination after \d+ turns/.test(
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
  // A game without matches shows a map.
  await page.goto('/docs/rules/underworld');
  await figure.getByRole('img', { name: /^Map / }).waitFor();
  await shot(page, 'rules-board');
  await page.done();
});
