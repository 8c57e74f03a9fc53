// What the browser tests share: an arena on a free local port, a real browser (browsers.mjs),
// accounts, and checks for errors on a page.
//
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node --test web/tests/
//
// Tests must stop what they start. SHOTS=DIR saves the screenshots that tests take with `shot`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import axe from 'axe-core';

import { adapt, isRequestError } from './browsers.mjs';

export { doubleClick, download, inFirefox, startBrowser, test } from './browsers.mjs';

function requiredPath(variable) {
  const value = process.env[variable];
  assert.ok(value, `${variable} must be set: see web/tests/harness.mjs`);
  return resolve(value);
}

/**
 * Starts an arena with options of `skirmish serve`. Returns its address, its directory, the
 * administrator's password, and functions: `stop` ends it, `end` and `again` restart it.
 */
export async function startArena(...options) {
  const directory = await mkdtemp(join(tmpdir(), 'skirmish-web-'));
  let child;
  let ended;
  async function serve(port, ...more) {
    child = spawn(
      requiredPath('SKIRMISH'),
      [
        'serve',
        '--port',
        port,
        '--data',
        join(directory, 'data'),
        '--web',
        requiredPath('SKIRMISH_WEB'),
        '--sandbox',
        'best-effort',
        ...options,
        ...more,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    ended = new Promise((done) => child.once('exit', done));
    await new Promise((found, failed) => {
      const read = (chunk) => {
        output += chunk;
        if (ADDRESS.test(output)) found();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (status) =>
        failed(new Error(`the arena ended with status ${status}:\n${output}`)),
      );
    });
    return output;
  }
  const ADDRESS = /The arena is at (http:\/\/\S+:(\d+))/;
  const output = await serve('0');
  const [, address, port] = ADDRESS.exec(output);
  return {
    address,
    directory,
    password: await changeInitialPassword(address, directory),
    /** Ends the arena with a signal; its data stay for `again`. */
    async end(signal) {
      child.kill(signal);
      await ended;
    },
    /** Restarts the arena, with these additional options. */
    again: (...more) => serve(port, ...more),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A page with its own cookies that collects errors, including requests to hosts other than the
 * arena. `check()` fails if there were any; `done()` also closes the page.
 */
export async function newPage(browser, arena, options = {}) {
  const context = await browser.newContext({
    baseURL: arena.address,
    viewport: { width: 1280, height: 860 },
    ...options,
  });
  const page = adapt(await context.newPage());
  const errors = [];
  page.on('pageerror', (error) => {
    if (!isRequestError(error.message)) errors.push(`error on the page: ${error.message}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRequestError(message.text()))
      errors.push(`error in the console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['blob:', 'data:'].includes(url.protocol) && url.origin !== new URL(arena.address).origin)
      errors.push(`request to ${request.url()}`);
  });
  return Object.assign(page, {
    check() {
      assert.deepEqual(errors, []);
    },
    async done() {
      assert.deepEqual(errors, []);
      await context.close();
    },
  });
}

/** Fails with a list of the serious problems that axe finds on the page. */
export async function checkAccess(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() =>
    window.axe.run(document, { resultTypes: ['violations'] }),
  );
  const serious = found.violations.filter((violation) =>
    ['serious', 'critical'].includes(violation.impact),
  );
  assert.deepEqual(
    serious.map(
      (violation) =>
        `${violation.id}: ${violation.nodes.map((node) => node.target.join(' ')).join(', ')}`,
    ),
    [],
  );
}

/** Sends a request to the API, as a program does. `token` comes from `newPerson`. */
export async function ask(arena, method, path, body, token) {
  const answer = await fetch(arena.address + '/api/v1' + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: 'Bearer ' + token } : {}),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Returns a token for an existing account. */
export async function tokenOf(arena, name, password) {
  const answer = await fetch(arena.address + '/api/v1/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  assert.equal(answer.status, 200);
  const cookie = answer.headers.get('set-cookie').split(';')[0];
  const { csrf_token, role } = await answer.json();
  const made = await fetch(arena.address + '/api/v1/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'x-csrf-token': csrf_token },
    body: JSON.stringify({ name: 'test', scopes: SCOPES[role] }),
  });
  assert.equal(made.status, 201);
  return (await made.json()).token;
}

const PLAYER = ['read', 'play', 'upload'];
const SCOPES = {
  player: PLAYER,
  organiser: [...PLAYER, 'organise'],
  administrator: [...PLAYER, 'organise', 'administer'],
};

/** Changes the administrator's initial password, which is required; returns the new one. */
async function changeInitialPassword(address, directory) {
  const first = (await readFile(join(directory, 'data', 'initial-password'), 'utf8')).trim();
  const send = (method, path, body, headers) =>
    fetch(address + '/api/v1' + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const answer = await send('POST', '/login', { name: 'admin', password: first });
  const cookie = answer.headers.get('set-cookie').split(';')[0];
  const headers = { cookie, 'x-csrf-token': (await answer.json()).csrf_token };
  const password = 'chosen by the first administrator';
  const change = { password: first, new_password: password };
  assert.equal((await send('PUT', '/me/password', change, headers)).status, 204);
  return password;
}

/** Creates an account and returns a token. */
export async function newPerson(arena, name, password = 'a password of ' + name) {
  await ask(arena, 'POST', '/register', { name, password });
  return tokenOf(arena, name, password);
}

/** Calls `look` until it returns something. */
export async function until(look, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `timed out waiting for ${what}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

/** Waits until `look` returns the same value twice, for positions and sizes that take time. */
export async function steady(look, what) {
  let last;
  return until(async () => {
    const now = await look();
    const same = JSON.stringify(now) === last;
    last = JSON.stringify(now);
    return same && now;
  }, `${what} to stay the same`);
}

/**
 * Plays a match of house bots and returns its id. Matches are random, so this repeats until one has
 * at least `least` turns and, with `firstWins`, the first bot won.
 */
export async function playedMatch(
  arena,
  game,
  bots,
  { least = 0, firstWins = false, ...more } = {},
  token = undefined,
) {
  for (;;) {
    const { id } = await ask(
      arena,
      'POST',
      '/matches',
      { game, seats: bots.map((bot) => ({ bot })), ...more },
      token,
    );
    const over = await until(async () => {
      const match = await ask(arena, 'GET', `/matches/${id}`);
      return match.state === 'over' && match;
    }, `match ${id} to end`);
    const [first, ...others] = over.players;
    const won = first.rank === 1 && others.every((player) => player.rank > 1);
    if (over.turns >= least && (won || !firstWins)) return id;
  }
}

/** Saves a screenshot if SHOTS is set. */
export async function shot(page, name) {
  if (!process.env.SHOTS) return;
  await mkdir(process.env.SHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.SHOTS, name + '.png') });
}

export const readText = (path) => readFile(path, 'utf8');
