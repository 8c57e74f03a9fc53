// Every game in the viewer, in a real browser: the page shows the same values for a turn as
// `skirmish replay export`, and both players' colours are on the board.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { gameData } from './game_data.mjs';
import {
  newPage,
  newPerson,
  playedMatch,
  startArena,
  startBrowser,
  test,
  until,
} from './harness.mjs';

let arena, browser, person;

before(async () => {
  arena = await startArena('--ladder', 'off');
  browser = await startBrowser();
  person = await newPerson(arena, 'watcher');
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

/** The number of pixels that have approximately each player's colour. */
const pixelsPerPlayer = (page) =>
  page
    .locator('canvas')
    .first()
    .evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = [
        [0xe6, 0x9f, 0x00],
        [0x3a, 0x8f, 0xd6],
      ];
      const found = [0, 0];
      for (let at = 0; at < data.length; at += 4)
        colours.forEach((colour, player) => {
          if (colour.every((part, i) => Math.abs(data[at + i] - part) < 12)) found[player]++;
        });
      return found;
    });

for (const [game, { bots, shownValues = () => ({}) }] of Object.entries(gameData))
  test(`${game}: the viewer shows the values of the state`, async () => {
    const id = await playedMatch(
      arena,
      game,
      bots.map((bot) => `house/${game}-${bot}`),
      { seed: 11 },
      person,
    );
    const replay = join(arena.directory, game + '.skr');
    await writeFile(
      replay,
      new Uint8Array(
        await (await fetch(`${arena.address}/api/v1/matches/${id}/replay`)).arrayBuffer(),
      ),
    );
    const frames = execFileSync(process.env.SKIRMISH, ['replay', 'export', replay], {
      maxBuffer: 1 << 28,
      encoding: 'utf8',
    })
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const page = await newPage(browser, arena);
    await page.goto(`/matches/${id}`);
    const slider = page.getByRole('slider', { name: 'Turn' });
    await slider.waitFor();
    for (const turn of [1, Math.ceil(frames.length / 2), frames.length]) {
      await page.evaluate((hash) => (location.hash = hash), `#turn=${turn}`);
      await until(
        async () => (await slider.getAttribute('aria-valuenow')) === String(turn),
        `turn ${turn}`,
      );
      for (const [player, bot] of bots.entries()) {
        const card = page.getByRole('region', { name: `${game}-${bot}`, exact: true });
        for (const [name, value] of Object.entries(shownValues(frames[turn - 1].state, player))) {
          const shown = card
            .locator('dl > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
            .locator('dd');
          assert.equal(await shown.textContent(), String(value), `turn ${turn}, ${bot}: ${name}`);
        }
      }
      if (turn < frames.length)
        await until(
          async () => (await pixelsPerPlayer(page)).every((points) => points > 20),
          `both colours on the board in turn ${turn}`,
          10,
        );
    }
    await page.done();
  });
