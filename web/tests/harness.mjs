// What the tests in the browser share: an arena of their own on a free port of this machine, a real
// Chromium, people with accounts, and a look at what went wrong on a page.
//
//   SKIRMISH=build/skirmish SKIRMISH_WEB=build/web node --test web/tests/
//
// Everything that is started here is ended here. SHOTS=DIR keeps screenshots that tests take with
// `shot`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import axe from 'axe-core';
import { chromium } from 'playwright-core';

function named(variable) {
  const value = process.env[variable];
  assert.ok(value, `${variable} must be set: see web/tests/harness.mjs`);
  return resolve(value);
}

/**
 * An arena: its address, the administrator's password, and `stop`; `end` and `again` are a restart.
 * Options are those of `skirmish serve`.
 */
export async function startArena(...options) {
  const directory = await mkdtemp(join(tmpdir(), 'skirmish-web-'));
  let child;
  let ended;
  async function serve(port) {
    child = spawn(
      named('SKIRMISH'),
      [
        'serve',
        '--port',
        port,
        '--data',
        join(directory, 'data'),
        '--web',
        named('SKIRMISH_WEB'),
        '--sandbox',
        'best-effort',
        ...options,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let told = '';
    ended = new Promise((done) => child.once('exit', done));
    await new Promise((found, failed) => {
      const hear = (chunk) => {
        told += chunk;
        if (AT.test(told)) found();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', (status) =>
        failed(new Error(`the arena ended with status ${status}:\n${told}`)),
      );
    });
    return told;
  }
  const AT = /The arena is at (http:\/\/\S+:(\d+))/;
  const told = await serve('0');
  const [, address, port] = AT.exec(told);
  return {
    address,
    directory,
    password: /with the password (\S+)/.exec(told)?.[1],
    /** By this signal; everything that it kept stays for `again`. */
    async end(signal) {
      child.kill(signal);
      await ended;
    },
    again: () => serve(port),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A browser. Only addresses of this machine are ever asked for: any other request fails the test
 * that made it.
 */
export async function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
      '--mute-audio',
    ],
  });
}

/**
 * A page of its own (its own cookies), which collects what went wrong on it. `check()` fails if
 * anything did.
 */
export async function newPage(browser, arena, options = {}) {
  const context = await browser.newContext({
    baseURL: arena.address,
    viewport: { width: 1280, height: 860 },
    ...options,
  });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(`an error on the page: ${error.message}`));
  page.on('console', (message) => {
    // The browser itself reports every answer that is not 2xx: tests that ask for such answers look
    // at the page instead.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      wrong.push(`the console says: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['blob:', 'data:'].includes(url.protocol) && url.origin !== new URL(arena.address).origin)
      wrong.push(`a request to ${request.url()}`);
  });
  return Object.assign(page, {
    check() {
      assert.deepEqual(wrong, []);
    },
    async done() {
      assert.deepEqual(wrong, []);
      await context.close();
    },
  });
}

/** Fails with a list of what axe finds serious on the page as it is. */
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

/** A request to the API as a program makes it. `token` is a person's, from `newPerson`. */
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

/** A token for an account that is there. */
export async function tokenOf(arena, name, password) {
  const answer = await fetch(arena.address + '/api/v1/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  assert.equal(answer.status, 200);
  const cookie = answer.headers.get('set-cookie').split(';')[0];
  const { csrf_token } = await answer.json();
  const made = await fetch(arena.address + '/api/v1/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'x-csrf-token': csrf_token },
    body: JSON.stringify({ name: 'test' }),
  });
  assert.equal(made.status, 201);
  return (await made.json()).token;
}

/** Makes an account; returns a token. */
export async function newPerson(arena, name, password = 'a password of ' + name) {
  await ask(arena, 'POST', '/register', { name, password });
  return tokenOf(arena, name, password);
}

/** Looks again and again until `look` returns something. */
export async function until(look, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `waited in vain for ${what}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

/** What `look` returns once it is the same twice: for places and sizes that take a moment. */
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
 * Plays a match of house bots to its end; returns its id. Chance decides how long it takes: it is
 * played until one has at least so many turns.
 */
export async function playedMatch(
  arena,
  game,
  bots,
  { least = 0, ...more } = {},
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
    if (over.turns >= least) return id;
  }
}

/** Keeps a screenshot if somebody wants them. */
export async function shot(page, name) {
  if (!process.env.SHOTS) return;
  await mkdir(process.env.SHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.SHOTS, name + '.png') });
}

export const readText = (path) => readFile(path, 'utf8');
