// Playing in person from a turn of a recorded match or of a replay file.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';

import {
  ask,
  checkAccess,
  newPage,
  playedMatch,
  shot,
  startArena,
  startBrowser,
  test,
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

test('a person plays from a turn of a recorded match', { timeout: 120_000 }, async () => {
  const turn = 3;
  const old = await playedMatch(arena, 'aliens', ['house/aliens-medium', 'house/aliens-random'], {
    map: 'duel',
    seed: 5,
    least: 10,
  });
  const before = await exportedTurns(arena, old);
  const page = await newPage(browser, arena);
  await page.goto(`/matches/${old}#turn=${turn}`);
  await page.getByRole('link', { name: 'Play from here' }).click();
  await page.getByLabel('Play as').selectOption('1');
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
  await page.reload(); // the recorded turns are loaded again
  assert.equal(await turnIs(page, turn + 2), 'yours');
  await endTurn(page).click();
  assert.equal(await turnIs(page, turn + 3), 'yours');
  await page.getByRole('button', { name: 'Forfeit' }).click();
  await page.getByRole('button', { name: 'Forfeit' }).click();
  await verdict(page).waitFor();
  const now = await exportedTurns(arena, id);
  assert.deepEqual(
    now.slice(0, turn).map((line) => line.digest),
    before.slice(0, turn).map((line) => line.digest),
  );
  assert.deepEqual(now[turn].players[1].orders, []);
  await page.done();
});

/** A replay of a match that was not played on the arena, with a bot that is not on the arena. */
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
    'house:medium',
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
  'a person plays from a replay file, which stays open while they sign up',
  { timeout: 120_000 },
  async () => {
    const own = await ownReplay('own.skr');
    const turn = 4;
    assert.ok(own.digests.length > turn + 2, 'the replay is long enough');
    const page = await newPage(browser, arena);
    await page.goto('/replay');
    await page.getByLabel('Choose file').setInputFiles(own.path);
    await page.getByRole('heading', { name: 'medium vs idle' }).waitFor();
    await page.goto(`/replay#turn=${turn}`); // a link to a turn of the open file
    await page.reload(); // the file stays open
    await page.getByRole('heading', { name: 'medium vs idle' }).waitFor();
    await page.getByRole('link', { name: 'Play from here' }).click();
    await page.getByLabel('Play as').selectOption('1');

    // The page asks for an account and keeps file, turn and seat.
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
      'house/aliens-medium',
      'the recorded bot is the default opponent',
    );
    await page.reload();
    assert.equal(await page.getByLabel('Opponent').inputValue(), 'house/aliens-medium');

    // The arena does not have the bot of the other seat, so a house bot is chosen.
    await page.getByLabel('Play as').selectOption('0');
    await page.getByText('you play as medium').waitFor();
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
    await page.getByRole('button', { name: 'Forfeit' }).click();
    await verdict(page).waitFor();
    assert.deepEqual(
      (await exportedTurns(arena, id)).slice(0, turn - 1).map((line) => line.digest),
      own.digests.slice(0, turn - 1),
    );
    const match = await ask(arena, 'GET', `/matches/${id}`);
    assert.deepEqual(
      match.players.map((player) => player.name),
      ['aliens-medium', 'replayer (in person)'],
    );

    // Play again from the same turn.
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.waitForURL((url) => url.searchParams.get('playing') !== String(id));
    assert.equal(await turnIs(page, turn), 'yours');
    await page.done();
  },
);

test(
  'nobody can play from a file that is too large or no longer open',
  { timeout: 120_000 },
  async () => {
    const page = await newPage(browser, arena);
    await page.goto('/play?file=gone.skr&turn=3&seat=0');
    await page.getByText('gone.skr is no longer open in this window.').waitFor();
    await page.getByRole('link', { name: 'Open it again' }).click();
    // Random answers cannot be compressed, so the file is large.
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
    assert.ok((await stat(path)).size > 1 << 20, 'the file is large enough');
    await page.getByLabel('Choose file').setInputFiles(path);
    await page.getByText('Too large to play from here').waitFor();
    await page.getByRole('heading', { name: 'Events in turn 0' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Play from here' }).count(), 0);
    await page.done();
  },
);

test('playing from an unknown match shows an error', { timeout: 120_000 }, async () => {
  const page = await newPage(browser, arena);
  await page.goto('/play?match=999999&turn=1&seat=0');
  const alert = page.getByRole('alert');
  await alert.getByRole('heading', { name: 'Not found' }).waitFor();
  await alert.getByText('Unknown match 999999.', { exact: true }).waitFor();
  await page.done();
});
