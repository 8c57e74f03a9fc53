// Matches in the viewer that are live, queued, or cannot be shown.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import {
  ask,
  newPage,
  newPerson,
  playedMatch,
  startArena,
  startBrowser,
  test,
  until,
} from './harness.mjs';
import { chatty, open, slider, turnIs } from './viewer_helpers.mjs';

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
const draftMatch = (pause, more = {}) =>
  ask(arena, 'POST', '/matches', {
    game: 'aliens',
    map: 'standard',
    seed: 7,
    seats: [{ language: 'python', source: chatty(pause) }, { bot: 'house/aliens-medium' }],
    ...more,
  });

/**
 * A match of Aliens against a bot with this source, in which the test has a person's seat. `play`
 * plays turns by passing.
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

test('viewers can go back in a live match; at its end the replay takes over', async (context) => {
  // Neither player gives valid orders, so all hundred turns are played.
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

/** A match of bots that lasts until its requester cancels it. */
function endlessMatch(arena, token) {
  const seat = { language: 'python', source: chatty(0.2, 2000) };
  const config = JSON.stringify({ maxTurns: 2000 });
  return ask(arena, 'POST', '/matches', { game: 'aliens', seats: [seat, seat], config }, token);
}

/** Logs the page's browser in as a person that `newPerson` created. */
async function logIn(page, name) {
  await page.goto('/docs');
  const status = await page.evaluate(async (name) => {
    const answer = await fetch('/api/v1/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: 'a password of ' + name }),
    });
    localStorage.setItem('logged-in', 'yes');
    return answer.status;
  }, name);
  assert.equal(status, 200);
}

/** Follows a live match up to a turn. Returns false if it is not running, or ends before that. */
async function turnReached(arena, match, turn, token) {
  const events = await fetch(`${arena.address}/api/v1/matches/${match}/live?from=start`, {
    headers: { authorization: 'Bearer ' + token },
  });
  let text = '';
  if (events.ok)
    for await (const chunk of events.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes(`"turn":${turn},`)) return true;
    }
  return false;
}

test('spectators of a live match continue after the arena was killed', async (context) => {
  const own = await startArena('--ladder', 'off');
  context.after(() => own.stop());
  const token = await newPerson(own, 'ada');
  const endless = await endlessMatch(own, token);
  const page = await newPage(browser, own);
  await logIn(page, 'ada');
  await open(page, `/matches/${endless.id}`);
  const shown = async () => Number(await slider(page).getAttribute('aria-valuenow'));
  await until(async () => (await shown()) >= 3, 'the third turn');
  // Behave like a proxy while the arena is down: after an error status, the browser does not
  // reconnect on its own.
  let failed = 0;
  await page.route(
    /\/live/,
    (route) => ++failed && route.fulfill({ status: 502, body: 'Bad Gateway' }),
  );
  await own.end('SIGKILL');
  await until(() => failed > 0, 'the turns to be requested again');
  const last = await shown();
  await own.again();
  // The match restarts from the first turn. Spectators follow it again, also if they come back
  // after the turn that they saw last.
  await until(() => turnReached(own, endless.id, last + 2, token), 'the match to restart');
  await page.unrouteAll();
  await until(async () => (await shown()) > last, `a turn after turn ${last}`);
  await page.getByRole('button', { name: 'Cancel match' }).click();
  await page.getByRole('button', { name: 'Cancel match' }).click();
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
    // Queue two matches before it, because the arena may take the next match slightly early.
    const token = await newPerson(small, 'ada');
    const earlier = [await endlessMatch(small, token), await endlessMatch(small, token)];
    const requested = await ask(small, 'POST', '/matches', {
      game: 'aliens',
      seats: [{ bot: 'house/aliens-medium' }, { bot: 'house/aliens-random' }],
    });
    const page = await newPage(browser, small);
    await page.goto(`/matches/${requested.id}`);
    await page.getByText(/^Queued: /).waitFor();
    await page.getByText('The match will appear here live.').waitFor();
    for (const { id } of earlier)
      await ask(small, 'POST', `/matches/${id}/call-off`, undefined, token);
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
