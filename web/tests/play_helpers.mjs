// What the tests of playing in person share.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { ask, until } from './harness.mjs';

/** Waits until all house bots of the arena can play. */
export const houseBotsReady = (arena) =>
  until(async () => {
    const { items } = await ask(arena, 'GET', '/bots?owner=house&limit=100');
    return items.length > 0 && items.every((bot) => bot.active_version);
  }, 'the house bots');

export const endTurn = (page) => page.getByRole('button', { name: /^End turn/ });
export const verdict = (page) =>
  page.getByRole('heading', {
    name: /^(You won|You lost|Draw|You tied|You came|Match over)/,
  });

/** Waits until the person can move in that turn ('yours') or the match has ended ('over'). */
export async function turnIs(page, turn) {
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

/** The turns of a match on the arena, as `skirmish replay export` prints them. */
export async function exportedTurns(arena, match) {
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

export const matchOf = (page) => Number(new URL(page.url()).searchParams.get('playing'));
